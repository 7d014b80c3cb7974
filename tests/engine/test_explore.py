"""The explorer on models that were counted by others: every state once, a shortest story, and a cut is no proof.

The counts of the bare models (`bare_models`) are exact and were made by other checkers. What a branch does there is
atomic, so a Flow, whose calls begin and are saved, has more states than these.
"""

from __future__ import annotations

import gc
import math
from collections import deque
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from dexpatterns.engine.explore import Progress, explore
from dexpatterns.engine.machine import Choice
from dexpatterns.engine.properties import Property, View, always, always_ends, never, never_stuck
from dexpatterns.engine.report import Bounds, Report, Verdict
from dexpatterns.errors import InputError
from tests.engine.bare_models import BareChoices, BareMachine, FlagModel, State, TokenModel

TWO_INSIDE = "two inside"


def never_two_inside() -> Property:
    return never(TWO_INSIDE, lambda state: state["inside"] > 1)


def two_tokens(branches: int) -> TokenModel:
    return TokenModel(branches, tokens=2)


def moves(report: Report) -> list[str]:
    """The moves of what the report shows."""
    run = report.counterexample or report.witness
    assert run is not None
    return [f"{turn.choice.name} {turn.choice.path[0]}" for turn in run.trace.turns]


# How many states, moves and runs there are.


@pytest.mark.parametrize(
    ("model", "counts"),
    [
        (TokenModel, {2: (16, 16), 3: (44, 48), 4: (112, 128), 5: (272, 320), 6: (640, 768)}),
        (FlagModel, {2: (42, 60), 3: (288, 594), 4: (1_902, 5_232), 5: (12_216, 42_450), 6: (77_022, 325_080)}),
        (two_tokens, {2: (25, 40), 3: (98, 192), 4: (328, 704), 5: (992, 2_240), 6: (2_800, 6_528)}),
    ],
)
def test_every_state_is_met_once_and_every_move_looked_at_once(
    model: Callable[[int], BareMachine], counts: dict[int, tuple[int, int]]
) -> None:
    for branches, counted in counts.items():
        report = explore(model(branches))
        assert (report.states, report.transitions) == counted, branches
        assert report.verdict is Verdict.PROVED


@pytest.mark.parametrize("n", range(2, 7))
def test_the_token_model_has_its_closed_forms(n: int) -> None:
    report = explore(TokenModel(n))
    assert report.states == 2**n + 3 * n * 2 ** (n - 1)
    assert report.transitions == n * 2 ** (n + 1)
    assert report.depth == 4 * n


@pytest.mark.parametrize("n", range(2, 7))
def test_branches_without_names_leave_four_states_for_each_and_one(n: int) -> None:
    report = explore(TokenModel(n, interchangeable=True))
    assert report.states == 4 * n + 1
    assert report.outcomes == explore(TokenModel(n)).outcomes == {"all done"}


def complete_runs(machine: BareMachine) -> int:
    """How many runs there are from the start to the end, counted over states."""

    @cache
    def count(state: State) -> int:
        choices = machine.choices(state)
        return sum(count(machine.apply(state, choice)[0]) for choice in choices) if choices else 1

    return count(machine.initial())


def test_runs_are_counted_apart_from_states() -> None:
    assert [complete_runs(TokenModel(n)) for n in range(2, 7)] == [math.factorial(n) for n in range(2, 7)]
    assert [complete_runs(FlagModel(n)) for n in (2, 3)] == [142, 215_826]


# The shortest story, and when the search stops.


@pytest.mark.parametrize(
    ("model", "story"),
    [(FlagModel, ["check 0", "check 1", "raise 1", "raise 0"]), (two_tokens, ["take 0", "take 1"])],
)
@pytest.mark.parametrize("branches", range(2, 7))
def test_the_counterexample_is_a_shortest_one_and_the_same_for_any_number_of_branches(
    model: Callable[[int], BareMachine], story: list[str], branches: int
) -> None:
    report = explore(model(branches), properties=[never_stuck(), never_two_inside()])
    assert report.verdict is Verdict.REFUTED
    assert report.property == TWO_INSIDE
    assert moves(report) == story
    assert report.witness is None


def met_before_it_stops(machine: BareMachine) -> int:
    """States met by the search of a checker that judges a state when its turn comes, not when it is met."""
    met, queue = {machine.initial()}, deque([machine.initial()])
    while queue:
        state = queue.popleft()
        if machine.describe(state)["inside"] > 1:
            break
        for choice in machine.choices(state):
            after = machine.apply(state, choice)[0]
            if after not in met:
                met.add(after)
                queue.append(after)
    return len(met)


@pytest.mark.parametrize(
    ("model", "others", "ours"),
    [
        (FlagModel, [18, 38, 73, 129, 213], [13, 23, 38, 59, 87]),
        (two_tokens, [8, 13, 19, 26, 34], [5, 6, 7, 8, 9]),
    ],
)
def test_a_state_is_judged_when_it_is_met_so_the_search_stops_sooner_than_others(
    model: Callable[[int], BareMachine], others: list[int], ours: list[int]
) -> None:
    machines = [model(n) for n in range(2, 7)]
    assert list(map(met_before_it_stops, machines)) == others
    assert [explore(machine, properties=[never_two_inside()]).states for machine in machines] == ours


# Moves that stand for two turns: a shorter way may be found after a longer one.


class _Net(BareMachine):
    """A graph of named nodes. Two edges in a row whose middle begins with `-` are made as one move."""

    def __init__(self, *edges: str, ends: str = "") -> None:
        super().__init__("net", 1, (), 0, range(0), False)
        self.edges: dict[str, list[str]] = {}
        for edge in edges:
            source, target = edge.split()
            self.edges.setdefault(source, []).append(target)
        self.ends = ends.split()

    def initial(self) -> Any:
        return "start"

    def choices(self, state: Any) -> Any:
        made = [Choice("go", target, (place,)) for place, target in enumerate(self.edges.get(state, ()))]
        return BareChoices(made)

    def apply(self, state: Any, choice: Choice, now: float = 0.0) -> Any:
        return choice.name, ()

    def merges(self, state: Any, choice: Choice) -> Any:
        return tuple(self.choices(state)) if state.startswith("-") else ()

    def describe(self, state: Any) -> dict[str, Any]:
        return {"at": state, "status": "good" if state in self.ends else "open"}

    def key(self, state: Any) -> Any:
        return state

    def succeeded(self, state: Any) -> bool:
        return state in self.ends

    def outcome(self, state: Any) -> str | None:
        return f"ended at {state}" if state in self.ends else None

    def stuck(self, state: Any) -> str | None:
        return None


class _Avoids(Property):
    """The nodes that may not be reached."""

    def __init__(self, *nodes: str) -> None:
        self.name = "avoids"
        self.nodes = nodes

    def fault(self, memory: Any, view: View) -> str | None:
        return f"at {view.state}" if view.state in self.nodes else None


def names(report: Report) -> list[str]:
    run = report.counterexample or report.witness
    assert run is not None
    return [turn.choice.name for turn in run.trace.turns]


def test_a_violation_met_by_a_merged_move_gives_way_to_a_shorter_one() -> None:
    net = _Net("start -m", "-m bad", "start worse")
    assert names(explore(net, properties=[_Avoids("bad", "worse")])) == ["worse"]


def test_a_violation_that_came_second_is_reached_sooner_after_all() -> None:
    # Both are met by merged moves of three turns; then the second is found to be two turns away.
    net = _Net("start a", "a -m", "-m first", "a -n", "-n second", "start b", "b second")
    report = explore(net, properties=[_Avoids("first", "second")])
    assert names(report) == ["b", "second"]
    assert report.results[0].detail == "at second"


def test_a_state_met_by_a_merged_move_takes_the_shorter_way_when_there_is_one() -> None:
    net = _Net("start -m", "-m far", "start near", "near far", "start far", "far bad")
    report = explore(net, properties=[_Avoids("bad")])
    assert names(report) == ["far", "bad"]
    assert report.states == 4
    assert explore(net, properties=[_Avoids("bad")], merge=False).states == 5


def test_the_witness_is_a_shortest_one_too() -> None:
    net = _Net("start -m", "-m there", "start here", "here home", "start home", ends="there home")
    report = explore(net, properties=[_Avoids("nowhere")])
    assert names(report) == ["home"]
    assert report.outcomes == {"ended at there", "ended at home"}


# A normal end is no fault.


def test_a_normal_end_is_not_stuck_and_is_the_witness() -> None:
    report = explore(TokenModel(2))
    assert report.verdict is Verdict.PROVED
    assert report.counterexample is None
    assert report.outcomes == {"all done"}
    assert len(moves(report)) == 8
    assert report.witness is not None
    assert report.witness.trace.outcome == "all done"


def test_what_waits_for_ever_is_stuck_and_told_by_a_shortest_run() -> None:
    report = explore(TokenModel(2, tokens=0))
    assert report.verdict is Verdict.REFUTED
    assert report.results[0].detail == "all that are left wait"
    assert moves(report) == []


# Bounds.


@pytest.mark.parametrize(
    ("bounds", "named"),
    [
        (Bounds(states=40), "states=40"),
        (Bounds(states=1), "states=1"),
        (Bounds(depth=3), "depth=3"),
        (Bounds(seconds=1e-9), "seconds=1e-09"),
    ],
)
def test_a_search_that_is_cut_proves_nothing_and_names_the_bound(bounds: Bounds, named: str) -> None:
    report = explore(TokenModel(4), properties=[never_stuck(), always_ends("done")], bounds=bounds)
    assert report.verdict is Verdict.BOUNDED
    assert [result.verdict for result in report.results] == [Verdict.BOUNDED] * 2
    assert all(result.detail.startswith(f"cut by {named}") for result in report.results)
    assert report.counterexample is None
    assert report.states <= (bounds.states or 0)
    assert report.bounds is bounds


@pytest.mark.parametrize("bounds", [Bounds(states=16), Bounds(depth=8), Bounds(seconds=600)])
def test_a_bound_that_is_just_wide_enough_is_no_cut(bounds: Bounds) -> None:
    report = explore(TokenModel(2), bounds=bounds)
    assert report.verdict is Verdict.PROVED
    assert (report.states, report.depth) == (16, 8)


@pytest.mark.parametrize("bounds", [Bounds(states=15), Bounds(depth=7)])
def test_a_bound_that_is_one_too_narrow_is_one(bounds: Bounds) -> None:
    assert explore(TokenModel(2), bounds=bounds).verdict is Verdict.BOUNDED


def test_a_bound_is_never_a_violation_and_hides_none_that_was_met() -> None:
    assert explore(FlagModel(3), properties=[never_two_inside()], bounds=Bounds(depth=3)).verdict is Verdict.BOUNDED
    assert explore(FlagModel(3), properties=[never_two_inside()], bounds=Bounds(depth=4)).verdict is Verdict.REFUTED
    report = explore(FlagModel(3), properties=[never_two_inside(), never_stuck()], bounds=Bounds(states=23))
    assert [result.verdict for result in report.results] == [Verdict.REFUTED, Verdict.BOUNDED]
    assert report.results[1].detail == "not judged to the end: the search stopped at the first violation"


def test_a_shorter_way_to_a_violation_is_looked_for_beyond_the_bound_of_states() -> None:
    net = _Net("start -m", "-m bad", "start near", "near far", "start worse")
    report = explore(net, properties=[_Avoids("bad", "worse")], bounds=Bounds(states=2))
    assert names(report) == ["worse"]


@pytest.mark.parametrize("name", ["states", "depth", "seconds"])
@pytest.mark.parametrize("value", [0, -1, "many", True, math.nan])
def test_a_bound_that_is_none_is_refused(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"^Bounds {name}: expected .*got "):
        Bounds(**{name: value})


def test_infinite_states_are_cut_and_what_grows_is_named() -> None:
    class Counter(TokenModel):
        def __init__(self) -> None:
            super().__init__(1)

        def choices(self, state: Any) -> Any:
            return BareChoices([Choice("do", "count", (0,))])

        def apply(self, state: Any, choice: Choice, now: float = 0.0) -> Any:
            return state._replace(shared=state.shared + 1), ()

        def describe(self, state: Any) -> dict[str, Any]:
            return {"attributes": {"n": state.shared, "still": 1}, "made": [0]}

        def stuck(self, state: Any) -> None:
            return None

    report = explore(Counter(), bounds=Bounds(states=3_000))
    assert report.growing == "in what was seen, attribute 'n' grows"
    assert report.results[0].detail == f"cut by states=3,000; {report.growing}"


def test_what_is_cut_and_does_not_grow_is_not_said_to() -> None:
    way = " ".join(f"{chr(97 + n % 26)}{n}" for n in range(10, 99)).split()
    net = _Net(f"start {way[0]}", *map(" ".join, pairwise(way)))
    report = explore(net, bounds=Bounds(states=50))
    assert (report.verdict, report.growing, report.results[0].detail) == (Verdict.BOUNDED, None, "cut by states=50")


# Progress, and Ctrl-C.


def test_progress_is_told_with_the_depth_and_the_frontier() -> None:
    told: list[Progress] = []
    report = explore(FlagModel(5), progress=told.append)
    assert len(told) == report.transitions // 2_049
    assert [one.states for one in told] == sorted({one.states for one in told})
    assert all(0 < one.frontier < one.states and one.rate > 0 for one in told)
    assert [one.depth for one in told] == sorted(one.depth for one in told)


def _interrupt(_: Any) -> Any:
    raise KeyboardInterrupt


class _Interrupted(Property):
    """Is interrupted while a state is judged, once so many were."""

    name = "interrupted"

    def __init__(self, after: int) -> None:
        self.left = after

    def fault(self, memory: Any, view: View) -> str | None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return None


def test_the_collector_of_cycles_is_as_it_was_afterwards() -> None:
    usual = gc.get_threshold()
    within: list[Any] = []
    explore(FlagModel(4), progress=lambda _: within.append(gc.get_threshold()))
    explore(FlagModel(4), progress=_interrupt)
    assert within[0] != usual
    assert gc.get_threshold() == usual


def test_ctrl_c_gives_a_report_that_is_cut_by_it() -> None:
    report = explore(FlagModel(5), progress=_interrupt)
    assert report.verdict is Verdict.BOUNDED
    assert report.results[0].detail.startswith("cut by interrupted")
    assert 0 < report.states < 12_216


@pytest.mark.parametrize("after", [0, 1, 50])
def test_ctrl_c_may_come_at_any_moment(after: int) -> None:
    report = explore(TokenModel(4), properties=[_Interrupted(after)])
    assert report.verdict is Verdict.BOUNDED
    assert report.states == after + 1


def test_ctrl_c_while_a_shorter_story_is_looked_for_leaves_the_one_found_and_says_so() -> None:
    class AvoidsUntil(_Avoids):
        def fault(self, memory: Any, view: View) -> str | None:
            return super().fault(memory, view) if view.state != "near" else _interrupt(view)

    net = _Net("start -m", "-m bad", "start near", "near far")
    report = explore(net, properties=[AvoidsUntil("bad")])
    assert report.verdict is Verdict.REFUTED
    assert report.results[0].detail == "at bad (cut by interrupted while a shorter run to it was looked for)"


# Properties.


def test_a_goal_out_of_reach_is_told_by_the_first_state_from_which_it_is() -> None:
    net = _Net("start a", "a home", "a b", "b trap", "trap pit", "pit trap", ends="home")
    report = explore(net, properties=[always_ends("good")])
    assert report.verdict is Verdict.REFUTED
    assert report.property == "always ends good"
    assert names(report) == ["a", "b"]
    assert report.results[0].detail == "from here no end with status good can be reached any more"


def test_a_goal_that_stays_in_reach_is_proved_though_a_run_may_go_round_for_ever() -> None:
    net = _Net("start a", "a b", "b a", "b home", ends="home")
    assert explore(net, properties=[always_ends("good")]).verdict is Verdict.PROVED


def test_of_several_goals_the_one_that_is_soonest_lost_is_told() -> None:
    class Elsewhere(_Net):
        def describe(self, state: Any) -> dict[str, Any]:
            return {"status": {"home": "good", "abroad": "fair"}.get(state, "open")}

    net = Elsewhere("start a", "a home", "start abroad", "start b", "b c", "c d", ends="home abroad")
    report = explore(net, properties=[always_ends("good"), always_ends("fair")])
    assert (report.property, names(report)) == ("always ends good", ["abroad"])


def test_always_and_never_judge_the_described_state() -> None:
    machine = TokenModel(2)
    assert explore(machine, properties=[always("few", lambda state: state["inside"] <= 1)]).verdict is Verdict.PROVED
    report = explore(machine, properties=[always("none", lambda state: state["inside"] == 0)])
    assert (report.results[0].detail, moves(report)) == ("does not hold", ["take 0"])
    report = explore(machine, properties=[never("out", lambda state: state["shared"] == 0)])
    assert (report.results[0].detail, moves(report)) == ("it happened", ["take 0"])


def test_the_start_itself_is_judged() -> None:
    report = explore(TokenModel(2), properties=[never("start", lambda state: state["made"] == [0, 0])])
    assert (moves(report), report.states) == ([], 1)


def test_a_property_that_raises_is_at_fault_itself() -> None:
    with pytest.raises(InputError, match=r"property 'typo' itself failed: KeyError: 'isnide'; its predicate is given"):
        explore(TokenModel(2), properties=[never("typo", lambda state: state["isnide"] > 1)])


@pytest.mark.parametrize(
    ("properties", "told"),
    [
        ([], "properties: expected one or more, got []; leave them out for the usual ones"),
        ([never_stuck(), never_stuck()], "different names, got ['never stuck', 'never stuck']; leave one of them out"),
        (never_stuck(), "expected a list of properties, got <property: never stuck>"),
        (7, "expected a list of properties, got 7"),
        ([never_stuck], "expected a property, got <function never_stuck"),
        (["never stuck"], "expected a property, got 'never stuck'"),
    ],
)
def test_what_is_no_list_of_properties_is_refused_before_the_search(properties: Any, told: str) -> None:
    with pytest.raises(InputError) as refused:
        explore(TokenModel(2), properties=properties)
    assert told in str(refused.value)


@pytest.mark.parametrize(
    "make",
    [lambda: never("", bool), lambda: always("none", None), lambda: always("no function", True)],  # type: ignore[arg-type]
)
def test_a_property_that_cannot_be_meant_is_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(InputError, match="propert"):
        make()


# The same again.


def test_the_same_call_gives_the_same_report() -> None:
    reports = [explore(FlagModel(3), properties=[never_stuck(), never_two_inside()]) for _ in range(2)]
    assert repr(reports[0]) == repr(reports[1])
    assert moves(reports[0]) == moves(reports[1])
    assert repr(reports[0]).splitlines()[0] == "REFUTED: a flag for 3, 23 states, 27 transitions"
