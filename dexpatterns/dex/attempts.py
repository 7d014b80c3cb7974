"""How a call begins, fails and is tried again (D-6, D-8, D-10 to D-13, D-20).

When a call begins, everything that its attempts will do is settled, since they all see its first snapshot (D-8).
So what a state holds is not the snapshot but what the attempts will do when they are saved, and two states that
differ only in what nobody will look at are one state.
"""

from __future__ import annotations

from functools import partial

from dexpatterns.dex import events as ev
from dexpatterns.dex import locking
from dexpatterns.dex.context import Call
from dexpatterns.dex.draft import Draft
from dexpatterns.dex.handlers import Move
from dexpatterns.dex.options import FlowStatus
from dexpatterns.dex.rules import CallSpec, Rules
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
from dexpatterns.engine.values import Data, new

__all__ = ["ATTEMPT_LOST", "ATTEMPT_TIMED_OUT", "begin", "begin_call", "fail", "retry"]

ATTEMPT_LOST = ("its worker was lost", "AttemptLost")
ATTEMPT_TIMED_OUT = ("it outlived its method timeout", "AttemptTimedOut")


def begin(draft: Draft, e: Execution) -> None:
    """Begin a queued call of a Step: take its locks, then its snapshot."""
    locks = e.call.locks
    if locks:
        locking.leave_group(draft.state, e)
        locking.take(draft.state, locks, e.path)
    begin_call(draft, e)


def begin_call(draft: Draft, e: Execution) -> None:
    """Begin the first attempt of a call, whose locks are taken."""
    # Nothing was written or published in this move yet, so the state that it found is the snapshot.
    rules, snapshot = draft.rules, draft.before
    # As many good attempts may yet be hit by faults as are left, and every one that can outlive its timeout.
    hits = sum(draft.state.faults) if e.call.may_be_hit else 0
    told = new(Call, (
        rules.spec.name, e.path, e.parent, 1, draft.now, e.recovery, e.wait_failed, e.taken,
        fired_flags(e.wait.wait, e.fired) if e.wait is not None else (), snapshot.attributes.get, snapshot.size_of,
    ))  # fmt: skip
    plan = _plan(rules, e.call, e.input, told, 0.0, hits)
    e = e.evolve()
    e.first_at, e.plan = draft.now, plan
    _run(draft, e)


def retry(draft: Draft, e: Execution) -> None:
    """Begin the next attempt: the snapshot is that of the first one, and the locks are still held (D-8, D-20)."""
    _run(draft, e.evolve())


def _run(draft: Draft, e: Execution) -> None:
    plan, call = e.plan, e.call
    assert plan is not None
    e.phase, e.ends = RUNNING, plan.ends
    e.weight = running_weight(call.is_step, plan.ends, call.may_be_hit)
    draft.events.append(new(ev.Began, (e.path, e.step, call.method, e.attempt, plan.outcome.reads, call.locks)))
    draft.put(e)


def _plan(rules: Rules, call: CallSpec, input: Data, told: Call, delays: float, spare: int) -> Plan:
    """What this attempt does, and the plan of the next ones, as many as may come to happen.

    The last one is one that is saved whatever comes, or that the retry policy allows no other after.
    """
    number, policy = told.attempt, call.retry
    ends = rules.ways_to_end(call, input, number)
    outcome = rules.handlers.outcome(call.owner, call.method, call.handler, input, told)
    if ends == 1 and outcome.effect.error is None:
        spare -= 1
    if spare < 0 or policy is None or not policy.allows(number, delays):
        return Plan(ends, outcome, None)
    delays += policy.delay_seconds(number)
    following = told._replace(attempt=number + 1)
    return Plan(ends, outcome, LaterPlan(partial(_plan, rules, call, input, following, delays, spare)))


def fail(draft: Draft, e: Execution, error: tuple[str, str], how: str) -> None:
    """The running attempt failed: try again, or go the way of a failure for good.

    `how` is 'raised', 'lost' or 'late'; for the Flow they are the same (D-10).
    """
    assert e.plan is not None
    outcome, rest, policy = e.plan.outcome, e.plan.rest, e.call.retry
    then, delay = e.call.then, 0.0
    # The plan ends with the last attempt that the delays allow; where there is a clock, all of the time counts.
    if policy is not None and rest is not None and policy.allows(e.attempt, draft.now - e.first_at):
        then, delay = "retry", policy.delay_seconds(e.attempt)
    detail, error_type = error
    draft.events.append(
        ev.Failed(e.path, e.step, e.call.method, e.attempt, error_type, detail, how, then, delay,
                  policy.limit if policy is not None else 1)
    )  # fmt: skip
    draft.events.extend(ev.Recorded(e.path, e.step, name, value) for name, value in outcome.recorded)
    if how == "late":
        code = LateCode(e.path, e.step, e.call.method, e.attempt)
        draft.state.late = draft.state.late.set(code.key, code)
    if then == "retry":
        e = e.evolve()
        e.phase, e.attempt, e.plan, e.ends = RETRYING, e.attempt + 1, rest, 0
        e.weight = weight_of(e.call.is_step, RETRY)
        draft.put(e)
    else:
        locking.release(draft.state, e.call.locks)
        _LEAVE[then](draft, e, error)


def _route(draft: Draft, e: Execution, error: tuple[str, str]) -> None:
    assert e.call.route is not None
    step, options = e.call.route
    draft.start(e, (Move(step, e.input, options),), "route", recovery=error)


def _proceed(draft: Draft, e: Execution, error: tuple[str, str]) -> None:
    e = e.evolve()
    e.recovery, e.wait_failed = error, True
    draft.queue(e, draft.rules.call(e.step, "execute", e.call.options))


def _end_call(draft: Draft, e: Execution, error: tuple[str, str]) -> None:
    draft.state.executions = draft.state.executions.remove(e.path)


def _fail_flow(draft: Draft, e: Execution, error: tuple[str, str]) -> None:
    draft.close(FlowStatus.FAILED, f"{e.step}.{e.call.method}: {error[1]}: {error[0]}")


_LEAVE = {"route": _route, "proceed": _proceed, "caller": _end_call, "flow_failed": _fail_flow}
"""What follows a failure for good, by `Failed.then` (D-12, D-13, D-26, D-27)."""
