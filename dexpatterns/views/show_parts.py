"""What each machine adds to a show: its lanes, the state of each turn and what is told of it, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dexpatterns.engine.run import Run
from dexpatterns.engine.telling import Change, TurnText

__all__ = ["Parts", "explained", "told"]


@dataclass(frozen=True)
class Parts:
    """The keys of a show (`views.show`) that depend on the machine."""

    lanes: list[list[str]]
    start: dict[str, Any]
    deltas: list[dict[str, Any]]
    told: list[list[Any]]
    use: list[list[list[str]]]
    channels: list[list[str]] = field(default_factory=list)
    attributes: list[list[str]] = field(default_factory=list)
    locks: list[list[str]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    sections: list[list[Any]] = field(default_factory=list)
    rows: list[int] | None = None
    """Of the pictures of lanes: whose each row is; None where rows are lanes."""
    overview: str = ""
    """A picture of the whole run, where the lanes are cut into windows."""
    legend: list[list[str]] = field(default_factory=list)
    marks: list[list[Any]] = field(default_factory=list)


def explained(run: Run, lang: str) -> tuple[TurnText, ...]:
    """The turns as the run's report tells them, which knows what was asked; () without one."""
    report = run.report
    found = report.explained(lang) if report is not None and report.explain is not None else None
    turns: tuple[TurnText, ...] = getattr(found, "turns", ())
    return turns if len(turns) == len(run.trace.turns) else ()


def told(text: TurnText, lane: int) -> list[Any]:
    """A turn in words, as a show has it."""
    reads = [[read.name, read.new] for read in text.reads]
    changes = [_change(change) for change in text.changes]
    return [lane, text.branch, text.sentence, text.happens, reads, changes, text.note, text.step]


def _change(change: Change) -> list[str]:
    return [change.name, change.old, change.new, change.note]
