"""Schedules: a run's moves as a text that comes back as it was, or is refused with the reason."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dexpatterns.dex import FlowMachine, dead_end, go_to
from dexpatterns.engine.machine import Choice
from dexpatterns.engine.schedule import Schedule, replay
from dexpatterns.engine.simulator import simulate
from dexpatterns.errors import ScheduleError
from tests.dex.flows import drive, flow, sample, step
from tests.engine.bare_models import TokenModel

names = st.text(st.characters(), min_size=1)
kinds = st.text(st.characters(categories=["Ll"]), min_size=1, max_size=9)
choices = st.builds(Choice, kinds, names, st.lists(st.integers(0, 10**9), max_size=6).map(tuple))
times = st.lists(st.floats(0, 1e12, allow_nan=False), min_size=8, max_size=8).map(sorted)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.lists(choices, max_size=8), st.none() | times)
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
def test_a_schedule_comes_back_as_it_was(name: str, made: list[Choice], at: list[float] | None) -> None:
    stamps: list[Any] = [None] * 8 if at is None else at
    schedule = Schedule(name, tuple(zip(stamps, made, strict=False)))
    assert Schedule.parse(str(schedule)) == schedule
    assert str(Schedule.parse(str(schedule))) == str(schedule)
    assert Schedule.parse(str(schedule).replace("\n", "\r\n") + "\n\n") == schedule, "however its lines end"


@given(choices)
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
def test_a_move_comes_back_as_it_was(choice: Choice) -> None:
    assert str(choice).isprintable(), "it neither turns a line round nor fails to be written"
    assert Choice.parse(str(choice)) == choice and Choice.parse(f"  {choice} ") == choice


@pytest.mark.parametrize(
    "name", ["a b", 'say "x"', "<script>alert(1)</script>", "../../x", "\U0001f600", "end 3", "\u2028", "@1.0"]
)
def test_any_name_is_just_a_name(name: str) -> None:
    schedule = Schedule(name, ((0.0, Choice("begin", name, (0,))), (0.0, Choice("end", name, (1, 2)))))
    assert Schedule.parse(str(schedule)) == schedule


def test_a_time_is_written_where_it_changes() -> None:
    a, b = Choice("do", "a", (1,)), Choice("do", "b")
    text = str(Schedule("X", ((0.0, a), (0.0, b), (1.5, a))))
    assert text.splitlines() == ['dexpatterns-schedule 1 "X"', "@0.0 do a 1", "do b", "@1.5 do a 1", "end 3"]
    assert str(Schedule("X", ((None, a),))).splitlines()[1] == "do a 1"


GOOD = 'dexpatterns-schedule 1 "1 token for 2"\n@0.0 do take 0\n@1.0 do edit 0\nend 2'


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


BAD: list[tuple[str, str, str]] = [
    ("nothing", "", "not a schedule"),
    ("blank lines", "\n \n", "not a schedule"),
    ("foreign", "hello\nworld", "not a schedule: it begins with 'hello'"),
    ("JSON", '{"machine": "dex"}', "not a schedule"),
    ("another version", changed(" 1 ", " 2 "), "of version '2', this is version '1'"),
    ("no version", "dexpatterns-schedule", "version ''"),
    ("no name", "dexpatterns-schedule 1\nend 0", "the name of what was run"),
    ("a name that is no text", changed('"1 token for 2"', "12"), "the name of what was run"),
    ("a name that never ends", changed('"1 token for 2"', "[" * 100_000), "the name of what was run"),
    ("cut off after the first line", GOOD.splitlines()[0], "cut off"),
    ("cut off in the middle", GOOD[: GOOD.index("@1.0")], "cut off"),
    ("cut off in a move", GOOD[: GOOD.index("edit")], "cut off"),
    ("cut off before the last line", GOOD[: GOOD.index("end 2")], "cut off"),
    ("cut off in the last line", GOOD[:-2], "cut off"),
    ("a move is missing", changed("@0.0 do take 0\n", ""), "cut off: its last line is 'end 2', expected 'end 1'"),
    ("a move too many", changed("end 2", "do save 0\nend 2"), "expected 'end 3'"),
    ("a move named end", changed("end 2", "end Work.execute 0.1"), "cut off"),
    ("a last line with more", changed("end 2", "end 2 3"), "cut off"),
    ("a time that is none", changed("@1.0", "@soon"), "line 3: '@soon' is no time, expected seconds not before 0.0"),
    ("a time that is not a number", changed("@1.0", "@nan"), "is no time"),
    ("a time without end", changed("@1.0", "@inf"), "is no time"),
    ("a time below zero", changed("@0.0", "@-1.0"), "line 2: '@-1.0' is no time"),
    ("a time before the last", changed("@1.0", "@-0.5"), "line 3"),
    ("not a move", changed("do edit 0", "edit"), "line 3: not a move: 'edit'"),
    ("a lineage that is none", changed("edit 0", "edit zero"), "line 3: not a move"),
    ("a lineage too long to be true", changed("edit 0", f"edit {'9' * 10_000}"), "line 3: not a move"),
    ("a quote that never ends", changed("edit", '"edit'), "line 3: not a move"),
    ("junk", "\x00\x01\x02" * 1000, "not a schedule"),
]


@pytest.mark.parametrize(("text", "words"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_a_bad_schedule_is_refused_with_the_reason(text: str, words: str) -> None:
    with pytest.raises(ScheduleError) as refused:
        Schedule.parse(text)
    assert words in str(refused.value) and len(str(refused.value)) < 400


def test_the_good_one_is_good() -> None:
    trace = replay(TokenModel(2), Schedule.parse(GOOD))
    assert [turn.time for turn in trace.turns] == [0.0, 1.0] and trace.final["made"] == [2, 0]


@pytest.mark.parametrize("drop", range(1, len(GOOD) - 1))
def test_no_beginning_of_a_schedule_is_taken_for_a_whole_one(drop: int) -> None:
    with pytest.raises(ScheduleError):
        Schedule.parse(GOOD[:-drop])


def test_a_schedule_of_something_else_is_refused() -> None:
    with pytest.raises(ScheduleError, match=r"one of '1 token for 2', this is '1 token for 3'"):
        replay(TokenModel(3), Schedule.parse(GOOD))


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("do save 0", "turn 2: 'do save 0' is not possible here"),
        ("do take 1", "turn 2"),
        ("do edit 7", "turn 2"),
        ("fly edit 0", "turn 2"),
        ("do edit", "turn 2"),
    ],
)
def test_an_impossible_move_is_refused_where_it_stands(move: str, words: str) -> None:
    with pytest.raises(ScheduleError, match=words):
        replay(TokenModel(2), Schedule.parse(changed("do edit 0", move)))


# Of Flows.

second = step("Second", lambda c, i: dead_end())
first = step("First", lambda c, i: go_to(second, 1))


def test_the_schedule_of_a_flow_replays_and_is_refused_by_another_flow() -> None:
    machine = FlowMachine(flow(first, second))
    text = str(Schedule.of(sample(machine)))
    assert text.splitlines()[:2] == ['dexpatterns-schedule 1 "Tiny"', "@0.0 begin First.execute 0.0"]
    assert replay(machine, Schedule.parse(text)).turns == sample(machine).turns
    with pytest.raises(ScheduleError, match="one of 'Tiny', this is 'Other'"):
        replay(FlowMachine(flow(first, second, name="Other")), Schedule.parse(text))


def test_a_move_that_a_flow_does_not_know_names_those_that_are_possible() -> None:
    text = 'dexpatterns-schedule 1 "Tiny"\nbegin First.execute 0.0\nbegin Second.execute 0.1\nend 2'
    with pytest.raises(ScheduleError, match=r"turn 2: .* possible are: commit First.execute 0.0"):
        replay(FlowMachine(flow(first, second)), Schedule.parse(text))
    closed = drive(flow(step("Only", lambda c, i: dead_end())), "begin Only", "commit Only")
    assert closed.choices == []


def test_replay_without_a_clock_has_no_times() -> None:
    text = 'dexpatterns-schedule 1 "Tiny"\nbegin First.execute 0.0\ncommit First.execute 0.0\nend 2'
    assert [turn.time for turn in replay(FlowMachine(flow(first, second)), Schedule.parse(text)).turns] == [None, None]


def test_a_long_run_is_a_schedule_too() -> None:
    trace = simulate(TokenModel(60), seed=3)
    assert len(Schedule.parse(str(Schedule.of(trace))).moves) == 240
