"""The lanes of JS7 orders as one inline SVG: the same bytes for the same run, no script, nothing fetched.

What is held is a filled bar with its weight on it, what is waited for a dashed frame, so that it is read without
colour. Every text that came from people is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from dexpatterns.js7.holdings import Holding
from dexpatterns.views import palette
from dexpatterns.views.texts import clip, duration, pixels, visible

if TYPE_CHECKING:
    from dexpatterns.views.js7_text import Lane

__all__ = ["draw"]

ROW, BAR, TOP, MARGIN = 24.0, 16.0, 30.0, 12.0
_WORDS = {
    "label": ("who held which lock, and who waited", "谁占有哪个锁，谁在等待"),
    "all": ("all", "全部"),
    "held": ("{order} holds {weight} of {lock}, {start} to {end}", "{order} 占有 {lock}（{weight}），{start} 到 {end}"),
    "waited": (
        "{order} waits for {weight} of {lock}, {start} to {end}",
        "{order} 等待 {lock}（{weight}），{start} 到 {end}",
    ),
    "turn": ("turn {n}", "第 {n} 回合"),
    "key": ("filled: held, with its weight; dashed: waits", "实心：占有及份额；虚线：等待"),
    "more": ("... and {n:,} lanes more", "……另有 {n:,} 条泳道"),
    "none": ("no lock was ever asked for", "没有请求过任何锁"),
}
_STYLE = (
    palette.css(".dxj")
    + ".dxj text{font:12px system-ui,sans-serif;fill:var(--text)}.dxj .q{fill:var(--quiet);font-size:11px}"
    ".dxj .w{font-size:11px;fill:var(--page)}.dxj .bg{fill:var(--page)}.dxj .r{stroke:var(--hair)}"
    + "".join(
        f".dxj .h{f}{{fill:var(--{f})}}.dxj .w{f}{{fill:var(--{f}t);stroke:var(--{f});stroke-dasharray:4 3}}"
        for f in palette.SHAPES
    )
)


def draw(lanes: Sequence[Lane], more: int, by_time: bool, end: float, lang: str, width: float) -> str:
    """The picture of these lanes; `more` are not drawn, `end` is the last virtual second or turn."""
    n = 1 if lang == "zh" else 0
    names = [(clip(visible(lane.order), 24), clip(visible(lane.lock), 24)) for lane in lanes]
    first = max((pixels(order, 12) for order, _ in names), default=0.0) + 12
    left = MARGIN + first + max((pixels(lock, 12) for _, lock in names), default=0.0) + 12
    scale = (width - MARGIN - left) / max(end, 1e-9)
    families: dict[str, str] = {}

    def at(x: float) -> str:
        return duration(x) if by_time else _WORDS["turn"][n].format(n=round(x) + 1)

    body = [_text(MARGIN, TOP + 14, _WORDS["none"][n])] if not lanes else [
        _text(left, 18, at(0), "q"), _text(width - MARGIN, 18, at(end if by_time else end - 1), "q", "end"),
    ]  # fmt: skip
    y = TOP
    for lane, (order, lock) in zip(lanes, names, strict=True):
        family = families.setdefault(lane.order, palette.family(len(families) + 1))
        body.append(f'<path class="r" d="M{_n(MARGIN)} {_n(y)}H{_n(width - MARGIN)}"/>')
        body += [_text(MARGIN, y + 16, order), _text(MARGIN + first, y + 16, lock)]
        for one in lane.times:
            begin = (one.start or 0.0) if by_time else one.start_turn - 1.0
            until = (end if one.end is None else one.end) if by_time else one.end_turn - 1.0
            body.append(
                _bar(one, (left + begin * scale, y, (until - begin) * scale), family, (at(begin), at(until)), n)
            )
        y += ROW
    y = max(y, TOP + ROW)
    if more:
        y += 18
        body.append(_text(MARGIN, y, _WORDS["more"][n].format(n=more), "q"))
    body.append(_text(MARGIN, y + 18, _WORDS["key"][n], "q"))
    height = y + 30
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dxj" viewBox="0 0 {_n(width)} {_n(height)}" '
        f'width="{_n(width)}" height="{_n(height)}" role="img" aria-label="{_WORDS["label"][n]}" '
        f'style="max-width:100%;height:auto"><style>{_STYLE}</style><rect width="100%" height="100%" class="bg"/>'
        f"{''.join(body)}</svg>"
    )


def _bar(one: Holding, place: tuple[float, float, float], family: str, ends: tuple[str, str], n: int) -> str:
    x, y, wide = place
    weight = _WORDS["all"][n] if one.weight is None else str(one.weight)
    said = _WORDS[one.what][n].format(
        order=visible(one.order), lock=visible(one.lock), weight=weight, start=ends[0], end=ends[1]
    )
    # What lasts no time is still seen.
    wide = max(wide, 2.0)
    mark = "h" if one.what == "held" else "w"
    box = f'x="{_n(x)}" y="{_n(y + (ROW - BAR) / 2)}" width="{_n(wide)}" height="{_n(BAR)}"'
    told = _text(x + 4, y + 16, weight, "w") if mark == "h" and wide > pixels(weight, 11) + 8 else ""
    return f'<g><title>{escape(said)}</title><rect class="{mark}{family}" {box} rx="2"/>{told}</g>'


def _text(x: float, y: float, said: str, kind: str = "", anchor: str = "") -> str:
    of = (f' class="{kind}"' if kind else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{_n(x)}" y="{_n(y)}"{of}>{escape(said)}</text>'


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
