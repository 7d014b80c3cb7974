"""A first-in-first-out queue as a value: both ends cost what they move, not what is queued.

Messages lie in a tuple (the front) and a chain of pairs (the back, newest first), which is turned over when the
front is used up. It knows nothing of what it holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["EMPTY", "Queue"]


class Queue:
    """An immutable queue.

    >>> q = EMPTY.push(1).push(2).push(3)
    >>> q.take(2)[0], list(q.take(2)[1].push_front((9,))), len(q)
    ((1, 2), [9, 3], 3)
    """

    __slots__ = ("_back", "_front", "_start", "_whole", "size")

    size: int
    """How many messages there are."""

    def __init__(self, front: tuple[Any, ...] = (), start: int = 0, back: Any = None, size: int = 0) -> None:
        self._front = front
        self._start = start
        self._back = back
        self.size = size
        self._whole: tuple[Any, ...] | None = None

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Any]:
        return iter(self.whole)

    @property
    def whole(self) -> tuple[Any, ...]:
        """All messages, the first one first."""
        if self._whole is None:
            self._whole = self._front[self._start :] + _turned(self._back)
        return self._whole

    def push(self, value: Any) -> Queue:
        """With one more message at the end."""
        return Queue(self._front, self._start, (value, self._back), self.size + 1)

    def push_front(self, values: Sequence[Any]) -> Queue:
        """With these messages before all others, in the order given."""
        return Queue((*values, *self._front[self._start :]), 0, self._back, self.size + len(values))

    def take(self, n: int) -> tuple[tuple[Any, ...], Queue]:
        """The first n messages, and the queue without them; n is at most the length."""
        front, start, back = self._front, self._start, self._back
        if start + n > len(front):
            front, start, back = front[start:] + _turned(back), 0, None
        return front[start : start + n], Queue(front, start + n, back, self.size - n)


def _turned(back: Any) -> tuple[Any, ...]:
    values = []
    while back is not None:
        value, back = back
        values.append(value)
    values.reverse()
    return tuple(values)


EMPTY = Queue()
