"""A map as a value: an edit copies one small dict and shares the rest; counts need no walk.

What changed lately changes again soon. So the latest entries lie in a small dict, the *front*, which every edit
copies; when it is full, it is merged into a hash trie of dicts, whose entries are found by the bits of the key's hash.
A large map costs little more than a small one, which is all front. Items may have a *weight* as those of
`engine.tree` do. The order of many keys is a `Tree`, made when somebody first asks for it and edited along from then
on: a run in which nobody asks for the k-th does not pay for it. (Rejected: a library's persistent map. The one in C
has no build for newer Pythons, the one in Rust was slower than a `Tree`, and neither counts.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import attrgetter
from typing import Any

from dexpatterns.engine.tree import FIELD, MASK, Counted, Tree

__all__ = ["Table"]

_FRONT = 16
"""Most entries of a front: measured best between 8 and 128."""
_BITS = 6
_LOW = (1 << _BITS) - 1
_LEAF = 32
"""How many entries a dict of the trie holds on average before the trie grows by a level."""
_GONE: Any = object()
"""Stands in a front for what the trie still has, and for what is nowhere."""


class Table(Counted):
    """An immutable map whose keys are hashable and have an order.

    If it is `weighted`, every item has a `weight`, which counts 1 in field 0; else each counts for one.

    >>> t = Table().set("b", 2).set("a", 1)
    >>> list(t), t.get("b"), len(t.remove("a"))
    ([('a', 1), ('b', 2)], 2, 1)
    >>> list(t.replace("a", ("c", "d"), (3, 4)))
    [('b', 2), ('c', 3), ('d', 4)]
    """

    __slots__ = ("_front", "_keys", "_last", "_last_item", "_levels", "_tree", "_trie", "weighted")

    def __init__(self, *, weighted: bool = False) -> None:
        self.weighted = weighted
        self.weight = 0
        self.ident = None
        self._front: dict[Any, Any] = {}
        self._trie: Any = {}
        self._levels = 0
        """How many lists lie above each dict of the trie."""
        self._keys: list[Any] | None = None
        """The keys of a few in order, once somebody has walked; shared as long as no key comes or goes."""
        self._tree: Tree | None = None
        """All entries in order, once somebody has asked for the order of many."""
        self._last: Any = _GONE
        self._last_item: Any = None
        """What the last edit put there, which is mostly what is asked for next."""

    def get(self, key: Any, default: Any = None) -> Any:
        if key is self._last:
            return self._last_item
        item = self._front.get(key, self)
        if item is self:
            item = _found(self._trie, self._levels, key)
        return default if item is _GONE else item

    def __contains__(self, key: Any) -> bool:
        return self.get(key, _GONE) is not _GONE

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

    # A copy is changed only before it is handed out: its front is its own, and nothing of the trie ever changes.

    def _copy(self) -> Table:
        made = Table.__new__(Table)
        made.weighted = self.weighted
        made.weight = self.weight
        made.ident = None
        made._front = self._front.copy()
        made._trie = self._trie
        made._levels = self._levels
        made._keys = self._keys
        made._tree = self._tree
        return made

    def _put(self, key: Any, item: Any) -> None:
        front = self._front
        old = front.get(key, self)
        if old is self:
            old = _found(self._trie, self._levels, key)
        front[key] = item
        self._last = key
        self._last_item = item
        if old is _GONE:
            self._keys = None
            self.weight += item.weight if self.weighted else 1
        elif self.weighted:
            self.weight += item.weight - old.weight
        if self._tree is not None:
            self._tree = self._tree.set(key, item)
        if len(front) > _FRONT:
            self._merge()

    def _drop(self, key: Any) -> None:
        front = self._front
        below = _found(self._trie, self._levels, key)
        old = front.pop(key, below)
        self._last = _GONE
        if below is not _GONE:
            front[key] = _GONE
        if old is not _GONE:
            self._keys = None
            self.weight -= old.weight if self.weighted else 1
            if self._tree is not None:
                self._tree = self._tree.remove(key)
            if len(front) > _FRONT:
                self._merge()

    def _merge(self) -> None:
        """Merge the front into the trie; one of another size is laid out anew."""
        size, levels = self.weight & MASK, self._levels
        while size > _LEAF << _BITS * levels:
            levels += 1
        while levels and size <= _LEAF << _BITS * (levels - 1) >> 2:
            levels -= 1
        if levels == self._levels:
            trie, entries = self._trie, iter(self._front.items())
        else:
            trie, entries = _empty(levels), self.loose()
        self._trie = _merged(trie, levels, entries)
        self._levels = levels
        self._front = {}

    # What walks costs a walk.

    def loose(self) -> Iterator[tuple[Any, Any]]:
        """All entries in no order that means anything: whoever looks for few among many sorts what was found."""
        front = self._front
        below = ((key, item) for key, item in _entries_of(self._trie, self._levels) if key not in front)
        return chain(((key, item) for key, item in front.items() if item is not _GONE), below)

    def _in_order(self) -> list[Any]:
        if self._keys is None:
            self._keys = sorted([key for key, _ in self.loose()])
        return self._keys

    def _ordered(self) -> Tree | None:
        """The entries as a tree, if they are many."""
        if self._tree is None and len(self) > _FRONT:
            keys = self._in_order()
            weigh: Callable[[Any], int] | None = attrgetter("weight") if self.weighted else None
            self._tree = (Tree(weigh) if weigh else Tree()).replace("", tuple(keys), tuple(map(self.get, keys)))
            self._keys = None
        return self._tree

    def items(self) -> tuple[Any, ...]:
        """All items in the order of their keys."""
        return self._tree.items() if self._tree is not None else tuple(map(self.get, self._in_order()))

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return iter(self._tree) if self._tree is not None else zip(self._in_order(), self.items(), strict=True)

    def of(self, field: int) -> Iterator[Any]:
        """The items that count in a field, in the order of their keys."""
        shift = field * FIELD
        if not self.weight >> shift & MASK:
            return iter(())
        tree = self._ordered()
        return tree.of(field) if tree is not None else (item for item in self.items() if item.weight >> shift & MASK)

    def kth(self, field: int, k: int) -> Any:
        """The item that holds the k-th count (from 0) of a field in which every item counts once or not at all."""
        tree = self._ordered()
        if tree is not None:
            return tree.kth(field, k)[1]
        for item in islice(self.of(field), k, None):
            return item
        raise IndexError(k)


# A trie is a dict, or a list of tries one level lower; the lowest bits of a hash choose first.


def _found(trie: Any, levels: int, key: Any) -> Any:
    if levels:
        way = hash(key)
        for _ in range(levels):
            trie = trie[way & _LOW]
            way >>= _BITS
    return trie.get(key, _GONE)


def _merged(trie: Any, levels: int, entries: Iterable[tuple[Any, Any]]) -> Any:
    """A trie with these entries; it shares all that they do not touch."""
    made = trie.copy()
    # The nodes that were copied here and so may be changed; `trie` keeps the others alive, so no id comes twice.
    own = {id(made)}
    for key, item in entries:
        node = made
        way = hash(key)
        for _ in range(levels):
            i = way & _LOW
            way >>= _BITS
            below = node[i]
            if id(below) not in own:
                below = node[i] = below.copy()
                own.add(id(below))
            node = below
        if item is _GONE:
            node.pop(key, None)
        else:
            node[key] = item
    return made


def _empty(levels: int) -> Any:
    # The same one in every place: nothing of a trie ever changes.
    return [_empty(levels - 1)] * (_LOW + 1) if levels else {}


def _entries_of(trie: Any, levels: int) -> Iterator[tuple[Any, Any]]:
    if levels:
        return chain.from_iterable(_entries_of(one, levels - 1) for one in trie)
    return iter(trie.items())
