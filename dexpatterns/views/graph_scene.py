"""What a graph shows at one moment of a run, by the ids of its nodes and edges: who is where, what lies where.

A scene is data, so that the picture of Python and one that is recoloured in a browser show the same. It holds texts
that are fit to be shown and no place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from dexpatterns.dex.sections import Lane, Reading, SectionLike, read
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.texts import visible
from dexpatterns.engine.trace import Trace
from dexpatterns.views import palette
from dexpatterns.views.graph_data import base, ends_of, links_of
from dexpatterns.views.graph_parts import GraphData, Link
from dexpatterns.views.graph_texts import said
from dexpatterns.views.moment import Moment, Standing
from dexpatterns.views.swim import lane_letter, lane_names
from dexpatterns.views.texts import VALUE_LIMIT, clip, short, value

__all__ = ["Cell", "Mark", "Part", "Scene", "Scenes", "Stock"]


class Mark(NamedTuple):
    """The badge of a branch: at a Step in its phase, or 'ended'."""

    label: str
    family: str
    phase: str
    name: str
    tip: str
    tokens: int = 0
    """How many tokens it holds."""
    acting: bool = False
    locks: int = 0
    """How many resource locks it holds."""


class Cell(NamedTuple):
    """A message in a queue: a token, or the number of the branch that published it."""

    token: bool
    label: str
    tip: str


class Part(NamedTuple):
    """A badge in a resource lock: who has how much of it, or waits for that."""

    mark: Mark
    weight: str


class Stock(NamedTuple):
    """What a Channel or an Attribute holds: cells, front first, or a value in one short line. Or who has a lock."""

    cells: tuple[Cell, ...] = ()
    value: str = ""
    tip: str = ""
    token: bool = False
    """It is a token's Channel: an empty place is shown."""
    lock: str = ""
    """Who holds its lock, if somebody does."""
    limit: int = 0
    """How much there is of a resource lock; `used` of it is taken."""
    used: int = 0
    held: tuple[Part, ...] = ()
    queue: tuple[Part, ...] = ()
    """Who waits for the lock, first come first."""


class Scene(NamedTuple):
    """Everything that changes from turn to turn."""

    turn: int
    turns: int
    time: float | None
    status: str
    marks: Mapping[str, tuple[Mark, ...]]
    """By Step; who acts comes first, then who holds a token, then by number."""
    ended: tuple[Mark, ...]
    late: Mapping[str, tuple[str, ...]]
    """By Step: whose code runs on."""
    stocks: Mapping[str, Stock]
    used: frozenset[str]
    """Edges that this turn used."""
    links: tuple[Link, ...]
    """What this turn did along them."""
    acting: frozenset[str]
    """Nodes whose turn it was."""
    changed: frozenset[str]
    """Channels and Attributes that this turn changed."""
    ends: frozenset[tuple[str, str]]
    """(node, end) of the paths that this turn ended."""
    inside: Mapping[str, tuple[str, ...]]
    """By band: the names of the branches inside."""
    over: frozenset[str]
    """Bands with more branches inside than may be, and the Steps in which those are."""
    coming: tuple[Mark, ...] = ()
    """Orders that are still to come."""


class Scenes:
    """The scenes of one run; what does not change from turn to turn is read once."""

    def __init__(
        self, data: GraphData, trace: Trace, sections: Sequence[SectionLike], tokens: Iterable[str], lang: str
    ) -> None:
        self.data, self.trace, self.lang = data, trace, lang
        self.tokens = frozenset(tokens)
        self.reading: Reading = read(trace, sections[0] if sections else None)
        self.names = [short(name) for name in lane_names(self.reading.lanes, lang)]
        self._node = {(node.sort, node.name): node.id for node in reversed(data.nodes)}
        self._edge = {link: edge.id for edge in data.edges for link in edge.links}
        self._sections = {section.name: section for section in sections}

    def at(self, moment: Moment) -> Scene:
        """The scene after that turn."""
        events: tuple[Any, ...] = self.trace.turns[moment.turn - 1].events if moment.turn else ()
        mover = self.trace.turns[moment.turn - 1].choice.path if moment.turn else ()
        links = tuple(dict.fromkeys(link for event in events for link in links_of(event)))
        acting = {
            self._who(event.step)
            for event in events
            if getattr(event, "path", None) == mover and getattr(event, "step", "") and event.kind != "step_started"
        } - {""}
        changed = {self._node.get((_SORT[event.kind], base(getattr(event, _ENTRY[event.kind]))), "")
                   for event in events if event.kind in _SORT}  # fmt: skip
        changed |= {self._node.get(("channel", base(channel)), "")
                    for event in events if event.kind == "wait_completed" for channel, _ in event.taken}  # fmt: skip
        inside, over = self._inside(moment)
        return Scene(
            moment.turn, len(self.trace.turns), moment.time, moment.status,
            self._marks(moment, mover), self._ended(moment), self._late(moment), self._stocks(moment),
            frozenset(self._edge[link] for link in links if link in self._edge), links,
            frozenset(acting), frozenset(changed - {""}),
            frozenset((self._who(event.step), ends_of(event)) for event in events if ends_of(event)),
            inside, over,
        )  # fmt: skip

    def _who(self, name: str) -> str:
        return self._node.get(("step", name)) or self._node.get(("call", name)) or ""

    def _lane(self, path: Lineage) -> tuple[Lane, str] | None:
        place = self.reading.lane_of.get(path)
        return None if place is None else (self.reading.lanes[place], self.names[place])

    def _mark(self, path: Lineage, phase: str, tip: str, tokens: int = 0, acting: bool = False) -> Mark:
        found = self._lane(path)
        if found is None:
            return Mark("?", "s", phase, "?", tip, tokens, acting)
        lane, name = found
        return Mark(lane_letter(lane, name), palette.family(lane.number), phase, name, tip, tokens, acting)

    def _marks(self, moment: Moment, mover: Lineage) -> dict[str, tuple[Mark, ...]]:
        found: dict[str, list[tuple[bool, bool, int, Mark]]] = {}
        for one in (*moment.steps, *moment.calls):
            held = moment.held.get(one.path, ())
            mark = self._mark(one.path, one.phase, self._tip(one, held), len(held), one.path == mover)
            place = self.reading.lane_of.get(one.path, -1)
            found.setdefault(self._who(one.step), []).append((one.path != mover, not held, place, mark))
        return {
            node: tuple(row[-1] for row in sorted(rows, key=lambda row: row[:3]))
            for node, rows in found.items() if node
        }  # fmt: skip

    def _tip(self, one: Standing, held: Sequence[str]) -> str:
        lang = self.lang
        found = self._lane(one.path)
        step = one.step if one.method in ("", "execute", "rpc", "handle_timeout") else f"{one.step}.{one.method}"
        phase = said(lang, "waits_for", wait=clip(visible(one.wait), 200)) if one.wait else said(lang, one.phase)
        parts = [f"{short(step)}{said(lang, 'comma')}{phase}"]
        parts += [said(lang, "holds", channel=short(channel)) for channel in held]
        return f"{found[1] if found else '?'}{said(lang, 'colon')}{said(lang, 'parts').join(parts)}"

    def _ended(self, moment: Moment) -> tuple[Mark, ...]:
        living = {self.reading.lane_of.get(one.path) for one in (*moment.steps, *moment.calls)}
        return tuple(
            Mark(
                lane_letter(lane, self.names[i]), palette.family(lane.number), "ended", self.names[i],
                f"{self.names[i]}{said(self.lang, 'colon')}{said(self.lang, 'ended')}",
            )
            for i, lane in enumerate(self.reading.lanes)
            if lane.kind != "call" and lane.start_turn <= moment.turn and i not in living
        )  # fmt: skip

    def _late(self, moment: Moment) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for code in moment.late:
            lane = self._lane(code.path)
            found.setdefault(self._who(code.step), []).append(lane[1] if lane else "?")
        return {node: tuple(names) for node, names in found.items() if node}

    def _stocks(self, moment: Moment) -> dict[str, Stock]:
        stocks: dict[str, Stock] = {}
        queues: dict[str, list[tuple[str, Cell]]] = {}
        for entry, queue in moment.channels.items():
            token = entry in self.tokens or base(entry) in self.tokens
            rows = queues.setdefault(base(entry), [])
            for message in queue:
                mark = self._mark(message.by, "", "")
                key = f"{short(entry.partition('/')[2])}{said(self.lang, 'colon')}" if "/" in entry else ""
                rows.append((entry, Cell(token, mark.label, f"{key}{value(message.value, self.lang)}")))
        values: dict[str, list[str]] = {}
        whole: dict[str, str] = {}
        for name, data in moment.attributes.items():
            key = f"{short(name.partition('/')[2])}{said(self.lang, 'colon')}" if "/" in name else ""
            values.setdefault(base(name), []).append(key + value(data, self.lang))
            told = value(data, self.lang)
            whole[base(name)] = key + (told if len(told) < VALUE_LIMIT else visible(data.text[:VALUE_LIMIT]))
        locks = {base(name): self._lane(path) for name, path in moment.locks.items()}
        for node in self.data.nodes:
            if node.sort == "channel":
                cells = tuple(cell for _, cell in queues.get(node.name, ()))
                token = node.name in self.tokens or any(base(name) == node.name for name in self.tokens)
                stocks[node.id] = Stock(cells, tip=self._queue_tip(cells), token=token)
            elif node.sort == "attribute":
                held = values.get(node.name, [])
                line = whole[node.name] if len(held) == 1 else said(self.lang, "values", n=len(held)) if held else ""
                holder = locks.get(node.name)
                lock = holder[1] if holder else "?" if node.name in locks else ""
                stocks[node.id] = Stock(value=line, tip=self._values_tip(held), lock=lock)
        return stocks

    def _queue_tip(self, cells: Sequence[Cell]) -> str:
        """The count, two values, and how many more."""
        if not cells:
            return said(self.lang, "empty")
        shown = said(self.lang, "list").join(cell.tip for cell in cells[:2])
        more = f" +{len(cells) - 2}" if len(cells) > 2 else ""
        return said(self.lang, "messages" if len(cells) > 1 else "messages_one", n=len(cells), values=shown + more)

    def _values_tip(self, held: Sequence[str]) -> str:
        shown = said(self.lang, "parts").join(held[:4])
        more = said(self.lang, "parts") + said(self.lang, "more", n=len(held) - 4) if len(held) > 4 else ""
        return shown + more if held else said(self.lang, "no_value")

    def _inside(self, moment: Moment) -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
        steps = {one.path: one.step for one in moment.steps}
        names: dict[str, tuple[str, ...]] = {}
        over: set[str] = set()
        for band in self.data.bands:
            branches = moment.inside.get(band.name, ())
            names[band.id] = tuple((self._lane(paths[0]) or (None, "?"))[1] for paths in branches)
            if len(branches) > band.limit:
                over.add(band.id)
                over.update(self._who(steps[path]) for paths in branches for path in paths if path in steps)
        return names, frozenset(over)


_SORT = {"published": "channel", "returned": "channel", "attribute_changed": "attribute"}
_ENTRY = {"published": "channel", "returned": "channel", "attribute_changed": "name"}
