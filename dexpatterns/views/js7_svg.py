"""The lanes of JS7 orders as one inline SVG: the same bytes for the same run, no script, nothing fetched.

What is held is a filled bar with its weight on it, what is waited for a dashed frame, so that it is read without
colour. Every text that came from people is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dexpatterns.engine.texts import visible
from dexpatterns.js7.holdings import Holding
from dexpatterns.views import marks, palette
from dexpatterns.views.axis import MARGIN, Axis
from dexpatterns.views.marks import number, tag, text
from dexpatterns.views.picture import clips, placed, put, ruler, time_ruler, whole
from dexpatterns.views.texts import clip, duration, nearly_whole, pixels

if TYPE_CHECKING:
    from dexpatterns.views.js7_text import Lane

__all__ = ["draw", "draw_panel", "edge", "key", "rows"]

ROW, BAR, LOW, LOW_BAR = 28.0, 16.0, 20.0, 12.0
"""The height of a lane and of its bar; of more than 20 lanes."""

_WORDS = {
    "label": ("who held which lock, and who waited", "谁占有哪个锁，谁在等待"),
    "all": ("all", "全部"),
    "held": ("{order} holds {weight} of {lock}, {start} to {end}", "{order} 占有 {lock}（{weight}），{start} 到 {end}"),
    "waited": (
        "{order} waits for {weight} of {lock}, {start} to {end}",
        "{order} 等待 {lock}（{weight}），{start} 到 {end}",
    ),
    "turn": ("turn {n}", "第 {n} 回合"),
    "key": ("filled: held, with its weight; dashed: waits", "实心：占有及其权重；虚线：等待"),
    "not_yet": ("outlines right of the framed turn: not yet", "带框回合右侧的虚线轮廓：尚未发生"),
    "more": ("... and {n:,} lanes more", "……另有 {n:,} 条泳道"),
    "none": ("no lock was ever asked for", "没有请求过任何锁"),
}


def _say(lang: str, key: str, **fields: object) -> str:
    return _WORDS[key][1 if lang == "zh" else 0].format(**fields)


def edge(lanes: Sequence[Lane]) -> tuple[float, float]:
    """Where the names of locks begin, and where the columns do."""
    names = [(clip(visible(lane.order), 24), clip(visible(lane.lock), 24)) for lane in lanes]
    first = MARGIN + 30 + max((pixels(order, 12) for order, _ in names), default=0.0) + 14
    return first, first + max((pixels(lock, 12) for _, lock in names), default=0.0) + 12


def draw(lanes: Sequence[Lane], more: int, axis: Axis, lang: str, width: float) -> str:
    """The picture of these lanes; `more` are not drawn."""
    body, y = rows(lanes, axis, lang, 8.0)
    if more:
        y += 18
        body.append(text(MARGIN, y, _say(lang, "more", n=more), "q"))
    body.append(text(MARGIN, y + 18, key(axis, lang), "q"))
    return whole(clips(axis) + "".join(body), width, y + 30, _say(lang, "label"), style=marks.STYLE)


def key(axis: Axis, lang: str) -> str:
    """What the marks mean, in a line."""
    said = _say(lang, "key")
    return said if axis.at is None else f"{said}{'；' if lang == 'zh' else '; '}{_say(lang, 'not_yet')}"


def draw_panel(
    every: Sequence[Lane], places: Sequence[int], axis: Axis, lang: str, width: float, height: float | None
) -> str:
    """The lanes in these places alone, for a stepper: see `Timeline.panel`."""
    low = height is not None and 32 + ROW * len(places) > height
    lanes = [every[place] for place in places]
    body, y = rows(lanes, axis, lang, 4.0, low=low, places=places)
    return whole(
        "".join(body), width, y + 4, _say(lang, "label"), style="",
        **placed(axis, 28.0, y),
    )  # fmt: skip


def rows(
    lanes: Sequence[Lane],
    axis: Axis,
    lang: str,
    y: float,
    *,
    low: bool = False,
    places: Sequence[int] = (),
) -> tuple[list[str], float]:
    """Axis and lanes from `y` down, and where they end; `places` are those of the lanes among all, where some are."""
    if not lanes:
        return [text(MARGIN, y + 36, _say(lang, "none"))], y + 48
    high, bar = (LOW, LOW_BAR) if low or len(lanes) > 20 else (ROW, BAR)
    first, _ = edge(lanes)
    top = y + 24
    bottom = top + high * len(lanes)
    body: list[str] = []
    at = axis.current
    if at is not None:
        body.append(marks.now(axis.begin(at), top - 4, axis.end(at) - axis.begin(at), bottom - top + 8))
    rules = "".join(f"M{number(MARGIN)} {number(top + high * n)}H{number(axis.right)}" for n in range(len(lanes) + 1))
    body.append(tag("path", d=rules, class_="r"))
    before = ""
    for n, lane in enumerate(lanes):
        family = palette.family(lane.number)
        inside, middle = [], top + high * n + high / 2
        if lane.order != before:
            inside.append(marks.badge(MARGIN + 12, middle, lane.badge, family, high / 2 - 1))
        inside.append(text(MARGIN + 30, middle + 4, clip(visible(lane.order), 24)))
        inside.append(text(first, middle + 4, clip(visible(lane.lock), 24)))
        shown = (held for held in lane.times if axis.shows(held.start_turn, _last(held)))
        inside += [_bar(held, axis, (middle - bar / 2, bar), lang) for held in shown]
        body.append(
            tag(
                "g", "".join(inside), class_=f"f{family}",
                data_lane=places[n] if places else n, data_y=middle - high / 2, data_h=high,
            )
        )  # fmt: skip
        before = lane.order
    body += time_ruler(axis, y + 16) if axis.scale.times else ruler(axis, y + 16)
    return body, bottom + (12 if at is not None else 0)


def _last(one: Holding) -> int:
    """The last turn that it reaches over: in the one of its end it had ended."""
    return max(one.start_turn, one.end_turn - 1)


def _bar(one: Holding, axis: Axis, place: tuple[float, float], lang: str) -> str:
    weight = _say(lang, "all") if one.weight is None else str(one.weight)
    y, high = place
    if axis.scale.times:
        x, end = axis.begin(one.start_turn), axis.right if one.end is None else axis.end(one.end_turn)
    else:
        x, end = axis.begin(one.start_turn), axis.begin(one.end_turn)
    # What lasts no time is still seen.
    wide = max(end - x, 2.0)
    x = min(x, axis.right - wide)
    if one.what == "held":
        label = text(x + 4, y + high / 2 + 4, weight, "g") if wide > pixels(weight, 11) + 8 else ""
        shape = tag("rect", x=x, y=y, width=wide, height=high, class_="k", rx=2.0) + label
    else:
        shape = tag("rect", x=x, y=y, width=wide, height=high, class_="t wt", rx=2.0)
    if one.outcome == "open" and end >= axis.right - 0.1:
        # Still so at the end: it has no end of its own.
        shape += tag("path", d=f"M{number(end + 1)} {number(y + 0.5)}h11m-11 {number(high - 1)}h11", class_="o")
    said = _say(
        lang,
        one.what,
        order=nearly_whole(one.order),
        lock=nearly_whole(one.lock),
        weight=weight,
        **_ends(one, axis, lang),
    )
    # By time it lasts until the turn of its end, by turns up to the one before.
    return put(axis, one.start_turn, one.end_turn if axis.scale.times else _last(one), shape, said)


def _ends(one: Holding, axis: Axis, lang: str) -> dict[str, str]:
    if axis.scale.times:
        return {"start": duration(one.start or 0.0), "end": duration(axis.scale.high if one.end is None else one.end)}
    return {"start": _say(lang, "turn", n=one.start_turn), "end": _say(lang, "turn", n=_last(one))}
