"""What must hold in every state of every Flow, tried on random Flows with random moves.

The books that the machine keeps (counts in the tree, groups of those that wait, locks, the table of choices) are
held against a plain walk over the executions; the events are held against a ledger that follows every message.
Rules: D-3, D-6, D-7, D-10, D-15a, D-16, D-18, D-20, D-23, D-24, D-26a, D-27, D-29.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dexpatterns.dex import FlowMachine, FlowStatus
from dexpatterns.dex.events import EVENTS
from dexpatterns.dex.state import PHASES, QUEUED, RETRYING, RUNNING, WAITING, Execution, State
from dexpatterns.dex.waiting import picked
from dexpatterns.engine.machine import Choice, Event
from dexpatterns.engine.schedule import Schedule, replay
from dexpatterns.errors import ScheduleError
from tests.dex.flows import sample
from tests.dex.random_flows import Trial, trials

KINDS = ("take", "begin", "commit", "give_up", "retry", "fire", "call", "stop", "timeout", "end", "lose", "late")
MOVES = 60


def tried(times: int) -> settings:
    """So many examples, the same ones in every run."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(
        max_examples=times, deadline=None, derandomize=True, database=None, suppress_health_check=slow,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
    )  # fmt: skip


# What a state is, by a walk over it.


def everything(state: State) -> tuple[Any, ...]:
    """All that a state holds, the derived books included, as values that do not change with it."""
    return (
        state.content(),
        tuple((key, tuple(members)) for key, (_, members) in state.waits),
        tuple(state.waits_on),
        state.ready,
        tuple(state.locks),
        tuple((locks, tuple(members), held) for locks, (members, held) in state.lock_groups),
        tuple(state.lock_index),
        state.executions.weight,
        tuple((e.path, e.weight, e.first_at, e.call.locks) for e in state.executions.items()),
    )


def is_ready(state: State, e: Execution) -> bool:
    return e.phase == WAITING and e.wait is not None and picked(e.wait.wait, e.fired, state.size_of) is not None


def free(state: State, e: Execution) -> bool:
    return all(lock not in dict(state.locks) for lock in e.call.locks)


def name_of(e: Execution) -> str:
    return f"{e.step}.{e.call.method}" if e.call.method in ("wait_for", "execute") else e.step


def expected_choices(machine: FlowMachine, state: State) -> dict[str, set[Choice]]:
    """What the rules allow, by looking at everything: those that nobody announces, timed ones, untimed ones."""
    found: dict[str, set[Choice]] = {"immediate": set(), "timed": set(), "untimed": set(), "late": set()}
    executions = state.executions.items()
    if state.status is not FlowStatus.RUNNING:
        return found
    if any(is_ready(state, e) for e in executions):
        found["immediate"] = {Choice("take", e.step, e.path) for e in executions if is_ready(state, e)}
        return found
    rules = machine.rules
    for e in executions:
        moves = []
        if e.phase == QUEUED and free(state, e):
            found["immediate" if e.call.locks else "timed"].add(Choice("begin", name_of(e), e.path))
        if e.phase == RUNNING:
            low, high, limit = 0.0, 0.0, 1.0
            if e.call.is_step:
                step = machine.spec.by_name[e.step]
                low, high = rules.scenario.duration(step.cls, e.call.method, e.input.thaw(), e.attempt)
                limit = (e.call.options or step.options).timeout_seconds(e.call.method)
            moves += ["commit"] * (low <= limit) + ["give_up"] * (high > limit)
            if e.call.is_step and e.step in rules.hit_steps:
                hits = ["lose"] * (state.faults[0] > 0) + ["late"] * (state.faults[1] > 0)
                found["untimed"] |= {Choice(kind, name_of(e), e.path) for kind in hits}
        if e.phase == RETRYING:
            moves.append("retry")
        if e.phase == WAITING and e.wait is not None and e.fired < len(e.wait.wait.timers):
            moves.append("fire")
        found["timed"] |= {Choice(kind, name_of(e), e.path) for kind in moves}
    for place, event in enumerate(rules.events):
        left = state.externals[place]
        earlier = [
            other for k, other in enumerate(rules.events)
            if state.externals[k] and event.seconds is not None and other.seconds is not None
            and other.seconds < event.seconds
        ]  # fmt: skip
        locks = rules.spec.rpcs[event.name].locks if event.kind == "call" else ()
        if left and not earlier and not any(lock in dict(state.locks) for lock in locks):
            where = "timed" if event.owed else "untimed"
            found[where].add(Choice(event.kind, event.name, (2, place, event.times - left, 0)))
    if state.timeout:
        found["timed"].add(Choice("timeout", machine.name, (1, 0)))
    found["late"] = {Choice("end", f"{c.step}.{c.method}", (*c.path, c.attempt)) for _, c in state.late}
    return found


def check_choices(machine: FlowMachine, state: State) -> list[Choice]:
    """The choices agree with the rules, with themselves, and with what `apply` takes."""
    choices = machine.choices(state)
    listed = list(choices)
    expected = expected_choices(machine, state)
    assert set(listed) == set().union(*expected.values())
    assert len(listed) == len(set(listed)) == len(choices) and bool(choices) == bool(listed)
    assert [choices[k] for k in range(len(listed))] == listed and list(choices[:]) == listed
    assert all(choice in choices for choice in listed)
    assert choices.immediate == len(expected["immediate"]) and set(listed[: choices.immediate]) == expected["immediate"]
    assert choices.urgent == (bool(expected["immediate"]) and listed[0].kind == "take")
    assert choices.untimed == len(expected["untimed"])
    assert set(listed[len(listed) - choices.untimed :]) == expected["untimed"]
    assert choices.owed == bool(expected["immediate"] | expected["timed"])
    assert not machine.calm(state) or not (choices.urgent or choices.immediate or choices.untimed)
    assert [str(Choice.parse(str(choice))) for choice in listed] == [str(choice) for choice in listed]
    for k in (len(listed), -len(listed) - 1):
        with pytest.raises(IndexError):
            choices[k]
    return listed


def impossible(state: State, listed: list[Choice], random: Random) -> Iterable[Choice]:
    """Moves that look right and are not."""
    seen = {(name_of(e), e.path) for e in state.executions.items()} | {(c.name, c.path) for c in listed}
    seen |= {("S0.execute", (0, 0)), ("first", (2, 0, 0, 0)), ("RandomFlow", (1, 0)), ("S9.execute", ())}
    made = [Choice(kind, name, path) for name, path in sorted(seen) for kind in (*KINDS, "fly")]
    made += [choice._replace(name="S9.execute") for choice in listed]
    made += [choice._replace(path=(*choice.path, 0)) for choice in listed]
    made = [choice for choice in made if choice not in listed]
    return random.sample(made, min(8, len(made)))


def check_books(machine: FlowMachine, state: State) -> None:
    """The counts, groups and locks agree with a walk over the executions."""
    executions = state.executions.items()
    assert [e.path for e in executions] == sorted({e.path for e in executions}) == [k for k, _ in state.executions]
    running = [e for e in executions if e.phase == RUNNING]
    expected = [
        len(executions),
        sum(e.call.is_step for e in executions),
        sum(e.phase == QUEUED and not e.call.locks for e in executions),
        sum(bool(e.ends & 1) for e in running),
        sum(bool(e.ends & 2) for e in running),
        sum(e.phase == WAITING and e.wait is not None and e.fired < len(e.wait.wait.timers) for e in executions),
        sum(e.phase == RETRYING for e in executions),
        sum(e.call.is_step and e.step in machine.rules.hit_steps for e in running),
    ]
    assert [state.executions.count(field) for field in range(8)] == expected
    # Who waits alike, and which of them wait for a Channel.
    groups: dict[Any, list[Any]] = {}
    on: dict[str, set[Any]] = {}
    for e in executions:
        if e.phase == WAITING:
            assert e.wait is not None
            key = (e.wait.channels[0], e.wait.key, e.fired)
            groups.setdefault(key, []).append(e.path)
            for channel in e.wait.channels:
                on.setdefault(channel, set()).add(key)
    assert {key: [path for path, _ in members] for key, (_, members) in state.waits} == groups
    assert {channel: sorted(keys) for channel, keys in state.waits_on} == {c: sorted(keys) for c, keys in on.items()}
    # Ready: settled, or several that a choice is about (D-15a).
    ready = [e for e in executions if is_ready(state, e)]
    homes = {(e.wait.channels[0], e.wait.key, e.fired) for e in ready if e.wait is not None}
    assert len(ready) != 1 and set(state.ready) == homes and list(state.ready) == sorted(homes)
    # Locks: held by somebody who is at it, all of its set, and nothing else (D-20).
    held = {lock: e.path for e in executions if e.phase in (RUNNING, RETRYING) for lock in e.call.locks}
    assert dict(state.locks) == held
    assert len(held) == sum(len(e.call.locks) for e in executions if e.phase in (RUNNING, RETRYING)), "a lock of two"
    queued: dict[Any, list[Any]] = {}
    for e in executions:
        if e.phase == QUEUED and e.call.locks:
            queued.setdefault(e.call.locks, []).append(e.path)
    assert {locks: ([p for p, _ in members], n) for locks, (members, n) in state.lock_groups} == {
        locks: (paths, sum(lock in held for lock in locks)) for locks, paths in queued.items()
    }
    naming = {lock: sorted(locks for locks in queued if lock in locks) for lock in set().union(*queued)}
    assert {lock: sorted(locks) for lock, locks in state.lock_index} == naming
    # Phases and what belongs to them.
    for e in executions:
        assert (e.plan is not None) == (e.phase in (RUNNING, RETRYING))
        assert bool(e.ends) == (e.phase == RUNNING) and (e.phase != WAITING or (e.wait is not None and not e.taken))
        assert e.call.is_step or e.phase in (RUNNING, RETRYING)
    told = machine.describe(state)
    assert [one["phase"] for one in told["steps"]] == [PHASES[e.phase] for e in executions if e.call.is_step]
    assert set(told["locks"]) == set(held)


class Ledger:
    """Every message from its publication to its end, by the events alone."""

    def __init__(self) -> None:
        self.queues: dict[str, deque[Any]] = {}
        self.held: dict[Any, tuple[Any, ...]] = {}
        self.published: list[str] = []
        self.used: list[str] = []
        self.closed = False
        self.born: set[Any] = set()
        self.gone: set[Any] = set()

    def follow(self, events: tuple[Event, ...]) -> None:
        assert not self.closed or not events, "closed means closed"
        saved = {(e.path, e.attempt) for e in events if e.kind == "saved"}
        failed = {e.path for e in events if e.kind == "failed"}
        cancelled = {e.path for e in events if e.kind == "cancelled"}
        for path in failed:
            assert not any(e.kind in ("published", "attribute_changed") and e.path == path for e in events)
        for event in events:
            rule = getattr(self, f"_{event.kind}", None)
            if rule is not None:
                rule(event, saved, cancelled)

    def _step_started(self, event: Any, saved: Any, cancelled: Any) -> None:
        assert event.path not in self.born, "a lineage names one execution"
        self.born.add(event.path)

    def _published(self, event: Any, saved: Any, cancelled: Any) -> None:
        path, _, attempt, _ = str(event.value.plain).split()
        assert (event.path, int(attempt)) in saved, "only what is saved publishes (D-7, D-23)"
        assert path == ".".join(map(str, event.path)) and event.value.plain not in self.published
        self.published.append(event.value.plain)
        self.queues.setdefault(event.channel, deque()).append(event.value.plain)

    def _wait_completed(self, event: Any, saved: Any, cancelled: Any) -> None:
        assert event.path not in self.held and event.path not in self.gone
        for channel, messages in event.taken:
            for message in messages:
                assert self.queues[channel].popleft() == message.plain, "the oldest first, and nothing twice (D-3)"
        self.held[event.path] = event.taken

    def _returned(self, event: Any, saved: Any, cancelled: Any) -> None:
        assert event.path in cancelled
        (messages,) = (values for channel, values in self.held[event.path] if channel == event.channel)
        assert messages == event.values
        self.held[event.path] = tuple(one for one in self.held[event.path] if one[0] != event.channel)
        self.queues[event.channel].extendleft(message.plain for message in reversed(messages))

    def _saved(self, event: Any, saved: Any, cancelled: Any) -> None:
        if event.method == "execute":
            self._spend(event.path)

    def _failed(self, event: Any, saved: Any, cancelled: Any) -> None:
        if event.then in ("route", "flow_failed"):
            self._spend(event.path)

    def _cancelled(self, event: Any, saved: Any, cancelled: Any) -> None:
        self.gone.add(event.path)

    def _spend(self, path: Any) -> None:
        self.gone.add(path)
        self.used += [message.plain for _, messages in self.held.pop(path, ()) for message in messages]

    def _closed(self, event: Any, saved: Any, cancelled: Any) -> None:
        self.closed = True

    def check(self, machine: FlowMachine, state: State) -> None:
        told = machine.describe(state)["channels"]
        assert {name: queue for name, queue in told.items() if queue} == {
            name: list(queue) for name, queue in self.queues.items() if queue
        }
        held = [message.plain for taken in self.held.values() for _, messages in taken for message in messages]
        queued = [message for queue in self.queues.values() for message in queue]
        assert sorted(self.published) == sorted(queued + held + self.used), "no message is lost or doubled"
        if not self.closed:
            alive = {e.path: e.taken for e in state.executions.items() if e.taken}
            assert {path: taken for path, taken in self.held.items() if taken} == alive


def canonical(machine: FlowMachine, state: State) -> Hashable:
    """A state up to the names of its lineages, said in another way than `key` says it."""
    executions = state.executions.items()
    rank = {e.path: k for k, e in enumerate(executions)}
    parents: dict[Any, int] = {}
    late = sorted(
        (sum(path < code.path for path in rank), code.path in rank, code.step, code.method) for _, code in state.late
    )
    calls = any(n and event.kind == "call" for n, event in zip(state.externals, machine.rules.events, strict=True))
    return (
        tuple((e.content(), parents.setdefault(e.parent, len(parents))) for e in executions),
        tuple(e.path[1] for e in executions if e.path[0] == 2) if calls else (),
        tuple((name, tuple(queue)) for name, queue in state.channels if queue),
        tuple(state.attributes), tuple(late), state.externals, state.faults, state.timeout, state.graceful,
        state.outputs, state.status, state.reason,
    )  # fmt: skip


# The tests.


def drawn(listed: list[Choice], random: Random) -> Choice:
    """Any of them, but seldom one after which little can happen."""
    calm = [choice for choice in listed if choice.kind not in ("stop", "timeout", "lose", "late", "give_up")]
    return random.choice(calm if calm and random.random() < 0.9 else listed)


def test_random_flows_keep_the_rules_whichever_move_is_made() -> None:
    seen: Counter[str] = Counter()

    @tried(150)
    @given(trials(), st.integers(0, 2**32))
    def walks(trial: Trial, seed: int) -> None:
        walk(trial, Random(seed), seen)

    walks()
    assert {*KINDS, *EVENTS} == {*KINDS, *EVENTS} & set(seen), "some move or event was never met"


def walk(trial: Trial, random: Random, seen: Counter[str]) -> None:
    """Move a machine at random, and hold every state and every move against the rules."""
    machine, plain = trial.machine(), trial.machine(memo=False)
    state, events = machine.start()
    twin, _ = plain.start()
    ledger = Ledger()
    ledger.follow(events)
    seen.update(event.kind for event in events)
    for _ in range(MOVES):
        listed = check_choices(machine, state)
        check_books(machine, state)
        ledger.check(machine, state)
        assert (machine.outcome(state) is None) or not machine.choices(state).owed
        assert machine.stuck(state) is None or not machine.choices(state).owed
        before = everything(state)
        for choice in impossible(state, listed, random):
            assert choice not in machine.choices(state)
            with pytest.raises(ScheduleError):
                machine.apply(state, choice)
        if not listed:
            break
        choice = drawn(listed, random)
        for other in random.sample(listed, min(3, len(listed))):
            machine.apply(state, other)
        after, events = machine.apply(state, choice)
        again, same = machine.apply(state, choice)
        assert everything(state) == before, "apply changed the state that it was given"
        assert everything(after) == everything(again) and events == same and after == again
        assert hash(after) == hash(again) and machine.key(after) == machine.key(again)
        twin, unkept = plain.apply(twin, choice)
        assert everything(twin) == everything(after) and unkept == events, "what is kept of a handler is what it does"
        ledger.follow(events)
        seen.update([choice.kind, *(event.kind for event in events)])
        state = after
    if state.status is not FlowStatus.RUNNING:
        assert not machine.choices(state) and not state.executions and not state.late and not state.locks
        assert machine.outcome(state) is not None and state.externals == (0,) * len(state.externals)


@tried(60)
@given(trials(labelled=False, most_events=1, most_faults=1))
def test_random_flows_have_equal_keys_exactly_for_equal_states_up_to_names(trial: Trial) -> None:
    machine = trial.machine()
    state = machine.initial()
    by_key: dict[Hashable, Hashable] = {}
    by_form: dict[Hashable, Hashable] = {}
    todo, seen = [state], 0
    while todo and seen < 60:
        state = todo.pop(0)
        key, form = machine.key(state), canonical(machine, state)
        assert by_key.setdefault(key, form) == form, "two states have one key"
        if by_form.setdefault(form, key) != key:
            raise AssertionError("one state has two keys")
        seen += 1
        todo += [machine.apply(state, choice)[0] for choice in machine.choices(state)]


@tried(60)
@given(trials(labelled=False, most_events=1, most_faults=1), st.integers(0, 2**32))
def test_random_flows_with_equal_keys_have_equal_futures(trial: Trial, seed: int) -> None:
    """Two ways to one key: the same choices by kind and name, leading to the same keys."""
    random = Random(seed)
    machine = trial.machine()
    met: dict[Hashable, State] = {}
    for _ in range(4):
        state = machine.initial()
        for _ in range(30):
            listed = list(machine.choices(state))
            twin = met.setdefault(machine.key(state), state)
            if twin is not state:
                others = list(machine.choices(twin))
                assert [(c.kind, c.name) for c in listed] == [(c.kind, c.name) for c in others]
                for one, other in zip(listed, others, strict=True):
                    assert machine.key(machine.apply(state, one)[0]) == machine.key(machine.apply(twin, other)[0])
            if not listed:
                break
            state, _ = machine.apply(state, random.choice(listed))


@tried(120)
@given(trials(), st.integers(0, 2**32))
def test_random_flows_simulate_the_same_from_the_same_seed_and_replay(trial: Trial, seed: int) -> None:
    machine = trial.machine(memo=False)
    trace = sample(machine, seed)
    assert machine.rules.handlers.runs == sum(e.kind == "began" for turn in trace.turns for e in turn.events)
    assert sample(trial.machine(memo=False), seed) == trace
    assert sample(trial.machine(), seed) == trace
    text = str(Schedule.of(trace))
    replayed = replay(trial.machine(), Schedule.parse(text), input=trace.input)
    assert (replayed.turns, replayed.final, replayed.outcome) == (trace.turns, trace.final, trace.outcome)
    times = [turn.time for turn in trace.turns]
    assert times == sorted(times) and [turn.number for turn in trace.turns] == list(range(1, len(times) + 1))
    ledger = Ledger()
    ledger.follow(trace.started)
    for turn in trace.turns:
        ledger.follow(turn.events)
