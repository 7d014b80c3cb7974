"""What a told turn is made of, for every machine: who did what, in one sentence, and what has another value now.

Everything here is text already, fit to be shown; as HTML it is still to be escaped. How a turn is put into words is
each machine's own business.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Change", "TurnText"]

_MOST = 4
"""Changes that are told in one line."""
_BETWEEN = {"en": ", ", "zh": "，"}
_MORE = {"en": "{n} more", "zh": "另有 {n} 项"}


@dataclass(frozen=True, slots=True)
class Change:
    """Something that has another value after the turn, or that was read (then `old` is '')."""

    name: str
    old: str
    new: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.old} → {self.new}{self.note}" if self.old else f"{self.name} = {self.new}"


@dataclass(frozen=True, slots=True)
class TurnText:
    """One turn in words. Every text is fit to be shown; as HTML it is still to be escaped."""

    turn: int
    lane: int
    """The number of its branch or order, counted from 1; 0 for what is neither."""
    branch: str
    """By its label; the Step's name and number for what has none. Of JS7, the order's id."""
    step: str
    """`Step`, or `Step.wait_for`. Of JS7, the job that ran or runs, '' for none."""
    verb: str
    """`begins`, `saves`, `fails for good` ..."""
    happens: str
    """What happens, without saying whose turn it is and what was read or changed."""
    sentence: str
    """The whole of it, but for `changes`."""
    reads: tuple[Change, ...] = ()
    changes: tuple[Change, ...] = ()
    note: str = ""
    """Why it matters, or what it does not promise; '' for most turns."""
    lang: str = field(default="en", compare=False)

    @property
    def changed(self) -> str:
        """The changes in one line, four at most."""
        more = [_MORE[self.lang].format(n=len(self.changes) - _MOST)] if len(self.changes) > _MOST else []
        return _BETWEEN[self.lang].join([*map(str, self.changes[:_MOST]), *more])

    def __str__(self) -> str:
        gap = " " if self.lang == "en" and self.changes else ""
        return f"{self.sentence}{gap}{self.changed}"
