"""What a system under study is: a pure value and the functions that say what may happen to it next.

`Machine` is the seam that everything else is written against: the simulator picks one choice, the explorer
tries them all, replay picks those that a schedule names, a person clicks them. So none of them can see a
move that another does not. This module knows no Flow, no workflow, no clock and no file.

RULES that every machine keeps:

1. `choices` names *everything* that may happen next. A choice that is hidden is a lie in a proof.
2. `apply` is a function: equal arguments, equal results, and the given state stays as it was.
3. A choice names whom it concerns by lineage, never by a counter that depends on the order of turns.
"""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from dexpatterns.errors import ScheduleError

__all__ = ["Choice", "Choices", "Event", "Lineage", "Machine", "Timed"]

Lineage = tuple[int, ...]
"""Where something comes from: stable under every reordering of the others' turns."""

_BARE = re.compile(r"[^\s\"\\]+")


class Choice(NamedTuple):
    """One move that is possible in a state.

    `kind` is the machine's word for the move, `name` says whom it moves in the words of the definition,
    `path` is the lineage that makes it unique.

    >>> str(Choice("begin", "EditContract.execute", (0, 1, 2)))
    'begin EditContract.execute 0.1.2'
    >>> Choice.parse('begin EditContract.execute 0.1.2').path
    (0, 1, 2)
    """

    kind: str
    name: str
    path: Lineage = ()

    def __str__(self) -> str:
        printable = self.name.isprintable()
        # What would turn a line round or cannot be written at all stands there as an escape.
        bare = printable and _BARE.fullmatch(self.name)
        name = self.name if bare else json.dumps(self.name, ensure_ascii=not printable)
        return " ".join((self.kind, name, ".".join(map(str, self.path)))).rstrip()

    @classmethod
    def parse(cls, text: str) -> Choice:
        """Read what `str` wrote; raises `ScheduleError` for anything else."""
        kind, _, rest = text.strip().partition(" ")
        try:
            if rest.startswith('"'):
                name, end = json.JSONDecoder().raw_decode(rest)
                path = rest[end:].strip()
            else:
                name, _, path = rest.partition(" ")
            if kind and name and isinstance(name, str):
                return cls(kind, name, tuple(map(int, path.strip().split("."))) if path.strip() else ())
        except ValueError:
            pass
        raise ScheduleError(f"not a move: {text[:80]!r}; expected KIND NAME LINEAGE, such as 'begin Edit.execute 0.1'")


class Event(Protocol):
    """One thing that happened in a turn: a named tuple of data with a `kind`, such as `dex.events.Began`."""

    @property
    def kind(self) -> str: ...

    def _asdict(self) -> dict[str, Any]: ...


class Choices(Sequence[Choice]):
    """The choices of one state, sorted; `len`, `[k]` and `in` cost no walk over all of them.

    The order is: those that nobody announces, those that take their time, those that no clock decides.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def immediate(self) -> int:
        """How many of the first ones are never announced by `Machine.timed`: they happen before any time passes."""

    @property
    @abstractmethod
    def urgent(self) -> bool:
        """Whether the immediate ones come before all else, so that there are no others."""

    @property
    @abstractmethod
    def untimed(self) -> int:
        """How many of the last ones may happen at any moment, or never: faults, events that are not owed."""

    @property
    @abstractmethod
    def owed(self) -> bool:
        """Whether something here is sure to happen sooner or later, and could help what waits."""


class Timed(NamedTuple):
    """A choice that an event has set running, and the virtual seconds after which it happens.

    With `instead`, it happens when that other choice would have, if that is known. An infinite time takes back what
    was announced of this choice.
    """

    choice: Choice
    seconds: float
    instead: Choice | None = None


StateT = TypeVar("StateT", bound=Hashable)


class Machine(Protocol[StateT]):
    """A system under study."""

    kind: str
    """Which sort of machine it is, such as 'dex'; a trace keeps it."""

    patient: frozenset[str]
    """The kinds of timed choices that wait when they are due and not yet possible; others have lapsed."""

    @property
    def name(self) -> str:
        """The name of what is studied; a schedule of another name is refused."""

    def initial(self) -> StateT:
        """The first state: hashable and immutable."""

    def start(self) -> tuple[StateT, tuple[Event, ...]]:
        """The first state, and the events of the start itself."""

    def choices(self, state: StateT) -> Choices:
        """Everything that may happen next, sorted; empty when nothing can."""

    def calm(self, state: StateT) -> bool:
        """Whether it is plain that nothing may happen but what `timed` announced, so that no clock need ask `choices`.

        It may be False of any state: then they are asked.
        """

    def apply(self, state: StateT, choice: Choice, now: float = 0.0) -> tuple[StateT, tuple[Event, ...]]:
        """What the choice leads to; `now` is virtual seconds since the start, for handlers that ask for the time."""

    def merges(self, state: StateT, choice: Choice) -> Sequence[Choice]:
        """The choices one of which may follow `choice`, which led to `state`, as if it were one move.

        Empty unless nobody can tell whether others came between: `choice` read and took nothing that another
        could change, and all that may become of it is listed.
        """

    def timed(self, state: StateT, events: Iterable[Event], draw: Any) -> Iterable[Timed]:
        """Which timed choices these events have set running; `draw` is the simulator's `random.Random`."""

    def describe(self, state: StateT) -> dict[str, Any]:
        """The state as plain data, for people, views and predicates."""

    def describe_definition(self) -> dict[str, list[str]]:
        """The names that the machine is made of, by sort, such as `steps` and `channels`."""

    def key(self, state: StateT) -> Hashable:
        """Equal for two states that differ only in the names of lineages."""

    def rank(self, state: StateT) -> Callable[[Lineage], Any]:
        """Gives each lineage of this state a stand-in that sorts alike and is equal wherever `key` is."""

    def succeeded(self, state: StateT) -> bool:
        """Whether it ended as it should, so that a run to it can be shown as a good one."""

    def outcome(self, state: StateT) -> str | None:
        """How it ended, as one line; None while it is open."""

    def stuck(self, state: StateT) -> str | None:
        """Why nothing can go on although something waits; None when it is not stuck."""
