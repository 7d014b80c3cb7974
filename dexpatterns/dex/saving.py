"""What happens when the result of a call is saved: all of it at once, in the order of D-22."""

from __future__ import annotations

from collections.abc import Callable

from dexpatterns.dex import cancelling, locking, settling
from dexpatterns.dex import events as ev
from dexpatterns.dex.draft import Draft
from dexpatterns.dex.handlers import Decision, Outcome
from dexpatterns.dex.options import FlowStatus
from dexpatterns.dex.state import FIRE, WAITING, Execution, State, weight_of
from dexpatterns.dex.wait import Wait
from dexpatterns.engine.values import Data, new

__all__ = ["save"]


def save(draft: Draft, e: Execution, outcome: Outcome) -> None:
    """Save the result of the running attempt of `e`, whose outcome is no failure."""
    effect = outcome.effect
    result = effect.result
    assert result is not None
    word = "wait" if isinstance(result, Wait) else "" if result.kind == "rpc" else result.kind
    draft.events.append(new(ev.Saved, (e.path, e.step, e.call.method, e.attempt, word)))
    for name, value in outcome.recorded:
        draft.events.append(ev.Recorded(e.path, e.step, name, value))
    if effect.writes:
        draft.write(e.path, e.step, effect.writes)
    if effect.published:
        draft.publish(e.path, e.step, effect.published)
    if e.call.locks:
        locking.release(draft.state, e.call.locks)
    if isinstance(result, Wait):
        _save_wait(draft, e, result)
    else:
        _MEANING[result.kind](draft, e, result)


def _save_wait(draft: Draft, e: Execution, wait: Wait) -> None:
    e = e.evolve()
    e.phase, e.attempt, e.plan, e.ends = WAITING, 1, None, 0
    e.wait, e.fired = draft.rules.plan(wait), 0
    e.weight = weight_of(True, FIRE) if wait.timers else weight_of(True)
    draft.put(e)
    settling.enter_group(draft.state, e)
    draft.new_waits.append(settling.group_of(e))
    draft.events.append(new(ev.Waiting, (e.path, e.step, wait.text, wait.channels)))


def _go_on(draft: Draft, e: Execution, decision: Decision, why: str = "go_to") -> None:
    if decision.cancels or decision.cancel_siblings:
        cancelling.cancel(draft, e, decision.cancels, decision.cancel_siblings)
    if decision.moves:
        draft.start(e, decision.moves, why)
    else:
        draft.state.executions = draft.state.executions.remove(e.path)


def _answer(draft: Draft, e: Execution, decision: Decision) -> None:
    _go_on(draft, e, decision, "rpc")


def _ask_for_end(draft: Draft, e: Execution, decision: Decision) -> None:
    _go_on(draft, e, decision)
    draft.state.graceful = True
    draft.state.outputs += _outputs(decision)
    draft.events.append(ev.GracefulAsked(e.path, e.step))


def _force_complete(draft: Draft, e: Execution, decision: Decision) -> None:
    _go_on(draft, e, decision)
    draft.close(FlowStatus.COMPLETED, "", draft.state.outputs + _outputs(decision))


def _force_fail(draft: Draft, e: Execution, decision: Decision) -> None:
    _go_on(draft, e, decision)
    draft.close(FlowStatus.FAILED, decision.reason)


def _complete_if_empty(draft: Draft, e: Execution, decision: Decision) -> None:
    """Judged after the cancellations: own publications and returned messages count (D-22)."""
    fallback, decision = decision.moves, decision._replace(moves=())
    cancelling.cancel(draft, e, decision.cancels, decision.cancel_siblings)
    if all(_is_empty(draft.state, name, is_map) for name, is_map in decision.channels):
        draft.state.executions = draft.state.executions.remove(e.path)
        draft.close(FlowStatus.COMPLETED, "", draft.state.outputs + _outputs(decision))
    else:
        draft.start(e, fallback, "fallback")


def _is_empty(state: State, name: str, is_map: bool) -> bool:
    if not is_map:
        return state.size_of(name) == 0
    prefix = f"{name}/"
    return not any(queue and entry.startswith(prefix) for entry, queue in state.channels.loose())


def _outputs(decision: Decision) -> tuple[Data, ...]:
    return () if decision.output is None else (decision.output,)


_MEANING: dict[str, Callable[[Draft, Execution, Decision], None]] = {
    "go_to": _go_on,
    "go_to_many": _go_on,
    "dead_end": _go_on,
    "rpc": _answer,
    "graceful_complete": _ask_for_end,
    "force_complete": _force_complete,
    "force_fail": _force_fail,
    "force_complete_if_channels_empty": _complete_if_empty,
}
"""What each decision does once the decider's writes are saved (D-18); a handler cannot make another."""
