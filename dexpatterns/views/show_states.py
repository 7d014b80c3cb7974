"""A run as a keyframe and what each turn changes in it, by short flat keys: what a browser folds to step through it.

| key | value |
|---|---|
| `s` | the status |
| `b/LANE` | [Step, method, phase, Channels of the tokens it holds, what it waits for, the Channels of that, node] |
| `c/CHANNEL` | [how many messages, the first of them: [token, lane, text], ...] |
| `a/ATTRIBUTE` | [value, turn of its last change, lane of that] |
| `k/LOCK` | [used, limit, holders, queue]: a holder or who waits is [lane, weight], without a weight it is all |
| `i/SECTION` | the lanes inside |
| `l` | [[lane, node, Step], ...] of code that runs on |

LANE, CHANNEL, ATTRIBUTE, LOCK and SECTION are places in the lists of those names; a phase is that of `views.moment`,
or 'ended'. A value is None where the key is gone. Everything is text that is fit to be shown. Nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dexpatterns.dex.sections import Lane, Reading
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.run import Run
from dexpatterns.engine.texts import visible
from dexpatterns.views.graph_data import GraphData, base
from dexpatterns.views.moment import Message, Moment, Standing, moment, moments
from dexpatterns.views.texts import clip, short, value

__all__ = ["States"]

CELLS, TEXTS = 9, 2
"""So many messages of a Channel are shown, so many of them with their values."""


class States:
    """`start` is the keyframe after turn 0, `deltas` what each turn changes; the lists give the keys their names.

    `still` folds the last turn alone: it is the keyframe, and no turn changes anything.
    """

    def __init__(self, run: Run, reading: Reading, data: GraphData | None, lang: str, *, still: bool = False) -> None:
        self._run, self._lang = run, lang
        self._lane_of = reading.lane_of
        self._nodes = {(node.sort, node.name): node.id for node in reversed(data.nodes)} if data is not None else {}
        self.channels: dict[str, int] = {}
        self.attributes: dict[str, int] = {}
        self.locks: dict[str, int] = {}
        self.sections = {section.name: i for i, section in enumerate(run.sections)}
        self._rows: dict[int, Standing] = {}
        self._held: Mapping[Lineage, tuple[str, ...]] = {}
        self._channels: Mapping[str, tuple[Message, ...]] = {}
        self._attributes: Mapping[str, Any] = {}
        # A Channel of tokens stands in the table from the start, empty or not.
        for name in run.tokens:
            if ("channel", name) in self._nodes or data is None:
                self._place(self.channels, name)
        self._sent: dict[str, Any] = {}
        if still:
            self.start: dict[str, Any] = self._ended(reading.lanes)
            self.start |= self._changes(moment(run.trace, None, run.sections, run.tokens), -1)
            self.deltas: list[dict[str, Any]] = [{} for _ in run.trace.turns]
            return
        states = moments(run.trace, run.sections, run.tokens)
        self.start = dict(self._changes(next(states), -1))
        self.deltas = []
        for at, turn in zip(states, run.trace.turns, strict=True):
            mover = self._lane_of.get(turn.choice.path, -1)
            self.deltas.append(dict(self._changes(at, mover)))

    def _ended(self, lanes: Iterable[Lane]) -> dict[str, Any]:
        """The rows of lanes of which nothing lives any more, as they would be if all were so."""
        return {
            f"b/{place}": [short(one.step), "", "ended", [], "", [], self.node(("step", "call"), one.step)]
            for place, one in enumerate(lanes)
        }

    def node(self, sorts: Sequence[str], name: str) -> str:
        """The id of a node in the graph, '' when it has none."""
        return next((found for sort in sorts if (found := self._nodes.get((sort, name)))), "")

    def is_token(self, channel: str) -> bool:
        """Whether its messages are tokens."""
        return channel in self._run.tokens or base(channel) in self._run.tokens

    def named(self, names: Mapping[str, int], *sorts: str) -> list[list[str]]:
        """[name, node] of each, in the order of their places."""
        return [[short(name), self.node(sorts, base(name))] for name in names]

    @staticmethod
    def _place(names: dict[str, int], name: str) -> int:
        return names.setdefault(name, len(names))

    def _changes(self, at: Moment, mover: int) -> Iterable[tuple[str, Any]]:
        """The keys that have another value than when they were sent last."""
        for key, said in self._told(at, mover):
            if self._sent.get(key, self._sent) != said:
                self._sent[key] = said
                yield key, said

    def _told(self, at: Moment, mover: int) -> Iterable[tuple[str, Any]]:
        yield "s", visible(at.status)
        yield from self._branches(at)
        yield from self._queues(at)
        yield from self._values(at, mover)
        for name in self.locks.keys() | at.locks.keys():
            held = [[self._lane_of.get(at.locks[name], -1), None]] if name in at.locks else []
            yield f"k/{self._place(self.locks, name)}", [len(held), 1, held, []]
        for name, branches in at.inside.items():
            yield f"i/{self.sections[name]}", [self._lane_of.get(paths[0], -1) for paths in branches]
        yield (
            "l",
            [
                [self._lane_of.get(code.path, -1), self.node(("step", "call"), code.step), short(code.step)]
                for code in at.late
            ],
        )

    def _branches(self, at: Moment) -> Iterable[tuple[str, Any]]:
        """Rows whose execution or tokens changed; a lane whose last execution ended keeps its Step."""
        rows = {lane: one for one in (*at.steps, *at.calls) if (lane := self._lane_of.get(one.path, -1)) >= 0}
        for lane, one in rows.items():
            held = at.held.get(one.path, ())
            before = self._rows.get(lane)
            if one is before and held == self._held.get(one.path, ()):
                continue
            channels = [self._place(self.channels, name) for name in one.channels]
            tokens = [self._place(self.channels, name) for name in held]
            node = self.node(("step", "call"), one.step)
            wait = clip(visible(one.wait), 80)
            yield f"b/{lane}", [short(one.step), one.method, one.phase, tokens, wait, channels, node]
        for lane in self._rows.keys() - rows.keys():
            step, method, *_, node = self._sent[f"b/{lane}"]
            yield f"b/{lane}", [step, method, "ended", [], "", [], node]
        self._rows, self._held = rows, at.held

    def _queues(self, at: Moment) -> Iterable[tuple[str, Any]]:
        for name in (*self.channels, *(name for name in at.channels if name not in self.channels)):
            queue = at.channels.get(name, ())
            if queue == self._channels.get(name) and name in self.channels and f"c/{self.channels[name]}" in self._sent:
                continue
            token = int(self.is_token(name))
            cells = [
                [token, self._lane_of.get(message.by, -1), value(message.value, self._lang) if n < TEXTS else ""]
                for n, message in enumerate(queue[:CELLS])
            ]
            yield f"c/{self._place(self.channels, name)}", [len(queue), *cells]
        self._channels = at.channels

    def _values(self, at: Moment, mover: int) -> Iterable[tuple[str, Any]]:
        for name in (*at.attributes, *(name for name in self._attributes if name not in at.attributes)):
            data = at.attributes.get(name)
            if data is not self._attributes.get(name):
                told = value(data, self._lang)
                yield f"a/{self._place(self.attributes, name)}", [told, at.turn, mover]
        self._attributes = at.attributes
