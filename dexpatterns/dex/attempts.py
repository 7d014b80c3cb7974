"""How a call begins, fails and is tried again (D-6, D-8, D-10 to D-13, D-20).

When a call begins, everything that its attempts will do is settled, since they all see its first snapshot (D-8).
So what a state holds is not the snapshot but what the attempts will do when they are saved, and two states that
differ only in what nobody will look at are one state.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from dexpatterns.dex import events as ev
from dexpatterns.dex import locking
from dexpatterns.dex.context import Call
from dexpatterns.dex.draft import Draft, Rules
from dexpatterns.dex.handlers import Move
from dexpatterns.dex.options import FlowStatus, RetryPolicy, WaitForFailurePolicy
from dexpatterns.dex.state import (
    RETRY,
    RETRYING,
    RUNNING,
    Execution,
    LateCode,
    LaterPlan,
    Plan,
    running_weight,
    weight_of,
)
from dexpatterns.dex.waiting import fired_flags
from dexpatterns.engine.values import new

__all__ = ["ATTEMPT_LOST", "ATTEMPT_TIMED_OUT", "begin", "begin_call", "fail", "retry"]

ATTEMPT_LOST = ("its worker was lost", "AttemptLost")
ATTEMPT_TIMED_OUT = ("it outlived its method timeout", "AttemptTimedOut")
_DEFAULT_RETRY = RetryPolicy()


def begin(draft: Draft, e: Execution) -> None:
    """Begin a queued call of a Step: take its locks, then its snapshot."""
    if e.lockset:
        locking.leave_group(draft.state, e)
        locking.take(draft.state, e.lockset, e.path)
    begin_call(draft, e)


def begin_call(draft: Draft, e: Execution) -> None:
    """Begin the first attempt of a call, whose locks are taken."""
    # Nothing was written or published in this move yet, so the state that it found is the snapshot.
    rules, snapshot = draft.rules, draft.before
    # As many good attempts may yet be hit by faults as are left, and every one that can outlive its timeout.
    hits = sum(draft.state.faults) if e.step in rules.hit_steps and e.is_step else 0
    call = new(Call, (
        rules.spec.name, e.path, e.parent, 1, draft.now, e.recovery, e.wait_failed, e.taken,
        fired_flags(e.wait.wait, e.fired) if e.wait is not None else (), snapshot.attributes.get, snapshot.size_of,
    ))  # fmt: skip
    plan = _plan(rules, rules.handler(e), e, call, 0.0, hits)
    e = e.evolve()
    e.first_at, e.plan = draft.now, plan
    _run(draft, e)


def retry(draft: Draft, e: Execution) -> None:
    """Begin the next attempt: the snapshot is that of the first one, and the locks are still held (D-8, D-20)."""
    _run(draft, e.evolve())


def _run(draft: Draft, e: Execution) -> None:
    plan = e.plan
    assert plan is not None
    e.phase, e.ends = RUNNING, plan.ends
    draft.events.append(new(ev.Began, (e.path, e.step, e.method, e.attempt, plan.outcome.reads, e.lockset)))
    e.weight = running_weight(e.is_step, e.ends, e.is_step and e.step in draft.rules.hit_steps)
    draft.put(e)


def _plan(rules: Rules, handler: Callable[..., Any], e: Execution, call: Call, delays: float, spare: int) -> Plan:
    """What this attempt of `e` does, and the plan of the next ones, as many as may come to happen.

    The last one is one that is saved whatever comes, or that the retry policy allows no other after.
    """
    number = call.attempt
    ends = rules.ways_to_end(e, number)
    outcome = rules.handlers.outcome(e.step, e.method, handler, e.input, call)
    if ends == 1 and outcome.effect.error is None:
        spare -= 1
    policy = policy_of(rules, e) if spare >= 0 else None
    if policy is None or not policy.allows(number, delays):
        return Plan(ends, outcome, None)
    delays += policy.delay_seconds(number)
    following = call._replace(attempt=number + 1)
    return Plan(ends, outcome, LaterPlan(partial(_plan, rules, handler, e, following, delays, spare)))


def policy_of(rules: Rules, e: Execution) -> RetryPolicy | None:
    """The retry policy of a call; an RPC is not retried (D-26), the timeout handler has the default (D-27)."""
    if e.is_step:
        options = rules.options(e)
        return options.execute_retry if e.method == "execute" else options.wait_for_retry
    return _DEFAULT_RETRY if e.method == "handle_timeout" else None


def fail(draft: Draft, e: Execution, error: tuple[str, str], how: str) -> None:
    """The running attempt failed: try again, or go the way of a failure for good.

    `how` is 'raised', 'lost' or 'late'; for the Flow they are the same (D-10).
    """
    assert e.plan is not None
    outcome, rest = e.plan.outcome, e.plan.rest
    policy = policy_of(draft.rules, e)
    delay = 0.0
    then = ""
    if policy is not None:
        delay = policy.delay_seconds(e.attempt)
        # The plan ends with the last attempt that the delays allow; where there is a clock, all of the time counts.
        if rest is not None and policy.allows(e.attempt, draft.now - e.first_at):
            then = "retry"
    if not then:
        then, delay = _after_all(draft, e), 0.0
    detail, error_type = error
    draft.events.append(
        ev.Failed(e.path, e.step, e.method, e.attempt, error_type, detail, how, then, delay,
                  policy.limit if policy is not None else 1)
    )  # fmt: skip
    draft.events.extend(ev.Recorded(e.path, e.step, name, value) for name, value in outcome.recorded)
    if how == "late":
        code = LateCode(e.path, e.step, e.method, e.attempt)
        draft.state.late = draft.state.late.set(code.key, code)
    if then == "retry":
        e = e.evolve()
        e.phase, e.attempt, e.plan, e.ends = RETRYING, e.attempt + 1, rest, 0
        e.weight = weight_of(e.is_step, RETRY)
        draft.put(e)
    else:
        locking.release(draft.state, e.lockset)
        _LEAVE[then](draft, e, error)


def _after_all(draft: Draft, e: Execution) -> str:
    if e.method == "rpc":
        return "caller"
    if e.is_step:
        options = draft.rules.options(e)
        if e.method == "execute" and options.execute_failure_route is not None:
            return "route"
        if e.method == "wait_for" and options.wait_for_failure is WaitForFailurePolicy.PROCEED:
            return "proceed"
    return "flow_failed"


def _route(draft: Draft, e: Execution, error: tuple[str, str]) -> None:
    route = draft.rules.options(e).execute_failure_route
    assert route is not None
    cls, options = route
    draft.start(e, (Move(draft.rules.spec.by_class[cls].name, e.input, options),), "route", recovery=error)


def _proceed(draft: Draft, e: Execution, error: tuple[str, str]) -> None:
    e = e.evolve()
    e.recovery, e.wait_failed = error, True
    draft.queue(e, "execute")


def _end_call(draft: Draft, e: Execution, error: tuple[str, str]) -> None:
    draft.state.executions = draft.state.executions.remove(e.path)


def _fail_flow(draft: Draft, e: Execution, error: tuple[str, str]) -> None:
    draft.close(FlowStatus.FAILED, f"{e.step}.{e.method}: {error[1]}: {error[0]}")


_LEAVE = {"route": _route, "proceed": _proceed, "caller": _end_call, "flow_failed": _fail_flow}
"""What follows a failure for good, by `Failed.then` (D-12, D-13, D-26, D-27)."""
