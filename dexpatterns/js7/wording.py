"""What happened, in words, in English or Simplified Chinese: a sentence per event.

Names of orders, workflows and locks are data: what would act in a terminal is written as an escape. This module
decides nothing and knows no machine and no run.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from dexpatterns.engine.texts import LANGUAGES, check_lang, visible
from dexpatterns.engine.values import Data
from dexpatterns.js7 import outcomes

__all__ = ["number_of", "sentence"]


_SAY: dict[str, tuple[str, str]] = {
    "ControllerReady": ("{n} orders may come", "有 {n} 个订单会到来"),
    "OrderAdded": ("comes to {workflow}{priority}", "到达 {workflow}{priority}"),
    "OrderStarted": ("starts", "开始"),
    "OrderMoved": ("goes on to {to}", "前进到 {to}"),
    "OrderLocksQueued": ("waits for {demands}", "等待 {demands}"),
    "OrderLocksAcquired": ("takes {demands}", "取得 {demands}"),
    "OrderLocksReleased": ("gives {locks} back", "归还 {locks}"),
    "OrderProcessingStarted": ("runs {job}{nth}", "运行 {job}{nth}"),
    "OrderProcessingStarted:unnamed": ("runs a job{nth}", "运行一个作业{nth}"),
    "OrderProcessed": ("its job ends: {outcome}", "作业结束：{outcome}"),
    "OrderOutcomeAdded": ("{outcome}", "{outcome}"),
    "OrderCaught": ("is caught at {to}", "在 {to} 被捕获"),
    "OrderRetrying": ("tries again", "重试"),
    "OrderRetrying:later": ("tries again in {seconds}", "{seconds}后重试"),
    "OrderAwoke": ("its delay is over", "停顿结束"),
    "OrderSleeping": ("sleeps for {seconds}", "睡眠 {seconds}"),
    "OrderPrompted": ("asks {question}", "提问 {question}"),
    "OrderPromptAnswered": ("is answered", "得到回答"),
    "OrderForked": ("forks {children}", "分叉出 {children}"),
    "OrderJoined": ("its children are joined: {outcome}", "子订单汇合：{outcome}"),
    "OrderFailed": ("fails, at {to}", "失败，位于 {to}"),
    "OrderFailedInFork": ("fails in its fork, at {to}", "在分叉中失败，位于 {to}"),
    "OrderStopped": ("is stopped where it stands, with its locks", "停在原处，保留它的锁"),
    "OrderStateReset": ("waits no longer", "不再等待"),
    "OrderSuspensionMarked": ("is to be suspended", "将被挂起"),
    "OrderSuspended": ("is suspended", "被挂起"),
    "OrderResumptionMarked": ("is not to be suspended after all", "不再挂起"),
    "OrderResumed": ("is resumed{at}", "被恢复{at}"),
    "OrderCancellationMarked": ("is to be cancelled", "将被取消"),
    "OrderCancelled": ("is cancelled", "被取消"),
    "OrderPriorityChanged": ("has priority {priority} now", "优先级变为 {priority}"),
    "OrderBroken": ("is broken", "已损坏"),
    "OrderFinished": ("finishes", "完成"),
    "OrderDeleted": ("is gone", "已删除"),
}

_PARTS = {
    "all": ("all of {lock}", "{lock} 的全部"),
    "weight": ("{weight} of {lock}", "{lock} 的 {weight}"),
    "and": (" and ", "、"),
    "priority": (" with priority {n}", "，优先级 {n}"),
    "nth": (", attempt {n}", "，第 {n} 次"),
    "at": (" at {to}", "，位于 {to}"),
    "seconds": ("{n:g} s", "{n:g} 秒"),
    "Succeeded": ("succeeded", "成功"),
    "Failed": ("failed", "失败"),
    "Disrupted": ("cannot go on", "无法继续"),
    "Caught": ("caught", "已捕获"),
    "reason": ("{kind}: {reason}", "{kind}：{reason}"),
}


def sentence(event: Any, lang: str = "en") -> str:
    """One event in words, without the name of its order.

    >>> from dexpatterns.js7 import events
    >>> sentence(events.OrderLocksAcquired("O", (("A", None), ("B", 2))))
    'takes all of A and 2 of B'
    """
    n = number_of(lang)
    kind = event.kind
    if kind == "OrderRetrying" and event.seconds:
        kind = "OrderRetrying:later"
    elif kind == "OrderProcessingStarted" and not event.job:
        kind = "OrderProcessingStarted:unnamed"
    return _SAY[kind][n].format_map(_Fields(event, n))


def number_of(lang: str) -> int:
    """The place of a language in every pair of texts; raises `InputError` for one that is not known."""
    return LANGUAGES.index(check_lang(lang))


class _Fields(dict[str, str]):
    """The parts of a sentence, each made when it is asked for."""

    def __init__(self, event: Any, n: int) -> None:
        super().__init__()
        self.event = event
        self.n = n

    def __missing__(self, name: str) -> str:
        return _FIELDS[name](self.event, self.n)


def _demands(event: Any, n: int) -> str:
    told = [
        _PARTS["all" if weight is None else "weight"][n].format(lock=visible(lock), weight=weight)
        for lock, weight in event.demands
    ]
    return _PARTS["and"][n].join(told)


def _outcome(event: Any, n: int) -> str:
    found: Data = event.outcome
    kind = str(found.plain["TYPE"])
    said = outcomes.show(found)
    word = _PARTS[kind][n]
    return word if said == kind else _PARTS["reason"][n].format(kind=word, reason=visible(said[len(kind) + 1 : -1]))


def _place(event: Any, n: int) -> str:
    position = getattr(event, "to", None) or getattr(event, "moved_to", None) or ()
    return visible(json.dumps(position, ensure_ascii=False))


_FIELDS: dict[str, Callable[[Any, int], str]] = {
    "n": lambda event, n: str(len(event.orders)),
    "workflow": lambda event, n: visible(event.workflow),
    "priority": lambda event, n: (
        str(event.priority) if event.kind == "OrderPriorityChanged"
        else _PARTS["priority"][n].format(n=event.priority) if event.priority else ""
    ),
    "to": _place,
    "demands": _demands,
    "locks": lambda event, n: _PARTS["and"][n].join(map(visible, event.lock_paths)),
    "job": lambda event, n: visible(event.job),
    "nth": lambda event, n: _PARTS["nth"][n].format(n=event.attempt) if event.attempt > 1 else "",
    "outcome": _outcome,
    "seconds": lambda event, n: _PARTS["seconds"][n].format(n=event.seconds),
    "question": lambda event, n: visible(event.question.text),
    "children": lambda event, n: _PARTS["and"][n].join(visible(order) for _, order in event.children),
    "at": lambda event, n: (
        "" if event.position is None
        else _PARTS["at"][n].format(to=visible(json.dumps(event.position, ensure_ascii=False)))
    ),
}  # fmt: skip
