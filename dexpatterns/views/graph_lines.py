"""The lines of the graph as SVG: solid goes on, long dashes are a failure, dots are data, a double slash cancels.

An arrow head that is hollow was found in a run alone. Marks know places and no run.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from math import hypot

from dexpatterns.engine.texts import visible
from dexpatterns.views.graph_layout import QUEUE, Box, Curve, GraphLayout, Point, caption, edge_words, pieces
from dexpatterns.views.graph_parts import Edge, GraphData, Node
from dexpatterns.views.graph_scene import Scene
from dexpatterns.views.graph_texts import said, told
from dexpatterns.views.marks import number, tag, text
from dexpatterns.views.texts import pixels

__all__ = ["arrow", "draw_edge", "draw_lock", "group", "slashes"]


def group(class_: str, sort: str, id: str, title: str, inside: str) -> str:
    return f'<g class="{class_}" data-{sort}="{id}"><title>{escape(visible(title))}</title>{inside}</g>'


def draw_edge(edge: Edge, data: GraphData, layout: GraphLayout, scene: Scene | None, lang: str) -> str:
    curve = _to_queues(layout.edges[edge.id], edge, data, layout)
    now = scene is not None and edge.id in scene.used
    drawn = tag("path", d=_path(curve, cut=edge.line == "cancel"))
    if edge.line == "cancel":
        drawn += slashes(curve)
    else:
        drawn += "".join(arrow(at, tip) for at, tip in _arrows(curve))
    if "lock" in edge.verbs:
        x, y = _half_way(curve)
        drawn += draw_lock(x - 5.5, y - 17, held=False)
    class_ = f"ed {edge.line}{' found' if edge.found else ''}{' now' if now else ''}"
    title = said(lang, "parts").join(told(lang, link, data.names) for link in edge.links)
    if edge.found:
        title += f"{said(lang, 'parts')}{said(lang, 'found')}"
    words = _edge_words(edge, lang)
    if words and curve.words is not None:
        x, y = curve.words
        drawn += text(x, y + 4, words, "halo on", "middle")
    elif words and curve.points:
        x, y = _beside(curve)
        drawn += text(x, y, words, "halo on")
    return group(class_, "edge", edge.id, title, drawn)


def _edge_words(edge: Edge, lang: str) -> str:
    if edge.words:
        return edge_words(edge)
    if edge.times is not None:
        low, high = edge.times
        return said(lang, "count", n=low) if low == high else said(lang, "between", low=low, high=high)
    return said(lang, "fallback") if "fallback" in edge.verbs else ""


def _beside(curve: Curve) -> Point:
    """A place for a few letters near the start of a line, at its right."""
    (x, y), (nx, ny) = curve.points[0], curve.points[1]
    length = hypot(nx - x, ny - y) or 1.0
    dx, dy = (nx - x) / length, (ny - y) / length
    if abs(dy) < 0.3:  # out of a side: above the line
        return x + (6 if dx > 0 else -26), y - 5
    return x + dx * 20 + (7 if dx > -0.3 else -26), y + dy * 20 + 2


def _half_way(curve: Curve) -> Point:
    """The middle of a line, near enough."""
    p = curve.points[len(curve.points) // 2 :][:1] if len(curve.points) > 4 else ()
    if p:
        return p[0]
    (x, y), (ex, ey) = curve.points[0], curve.points[-1]
    return (x + ex) / 2, (y + ey) / 2


def _to_queues(curve: Curve, edge: Edge, data: GraphData, layout: GraphLayout) -> Curve:
    """Lead a line from above, which dot ends at the height of a Channel's name, beside the name on to the queue."""
    channels = {node.id: node for node in data.nodes if node.sort == "channel"}
    points, head, tail, words = curve
    if not points:
        return curve
    if edge.head in channels:
        dx, dy = _gap(points[-1], head or points[-1], layout.nodes[edge.head], channels[edge.head])
        if dy:
            end = points[-1]
            points = (*points, end, (end[0] + dx, end[1] + dy), (end[0] + dx, end[1] + dy))
            head = (head[0] + dx, head[1] + dy) if head is not None else None
    if edge.tail in channels:
        dx, dy = _gap(points[0], tail or points[0], layout.nodes[edge.tail], channels[edge.tail])
        if dy:
            start = (points[0][0] + dx, points[0][1] + dy)
            points = (start, start, points[0], *points)
            tail = (tail[0] + dx, tail[1] + dy) if tail is not None else None
    return Curve(points, head, tail, words)


def _gap(at: Point, tip: Point, box: Box, node: Node) -> Point:
    """From the end of a line at the upper edge of a Channel's box to the queue in it, where no name is in between."""
    dx, dy = tip[0] - at[0], tip[1] - at[1]
    if abs(tip[1] - box.y) > 1.5 or dy < 1:
        return 0.0, 0.0
    down = box.h - QUEUE
    x = tip[0] + dx / dy * down
    past = box.x + pixels(caption(node), 12) + 4
    return (x - tip[0], down) if min(x, tip[0]) > past and x < box.x + box.w else (0.0, 0.0)


def _path(curve: Curve, *, cut: bool) -> str:
    if not curve.points:
        return ""
    d = "M{} {}".format(*map(number, curve.points[0]))
    for piece in pieces(curve.points):
        d += "C" + " ".join(f"{number(px)} {number(py)}" for px, py in piece)
    if cut and curve.head is not None:
        d += f"L{number(curve.head[0])} {number(curve.head[1])}"
    return d


def _arrows(curve: Curve) -> Iterable[tuple[Point, Point]]:
    """Base and tip of every arrow head."""
    if curve.head is not None and curve.points:
        yield curve.points[-1], curve.head
    if curve.tail is not None and curve.points:
        yield curve.points[0], curve.tail


def arrow(at: Point, tip: Point) -> str:
    dx, dy = tip[0] - at[0], tip[1] - at[1]
    length = hypot(dx, dy) or 1.0
    ox, oy = -dy / length * 3.2, dx / length * 3.2
    corners = ((at[0] + ox, at[1] + oy), tip, (at[0] - ox, at[1] - oy))
    return tag("polygon", points=" ".join(f"{number(x)},{number(y)}" for x, y in corners))


def slashes(curve: Curve) -> str:
    """Two strokes across the end of the line: it cancels what it leads to."""
    if curve.head is None or not curve.points:
        return ""
    (x, y), (tx, ty) = curve.points[-1], curve.head
    length = hypot(tx - x, ty - y) or 1.0
    dx, dy = (tx - x) / length, (ty - y) / length
    d = ""
    for back in (4.0, 8.0):
        mx, my = tx - dx * back, ty - dy * back
        # Leaning, so that they are no part of a dashed line.
        sx, sy = -dy * 5 + dx * 2.5, dx * 5 + dy * 2.5
        d += f"M{number(mx - sx)} {number(my - sy)}L{number(mx + sx)} {number(my + sy)}"
    return tag("path", d=d)


def draw_lock(x: float, y: float, *, held: bool = True) -> str:
    """A padlock: held, or as an outline the wish for it."""
    d = f"M{number(x + 2.5)} {number(y + 5)}v-2a3 3 0 0 1 6 0v2"
    body = tag("rect", x=x, y=y + 5, width=11, height=8.5, rx=1.5)
    return f'<g class="lock{" held" if held else ""}">{body}{tag("path", d=d)}</g>'
