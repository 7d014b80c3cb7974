"""What can be asked of every state that a machine reaches: general properties, for any machine.

A property keeps a small memory along a run (`step`), says what is wrong with a state (`fault`), and may ask for a
goal that has to stay in reach (`goal`). The explorer folds it over every run at once, so a memory is a value. Sections
and tokens of a Flow stand in `dex.properties`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from enum import Enum
from typing import Any

from dexpatterns.engine.machine import Choices, Event, Lineage, Machine
from dexpatterns.engine.masked import MaskRefusedError
from dexpatterns.engine.texts import visible
from dexpatterns.errors import InputError, SymmetryError

__all__ = ["Property", "View", "always", "always_ends", "chosen", "never", "never_stuck"]

_SAY: dict[str, tuple[str, str]] = {
    "never stuck": ("never stuck", "不会卡住"),
    "stuck": ("{fault}", "还有人在等待，却再也不会发生任何事"),
    "does not hold": ("does not hold", "不成立"),
    "it happened": ("it happened", "它发生了"),
    "always ends": ("always ends {status}", "总能以 {status} 结束"),
    "lost goal": (
        "from here no end with status {status} can be reached any more", "从这里起再也无法以 {status} 结束",
    ),
}  # fmt: skip
"""English, then Simplified Chinese."""


def _say(lang: str, key: str, **fields: object) -> str:
    return _SAY[key][1 if lang == "zh" else 0].format(**fields)


Rank = Callable[[Lineage], Any]
"""Gives a lineage a stand-in that is the same in states that differ only in names, and sorts alike."""


class View:
    """A state that is being judged, with what is costly made only when it is asked for."""

    __slots__ = ("_choices", "_plain", "machine", "state")

    def __init__(self, machine: Machine[Any], state: Any, choices: Choices | None = None) -> None:
        self.machine = machine
        self.state = state
        self._choices = choices
        self._plain: dict[str, Any] | None = None

    @property
    def choices(self) -> Choices:
        if self._choices is None:
            self._choices = self.machine.choices(self.state)
        return self._choices

    @property
    def plain(self) -> dict[str, Any]:
        """`machine.describe(state)`."""
        if self._plain is None:
            self._plain = self.machine.describe(self.state)
        return self._plain


class Property:
    """The base of all properties: one that nothing breaks."""

    kind = "other"
    """Which sort of property it is, for whoever explains it."""
    name = "nothing"
    goal = False
    """Whether `reached` names states of which one has to stay in reach."""
    blind_to_running = True
    """Whether its fault is the same for a call that is queued and one that runs, unless `step` told them apart."""

    def initial(self) -> Hashable:
        return None

    def step(self, memory: Any, events: tuple[Event, ...]) -> Any:
        """The memory after the events of one move; the very same object when nothing changed."""
        return memory

    def key(self, memory: Any, rank: Rank) -> Hashable:
        """Equal for memories that differ only in the names of lineages."""
        return None

    def fault(self, memory: Any, view: View) -> str | None:
        """What is wrong with this state, in a sentence; None when nothing is."""
        return None

    def title(self, lang: str = "en") -> str:
        """Its name as people read it: 'en' or 'zh'; what its asker called it stays as it is."""
        return self.name

    def told(self, memory: Any, view: View, lang: str = "en") -> str | None:
        """`fault` in a language, where it has words in it; else in English."""
        return self.fault(memory, view)

    def lost_goal(self, lang: str = "en") -> str:
        """What is wrong with a state from which the goal is out of reach, in a language."""
        return ""

    def reached(self, view: View) -> bool:
        """Whether this state is the goal."""
        return False

    def check(self, machine: Machine[Any]) -> None:
        """Raise `InputError` when the property cannot be meant for this machine."""

    def __repr__(self) -> str:
        return f"<property: {visible(self.name)}>"


class _NeverStuck(Property):
    kind = "never_stuck"
    name = _say("en", "never stuck")

    def title(self, lang: str = "en") -> str:
        return _say(lang, "never stuck")

    def fault(self, memory: Any, view: View) -> str | None:
        return None if view.choices.owed else view.machine.stuck(view.state)

    def told(self, memory: Any, view: View, lang: str = "en") -> str | None:
        fault = self.fault(memory, view)
        return fault and _say(lang, "stuck", fault=fault)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


class _Always(Property):
    blind_to_running = False

    def __init__(self, name: str, predicate: Callable[[dict[str, Any]], object], expected: bool) -> None:
        if not _is_text(name):
            raise InputError(f"a property needs a name, a text that is not empty, got {name!r}")
        if not callable(predicate):
            raise InputError(f"property {name!r}: expected a function of the described state, got {predicate!r}")
        self.kind = "always" if expected else "never"
        self.name = name
        self.predicate = predicate
        self.expected = expected

    def fault(self, memory: Any, view: View) -> str | None:
        return self.told(memory, view)

    def told(self, memory: Any, view: View, lang: str = "en") -> str | None:
        try:
            holds = bool(self.predicate(view.plain))
        except MaskRefusedError as refused:
            raise SymmetryError(f"property {self.name!r}: {refused}") from None
        except Exception as raised:  # the predicate is the asker's code; whatever it raises is told as its fault
            raise InputError(
                f"property {self.name!r} itself failed: {type(raised).__name__}: {raised}; "
                "its predicate is given machine.describe(state): status, attributes, channels, steps, locks"
            ) from raised
        if holds is self.expected:
            return None
        return _say(lang, "does not hold" if self.expected else "it happened")


class _AlwaysEnds(Property):
    kind = "always_ends"
    goal = True

    def __init__(self, status: str) -> None:
        self.status = status
        self.name = self.title()

    def title(self, lang: str = "en") -> str:
        return _say(lang, "always ends", status=self.status)

    def lost_goal(self, lang: str = "en") -> str:
        return _say(lang, "lost goal", status=self.status)

    def reached(self, view: View) -> bool:
        return not view.choices and view.plain.get("status") == self.status


def never_stuck() -> Property:
    """No state is stuck: something waits, and nothing that is sure to happen is left (D-19)."""
    return _NeverStuck()


def always(name: str, predicate: Callable[[dict[str, Any]], object]) -> Property:
    """The predicate holds in every state; it is given `machine.describe(state)`."""
    return _Always(name, predicate, True)


def never(name: str, predicate: Callable[[dict[str, Any]], object]) -> Property:
    """The predicate holds in no state; it is given `machine.describe(state)`."""
    return _Always(name, predicate, False)


def always_ends(status: Enum | str) -> Property:
    """From every reachable state an end with this status stays reachable; `status` is a `FlowStatus` or its name."""
    name = status.name if isinstance(status, Enum) else status
    if not _is_text(name):
        raise InputError(f"always_ends: expected a status or its name, got {status!r}; write FlowStatus.COMPLETED")
    return _AlwaysEnds(name)


def chosen(machine: Machine[Any], properties: Iterable[Property], *, or_none: bool = False) -> tuple[Property, ...]:
    """The properties that are asked for, if all can be meant for this machine; raises `InputError`."""
    if isinstance(properties, (Property, type)) or not isinstance(properties, Iterable):
        raise InputError(f"properties: expected a list of properties, got {properties!r}; write properties=[...]")
    asked = tuple(properties)
    for one in asked:
        if not isinstance(one, Property):
            raise InputError(
                f"properties: expected a property, got {one!r}; write never_stuck(), always(...) or the like"
            )
        one.check(machine)
    names = [one.name for one in asked]
    if len(set(names)) < len(names):
        raise InputError(f"properties: expected properties with different names, got {names}; leave one of them out")
    if not asked and not or_none:
        raise InputError("properties: expected one or more, got []; leave them out for the usual ones")
    return asked
