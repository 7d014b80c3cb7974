"""The ways out of a section: which ones give the token back, which lose it, which make a second one.

What is declared (routes, policies, what handlers' sources show) says which ways there are; an exploration says what
comes of each, with a shortest schedule that shows it. A way that no run took is "not reached", which is no verdict.
Tables and stories are made by others; this module asks and lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from dexpatterns.dex.channel import Channel
from dexpatterns.dex.exits import (
    CANCELLED_HANDOFF,
    CANCELLED_INSIDE,
    EARLY,
    FAILURE,
    NORMAL,
    WAIT_FAILURE,
    Exit,
    ExitWatch,
)
from dexpatterns.dex.faces import AnyFlow, watched
from dexpatterns.dex.machine import FlowMachine
from dexpatterns.dex.options import StartFlowOptions, StopFlowOptions, StopType, WaitForFailurePolicy
from dexpatterns.dex.scenario import Anytime, Faults, Scenario, Section, Stop
from dexpatterns.engine.arguments import check_count
from dexpatterns.engine.explore import Progress, explore
from dexpatterns.engine.looking import Shown
from dexpatterns.engine.report import Bounds, Verdict
from dexpatterns.engine.run import Run
from dexpatterns.engine.texts import check_lang, visible

if TYPE_CHECKING:
    from dexpatterns.dex.definition import FlowSpec, StepSpec

__all__ = ["COLUMNS", "audit", "in_words"]

COLUMNS = ("way_out", "step", "declared", "verdict", "schedule")
"""`way_out` and `step` name the way, `declared` is what the definition says returns the token on it, `verdict` is
'returned', 'lost', 'doubled', 'not needed' (the Flow closes) or 'not reached', `schedule` the text that shows it."""

_WORST = ("doubled", "lost", "returned", "not needed")
_WORDS: dict[str, tuple[str, str]] = {
    "normal": ("normal", "正常离开"),
    "execute failure": ("execute failure", "execute 失败"),
    "wait_for failure": ("wait_for failure", "wait_for 失败"),
    "early exit": ("early exit", "提前退出"),
    "handoff cancelled": ("handoff cancelled", "交接 Step 被取消"),
    "cancelled inside": ("cancelled inside", "在段内被取消"),
    "published without holding it": ("published without holding it", "未持有 token 却发布"),
    "closing": ("closing: {how}", "关闭：{how}"),
    "returned": ("returned", "已归还"),
    "lost": ("lost", "丢失"),
    "doubled": ("doubled", "变成两个"),
    "not needed": ("not needed", "不需要归还"),
    "not reached": ("not reached", "未到达"),
}
"""The ways out and the verdicts, as people read them; in the table they are data and stay English."""


def in_words(what: str, lang: str = "en") -> str:
    """A `way_out` or a `verdict` of the table in a language."""
    word, colon, how = what.partition(": ")
    return _WORDS[word][lang == "zh"].format(how=how) if colon or word in _WORDS else what


class _Way(NamedTuple):
    """A way out that is there by the definition, and what the definition says of it."""

    way: str
    step: str
    declared: str


class _Text(NamedTuple):
    en: str
    zh: str


_SAID = {
    "publishes": _Text("{step} publishes it", "{step} 发布 token"),
    "silent": _Text("nothing in {step} publishes it", "{step} 中没有发布 token 的地方"),
    "unread": _Text("the source of {step} cannot be read", "无法读取 {step} 的源码"),
    "route": _Text("route to {to}, which publishes it", "失败路由到 {to}，由它发布 token"),
    "mute route": _Text("route to {to}, which does not publish it", "失败路由到 {to}，但它不发布 token"),
    "no route": _Text("no route: the Flow fails", "没有失败路由：Flow 失败"),
    "proceed": _Text("PROCEED: {step}'s own execute sees the failure", "PROCEED：{step} 的 execute 会看到失败"),
    "fail flow": _Text("FAIL_FLOW: the Flow fails", "FAIL_FLOW：Flow 失败"),
    "handoff": _Text("the engine puts it back in front (D-24)", "引擎把它放回最前面（D-24）"),
    "inside": _Text("nothing can: never cancel it", "没有办法：绝不要取消它"),
    "inside by": _Text("nothing can: never cancel it, as {by} does", "没有办法：绝不要取消它，而 {by} 会取消"),
    "fails": _Text(
        "every run of the Flow fails, such as {outcome}; so little is said of its ways out",
        "这个 Flow 的每次运行都失败，例如 {outcome}；因此对它的出口说明不了什么",
    ),
    "closing": _Text("nothing needs to: no branch waits any more", "不需要：不再有分支等待"),
    "dropped": _Text(
        "{by} starts {step} with options of its own, which drop its failure route to {to} (D-12); repeat it there",
        "{by} 用自己的选项启动 {step}，因而丢掉了它到 {to} 的失败路由（D-12）；请在那里重写这条路由",
    ),
    "found": _Text("not declared, found in a run", "没有声明，在运行中发现"),
}


@cache
def _audit_class() -> Any:
    """Made when the first audit is: it is a DataFrame, and pandas is not loaded before it is needed."""
    import pandas as pd

    class Audit(Shown, pd.DataFrame):
        """The ways out of a section: a DataFrame, a row per way (columns: `audit.COLUMNS`).

        `.attrs` holds `warnings` (texts), `states` (visited in all), `cut` (the bound that cut it, or '') and `failing`
        (how a run ends, when every run of the Flow fails, or '').
        """

        @property
        def _constructor(self) -> Any:
            return pd.DataFrame

        def __repr__(self) -> str:
            """Every row and column whole, but for schedules, which are texts of many lines."""
            wide = pd.option_context("display.unicode.east_asian_width", True)
            with wide:
                rows = self[list(COLUMNS[:-1])].map(visible)
                return rows.to_string(max_colwidth=None) if len(self) else "no way out"

        @property
        def holds(self) -> bool:
            """Whether no way loses the token or makes a second one, and the search was not cut."""
            bad = self["verdict"].isin(["lost", "doubled"]).any()
            return not bad and not self.attrs["cut"] and not self.attrs["failing"]

        def run(self, row: int) -> Run | None:
            """A shortest run that takes the way of a row, by its place from 0; None for one that was not reached."""
            return self.attrs["runs"](row)  # type: ignore[no-any-return]

        def declared(self, lang: str = "en") -> list[str]:
            """The column of that name in a language, a text per row."""
            return list(self.attrs["declared"](lang))

        def explanation(self, row: int, lang: str = "en") -> Any:
            """That run, told in turns."""
            from dexpatterns.dex.explain import told

            run = self.run(row)
            return None if run is None else told(run, lang)

    return Audit


def audit(
    flow: AnyFlow,
    input: Any,
    section: Section,
    *,
    token: Channel[Any] | str,
    scenario: Scenario | None = None,
    faults: Faults | None = None,
    bounds: Bounds | None = None,
    count: int = 1,
    lang: str = "en",
    progress: Callable[[Progress], None] | None = None,
) -> Any:
    """What becomes of the token on every way out of a section: an `Audit`, a row per way.

    Without `faults`, enough attempts of the handoff and of section Steps are lost to use up each retry policy once,
    and, in a search of its own, the Flow is stopped in each way and times out once, at any moment. `count` is how many
    tokens there are. Interrupted (Ctrl-C), it lists what is known, without schedules. Raises `FlowDefinitionError` or
    `InputError` before any search.
    """
    check_lang(lang)
    check_count("audit count", count)
    plain = FlowMachine(flow, input, scenario=scenario, faults=faults)
    (section,), (name,) = watched(plain, [section], [token])
    base = scenario or Scenario()
    spec = plain.spec
    handoffs = _handoffs(spec, section, name)
    if faults is None:
        faults = _usual_faults([spec.by_name[step] for step in (*handoffs, *section.steps)])
    tries = ((base, faults), (_closings(base), Faults()))
    machines = [FlowMachine(flow, input, scenario=world, faults=hits) for world, hits in tries]
    found: dict[Exit, int] = {}
    dropped: set[tuple[str, str, str]] = set()
    states, cut, interrupted = 0, "", False
    failing = ""
    for number, machine in enumerate(machines):
        watch = ExitWatch(section, name, count)
        report = explore(machine, properties=[watch], bounds=bounds, progress=progress)
        states += report.states
        if machine is machines[0] and report.vain:
            failing = min(report.outcomes)
        if report.verdict is Verdict.BOUNDED:
            cut = report.results[0].detail
        handoffs = sorted({*handoffs, *watch.handoffs})
        dropped |= watch.dropped
        for one in sorted(watch.seen):
            found.setdefault(one, number)
        interrupted = report.cut == "interrupted"
        if interrupted:
            # Whoever presses Ctrl-C wants what is known, and no further search.
            break

    @cache
    def run_of(one: Exit) -> Run | None:
        machine = machines[found[one]]
        watch = ExitWatch(section, name, count, wanted=one)
        report = explore(
            machine, properties=[watch], bounds=bounds, progress=progress, sections=(section,), tokens=(name,),
            input=plain.input,
        )  # fmt: skip
        return report.counterexample

    rows, shown = [], []
    texts = _Declared(spec, name, lang)
    for way in _ways(spec, section, handoffs, found, texts):
        verdicts = [one for one in found if (one.way, one.step) == (way.way, way.step)]
        worst = min(verdicts, key=lambda one: _WORST.index(one.verdict), default=None)
        run = run_of(worst) if worst and not interrupted else None
        rows.append((*way, worst.verdict if worst else "not reached", run.schedule if run else ""))
        shown.append(worst)
    table = _audit_class()(rows, columns=list(COLUMNS))
    table.attrs |= {
        "warnings": (
            *((texts.say("fails", outcome=failing),) if failing else ()),
            *(texts.warn(*one) for one in sorted(dropped)),
        ),
        "states": states,
        "cut": cut,
        "failing": failing,
        "lang": lang,
        "declared": lambda lang: [
            way.declared for way in _ways(spec, section, handoffs, found, _Declared(spec, name, check_lang(lang)))
        ],
        "runs": lambda row: run_of(shown[row]) if shown[row] else None,
    }
    return table


def _usual_faults(steps: Iterable[StepSpec]) -> Faults:
    """As many lost attempts as use up the longest limited retry policy once; one without limit cannot be used up."""
    steps = list(steps)
    limits = [step.options.execute_retry.limit for step in steps]
    limits += [step.options.wait_for_retry.limit for step in steps if step.has_wait]
    return Faults(lost_attempts=max((n for n in limits if n), default=1), steps=[step.cls for step in steps])


def _closings(base: Scenario) -> Scenario:
    stops = [Anytime(Stop(StopFlowOptions(type=kind))) for kind in StopType]
    options = base.options if base.options.timeout else StartFlowOptions(timeout=timedelta(hours=1))
    return replace(base, events=(*base.events, *stops), options=options)


def _handoffs(spec: FlowSpec, section: Section, token: str) -> list[str]:
    """The Steps outside the section that wait for the token, as far as their sources show."""
    entry = token.partition("/")[0]
    return sorted(
        {edges.step for edges in spec.routes if entry in edges.consumes and edges.step not in section.steps}
        & set(spec.by_name)
    )


def _ways(
    spec: FlowSpec, section: Section, handoffs: list[str], found: dict[Exit, int], texts: _Declared
) -> Iterator[_Way]:
    """Every way out that the definition has, then those that only a run has shown."""
    final = section.steps[-1]
    listed = [_Way(NORMAL, final, texts.publishing(final))]
    listed += [_Way(FAILURE, step, texts.on_failure(step)) for step in (*handoffs, *section.steps)]
    listed += [
        _Way(WAIT_FAILURE, step, texts.on_wait_failure(step)) for step in section.steps if spec.by_name[step].has_wait
    ]
    listed += [
        _Way(EARLY, step, texts.publishing(step)) for step in section.steps[:-1] if _may_leave(spec, section, step)
    ]
    listed += [_Way(CANCELLED_HANDOFF, step, texts.say("handoff")) for step in handoffs]
    listed += [_Way(CANCELLED_INSIDE, step, texts.on_cancel(step)) for step in section.steps]
    known = {(way.way, way.step) for way in listed}
    for one in sorted(found):
        if (one.way, one.step) not in known:
            known.add((one.way, one.step))
            said = "closing" if one.verdict == "not needed" else "found"
            listed.append(_Way(one.way, one.step, texts.say(said)))
    return iter(listed)


def _may_leave(spec: FlowSpec, section: Section, step: str) -> bool:
    for edges in spec.routes:
        if edges.step == step and edges.method == "execute":
            leaves = any(d not in ("go_to", "go_to_many") and not d.startswith("force_") for d in edges.decisions)
            onward = [cls for cls, kind in edges.goes_to if kind in ("go_to", "go_to_many", "fallback")]
            return leaves or any(spec.by_class[c].name not in section.steps for c in onward if c in spec.by_class)
    return False


class _Declared:
    """What the definition says of each way, in a language."""

    def __init__(self, spec: FlowSpec, token: str, lang: str) -> None:
        self.spec = spec
        self.entry = token.partition("/")[0]
        self.lang = lang

    def say(self, what: str, **names: str) -> str:
        return str(getattr(_SAID[what], self.lang)).format(**names)

    def warn(self, by: str, step: str, to: str) -> str:
        return self.say("dropped", by=by, step=step, to=to)

    def _publishes(self, step: str) -> bool | None:
        """Whether its execute publishes the token; None where the source cannot be read."""
        for edges in self.spec.routes:
            if edges.step == step and edges.method == "execute":
                return self.entry in edges.publishes or (None if not edges.complete else False)
        return None

    def publishing(self, step: str) -> str:
        found = self._publishes(step)
        return self.say("publishes" if found else "unread" if found is None else "silent", step=step)

    def on_failure(self, step: str) -> str:
        route = self.spec.by_name[step].options.execute_failure_route
        if route is None:
            return self.say("no route")
        to = self.spec.by_class[route[0]].name
        return self.say("mute route" if self._publishes(to) is False else "route", to=to)

    def on_wait_failure(self, step: str) -> str:
        proceeds = self.spec.by_name[step].options.wait_for_failure is WaitForFailurePolicy.PROCEED
        return self.say("proceed" if proceeds else "fail flow", step=step)

    def on_cancel(self, step: str) -> str:
        cls = self.spec.by_name[step].cls
        by = [
            edges.step for edges in self.spec.routes
            if any(target is cls and kind in ("cancel", "cancel_sibling") for target, kind in edges.goes_to)
        ]  # fmt: skip
        return self.say("inside by", by=", ".join(by)) if by else self.say("inside")
