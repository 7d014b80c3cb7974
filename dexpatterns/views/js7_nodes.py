"""How instructions and resource locks look: a gate with a padlock, bars that fork and join, a lock with its queue.

A lock is a card and no queue alone: its name and how much of it is taken at the head; below at the left who holds it,
behind the double bar who waits, the first at the bar. Marks know places and no run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dexpatterns.views.graph_layout import Box, caption
from dexpatterns.views.graph_legend import draw_badge
from dexpatterns.views.graph_lines import draw_lock
from dexpatterns.views.graph_parts import Node
from dexpatterns.views.graph_scene import Part, Stock
from dexpatterns.views.marks import number, tag, text, tip
from dexpatterns.views.texts import pixels

__all__ = ["SHAPES", "draw_shares"]

HEAD = 20.0
_HOLDERS = 0.52
"""The part of a lock's width that its holders have."""


def _rect(box: Box, rx: float, inset: float = 0.0) -> str:
    return tag(
        "rect", x=box.x + inset, y=box.y + inset, width=box.w - 2 * inset, height=box.h - 2 * inset, rx=rx, class_="box"
    )


def _named(node: Node, box: Box, right: float = 0.0, class_: str = "") -> str:
    x, y = box.middle
    return text(x + right / 2, y + 4.5, caption(node), class_, "middle")


def _act(node: Node, box: Box) -> str:
    return _rect(box, box.h / 2) + _named(node, box)


def _gate(node: Node, box: Box) -> str:
    return _rect(box, 4) + draw_lock(box.x + box.w - 20, box.y + box.h / 2 - 8, held=False) + _named(node, box, -14)


def _choice(node: Node, box: Box) -> str:
    x, y, w, h = box
    corners = ((x, y + h / 2), (x + 13, y), (x + w - 13, y), (x + w, y + h / 2), (x + w - 13, y + h), (x + 13, y + h))
    points = " ".join(f"{number(px)},{number(py)}" for px, py in corners)
    return tag("polygon", points=points, class_="box") + _named(node, box)


def _fork(node: Node, box: Box) -> str:
    d = f"M{number(box.x)} {number(box.y)}h{number(box.w)}M{number(box.x)} {number(box.y + box.h)}h{number(box.w)}"
    ground = tag("rect", x=box.x, y=box.y, width=box.w, height=box.h, class_="bg")
    return ground + tag("path", d=d, class_="bars") + _named(node, box)


def _end(node: Node, box: Box) -> str:
    x, y = box.middle
    return tag("circle", cx=x, cy=y, r=box.w / 2 - 1, class_="box") + tag("circle", cx=x, cy=y, r=3.5, class_="dot")


def _resource(node: Node, box: Box) -> str:
    x, y, w, h = box
    bar = x + w * _HOLDERS
    d = (
        f"M{number(x + w)} {number(y + h)}H{number(x)}V{number(y)}H{number(x + w)}V{number(y + HEAD)}H{number(x)}"
        f"M{number(bar)} {number(y + HEAD)}V{number(y + h)}m4 {number(HEAD - h + 4)}v{number(h - HEAD - 8)}"
    )
    return (
        tag("rect", x=x, y=y, width=w, height=h, class_="queue")
        + tag("path", d=d, class_="rail")
        + draw_lock(x + 7, y + 2.5, held=False)
        + text(x + 25, y + 14.5, caption(node), "")
    )


SHAPES: Mapping[str, Callable[[Node, Box], str]] = {
    "act": _act,
    "gate": _gate,
    "choice": _choice,
    "fork": _fork,
    "end": _end,
    "resource": _resource,
}


def draw_shares(stock: Stock, box: Box) -> str:
    """Who holds a lock and who waits, and how much of it is taken."""
    y = box.y + HEAD + (box.h - HEAD) / 2
    bar = box.x + box.w * _HOLDERS
    drawn = text(box.x + box.w - 7, box.y + 14.5, _taken(stock.used, stock.limit), "tiny q", "end")
    if stock.used and stock.limit:
        wide = box.w * _HOLDERS * min(stock.used / stock.limit, 1.0)
        drawn += tag("rect", x=box.x + 1, y=box.y + box.h - 4, width=max(wide - 2, 2), height=3, class_="taken")
    drawn += _row(stock.held, box.x + 15, y - 1, bar - 8)
    drawn += _row(stock.queue, bar + 19, y - 1, box.x + box.w)
    return f'<g class="stock">{drawn}</g>'


def _taken(used: int, limit: int) -> str:
    """How much of how much, where there is room for the figures."""
    return f"{used}/{limit}" if limit < 10_000 else f"{used}/…" if used < 10_000 else "…"


def _row(parts: Sequence[Part], x: float, y: float, end: float) -> str:
    """Badges with their weights, as many as fit, and how many more there are."""
    drawn = ""
    for place, part in enumerate(parts):
        wide = (13 + pixels(part.weight, 10) if part.weight else 11) + 14
        left = len(parts) - place - 1
        if x + wide - 14 > end - (20 if left else 0):
            names = "; ".join(one.mark.tip for one in parts[place : place + 12])
            return drawn + tip(names, text(x - 8, y + 4, f"+{left + 1}", "tiny"))
        drawn += draw_badge(part.mark, x, y, 9.0) + text(x + 13, y + 4, part.weight, "tiny")
        x += wide
    return drawn
