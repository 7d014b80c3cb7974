"""Plain JSON becomes a value of a declared type, or is refused with its place, what was expected, and the mend.

Objects become dataclasses, named tuples, typed dicts or dicts; an Enum is given by its value or its name, a duration
in seconds. Fields that a type does not have are refused, since a misspelt one would pass for its default. This module
knows no file and no Flow.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import difflib
import enum
import inspect
import json
import typing
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

from dexpatterns.dex.channel import type_text

__all__ = ["RefusedError", "convert", "example", "found_words", "quoted", "words"]


class RefusedError(Exception):
    """The value does not fit: the text says what was expected and found, `path` where, `mend` the next step."""

    def __init__(self, expected: str, found: Any, mend: str = "correct it") -> None:
        super().__init__(f"expected {expected}, got {found if isinstance(found, _Said) else found_words(found)}")
        self.mend = mend
        self.path: list[str] = []
        """Where it is, innermost first."""

    def within(self, step: str | int) -> RefusedError:
        """Itself, one level further out. (Called on the way out: a place that is not refused costs nothing.)"""
        plain = isinstance(step, str) and step.isidentifier()
        self.path.append(f".{step}" if plain else f"[{_text(step)}]")
        return self


class _Said(str):
    """What was found, in words already."""

    __slots__ = ()


def convert(value: Any, declared: Any) -> Any:
    """The JSON value (text, number, bool, None, list, dict) as one of the declared type; raises `RefusedError`.

    >>> convert({"90": ["2026-01-31"]}, dict[int, list[dt.date]])
    {90: [datetime.date(2026, 1, 31)]}
    """
    scalar = _SCALARS.get(declared) if isinstance(declared, type) else None
    if scalar is not None:
        try:
            return scalar.convert(value)
        except (TypeError, ValueError, OverflowError):
            raise RefusedError(scalar.words, value) from None
    if declared is Any or declared is object or isinstance(declared, (str, TypeVar)):
        return value
    if hasattr(declared, "__supertype__"):
        return convert(value, declared.__supertype__)
    origin, args = get_origin(declared), get_args(declared)
    if origin in _SPECIAL:
        return _SPECIAL[origin](value, declared, args)
    cls = origin or declared
    for test, made in _CLASSES:
        if isinstance(cls, type) and test(cls):
            return made(value, declared, cls, args)
    try:
        if isinstance(value, cls):
            return value
    except TypeError:  # no class of values, such as a Protocol
        return value
    raise RefusedError(words(declared), value, "JSON cannot give one: start the Flow from Python")


class _Scalar(NamedTuple):
    """A type without parts: what it is in words, an example of it in JSON, and its converter."""

    words: str
    example: str
    convert: Callable[[Any], Any]
    """Raises TypeError, ValueError or OverflowError for what is no such value."""


def _exactly(kind: type) -> Callable[[Any], Any]:
    def made(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError
        return value

    return made


def _float(value: Any) -> float:
    if type(value) not in (int, float):
        raise TypeError
    return float(value)


def _duration(value: Any) -> dt.timedelta:
    if type(value) in (int, float):
        return dt.timedelta(seconds=value)
    made: dt.timedelta = _by_msgspec(dt.timedelta)(value)
    return made


def _by_msgspec(kind: type) -> Callable[[Any], Any]:
    def made(value: Any) -> Any:
        import msgspec

        return msgspec.convert(value, kind)  # its ValidationError is a ValueError

    return made


_SCALARS: dict[type, _Scalar] = {
    str: _Scalar("a text", '"..."', _exactly(str)),
    int: _Scalar("a whole number", "1", _exactly(int)),
    float: _Scalar("a number", "1.5", _float),
    bool: _Scalar("true or false", "true", _exactly(bool)),
    NoneType: _Scalar("null", "null", _exactly(NoneType)),
    dt.timedelta: _Scalar('seconds, or a duration such as "PT90S"', "90", _duration),
    dt.datetime: _Scalar('a time such as "2026-01-31T09:00:00Z"', '"2026-01-31T09:00:00Z"', _by_msgspec(dt.datetime)),
    dt.date: _Scalar('a date such as "2026-01-31"', '"2026-01-31"', _by_msgspec(dt.date)),
    dt.time: _Scalar('a time of day such as "09:00:00"', '"09:00:00"', _by_msgspec(dt.time)),
    decimal.Decimal: _Scalar('a number, or a text such as "12.50"', '"12.50"', _by_msgspec(decimal.Decimal)),
    uuid.UUID: _Scalar("a UUID", '"00000000-0000-0000-0000-000000000000"', _by_msgspec(uuid.UUID)),
    bytes: _Scalar("bytes as base64 text", '"aGVsbG8="', _by_msgspec(bytes)),
}


def _union(value: Any, declared: Any, members: tuple[Any, ...]) -> Any:
    """The first member that takes the value, but a number that needs no conversion stays as it is."""
    if type(value) in (int, float, bool) and type(value) in members:
        return value
    refusals = []
    for member in members:
        try:
            return convert(value, member)
        except RefusedError as refused:
            refusals.append(refused)
    # The member that went furthest is the one that was meant; failing that, the only one that is an object.
    deepest = max(refusals, key=lambda refused: len(refused.path))
    objects = [refused for refused, member in zip(refusals, members, strict=True) if _is_object(_class_of(member))]
    if deepest.path or (isinstance(value, dict) and len(objects) == 1):
        raise deepest if deepest.path else objects[0]
    raise RefusedError(words(declared), value)


def _literal(value: Any, declared: Any, allowed: tuple[Any, ...]) -> Any:
    for one in allowed:
        if type(one) is type(value) and one == value:
            return value
    raise RefusedError(words(declared), value)


def _annotated(value: Any, declared: Any, args: tuple[Any, ...]) -> Any:
    return convert(value, args[0])


_SPECIAL: dict[Any, Callable[[Any, Any, tuple[Any, ...]], Any]] = {
    Union: _union, UnionType: _union, Literal: _literal, Annotated: _annotated,
}  # fmt: skip


def _enum(value: Any, declared: Any, cls: Any, args: tuple[Any, ...]) -> Any:
    for member in cls:
        if type(member.value) is type(value) and member.value == value:
            return member
    if isinstance(value, str) and value in cls.__members__:
        return cls[value]
    raise RefusedError(words(cls), value)


def _object(value: Any, declared: Any, cls: Any, args: tuple[Any, ...]) -> Any:
    """A dataclass or a named tuple, or a typed dict."""
    hints, required = _fields(cls, args)
    if not isinstance(value, dict):
        raise RefusedError(words(declared), value, f"write {example(declared)}")
    for name in value:
        if name not in hints:
            near = difflib.get_close_matches(name, hints, n=1)
            mend = f"did you mean {near[0]!r}?" if near else "leave it out"
            raise RefusedError(f"the fields {', '.join(hints) or '(none)'}", _Said(f"the field {quoted(name)}"), mend)
    for name in hints:
        if name in required and name not in value:
            mend = f"add {_text(name)}: {example(hints[name])}"
            raise RefusedError(f"the field {name!r}", _Said("nothing"), mend)
    parts = {}
    for name, part in value.items():
        try:
            parts[name] = convert(part, hints[name])
        except RefusedError as refused:
            raise refused.within(name) from None
    try:
        return cls(**parts)
    except RecursionError:
        raise
    except Exception as raised:  # noqa: BLE001  # a __post_init__ is the author's own code
        said = _Said(f"a refusal ({type(raised).__name__}: {raised})")
        raise RefusedError(f"what {cls.__name__} accepts", said, "give other values") from None


def _fields(cls: Any, args: tuple[Any, ...]) -> tuple[dict[str, Any], Collection[str]]:
    """The types of the fields that may be given, and the names of those that must be."""
    hints, required = _shape(cls)
    if args:
        of = dict(zip(cls.__parameters__, args, strict=False))
        hints = {name: _filled(hint, of) for name, hint in hints.items()}
    return hints, required


@cache
def _shape(cls: Any) -> tuple[dict[str, Any], Collection[str]]:
    try:
        hints = typing.get_type_hints(cls)
    except RecursionError:
        raise
    except Exception:  # noqa: BLE001  # a name that only a type checker sees says nothing here
        hints = {}
    if typing.is_typeddict(cls):
        return hints, cls.__required_keys__
    # What can be given is what the constructor takes: an InitVar too, a field without init not.
    parameters = inspect.signature(cls).parameters.values()
    types = {one.name: hints.get(one.name, Any) for one in parameters}
    types = {name: hint.type if isinstance(hint, dataclasses.InitVar) else hint for name, hint in types.items()}
    return types, {one.name for one in parameters if one.default is one.empty}


def _filled(hint: Any, of: dict[Any, Any]) -> Any:
    """A type with what its class was subscribed with: `T` or `list[T]` of `Box[int]`."""
    if isinstance(hint, TypeVar):
        return of.get(hint, Any)
    if getattr(hint, "__parameters__", ()):
        return hint[tuple(of.get(parameter, Any) for parameter in hint.__parameters__)]
    return hint


def _array(value: Any, declared: Any, cls: Any, args: tuple[Any, ...]) -> Any:
    if not isinstance(value, list):
        raise RefusedError(words(declared), value, f"write {example(declared)}")
    types: Sequence[Any] = (args[0] if args else Any,) * len(value)
    if _is_fixed(cls, args):
        if len(args) != len(value):
            raise RefusedError(words(declared), _Said(f"a list of {len(value)}"))
        types = args
    items = []
    for index, item in enumerate(value):
        try:
            items.append(convert(item, types[index]))
        except RefusedError as refused:
            raise refused.within(index) from None
    return next((whole(items) for whole in (tuple, frozenset, set) if issubclass(cls, whole)), items)


def _mapping(value: Any, declared: Any, cls: Any, args: tuple[Any, ...]) -> Any:
    import msgspec

    if not isinstance(value, dict):
        raise RefusedError(words(declared), value, f"write {example(declared)}")
    key_type, value_type = args or (Any, Any)
    made = {}
    for key, item in value.items():
        try:
            # A key of a JSON object is a text, whatever it stands for.
            known = msgspec.convert(key, key_type, strict=False)
        except (msgspec.ValidationError, TypeError):
            raise RefusedError(f"{words(key_type)} as a key", key).within(key) from None
        try:
            made[known] = convert(item, value_type)
        except RefusedError as refused:
            raise refused.within(key) from None
    return made


def _class_of(declared: Any) -> type:
    cls = get_origin(declared) or declared
    return cls if isinstance(cls, type) else object


def _is_object(cls: type) -> bool:
    return dataclasses.is_dataclass(cls) or hasattr(cls, "_fields") or typing.is_typeddict(cls)


def _is_list(cls: type) -> bool:
    return issubclass(cls, (list, tuple, set, frozenset)) or cls in (Sequence, Collection, Iterable)


def _is_mapping(cls: type) -> bool:
    return issubclass(cls, dict) or cls is Mapping


def _is_fixed(cls: type, args: tuple[Any, ...]) -> bool:
    """Whether it is a tuple of so many parts."""
    return issubclass(cls, tuple) and bool(args) and args[-1] is not Ellipsis


_CLASSES: tuple[tuple[Callable[[type], bool], Callable[..., Any]], ...] = (
    (lambda cls: issubclass(cls, enum.Enum), _enum),
    (_is_object, _object),
    (_is_list, _array),
    (_is_mapping, _mapping),
)


# What is said.


def words(declared: Any) -> str:
    """What a value of this type is in JSON, in words."""
    if isinstance(declared, type) and declared in _SCALARS:
        return _SCALARS[declared].words
    origin, args = get_origin(declared), get_args(declared)
    if origin is Annotated:
        return words(args[0])
    if hasattr(declared, "__supertype__"):
        return words(declared.__supertype__)
    if origin in (Union, UnionType):
        return " or ".join(map(words, args))
    if origin is Literal:
        return "one of " + ", ".join(map(_text, args))
    cls = origin or declared
    if not isinstance(cls, type) or cls is object:
        return "a value"
    said = (say(cls, args) for (test, _), say in zip(_CLASSES, _WORDS, strict=True) if test(cls))
    return next(said, f"a {type_text(declared)}")


_WORDS: tuple[Callable[[Any, tuple[Any, ...]], str], ...] = (
    lambda cls, _args: "one of " + ", ".join(_text(one.value, one.name) for one in cls),
    lambda cls, args: f"an object with the fields {', '.join(_fields(cls, args)[0]) or '(none)'}",
    lambda cls, args: f"a list of {len(args)}" if _is_fixed(cls, args) else "a list",
    lambda _cls, _args: "an object",
)
"""In the order of `_CLASSES`."""


def example(declared: Any, levels: int = 3) -> str:
    """An example of it, as JSON."""
    if isinstance(declared, type) and declared in _SCALARS:
        return _SCALARS[declared].example
    origin, args = get_origin(declared), get_args(declared)
    cls = origin or declared
    if origin is Literal:
        return _text(args[0])
    if origin in (Annotated, Union, UnionType):
        return example(args[0], levels)
    if not isinstance(cls, type) or levels == 0:
        return "..."
    if issubclass(cls, enum.Enum):
        return _text(*next((one.value, one.name) for one in cls)) if len(cls) else "..."
    if _is_object(cls):
        hints, required = _fields(cls, args)
        parts = (f"{_text(name)}: {example(hints[name], levels - 1)}" for name in hints if name in required)
        return "{" + ", ".join(parts) + "}"
    if _is_list(cls):
        items = args if _is_fixed(cls, args) else args[:1] or (Any,)
        return f"[{', '.join(example(item, levels - 1) for item in items)}]"
    return "{}" if _is_mapping(cls) else "..."


def _text(value: Any, otherwise: Any = "...") -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return json.dumps(otherwise, ensure_ascii=False)


def quoted(text: str) -> str:
    """The text in quotes, without control characters, at a length that fits a message."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def found_words(value: Any) -> str:
    """What was found in the place of something else, for a message."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f"the text {quoted(value)}" if value else "an empty text"
    if isinstance(value, int) and value.bit_length() > 100:
        return "a number far too large"
    return json.dumps(value)
