"""The graph as one inline SVG, drawn from dot's places: no script, nothing fetched, the same bytes for the same data.

Nodes, edges and bands carry `data-node`, `data-edge` and `data-band` with their ids, and what a turn changes in them
is a class (`now`, `over`) or stands in the group `moment`; so a browser recolours it without a new layout. Every text
of people's is escaped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from html import escape
from math import hypot

from dexpatterns.views import marks
from dexpatterns.views.graph_data import ENDS, Band, Edge, GraphData, Node
from dexpatterns.views.graph_layout import Box, Curve, GraphLayout, Point, caption, fit, pieces
from dexpatterns.views.graph_scene import Cell, Mark, Scene, Stock
from dexpatterns.views.graph_texts import said, told
from dexpatterns.views.marks import ID, number, tag, text, tip
from dexpatterns.views.texts import clip, duration, pixels, visible

__all__ = ["STYLE", "draw", "limit_of"]

MARGIN = 16.0
QUEUE = 24.0
"""How high a Channel's queue is."""
LEAST = 420.0
"""So wide at least, for the legend."""

_ROOT = f"{marks.ROOT}.dxg"
STYLE = marks.STYLE + "".join(
    f"{_ROOT} {rule}"
    for rule in (
        ".box{fill:var(--page);stroke:var(--frame);stroke-width:1.3}",
        ".ed path{fill:none;stroke:var(--frame);stroke-width:1.3}",
        ".ed polygon{fill:var(--frame);stroke:var(--frame);stroke-width:1}",
        ".fail path{stroke-dasharray:7 4}",
        ".data path{stroke-dasharray:1.6 3}",
        ".found polygon{fill:var(--page)}",
        ".halo{stroke:var(--page);stroke-width:4;stroke-linejoin:round;paint-order:stroke;font-size:11px;"
        "fill:var(--quiet)}",
        ".over-line{stroke:var(--page);stroke-width:4;stroke-linejoin:round;paint-order:stroke}",
        ".band>rect{fill:var(--band);stroke:var(--edge)}",
        ".words text{font-size:10px;fill:var(--quiet);stroke:var(--band);stroke-width:3;paint-order:stroke}",
        ".end{fill:none;stroke:var(--frame);stroke-width:1.3}",
        ".end .solid{fill:var(--frame)}",
        ".end .bar{stroke-width:3}",
        ".queue{fill:var(--band);stroke:none}",
        ".rail{fill:none;stroke:var(--frame);stroke-width:1.3}",
        ".cell{fill:var(--page);stroke:var(--text);stroke-width:1}",
        ".none{fill:none;stroke:var(--frame);stroke-dasharray:2 2}",
        ".name{font-size:11px}",
        ".mono{font-family:var(--jp-code-font-family,ui-monospace,Consolas,'DejaVu Sans Mono',monospace)}",
        ".tiny{font-size:10px}",
        ".ink{font-size:11px;font-weight:700;fill:var(--text)}",
        ".lock path{fill:none;stroke:var(--text);stroke-width:1.6;stroke-dasharray:none}",
        ".lock rect{fill:var(--page);stroke:var(--text);stroke-width:1.4}",
        ".lock.held rect{fill:var(--text)}",
        ".wait{fill:var(--t);stroke:var(--k);stroke-width:1.6}",
        ".line{fill:var(--page);stroke:var(--k);stroke-width:1.6;stroke-dasharray:2.6 2}",
        ".ring{fill:var(--t);stroke:var(--k);stroke-width:3}",
        ".hatch{fill:none;stroke:var(--fail);stroke-width:3;stroke-dasharray:2.4 2.4}",
        ".now>.box,.now>.rail{stroke:var(--text);stroke-width:2.2}",
        ".now>text{font-weight:700}",
        ".ed.now path{stroke:var(--text);stroke-width:2.2}",
        ".ed.now polygon{fill:var(--text);stroke:var(--text)}",
        ".ed.now.found polygon{fill:var(--page)}",
        ".ed.fail.now path{stroke:var(--fail)}",
        ".ed.fail.now polygon{fill:var(--fail);stroke:var(--fail)}",
        ".end.now{stroke:var(--text);stroke-width:2.2}",
        ".end.now .solid{fill:var(--text)}",
        ".node.over>.box{stroke:var(--fail);stroke-width:2.4}",
        ".band.over>rect{stroke:var(--fail);stroke-width:2}",
        ".words.over text{font-size:11px;font-weight:700;fill:var(--fail)}",
    )
)
"""Every rule stands under the two classes of the picture."""


def draw(data: GraphData, layout: GraphLayout, scene: Scene | None = None, lang: str = "en", *, frame: bool = True) -> str:
    """The picture; with a scene at that moment. Without `frame` there is neither head nor legend."""
    width = max(layout.width + 2 * MARGIN, LEAST if frame else 0.0)
    body: list[str] = []
    y = 8.0
    if frame:
        body += _head(data, scene, lang, width)
        y = 44.0
    else:
        y = 20.0
    left = (width - layout.width) / 2
    drawing = [
        *(_band(band, data, layout, scene, lang) for band in data.bands if band.id in layout.bands),
        *(_edge(edge, data, layout, scene, lang) for edge in data.edges if edge.id in layout.edges),
        *(_node(node, layout, scene, lang) for node in data.nodes if node.id in layout.nodes),
        *(_band_words(band, layout, scene, lang) for band in data.bands if band.id in layout.bands),
    ]
    if scene is not None:
        drawing.append(f'<g class="moment">{"".join(_moment(data, layout, scene, lang))}</g>')
    body.append(f'<g transform="translate({number(left)} {number(y)})">{"".join(drawing)}</g>')
    y += layout.height + 30
    if scene is not None and scene.ended:
        body.append(_ended(scene.ended, y, width, lang))
    if scene is not None:
        y += 30
    if frame:
        made, y = _legend(data, scene, lang, y, width)
        body += made
    label = said(
        lang, "picture", name=visible(data.name), steps=sum(node.sort == "step" for node in data.nodes),
        channels=sum(node.sort == "channel" for node in data.nodes),
    )  # fmt: skip
    return _whole("".join(body), width, y, f"{label}{said(lang, 'parts')}{_when(scene, lang)}" if scene else label)


def _whole(body: str, width: float, height: float, label: str) -> str:
    # The ids of two pictures in one page must differ: a pattern of a hidden one would vanish with it.
    name = "dx" + hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:8]
    size = f'viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}" height="{number(height)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dxp dxg" {size} role="img" aria-label="{escape(label)}" '
        f'style="max-width:100%;height:auto"><style>{STYLE}</style>{marks.defs(name)}'
        f'<rect width="100%" height="100%" class="bg"/>{body.replace(ID, name)}</svg>'
    )


def _when(scene: Scene, lang: str) -> str:
    turn = said(lang, "turn_of", n=scene.turn, all=scene.turns) if scene.turn else said(lang, "at_start")
    parts = [turn, *([duration(scene.time)] if scene.time is not None else []), visible(scene.status)]
    return " · ".join(parts)


def _head(data: GraphData, scene: Scene | None, lang: str, width: float) -> list[str]:
    when = _when(scene, lang) if scene is not None else ""
    name = fit(visible(data.name), 16, width - 2 * MARGIN - 8 - pixels(when, 12))
    drawn = [tip(data.name[:400], text(MARGIN, 24, name, "h"))]
    return [*drawn, text(MARGIN + pixels(name, 16) + 8, 24, when, "q")] if when else drawn


# Bands, edges, nodes.


def _band(band: Band, data: GraphData, layout: GraphLayout, scene: Scene | None, lang: str) -> str:
    box = layout.bands[band.id]
    steps = said(lang, "list").join(visible(node.name) for node in data.nodes if node.id in band.members)
    title = said(lang, "section", name=visible(band.name), steps=steps, limit=limit_of(band, lang))
    inside = scene.inside.get(band.id, ()) if scene is not None else ()
    if inside:
        count = said(lang, "inside", n=len(inside))
        title += f"{said(lang, 'parts')}{count}{said(lang, 'colon')}{said(lang, 'list').join(inside)}"
    over = " over" if scene is not None and band.id in scene.over else ""
    shape = tag("rect", x=box.x, y=box.y, width=box.w, height=box.h, rx=4)
    return _group(f"band{over}", "band", band.id, title, shape)


def limit_of(band: Band, lang: str) -> str:
    return said(lang, "limit_one" if band.limit == 1 else "limit_some", n=band.limit)


def _band_words(band: Band, layout: GraphLayout, scene: Scene | None, lang: str) -> str:
    """Over the lines that enter it: how many may be inside, and how many are."""
    box = layout.bands[band.id]
    over = scene is not None and band.id in scene.over
    words = "" if over else text(box.x + 10, box.y + 17, limit_of(band, lang))
    if scene is not None:
        count = said(lang, "too_many" if over else "inside", n=len(scene.inside.get(band.id, ())), limit=band.limit)
        words += text(box.x + (10 if over else box.w - 10), box.y + 17, count, "", "" if over else "end")
    return f'<g class="words{" over" if over else ""}">{words}</g>'


def _group(class_: str, sort: str, id: str, title: str, inside: str) -> str:
    return f'<g class="{class_}" data-{sort}="{id}"><title>{escape(visible(title))}</title>{inside}</g>'


def _edge(edge: Edge, data: GraphData, layout: GraphLayout, scene: Scene | None, lang: str) -> str:
    curve = _to_queues(layout.edges[edge.id], edge, data, layout)
    now = scene is not None and edge.id in scene.used
    drawn = tag("path", d=_path(curve, cut=edge.line == "cancel"))
    if edge.line == "cancel":
        drawn += _slashes(curve)
    else:
        drawn += "".join(_arrow(at, tip) for at, tip in _arrows(curve))
    if "lock" in edge.verbs:
        x, y = _half_way(curve)
        drawn += _lock(x - 5.5, y - 17, held=False)
    class_ = f"ed {edge.line}{' found' if edge.found else ''}{' now' if now else ''}"
    title = said(lang, "parts").join(told(lang, link) for link in edge.links)
    if edge.found:
        title += f"{said(lang, 'parts')}{said(lang, 'found')}"
    words = _edge_words(edge, lang)
    if words and curve.points:
        x, y = _beside(curve)
        drawn += text(x, y, words, "halo")
    return _group(class_, "edge", edge.id, title, drawn)


def _edge_words(edge: Edge, lang: str) -> str:
    if edge.count is not None:
        low, high = edge.count
        return said(lang, "count", n=low) if low == high else said(lang, "between", low=low, high=high)
    return said(lang, "fallback") if "fallback" in edge.verbs else ""


def _beside(curve: Curve) -> Point:
    """A place for a few letters near the start of a line, at its right."""
    (x, y), (nx, ny) = curve.points[0], curve.points[1]
    length = hypot(nx - x, ny - y) or 1.0
    dx, dy = (nx - x) / length, (ny - y) / length
    if abs(dx) > 0.6:
        return x + (6 if dx > 0 else -26), y - 5
    return x + 6 + dx * 18, y + dy * 18 + 2


def _half_way(curve: Curve) -> Point:
    """The middle of a line, near enough."""
    p = curve.points[len(curve.points) // 2 :][:1] if len(curve.points) > 4 else ()
    if p:
        return p[0]
    (x, y), (ex, ey) = curve.points[0], curve.points[-1]
    return (x + ex) / 2, (y + ey) / 2


def _to_queues(curve: Curve, edge: Edge, data: GraphData, layout: GraphLayout) -> Curve:
    """dot ends a line from above at a Channel's name; it goes on, behind the name, to the queue."""
    channels = {node.id for node in data.nodes if node.sort == "channel"}
    points, head, tail = curve
    if not points:
        return curve
    if edge.head in channels:
        dx, dy = _gap(points[-1], head or points[-1], layout.nodes[edge.head])
        if dy:
            end = points[-1]
            points = (*points, end, (end[0] + dx, end[1] + dy), (end[0] + dx, end[1] + dy))
            head = (head[0] + dx, head[1] + dy) if head is not None else None
    if edge.tail in channels:
        dx, dy = _gap(points[0], tail or points[0], layout.nodes[edge.tail])
        if dy:
            start = (points[0][0] + dx, points[0][1] + dy)
            points = (start, start, points[0], *points)
            tail = (tail[0] + dx, tail[1] + dy) if tail is not None else None
    return Curve(points, head, tail)


def _gap(at: Point, tip: Point, box: Box) -> Point:
    """How far it is from the end of a line at the upper edge of a Channel's box to the queue in it."""
    if abs(tip[1] - box.y) > 1.5:
        return 0.0, 0.0
    down = box.h - QUEUE
    dx, dy = tip[0] - at[0], tip[1] - at[1]
    x = tip[0] + (dx / dy * down if dy > 1 else 0.0)
    return min(max(x, box.x + 4), box.x + box.w - 4) - tip[0], down


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


def _arrow(at: Point, tip: Point) -> str:
    dx, dy = tip[0] - at[0], tip[1] - at[1]
    length = hypot(dx, dy) or 1.0
    ox, oy = -dy / length * 3.2, dx / length * 3.2
    corners = ((at[0] + ox, at[1] + oy), tip, (at[0] - ox, at[1] - oy))
    return tag("polygon", points=" ".join(f"{number(x)},{number(y)}" for x, y in corners))


def _slashes(curve: Curve) -> str:
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


def _node(node: Node, layout: GraphLayout, scene: Scene | None, lang: str) -> str:
    box = layout.nodes[node.id]
    class_ = f"node {node.sort}{' found' if node.found else ''}"
    if scene is not None:
        if node.id in scene.acting or node.id in scene.changed:
            class_ += " now"
        if node.id in scene.over:
            class_ += " over"
    stock = scene.stocks.get(node.id) if scene is not None else None
    return _group(class_, "node", node.id, _node_tip(node, stock, lang), _SORTS[node.sort](node, box, scene, lang))


def _node_tip(node: Node, stock: Stock | None, lang: str) -> str:
    parts = [node.name[:400] + ("…" if len(node.name) > 400 else "")]
    if node.found:
        parts.append(said(lang, "found"))
    if not node.read:
        parts.append(said(lang, "unread_tip"))
    if stock is not None:
        parts.append(stock.tip)
        if stock.lock:
            parts.append(said(lang, "locked_by", who=stock.lock))
    return said(lang, "colon").join((parts[0], said(lang, "parts").join(parts[1:]))) if parts[1:] else parts[0]


def _step(node: Node, box: Box, scene: Scene | None, lang: str) -> str:
    over = scene is not None and node.id in scene.over
    style = {"style": f"fill:url(#{ID}x)"} if over else {}
    drawn = tag("rect", x=box.x, y=box.y, width=box.w, height=box.h, rx=7, class_="box", **style)
    if node.sort == "call":
        drawn += tag("rect", x=box.x + 3, y=box.y + 3, width=box.w - 6, height=box.h - 6, rx=5, class_="box")
    name = caption(node)
    x, y = box.middle
    if over:  # letters on the hatching need a ground
        half = pixels(name, 12) * 0.54 + 4
        drawn += tag("rect", x=x - half, y=y - 9, width=2 * half, height=18, class_="bg")
    drawn += text(x, y + 4.5, name, "", "middle")
    if not node.read:
        drawn += _unread(box.x + box.w - 11, box.y + 11)
    for i, end in enumerate(node.ends):
        now = scene is not None and (node.id, end) in scene.ends
        drawn += _end(end, box.x + box.w - 16 - 24 * i, box.y + box.h, now, said(lang, end))
    return drawn


def _unread(x: float, y: float) -> str:
    return tag("circle", cx=x, cy=y, r=6.5, class_="none") + text(x, y + 3.5, "?", "tiny", "middle")


def _end(end: str, x: float, y: float, now: bool, title: str) -> str:
    stem = tag("path", d=f"M{number(x)} {number(y)}v7")
    inside = f"<title>{escape(title)}</title>{stem}{_ENDS[end](x, y + 7)}"
    return f'<g class="end{" now" if now else ""}" data-end="{end}">{inside}</g>'


def _fails(x: float, y: float) -> str:
    d = f"M{number(x - 2.5)} {number(y + 2.5)}l5 5m0 -5l-5 5"
    return tag("circle", cx=x, cy=y + 5, r=5) + tag("path", d=d)


_ENDS: dict[str, Callable[[float, float], str]] = {
    "dead_end": lambda x, y: tag("path", d=f"M{number(x - 8)} {number(y + 1)}h16", class_="bar"),
    "graceful_complete": lambda x, y: (
        tag("circle", cx=x, cy=y + 5, r=5) + tag("circle", cx=x, cy=y + 5, r=2, class_="solid")
    ),
    "force_complete": lambda x, y: tag("circle", cx=x, cy=y + 5, r=5, class_="solid"),
    "force_complete_if_channels_empty": lambda x, y: (
        tag("circle", cx=x, cy=y + 5, r=5)
        + tag("path", d=f"M{number(x - 5)} {number(y + 5)}a5 5 0 0 0 10 0z", class_="solid")
    ),
    "force_fail": _fails,
}


def _channel(node: Node, box: Box, scene: Scene | None, lang: str) -> str:
    """A queue with its front at the double bar; its name above."""
    top = box.y + box.h - QUEUE
    d = (
        f"M{number(box.x + box.w)} {number(top)}H{number(box.x)}V{number(top + 24)}H{number(box.x + box.w)}"
        f"M{number(box.x + 4)} {number(top + 3)}v18"
    )
    return (
        text(box.x + 1, box.y + 12, caption(node), "over-line")
        + tag("rect", x=box.x, y=top, width=box.w, height=24, class_="queue")
        + tag("path", d=d, class_="rail")
    )


def _attribute(node: Node, box: Box, scene: Scene | None, lang: str) -> str:
    """A tag with its name, and its value below."""
    x, y, right, bottom = box.x, box.y, box.x + box.w, box.y + box.h
    points = f"{number(x)},{number(y + box.h / 2)} {number(x + 12)},{number(y)} {number(right)},{number(y)} " + (
        f"{number(right)},{number(bottom)} {number(x + 12)},{number(bottom)}"
    )
    height = 16 if scene is not None else box.h / 2 + 4
    return tag("polygon", points=points, class_="box") + text(x + 18, y + height, caption(node), "name q")


_SORTS: dict[str, Callable[[Node, Box, Scene | None, str], str]] = {
    "step": _step,
    "call": _step,
    "channel": _channel,
    "attribute": _attribute,
}


# What changes from turn to turn.


def _moment(data: GraphData, layout: GraphLayout, scene: Scene, lang: str) -> list[str]:
    drawn = []
    for node in data.nodes:
        box = layout.nodes.get(node.id)
        if box is None:
            continue
        if node.id in scene.stocks:
            drawn.append(_STOCKS[node.sort](scene.stocks[node.id], box))
        if node.id in scene.marks:
            drawn += _badges(scene.marks[node.id], box, lang)
        if node.id in scene.late:
            names = said(lang, "list").join(scene.late[node.id])
            waves = marks.waves(box.x + box.w - 30, box.y - 5, 24)
            drawn.append(tip(f"{names}{said(lang, 'colon')}{said(lang, 'late')}", waves))
    return drawn


def _badges(found: Sequence[Mark], box: Box, lang: str) -> list[str]:
    """On the upper left edge; of more than three, two and how many more there are."""
    shown = found if len(found) <= 3 else found[:2]
    drawn = []
    x = box.x + 13.0
    for mark in shown:
        drawn.append(_badge(mark, x, box.y))
        x += 25 if len(mark.label) < 3 else 30
    if len(found) > len(shown):
        rest = found[len(shown) :]
        names = said(lang, "parts").join(mark.tip for mark in rest[:12])
        more = said(lang, "parts") + said(lang, "more", n=len(rest) - 12) if len(rest) > 12 else ""
        drawn.append(tip(names + more, text(x - 8, box.y - 3, f"+{len(rest)}", "halo")))
    return drawn


_LOOKS = {"running": ("k", "g"), "queued": ("line", "ink"), "waiting": ("wait", "ink"), "retrying": ("ring", "ink"),
          "ended": ("k", "g")}  # fmt: skip
"""The classes of shape and letters, by phase."""


def _badge(mark: Mark, x: float, y: float, most: float = 20.0) -> str:
    kind, ink = _LOOKS[mark.phase]
    drawn = marks.badge(x, y, mark.label, mark.family, most, kind=kind, ink=ink)
    if mark.phase == "retrying":
        drawn += marks.badge(x, y, mark.label, mark.family, most, kind="hatch", letters=False)
    drawn += "".join(tag("circle", cx=x + 9 + 6 * i, cy=y - 9, r=4.6, class_="c") for i in range(min(mark.tokens, 3)))
    return f'<g class="f{mark.family} at {mark.phase}"><title>{escape(visible(mark.tip))}</title>{drawn}</g>'


def _queue(stock: Stock, box: Box) -> str:
    top = box.y + box.h - QUEUE
    room = int((box.w - 14) // 19)
    cells = stock.cells if len(stock.cells) <= room else stock.cells[: room - 1]
    drawn = "".join(_cell(cell, box.x + 9 + 19 * i, top) for i, cell in enumerate(cells))
    if len(cells) < len(stock.cells):
        drawn += text(box.x + 9 + 19 * len(cells), top + 16, f"+{len(stock.cells) - len(cells)}", "tiny")
    elif not cells and stock.token:
        drawn = tag("rect", x=box.x + 9, y=top + 5, width=16, height=14, rx=1.5, class_="none")
    return f'<g class="stock">{drawn}</g>'


def _cell(cell: Cell, x: float, top: float) -> str:
    if cell.token:
        return tip(cell.tip, tag("circle", cx=x + 8, cy=top + 12, r=7.5, class_="c"))
    frame = tag("rect", x=x, y=top + 5, width=16, height=14, rx=1.5, class_="cell")
    return tip(cell.tip, frame + text(x + 8, top + 15.5, fit(cell.label, 10, 15), "tiny", "middle"))


def _value(stock: Stock, box: Box) -> str:
    room = box.w - 26 - (16 if stock.lock else 0)
    shown = text(box.x + 18, box.y + 31, clip(stock.value or "–", int(room / 7.3)), "mono")
    if stock.lock:
        shown += _lock(box.x + box.w - 18, box.y + box.h / 2 - 7)
    return f'<g class="stock">{shown}</g>'


def _lock(x: float, y: float, *, held: bool = True) -> str:
    """A padlock: held, or as an outline the wish for it."""
    d = f"M{number(x + 2.5)} {number(y + 5)}v-2a3 3 0 0 1 6 0v2"
    body = tag("rect", x=x, y=y + 5, width=11, height=8.5, rx=1.5)
    return f'<g class="lock{" held" if held else ""}">{body}{tag("path", d=d)}</g>'


_STOCKS: dict[str, Callable[[Stock, Box], str]] = {"channel": _queue, "attribute": _value}


def _ended(found: Sequence[Mark], y: float, width: float, lang: str) -> str:
    word = said(lang, "ended")
    x = MARGIN + pixels(word, 12) + 20
    room = max(int((width - x - 40) // 27), 1)
    shown = found if len(found) <= room else found[: room - 1]
    drawn = [text(MARGIN, y + 4, word, "q")]
    for i, mark in enumerate(shown):
        drawn.append(_badge(mark, x + 27 * i, y))
    if len(found) > len(shown):
        drawn.append(text(x + 27 * len(shown) - 8, y + 4, f"+{len(found) - len(shown)}", "q"))
    return f'<g class="ended">{"".join(drawn)}</g>'


# The legend: of what is drawn, and nothing else.


def _legend(data: GraphData, scene: Scene | None, lang: str, y: float, width: float) -> tuple[list[str], float]:
    drawn = []
    x = MARGIN
    for key, sample in _used(data, scene):
        words = said(lang, key)
        size = 34 + pixels(words, 11) * 1.02 + 12
        if x + size > width and x > MARGIN:
            x, y = MARGIN, y + 22
        drawn.append(sample(x, y) + text(x + 32, y + 4, words, "name q"))
        x += size
    notes = [] if data.known else [said(lang, "unknown")]
    for note in notes:
        y += 22
        drawn.append(text(MARGIN, y + 4, note, "name q"))
    return [f'<g class="legend fs">{"".join(drawn)}</g>'], y + 18


Sample = Callable[[float, float], str]


def _line(class_: str) -> Sample:
    def sample(x: float, y: float) -> str:
        ends = _slashes(Curve(((x, y), (x, y), (x, y), (x + 18, y)), (x + 26, y), None))
        arrow = ends if "cancel" in class_ else _arrow((x + 18, y), (x + 26, y))
        d = f"M{number(x)} {number(y)}h{26 if 'cancel' in class_ else 18}"
        return f'<g class="ed {class_}">{tag("path", d=d)}{arrow}</g>'

    return sample


def _sample_badge(phase: str) -> Sample:
    return lambda x, y: _badge(Mark("1", "a", phase, "", ""), x + 12, y, 9)


def _used(data: GraphData, scene: Scene | None) -> list[tuple[str, Sample]]:
    lines = {edge.line for edge in data.edges}
    ends = {end for node in data.nodes for end in node.ends}
    phases = {mark.phase for row in scene.marks.values() for mark in row} if scene is not None else set()
    tokens = scene is not None and any(
        [*(mark.tokens for row in scene.marks.values() for mark in row),
         *(cell.token for stock in scene.stocks.values() for cell in stock.cells)]
    )  # fmt: skip
    rows: list[tuple[str, bool, Sample]] = [
        ("go", "go" in lines, _line("go")),
        ("fail", "fail" in lines, _line("fail")),
        ("data", "data" in lines, _line("data")),
        ("cancels", "cancel" in lines, _line("cancel")),
        ("used", scene is not None and bool(scene.used), _line("go now")),
        ("locks", any("lock" in edge.verbs for edge in data.edges), lambda x, y: _lock(x + 6, y - 8, held=False)),
        ("locked", scene is not None and any(stock.lock for stock in scene.stocks.values()),
         lambda x, y: _lock(x + 6, y - 8)),
        ("found", any(edge.found for edge in data.edges), _line("go found")),
        *((end, end in ends, _sample_end(end)) for end in ENDS),
        *((phase, phase in phases, _sample_badge(phase)) for phase in ("running", "waiting", "queued", "retrying")),
        ("token", tokens, lambda x, y: tag("circle", cx=x + 12, cy=y, r=6, class_="c")),
        ("late", scene is not None and bool(scene.late), lambda x, y: marks.waves(x, y - 1, 24)),
        ("call", any(node.sort == "call" for node in data.nodes), _sample_call),
        ("unread", any(not node.read for node in data.nodes), lambda x, y: _unread(x + 12, y)),
    ]
    return [(key, sample) for key, used, sample in rows if used]


def _sample_end(end: str) -> Sample:
    return lambda x, y: f'<g class="end">{tag("path", d=f"M{number(x + 12)} {number(y - 9)}v7")}{_ENDS[end](x + 12, y - 2)}</g>'


def _sample_call(x: float, y: float) -> str:
    outer = tag("rect", x=x, y=y - 7, width=24, height=14, rx=4, class_="box")
    return outer + tag("rect", x=x + 2.5, y=y - 4.5, width=19, height=9, rx=2.5, class_="box")
