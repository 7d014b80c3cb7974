"""The scheduler's seat of JS7 orders in words: what each move does, who waits for which lock and who holds it.

An order's badge is that of the pictures: its number, of a child with a letter. Who may move is the machine's to say;
this module reads its state and decides nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dexpatterns.engine.machine import Choice
from dexpatterns.engine.texts import visible
from dexpatterns.js7.ledger import Ledger
from dexpatterns.js7.properties import no_deadlock
from dexpatterns.js7.state import DONE, OrderState
from dexpatterns.js7.story import sentence, sentences
from dexpatterns.js7.waits import circle, links
from dexpatterns.views import palette
from dexpatterns.views.seat_words import BRIEF, Badge, Blocked, Said, Words, listed
from dexpatterns.views.texts import clip, short

if TYPE_CHECKING:
    from dexpatterns.views.seat import Judged, Seat

__all__ = ["OrderWords"]

_QUIET = frozenset(("OrderStarted", "OrderMoved", "ControllerReady"))
"""What no sentence needs."""
_OWN = frozenset(("OrderAdded", "OrderProcessed", "OrderAwoke", "OrderPromptAnswered"))
"""What the title of a move says already."""


class OrderWords(Words):
    """The seat of orders in words."""

    sort = "orders"

    def __init__(self, seat: Seat, lang: str) -> None:
        super().__init__(seat, lang)
        ledger = Ledger(self.run.trace)
        ledger.apply(self.run.trace.started)
        for turn in self.run.trace.turns:
            ledger.apply(turn.events)
        # A child stands after its parent.
        ids = sorted(ledger.labels, key=lambda id: (ledger.numbers[id], id))
        self._lanes = {id: i for i, id in enumerate(ids)}
        self.size = len(self.machine.orders)
        self.badges = tuple(
            Badge(
                ledger.labels[id], palette.family(ledger.numbers[id]), short(id), clip(visible(id), BRIEF),
                self._phase(id),
            )
            for id in ids
        )  # fmt: skip

    def _phase(self, id: str) -> str:
        order = self.state.order(id)
        if order is None:
            return "queued"
        return "ended" if order.state in DONE else _PHASES.get(order.state, "running")

    def lane(self, choice: Choice) -> int:
        return self._lanes[choice.name]

    def title(self, choice: Choice, events: tuple[Any, ...]) -> tuple[str, dict[str, Any]]:
        order = self.state.order(choice.name)
        job = short(order.job) if order is not None and order.job else self.say("its_job")
        planned = self.machine.rules.orders.get(choice.name)
        fields = {"job": job, "workflow": short(planned.workflow) if planned is not None else ""}
        return self.named(choice.kind, fields), fields

    def consequences(self, choice: Choice, events: tuple[Any, ...]) -> list[str]:
        said = []
        for event in events:
            if event.kind in _QUIET or (event.order == choice.name and event.kind in _OWN):
                continue
            told = sentence(event, self.lang)
            said.append(told if event.order == choice.name else self.say("whose", who=short(event.order), said=told))
        return said

    # Who has no move.

    def blocked(self) -> tuple[Blocked, ...]:
        moving = {choice.name for choice in self.choices}
        still = [o for o in self.state.orders.values() if o.id not in moving and o.state not in DONE]
        return self.blocked_by([(self._lanes[order.id], *self._reason(order)) for order in still])

    def _reason(self, order: OrderState) -> tuple[str, str]:
        waits: dict[str, list[str]] = {}
        for link in links(self.machine.rules, self.state, order):
            waits.setdefault(link.lock, []).append(link.other)
        if order.suspended or not waits:
            return (self.say("has_stopped", state=f"{order.state}{', SUSPENDED' if order.suspended else ''}"),) * 2
        parts = []
        for lock, others in waits.items():
            who = listed(self.lang, map(short, others))
            if lock:
                key = "held_by" if len(others) == 1 else "held_by_many"
                parts.append(self.say(key, what=short(lock), who=who))
            else:
                parts.append(self.say("its_children", who=who))
        what = listed(self.lang, parts)
        return self.say("waits_for", what=what), self.say("waits_for_many", what=what)

    def over(self) -> str:
        if self.choices:
            return ""
        status = self.machine.describe(self.state)["status"]
        if status == "STUCK":
            return self.say("stuck")
        return self.say("over", name=short(self.machine.name), status=status)

    def left(self) -> str:
        return ""

    # What happened, and how properties stand.

    def turns(self, last: int) -> list[Said]:
        said = []
        for told, spot in zip(sentences(self.run.trace, self.lang)[-last:], self.seat.path[-last:], strict=True):
            assert spot.turn is not None
            changes = tuple((c.name, c.old, c.new, c.note) for c in told.changes[:4])
            brief = told.happens.partition(self.say("clauses"))[0]
            lane = self._lanes.get(spot.turn.choice.name, -1)
            said.append(Said(lane, told.branch, told.happens, "", changes, told.note, brief))
        return said

    def broken(self, one: Judged) -> tuple[str, str]:
        state = self.seat.spot_at(one.since).state
        found = circle(self.machine.rules, state) if one.property.name == no_deadlock().name else ()
        return self.fault(one), listed(self.lang, [short(link.order) for link in found])


_PHASES = {"WaitingForLock": "waiting", "Forked": "waiting", "Prompting": "waiting", "Sleeping": "waiting",
           "DelayingRetry": "retrying"}  # fmt: skip
