"""What a world asks of an answer: searches with the outcome that is expected of each, as `Demand`s.

A world's `judge(answer, lang)` yields demands one by one, so that a search is made only once those before it came out
as they should. The properties here are those that exercises need beyond the general ones: that no handler fails by
accident, that everybody comes out, that a job runs under its locks.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

from dexpatterns import js7
from dexpatterns.dex.faces import check
from dexpatterns.dex.flow import Flow
from dexpatterns.dex.inputs import read_input
from dexpatterns.dex.properties import mutual_exclusion, token_conserved
from dexpatterns.dex.scenario import Faults, Scenario, Section
from dexpatterns.engine.machine import Event, Machine
from dexpatterns.engine.properties import Property, Rank, View, always_ends, never_stuck
from dexpatterns.engine.report import Bounds, Report, Verdict
from dexpatterns.engine.run import Run
from dexpatterns.engine.texts import check_lang
from dexpatterns.js7.locks import ancestors

__all__ = [
    "BOUNDS", "Demand", "EverybodyOut", "NoError", "UnmetError", "completes", "everybody_out", "fails", "flow_demand",
    "given", "items_demand", "jobs_run", "locked_while", "no_error", "usual",
]  # fmt: skip

BOUNDS = Bounds(states=5_000)
"""A right answer needs far fewer; a search that is cut here is one that grows."""


class UnmetError(Exception):
    """A world sees by itself that an answer is not what was asked; made with the key of the exercise's sentence."""


class Demand(NamedTuple):
    """One search, and what should come of it."""

    report: Report
    expected: Verdict = Verdict.PROVED
    said: str = ""
    """Where REFUTED is expected, the key of the exercise's sentence for an answer that never gets there."""
    visits: int = 0
    """How many visits of the first section its good run has at least, lest nothing holds because nothing happens."""


def given(flow: Flow[Any], rows: Any) -> Any:
    """Plain data as the input that this Flow's start takes, in its author's own classes."""
    return read_input(flow, json.dumps(rows))


def flow_demand(
    flow: Flow[Any],
    rows: Any,
    properties: Iterable[Property],
    *,
    section: Section,
    token: str | None = None,
    scenario: Scenario | None = None,
    faults: Faults | None = None,
    breaks: str = "",
    visits: int = 0,
) -> Demand:
    """Search a Flow; `breaks` is the key of a sentence, and then the properties are expected to be REFUTED."""
    report = check(
        flow,
        given(flow, rows),
        sections=[section],
        tokens=() if token is None else (token,),
        properties=properties,
        scenario=scenario,
        faults=faults,
        bounds=BOUNDS,
        rerun=True,
    )
    return Demand(report, Verdict.REFUTED if breaks else Verdict.PROVED, breaks, visits)


def items_demand(
    items: Any, orders: Iterable[js7.Order], properties: Iterable[Property], *, jobs: Any = None, breaks: str = ""
) -> Demand:
    """The same for workflow and lock items."""
    report = js7.check(items, orders, jobs=jobs, properties=properties, bounds=BOUNDS)
    return Demand(report, Verdict.REFUTED if breaks else Verdict.PROVED, breaks)


def fails(run: Run | None, step: str) -> bool:
    """Whether a call of this Step raises in it."""
    turns = () if run is None else run.trace.turns
    failed: list[Any] = [event for turn in turns for event in turn.events if event.kind == "failed"]
    return any(event.step == step and event.how == "raised" for event in failed)


def usual(
    section: Section, token: str | None, names: Iterable[str], lang: str, *, errors: Iterable[str] = (), count: int = 1,
) -> list[Property]:  # fmt: skip
    """What is asked of a section that a token guards, `count` of them if it is a semaphore; None has any name."""
    return [
        no_error(lang, *errors),
        never_stuck(),
        mutual_exclusion(section, limit=count),
        *([] if token is None else [token_conserved(token, count=count)]),
        everybody_out(names, lang),
        *completes(lang),
    ]


def jobs_run(run: Run | None) -> int:
    """How many different jobs ran in it."""
    turns = () if run is None else run.trace.turns
    started: list[Any] = [event for turn in turns for event in turn.events if event.kind == "OrderProcessingStarted"]
    return len({event.job for event in started})


# Properties.

_TEXTS = {
    "no error": ("no handler raises by accident", "没有 handler 意外抛出异常"),
    "everybody out": ("it completes with a result of every reviewer", "完成时每位审核人都有应有的结果"),
    "never fails": ("the Flow does not fail", "Flow 不会失败"),
    "locked while": ("every job runs under its locks", "每个作业都在持有相应的锁时运行"),
    # What is wrong.
    "and": ("; ", "；"),
    "comma": (", ", "、"),
    "missing": ("missing: {what}", "缺少：{what}"),
    "not asked for": ("not asked for: {what}", "多出：{what}"),
    "its status": ("it is {status}", "它的状态是 {status}"),
    "without lock": ("{order} runs {job} without {lock}", "{order} 运行 {job} 时没有持有 {lock}"),
}


def _say(key: str, lang: str, **fields: object) -> str:
    return _TEXTS[key][check_lang(lang) == "zh"].format(**fields)


class NoError(Property):
    """The memory is what was raised, once something was."""

    kind = "no_error"

    def __init__(self, lang: str, expected: Iterable[str]) -> None:
        self.name = _say("no error", lang)
        self.expected = frozenset(expected)

    def step(self, memory: Any, events: tuple[Event, ...]) -> Any:
        for event in events:
            known: Any = event
            if event.kind == "failed" and known.how == "raised" and known.error_type not in self.expected:
                return f"{known.step}.{known.method}: {known.error_type}: {known.detail}"
        return memory

    def key(self, memory: Any, rank: Rank) -> Hashable:
        return memory  # type: ignore[no-any-return]  # a text, or None

    def fault(self, memory: Any, view: View) -> str | None:
        return None if memory is None else str(memory)


class EverybodyOut(Property):
    """The fault names who is missing, and what nobody asked for."""

    kind = "everybody_out"

    def __init__(self, names: Iterable[str], lang: str) -> None:
        self.name = _say("everybody out", lang)
        self.names = sorted(names)
        self.lang = lang

    def fault(self, memory: Any, view: View) -> str | None:
        if view.choices or view.plain["status"] != "COMPLETED":
            return None
        out = sorted(map(str, view.plain["outputs"]))
        if out == self.names:
            return None
        found, asked = Counter(out), Counter(self.names)
        kinds = ("missing", asked - found), ("not asked for", found - asked)
        return _say("and", self.lang).join(
            _say(key, self.lang, what=_say("comma", self.lang).join(sorted(names.elements())))
            for key, names in kinds
            if names
        )


class _NeverFails(Property):
    kind = "never_fails"

    def __init__(self, lang: str) -> None:
        self.name = _say("never fails", lang)
        self.lang = lang

    def fault(self, memory: Any, view: View) -> str | None:
        status = "RUNNING" if view.choices else view.plain["status"]
        return None if status in ("RUNNING", "COMPLETED") else _say("its status", self.lang, status=status)


class _LockedWhile(Property):
    """The memory is which order runs which job."""

    kind = "locked_while"

    def __init__(self, locks: Mapping[str, Iterable[str]], lang: str) -> None:
        self.name = _say("locked while", lang)
        self.lang = lang
        self.locks = {job: frozenset(names) for job, names in locks.items()}

    def check(self, machine: Machine[Any]) -> None:
        js7.no_deadlock().check(machine)

    def initial(self) -> Hashable:
        return ()

    def step(self, memory: Any, events: tuple[Event, ...]) -> Any:
        now = dict(memory)
        for event in events:
            known: Any = event
            if event.kind == "OrderProcessingStarted":
                now[known.order] = known.job
            elif event.kind in ("OrderProcessed", "OrderDeleted"):
                now.pop(known.order, None)
        changed = tuple(sorted(now.items()))
        return memory if changed == memory else changed

    def key(self, memory: Any, rank: Rank) -> Hashable:
        return memory  # type: ignore[no-any-return]  # orders keep their ids

    def fault(self, memory: Any, view: View) -> str | None:
        for order, job in memory:
            for lock in sorted(self.locks.get(job, ())):
                held = view.state.locks.states.get(lock)
                if held is None or not held.holders.keys() & {order, *ancestors(order)}:
                    return _say("without lock", self.lang, order=order, job=job, lock=lock)
        return None


def no_error(lang: str, *expected: str) -> Property:
    """No handler raises anything but errors of these types."""
    return NoError(lang, expected)


def everybody_out(names: Iterable[str], lang: str) -> Property:
    """A Flow that completed has one output for each of these names, and no other."""
    return EverybodyOut(names, lang)


def completes(lang: str) -> list[Property]:
    """The Flow never fails, and it can complete whatever has happened.

    Two properties, since the first breaks with a run that shows the failure, the second for a Flow that goes round.
    """
    return [_NeverFails(lang), always_ends("COMPLETED")]


def locked_while(locks: Mapping[str, Iterable[str]], lang: str) -> Property:
    """While an order runs a job that is named here, it holds these locks."""
    return _LockedWhile(locks, lang)
