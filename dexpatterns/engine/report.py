"""What an exploration found: a verdict for each property, a run that shows it, and what was visited.

A cut search never looks like a proof: BOUNDED names the bound that cut it. This module searches nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, NamedTuple

from dexpatterns.engine.arguments import check_count
from dexpatterns.engine.growth import Part, in_words
from dexpatterns.engine.looking import Shown
from dexpatterns.engine.machine import Machine
from dexpatterns.engine.properties import Property, View
from dexpatterns.engine.run import Run
from dexpatterns.engine.texts import LANGUAGES, check_lang, visible
from dexpatterns.errors import InputError

__all__ = ["NOT_JUDGED", "Bounds", "Report", "Result", "Verdict", "check_bounds"]


class Verdict(Enum):
    """PROVED: every state within the scenario and faults was visited. REFUTED: here is a run that breaks it.
    BOUNDED: the search was cut before it could tell.
    """

    PROVED = "PROVED"
    BOUNDED = "BOUNDED"
    REFUTED = "REFUTED"


@dataclass(frozen=True, slots=True)
class Bounds(Shown):
    """Where a search stops although it is not done: part of the verdict.

    `states` met, `depth` in turns, `seconds` of real time (the only bound by which two machines may differ).
    """

    states: int = 1_000_000
    depth: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("states", "depth"):
            if (value := getattr(self, name)) is not None or name == "states":
                check_count(f"Bounds {name}", value)
        seconds = self.seconds
        if seconds is not None and (type(seconds) not in (int, float) or not math.isfinite(seconds) or seconds <= 0):
            raise InputError(f"Bounds seconds: expected a number above 0, got {seconds!r}; leave it out for no limit")


NOT_JUDGED = "not judged to the end: the search stopped at the first violation"
"""The detail of a property that another's violation has left open."""


def check_bounds(given: Any) -> Bounds:
    """The bounds that are asked for, None being the usual ones; raises `InputError`."""
    if given is None:
        return Bounds()
    if not isinstance(given, Bounds):
        raise InputError(f"bounds: expected Bounds(...), got {given!r}; write Bounds(states=10_000) or the like")
    return given


class Result(NamedTuple):
    """What is known of one property. `detail` is the fault of a refuted one, the bound of a bounded one."""

    name: str
    verdict: Verdict
    detail: str

    @property
    def word(self) -> str:
        """The verdict as it stands in a list: 'unjudged' is no bound, the search had its answer before."""
        return "unjudged" if self.detail == NOT_JUDGED else self.verdict.name


class _Told(NamedTuple):
    """Explains a report whose properties and machine are gone."""

    by_lang: dict[str, Any]

    def __call__(self, report: Report, lang: str) -> Any:
        return self.by_lang[check_lang(lang)]


@dataclass(frozen=True, slots=True, repr=False)
class Report(Shown):
    """The answer over every interleaving, failure and external event that the machine allows."""

    machine: str
    results: tuple[Result, ...]
    states: int
    """Distinct states met."""
    transitions: int
    """Moves looked at."""
    depth: int
    """Turns of the longest of all shortest ways to a state."""
    bounds: Bounds
    outcomes: frozenset[str]
    """How runs ended, among those visited."""
    counterexample: Run | None
    """A shortest run that breaks `property`."""
    witness: Run | None
    """When nothing is broken: a shortest run that ended as it should."""
    grown: tuple[Part, ...] = ()
    """Of a search that was cut: what grew, again and again, on the way to the deepest state that was seen.

    A hint: it may have an end that lies beyond the bound.
    """
    cut: str = ""
    """The bound that cut the search, such as 'states=1,000'; '' when it was not cut."""
    properties: tuple[Property, ...] = field(default=(), compare=False)
    """What was asked, in the order of `results`."""
    study: Machine[Any] | None = field(default=None, compare=False)
    """The machine on which the runs were made."""
    explain: Callable[[Report, str], Any] | None = field(default=None, compare=False)
    kind: str = field(default="", compare=False)
    """Of the machine: 'dex', 'js7', or another."""

    def __post_init__(self) -> None:
        if self.study is not None:
            object.__setattr__(self, "kind", self.study.kind)
        # Each knows the other: who looks at the run wants to know what it shows, and what else was found.
        for run in (self.counterexample, self.witness):
            if run is not None:
                object.__setattr__(run, "report", self)

    def __copy__(self) -> Report:
        # Nothing of it changes: a copy could not be told from it.
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Report:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """With what it says in words, and without the code: gone are the properties, and the machine of its runs."""
        told = None if self.explain is None else _Told({lang: self.explained(lang) for lang in LANGUAGES})
        kept = {"properties": (), "study": None, "explain": told}
        return Report, tuple(kept.get(one.name, getattr(self, one.name)) for one in fields(self))

    @property
    def verdict(self) -> Verdict:
        """The worst of all: REFUTED before BOUNDED before PROVED."""
        verdicts = [result.verdict for result in self.results]
        return next((v for v in (Verdict.REFUTED, Verdict.BOUNDED) if v in verdicts), Verdict.PROVED)

    @property
    def growing(self) -> str | None:
        """What `grown` says, as a sentence; None when nothing was seen to grow."""
        return in_words(self.grown)

    @property
    def vain(self) -> bool:
        """PROVED of a Flow of which every run ends FAILED: what was asked may hold for that reason alone."""
        proved = self.verdict is Verdict.PROVED and self.kind == "dex"
        return proved and bool(self.outcomes) and all(one.startswith("FAILED") for one in self.outcomes)

    @property
    def explanation(self) -> Any:
        """The counterexample told in turns, with its cause; the witness when nothing is broken."""
        return self.explained("en")

    def explained(self, lang: str = "en") -> Any:
        """`explanation` in a language: 'en' or 'zh'."""
        return self.explain(self, lang) if self.explain is not None else None

    def wrong(self, lang: str = "en") -> str:
        """What is wrong where the counterexample ends, in a language; '' when nothing is broken."""
        check_lang(lang)
        result = next((one for one in self.results if one.verdict is Verdict.REFUTED), None)
        broken = next((one for one in self.properties if result is not None and one.name == result.name), None)
        run = self.counterexample
        if result is None or broken is None or lang == "en" or run is None or run.machine is None:
            return result.detail if result is not None else ""
        if broken.goal:
            return broken.lost_goal(lang) or result.detail
        if type(broken).told is Property.told:  # it has words of one language alone
            return result.detail
        state, memory = run.machine.initial(), broken.initial()
        for turn in run.trace.turns:
            state, events = run.machine.apply(state, turn.choice)
            memory = broken.step(memory, events)
        return broken.told(memory, View(run.machine, state), lang) or result.detail

    def __repr__(self) -> str:
        name = visible(self.machine)
        lines = [f"{self.verdict.name}: {name}, {self.states:,} states, {self.transitions:,} transitions"]
        lines += [f"  {r.word:8} {visible(r.name)}{': ' + visible(r.detail) if r.detail else ''}" for r in self.results]
        if self.counterexample is not None:
            lines.append(f"  counterexample of {len(self.counterexample.trace.turns)} turns: see .explanation")
        return "\n".join(lines)

    # Last, since from here on the name no longer means the decorator.
    @property
    def property(self) -> str | None:
        """The name of the property that is broken."""
        return next((result.name for result in self.results if result.verdict is Verdict.REFUTED), None)
