"""Who may begin when Attribute locks are asked for: sets of locks, taken together, by calls that take turns (D-20).

Calls that are queued for the same set of locks form one group, and a group knows how many of its locks are held.
So taking or releasing a lock touches the groups that name it, never each call that waits. These functions change
a draft `State` and nothing else.
"""

from __future__ import annotations

from dexpatterns.dex.state import Execution, State
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.tree import Tree

__all__ = ["free", "join_group", "leave_group", "release", "take"]

LockSet = tuple[str, ...]


def free(state: State, locks: LockSet) -> bool:
    return not any(lock in state.locks for lock in locks)


def join_group(state: State, e: Execution) -> None:
    """Queue a call for its locks."""
    locks = e.call.locks
    group = state.lock_groups.get(locks)
    if group is None:
        group = (Tree(), sum(lock in state.locks for lock in locks))
        for lock in locks:
            state.lock_index = state.lock_index.set(lock, (*state.lock_index.get(lock, ()), locks))
    members, held = group
    state.lock_groups = state.lock_groups.set(locks, (members.set(e.path, e.path), held))


def leave_group(state: State, e: Execution) -> None:
    """Take a call out of its queue: it begins, or is cancelled."""
    locks = e.call.locks
    members, held = state.lock_groups.get(locks)
    members = members.remove(e.path)
    if members:
        state.lock_groups = state.lock_groups.set(locks, (members, held))
        return
    state.lock_groups = state.lock_groups.remove(locks)
    for lock in locks:
        others = tuple([other for other in state.lock_index.get(lock) if other != locks])
        state.lock_index = state.lock_index.set(lock, others) if others else state.lock_index.remove(lock)


def take(state: State, locks: LockSet, holder: Lineage) -> None:
    for lock in locks:
        state.locks = state.locks.set(lock, holder)
        _count(state, lock, +1)


def release(state: State, locks: LockSet) -> None:
    for lock in locks:
        state.locks = state.locks.remove(lock)
        _count(state, lock, -1)


def _count(state: State, lock: str, change: int) -> None:
    for locks in state.lock_index.get(lock, ()):
        members, held = state.lock_groups.get(locks)
        state.lock_groups = state.lock_groups.set(locks, (members, held + change))
