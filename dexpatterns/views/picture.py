"""The picture around the marks of a run: its frame, its axis, and what each mark says of its turns.

Every mark is a group that says its turns (`data-a`, `data-b`: first and last) and where a click on it leads
(`data-turn`), so that a stepper can show it at any turn without drawing it again. With the axis' `at` what has not
happened yet is drawn as a dashed outline here. It knows no machine; what people wrote is escaped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from html import escape

from dexpatterns.engine.texts import visible
from dexpatterns.views import marks
from dexpatterns.views.axis import Axis
from dexpatterns.views.marks import ID, number, tag, text
from dexpatterns.views.texts import duration, nice_steps, pixels

__all__ = ["clips", "placed", "put", "ruler", "time_ruler", "whole"]

_PAST, _YET = "p", "y"
"""What follows the picture's id in the ids of its two clips: up to the current turn, and after it."""


def put(axis: Axis, first: int, last: int, inside: str, said: str = "", *, jump: bool = True) -> str:
    """A mark over the turns from first to last, both included; of one that reaches over `at` the rest is not yet."""
    last = max(first, last)
    if axis.at is not None and first > axis.at:
        inside = f'<g class="ny">{inside}</g>'
    elif axis.at is not None and last > axis.at:
        kinds = (f'clip-path="url(#{ID}{_PAST})"', f'class="ny" clip-path="url(#{ID}{_YET})"')
        inside = "".join(f"<g {kind}>{inside}</g>" for kind in kinds)
    title = f"<title>{escape(visible(said))}</title>" if said else ""
    turns: dict[str, float | str] = {"data_turn": max(first, 1)} if jump else {}
    return tag("g", title + inside, data_a=first, data_b=last, **turns)


def clips(axis: Axis) -> str:
    """What has happened up to the current turn, and what has not."""
    if axis.at is None:
        return ""
    x = axis.end(axis.at)
    past = tag("clipPath", tag("rect", x=0.0, y=0.0, width=x, height="100%"), id=ID + _PAST)
    yet = tag("clipPath", tag("rect", x=x, y=0.0, width="100%", height="100%"), id=ID + _YET)
    return f"<defs>{past}{yet}</defs>"


def placed(axis: Axis, top: float, bottom: float) -> dict[str, float | str]:
    """What a stepper has to know of a panel to find its turns again: see `Timeline.panel`."""
    found: dict[str, float | str] = {
        "data_first": axis.first, "data_last": axis.last, "data_x": axis.x, "data_column": f"{axis.column:.4f}",
        "data_top": top, "data_bottom": bottom,
    }  # fmt: skip
    if axis.scale.times:
        found |= {"data_low": f"{axis.scale.low:.3f}", "data_high": f"{axis.scale.high:.6f}", "data_right": axis.right}
    return found


def ruler(axis: Axis, y: float, stamp: Callable[[int], str] = str) -> list[str]:
    """Turn numbers, or what `stamp` says of turns, over the middles of their columns: as many as do not touch.

    The number of the current turn stands in a box.
    """
    wanted = max(pixels(stamp(axis.last), 10) + 16, 34.0) / axis.column
    step = next(n for n in nice_steps() if n >= wanted and n != 2)
    drawn = []
    low = high = 0.0
    at = axis.current
    if at is not None:
        middle, half = _middle(axis, at), 8.0
        if stamp is str:
            half = pixels(str(at), 11) / 2 + 6
            drawn.append(tag("rect", x=middle - half, y=y - 12, width=2 * half, height=16.0, rx=2.0, class_="u"))
            drawn.append(text(middle, y, str(at), "g", "middle"))
        low, high = middle - half - 3, middle + half + 3
    free, before = 0.0, ""
    for turn in (axis.first, *range(axis.first - axis.first % step + step, axis.last + 1, step)):
        said = stamp(turn)
        middle, half = _middle(axis, turn), pixels(said, 10) / 2
        if middle - half >= free and said != before and not (middle + half > low and middle - half < high):
            drawn.append(text(middle, y, said, "x", "middle"))
            free, before = middle + half + 8, said
    return drawn


def _middle(axis: Axis, turn: int) -> float:
    return (axis.begin(turn) + axis.end(turn)) / 2


_SECONDS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400)


def time_ruler(axis: Axis, y: float) -> list[str]:
    """Virtual times at even steps."""
    low, high = axis.scale.low, axis.scale.high
    wanted = (high - low) * 70 / max(axis.right - axis.x, 1.0)
    small = (10.0**-power * digit for power in range(6, 0, -1) for digit in (1, 2, 5))
    days = (86400.0 * n for n in nice_steps())
    step = next(one for steps in (small, _SECONDS, days) for one in steps if one >= wanted)
    drawn = []
    n = -(-low // step)
    while n * step <= high:
        x = axis.x + (n * step - low) / max(high - low, 1e-9) * (axis.right - axis.x)
        drawn.append(text(x, y, duration(n * step), "x", "middle"))
        n += 1
    return drawn


def whole(body: str, width: float, height: float, label: str, *, style: str = "", **data: float | str) -> str:
    """The SVG around what was drawn; `style` is left out where the page has it already."""
    # The ids of two pictures in one page must differ: a pattern of a hidden one would vanish with it.
    name = "dx" + hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:8]
    kept = f"<style>{style}</style>" if style else ""
    back = '<rect width="100%" height="100%" class="bg"/>'
    return tag(
        "svg", f"{kept}{marks.defs(name)}{back}{body.replace(ID, name)}",
        xmlns="http://www.w3.org/2000/svg", class_="dxp", viewBox=f"0 0 {number(width)} {number(height)}",
        width=width, height=height, role="img", aria_label=escape(label), style="max-width:100%;height:auto", **data,
    )  # fmt: skip
