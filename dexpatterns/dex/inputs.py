"""A Flow's input from JSON, as a text or a file: converted to the type that its starting Step takes, or refused.

A refusal says where in the JSON (`$.edits[0].id`), what was expected, what was found, and the mend. Objects become
dataclasses, named tuples, typed dicts or dicts; an Enum is given by its value or its name, a duration in seconds.
Fields that a type does not have are refused, since a misspelt one would pass for its default. This module knows no
machine; what it makes is still checked there as every input is.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import difflib
import enum
import json
import typing
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, TypeVar, Union, get_args, get_origin

from dexpatterns.dex.channel import check_value, type_text
from dexpatterns.dex.definition import compile_flow
from dexpatterns.dex.flow import Flow
from dexpatterns.errors import InputError

__all__ = ["MAX_BYTES", "read_input"]

MAX_BYTES = 20_000_000
"""A larger file is refused before it is read."""


def read_input(flow: Flow[Any] | type[Flow[Any]], given: str | Path | None = None) -> Any:
    """The input for this Flow: `given` is JSON, or the path of a file that holds it; None where nothing is given.

    A text that is the name of a file is one, unless it begins as only JSON can. Raises `InputError` for what cannot be
    used, and `FlowDefinitionError` for a Flow that is broken.
    """
    spec = compile_flow(flow)
    who = f"the input of Flow {spec.name!r}"
    value, where = (None, who) if given is None else _parsed(given, who)
    if spec.start is None:
        if value is None:
            return None
        raise InputError(f"{where}: the Flow has no starting Step, so it takes no input; leave it out")
    declared = spec.start.input_type
    if value is None and check_value(declared, None) is None:
        return None
    if given is None:
        raise InputError(f"{who}: expected {_said(declared)}, got nothing; pass it as JSON or a file of it: {_like(declared)}")
    try:
        return _convert(value, declared)
    except _Refused as refused:
        at = "$" + "".join(reversed(refused.path))
        raise InputError(f"{where}, {at}: {refused}; {refused.mend}") from None
    except RecursionError:
        raise _too_deep(where) from None


# From bytes to JSON.


def _parsed(given: str | Path, who: str) -> tuple[Any, str]:
    """The JSON value, and how to name its source."""
    if isinstance(given, str) and given.lstrip()[:1] in ("{", "[", '"'):
        return _json(given, who), who
    path = Path(given).expanduser()
    if not _is_there(path) and isinstance(given, str) and path.suffix.lower() != ".json":
        # 3, null or true; a text that is none of these was meant to be the name of a file.
        try:
            return _json(given, who), who
        except InputError:
            raise InputError(
                f"{who}: expected JSON or the path of a file, got {_quoted(given)}, which is neither; "
                "check the path, or quote the JSON"
            ) from None
    file = repr(str(given))
    return _json(_read(path, file), file), file


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return False


def _read(path: Path, file: str) -> str:
    too_large = InputError(f"{file}: expected at most {MAX_BYTES // 1_000_000} MB of JSON, got more; pass a smaller file")
    try:
        if path.is_dir():
            raise InputError(f"{file}: expected a file of JSON, got a folder; name the file inside it")
        if path.stat().st_size > MAX_BYTES:
            raise too_large
        with path.open("rb") as source:
            data = source.read(MAX_BYTES + 1)  # a pipe has no size that could be asked for
    except FileNotFoundError:
        raise InputError(f"{file}: expected a file of JSON, got no such file; check the path") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{file}: expected a file that can be read, got {reason.lower()}; check the path") from None
    if len(data) > MAX_BYTES:
        raise too_large
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{file}: expected UTF-8 text, got UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        byte = f"0x{data[error.start]:02x}"
        raise InputError(f"{file}, line {line}: expected UTF-8 text, got the byte {byte}; save it as UTF-8") from None


def _json(text: str, where: str) -> Any:
    import msgspec

    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise _too_deep(where) from None
    except UnicodeEncodeError:
        raise InputError(f"{where}: expected UTF-8 text, got bytes that are none; save it as UTF-8") from None
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        place, reason = where, str(error)
    # The fast reader knows no line, so the slow one is asked, now that time does not matter.
    if not text.strip():
        raise InputError(f"{where}: expected JSON, got nothing; write null for no input")
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        place, reason = f"{where}, line {error.lineno}, column {error.colno}", error.msg
    except (RecursionError, ValueError):
        pass
    raise InputError(f"{place}: expected JSON, got something else: {reason[:1].lower()}{reason[1:]}; mend it there")


def _too_deep(where: str) -> InputError:
    return InputError(f"{where}: expected values nested a few levels deep, got hundreds; pass a flat value")


# From JSON to the declared type.


class _Refused(Exception):
    def __init__(self, expected: str, found: Any, mend: str = "correct it") -> None:
        super().__init__(f"expected {expected}, got {found if isinstance(found, _Said) else _found(found)}")
        self.mend = mend
        self.path: list[str] = []
        """Where it is, innermost first."""


class _Said(str):
    """What was found, in words already."""

    __slots__ = ()


@contextmanager
def _within(step: str | int) -> Iterator[None]:
    try:
        yield
    except _Refused as refused:
        plain = isinstance(step, str) and step.isidentifier()
        refused.path.append(f".{step}" if plain else f"[{json.dumps(step, ensure_ascii=False)}]")
        raise


def _convert(value: Any, declared: Any) -> Any:
    kind = _KINDS.get(declared) if isinstance(declared, type) else None
    if kind is not None:
        return kind(value)
    if declared is Any or declared is object or isinstance(declared, (str, TypeVar)):
        return value
    if hasattr(declared, "__supertype__") or hasattr(declared, "__value__"):  # NewType, type X = ...
        return _convert(value, getattr(declared, "__supertype__", None) or declared.__value__)
    origin, args = get_origin(declared), get_args(declared)
    if origin in _SPECIAL:
        return _SPECIAL[origin](value, declared, args)
    cls = origin or declared
    for test, convert in _CLASSES:
        if isinstance(cls, type) and test(cls):
            return convert(value, declared, cls, args)
    try:
        if isinstance(value, cls):
            return value
    except TypeError:  # no class of values, such as a Protocol
        return value
    raise _Refused(f"a {type_text(declared)}, which JSON cannot give", value, "start the Flow by a factory of its input")


def _plain(expected: str, *kinds: type) -> Callable[[Any], Any]:
    """A converter that takes values of exactly these types."""

    def convert(value: Any) -> Any:
        if type(value) in kinds:
            return value
        raise _Refused(expected, value)

    return convert


def _float(value: Any) -> float:
    if type(value) in (int, float):
        with suppress(OverflowError):
            return float(value)
    raise _Refused("a number", value)


def _duration(value: Any) -> dt.timedelta:
    if type(value) in (int, float):
        with suppress(OverflowError, ValueError):
            return dt.timedelta(seconds=value)
    return _by_msgspec(dt.timedelta, 'seconds, or a duration such as "PT90S"')(value)  # type: ignore[no-any-return]


def _by_msgspec(declared: type, expected: str) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        import msgspec

        try:
            return msgspec.convert(value, declared)
        except msgspec.ValidationError:
            raise _Refused(expected, value) from None

    return convert


_KINDS: dict[type, Callable[[Any], Any]] = {
    str: _plain("a text", str),
    int: _plain("a whole number", int),
    float: _float,
    bool: _plain("true or false", bool),
    NoneType: _plain("null", NoneType),
    dt.timedelta: _duration,
    dt.datetime: _by_msgspec(dt.datetime, 'a time such as "2026-01-31T09:00:00Z"'),
    dt.date: _by_msgspec(dt.date, 'a date such as "2026-01-31"'),
    dt.time: _by_msgspec(dt.time, 'a time of day such as "09:00:00"'),
    decimal.Decimal: _by_msgspec(decimal.Decimal, 'a number, or a text such as "12.50"'),
    uuid.UUID: _by_msgspec(uuid.UUID, "a UUID"),
    bytes: _by_msgspec(bytes, "bytes as base64 text"),
}


def _union(value: Any, declared: Any, members: tuple[Any, ...]) -> Any:
    """The first member that takes the value, but a number that needs no conversion stays as it is."""
    if type(value) in (int, float, bool) and type(value) in members:
        return value
    refusals = []
    for member in members:
        try:
            return _convert(value, member)
        except _Refused as refused:
            refusals.append(refused)
    # The member that went furthest is the one that was meant.
    deepest = max(refusals, key=lambda refused: len(refused.path))
    if deepest.path or isinstance(value, dict):
        raise deepest
    raise _Refused(_said(declared), value)


def _literal(value: Any, declared: Any, allowed: tuple[Any, ...]) -> Any:
    for one in allowed:
        if type(one) is type(value) and one == value:
            return value
    raise _Refused(_said(declared), value)


def _annotated(value: Any, declared: Any, args: tuple[Any, ...]) -> Any:
    return _convert(value, args[0])


_SPECIAL: dict[Any, Callable[[Any, Any, tuple[Any, ...]], Any]] = {
    Union: _union, UnionType: _union, Literal: _literal, Annotated: _annotated,
}  # fmt: skip


def _enum(value: Any, declared: Any, cls: Any, args: tuple[Any, ...]) -> Any:
    for member in cls:
        if type(member.value) is type(value) and member.value == value:
            return member
    if isinstance(value, str) and value in cls.__members__:
        return cls[value]
    raise _Refused(_said(cls), value)


def _object(value: Any, declared: Any, cls: Any, args: tuple[Any, ...]) -> Any:
    """A dataclass or a named tuple, or a typed dict."""
    hints, required = _fields(cls, args)
    if not isinstance(value, dict):
        raise _Refused(f"{_said(declared)}", value, f"write {_like(declared)}")
    for name in value:
        if name not in hints:
            near = difflib.get_close_matches(name, hints, n=1)
            mend = f"did you mean {near[0]!r}?" if near else "leave it out"
            raise _Refused(f"the fields {', '.join(hints) or '(none)'}", _Said(f"the field {_quoted(name)}"), mend)
    for name in hints:
        if name in required and name not in value:
            raise _Refused(f"the field {name!r}", _Said("nothing"), f"add {json.dumps(name)}: {_like(hints[name])}")
    parts = {}
    for name, part in value.items():
        with _within(name):
            parts[name] = _convert(part, hints[name])
    try:
        return cls(**parts)
    except Exception as raised:  # noqa: BLE001  # a __post_init__ is the author's own code
        reason = f"{type(raised).__name__}: {raised}"
        raise _Refused(f"what {cls.__name__} accepts", _Said(f"a refusal ({reason})"), "give other values") from None


def _fields(cls: Any, args: tuple[Any, ...]) -> tuple[dict[str, Any], Collection[str]]:
    """The types of the fields that may be given, and the names of those that must be."""
    hints = _hints(cls)
    of = dict(zip(getattr(cls, "__parameters__", ()), args, strict=False))
    if dataclasses.is_dataclass(cls):
        fields = [field for field in dataclasses.fields(cls) if field.init]
        missing = dataclasses.MISSING
        required = {field.name for field in fields if field.default is missing and field.default_factory is missing}
        names: Iterable[str] = [field.name for field in fields]
    elif issubclass(cls, tuple):
        names, required = cls._fields, set(cls._fields) - set(cls._field_defaults)
    else:
        names, required = hints, set(cls.__required_keys__)
    return {name: _filled(hints.get(name, Any), of) for name in names}, required


def _filled(hint: Any, of: dict[Any, Any]) -> Any:
    """A type with what its class was subscribed with: `T` or `list[T]` of `Box[int]`."""
    if isinstance(hint, TypeVar):
        return of.get(hint, Any)
    if of and getattr(hint, "__parameters__", ()):
        return hint[tuple(of.get(parameter, Any) for parameter in hint.__parameters__)]
    return hint


def _hints(cls: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls)
    except Exception:  # noqa: BLE001  # a name that only a type checker sees says nothing here
        return {}


def _array(value: Any, declared: Any, cls: Any, args: tuple[Any, ...]) -> Any:
    if not isinstance(value, list):
        raise _Refused(_said(declared), value, f"write {_like(declared)}")
    types: Sequence[Any] = (args[0] if args else Any,) * len(value)
    if issubclass(cls, tuple) and args and args[-1] is not Ellipsis:
        if len(args) != len(value):
            raise _Refused(_said(declared), _Said(f"a list of {len(value)}"))
        types = args
    items = []
    for index, item in enumerate(value):
        with _within(index):
            items.append(_convert(item, types[index]))
    return next((whole(items) for whole in (tuple, frozenset, set) if issubclass(cls, whole)), items)


def _mapping(value: Any, declared: Any, cls: Any, args: tuple[Any, ...]) -> Any:
    import msgspec

    if not isinstance(value, dict):
        raise _Refused(_said(declared), value, f"write {_like(declared)}")
    key_type, value_type = args or (Any, Any)
    made = {}
    for key, item in value.items():
        with _within(key):
            try:
                # A key of a JSON object is a text, whatever it stands for.
                known = msgspec.convert(key, key_type, strict=False)
            except (msgspec.ValidationError, TypeError):
                raise _Refused(f"{_said(key_type)} as a key", key) from None
            made[known] = _convert(item, value_type)
    return made


_CLASSES: tuple[tuple[Callable[[type], bool], Callable[..., Any]], ...] = (
    (lambda cls: issubclass(cls, enum.Enum), _enum),
    (lambda cls: dataclasses.is_dataclass(cls) or hasattr(cls, "_fields") or typing.is_typeddict(cls), _object),
    (lambda cls: issubclass(cls, (list, tuple, set, frozenset)) or cls in (Sequence, Collection, Iterable), _array),
    (lambda cls: issubclass(cls, dict) or cls is Mapping, _mapping),
)


# What is said.


def _said(declared: Any) -> str:
    """What a value of this type is in JSON, in words."""
    members = get_args(declared)
    origin = get_origin(declared)
    if origin is Annotated or hasattr(declared, "__supertype__"):
        return _said(members[0] if members else declared.__supertype__)
    if origin in (Union, UnionType):
        return " or ".join(map(_said, members))
    if origin is Literal:
        return "one of " + ", ".join(json.dumps(one, default=repr) for one in members)
    if isinstance(declared, type) and declared in _KINDS:
        try:
            _KINDS[declared](_Said())
        except _Refused as refused:
            return str(refused).removeprefix("expected ").rpartition(", got ")[0]
    cls = origin or declared
    if not isinstance(cls, type) or cls is object:
        return "a value"
    if issubclass(cls, enum.Enum):
        return "one of " + ", ".join(json.dumps(one.value, default=lambda _, one=one: one.name) for one in cls)
    if _CLASSES[1][0](cls):
        return f"an object with the fields {', '.join(_fields(cls, members)[0]) or '(none)'}"
    if _CLASSES[2][0](cls):
        fixed = issubclass(cls, tuple) and members and members[-1] is not Ellipsis
        return f"a list of {len(members)}" if fixed else "a list"
    return "an object" if _CLASSES[3][0](cls) else f"a {type_text(declared)}"
