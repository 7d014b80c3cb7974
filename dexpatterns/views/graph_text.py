"""The graph as plain text, for a terminal, a doctest or a screen reader: it says what the picture shows.

A list of Steps with what they do, of Channels and Attributes with what they hold, and of sections with who is inside.
"""

from __future__ import annotations

from collections.abc import Iterator

from dexpatterns.engine.texts import visible
from dexpatterns.views.graph_parts import Edge, GraphData, Node
from dexpatterns.views.graph_scene import Mark, Scene
from dexpatterns.views.graph_texts import limit_of, said, told
from dexpatterns.views.texts import duration, short

__all__ = ["render"]


def render(data: GraphData, scene: Scene | None, lang: str) -> str:
    """The text."""
    lines = [_head(data, scene, lang)]
    if not data.known:
        lines.append(f"  {said(lang, 'unknown')}")
    if data.lines:
        lines += _nested(data, scene, lang)
    for sort, title in (
        ("step", "steps"), ("call", "calls"), ("channel", "channels"), ("attribute", "attributes"),
        ("resource", "resources"),
    ):  # fmt: skip
        nodes = [node for node in data.nodes if node.sort == sort]
        if nodes:
            lines.append(said(lang, title))
            for node in nodes:
                lines += _node(node, data, scene, lang)
    if data.bands and not data.lines:
        lines.append(said(lang, "sections"))
        lines += [f"  {line}" for line in _bands(data, scene, lang)]
    for key, marks in (("coming", scene.coming), ("ended", scene.ended)) if scene is not None else ():
        if marks:
            lines.append(f"{said(lang, key)}{said(lang, 'colon')}{said(lang, 'list').join(map(_who, marks))}")
    if scene is not None and scene.links:
        lines.append(said(lang, "this_turn"))
        lines += [f"  {told(lang, link, data.names)}" for link in scene.links]
    return "\n".join(line.rstrip() for line in lines)


def _nested(data: GraphData, scene: Scene | None, lang: str) -> Iterator[str]:
    """A workflow as it reads, and who is at which of its instructions."""
    for line in data.lines:
        text = said(lang, "workflow", name=short(line.said)) if line.sort == "workflow" else short(line.said)
        yield "  " * line.depth + text + (said(lang, "colon").rstrip() if line.sort == "branch" else "")
        for mark in scene.marks.get(line.node, ()) if scene is not None and line.node else ():
            yield "  " * line.depth + f"    [{mark.label}] {mark.tip}"


def _head(data: GraphData, scene: Scene | None, lang: str) -> str:
    if scene is None:
        return short(data.name)
    turn = said(lang, "turn_of", n=scene.turn, all=scene.turns) if scene.turn else said(lang, "at_start")
    parts = [turn, *([duration(scene.time)] if scene.time is not None else []), visible(scene.status)]
    return f"{short(data.name)}{said(lang, 'colon')}{said(lang, 'comma').join(parts)}"


def _node(node: Node, data: GraphData, scene: Scene | None, lang: str) -> Iterator[str]:
    marks = [said(lang, "start")] * node.start + [said(lang, "found")] * node.found
    marks += [] if node.read else [said(lang, "unread")]
    stock = scene.stocks.get(node.id) if scene is not None else None
    held = ""
    if stock is not None:
        held = said(lang, "colon") + stock.tip
        held += f"{said(lang, 'parts')}{said(lang, 'locked_by', who=stock.lock)}" if stock.lock else ""
    elif node.sort == "resource":
        held = said(lang, "colon") + said(lang, "capacity", limit=f"{node.limit:,}")
    noted = said(lang, "note", note=said(lang, "comma").join(marks)) if marks else ""
    yield f"  {short(node.name)}{noted}{held}"
    for mark in scene.marks.get(node.id, ()) if scene is not None else ():
        yield f"    [{mark.label}] {mark.tip}"
    for names in (scene.late.get(node.id, ()),) if scene is not None else ():
        if names:
            yield f"    {said(lang, 'list').join(names)}{said(lang, 'colon')}{said(lang, 'late')}"
    yield from (f"    {does}" for does in _does(node, data, lang))


def _does(node: Node, data: GraphData, lang: str) -> Iterator[str]:
    """What the node does, a line for each verb."""
    targets: dict[tuple[str, bool], list[str]] = {}
    for edge in data.edges:
        for link in edge.links:
            if node.sort in ("step", "call") and link.who == node.name:
                targets.setdefault((link.verb, edge.found), []).append(short(link.what) + _count(edge, lang))
    for (verb, found), names in targets.items():
        note = said(lang, "note", note=said(lang, "found")) if found else ""
        yield said(lang, f"does_{verb}", what=said(lang, "list").join(names)) + note
    if node.ends:
        yield said(lang, "ends_as", ends=said(lang, "list").join(said(lang, end) for end in node.ends))


def _count(edge: Edge, lang: str) -> str:
    if edge.times is None:
        return ""
    low, high = edge.times
    return " " + (said(lang, "count", n=low) if low == high else said(lang, "between", low=low, high=high))


def _bands(data: GraphData, scene: Scene | None, lang: str) -> Iterator[str]:
    for band in data.bands:
        steps = said(lang, "list").join(short(node.name) for node in data.nodes if node.id in band.members)
        line = said(lang, "section", name=short(band.name), steps=steps, limit=limit_of(lang, band.limit))
        if scene is not None:
            inside = scene.inside.get(band.id, ())
            key = "too_many" if band.id in scene.over else "inside"
            line += said(lang, "parts") + said(lang, key, n=len(inside), limit=band.limit)
            line += f"{said(lang, 'colon')}{said(lang, 'list').join(inside)}" if inside else ""
        yield line


def _who(mark: Mark) -> str:
    return f"[{mark.label}] {mark.name}"
