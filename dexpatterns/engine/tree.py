"""A sorted map as a value: an edit costs the depth, shares the rest, and counts are known without a walk.

It is a B+ tree of tuples. Each item carries a *weight*: several counts packed into one integer, so that a
whole subtree answers "how many may begin?" and `kth` finds the k-th of them. Keys are ordered; nothing else is
known about keys or items. (Balance is relaxed: a node that empties goes, a thin one stays. Rejected: a library's
persistent map, since those hash and can neither count nor select; one sorted tuple, since its edit copies all.)
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["FIELD", "MASK", "Tree"]

FIELD = 32
"""Bits of one count in a weight. Count number i of a weight `w` is `w >> i * FIELD & MASK`; count 0 is the size."""
MASK = (1 << FIELD) - 1
_WIDTH = 32
"""Most entries of a node: measured best between 16 and 96 for 1,000 to 100,000 items."""

# A leaf is (True, keys, items, weight), an inner node (False, lowest keys, nodes, weight).
_Node = tuple[bool, tuple[Any, ...], tuple[Any, ...], int]
_NO_LEAF: _Node = (True, (), (), 0)


def _one(_: Any) -> int:
    return 1


class Tree:
    """An immutable sorted map; `weigh(item)` must count 1 in field 0.

    >>> t = Tree().edit("b", [("b", 2)]).edit("a", [("a", 1)])
    >>> list(t), t.get("b"), t.kth(0, 1)
    ([('a', 1), ('b', 2)], 2, ('b', 2, 0))
    >>> list(t.edit("a", [("a", 7), ("aa", 8)]))
    [('a', 7), ('aa', 8), ('b', 2)]
    """

    __slots__ = ("_edited", "_put", "ident", "root", "weigh")

    ident: int | None
    """Room for its owner to keep a number that stands for this content."""

    def __init__(
        self, weigh: Callable[[Any], int] = _one, root: _Node = _NO_LEAF, edited: Any = None, put: Any = None
    ) -> None:
        self.weigh = weigh
        self.root = root
        self.ident = None
        # What the last edit put there is what is mostly asked for next: it costs no way down.
        self._edited = edited
        self._put = put

    def __len__(self) -> int:
        return self.root[3] & MASK

    def __bool__(self) -> bool:
        return self.root[3] != 0

    @property
    def weight(self) -> int:
        """The sum of all weights."""
        return self.root[3]

    def count(self, field: int) -> int:
        return self.root[3] >> field * FIELD & MASK

    def get(self, key: Any, default: Any = None) -> Any:
        if key is self._edited and key is not None:
            return self._put
        node = self.root
        while not node[0]:
            node = node[2][bisect_right(node[1], key) - 1]
        keys = node[1]
        i = bisect_left(keys, key)
        return node[2][i] if i < len(keys) and keys[i] == key else default

    def __contains__(self, key: Any) -> bool:
        return self.get(key, self) is not self

    def edit(self, key: Any, new: Iterable[tuple[Any, Any]]) -> Tree:
        """Take `key` out, if it is there, and put `new` in its place: sorted, and fitting between its neighbours."""
        weigh = self.weigh
        put = tuple(new)
        if len(put) == 1:
            swapped = _swap(self.root, weigh, key, *put[0])
            if swapped is not None:
                return Tree(weigh, swapped, *put[0])
        nodes = _edit(self.root, weigh, key, put)
        while len(nodes) > 1:
            nodes = _inner(nodes)
        root = nodes[0] if nodes else _NO_LEAF
        while not root[0] and len(root[2]) == 1:
            root = root[2][0]
        return Tree(weigh, root, *(put[0] if put else ()))

    def set(self, key: Any, item: Any) -> Tree:
        """With `item` under `key`, whether or not there was one."""
        root = self.root
        if root[0]:
            # The common case in a search: everything fits one leaf.
            _, keys, items, weight = root
            i = bisect_left(keys, key)
            weigh = self.weigh
            if i < len(keys) and keys[i] == key:
                weight += weigh(item) - weigh(items[i])
                return Tree(weigh, (True, keys, items[:i] + (item,) + items[i + 1 :], weight), key, item)
            if len(keys) < _WIDTH:
                keys = keys[:i] + (key,) + keys[i:]
                return Tree(weigh, (True, keys, items[:i] + (item,) + items[i:], weight + weigh(item)), key, item)
        return self.edit(key, ((key, item),))

    def remove(self, key: Any) -> Tree:
        """Without `key`; as it is when the key is not there."""
        return self.edit(key, ())

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


def _swap(node: _Node, weigh: Callable[[Any], int], key: Any, new: Any, item: Any) -> _Node | None:
    """With `item` under `new` in the place of `key`; None when `key` is not there.

    Most edits are this one, and it changes no node's size: so it needs none of the care of `_edit`.
    """
    leaf, keys, items, weight = node
    if leaf:
        i = bisect_left(keys, key)
        if i == len(keys) or keys[i] != key:
            return None
        if new is not keys[i]:
            keys = keys[:i] + (new,) + keys[i + 1 :]
        return (True, keys, items[:i] + (item,) + items[i + 1 :], weight - weigh(items[i]) + weigh(item))
    i = bisect_right(keys, key) - 1
    if i < 0:
        return None
    old = items[i]
    child = _swap(old, weigh, key, new, item)
    if child is None:
        return None
    if child[1][0] is not keys[i]:
        keys = keys[:i] + (child[1][0],) + keys[i + 1 :]
    return (False, keys, items[:i] + (child,) + items[i + 1 :], weight - old[3] + child[3])


def _edit(node: _Node, weigh: Callable[[Any], int], key: Any, new: tuple[tuple[Any, Any], ...]) -> tuple[_Node, ...]:
    leaf, keys, items, weight = node
    if leaf:
        i = bisect_left(keys, key)
        j = i
        if i < len(keys) and keys[i] == key:
            weight -= weigh(items[i])
            j = i + 1
        if len(new) == 1:
            ((k, item),) = new
            if k != key or i == j:
                keys = keys[:i] + (k,) + keys[j:]
            items = items[:i] + (item,) + items[j:]
            weight += weigh(item)
        else:
            keys = (*keys[:i], *[k for k, _ in new], *keys[j:])
            items = (*items[:i], *[item for _, item in new], *items[j:])
            weight += sum(weigh(item) for _, item in new)
        if len(keys) <= _WIDTH:
            return ((True, keys, items, weight),) if keys else ()
        half = _WIDTH // 2
        cuts = range(0, len(keys), half)
        return tuple(
            (True, keys[c : c + half], items[c : c + half], sum(map(weigh, items[c : c + half]))) for c in cuts
        )
    i = max(bisect_right(keys, key) - 1, 0)
    old = items[i]
    made = _edit(old, weigh, key, new)
    if len(made) == 1:
        (child,) = made
        if child[1][0] != keys[i]:
            keys = keys[:i] + (child[1][0],) + keys[i + 1 :]
        return ((False, keys, items[:i] + (child,) + items[i + 1 :], weight - old[3] + child[3]),)
    return _inner((*items[:i], *made, *items[i + 1 :]))


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
