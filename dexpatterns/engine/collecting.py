"""Lets the collector of cycles look seldom while a run or a search grows.

Traces and states are data without cycles, and each look at them costs as much as all that was made so far: with the
usual thresholds it takes a fifth of a long search, and half of a long run. This module knows neither.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

__all__ = ["rare_collections"]

_OBJECTS = 10_000_000
"""How many new objects bring a look. A run of 100,000 edits keeps fewer: only handlers that make cycles come so far."""
_FEW = 200_000
"""So many objects that nobody has looked at are not worth a look."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Raise the thresholds of the collector, and put them back in the end."""
    token = object()
    try:
        _collector.enter(token)
        yield
    finally:
        _collector.leave(token)


class _Collector:
    """The collector is one for all threads, and so are these books."""

    def __init__(self) -> None:
        # Reentrant: what a signal or a finalizer calls may run something too.
        self._lock = RLock()
        self._inside: dict[object, None] = {}
        self._usual = gc.get_threshold()
        """The thresholds that the first of those inside has found, for the last one to put back."""
        self._unseen = 0
        """How many objects were put among the old without a look since the last look at all."""
        self._seen = 0
        """How many there were then."""

    def enter(self, token: object) -> None:
        if not self._inside and self._unseen > max(self._seen, _FEW) and gc.isenabled():
            self._look()
        with self._lock:
            if not self._inside:
                self._usual = gc.get_threshold()
            self._inside[token] = None
            gc.set_threshold(_OBJECTS, 50, 1_000)

    def leave(self, token: object) -> None:
        with self._lock:
            self._inside.pop(token, None)
            if self._inside:
                return
            try:
                if not gc.get_freeze_count():
                    # Both together count everything among the old at no cost; else the next small collection, which
                    # comes at once with the usual thresholds, would look at all that was made here.
                    self._unseen += gc.get_count()[0]
                    gc.freeze()
                    gc.unfreeze()
            finally:
                gc.set_threshold(*self._usual)

    def _look(self) -> None:
        """Look at all, before the next begins: what many short ones have left is else never looked at.

        Each time as many have come as there were before, so that looks take a fixed share of the time.
        """
        self._unseen = 0
        gc.collect()
        if not gc.get_freeze_count():
            gc.freeze()
            self._seen = gc.get_freeze_count()
            gc.unfreeze()


_collector = _Collector()
