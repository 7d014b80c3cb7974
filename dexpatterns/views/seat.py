"""The scheduler's seat: a person makes the moves of a machine, takes them back, and asks what may break from here.

Every choice of the machine is a move, faults and events from outside too, and nothing else is. Each property is judged
after each move by what happened so far; whether it can break later is found by trying everything from here on, within
a bound that is told. A `Seat` is no widget: it knows no browser, and holds one machine and one path of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dexpatterns.engine.looking import Shown
from dexpatterns.engine.machine import Choice, Event, Machine
from dexpatterns.engine.properties import Property, View, chosen, never_stuck
from dexpatterns.engine.report import Bounds, Verdict
from dexpatterns.engine.resume import Ahead, look_ahead
from dexpatterns.engine.run import Run
from dexpatterns.engine.schedule import trace_of
from dexpatterns.engine.texts import check_lang
from dexpatterns.engine.trace import Turn
from dexpatterns.errors import DexpatternsError, InputError, ScheduleError
from dexpatterns.views.moment import turn_of

if TYPE_CHECKING:
    from dexpatterns.views.seat_words import Blocked, Move, Words

__all__ = ["LIMIT", "Judged", "Seat", "Spot", "answer"]

LIMIT = 20_000
"""States that a hint tries at most; one that is asked for again, `_FURTHER` times as many."""
_FURTHER = 5
_AT_ONCE = 10_000
"""States that are tried at most when something has just broken, to tell whether a shorter run breaks it."""


@dataclass(slots=True)
class Spot:
    """Where the path stands after a move."""

    state: Any
    memories: tuple[Any, ...]
    """What each property remembers."""
    faults: tuple[str | None, ...]
    """What is wrong by each property, in this very state."""
    turn: Turn | None = None
    """The move that led here; None at the start."""
    of: int = 0
    """How many moves were possible when it was made."""
    recorded: bool = False
    """It is a turn of the run that the seat was opened from."""
    ahead: dict[str, Ahead] = field(default_factory=dict)
    """What is known of the properties from here on, by name."""
    asked: bool = False
    """A hint was asked for here."""
    causes: dict[tuple[str, str], Any] = field(default_factory=dict)
    """Why a property broke here, by its name and the language, once it was looked for."""


class Judged(NamedTuple):
    """How a property stands."""

    property: Property
    since: int | None
    """The move that broke it, 0 for the start; None while it holds."""
    fault: str
    memory: Any
    """What it remembers: now, or when it was broken."""
    ahead: Ahead | None
    """What lies ahead, if that was asked for."""


class Seat(Shown):
    """A machine in a person's hands, with the moves so far.

    `turns` are made first; `recorded` of them belong to a run that was left. Raises `InputError` for properties that
    cannot be judged here, and for turns that the machine cannot make again.
    """

    def __init__(
        self,
        machine: Machine[Any],
        *,
        properties: Iterable[Property] | None = None,
        sections: Iterable[Any] = (),
        tokens: Iterable[str] = (),
        turns: Iterable[Turn] = (),
        recorded: bool = False,
        lang: str = "en",
    ) -> None:
        self.lang = check_lang(lang)
        self.machine = machine
        self.sections, self.tokens = tuple(sections), tuple(tokens)
        asked = _usual(machine.kind, self.sections, self.tokens) if properties is None else properties
        self.properties = chosen(machine, asked, or_none=True)
        state, self._started = machine.start()
        memories = tuple(one.step(one.initial(), self._started) for one in self.properties)
        self._spots = [Spot(state, memories, self._faults(state, memories))]
        self._undone: list[Spot] = []
        self._shortest: dict[str, Ahead] = {}
        for turn in turns:
            self._make(turn.choice, turn.time, recorded=recorded)
        self.recorded = len(self._spots) - 1 if recorded else None
        """After how many turns a recorded run was left; None when there was none."""
        self.answered = 0
        """How many messages of a browser were answered: what it shows is never the same as before."""
        self.trouble = ""
        """Why the last of them could not be done."""

    @classmethod
    def of_run(
        cls,
        run: Run,
        at: int | None = None,
        *,
        properties: Iterable[Property] | None = None,
        own: bool = False,
        lang: str = "en",
    ) -> Seat:
        """The seat in the state after turn `at` of a run, None for its last; raises `InputError` when it has none.

        A run is judged by what its report asked, else by the usual properties of its sections and tokens. `own` says
        that its turns were a person's moves, and no recorded run is left.
        """
        machine = run.machine
        if machine is None:
            raise InputError(
                "no seat for this run: it was loaded from a file, and the machine that made it is gone; make it again "
                "with replay(flow, input, run.schedule)"
            )
        if machine.kind == "js7" and not machine.orders:
            raise InputError(
                "no seat for the run of a Controller: its orders came by hand and a person's commands are no choices "
                "of the machine; use js7.simulate(items, orders) or js7.check(items, orders).counterexample"
            )
        at = turn_of(run.trace, at)
        if properties is None and run.report is not None and run.report.properties:
            properties = run.report.properties
        return cls(
            _for_search(machine), properties=properties, sections=run.sections, tokens=run.tokens,
            turns=run.trace.turns[:at], recorded=not own, lang=lang,
        )  # fmt: skip

    # Where it stands.

    @property
    def spot(self) -> Spot:
        """Where the path stands now."""
        return self._spots[-1]

    def spot_at(self, turn: int | None) -> Spot:
        """Where it stood after a move, 0 for the start; None for now."""
        return self.spot if turn is None else self._spots[turn]

    @property
    def path(self) -> tuple[Spot, ...]:
        """All that was made, from the first move on."""
        return tuple(self._spots[1:])

    @property
    def made(self) -> int:
        """How many moves were made since the start, those of the recorded run included."""
        return len(self._spots) - 1

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    @property
    def run(self) -> Run:
        """The run so far; a handler that asks for the time is told that of the last recorded turn."""
        turns = [spot.turn for spot in self._spots if spot.turn is not None]
        machine = self.machine
        trace = trace_of(machine, self.spot.state, self._started, turns, input=getattr(machine, "input", None))
        return Run(trace, self.sections, self.tokens, machine=machine)

    @property
    def moves(self) -> tuple[Move, ...]:
        """Every move that is possible now (`seat_words.Move`): number, group, who, says, then, choice, hinted."""
        return self.words().moves()

    @property
    def cannot(self) -> tuple[Blocked, ...]:
        """Who has no move, and why (`seat_words.Blocked`)."""
        return self.words().blocked()

    def words(self, lang: str | None = None) -> Words:
        """This state in words: what moves are called, who cannot move, what happened last."""
        from dexpatterns.views.seat_words import words_of

        return words_of(self, check_lang(lang or self.lang))

    @property
    def judged(self) -> tuple[Judged, ...]:
        """Each property after all moves so far: a run that broke one once has broken it."""
        found = []
        for i, one in enumerate(self.properties):
            since = next((n for n, spot in enumerate(self._spots) if spot.faults[i] is not None), None)
            ahead = self.spot.ahead.get(one.name)
            if since is None and one.goal and ahead is not None and ahead.verdict is Verdict.REFUTED and not ahead.way:
                found.append(Judged(one, self.made, one.lost_goal(), self.spot.memories[i], ahead))
                continue
            spot = self.spot_at(since)
            found.append(Judged(one, since, spot.faults[i] or "", spot.memories[i], ahead))
        return tuple(found)

    # What a person does.

    def take(self, move: int | str | Choice) -> Seat:
        """Make a move: its number as shown, from 1, a choice or its text; raises `ScheduleError` if it is none."""
        choice = self._meant(move)
        if self._undone and self._undone[-1].turn is not None and self._undone[-1].turn.choice == choice:
            return self.redo()
        self._make(choice, self.spot.turn.time if self.spot.turn is not None else None)
        self._undone.clear()
        return self

    def undo(self, moves: int = 1) -> Seat:
        """Take back the last moves, as many as there are at most; those of a recorded run too. Raises `InputError`."""
        for _ in range(min(_counted(moves), self.made)):
            self._undone.append(self._spots.pop())
        return self

    def redo(self, moves: int = 1) -> Seat:
        """Make again what was taken back last, as long as no other move was made since."""
        for _ in range(min(_counted(moves), len(self._undone))):
            self._spots.append(self._undone.pop())
        return self

    def restart(self) -> Seat:
        """Take back everything; `redo` brings it back."""
        return self.undo(self.made)

    def back_to(self, turn: int) -> Seat:
        """Take back all moves after this one, 0 for all; raises `InputError` for one that was not made."""
        if type(turn) is not int or not 0 <= turn <= self.made:
            raise InputError(f"back_to: expected a move from 0 (the start) to {self.made}, got {turn!r}")
        return self.undo(self.made - turn)

    def hint(self) -> tuple[Ahead, ...]:
        """Try everything from here on, at most `LIMIT` states a search: what each property has ahead.

        Where that was not enough, the next call tries five times as many. A property that is broken already has a
        shortest way from the start instead.
        """
        left = [i for i, one in enumerate(self.judged) if one.since is None]
        spot = self.spot
        tried = max((ahead.states for ahead in spot.ahead.values() if ahead.cut), default=0)
        limit = max(LIMIT, tried * _FURTHER)
        known = {name: ahead for name, ahead in spot.ahead.items() if ahead.verdict is not Verdict.BOUNDED}
        asked = [i for i in left if self.properties[i].name not in known]
        found = look_ahead(
            self.machine, spot.state, [self.properties[i] for i in asked], [spot.memories[i] for i in asked],
            Bounds(limit),
        )  # fmt: skip
        spot.ahead |= {ahead.name: ahead for ahead in found}
        spot.asked = True
        broken = [one.property for i, one in enumerate(self.judged) if i not in left]
        return (*(spot.ahead[self.properties[i].name] for i in left), *(self.shortest(one, limit) for one in broken))

    def shortest(self, one: Property, states: int = _AT_ONCE) -> Ahead:
        """The shortest way from the start to break a property, as far as so many states tell."""
        known = self._shortest.get(one.name)
        if known is None or (known.cut and states > known.states):
            start = self._spots[0]
            memory = start.memories[self.properties.index(one)]
            (known,) = look_ahead(self.machine, start.state, (one,), (memory,), Bounds(states))
            self._shortest[one.name] = known
        return known

    def known_shortest(self, one: Property) -> Ahead | None:
        """What `shortest` found before; None when it was not asked."""
        return self._shortest.get(one.name)

    @property
    def hinted(self) -> bool:
        """Whether a hint was asked for in this state."""
        return self.spot.asked

    @property
    def next_hint(self) -> Choice | None:
        """The first move of the shortest way that is known to break something from here."""
        ways = [ahead.way for ahead in self.spot.ahead.values() if ahead.way]
        return min(ways, key=len)[0] if ways else None

    def view(self, lang: str | None = None) -> dict[str, Any]:
        """All of it as data for a browser (`seat_view.view`)."""
        from dexpatterns.views.seat_view import view

        return view(self, check_lang(lang or self.lang))

    def __str__(self) -> str:
        from dexpatterns.views.seat_view import text

        return text(self, self.lang)

    def __repr__(self) -> str:
        return f"<Seat of {self.machine.name}: {self.made} moves made, {len(self._choices())} possible>"

    # Its books.

    def _choices(self) -> Any:
        return self.machine.choices(self.spot.state)

    def _meant(self, move: int | str | Choice) -> Choice:
        if isinstance(move, Choice):
            return move
        if isinstance(move, str):
            return Choice.parse(move)
        moves = self.moves if type(move) is int else ()
        if type(move) is not int or not 1 <= move <= len(moves):
            raise ScheduleError(f"there is no move {move!r}: expected a number from 1 to {len(self._choices())}")
        return moves[move - 1].choice

    def _make(self, choice: Choice, time: float | None, *, recorded: bool = False) -> None:
        spot, number = self.spot, self.made + 1
        possible = len(self._choices())
        try:
            state, events = self.machine.apply(spot.state, choice, time or 0.0)
        except ScheduleError as fault:
            if recorded:
                raise InputError(f"the run cannot be made again from its start, at turn {number}: {fault}") from fault
            raise
        memories = self._step(spot.memories, events)
        ahead = {name: after for name, one in spot.ahead.items() if (after := one.after(choice)) is not None}
        turn, faults = Turn(number, time, choice, events), self._faults(state, memories)
        self._spots.append(Spot(state, memories, faults, turn, possible, recorded, ahead))

    def _step(self, memories: tuple[Any, ...], events: tuple[Event, ...]) -> tuple[Any, ...]:
        return tuple(one.step(memory, events) for one, memory in zip(self.properties, memories, strict=True))

    def _faults(self, state: Any, memories: tuple[Any, ...]) -> tuple[str | None, ...]:
        view = View(self.machine, state)
        return tuple(one.fault(memory, view) for one, memory in zip(self.properties, memories, strict=True))


def answer(seat: Seat, message: Mapping[str, Any]) -> None:
    """Do what a browser asks for: `{"do": "take", "choice": text, "made": n}`, `undo` (with `n`), `redo`, `restart`,
    `back_to` (with `turn`), `hint`.

    What was clicked in another state than the one that is shown (`made` says in which) is left undone: a second click
    that came too late makes no second move. What cannot be done is told by `seat.trouble`. Raises `InputError` for a
    message that is none of these.
    """
    does = _ANSWERS.get(str(message.get("do")))
    if does is None:
        raise InputError(f"the seat was asked {message.get('do')!r}; expected one of {sorted(_ANSWERS)}")
    seat.answered += 1
    seat.trouble = ""
    if message.get("made", seat.made) == seat.made:
        try:
            does(seat, message)
        except DexpatternsError as fault:
            seat.trouble = str(fault)


_ANSWERS: dict[str, Callable[[Seat, Mapping[str, Any]], object]] = {
    "take": lambda seat, message: seat.take(str(message.get("choice"))),
    "undo": lambda seat, message: seat.undo(message.get("n", 1)),
    "redo": lambda seat, message: seat.redo(),
    "restart": lambda seat, message: seat.restart(),
    "back_to": lambda seat, message: seat.back_to(message.get("turn", 0)),
    "hint": lambda seat, message: seat.hint(),
}


def _counted(moves: int) -> int:
    if type(moves) is not int or moves < 0:
        raise InputError(f"moves: expected a whole number of 0 or more, got {moves!r}")
    return moves


def _usual(kind: str, sections: tuple[Any, ...], tokens: tuple[str, ...]) -> tuple[Property, ...]:
    """What is asked when nothing is said; of a machine that is not known, that it is never stuck."""
    usual = _USUAL.get(kind)
    return (never_stuck(),) if usual is None else usual(sections, tokens)


def _usual_of_flow(sections: tuple[Any, ...], tokens: tuple[str, ...]) -> tuple[Property, ...]:
    from dexpatterns.dex.faces import usual_properties

    return usual_properties(sections, tokens)


def _usual_of_orders(*_: Any) -> tuple[Property, ...]:
    from dexpatterns.js7.properties import usual_properties

    return usual_properties()


_USUAL: dict[str, Callable[..., tuple[Property, ...]]] = {"dex": _usual_of_flow, "js7": _usual_of_orders}
"""What is asked by default, by the kind of machine."""


def _for_search(machine: Any) -> Any:
    """The same machine, keeping what handlers answered: one that made a single run need not have, a search must."""
    handlers = getattr(getattr(machine, "rules", None), "handlers", None)
    if handlers is None or handlers.memo:
        return machine
    rules = machine.rules
    return type(machine)(machine.spec.flow, machine.input.thaw(), scenario=rules.scenario, faults=rules.faults)
