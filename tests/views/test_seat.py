"""The scheduler's seat: every move has words, undo is exact, and a hint is what the explorer would find."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from dexpatterns import catalog, js7
from dexpatterns.dex import (
    Anytime,
    Channel,
    Faults,
    FlowMachine,
    Invoke,
    Scenario,
    Section,
    Simulation,
    StartFlowOptions,
    StepMovement,
    StepOptions,
    Stop,
    Timer,
    Wait,
    check,
    dead_end,
    go_to_many,
    mutual_exclusion,
    replay,
    simulate,
)
from dexpatterns.dex.machine import _MOVES as DEX_MOVES
from dexpatterns.engine.explore import explore
from dexpatterns.engine.machine import Choice
from dexpatterns.engine.properties import View, always_ends, never_stuck
from dexpatterns.engine.report import Verdict
from dexpatterns.errors import InputError, ScheduleError
from dexpatterns.js7.choices import KINDS as JS7_KINDS
from dexpatterns.js7.machine import Js7Machine
from dexpatterns.views import seat as seats
from dexpatterns.views import seat_texts
from dexpatterns.views.seat import Seat, answer
from dexpatterns.views.seat_texts import MOVES, TEXTS
from dexpatterns.views.show import show
from tests.dex.flows import TWICE, flow, seconds, step
from tests.engine.bare_models import FlagModel
from tests.js7.notation import P, attempt, bad, items, lock, ok, retry, sleep, workflow
from tests.views.long_run import long_run

LANGUAGES = ("en", "zh")


def seat_of(name: str, reviewers: int = 2, *, scenario: Any = None, faults: Any = None, **more: Any) -> Seat:
    pattern = catalog.load(name)
    machine = FlowMachine(pattern.flow, pattern.make_input(reviewers=reviewers), scenario=scenario, faults=faults)
    tokens = [pattern.token.name] if pattern.token is not None else []
    return Seat(machine, sections=[pattern.section], tokens=tokens, **more)


def orders_of(name: str, **more: Any) -> Seat:
    pattern = catalog.load(name)
    return Seat(Js7Machine(pattern.items, pattern.orders, pattern.jobs), **more)


def ahead(seat: Seat, part: str) -> Any:
    """What the last hint said of the property whose name has this part."""
    return next(one.ahead for one in seat.judged if part in one.property.name)


def facts(seat: Seat) -> Any:
    """All that a seat shows, but for what was asked or undone."""
    view = seat.view()
    return {key: value for key, value in view.items() if key not in ("redo", "hint", "hinted")}


def wander(seat: Seat, moves: int, seed: int = 0) -> Seat:
    random = Random(seed)
    for _ in range(moves):
        if not seat.moves:
            break
        seat.take(random.randrange(len(seat.moves)) + 1)
    return seat


# Words.


def test_every_kind_of_move_of_both_machines_has_words_in_both_languages() -> None:
    assert set(MOVES["dex"]) == set(DEX_MOVES)
    assert set(MOVES["js7"]) == {"arrive", *(kind for kind, _ in JS7_KINDS)}
    for kinds in MOVES.values():
        for kind in kinds.values():
            assert all(kind.says)
            assert bool(kind.then[0]) == bool(kind.then[1])
    assert all(all(pair) for key, pair in TEXTS.items() if key != "between")


def test_both_languages_have_the_same_texts_and_the_same_fields() -> None:
    for key, (en, zh) in {**TEXTS, **seat_texts._FRONT}.items():
        fields = [{part.partition("}")[0] for part in text.split("{")[1:]} for text in (en, zh)]
        assert fields[1] <= fields[0] or key.endswith(":1"), key
        assert fields[0] - fields[1] <= {"status", "name"}, key


BOX: Channel[Any] = Channel("box", Any)


def _start(context: Any, _: Any) -> Any:
    BOX.publish(context, "one")
    return go_to_many(*[StepMovement.of(waits, n) for n in (1, 2, 3)], StepMovement.of(works, 4))


start = step("Start", _start)
waits = step(
    "Waits", lambda c, i: dead_end(), lambda c, i: Wait.any_of(BOX.for_one(), Timer.by_duration(timedelta(hours=1)))
)
works = step(
    "Works", lambda c, i: dead_end(), options=StepOptions(execute_method_timeout=seconds(2), execute_retry=TWICE)
)


def everything() -> Seat:
    """A Flow to which everything may happen that can happen to one."""

    def put(context: Any, input: Any) -> Any:
        BOX.publish(context, input)

    machine = FlowMachine(
        flow(start, waits, works, keeps=[BOX], rpcs={"put": put}),
        scenario=Scenario(
            durations={works: (seconds(1), seconds(9))},
            events=[Anytime(Invoke("put", "more"), times=2), Anytime(Stop(), owed=False)],
            options=StartFlowOptions(timeout=seconds(60)),
        ),
        faults=Faults(lost_attempts=1, late_attempts=1),
    )
    return Seat(machine, sections=[Section(works, name="work")], tokens=["box"])


def rivals() -> Seat:
    """Two wait, and a message comes: which of them takes it is a move."""
    seat = everything()
    for call in ("Start.execute", *["Waits.wait_for"] * 3, "put"):
        for kind in ("call" if call == "put" else "begin", "commit"):
            seat.take(next(move.number for move in seat.moves if str(move.choice).startswith(f"{kind} {call}")))
    return seat


def test_who_waits_for_the_same_message_is_told() -> None:
    seat = rivals()
    assert [(move.who, move.says, move.then) for move in seat.moves] == [
        ("Waits-2", "takes the token", "Waits-3 waits for it too"),
        ("Waits-3", "takes the token", "Waits-2 waits for it too"),
    ]
    assert seat.cannot[0].says.endswith("cannot move: first it is settled who takes what there is.")


def test_every_kind_of_move_of_a_flow_is_met_and_told() -> None:
    met: dict[str, set[str]] = {lang: set() for lang in LANGUAGES}
    for seed in range(25):
        seat = rivals() if seed % 2 else everything()
        random = Random(seed)
        while seat.moves and seat.made < 30:
            for lang in LANGUAGES:
                words = seat.words(lang)
                for move in words.moves():
                    assert move.says, move
                    assert "{" not in move.says + move.then, move
                    met[lang].add(move.choice.kind)
                assert all("{" not in one.says for one in words.blocked())
                assert len(words.turns(seat.made or 1)) == seat.made
            calm = [move for move in seat.moves if move.choice.kind not in ("stop", "timeout")]
            seat.take(random.choice(calm or seat.moves).choice)
        assert str(seat)
    assert met == {lang: set(MOVES["dex"]) for lang in LANGUAGES}


def test_every_kind_of_move_of_orders_is_met_and_told() -> None:
    retried = workflow("X", attempt(bad, catch=[retry], retryDelays=[1, 1]))
    made = items(workflow("W", P, lock("L", sleep(3), ok)), retried, locks="L")
    jobs = {"ok": js7.Job(outcomes=("any",)), "bad": js7.Job(outcomes=("failed",))}
    met = set()
    for seed in range(12):
        seat = Seat(Js7Machine(made, [js7.Order("A", "W"), js7.Order("B", "W"), js7.Order("C", "X")], jobs))
        random = Random(seed)
        while seat.moves and seat.made < 30:
            for lang in LANGUAGES:
                words = seat.words(lang)
                met |= {move.choice.kind for move in words.moves()}
                assert all(move.says and move.who and "{" not in move.says + move.then for move in words.moves())
                assert all("{" not in one.says for one in words.blocked())
                assert len(words.turns(seat.made or 1)) == seat.made
            seat.take(random.choice(seat.moves).choice)
        assert str(seat)
    assert met == set(MOVES["js7"])


def test_the_moves_are_all_choices_of_the_machine_numbered_in_groups() -> None:
    for seed in range(8):
        seat = wander(everything(), 6 + seed, seed)
        choices = set(seat.machine.choices(seat.spot.state))
        assert {move.choice for move in seat.moves} == choices
        assert [move.number for move in seat.moves] == list(range(1, len(choices) + 1))
        groups = [seat_texts.GROUPS.index(move.group) for move in seat.moves]
        assert groups == sorted(groups)


def test_who_cannot_move_is_told_why() -> None:
    seat = seat_of("critical-section", 3)
    while not seat.cannot or len(seat.cannot[0].lanes) < 2:
        seat.take(next(m for m in seat.moves if m.choice.kind in ("begin", "commit") and "EditC" not in m.says).number)
    assert seat.cannot[0].says == (
        "reviewer-2 and reviewer-3 cannot move: they wait for contractEditToken, which reviewer-1 holds."
    )
    assert seat.words("zh").blocked()[0].says == (
        "reviewer-2、reviewer-3：没有走法，它们在等待 contractEditToken（由 reviewer-1 持有）。"
    )
    # Everybody who lives and has no move is named, and nobody else.
    named = {lane for one in seat.cannot for lane in one.lanes}
    words = seat.words()
    moving = {move.lane for move in seat.moves}
    assert named == {i for i, badge in enumerate(words.badges) if badge.phase != "ended"} - moving


def test_a_move_tells_what_it_leads_to() -> None:
    seat = seat_of("is-editing-flag")
    told = set()
    while seat.moves:
        told |= {(move.says, move.then) for move in seat.moves}
        seat.take(1)
    assert {
        ("StartContractEdits saves", "starts CheckFlag × 2"),
        ("CheckFlag begins", "reads isEditing = False"),
        ("EditContract begins", "enters contract edit"),
        ("EditContract saves", "goes to SaveContractEdit"),
    } <= told
    assert seat.words().over() == "EditingFlagFlow has ended COMPLETED: no move is left."


def test_faults_are_moves_until_their_budget_is_spent() -> None:
    seat = seat_of("critical-section", faults=Faults(lost_attempts=1, late_attempts=1))
    seat.take(1)
    assert [move.choice.kind for move in seat.moves if move.group == "fault"] == ["lose", "late"]
    assert seat.words().left() == "Left for this run: 1 lost, 1 late"
    assert seat.words("zh").left() == "本次运行还剩：1 次丢失、1 次放弃而代码仍在运行"
    seat.take(next(move.number for move in seat.moves if move.choice.kind == "lose"))
    assert seat.words().left() == "Left for this run: 0 lost, 1 late"
    seat.take(1)
    assert [move.choice.kind for move in seat.moves if move.group == "fault"] == ["late"]
    assert seat_of("critical-section").words().left() == ""


def test_names_of_people_are_shown_and_never_obeyed() -> None:
    evil = {1: "</script><script>alert(1)</script>", 2: "a\u202eb\x1b[2J"}
    pattern = catalog.load("critical-section")
    machine = FlowMachine(pattern.flow, pattern.make_input(reviewers=2, reviewer=evil))
    seat = wander(Seat(machine, sections=[pattern.section], tokens=["contractEditToken"]), 12)
    for lang in LANGUAGES:
        said = {key: part for key, part in seat.view(lang).items() if key not in ("show", "schedule")}
        shown = json.dumps(said, ensure_ascii=False)
        assert "\u202e" not in shown
        assert "\\u001b" not in shown
        assert "alert(1)" in shown
    assert not {"\u202e", "\x1b"} & set(str(seat))


# Taking moves, and taking them back.


def test_undo_and_redo_lead_through_the_very_same_states() -> None:
    seat = everything()
    seen = [facts(seat)]
    random = Random(5)
    while seat.moves and seat.made < 15:
        calm = [move for move in seat.moves if move.choice.kind not in ("stop", "timeout")]
        seat.take(random.choice(calm or seat.moves).number)
        seen.append(facts(seat))
    for back in range(seat.made - 1, -1, -1):
        assert facts(seat.undo()) == seen[back]
    assert (seat.made, seat.can_redo) == (0, True)
    for there in range(1, len(seen)):
        assert facts(seat.redo()) == seen[there]
    assert not seat.can_redo
    assert facts(seat.restart().redo(len(seen))) == seen[-1]
    assert facts(seat.back_to(3)) == seen[3]
    assert facts(seat.undo(1_000)) == seen[0]


def test_another_move_forgets_what_was_undone_and_the_same_move_does_not() -> None:
    seat = seat_of("critical-section")
    for _ in range(4):
        seat.take(1)
    seat.undo(2)
    seat.take(1)
    assert seat.can_redo
    seat.undo()
    seat.take(2)
    assert not seat.can_redo


def test_a_move_is_taken_by_number_choice_or_text() -> None:
    by = [seat_of("critical-section") for _ in range(3)]
    choice = by[0].moves[0].choice
    meant: tuple[Any, ...] = (1, choice, str(choice))
    for seat, move in zip(by, meant, strict=True):
        seat.take(move)
    assert by[0].run.schedule == by[1].run.schedule == by[2].run.schedule


@pytest.mark.parametrize(
    ("move", "said"),
    [
        (0, "no move 0: expected a number from 1 to 1"),
        (2, "from 1 to 1"),
        (True, "no move True"),
        (None, "no move None"),
        ("nonsense", "not a move"),
        (Choice("begin", "Nobody.execute", (0, 9)), "not possible here"),
    ],
)
def test_what_is_no_move_is_refused_and_nothing_happens(move: Any, said: str) -> None:
    seat = seat_of("critical-section")
    with pytest.raises(ScheduleError, match=said):
        seat.take(move)
    assert seat.made == 0


@pytest.mark.parametrize("turn", [-1, 1, True, "0"])
def test_back_to_a_move_that_was_not_made_is_refused(turn: Any) -> None:
    with pytest.raises(InputError, match=r"from 0 \(the start\) to 0"):
        seat_of("critical-section").back_to(turn)


def test_the_run_so_far_can_be_replayed() -> None:
    pattern = catalog.load("critical-section")
    seat = wander(seat_of("critical-section", faults=Faults(1, 1)), 20)
    again = replay(pattern.flow, pattern.make_input(reviewers=2), seat.run.schedule, faults=Faults(1, 1))
    assert again.trace.turns == seat.run.trace.turns
    assert again.trace.final == seat.run.trace.final


# Properties and hints.


@pytest.mark.parametrize(("name", "part", "turns"), [
    ("is-editing-flag", "at most one", 12), ("second-token", "one token", 9), ("second-token", "at most one", 17),
])  # fmt: skip
def test_the_hinted_moves_break_it_in_as_many_moves_as_the_explorer_says(name: str, part: str, turns: int) -> None:
    seat = seat_of(name)
    judged = next(one.property for one in seat.judged if part in one.property.name)
    report = explore(seat.machine, properties=[judged])
    assert report.counterexample is not None
    assert len(report.counterexample.trace.turns) == turns
    seat.hint()
    way = ahead(seat, part).way
    assert len(way) == turns
    for done, choice in enumerate(way):
        assert len(ahead(seat, part).way) == turns - done
        seat.take(choice)
    since = next(one.since for one in seat.judged if one.property is judged)
    assert since == turns


def test_following_the_mark_breaks_the_nearest_property_in_exactly_the_moves_it_named() -> None:
    for name, moves in (("is-editing-flag", 12), ("second-token", 9)):
        seat = seat_of(name)
        seat.hint()
        for left in range(moves, 0, -1):
            assert len(min((one.way for one in seat.spot.ahead.values() if one.way), key=len)) == left
            hinted = [move for move in seat.moves if move.hinted]
            assert len(hinted) == 1
            assert not seat.view()["broken"]
            seat.take(hinted[0].number)
        (broken,) = seat.view()["broken"]
        assert f"in {moves} moves; no run breaks it in fewer." in broken["says"]
        assert broken["now"]


@pytest.mark.parametrize("name", ["is-editing-flag", "second-token"])
def test_from_the_middle_a_hint_is_what_the_explorer_finds_from_there(name: str) -> None:
    """A way that the hint names breaks it, and no shorter one does: all shorter ones were tried by hand."""
    for seed in range(4):
        seat = wander(seat_of(name), 5 + seed, seed)
        before = seat.made
        for found in seat.hint():
            if not found.way:
                continue
            i = [one.name for one in seat.properties].index(found.name)
            assert _nearest(seat, i) == len(found.way), (seed, found.name)
            for choice in found.way:
                seat.take(choice)
            assert seat.judged[i].since == seat.made == before + len(found.way)
            seat.back_to(before)


def _nearest(seat: Seat, i: int) -> int:
    """Breadth first over the seat's own books: how many moves until property i has a fault."""
    machine, one = seat.machine, seat.properties[i]
    frontier = [(seat.spot.state, seat.spot.memories[i])]
    known = set()
    depth = 0
    while frontier:
        depth += 1
        found = []
        for state, memory in frontier:
            for choice in machine.choices(state):
                after, events = machine.apply(state, choice)
                kept = one.step(memory, events)
                if one.fault(kept, View(machine, after)) is not None:
                    return depth
                key = (machine.key(after), one.key(kept, machine.rank(after)))
                if key not in known:
                    known.add(key)
                    found.append((after, kept))
        frontier = found
    return -1


def test_on_a_pattern_that_holds_the_hint_says_that_it_cannot_be_broken() -> None:
    seat = seat_of("critical-section")
    found = seat.hint()
    pattern = catalog.load("critical-section")
    states = check(pattern.flow, pattern.make_input(2), sections=seat.sections, tokens=seat.tokens).states
    assert [(one.verdict, one.states) for one in found] == [(Verdict.PROVED, states)] * 3
    assert seat.next_hint is None
    assert seat.view()["hint"] == [f"It cannot be broken: all {states} states were tried."]
    assert seat.view("zh")["hint"] == [f"无法打破：全部 {states} 个状态都已试过。"]
    assert {one["mark"] for one in seat.view()["properties"]} == {"proved"}
    # It stays so, whatever is done.
    assert {one["mark"] for one in wander(seat, 9).view()["properties"]} == {"proved"}


def test_what_cannot_be_broken_any_more_is_not_said_to_be_unbreakable() -> None:
    """An anti-pattern that was lucky this time: only what is left of this run was tried."""
    seat = seat_of("is-editing-flag")
    while moves := [move for move in seat.moves if move.lane <= 1]:
        seat.take(moves[0].choice)
    seat.hint()
    assert seat.view()["hint"][-1].startswith("It cannot be broken from here: all ")
    assert seat.view("zh")["hint"][-1].startswith("从这里起无法打破：全部 ")
    assert seat.view()["properties"][1]["ahead"].startswith("cannot be broken from here: all ")
    while seat.moves:
        seat.take(1)
    ended = Seat.of_run(seat.run, own=True)
    ended.hint()
    assert ended.view()["hint"] == ["It cannot be broken from here: the only state was tried."]
    assert ended.view("zh")["hint"] == ["从这里起无法打破：唯一的状态已试过。"]


def test_a_hint_that_was_cut_says_so_and_goes_further_when_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "LIMIT", 30)
    seat = seat_of("critical-section")
    assert {one.verdict for one in seat.hint()} == {Verdict.BOUNDED}
    assert seat.view()["hint"][0] == (
        '"never stuck" is not decided: the search stopped after 30 states, and there are more.'
    )
    assert seat.view()["properties"][0]["ahead"] == "not decided: 30 states were tried, there are more"
    assert {one["mark"] for one in seat.view()["properties"]} == {"holds"}
    assert {one.verdict for one in seat.hint()} == {Verdict.PROVED}


def test_a_property_that_was_broken_stays_broken_until_that_move_is_undone() -> None:
    seat = seat_of("is-editing-flag")
    seat.hint()
    while seat.next_hint is not None:
        seat.take(seat.next_hint)
    broken = seat.view()["broken"][0]
    assert broken["title"] == "Broken: at most one inside contract edit."
    assert broken["says"] == "By reviewer-1 and reviewer-2, in 12 moves; no run breaks it in fewer."
    assert broken["cause"][0] == "Cause: check, then act."
    assert "isEditing = False" in broken["cause"][1]
    while seat.moves:
        seat.take(1)
    assert seat.view()["properties"][1]["after"] == "broken at move 12: 2 inside, limit 1"
    seat.hint()
    assert seat.view()["hint"][-1].endswith("is broken already; no run breaks it in fewer than 12 moves.")
    seat.back_to(11)
    assert seat.view()["broken"] == []
    assert seat.view()["properties"][1]["after"] == "holds so far: 1 inside"


def test_a_longer_way_than_needed_is_told_the_shortest() -> None:
    """One more branch than needed goes a little way first."""
    seat = seat_of("is-editing-flag", 3)
    seat.take(1).take(1)
    last = seat.moves[-1]
    seat.take(last.number)
    seat.hint()
    while seat.next_hint is not None:
        seat.take(seat.next_hint)
    (broken,) = seat.view()["broken"]
    assert broken["says"].endswith(f"in {seat.made} moves; the shortest is 12 moves.") is (seat.made > 12)


def test_how_properties_stand_is_counted() -> None:
    seat = seat_of("critical-section")
    while not any("1 inside" in one["after"] for one in seat.view()["properties"]):
        seat.take(1)
    assert [one["after"] for one in seat.view()["properties"]] == [
        "holds so far", "holds so far: 1 inside", "holds so far: 0 queued + 1 held"
    ]  # fmt: skip


def test_a_goal_is_judged_by_looking_ahead_alone() -> None:
    seat = seat_of("critical-section", properties=[always_ends("COMPLETED")])
    assert seat.view()["properties"][0]["mark"] == "open"
    seat.hint()
    assert seat.view()["properties"][0]["mark"] == "proved"
    stopped = seat_of(
        "critical-section", properties=[always_ends("COMPLETED")], scenario=Scenario(events=[Anytime(Stop())])
    )
    stopped.take(next(move.number for move in stopped.moves if move.choice.kind == "stop"))
    stopped.hint()
    assert stopped.view()["properties"][0]["mark"] == "broken"
    assert stopped.view()["properties"][0]["after"] == "broken at move 1: COMPLETED is out of reach"


def test_hints_lead_two_orders_into_their_deadlock() -> None:
    seat = orders_of("nested-locks-opposite-order")
    seat.hint()
    assert len(ahead(seat, "no deadlock").way) == 4
    while seat.next_hint is not None:
        seat.take(seat.next_hint)
    assert seat.made == 4
    assert seat.words().over() == "Stuck: nobody can move any more."
    assert [one.says for one in seat.cannot] == [
        "invoice-1 cannot move: it waits for STOCK, which reorder-1 holds.",
        "reorder-1 cannot move: it waits for SALES, which invoice-1 holds.",
    ]
    (broken,) = seat.view()["broken"]
    assert broken["says"] == "By invoice-1 and reorder-1, in 4 moves; no run breaks it in fewer."
    assert seat.view("zh")["broken"][0]["title"] == "已打破：没有死锁。"


def test_orders_that_nest_alike_cannot_be_broken() -> None:
    seat = orders_of("uniform-nesting")
    assert {one.verdict for one in seat.hint()} == {Verdict.PROVED}


# Where a seat comes from.


def test_a_seat_in_a_recorded_run_stands_after_that_turn() -> None:
    pattern = catalog.load("critical-section")
    run = simulate(pattern.flow, pattern.make_input(2), sections=[pattern.section], tokens=[pattern.token], seed=3)
    seat = Seat.of_run(run, 9)
    assert (seat.made, seat.recorded) == (9, 9)
    assert seat.run.trace.turns == run.trace.turns[:9]
    assert seat.view()["about"][-1] == "left the recorded run at turn 9"
    assert [one["recorded"] for one in seat.take(1).view()["path"]] == [True] * 9 + [False]
    # Undo goes on below it.
    assert seat.undo(5).made == 5
    assert Seat.of_run(run).run.trace.final == run.trace.final


def test_a_counterexample_is_judged_by_what_its_report_asked() -> None:
    pattern = catalog.load("is-editing-flag")
    asked = mutual_exclusion(pattern.section)
    run = check(pattern.flow, pattern.make_input(2), sections=[pattern.section], properties=[asked]).counterexample
    assert run is not None
    seat = Seat.of_run(run)
    assert seat.properties == (asked,)
    assert seat.judged[0].since == len(run.trace.turns)
    usual = Seat.of_run(run, properties=[never_stuck()])
    assert [one.name for one in usual.properties] == ["never stuck"]


def test_a_run_without_its_machine_or_its_start_has_no_seat() -> None:
    pattern = catalog.load("nested-locks-opposite-order")
    controller = js7.Controller(pattern.items).add_order("A", "INVOICE")
    with pytest.raises(InputError, match=r"run of a Controller.*js7\.simulate"):
        Seat.of_run(controller.run)
    loaded = simulate(*_small(), seed=1)
    object.__setattr__(loaded, "machine", None)
    with pytest.raises(InputError, match=r"loaded from a file.*replay"):
        Seat.of_run(loaded)


def _small() -> Any:
    pattern = catalog.load("critical-section")
    return pattern.flow, pattern.make_input(1)


@pytest.mark.parametrize("at", [-1, 1_000, 1.5, "3"])
def test_a_turn_that_there_is_not_is_refused(at: Any) -> None:
    with pytest.raises(InputError, match="expected a turn from 0"):
        Seat.of_run(simulate(*_small(), seed=1), at)


def test_a_run_that_its_machine_cannot_make_again_is_refused_with_the_turn() -> None:
    run = simulate(*_small(), seed=1)
    first = run.trace.turns[0]
    broken = (first._replace(choice=Choice("begin", "Nobody.execute", (0, 9))), *run.trace.turns[1:])
    object.__setattr__(run, "trace", run.trace._replace(turns=broken))
    with pytest.raises(InputError, match="cannot be made again from its start, at turn 1"):
        Seat.of_run(run)


def test_js7_runs_of_check_and_of_simulate_have_seats() -> None:
    pattern = catalog.load("nested-locks-opposite-order")
    found = js7.check(pattern.items, pattern.orders, jobs=pattern.jobs).counterexample
    assert found is not None
    assert Seat.of_run(found).judged[2].since == 4
    run = js7.simulate(pattern.items, pattern.orders, jobs=pattern.jobs, seed=2)
    assert Seat.of_run(run).run.trace.turns == run.trace.turns


@pytest.mark.parametrize(
    ("properties", "said"),
    [(["no"], "expected a property"), ([never_stuck(), never_stuck()], "different names"),
     ([mutual_exclusion(Section("Nowhere"))], "no Step 'Nowhere'")],
)  # fmt: skip
def test_properties_that_cannot_be_judged_are_refused(properties: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        seat_of("critical-section", properties=properties)


def test_starvation_cannot_be_judged_move_by_move() -> None:
    pattern = catalog.load("heavy-waiter-starves")
    order = pattern.orders[0].id
    with pytest.raises(InputError, match=r"whole graph of states; use js7\.check"):
        Seat(Js7Machine(pattern.items, pattern.orders, pattern.jobs), properties=[js7.no_starvation(order)])


def test_a_machine_that_nobody_has_words_for_has_a_seat_too() -> None:
    seat = Seat(FlagModel(2))
    seat.hint()
    assert seat.moves[0].says == "do check 0"
    assert seat.take(1).view()["show"] is None
    assert "do check 0" in str(seat)


# The messages of a browser.


def test_a_browser_moves_the_seat_by_messages() -> None:
    seat = seat_of("critical-section")
    first = str(seat.moves[0].choice)
    answer(seat, {"do": "take", "choice": first, "made": 0})
    assert seat.made == 1
    # A second click of the same came too late.
    answer(seat, {"do": "take", "choice": first, "made": 0})
    assert seat.made == 1
    answer(seat, {"do": "undo", "made": 1})
    answer(seat, {"do": "redo", "made": 0})
    answer(seat, {"do": "take", "choice": str(seat.moves[0].choice), "made": 1})
    answer(seat, {"do": "back_to", "turn": 1, "made": 2})
    assert seat.made == 1
    answer(seat, {"do": "hint", "made": 1})
    assert seat.view()["hint"]
    answer(seat, {"do": "restart", "made": 1})
    assert seat.made == 0


def test_what_a_browser_asks_for_in_vain_is_told_and_changes_nothing() -> None:
    seat = seat_of("critical-section")
    for _ in range(2):
        answer(seat, {"do": "take", "choice": "begin Nobody.execute 0.9", "made": 0})
    assert "not possible here" in seat.view()["trouble"]
    assert (seat.made, seat.view()["answered"]) == (0, 2)
    answer(seat, {"do": "take", "choice": str(seat.moves[0].choice), "made": 0})
    assert seat.view()["trouble"] == ""


@pytest.mark.parametrize("message", [{}, {"do": "dance"}, {"do": None}])
def test_a_message_that_is_none_is_refused(message: Any) -> None:
    with pytest.raises(InputError, match="expected one of"):
        answer(seat_of("critical-section"), message)


def test_the_view_is_json_and_the_same_every_time() -> None:
    first, again = (json.dumps(wander(everything(), 12).view()) for _ in range(2))
    assert first == again


def test_after_a_long_run_the_view_has_the_last_turn_and_its_window_alone() -> None:
    seat = Seat.of_run(long_run(4, 600))
    view = seat.view()
    shown, whole = view["show"], show(seat.run)
    assert shown["turns"] == seat.made == 600
    assert shown["windows"] == whole["windows"][-1:]
    assert (shown["by_time"], shown["properties"], shown["moves"]) == ([], [], None)
    # A keyframe that is what all turns together have made.
    folded = {**whole["start"]}
    for delta in whole["deltas"]:
        folded |= delta
    assert not any(shown["deltas"])
    living = {key: row for key, row in folded.items() if key.startswith("b/") and row[2] != "ended"}
    assert living == {key: row for key, row in shown["start"].items() if key.startswith("b/") and row[2] != "ended"}
    assert folded.keys() == shown["start"].keys()
    assert shown["use"][-1] == whole["use"][-1]
    assert [one["turn"] for one in view["path"]] == list(range(401, 601))
    assert view["path"][-1]["says"]


def test_a_move_after_a_long_run_is_shown_soon() -> None:
    seat = Seat.of_run(long_run(4, 1000), at=990)
    taken = []
    for _ in range(4):
        choice = str(seat.moves[0].choice)
        began = time.process_time()
        answer(seat, {"do": "take", "choice": choice, "made": seat.made})
        seat.view()
        taken.append(time.process_time() - began)
    # Twice what it may take, for a machine that is busy with other tests.
    assert min(taken) < 0.2


# Simulation.seat.


def test_a_simulation_hands_over_its_moves_and_properties() -> None:
    pattern = catalog.load("is-editing-flag")
    simulation = Simulation(pattern.flow, pattern.make_input(2), sections=[pattern.section]).take(0)
    assert [one.name for one in simulation.properties] == ["never stuck", "at most one inside contract edit"]
    widget = simulation.seat(lang="zh")
    shown = widget.seat
    assert (shown["made"], shown["left_at"], shown["lang"]) == (1, None, "zh")
    assert shown["properties"][0]["name"] == "不会卡住"
    only = Simulation(pattern.flow, pattern.make_input(2), properties=[never_stuck()])
    assert [one["name"] for one in only.seat().seat["properties"]] == ["never stuck"]
