"""How a person tries workflows and orders as a whole: every order of events, one run by chance, a run again.

Each face makes a `Js7Machine`; none adds a rule of its own. A `Controller` is the face for one's own hands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from dexpatterns.engine import schedule as schedules
from dexpatterns.engine import simulator
from dexpatterns.engine.arguments import check_callable
from dexpatterns.engine.explore import Progress, explore
from dexpatterns.engine.machine import Choice
from dexpatterns.engine.properties import Property, View, chosen
from dexpatterns.engine.report import NOT_JUDGED, Bounds, Report, Result, Verdict, check_bounds
from dexpatterns.engine.run import Run
from dexpatterns.engine.schedule import Schedule, trace_of
from dexpatterns.engine.trace import Turn
from dexpatterns.js7.machine import Js7Machine
from dexpatterns.js7.properties import NoStarvation, usual_properties
from dexpatterns.js7.scenario import Order
from dexpatterns.js7.starvation import Graph, Lasso, starve
from dexpatterns.js7.story import explain

__all__ = ["check", "replay", "simulate"]


def check(
    items: Any,
    orders: Iterable[Order],
    *,
    jobs: Any = None,
    fair: bool = False,
    properties: Iterable[Property] | None = None,
    bounds: Bounds | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Try every order of arrivals, job ends, answers and delays, and judge each property in every state.

    `items` is what `load` gives or takes; `orders` come at any moment and in any order. `properties=None` means
    `no_overcommitment()`, `no_lock_kept()` and `no_deadlock()`. Nobody cancels, suspends or resumes here: an order that
    stopped stays so. Times order nothing, since there is no clock. Raises `InputError` or `WorkflowFileError` before
    any search.
    """
    machine = Js7Machine(items, orders, jobs, fair)
    asked = usual_properties() if properties is None else chosen(machine, properties)
    bounds = check_bounds(bounds)
    check_callable("progress", progress)
    ordinary = [one for one in asked if not isinstance(one, NoStarvation)]
    starving = [one for one in asked if isinstance(one, NoStarvation)]
    report = None
    if ordinary:
        report = explore(
            machine, properties=ordinary, bounds=bounds, progress=progress, input=machine.input,
            explain=lambda report, lang: explain(report, lang, _wrong(machine, report, lang)),
        )  # fmt: skip
        if not starving:
            return report
        if report.verdict is Verdict.REFUTED:
            untold = [Result(one.name, Verdict.BOUNDED, NOT_JUDGED) for one in starving]
            return replace(report, results=_in_order(asked, (*report.results, *untold)), properties=asked)
    made = _judged(machine, starving, bounds, progress)
    if report is None:
        return made
    refuted = made.verdict is Verdict.REFUTED
    return replace(
        report,
        results=_in_order(asked, (*report.results, *made.results)),
        counterexample=made.counterexample,
        witness=None if refuted else report.witness,
        explain=made.explain if refuted else report.explain,
        cut=report.cut or made.cut,
        properties=asked,
    )


def _in_order(asked: Iterable[Property], results: Iterable[Result]) -> tuple[Result, ...]:
    by_name = {result.name: result for result in results}
    return tuple(by_name[one.name] for one in asked)


def _judged(
    machine: Js7Machine,
    starving: list[NoStarvation],
    bounds: Bounds,
    progress: Callable[[Progress], None] | None,
) -> Report:
    """The report on starvation alone: the first order that starves is shown."""
    graph = Graph(machine, [one.order for one in starving], bounds)
    try:
        graph.explore(progress)
    except KeyboardInterrupt:
        graph.cut = "interrupted"
    results: list[Result] = []
    shown: Lasso | None = None
    say: Callable[[str], str] | None = None
    for one in starving:
        lasso = starve(graph, one.order) if not graph.cut else None
        if lasso is not None:
            results.append(Result(one.name, Verdict.REFUTED, lasso.tell(machine, one.order)))
            if shown is None:
                shown, say = lasso, _saying(machine, one.order, lasso)
        elif graph.cut:
            results.append(Result(one.name, Verdict.BOUNDED, f"cut by {graph.cut}"))
        else:
            results.append(Result(one.name, Verdict.PROVED, ""))
    witness = graph.path(graph.good_end) if shown is None and graph.good_end is not None else None
    return Report(
        machine=machine.name,
        results=tuple(results),
        states=len(graph.parents),
        transitions=graph.transitions,
        depth=max(graph.depths),
        bounds=bounds,
        outcomes=frozenset(graph.outcomes),
        counterexample=_run(machine, (*shown.way, *shown.circle)) if shown is not None else None,
        witness=_run(machine, witness) if witness is not None else None,
        cut=graph.cut,
        properties=tuple(starving),
        study=machine,
        explain=lambda report, lang: explain(report, lang, say(lang) if say is not None else ""),
    )


def _saying(machine: Js7Machine, order: str, lasso: Lasso) -> Callable[[str], str]:
    return lambda lang: lasso.tell(machine, order, lang)


def _wrong(machine: Js7Machine, report: Report, lang: str) -> str:
    """What is wrong where the counterexample ends, in a language; '' when nothing is broken."""
    if report.counterexample is None:
        return ""
    state = machine.initial()
    for turn in report.counterexample.trace.turns:
        state, _ = machine.apply(state, turn.choice)
    broken = next(one for one in report.properties if one.name == report.property)
    # A property that keeps a memory along the run is somebody's own: its fault stands in the report.
    told = broken.told(broken.initial(), View(machine, state), lang) if type(broken).told is not Property.told else None
    return told or next(result.detail for result in report.results if result.name == broken.name)


def _run(machine: Js7Machine, path: Iterable[Choice]) -> Run:
    state, started = machine.start()
    turns: list[Turn] = []
    for choice in path:
        state, events = machine.apply(state, choice)
        turns.append(Turn(len(turns) + 1, None, choice, events))
    return Run(trace_of(machine, state, started, turns, input=machine.input), machine=machine)


def simulate(
    items: Any,
    orders: Iterable[Order],
    *,
    jobs: Any = None,
    fair: bool = False,
    seed: int = 0,
    turns: int = simulator.TURNS,
) -> Run:
    """Run once on a virtual clock, what is free to happen drawn from `seed`: equal arguments give equal runs.

    Orders come at their `at`; questions are answered after some time. Raises `InputError` before anything runs.
    """
    machine = Js7Machine(items, orders, jobs, fair)
    return Run(simulator.simulate(machine, seed=seed, turns=turns, input=machine.input), machine=machine)


def replay(
    items: Any, orders: Iterable[Order], schedule: Schedule | str, *, jobs: Any = None, fair: bool = False
) -> Run:
    """Make the moves of a schedule again; raises `ScheduleError` at the first that is not possible."""
    machine = Js7Machine(items, orders, jobs, fair)
    parsed = schedule if isinstance(schedule, Schedule) else Schedule.parse(schedule)
    return Run(schedules.replay(machine, parsed, input=machine.input), machine=machine)
