"""A look at workflows before any run: what can go wrong with their locks, read off the files alone.

Each finding names workflow, positions and locks, and how to mend it. What is found may happen, and what is not found
here may happen too: `check` tries it out. Nothing runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from dexpatterns.engine.texts import visible
from dexpatterns.js7.instructions import (
    Block,
    Demand,
    ExecuteAnonymous,
    ExecuteNamed,
    Fail,
    Finish,
    Fork,
    ForkList,
    If,
    Instruction,
    Lock,
    LockInstruction,
    Options,
    Retry,
    Try,
    Workflow,
)
from dexpatterns.js7.positions import Position, branch_of, outer
from dexpatterns.js7.scenario import World

__all__ = ["KINDS", "Finding", "look"]

KINDS = (
    "weight above the limit", "lock inside of itself", "nested in different orders", "delay while holding",
    "failed child keeps the lock",
)  # fmt: skip


class Finding(NamedTuple):
    """What may go wrong. `position` is the first place, `places` are all, as (workflow, position)."""

    kind: str
    """One of `KINDS`."""
    workflow: str
    position: Position
    locks: tuple[str, ...]
    text: str
    """What may happen, in a sentence."""
    mend: str
    places: tuple[tuple[str, Position], ...]

    def __str__(self) -> str:
        where = f"workflow '{self.workflow}' at {_at(self.position)}"
        return visible(f"{where}: {self.text}; {self.mend}")


def _at(position: Position) -> str:
    return json.dumps(position, ensure_ascii=False)


class _Held(NamedTuple):
    """A Lock instruction that is around a place."""

    position: Position
    demands: tuple[Demand, ...]


def look(items: Any) -> list[Finding]:
    """What can be seen of the items without running them, in the order of `KINDS` and then of workflows.

    `items` is what `load` gives or takes; raises `WorkflowFileError` when a workflow names a lock that is not there.
    """
    world = World.of(items)
    workflows = [world.workflows[path] for path in sorted(world.workflows)]
    found = [
        one for workflow in workflows for position, instruction in workflow.walk()
        for one in _one(world.locks, workflow, position, instruction)
    ]  # fmt: skip
    found += _opposite(workflows)
    return sorted(found, key=lambda one: KINDS.index(one.kind))


def _around(workflow: Workflow, position: Position, same_order: bool = False) -> list[_Held]:
    """The Locks around a place, the innermost first; with `same_order` those of the same order alone."""
    found = []
    at: Position | None = position
    while at is not None:
        branch, around = branch_of(at), outer(at)
        instruction = workflow.at(around) if around is not None else None
        if same_order and isinstance(instruction, (Fork, ForkList)):
            break
        if branch == "lock" and around is not None and isinstance(instruction, LockInstruction):
            found.append(_Held(around, instruction.demands))
        at = around
    return found


def _paths(held: list[_Held]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(demand.lock for one in held for demand in one.demands))


def _one(locks: dict[str, Lock], workflow: Workflow, position: Position, i: Instruction) -> Iterator[Finding]:
    """What is wrong with one instruction where it stands."""

    def finding(kind: str, paths: tuple[str, ...], text: str, mend: str) -> Finding:
        return Finding(kind, workflow.path, position, paths, text, mend, ((workflow.path, position),))

    if isinstance(i, LockInstruction):
        for demand in i.demands:
            limit = locks[demand.lock].limit
            if demand.weight is not None and demand.weight > limit:
                yield finding(
                    KINDS[0], (demand.lock,),
                    f"weight {demand.weight} of lock '{demand.lock}' is above its limit of {limit}, so every order "
                    "fails here",
                    f"ask for {limit} at most, or raise the limit",
                )  # fmt: skip
        yield from _again(locks, workflow, position, i, finding)
    held = _around(workflow, position)
    if held and isinstance(i, Try) and any(delay > 0 for delay in i.retry_delays):
        yield finding(
            KINDS[3], _paths(held),
            f"{_and(_paths(held))} {_is(held)} held through the delays before each retry ({_delays(i)})",
            f"put the Lock at {_at(held[0].position)} into the try block, so that it is free meanwhile",
        )  # fmt: skip
    held = _around(workflow, position, same_order=True)
    if held and isinstance(i, (Fork, ForkList)) and not i.join_if_failed:
        failing = [name.removeprefix("fork+") for name, block in i.blocks if _may_fail(block)]
        if failing:
            which = "a child" if isinstance(i, ForkList) else f"branch {_and(tuple(failing), 'or')}"
            yield finding(
                KINDS[4], _paths(held),
                f"when {which} fails, the parent stays Forked and keeps {_and(_paths(held))} until somebody cancels or "
                "resumes the child",
                "set 'joinIfFailed' to true, or catch the failure in the branch",
            )  # fmt: skip


def _delays(i: Try) -> str:
    told = ", ".join(f"{delay:g} s" for delay in i.retry_delays[:5])
    return f"{told}; {'no limit of attempts' if i.max_tries is None else f'{i.max_tries} attempts'}"


def _again(
    locks: dict[str, Lock], workflow: Workflow, position: Position, i: LockInstruction, finding: Callable[..., Finding]
) -> Iterator[Finding]:
    """The same lock once more inside of itself: the order, or its parent, has it already (J202, J203)."""
    own = _around(workflow, position, same_order=True)
    every = _around(workflow, position)
    for demand in i.demands:
        held = [one for one in every for other in one.demands if other.lock == demand.lock]
        if not held:
            continue
        if held[0] in own:
            text = f"lock '{demand.lock}' is held already by the same order, so it fails here"
        elif demand.weight is not None and _share(held[0], demand.lock) + demand.weight <= locks[demand.lock].limit:
            continue
        else:
            text = f"lock '{demand.lock}' is held already by the parent order, so the child fails here"
        yield finding(
            KINDS[1], (demand.lock,), text, f"take it once, in the Lock at {_at(held[0].position)}"
        )  # fmt: skip


def _share(held: _Held, lock: str) -> float:
    return next((one.weight for one in held.demands if one.lock == lock and one.weight is not None), float("inf"))


# --- nested in different orders --------------------------------------------------------------------------------------


class _Nesting(NamedTuple):
    """Somewhere `first` is held while `then` is asked for."""

    first: str
    then: str
    workflow: str
    outside: Position
    position: Position
    held: tuple[tuple[str, Position, bool], ...]
    """The locks that are held there: (lock, its instruction, whether all of it)."""


def _nestings(workflow: Workflow) -> Iterator[_Nesting]:
    for position, instruction in workflow.walk():
        if not isinstance(instruction, LockInstruction):
            continue
        held = _around(workflow, position)
        for number, one in enumerate(held):
            there = tuple(
                (demand.lock, wider.position, demand.weight is None)
                for wider in held[number:] for demand in wider.demands
            )  # fmt: skip
            for outside in one.demands:
                for inside in instruction.demands:
                    if inside.lock != outside.lock:
                        yield _Nesting(outside.lock, inside.lock, workflow.path, one.position, position, there)


def _opposite(workflows: list[Workflow]) -> Iterator[Finding]:
    """Circles of locks: each one is held somewhere while the next is asked for (J214)."""
    edges: dict[tuple[str, str], list[_Nesting]] = {}
    for workflow in workflows:
        for nesting in _nestings(workflow):
            edges.setdefault((nesting.first, nesting.then), []).append(nesting)
    by_path = {workflow.path: workflow for workflow in workflows}
    for circle in _circles(edges):
        steps = [edges[a, b] for a, b in zip(circle, (*circle[1:], circle[0]), strict=True)]
        chosen = _unguarded(by_path, steps)
        if chosen is None:
            continue
        told = ", ".join(
            f"workflow '{one.workflow}' takes '{one.first}' at {_at(one.outside)} and then '{one.then}' at "
            f"{_at(one.position)}"
            for one in chosen
        )
        yield Finding(
            KINDS[2], chosen[0].workflow, chosen[0].position, circle,
            f"{told}: orders may wait for each other for ever",
            f"nest {_and(circle)} in one and the same order everywhere, or take them in one Lock instruction",
            tuple((one.workflow, one.position) for one in chosen),
        )  # fmt: skip


def _circles(edges: dict[tuple[str, str], list[_Nesting]]) -> list[tuple[str, ...]]:
    """For each nesting a shortest circle that it is part of, each circle once, from its first lock on."""
    after: dict[str, list[str]] = {}
    for a, b in sorted(edges):
        after.setdefault(a, []).append(b)
    found: dict[tuple[str, ...], None] = {}
    for a, b in sorted(edges):
        via: dict[str, str] = {b: ""}
        queue = [b]
        for here in queue:
            for there in after.get(here, ()):
                if there not in via:
                    via[there] = here
                    queue.append(there)
        if a in via:
            way = [a]
            while way[-1] != b:
                way.append(via[way[-1]])
            circle = way[::-1]
            start = circle.index(min(circle))
            found[tuple(circle[start:] + circle[:start])] = None
    return sorted(found, key=lambda circle: (len(circle), circle))


def _unguarded(workflows: dict[str, Workflow], steps: list[list[_Nesting]]) -> list[_Nesting] | None:
    """One nesting for each step of a circle, no two of which keep each other out; None when there are none."""

    def extended(chosen: list[_Nesting]) -> list[_Nesting] | None:
        if len(chosen) == len(steps):
            return chosen
        for one in steps[len(chosen)]:
            if not any(_keep_out(workflows, one, other) for other in chosen):
                made = extended([*chosen, one])
                if made is not None:
                    return made
        return None

    return extended([])


def _keep_out(workflows: dict[str, Workflow], a: _Nesting, b: _Nesting) -> bool:
    """Whether a lock is held in both, and alone in one, so that never two orders are in them together."""
    for lock, here, alone in a.held:
        for other, there, other_alone in b.held:
            same = here == there and a.workflow == b.workflow
            if lock == other and (alone or other_alone) and not (same and _siblings(workflows, a, b, here)):
                return True
    return False


def _siblings(workflows: dict[str, Workflow], a: _Nesting, b: _Nesting, guard: Position) -> bool:
    """Whether two children of one order, which holds the guard, may be there together: in branches of one Fork."""
    workflow = workflows[a.workflow]
    at: Position | None = outer(a.outside)
    while at is not None and len(at) > len(guard):
        if isinstance(workflow.at(at), (Fork, ForkList)) and b.outside[: len(at)] == at:
            return True
        at = outer(at)
    return False


# --- what may fail ---------------------------------------------------------------------------------------------------


def _may_fail(block: Block) -> bool:
    """Whether an order that runs the block may fail in it, or be stopped."""
    return any(map(_fails, block.instructions))


def _fails(i: Instruction) -> bool:
    match i:
        case Fail() | ExecuteNamed() | ExecuteAnonymous():
            return True
        case Finish():
            return i.succeeded is False
        case Try():
            return _is_uncatchable(i.body) or (_may_fail(i.body) and _catch_fails(i))
        case LockInstruction() | Options():
            return _may_fail(i.body)
        case If():
            return any(_may_fail(block) for _, block in i.blocks)
        case Fork() | ForkList():
            return i.join_if_failed and any(_may_fail(block) for _, block in i.blocks)
    return False


def _catch_fails(i: Try) -> bool:
    return _may_fail(i.catch) or (i.max_tries is not None and _has_retry(i.catch))


def _has_retry(block: Block) -> bool:
    return any(
        isinstance(one, Retry) or any(_has_retry(inner) for _, inner in one.blocks) for one in block.instructions
    )


def _is_uncatchable(block: Block) -> bool:
    return any(
        (isinstance(one, Fail) and one.uncatchable) or any(_is_uncatchable(inner) for _, inner in one.blocks)
        for one in block.instructions
    )


def _and(names: tuple[str, ...], word: str = "and") -> str:
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {word} {quoted[-1]}"


def _is(held: list[_Held]) -> str:
    return "is" if len(_paths(held)) == 1 else "are"
