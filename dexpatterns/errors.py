"""Every error that dexpatterns raises on purpose, and whose fault each one is.

A `DexpatternsError` is about what was handed in: its text says what, where, what was expected and the
next step, and the command line prints it and ends with status 2. An `InternalError` is our bug. This module
knows nothing of Flows, workflows or files beyond their names.
"""

from __future__ import annotations

__all__ = [
    "DexpatternsError",
    "FlowDefinitionError",
    "InputError",
    "InternalError",
    "InvalidStepResultError",
    "NondeterminismError",
    "RunFileError",
    "ScheduleError",
    "SymmetryError",
    "ValueNotDataError",
    "WorkflowFileError",
    "in_one_line",
]


class DexpatternsError(Exception):
    """Something that was handed in cannot be used as it is; the text names the mend."""


class FlowDefinitionError(DexpatternsError):
    """A Flow is broken as defined (D-5); found when it is built, before anything runs."""


class InvalidStepResultError(DexpatternsError):
    """A handler made something that Dex refuses (D-5); it fails that attempt, not the search."""


class NondeterminismError(DexpatternsError):
    """A handler did two things for the same input and the same answers of its context; the text shows both."""


class SymmetryError(DexpatternsError):
    """Branches that were declared interchangeable can be told apart; check without `symmetric`."""


class ValueNotDataError(InvalidStepResultError):
    """A value is neither JSON-like nor a frozen dataclass of such values."""


class InputError(DexpatternsError):
    """An input file, an option or an argument is not usable."""


class ScheduleError(DexpatternsError):
    """A schedule is cut off, foreign, of another version, or names a move that is not possible."""


class RunFileError(DexpatternsError):
    """A saved run is cut off, foreign, or of another version."""


class WorkflowFileError(DexpatternsError):
    """A JS7 workflow or lock file cannot be used; the text names file, position and mend."""


class InternalError(Exception):
    """Our bug: please report it with the text. Nothing that a user hands in may cause it."""


def in_one_line(error: BaseException, most: int = 300) -> str:
    """What somebody's code raised, short enough to stand within a message.

    >>> in_one_line(ValueError("no such\\n  contract")), in_one_line(ValueError("x" * 99), most=20)
    ('ValueError: no such contract', 'ValueError: xxxxx...')
    """
    words = " ".join(f"{type(error).__name__}: {error}".split())
    return words if len(words) <= most else words[: most - 3] + "..."
