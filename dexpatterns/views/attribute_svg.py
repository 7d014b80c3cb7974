"""Attributes over the lanes of the picture: a box for each value, dashes down to who read it, arrows up from who wrote.

A read hangs at the left of its turn's column, a write at the right, as begin and save bound a bar.
"""

from __future__ import annotations

from dexpatterns.engine.texts import visible
from dexpatterns.views.attribute_lanes import Tag, Touch
from dexpatterns.views.axis import MARGIN, STUB
from dexpatterns.views.grid import Grid
from dexpatterns.views.marks import number, read, tag, text, write
from dexpatterns.views.picture import put
from dexpatterns.views.texts import clip, nearly_whole, pixels, value, words

__all__ = ["draw_tags"]


def draw_tags(grid: Grid, lang: str) -> list[str]:
    """A row for each Attribute, and what leads from it to the lanes: to be drawn over the bars."""
    drawn: list[str] = []
    for top, one in zip(grid.tag_top, grid.swim.tags, strict=True):
        low, high = top + 5, top + 27
        drawn.append(text(MARGIN, top + 20, clip(visible(one.name), 30)))
        for first, last, held in one.spans(grid.swim.turns):
            if grid.shows(first, last):
                x, end = grid.begin(first), grid.end(last)
                box = tag("rect", x=x, y=low, width=end - x, height=high - low, class_="t" if first > 1 else "a")
                said = value(held, lang)
                fits = pixels(said, 12) + 12 <= end - x
                label = text(x + 6, top + 20, said) if fits else ""
                drawn.append(put(grid, first, last, box + label, f"{nearly_whole(one.name)} = {said}"))
        free: dict[int, float] = {}
        shown = (touch for touch in one.touches if touch.lane in grid.top and grid.shows(touch.turn, touch.turn))
        drawn += [_touch(grid, one, touch, lang, (high, free)) for touch in shown]
    return [f'<g class="fs">{"".join(drawn)}</g>'] if drawn else []


def _touch(grid: Grid, one: Tag, touch: Touch, lang: str, place: tuple[float, dict[int, float]]) -> str:
    low, free = place
    bar = grid.middle(touch.lane) - grid.bar(touch.lane) / 2
    inset = min(8.0, grid.column / 3)
    x = grid.end(touch.turn) - inset if touch.writes else grid.begin(touch.turn) + inset
    if touch.writes:
        mark = write(x, bar, low)
    else:
        mark = tag("path", d=f"M{number(x)} {number(low)}V{number(bar)}", class_="j") + read(x, low)
    held = value(touch.value, lang)
    said = words(lang, "writes" if touch.writes else "reads", value=held)
    size = pixels(said, 10)
    label = ""
    # What is written is told before its arrow, over its own bar, what is read behind its dashes.
    begins = [x - 6 - size, x + 6] if touch.writes else [x + 6]
    fitting = (at for at in begins if at >= free.get(touch.lane, grid.x) and at + size <= grid.right + STUB)
    at = next(fitting, None) if grid.height(touch.lane) > 24 else None
    if at is not None:
        free[touch.lane] = at + size + 6
        label = text(at, bar - 5, said, "xa")
    told = words(
        lang, "tip_writes" if touch.writes else "tip_reads",
        who=grid.names[touch.lane], name=nearly_whole(one.name), value=held,
    )  # fmt: skip
    return put(grid, touch.turn, touch.turn, mark + label, told)
