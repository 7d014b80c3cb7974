"""Texts that a program may copy and compare with each other, and nothing else.

They stand for the names by which interchangeable things differ. Whoever looks into one, or compares it with a text
that is no mask, is found out: the use is kept in `Masks.refused`, whatever the program does with the exception.
What no hook can see (a lookup in a dict of texts, a search in a text) is left to whoever runs the program again with
the texts themselves, each once in every place (`Masks.namings`). This module knows no Flow and no symmetry; it guards
values.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

from dexpatterns.engine import values
from dexpatterns.engine.values import Data

__all__ = ["HIDDEN", "MaskRefusedError", "Masked", "Masks", "has_masks", "is_mask"]

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

    __slots__ = ("masks", "number")

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

    def namings(self) -> tuple[tuple[str, ...], ...]:
        """Ways to give the masks the texts that they stand for, the true one first: every text for every mask.

        Up to four masks all orders, since they cost no more.
        """
        texts = tuple(self._by_text)
        if len(texts) <= 4:
            return tuple(permutations(texts))
        return tuple([texts[i:] + texts[:i] for i in range(len(texts))])

    def reveal(self, value: Any, naming: tuple[str, ...] | None = None) -> Any:
        """A frozen value, or tuples of them, with texts instead of masks: their own, or those of a naming."""
        texts = tuple(self._by_text) if naming is None else naming

        def text(mask: Masked) -> str:
            return texts[mask.number]

        def walk(key: Any) -> Any:
            if type(key) is not tuple:
                return key
            return text(key[1]) if is_mask(key) else tuple([walk(part) for part in key])

        def reveal(value: Any) -> Any:
            if isinstance(value, Data):
                return values.from_key(walk(value.key)) if has_masks(value.key) else value
            if isinstance(value, tuple):
                parts = map(reveal, value)
                return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
            return text(value) if isinstance(value, Masked) else value

        return reveal(value)

    def refuse(self, how: str) -> None:
        """Note what was done, and fail it."""
        self.refused = self.refused or how
        raise MaskRefusedError(how)

    def leaks(self, key: Any) -> bool:
        """Whether a frozen value, or tuples of them, hold a text made out of a mask, or a mask where none may stand."""
        kind = type(key)
        if kind is str:
            return _OPEN in key
        if kind is bytes:
            return _OPEN.encode() in key
        if isinstance(key, tuple):
            return not is_mask(key) and any(self.leaks(part) for part in key)
        return kind is Masked or (isinstance(key, Data) and self.leaks(key.key))


def is_mask(key: Any) -> bool:
    """Whether this part of a frozen value is a mask."""
    return len(key) == 2 and type(key[1]) is Masked


def has_masks(key: Any) -> bool:
    """Whether there are masks in a frozen value, or in tuples of them."""
    if isinstance(key, tuple):
        return is_mask(key) or any(map(has_masks, key))
    return isinstance(key, Data) and has_masks(key.key)


class Hidden(str):
    """Stands where a name is masked in a described state: nobody can ask it anything."""

    __slots__ = ()


def _hiding(name: str) -> Callable[..., Any]:
    def method(self: Hidden, *args: object, **kwargs: object) -> Any:
        raise MaskRefusedError(f"a masked name is used by {name}: check without symmetric to judge by names")

    return method


for _name in (*dir(str), "__bool__", "__radd__"):
    if _name not in _ALLOWED - {"__hash__", "__eq__", "__ne__"}:
        setattr(Hidden, _name, _hiding(_name))
HIDDEN = Hidden(values.MASK)


values.freeze_masks(Masked)
