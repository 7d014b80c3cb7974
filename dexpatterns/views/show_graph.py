"""The graph for a browser: its picture once, without a moment, and what each turn lit up in it.

Where somebody stands and what lies in a queue is folded from the states of the run; here are the places to draw that
at. Without dot, and for a machine that has no graph, there is a sentence in its place.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from dexpatterns.engine.run import Run
from dexpatterns.errors import InputError
from dexpatterns.views import graph_of_run
from dexpatterns.views.graph import GraphView
from dexpatterns.views.graph_data import GraphData, base, ends_of, links_of
from dexpatterns.views.texts import short

__all__ = ["Drawn", "draw_graph", "uses"]

_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
_CHANGES = {"published": ("channel", "channel"), "returned": ("channel", "channel"),
            "attribute_changed": ("attribute", "name")}  # fmt: skip
"""By kind of event: the sort of the node that it changes, and the field that names it."""


class Drawn(NamedTuple):
    """`data` is None where there is no graph; `show` is its part of the show: {svg, nodes, bands} or {why}."""

    data: GraphData | None
    show: dict[str, Any]


def draw_graph(run: Run, lang: str, flow: Any, limits: dict[str, int], limit: int) -> Drawn:
    """The picture without a moment; its styles are left out, since every picture of a stepper shares them."""
    most = max(limits.values(), default=limit)
    try:
        data = graph_of_run(run, None, lang=lang, flow=flow, limit=most).data
    except InputError as error:  # no graph is known of this machine
        return Drawn(None, {"why": str(error)})
    view = GraphView(data, lang=lang)
    try:
        layout = view.layout.plain()
        svg = _STYLE.sub("", view.picture(frame=False), count=1)
    except InputError as error:  # no dot
        return Drawn(data, {"why": str(error)})
    boxes = layout["nodes"]
    places = {
        node.id: [node.sort, short(node.shown), *map(round, boxes[node.id])] for node in data.nodes if node.id in boxes
    }
    bands = [
        [band.id, short(band.name), limits.get(band.name, band.limit)]
        for band in data.bands
        if band.id in layout["bands"] and band.sort == "section"
    ]
    for band in bands:
        band += map(round, layout["bands"][band[0]])
    return Drawn(data, {"svg": svg, "nodes": places, "bands": bands})


def uses(run: Run, data: GraphData | None, *, still: bool = False) -> list[list[list[str]]]:
    """Of each turn: the nodes that acted or changed, the edges that were used, and `node end` of the paths it ended.

    `still` asks for the last turn alone.
    """
    if data is None:
        return []
    nodes = {(node.sort, node.name): node.id for node in reversed(data.nodes)}
    edges = {link: edge.id for edge in data.edges for link in edge.links}

    def who(name: str) -> str:
        return nodes.get(("step", name)) or nodes.get(("call", name)) or ""

    made: list[list[list[str]]] = [[[], [], []] for _ in run.trace.turns[:-1]] if still else []
    for turn in run.trace.turns[-1:] if still else run.trace.turns:
        now: dict[str, None] = {}
        used: dict[str, None] = {}
        ends: dict[str, None] = {}
        events: tuple[Any, ...] = turn.events
        for event in events:
            if event.kind != "step_started" and getattr(event, "path", None) == turn.choice.path:
                now[who(getattr(event, "step", ""))] = None
            if event.kind in _CHANGES:
                sort, field = _CHANGES[event.kind]
                now[nodes.get((sort, base(getattr(event, field))), "")] = None
            elif event.kind == "wait_completed":
                now.update(dict.fromkeys(nodes.get(("channel", base(channel)), "") for channel, _ in event.taken))
            used.update((edges[link], None) for link in links_of(event) if link in edges)
            if ends_of(event):
                ends[f"{who(event.step)} {ends_of(event)}"] = None
        now.pop("", None)
        made.append([list(now), list(used), list(ends)])
    return made
