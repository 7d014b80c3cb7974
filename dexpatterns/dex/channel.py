"""A Channel is a name and a type of messages; its queue lives in a Flow execution, never here (D-3).

What a handler does with a Channel goes through its Context. Here too is what Channels and Attributes share: names,
keys, declared types, and whether a value is of one. This module knows no queue, no Flow and no state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Literal,
    NoReturn,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    overload,
)

from dexpatterns.dex.wait import ChannelCondition
from dexpatterns.errors import FlowDefinitionError, InvalidStepResultError

if TYPE_CHECKING:
    from dexpatterns.dex.context import Context

__all__ = [
    "Channel", "ChannelMap", "Definition", "KeyedDefinition", "check_name", "check_value", "never_fits", "shown",
    "type_text",
]  # fmt: skip

ValueT = TypeVar("ValueT")


class Definition(Generic[ValueT]):
    """What Channels and Attributes have in common: a name, a type, and that nothing changes them.

    Two definitions are equal when class, name and type are. A name that is empty or holds `/`, and a value type
    that is none, raise `FlowDefinitionError` (D-5). A type checker is told of a type that is no class by the
    subscript: `Channel[str | None]("name", str | None)`. Written by hand, since a frozen dataclass with slots refuses
    the `__orig_class__` that `Channel[str](...)` tries to leave behind.
    """

    __slots__ = ("name", "value_type")

    name: str
    value_type: Any

    @overload
    def __init__(self, name: str, value_type: type[ValueT]) -> None: ...
    @overload
    def __init__(self, name: str, value_type: Any) -> None: ...
    def __init__(self, name: str, value_type: Any) -> None:
        kind = type(self).__name__
        object.__setattr__(self, "name", check_name(kind, name))
        object.__setattr__(self, "value_type", _check_value_type(kind, name, value_type))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"{self!r} is a definition and cannot be changed; make another one")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"{self!r} is a definition and cannot be changed; make another one")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other) or not isinstance(other, Definition):
            return NotImplemented
        return self.name == other.name and bool(self.value_type == other.value_type)

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {getattr(self.value_type, '__name__', self.value_type)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.value_type)


class KeyedDefinition(Definition[ValueT]):
    """A family of definitions, one for each key."""

    __slots__ = ()

    def entry(self, key: str) -> str:
        """The name of one key's part, `name/key`.

        Raises `InvalidStepResultError` for a key that is empty, holds `/`, or is no text (D-3, D-4).
        """
        if type(key) is not str or not key or "/" in key:
            raise InvalidStepResultError(
                f"{type(self).__name__} {self.name!r}: expected a key that is not empty and holds no '/', got {key!r}; "
                "pass a plain text"
            )
        return f"{self.name}/{key}"


class Channel(Definition[ValueT]):
    """A first-in-first-out queue of typed messages inside one Flow execution (D-3).

    >>> Channel[str]("contractEditToken", str).for_one().text
    'contractEditToken.for_one()'
    """

    __slots__ = ("_one",)

    _one: ChannelCondition

    def publish(self, context: Context, value: ValueT) -> None:
        """Append a message when this attempt's result is saved (D-7)."""
        context._publish(self, self.name, value)

    def size(self, context: Context) -> int:
        """How many messages were queued in the snapshot, plus this attempt's own publications (D-8)."""
        return context._size(self, self.name)

    def results(self, context: Context) -> list[ValueT]:
        """What the completed Wait took from here, in queue order; empty when it took nothing (D-17)."""
        return cast("list[ValueT]", context._results(self, self.name))

    def for_one(self, *, condition_id: str | None = None) -> ChannelCondition:
        """Wait for one message and take it."""
        if condition_id is not None:
            return ChannelCondition(self, self.name, 1, 1, condition_id)
        try:
            return self._one
        except AttributeError:
            # Made once: nearly every Wait asks for it, and it never changes.
            object.__setattr__(self, "_one", ChannelCondition(self, self.name, 1, 1))
            return self._one

    def for_n(self, n: int, *, condition_id: str | None = None) -> ChannelCondition:
        """Wait for `n` messages and take them."""
        return ChannelCondition(self, self.name, n, n, condition_id)

    def at_least(self, n: int, *, condition_id: str | None = None) -> ChannelCondition:
        """Wait for `n` messages and take all that are there."""
        return ChannelCondition(self, self.name, n, None, condition_id)

    def at_most(self, n: int, *, condition_id: str | None = None) -> ChannelCondition:
        """Take up to `n` messages; ready at once, with none too (D-15)."""
        return ChannelCondition(self, self.name, 0, n, condition_id)

    def for_range(
        self, *, at_least: int | None = None, at_most: int | None = None, condition_id: str | None = None
    ) -> ChannelCondition:
        """Wait for `at_least` messages (zero if omitted) and take up to `at_most` (all if omitted)."""
        return _range(self, self.name, at_least, at_most, condition_id)


class ChannelMap(KeyedDefinition[ValueT]):
    """A Channel for each key: the key is the argument before all others (D-3)."""

    __slots__ = ()

    def publish(self, context: Context, key: str, value: ValueT) -> None:
        """Append a message to the key's queue when this attempt's result is saved (D-7)."""
        context._publish(self, self.entry(key), value)

    def size(self, context: Context, key: str) -> int:
        """How many messages the key's queue had in the snapshot, plus this attempt's own publications (D-8)."""
        return context._size(self, self.entry(key))

    def results(self, context: Context, key: str) -> list[ValueT]:
        """What the completed Wait took from the key's queue; empty when it took nothing (D-17)."""
        return cast("list[ValueT]", context._results(self, self.entry(key)))

    def for_one(self, key: str, *, condition_id: str | None = None) -> ChannelCondition:
        """Wait for one message and take it."""
        return ChannelCondition(self, self.entry(key), 1, 1, condition_id)

    def for_n(self, key: str, n: int, *, condition_id: str | None = None) -> ChannelCondition:
        """Wait for `n` messages and take them."""
        return ChannelCondition(self, self.entry(key), n, n, condition_id)

    def at_least(self, key: str, n: int, *, condition_id: str | None = None) -> ChannelCondition:
        """Wait for `n` messages and take all that are there."""
        return ChannelCondition(self, self.entry(key), n, None, condition_id)

    def at_most(self, key: str, n: int, *, condition_id: str | None = None) -> ChannelCondition:
        """Take up to `n` messages; ready at once, with none too (D-15)."""
        return ChannelCondition(self, self.entry(key), 0, n, condition_id)

    def for_range(
        self, key: str, *, at_least: int | None = None, at_most: int | None = None, condition_id: str | None = None
    ) -> ChannelCondition:
        """Wait for `at_least` messages (zero if omitted) and take up to `at_most` (all if omitted)."""
        return _range(self, self.entry(key), at_least, at_most, condition_id)


def _range(
    definition: Channel[Any] | ChannelMap[Any], entry: str, low: int | None, high: int | None, condition_id: str | None
) -> ChannelCondition:
    if low is None and high is None:
        raise InvalidStepResultError(
            f"for_range on {entry!r}: expected a bound, got none; pass at_least=, at_most= or both"
        )
    return ChannelCondition(definition, entry, 0 if low is None else low, high, condition_id)


def check_name(kind: str, name: object) -> str:
    """The name if it can be one: a text that is not empty and holds no `/` (D-5)."""
    if type(name) is not str or not name or "/" in name:
        raise FlowDefinitionError(
            f"{kind} {name!r}: expected a name that is not empty and holds no '/', got {name!r}; "
            "give it a plain name, such as 'contractEditToken'"
        )
    return name


def _check_value_type(kind: str, name: str, value_type: Any) -> Any:
    if value_type is None:
        return NoneType
    if isinstance(value_type, type) or value_type is Any or get_origin(value_type) or _is_named(value_type):
        return value_type
    raise FlowDefinitionError(
        f"{kind} {name!r}: expected a type of its values, got {value_type!r}; write {kind}({name!r}, str), or the like"
    )


def _is_named(value_type: Any) -> bool:
    """Whether this is a `NewType` or a type variable."""
    return hasattr(value_type, "__supertype__") or isinstance(value_type, TypeVar)


# Values and their declared types.

_EXACT = frozenset({bool, int, float, str})
_Test = Callable[[Any], bool]


def check_value(declared: Any, value: Any) -> str | None:
    """Why the value is not of the declared type, or None when it is (D-5).

    It goes by the class of the value: exact for bool, int, float and str, the origin for generics (elements are
    not looked at), None only if declared.

    >>> check_value(str, "a"), check_value(int | None, None), check_value(list[int], ["a"])
    (None, None, None)
    >>> check_value(float, 1)
    'expected float, got 1 (int); pass one, or declare the type that is meant'
    """
    if type(value) is declared:  # as nearly all are: whatever a test asks for, this is
        return None
    try:
        test = _test(declared)
    except TypeError:  # a type that cannot be hashed, such as Annotated with a list
        test = _make_test(declared)
    if test(value) or (hasattr(type(value), "__stands_for__") and test(value.__stands_for__)):
        return None
    return f"expected {type_text(declared)}, got {shown(value)}; pass one, or declare the type that is meant"


def type_text(declared: Any) -> str:
    """A declared type as its author wrote it, as far as it can be known."""
    if declared is None or declared is NoneType:
        return "None"
    return declared.__qualname__ if type(declared) is type else str(declared).replace("typing.", "")


def _make_test(declared: Any) -> _Test:
    if declared is Any or declared is object or isinstance(declared, (str, TypeVar)):
        return lambda _: True
    if declared is None or declared is NoneType:
        return lambda value: value is None
    if isinstance(declared, type) and declared in _EXACT:
        return lambda value: type(value) is declared
    origin = get_origin(declared)
    if origin is Annotated:
        return _make_test(get_args(declared)[0])
    if origin is Literal:
        allowed = [(type(choice), choice) for choice in get_args(declared)]
        return lambda value: (type(value), value) in allowed
    if origin in (Union, UnionType):
        tests = [_make_test(member) for member in get_args(declared)]
        return lambda value: any(test(value) for test in tests)
    if hasattr(declared, "__supertype__"):
        return _make_test(declared.__supertype__)
    cls = origin or declared
    try:
        isinstance(None, cls)
    except TypeError:
        # No class of values: a Protocol that is not checked at run time, a TypedDict.
        return (lambda value: type(value) is dict) if hasattr(cls, "__total__") else (lambda _: True)
    return lambda value: isinstance(value, cls)


_test = lru_cache(maxsize=1024)(_make_test)


def never_fits(declared: Any, given: Any) -> bool:
    """Whether no value declared as `given` can be one of type `declared`, as far as the two alone tell."""
    if not (isinstance(declared, type) and isinstance(given, type)) or declared is given or object in (declared, given):
        return False
    exact = _EXACT | {NoneType}
    if given in exact:
        return declared in exact or not issubclass(given, declared)
    if declared in exact:
        return not issubclass(declared, given)
    return (
        is_dataclass(declared) and is_dataclass(given) and not (_derives(declared, given) or _derives(given, declared))
    )


def _derives(cls: type[Any], base: type[Any]) -> bool:
    return issubclass(cls, base)


def shown(value: Any) -> str:
    """A value in a message: a short text of a plain one, the class of any other."""
    if value is None:
        return "None"
    if type(value) in _EXACT:
        text = repr(value)
        return f"{text if len(text) <= 60 else text[:60] + '...'} ({type(value).__name__})"
    return f"a {type(value).__name__}"
