"""Whether the last state that a file tells of a run has the shape that a machine's `describe` gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["misshapen"]


def misshapen(final: Mapping[str, Any], shape: Any) -> str | None:
    """Where it has not, and what was expected there; None where it has. `shape` is a `TypedDict`."""
    try:
        msgspec.convert(final, shape)
    except msgspec.ValidationError as error:
        said, _, where = str(error).partition(" - at `$")
        return f"at final{where.rstrip('`')} {said[:1].lower()}{said[1:]}"
    return None
