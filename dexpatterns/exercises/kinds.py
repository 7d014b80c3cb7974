"""What an answer may be, and how each kind is judged: a Flow, items, a schedule, verdicts, tools.

A judge takes a `Case` and gives the sentence for a right answer, or raises `Refused`. It compares no texts, and knows
no exercise: what is asked stands in each one's world.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from inspect import isroutine
from typing import TYPE_CHECKING, Any

from dexpatterns import js7
from dexpatterns.dex.definition import compile_flow
from dexpatterns.dex.explain import property_name
from dexpatterns.dex.faces import Simulation
from dexpatterns.dex.flow import Flow
from dexpatterns.dex.wording import listed, shown
from dexpatterns.engine.machine import Choice
from dexpatterns.engine.properties import Property
from dexpatterns.engine.report import Report, Verdict
from dexpatterns.engine.run import Run
from dexpatterns.engine.schedule import Schedule
from dexpatterns.errors import FlowDefinitionError, ScheduleError
from dexpatterns.exercises.case import MOST, Case, Refused, headline
from dexpatterns.exercises.result import story_of
from dexpatterns.exercises.shipped import is_open, same_flow

if TYPE_CHECKING:
    from dexpatterns.views.seat import Seat

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
        except (Exception, SystemExit) as error:  # noqa: BLE001  # it is somebody's code, and may raise anything
            case.raises_making(error)
        if not isinstance(answer, Flow):
            case.wrong_kind("want flow", answer)
    try:
        answer.get_steps()
    except FlowDefinitionError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001  # as above
        case.raises_making(error)
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
    """The moves are made again in a seat of the puzzle's own Flow, whatever the learner's has become."""
    world = case.exercise.world
    name, moves = _played(case)
    report = world.shortest()
    shortest = len(report.counterexample.trace.turns)
    seat = _seat(case, report.properties)
    if name not in ("", seat.machine.name):
        case.refuse("unusable", "another flow", name=shown(name), expected=seat.machine.name)
    for n, move in enumerate(moves, start=1):
        try:
            seat.take(move)
        except ScheduleError:
            case.refuse("unusable", "bad move", n=n, move=shown(str(move), 80), next=_next(case, seat))
    broken, most = seat.judged[0].since, world.MOVES
    if broken is None:
        title = property_name(report.properties[0], case.lang)
        beyond = case.say("beyond", most=most) if len(moves) > most else ""
        said = case.say("breaks nothing", n=len(moves), property=title)
        raise Refused("breaks nothing", case.joined(said, beyond, _next(case, seat)), run=seat.run)
    if broken > most:
        raise Refused("too many moves", case.say("too many moves", broken=broken, most=most), run=seat.run)
    return case.say("schedule passed", broken=broken, shortest=shortest)


def _played(case: Case) -> tuple[str, list[Any]]:
    """What the moves were made on, '' if that is not said, and the moves."""
    answer = case.answer
    if is_open(answer):
        case.refuse("not yet", "not answered")
    # A widget shows the seat that is open in it; a seat and a Simulation know the run so far.
    seated = getattr(answer, "seated", None)
    answer = answer if seated is None else seated
    if isinstance(getattr(answer, "run", None), Run):
        answer = answer.run
    if isinstance(answer, Run):
        answer = Schedule.of(answer.trace)
        if not answer.moves:
            case.refuse("not yet", "no move")
    if isinstance(answer, str):
        try:
            answer = Schedule.parse(answer)
        except ScheduleError as error:
            case.refuse("unusable", "bad schedule", what=shown(str(error), MOST))
    if isinstance(answer, Schedule):
        return answer.name, [choice for _, choice in answer.moves]
    if not isinstance(answer, (list, tuple)) or not all(type(move) in (str, int, Choice) for move in answer):
        case.wrong_kind("want schedule", case.answer)
    if not answer:
        case.refuse("not yet", "no move")
    return "", list(answer)


def _seat(case: Case, properties: Iterable[Property]) -> Seat:
    from dexpatterns.views.seat import Seat

    world, puzzle = case.exercise.world, case.exercise.code("start")
    fresh = Simulation(
        puzzle.PuzzleFlow, puzzle.EDITS, sections=[world.SECTION], tokens=world.TOKENS, faults=world.FAULTS
    )
    return Seat.of_run(fresh.run, properties=properties, own=True, lang=case.lang)


def _next(case: Case, seat: Seat) -> str:
    """What is possible now, as the seat calls it."""
    moves = [case.say("pair", name=move.who, what=move.says) for move in seat.moves]
    return case.say("next", moves=case.say("then").join(moves)) if moves else case.say("no next")


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
    wrong: list[tuple[str, Report]] = []
    found: dict[str, str] = {}
    for name, ask in questions.items():
        report = ask()
        found[name] = _found(report, counted=name in counted)
        if said[name] != found[name]:
            wrong.append((name, report))
    if wrong:
        name, report = wrong[0]
        sentence, story = _corrected(case, name, said[name], report)
        if len(questions) > 1:
            sentence = case.say("wrong among", n=len(wrong), all=len(questions), first=sentence)
        run = None if story is None else report.counterexample
        raise Refused("wrong verdict", sentence, property=name, run=run, story=story)
    pairs = [case.say("pair", name=name, what=verdict) for name, verdict in found.items()]
    return case.say("verdict passed", verdicts=case.say("and").join(pairs))


def _found(report: Report, *, counted: bool) -> str:
    """The explorer's verdict as it is asked for."""
    run = report.counterexample
    return _in_turns(len(run.trace.turns)) if run is not None and counted else report.verdict.name


def _in_turns(n: int) -> str:
    return f"REFUTED in {n} turns"


def _corrected(case: Case, name: str, said: str, report: Report) -> tuple[str, Any]:
    """What is said to a wrong verdict, and the run that shows it.

    A wrong number is not put right: how far it is off is what there is to think about.
    """
    run = report.counterexample
    if run is None:
        why = case.exercise.why(report.properties[0].kind, case.lang)
        return case.joined(case.say("holds", name=name, states=report.states), why), None
    if said == "PROVED":
        return case.say("breaks", name=name, n=len(run.trace.turns)), story_of(report, case.lang)
    n = int(said.split()[2])
    return case.say("fewer turns" if n > len(run.trace.turns) else "more turns", name=name, n=n), None


def _read_verdict(case: Case, name: str, said: Any, *, counted: bool) -> str:
    """The verdict in the explorer's words."""
    text = said.name if isinstance(said, Verdict) else said if isinstance(said, str) else ""
    found = re.fullmatch(r"(PROVED)|(REFUTED)(?: IN (\d{1,9})(?: TURNS?)?)?", " ".join(text.upper().split()))
    if found is None or (counted and found[2] and not found[3]):
        case.wrong_kind("want turns" if counted else "want verdict", said, name=repr(name))
    return _in_turns(int(found[3])) if counted and found[3] else found[1] or found[2]


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
            story = story_of(report, case.lang)
            sentence = case.say("too light", name=name, tool=tool, headline=headline(story, case.lang))
            raise Refused("too light", sentence, property=name, run=report.counterexample, story=story)
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
