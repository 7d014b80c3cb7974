"""Texts that a program may copy and compare with each other, and nothing else.

They stand for the names by which interchangeable things differ. Whoever looks into one, or compares it with a text
that is no mask, is found out: the use is kept in `Masks.refused`, whatever the program does with the exception.
This module knows no Flow and no symmetry; it guards values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dexpatterns.engine import values
from dexpatterns.engine.values import Data

__all__ = ["Masked", "Masks", "MaskRefusedError"]

_OPEN, _CLOSE = "\ue000", "\ue001"
"""Private-use characters around what a mask is made of: a text that holds one was made out of a mask."""

_ALLOWED = frozenset(
    ("__new__", "__init__", "__class__", "__hash__", "__eq__", "__ne__", "__getattribute__", "__setattr__",
     "__delattr__", "__init_subclass__", "__subclasshook__", "__doc__", "__dir__", "__sizeof__", "__getstate__",
     "__reduce__", "__reduce_ex__", "__getnewargs__")
)  # fmt: skip


class MaskRefusedError(Exception):
    """A masked value was used for more than copying it or comparing it with another masked value."""


class Masked(str):
    """One masked text. Equal to masks of the same text alone."""

    number: int
    masks: Masks

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Masked):
            return self.number == other.number
        if isinstance(other, str):
            self.masks.refuse("compared with a text that is not masked")
        return NotImplemented

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __copy__(self) -> Masked:
        return self

    def __deepcopy__(self, memo: object) -> Masked:
        return self

    @property
    def __stands_for__(self) -> str:
        """What the declared type of a value is compared with (D-5)."""
        return ""


def _refusing(name: str) -> Callable[..., Any]:
    def method(self: Masked, *args: object, **kwargs: object) -> Any:
        self.masks.refuse(f"used by {name}")

    return method


for _name in (*dir(str), "__bool__", "__radd__"):
    if _name not in _ALLOWED and _name not in Masked.__dict__:
        setattr(Masked, _name, _refusing(_name))


class Masks:
    """The masks of one machine: one for each text, and what was done to them that may not be."""

    def __init__(self) -> None:
        self._by_text: dict[str, Masked] = {}
        self.refused: str = ""

    def mask(self, text: str) -> Masked:
        found = self._by_text.get(text)
        if found is None:
            number = len(self._by_text)
            found = self._by_text[text] = Masked(f"{_OPEN}{number}{_CLOSE}")
            found.number = number
            found.masks = self
        return found

    def reveal(self, data: Data) -> Data:
        """The value with its own texts again."""
        texts = {mask.number: text for text, mask in self._by_text.items()}

        def walk(key: Any) -> Any:
            if type(key) is not tuple:
                return key
            return texts[key[1].number] if key[:1] == (values.MASK,) else tuple([walk(part) for part in key])

        return values.from_key(walk(data.key))

    def refuse(self, how: str) -> None:
        """Note what was done, and fail it."""
        self.refused = self.refused or how
        raise MaskRefusedError(how)

    def leaks(self, key: Any) -> bool:
        """Whether a frozen value holds a text that was made out of a mask."""
        kind = type(key)
        if kind is str:
            return _OPEN in key
        if kind is tuple:
            return key[:1] != (values.MASK,) and any(self.leaks(part) for part in key)
        return isinstance(key, Data) and self.leaks(key.key)


values.freeze_masks(Masked)
