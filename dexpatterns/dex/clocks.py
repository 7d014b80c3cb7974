"""What takes how long: which choices an event sets running, and after how many virtual seconds they happen.

Durations come from the scenario, delays from the retry policies, timers from the Waits. Only a simulator asks; the
explorer tries these choices in every order, and nothing here can hide one from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from math import inf
from random import Random
from typing import Any

from dexpatterns.dex import events as ev
from dexpatterns.dex.choices import CALLS
from dexpatterns.dex.rules import HANDLE_TIMEOUT, Rules
from dexpatterns.dex.state import QUEUED, WAITING, Execution, LateCode, State, call_name
from dexpatterns.dex.waiting import timer_order
from dexpatterns.engine.machine import Choice, Lineage, Timed
from dexpatterns.engine.values import new

__all__ = ["CLOCKS"]


# What comes in every run returns a tuple: a generator costs more than its one announcement.


def _start(rules: Rules, state: State, event: ev.FlowStarted, draw: Random) -> Iterator[Timed]:
    for place, external in enumerate(rules.events):
        if external.seconds is not None:
            yield Timed(Choice(external.kind, external.name, (CALLS, place, 0, 0)), external.seconds)
        elif external.owed:
            # Owed without a time: it surely comes, soon or late.
            for use in range(external.times):
                yield Timed(Choice(external.kind, external.name, (CALLS, place, use, 0)), draw.expovariate(0.2))
    timeout = rules.scenario.options.timeout
    if timeout is not None:
        yield Timed(Choice("timeout", rules.spec.name, (1, 0)), timeout.total_seconds())


def _queued(rules: Rules, state: State, event: Any, draw: Random) -> tuple[Timed, ...]:
    """A call was queued: it begins at once, unless it needs a lock (then it is never announced, D-20)."""
    e: Execution | None = state.executions.get(event.path)
    if e is None or e.phase != QUEUED or e.call.locks:
        return ()
    return (new(Timed, (new(Choice, ("begin", e.call.name, e.path)), 0.0, None)),)


def _began(rules: Rules, state: State, event: ev.Began, draw: Random) -> tuple[Timed, ...]:
    e: Execution = state.executions.get(event.path)
    call = e.call
    low, high = rules.duration(call, e.input, e.attempt)
    seconds = low if low == high else draw.uniform(low, high)
    if seconds > call.timeout:
        return (new(Timed, (new(Choice, ("give_up", call.name, e.path)), call.timeout, None)),)
    return (new(Timed, (new(Choice, ("commit", call.name, e.path)), seconds, None)),)


def _failed(rules: Rules, state: State, event: ev.Failed, draw: Random) -> Iterator[Timed]:
    name = call_name(event.step, event.method)
    if event.how == "late":
        yield from _runs_on(state, LateCode(event.path, event.step, event.method, event.attempt), draw)
    if event.how != "raised":
        # What was to end this attempt must not end the next one.
        yield Timed(Choice("commit", name, event.path), inf)
        yield Timed(Choice("give_up", name, event.path), inf)
    if event.then == "retry":
        retry = Choice("retry", event.step if event.method == HANDLE_TIMEOUT else name, event.path)
        yield Timed(retry, event.delay)
    elif event.then == "proceed":
        yield from _queued(rules, state, event, draw)


def _runs_on(state: State, code: LateCode | None, draw: Random) -> Iterator[Timed]:
    """Code that nobody waits for ends when it would have ended, or some time after its timeout."""
    if code is not None and code.key in state.late:
        end = Choice("end", code.name, code.place)
        yield Timed(end, draw.expovariate(1.0), Choice("commit", code.name, code.path))


def _cancelled(rules: Rules, state: State, event: ev.Cancelled, draw: Random) -> Iterator[Timed]:
    if event.phase == "running":
        # Attempts before it may run on too; the one that was cancelled is the newest.
        own = takewhile(lambda code: code.path == event.path, (code for _, code in state.late.from_key(event.path)))
        codes = [code for code in own if code.method == event.method]
        yield from _runs_on(state, codes[-1] if codes else None, draw)


def _waiting(rules: Rules, state: State, event: Any, draw: Random) -> Iterator[Timed]:
    """A Wait was saved: its timers run from now, and fire one after another (D-17)."""
    e: Execution | None = state.executions.get(event.path)
    if e is not None and e.phase == WAITING:
        yield from _next_timer(e.path, e, 0.0)


def _fired(rules: Rules, state: State, event: ev.TimerFired, draw: Random) -> Iterator[Timed]:
    e: Execution | None = state.executions.get(event.path)
    if e is not None and e.phase == WAITING:
        yield from _next_timer(e.path, e, event.seconds)


def _next_timer(path: Lineage, e: Execution, passed: float) -> Iterator[Timed]:
    assert e.wait is not None
    if e.fired < len(e.wait.wait.timers):
        yield Timed(Choice("fire", e.call.name, path), timer_order(e.wait.wait)[e.fired][0] - passed)


CLOCKS: dict[type[Any], Callable[[Rules, State, Any, Random], Iterable[Timed]]] = {
    ev.FlowStarted: _start,
    ev.Stepped: _queued,
    ev.Consumed: _queued,
    ev.Began: _began,
    ev.Failed: _failed,
    ev.Cancelled: _cancelled,
    ev.Waiting: _waiting,
    ev.TimerFired: _fired,
}
"""By the class of an event: the timed choices that it has set running; the state is the one that it led to."""
