"""What an order does when it is looked at: at most one instruction, told in events (J303 to J351).

`advance` is called again and again until an order has nothing more to do without a person, a clock or another order.
What only moves is folded into one move (J305). The instructions are a table; failing and leaving stand in `leaving`,
what a person does in `commands`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

from dexpatterns.engine.values import freeze
from dexpatterns.js7 import events as ev
from dexpatterns.js7 import outcomes
from dexpatterns.js7.draft import Draft, demanded
from dexpatterns.js7.evaluation import Problem, number, text
from dexpatterns.js7.forking import carry_out_fork, join
from dexpatterns.js7.instructions import (
    End,
    ExecuteAnonymous,
    ExecuteNamed,
    Fail,
    Finish,
    Fork,
    ForkList,
    If,
    LockInstruction,
    Options,
    Prompt,
    Retry,
    Sleep,
    Try,
)
from dexpatterns.js7.leaving import cancel, fail, leave
from dexpatterns.js7.locks import Refusal
from dexpatterns.js7.positions import Position, branch_of, following, outer, step_into, try_count
from dexpatterns.js7.state import CANCELLABLE, OrderState
from dexpatterns.js7.walking import cases, fold, fork_position, next_move, retried, stops

__all__ = ["advance", "answered", "awake", "processed"]


def advance(draft: Draft, order: OrderState) -> None:
    """The next thing that the order does by itself; nothing where it has to wait."""
    state = order.state
    if state in ("Finished", "Cancelled") and order.parent is None:
        if order.delete:
            draft.delete(order)
    elif order.mark == "cancel" and state in CANCELLABLE:
        cancel(draft, order)
    elif order.mark and order.mark != "cancel" and state in ("Fresh", "Ready"):
        draft.emit(ev.OrderSuspended(order.id))
    elif order.halted:
        return
    elif state in ("FailedInFork", "Cancelled"):
        assert order.parent is not None
        join(draft, order.parent)
    elif state == "Forked":
        join(draft, order.id)
    elif state in ("Fresh", "Ready", "Processed"):
        if order.failed:
            fail(draft, order, uncatchable=outcomes.uncatchable(order.outcome))
        elif state == "Processed":
            move(draft, order, following(order.position))
        else:
            instruction = draft.rules.workflow(order).at(order.position)
            _CARRY_OUT[type(instruction)](draft, order, instruction)


def start(draft: Draft, order: OrderState) -> OrderState:
    """Before the first instruction that does more than move it, the order starts (J303)."""
    return draft.emit(ev.OrderStarted(order.id)) if order.state == "Fresh" else order


def move(draft: Draft, order: OrderState, to: Position) -> None:
    """The order goes there, and on through all that only moves (J305)."""
    rules = draft.rules
    draft.emit(ev.OrderMoved(order.id, fold(rules.workflow(order), to, lambda: rules.values(order))))


def disrupt(draft: Draft, order: OrderState, problem: str) -> None:
    """The instruction cannot be carried out (J314)."""
    fail(draft, order, outcomes.disrupted(problem))


# --- one function for each instruction -------------------------------------------------------------------------------


def _lock(draft: Draft, order: OrderState, instruction: LockInstruction) -> None:
    made = draft.locks.request(order.id, instruction.demands, order.priority)
    if isinstance(made, Refusal):
        disrupt(draft, order, made.text)
        return
    start(draft, order)
    draft.locks, granted = made
    event = ev.OrderLocksAcquired if granted else ev.OrderLocksQueued
    draft.emit(event(order.id, demanded(instruction.demands)))


def _move_only(draft: Draft, order: OrderState, instruction: Try | If) -> None:
    rules = draft.rules
    onward = next_move(rules.workflow(order), order.position, lambda: rules.values(order))
    if isinstance(onward, Problem):
        disrupt(draft, order, onward.text)
    else:
        assert onward is not None
        move(draft, order, onward)


def _options(draft: Draft, order: OrderState, instruction: Options) -> None:
    """Into the block. An If that stands first there and would stop the order stops it here already (J342, J25)."""
    rules = draft.rules
    workflow, inside = rules.workflow(order), step_into(order.position, "options")
    first = workflow.at(inside)
    if isinstance(first, If) and stops(workflow, inside):
        onward = cases(first, inside, lambda: rules.values(order))
        if isinstance(onward, Problem):
            disrupt(draft, order, onward.text)
            return
    move(draft, order, inside)


def _retry(draft: Draft, order: OrderState, instruction: Retry) -> None:
    found = retried(draft.rules.workflow(order), order.position)
    assert found is not None
    again, tried, attempt = found
    order = start(draft, order)
    if tried.max_tries is not None and attempt >= tried.max_tries:
        fail(draft, order)
        return
    delay = tried.delay(attempt)
    if delay > 0:
        until = draft.now + delay
        if delay >= _ROUNDED_FROM:
            until = ceil(round(until, 6))
        draft.emit(ev.OrderRetrying(order.id, round(until * 1000), until - draft.now))
    else:
        order = draft.emit(ev.OrderRetrying(order.id, None, 0.0))
        move(draft, order, again)


_ROUNDED_FROM = 10
"""Seconds from which on a delay ends with a full second (J333)."""


def _fail(draft: Draft, order: OrderState, instruction: Fail) -> None:
    message: str | None = None
    if instruction.message is not None:
        found = text(instruction.message, draft.rules.values(order), try_count(order.position))
        if isinstance(found, Problem):
            disrupt(draft, order, found.text)
            return
        message = found
    values = instruction.named_values.plain if instruction.named_values is not None else None
    outcome = outcomes.failed(message, values, instruction.uncatchable)
    fail(draft, start(draft, order), outcome, uncatchable=instruction.uncatchable)


def _finish(draft: Draft, order: OrderState, instruction: Finish) -> None:
    outcome = None
    if instruction.succeeded is not None:
        values = instruction.named_values.plain if instruction.named_values is not None else None
        outcome = outcomes.succeeded(values) if instruction.succeeded else outcomes.failed(instruction.message, values)
    order = start(draft, order)
    fork = fork_position(order.position)
    leave(draft, order)
    if fork is None:
        draft.emit(ev.OrderFinished(order.id, outcome))
        return
    if outcome is not None:
        draft.emit(ev.OrderOutcomeAdded(order.id, outcome))
    if outcome is None or outcomes.good(outcome):
        branch = order.position[: len(fork) + 1]
        block = draft.rules.workflow(order).block_at((*branch, 0))
        assert block is not None
        draft.emit(ev.OrderMoved(order.id, (*branch, len(block.instructions))))


def _prompt(draft: Draft, order: OrderState, instruction: Prompt) -> None:
    question = draft.rules.evaluated(order, instruction.question)
    if isinstance(question, Problem):
        disrupt(draft, order, question.text)
        return
    start(draft, order)
    draft.emit(ev.OrderPrompted(order.id, freeze(question)))


def _sleep(draft: Draft, order: OrderState, instruction: Sleep) -> None:
    seconds = number(instruction.duration, draft.rules.values(order), try_count(order.position))
    if isinstance(seconds, Problem):
        disrupt(draft, order, seconds.text)
        return
    order = start(draft, order)
    if seconds > 0:
        draft.emit(ev.OrderSleeping(order.id, round((draft.now + seconds) * 1000), float(seconds)))
    else:
        move(draft, order, following(order.position))


def _execute(draft: Draft, order: OrderState, instruction: ExecuteNamed | ExecuteAnonymous) -> None:
    job = instruction.job_name if isinstance(instruction, ExecuteNamed) else instruction.label or ""
    order = start(draft, order)
    attempt = order.ran(job) + 1
    order = draft.emit(ev.OrderProcessingStarted(order.id, job, attempt))
    draft.put(order.evolve(ends=draft.rules.ways_to_end(order.id, job, attempt)))


def _end(draft: Draft, order: OrderState, instruction: End) -> None:
    branch, around = branch_of(order.position), outer(order.position)
    if branch is None or around is None:
        start(draft, order)
        draft.emit(ev.OrderFinished(order.id, None))
    elif branch == "lock":
        held = draft.rules.workflow(order).at(around)
        assert isinstance(held, LockInstruction)
        order = draft.release(order.id, held.paths)
        onward = fold(draft.rules.workflow(order), order.position, lambda: draft.rules.values(order))
        if onward != order.position:
            draft.emit(ev.OrderMoved(order.id, onward))
    elif order.parent is not None and fork_position(order.position) == around:
        join(draft, order.parent)
    else:
        move(draft, order, following(around))


_CARRY_OUT: dict[type[Any], Callable[[Draft, OrderState, Any], None]] = {
    LockInstruction: _lock,
    Try: _move_only,
    If: _move_only,
    Options: _options,
    Retry: _retry,
    Fail: _fail,
    Finish: _finish,
    Fork: carry_out_fork,
    ForkList: carry_out_fork,
    ExecuteNamed: _execute,
    ExecuteAnonymous: _execute,
    Prompt: _prompt,
    Sleep: _sleep,
    End: _end,
}


# --- what the clock and a person start --------------------------------------------------------------------------------


def awake(draft: Draft, order: OrderState) -> None:
    """What the order slept or waited for is over (J333)."""
    if order.state == "Sleeping":
        move(draft, order, following(order.position))
        return
    found = retried(draft.rules.workflow(order), order.position)
    assert found is not None
    draft.emit(ev.OrderAwoke(order.id))
    draft.emit(ev.OrderMoved(order.id, found[0]))


def answered(draft: Draft, order: OrderState) -> None:
    """The question was answered. What follows is looked at afterwards: the answer cannot fail."""
    draft.emit(ev.OrderPromptAnswered(order.id))
    draft.emit(ev.OrderMoved(order.id, following(order.position)))


def processed(draft: Draft, order: OrderState, succeeded: bool) -> None:
    """The job of the order ended."""
    draft.emit(ev.OrderProcessed(order.id, outcomes.JOB_SUCCEEDED if succeeded else outcomes.JOB_FAILED))
