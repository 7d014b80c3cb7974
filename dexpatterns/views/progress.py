"""How far long work is, told while it goes on: on a terminal one line that renews itself, elsewhere nothing or lines.

    with searching("en") as told:
        report = check(flow, input, progress=told)

Work that is done within `after` seconds shows nothing. What is shown goes to stderr, so that an answer on stdout stays
an answer. `plain=True` is for where no line can renew itself, such as the output of a notebook's cell: a line now and
then. This module knows no search; it is told.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from dexpatterns.engine.texts import LANGUAGES, check_lang, visible

if TYPE_CHECKING:
    from dexpatterns.engine.explore import Progress

__all__ = ["AFTER", "EVERY", "PLAIN_EVERY", "claiming", "counting", "searching", "sentence"]

AFTER = 0.5
EVERY, PLAIN_EVERY = 0.1, 5.0
"""Seconds between two sentences."""

_WORDS = {
    "search": (
        "{states:,} states, {frontier:,} of them ahead, depth {depth} turns, {rate:,.0f} states/s; Ctrl-C stops it",
        "{states:,} 个状态，其中 {frontier:,} 个待查看，深度 {depth} 回合，每秒 {rate:,.0f} 个状态；按 Ctrl-C 停止",
    ),
    "claims": ("claim {n} of {all}, {name}", "第 {n} 条主张，共 {all} 条：{name}"),
    "pages": ("page {n} of {all}, {name}", "第 {n} 个页面，共 {all} 个：{name}"),
}


def sentence(progress: Progress, lang: str = "en") -> str:
    """How far a search is.

    >>> from dexpatterns.engine.explore import Progress
    >>> sentence(Progress(states=12_000, frontier=800, depth=14, rate=25_000.4)).partition(";")[0]
    '12,000 states, 800 of them ahead, depth 14 turns, 25,000 states/s'
    """
    return _WORDS["search"][LANGUAGES.index(lang)].format(**progress._asdict())


@contextmanager
def searching(
    lang: str = "en", *, stream: TextIO | None = None, plain: bool = False, after: float = AFTER
) -> Iterator[Callable[[Progress], None]]:
    """What `check(progress=...)` and `audit(progress=...)` take; raises `InputError` for a language that is none."""
    check_lang(lang)
    with _line(stream, plain, after) as show:
        yield lambda progress: show(lambda: sentence(progress, lang))


@contextmanager
def claiming(
    lang: str = "en", *, stream: TextIO | None = None, plain: bool = False, after: float = AFTER
) -> Iterator[Callable[[str, int, int], None]]:
    """What `catalog.compare(progress=...)` and `Pattern.verify(progress=...)` take; raises `InputError` as above."""
    with counting("claims", lang, stream=stream, plain=plain, after=after) as told:
        yield told


@contextmanager
def counting(
    what: str, lang: str = "en", *, stream: TextIO | None = None, plain: bool = False, after: float = AFTER
) -> Iterator[Callable[[str, int, int], None]]:
    """The same for work that is a number of things, 'claims' or 'pages'; raises `InputError` as above."""
    words = _WORDS[what][LANGUAGES.index(check_lang(lang))]
    with _line(stream, plain, after) as show:
        yield lambda name, done, total: show(lambda: words.format(name=visible(name), n=done + 1, all=total))


@contextmanager
def _line(stream: TextIO | None, plain: bool, after: float) -> Iterator[Callable[[Callable[[], str]], None]]:
    """A function that shows a sentence, unless it is too soon for another one."""
    stream = sys.stderr if stream is None else stream
    if not plain and not stream.isatty():
        yield lambda sentence: None
        return
    due = time.monotonic() + after
    status: Any = None

    def show(sentence: Callable[[], str]) -> None:
        nonlocal due, status
        now = time.monotonic()
        if now < due:
            return
        due = now + (PLAIN_EVERY if plain else EVERY)
        if plain:
            stream.write(sentence() + "\n")
            stream.flush()
        elif status is None:
            status = _status(stream, sentence())
            status.start()
        else:
            status.update(_clipped(sentence(), status.console.width))

    try:
        yield show
    finally:
        if status is not None:
            status.stop()


def _status(stream: TextIO, text: str) -> Any:
    from rich.console import Console
    from rich.status import Status

    console = Console(file=stream, markup=False, emoji=False, highlight=False)
    return Status(_clipped(text, console.width), console=console)


def _clipped(text: str, columns: int) -> Any:
    """One line beside the spinner: one that wraps could not renew itself."""
    from rich.text import Text

    line = Text(text)
    line.truncate(max(columns - 3, 1), overflow="ellipsis")
    return line
