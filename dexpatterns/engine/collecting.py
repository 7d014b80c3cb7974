"""Lets the collector of cycles look seldom while a run or a search grows.

Traces and states are data without cycles, and each full look at them costs as much as all that was made so far: with
the usual thresholds it takes a fifth of a long search, and half of a long run. This module knows neither.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["rare_collections"]


@contextmanager
def rare_collections() -> Iterator[None]:
    """Raise the thresholds of the collector, and put them back in the end."""
    usual = gc.get_threshold()
    gc.set_threshold(200_000, 50, 1_000)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
