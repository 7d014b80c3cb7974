"""The sweep as the rules tell it, which the indexed one of `dexpatterns.js7.locks` is compared with."""

from __future__ import annotations

from collections.abc import Iterable

from dexpatterns.js7.locks import Locks, Waiter


def sweep_plainly(locks: Locks, paths: Iterable[str], above: int | None = None) -> tuple[Locks, tuple[Waiter, ...]]:
    """The sweep as the rule tells it (J222): every waiter once, by priority and then in queue order.

    With `fair` every waiter again after each grant, in queue order alone (J227). Slow with long queues.
    """
    paths = tuple(locks) if locks.fair else tuple(paths)
    in_order = {waiter.order: waiter for path in paths for waiter in locks[path].waiting.items()}
    granted: list[Waiter] = []
    for waiter in sorted(in_order.values(), key=lambda w: 0 if locks.fair else -w.priority):
        if above is not None and not locks.fair and waiter.priority <= above:
            break
        made = locks.acquire(waiter.order, waiter.demands)
        if isinstance(made, Locks) and locks.fair:
            made, rest = sweep_plainly(made, paths)
            return made, (waiter, *rest)
        if isinstance(made, Locks):
            locks = made
            granted.append(waiter)
    return locks, tuple(granted)
