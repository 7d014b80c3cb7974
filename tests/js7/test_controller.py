"""Operating orders by hand: every command, what refuses it, and that a refusal changes nothing (J231 to J238)."""

from __future__ import annotations

import copy
from datetime import timedelta
from typing import Any

import pytest

from dexpatterns.errors import InputError, WorkflowFileError
from dexpatterns.js7 import Controller, Job, draft, holdings
from tests.js7.notation import (
    MS,
    SECOND,
    P,
    attempt,
    bad,
    controller,
    fail,
    fork,
    free,
    holders,
    items,
    lock,
    ok,
    opt,
    retry,
    sleep,
    state,
    story,
    when,
    workflow,
)

# --- cancel ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        (P, "StateReset|Rel(L)|Cancelled"),
        (sleep(9), "StateReset|Rel(L)|Cancelled"),
        (attempt(fail(), catch=[retry], retryDelays=[9]), "StateReset|Rel(L)|Cancelled"),
        (opt(True, fail()), "Rel(L)|Cancelled"),
        (lock("M", P), "StateReset|Rel(M)|Rel(L)|Cancelled"),
        (lock("N", P), "StateReset|Rel(L)|Cancelled"),
    ],
    ids=["prompting", "asleep", "delaying", "stopped", "nested", "waiting"],
)
def test_j231_a_holder_is_cancelled(instruction: Any, expected: str) -> None:
    c = controller(workflow("H", lock("N", P)), workflow("W", lock("L", instruction)), locks="L M N")
    c.add_order("H", "H").add_order("O", "W").add_order("Q", "W")
    before = len(story(c))
    assert story(c.cancel("O"))[before:] == expected.split("|")
    assert c.order("O").state == "Cancelled" and holders(c) == "Q" and c.lock("N")["queue"] in (["Q"], [])
    assert c.advance(20 * SECOND).order("O").state == "Cancelled", "what the clock was to bring has lapsed"


@pytest.mark.parametrize(
    ("instructions", "expected"),
    [
        ([ok, ok], 'CancellationMarked|Moved [0,"lock",1]|Rel(L)|Cancelled'),
        ([ok], 'CancellationMarked|Moved [0,"lock",1]|Rel(L)|Cancelled'),
        ([bad], "CancellationMarked|Rel(L)|Failed [0]|Cancelled"),
        ([attempt(bad, catch=[ok])], 'CancellationMarked|Caught [0,"lock",0,"catch+0",0]|Rel(L)|Cancelled'),
        ([opt(True, bad)], "CancellationMarked|Stopped|Rel(L)|Cancelled"),
    ],
)
def test_j231_a_job_comes_to_its_end_first(instructions: list[Any], expected: str) -> None:
    c = controller(lock("L", *instructions)).add_order("O", "W")
    before = len(story(c))
    c.cancel("O")
    assert c.order("O").mark == "cancel" and c.order("O").state == "Processing" and holders(c) == "O"
    assert story(c.advance(SECOND))[before:] == expected.split("|") and free(c, "L")


def test_j231_a_child_does_not_release_its_parents_locks() -> None:
    c = controller(lock("L", fork(a=[lock("M", P)], b=[P])), locks="L M").add_order("O", "W").cancel("O|a")
    assert story(c, "O|a")[-3:] == ["StateReset", "Rel(M)", "Cancelled"] and holders(c) == "O"
    assert story(c.answer("O|b"))[-2:] == ["Rel(L)", "Failed [0]"]


def test_j238_several_orders_in_one_command() -> None:
    c = controller(lock("L", P)).add_order("A", "W").add_order("B", "W", priority=5).add_order("C", "W")
    c.cancel("A", "B")
    assert story(c, "B")[-2:] == ["StateReset", "Cancelled"] and holders(c) == "C"


# --- suspend and resume ----------------------------------------------------------------------------------------------


def test_j232_a_waiting_order_is_suspended_with_its_lock_once_it_is_granted() -> None:
    c = controller(lock("L", P)).add_order("A", "W").add_order("B", "W").suspend("B")
    assert story(c, "B")[-1] == "SuspensionMarked" and not c.order("B").suspended and c.lock("L")["queue"] == ["B"]
    c.answer("A")
    assert story(c, "B")[-2:] == ["Acq(L)", "Suspended"] and holders(c) == "B"
    assert state(c, "B") == 'Ready [0,"lock",0]' and c.order("B").suspended and c.order("B").seen == "SUSPENDED"
    assert story(c.resume("B"), "B")[-2:] == ["Resumed", "Prompted"] and not c.order("B").suspended


@pytest.mark.parametrize("inner", [P, sleep(3), attempt(fail(), catch=[retry], retryDelays=[3], maxTries=2)])
def test_j232_a_holder_is_suspended_where_it_stands(inner: Any) -> None:
    c = controller(lock("L", inner)).add_order("O", "W")
    before = state(c)
    assert story(c.suspend("O"))[-1] == "Suspended"
    assert state(c) == before and c.order("O").suspended and holders(c) == "O"
    c.advance(9 * SECOND)
    assert c.order("O").suspended and holders(c) == "O", "time goes on, the order does not"
    c.resume("O")
    if inner is P:
        c.answer("O")
    assert free(c, "L") and not c.order("O").suspended


def test_j232_a_suspended_question_is_answered() -> None:
    c = controller(lock("L", P)).add_order("O", "W").suspend("O").answer("O")
    assert story(c)[-2:] == ["PromptAnswered", 'Moved [0,"lock",1]'] and c.order("O").suspended and holders(c) == "O"
    assert story(c.resume("O"))[-2:] == ["Rel(L)", "Finished"]


def test_j232_a_running_order_is_suspended_afterwards() -> None:
    c = controller(lock("L", ok, ok)).add_order("O", "W").suspend("O")
    assert story(c)[-1] == "SuspensionMarked"
    c.advance(9 * SECOND)
    assert story(c)[-2:] == ['Moved [0,"lock",1]', "Suspended"] and holders(c) == "O"
    c = controller(fork(a=[P])).add_order("O", "W").suspend("O").answer("O|a")
    assert story(c)[-3:] == ["Joined Succeeded", "Moved [1]", "Suspended"]
    c = controller(lock("L", bad)).add_order("O", "W").suspend("O").advance(SECOND)
    assert story(c)[-1] == "Failed [0]" and c.order("O").mark == "", "a failure takes the mark back"


def test_j234_a_mark_is_taken_back() -> None:
    c = controller(lock("L", P)).add_order("A", "W").add_order("B", "W").suspend("B").resume("B")
    assert story(c, "B")[-1] == "ResumptionMarked"
    assert story(c.answer("A"), "B")[-2:] == ["Acq(L)", "Prompted"]


@pytest.mark.parametrize(
    ("inner", "again"),
    [(P, ["Prompted"]), (sleep(3), ["Sleeping"]),
     (attempt(fail(), catch=[retry], retryDelays=[3]), ["Retrying"])],
    ids=["prompt", "sleep", "delay"],
)  # fmt: skip
def test_j233_with_the_state_reset_it_is_done_anew(inner: Any, again: list[str]) -> None:
    c = controller(lock("L", inner)).add_order("O", "W").advance(2 * SECOND).suspend("O", reset_state=True)
    assert story(c)[-2:] == ["StateReset", "Suspended"] and c.order("O").state == "Ready" and holders(c) == "O"
    c.advance(9 * SECOND).resume("O")
    assert story(c)[-2:] == ["Resumed", *again]
    if inner is not P:
        assert c.advance(3 * SECOND - MS).order("O").state in ("Sleeping", "DelayingRetry"), "the whole time once more"


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ([0, "lock", 1], ["Resumed", "Rel(L)"]),
        ([0, "lock", 0], ["Resumed", "OutcomeAdded Failed"]),
        ([0], "cannot be reached from"),
        ([1], "cannot be reached from"),
        ([0, "lock", 7], "there is no position"),
        ([0, "then", 0], "there is no position"),
        ([0, "lock"], "there is no position"),
        ([], "there is no position"),
        ("0", "expected a position such as"),
        ([0, "lock", 1.0], "there is no position"),
        ([True, "lock", 1], "there is no position"),
    ],
)
def test_j234_positions_that_a_stopped_order_may_reach(position: Any, expected: Any) -> None:
    """It stands at the Fail in `opt+{ lock(L){fail}; ok }`; positions are those inside of the Options."""
    c = controller(opt(True, lock("L", fail()), ok)).add_order("O", "W")
    full = [0, "options", *position] if isinstance(position, list) and position else position
    before = len(story(c))
    if isinstance(expected, str):
        with pytest.raises(InputError, match=expected):
            c.resume("O", position=full)
        assert len(story(c)) == before
    else:
        assert story(c.resume("O", position=full))[before : before + 2] == expected


def test_j234_in_and_out_of_a_fork() -> None:
    c = controller(workflow("W", fork(a=[fail(), P]), P)).add_order("O", "W")
    for position in ([0], [1], [0, "fork+a", 9]):
        with pytest.raises(InputError):
            c.resume("O|a", position=position)
    assert state(c.resume("O|a", position=[0, "fork+a", 1]), "O|a") == 'Prompting [0,"fork+a",1]'


def test_j236_history_operations() -> None:
    good, x = {"TYPE": "Succeeded"}, {"TYPE": "Succeeded", "namedValues": {"x": 1}}

    def made() -> Controller:
        return controller(workflow("W", ok, opt(True, when("$x == 1", P)))).add_order("O", "W").advance(SECOND)

    at = [1]
    assert state(made()) == "Stopped [1]"
    for operations in (
        [{"TYPE": "Append", "position": at, "outcome": x}],
        [{"TYPE": "Append", "outcome": x}],
        [{"TYPE": "Replace", "position": at, "outcome": x}],
        [{"TYPE": "Replace", "position": [0], "outcome": x}, {"TYPE": "Delete", "position": at}],
        [{"TYPE": "Insert", "position": at, "newPosition": [0], "outcome": x}],
    ):
        c = made().resume("O", history_operations=operations)
        assert state(c) == 'Prompting [1,"options",0,"then",0]', operations
        assert next(e for e in c.events("O") if e.name == "OrderResumed").data["historyOperations"][0]["TYPE"]
    for wrong, expected in (
        ([{"TYPE": "Apend", "outcome": good}], "expected a history operation with a TYPE of"),
        ([{"TYPE": "Append", "outcome": {"TYPE": "Caught"}}], "expected an outcome such as"),
        ([{"TYPE": "Append"}], "expected the fields"),
        ([{"TYPE": "Delete", "position": [0, "then", 0]}], "there is no position"),
        ([{"TYPE": "Delete", "position": [1, "options", 1]}], "has no outcome at"),
        ([{"TYPE": "Append", "outcome": {"TYPE": "Succeeded", "named": 1}}], "unknown field 'named'"),
        ([{"TYPE": "Append", "outcome": {"TYPE": "Succeeded", "namedValues": {"x": object()}}}], "is a object"),
        ({"TYPE": "Append"}, "expected a list of history operations"),
        ([3], "expected a history operation"),
    ):
        with pytest.raises(InputError, match=expected):
            made().resume("O", history_operations=wrong)  # type: ignore[arg-type]


def test_j236_a_resume_forgets_what_came_after_its_position() -> None:
    c = controller(workflow("W", ok, bad, P)).add_order("O", "W").advance(2 * SECOND)
    assert state(c) == "Failed [1]"
    c.resume("O", position=[0], as_succeeded=False)
    assert state(c) == "Processing [0]" and c.order("O").outcome == {"TYPE": "Succeeded"}
    c = controller(workflow("W", ok, bad, P)).add_order("O", "W").advance(2 * SECOND).resume("O", position=[2])
    assert state(c) == "Prompting [2]" and c.order("O").outcome == {"TYPE": "Succeeded"}
    c = controller(workflow("W", ok, P)).add_order("O", "W").advance(SECOND).suspend("O").resume("O")
    assert c.order("O").outcome == {"TYPE": "Succeeded", "namedValues": {"returnCode": 0}}, "nothing to make up for"


def test_j315_a_suspended_child_is_not_joined() -> None:
    c = controller(fork(a=[ok], b=[P])).add_order("O", "W").suspend("O|a").advance(SECOND).answer("O|b")
    assert state(c, "O|a") == 'Ready [0,"fork+a",1]' and c.order("O").state == "Forked"
    assert c.resume("O|a").order("O").state == "Finished"


# --- what a state refuses --------------------------------------------------------------------------------------------

_WORLD = items(
    workflow("W", P), workflow("F", lock("L:9")), workflow("B", bad), workflow("J", ok),
    workflow("S", opt(True, fail())), workflow("K", fork(True, a=[fail()], b=[P])), locks="L/3",
)  # fmt: skip


def _world() -> Controller:
    """One order in each state that lasts, by the name of its workflow; `C` is cancelled, `D` finished."""
    jobs = {"bad": Job(duration=timedelta(0), outcomes=("failed",)), "ok": Job(duration=9 * SECOND)}
    c = Controller(_WORLD, jobs=jobs)
    for id in "WFBJSK":
        c.add_order(id, id)
    return c.add_order("C", "W").cancel("C").add_order("D", "W").answer("D").add_order("M", "J").cancel("M")


@pytest.mark.parametrize(
    ("command", "ids", "expected"),
    [
        ("answer", "FBJSKCDM", "cannot be answered: it is {state}.*only an order that is Prompting"),
        ("cancel", "CD", "cannot be cancelled: it is {state}.*it has ended already"),
        ("cancel", ["M"], "cannot be cancelled again: it is Processing.*once its job or its children have ended"),
        ("cancel", ["K|a"], "cannot be cancelled: it is FailedInFork.*its parent 'K' joins it"),
        ("suspend", "FBSCD", "cannot be suspended: it is {state}.*it does not go on by itself anyway"),
        ("suspend", ["M"], "cannot be suspended: it is Processing.*it is to be cancelled"),
        ("resume", "WJKCD", "cannot be resumed: it is {state}.*only one that is suspended, failed or stopped can be"),
        ("resume", "F", "cannot be resumed: it is FailedWhileFresh.*cancel it, and add it anew"),
        ("resume", ["K|a"], "cannot be resumed: it is FailedInFork.*its parent goes on instead"),
        ("resume", ["M"], "cannot be resumed: it is Processing.*it is to be cancelled"),
        ("change_priority", "CD", "cannot be given another priority: it is {state}.*it has ended"),
    ],
)
def test_j238_a_command_that_a_state_refuses(command: str, ids: Any, expected: str) -> None:
    c = _world()
    before = c.events()
    for id in ids:
        found = c.order(id)
        arguments = (id, 3) if command == "change_priority" else (id,)
        with pytest.raises(InputError, match=expected.format(state=found.state)) as caught:
            getattr(c, command)(*arguments)
        assert f"order '{id}'" in str(caught.value) and f"of workflow '{found.workflow}'" in str(caught.value)
    assert c.events() == before


@pytest.mark.parametrize(
    ("do", "expected"),
    [
        (lambda c: c.answer("V"), "there is no order 'V'; did you mean|there is no order 'V'; expected one of"),
        (lambda c: c.answer(None), "there is no order None"),
        (lambda c: c.cancel(), "expected the id of an order, got none"),
        (lambda c: c.cancel("W", "nobody"), "there is no order 'nobody'"),
        (lambda c: c.order("nobody"), "there is no order 'nobody'"),
        (lambda c: c.events("nobody"), "there is no order 'nobody'"),
        (lambda c: c.lock("l"), "unknown lock 'l'; did you mean 'L'"),
        (lambda c: c.add_order("W", "W"), "there is an order 'W' already"),
        (lambda c: c.add_order("X|y", "W"), "joins the ids of forked orders"),
        (lambda c: c.add_order("X", "w"), "unknown workflow 'w'; did you mean 'W'"),
        (lambda c: c.add_order("X", "W", priority="high"), "as priority, got 'high'"),
        (lambda c: c.add_order("X", "W", delete_when_terminated="yes"), "expected True or False"),
        (lambda c: c.change_priority("W", 2**31), "as priority, got 2147483648"),
        (lambda c: c.advance(3), "expected a timedelta"),
        (lambda c: c.advance(-SECOND), "expected a timedelta of 0 or more"),
        (lambda c: c.suspend("W").suspend("W"), "cannot be suspended again: it is Prompting, suspended"),
        (lambda c: c.suspend("J").suspend("J"), "cannot be suspended again: .*as soon as it is Ready"),
        (lambda c: c.suspend("J").resume("J", position=[0]), "cannot be resumed elsewhere: .*not suspended yet"),
        (lambda c: c.suspend("W").resume("W", position=[1]), "cannot be resumed elsewhere: .*reset_state=True"),
    ],
)
def test_bad_input(do: Any, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        do(_world())


def test_a_refusal_leaves_the_state_as_it_was() -> None:
    c = _world()
    before, orders = c.events(), c.orders
    for do in (lambda: c.cancel("W", "C"), lambda: c.add_order("X", "V"), lambda: c.resume("S", position=[7])):
        with pytest.raises(InputError):
            do()
    assert c.events() == before and c.orders == orders
    assert c.add_order("X", "W").order("X").state == "Prompting"


def test_what_goes_wrong_on_the_way_is_taken_back_with_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft, "MOST_STEPS", 100)
    made = workflow("W", sleep(2), attempt(fail(), catch=[retry])), workflow("J", ok, ok)
    c = controller(*made).add_order("O", "W").add_order("Q", "J")
    before = c.events()
    with pytest.raises(InputError, match="goes round without end"):
        c.advance(9 * SECOND)
    assert c.events() == before and c.now == timedelta(0)
    assert state(c.advance(SECOND), "Q") == "Processing [1]" and c.order("O").state == "Sleeping"


def test_items_are_refused_before_anything_runs() -> None:
    with pytest.raises(WorkflowFileError, match=r"unknown lock 'M' \(MissingReferencedItem\); did you mean 'm'"):
        Controller(items(lock("M"), locks="m"))


# --- looking ---------------------------------------------------------------------------------------------------------


def test_an_order_that_is_gone_is_shown_as_it_was_last() -> None:
    c = controller(workflow("W", fork(a=[P])), workflow("V", P))
    c.add_order("O", "W", {"n": 1}, 7).answer("O|a")
    assert state(c, "O|a") == 'Ready [0,"fork+a",1]' and c.order("O|a").priority == 7
    c.add_order("D", "V", delete_when_terminated=True).answer("D")
    assert c.order("D").state == "Deleted" and "D" not in [order.id for order in c.orders]
    assert c.add_order("D", "V").order("D").state == "Prompting", "its id may be used again"


def test_positions_are_json() -> None:
    c = controller(lock("L", P)).add_order("O", "W")
    at = c.order("O").position
    assert at == [0, "lock", 0] == list(at) and at == (0, "lock", 0) and at != [0] and hash(at) == hash((0, "lock", 0))
    assert repr(at) == '[0, "lock", 0]' and c.order("O").seen == "PROMPTING"


def test_time_stands_still_until_it_is_moved() -> None:
    jobs = {"ok": Job(duration=2 * SECOND), "bad": Job(duration=timedelta(0))}
    c = controller(workflow("W", bad, ok, sleep(0.5), ok), jobs=jobs).add_order("O", "W")
    assert state(c) == "Processing [1]" and c.now == timedelta(0), "what takes no time is done at once"
    assert state(c.advance(2 * SECOND)) == "Sleeping [2]"
    assert state(c.advance(SECOND / 2)) == "Processing [3]"
    assert state(c.advance(SECOND)) == "Processing [3]" and c.now == timedelta(seconds=3.5)
    assert [turn.time for turn in c.run.trace.turns] == [0.0, 0.0, 2.0, 2.5]
    assert c.advance(9 * SECOND).order("O").state == "Finished"


def test_equal_times_in_the_order_in_which_they_were_set() -> None:
    c = controller(lock("L:1", ok), locks="L/9")
    for id in "CAB":
        c.add_order(id, "W")
    c.advance(SECOND)
    ended = [event.order for event in c.events() if event.name == "OrderFinished"]
    assert ended == ["C", "A", "B"]


def test_a_run_tells_who_held_and_who_waited() -> None:
    c = controller(workflow("W", lock("L:2 M", ok)), workflow("V", lock("L", P)), locks="L/3 M")
    c.add_order("A", "W").add_order("B", "V").advance(SECOND).add_order("C", "W").cancel("C").answer("B")
    c.add_order("D", "W")
    rows = [one._replace(start_turn=0, end_turn=0) for one in holdings(c.run.trace, "L")]
    assert [(r.order, r.what, r.weight, r.start, r.end, r.outcome) for r in rows] == [
        ("A", "held", 2, 0.0, 1.0, "released"),
        ("B", "waited", None, 0.0, 1.0, "granted"),
        ("B", "held", None, 1.0, 1.0, "released"),
        ("C", "waited", 2, 1.0, 1.0, "given up"),
        ("D", "held", 2, 1.0, None, "open"),
    ]
    everything = holdings(c.run.trace)
    assert {(one.lock, one.order) for one in everything if one.outcome == "open"} == {("L", "D"), ("M", "D")}
    assert all(one.start_turn <= one.end_turn <= len(c.run.trace.turns) + 1 for one in everything)


def test_a_run_is_data_and_stays_as_it_was() -> None:
    c = controller(lock("L", P)).add_order("O", "W")
    run = c.run
    kept = copy.deepcopy(run.trace.final)
    c.answer("O")
    assert run.trace.final == kept and run.trace.final["status"] == "RUNNING"
    assert c.run.trace.final["status"] == "FINISHED" and c.run.trace.input.plain == [{"id": "O", "workflowPath": "W"}]
    assert repr(c) == "<Controller: 1 orders, 2 turns, 0:00:00 on its clock>"
