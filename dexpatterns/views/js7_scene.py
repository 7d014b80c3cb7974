"""What the graph of workflows shows at one moment of a run: which order is where, who holds which lock, who waits.

The same `Scene` as that of a Flow, so that both are drawn alike. Which lines a turn used is followed through its
events, since an event of an order says where it goes and not where it came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from dexpatterns.engine.trace import Trace
from dexpatterns.js7.ledger import Ledger
from dexpatterns.js7.positions import Position
from dexpatterns.views import palette
from dexpatterns.views.graph_parts import STORES, GraphData, Link, within
from dexpatterns.views.graph_scene import Mark, Part, Scene, Stock
from dexpatterns.views.graph_texts import said, share
from dexpatterns.views.js7_graph import place_of
from dexpatterns.views.js7_moment import LockAt, OrderAt, OrdersMoment, Share
from dexpatterns.views.texts import short

__all__ = ["Lit", "OrderScenes"]


class Lit(NamedTuple):
    """What a turn lights up, each as in a `Scene`."""

    used: frozenset[str]
    acting: frozenset[str]
    changed: frozenset[str]
    ends: frozenset[tuple[str, str]]


class OrderScenes:
    """The scenes of one run; what does not change from turn to turn is read once."""

    def __init__(self, data: GraphData, trace: Trace, lang: str) -> None:
        self.data, self.trace, self.lang = data, trace, lang
        self._way = _Ways(data)
        self._edge = {link: edge.id for edge in data.edges for link in edge.links}
        self._lock = {node.name: node.id for node in data.nodes if node.sort == "resource"}
        self._bands = {band.id: within(data.bands, band.id) for band in data.bands if band.sort == "lock"}
        self._turns = tuple(_follow(data, trace, self._way))

    def at(self, moment: OrdersMoment) -> Scene:
        """The scene after that turn."""
        turn = self._turns[moment.turn]
        lit = self.lit(moment.turn)
        stands = {id: node for id, order in moment.orders.items() if (node := self._stands(order))}
        here = {id: node for id, node in stands.items() if moment.orders[id].phase != "ended"}
        inside = {
            band: tuple(short(id) for id, node in here.items() if node in nodes) for band, nodes in self._bands.items()
        }
        return Scene(
            moment.turn, len(self.trace.turns), moment.time, moment.status,
            self._marks(moment, here, turn.mover), self._ended(moment), {}, self._stocks(moment),
            lit.used, turn.links, lit.acting, lit.changed, lit.ends, inside, frozenset(),
            tuple(self._mark(moment, id, "coming", said(self.lang, "coming")) for id in moment.pending),
        )  # fmt: skip

    def lit(self, turn: int) -> Lit:
        """What the turn itself lights up, without who is where; it costs next to nothing."""
        used = self._turns[turn]
        return Lit(
            frozenset(self._edge[link] for link in used.links if link in self._edge), frozenset(used.acting),
            frozenset(self._lock[path] for path in used.locks if path in self._lock),
            frozenset((node, "order_fails") for node in used.failed),
        )  # fmt: skip

    def _stands(self, order: OrderAt) -> str:
        return self.data.places.get(place_of(order.workflow, order.position), "")

    def _mark(self, moment: OrdersMoment, id: str, phase: str, tip: str, acting: bool = False, locks: int = 0) -> Mark:
        name = short(id)
        family = palette.family(moment.numbers[id])
        told = f"{name}{said(self.lang, 'colon')}{tip}" if tip else name
        return Mark(moment.labels[id], family, phase, name, told, 0, acting, locks)

    def _marks(self, moment: OrdersMoment, here: dict[str, str], mover: str) -> dict[str, tuple[Mark, ...]]:
        """Who acts comes first, then who holds a lock, then by number."""
        found: dict[str, list[tuple[bool, bool, int, Mark]]] = {}
        for place, (id, node) in enumerate(here.items()):
            order = moment.orders[id]
            mark = self._mark(moment, id, order.phase, self._tip(order), id == mover, len(order.holds))
            found.setdefault(node, []).append((id != mover, not order.holds, place, mark))
        return {node: tuple(row[-1] for row in sorted(rows, key=lambda row: row[:3])) for node, rows in found.items()}

    def _tip(self, order: OrderAt) -> str:
        lang = self.lang
        state = said(lang, "is_state", state=order.state)
        if order.waits:
            state = said(lang, "waits_state", state=order.state, wait=self._shares(order.waits))
        elif order.state == "Processing":
            job = short(order.job) or "job"
            state = said(lang, "runs_again" if order.attempt > 1 else "runs", job=job, n=order.attempt)
        parts = [state]
        parts += [said(lang, "suspended")] if order.suspended else []
        parts += [said(lang, "holds_shares", shares=self._shares(order.holds))] if order.holds else []
        return said(lang, "parts").join(parts)

    def _shares(self, shares: Iterable[Share]) -> str:
        return said(self.lang, "list").join(share(self.lang, one.lock, one.weight) for one in shares)

    def _ended(self, moment: OrdersMoment) -> tuple[Mark, ...]:
        ended = (order for order in moment.orders.values() if order.phase == "ended")
        return tuple(self._mark(moment, order.id, "ended", order.state) for order in ended)

    # Locks.

    def _stocks(self, moment: OrdersMoment) -> dict[str, Stock]:
        return {
            self._lock[path]: Stock(
                tip=self._lock_tip(lock), limit=lock.limit, used=lock.used,
                held=tuple(self._part(moment, one, "running", lock.limit) for one in lock.holders),
                queue=tuple(self._part(moment, one, "waiting", lock.limit) for one in lock.queue),
            )
            for path, lock in moment.locks.items() if path in self._lock
        }  # fmt: skip

    def _part(self, moment: OrdersMoment, one: Share, phase: str, limit: int) -> Part:
        """Where there is one alone, all of it and a weight of it say the same; the badge is enough."""
        mark = self._mark(moment, one.order, phase, share(self.lang, one.lock, one.weight))
        return Part(mark, self._weight(one) if limit > 1 else "")

    def _weight(self, one: Share) -> str:
        return said(self.lang, "weight_all") if one.weight is None else f"×{one.weight}"

    def _lock_tip(self, lock: LockAt) -> str:
        lang = self.lang
        parts = [said(lang, "capacity", limit=f"{lock.limit:,}")]
        parts.append(said(lang, "held_by", who=self._weighed(lock.holders)) if lock.holders else said(lang, "free"))
        if lock.queue:
            key = "waited_for" if len(lock.queue) == 1 else "waited_for_many"
            parts.append(said(lang, key, who=self._weighed(lock.queue)))
        return said(lang, "parts").join(parts)

    def _weighed(self, shares: tuple[Share, ...]) -> str:
        told = [said(self.lang, "weighed", who=short(one.order), weight=self._weight(one)) for one in shares[:12]]
        more = [said(self.lang, "more", n=len(shares) - 12)] if len(shares) > 12 else []
        return said(self.lang, "list").join([*told, *more])


# Which lines a turn used.


class _Used:
    """What a turn did, by nodes, links and locks."""

    def __init__(self, mover: str) -> None:
        self.mover = mover
        self.acting: set[str] = set()
        self.failed: set[str] = set()
        self.locks: set[str] = set()
        self._links: dict[Link, None] = {}

    def use(self, links: Iterable[Link]) -> None:
        self._links.update(dict.fromkeys(links))

    @property
    def links(self) -> tuple[Link, ...]:
        return tuple(self._links)


class _Ways:
    """How one comes from a node to another: by one line, or by several with nothing but Ifs in between."""

    def __init__(self, data: GraphData) -> None:
        ids = {node.name: node.id for node in data.nodes if node.sort not in STORES}
        self.names = {node.id: node.name for node in data.nodes}
        self._through = {node.id for node in data.nodes if node.sort == "choice"}
        self._onward: dict[str, list[tuple[str, Link]]] = {}
        self.caught: dict[str, list[Link]] = {}
        """By the node that failures lead to."""
        for edge in data.edges:
            for link in edge.links:
                if edge.line == "go":
                    self._onward.setdefault(ids[link.who], []).append((ids[link.what], link))
                elif edge.line == "fail":
                    self.caught.setdefault(ids[link.what], []).append(link)

    def between(self, start: str, end: str) -> tuple[Link, ...]:
        """The links from one node to another, none where there is no such way."""
        queue: list[tuple[str, tuple[Link, ...]]] = [(start, ())]
        seen = {start}
        for here, way in queue:
            for node, link in self._onward.get(here, ()):
                if node == end:
                    return (*way, link)
                if node in self._through and node not in seen:
                    seen.add(node)
                    queue.append((node, (*way, link)))
        return ()


def _follow(data: GraphData, trace: Trace, ways: _Ways) -> Iterator[_Used]:
    """What each turn used, from the start on."""
    ledger = Ledger(trace)
    stands: dict[str, str] = {}
    for events, mover in [(trace.started, ""), *((turn.events, turn.choice.name) for turn in trace.turns)]:
        used = _Used(mover)
        if mover in stands:
            used.acting.add(stands[mover])
        for event in events:
            told: Any = event
            before = ledger.orders.get(told.order)
            _take(told, before.position if before is not None else (), ledger, stands, used, data, ways)
        if mover in stands and not used.acting:
            used.acting.add(stands[mover])
        yield used


def _take(
    event: Any, before: Position, ledger: Ledger, stands: dict[str, str], used: _Used, data: GraphData, ways: _Ways
) -> None:
    """Let an event happen: where its order stands then, and by which lines it came there."""
    ledger.apply((event,))
    id, kind = event.order, event.kind
    for path, verb in _asked(event):
        used.locks.add(path)
        gate = _gate(event, before, ledger, data) if verb == "release" else stands.get(id, "")
        used.use([Link(ways.names.get(gate, ""), verb, path)])
    if kind == "OrderForked":
        for _, child in event.children:
            stands[child] = _node(ledger, child, data)
            used.use(ways.between(stands.get(id, ""), stands[child]))
        return
    if kind in ("OrderFailed", "OrderFailedInFork", "OrderStopped"):
        used.failed.add(stands.get(id, ""))
    order = ledger.orders.get(id)
    if order is None:
        stands.pop(id, None)
        return
    if kind == "OrderJoined":
        stands[id] = data.places.get(("join", *place_of(order.workflow, order.position)), stands[id])
        return
    if order.position == before and id in stands:
        return
    there = _node(ledger, id, data)
    if kind == "OrderCaught":
        entry = _catch(order.workflow, order.position, data)
        used.use([*ways.caught.get(entry, ())[:1], *(ways.between(entry, there) if entry != there else ())])
    elif id in stands and kind not in ("OrderFailed", "OrderFailedInFork", "OrderResumed"):
        used.use(ways.between(stands[id], there))
    stands[id] = there


def _node(ledger: Ledger, id: str, data: GraphData) -> str:
    order = ledger.orders[id]
    return data.places.get(place_of(order.workflow, order.position), "")


_LOCKS = {"OrderLocksQueued": "queue", "OrderLocksAcquired": "acquire"}


def _asked(event: Any) -> Iterator[tuple[str, str]]:
    """(lock, verb) of an event."""
    if event.kind == "OrderLocksReleased":
        yield from ((path, "release") for path in event.lock_paths)
    elif event.kind in _LOCKS:
        yield from ((path, _LOCKS[event.kind]) for path, _ in event.demands)


def _gate(event: Any, before: Position, ledger: Ledger, data: GraphData) -> str:
    """The Lock that gives its locks back: the innermost around."""
    at = before
    while len(at) > 2 and at[-2] != "lock":
        at = at[:-2]
    return data.places.get(place_of(ledger.orders[event.order].workflow, at[:-2]), "")


def _catch(workflow: str, position: Position, data: GraphData) -> str:
    """The node that a catch block begins with."""
    at = position
    while len(at) > 2 and not str(at[-2]).startswith("catch"):
        at = at[:-2]
    return data.places.get(place_of(workflow, (*at[:-1], 0)), "")
