"""How saved Waits become ready and complete, before anything else happens (D-15a, D-16, D-17).

Executions that wait alike form a group (one Wait, as many timers fired): they are ready together or not at all, so
a message costs a look at the groups of its Channel, never at each branch that waits. These functions change a
draft `State` and append events.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from dexpatterns.dex import events as ev
from dexpatterns.dex.draft import Draft
from dexpatterns.dex.state import Execution, State
from dexpatterns.dex.waiting import picked, takes
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.queue import EMPTY
from dexpatterns.engine.tree import Tree

__all__ = ["GroupKey", "choose", "complete", "enter_group", "group_of", "leave_group", "settle"]

GroupKey = tuple[str, str, int]
RIVALS = 8
"""How many of the others that were ready an event names."""
_NOBODY = Tree()


def group_of(e: Execution) -> GroupKey:
    """The key of the execution's group under the first Channel of its Wait: the group's home."""
    assert e.wait is not None
    return (e.wait.channels[0], e.wait.key, e.fired)


def enter_group(state: State, e: Execution) -> None:
    assert e.wait is not None
    for channel in e.wait.channels:
        key = (channel, e.wait.key, e.fired)
        _, members = state.waits.get(key, (None, _NOBODY))
        state.waits = state.waits.set(key, (e.wait, members.set(e.path, e.path)))


def leave_group(state: State, e: Execution) -> None:
    assert e.wait is not None
    for channel in e.wait.channels:
        key = (channel, e.wait.key, e.fired)
        members = state.waits.get(key)[1].remove(e.path)
        state.waits = state.waits.set(key, (e.wait, members)) if members else state.waits.remove(key)


def settle(draft: Draft) -> None:
    """Complete what is ready after messages came to the draft's `touched` Channels or a group got a new member.

    A single ready Wait completes at once. Of several, which one is next is a choice: they are left in `ready`.
    """
    state = draft.state
    candidates = set(state.ready)
    candidates.update(draft.new_waits)
    for channel in draft.touched:
        candidates.update(_home_keys(state, channel))
    while candidates:
        ready = [key for key in sorted(candidates) if _is_ready(state, key)]
        members = sum(len(state.waits.get(key)[1]) for key in ready)
        if members != 1:
            state.ready = tuple(ready)
            return
        complete(draft, state.waits.get(ready[0])[1].items()[0])
        # Completing only takes messages away: nobody else can have become ready.
        candidates = set(ready)
    state.ready = ()


def _home_keys(state: State, channel: str) -> Iterator[GroupKey]:
    for key, (plan, _) in state.waits.from_key((channel,)):
        if key[0] != channel:
            return
        yield (plan.channels[0], key[1], key[2])


def _is_ready(state: State, key: GroupKey) -> bool:
    group = state.waits.get(key)
    return group is not None and picked(group[0].wait, key[2], state.size_of) is not None


def choose(draft: Draft, path: Lineage) -> None:
    """Complete one of several ready Waits."""
    state = draft.state
    channels = set(state.executions.get(path).wait.channels)
    rivals = (
        other
        for plan, members in map(state.waits.get, state.ready)
        if not channels.isdisjoint(plan.channels)
        for other in members.values()
        if other != path
    )
    complete(draft, path, tuple(islice(rivals, RIVALS)))


def complete(draft: Draft, path: Lineage, rivals: tuple[Lineage, ...] = ()) -> None:
    """Complete a ready Wait: take its messages and queue its `execute`. `rivals` were ready for the same Channels."""
    state = draft.state
    e = state.executions.get(path)
    conditions = picked(e.wait.wait, e.fired, state.size_of)
    assert conditions is not None
    taken = []
    for channel, n in takes(conditions, state.size_of):
        messages, rest = state.channels.get(channel, EMPTY).take(n)
        state.channels = state.channels.set(channel, rest)
        taken.append((channel, messages))
    leave_group(state, e)
    e = e.evolve()
    e.taken = tuple(taken)
    draft.events.append(ev.Consumed(path, e.step, e.taken, rivals))
    draft.queue(e, "execute")
