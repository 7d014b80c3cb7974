"""Three models with no Flow in them: N branches, every action atomic. The explorer is proved on their exact counts.

* token: take the token, edit, save, give it back (4 actions a branch);
* flag: check (waits while it is up), raise it, edit, save, lower it (5 actions);
* two tokens: the token model, started with two of them.

A branch is inside from the action that lets it in (take, raise) until the one that lets it out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

from dexpatterns.engine.machine import Choice, Choices, Event, Lineage, Timed
from dexpatterns.errors import ScheduleError

__all__ = ["BareMachine", "FlagModel", "State", "TokenModel"]


class State(NamedTuple):
    """How many actions each branch has made, and what they share: the tokens left, or whether the flag is up."""

    made: tuple[int, ...]
    shared: int


class Action(NamedTuple):
    name: str
    may: Callable[[int], bool]
    """Whether it is possible with this shared value."""
    makes: Callable[[int], int]
    """The shared value after it."""


class Done(NamedTuple):
    """A branch made an action."""

    branch: int
    action: str
    kind = "done"


def _always(shared: int) -> bool:
    return True


def _as_it_is(shared: int) -> int:
    return shared


_TOKEN = (
    Action("take", lambda tokens: tokens > 0, lambda tokens: tokens - 1),
    Action("edit", _always, _as_it_is),
    Action("save", _always, _as_it_is),
    Action("give_back", _always, lambda tokens: tokens + 1),
)
_FLAG = (
    Action("check", lambda up: not up, _as_it_is),
    Action("raise", _always, lambda up: True),
    Action("edit", _always, _as_it_is),
    Action("save", _always, _as_it_is),
    Action("lower", _always, lambda up: False),
)


class BareMachine:
    """N branches that each make the same actions. With `interchangeable`, the key forgets which branch is which."""

    kind = "bare"
    patient: frozenset[str] = frozenset()

    def __init__(
        self, name: str, branches: int, actions: tuple[Action, ...], shared: int, inside: range, interchangeable: bool
    ) -> None:
        self.name = name
        self.branches = branches
        self.actions = actions
        self.shared = shared
        self.inside = inside
        self.interchangeable = interchangeable
        self._moves = [[Choice("do", action.name, (i,)) for action in actions] for i in range(branches)]

    def initial(self) -> State:
        return State((0,) * self.branches, self.shared)

    def start(self) -> tuple[State, tuple[Event, ...]]:
        return self.initial(), ()

    def choices(self, state: State) -> BareChoices:
        actions, shared, last = self.actions, state.shared, len(self.actions)
        moves = zip(self._moves, state.made, strict=True)
        return BareChoices([own[n] for own, n in moves if n < last and actions[n].may(shared)])

    def calm(self, state: State) -> bool:
        return False

    def apply(self, state: State, choice: Choice, now: float = 0.0) -> tuple[State, tuple[Event, ...]]:
        made, shared = state
        i = choice.path[0] if choice.path else -1
        n = made[i] if 0 <= i < self.branches else len(self.actions)
        if n == len(self.actions) or self._moves[i][n] != choice or not self.actions[n].may(shared):
            raise ScheduleError(f"{str(choice)!r} is not possible here")
        action = self.actions[n]
        return State((*made[:i], made[i] + 1, *made[i + 1 :]), action.makes(shared)), (Done(i, action.name),)

    def merges(self, state: State, choice: Choice) -> tuple[Choice, ...]:
        return ()

    def timed(self, state: State, events: Iterable[Event], draw: Any) -> Iterable[Timed]:
        return ()

    def describe(self, state: State) -> dict[str, Any]:
        return {"inside": sum(n in self.inside for n in state.made), "made": list(state.made), "shared": state.shared}

    def describe_definition(self) -> dict[str, list[str]]:
        return {"actions": [action.name for action in self.actions]}

    def key(self, state: State) -> Hashable:
        return (tuple(sorted(state.made)), state.shared) if self.interchangeable else state

    def rank(self, state: State) -> Callable[[Lineage], Any]:
        return lambda path: path

    def succeeded(self, state: State) -> bool:
        return min(state.made) == len(self.actions)

    def outcome(self, state: State) -> str | None:
        return "all done" if self.succeeded(state) else None

    def stuck(self, state: State) -> str | None:
        return None if self.succeeded(state) or self.choices(state) else "all that are left wait"


class BareChoices(Choices):
    """A list of choices, all of which are sure to come."""

    __slots__ = ("_list",)

    urgent = False
    untimed = 0

    def __init__(self, choices: list[Choice]) -> None:
        self._list = choices

    @property
    def immediate(self) -> int:
        return len(self._list)

    @property
    def owed(self) -> bool:
        return bool(self._list)

    def __len__(self) -> int:
        return len(self._list)

    def __iter__(self) -> Any:
        return iter(self._list)

    def __getitem__(self, k: Any) -> Any:
        return self._list[k]


class TokenModel(BareMachine):
    def __init__(self, branches: int, *, tokens: int = 1, interchangeable: bool = False) -> None:
        name = f"{tokens} token{'' if tokens == 1 else 's'} for {branches}"
        super().__init__(name, branches, _TOKEN, tokens, range(1, 4), interchangeable)


class FlagModel(BareMachine):
    def __init__(self, branches: int, *, interchangeable: bool = False) -> None:
        super().__init__(f"a flag for {branches}", branches, _FLAG, False, range(2, 5), interchangeable)
