"""What a result that cancels does to the others (D-20 to D-25)."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain
from operator import attrgetter

from dexpatterns.dex import events as ev
from dexpatterns.dex import locking, settling
from dexpatterns.dex.draft import Draft
from dexpatterns.dex.state import PHASES, QUEUED, RUNNING, WAITING, Execution, LateCode
from dexpatterns.engine.queue import EMPTY
from dexpatterns.engine.values import Data
from dexpatterns.errors import SymmetryError

__all__ = ["cancel"]


def cancel(draft: Draft, decider: Execution, classes: Collection[str], siblings: Collection[str]) -> None:
    """Cancel every other execution of the `classes`, and the decider's own siblings of the `siblings` classes.

    Both are resolved against the one snapshot that is the state as it stands now (D-22). Siblings are executions
    with the decider's parent; an RPC and the timeout handler have none.
    """
    if not classes and not siblings:
        return
    targets = [
        e
        for path, e in draft.state.executions.loose()
        if e.call.is_step
        and path != decider.path
        and (e.step in classes or (e.step in siblings and decider.call.is_step and e.parent == decider.parent))
    ]
    targets.sort(key=attrgetter("path"))
    for e in targets:
        _end(draft, e, decider)
    if draft.rules.masks is not None:
        _check_returns(targets)
    # The first one's messages end up in front: the last one's go back first (D-24).
    returned: dict[str, list[tuple[Data, ...]]] = {}
    for e in reversed(targets):
        for channel, messages in e.taken:
            returned.setdefault(channel, []).append(messages)
            draft.events.append(ev.Returned(e.path, e.step, channel, messages))
    for channel, parts in returned.items():
        queue = draft.state.channels.get(channel, EMPTY)
        front = tuple(chain.from_iterable(reversed(parts)))
        draft.state.channels = draft.state.channels.set(channel, queue.push_front(front))
        draft.touched.append(channel)


def _end(draft: Draft, e: Execution, decider: Execution) -> None:
    state = draft.state
    if e.phase == WAITING:
        settling.leave_group(state, e)
    elif e.phase == QUEUED:
        if e.call.locks:
            locking.leave_group(state, e)
    else:
        locking.release(state, e.call.locks)
        if e.phase == RUNNING:
            # Its code cannot be stopped (D-10).
            code = LateCode(e.path, e.step, e.call.method, e.attempt)
            state.late = state.late.set(code.key, code)
    state.executions = state.executions.remove(e.path)
    phase = PHASES[e.phase]
    draft.events.append(ev.Cancelled(e.path, e.step, phase, e.call.method, decider.path, decider.step))


def _check_returns(targets: list[Execution]) -> None:
    """Where branches are interchangeable their order may not show, and here it would (D-24)."""
    held: dict[str, set[object]] = {}
    for e in targets:
        for channel, messages in e.taken:
            held.setdefault(channel, set()).add(messages)
            if len(held[channel]) > 1:
                raise SymmetryError(
                    f"one decision cancels two executions that hold different messages of Channel {channel!r}: the "
                    "order in which they go back tells the branches apart (D-24); check without symmetric"
                )
