"""What an expression is worth: a pure function of its record, the named values and `tryCount` (J122).

An expression without a value gives a `Problem`, nothing is raised. This module reads no text and knows no order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from dexpatterns.js7.expression import (
    Binary,
    Boolean,
    Expression,
    FieldOf,
    Function,
    Name,
    Not,
    Number,
    Record,
    Text,
    TryCount,
    short,
)

__all__ = ["Problem", "Value", "call", "evaluate", "number", "same", "show", "text", "truth"]

Value = Any
"""A JSON-like value: str, int, float, bool, None, list or dict."""


class Problem(NamedTuple):
    """Why an expression has no value: an outcome of the order, not an error of ours."""

    text: str


class _NoValueError(Exception):
    pass


def evaluate(expression: Expression, values: Mapping[str, Value], try_count: int = 0) -> Value | Problem:
    """The value of an expression, or the `Problem` for which it has none (J122).

    >>> from dexpatterns.js7.expression import parse
    >>> evaluate(parse("$n >= 2 || tryCount == 1"), {"n": 1}, try_count=1)
    True
    >>> evaluate(parse("$param"), {})
    Problem(text='No such named value: param')
    """
    try:
        return _value(expression, values, try_count)
    except _NoValueError as problem:
        return Problem(str(problem))


def truth(expression: Expression, values: Mapping[str, Value], try_count: int = 0) -> bool | Problem:
    """The value, which must be true or false."""
    found = evaluate(expression, values, try_count)
    if isinstance(found, (Problem, bool)):
        return found
    return Problem(f"expected true or false of {short(str(expression))}, got {show(found)}")


def number(expression: Expression, values: Mapping[str, Value], try_count: int = 0) -> int | float | Problem:
    """The value, which must be a number."""
    found = evaluate(expression, values, try_count)
    if isinstance(found, Problem) or _kind(found) == "number":
        return found
    return Problem(f"expected a number of {short(str(expression))}, got {show(found)}")


def text(expression: Expression, values: Mapping[str, Value], try_count: int = 0) -> str | Problem:
    """The value as text; numbers and booleans are written out, lists and objects have none."""
    found = evaluate(expression, values, try_count)
    if isinstance(found, Problem):
        return found
    try:
        return _text(found, f"of {short(str(expression))}")
    except _NoValueError as problem:
        return Problem(str(problem))


def call(function: Function, arguments: Sequence[Value], values: Mapping[str, Value]) -> Value | Problem:
    """The value of a function's body; arguments beyond its parameters are not looked at."""
    return evaluate(function.body, {**values, **dict(zip(function.parameters, arguments))})  # noqa: B905


def _value(e: Expression, values: Mapping[str, Value], try_count: int) -> Value:
    match e:
        case Text(value) | Number(value) | Boolean(value):
            return value
        case Name(name):
            if name not in values:
                raise _NoValueError(f"No such named value: {name}")
            return values[name]
        case TryCount():
            return try_count
        case Not(a):
            return not _boolean(_value(a, values, try_count), "after '!'")
        case Binary(op, a, b):
            left = _value(a, values, try_count)
            if op in ("&&", "||"):
                if _boolean(left, f"left of '{op}'") is (op == "||"):
                    return op == "||"
                return _boolean(_value(b, values, try_count), f"right of '{op}'")
            return _OPERATORS[op](left, _value(b, values, try_count))
        case FieldOf(a, field):
            whole = _value(a, values, try_count)
            if not isinstance(whole, Mapping):
                raise _NoValueError(f"expected an object before '.{field}', got {show(whole)}")
            if field not in whole:
                raise _NoValueError(f"Unknown field name '{field}' in: {e}")
            return whole[field]
        case Record(fields):
            return {name: _value(part, values, try_count) for name, part in fields}


def _boolean(value: Value, where: str) -> bool:
    if isinstance(value, bool):
        return value
    raise _NoValueError(f"expected true or false {where}, got {show(value)}")


def _ordered(op: str, holds: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    def operator(a: Value, b: Value) -> Value:
        for value, side in ((a, "left"), (b, "right")):
            if _kind(value) != "number":
                raise _NoValueError(f"expected a number {side} of '{op}', got {show(value)}")
        return holds(a, b)

    return operator


def same(a: Value, b: Value) -> bool:
    """Equal as the language sees it: `1` and `1.0` are, `1` and `true` or `'1'` are not."""
    kind = _kind(a)
    if kind != _kind(b):
        return False
    if kind == "list":
        return len(a) == len(b) and all(map(same, a, b))
    if kind == "object":
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return bool(a == b)


def _concatenated(a: Value, b: Value) -> Value:
    if _kind(a) == "list" == _kind(b):
        return [*a, *b]
    return _text(a, "left of '++'") + _text(b, "right of '++'")


def _text(value: Value, where: str) -> str:
    kind = _kind(value)
    if kind == "string":
        return str(value)
    if kind == "boolean":
        return "true" if value else "false"
    if kind == "number":
        return format(Decimal(repr(value)).normalize(), "f")
    raise _NoValueError(f"expected text {where}, got {show(value)}")


_OPERATORS: dict[str, Callable[[Value, Value], Value]] = {
    "==": same,
    "!=": lambda a, b: not same(a, b),
    "<": _ordered("<", lambda a, b: a < b),
    "<=": _ordered("<=", lambda a, b: a <= b),
    ">": _ordered(">", lambda a, b: a > b),
    ">=": _ordered(">=", lambda a, b: a >= b),
    "+": _ordered("+", lambda a, b: a + b),
    "++": _concatenated,
}


def _kind(value: Value) -> str:
    if isinstance(value, bool):
        return "boolean"
    for kind, types in _KINDS:
        if isinstance(value, types):
            return kind
    return "null" if value is None else type(value).__name__


_KINDS: tuple[tuple[str, Any], ...] = (
    ("string", str), ("number", (int, float)), ("list", (list, tuple)), ("object", Mapping),
)  # fmt: skip


def show(value: Value) -> str:
    """A value in the words of an error text, cut short."""
    kind = _kind(value)
    if kind == "string":
        return f"the string {short(value)}"
    if kind in ("boolean", "number"):
        return f"the {kind} {_text(value, '')}"
    if kind == "list":
        return f"a list of {len(value)}"
    return {"object": "an object", "null": "null"}.get(kind, f"a {kind}")
