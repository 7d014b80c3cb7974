"""What a pattern claims, bound to what proves it: a check and its expected verdict, or a measured figure and its bound.

A claim that is met holds; an anti-pattern's claims hold when it fails in the stated way. The sentences stand in the
folder's pattern.toml, in both languages; here is only what runs. Nothing is remembered between two calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from dexpatterns.engine.report import Report, Verdict
from dexpatterns.errors import InputError

__all__ = ["ABOUT", "Claim", "Judged", "Measure", "judge"]

ABOUT = (
    "overlap", "lost token", "second token", "stuck", "survives failure", "survives cancel", "spans Steps", "holds n",
    "fair", "order", "state", "other",
)  # fmt: skip
"""What a claim can be about: the columns of the comparison."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An answer that a check must give.

    `ask` makes the report. `turns` is the length of the shortest counterexample, `broken` (the beginning of) the name
    of the property that it breaks, `cause` the kind of cause that its explanation names: each is judged if given.
    """

    ask: Callable[[], Report]
    verdict: Verdict
    about: str
    broken: str = ""
    turns: int | None = None
    cause: str = ""

    def __post_init__(self) -> None:
        _check(self.about, self.ask)
        if not isinstance(self.verdict, Verdict):
            raise InputError(f"claim: expected a Verdict, got {self.verdict!r}; write Verdict.PROVED")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A figure that must lie within its bounds; `unit` is said beside it."""

    ask: Callable[[], float]
    about: str
    unit: str
    at_least: float | None = None
    at_most: float | None = None

    def __post_init__(self) -> None:
        _check(self.about, self.ask)
        if self.at_least is None and self.at_most is None:
            raise InputError("measure: expected a bound, got none; give at_least or at_most")

    @property
    def bounds(self) -> str:
        low = f"at least {self.at_least:g}" if self.at_least is not None else ""
        high = f"at most {self.at_most:g}" if self.at_most is not None else ""
        return f"{' and '.join(filter(None, (low, high)))} {self.unit}"


class Judged(NamedTuple):
    """A claim that was run."""

    expected: str
    found: str
    holds: bool
    states: int | None
    seconds: float
    turns: int | None
    report: Report | None


def judge(claim: Claim | Measure) -> Judged:
    """Run a claim; what its code raises is not caught here."""
    started = time.perf_counter()
    if isinstance(claim, Measure):
        figure = float(claim.ask())
        low, high = claim.at_least, claim.at_most
        holds = (low is None or figure >= low) and (high is None or figure <= high)
        seconds = time.perf_counter() - started
        return Judged(claim.bounds, f"{figure:g} {claim.unit}", holds, None, seconds, None, None)
    report = claim.ask()
    seconds = time.perf_counter() - started
    run = report.counterexample
    turns = len(run.trace.turns) if run is not None else None
    holds = (
        report.verdict is claim.verdict
        and (not claim.broken or (report.property or "").startswith(claim.broken))
        and (claim.turns is None or claim.turns == turns)
        and (not claim.cause or getattr(getattr(report.explanation, "cause", None), "kind", "") == claim.cause)
    )
    found = report.verdict.name if turns is None else f"{report.verdict.name} in {turns} turns: {report.property}"
    return Judged(_expected(claim), found, holds, report.states, seconds, turns, report)


def _expected(claim: Claim) -> str:
    turns = f" in {claim.turns} turns" if claim.turns is not None else ""
    broken = f": {claim.broken}" if claim.broken else ""
    return f"{claim.verdict.name}{turns}{broken}"


def _check(about: str, ask: Any) -> None:
    if about not in ABOUT:
        raise InputError(f"claim about {about!r}: expected one of {', '.join(ABOUT)}")
    if not callable(ask):
        raise InputError(f"claim: expected a function that asks, got {ask!r}; write ask=lambda: check(...)")
