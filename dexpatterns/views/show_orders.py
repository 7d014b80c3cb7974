"""The part of a show that is about JS7 orders: keyframe and changes, a sentence a turn, what the graph lights up.

The keys are those of `show_states`, but that a row tells of an order: [instruction, '', phase, locks it holds, what it
waits for, the locks of that, node], and `o` holds the lanes of the orders that are still to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dexpatterns.engine.run import Run
from dexpatterns.engine.texts import visible
from dexpatterns.js7 import story
from dexpatterns.views import marks, palette
from dexpatterns.views.front_texts import said
from dexpatterns.views.graph import scenes_of
from dexpatterns.views.graph_data import GraphData
from dexpatterns.views.js7_graph import place_of
from dexpatterns.views.js7_moment import OrderAt, OrdersMoment, Share
from dexpatterns.views.moment import moments
from dexpatterns.views.show_parts import Parts, explained, told
from dexpatterns.views.texts import clip, short

__all__ = ["parts_of_orders"]

_FAILS = frozenset(("OrderFailed", "OrderFailedInFork", "OrderStopped", "OrderBroken"))


def parts_of_orders(run: Run, data: GraphData | None, lang: str, lanes: Any) -> Parts:
    """What a show tells of a run of orders."""
    return _Orders(run, data, lang).parts(lanes)


class _Orders:
    def __init__(self, run: Run, data: GraphData | None, lang: str) -> None:
        self.run, self.lang = run, lang
        self.nodes = {node.id: node for node in data.nodes} if data is not None else {}
        self.resources = {node.name: node.id for node in self.nodes.values() if node.sort == "resource"}
        self.scenes = scenes_of(data, run.trace, lang=lang) if data is not None else None
        self.places = data.places if data is not None else {}
        self.moments: Sequence[OrdersMoment] = tuple(moments(run.trace))
        last = self.moments[-1]
        self.lane = {id: place for place, id in enumerate(sorted(last.labels, key=lambda id: self._order(last, id)))}
        self.locks: dict[str, int] = {}
        self.sent: dict[str, Any] = {}

    @staticmethod
    def _order(at: OrdersMoment, id: str) -> tuple[int, str]:
        return at.numbers[id], at.labels[id]

    def parts(self, lanes: Any) -> Parts:
        last = self.moments[-1]
        start, *deltas = [dict(self._changes(at)) for at in self.moments]
        use = []
        for at in self.moments[1:] if self.scenes is not None else ():
            scene = self.scenes.at(at)  # type: ignore[union-attr, arg-type]
            lit = [f"{node} {end}" for node, end in sorted(scene.ends)]
            use.append([sorted(scene.acting | scene.changed), sorted(scene.used), lit])
        return Parts(
            lanes=[[short(id), last.labels[id], palette.family(last.numbers[id]), "branch"] for id in self.lane],
            locks=[[short(path), self.resources.get(path, "")] for path in self.locks],
            start=start,
            deltas=deltas,
            told=self._told(),
            use=use,
            rows=[self.lane.get(lane.order, -1) for lane in lanes.lanes],
            legend=[
                [said(self.lang, "lock_held"), '<rect x="1" y="4" width="20" height="12" class="k"/>'],
                [said(self.lang, "lock_waited"), '<rect x="1" y="4" width="20" height="12" class="t wt"/>'],
                [said(self.lang, "not_yet"), marks.sample("not_yet", 1, 10, "")],
            ],
            marks=[
                [turn.number, "fail"] for turn in self.run.trace.turns
                if any(event.kind in _FAILS for event in turn.events)
            ],
        )  # fmt: skip

    def _changes(self, at: OrdersMoment) -> Iterable[tuple[str, Any]]:
        for key, one in self._state(at):
            if self.sent.get(key, self.sent) != one:
                self.sent[key] = one
                yield key, one

    def _state(self, at: OrdersMoment) -> Iterable[tuple[str, Any]]:
        yield "s", visible(at.status)
        for path, lock in at.locks.items():
            yield f"k/{self._lock(path)}", [lock.used, lock.limit, self._shares(lock.holders), self._shares(lock.queue)]
        for id, order in at.orders.items():
            yield f"b/{self.lane[id]}", self._row(order)
        for id, lane in self.lane.items():
            if f"b/{lane}" in self.sent and id not in at.orders and self.sent[f"b/{lane}"][2] != "ended":
                where, *_, node = self.sent[f"b/{lane}"]
                yield f"b/{lane}", [where, "", "ended", [], "", [], node]
        yield "o", [self.lane[id] for id in at.pending if id in self.lane]

    def _lock(self, path: str) -> int:
        return self.locks.setdefault(path, len(self.locks))

    def _shares(self, shares: Iterable[Share]) -> list[list[Any]]:
        return [[self.lane.get(one.order, -1), one.weight] for one in shares]

    def _row(self, order: OrderAt) -> list[Any]:
        node = self.places.get(place_of(order.workflow, order.position), "")
        where = short(self.nodes[node].shown) if node else clip(visible(f"{order.workflow} {list(order.position)}"), 60)
        waits = said(self.lang, "list").join(self._share(one) for one in order.waits)
        holds = [self._lock(one.lock) for one in order.holds]
        return [where, "", order.phase, holds, waits, [self._lock(one.lock) for one in order.waits], node]

    def _share(self, one: Share) -> str:
        return short(one.lock) if one.weight is None else f"{short(one.lock)} ×{one.weight}"

    def _told(self) -> list[list[Any]]:
        said = explained(self.run, self.lang) or story.sentences(self.run.trace, self.lang)
        movers = [self.lane.get(turn.choice.name, -1) for turn in self.run.trace.turns]
        return [told(text, lane) for text, lane in zip(said, movers, strict=True)]
