"""A map as a value: an edit copies one small dict and the way to it, and shares the rest; counts need no walk.

It is a hash trie of dicts: the entries lie in dicts of at most some dozens, found by the bits of the key's hash. So a
look-up compares no other key and a large map costs little more than a small one, which is a dict. Items may have a
*weight* as those of `engine.tree` do; keys are put in order only when somebody walks. Whoever needs the k-th of many
keeps a `Tree`. (Rejected: a library's persistent map. The one in C has no build for newer Pythons, the one in
Rust was slower than a `Tree`, and neither counts.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from dexpatterns.engine.tree import FIELD, MASK

__all__ = ["Table"]

_BITS = 6
_FAN = 1 << _BITS
_LOW = _FAN - 1
_LEAF = 32
"""How many entries a dict holds on average before the trie grows by a level."""
_NOTHING: Any = object()


class Table:
    """An immutable map whose keys are hashable and have an order.

    If it is `weighted`, every item has a `weight`, which counts 1 in field 0.

    >>> t = Table().set("b", 2).set("a", 1)
    >>> list(t), t.get("b"), len(t.remove("a"))
    ([('a', 1), ('b', 2)], 2, 1)
    >>> list(t.replace("a", ("c", "d"), (3, 4)))
    [('b', 2), ('c', 3), ('d', 4)]
    """

    __slots__ = ("_keys", "_last", "_last_item", "_levels", "_root", "ident", "weight", "weighted")

    ident: int | None
    """Room for its owner to keep a number that stands for this content."""
    weight: int
    """The sum of all weights; if it is not weighted, the number of entries."""

    def __init__(self, *, weighted: bool = False) -> None:
        self.weighted = weighted
        self.weight = 0
        self.ident = None
        self._root: Any = {}
        self._levels = 0
        self._keys: list[Any] | None = None
        """The keys in order, once somebody has walked; shared as long as no key comes or goes."""
        self._last: Any = _NOTHING
        self._last_item: Any = None
        """What the last edit put there, which is mostly what is asked for next."""

    def __len__(self) -> int:
        return self.weight & MASK

    def __bool__(self) -> bool:
        return self.weight != 0

    def count(self, field: int) -> int:
        return self.weight >> field * FIELD & MASK

    def get(self, key: Any, default: Any = None) -> Any:
        if key is self._last:
            return self._last_item
        node = self._root
        levels = self._levels
        if levels:
            way = hash(key)
            while levels:
                node = node[way & _LOW]
                way >>= _BITS
                levels -= 1
        return node.get(key, default)

    def __contains__(self, key: Any) -> bool:
        return self.get(key, _NOTHING) is not _NOTHING

    def set(self, key: Any, item: Any) -> Table:
        """With `item` under `key`, whether or not there was one."""
        made = self._copy()
        made._put(key, item)
        return made

    def remove(self, key: Any) -> Table:
        """Without `key`; as it is when the key is not there."""
        return self.replace(key, (), ()) if key in self else self

    def replace(self, key: Any, new_keys: Sequence[Any], new_items: Sequence[Any]) -> Table:
        """Without `key`, and with these items under these keys."""
        made = self._copy()
        made._drop(key)
        for new_key, item in zip(new_keys, new_items, strict=True):
            made._put(new_key, item)
        return made

    # A copy is changed only before it is handed out: its root is its own, and every node below is copied on the way.

    def _copy(self) -> Table:
        made = Table.__new__(Table)
        made.weighted = self.weighted
        made.weight = self.weight
        made.ident = None
        made._root = self._root.copy()
        made._levels = self._levels
        made._keys = self._keys
        return made

    def _put(self, key: Any, item: Any) -> None:
        leaf = self._root
        if self._levels:
            leaf = self._own_leaf(key)
        if key in leaf:
            if self.weighted:
                self.weight += item.weight - leaf[key].weight
            leaf[key] = item
        else:
            leaf[key] = item
            self._keys = None
            self.weight += item.weight if self.weighted else 1
            if self.weight & MASK > _LEAF << _BITS * self._levels:
                self._spread(self._levels + 1)
        self._last = key
        self._last_item = item

    def _drop(self, key: Any) -> None:
        leaf = self._own_leaf(key)
        if key in leaf:
            item = leaf.pop(key)
            self._keys = None
            self.weight -= item.weight if self.weighted else 1
            if self._levels and self.weight & MASK <= _LEAF << _BITS * (self._levels - 1) >> 2:
                self._spread(self._levels - 1)
        self._last = _NOTHING

    def _own_leaf(self, key: Any) -> dict[Any, Any]:
        node = self._root
        way = hash(key)
        for _ in range(self._levels):
            i = way & _LOW
            node[i] = node = node[i].copy()
            way >>= _BITS
        return node  # type: ignore[no-any-return]

    def _spread(self, levels: int) -> None:
        """Lay all entries out anew, over so many levels."""
        entries = list(self._entries())
        self._levels = levels
        self._root = _empty(levels)
        for key, item in entries:
            node = self._root
            way = hash(key)
            for _ in range(levels):
                node = node[way & _LOW]
                way >>= _BITS
            node[key] = item

    # What walks costs a walk.

    def _entries(self) -> Iterator[tuple[Any, Any]]:
        return _entries_of(self._root, self._levels)

    def _in_order(self) -> list[Any]:
        if self._keys is None:
            self._keys = sorted(self._root) if not self._levels else sorted(key for key, _ in self._entries())
        return self._keys

    def items(self) -> tuple[Any, ...]:
        """All items in the order of their keys."""
        return tuple(map(self._root.__getitem__ if not self._levels else self.get, self._in_order()))

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return zip(self._in_order(), self.items(), strict=True)

    def of(self, field: int) -> Iterator[Any]:
        """The items that count in a field, in the order of their keys."""
        shift = field * FIELD
        if not self.weight >> shift & MASK:
            return iter(())
        return (item for item in self.items() if item.weight >> shift & MASK)

    def kth(self, field: int, k: int) -> Any:
        """The item that holds the k-th count (from 0) of a field in which every item counts once or not at all."""
        for item in islice(self.of(field), k, None):
            return item
        raise IndexError(k)


def _empty(levels: int) -> Any:
    return [_empty(levels - 1) for _ in range(_FAN)] if levels else {}


def _entries_of(node: Any, levels: int) -> Iterator[tuple[Any, Any]]:
    if levels:
        return chain.from_iterable([_entries_of(child, levels - 1) for child in node])
    return iter(node.items())
