"""Whether an answer is still the puzzle as it was shipped; then nobody has answered yet, and nothing is judged.

Flows are compared by what their Steps' code says, without comments and blanks, and by the values that this code names.
Not by bytecode: that of a cell depends on which other cell imports a name. Where there is no source, nothing is known
and the answer is judged.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from dexpatterns.dex.flow import Flow

__all__ = ["is_open", "same_flow"]

_OURS = frozenset(("dexpatterns", "builtins", "typing"))


def is_open(answer: Any) -> bool:
    """Whether it is `...`, nothing at all, or a dict in which `...` is left."""
    if isinstance(answer, dict):
        return any(value is ... for value in answer.values())
    return answer is ... or answer is None


def same_flow(one: Flow[Any], other: Flow[Any]) -> bool:
    """Whether two Flows are made of the same code; raises whatever their own code raises."""
    return _read(one) == _read(other)


def _read(flow: Flow[Any]) -> list[Any]:
    parts = [flow, *flow.get_steps().all]
    return [(type(part).__name__, list(_functions(type(part)))) for part in parts]


def _functions(cls: type) -> Iterator[tuple[str, Any, list[Any]]]:
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] not in _OURS:
            for name, thing in sorted(vars(base).items()):
                function = getattr(thing, "__func__", thing)
                if isinstance(function, FunctionType):
                    yield name, _said(function), sorted(_named(function, function.__code__))


def _said(function: FunctionType) -> Any:
    """The code as a tree; a value that nothing equals where its source is gone."""
    try:
        return ast.dump(ast.parse(textwrap.dedent(inspect.getsource(function))))
    except (OSError, SyntaxError, TypeError):
        return object()


def _named(function: FunctionType, code: CodeType) -> Iterator[tuple[str, str]]:
    """The global names that the code uses, with what they stand for as far as that can be told."""
    for name in code.co_names:
        value = function.__globals__.get(name)
        text = "" if isinstance(value, (type, FunctionType)) else repr(value)
        yield name, "" if " at 0x" in text else text
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _named(function, const)
