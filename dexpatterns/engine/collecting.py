"""Lets the collector of cycles look seldom while a run or a search grows.

Traces and states are data without cycles, and each look at them costs as much as all that was made so far: with the
usual thresholds it takes a fifth of a long search, and half of a long run. This module knows neither.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["rare_collections"]

_OBJECTS = 10_000_000
"""How many new objects bring a look. A run of 100,000 edits keeps fewer: only handlers that make cycles come so far."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Raise the thresholds of the collector, and put them back in the end."""
    usual = gc.get_threshold()
    gc.set_threshold(_OBJECTS, 50, 1_000)
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            # Both together count everything among the old at no cost; else the next small collection, which comes at
            # once with the usual thresholds, would look at all that was made here.
            gc.freeze()
            gc.unfreeze()
        gc.set_threshold(*usual)
