"""Values that a state may hold: frozen once, compared with their types, copied for whoever may change them.

`freeze` turns a JSON-like value, or a frozen dataclass of such values, into a `Data`; `Data.thaw` gives a value
back that nobody else holds. `True`, `1` and `1.0` are three values (D-8). Anything else is refused by name.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import json
import uuid
from collections.abc import Callable
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any

from dexpatterns.errors import ValueNotDataError

__all__ = ["MASK", "NOTHING", "Data", "field_names", "freeze", "freeze_masks", "from_key", "new"]

new = tuple.__new__
"""`new(Move, (step, input))` is `Move(step, input)` for a named tuple whose fields all are given: at a third of the
cost, since it calls no Python. For what every move makes; elsewhere the plain call reads better.
"""

Key = Any
_Freezer = Callable[[Any], Key]


class Data:
    """A frozen value. Two are equal when type and content are, all the way down.

    >>> freeze([1, 2]) == freeze([1, 2]), freeze(1) == freeze(True), freeze(1) == freeze(1.0)
    (True, False, False)
    """

    __slots__ = ("_changeable", "_hash", "_value", "key")

    def __init__(self, key: Key, value: Any) -> None:
        self.key = key
        self._value = value
        # Both made when first asked for: a run asks few values, a search all.
        self._hash: int | None = None
        self._changeable: bool | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.key)
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Data) and self.key == other.key)

    def __repr__(self) -> str:
        return f"Data({self.text})"

    def thaw(self) -> Any:
        """The live value; a fresh copy wherever a part of it could be changed."""
        changeable = self._changeable
        if changeable is None:
            changeable = self.changeable
        return _thaw(self.key) if changeable else self._value

    @property
    def changeable(self) -> bool:
        """Whether a part of it could be changed by whoever holds it, such as a list."""
        if self._changeable is None:
            self._changeable = type(self.key) is tuple and _changeable(self.key)
        return self._changeable

    @property
    def plain(self) -> Any:
        """The value as JSON types; a dataclass is an object of its fields, a time its ISO text."""
        return _plain(self.key)

    @property
    def text(self) -> str:
        """The value as one line of JSON."""
        return json.dumps(self.plain, ensure_ascii=False)


def freeze(value: Any) -> Data:
    """Freeze a value; raises `ValueNotDataError` naming the part that is not data."""
    try:
        return Data(_key(value), value)
    except _Refused as refused:
        where = "".join(reversed(refused.where))
        raise ValueNotDataError(
            f"{'the value' if not where else 'the value at ' + where} is a {refused.found}, expected JSON-like data "
            "or a frozen dataclass of it (str, int, float, bool, None, list, tuple, dict with plain keys, Enum, "
            "date and time, Decimal, UUID); pass its fields instead"
        ) from None
    except RecursionError:
        raise ValueNotDataError("the value is nested too deeply or holds itself; pass a flat value") from None


class _Refused(Exception):
    def __init__(self, found: str) -> None:
        self.found = found
        self.where: list[str] = []


_BARE = frozenset((str, int, bytes, type(None)))
"""The classes of values that are their own keys."""


def _key(value: Any) -> Key:
    kind = type(value)
    if kind in _BARE:
        return value
    freezer = _FREEZERS.get(kind)
    if freezer is None:
        freezer = _FREEZERS[kind] = _freezer_for(kind)
    return freezer(value)


def _at(where: str, value: Any) -> Key:
    try:
        return _key(value)
    except _Refused as refused:
        refused.where.append(where)
        raise


def _freeze_dict(value: dict[Any, Any]) -> Key:
    parts: list[Any] = ["d"]
    for k, v in value.items():
        if type(k) not in (str, int, bool, float, type(None)):
            raise _Refused(f"dict with a key of type {type(k).__name__}")
        parts += (_key(k), _at(f"[{k!r}]", v))
    return tuple(parts)


def _sequence(tag: str) -> _Freezer:
    def freezer(value: Any) -> Key:
        try:
            return (tag, *map(_key, value))
        except _Refused:
            # Walked once more only to name the place: the good case pays nothing for the message.
            for i, item in enumerate(value):
                _at(f"[{i}]", item)
            raise

    return freezer


def _freezer_for(kind: type[Any]) -> _Freezer:
    """The freezer of a class met for the first time; a refusal is an answer too."""
    if issubclass(kind, enum.Enum):
        # The member itself comes along: a combination of flags has no entry by its name.
        return lambda value: ("e", kind, value.name or repr(value.value), _Opaque(value))
    if dataclasses.is_dataclass(kind):
        if not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]  # set by @dataclass, unknown to stubs
            return _refuse(f"{kind.__qualname__}, a dataclass that can be changed (declare it frozen=True)")
        names = tuple(field.name for field in dataclasses.fields(kind))
        # A getter of one name would give no tuple.
        parts = attrgetter(*names) if len(names) > 1 else lambda value: [getattr(value, name) for name in names]

        def freeze_fields(value: Any) -> Key:
            try:
                return ("@", kind, *[part if type(part) in _BARE else _key(part) for part in parts(value)])
            except _Refused:
                for name in names:
                    _at(f".{name}", getattr(value, name))
                raise

        return freeze_fields
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return lambda value: ("n", kind, *[_at(f".{n}", v) for n, v in zip(kind._fields, value, strict=True)])
    return _refuse(kind.__qualname__)


def _refuse(found: str) -> _Freezer:
    def freezer(value: Any) -> Key:
        raise _Refused(found)

    return freezer


def _freeze_atom(value: Any) -> Key:
    return ("a", value.__class__, repr(value), _Opaque(value))


def _freeze_time(value: dt.datetime) -> Key:
    return _freeze_utc(value) if value.tzinfo is dt.UTC and not value.fold else _freeze_atom(value)


# What a Context tells is handed on from Step to Step, and to write a time out is dear.
_freeze_utc = lru_cache(maxsize=1024)(_freeze_atom)

_ATOMS = (dt.datetime, dt.date, dt.time, dt.timedelta, decimal.Decimal, uuid.UUID)

_FREEZERS: dict[type[Any], _Freezer] = {
    bool: {False: ("b", False), True: ("b", True)}.__getitem__,
    # By repr: nan equals itself, and 0.0 is not -0.0.
    float: lambda value: ("f", repr(value)),
    list: _sequence("l"),
    tuple: _sequence("t"),
    dict: _freeze_dict,
    **dict.fromkeys(_ATOMS, _freeze_atom),
    dt.datetime: _freeze_time,
}


class _Opaque:
    """Carries an immutable value inside a key without taking part in comparison: the text beside it does."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Opaque)

    def __hash__(self) -> int:
        return 0


def _changeable(key: Key) -> bool:
    tag = key[0]
    if tag == "l" or tag == "d":
        return True
    if tag in _SHUT:
        return False
    for part in key:  # noqa: SIM110  # asked of every value that is frozen: a generator costs twice as much
        if type(part) is tuple and part[0] not in _SHUT and _changeable(part):
            return True
    return False


_SHUT = frozenset(("a", "b", "e", "f", "nothing", "?"))
"""The tags of what has no parts."""


@cache
def _fields(cls: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(cls))


def _thaw(key: Key) -> Any:
    if type(key) is not tuple:
        return key
    tag = key[0]
    if tag == "@":
        cls = key[1]
        made = object.__new__(cls)
        for name, part in zip(_fields(cls), key[2:], strict=True):
            object.__setattr__(made, name, _thaw(part) if type(part) is tuple else part)
        return made
    return _THAW[tag](key)


_THAW: dict[str, Callable[[Key], Any]] = {
    "b": lambda key: key[1],
    "f": lambda key: float(key[1]),
    "a": lambda key: key[3].value,
    "e": lambda key: key[3].value,
    "n": lambda key: key[1](*map(_thaw, key[2:])),
    "l": lambda key: [_thaw(part) for part in key[1:]],
    "t": lambda key: tuple(_thaw(part) for part in key[1:]),
    "d": lambda key: {_thaw(k): _thaw(v) for k, v in zip(key[1::2], key[2::2], strict=True)},
}


def _plain(key: Key) -> Any:
    if type(key) is not tuple:
        return key.decode("utf-8", "backslashreplace") if type(key) is bytes else key
    tag = key[0]
    if tag == "@" or tag == "n":
        names = _fields(key[1]) if tag == "@" else key[1]._fields
        return {name: _plain(part) for name, part in zip(names, key[2:], strict=True)}
    return _PLAIN[tag](key)


def _plain_atom(value: Any) -> Any:
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _plain_float(value: float) -> Any:
    return value if value == value and value not in (float("inf"), float("-inf")) else repr(value)


_PLAIN: dict[str, Callable[[Key], Any]] = {
    "b": lambda key: key[1],
    "f": lambda key: _plain_float(float(key[1])),
    "a": lambda key: _plain_atom(key[3].value),
    "e": lambda key: key[2],
    "nothing": lambda key: None,
    "l": lambda key: [_plain(part) for part in key[1:]],
    "t": lambda key: [_plain(part) for part in key[1:]],
    "d": lambda key: {
        k if isinstance(k := _plain(k_), str) else json.dumps(k): _plain(v)
        for k_, v in zip(key[1::2], key[2::2], strict=True)
    },
}

def field_names(key: Key) -> tuple[str, ...] | None:
    """The names of the parts of a frozen dataclass or named tuple, which follow its tag and class; else None."""
    if key[:1] == ("@",):
        return _fields(key[1])
    return key[1]._fields if key[:1] == ("n",) else None


def from_key(key: Key) -> Data:
    """The `Data` of a key that was made from another one's."""
    return Data(key, _thaw(key))


MASK = "?"
"""The tag of a frozen value that stands for another (`engine.masked`): (MASK, the mask), itself immutable."""


def freeze_masks(kind: type[Any]) -> None:
    """Let values of this class be frozen as masks; nobody can read them, and shown they are '?'."""
    _FREEZERS[kind] = lambda value: (MASK, value)


_THAW[MASK] = lambda key: key[1]
_PLAIN[MASK] = lambda key: MASK
_PLAIN["nothing"] = lambda key: None

NOTHING: Data = Data(("nothing",), None)
"""The input of a Step that is given none, and the output of a completion that names none."""
