"""What makes a state space infinite: names the part of the state that grows on a long way through it.

On the way states are looked for that are alike but for parts that have grown from one to the next, and grown again:
what led from one to the other can go on happening. It is a hint for a search that was cut, and no proof: the growth
may have an end that lies beyond the bound, so it says no more than what was seen. Which parts there are is what
`Machine.describe` says.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dexpatterns.engine.machine import Choice, Machine
from dexpatterns.errors import ScheduleError

__all__ = ["Part", "growing", "in_words"]

_LOOKED_AT = 2_000
"""How many moves of the way are made again, from its start: what grows without end grows there already."""
_PAIRED = 120
"""How many of the last states are compared with each other."""

Part = tuple[str, ...]
"""A group of the described state, such as `("steps",)`, or one entry of it: `("attributes", "n")`."""


def growing(machine: Machine[Any], path: list[Choice]) -> tuple[Part, ...]:
    """The parts that grow on this way from the start; none when nothing is seen to."""
    path = path[:_LOOKED_AT]
    state = machine.initial()
    states = [state]
    try:
        for choice in path:
            state, _ = machine.apply(state, choice)
            states.append(state)
    except ScheduleError:
        # A handler does not do the same twice, and there are other words for that.
        return ()
    seen = [_parts(machine.describe(state)) for state in states[-_PAIRED:]]
    for later in range(len(seen) - 1, len(seen) // 2, -1):
        for sooner in range(later - 1, 0, -1):
            grown = _grown(seen[sooner], seen[later])
            if grown and any(_grown(first, seen[sooner]) == grown for first in seen[:sooner]):
                return tuple(grown)
    return ()


def in_words(grown: Iterable[Part]) -> str | None:
    """What `growing` found, as a sentence; None when it found nothing.

    >>> in_words([("attributes", "n"), ("steps",)])
    "in what was seen, attribute 'n' and the number or content of steps grow"
    """
    names = [_name(part) for part in grown]
    return f"in what was seen, {' and '.join(names)} {'grows' if len(names) == 1 else 'grow'}" if names else None


def _parts(described: dict[str, Any]) -> dict[Part, Any]:
    """The described state in parts: an entry of a dict of dicts or lists is a part of its own."""
    parts: dict[Part, Any] = {}
    for group, value in described.items():
        if isinstance(value, dict):
            parts |= {(group, str(name)): _nameless(entry) for name, entry in value.items()}
        else:
            parts[group,] = _nameless(value)
    return parts


def _nameless(value: Any) -> Any:
    """Without the names of lineages, which differ from turn to turn."""
    if isinstance(value, dict):
        return {name: _nameless(entry) for name, entry in value.items() if name != "id"}
    return [_nameless(entry) for entry in value] if isinstance(value, list) else value


def _grown(sooner: dict[Part, Any], later: dict[Part, Any]) -> list[Part]:
    """The parts that have grown, if the others are as they were; none if any other differs."""
    if not sooner.keys() <= later.keys():
        return []
    changed = [part for part, value in later.items() if part not in sooner or sooner[part] != value]
    return changed if all(_has_grown(sooner.get(part), later[part]) for part in changed) else []


def _has_grown(old: Any, new: Any) -> bool:
    """Whether all that was there still is, and more of it: a Step that only went on has not grown."""
    if old is None:
        return bool(new)
    if isinstance(old, bool) or isinstance(new, bool):
        return False
    if isinstance(old, (int, float)) and isinstance(new, (int, float)):
        return abs(new) > abs(old)
    if isinstance(old, str) and isinstance(new, str):
        return old in new
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() <= new.keys() and all(_is_there(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        left = iter(new)
        return all(any(_is_there(entry, other) for other in left) for entry in old)
    return False


def _is_there(old: Any, new: Any) -> bool:
    return bool(old == new) or _has_grown(old, new)


def _name(part: Part) -> str:
    group, *entry = part
    return f"{group.removesuffix('s')} {entry[0]!r}" if entry else f"the number or content of {group}"
