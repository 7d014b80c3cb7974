"""What a machine's moves are called, who has none and why, and what happened last: a table by the kind of machine.

What a move leads to is read off the events that it would have, so that nothing is promised that the machine would not
do. Names and values are fit to be shown here; as HTML they are still to be escaped.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from dexpatterns.engine.machine import Choice
from dexpatterns.engine.properties import Property, View
from dexpatterns.engine.texts import LANGUAGES, visible
from dexpatterns.views.seat_texts import GROUPS, MOVES, say

if TYPE_CHECKING:
    from dexpatterns.views.seat import Judged, Seat

__all__ = ["BRIEF", "Badge", "Blocked", "Move", "Said", "Words", "listed", "words_of"]

_CLAUSES = 3
"""So many consequences of a move are told."""


class Badge(NamedTuple):
    """How a branch or order is marked."""

    label: str
    family: str
    name: str
    brief: str
    """The name where room is short; its middle gives way."""
    phase: str
    tokens: int = 0
    """How many tokens it holds."""


class Move(NamedTuple):
    """A move that is possible. `lane` is the place of its badge among `Words.badges`; -1 for none."""

    number: int
    group: str
    lane: int
    who: str
    says: str
    then: str
    """What it leads to, as far as that is known; '' when it is not."""
    choice: Choice
    hinted: bool


class Blocked(NamedTuple):
    """Who has no move, and why."""

    lanes: tuple[int, ...]
    says: str


class Said(NamedTuple):
    """A turn in words."""

    lane: int
    who: str
    says: str
    step: str = ""
    """What `says` begins with, if that is a Step or a call."""
    changes: tuple[tuple[str, str, str, str], ...] = ()
    """(name, old, new, what is added)"""
    note: str = ""
    short: str = ""
    """The fewest words: for a list of moves."""


BRIEF = 12
"""Columns of a name where room is short."""


class Words:
    """One state of a seat in words, in a language."""

    def __init__(self, seat: Seat, lang: str) -> None:
        self.seat = seat
        self.lang = lang
        self.run = seat.run
        self.machine: Any = seat.machine
        self.state: Any = seat.spot.state
        self.choices = tuple(self.machine.choices(self.state))

    def say(self, key: str, /, **fields: object) -> str:
        return say(self.lang, key, **fields)

    def moves(self) -> tuple[Move, ...]:
        """Every move, numbered in groups: branches, faults, from outside."""
        kinds = MOVES[self.machine.kind]
        hint = self.seat.next_hint
        found = []
        for choice in self.choices:
            lane = self.lane(choice)
            group = kinds[choice.kind].group
            found.append((GROUPS.index(group), self.order(lane), choice, lane, group))
        found.sort(key=lambda one: one[:2])
        moves = []
        for number, (_, _, choice, lane, group) in enumerate(found, 1):
            events = self.machine.apply(self.state, choice, self.now)[1]
            says, fields = self.title(choice, events)
            first = kinds[choice.kind].then[LANGUAGES.index(self.lang)].format_map(fields)
            then = self.clauses([first, *self.consequences(choice, events)[:_CLAUSES]])
            who = self.badges[lane].name if lane >= 0 else ""
            moves.append(Move(number, group, lane, who, says, then, choice, choice == hint))
        return tuple(moves)

    @property
    def now(self) -> float:
        turn = self.seat.spot.turn
        return turn.time or 0.0 if turn is not None else 0.0

    def clauses(self, parts: Iterable[str]) -> str:
        return self.say("clauses").join(filter(None, parts))

    def named(self, kind: str, fields: dict[str, Any]) -> str:
        """What a kind of move says."""
        return MOVES[self.machine.kind][kind].says[LANGUAGES.index(self.lang)].format_map(fields)

    def blocked_by(self, reasons: Iterable[tuple[int, str, str]]) -> tuple[Blocked, ...]:
        """(lane, reason of one, the same of several) put together, lanes with one reason as one line."""
        found: dict[str, list[tuple[int, str]]] = {}
        for lane, one, many in reasons:
            lanes = found.setdefault(many, [])
            if lane not in [known for known, _ in lanes]:
                lanes.append((lane, one))
        blocked = []
        for many, lanes in found.items():
            who = listed(self.lang, [self.badges[lane].name for lane, _ in lanes])
            why = lanes[0][1] if len(lanes) == 1 else many
            blocked.append(Blocked(tuple(lane for lane, _ in lanes), self.say("cannot", who=who, why=why)))
        return tuple(blocked)

    # What a kind of machine knows.

    sort = "branches"
    size = 0
    """How many there are of that sort."""
    pictured = True
    """Whether graph and lanes can be drawn of its runs."""
    badges: tuple[Badge, ...]
    """Everybody who can have a move, in the order of the lanes."""

    def order(self, lane: int) -> tuple[bool, int]:
        """Where the moves of a lane stand within their group."""
        return lane < 0, lane

    @abstractmethod
    def lane(self, choice: Choice) -> int: ...
    @abstractmethod
    def title(self, choice: Choice, events: tuple[Any, ...]) -> tuple[str, dict[str, Any]]: ...
    @abstractmethod
    def consequences(self, choice: Choice, events: tuple[Any, ...]) -> list[str]: ...
    @abstractmethod
    def blocked(self) -> tuple[Blocked, ...]: ...
    @abstractmethod
    def over(self) -> str:
        """Why there is no move at all; '' while there is one."""

    @abstractmethod
    def turns(self, last: int) -> list[Said]:
        """The last of all that was made, in words; `last` is more than 0."""

    @abstractmethod
    def left(self) -> str:
        """Which faults may still come; '' when none could from the start."""

    def property_name(self, one: Property) -> str:
        return visible(one.title(self.lang))

    def standing(self, one: Judged) -> str:
        """How a property that holds so far stands."""
        return self.say("not_judged" if one.property.goal else "holds")

    def broken(self, one: Judged) -> tuple[str, str]:
        """How a property was broken, and who is concerned, as texts that may be empty."""
        return self.fault(one), ""

    def fault(self, one: Judged) -> str:
        """What was wrong when it broke, in the property's own words."""
        view = View(self.machine, self.seat.spot_at(one.since).state)
        return visible(one.property.told(one.memory, view, self.lang) or one.fault)

    def cause(self, one: Judged) -> Any:
        """The cause of a break (`dex.Cause`), if it is a known one."""
        return None


def listed(lang: str, names: Iterable[str], most: int = 4) -> str:
    """Names in a row.

    >>> listed("en", "abc"), listed("zh", "ab"), listed("en", "abcdef")
    ('a, b and c', 'a、b', 'a, b, c, d and 2 more')
    """
    parts = list(dict.fromkeys(names))
    if len(parts) > most:
        return f"{say(lang, 'names').join(parts[:most])} {say(lang, 'more', n=len(parts) - most)}"
    return say(lang, "last_name").join(filter(None, (say(lang, "names").join(parts[:-1]), *parts[-1:])))


def _of_flow(seat: Seat, lang: str) -> Words:
    from dexpatterns.views.seat_dex import FlowWords

    return FlowWords(seat, lang)


def _of_orders(seat: Seat, lang: str) -> Words:
    from dexpatterns.views.seat_js7 import OrderWords

    return OrderWords(seat, lang)


class _Plain(Words):
    """Of a machine that nobody has words for: its choices as they are."""

    pictured = False

    def __init__(self, seat: Seat, lang: str) -> None:
        super().__init__(seat, lang)
        self.badges = ()

    def moves(self) -> tuple[Move, ...]:
        hint = self.seat.next_hint
        return tuple(
            Move(n, GROUPS[0], -1, "", visible(str(choice)), "", choice, choice == hint)
            for n, choice in enumerate(self.choices, 1)
        )

    def lane(self, choice: Choice) -> int:
        return -1

    def title(self, choice: Choice, events: tuple[Any, ...]) -> tuple[str, dict[str, Any]]:
        return visible(str(choice)), {}

    def consequences(self, choice: Choice, events: tuple[Any, ...]) -> list[str]:
        return []

    def blocked(self) -> tuple[Blocked, ...]:
        return ()

    def over(self) -> str:
        return "" if self.choices else self.say("idle")

    def turns(self, last: int) -> list[Said]:
        said = [visible(str(spot.turn.choice)) for spot in self.seat.path[-last:] if spot.turn is not None]
        return [Said(-1, "", one, short=one) for one in said]

    def left(self) -> str:
        return ""


_WORDS: dict[str, Callable[[Seat, str], Words]] = {"dex": _of_flow, "js7": _of_orders}


def words_of(seat: Seat, lang: str) -> Words:
    """The words for the machine of a seat."""
    return _WORDS.get(seat.machine.kind, _Plain)(seat, lang)
