"""The graph as one inline SVG, drawn from dot's places: no script, nothing fetched, the same bytes for the same data.

Nodes, edges and bands carry `data-node`, `data-edge` and `data-band` with their ids, and what a turn changes in them
is a class (`now`, `over`) or stands in the group `moment`; so a browser recolours it without a new layout. Every text
of people's is escaped.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from html import escape

from dexpatterns.engine.texts import visible
from dexpatterns.views import marks
from dexpatterns.views.graph_layout import QUEUE, Box, GraphLayout, Point, caption, fit, pieces
from dexpatterns.views.graph_legend import END_MARKS, MARGIN, draw_badge, draw_doubt, draw_legend
from dexpatterns.views.graph_lines import draw_edge, draw_lock, group
from dexpatterns.views.graph_parts import Band, GraphData, Node
from dexpatterns.views.graph_scene import Cell, Mark, Scene, Stock
from dexpatterns.views.graph_style import STYLE
from dexpatterns.views.graph_texts import band_words, limit_of, said
from dexpatterns.views.js7_nodes import SHAPES, draw_shares
from dexpatterns.views.marks import ID, number, tag, text, tip
from dexpatterns.views.texts import duration, pixels, short, width

__all__ = ["draw"]

LEAST = 420.0
"""So wide at least, for the legend."""
_ABOVE, _BELOW = 14.0, 18.0
"""Room for badges on the upper edge of a node, and for the end of a path below one."""


def draw(
    data: GraphData, layout: GraphLayout, scene: Scene | None = None, lang: str = "en", *, frame: bool = True
) -> str:
    """The picture; with a scene at that moment. Without `frame` there is neither head nor legend."""
    wide = max(layout.width + 2 * MARGIN, LEAST if frame else 0.0)
    body: list[str] = []
    y = _ABOVE
    if frame:
        made, y = _head(data, scene, lang, wide)
        body += made
    left = (wide - layout.width) / 2
    crossings = _on_lines(layout) if data.lines else ()
    drawing = [
        *(_band(band, data, layout, scene, lang) for band in data.bands if band.id in layout.bands),
        *(draw_edge(edge, data, layout, scene, lang) for edge in data.edges if edge.id in layout.edges),
        *(_node(node, layout, scene, lang) for node in data.nodes if node.id in layout.nodes),
        *(_band_words(band, layout, scene, lang, crossings) for band in data.bands if band.id in layout.bands),
    ]
    if scene is not None:
        drawing.append(f'<g class="moment">{"".join(_moment(data, layout, scene, lang))}</g>')
    body.append(f'<g transform="translate({number(left)} {number(y)})">{"".join(drawing)}</g>')
    y += layout.height + (30 if frame else _BELOW)
    if scene is not None:
        x = MARGIN
        for key, row in (("coming", scene.coming), ("ended", scene.ended)):
            if row:
                drawn, x = _apart(said(lang, key), row, x, y, wide - (wide - x) / 2 * (key == "coming"))
                body.append(drawn)
        y += 30
    if frame:
        made, y = draw_legend(data, scene, lang, y, wide)
        body += made
    sorts = Counter(node.sort for node in data.nodes)
    label = said(lang, "picture", name=short(data.name), steps=sorts["step"], channels=sorts["channel"])
    if data.lines:
        n = sum(bool(line.node) for line in data.lines)
        label = said(lang, "picture_js7", name=short(data.name), n=n, locks=sorts["resource"])
    return _whole("".join(body), wide, y, f"{label}{said(lang, 'parts')}{_when(scene, lang)}" if scene else label)


def _whole(body: str, wide: float, height: float, label: str) -> str:
    # The ids of two pictures in one page must differ: a pattern of a hidden one would vanish with it.
    name = "dx" + hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:8]
    size = f'viewBox="0 0 {number(wide)} {number(height)}" width="{number(wide)}" height="{number(height)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dxp dxg" {size} role="img" aria-label="{escape(label)}" '
        f'style="max-width:100%;height:auto"><style>{STYLE}</style>{marks.defs(name)}'
        f'<rect width="100%" height="100%" class="bg"/>{body.replace(ID, name)}</svg>'
    )


def _when(scene: Scene, lang: str) -> str:
    turn = said(lang, "turn_of", n=scene.turn, all=scene.turns) if scene.turn else said(lang, "at_start")
    parts = [turn, *([duration(scene.time)] if scene.time is not None else []), visible(scene.status)]
    return " · ".join(parts)


def _head(data: GraphData, scene: Scene | None, lang: str, wide: float) -> tuple[list[str], float]:
    """Name and turn, on one line if they fit."""
    when = _when(scene, lang) if scene is not None else ""
    name = fit(visible(data.name), 16.5, wide - 2 * MARGIN)
    drawn = [tip(data.name, text(MARGIN, 24, name, "h"))]
    if not when:
        return drawn, 44.0
    x = MARGIN + pixels(name, 16.5) + 12
    if x + pixels(when, 12) <= wide:
        return [*drawn, text(x, 24, when, "q")], 44.0
    return [*drawn, text(MARGIN, 42, when, "q")], 62.0


# Bands, edges, nodes.


def _band(band: Band, data: GraphData, layout: GraphLayout, scene: Scene | None, lang: str) -> str:
    box = layout.bands[band.id]
    steps = said(lang, "list").join(short(node.name) for node in data.nodes if node.id in band.members)
    title = said(lang, "section", name=short(band.name), steps=steps, limit=limit_of(lang, band.limit))
    title += _within(band, scene, lang)
    over = " over" if scene is not None and band.id in scene.over else ""
    shape = tag("rect", x=box.x, y=box.y, width=box.w, height=box.h, rx=4)
    if band.sort != "section":
        over = f" of-{band.sort}"
        title = said(lang, "workflow", name=short(band.name)) if band.sort == "workflow" else band_words(band, lang)
        title += _within(band, scene, lang)
    return group(f"band{over}", "band", band.id, title, shape)


def _within(band: Band, scene: Scene | None, lang: str) -> str:
    inside = scene.inside.get(band.id, ()) if scene is not None else ()
    if not inside:
        return ""
    count = said(lang, "inside", n=len(inside))
    return f"{said(lang, 'parts')}{count}{said(lang, 'colon')}{said(lang, 'list').join(inside)}"


def _on_lines(layout: GraphLayout) -> tuple[Point, ...]:
    """Points on all lines, close enough to tell what a line crosses."""
    found: list[Point] = []
    for curve in layout.edges.values():
        start = curve.points[0] if curve.points else None
        for a, b, end in pieces(curve.points):
            assert start is not None
            steps = 2 + int((abs(end[0] - start[0]) + abs(end[1] - start[1])) / 8)
            for n in range(steps + 1):
                t = n / steps
                w = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
                four = (start, a, b, end)
                found.append((sum(k * p[0] for k, p in zip(w, four, strict=True)),
                              sum(k * p[1] for k, p in zip(w, four, strict=True))))  # fmt: skip
            start = end
    return tuple(found)


def _clear(box: Box, wide: float, crossings: Sequence[Point]) -> float:
    """Where words at the head of a block begin: at the left, or at the right if fewer lines cross them there."""
    rows = [x for x, y in crossings if box.y <= y <= box.y + 20]
    left, right = box.x + 8, box.x + box.w - 8 - wide
    return min(left, right, key=lambda x: (sum(x - 2 <= at <= x + wide + 2 for at in rows), x))


def _band_words(
    band: Band, layout: GraphLayout, scene: Scene | None, lang: str, crossings: Sequence[Point] = ()
) -> str:
    """Over the lines that enter it: how many may be inside, and how many are."""
    box = layout.bands[band.id]
    if band.sort != "section":
        size = 12 if band.sort == "workflow" else 10
        words = fit(band_words(band, lang), size, box.w - 16)
        x = _clear(box, pixels(words, size), crossings)
        return f'<g class="words of-{band.sort}">{text(x, box.y + 16, words)}</g>'
    over = scene is not None and band.id in scene.over
    words = "" if over else text(box.x + 10, box.y + 17, limit_of(lang, band.limit))
    if scene is not None:
        count = said(lang, "too_many" if over else "inside", n=len(scene.inside.get(band.id, ())), limit=band.limit)
        words += text(box.x + (10 if over else box.w - 10), box.y + 17, count, "", "" if over else "end")
    return f'<g class="words{" over" if over else ""}">{words}</g>'


def _node(node: Node, layout: GraphLayout, scene: Scene | None, lang: str) -> str:
    box = layout.nodes[node.id]
    class_ = f"node {node.sort}{' found' if node.found else ''}"
    if scene is not None:
        if node.id in scene.acting or node.id in scene.changed:
            class_ += " now"
        if node.id in scene.over:
            class_ += " over"
    stock = scene.stocks.get(node.id) if scene is not None else None
    drawn = _SORTS[node.sort](node, box, scene, lang)
    if node.found or not node.read:
        drawn += draw_doubt(box.x + box.w - 6, box.y + 1, "+" if node.found else "?")
    return group(class_, "node", node.id, _node_tip(node, stock, lang), drawn)


def _node_tip(node: Node, stock: Stock | None, lang: str) -> str:
    parts = [node.name]
    if node.said:
        parts = [node.said, node.name]
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
    for i, end in enumerate(node.ends):
        now = scene is not None and (node.id, end) in scene.ends
        drawn += _end(end, box.x + box.w - 16 - 24 * i, box.y + box.h, now, said(lang, end))
    return drawn


def _end(end: str, x: float, y: float, now: bool, title: str) -> str:
    stem = tag("path", d=f"M{number(x)} {number(y)}v7")
    inside = f"<title>{escape(title)}</title>{stem}{END_MARKS[end](x, y + 7)}"
    return f'<g class="end{" now" if now else ""}" data-end="{end}">{inside}</g>'


def _channel(node: Node, box: Box, scene: Scene | None, lang: str) -> str:
    """A queue with its front at the double bar; its name above."""
    top = box.y + box.h - QUEUE
    d = (
        f"M{number(box.x + box.w)} {number(top)}H{number(box.x)}V{number(top + 24)}H{number(box.x + box.w)}"
        f"M{number(box.x + 4)} {number(top + 3)}v18"
    )
    return (
        text(box.x + 1, box.y + 12, caption(node), "on")
        + tag("rect", x=box.x, y=top, width=box.w, height=24, class_="queue")
        + tag("path", d=d, class_="rail")
    )


def _attribute(node: Node, box: Box, scene: Scene | None, lang: str) -> str:
    """A tag with its name, and its value below."""
    x, y, right, bottom = box.x, box.y, box.x + box.w, box.y + box.h
    corners = ((x, y + box.h / 2), (x + 12, y), (right, y), (right, bottom), (x + 12, bottom))
    points = " ".join(f"{number(px)},{number(py)}" for px, py in corners)
    height = 16 if scene is not None else box.h / 2 + 4
    return tag("polygon", points=points, class_="box") + text(x + 18, y + height, caption(node), "name q")


def _shape(draw_shape: Callable[[Node, Box], str]) -> Callable[[Node, Box, Scene | None, str], str]:
    def drawn(node: Node, box: Box, scene: Scene | None, lang: str) -> str:
        ends = "".join(
            _end(end, box.x + box.w - 18 - 24 * i, box.y + box.h, scene is not None and (node.id, end) in scene.ends,
                 said(lang, end))
            for i, end in enumerate(node.ends)
        )  # fmt: skip
        return draw_shape(node, box) + ends

    return drawn


_SORTS: dict[str, Callable[[Node, Box, Scene | None, str], str]] = {
    "step": _step,
    "call": _step,
    "channel": _channel,
    "attribute": _attribute,
    "job": _step,
    **{sort: _shape(draw_shape) for sort, draw_shape in SHAPES.items()},
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
            waves = marks.waves(box.x + box.w - 42, box.y - 5, 24)
            drawn.append(tip(f"{names}{said(lang, 'colon')}{said(lang, 'late')}", waves))
    return drawn


def _badges(found: Sequence[Mark], box: Box, lang: str) -> list[str]:
    """On the upper left edge; of more than three, two and how many more there are."""
    shown = found if len(found) <= 3 else found[:2]
    drawn = []
    x = box.x + 13.0
    for mark in shown:
        drawn.append(draw_badge(mark, x, box.y))
        x += 25 if len(mark.label) < 3 else 30
    if len(found) > len(shown):
        rest = found[len(shown) :]
        names = said(lang, "parts").join(mark.tip for mark in rest[:12])
        more = said(lang, "parts") + said(lang, "more", n=len(rest) - 12) if len(rest) > 12 else ""
        drawn.append(tip(names + more, text(x - 8, box.y - 3, f"+{len(rest)}", "halo on")))
    return drawn


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
    shown = text(box.x + 18, box.y + 31, _front(stock.value or "–", int(room / 7.3)), "mono")
    if stock.lock:
        shown += draw_lock(box.x + box.w - 18, box.y + box.h / 2 - 7)
    return f'<g class="stock">{shown}</g>'


def _front(said: str, columns: int) -> str:
    """As much of a value as fits; its beginning tells more than its end."""
    if width(said) <= columns:
        return said
    while width(said) > columns - 1:
        said = said[:-1]
    return f"{said}…"


_STOCKS: dict[str, Callable[[Stock, Box], str]] = {"channel": _queue, "attribute": _value, "resource": draw_shares}


def _apart(word: str, found: Sequence[Mark], left: float, y: float, end: float) -> tuple[str, float]:
    """Badges that stand nowhere in the picture: they have ended, or are still to come. And where they end."""
    x = left + pixels(word, 12) + 20
    room = max(int((end - x - 40) // 27), 1)
    shown = found if len(found) <= room else found[: room - 1]
    drawn = [text(left, y + 4, word, "q")]
    for i, mark in enumerate(shown):
        drawn.append(draw_badge(mark, x + 27 * i, y))
    if len(found) > len(shown):
        drawn.append(text(x + 27 * len(shown) - 8, y + 4, f"+{len(found) - len(shown)}", "q"))
    return f'<g class="ended">{"".join(drawn)}</g>', x + 27 * (len(shown) + (len(found) > len(shown)))
