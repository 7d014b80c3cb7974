"""What is said of every search, of Flows or of orders: how each property fared, what was visited, and both as data.

What was tried, and the story of a violation, are for those who know what was searched.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dexpatterns.terminal import Words, say

if TYPE_CHECKING:
    from dexpatterns.engine.report import Report, Result

__all__ = ["counts", "cut_words", "data", "detail"]

_WORDS: Words = {
    "counts": (
        "{states:,} state{p}, {transitions:,} transition{s}, depth {depth} turns, {seconds:.2f} s",
        "{states:,} 个状态，{transitions:,} 次转移，深度 {depth} 回合，{seconds:.2f} 秒",
    ),
    "detail": (": {what}", "：{what}"),
    "unjudged": ("not judged to the end: the search stopped at the first violation", "未判定完：搜索停在首次打破处"),
    "cut": ("cut by {what}", "被 {what} 截断"),
    "interrupted": ("interrupted", "被中断"),
}
_say = partial(say, _WORDS)


def detail(report: Report, result: Result, lang: str) -> str:
    """What follows the name of a property: its fault, or why it was not judged; often nothing."""
    what = result.detail
    if result.verdict.name == "BOUNDED":
        what = cut_words(what, lang) if what.startswith("cut by ") else _say(lang, "unjudged")
    elif what:
        what = report.wrong(lang)
    return _say(lang, "detail", what=what) if what else ""


def cut_words(detail: str, lang: str) -> str:
    """What cut a search, without what grew meanwhile: that is told once.

    >>> cut_words("cut by states=100; channel 'log' grows", "en"), cut_words("cut by interrupted", "en")
    ('cut by states=100', 'interrupted')
    """
    bound = detail.removeprefix("cut by ").partition("; ")[0]
    return _say(lang, "interrupted" if bound == "interrupted" else "cut", what=bound)


def counts(report: Report, seconds: float, lang: str) -> str:
    return _say(
        lang,
        "counts",
        states=report.states,
        transitions=report.transitions,
        n=report.transitions,
        p="" if report.states == 1 else "s",
        depth=report.depth,
        seconds=seconds,
    )


def data(report: Report, seconds: float) -> dict[str, Any]:
    """The names of properties and their details are English in either language."""
    return {
        "verdict": report.verdict.name,
        "properties": [
            {"property": result.name, "verdict": result.verdict.name, "detail": result.detail}
            for result in report.results
        ],
        "broken": report.property,
        "states": report.states,
        "transitions": report.transitions,
        "depth": report.depth,
        "seconds": round(seconds, 3),
        "bounds": {name: getattr(report.bounds, name) for name in ("states", "depth", "seconds")},
        "outcomes": sorted(report.outcomes),
        "growing": report.growing,
    }
