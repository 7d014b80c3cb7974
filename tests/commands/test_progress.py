"""How far long work is, is told on a terminal only, only when it takes long, and in one line."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest

from dexpatterns.engine.explore import Progress
from dexpatterns.errors import InputError
from dexpatterns.views import progress as view
from dexpatterns.views.progress import claiming, searching

FAR = Progress(states=12_345, frontier=67, depth=8, rate=9_000.0)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(made: AbstractContextManager[Callable[..., None]], *said: Any, times: int = 1) -> None:
    with made as tell:
        for _ in range(times):
            tell(*said)


def test_a_terminal_gets_one_line_that_is_taken_away() -> None:
    page = Terminal()
    told(searching(stream=page, after=0), FAR, times=50)
    assert "12,345 states, 67 of them ahead, depth 8 turns, 9,000 states/s" in page.getvalue()
    assert page.getvalue().count("\n") <= 1
    assert page.getvalue().endswith("\x1b[2K"), "and the line is cleared"


def test_what_is_done_soon_shows_nothing() -> None:
    page = Terminal()
    told(searching(stream=page, after=60), FAR, times=50)
    assert page.getvalue() == ""


def test_what_is_no_terminal_gets_nothing_unless_it_asks_for_lines() -> None:
    page = io.StringIO()
    told(searching(stream=page, after=0), FAR)
    assert page.getvalue() == ""
    told(searching(stream=page, after=0, plain=True), FAR, times=50)
    assert page.getvalue() == view.sentence(FAR) + "\n", "one line for all that happens within a few seconds"


def test_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(view.time, "monotonic", lambda: float(next(clock)))
    page = io.StringIO()
    told(searching(stream=page, after=2, plain=True), FAR, times=20)
    assert page.getvalue().count("\n") == 4


def test_claims_are_counted_and_their_names_not_obeyed() -> None:
    page = io.StringIO()
    told(claiming(stream=page, after=0, plain=True), "mine: \x1b[31m", 3, 10)
    assert page.getvalue() == "claim 4 of 10, mine: \\x1b[31m\n"


def test_chinese_and_no_other() -> None:
    assert view.sentence(FAR, "zh").startswith("12,345 个状态，其中 67 个待查看，深度 8 回合")
    with pytest.raises(InputError, match="'en' or 'zh'"):
        told(searching("fr"), FAR)
