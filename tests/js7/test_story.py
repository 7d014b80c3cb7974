"""Every event has a sentence in both languages, and names are shown as data."""

from __future__ import annotations

from typing import Any

import pytest

from dexpatterns import catalog, js7
from dexpatterns.engine.telling import Change
from dexpatterns.engine.texts import LANGUAGES
from dexpatterns.engine.values import freeze
from dexpatterns.errors import InputError
from dexpatterns.js7 import events as ev
from dexpatterns.js7 import outcomes
from dexpatterns.js7.story import sentence, sentences, tell
from tests.js7.notation import SECOND, P, attempt, bad, controller, fail, fork, items, lock, ok, opt, retry, workflow

SAMPLES: list[tuple[Any, str, str]] = [
    (ev.ControllerReady("", ("A", "B")), "2 orders may come", "有 2 个订单会到来"),
    (ev.OrderAdded("O", "W", None, None, None), "comes to W", "到达 W"),
    (ev.OrderAdded("O", "W", None, 7, True), "comes to W with priority 7", "到达 W，优先级 7"),
    (ev.OrderStarted("O"), "starts", "开始"),
    (ev.OrderMoved("O", (0, "lock", 1)), 'goes on to [0, "lock", 1]', '前进到 [0, "lock", 1]'),
    (ev.OrderLocksQueued("O", (("A", 2),)), "waits for 2 of A", "等待 A 的 2"),
    (ev.OrderLocksAcquired("O", (("A", 2), ("B", None))), "takes 2 of A and all of B", "取得 A 的 2、B 的全部"),
    (ev.OrderLocksReleased("O", ("A", "B")), "gives A and B back", "归还 A、B"),
    (ev.OrderProcessingStarted("O", "load", 1), "runs load", "运行 load"),
    (ev.OrderProcessingStarted("O", "", 3), "runs a job, attempt 3", "运行一个作业，第 3 次"),
    (ev.OrderProcessed("O", outcomes.JOB_FAILED), "its job ends: failed", "作业结束：失败"),
    (ev.OrderOutcomeAdded("O", outcomes.disrupted("why")), "cannot go on: why", "无法继续：why"),
    (ev.OrderCaught("O", (0, "catch+0", 0)), 'is caught at [0, "catch+0", 0]', '在 [0, "catch+0", 0] 被捕获'),
    (ev.OrderRetrying("O", None, 0.0), "tries again", "重试"),
    (ev.OrderRetrying("O", 1500, 1.5), "tries again in 1.5 s", "1.5 秒后重试"),
    (ev.OrderAwoke("O"), "its delay is over", "停顿结束"),
    (ev.OrderSleeping("O", 2000, 2.0), "sleeps for 2 s", "睡眠 2 秒"),
    (ev.OrderPrompted("O", freeze("really?")), 'asks "really?"', '提问 "really?"'),
    (ev.OrderPromptAnswered("O"), "is answered", "得到回答"),
    (ev.OrderForked("O", (("fork+a", "O|a"), ("fork+b", "O|b"))), "forks O|a and O|b", "分叉出 O|a、O|b"),
    (ev.OrderJoined("O", outcomes.SUCCEEDED), "its children are joined: succeeded", "子订单汇合：成功"),
    (ev.OrderFailed("O", (0,)), "fails, at [0]", "失败，位于 [0]"),
    (ev.OrderFailedInFork("O", (0,)), "fails in its fork, at [0]", "在分叉中失败，位于 [0]"),
    (ev.OrderStopped("O"), "is stopped where it stands, with its locks", "停在原处，保留它的锁"),
    (ev.OrderStateReset("O"), "waits no longer", "不再等待"),
    (ev.OrderSuspensionMarked("O", True), "is to be suspended", "将被挂起"),
    (ev.OrderSuspended("O"), "is suspended", "被挂起"),
    (ev.OrderResumptionMarked("O", None, None, True), "is not to be suspended after all", "不再挂起"),
    (ev.OrderResumed("O", None, None, True), "is resumed", "被恢复"),
    (ev.OrderResumed("O", (1,), None, True), "is resumed at [1]", "被恢复，位于 [1]"),
    (ev.OrderCancellationMarked("O", freeze({})), "is to be cancelled", "将被取消"),
    (ev.OrderCancelled("O"), "is cancelled", "被取消"),
    (ev.OrderPriorityChanged("O", -5), "has priority -5 now", "优先级变为 -5"),
    (ev.OrderBroken("O"), "is broken", "已损坏"),
    (ev.OrderFinished("O", None), "finishes", "完成"),
    (ev.OrderDeleted("O"), "is gone", "已删除"),
]


def test_every_event_has_a_sample() -> None:
    assert {event.kind for event, _, _ in SAMPLES} == set(ev.EVENTS)


@pytest.mark.parametrize(("event", "english", "chinese"), SAMPLES, ids=lambda value: getattr(value, "kind", ""))
def test_a_sentence_for_every_event(event: Any, english: str, chinese: str) -> None:
    assert [sentence(event, lang) for lang in LANGUAGES] == [english, chinese]


def test_a_run_in_turns() -> None:
    c = controller(lock("L:1", fork(a=[P], b=[ok])), locks="L/2").add_order("O", "W").advance(SECOND).answer("O|a")
    assert tell(c.run.trace.turns) == [
        "1. O: comes to W; takes 1 of L; forks O|a and O|b",
        '1. O|a: asks "go on?"',
        "1. O|b: runs ok",
        "2. O|b: its job ends: succeeded",
        "3. O|a: is answered",
        "3. O: its children are joined: succeeded; gives L back; finishes",
    ]


def test_names_are_data() -> None:
    said = sentence(ev.OrderLocksAcquired("O", (("\x1b[31mA\u202e{n}", 1),)))
    assert said == r"takes 1 of \x1b[31mA\u202e{n}"
    with pytest.raises(InputError, match="expected 'en' or 'zh', got 'fr'"):
        sentence(ev.OrderStarted("O"), "fr")


def test_events_are_equal_by_kind_and_fields() -> None:
    assert ev.OrderStarted("O") == ev.OrderStarted("O") != ev.OrderSuspended("O")
    assert len({ev.OrderStarted("O"), ev.OrderStarted("O"), ev.OrderSuspended("O"), ev.OrderStarted("P")}) == 3


def test_j114_data_of_events() -> None:
    """JSON names, and no field for what is not there."""
    for event, expected in (
        (ev.OrderLocksQueued("O", (("A", None), ("B", 2))),
         {"demands": [{"lockPath": "A"}, {"lockPath": "B", "count": 2}]}),
        (ev.OrderLocksReleased("O", ("A",)), {"lockPaths": ["A"]}),
        (ev.OrderFailed("O", (0, "try+1", 0)), {"movedTo": [0, "try+1", 0]}),
        (ev.OrderMoved("O", (1,)), {"to": [1]}),
        (ev.OrderRetrying("O", None, 0.0), {}),
        (ev.OrderRetrying("O", 5000, 5.0), {"delayedUntil": 5000}),
        (ev.OrderStateReset("O"), {}),
        (ev.OrderForked("O", (("fork+a", "O|a"),)), {"children": [{"branchId": "a", "orderId": "O|a"}]}),
        (ev.OrderForked("O", (("fork", "O|a"),)), {"children": [{"orderId": "O|a"}]}),
        (ev.OrderOutcomeAdded("O", outcomes.failed("m", {"x": 1}, True)),
         {"outcome": {"TYPE": "Failed", "message": "m", "namedValues": {"x": 1}, "uncatchable": True}}),
        (ev.OrderOutcomeAdded("O", outcomes.disrupted("p")),
         {"outcome": {"TYPE": "Disrupted", "reason": {"TYPE": "Other", "problem": {"message": "p"}}}}),
        (ev.OrderPriorityChanged("O", 0), {"priority": 0}),
        (ev.OrderSuspensionMarked("O", False), {"mode": {}}),
        (ev.OrderSuspensionMarked("O", True), {"mode": {"resetState": True}}),
        (ev.OrderResumed("O", None, None, False), {"asSucceeded": False}),
        (ev.OrderResumed("O", (1,), freeze([]), True), {"position": [1], "historyOperations": [], "asSucceeded": True}),
        (ev.OrderFinished("O", None), {}),
    ):  # fmt: skip
        assert event.data == expected and event.name == event.kind and event.order == "O"


# Turn by turn.


def three(lang: str = "en") -> Any:
    """A holds two of three, B waits for two, C comes with one and overtakes it."""
    orders = {"A": 2, "B": 2, "C": 1}
    workflows = [workflow(name, lock(f"L:{weight}", ok)) for name, weight in orders.items()]
    hand = controller(*workflows, locks="L/3")
    for name in orders:
        hand.add_order(name, name)
    return sentences(hand.advance(SECOND).run.trace, lang)


def test_a_turn_says_who_does_what_and_what_changed() -> None:
    first, second, third, *_ = three()
    assert (first.turn, first.lane, first.branch, first.step, first.verb) == (1, 1, "A", "ok", "comes")
    assert first.sentence == "A: comes to A; takes 2 of L; runs ok."
    assert first.changes == (Change("L", "free", "A ×2"),)
    assert (second.lane, second.sentence) == (2, "B: comes to B; waits for 2 of L.")
    assert str(second) == "B: comes to B; waits for 2 of L. queue of L empty → B"
    assert second.note == "L is held by A."
    assert third.note == "B came before C and still waits for L: whoever fits goes first."


def test_what_a_release_brings_to_others_is_told_in_the_same_turn() -> None:
    last = next(turn for turn in three() if turn.branch == "A" and turn.turn > 1)
    assert last.sentence == "A: its job ok succeeds; gives L back; finishes. B takes 2 of L; runs ok."
    assert last.verb == "its job succeeds"
    assert last.changes == (Change("L", "A ×2, C ×1", "B ×2, C ×1"), Change("queue of L", "B", "empty"))


def test_in_chinese_with_full_width_punctuation() -> None:
    first, second, third, *_ = three("zh")
    assert first.sentence == "A：到达 A；取得 L 的 2；运行 ok。"
    assert str(second) == "B：到达 B；等待 L 的 2。L 的队列 空 → B"
    assert third.note == "B 比 C 先到，却仍在等待 L：能满足的先得到。"


def test_a_note_says_who_keeps_a_lock_and_why() -> None:
    stopped = controller(opt(True, lock("L", bad))).add_order("O", "W").advance(SECOND).run.trace
    assert sentences(stopped)[-1].note == "O keeps L until a person resumes or cancels what failed."
    child = controller(lock("L", fork(a=[fail("m")]))).add_order("O", "W").run.trace
    assert sentences(child)[-1].note == "O keeps L until a person resumes or cancels what failed."
    delayed = controller(lock("L", attempt(bad, catch=[retry], retryDelays=[5]))).add_order("O", "W")
    assert sentences(delayed.advance(SECOND).run.trace)[-1].note == "O keeps L during the delay."


def test_the_turn_in_which_nothing_goes_on_any_more_says_so() -> None:
    pattern = catalog.load("nested-locks-opposite-order")
    told = sentences(js7.simulate(pattern.items, pattern.orders, jobs=pattern.jobs, seed=1).trace)
    assert [turn.note.startswith("Nothing can go on by itself any more") for turn in told] == [False] * 3 + [True]


def test_named_values_of_outcomes_are_changes_but_for_return_codes() -> None:
    block = attempt(fail("m", namedValues={"x": 1}), catch=[ok])
    (first, second) = sentences(controller(block).add_order("O", "W").advance(SECOND).run.trace)
    assert first.changes == (Change("O $x", "None", "1"),)
    assert second.changes == ()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_turn_of_every_folder_is_told(lang: str) -> None:
    for pattern in (one for one in catalog.patterns() if one.form == "js7"):
        trace = js7.simulate(pattern.items, pattern.orders, jobs=pattern.jobs, turns=60).trace
        told = sentences(trace, lang)
        assert [turn.turn for turn in told] == [turn.number for turn in trace.turns]
        assert all(turn.lane and turn.verb and turn.sentence.startswith(turn.branch) for turn in told)
        assert all(change.old != change.new for turn in told for change in turn.changes)


def test_commands_and_values_are_data_too() -> None:
    name = "\x1b[31mA\u202e{n}"
    hand = controller(lock("L", P)).add_order(name, "W").add_order("B", "W").cancel("B").change_priority(name, 3)
    told = sentences(hand.run.trace)
    assert "\x1b" not in "".join(map(str, told)) and "\u202e" not in "".join(map(str, told))
    assert [turn.verb for turn in told] == ["comes", "comes", "is cancelled", "has another priority"]
    long = js7.simulate(items(fail("m", namedValues={"x": "y" * 10_000})), [js7.Order("O", "W")]).trace
    assert sentences(long)[-1].changes[0].new == '"' + "y" * 39 + "… (10,002 characters)"
    with pytest.raises(InputError, match="expected 'en' or 'zh', got 'fr'"):
        sentences(long, "fr")
