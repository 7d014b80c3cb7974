"""What an answer may be, and how each kind is judged: a Flow, items, a schedule, verdicts, tools.

A judge takes a `Case` and gives the sentence for a right answer, or raises `Refused`. It compares no texts, and knows
no exercise: what is asked stands in each one's world.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from inspect import isroutine
from typing import Any

from dexpatterns import js7
from dexpatterns.dex.definition import compile_flow
from dexpatterns.dex.explain import property_name
from dexpatterns.dex.faces import replay
from dexpatterns.dex.flow import Flow
from dexpatterns.dex.wording import listed, shown
from dexpatterns.engine.machine import Machine
from dexpatterns.engine.properties import Property, View
from dexpatterns.engine.report import Report, Verdict
from dexpatterns.engine.run import Run
from dexpatterns.engine.schedule import Schedule
from dexpatterns.errors import FlowDefinitionError, ScheduleError
from dexpatterns.exercises.case import MOST, Case, Refused, headline, told
from dexpatterns.exercises.shipped import is_open, same_flow

__all__ = ["JUDGES"]

_ROUNDS = 3
"""How often a right Flow is searched, each time with every handler run twice."""


# A Flow.


def _flow(case: Case) -> str:
    flow = _made(case)
    spec = compile_flow(flow)
    start = case.exercise.code("start").answer
    if same_flow(flow, start()):
        case.refuse("not yet", "not answered")
    world = case.exercise.world
    for name in world.STEPS:
        if name not in spec.by_name:
            case.refuse("missing", "missing step", name=name)
    for name in world.CHANNELS:
        if name not in spec.channels:
            case.refuse("missing", "missing channel", name=name)
    # A handler that draws lots may do the same twice by chance, and then comes through one search.
    states = [case.demanded(world.judge(flow, case.lang)) for _ in range(_ROUNDS)]
    return case.say("flow passed", states=states[0])


def _made(case: Case) -> Flow[Any]:
    """The Flow that is meant by a class, an instance or a factory."""
    answer = case.answer
    if is_open(answer):
        case.refuse("not yet", "not answered")
    if not isinstance(answer, (Flow, type)) and not isroutine(answer):
        case.wrong_kind("want flow", answer)
    if isinstance(answer, type) and not issubclass(answer, Flow):
        case.wrong_kind("want flow", answer)
    if not isinstance(answer, Flow):
        try:
            answer = answer()
        except Exception as error:  # noqa: BLE001  # it is somebody's code, and may raise anything
            case.refuse("raises", "raises making", what=told(error))
        if not isinstance(answer, Flow):
            case.wrong_kind("want flow", answer)
    try:
        answer.get_steps()
    except FlowDefinitionError:
        raise
    except Exception as error:  # noqa: BLE001  # as above
        case.refuse("raises", "raises making", what=told(error))
    return answer


# Workflow and lock items.


def _items(case: Case) -> str:
    answer = case.answer
    if is_open(answer):
        case.refuse("not yet", "not answered")
    if not isinstance(answer, (list, tuple, dict)):
        case.wrong_kind("want items", answer)
    world = case.exercise.world
    items = tuple(answer) if _loaded(answer) else js7.load(answer)
    if set(items) == set(js7.load(case.exercise.code("start").answer)):
        case.refuse("not yet", "not answered")
    js7.check_references(items)
    paths = {(type(item).__name__, item.path) for item in items}
    for kind, names in (("Workflow", world.WORKFLOWS), ("Lock", world.LOCKS)):
        for name in names:
            if (kind, name) not in paths:
                case.refuse("missing", f"missing {kind.lower()}", name=name)
    return case.say("items passed", states=case.demanded(world.judge(items, case.lang)))


def _loaded(answer: Any) -> bool:
    return isinstance(answer, (list, tuple)) and all(isinstance(one, (js7.Workflow, js7.Lock)) for one in answer)


# A schedule.


def _schedule(case: Case) -> str:
    """The moves are made again on the puzzle's own Flow, whatever the learner's has become."""
    world, answer = case.exercise.world, case.answer
    if isinstance(getattr(answer, "run", None), Run):
        answer = answer.run
    if is_open(answer) or (isinstance(answer, Run) and not answer.trace.turns):
        case.refuse("not yet", "not answered")
    if isinstance(answer, Run):
        answer = Schedule.of(answer.trace)
    if not isinstance(answer, (str, Schedule)):
        case.wrong_kind("want schedule", case.answer)
    puzzle = case.exercise.code("start")
    try:
        run = replay(
            puzzle.PuzzleFlow, puzzle.EDITS, answer, sections=[world.SECTION], tokens=world.TOKENS, faults=world.FAULTS
        )
    except ScheduleError as error:
        case.refuse("unusable", "bad schedule", what=shown(str(error), MOST))
    report = world.shortest()
    shortest = len(report.counterexample.trace.turns)
    broken = _broken_at(run, report.properties)
    if broken is None:
        machine: Machine[Any] = run.machine
        moves = listed(case.lang, map(str, _moves(machine, run)), most=6)
        name = property_name(report.properties[0], case.lang)
        sentence = case.say("breaks nothing", n=len(run.trace.turns), property=name, moves=moves)
        raise Refused("breaks nothing", sentence, run=run)
    if broken > world.MOVES:
        raise Refused("too many moves", case.say("too many moves", n=broken, most=world.MOVES), run=run)
    return case.say("schedule passed", n=broken, shortest=shortest)


def _broken_at(run: Run, properties: Iterable[Property]) -> int | None:
    """After how many moves the first of the properties is broken."""
    machine: Machine[Any] = run.machine
    state, events = machine.start()
    memories = [one.step(one.initial(), events) for one in properties]
    for number, turn in enumerate(run.trace.turns, start=1):
        state, events = machine.apply(state, turn.choice)
        for place, one in enumerate(properties):
            memories[place] = one.step(memories[place], events)
            if one.fault(memories[place], View(machine, state)) is not None:
                return number
    return None


def _moves(machine: Machine[Any], run: Run) -> Iterable[Any]:
    state = machine.initial()
    for turn in run.trace.turns:
        state, _ = machine.apply(state, turn.choice)
    return machine.choices(state)


# Verdicts by question, tools by situation.


def _answers(case: Case, names: Iterable[str]) -> dict[str, Any]:
    answer, names = case.answer, list(names)
    if is_open(answer):
        case.refuse("not yet", "not answered")
    if len(names) == 1 and not isinstance(answer, Mapping):
        answer = {names[0]: answer}
    if not isinstance(answer, Mapping) or set(answer) != set(names):
        case.wrong_kind("want answers", case.answer, names=listed(case.lang, map(repr, names), most=9))
    return {name: answer[name] for name in names}


def _verdict(case: Case) -> str:
    questions: dict[str, Callable[[], Report]] = case.exercise.world.QUESTIONS
    counted = case.exercise.world.COUNTED
    said = {
        name: _read_verdict(case, name, one, counted=name in counted) for name, one in _answers(case, questions).items()
    }
    wrong: list[tuple[str, Report, str]] = []
    found: dict[str, str] = {}
    for name, ask in questions.items():
        report = ask()
        turns = len(report.counterexample.trace.turns) if report.counterexample is not None else None
        found[name] = f"REFUTED in {turns} turns" if turns is not None and name in counted else report.verdict.name
        if said[name] != found[name]:
            wrong.append((name, report, found[name]))
    if wrong:
        name, report, right = wrong[0]
        sentence = case.say("wrong verdict", name=name, said=said[name], found=right)
        if len(questions) > 1:
            sentence = case.say("wrong verdict among", wrong=len(wrong), all=len(questions), first=sentence)
        raise Refused("wrong verdict", sentence, property=name, run=report.counterexample, report=report)
    pairs = [case.say("pair", name=name, what=verdict) for name, verdict in found.items()]
    return case.say("verdict passed", verdicts=case.say("and").join(pairs))


def _read_verdict(case: Case, name: str, said: Any, *, counted: bool) -> str:
    """The verdict in the explorer's words."""
    text = said.name if isinstance(said, Verdict) else said if isinstance(said, str) else ""
    found = re.fullmatch(r"(PROVED)|(REFUTED)(?: IN (\d{1,9})(?: TURNS?)?)?", " ".join(text.upper().split()))
    if found is None or (counted and found[2] and not found[3]):
        case.wrong_kind("want turns" if counted else "want verdict", said, name=repr(name))
    return f"REFUTED in {int(found[3])} turns" if counted and found[3] else found[1] or found[2]


def _choice(case: Case) -> str:
    situations: dict[str, dict[str, Callable[[], Report]]] = case.exercise.world.SITUATIONS
    chosen = _answers(case, situations)
    for name, tools in situations.items():
        if chosen[name] not in list(tools):
            among = listed(case.lang, map(repr, tools), most=9)
            case.wrong_kind("want tool", chosen[name], name=repr(name), tools=among)
    for name, tools in situations.items():
        tool = chosen[name]
        report = tools[tool]()
        if report.verdict is not Verdict.PROVED:
            sentence = case.say("too light", name=name, tool=tool, headline=headline(report, case.lang))
            raise Refused("too light", sentence, property=name, run=report.counterexample, report=report)
        for lighter, ask in tools.items():
            if lighter == tool:
                break
            report = ask()
            if report.verdict is Verdict.PROVED:
                sentence = case.say("too heavy", name=name, tool=tool, lighter=lighter, states=report.states)
                raise Refused("too heavy", sentence, property=name, run=report.witness)
    pairs = [case.say("pair", name=name, what=tool) for name, tool in chosen.items()]
    return case.say("choice passed", tools=case.say("and").join(pairs))


JUDGES: dict[str, Callable[[Case], str]] = {
    "flow": _flow,
    "items": _items,
    "schedule": _schedule,
    "verdict": _verdict,
    "choice": _choice,
}
