"""How a person tries a Flow: one run by chance, a run again, or move by move.

Each face makes a `FlowMachine` and hands out a `Run`; none adds a rule of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

from dexpatterns.dex.channel import Channel
from dexpatterns.dex.flow import Flow
from dexpatterns.dex.machine import FlowMachine
from dexpatterns.dex.properties import mutual_exclusion, token_conserved
from dexpatterns.dex.scenario import Faults, Scenario, Section, check_world
from dexpatterns.dex.state import State
from dexpatterns.dex.symmetry import SymmetricFlowMachine
from dexpatterns.engine import schedule as schedules
from dexpatterns.engine import simulator
from dexpatterns.engine.explore import Progress, explore
from dexpatterns.engine.looking import Shown
from dexpatterns.engine.machine import Choice
from dexpatterns.engine.properties import Property, chosen, never_stuck
from dexpatterns.engine.report import Bounds, Report
from dexpatterns.engine.run import Run, check_sections, seat_of, token_names
from dexpatterns.engine.schedule import Schedule
from dexpatterns.engine.texts import visible
from dexpatterns.engine.trace import Turn
from dexpatterns.engine.values import NOTHING
from dexpatterns.errors import InputError, ScheduleError

__all__ = ["Simulation", "check", "replay", "simulate", "usual_properties", "watched"]

AnyFlow = Flow[Any] | type[Flow[Any]]
Token = Channel[Any] | str


def simulate(
    flow: AnyFlow,
    input: Any = NOTHING,
    *,
    sections: Iterable[Section] = (),
    tokens: Iterable[Token] = (),
    scenario: Scenario | None = None,
    faults: Faults | None = None,
    seed: int = 0,
    turns: int = simulator.TURNS,
) -> Run:
    """Run a Flow once on a virtual clock, every choice drawn from `seed`: equal arguments give equal runs.

    `flow` is an instance, or a class without constructor arguments; `tokens` are Channels or their names. Durations
    and events come from the scenario. A Flow that never ends gives a run of `turns` moves whose status is RUNNING.
    Raises `FlowDefinitionError` or `InputError` before anything runs; what a handler does wrong fails its attempt.
    """
    machine = FlowMachine(flow, input, scenario=scenario, faults=faults, memo=False)
    sections, names = watched(machine, sections, tokens)
    trace = simulator.simulate(machine, seed=seed, turns=turns, input=machine.input)
    return Run(trace, sections=sections, tokens=names, machine=machine)


def replay(
    flow: AnyFlow,
    input: Any,
    schedule: Schedule | str,
    *,
    sections: Iterable[Section] = (),
    tokens: Iterable[Token] = (),
    scenario: Scenario | None = None,
    faults: Faults | None = None,
) -> Run:
    """Make the moves of a schedule again, with the times that it names.

    Raises `ScheduleError` for a text that is no schedule, is cut off, of another version or another Flow, and for a
    move that is not possible, saying at which turn and what would be.
    """
    machine = FlowMachine(flow, input, scenario=scenario, faults=faults, memo=False)
    sections, names = watched(machine, sections, tokens)
    parsed = schedule if isinstance(schedule, Schedule) else Schedule.parse(schedule)
    trace = schedules.replay(machine, parsed, input=machine.input)
    return Run(trace, sections=sections, tokens=names, machine=machine)


def check(
    flow: AnyFlow,
    input: Any = NOTHING,
    *,
    sections: Iterable[Section] = (),
    tokens: Iterable[Token] = (),
    properties: Iterable[Property] | None = None,
    scenario: Scenario | None = None,
    faults: Faults | None = None,
    bounds: Bounds | None = None,
    symmetric: Iterable[str] | bool | None = None,
    progress: Callable[[Progress], None] | None = None,
    merge: bool = True,
    memo: bool = True,
    rerun: bool = False,
) -> Report:
    """Try every interleaving, every fault and every external event, and judge each property in every state.

    `properties=None` means `never_stuck()`, `mutual_exclusion` of every section and `token_conserved` of every
    token given. A verdict holds within the scenario and faults; times order nothing here, since the explorer has
    no clock. `symmetric` names text fields of the input by which branches differ in nothing but name (True: those
    that the pattern's world.py declares): fewer states, the same verdict, and outcomes with these names as '?'. A Flow
    that can tell such branches apart is refused with `SymmetryError`. `merge` and `memo` switch off the other two
    savings. `rerun` runs every handler twice, and raises `NondeterminismError` for one that does not do the same again.
    Raises `FlowDefinitionError` or `InputError` before any search.
    """
    plain = FlowMachine(flow, input, scenario=scenario, faults=faults, memo=memo, rerun=rerun)
    machine = plain
    if symmetric is not None and symmetric is not False:
        fields = _declared_fields(plain) if symmetric is True else _fields(symmetric)
        machine = SymmetricFlowMachine(flow, input, fields=fields, scenario=scenario, faults=faults, memo=memo)
    guarded, names = watched(plain, sections, tokens)
    return explore(
        machine,
        properties=usual_properties(guarded, names) if properties is None else properties,
        bounds=bounds,
        progress=progress,
        merge=merge,
        sections=guarded,
        tokens=names,
        input=plain.input,
        explain=_explain,
        shown_on=plain,
    )


def _explain(report: Report, lang: str) -> Any:
    """Loaded when it is asked for: most who run a Flow want no explanation."""
    from dexpatterns.dex.explain import explain

    return explain(report, lang)


def _declared_fields(machine: FlowMachine) -> tuple[str, ...]:
    """What the world.py beside a pattern's Flow declares as SYMMETRIC."""
    package = type(machine.spec.flow).__module__.rpartition(".")[0]
    fields = getattr(sys.modules.get(f"{package}.world"), "SYMMETRIC", None)
    if not fields:
        raise InputError(
            f"symmetric=True: no world.py beside Flow {machine.name!r} declares SYMMETRIC; name the fields instead, "
            "such as symmetric=('reviewer',)"
        )
    return tuple(fields)


def usual_properties(sections: Iterable[Section], tokens: Iterable[str]) -> tuple[Property, ...]:
    """What is asked when nothing is said."""
    return (never_stuck(), *map(mutual_exclusion, sections), *map(token_conserved, tokens))


class Simulation(Shown):
    """A Flow in a person's hands: see every possible move, take one, take it back.

    >>> from dexpatterns import catalog
    >>> pattern = catalog.load("critical-section")
    >>> simulation = Simulation(pattern.flow, pattern.make_input(reviewers=2))
    >>> [str(choice) for choice in simulation.choices]
    ['begin StartContractEdits.execute 0.0']
    >>> simulation.take(simulation.choices[0]).undo().run
    <Run of ContractEditFlow: RUNNING after 0 turns>
    """

    def __init__(
        self,
        flow: AnyFlow,
        input: Any = NOTHING,
        *,
        sections: Iterable[Section] = (),
        tokens: Iterable[Token] = (),
        properties: Iterable[Property] | None = None,
        scenario: Scenario | None = None,
        faults: Faults | None = None,
    ) -> None:
        self._machine = FlowMachine(flow, input, scenario=scenario, faults=faults)
        self.sections, self.tokens = watched(self._machine, sections, tokens)
        self.properties = (
            usual_properties(self.sections, self.tokens)
            if properties is None
            else chosen(self._machine, properties, or_none=True)
        )
        state, self._started = self._machine.start()
        self._states: list[State] = [state]
        self._turns: list[Turn] = []

    @property
    def state(self) -> dict[str, Any]:
        """The state as plain data: status, outputs, attributes, channels, steps, locks (`machine.describe`)."""
        return self._machine.describe(self._states[-1])

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Every move that is possible now, sorted; empty when nothing can happen any more."""
        return tuple(self._machine.choices(self._states[-1]))

    def take(self, choice: Choice | str | int) -> Simulation:
        """Make a move: one of `choices`, its text, or its place among them; raises `ScheduleError` if it is none."""
        if isinstance(choice, str):
            choice = Choice.parse(choice)
        elif type(choice) is int:
            possible = self.choices
            if not 0 <= choice < len(possible):
                raise ScheduleError(f"there is no move {choice}: {len(possible)} are possible, counted from 0")
            choice = possible[choice]
        elif not isinstance(choice, Choice):
            raise ScheduleError(f"there is no move {choice!r}: expected one of `choices`, its text, or its place")
        state, events = self._machine.apply(self._states[-1], choice)
        self._states.append(state)
        self._turns.append(Turn(len(self._turns) + 1, None, choice, events))
        return self

    def undo(self, moves: int = 1) -> Simulation:
        """Take back the last moves, as many as there are at most."""
        if type(moves) is not int or moves < 0:
            raise InputError(f"undo: expected a whole number of moves, zero or more, got {moves!r}")
        for _ in range(min(moves, len(self._turns))):
            self._states.pop()
            self._turns.pop()
        return self

    @property
    def run(self) -> Run:
        """The run so far."""
        machine = self._machine
        trace = schedules.trace_of(machine, self._states[-1], self._started, self._turns, input=machine.input)
        return Run(trace, sections=self.sections, tokens=self.tokens, machine=machine)

    def __copy__(self) -> Simulation:
        """One that goes on from here by itself."""
        made = object.__new__(type(self))
        made.__dict__ |= self.__dict__ | {"_states": [*self._states], "_turns": [*self._turns]}
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Simulation:
        # States, turns and definitions never change: no copy of them could be told from them.
        return copy(self)

    def __reduce__(self) -> Any:
        raise InputError(
            f"a Simulation cannot be pickled: it holds the code of Flow {self._machine.name!r}; keep "
            "simulation.run.schedule, a text, and replay(flow, input, schedule) it, or save simulation.run"
        )

    def seat(self, lang: str = "en") -> Any:
        """The scheduler's seat from here on: every move as a button, undo, properties, a hint; a widget.

        The moves so far are its first ones; what is done there leaves this simulation as it is. `properties=None`
        means those that `check` asks. Raises `InputError` for a property that cannot be meant for this Flow.
        """
        return seat_of(self.run, self.properties, lang)

    def __repr__(self) -> str:
        turns, moves = len(self._turns), len(self.choices)
        return (
            f"<Simulation of {visible(self._machine.name)}: {turns} turn{'' if turns == 1 else 's'}, "
            f"{moves} move{'' if moves == 1 else 's'} possible>"
        )


def watched(
    machine: FlowMachine, sections: Iterable[Section], tokens: Iterable[Token]
) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """The sections and the names of the tokens, checked against the Flow; raises `InputError`."""
    asked: tuple[Any, ...] = check_sections(sections)
    check_world(machine.spec, sections=asked)
    names = token_names(tokens)
    for name in names:
        if name.partition("/")[0] not in machine.spec.channels:
            raise InputError(
                f"token: Flow {machine.name!r} has no Channel {name!r}; expected one of {sorted(machine.spec.channels)}"
            )
    return asked, names


def _fields(given: Any) -> tuple[Any, ...]:
    """The fields that are named, one alone taken for a list of it."""
    if isinstance(given, str):
        return (given,)
    if isinstance(given, type) or not isinstance(given, Iterable):
        raise InputError(
            f"symmetric: expected True or names of text fields, got {given!r}; write symmetric=('reviewer',)"
        )
    return tuple(given)
