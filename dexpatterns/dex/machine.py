"""Gives a Flow its meaning: what may happen in a state, and what it leads to, by the rules D-1 to D-29.

`FlowMachine` keeps the protocol of `engine.machine`. Its moves are a table; each line of it is a choice that the
rules promise, and nothing else can change a state. It knows no clock and draws nothing: the time that a handler may
ask for is an argument, and what takes how long is told to whoever simulates (`timed`).

| choice | whom | what happens |
|---|---|---|
| take | an execution whose Wait is ready | the Wait completes and takes its messages (D-15a, D-16) |
| begin | a queued call | it takes its locks and its snapshot (D-6, D-20) |
| commit | a running attempt | its result is saved, or its failure (D-7, D-10) |
| retry | a call between attempts | its next attempt begins (D-11) |
| fire | an execution that waits | its next timer fires (D-17) |
| call, stop | an event of the scenario | an RPC begins, the Flow is stopped (D-26, D-27) |
| timeout | the Flow | its timeout is reached (D-27) |
| end | code that was given up | it comes to its end (D-10) |
| give_up | a running attempt | it outlives its method timeout, as the scenario says that it may (D-10) |
| lose, late | a running attempt | a fault: its worker is lost, or it is given up and its code runs on (D-10) |
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from dexpatterns.dex import attempts, locking, settling
from dexpatterns.dex import events as ev
from dexpatterns.dex.channel import ChannelMap
from dexpatterns.dex.choices import CALLS, FlowChoices, external_choices, is_possible, late_code
from dexpatterns.dex.clocks import CLOCKS
from dexpatterns.dex.context import text_of
from dexpatterns.dex.definition import FlowSpec, check_value, compile_flow
from dexpatterns.dex.draft import Draft
from dexpatterns.dex.flow import Flow
from dexpatterns.dex.options import FlowStatus, FlowTimeoutPolicy, StopType
from dexpatterns.dex.rules import HANDLE_TIMEOUT, RPC, Rules
from dexpatterns.dex.saving import save
from dexpatterns.dex.scenario import Faults, Scenario, Stop, check_world
from dexpatterns.dex.state import ACTIVE, FIRE, PHASES, WAITING, Execution, State, weight_of
from dexpatterns.dex.waiting import timer_order
from dexpatterns.engine.machine import Choice, Event, Lineage, Timed
from dexpatterns.engine.values import NOTHING, Data, freeze
from dexpatterns.errors import InputError, ScheduleError

__all__ = ["FlowMachine"]

_RUNNING = FlowStatus.RUNNING
"""An attribute of an Enum costs more than a name, and every move asks."""


class FlowMachine:
    """A Flow with its input, and the scenario and faults that it is tried under.

    `flow` is an instance, or a class without constructor arguments; `input` is what the starting Step is given.
    Raises `FlowDefinitionError` (D-5), `ValueNotDataError` or `InputError` before anything runs.
    """

    kind = "dex"
    patient = frozenset({"call", "stop"})
    """What comes from outside waits for its turn: for a lock that is held, for the use of it before (D-26)."""

    def __init__(
        self,
        flow: Flow[Any] | type[Flow[Any]],
        input: Any = NOTHING,
        *,
        scenario: Scenario | None = None,
        faults: Faults | None = None,
        memo: bool = True,
        rerun: bool = False,
    ) -> None:
        self.spec: FlowSpec = compile_flow(flow)
        check_world(self.spec, scenario, faults)
        self.rules = Rules(self.spec, scenario or Scenario(), faults or Faults(), memo=memo, rerun=rerun)
        self.input = self._start_input(input)
        self._undisturbed = not self.rules.events and not self.rules.hit_steps
        """Whether no event of the scenario and no fault can come, in any state."""
        self._idents: dict[Hashable, int] = {}

    @property
    def name(self) -> str:
        return self.spec.name

    def _start_input(self, value: Any) -> Data:
        start = self.spec.start
        if start is None:
            if value is not NOTHING and value is not None:
                raise InputError(
                    f"Flow {self.spec.name!r} has no starting Step and so takes no input, got a "
                    f"{type(value).__name__}; use StepList.start_step(...), or start it without input"
                )
            return freeze(None)
        value = None if value is NOTHING else value
        fault = check_value(start.input_type, value)
        if fault:
            raise InputError(f"the input of Flow {self.spec.name!r} (Step {start.name!r}): {fault}")
        return freeze(value)

    # The protocol.

    def initial(self) -> State:
        return self.start()[0]

    def start(self) -> tuple[State, tuple[Event, ...]]:
        """The first state, and the events of the start itself."""
        rules = self.rules
        faults = rules.faults
        state = State.empty(
            tuple(event.times for event in rules.events),
            (faults.lost_attempts, faults.late_attempts) if rules.hit_steps else (0, 0),
            rules.scenario.options.timeout is not None,
        )
        draft = Draft(rules, state, 0.0)
        draft.events.append(ev.FlowStarted(self.spec.name, self.input))
        if self.spec.start is not None:
            step = self.spec.start.name
            first = Execution.start((0, 0), (), step, self.input, rules.first_call(step, None))
            draft.events.append(ev.Stepped(first.path, step, self.input, (), "", "start"))
            draft.enter(first)
        return draft.state, tuple(draft.events)

    def choices(self, state: State) -> FlowChoices:
        return FlowChoices(self.rules, state)

    def calm(self, state: State) -> bool:
        return self._undisturbed and not state.ready and not state.lock_groups.weight and state.status is _RUNNING

    def apply(self, state: State, choice: Choice, now: float = 0.0) -> tuple[State, tuple[Event, ...]]:
        """What the choice leads to; raises `ScheduleError` when it is not possible in this state."""
        move = _MOVES.get(choice.kind)
        e = state.executions.get(choice.path)
        if move is None or not is_possible(self.rules, state, choice, e):
            raise ScheduleError(self._not_possible(state, choice))
        draft = Draft(self.rules, state, now)
        move(draft, choice, e)
        if draft.touched or draft.new_waits or draft.state.ready:
            settling.settle(draft)
        after = draft.state
        if after.graceful and not after.executions.count(ACTIVE):
            draft.close(FlowStatus.COMPLETED, "", after.outputs)
        return draft.state, tuple(draft.events)

    def _not_possible(self, state: State, choice: Choice) -> str:
        if state.status is not FlowStatus.RUNNING:
            return f"{str(choice)!r} is not possible: the Flow is closed ({state.status.name})"
        some = [str(c) for _, c in zip(range(6), self.choices(state), strict=False)]
        return f"{str(choice)!r} is not possible here; possible are: {', '.join(some) or 'none'}"

    def merges(self, state: State, choice: Choice) -> tuple[Choice, ...]:
        """The ends of an attempt that read nothing of the state and took no lock when it began.

        A later begin would have done the same. All attempts of the call must be so, since they share its snapshot;
        a retry has no snapshot of its own.
        """
        if choice.kind != "begin" and choice.kind != "retry":
            return ()
        e = state.executions.get(choice.path)
        if e is None or (choice.kind == "begin" and (e.call.locks or any(outcome.reads for outcome in e.plan))):
            return ()
        kinds = (("commit", e.ends & 1), ("give_up", e.ends & 2), *self._faults_on(state, e))
        return tuple([Choice(kind, choice.name, choice.path) for kind, may in kinds if may])

    def _faults_on(self, state: State, e: Execution) -> tuple[tuple[str, int], ...]:
        if not e.call.may_be_hit:
            return ()
        lost, late = state.faults
        return (("lose", lost), ("late", late))

    def timed(self, state: State, events: Iterable[Event], draw: Any) -> list[Timed]:
        """What these events have set running, and how long each takes by the scenario and the policies."""
        found: list[Timed] = []
        for event in events:
            clock = CLOCKS.get(type(event))
            if clock is not None:
                found += clock(self.rules, state, event, draw)
        return found

    def describe(self, state: State) -> dict[str, Any]:
        """`status`, `reason`, `outputs`, `attributes`, `channels` (a map's entry is `name/key`), `steps` (the
        living ones in lineage order: id, step, method, phase, attempt, input), `calls` (RPCs and the timeout handler
        in flight), `late` (code that was given up and runs on) and `locks` (lock to holder's id).
        """
        return {
            "status": state.status.name,
            "reason": state.reason,
            "outputs": [value.plain for value in state.outputs if state.status is FlowStatus.COMPLETED],
            "attributes": {name: value.plain for name, value in state.attributes},
            "channels": {name: [v.plain for v in queue] for name, queue in self._queues(state)},
            "steps": [_told(e) for e in state.executions.items() if e.call.is_step],
            "calls": [_told(e) for e in state.executions.items() if not e.call.is_step],
            "late": [{"id": text_of(code.path), **code._asdict(), "path": None} for code in state.late.items()],
            "locks": {name: text_of(path) for name, path in state.locks},
        }

    def describe_definition(self) -> dict[str, Any]:
        """What the Flow is made of, by name: `steps`, `channels`, `attributes`, `rpcs`."""
        spec = self.spec
        return {
            "steps": sorted(spec.by_name),
            "channels": sorted(spec.channels),
            "attributes": sorted(spec.attributes),
            "rpcs": sorted(spec.rpcs),
        }

    def _queues(self, state: State) -> Iterator[tuple[str, Any]]:
        """Every plain Channel, and every entry of a ChannelMap that was ever used."""
        plain = {name: () for name, channel in self.spec.channels.items() if not isinstance(channel, ChannelMap)}
        yield from sorted({**plain, **dict(state.channels)}.items())

    @property
    def names_matter(self) -> bool:
        """Whether a handler has asked for an id, by which it can tell what `key` would take as one (D-9)."""
        return self.rules.handlers.ids_asked

    def key(self, state: State) -> Hashable:
        """Equal for two states that differ only in the names of lineages: order and siblings are kept (D-24).

        Once names matter, they are kept too.
        """
        number = self._number
        executions = state.executions
        if executions.ident is None:
            found = []
            for e in executions.items():
                if e.ident is None:
                    e.ident = number(e.content())
                found.append(e.ident)
            names = tuple([(e.path, e.parent) for e in executions.items()]) if self.names_matter else ()
            executions.ident = number((tuple(found), state.sibling_labels(), names))
        if state.channels.ident is None:
            state.channels.ident = number(tuple([(name, q.whole) for name, q in state.channels if q]))
        if state.attributes.ident is None:
            state.attributes.ident = number(tuple(state.attributes))
        late: tuple[Any, ...] = ()
        if state.late:
            rank = self.rank(state)
            late = tuple([(rank(code.path), code.step, code.method) for code in state.late.items()])
        return (
            executions.ident, state.channels.ident, state.attributes.ident, state.externals, state.faults,
            state.timeout, state.graceful, state.outputs, late,
            "" if state.status is FlowStatus.RUNNING else state.status.name, state.reason,
            self._places(state) if self.rules.events else (),
        )  # fmt: skip

    def rank(self, state: State) -> Callable[[Lineage], int]:
        """An execution's place among the living, doubled and odd; what is gone has the even place between."""
        paths = [e.path for e in state.executions.items()]

        def rank(path: Lineage) -> int:
            i = bisect_left(paths, path)
            return 2 * i + (i < len(paths) and paths[i] == path)

        return rank

    def succeeded(self, state: State) -> bool:
        return state.status is FlowStatus.COMPLETED

    def _places(self, state: State) -> tuple[int, ...]:
        """The events that began what calls have begun, while more calls may come: those stand among them (D-24)."""
        events = zip(self.rules.events, state.externals, strict=True)
        if any(left and event.kind == "call" for event, left in events):
            return tuple([e.path[1] for e in state.executions.items() if e.path[0] == CALLS])
        return ()

    def _number(self, content: Hashable) -> int:
        idents = self._idents
        return idents.setdefault(content, len(idents))

    def outcome(self, state: State) -> str | None:
        if state.status is not FlowStatus.RUNNING:
            said = f" {[value.plain for value in state.outputs]}" if state.outputs else ""
            return f"{state.status.name}{said}{': ' + state.reason if state.reason else ''}"
        return None if state.executions or self._owed(state) else "RUNNING, idle"

    def stuck(self, state: State) -> str | None:
        """D-19: open, at least one execution waits, and nothing is enabled but events that are not owed."""
        if state.status is not FlowStatus.RUNNING or self._owed(state):
            return None
        waiting = [e for e in state.executions.items() if e.phase == WAITING]
        if not waiting:
            return None
        told = ", ".join(f"{e.step} {text_of(e.path)} waits for {e.wait.wait.text}" for e in waiting[:4])
        more = f" and {len(waiting) - 4} more" if len(waiting) > 4 else ""
        free = ", ".join(dict.fromkeys(f"{c.kind} {c.name}" for c in external_choices(self.rules, state)[1]))
        helped = f", unless an event comes that is allowed but not owed: {free}" if free else ""
        return f"{told}{more}; nothing is left that would publish{helped}"

    def _owed(self, state: State) -> bool:
        return self.choices(state).owed


# The moves: `e` is the execution that stands at the choice's path, if one does.


def _take(draft: Draft, choice: Choice, e: Any) -> None:
    settling.choose(draft, e)


def _begin(draft: Draft, choice: Choice, e: Any) -> None:
    attempts.begin(draft, e)


def _retry(draft: Draft, choice: Choice, e: Any) -> None:
    attempts.retry(draft, e)


def _commit(draft: Draft, choice: Choice, e: Any) -> None:
    outcome = e.plan.outcome
    error = outcome.effect.error
    if error is None:
        save(draft, e, outcome)
    else:
        attempts.fail(draft, e, error, "raised")


def _lose(draft: Draft, choice: Choice, e: Any) -> None:
    lost, late = draft.state.faults
    draft.state.faults = (lost - 1, late)
    attempts.fail(draft, e, attempts.ATTEMPT_LOST, "lost")


def _late(draft: Draft, choice: Choice, e: Any) -> None:
    lost, late = draft.state.faults
    draft.state.faults = (lost, late - 1)
    _give_up(draft, choice, e)


def _give_up(draft: Draft, choice: Choice, e: Any) -> None:
    attempts.fail(draft, e, attempts.ATTEMPT_TIMED_OUT, "late")


def _end(draft: Draft, choice: Choice, e: Any) -> None:
    code = late_code(draft.state, choice)
    assert code is not None
    draft.state.late = draft.state.late.remove(code.key)
    draft.events.append(ev.LateEnded(*code))


def _fire(draft: Draft, choice: Choice, e: Any) -> None:
    state = draft.state
    e = e.evolve()
    seconds, index = timer_order(e.wait.wait)[e.fired]
    settling.leave_group(state, e)
    e.fired += 1
    e.weight = weight_of(True, FIRE) if e.fired < len(e.wait.wait.timers) else weight_of(True)
    draft.put(e)
    settling.enter_group(state, e)
    draft.new_waits.append(settling.group_of(e))
    draft.events.append(ev.TimerFired(e.path, e.step, index, seconds))


def _call(draft: Draft, choice: Choice, e: Any) -> None:
    place = choice.path[1]
    _use(draft, place)
    call = draft.rules.call(choice.name, RPC)
    locking.take(draft.state, call.locks, choice.path)
    attempts.begin_call(draft, Execution.start(choice.path, (), call.owner, draft.rules.events[place].input, call))


def _stop(draft: Draft, choice: Choice, e: Any) -> None:
    place = choice.path[1]
    _use(draft, place)
    stop = draft.rules.events[place].what
    assert isinstance(stop, Stop)
    options = stop.options
    draft.events.append(ev.Stopped(options.type.name, options.reason or ""))
    draft.close(_STOPPED[options.type], options.reason or "")


def _use(draft: Draft, place: int) -> None:
    left = draft.state.externals
    draft.state.externals = (*left[:place], left[place] - 1, *left[place + 1 :])


def _timeout(draft: Draft, choice: Choice, e: Any) -> None:
    draft.state.timeout = False
    policy = draft.rules.timeout_policy
    assert policy is not None
    draft.events.append(ev.TimedOut(policy.name))
    if policy is FlowTimeoutPolicy.HANDLER:
        call = draft.rules.call(HANDLE_TIMEOUT, HANDLE_TIMEOUT)
        attempts.begin_call(draft, Execution.start(choice.path, (), HANDLE_TIMEOUT, NOTHING, call))
    else:
        draft.close(_TIMED_OUT[policy], "the Flow's timeout was reached")


_STOPPED = {
    StopType.CANCEL: FlowStatus.CANCELED,
    StopType.TERMINATE: FlowStatus.TERMINATED,
    StopType.FAIL: FlowStatus.FAILED,
}
_TIMED_OUT = {FlowTimeoutPolicy.FAIL: FlowStatus.FAILED, FlowTimeoutPolicy.CANCEL: FlowStatus.CANCELED}

_MOVES: dict[str, Callable[[Draft, Choice, Any], None]] = {
    "take": _take,
    "begin": _begin,
    "commit": _commit,
    "give_up": _give_up,
    "retry": _retry,
    "fire": _fire,
    "call": _call,
    "stop": _stop,
    "timeout": _timeout,
    "end": _end,
    "lose": _lose,
    "late": _late,
}


def _told(e: Execution) -> dict[str, Any]:
    return {
        "id": text_of(e.path),
        "step": e.step,
        "method": e.call.method,
        "phase": PHASES[e.phase],
        "attempt": e.attempt,
        "input": e.input.plain,
    }
