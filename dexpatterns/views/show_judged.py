"""What holds in a run so far, turn by turn, and how many moves were possible; beside it what a search said.

A run judges no other run: that something holds so far is one mark, that a search proved it another. The machine that
made a run is asked what was possible; without one the properties that need no state are judged all the same.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

from dexpatterns.dex.explain import property_name
from dexpatterns.dex.properties import mutual_exclusion, token_conserved
from dexpatterns.dex.scenario import Section
from dexpatterns.engine.properties import Property, View, never_stuck
from dexpatterns.engine.report import Report, Result, Verdict
from dexpatterns.engine.run import Run
from dexpatterns.engine.texts import visible
from dexpatterns.engine.trace import Turn
from dexpatterns.errors import DexpatternsError
from dexpatterns.js7.properties import usual_properties
from dexpatterns.views.front_texts import said
from dexpatterns.views.texts import short

__all__ = ["Judged", "judge", "limits"]

_STATELESS = ("mutual_exclusion", "token_conserved")
"""Kinds of properties that are judged by events alone."""


class Judged(NamedTuple):
    """`moves`: how many were possible after turn 0, 1, ...; None without a machine.

    `properties`: {name, verdict, by, goal, judged, broken}, where `by` is what a search said, and `broken` is
    [turn, fault] or None.
    """

    moves: list[int] | None
    properties: list[dict[str, Any]]


def limits(run: Run, limit: int) -> dict[str, int]:
    """How many may be inside, by section: what a report asked, else what is said here."""
    asked: list[Any] = [p for p in run.report.properties if p.kind == "mutual_exclusion"] if run.report else []
    return {section.name: limit for section in run.sections} | {p.section.name: p.limit for p in asked}


def judge(run: Run, lang: str, limit: int = 1) -> Judged:
    """Fold the properties of the run's report, or the usual ones, over it."""
    report: Report | None = run.report
    asked = list(report.properties) if report is not None and report.properties else list(_usual(run, limit))
    judges = [_Judge(one, lang) for one in asked]
    moves: list[int] | None = []
    states = _states(run)
    for turn in (None, *run.trace.turns):
        state = next(states) if turn is None else states.send(turn)
        for one in judges:
            one.take(turn, state)
        if state is None:
            moves = None
        elif moves is not None:
            moves.append(len(state.choices))
    results = {result.name: result for result in report.results} if report is not None else {}
    return Judged(moves, [one.told(run, results.get(one.asked.name)) for one in judges])


def _usual(run: Run, limit: int) -> Iterator[Property]:
    if run.trace.machine == "js7":
        yield from usual_properties() if run.machine is not None else ()
        return
    if run.machine is not None:
        yield never_stuck()
    for section in run.sections:
        kept = section if isinstance(section, Section) else Section(*section.steps, name=section.name)
        yield mutual_exclusion(kept, limit)
    for token in run.tokens:
        yield token_conserved(token, limit)


def _states(run: Run) -> Generator[View | None, Turn, None]:
    """A generator that is sent turns and gives the state after each, ready to be judged; None where nobody knows."""
    machine = run.machine
    view: View | None = None
    state: Any = None
    if machine is not None:
        state, _ = machine.start()
        view = View(machine, state)
    while True:
        turn: Turn = yield view
        if view is not None:
            try:
                state, _ = machine.apply(state, turn.choice, turn.time or 0.0)
                view = View(machine, state)
            except DexpatternsError:  # its handlers do not do the same again: nobody knows the state from here on
                view = None


class _Judge:
    """One property along a run."""

    def __init__(self, asked: Property, lang: str) -> None:
        self.asked = asked
        self.lang = lang
        self.memory: Any = asked.initial()
        self.judged = True
        self.broken: list[Any] | None = None
        self.turn = 0

    def take(self, turn: Turn | None, state: View | None) -> None:
        if turn is not None:
            self.turn = turn.number
            self.memory = self.asked.step(self.memory, turn.events)
        if state is None and self.asked.kind not in _STATELESS:
            self.judged = False
        if self.broken is not None or not self.judged:
            return
        try:
            fault = self.asked.fault(self.memory, state)  # type: ignore[arg-type]  # the stateless do not look at it
        except DexpatternsError:  # one that asks for more than a run can show
            self.judged = False
            return
        if fault is not None:
            told = self.asked.told(self.memory, state, self.lang) or fault  # type: ignore[arg-type]
            self.broken = [self.turn, visible(told)]

    def told(self, run: Run, result: Result | None) -> dict[str, Any]:
        lang = self.lang
        return {
            "name": property_name(self.asked, lang) if result is None else _name(self.asked, result, lang),
            "verdict": result.verdict.name if result is not None else "",
            "by": _by(run.report, result, lang) if result is not None else "",
            "goal": self.asked.goal,
            "judged": self.judged,
            "broken": self.broken,
        }


def _name(asked: Property, result: Result, lang: str) -> str:
    return property_name(asked, lang) or short(result.name)


def _by(report: Report, result: Result, lang: str) -> str:
    """What the search said of a property."""
    verdict = result.verdict.name
    if result.verdict is Verdict.PROVED:
        return said(lang, "all_tried", verdict=verdict, n=f"{report.states:,}")
    if result.verdict is Verdict.REFUTED:
        return said(lang, "shortest", verdict=verdict) if not report.cut else verdict
    if report.verdict is Verdict.REFUTED and not report.cut:
        return said(lang, "stopped_first")
    cut = said(lang, "cut_by", what=report.cut) if lang == "zh" and report.cut else visible(result.detail)
    return said(lang, "judged", verdict=verdict, detail=cut)
