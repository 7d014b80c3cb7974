"""`check` tells the truth about a Flow: against a walk of every run, with each saving on and off, and on any machine.

The walk (`every_run`) knows no state: it makes each run anew from its start, move by move, handlers and all. Where
branches are taken as one (`symmetric`), whatever could tell them apart has to be refused with the reason.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from dexpatterns import catalog
from dexpatterns.dex import (
    Anytime,
    At,
    Attribute,
    Channel,
    ChannelMap,
    Context,
    Faults,
    Flow,
    FlowMachine,
    Invoke,
    RPCResult,
    Scenario,
    Section,
    StepDecision,
    StepMovement,
    StepOptions,
    Stop,
    Timer,
    Wait,
    check,
    dead_end,
    force_complete,
    force_complete_if_channels_empty,
    go_to,
    go_to_many,
    graceful_complete,
    mutual_exclusion,
    replay,
    token_conserved,
)
from dexpatterns.dex.symmetry import SymmetricFlowMachine
from dexpatterns.engine.explore import explore
from dexpatterns.engine.machine import Choice
from dexpatterns.engine.properties import Property, always_ends, never, never_stuck
from dexpatterns.engine.report import Bounds, Report, Verdict
from dexpatterns.errors import FlowDefinitionError, InputError, NondeterminismError, SymmetryError
from tests.dex.flows import NO_RETRY, TWICE, flow, seconds, step
from tests.dex.named_flows import LABELS, Named, named_flows
from tests.dex.random_flows import Trial, trials

GO, OUT = Channel("go", str), Channel("out", str)
COUNT, LAST = Attribute("count", int), Attribute("last", str)


class Nothing(Property):
    """What every state fulfils: its search visits them all."""

    name = "nothing"


def turns(report: Report) -> int | None:
    return None if report.counterexample is None else len(report.counterexample.trace.turns)


def last(channel: Channel[str]) -> Wait:
    return Wait.until(channel.for_one())


# Every run, one by one.


def every_run(machine: FlowMachine, most: int = 2_000) -> set[str] | None:
    """How the runs end, each made from the start; None when there are more moves to make than `most` runs take."""
    outcomes: set[str] = set()
    paths: list[tuple[Choice, ...]] = [()]
    made = 0
    while paths:
        path = paths.pop()
        made += len(path)
        if made > 12 * most:
            return None
        state, _ = machine.start()
        for choice in path:
            state, _ = machine.apply(state, choice)
        choices = machine.choices(state)
        outcome = None if choices.owed else machine.outcome(state)
        if outcome is not None:
            outcomes.add(outcome)
        paths += [(*path, choice) for choice in choices]
    return outcomes


def racing(*names: str, wait: Callable[[], Wait], then: Callable[[Context, str], StepDecision], tokens: int = 1) -> Any:
    """Branches of one Step that wait for the same thing."""
    waits = step("Waits", then, lambda context, name: wait(), NO_RETRY)

    def begin(context: Context, _: Any) -> StepDecision:
        for _n in range(tokens):
            GO.publish(context, "token")
        return go_to_many(*[StepMovement.of(waits, name) for name in names])

    return flow(step("Begin", begin), waits, keeps=(GO, OUT, COUNT, LAST))


Case = tuple[Flow[Any], Scenario | None, Faults | None, set[str]]
"""A Flow, the world around it, and all ends that it has."""


def by_hand() -> dict[str, Case]:
    """Small Flows whose ends can be counted on the fingers."""
    first = racing("a", "b", "c", wait=lambda: last(GO), then=lambda context, name: force_complete(name))
    return {
        "who gets the only token": (first, None, None, {"COMPLETED ['a']", "COMPLETED ['b']", "COMPLETED ['c']"}),
        "in time or not": _in_time(),
        "added without a lock": (_adding(StepOptions()), None, None, {"COMPLETED [1]", "COMPLETED [2]"}),
        "added under a lock": (
            _adding(StepOptions(execute_lock_attributes=(COUNT.lock(),))), None, None, {"COMPLETED [2]"},
        ),
        "cancelled with the token": _cancelled_with_the_token(),
        **_tried(),
        "a map that is empty or not": _map(),
        **_called(),
    }  # fmt: skip


def _in_time() -> Case:
    def execute(context: Context, name: str) -> StepDecision:
        return graceful_complete([name, context.has_timer_fired(), len(GO.results(context))])

    made = racing("a", "b", wait=lambda: Wait.any_of(GO.for_one(), Timer.by_duration(seconds(1))), then=execute)
    late, got = (True, 0), (False, 1)
    ends = [(x, y, sooner, later) for x, y in ("ab", "ba") for sooner, later in ((late, got), (got, late))]
    return made, None, None, {f"COMPLETED {[[x, *sooner], [y, *later]]}" for x, y, sooner, later in ends}


def _adding(options: StepOptions) -> Flow[Any]:
    """Two that add one to what they read: under a lock they take turns."""

    def execute(context: Context, _: Any) -> StepDecision:
        COUNT.set(context, COUNT.get(context) + 1)
        GO.publish(context, "done")
        return dead_end()

    add = step("Add", execute, None, options)
    join = step("Join", lambda c, _: graceful_complete(COUNT.get(c)), lambda c, _: Wait.until(GO.for_n(2)))
    moves = [StepMovement.of(cls, None) for cls in (add, add, join)]
    return flow(step("Begin", lambda c, _: go_to_many(*moves)), add, join, keeps=(GO, COUNT))


def _cancelled_with_the_token() -> Case:
    """What was taken goes back when its taker is cancelled, and somebody else gets it (D-24)."""
    takes = step("Takes", lambda c, _: force_complete("took"), lambda c, _: last(GO), NO_RETRY)
    after = step("TakesAfter", lambda c, _: force_complete("took after"), lambda c, _: last(GO))
    cancels = step("Cancels", lambda c, _: go_to(after, None).with_canceling_steps(takes))
    moves = [StepMovement.of(cls, None) for cls in (takes, cancels)]
    begin = step("Begin", lambda c, _: GO.publish(c, "t") or go_to_many(*moves))
    made = flow(begin, takes, cancels, after, keeps=(GO,))
    return made, None, None, {"COMPLETED ['took']", "COMPLETED ['took after']"}


def _tried() -> dict[str, Case]:
    """A retry, then a route: which attempt counted, or that none did."""
    rescued = step("Rescued", lambda c, _: graceful_complete(c.recovery_error.error_type if c.recovery_error else ""))
    options = StepOptions(execute_retry=TWICE).on_execute_failure_proceed_to(rescued)
    made = flow(step("Tries", lambda c, _: graceful_complete(c.attempt), None, options), rescued)
    once = {"COMPLETED [1]", "COMPLETED [2]"}
    return {
        "lost once": (made, None, Faults(lost_attempts=1), once),
        "late twice": (made, None, Faults(late_attempts=2), once | {"COMPLETED ['AttemptTimedOut']"}),
        "one of each": (
            made, None, Faults(1, 1), once | {"COMPLETED ['AttemptTimedOut']", "COMPLETED ['AttemptLost']"},
        ),
    }  # fmt: skip


def _map() -> Case:
    entries = ChannelMap("entries", str)
    stays = step("Stays", lambda c, _: graceful_complete("not empty"))
    fallback = StepMovement.of(stays, None)
    leaves = step("Leaves", lambda c, _: force_complete_if_channels_empty("empty", fallback, entries))
    fills = step("Fills", lambda c, _: entries.publish(c, "k", "m") or dead_end())
    moves = [StepMovement.of(cls, None) for cls in (leaves, fills)]
    made = flow(step("Begin", lambda c, _: go_to_many(*moves)), leaves, stays, fills, keeps=(entries,))
    return made, None, None, {"COMPLETED ['empty']", "COMPLETED ['not empty']"}


def _called() -> dict[str, Case]:
    """A call that may come, one that surely comes, and a stop after it."""

    def answer(context: Context, _: Any) -> RPCResult[int]:
        LAST.set(context, "told")
        GO.publish(context, "told")
        return RPCResult(1)

    told = step(
        "Told",
        lambda context, _: graceful_complete(LAST.get(context)),
        lambda context, _: Wait.any_of(GO.for_one(), Timer.by_duration(seconds(9))),
    )
    made = flow(told, keeps=(GO, LAST), rpcs={"answer": answer})
    call = Invoke("answer", None)
    ends = {"COMPLETED [None]", "COMPLETED ['told']"}
    stopped = Scenario(events=[At(seconds(1), call), At(seconds(2), Stop())])
    return {
        "a call that may come": (made, Scenario(events=[Anytime(call)]), None, ends),
        "a call that comes, and a stop": (made, stopped, None, ends | {"CANCELED"}),
    }


BY_HAND = by_hand()


@pytest.mark.parametrize("name", BY_HAND)
def test_the_ends_of_all_states_are_the_ends_of_all_runs(name: str) -> None:
    made, scenario, faults, expected = BY_HAND[name]
    walked = every_run(FlowMachine(made, scenario=scenario, faults=faults, memo=False), most=10_000)
    found = check(made, scenario=scenario, faults=faults, properties=[Nothing()])
    assert walked == expected
    assert found.outcomes == expected


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(trials(most_steps=3, labelled=False, most_events=1, most_faults=1))
def test_the_ends_of_all_states_are_the_ends_of_all_runs_of_random_flows(trial: Trial) -> None:
    walked = every_run(trial.machine(memo=False), most=120)
    assume(walked is not None)
    assert explore(trial.machine(), properties=[Nothing()]).outcomes == walked


# The savings change nothing but the number of states.


def same_with_and_without(
    made: Any, given: Any, questions: Iterable[Callable[[], Property]], scenario: Any, faults: Any,
    fields: tuple[str, ...] = (), names: Iterable[str] = (), most: int = 1_500, refusable: bool = False,
) -> bool:  # fmt: skip
    """Ask every question with each saving on and off, and compare verdict, ends, and the length of the story.

    Tells whether it was compared: it is not when there are more than `most` states, or branches can be told apart.
    """
    plain = FlowMachine(made, given, scenario=scenario, faults=faults, memo=False)
    everything = explore(plain, properties=[Nothing()], merge=False, bounds=Bounds(states=most))
    if everything.verdict is Verdict.BOUNDED:
        return False
    kept = FlowMachine(made, given, scenario=scenario, faults=faults)
    ways = [(plain, True), (kept, False), (kept, True)]
    if fields:
        masked = SymmetricFlowMachine(made, given, fields=fields, scenario=scenario, faults=faults)
        ways += [(masked, False), (masked, True)]
    hidden = {_without(outcome, names) for outcome in everything.outcomes}
    for question in (Nothing, *questions):
        expected = explore(plain, properties=[question()], merge=False)
        for machine, merge in ways:
            try:
                report = explore(machine, properties=[question()], merge=merge, shown_on=plain)
            except SymmetryError:
                assert refusable
                return False
            what = (question().name, type(machine).__name__, merge)
            assert (report.verdict, turns(report)) == (expected.verdict, turns(expected)), what
            if report.verdict is Verdict.PROVED:
                ends = hidden if isinstance(machine, SymmetricFlowMachine) else everything.outcomes
                assert report.outcomes == ends, what
                assert report.states <= expected.states
    return True


def _without(outcome: str, names: Iterable[str]) -> str:
    return re.sub("|".join(f"'{re.escape(name)}'" for name in names) or "$^", "'?'", outcome)


def questions(*sections: Section, tokens: Iterable[str] = ()) -> list[Callable[[], Property]]:
    asked: list[Callable[[], Property]] = [never_stuck, lambda: always_ends("COMPLETED")]
    for section in sections:
        asked += [
            lambda section=section: mutual_exclusion(section),
            lambda section=section: mutual_exclusion(section, late=True),
        ]
    return [*asked, *[lambda token=token: token_conserved(token) for token in tokens]]


PATTERNS = {
    **dict.fromkeys(
        ("critical-section", "is-editing-flag", "second-token", "lost-token", "cancel-inside", "work-in-handoff",
         "shared-token-channel", "lock-across-steps", "long-section", "entry-order", "token-per-contract"),
        2,
    ),
    "attribute-lock": 3, "semaphore": 3,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "lost"),
    [(name, lost) for name in PATTERNS for lost in ("none", "the last Step's")]
    + [(name, "any") for name in ("attribute-lock", "lost-token", "long-section")],
)
def test_the_savings_change_no_answer_on_the_catalog(name: str, lost: str) -> None:
    pattern = catalog.load(name)
    given = pattern.make_input(reviewers=PATTERNS[name] - (lost != "none" and name == "semaphore"))
    spec = FlowMachine(pattern.flow, given).spec
    hit = [spec.by_name[pattern.section.steps[-1]].cls] if lost == "the last Step's" else None
    tokens = [] if pattern.token is None else [pattern.token.name]
    names = {str(getattr(edit, field)) for field in pattern.symmetric for edit in given}
    assert same_with_and_without(
        pattern.flow, given, questions(pattern.section, tokens=tokens), None, Faults(int(lost != "none"), steps=hit),
        fields=pattern.symmetric, names=names,
    )  # fmt: skip


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trials(most_steps=3, labelled=False, most_events=1, most_faults=1))
def test_the_savings_change_no_answer_on_random_flows(trial: Trial) -> None:
    made, scenario, faults = trial.parts()
    steps = [one.name for one in FlowMachine(made, 0).spec.steps][-2:]
    same_with_and_without(made, 0, questions(Section(*steps), tokens=["a", "m"]), scenario, faults, most=200)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(named_flows())
def test_branches_taken_as_one_change_no_answer_on_random_flows(plan: Named) -> None:
    made, edits, scenario, faults = plan.parts()
    same_with_and_without(
        made, edits, questions(Section("S0", "S1"), tokens=["a"]), scenario, faults,
        fields=("label",), names=LABELS, most=250, refusable=True,
    )  # fmt: skip


def test_the_savings_save() -> None:
    pattern = catalog.load("critical-section")
    given = pattern.make_input(reviewers=3)
    plain = check(pattern.flow, given, merge=False)
    merged = check(pattern.flow, given)
    masked = check(pattern.flow, given, symmetric=True)
    assert plain.states > 3 * merged.states > 12 * masked.states
    assert len(plain.outcomes) == len(merged.outcomes) == 6
    assert masked.outcomes == {
        _without(one, {v for edit in given for v in (edit.id, edit.reviewer)}) for one in plain.outcomes
    }


def test_a_handler_runs_once_for_the_same_answers() -> None:
    ran: list[str] = []
    work = step("Work", lambda c, name: ran.append(name) or dead_end(), None, NO_RETRY)
    made = flow(step("Begin", lambda c, _: go_to_many(*[StepMovement.of(work, name) for name in "ab"])), work)
    check(made)
    assert ran == ["a", "b"]
    check(made, memo=False)
    assert len(ran) > 4


# A merged move hides nothing that can be seen.


def test_a_predicate_sees_the_call_that_runs() -> None:
    work = step("Work", lambda c, _: dead_end(), None, NO_RETRY)
    made = flow(step("Begin", lambda c, _: go_to_many(StepMovement.of(work, 1), StepMovement.of(work, 2))), work)
    both = never("both run", lambda state: sum(one["phase"] == "running" for one in state["steps"]) == 2)
    assert turns(check(made, properties=[both])) == 4


def test_late_code_of_a_call_that_was_cancelled_while_it_ran_is_counted_when_asked_for() -> None:
    works = step("Works", lambda c, _: dead_end(), None, NO_RETRY)
    follows = step("Follows", lambda c, _: dead_end(), None, NO_RETRY)
    cancels = step("Cancels", lambda c, _: go_to(follows, None).with_canceling_steps(works), None, NO_RETRY)
    moves = [StepMovement.of(cls, None) for cls in (works, cancels)]
    made = flow(step("Begin", lambda c, _: go_to_many(*moves)), works, follows, cancels)
    section = Section("Works", "Follows")
    for merge in (False, True):
        assert check(made, properties=[mutual_exclusion(section)], merge=merge).verdict is Verdict.PROVED
        assert turns(check(made, properties=[mutual_exclusion(section, late=True)], merge=merge)) == 6


def test_late_code_counts_though_its_begin_was_no_entry() -> None:
    # `Second` is inside from its start, so its begin changes nothing that is remembered of the section.
    first = step("First", lambda c, _: GO.publish(c, "next") or go_to(second, None), None, NO_RETRY)
    second, again = step("Second", _ends, None, NO_RETRY), step("Again", _ends, None, NO_RETRY)
    cancelling = go_to(again, None).with_canceling_steps(second)
    cancels = step("Cancels", lambda c, _: cancelling, lambda c, _: last(GO), NO_RETRY)
    moves = [StepMovement.of(cls, None) for cls in (first, cancels)]
    made = flow(step("Begin", lambda c, _: go_to_many(*moves)), first, second, again, cancels, keeps=(GO,))
    section = Section("First", "Second", "Again")
    for merge in (False, True):
        assert check(made, properties=[mutual_exclusion(section)], merge=merge).verdict is Verdict.PROVED
        assert turns(check(made, properties=[mutual_exclusion(section, late=True)], merge=merge)) == 10


def _ends(context: Context, _: Any) -> StepDecision:
    return dead_end()


@dataclass(frozen=True)
class Child:
    name: str
    tag: str


@pytest.mark.parametrize("symmetric", [None, ("name",)])
def test_d21_two_states_that_differ_only_in_who_is_whose_sibling_are_two(symmetric: Any) -> None:
    # The middle child is born to whichever parent comes first. Once all are born, it may cancel its sibling.
    def bear(context: Context, children: list[Child]) -> StepDecision:
        middle = COUNT.get(context) == 0
        COUNT.set(context, 1)
        for _born in range(0 if middle else 3):
            GO.publish(context, "all are born")
        born = [child for child in children if middle or child.tag != "middle"]
        return go_to_many(*[StepMovement.of(grows, child) for child in born])

    def grow(context: Context, child: Child) -> StepDecision:
        if child.tag == "middle":
            return dead_end().with_canceling_sibling_steps(grows)
        return graceful_complete(child.tag)

    grows, bears = (
        step("Grows", grow, lambda context, _: last(GO)),
        step("Bears", bear, None, StepOptions(execute_lock_attributes=(COUNT.lock(),))),
    )
    left, middle, right = (Child(name, tag) for name, tag in zip("abc", ("left", "middle", "right"), strict=True))
    begin = step("Begin", lambda c, all: go_to_many(*[StepMovement.of(bears, children) for children in all]))
    made, given = flow(begin, bears, grows, keeps=(COUNT, GO)), [[left, middle], [middle, right]]
    alone = {"COMPLETED ['left']", "COMPLETED ['right']"}
    outcomes = check(made, given, properties=[Nothing()], symmetric=symmetric).outcomes
    assert outcomes == alone | {"COMPLETED ['left', 'right']", "COMPLETED ['right', 'left']"}


# What is cut, what is infinite, and what cannot be asked.


def looping(again: Callable[[Context, int], object]) -> Flow[Any]:
    """A Step that starts itself again for ever, beside one that does nothing."""
    idle = step("Idle", lambda context, _: dead_end())

    def execute(context: Context, n: int) -> StepDecision:
        made = again(context, n)
        return go_to(loop, made if isinstance(made, int) else n)

    loop = step("Loop", execute)
    begin = step("Begin", lambda c, _: go_to_many(StepMovement.of(loop, 0), StepMovement.of(idle, 0)))
    return flow(begin, loop, idle, keeps=(GO, OUT, COUNT))


@pytest.mark.parametrize(
    ("again", "grows"),
    [
        (lambda context, n: COUNT.set(context, COUNT.get(context) + 1), "attribute 'count' grows"),
        (lambda context, n: GO.publish(context, "more"), "channel 'go' grows"),
        (lambda context, n: n + 1, "the number or content of steps grows"),
    ],
)
def test_a_flow_without_end_is_bounded_and_what_grows_is_named(again: Any, grows: str) -> None:
    for more in ({"bounds": Bounds(states=400)}, {"bounds": Bounds(depth=60), "merge": False}):
        report = check(looping(again), **more)
        assert report.verdict is Verdict.BOUNDED
        assert report.results[0].detail.endswith(f"; in what was seen, {grows}")


def test_what_grows_has_its_own_name_whatever_stands_in_it() -> None:
    odd = Attribute("it's \"a\", channel 'b'", int)
    begin = step("Begin", lambda context, n: (odd.set(context, n), go_to(begin, n + 1))[-1])
    report = check(flow(begin, keeps=(odd,)), 0, bounds=Bounds(states=100))
    assert report.grown == (("attributes", odd.name), ("steps",))
    assert f"Attribute {odd.name} and the steps, in number or content." in str(report.explanation)
    assert f"Attribute {odd.name}、steps（数目或内容）" in str(report.explained("zh"))


@pytest.mark.parametrize("states", [5, 15, 40, 100, 300])
@pytest.mark.parametrize("name", ["critical-section", "semaphore", "is-editing-flag", "shared-token-channel"])
def test_what_only_goes_on_is_not_said_to_grow(name: str, states: int) -> None:
    """A Step with a longer name, or one that runs where it was queued, is no more than before."""
    pattern = catalog.load(name)
    report = check(
        pattern.flow, pattern.make_input(reviewers=3), scenario=pattern.scenario, faults=Faults(lost_attempts=1),
        bounds=Bounds(states=states),
    )  # fmt: skip
    assert (report.verdict, report.growing) == (Verdict.BOUNDED, None)


def test_a_story_that_cannot_be_made_again_is_the_fault_of_a_handler() -> None:
    ran: list[int] = []

    def execute(context: Context, _: Any) -> StepDecision:
        ran.append(1)
        return force_complete("odd" if len(ran) % 2 else "even")

    made = flow(step("Counts", execute))
    odd = never("odd", lambda state: state["outputs"] == ["odd"])
    with pytest.raises(InputError, match="a handler of 'Tiny' does not do the same twice"):
        check(made, properties=[odd], memo=False)


def test_a_loop_that_changes_nothing_is_finite() -> None:
    report = check(looping(lambda context, n: None))
    assert (report.verdict, report.growing) == (Verdict.PROVED, None)


def test_a_close_from_outside_is_an_end_like_any_other() -> None:
    made, *_ = BY_HAND["a call that may come"]
    report = check(made, scenario=Scenario(events=[Anytime(Stop())]))
    assert report.verdict is Verdict.PROVED
    assert report.outcomes == {"COMPLETED [None]", "CANCELED"}
    assert report.witness is not None
    assert report.witness.trace.outcome == "COMPLETED"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"scenario": 5}, "scenario: expected Scenario(...), got 5"),
        ({"faults": 5}, "faults: expected Faults(...), got 5"),
        ({"bounds": 5}, "bounds: expected Bounds(...), got 5"),
        ({"sections": [Section("Elsewhere")]}, "has no Step 'Elsewhere'"),
        ({"properties": [mutual_exclusion(Section("Elsewhere"))]}, "has no Step 'Elsewhere'"),
        ({"tokens": ["elsewhere"]}, "has no Channel 'elsewhere'"),
        ({"properties": [token_conserved("elsewhere")]}, "has no Channel 'elsewhere'"),
        ({"properties": [token_conserved("go/key")]}, "has no Channel 'go/key'; expected one of ['go', 'out']"),
        ({"sections": [Section("Waits"), Section("Waits")]}, "different names"),
        ({"properties": []}, "one or more"),
        ({"symmetric": True}, "no world.py beside Flow 'Tiny' declares SYMMETRIC"),
        ({"symmetric": ["reviewer"]}, "no dataclass in the input of Flow 'Tiny' has a field 'reviewer'"),
        ({"symmetric": []}, "expected names of input fields"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_any_handler_runs(more: dict[str, Any], told: str) -> None:
    ran: list[int] = []
    made = racing("a", wait=lambda: ran.append(1) or last(GO), then=lambda context, name: dead_end())
    with pytest.raises(InputError) as refused:
        check(made, **more)
    assert told in str(refused.value)
    assert ran == []


def test_d5_a_definition_fault_is_told_as_what_it_is() -> None:
    with pytest.raises(FlowDefinitionError, match="Twice"):
        check(flow(step("Twice", lambda c, _: dead_end()), step("Twice", lambda c, _: dead_end())))


@pytest.mark.parametrize("make", [lambda: mutual_exclusion("Work"), lambda: mutual_exclusion(Section("Work"), limit=0),
                                  lambda: token_conserved(COUNT), lambda: token_conserved(GO, count=True)])  # type: ignore[arg-type]  # fmt: skip
def test_a_property_of_nothing_is_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(InputError, match="expected"):
        make()


def test_the_tokens_of_a_map_are_conserved_key_by_key() -> None:
    entries = ChannelMap("entries", str)

    def then(context: Context, name: str) -> StepDecision:
        if name != "b":
            entries.publish(context, name, "token")
        return dead_end()

    takes = step("Takes", then, lambda c, name: Wait.until(entries.for_one(name)))

    def begin(context: Context, _: Any) -> StepDecision:
        for name in "ab":
            entries.publish(context, name, "token")
        return go_to_many(*[StepMovement.of(takes, name) for name in "ab"])

    made = flow(step("Begin", begin), takes, keeps=(entries,))
    report = check(made, properties=[token_conserved(entries)])
    assert report.results[0].detail == "lost in entries/b by Takes: 0 of 1 left"
    assert check(made, properties=[token_conserved("entries/a")]).verdict is Verdict.PROVED
    assert check(made, tokens=[entries]).property == "one token in entries"


# Hidden chance.

again = step("Again", lambda context, n: dead_end())


@pytest.mark.parametrize(
    ("does", "told"),
    [
        (lambda context, n: OUT.publish(context, str(n)), "published"),
        (COUNT.set, "writes"),
        (lambda context, n: go_to(again, n), "result"),
        (lambda context, n: [][n], "error"),
    ],
)
def test_a_handler_that_does_not_do_the_same_again_is_told_with_both_results(does: Any, told: str) -> None:
    ran: list[int] = []

    def execute(context: Context, _: Any) -> StepDecision:
        ran.append(len(ran))
        made = does(context, len(ran)) if told != "error" or len(ran) > 1 else None
        return made if isinstance(made, StepDecision) else dead_end()

    counts = step("Counts", execute, None, NO_RETRY)
    made = flow(counts, again, keeps=(OUT, COUNT))
    with pytest.raises(NondeterminismError, match=rf"^Counts\.execute: .* differ: first {told} .*, then {told} "):
        check(made, rerun=True)


def test_what_is_recorded_may_differ_since_it_is_no_part_of_the_state() -> None:
    ran: list[int] = []
    logs = step("Logs", lambda c, _: ran.append(1) or c.record_event("run", len(ran)) or dead_end())
    assert check(flow(logs), rerun=True).verdict is Verdict.PROVED
    assert len(ran) == 2


# The same on every machine, and on every call.

TOLD = """
import json, sys
from dexpatterns import catalog, check, Faults
shown = []
for name, symmetric in json.loads(sys.argv[1]):
    pattern = catalog.load(name)
    tokens = [] if pattern.token is None else [pattern.token]
    report = check(
        pattern.flow, pattern.make_input(reviewers=3), sections=[pattern.section], tokens=tokens,
        symmetric=symmetric, faults=Faults(lost_attempts=int(name == "critical-section")),
    )
    run = report.counterexample or report.witness
    shown.append([repr(report), sorted(report.outcomes), run.schedule, str(report.explanation)])
print(json.dumps(shown))
"""


def test_two_processes_with_other_hashes_tell_the_same_to_the_byte() -> None:
    asked = [(n, s) for n in ("critical-section", "is-editing-flag", "second-token") for s in (None, True)]
    said = []
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        argv = [sys.executable, "-c", TOLD, json.dumps(asked)]
        said.append(subprocess.run(argv, env=env, check=True, capture_output=True).stdout)
    assert said[0] == said[1]
    verdicts = [shown[0].partition(":")[0] for shown in json.loads(said[0])]
    assert verdicts == ["PROVED"] * 2 + ["REFUTED"] * 4


@pytest.mark.parametrize("symmetric", [None, True])
@pytest.mark.parametrize("name", ["critical-section", "is-editing-flag"])
def test_two_calls_tell_the_same_and_the_run_can_be_made_again(name: str, symmetric: bool | None) -> None:
    pattern = catalog.load(name)
    given = pattern.make_input(reviewers=2)
    reports = [check(pattern.flow, given, sections=[pattern.section], symmetric=symmetric) for _ in range(2)]
    assert repr(reports[0]) == repr(reports[1])
    runs = [report.counterexample or report.witness for report in reports]
    assert runs[0] is not None and runs[1] is not None
    assert runs[0].schedule == runs[1].schedule
    assert replay(pattern.flow, given, runs[0].schedule).trace.turns == runs[0].trace.turns


def test_a_handler_that_does_not_do_the_same_again_is_reported_with_both_results() -> None:
    counted = iter(range(1_000))

    def count(context: Context, _: Any) -> StepDecision:
        return graceful_complete(next(counted))

    made = flow(step("Count", count, None, NO_RETRY))
    with pytest.raises(NondeterminismError, match=r"Count\.execute: two runs .* differ: first .*0.*, then .*1"):
        check(made, rerun=True)
    assert check(made).verdict is Verdict.PROVED
    steady = flow(step("Steady", lambda c, _: graceful_complete(1), None, NO_RETRY))
    assert check(steady, rerun=True).verdict is Verdict.PROVED


def test_ids_that_are_asked_for_keep_states_apart() -> None:
    owner, poked = Attribute("owner", str), Attribute("poked", bool)

    def takes(context: Context, _: Any) -> StepDecision:
        owner.set(context, context.step_execution_id)
        return go_to(between if poked.get(context) else ends, None)

    def ending(context: Context, _: Any) -> StepDecision:
        return graceful_complete("his own" if owner.get(context) == context.from_step_execution_id else "another's")

    between, ends = step("Between", lambda c, _: go_to(ends, None)), step("Ends", ending)
    poke = {"poke": lambda context, _: poked.set(context, True)}
    made = flow(step("Takes", takes), between, ends, keeps=(owner, poked), rpcs=poke)
    scenario = Scenario(events=[Anytime(Invoke("poke", None))])
    walked = every_run(FlowMachine(made, scenario=scenario, memo=False))
    assert walked == {"COMPLETED ['his own']", 'COMPLETED ["another\'s"]'}
    assert check(made, scenario=scenario, properties=[Nothing()]).outcomes == walked
