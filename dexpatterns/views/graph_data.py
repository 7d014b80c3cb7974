"""The picture of a definition or a run as data: nodes, edges and bands, with no place and no colour yet.

Everything comes from what the machine itself runs on: what it compiled of a definition, and the events of a run. What
a run shows and the definition's source does not is added and marked as found. A machine is drawn once it can say its
`Outline`, and what its events use as `Link`s: those of a Flow each by itself, those of orders as `js7_scene` follows
them. Nothing else here knows which machine it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from dexpatterns.dex.definition import FlowSpec
from dexpatterns.dex.options import StepOptions
from dexpatterns.dex.sections import SectionLike
from dexpatterns.engine.trace import Trace
from dexpatterns.errors import InputError
from dexpatterns.views.graph_parts import (
    ENDS,
    STORES,
    VERBS,
    Band,
    Edge,
    GraphData,
    Link,
    Node,
    Outline,
)

__all__ = ["GraphData", "Link", "base", "ends_of", "graph_data", "links_of", "outline"]


def base(entry: str) -> str:
    """The definition that an entry such as `name/key` belongs to."""
    return entry.partition("/")[0]


# Of a definition.


def outline(definition: Any) -> Outline:
    """What is drawn of a compiled definition, or is told already; raises `InputError` for one that nobody can draw."""
    for kind, tell in _OUTLINES:
        if isinstance(definition, kind):
            return tell(definition)
    raise InputError(f"a {type(definition).__name__} cannot be drawn; expected a Flow, or the items of JS7 workflows")


def _flow_outline(spec: FlowSpec) -> Outline:
    whole = {(edges.step, edges.method) for edges in spec.routes if edges.complete}
    # Options that come with a movement belong to the Step that is started, and the source does not say which one.
    loose = {edges.step for edges in spec.routes if any(kind == "route" for _, kind in edges.goes_to)}
    ends = {edges.step: edges.decisions for edges in spec.routes if edges.method != "wait_for"}
    handlers: dict[str, list[str]] = {}
    for edges in spec.routes:
        handlers.setdefault(edges.step, []).append(edges.method)

    def who(sort: str, name: str, start: bool = False, waits: bool = False) -> Node:
        read = name not in loose and all((name, method) in whole for method in handlers.get(name, ()))
        known = tuple(e for e in ENDS if e in ends.get(name, ()))
        return Node("", sort, name, start, waits, read=read, ends=known)

    nodes = [who("step", step.name, start=step is spec.start, waits=step.has_wait) for step in spec.steps]
    nodes += [who("call", name) for name in spec.rpcs]
    if spec.handle_timeout is not None:
        nodes.append(who("call", "handle_timeout"))
    nodes += [Node("", "channel", name, keyed=spec.is_map(one)) for name, one in spec.channels.items()]
    nodes += [Node("", "attribute", name, keyed=spec.is_map(one)) for name, one in spec.attributes.items()]
    return Outline(spec.name, tuple(nodes), tuple(dict.fromkeys(_flow_links(spec))))


_SAME = {"go_to_many": "go_to", "rpc": "go_to", "cancel_sibling": "cancel", "start": ""}
"""Words for what is drawn alike."""


def _flow_links(spec: FlowSpec) -> Iterator[Link]:
    for edges in spec.routes:
        who = edges.step
        for cls, kind in edges.goes_to:
            step = spec.by_class.get(cls)
            if step is not None and kind != "route":
                yield Link(who, _SAME.get(kind, kind), step.name)
        yield from (Link(who, "publish", name) for name in edges.publishes)
        yield from (Link(who, "consume", name) for name in edges.consumes)
        yield from (_reading(who, name) for name in edges.reads)
        yield from (Link(who, "write", name) for name in edges.writes)
    for step in spec.steps:
        for lock in (*step.options.wait_for_lock_attributes, *step.options.execute_lock_attributes):
            yield Link(step.name, "lock", lock.definition.name)
        yield from _routes(spec, step.name, step.options)
    for rpc in spec.rpcs.values():
        yield from (Link(rpc.name, "lock", base(lock)) for lock in rpc.locks)


def _routes(spec: FlowSpec, who: str, options: StepOptions) -> Iterator[Link]:
    if options.execute_failure_route is not None:
        cls, further = options.execute_failure_route
        target = spec.by_class[cls].name
        yield Link(who, "route", target)
        if further is not None:
            yield from _routes(spec, target, further)


_SIZE = "size of "


def _reading(who: str, name: str) -> Link:
    sized = name.startswith(_SIZE)
    return Link(who, "size" if sized else "read", base(name.removeprefix(_SIZE)))


_OUTLINES: tuple[tuple[type[Any], Callable[[Any], Outline]], ...] = (
    (FlowSpec, _flow_outline),
    (Outline, lambda told: told),
)
"""What each machine compiles a definition into, and how that is told; another machine brings its own line."""


# Of a run.


def links_of(event: Any) -> Iterable[Link]:
    """What an event says was used: edges that a turn lights, and that a run shows to be there."""
    tell = _LINKS.get(event.kind)
    return tell(event) if tell is not None else ()


def ends_of(event: Any) -> str:
    """The decision that a saved result ended its path with, '' for any other event."""
    return event.decision if event.kind == "saved" and event.decision in ENDS else ""


def _started(event: Any) -> Iterable[Link]:
    verb = _SAME.get(event.why, event.why)
    return (Link(event.by, verb, event.step),) if verb in VERBS and event.by else ()


_LINKS: Mapping[str, Callable[[Any], Iterable[Link]]] = {
    "step_started": _started,
    "cancelled": lambda e: (Link(e.by_step, "cancel", e.step),),
    "published": lambda e: (Link(e.step, "publish", base(e.channel)),),
    "wait_completed": lambda e: [Link(e.step, "consume", base(channel)) for channel, _ in e.taken],
    "began": lambda e: [
        *(_reading(e.step, name) for name, _ in e.reads),
        *(Link(e.step, "lock", base(lock)) for lock in e.locks),
    ],
    "attribute_changed": lambda e: (Link(e.step, "write", base(e.name)),),
}
"""By the kind of an event; another machine's kinds join these."""


class _Seen:
    """What a run shows: who took part, what was used, and how many were started at once."""

    def __init__(self, trace: Trace) -> None:
        self.nodes: dict[tuple[str, str], Node] = {}
        self.links: dict[Link, None] = {}
        self.ends: dict[str, dict[str, None]] = {}
        self.counts: dict[Link, tuple[int, int]] = {}
        """How many executions one result started along a link, of those who ever start several."""
        fans: set[str] = set()
        self._take(trace.started, fans)
        for turn in trace.turns:
            self._take(turn.events, fans)
        self.counts = {link: n for link, n in self.counts.items() if link.who in fans}

    def _take(self, events: Iterable[Any], fans: set[str]) -> None:
        together: dict[Link, int] = {}
        for event in events:
            self._meet(event)
            for link in links_of(event):
                self.links[link] = None
                if link.verb == "go_to":
                    together[link] = together.get(link, 0) + 1
            if event.kind == "waiting":
                self.links.update({Link(event.step, "consume", base(channel)): None for channel in event.channels})
            if end := ends_of(event):
                self.ends.setdefault(event.step, {})[end] = None
        for link, n in together.items():
            low, high = self.counts.get(link, (n, n))
            self.counts[link] = (min(low, n), max(high, n))
        if sum(together.values()) > 1:
            fans.update(link.who for link in together)

    def _meet(self, event: Any) -> None:
        kind = event.kind
        if kind == "step_started":
            self._node("step", event.step, start=event.why == "start")
        elif kind == "began":
            self._node("step" if event.method in ("execute", "wait_for") else "call", event.step)
            if event.method == "wait_for":
                self.nodes["step", event.step] = self.nodes["step", event.step]._replace(waits=True)
        for link in links_of(event):
            self._node(VERBS[link.verb].sort, link.what)
        if kind == "waiting":
            for channel in event.channels:
                self._node("channel", base(channel), keyed="/" in channel)
        elif kind in ("published", "attribute_changed"):
            entry = event.channel if kind == "published" else event.name
            self._node("channel" if kind == "published" else "attribute", base(entry), keyed="/" in entry)

    def _node(self, sort: str, name: str, start: bool = False, keyed: bool = False) -> None:
        known = self.nodes.get((sort, name))
        if known is None:
            self.nodes[sort, name] = Node("", sort, name, start=start, keyed=keyed)
        elif keyed and not known.keyed:
            self.nodes[sort, name] = known._replace(keyed=True)


# Together.


def graph_data(
    definition: Any = None, trace: Trace | None = None, sections: Iterable[SectionLike] = (), limit: int = 1
) -> GraphData:
    """The data of a definition, of a run, or of both: then what only the run shows is marked as found.

    Raises `InputError` when the run is one of another definition.
    """
    told = outline(definition) if definition is not None else None
    if told is None and trace is None:
        raise InputError("expected a definition or a run, got neither")
    if told is not None and trace is not None and told.name != trace.name:
        raise InputError(f"this is a run of {trace.name!r}, and no run of {told.name!r}; pass the Flow that ran")
    # Only a Flow's source may hide something that a run shows; workflows are data, and known as a whole.
    seen = _Seen(trace) if trace is not None and trace.machine == "dex" else None
    nodes = _nodes(told, seen)
    known = dict.fromkeys(told.links, False) if told is not None else {}
    for link in seen.links if seen is not None else ():
        known.setdefault(link, told is not None)
    bands = _bands(nodes, sections, limit)
    edges = _edges(nodes, known, seen.counts if seen is not None else {})
    edges = _gathered(edges, bands)
    name = told.name if told is not None else trace.name if trace is not None else ""
    if told is not None and told.lines:
        return _nested(told, nodes, edges)
    return GraphData(name, tuple(nodes), _numbered(edges), bands, told is not None)


def _numbered(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    return tuple(edge._replace(id=f"e{i}") for i, edge in enumerate(edges))


def _nested(told: Outline, nodes: Sequence[Node], edges: Iterable[Edge]) -> GraphData:
    """Of nested blocks: what an outline says by names, by ids."""
    ids = {node.name: node.id for node in nodes if node.sort not in STORES}
    bands = tuple(band._replace(members=tuple(ids[name] for name in band.members)) for band in told.bands)
    words = (", ".join(dict.fromkeys(filter(None, map(told.words.get, edge.links)))) for edge in edges)
    made = [
        edge._replace(words=said, band=next(filter(None, map(told.leaves.get, edge.links)), ""))
        for edge, said in zip(edges, words, strict=True)
    ]
    lines = tuple(line._replace(node=ids.get(line.node, "")) for line in told.lines)
    places = {place: ids[name] for place, name in told.places.items()}
    return GraphData(told.name, tuple(nodes), _numbered(made), bands, told.known, lines, places)


def _nodes(told: Outline | None, seen: _Seen | None) -> list[Node]:
    """Those of the definition first, in its order, so that a run moves none of their ids."""
    nodes = {(node.sort, node.name): node for node in told.nodes} if told is not None else {}
    for key, node in seen.nodes.items() if seen is not None else ():
        nodes.setdefault(key, node._replace(found=told is not None))
    order = {"call": 1, "channel": 2, "attribute": 3, "resource": 4}
    ends = seen.ends if seen is not None else {}
    made = []
    for i, node in enumerate(sorted(nodes.values(), key=lambda node: (node.found, order.get(node.sort, 0)))):
        more = {*node.ends, *ends.get(node.name, ())} if node.sort not in STORES else ()
        made.append(node._replace(id=f"n{i}", ends=tuple(end for end in ENDS if end in more)))
    return made


def _edges(nodes: Iterable[Node], links: Mapping[Link, bool], counts: Mapping[Link, Any]) -> list[Edge]:
    """An edge for all links of one line between two nodes; what a run alone shows has its own, behind the others."""
    stores = {(node.sort, node.name): node.id for node in nodes}
    actors = {node.name: node.id for node in reversed(tuple(nodes)) if node.sort not in STORES}
    found: dict[tuple[bool, str, frozenset[str] | tuple[str, str]], list[Link]] = {}
    ends: dict[Link, tuple[str, str]] = {}
    for link, new in links.items():
        verb = VERBS[link.verb]
        actor = actors.get(link.who)
        other = stores.get((verb.sort, link.what)) if verb.sort in STORES else actors.get(link.what)
        if actor is None or other is None:
            continue
        ends[link] = (actor, other)
        pair = frozenset((actor, other)) if verb.line == "data" else (actor, other)
        line = f"{verb.line}:{link.verb}" if link.verb == "fallback" else verb.line
        found.setdefault((new, line, pair), []).append(link)
    edges = []
    for (new, line, _), together in sorted(found.items(), key=lambda item: item[0][0]):
        actor, other = ends[together[0]]
        inward = any(VERBS[link.verb].inward for link in together)
        both = inward and not all(VERBS[link.verb].inward for link in together)
        tail, head = (other, actor) if inward else (actor, other)
        times = next((counts[link] for link in together if link in counts), None)
        edges.append(
            Edge("", line.partition(":")[0], tail, head, tuple(together), both=both, times=times, found=new)
        )  # fmt: skip
    return edges


def _bands(nodes: Iterable[Node], sections: Iterable[SectionLike], limit: int) -> tuple[Band, ...]:
    """A band for each section; a Step that two of them name stands in the first."""
    ids = {node.name: node.id for node in nodes if node.sort == "step"}
    taken: set[str] = set()
    bands = []
    for i, section in enumerate(sections):
        members = tuple(ids[step] for step in section.steps if step in ids and ids[step] not in taken)
        taken.update(members)
        if members:
            bands.append(Band(f"b{i}", section.name, members, limit))
    return tuple(bands)


_WEB = {"data": 2, "cancel": 2, "fail": 3}
"""From how many lines on those between a band's Steps and one node outside are drawn as one."""


def _gathered(edges: list[Edge], bands: Iterable[Band]) -> list[Edge]:
    """What several Steps of a band do to one node outside becomes one line that leaves, or enters, its frame."""
    for band in bands:
        groups: dict[Any, list[int]] = {}
        for i, edge in enumerate(edges):
            inside = (edge.tail in band.members, edge.head in band.members)
            if edge.line in _WEB and not edge.band and inside[0] != inside[1]:
                other = edge.head if inside[0] else edge.tail
                groups.setdefault((edge.line, inside, other, edge.both, edge.found), []).append(i)
        merged: dict[int, Edge] = {}
        gone: set[int] = set()
        for (line, inside, *_), places in groups.items():
            if len(places) >= _WEB[line]:
                # The line leaves from the last of the Steps and enters at the first one.
                shown = edges[places[-1 if inside[0] else 0]]
                links = tuple(link for i in places for link in edges[i].links)
                merged[places[0]] = shown._replace(links=links, band=band.id)
                gone.update(places[1:])
        edges = [merged.get(i, edge) for i, edge in enumerate(edges) if i not in gone]
    return edges
