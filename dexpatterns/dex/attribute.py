"""An Attribute is a name and a type of one value; the value lives in a Flow execution, never here (D-4).

What a handler does with an Attribute goes through its Context. This module knows no state, and a lock is only the
wish for one: who holds it is the machine's to say (D-20).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from dexpatterns.dex.channel import Definition, KeyedDefinition

if TYPE_CHECKING:
    from dexpatterns.dex.context import Context

__all__ = ["Attribute", "AttributeLock", "AttributeMap"]

ValueT = TypeVar("ValueT")

_DEFAULTS: dict[Any, Any] = {bool: False, int: 0, float: 0.0}
"""What an Attribute without a value reads as, by its declared type; None for every other type (D-4)."""


class Attribute(Definition[ValueT]):
    """One typed value of a Flow execution (D-4).

    >>> Attribute("isEditing", bool).default, Attribute("contract", str).default
    (False, None)
    """

    __slots__ = ()

    @property
    def default(self) -> Any:
        """What it reads as while it has no value: False, 0, 0.0 or None, by its declared type (D-4)."""
        return _default(self.value_type)

    def get(self, context: Context) -> ValueT:
        """The value of the snapshot or this attempt's own write (D-8); `default` when there is none."""
        return cast("ValueT", context._get(self, self.name))

    def set(self, context: Context, value: ValueT) -> None:
        """Write when this attempt's result is saved (D-7)."""
        context._set(self, self.name, value)

    def delete(self, context: Context) -> None:
        """Take the value away when this attempt's result is saved (D-7)."""
        context._delete(self, self.name)

    def lock(self) -> AttributeLock:
        """Ask for the lock of this Attribute, in StepOptions or `@rpc` (D-20)."""
        return AttributeLock(self, self.name)


class AttributeMap(KeyedDefinition[ValueT]):
    """An Attribute for each key: the key is the argument before all others (D-4)."""

    __slots__ = ()

    @property
    def default(self) -> Any:
        """What it reads as while it has no value: False, 0, 0.0 or None, by its declared type (D-4)."""
        return _default(self.value_type)

    def get(self, context: Context, key: str) -> ValueT:
        """The key's value of the snapshot or this attempt's own write (D-8); `default` when there is none."""
        return cast("ValueT", context._get(self, self.entry(key)))

    def set(self, context: Context, key: str, value: ValueT) -> None:
        """Write the key's value when this attempt's result is saved (D-7)."""
        context._set(self, self.entry(key), value)

    def delete(self, context: Context, key: str) -> None:
        """Take the key's value away when this attempt's result is saved (D-7)."""
        context._delete(self, self.entry(key))

    def lock(self, key: str) -> AttributeLock:
        """Ask for the lock of one key, in StepOptions or `@rpc` (D-20)."""
        return AttributeLock(self, self.entry(key))


@dataclass(frozen=True, slots=True)
class AttributeLock:
    """The wish that a call holds this Attribute alone; calls that lock the same entry take turns (D-20)."""

    definition: Attribute[Any] | AttributeMap[Any]
    entry: str


def _default(value_type: Any) -> Any:
    return _DEFAULTS.get(value_type) if isinstance(value_type, type) else None
