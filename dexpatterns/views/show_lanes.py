"""The swim lanes for a browser: a picture for each window of turns, the legend of all, and marks for the slider."""

from __future__ import annotations

from html import escape
from typing import Any

from dexpatterns.engine.run import Run
from dexpatterns.views import marks
from dexpatterns.views.lanes_text import mark_name
from dexpatterns.views.overview import draw_overview
from dexpatterns.views.swim import Swim
from dexpatterns.views.texts import words

__all__ = ["WIDTH", "legend", "overview", "slider_marks", "windows"]

WIDTH = 628
_OUTCOMES = ("failed", "lost", "late", "cancelled", "closed", "open")


def windows(lanes: Any, *, still: bool = False, by_time: bool = False) -> list[list[Any]]:
    """[first turn, last turn, SVG] of each window, or (`still`) of the last one alone; the style is that of all."""
    cut = lanes.windows(WIDTH)[-1:] if still else lanes.windows(WIDTH)
    return [[first, last, lanes.panel((first, last), WIDTH, by_time=by_time)] for first, last in cut]


def overview(swim: Swim, lang: str, name: str) -> str:
    """The map of a run that is cut into windows; the frame of its window is a `rect.d`.

    data-left and data-right are where its first turn begins and its last one ends.
    """
    left, right = 134.0, WIDTH - 20.0
    drawn, height = draw_overview(swim, lang, (left, right), 4.0, (1, 1))
    body = "".join(drawn[:-1]).replace(marks.ID, name)  # the last says which window is drawn, as the head does
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dxp" viewBox="0 0 {WIDTH} {height - 18:.0f}" width="{WIDTH}" '
        f'height="{height - 18:.0f}" role="img" data-left="{left:.0f}" data-right="{right:.0f}" '
        f'aria-label="{escape(words(lang, "whole"))}">{body}</svg>'
    )


def legend(swim: Swim, lang: str, name: str) -> list[list[str]]:
    """[words, sample] of every kind of mark that the run has; `name` is the id of the patterns."""
    outcomes = {bar.outcome for bar in swim.bars}
    there = {
        "wait_for": any(bar.method == "wait_for" for bar in swim.bars),
        "waiting": bool(swim.waits),
        "execute": any(bar.method != "wait_for" for bar in swim.bars),
        **{kind: kind in outcomes for kind in _OUTCOMES},
        "retry": bool(swim.gaps),
        "inside": bool(swim.visits),
        "overlap": bool(swim.zones),
        "token": bool(swim.ways),
        "token_lost": any(hop.why == "lost" for way in swim.ways for hop in way.hops),
        "read": any(not touch.writes for one in swim.tags for touch in one.touches),
        "written": any(touch.writes for one in swim.tags for touch in one.touches),
        "not_yet": True,
    }
    return [[mark_name(swim, kind, lang), marks.sample(kind, 1, 10, name)] for kind, used in there.items() if used]


def slider_marks(run: Run, swim: Swim) -> list[list[Any]]:
    """[turn, kind]: 'token' where one changes hands, 'fail' where an attempt fails, 'over' where too many are in."""
    hops = {hop.turn for way in swim.ways for hop in way.hops if hop.why == "taken"}
    fails = {turn.number for turn in run.trace.turns for event in turn.events if event.kind == "failed"}
    over = {zone.first for zone in swim.zones}
    found = [("token", hops), ("fail", fails), ("over", over)]
    return sorted([turn, kind] for kind, turns in found for turn in turns)
