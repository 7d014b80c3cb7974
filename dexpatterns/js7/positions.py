"""Where an instruction stands (J110), and the ways from there: into a block, out of it, to the next one.

A position is read by its own parts alone. No workflow is known here; what stands at a position, or whether anything
does, is for `instructions` to say.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "TOP", "Position", "attempt", "branch_of", "following", "is_position", "normalized", "outer", "step_into",
    "try_count",
]  # fmt: skip

Position = tuple[int | str, ...]
"""Instruction numbers and branch names in turn, ending in a number: `(0, "try+0", 1)` (J110)."""

TOP: Position = (0,)
"""Where an order starts."""


def is_position(parts: Sequence[object]) -> bool:
    """Whether numbers and names come in turn, as in a position.

    >>> is_position((0, "then", 1)), is_position((0, "then")), is_position(())
    (True, False, False)
    """
    kinds = [type(part) for part in parts]
    return len(kinds) % 2 == 1 and {*kinds[::2]} == {int} and {*kinds[1::2]} <= {str}


def normalized(branch: str) -> str:
    """A branch name without the attempt that it carries: `try+2` is `try`; others stay."""
    name, _, rest = branch.partition("+")
    return name if name in ("try", "catch") and rest.isdecimal() else branch


def attempt(branch: str) -> int | None:
    """The attempt that `try+N` or `catch+N` carries, counted from 0; None for other branches."""
    name, _, rest = branch.partition("+")
    return int(rest) if name in ("try", "catch") and rest.isdecimal() else None


def outer(position: Position) -> Position | None:
    """The position of the instruction around; None at the outer level."""
    return position[:-2] or None


def branch_of(position: Position) -> str | None:
    """The branch of the instruction around that this position is in; None at the outer level."""
    return str(position[-2]) if len(position) > 2 else None


def following(position: Position) -> Position:
    """The next position in the same block."""
    last = position[-1]
    assert isinstance(last, int)
    return (*position[:-1], last + 1)


def step_into(position: Position, branch: str) -> Position:
    """The first position of a block of the instruction at `position`."""
    return (*position, branch, 0)


def try_count(position: Position) -> int:
    """What `tryCount` reads at a position: seen through If only, so 0 inside of a Lock inside of a Try (J123).

    >>> try_count((0, "try+1", 0, "then", 2)), try_count((0, "try+1", 0, "lock", 0))
    (2, 0)
    """
    for branch in reversed(position[1::2]):
        tried = attempt(str(branch))
        if tried is not None:
            return tried + 1
        if branch != "else" and str(branch).partition("+")[0] != "then":
            return 0
    return 0
