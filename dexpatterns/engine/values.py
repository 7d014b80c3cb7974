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
from collections.abc import Callable, Sequence
from inspect import getattr_static
from operator import attrgetter
from types import MemberDescriptorType
from typing import Any, TypeVar

from dexpatterns.engine.texts import visible
from dexpatterns.errors import ValueNotDataError

__all__ = ["MASK", "NOTHING", "Data", "field_names", "freeze", "freeze_masks", "from_key", "new"]

new = tuple.__new__
"""`new(Move, (step, input))` is `Move(step, input)` for a named tuple whose fields all are given: at a third of the
cost, since it calls no Python. For what every move makes; elsewhere the plain call reads better.
"""

Key = Any
_Freezer = Callable[[Any], Key]
_Getter = Callable[[Any], Sequence[Any]]
_T = TypeVar("_T")


class Data:
    """A frozen value. Two are equal when type and content are, all the way down.

    >>> freeze([1, 2]) == freeze([1, 2]), freeze(1) == freeze(True), freeze(1) == freeze(1.0)
    (True, False, False)
    """

    __slots__ = ("_hash", "_key", "_value", "changeable")

    def __init__(self, value: Any, changeable: bool, key: Key = None) -> None:
        # What nobody else can change: the live value, or a list or dict of our own; None where the key alone is kept.
        self._value = value
        self.changeable = changeable
        """Whether a part of it could be changed by whoever holds it, such as a list."""
        # Both made when first asked for: a run asks few values, a search all.
        self._key = key
        self._hash: int | None = None

    @property
    def key(self) -> Key:
        """The value as tagged tuples, by which it is compared."""
        # Only None has the key None, and that is soon made again.
        if self._key is None:
            self._key = _key(self._value)
        return self._key

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.key)
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Data) and self.key == other.key)

    def __copy__(self) -> Data:
        # Nothing of it changes: a copy could not be told from it, and there is one `NOTHING`.
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Data:
        return self

    def __reduce__(self) -> str | tuple[Any, ...]:
        # By its name, for there is one; without the hash, for where it is read the same text has another.
        return "NOTHING" if self is NOTHING else (Data, (self._value, self.changeable, self._key))

    def __repr__(self) -> str:
        return f"Data({visible(self.text)})"

    def thaw(self) -> Any:
        """The live value; a fresh copy wherever a part of it could be changed."""
        if not self.changeable:
            return self._value
        return _thaw(self._key) if self._value is None else self._value.copy()

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
        if _closed(value):
            return Data(value, False)
        if type(value) in _COPIED:
            own = value.copy()
            names, items = (own, own.values()) if type(own) is dict else ((), own)
            if _NAMES.issuperset(map(type, names)) and all(map(_closed, items)):
                return Data(own, True)
        return _of_key(_key(value), value)
    except _Refused as refused:
        where = "".join(reversed(refused.where))
        raise ValueNotDataError(
            f"{'the value' if not where else 'the value at ' + where} is a {refused.found}, expected JSON-like data "
            "or a frozen dataclass of it (str, int, float, bool, None, list, tuple, dict with plain keys, Enum, "
            "date and time, Decimal, UUID); pass its fields instead"
        ) from None
    except RecursionError:
        raise ValueNotDataError("the value is nested too deeply or holds itself; pass a flat value") from None


def _of_key(key: Key, value: Any) -> Data:
    changeable = type(key) is tuple and _changeable(key)
    return Data(None if changeable else value, changeable, key)


def from_key(key: Key) -> Data:
    """The `Data` of a key that was made from another one's."""
    return _of_key(key, _thaw(key))


# What is seen at a glance to be data that nobody can change: its key can wait.

_BARE = frozenset((str, int, bytes, type(None)))
"""The classes of values that are their own keys."""

_NAMES = frozenset((str, int, bool, float, type(None)))
"""The classes of the keys of a dict."""

_TIMES = (dt.datetime, dt.time)
_ATOMS = (*_TIMES, dt.date, dt.timedelta, decimal.Decimal, uuid.UUID)

_COPIED = frozenset((list, dict))
"""The classes of values of which others get a copy."""

_CLOSED = frozenset((*_BARE, *_NAMES, *_ATOMS)).difference(_TIMES)
"""The classes of values without parts. A time may hold a zone that is anybody's object."""

_DEPTH = 3
"""How deep a glance goes. What is nested deeper gets its key at once, so that too deep is found out by `freeze`."""


def _closed(value: Any, depth: int = _DEPTH) -> bool:
    """Whether this is known for data that stays as it is; what is not known is left to its key."""
    kind = type(value)
    if kind in _CLOSED:
        return True
    parts_of = _PARTS[kind]
    if parts_of is None or not depth:
        return kind in _TIMES and (value.tzinfo is None or value.tzinfo is dt.UTC)
    parts = parts_of(value)
    if not _CLOSED.issuperset(map(type, parts)):
        for part in parts:
            if type(part) not in _CLOSED and not _closed(part, depth - 1):
                return False
    return True


def _parts_of(kind: type[Any]) -> _Getter | None:
    """How to read the parts of a value that are the same whenever they are read; None if they may not be."""
    if issubclass(kind, enum.Enum):
        return lambda member: (member.name or member.value,)
    # A subclass may set attributes in its own way.
    if "__dataclass_params__" not in vars(kind) or not kind.__dataclass_params__.frozen:
        return None
    # What `__init__` does not set may be set later, past the frozen `__setattr__`, such as what was once computed.
    late = not all(field.init for field in dataclasses.fields(kind))
    looked_up = getattr_static(kind, "__getattribute__") is not object.__getattribute__ or hasattr(kind, "__getattr__")
    computed = any(
        hasattr(type(found), "__get__") and type(found) is not MemberDescriptorType
        for found in (getattr_static(kind, name, None) for name in _FIELDS[kind])
    )
    return None if late or looked_up or computed else _getter(_FIELDS[kind])


def _getter(names: tuple[str, ...]) -> _Getter:
    # attrgetter of one name gives no tuple.
    return attrgetter(*names) if len(names) > 1 else lambda value: [getattr(value, name) for name in names]


class _Learned(dict[type[Any], _T]):
    """What is known of each class; found out when one is met for the first time."""

    def __init__(self, learn: Callable[[type[Any]], _T], known: dict[type[Any], _T]) -> None:
        super().__init__(known)
        self._learn = learn

    def __missing__(self, kind: type[Any]) -> _T:
        return self.setdefault(kind, self._learn(kind))


_FIELDS: _Learned[tuple[str, ...]] = _Learned(
    lambda kind: tuple([field.name for field in dataclasses.fields(kind)]), {}
)
_PARTS: _Learned[_Getter | None] = _Learned(_parts_of, {tuple: tuple})


class _Refused(Exception):
    def __init__(self, found: str) -> None:
        self.found = found
        self.where: list[str] = []


def _key(value: Any) -> Key:
    kind = type(value)
    return value if kind in _BARE else _FREEZERS[kind](value)


def _at(where: str, value: Any) -> Key:
    try:
        return _key(value)
    except _Refused as refused:
        refused.where.append(where)
        raise


def _freeze_dict(value: dict[Any, Any]) -> Key:
    parts: list[Any] = ["d"]
    for k, v in value.items():
        if type(k) not in _NAMES:
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
        names = _FIELDS[kind]
        parts_of = _getter(names)

        def freeze_fields(value: Any) -> Key:
            try:
                # As `_key` does, without a call for each.
                parts = [part if type(part) in _BARE else _FREEZERS[type(part)](part) for part in parts_of(value)]
            except _Refused:
                for name in names:
                    _at(f".{name}", getattr(value, name))
                raise
            return ("@", kind, *parts)

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
    # What a Context tells is handed on from Step to Step. Two such times are equal if they are the same moment, which
    # costs less to find out than to write both out.
    return ("u", value) if value.tzinfo is dt.UTC and not value.fold else _freeze_atom(value)


_FREEZERS: _Learned[_Freezer] = _Learned(
    _freezer_for,
    {
        bool: {False: ("b", False), True: ("b", True)}.__getitem__,
        # By repr: nan equals itself, and 0.0 is not -0.0.
        float: lambda value: ("f", repr(value)),
        list: _sequence("l"),
        tuple: _sequence("t"),
        dict: _freeze_dict,
        **dict.fromkeys(_ATOMS, _freeze_atom),
        dt.datetime: _freeze_time,
    },
)


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


_SHUT = frozenset(("a", "b", "e", "f", "u", "nothing", "?"))
"""The tags of what has no parts."""


def _thaw(key: Key) -> Any:
    if type(key) is not tuple:
        return key
    tag = key[0]
    if tag == "@":
        cls = key[1]
        made = object.__new__(cls)
        for name, part in zip(_FIELDS[cls], key[2:], strict=True):
            object.__setattr__(made, name, _thaw(part) if type(part) is tuple else part)
        return made
    return _THAW[tag](key)


_THAW: dict[str, Callable[[Key], Any]] = {
    "b": lambda key: key[1],
    "f": lambda key: float(key[1]),
    "u": lambda key: key[1],
    "a": lambda key: key[3].value,
    "e": lambda key: key[3].value,
    "n": lambda key: key[1](*map(_thaw, key[2:])),
    "l": lambda key: [_thaw(part) for part in key[1:]],
    "t": lambda key: tuple(_thaw(part) for part in key[1:]),
    "d": lambda key: {_thaw(k): _thaw(v) for k, v in zip(key[1::2], key[2::2], strict=True)},
}


def _plain(key: Key) -> Any:
    if type(key) is tuple:
        return _PLAIN[key[0]](key)
    return key.decode("utf-8", "backslashreplace") if type(key) is bytes else key


_JSON = frozenset((str, int, type(None)))
"""The classes of values that are their own keys, and plain."""


def _plain_fields(key: Key) -> Any:
    names = _FIELDS[key[1]] if key[0] == "@" else key[1]._fields
    return {name: part if type(part) in _JSON else _plain(part) for name, part in zip(names, key[2:], strict=True)}


def _plain_atom(key: Key) -> Any:
    value = key[3].value
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _plain_float(value: float) -> Any:
    return value if value == value and value not in (float("inf"), float("-inf")) else repr(value)


_PLAIN: dict[str, Callable[[Key], Any]] = {
    "@": _plain_fields,
    "n": _plain_fields,
    "b": lambda key: key[1],
    "f": lambda key: _plain_float(float(key[1])),
    "u": lambda key: key[1].isoformat(),
    "a": _plain_atom,
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
        return _FIELDS[key[1]]
    return key[1]._fields if key[:1] == ("n",) else None


MASK = "?"
"""The tag of a frozen value that stands for another (`engine.masked`): (MASK, the mask), itself immutable."""


def freeze_masks(kind: type[Any]) -> None:
    """Let values of this class be frozen as masks; nobody can read them, and shown they are '?'."""
    _FREEZERS[kind] = lambda value: (MASK, value)


_THAW[MASK] = lambda key: key[1]
_PLAIN[MASK] = lambda key: MASK

NOTHING: Data = _of_key(("nothing",), None)
"""The input of a Step that is given none, and the output of a completion that names none."""
