"""Random small Flows whose branches differ by a name, as data: for searches that take such branches as one.

Every branch starts with an `Edit` of its own; a handler may copy the name, publish it, compare it with one that it
reads, and nothing else. `labels` of two branches may be equal, and their `tag` may differ. Every plan is finite: a
Step goes to later Steps alone. A `Named` is its own source, as with `random_flows.Trial`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from dexpatterns.dex import (
    Anytime,
    Attribute,
    Channel,
    Context,
    Faults,
    Flow,
    Invoke,
    RetryPolicy,
    RPCResult,
    Scenario,
    Step,
    StepDecision,
    StepMovement,
    StepOptions,
    Timer,
    Wait,
    dead_end,
    force_complete,
    force_complete_if_channels_empty,
    go_to,
    go_to_many,
    graceful_complete,
)
from tests.dex.flows import flow, step

__all__ = ["LABELS", "Edit", "Named", "NamedStep", "named_flows"]

A, B = Channel("a", str), Channel("b", str)
CHANNELS = {"a": A, "b": B}
COUNT, LAST = Attribute("count", int), Attribute("last", str)
LABELS = ("x", "y", "z")


@dataclass(frozen=True)
class Edit:
    label: str
    tag: int = 0


@dataclass(frozen=True)
class NamedStep:
    """`test` chooses between `acts`, `decide` and `else_acts`, `else_decide`; waits and decisions are words."""

    wait: str = ""
    test: str = ""
    acts: tuple[str, ...] = ()
    decide: tuple[Any, ...] = ("dead_end",)
    else_acts: tuple[str, ...] = ()
    else_decide: tuple[Any, ...] = ("dead_end",)
    attempts: int = 1
    route: bool = False
    lock: bool = False


@dataclass(frozen=True)
class Named:
    """Steps, the first of which every branch starts with; the start publishes to Channels, and may start a helper."""

    steps: tuple[NamedStep, ...]
    edits: tuple[Edit, ...]
    published: tuple[str, ...] = ()
    helper: bool = False
    calls: int = 0
    call: tuple[str, ...] = ()
    call_cancels: bool = False
    lost: int = 0
    late: int = 0

    def parts(self) -> tuple[Flow[Any], list[Edit], Scenario, Faults]:
        """Flow, input, scenario and faults."""
        classes: list[type[Step[Any]]] = []
        classes += [_step(classes, place, plan) for place, plan in enumerate(self.steps)]

        def begin(context: Context, edits: list[Edit]) -> StepDecision:
            for name in self.published:
                CHANNELS[name].publish(context, "token")
            helpers = [StepMovement.of(classes[-1], edits[0])] if self.helper else []
            return go_to_many(*[StepMovement.of(classes[0], edit) for edit in edits], *helpers)

        def poke(context: Context, _: Any) -> RPCResult[None]:
            for act in self.call:
                _ACTS[act](context, None)
            return RPCResult[None]().with_canceling_steps(*classes[: self.call_cancels])

        made = flow(step("Begin", begin), *classes, keeps=(A, B, COUNT, LAST), rpcs={"poke": poke})
        scenario = Scenario(events=[Anytime(Invoke("poke", None), self.calls)] if self.calls else [])
        return made, list(self.edits), scenario, Faults(lost_attempts=self.lost, late_attempts=self.late)


def _timer(seconds: int) -> Any:
    return Timer.by_duration(timedelta(seconds=seconds))


_WAITS: dict[str, Callable[[], Wait]] = {
    "one": lambda: Wait.until(A.for_one()),
    "some": lambda: Wait.until(A.at_most(1)),
    "other": lambda: Wait.until(B.at_least(1)),
    "both": lambda: Wait.all_of(A.for_one(), B.for_one()),
    "either": lambda: Wait.any_of(A.for_one(), B.for_one()),
    "in time": lambda: Wait.any_of(A.for_one(), _timer(1)),
    "timers": lambda: Wait.all_of(_timer(1), _timer(2)),
    "skip": Wait.skip_immediately,
}
_TESTS: dict[str, Callable[[Context, Edit], bool]] = {
    "": lambda context, edit: True,
    "counted": lambda context, edit: COUNT.get(context) > 0,
    "queued": lambda context, edit: A.size(context) > 0,
    "mine": lambda context, edit: LAST.get(context) == edit.label if LAST.get(context) is not None else False,
    "again": lambda context, edit: context.attempt > 1,
    "got": lambda context, edit: bool(A.results(context)),
    "fired": lambda context, edit: context.has_timer_fired(),
    "routed": lambda context, edit: context.recovery_error is not None,
    "tagged": lambda context, edit: edit.tag > 0,
}
_ACTS: dict[str, Callable[[Context, Any], object]] = {
    "token a": lambda context, edit: A.publish(context, "token"),
    "token b": lambda context, edit: B.publish(context, "token"),
    "name b": lambda context, edit: B.publish(context, edit.label),
    "on": lambda context, edit: [B.publish(context, value) for value in A.results(context)],
    "count": lambda context, edit: COUNT.set(context, min(COUNT.get(context) + 1, 2)),
    "reset": lambda context, edit: COUNT.set(context, 0),
    "mark": lambda context, edit: LAST.set(context, edit.label),
    "note": lambda context, edit: context.record_event("note", edit.label),
    "fail": lambda context, edit: 1 / 0,
}
_FOR_ALL = ("token a", "token b", "count", "reset")


def _step(classes: list[type[Step[Any]]], place: int, plan: NamedStep) -> type[Step[Any]]:
    def execute(context: Context, edit: Edit) -> StepDecision:
        chosen = _TESTS[plan.test](context, edit)
        for act in plan.acts if chosen else plan.else_acts:
            _ACTS[act](context, edit)
        return _decide(classes, place, context, edit, *(plan.decide if chosen else plan.else_decide))

    def options() -> StepOptions:
        retry = RetryPolicy(maximum_attempts=plan.attempts)
        made = StepOptions(
            execute_retry=retry, wait_for_retry=retry, execute_lock_attributes=(COUNT.lock(),) if plan.lock else ()
        )
        later = classes[place + 1 :]
        return made.on_execute_failure_proceed_to(later[0]) if plan.route and later else made

    wait = _WAITS.get(plan.wait)
    return step(f"S{place}", execute, None if wait is None else lambda context, edit: wait(), options)


def _decide(
    classes: list[type[Step[Any]]], place: int, context: Context, edit: Edit, kind: str, far: int = 0, cancels: str = ""
) -> StepDecision:
    later = classes[place + 1 :]
    makers: dict[str, Callable[[], StepDecision]] = {
        "graceful": lambda: graceful_complete(edit.label),
        "force": lambda: force_complete(LAST.get(context)),
        "go": lambda: go_to(later[far % len(later)], edit),
        "many": lambda: go_to_many(*[StepMovement.of(cls, edit) for cls in (later[0], later[-1])]),
        "empty": lambda: force_complete_if_channels_empty(edit.label, StepMovement.of(later[0], edit), A),
    }
    made = makers[kind]() if kind in ("graceful", "force") or (later and kind in makers) else dead_end()
    hit = classes[far % len(classes)]
    if cancels == "all":
        return made.with_canceling_steps(hit)
    return made.with_canceling_sibling_steps(hit) if cancels == "siblings" else made


_acts = st.lists(st.sampled_from(sorted(_ACTS)), max_size=2).map(tuple)
_decisions = st.tuples(
    st.sampled_from(["go", "go", "go", "many", "dead_end", "dead_end", "graceful", "force", "empty"]),
    st.integers(0, 2),
    st.sampled_from(["", "", "", "", "all", "siblings"]),
)
_steps = st.builds(
    NamedStep,
    wait=st.sampled_from(["", "", "one", "one", *sorted(_WAITS)]),
    test=st.sampled_from(["", "", "", *sorted(_TESTS)]),
    acts=_acts,
    decide=_decisions,
    else_acts=_acts,
    else_decide=_decisions,
    attempts=st.sampled_from([1, 1, 2]),
    route=st.booleans(),
    lock=st.sampled_from([False, False, False, True]),
)


def named_flows(*, most_steps: int = 3, branches: int = 2) -> st.SearchStrategy[Named]:
    """Random plans of so many branches."""
    edits = st.builds(Edit, st.sampled_from(LABELS), st.sampled_from([0, 0, 0, 1]))
    return st.builds(
        Named,
        st.lists(_steps, min_size=2, max_size=most_steps).map(tuple),
        st.lists(edits, min_size=branches, max_size=branches).map(tuple),
        published=st.lists(st.sampled_from(["a", "a", "b"]), max_size=2).map(tuple),
        helper=st.booleans(),
        calls=st.sampled_from([0, 0, 1, 2]),
        call=st.lists(st.sampled_from(_FOR_ALL), max_size=2).map(tuple),
        call_cancels=st.booleans(),
        lost=st.sampled_from([0, 0, 1]),
        late=st.sampled_from([0, 0, 0, 1]),
    )
