"""What a graph is made of, as records: nodes, edges and bands with no place and no colour, and the verbs of links.

A Flow and a workflow are told in the same records; which is which is said by the sorts of nodes. Nothing is read from
a definition or a run here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

__all__ = [
    "ENDS", "STORES", "VERBS", "Band", "Edge", "GraphData", "Line", "Link", "Node", "Outline", "Verb", "within",
]  # fmt: skip


class Verb(NamedTuple):
    """How a link is drawn: its line, the sort of node at its other end, and whether it points at who acts."""

    line: str
    """'go', 'fail', 'cancel' or 'data'."""
    sort: str
    inward: bool = False


VERBS: dict[str, Verb] = {
    "go_to": Verb("go", "step"),
    "fallback": Verb("go", "step"),
    "route": Verb("fail", "step"),
    "cancel": Verb("cancel", "step"),
    "publish": Verb("data", "channel"),
    "consume": Verb("data", "channel", inward=True),
    "size": Verb("data", "channel", inward=True),
    "write": Verb("data", "attribute"),
    "read": Verb("data", "attribute", inward=True),
    "lock": Verb("data", "attribute", inward=True),
    "next": Verb("go", "step"),
    "branch": Verb("go", "step"),
    "retry": Verb("go", "step"),
    "catch": Verb("fail", "step"),
    "acquire": Verb("data", "resource", inward=True),
    "queue": Verb("data", "resource", inward=True),
    "release": Verb("data", "resource"),
}

STORES = ("channel", "attribute", "resource")
"""The sorts of nodes in which something lies; the others act."""

ENDS = (
    "dead_end", "graceful_complete", "force_complete", "force_complete_if_channels_empty", "force_fail", "order_fails",
)  # fmt: skip
"""The decisions that start nothing; and an order that fails."""


class Link(NamedTuple):
    """Somebody does something to something, by their names: Step or RPC, verb, Step or Channel or Attribute.

    Of a JS7 workflow: instruction, verb, instruction or lock.
    """

    who: str
    verb: str
    what: str


class Node(NamedTuple):
    """Something with a name. `sort`: 'step', 'call' (an RPC or the timeout handler), 'channel' or 'attribute'.

    Of a JS7 workflow: 'job', 'gate' (a Lock), 'choice' (an If), 'fork' (its begin or its end), 'act' (any other
    instruction), 'end', or 'resource' (a lock).
    """

    id: str
    sort: str
    name: str
    start: bool = False
    waits: bool = False
    """It has a `wait_for`."""
    keyed: bool = False
    """A family with keys: a ChannelMap, an AttributeMap."""
    read: bool = True
    """False when a part of its handlers' source could not be read: there may be more edges than are drawn."""
    ends: tuple[str, ...] = ()
    found: bool = False
    """Seen in the run alone."""
    said: str = ""
    """What stands in the picture, where that is not the name: an instruction's name is its place."""
    limit: int = 0
    """How much there is of a lock."""

    @property
    def shown(self) -> str:
        """What stands in the picture."""
        return self.said or self.name


class Edge(NamedTuple):
    """A line from node `tail` to node `head`, for all of its links."""

    id: str
    line: str
    tail: str
    head: str
    links: tuple[Link, ...]
    band: str = ""
    """The band at whose frame it begins or ends, when it stands for several of its Steps."""
    both: bool = False
    """It points both ways: something is read and written."""
    times: tuple[int, int] | None = None
    """How many executions one result started along it in the run, at least and at most."""
    found: bool = False
    words: str = ""
    """Which case or branch of an instruction it is."""

    @property
    def verbs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(link.verb for link in self.links))

    @property
    def actors(self) -> tuple[str, ...]:
        """The names of those who act along it."""
        return tuple(dict.fromkeys(link.who for link in self.links))


class Band(NamedTuple):
    """A section: the Steps in which only so many branches should be at once. Or a block of a JS7 workflow."""

    id: str
    name: str
    members: tuple[str, ...]
    limit: int
    sort: str = "section"
    """Or 'workflow', 'lock', 'try', 'options'."""
    outer: str = ""
    """The band that this one lies in."""
    shares: tuple[tuple[str, int | None, int], ...] = ()
    """What is held inside: (lock, weight, limit); no weight is all of it, no limit is known as 0."""


class Line(NamedTuple):
    """A line of a definition that reads as nested blocks: an instruction, or a word such as `Catch`."""

    depth: int
    node: str
    """Its id, '' of a word alone."""
    said: str
    sort: str = ""
    """'workflow' or 'branch', '' for the rest."""


class GraphData(NamedTuple):
    """All that is drawn. `known` is False when no definition was at hand, so that all of it is found in a run."""

    name: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    bands: tuple[Band, ...]
    known: bool = True
    lines: tuple[Line, ...] = ()
    """Of nested blocks, as they are read; empty where Steps are listed one by one."""
    places: Mapping[Any, str] = MappingProxyType({})
    """Of a machine whose places are no names: the node in which one is drawn, by its place."""

    @property
    def names(self) -> Mapping[str, str]:
        """What is said instead of a node's name, by name."""
        return {node.name: node.said for node in self.nodes if node.said}


class Outline(NamedTuple):
    """What a definition is made of."""

    name: str
    nodes: tuple[Node, ...]
    """Without ids."""
    links: tuple[Link, ...]
    bands: tuple[Band, ...] = ()
    """Blocks, outer before inner; their members are names."""
    words: Mapping[Link, str] = MappingProxyType({})
    lines: tuple[Line, ...] = ()
    """With names in place of ids, as are the values of `places`."""
    places: Mapping[Any, str] = MappingProxyType({})
    leaves: Mapping[Link, str] = MappingProxyType({})
    """By link the band at whose frame it begins."""
    known: bool = True
    """False of what is only found in a run."""


def within(bands: Iterable[Band], id: str) -> frozenset[str]:
    """The nodes in a band, those in bands inside of it too."""
    bands = tuple(bands)
    inside = {id}
    for band in bands:  # outer before inner
        if band.outer in inside:
            inside.add(band.id)
    return frozenset(member for band in bands if band.id in inside for member in band.members)
