"""How something ended for an order, as JSON values: made here, read here (J114).

Every outcome is a `Data` whose first field is its TYPE, so that what counts as success is told without a look at
the rest. This module knows no order and no event.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dexpatterns.engine.values import Data, freeze
from dexpatterns.errors import InputError, ValueNotDataError

__all__ = [
    "CAUGHT", "JOB_FAILED", "JOB_SUCCEEDED", "SUCCEEDED", "disrupted", "failed", "good", "read", "show", "succeeded",
    "uncatchable", "values_of",
]  # fmt: skip


def _made(kind: str, **fields: Any) -> Data:
    return freeze({"TYPE": kind, **{name: value for name, value in fields.items() if value not in (None, {}, False)}})


def succeeded(values: Mapping[str, Any] | None = None) -> Data:
    return _made("Succeeded", namedValues=dict(values or {}))


def failed(message: str | None = None, values: Mapping[str, Any] | None = None, uncatchable: bool = False) -> Data:
    return _made("Failed", message=message, namedValues=dict(values or {}), uncatchable=uncatchable)


def disrupted(problem: str) -> Data:
    """The order could not go on: an instruction was refused, an expression has no value."""
    return _made("Disrupted", reason={"TYPE": "Other", "problem": {"message": problem}})


SUCCEEDED = succeeded()
JOB_SUCCEEDED, JOB_FAILED = succeeded({"returnCode": 0}), failed(None, {"returnCode": 1})
"""A job brings a return code, as scripts do (J54)."""
CAUGHT = _made("Caught")
"""A failure that a Try took care of; it counts as success (J322)."""

_KINDS = ("Succeeded", "Failed")


def _kind(outcome: Data) -> str:
    return str(outcome.key[2])


def good(outcome: Data) -> bool:
    """Whether the order goes on after it."""
    return _kind(outcome) in ("Succeeded", "Caught")


def values_of(outcome: Data) -> dict[str, Any]:
    """The named values that it brings."""
    if _kind(outcome) not in _KINDS or len(outcome.key) == 3:
        return {}
    return dict(outcome.plain.get("namedValues", {}))


def uncatchable(outcome: Data) -> bool:
    """Whether no Try catches it (J322)."""
    return bool(outcome.plain.get("uncatchable", False))


def show(outcome: Data) -> str:
    """It in a few words, as a parent tells of a child that failed (J315).

    >>> show(failed("no disk")), show(failed()), show(disrupted("No such named value: x"))
    ('Failed(no disk)', 'Failed', 'Disrupted(No such named value: x)')
    """
    plain = outcome.plain
    said = plain.get("message") or plain.get("reason", {}).get("problem", {}).get("message")
    return f"{plain['TYPE']}({said})" if said else str(plain["TYPE"])


def read(value: Any, where: str) -> Data:
    """An outcome that a person hands in; raises `InputError` naming the place."""
    plain = value.plain if isinstance(value, Data) else value
    if not isinstance(plain, Mapping) or plain.get("TYPE") not in _KINDS:
        got = plain.get("TYPE") if isinstance(plain, Mapping) else plain
        raise InputError(f"{where}: expected an outcome such as {{'TYPE': 'Succeeded'}} or 'Failed', got {got!r}")
    values = plain.get("namedValues", {})
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise InputError(f"{where}: expected 'namedValues' as a dict by name, got {values!r}")
    unknown = sorted(set(plain) - {"TYPE", "namedValues", "message", "uncatchable"})
    if unknown:
        raise InputError(f"{where}: unknown field {unknown[0]!r}; expected TYPE, namedValues, message, uncatchable")
    try:
        if plain["TYPE"] == "Succeeded":
            return succeeded(values)
        return failed(plain.get("message"), values, bool(plain.get("uncatchable", False)))
    except ValueNotDataError as fault:
        raise InputError(f"{where}: {fault}") from None
