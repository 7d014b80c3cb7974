"""Somebody else's code that never returns is stopped and named; a search that takes long is left alone.

    with limited(seconds=2) as watchdog:
        report = check(flow, input)
    watchdog.found         where the endless code is, or None

What is watched is a call out of our code into code that is neither ours nor installed: it is endless once that one
call has lasted so many seconds of real time. It ends in an `EndlessError`, which no handler's failure is mistaken for.
Where the platform has alarms and this is the main thread, sleeping is ended too; elsewhere only code that runs. Code
that catches even that, again and again, cannot be ended.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

from dexpatterns.dex.instant import finish
from dexpatterns.dex.io_guard import is_installed

__all__ = ["EndlessError", "Place", "Watchdog", "is_somebodys", "limited"]

_TICK = 0.25
"""Seconds between two looks."""


class Place(NamedTuple):
    """A line of somebody's code."""

    function: str
    file: str
    line: int


class EndlessError(KeyboardInterrupt):
    """Raised inside the endless code. Like Ctrl-C it is no failure of an attempt, so that nobody tries again."""


class Watchdog:
    """What was seen of the code that is watched."""

    def __init__(self, anchor: FrameType, seconds: float) -> None:
        self.seconds = seconds
        self.found: Place | None = None
        self._anchor = anchor
        self._call: FrameType | None = None
        self._since = 0.0

    def looks_endless(self, frame: FrameType | None) -> bool:
        """Look at what runs now; whether it has run for too long, in one call."""
        call = inner = None
        while frame is not None and frame is not self._anchor:
            waited_for = _coroutine(frame)
            if waited_for is not None:
                # While it sleeps, nothing of it stands on the stack; for us that is a call all the same.
                call, inner = frame, inner or waited_for
            elif is_somebodys(frame):
                call, inner = frame, inner or frame
            frame = frame.f_back
        if frame is None or call is not self._call:
            self._call, self._since = (call if frame is not None else None), time.monotonic()
            return False
        if call is None or inner is None or time.monotonic() - self._since < self.seconds:
            return False
        named = _coroutine(call) or call
        self.found = Place(named.f_code.co_qualname, inner.f_code.co_filename, inner.f_lineno)
        return True

    def forget(self) -> None:
        """Hold no frame, and so nothing that its variables hold."""
        self._call = None
        del self._anchor


def is_somebodys(frame: FrameType) -> bool:
    """Whether this runs code that is neither ours, an exercise's world included, nor installed."""
    top, _, rest = str(frame.f_globals.get("__name__", "")).partition(".")
    ours = top == "dexpatterns" or (top.startswith("dexpatterns_exercise_") and rest == "world")
    return not ours and not is_installed(frame.f_code.co_filename)


def _coroutine(frame: FrameType) -> FrameType | None:
    """The frame of the `async def` handler that is being finished here."""
    if frame.f_code is not finish.__code__:
        return None
    found: FrameType | None = getattr(frame.f_locals["coroutine"], "cr_frame", None)
    return found


@contextmanager
def limited(seconds: float = 2.0) -> Iterator[Watchdog]:
    """Watch the code that this block calls."""
    # From here two frames up: contextlib's, then the block's own.
    watchdog = Watchdog(sys._getframe(2), seconds)
    by_alarm = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    try:
        with _alarm(watchdog) if by_alarm else _thread(watchdog):
            yield watchdog
    finally:
        watchdog.forget()


@contextmanager
def _alarm(watchdog: Watchdog) -> Iterator[None]:
    def rang(_signal: int, frame: FrameType | None) -> None:
        if watchdog.looks_endless(frame):
            raise EndlessError

    before = signal.signal(signal.SIGALRM, rang)
    left = signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *left)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _thread(watchdog: Watchdog) -> Iterator[None]:
    watched, done = threading.get_ident(), threading.Event()

    def look() -> None:
        raise_in: Any = ctypes.pythonapi.PyThreadState_SetAsyncExc
        while not done.wait(_TICK):
            if watchdog.looks_endless(sys._current_frames().get(watched)):
                raise_in(ctypes.c_ulong(watched), ctypes.py_object(EndlessError))

    looker = threading.Thread(target=look, name="dexpatterns-limit", daemon=True)
    looker.start()
    try:
        yield
    finally:
        done.set()
        looker.join()
