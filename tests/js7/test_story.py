"""Every event has a sentence in both languages, and names are shown as data."""

from __future__ import annotations

from typing import Any

import pytest

from dexpatterns.engine.values import freeze
from dexpatterns.errors import InputError
from dexpatterns.js7 import events as ev
from dexpatterns.js7 import outcomes
from dexpatterns.js7.story import LANGUAGES, sentence, tell
from tests.js7.notation import SECOND, P, controller, fork, lock, ok

SAMPLES: list[tuple[Any, str, str]] = [
    (ev.ControllerReady("", ("A", "B")), "2 orders may come", "有 2 个订单会到来"),
    (ev.OrderAdded("O", "W", None, None, None), "comes to W", "到达 W"),
    (ev.OrderAdded("O", "W", None, 7, True), "comes to W with priority 7", "到达 W，优先级 7"),
    (ev.OrderStarted("O"), "starts", "开始"),
    (ev.OrderMoved("O", (0, "lock", 1)), 'goes on to [0, "lock", 1]', '前进到 [0, "lock", 1]'),
    (ev.OrderLocksQueued("O", (("A", 2),)), "waits for 2 of A", "等待 A 的 2"),
    (ev.OrderLocksAcquired("O", (("A", 2), ("B", None))), "takes 2 of A and all of B", "取得 A 的 2 和 B 的全部"),
    (ev.OrderLocksReleased("O", ("A", "B")), "gives A and B back", "归还 A 和 B"),
    (ev.OrderProcessingStarted("O", "load", 1), "runs load", "运行 load"),
    (ev.OrderProcessingStarted("O", "", 3), "runs a job, attempt 3", "运行一个作业，第 3 次"),
    (ev.OrderProcessed("O", outcomes.JOB_FAILED), "its job ends: failed", "作业结束：失败"),
    (ev.OrderOutcomeAdded("O", outcomes.disrupted("why")), "cannot go on: why", "无法继续：why"),
    (ev.OrderCaught("O", (0, "catch+0", 0)), 'is caught at [0, "catch+0", 0]', '在 [0, "catch+0", 0] 被捕获'),
    (ev.OrderRetrying("O", None, 0.0), "tries again", "重试"),
    (ev.OrderRetrying("O", 1500, 1.5), "tries again in 1.5 s", "1.5 秒后重试"),
    (ev.OrderAwoke("O"), "its delay is over", "延迟结束"),
    (ev.OrderSleeping("O", 2000, 2.0), "sleeps for 2 s", "睡眠 2 秒"),
    (ev.OrderPrompted("O", freeze("really?")), 'asks "really?"', '提问 "really?"'),
    (ev.OrderPromptAnswered("O"), "is answered", "得到回答"),
    (ev.OrderForked("O", (("fork+a", "O|a"), ("fork+b", "O|b"))), "forks O|a and O|b", "分叉出 O|a 和 O|b"),
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
