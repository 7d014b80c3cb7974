"""How a position finds its way through a workflow: pure functions on positions, which know no lock state.

Forward: through instructions that only move (J304). Outward: out of blocks, past the Locks that are left on the way,
up to the outer level, a Fork, or a Try that catches (J311). And whether a position may be reached by a resume (J234).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dexpatterns.js7.evaluation import Problem, truth
from dexpatterns.js7.instructions import END, If, LockInstruction, Options, Retry, Try, Workflow
from dexpatterns.js7.positions import Position, attempt, branch_of, following, normalized, outer, step_into, try_count

__all__ = ["Way", "cases", "crosses", "fold", "fork_position", "next_move", "retried", "shortened", "stops", "way_out"]


Values = Callable[[], Mapping[str, Any]]
"""Gives the named values of an order, if they are asked for."""


def _is_fork(branch: str) -> bool:
    return branch.partition("+")[0] == "fork"


def fork_position(position: Position) -> Position | None:
    """The Fork that the position is in a branch of; None outside of one."""
    at: Position | None = position
    while at is not None:
        if _is_fork(branch_of(at) or ""):
            return outer(at)
        at = outer(at)
    return None


# --- forward -------------------------------------------------------------------------------------------------------


def next_move(workflow: Workflow, position: Position, values: Values) -> Position | Problem | None:
    """Where an instruction that only moves leads to; None for any other (J304)."""
    instruction = workflow.at(position)
    match instruction:
        case Try():
            return step_into(position, "try+0")
        case If():
            return cases(instruction, position, values)
        case _ if instruction is END:
            branch = branch_of(position)
            if branch is None or branch == "lock" or _is_fork(branch):
                return None
            around = outer(position)
            assert around is not None
            return following(around)
    return None


def cases(instruction: If, position: Position, values: Values) -> Position | Problem:
    """Where an If leads to: into the block of the first predicate that is true (J107)."""
    tries = try_count(position)
    for number, (predicate, _) in enumerate(instruction.cases):
        holds = truth(predicate, values(), tries)
        if isinstance(holds, Problem):
            return holds
        if holds:
            return step_into(position, If.branch(number))
    return following(position) if instruction.otherwise is None else step_into(position, "else")


def fold(workflow: Workflow, position: Position, values: Values) -> Position:
    """Through all moves that follow each other from here: an order makes them as one (J305)."""
    while True:
        onward = next_move(workflow, position, values)
        if onward is None or isinstance(onward, Problem):
            return position
        position = onward


# --- outward -------------------------------------------------------------------------------------------------------


def stops(workflow: Workflow, position: Position) -> bool:
    """Whether a failure here stops the order: the nearest Options with an opinion says (J341)."""
    at: Position | None = position
    while at is not None:
        instruction = workflow.at(at)
        if isinstance(instruction, Options) and instruction.stop_on_failure is not None:
            return instruction.stop_on_failure
        at = outer(at)
    return False


class Way(NamedTuple):
    """The way out of the blocks: the Locks that are left, innermost first, and where it ends."""

    left: tuple[tuple[str, ...], ...]
    """The lock paths of each Lock instruction."""
    end: Position
    """The failing instruction, or the outermost Lock that was left; of a caught failure the catch block's start."""
    caught: bool


def way_out(workflow: Workflow, position: Position, catchable: bool) -> Way:
    """Out of the blocks to the outer level, a Fork, or (`catchable`) a Try that catches (J311, J312, J321, J332)."""
    left: list[tuple[str, ...]] = []
    end = position
    at: Position | None = position
    while at is not None:
        branch, around = branch_of(at), outer(at)
        if branch is None or around is None or _is_fork(branch):
            break
        if branch == "lock":
            instruction = workflow.at(around)
            assert isinstance(instruction, LockInstruction)
            left.append(instruction.paths)
            end = around
        elif catchable and normalized(branch) == "try":
            number = attempt(branch)
            assert number is not None
            if not _is_last_try(workflow, around, number):
                return Way(tuple(left), step_into(around, f"catch+{number}"), True)
        at = around
    return Way(tuple(left), end, False)


def _is_last_try(workflow: Workflow, position: Position, number: int) -> bool:
    """Whether this attempt is the last of a Try whose catch block starts with a Retry (J332)."""
    instruction = workflow.at(position)
    assert isinstance(instruction, Try)
    first = instruction.catch.instructions[:1]
    most = instruction.max_tries
    return bool(first) and isinstance(first[0], Retry) and most is not None and number + 1 >= most


def retried(workflow: Workflow, position: Position) -> tuple[Position, Try, int] | None:
    """What a Retry here tries again: (the start of the next attempt, the Try, the attempt from 1 that failed)."""
    at: Position | None = position
    while at is not None:
        branch, around = branch_of(at), outer(at)
        if branch is not None and around is not None and normalized(branch) == "catch":
            instruction, number = workflow.at(around), attempt(branch)
            assert isinstance(instruction, Try) and number is not None
            return step_into(around, f"try+{number + 1}"), instruction, number + 1
        at = around
    return None


# --- elsewhere -----------------------------------------------------------------------------------------------------


def crosses(here: Position, there: Position) -> bool:
    """Whether a way between the two goes into or out of a Lock or a Fork (J234)."""
    return _inside_of(here) != _inside_of(there)


def _inside_of(position: Position) -> Position:
    """Up to the innermost Lock or Fork."""
    for i in range(len(position) - 2, 0, -2):
        branch = str(position[i])
        if branch == "lock" or _is_fork(branch):
            return position[: i + 1]
    return ()


def shortened(workflow: Workflow, position: Position) -> Position:
    """With the numbers of attempts that make no difference any more as one: of a Try without limit (J331).

    So a workflow that tries for ever has finitely many states. Not to be used where `tryCount` is read.
    """
    made = list(position)
    for i in range(1, len(position), 2):
        number = attempt(str(position[i]))
        if number is not None:
            instruction = workflow.at(position[:i])
            if isinstance(instruction, Try) and instruction.max_tries is None:
                made[i] = f"{normalized(str(position[i]))}+{min(number, len(instruction.retry_delays))}"
    return tuple(made)
