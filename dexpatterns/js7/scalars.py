"""Single JSON values to Python ones, each refused with its place when it is not what it has to be.

Every reader takes a value and its `At` and raises `WorkflowFileError`. Objects with known fields are `fields.Shape`'s
business, instructions that of `decode`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from dexpatterns.engine.values import Data, freeze
from dexpatterns.errors import ValueNotDataError, WorkflowFileError
from dexpatterns.js7.evaluation import show
from dexpatterns.js7.expression import Expression, Function, parse, parse_function
from dexpatterns.js7.fields import At

__all__ = [
    "MAX_COUNT", "array", "data", "expression", "flag", "function", "members", "name", "result", "seconds", "text",
    "values", "whole",
]  # fmt: skip

MAX_COUNT = 2**31 - 1
"""Highest weight and highest limit."""

T = TypeVar("T")


def text(value: Any, at: At) -> str:
    if not isinstance(value, str) or not value:
        raise at.error(f"expected a text that is not empty, got {show(value)}")
    return _encodable(value, at)


def _encodable(value: str, at: At) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise at.error("the text holds half of a character (a lone surrogate); write the character whole") from None
    return value


def name(value: Any, at: At) -> str:
    found = text(value, at)
    if len(found) > 255 or "<" in found or ">" in found:
        raise at.error(f"expected a name of at most 255 characters without '<' and '>', got {show(found)}")
    return found


def whole(low: int, high: int = MAX_COUNT) -> Callable[[Any, At], int]:
    def read(value: Any, at: At) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise at.error(f"expected a whole number from {low} to {high}, got {show(value)}")
        return value

    return read


def flag(value: Any, at: At) -> bool:
    if not isinstance(value, bool):
        raise at.error(f"expected true or false, got {show(value)}")
    return value


def array(value: Any, at: At) -> list[tuple[Any, At]]:
    if not isinstance(value, (list, tuple)):
        raise at.error(f"expected an array, got {show(value)}")
    return [(item, at.then(i)) for i, item in enumerate(value)]


def members(value: Any, at: At) -> list[tuple[str, Any, At]]:
    if not isinstance(value, Mapping):
        raise at.error(f"expected an object, got {show(value)}")
    return [(text(key, at), item, at.then(key)) for key, item in value.items()]


def data(value: Any, at: At) -> Data:
    try:
        return freeze(value)
    except ValueNotDataError as error:
        raise at.error(str(error)) from None


def values(value: Any, at: At) -> Data:
    """An object of named values."""
    members(value, at)
    return data(value, at)


def expression(value: Any, at: At) -> Expression:
    if not isinstance(value, str):
        raise at.error(f'expected an expression as text, such as "\'a\'" or "$name == 1", got {show(value)}')
    return _parsed(parse, value, at)


def function(value: Any, at: At) -> Function:
    if not isinstance(value, str):
        raise at.error(f'expected a function as text, such as "(x) => $x", got {show(value)}')
    return _parsed(parse_function, value, at)


def _parsed(read: Callable[[str], T], value: str, at: At) -> T:
    try:
        return read(_encodable(value, at))
    except WorkflowFileError as error:
        raise at.error(str(error)) from None


def seconds(value: Any, at: At) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
        raise at.error(f"expected seconds from 0 on, got {show(value)}")
    return value


def result(value: Any, at: At) -> tuple[tuple[str, Expression], ...]:
    """An object of expressions."""
    return tuple((key, expression(item, here)) for key, item, here in members(value, at))
