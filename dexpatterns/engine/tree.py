"""A sorted map as a value: an edit costs the depth, shares the rest, and counts are known without a walk.

It is a B+ tree of tuples. Each item carries a *weight*: several counts packed into one integer, so that a
whole subtree answers "how many may begin?" and `kth` finds the k-th of them. Keys are ordered; nothing else is
known about keys or items. (Balance is relaxed: a node that empties goes, a thin one stays. Rejected: a library's
persistent map, since those hash and can neither count nor select; one sorted tuple, since its edit copies all.)
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

__all__ = ["FIELD", "MASK", "Counted", "Tree"]

FIELD = 32
"""Bits of one count in a weight. Count number i of a weight `w` is `w >> i * FIELD & MASK`; count 0 is the size."""
MASK = (1 << FIELD) - 1
_WIDTH = 32
"""Most entries of a node: measured best between 16 and 96 for 1,000 to 100,000 items."""

# A leaf is (True, keys, items, weight), an inner node (False, lowest keys, nodes, weight).
_Node = tuple[bool, tuple[Any, ...], tuple[Any, ...], int]
_NO_LEAF: _Node = (True, (), (), 0)
_NOTHING: Any = object()


def _one(_: Any) -> int:
    return 1


class Counted:
    """What is counted by the sum of its items' weights."""

    __slots__ = ("ident", "weight")

    ident: Any
    """Room for its owner to keep what stands for this content; None until then."""
    weight: int
    """The sum of all weights."""

    def __len__(self) -> int:
        return self.weight & MASK

    def __bool__(self) -> bool:
        return self.weight != 0

    def count(self, field: int) -> int:
        return self.weight >> field * FIELD & MASK


class Tree(Counted):
    """An immutable sorted map; `weigh(item)` must count 1 in field 0.

    >>> t = Tree().edit("b", [("b", 2)]).edit("a", [("a", 1)])
    >>> list(t), t.get("b"), t.kth(0, 1)
    ([('a', 1), ('b', 2)], 2, ('b', 2, 0))
    >>> list(t.edit("a", [("a", 7), ("aa", 8)]))
    [('a', 7), ('aa', 8), ('b', 2)]
    """

    __slots__ = ("_edited", "_put", "root", "weigh")

    def __init__(self, weigh: Callable[[Any], int] = _one) -> None:
        self.weigh = weigh
        self.root = _NO_LEAF
        self.weight = 0
        self.ident = None
        self._edited: Any = _NOTHING
        self._put: Any = None

    def get(self, key: Any, default: Any = None) -> Any:
        if key is self._edited:
            return self._put
        leaf, keys, items, _ = self.root
        while not leaf:
            leaf, keys, items, _ = items[bisect_right(keys, key) - 1]
        i = bisect_right(keys, key) - 1
        return items[i] if i >= 0 and keys[i] == key else default

    def __contains__(self, key: Any) -> bool:
        return self.get(key, self) is not self

    def set(self, key: Any, item: Any) -> Tree:
        """With `item` under `key`, whether or not there was one."""
        keys = (key,)
        return self.replace(key, keys, keys if item is key else (item,))

    def remove(self, key: Any) -> Tree:
        """Without `key`; as it is when the key is not there."""
        return self.replace(key, (), ())

    def edit(self, key: Any, new: Iterable[tuple[Any, Any]]) -> Tree:
        """Take `key` out, if it is there, and put `new` in its place: sorted, and fitting between its neighbours."""
        keys, items = tuple(zip(*new, strict=True)) or ((), ())
        return self.replace(key, keys, items)

    def replace(self, key: Any, new_keys: tuple[Any, ...], new_items: tuple[Any, ...]) -> Tree:
        """`edit`, with the keys and the items each by themselves."""
        weigh = self.weigh
        node = self.root
        # The way down, the last turn first: one loop down and one up cost less than a call for each level.
        way: Any = None
        while not node[0]:
            i = bisect_right(node[1], key) - 1
            if i < 0:
                i = 0
            way = (node, i, way)
            node = node[2][i]
        _, keys, items, weight = node
        j = bisect_right(keys, key)
        i = j - 1
        if not j or keys[i] != key:
            i = j
        if weigh is _one:
            gain = i - j + len(new_items)
        else:
            gain = 0 if i == j else -weigh(items[i])
            for item in new_items:
                gain += weigh(item)
        if new_items is new_keys and items is keys:
            # A set, whose items are its keys: one copy is both.
            keys = items = keys[:i] + new_keys + keys[j:]
        else:
            if i == j or new_keys != (key,):
                keys = keys[:i] + new_keys + keys[j:]
            items = items[:i] + new_items + items[j:]
        if len(keys) > _WIDTH or (not keys and way is not None):
            root = _rebuilt(way, _cut(keys, items, weigh))
        else:
            root = (True, keys, items, weight + gain)
            while way is not None:
                (_, keys, items, weight), i, way = way
                low = root[1][0]
                if low is not keys[i]:
                    keys = keys[:i] + (low,) + keys[i + 1 :]
                root = (False, keys, items[:i] + (root,) + items[i + 1 :], weight + gain)
        edited = Tree.__new__(Tree)
        edited.weigh = weigh
        edited.root = root
        edited.weight = root[3]
        edited.ident = None
        # What the last edit put there is what is mostly asked for next: it costs no way down.
        if new_keys:
            edited._edited = new_keys[0]
            edited._put = new_items[0]
        else:
            edited._edited = _NOTHING
        return edited

    def kth(self, field: int, k: int) -> tuple[Any, Any, int]:
        """The key and item that hold the k-th count (from 0) of a field, and which of the item's own it is."""
        node = self.root
        shift = field * FIELD
        if not 0 <= k < (node[3] >> shift & MASK):
            raise IndexError(k)
        while not node[0]:
            for node in node[2]:  # noqa: B020  # the node found is the next to look into
                here = node[3] >> shift & MASK
                if k < here:
                    break
                k -= here
        weigh = self.weigh
        if weigh is _one and not shift:
            return node[1][k], node[2][k], 0
        for key, item in zip(node[1], node[2], strict=True):
            here = weigh(item) >> shift & MASK
            if k < here:
                return key, item, k
            k -= here
        raise IndexError(k)

    def items(self) -> tuple[Any, ...]:
        """All items in the order of their keys."""
        root = self.root
        return root[2] if root[0] else tuple(item for leaf in _leaves(root) for item in leaf[2])

    def first(self, n: int) -> tuple[Any, ...]:
        """The first n items, or all if there are fewer."""
        node = self.root
        while not node[0]:
            node = node[2][0]
        return node[2][:n] if len(node[2]) >= n else tuple(islice(self.values(), n))

    def values(self) -> Iterator[Any]:
        """All items in the order of their keys, each when it is asked for."""
        return (item for leaf in _leaves(self.root) for item in leaf[2])

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for leaf in _leaves(self.root):
            yield from zip(leaf[1], leaf[2], strict=True)

    def from_key(self, low: Any) -> Iterator[tuple[Any, Any]]:
        """The entries from the first key that is not below `low`, in order."""
        return _from(self.root, low)

    def of(self, field: int) -> Iterator[Any]:
        """The items that count in a field, in order, at the cost of those found."""
        return _of(self.root, field * FIELD, self.weigh)


def _cut(keys: tuple[Any, ...], items: tuple[Any, ...], weigh: Callable[[Any], int]) -> tuple[_Node, ...]:
    """Leaves that hold these entries, each half full: one that is full would soon be cut again."""
    half = _WIDTH // 2
    cuts = [keys[c : c + half] for c in range(0, len(keys), half)]
    parts = cuts if items is keys else [items[c : c + half] for c in range(0, len(keys), half)]
    return tuple([(True, some, those, sum(map(weigh, those))) for some, those in zip(cuts, parts, strict=True)])


def _rebuilt(way: Any, nodes: tuple[_Node, ...]) -> _Node:
    """The root of a tree in which these nodes stand where the way down ended."""
    while way is not None:
        (_, _, items, _), i, way = way
        nodes = _inner((*items[:i], *nodes, *items[i + 1 :]))
    while len(nodes) > 1:
        nodes = _inner(nodes)
    root = nodes[0] if nodes else _NO_LEAF
    while not root[0] and len(root[2]) == 1:
        root = root[2][0]
    return root


def _inner(nodes: tuple[_Node, ...]) -> tuple[_Node, ...]:
    """The nodes under as few parents as they need."""
    if not nodes:
        return ()
    step = len(nodes) if len(nodes) <= _WIDTH else _WIDTH // 2
    groups = (nodes[c : c + step] for c in range(0, len(nodes), step))
    return tuple((False, tuple(n[1][0] for n in group), group, sum(n[3] for n in group)) for group in groups)


def _leaves(node: _Node) -> Iterator[_Node]:
    if node[0]:
        yield node
    else:
        for child in node[2]:
            yield from _leaves(child)


def _from(node: _Node, low: Any) -> Iterator[tuple[Any, Any]]:
    if node[0]:
        i = bisect_left(node[1], low)
        yield from zip(node[1][i:], node[2][i:], strict=True)
        return
    i = max(bisect_right(node[1], low) - 1, 0)
    yield from _from(node[2][i], low)
    for child in node[2][i + 1 :]:
        for leaf in _leaves(child):
            yield from zip(leaf[1], leaf[2], strict=True)


def _of(node: _Node, shift: int, weigh: Callable[[Any], int]) -> Iterator[Any]:
    if not node[3] >> shift & MASK:
        return
    if node[0]:
        for item in node[2]:
            if weigh(item) >> shift & MASK:
                yield item
    else:
        for child in node[2]:
            yield from _of(child, shift, weigh)
