"""Where dot puts things: nodes, bands and lines as numbers, once for each definition.

dot is told sizes and never a name, so that no text of people's reaches it and every engine lays Chinese out like
English. Steps go down the page in the order of their decisions; Channels and Attributes stand beside whom they serve.
This module draws nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from dexpatterns.engine.texts import LANGUAGES, visible
from dexpatterns.views.dot import VARIABLE, DotError, find_dot, run_dot
from dexpatterns.views.graph_parts import STORES, VERBS, Band, Edge, GraphData, Node, within
from dexpatterns.views.graph_texts import band_words
from dexpatterns.views.texts import clip, pixels, short

__all__ = [
    "BAND_HEAD", "LONGEST", "QUEUE", "Box", "Curve", "GraphLayout", "Point", "caption", "dot_source", "edge_words",
    "fit", "lay_out", "pieces", "size_of",
]  # fmt: skip

LONGEST = 220.0
"""A node grows with its name up to here; then the middle of the name gives way."""
BAND_HEAD = 14.0
QUEUE = 24.0
"""How high a Channel's queue is; its name stands above."""
_STEP = (150.0, 36.0)
_CHANNEL = (140.0, 42.0)
_ATTRIBUTE = (130.0, 38.0)
_INCH = 72.0


class Box(NamedTuple):
    """A place: the upper left corner, and how wide and high."""

    x: float
    y: float
    w: float
    h: float

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.w / 2, self.y + self.h / 2


Point = tuple[float, float]


class Curve(NamedTuple):
    """A line: a start and three points for every cubic piece after it; `head` and `tail` are tips of arrows."""

    points: tuple[Point, ...]
    head: Point | None
    tail: Point | None
    words: Point | None = None
    """The middle of the place that is kept for its words."""


class GraphLayout(NamedTuple):
    """A picture's places, in pixels from its upper left corner, by the ids of `GraphData`."""

    width: float
    height: float
    nodes: Mapping[str, Box]
    edges: Mapping[str, Curve]
    bands: Mapping[str, Box]

    def plain(self) -> dict[str, Any]:
        """As JSON, for who draws moments in a browser: boxes are [x, y, width, height]."""
        return {
            "width": self.width,
            "height": self.height,
            "nodes": {id: list(box) for id, box in self.nodes.items()},
            "bands": {id: list(box) for id, box in self.bands.items()},
        }


def fit(said: str, size: float, room: float) -> str:
    """The text, or as much of its two ends as fits so many pixels.

    >>> fit("ReleaseContractEditToken", 12, 100)
    'Release…tToken'
    """
    if len(said) * size * 0.37 <= room and pixels(said, size) <= room:
        return said
    columns = max(int(room / (size * 0.37)), 2)
    while columns > 2 and pixels(clip(said, columns), size) > room:
        columns -= 1
    return clip(said, columns)


def caption(node: Node) -> str:
    """The node's name as it stands in the picture; the whole of it is in the tooltip."""
    return fit(visible(node.shown), 12, LONGEST - _PADDING[node.sort])


_PADDING = {
    "step": 22.0, "call": 26.0, "channel": 4.0, "attribute": 26.0, "job": 22.0, "gate": 40.0, "choice": 40.0,
    "fork": 22.0, "act": 22.0, "end": 0.0, "resource": 74.0,
}  # fmt: skip
_SIZES = {
    "step": _STEP, "call": _STEP, "channel": _CHANNEL, "attribute": _ATTRIBUTE, "job": (120.0, 36.0),
    "gate": (120.0, 34.0), "choice": (110.0, 36.0), "fork": (110.0, 24.0), "act": (90.0, 32.0), "end": (16.0, 16.0),
    "resource": (216.0, 52.0),
}  # fmt: skip


def edge_words(edge: Edge) -> str:
    """What stands beside a line of a workflow."""
    return clip(visible(edge.words), 32)


def size_of(node: Node) -> tuple[float, float]:
    """How wide and high a node is. A name is bold when its turn comes, and must fit then too."""
    least, height = _SIZES[node.sort]
    if node.sort == "end":
        return least, height
    wide = 1.07 if node.sort != "attribute" else 1.0
    return min(max(least, round(pixels(caption(node), 12) * wide + _PADDING[node.sort])), LONGEST), height


def lay_out(data: GraphData) -> GraphLayout:
    """Places for everything; equal data are laid out once. Raises `DotError`."""
    return _lay_out(dot_source(data, names=False), find_dot())


@lru_cache(maxsize=128)
def _lay_out(source: str, program: str) -> GraphLayout:
    answer = run_dot(source, program=program)
    try:
        return _read(json.loads(answer))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DotError(
            f"{program!r} did not answer with a layout but {answer[:60]!r}; name a dot of Graphviz in {VARIABLE}"
        ) from None


# What dot is told.


def dot_source(data: GraphData, *, names: bool = True) -> str:
    """The DOT text: with the names for people, without them what is laid out."""
    from graphviz import Digraph

    graph = Digraph(
        _label(data.name) if names else None,
        graph_attr={"compound": "true", "nodesep": "0.4", "ranksep": "0.55"},
        node_attr={"shape": "box", **({"style": "rounded"} if names else {"fixedsize": "true", "label": ""})},
        edge_attr={"arrowsize": "0.8"},
    )
    # dot begins its search with the order in which it meets the nodes; this one crosses least over the catalog.
    for band in data.bands:
        if not band.outer:
            _add_band(graph, band, data, names)
    banded = {id for band in data.bands for id in band.members}
    routes = {edge.head for edge in data.edges if edge.line == "fail"}
    for node in sorted(data.nodes, key=lambda node: (node.sort in STORES, node.id in routes)):
        if node.id not in banded:
            graph.node(node.id, **_node(node, names))
    ranks = _Ranks(data)
    for edge in data.edges:
        said = {**_edge(edge, names), **ranks.of(edge)}
        ends = [edge.tail, edge.head]
        if ranks.runs_back(edge):
            # Told the other way round, so that it is as short as one that runs down; the arrow stays where it was.
            ends.reverse()
            said["dir"] = "both" if edge.both else "back"
        if edge.band:
            said["ltail" if ends[0] in within(data.bands, edge.band) else "lhead"] = f"cluster_{edge.band}"
        graph.edge(*ends, **said)
    for lock, entry in _hung(data):
        graph.edge(lock, entry, style="invis", weight="2")
    return str(graph.source)


def _hung(data: GraphData) -> Iterator[tuple[str, str]]:
    """Locks stand over the workflows that ask for them, however deep inside: (lock, first instruction)."""
    for band in data.bands:
        if band.sort == "workflow":
            inside = within(data.bands, band.id)
            entry = next(node.id for node in data.nodes if node.id in inside)
            asked = {edge.tail: None for edge in data.edges if edge.line == "data" and edge.head in inside}
            yield from ((lock, entry) for lock in asked)


def _add_band(graph: Any, band: Band, data: GraphData, names: bool) -> None:
    with graph.subgraph(name=f"cluster_{band.id}") as box:
        box.attr(**_band(band, names))
        for node in data.nodes:
            if node.id in band.members:
                box.node(node.id, **_node(node, names))
        for inner in data.bands:
            if inner.outer == band.id:
                _add_band(box, inner, data, names)


def _label(name: str) -> str:
    """A name as dot reads it: neither escapes nor entities nor markup, and of a long one the middle gives way."""
    from graphviz import escape

    kept: str = escape(short(name).replace("&", "&amp;"))
    return kept


def _node(node: Node, names: bool) -> dict[str, str]:
    width, height = size_of(node)
    if not names:
        return {"width": f"{width / _INCH:.3f}", "height": f"{height / _INCH:.3f}"}
    shape = _SHAPES.get(node.sort, "box")
    return {"label": _label(node.shown), "shape": shape, **({"peripheries": "2"} if node.sort == "call" else {})}


_SHAPES = {"channel": "cds", "attribute": "note", "choice": "diamond", "end": "circle", "resource": "cylinder"}


def _band(band: Band, names: bool) -> dict[str, str]:
    if names:
        label = band.name or band_words(band, "en")
        return {"label": _label(label), "labeljust": "l", "style": "filled,rounded", "color": "#EDF2F7"}
    wide = 150.0
    if band.sort != "section":  # the same place in every language
        # With room beside the words for a line that enters.
        wide = min(1.5 * max(pixels(band_words(band, lang), 10) for lang in LANGUAGES) + 20, _WIDEST[band.sort])
    head = BAND_HEAD if band.sort in ("section", "workflow") else BAND_HEAD + 6
    return {"label": _room(wide, head), "labeljust": "l", "margin": "14" if band.sort == "section" else "12"}


_WIDEST = {"workflow": LONGEST, "lock": 260.0, "try": 280.0, "options": 260.0}


def _room(width: float, height: float) -> str:
    """An empty table of fixed size: it keeps the place of words."""
    size = f'WIDTH="{width:.0f}" HEIGHT="{height:g}"'
    return f'<<TABLE BORDER="0" FIXEDSIZE="TRUE" {size}><TR><TD></TD></TR></TABLE>>'


_STYLES = {"go": "solid", "fail": "dashed", "cancel": "solid", "data": "dotted"}


def _edge(edge: Edge, names: bool) -> dict[str, str]:
    said = {"dir": "both"} if edge.both else {}
    if not names:
        words = {"label": _room(pixels(edge_words(edge), 11) + 6, 14)} if edge.words else {}
        return {"id": edge.id, **said, **words}
    said |= {"label": _label(edge.words)} if edge.words else {}
    return {"style": _STYLES[edge.line], **({"arrowhead": "tee"} if edge.line == "cancel" else {}), **said}


class _Ranks:
    """Which lines push down, and how hard: the first way on is straight, what runs back pushes nothing."""

    def __init__(self, data: GraphData) -> None:
        self.ways: dict[str, list[str]] = {}
        self.users: dict[str, list[str]] = {}
        names = {node.name: node.id for node in reversed(data.nodes) if node.sort not in STORES}
        come: set[str] = set()
        self.straight: set[str] = set()
        for edge in data.edges:
            if edge.line in ("go", "fail"):
                first = edge.tail not in self.ways
                self.ways.setdefault(edge.tail, []).append(edge.head)
                if edge.line == "go" and edge.head not in come and first:
                    self.straight.add(edge.id)
                come.add(edge.head)
            for link in edge.links:
                if VERBS[link.verb].inward and link.who in names:
                    self.users.setdefault(edge.tail, []).append(names[link.who])
        self.reach: dict[str, frozenset[str]] = {}
        outward = [e for e in data.edges if e.line == "data" and not any(VERBS[verb].inward for verb in e.verbs)]
        self.fed = {edge.head for edge in outward}
        self.back = {edge.head for edge in outward if self.runs_back(edge)}

    def of(self, edge: Edge) -> dict[str, str]:
        if set(edge.verbs) == {"retry"}:
            return {"constraint": "false"}
        if edge.verbs == ("catch",):
            return {"weight": "1"}
        if edge.line == "data" and VERBS[edge.verbs[0]].sort == "resource":
            return {"weight": "0"}
        if edge.line == "go":
            return {"weight": "20" if edge.id in self.straight else "2"}
        if edge.line == "fail":
            return {"minlen": "0"}
        if edge.line == "cancel":
            return {"constraint": "false"}
        if edge.both or any(VERBS[verb].inward for verb in edge.verbs):
            below = edge.tail in self.fed and edge.tail not in self.back
            return {"weight": "3"} if below else {"minlen": "0", "weight": "3"}
        return {"weight": "4" if self.runs_back(edge) else "3"}

    def runs_back(self, edge: Edge) -> bool:
        """Whether somebody further up waits for what is published here, or reads what is written."""
        if edge.line != "data" or any(VERBS[verb].inward for verb in edge.verbs):
            return False
        return any(edge.tail == user or edge.tail in self._reached(user) for user in self.users.get(edge.head, ()))

    def _reached(self, start: str) -> frozenset[str]:
        if start not in self.reach:
            found: set[str] = set()
            todo = [start]
            while todo:
                for node in self.ways.get(todo.pop(), ()):
                    if node not in found:
                        found.add(node)
                        todo.append(node)
            self.reach[start] = frozenset(found)
        return self.reach[start]


# What dot answers.


def _read(told: Mapping[str, Any]) -> GraphLayout:
    """Turn dot's answer over: it counts from the lower left corner, in points, which are pixels here."""
    _, _, width, height = _numbers(told["bb"])
    nodes: dict[str, Box] = {}
    bands: dict[str, Box] = {}
    for one in told.get("objects", ()):
        name = one["name"]
        if name.startswith("cluster_"):
            if "bb" in one:
                x, y, right, top = _numbers(one["bb"])
                bands[name.removeprefix("cluster_")] = Box(x, height - top, right - x, top - y)
        elif "pos" in one:
            x, y = _numbers(one["pos"])
            w, h = float(one["width"]) * _INCH, float(one["height"]) * _INCH
            nodes[name] = Box(x - w / 2, height - y - h / 2, w, h)
    edges = {}
    for one in told.get("edges", ()):
        if "pos" in one and "id" in one:
            words = _numbers(one["lp"]) if "lp" in one else None
            curve = _curve(one["pos"], height)
            edges[one["id"]] = curve._replace(words=(words[0], height - words[1])) if words else curve
    return GraphLayout(width, height, nodes, edges, bands)


def _numbers(said: str) -> list[float]:
    return [float(part) for part in said.split(",")]


def _curve(said: str, height: float) -> Curve:
    tips: dict[str, Point] = {}
    points: list[Point] = []
    for part in said.replace(";", " ").split():
        end, comma, rest = part.partition(",")
        if end in ("s", "e") and comma:
            x, y = _numbers(rest)
            tips[end] = (x, height - y)
        else:
            x, y = _numbers(part)
            points.append((x, height - y))
    return Curve(tuple(points), tips.get("e"), tips.get("s"))


def pieces(points: Iterable[Point]) -> Iterator[tuple[Point, Point, Point]]:
    """The cubic pieces after the first point."""
    rest = iter(list(points)[1:])
    yield from zip(rest, rest, rest, strict=False)
