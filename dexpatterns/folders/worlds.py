"""What a folder's `world.py` says, name by name: what stands for its silence, and whether what it says can be used.

That the machines can be built and the claims be asked belongs to it; whether a claim holds does not (`claims`). It
knows no card, no page and no catalog, and runs no file: whoever asks has run the folder's code already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from dexpatterns import claims as claiming
from dexpatterns.dex.scenario import Scenario, Section
from dexpatterns.errors import InputError
from dexpatterns.folders.cards import DEX, JS7

if TYPE_CHECKING:
    from dexpatterns.dex.flow import Flow

__all__ = ["check", "told"]

_MISSING: Any = object()


class _Rule(NamedTuple):
    forms: tuple[str, ...]
    """The forms of folder in which the name is looked at."""
    silence: Any
    """The value where `world.py` does not have the name; `_MISSING` where it must."""
    will_do: Callable[[Any], bool] = lambda _value: True
    expected: str = ""


_RULES = {
    "INPUT": _Rule((DEX,), _MISSING),
    "make_input": _Rule((DEX,), _MISSING, callable, "a function of the number of reviewers"),
    "from_edits": _Rule((DEX,), None, lambda it: it is None or callable(it), "a function of rows"),
    "SECTION": _Rule((DEX,), None, lambda it: isinstance(it, Section | None), "a Section"),
    "TOKEN": _Rule((DEX,), None, lambda it: isinstance(getattr(it, "name", it), str | None), "a Channel or its name"),
    "LIMIT": _Rule((DEX,), 1, lambda it: type(it) is int and it > 0, "a whole number of 1 or more"),
    "SCENARIO": _Rule((DEX,), None, lambda it: isinstance(it, Scenario | None), "a Scenario"),
    "SCENARIOS": _Rule((DEX,), {}, lambda it: isinstance(it, Mapping), "a dict of scenarios by name"),
    "SYMMETRIC": _Rule((DEX,), (), lambda it: isinstance(it, tuple), "a tuple of field names"),
    "ORDERS": _Rule((JS7,), _MISSING, lambda it: isinstance(it, (tuple, list)), "a tuple of orders"),
    "JOBS": _Rule((JS7,), None),
    "CLAIMS": _Rule((DEX, JS7), {}, lambda it: isinstance(it, Mapping), "a dict of checks by claim name"),
}


def told(world: ModuleType, name: str) -> Any:
    """What the world says under that name, or what stands for its silence; raises `InputError` where it cannot be used.

    It is looked at here, for nobody has to call `check` first.
    """
    rule = _RULES[name]
    value = getattr(world, name, rule.silence)
    if value is _MISSING:
        raise InputError(f"{world.__file__}: expected {name}, got none; define it there")
    if not rule.will_do(value):
        raise InputError(f"{world.__file__}: {name}: expected {rule.expected}, got {value!r}; mend it there")
    return value


def check(world: ModuleType, form: str, flows: Iterable[Flow[Any]], sentences: Mapping[str, Mapping[str, str]]) -> None:
    """Raise `DexpatternsError` for the first thing that cannot be used: a Flow, a value, an order, or a claim without
    a sentence or the other way round. `flows` are those of a folder of the form `DEX`.
    """
    from dexpatterns.dex.definition import compile_flow

    for flow in flows:
        compile_flow(flow)
    for name, rule in _RULES.items():
        if form in rule.forms:
            told(world, name)
    if form == JS7:
        _check_orders(world)
    for name, fault in claiming.faults(sentences, told(world, "CLAIMS")).items():
        raise InputError(f"{world.__file__}: claim {name!r}: {fault}")


def _check_orders(world: ModuleType) -> None:
    from dexpatterns.js7.files import load
    from dexpatterns.js7.machine import Js7Machine

    items = load(Path(str(world.__file__)).parent)
    try:
        Js7Machine(items, told(world, "ORDERS"), told(world, "JOBS"))
    except InputError as error:
        raise InputError(f"{world.__file__}: {error}; mend it there") from None
