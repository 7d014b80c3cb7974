"""Checks of arguments that many functions take, each with one wording: what was expected, and what was given."""

from __future__ import annotations

from typing import Any

from dexpatterns.errors import InputError

__all__ = ["check_callable", "check_count"]


def check_callable(name: str, given: object) -> None:
    """Raise `InputError` for what is neither left out nor a function."""
    if given is not None and not callable(given):
        raise InputError(f"{name}: expected a function, got {given!r}; leave it out for none")


def check_count(name: str, given: Any) -> int:
    """How many, if it is a number of something; raises `InputError`."""
    if type(given) is not int or given < 1:
        raise InputError(f"{name}: expected a whole number of 1 or more, got {given!r}")
    return given
