"""How saved Waits become ready and complete, before anything else happens (D-15a, D-16, D-17).

Executions that wait alike form a group (one Wait, as many timers fired): they are ready together or not at all, so
a message costs a look at the groups of its Channel, never at each branch that waits. These functions change a
draft `State` and append events.
"""

from __future__ import annotations

from dexpatterns.dex import events as ev
from dexpatterns.dex.draft import Draft
from dexpatterns.dex.state import Execution, State
from dexpatterns.dex.waiting import WaitPlan, picked, takes
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.queue import EMPTY
from dexpatterns.engine.tree import Tree
from dexpatterns.engine.values import new

__all__ = ["GroupKey", "choose", "complete", "enter_group", "group_of", "leave_group", "settle"]

GroupKey = tuple[str, str, int]
RIVALS = 8
"""How many of the others that were ready an event names."""
_NOBODY = Tree()


def group_of(e: Execution) -> GroupKey:
    """The key of the execution's group under the first Channel of its Wait: the group's home."""
    assert e.wait is not None
    return (e.wait.home, e.wait.key, e.fired)


def enter_group(state: State, e: Execution) -> None:
    assert e.wait is not None
    key = group_of(e)
    _, members = state.waits.get(key, (None, _NOBODY))
    if not members:
        for channel in e.wait.channels:
            state.waits_on = state.waits_on.set(channel, (*state.waits_on.get(channel, ()), key))
    state.waits = state.waits.set(key, (e.wait, members.set(e.path, e.path)))


def leave_group(state: State, e: Execution) -> None:
    assert e.wait is not None
    key = group_of(e)
    members = state.waits.get(key)[1].remove(e.path)
    if members:
        state.waits = state.waits.set(key, (e.wait, members))
        return
    state.waits = state.waits.remove(key)
    for channel in e.wait.channels:
        others = tuple([other for other in state.waits_on.get(channel) if other != key])
        state.waits_on = state.waits_on.set(channel, others) if others else state.waits_on.remove(channel)


def settle(draft: Draft) -> None:
    """Complete what is ready after messages came to the draft's `touched` Channels or a group got a new member.

    A single ready Wait completes at once. Of several, which one is next is a choice: they are left in `ready`.
    """
    state = draft.state
    candidates = {*state.ready, *draft.new_waits}
    for channel in draft.touched:
        candidates.update(state.waits_on.get(channel, ()))
    ready = [key for key in candidates if _is_ready(state, key)]
    # A single one completes, which only takes messages away: nobody else can have become ready.
    while len(ready) == 1 and len(members := state.waits.get(ready[0])[1]) == 1:
        complete(draft, state.executions.get(members.items()[0]))
        ready = [key for key in ready if _is_ready(state, key)]
    ready.sort()
    state.ready = tuple(ready)


def _is_ready(state: State, key: GroupKey) -> bool:
    group = state.waits.get(key)
    return group is not None and _taking(state, group[0], key[2]) is not None


def _taking(state: State, plan: WaitPlan, fired: int) -> tuple[tuple[str, int], ...] | None:
    """How many messages of which Channels a Wait takes if it completes now; None while it is not ready."""
    only = plan.only
    if only is None:
        conditions = picked(plan.wait, fired, state.size_of)
        return None if conditions is None else takes(conditions, state.size_of)
    # What the general rules come to for one Channel and nothing else, as most Waits are.
    size = state.channels.get(only.channel, EMPTY).size
    if size < only.at_least:
        return None
    n = size if only.at_most is None else min(size, only.at_most)
    return ((only.channel, n),) if n else ()


def choose(draft: Draft, e: Execution) -> None:
    """Complete one of several ready Waits."""
    assert e.wait is not None
    state, path, channels = draft.state, e.path, e.wait.channels
    rivals: list[Lineage] = []
    for key in state.ready:
        plan, members = state.waits.get(key)
        if plan.channels == channels or not set(channels).isdisjoint(plan.channels):
            rivals += [other for other in members.first(RIVALS + 1) if other != path]
    complete(draft, e, tuple(rivals[:RIVALS]))


def complete(draft: Draft, e: Execution, rivals: tuple[Lineage, ...] = ()) -> None:
    """Complete a ready Wait: take its messages and queue its `execute`. `rivals` were ready for the same Channels."""
    state = draft.state
    assert e.wait is not None
    taking = _taking(state, e.wait, e.fired)
    assert taking is not None
    taken = []
    for channel, n in taking:
        messages, rest = state.channels.get(channel, EMPTY).take(n)
        state.channels = state.channels.set(channel, rest)
        taken.append((channel, messages))
    leave_group(state, e)
    e = e.evolve()
    e.taken = tuple(taken)
    draft.events.append(new(ev.Consumed, (e.path, e.step, e.taken, rivals)))
    draft.queue(e, draft.rules.call(e.step, "execute", e.call.options))
