"""`@rpc` marks a Flow's method as one that may be called from outside while the Flow is open (D-26).

The method stays what it was; only the mark is added. This module calls nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from dexpatterns.dex.attribute import AttributeLock
from dexpatterns.dex.decision import RPCResult
from dexpatterns.dex.options import check_locks
from dexpatterns.errors import FlowDefinitionError, InvalidStepResultError

__all__ = ["RPCResult", "RpcMark", "mark_of", "rpc"]

MethodT = TypeVar("MethodT", bound=Callable[..., Any])
_MARK = "__dex_rpc__"


@dataclass(frozen=True, slots=True)
class RpcMark:
    """What `@rpc` was given."""

    lock_attributes: tuple[AttributeLock, ...] = ()
    name: str | None = None
    """How callers name it; None is the method's name."""


@overload
def rpc(method: MethodT, /) -> MethodT: ...
@overload
def rpc(*, lock_attributes: Iterable[AttributeLock] = (), name: str | None = None) -> Callable[[MethodT], MethodT]: ...
def rpc(method: Any = None, /, *, lock_attributes: Iterable[AttributeLock] = (), name: str | None = None) -> Any:
    """Mark `(self, context)` or `(self, context, input)` as an RPC; it returns an `RPCResult` or None.

    `lock_attributes` are held by the call from its begin to its commit (D-20, D-26). `name` is how callers name it,
    if not by the method's own name.
    """
    try:
        mark = RpcMark(check_locks("@rpc lock_attributes", lock_attributes), name)
    except InvalidStepResultError as fault:
        raise FlowDefinitionError(str(fault)) from None
    called: Any = name
    if called is not None and (not isinstance(called, str) or not called or "/" in called):
        raise FlowDefinitionError(f"@rpc name: expected a text that is not empty and has no '/', got {name!r}")

    def marked(function: Any) -> Any:
        # What is built in has no place for the mark, and a class is no method.
        if isinstance(function, type) or not callable(function) or not hasattr(function, "__dict__"):
            raise FlowDefinitionError(f"@rpc: expected a method, got {function!r}; put it right above a def")
        setattr(function, _MARK, mark)
        return function

    return marked if method is None else marked(method)


def mark_of(function: object) -> RpcMark | None:
    """The mark of a method, or None when it is no RPC."""
    mark = getattr(function, _MARK, None)
    return mark if isinstance(mark, RpcMark) else None
