"""Random small Flows that always end, as data: a Hypothesis strategy, and how a Flow is made of what it draws.

A `Trial` is a plan of a Flow with the world around it. Its repr is its source: whoever finds one that breaks a
rule pastes it into a test. Every plan is finite: a Step goes to later Steps alone, retries and events are counted,
so that a whole state space can be searched. With `labelled=True` every message is one of its kind (it names the
attempt that published it), so that a test can follow it; without, messages are small numbers and states meet.

    @given(trials())
    def test_something(trial): machine = trial.machine()

Three Channels (`a`, `b`, the ChannelMap `m`), three Attributes (`x`, `y`, the AttributeMap `z`), up to four Steps
with waits of every kind, failures, retries, routes, locks, cancellations and every decision, two RPCs, a timeout
handler, timers, stops, faults, and attempts that may outlive their method timeout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any

from hypothesis import strategies as st

from dexpatterns.dex import (
    Anytime,
    At,
    Attribute,
    AttributeMap,
    Channel,
    ChannelMap,
    ConditionCombination,
    Context,
    Faults,
    Flow,
    FlowMachine,
    FlowTimeoutPolicy,
    Invoke,
    PersistenceSchema,
    RetryPolicy,
    RPCResult,
    Scenario,
    StartFlowOptions,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    StepOptions,
    Stop,
    StopFlowOptions,
    StopType,
    Timer,
    Wait,
    WaitForFailurePolicy,
    dead_end,
    force_complete,
    force_complete_if_channels_empty,
    force_fail,
    go_to,
    go_to_many,
    graceful_complete,
    rpc,
)

__all__ = ["CHANNELS", "Act", "Decide", "FlowPlan", "StepPlan", "Trial", "WaitPlan", "World", "trials"]

CHANNELS: dict[str, Any] = {"a": Channel("a", Any), "b": Channel("b", Any), "m": ChannelMap("m", Any)}
ATTRIBUTES: dict[str, Any] = {"x": Attribute("x", int), "y": Attribute("y", int), "z": AttributeMap("z", int)}
KEYS = ("k", "l")
MOST_STEPS = 4


def seconds(n: float) -> timedelta:
    return timedelta(seconds=n)


@dataclass(frozen=True)
class Act:
    """One thing that a handler does: 'publish', 'set', 'add', 'delete', 'read', 'size' or 'record'.

    What is set or added is `value` and the handler's input, which is the place of its movement or Step.
    `on` is a Channel, an Attribute, or an entry of a map such as 'm/k'.
    """

    what: str
    on: str
    value: int = 0


@dataclass(frozen=True)
class WaitPlan:
    """A Wait: `kind` as in `Wait.kind`, conditions as (name, entry or seconds); combinations pair them up."""

    kind: str
    conditions: tuple[tuple[str, Any], ...] = ()

    def make(self) -> Wait:
        ids = self.kind == "any_combination_of"
        made = [self._condition(k, *one, ids) for k, one in enumerate(self.conditions)]
        if self.kind == "skip":
            return Wait.skip_immediately()
        if self.kind == "until":
            return Wait.until(made[0])
        if ids:
            return Wait.any_combination_of(*[ConditionCombination.of(*made[k : k + 2]) for k in range(len(made))])
        return (Wait.all_of if self.kind == "all_of" else Wait.any_of)(*made)

    def _condition(self, k: int, name: str, on: Any, ids: bool) -> Any:
        condition_id = f"{k}" if ids else None
        if name == "timer":
            return Timer.by_duration(seconds(on), condition_id=condition_id)
        entry, _, key = on.partition("/")
        channel, args = CHANNELS[entry], ([key] if key else [])
        makers: dict[str, Callable[..., Any]] = {
            "for_one": channel.for_one,
            "for_two": lambda *a, **kw: channel.for_n(*a, 2, **kw),
            "at_least": lambda *a, **kw: channel.at_least(*a, 1, **kw),
            "at_most": lambda *a, **kw: channel.at_most(*a, 1, **kw),
            "for_range": lambda *a, **kw: channel.for_range(*a, at_least=1, at_most=2, **kw),
        }
        return makers[name](*args, condition_id=condition_id)


@dataclass(frozen=True)
class Decide:
    """A decision: `goes` are places of Steps in the plan, taken modulo those that may follow; so are `cancels`."""

    kind: str = "dead_end"
    goes: tuple[int, ...] = ()
    cancels: tuple[int, ...] = ()
    siblings: tuple[int, ...] = ()
    with_options: bool = False


@dataclass(frozen=True)
class StepPlan:
    """One Step. `fails` of its first execute attempts raise, `wait_fails` of its first wait_for attempts."""

    acts: tuple[Act, ...] = ()
    decide: Decide = Decide()
    instead: Decide | None = None
    """What it decides when Attribute `x` is not zero at its begin."""
    wait: WaitPlan | None = None
    wait_acts: tuple[Act, ...] = ()
    fails: int = 0
    wait_fails: int = 0
    attempts: int = 1
    route: int | None = None
    proceed: bool = False
    locks: tuple[str, ...] = ()
    wait_locks: tuple[str, ...] = ()
    takes: tuple[int, int] = (1, 1)
    """The shortest and longest time of an execute attempt, in seconds."""
    timeout: int = 100
    is_async: bool = False


@dataclass(frozen=True)
class FlowPlan:
    """Steps, of which the first starts; what two RPCs and the timeout handler do."""

    steps: tuple[StepPlan, ...]
    rpc_acts: tuple[Act, ...] = ()
    rpc_decide: Decide = Decide()
    rpc_locks: tuple[str, ...] = ()
    rpc_fails: bool = False
    timeout_decide: Decide | None = None
    labelled: bool = True

    def later(self, place: int, after: int) -> int | None:
        """The Step that a place means for the Step at `after`: a later one, or none."""
        left = len(self.steps) - after - 1
        return after + 1 + place % left if left > 0 else None


@dataclass(frozen=True)
class World:
    """Events as (when, what, times): `when` a time in seconds, 'free' or 'owed'; `what` 'first', 'second' or a stop."""

    events: tuple[tuple[Any, str, int], ...] = ()
    timeout: int | None = None
    policy: str | None = None
    lost: int = 0
    late: int = 0


@dataclass(frozen=True)
class Trial:
    """A plan, and the world that it is tried in."""

    plan: FlowPlan
    world: World = World()

    def machine(self, *, memo: bool = True) -> FlowMachine:
        """The machine of this trial, built anew."""
        flow, classes = _flow(self.plan)
        return FlowMachine(flow, 0, scenario=self._scenario(classes), faults=self.faults, memo=memo)

    def parts(self) -> tuple[Flow[Any], Scenario, Faults]:
        """Flow, scenario and faults, for those who take them apart."""
        flow, classes = _flow(self.plan)
        return flow, self._scenario(classes), self.faults

    @property
    def faults(self) -> Faults:
        return Faults(lost_attempts=self.world.lost, late_attempts=self.world.late)

    def unlabelled(self) -> Trial:
        return replace(self, plan=replace(self.plan, labelled=False))

    def _scenario(self, classes: list[type[Step[Any]]]) -> Scenario:
        policy = None if self.world.policy is None else FlowTimeoutPolicy[self.world.policy]
        timeout = None if self.world.timeout is None else seconds(self.world.timeout)
        durations = {cls: tuple(map(seconds, step.takes)) for cls, step in zip(classes, self.plan.steps, strict=True)}
        return Scenario(
            durations,  # type: ignore[arg-type]  # every tuple is a pair
            events=[_event(*event) for event in self.world.events],
            options=StartFlowOptions(timeout=timeout, timeout_policy=policy),
        )


def _event(when: Any, what: str, times: int) -> At | Anytime:
    happens: Any
    if what == "first":
        happens = Invoke("first", 1)
    elif what == "second":
        happens = Invoke("second")
    else:
        happens = Stop(StopFlowOptions(type=StopType[what], reason="stopped"))
    return At(seconds(when), happens) if isinstance(when, int) else Anytime(happens, times, owed=when == "owed")


# What a plan's handlers do.


def _act(plan: FlowPlan, context: Context, acts: tuple[Act, ...], method: str, input: int = 0) -> None:
    for k, act in enumerate(acts):
        name, _, key = act.on.partition("/")
        args = [key] if key else []
        if act.what == "publish":
            value: Any = act.value
            if plan.labelled:
                value = f"{context.step_execution_id} {method} {context.attempt} {k}"
            CHANNELS[name].publish(context, *args, value)
        elif act.what == "size":
            CHANNELS[name].size(context, *args)
        elif act.what == "record":
            context.record_event(act.on, act.value)
        elif act.what == "read":
            ATTRIBUTES[name].get(context, *args)
        elif act.what == "delete":
            ATTRIBUTES[name].delete(context, *args)
        else:
            base = ATTRIBUTES[name].get(context, *args) if act.what == "add" else 0
            ATTRIBUTES[name].set(context, *args, base + act.value + input)


def _decision(plan: FlowPlan, classes: list[type[Step[Any]]], decide: Decide, after: int) -> StepDecision:
    goes = [classes[place] for place in (plan.later(one, after) for one in decide.goes) if place is not None]
    options = StepOptions(execute_retry=RetryPolicy(maximum_attempts=2)) if decide.with_options else None
    movements = [StepMovement.of(cls, k, options=options) for k, cls in enumerate(goes)]
    makers: dict[str, Callable[[], StepDecision]] = {
        "dead_end": dead_end,
        "go_to": lambda: go_to(movements[0].step, after) if movements else dead_end(),
        "go_to_many": lambda: go_to_many(*movements) if movements else dead_end(),
        "graceful_complete": lambda: graceful_complete(after),
        "force_complete": lambda: force_complete(None),
        "force_fail": lambda: force_fail("planned"),
        "if_empty": lambda: (
            force_complete_if_channels_empty(after, movements[0], CHANNELS["a"], CHANNELS["m"])
            if movements
            else graceful_complete()
        ),
    }
    made = makers[decide.kind]()
    hit = [classes[place % len(classes)] for place in decide.cancels]
    kin = [classes[place % len(classes)] for place in decide.siblings]
    return made.with_canceling_steps(*hit).with_canceling_sibling_steps(*kin)


def _locks(names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(ATTRIBUTES["z"].lock(n[2:]) if "/" in n else ATTRIBUTES[n].lock() for n in names)


def _step(plan: FlowPlan, classes: list[type[Step[Any]]], place: int) -> type[Step[Any]]:
    step = plan.steps[place]

    def executed(context: Context, input: int) -> StepDecision:
        _act(plan, context, step.acts, "execute", input)
        if context.attempt <= step.fails:
            raise ValueError(f"planned failure {context.attempt}")
        decide = step.instead if step.instead is not None and ATTRIBUTES["x"].get(context) else step.decide
        return _decision(plan, classes, decide, place)

    def waited(context: Context, input: int) -> Wait:
        _act(plan, context, step.wait_acts, "wait_for", input)
        if context.attempt <= step.wait_fails:
            raise ValueError(f"planned failure {context.attempt}")
        assert step.wait is not None
        return step.wait.make()

    # Through a dict, where a reader of the source loses the way: reading it takes far longer than running it.
    does: dict[str, Callable[[Context, int], Any]] = {"execute": executed, "wait_for": waited}

    def execute(self: Any, context: Context, input: Any) -> StepDecision:
        return does["execute"](context, input)  # type: ignore[no-any-return]

    async def execute_async(self: Any, context: Context, input: Any) -> StepDecision:
        return does["execute"](context, input)  # type: ignore[no-any-return]

    def wait_for(self: Any, context: Context, input: Any) -> Wait:
        return does["wait_for"](context, input)  # type: ignore[no-any-return]

    def get_step_options(self: Any) -> StepOptions:
        retry = RetryPolicy(maximum_attempts=step.attempts, initial_interval=seconds(1))
        options = StepOptions(
            execute_retry=retry,
            wait_for_retry=retry,
            wait_for_failure=WaitForFailurePolicy.PROCEED if step.proceed else WaitForFailurePolicy.FAIL_FLOW,
            execute_lock_attributes=_locks(step.locks),
            wait_for_lock_attributes=_locks(step.wait_locks),
            execute_method_timeout=seconds(step.timeout),
        )
        route = None if step.route is None else plan.later(step.route, place)
        return options if route is None else options.on_execute_failure_proceed_to(classes[route])

    body: dict[str, Any] = {
        "execute": execute_async if step.is_async else execute,
        "get_step_options": get_step_options,
    }
    if step.wait is not None:
        body["wait_for"] = wait_for
    return type(f"S{place}", (Step,), body)


def _flow(plan: FlowPlan) -> tuple[Flow[Any], list[type[Step[Any]]]]:
    classes: list[type[Step[Any]]] = []
    classes += [_step(plan, classes, place) for place in range(len(plan.steps))]

    def call(context: Context) -> RPCResult[int]:
        _act(plan, context, plan.rpc_acts, "rpc")
        if plan.rpc_fails:
            raise ValueError("planned failure of an RPC")
        decision = _decision(plan, classes, plan.rpc_decide, 0)
        return RPCResult(1, next_steps=decision.movements).with_canceling_steps(*decision.cancels)

    def timed_out(context: Context) -> StepDecision:
        assert plan.timeout_decide is not None
        return _decision(plan, classes, plan.timeout_decide, 0)

    does: dict[str, Callable[[Context], Any]] = {"call": call, "handle_timeout": timed_out}

    def first(self: Any, context: Context, input: int) -> RPCResult[int]:
        return does["call"](context)  # type: ignore[no-any-return]

    def second(self: Any, context: Context) -> RPCResult[int]:
        return does["call"](context)  # type: ignore[no-any-return]

    def handle_timeout(self: Any, context: Context) -> StepDecision:
        return does["handle_timeout"](context)  # type: ignore[no-any-return]

    schema = PersistenceSchema.of(*CHANNELS.values(), *ATTRIBUTES.values())
    body: dict[str, Any] = {
        "get_steps": lambda self: StepList.start_step(classes[0]()).other_steps(*[cls() for cls in classes[1:]]),
        "get_persistence_schema": lambda self: schema,
        "first": rpc(lock_attributes=_locks(plan.rpc_locks))(first),
        "second": rpc(second),
    }
    if plan.timeout_decide is not None:
        body["handle_timeout"] = handle_timeout
    return type("RandomFlow", (Flow,), body)(), classes


# Strategies. What comes first is what an example shrinks to.

_places = st.integers(0, MOST_STEPS - 1)
_entries = st.sampled_from(["a", "a", "a", "b", "m/k", "m/l"])
_attributes = st.sampled_from(["x", "y", "z/k"])
_publish = st.builds(partial(Act, "publish"), _entries, st.integers(0, 1))
_acts = st.one_of(
    _publish,
    _publish,
    _publish,
    st.builds(Act, st.sampled_from(["set", "add"]), _attributes, st.integers(0, 2)),
    st.builds(Act, st.sampled_from(["read", "delete"]), _attributes),
    st.builds(partial(Act, "size"), _entries),
    st.builds(partial(Act, "record"), st.just("note"), st.integers(0, 1)),
)
_some_acts = st.lists(_acts, max_size=3).map(tuple)
_on_channel = st.tuples(
    st.sampled_from(["for_one", "for_one", "for_two", "at_least", "at_most", "for_range"]), _entries
)
_conditions = st.one_of(_on_channel, _on_channel, st.tuples(st.just("timer"), st.integers(1, 2)))
_waits = st.one_of(
    st.builds(WaitPlan, st.just("until"), st.tuples(_on_channel)),
    st.builds(WaitPlan, st.just("until"), st.tuples(_conditions)),
    st.just(WaitPlan("until", (("for_one", "a"),))),
    st.just(WaitPlan("until", (("for_one", "a"),))),
    st.builds(
        WaitPlan,
        st.sampled_from(["any_of", "all_of", "any_combination_of"]),
        st.lists(_conditions, min_size=1, max_size=3).map(tuple),
    ),
    st.just(WaitPlan("skip")),
)
_goes = st.lists(_places, min_size=1, max_size=3).map(tuple)
_hits = st.one_of(st.just(()), st.lists(_places, min_size=1, max_size=2).map(tuple))
_going = st.builds(Decide, st.sampled_from(["go_to_many", "go_to"]), _goes, _hits, _hits, st.booleans())
_ending = st.builds(
    Decide,
    st.sampled_from([*["dead_end", "dead_end", "graceful_complete", "if_empty"] * 2, "force_complete", "force_fail"]),
    _goes,
    _hits,
    _hits,
)
_decides = st.one_of(_going, _ending, _going)
_lock_sets = st.one_of(
    st.just(()), st.just(()), st.lists(st.sampled_from(["x", "y", "z/k"]), min_size=1, max_size=2).map(tuple)
)
_fails = st.sampled_from([0, 0, 0, 0, 0, 0, 1, 1, 9])
_takes = st.sampled_from([(1, 1), (1, 1), (0, 0), (1, 3), (3, 3)])
_steps = st.builds(
    StepPlan,
    acts=_some_acts,
    decide=_decides,
    instead=st.one_of(st.none(), _decides),
    wait=st.one_of(st.none(), _waits, _waits),
    wait_acts=st.one_of(st.just(()), _some_acts),
    fails=_fails,
    wait_fails=_fails,
    attempts=st.sampled_from([2, 3, 1]),
    route=st.one_of(st.none(), _places),
    proceed=st.sampled_from([True, True, False]),
    locks=_lock_sets,
    wait_locks=_lock_sets,
    takes=_takes,
    timeout=st.sampled_from([100, 100, 2]),
    is_async=st.sampled_from([False, False, False, True]),
)
_events = st.tuples(
    st.sampled_from(["free", "owed", 1, 2, 4]),
    st.sampled_from([*["first", "second"] * 5, "CANCEL", "FAIL", "TERMINATE"]),
    st.integers(1, 2),
)


@st.composite
def trials(
    draw: st.DrawFn, *, most_steps: int = MOST_STEPS, labelled: bool = True, most_events: int = 3, most_faults: int = 2
) -> Trial:
    """Random trials. Fewer Steps, events and faults make smaller state spaces."""
    first = draw(_steps)
    rest = draw(st.lists(_steps, min_size=1, max_size=most_steps - 1))
    if draw(st.integers(0, 3)):
        # A start that fans out, or most plans would be a line.
        goes = draw(st.lists(_places, min_size=2, max_size=3).map(tuple))
        first = replace(first, decide=Decide("go_to_many", goes), instead=None, wait=None, fails=0, timeout=100)
    rpc_acts = draw(_some_acts)
    events = draw(st.lists(_events, max_size=most_events))
    if draw(st.booleans()):
        # Several who wait, messages for some of them sooner or later, and somebody who cancels: chance alone seldom
        # brings them together.
        messages = draw(st.lists(_publish, max_size=2).map(tuple))
        later = draw(st.lists(_publish, max_size=2).map(tuple))
        waits = replace(rest[0], wait=draw(_waits), wait_acts=(), wait_fails=0)
        many = Decide("go_to_many", (0, *first.decide.goes[:1], 0, 1))
        first = replace(first, acts=messages, decide=many, instead=None, wait=None, fails=0, timeout=100)
        rest = [waits, *rest[1:-1], replace(rest[-1], decide=replace(rest[-1].decide, cancels=(1,)))][: len(rest)]
        if later and most_events:
            rpc_acts, events = later, [("free", "first", 2), *events[1:]]
    with_handler = draw(st.booleans())
    plan = FlowPlan(
        (first, *rest),
        rpc_acts=rpc_acts,
        rpc_decide=draw(st.one_of(_going, st.just(Decide()))),
        rpc_locks=draw(_lock_sets),
        rpc_fails=draw(st.sampled_from([False, False, False, True])),
        timeout_decide=draw(_decides) if with_handler else None,
        labelled=labelled,
    )
    timeout = draw(st.one_of(st.none(), st.none(), st.integers(4, 12)))
    policies = [None, "FAIL", "CANCEL", *(["HANDLER"] if with_handler else [])]
    world = World(
        events=tuple(events),
        timeout=timeout,
        policy=None if timeout is None else draw(st.sampled_from(policies)),
        lost=draw(st.integers(0, most_faults)),
        late=draw(st.integers(0, most_faults)),
    )
    return Trial(plan, world)
