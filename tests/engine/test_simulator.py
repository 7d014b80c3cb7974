"""The simulator: one run by chance, the same from the same seed, on a clock that jumps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Any, NamedTuple

import pytest

from dexpatterns.engine.machine import Choice, Choices, Event, Timed
from dexpatterns.engine.schedule import Schedule, replay
from dexpatterns.engine.simulator import simulate
from dexpatterns.engine.trace import Trace
from dexpatterns.errors import InputError, InternalError, ScheduleError
from tests.engine.bare_models import BareMachine, Done, FlagModel, State, TokenModel

SEEDS = range(200)


def most_inside(machine: BareMachine, trace: Trace) -> int:
    """How many branches were inside together at most."""
    state, most = machine.initial(), 0
    for turn in trace.turns:
        state, _ = machine.apply(state, turn.choice)
        most = max(most, machine.describe(state)["inside"])
    return most


def entries(trace: Trace, action: str = "take") -> tuple[int, ...]:
    return tuple(turn.choice.path[0] for turn in trace.turns if turn.choice.name == action)


# By chance, from a seed.


@pytest.mark.parametrize("machine", [TokenModel(4), FlagModel(3), TokenModel(3, tokens=2)])
def test_the_same_seed_gives_the_same_trace_and_another_seed_another(machine: BareMachine) -> None:
    traces = [simulate(machine, seed=seed, input="x") for seed in range(20)]
    assert traces == [simulate(machine, seed=seed, input="x") for seed in range(20)]
    assert len({str(Schedule.of(trace)) for trace in traces}) > 10
    assert {trace.seed for trace in traces} == set(range(20)) and traces[0].input == "x"


def test_a_run_ends_when_nothing_can_happen_any_more() -> None:
    trace = simulate(TokenModel(3))
    assert len(trace.turns) == 12 and trace.outcome == "all done" and trace.final["made"] == [4, 4, 4]
    assert (trace.machine, trace.name) == ("bare", "1 token for 3")
    assert [turn.number for turn in trace.turns] == list(range(1, 13))


def test_every_order_of_entry_is_drawn_and_none_is_favoured() -> None:
    orders = Counter(entries(simulate(TokenModel(3), seed=seed)) for seed in range(600))
    assert len(orders) == 6 and min(orders.values()) > 60, "100 each are expected"


def test_chance_finds_what_the_flag_lets_through_and_never_two_at_one_token() -> None:
    assert {most_inside(TokenModel(3), simulate(TokenModel(3), seed=seed)) for seed in SEEDS} == {1}
    assert {most_inside(TokenModel(3, tokens=2), simulate(TokenModel(3, tokens=2), seed=s)) for s in SEEDS} == {1, 2}
    assert {1, 2, 3} == {most_inside(FlagModel(3), simulate(FlagModel(3), seed=seed)) for seed in SEEDS}


def test_a_run_is_cut_after_so_many_turns_and_is_still_a_run() -> None:
    trace = simulate(TokenModel(3), turns=5)
    assert len(trace.turns) == 5 and trace.outcome is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"turns": 0}, "turns: expected a whole number of 1 or more, got 0"),
        ({"turns": -3}, "turns"),
        ({"turns": 1.5}, "turns"),
        ({"turns": True}, "turns"),
        ({"turns": None}, "turns"),
        ({"seed": "x"}, "seed: expected a whole number, got 'x'"),
        ({"seed": None}, "seed"),
        ({"seed": True}, "seed"),
        ({"seed": 0.5}, "seed"),
    ],
)
def test_arguments_that_mean_nothing_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        simulate(TokenModel(2), **given)


# On a clock.


class Started(NamedTuple):
    kind = "started"


class TimedTokens(TokenModel):
    """Every action is announced, and takes so long; a branch that finds no token waits for it."""

    patient = frozenset({"do"})

    def __init__(self, branches: int, *seconds: float) -> None:
        super().__init__(branches)
        self.seconds = seconds

    def start(self) -> tuple[State, tuple[Event, ...]]:
        return self.initial(), (Started(),)

    def choices(self, state: State) -> Choices:
        return Listed(list(super().choices(state)))

    def timed(self, state: State, events: Iterable[Event], draw: Any) -> Iterator[Timed]:
        for event in events:
            for i in range(self.branches) if isinstance(event, Started) else (event.branch,):  # type: ignore[attr-defined]
                if (n := state.made[i]) < len(self.actions):
                    yield Timed(Choice("do", self.actions[n].name, (i,)), self.seconds[n])


class Listed(Choices):
    """Choices all of which are announced, but for the last few, which no clock decides."""

    urgent = False

    def __init__(self, choices: list[Choice], immediate: int = 0, untimed: int = 0) -> None:
        self._list = choices
        self._immediate = immediate
        self._untimed = untimed

    @property
    def immediate(self) -> int:
        return self._immediate

    @property
    def untimed(self) -> int:
        return self._untimed

    @property
    def owed(self) -> bool:
        return len(self._list) > self._untimed

    def __len__(self) -> int:
        return len(self._list)

    def __getitem__(self, k: Any) -> Any:
        return self._list[k]


def test_the_clock_jumps_to_what_comes_next_and_what_has_no_token_waits_for_it() -> None:
    first = set()
    for seed in range(40):
        trace = simulate(TimedTokens(2, 1.0, 2.0, 4.0, 0.5), seed=seed)
        times = [turn.time for turn in trace.turns]
        assert times == sorted(times) and trace.outcome == "all done"
        assert [turn.time for turn in trace.turns if turn.choice.name == "take"] == [1.0, 7.5]
        assert times[-1] == 14.0
        first.add(entries(trace)[0])
    assert first == {0, 1}, "two that are due at once come in either order"


class Play:
    """A machine that plays what it is told: which announcements each move makes, and which moves are possible.

    Moves of kind `now` are announced by nobody, those of kind `free` no clock decides.
    """

    kind = "play"
    patient: frozenset[str] = frozenset({"patient"})
    name = "Play"

    def __init__(self, announced: dict[str, list[Timed]], possible: Possible) -> None:
        self.announced = announced
        self.possible = possible

    def start(self) -> tuple[Moves, tuple[Event, ...]]:
        return (), (Happened("start"),)

    def choices(self, state: Moves) -> Choices:
        listed = [Choice.parse(text) for text in self.possible(state)]
        return Listed(listed, sum(c.kind == "now" for c in listed), sum(c.kind == "free" for c in listed))

    def calm(self, state: Moves) -> bool:
        return all(Choice.parse(text).kind not in ("now", "free") for text in self.possible(state))

    def apply(self, state: Moves, choice: Choice, now: float = 0.0) -> tuple[Moves, tuple[Event, ...]]:
        if str(choice) not in self.possible(state):
            raise ScheduleError("not now")
        return (*state, str(choice)), (Happened(str(choice)),)

    def timed(self, state: Moves, events: Iterable[Any], draw: Any) -> Iterator[Timed]:
        for event in events:
            yield from self.announced.get(event.what, ())

    def describe(self, state: Moves) -> dict[str, Any]:
        return {"moves": list(state)}

    def outcome(self, state: Moves) -> str | None:
        return None


Moves = tuple[str, ...]
Possible = Callable[[Moves], list[str]]


class Happened(NamedTuple):
    what: str
    kind = "happened"


def at(text: str, seconds: float, instead: str | None = None) -> Timed:
    return Timed(Choice.parse(text), seconds, None if instead is None else Choice.parse(instead))


def played(announced: dict[str, list[Timed]], possible: Possible, seed: int = 1) -> list[tuple[float | None, str]]:
    machine: Any = Play(announced, possible)
    return [(turn.time, str(turn.choice)) for turn in simulate(machine, seed=seed).turns]


def once(*texts: str) -> Possible:
    """Each of these is possible until it was made."""
    return lambda state: [text for text in texts if text not in state]


def test_what_is_announced_happens_at_its_time() -> None:
    announced = {"start": [at("go late", 9), at("go soon", 2)], "go soon": [at("go between", 3)]}
    assert played(announced, once("go late", "go soon", "go between")) == [
        (2.0, "go soon"), (5.0, "go between"), (9.0, "go late"),
    ]  # fmt: skip


def test_what_is_announced_again_happens_at_its_new_time_alone() -> None:
    announced = {"start": [at("go x", 5), at("go y", 1)], "go y": [at("go x", 9)]}
    assert played(announced, once("go x", "go y")) == [(1.0, "go y"), (10.0, "go x")]


@pytest.mark.parametrize("seconds", [5.0, 1.0, 0.0])
def test_what_is_taken_back_does_not_happen_not_even_when_it_is_due_already(seconds: float) -> None:
    """Nor does it stand in the way of what is announced under its name later."""
    announced = {"start": [at("go x", seconds), at("go y", min(seconds, 1.0))],
                 "go y": [at("go x", inf), at("go z", 2.0)], "go z": [at("go x", 7.0)]}  # fmt: skip
    runs = {tuple(played(announced, once("go x", "go y", "go z"), seed)) for seed in range(30)}
    began = min(seconds, 1.0)
    taken_back = ((began, "go y"), (began + 2.0, "go z"), (began + 9.0, "go x"))
    assert taken_back in runs
    assert all(run == taken_back or run[0] == (seconds, "go x") for run in runs)


def test_what_comes_instead_comes_when_the_other_would_have() -> None:
    announced = {"start": [at("go x", 5), at("go y", 1)], "go y": [at("go z", 77, "go x")]}
    assert played(announced, once("go y", "go z")) == [(1.0, "go y"), (5.0, "go z")]
    unknown = {"start": [at("go y", 1)], "go y": [at("go z", 3, "go x")]}
    assert played(unknown, once("go y", "go z")) == [(1.0, "go y"), (4.0, "go z")]
    due = {"start": [at("go x", 1), at("go y", 1)], "go y": [at("go z", 77, "go x")]}

    def possible(state: Moves) -> list[str]:
        return [text for text in once("go x", "go y", "go z")(state) if text != "go x" or "go y" not in state]

    runs = [played(due, possible, seed) for seed in range(20)]
    assert [(1.0, "go y"), (1.0, "go z")] in [run[:2] for run in runs], "at once, if the other was due already"
    assert all((1.0, "go x") in run or len(run) == 2 for run in runs)


def test_what_is_not_possible_when_it_is_due_has_lapsed_unless_it_is_patient() -> None:
    def possible(state: Moves) -> list[str]:
        return [text for text in once("go open", "patient y")(state) if text == "go open" or "go open" in state]

    announced = {"start": [at("go x", 1), at("patient y", 1), at("go open", 5)]}
    assert played(announced, possible) == [(5.0, "go open"), (5.0, "patient y")]
    with pytest.raises(InternalError, match="nobody announced when these happen: go x"):
        played(announced, lambda state: possible(state) + ["go x"] * ("patient y" in state))


def test_what_nobody_announces_happens_before_any_time_passes() -> None:
    announced = {"start": [at("go x", 0), at("go y", 1)]}
    firsts = set()
    for seed in range(40):
        moves = played(announced, once("now 1", "now 2", "go x", "go y"), seed)
        assert {text for time, text in moves if time == 0.0} == {"now 1", "now 2", "go x"}
        assert moves[-1] == (1.0, "go y")
        firsts.add(moves[0][1])
    assert firsts == {"now 1", "now 2", "go x"}


def test_what_no_clock_decides_comes_now_and_then_and_may_never_come() -> None:
    announced = {"start": [at("go x", 1)], "go x": [at("go y", 1)]}
    seen = Counter[str]()
    for seed in range(300):
        texts = [text for _, text in played(announced, once("go x", "go y", "free z"), seed)]
        seen["first" if texts[0] == "free z" else "later" if "free z" in texts else "never"] += 1
    assert min(seen[when] for when in ("first", "later", "never")) > 5


def test_a_machine_that_forgets_to_announce_is_our_bug_and_says_so() -> None:
    with pytest.raises(InternalError, match="nobody announced when these happen: go x"):
        played({}, once("go x"))


# Traces come back.


@pytest.mark.parametrize("machine", [TokenModel(3), FlagModel(3), TimedTokens(3, 1.0, 0.5, 0.25, 0.125)])
def test_replay_makes_the_same_turns(machine: BareMachine) -> None:
    for seed in range(20):
        trace = simulate(machine, seed=seed)
        again = replay(machine, Schedule.parse(str(Schedule.of(trace))))
        assert again.turns == trace.turns and again.final == trace.final and again.outcome == trace.outcome
        assert again.seed is None and again.started == trace.started


def test_done_events_are_data() -> None:
    assert simulate(TokenModel(1)).turns[0].events == (Done(0, "take"),)
