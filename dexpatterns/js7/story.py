"""A run in words, in English or Simplified Chinese: line by line, a turn at a time, or with what is broken before it.

What a single event says stands in `wording`. This module follows a run by its events alone; it decides nothing and
knows no machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

from dexpatterns.engine.telling import Change, TurnText
from dexpatterns.engine.texts import LANGUAGES, visible
from dexpatterns.engine.trace import Trace, Turn
from dexpatterns.engine.values import Data
from dexpatterns.js7 import outcomes
from dexpatterns.js7.ledger import Ledger, Weights
from dexpatterns.js7.wording import number_of, sentence

__all__ = ["Story", "explain", "sentence", "sentences", "tell"]

_PARTS = {
    "stop": ("; ", "；"),
    "turn": ("{n}. {who}: {what}", "{n}. {who}：{what}"),
    "broken": ("{name}: {detail}", "{name}：{detail}"),
    "holds": ("nothing is broken; a run that ends as it should:", "没有什么被打破；一次正常结束的运行："),
    "whose": ("{who}: {what}", "{who}：{what}"),
    "other": ("{who} {what}", "{who} {what}"),
    "next": (". ", "。"),
    "end": (".", "。"),
    "list": (", ", "、"),
    "more": ("{who} and {n} more", "{who} 等，另有 {n} 个"),
    "job_ends": ("its job {job} succeeds", "作业 {job} 成功"),
    "job_fails": ("its job {job} fails", "作业 {job} 失败"),
    "job": ("without a name", "（未命名）"),
    "all": ("{order} (all)", "{order}（全部）"),
    "weight": ("{order} ×{n}", "{order} ×{n}"),
    "free": ("free", "空闲"),
    "empty": ("empty", "空"),
    "queue": ("queue of {lock}", "{lock} 的队列"),
    "value": ("{order} ${name}", "{order} ${name}"),
    "caught": ("its failure is caught", "失败被捕获"),
    "fails": ("fails", "失败"),
    "stuck": ("Nothing can go on by itself any more; still waiting: {who}.", "再没有什么能自行继续；仍在等待：{who}。"),
    "kept": (
        "{who} keeps {locks} until a person resumes or cancels what failed.",
        "{who} 一直占有 {locks}，直到有人恢复或取消失败的订单。",
    ),
    "delayed": ("{who} keeps {locks} during the delay.", "停顿期间 {who} 仍占有 {locks}。"),
    "overtaken": (
        "{others} came before {who} and still waits for {lock}: whoever fits goes first.",
        "{others} 比 {who} 先到，却仍在等待 {lock}：能满足的先得到。",
    ),
    "held": ("{lock} is held by {who}.", "{lock} 由 {who} 占有。"),
}

_QUIET = frozenset(("OrderStarted", "OrderMoved", "ControllerReady"))
"""What a story leaves out."""


def tell(turns: Iterable[Turn], lang: str = "en") -> list[str]:
    """A run, a line for each order that something happened to in a turn."""
    n = number_of(lang)
    lines = []
    for turn in turns:
        whom: dict[str, list[str]] = {}
        for event in turn.events:
            if event.kind not in _QUIET:
                whom.setdefault(event.order, []).append(sentence(event, lang))  # type: ignore[attr-defined]
        for who, what in whom.items():
            told = _PARTS["stop"][n].join(what)
            lines.append(_PARTS["turn"][n].format(n=turn.number, who=visible(who), what=told))
    return lines


def explain(report: Any, lang: str = "en", wrong: str = "") -> Story | None:
    """The run of a report in turns, and first what is broken; None when it has no run.

    `wrong` is what is wrong where it ends, in the language.
    """
    n = number_of(lang)
    run = report.counterexample or report.witness
    if run is None:
        return None
    broken = next((one for one in report.properties if one.name == report.property), None)
    head = _PARTS["holds"][n]
    if broken is not None:
        head = _PARTS["broken"][n].format(name=visible(broken.title(lang)), detail=visible(wrong))
    return Story("\n".join((head, *tell(run.trace.turns, lang))))


class Story(str):
    """A run in words, ready to be shown: a line a turn."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f'<pre style="white-space:pre-wrap">{escape(self)}</pre>'


# Turn by turn.

_VERBS: Mapping[str, tuple[str, str]] = {
    "arrive": ("comes", "到达"),
    "succeed": ("its job succeeds", "作业成功"),
    "fail": ("its job fails", "作业失败"),
    "wake": ("goes on", "继续"),
    "answer": ("is answered", "得到回答"),
    "cancel": ("is cancelled", "被取消"),
    "suspend": ("is suspended", "被挂起"),
    "resume": ("is resumed", "被恢复"),
    "prioritize": ("has another priority", "优先级改变"),
    "add": ("comes", "到达"),
}


def sentences(trace: Trace, lang: str = "en") -> list[TurnText]:
    """Every turn of a run in words, with the locks, queues and named values that it changed.

    Raises `InputError` for another language.
    """
    teller = _Teller(trace, number_of(lang))
    return [teller.turn(turn) for turn in trace.turns]


_BRIEFLY = {"OrderCaught": "caught", "OrderFailed": "fails", "OrderFailedInFork": "fails"}
"""Events that are told without the position."""
_NOTES = ("kept", "stuck", "overtaken", "delayed", "held")
"""By weight: a turn has one note."""


class _Teller:
    """Puts one turn after another into words."""

    def __init__(self, trace: Trace, n: int) -> None:
        self.n = n
        self.ledger = Ledger(trace)
        self.ledger.apply(trace.started)
        self.values: dict[tuple[str, str], Any] = {}
        self.status = ""

    def say(self, key: str, **fields: object) -> str:
        return _PARTS[key][self.n].format(**fields)

    def listed(self, names: Iterable[str], most: int = 3) -> str:
        said = [visible(name) for name in names]
        shown = self.say("list").join(said[:most])
        return shown if len(said) <= most else self.say("more", who=shown, n=len(said) - most)

    def turn(self, turn: Turn) -> TurnText:
        who = turn.choice.name
        orders = self.ledger.orders
        job = orders[who].job if who in orders else ""
        before = self._locks()
        told: dict[str, list[str]] = {}
        notes: list[tuple[str, str]] = []
        changed: list[Change] = []
        for event in turn.events:
            one: Any = event
            notes += self._notes(one)
            self.ledger.apply((one,))
            changed += self._values(one)
            if one.kind not in _QUIET:
                told.setdefault(one.order, []).append(self._said(one, job if one.order == who else ""))
        notes += self._end()
        stop = self.say("stop")
        own = told.pop(who, None)
        verb = _VERBS.get(turn.choice.kind, (turn.choice.kind,) * 2)[self.n]
        parts = [stop.join(own or [verb])]
        parts += [self.say("other", who=visible(other), what=stop.join(what)) for other, what in told.items()]
        happens = self.say("next").join(parts)
        after = orders[who].job if who in orders else ""
        return TurnText(
            turn.number, self.ledger.numbers.get(who, 0), visible(who), visible(job or after), verb, happens,
            self.say("whose", who=visible(who), what=happens) + self.say("end"),
            changes=(*self._changes(before), *changed), note=self._note(notes), lang=LANGUAGES[self.n],
        )  # fmt: skip

    def _said(self, event: Any, job: str) -> str:
        if event.kind == "OrderProcessed":
            key = "job_ends" if outcomes.good(event.outcome) else "job_fails"
            return self.say(key, job=visible(job) or self.say("job"))
        if event.kind in _BRIEFLY:
            return self.say(_BRIEFLY[event.kind])
        return sentence(event, LANGUAGES[self.n])

    # What has another value.

    def _locks(self) -> dict[str, tuple[str, str]]:
        """Of each lock, who holds it and who waits, as text."""
        books = self.ledger
        return {
            path: (self._weights(held) or self.say("free"), self.listed(books.queues[path]) or self.say("empty"))
            for path, held in books.holders.items()
        }

    def _weights(self, held: Weights) -> str:
        shares = sorted(held.items(), key=lambda share: self.ledger.labels[share[0]])
        said = [
            self.say("all" if weight is None else "weight", order=visible(order), n=weight) for order, weight in shares
        ]
        shown = self.say("list").join(said[:3])
        return shown if len(said) <= 3 else self.say("more", who=shown, n=len(said) - 3)

    def _changes(self, before: Mapping[str, tuple[str, str]]) -> Iterator[Change]:
        nothing = (self.say("free"), self.say("empty"))
        for path, now in self._locks().items():
            old = before.get(path, nothing)
            if now[0] != old[0]:
                yield Change(visible(path), old[0], now[0])
            if now[1] != old[1]:
                yield Change(self.say("queue", lock=visible(path)), old[1], now[1])

    def _values(self, event: Any) -> Iterator[Change]:
        """Named values that an outcome brings; a job's return code says no more than that it failed or not."""
        outcome = getattr(event, "outcome", None)
        for name, value in outcomes.values_of(outcome).items() if isinstance(outcome, Data) else ():
            key = (event.order, name)
            old = self.values.get(key)
            self.values[key] = value
            if name != "returnCode" and old != value:
                said = self.say("value", order=visible(event.order), name=visible(name))
                yield Change(said, _shown(old), _shown(value))

    # Why it matters.

    def _note(self, notes: Iterable[tuple[str, str]]) -> str:
        """The one that matters most."""
        found = sorted(notes, key=lambda note: _NOTES.index(note[0]))
        return found[0][1] if found else ""

    def _notes(self, event: Any) -> Iterator[tuple[str, str]]:
        """Of an event that is about to be taken in: (key, text)."""
        books, kind = self.ledger, event.kind
        if kind == "OrderLocksAcquired":
            for path, _ in event.demands:
                queue = list(books.queues.get(path, ()))
                passed = queue[: queue.index(event.order)] if event.order in queue else queue
                if passed:
                    who, lock = visible(event.order), visible(path)
                    yield "overtaken", self.say("overtaken", others=self.listed(passed), who=who, lock=lock)
        elif kind == "OrderLocksQueued":
            for path, _ in event.demands:
                if books.holders.get(path):
                    yield "held", self.say("held", lock=visible(path), who=self.listed(books.holders[path]))
        elif kind in ("OrderStopped", "OrderFailed"):
            order = books.orders[event.order]
            yield from self._keeps("kept", event.order if kind == "OrderStopped" else order.parent)
        elif kind == "OrderRetrying" and event.seconds:
            yield from self._keeps("delayed", event.order)

    def _keeps(self, key: str, order: str | None) -> Iterator[tuple[str, str]]:
        """An order that waits for a child keeps what it has, and so do those that it was forked from."""
        while order is not None and order in self.ledger.orders:
            held: Weights = self.ledger.held(order)
            if held:
                yield key, self.say(key, who=visible(order), locks=self.listed(held))
                return
            order = self.ledger.orders[order].parent

    def _end(self) -> Iterator[tuple[str, str]]:
        status = self.ledger.status()
        if status == "STUCK" != self.status:
            waiting = [
                order.id for order in self.ledger.orders.values() if order.state in ("WaitingForLock", "Forked")
            ]  # fmt: skip
            yield "stuck", self.say("stuck", who=self.listed(waiting))
        self.status = status


def _shown(value: Any) -> str:
    """A value in one short line."""
    text = visible(json.dumps(value, ensure_ascii=False))
    text = {"true": "True", "false": "False", "null": "None"}.get(text, text)
    return text if len(text) <= _MOST else f"{text[:_MOST]}… ({len(text):,} characters)"


_MOST = 40
