"""Shows what a search found: a verdict a property, what was tried and met, and the story; or the same as data.

A search that was cut is shown as such, and an anti-pattern is called one whatever holds. Nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from dexpatterns.commands import searched
from dexpatterns.engine.texts import visible
from dexpatterns.terminal import Words, rendered, say

if TYPE_CHECKING:
    from dexpatterns.commands.options import Asked
    from dexpatterns.commands.targets import Subject
    from dexpatterns.engine.report import Report
    from dexpatterns.engine.run import Run

__all__ = ["Answer", "data", "notes", "text"]

_WORDS: Words = {
    "head": ("{verdict}: {name}, {flow}", "{verdict}：{name}，{flow}"),
    "vain": ("{verdict}, but every run fails: {name}, {flow}", "{verdict}，但每次运行都失败：{name}，{flow}"),
    "tried": ("tried: every order, {faults}", "尝试了每一种顺序，{faults}"),
    "lost": ("with up to {n:,} lost attempt{s}", "至多丢失 {n:,} 次 attempt"),
    "late": ("with up to {n:,} late attempt{s}", "至多 {n:,} 次 attempt 被放弃而代码仍在运行"),
    "no faults": ("no attempt lost or late", "没有 attempt 丢失或被放弃"),
    "scenario": (", scenario {name}", "，场景 {name}"),
    "alike": ("; branches that differ in {fields} alone are one", "；仅 {fields} 不同的分支视为同一个"),
    "ends": ("{n:,} final outcome{s}: {statuses}", "{n:,} 种最终结果：{statuses}"),
    "and": (", ", "、"),
    "anti": ("{id} is an anti-pattern; what repairs it: {by}", "{id} 是反模式；修复它的是：{by}"),
    "anti holds": (
        "{id} is an anti-pattern although this holds: {summary} What repairs it: {by}",
        "虽然以上性质成立，{id} 仍是反模式：{summary} 修复它的是：{by}",
    ),
    "none completes": ("no run completes; each ends otherwise, such as {outcome}", "没有任何运行完成；例如 {outcome}"),
    "never inside": (
        "in the run shown nobody is ever inside {section}, so that little is said of it",
        "所示的运行中没有分支进入 {section} 段，因此对它说明不了什么",
    ),
    "no token": (
        "in the run shown nothing is ever published to {channel}, so that little is said of it",
        "所示的运行中没有向 {channel} 发布过任何消息，因此对它说明不了什么",
    ),
}
_say = partial(say, _WORDS)


class Answer(NamedTuple):
    """What was asked, and what came of it."""

    subject: Subject
    asked: Asked
    report: Report
    fields: tuple[str, ...]
    seconds: float

    @property
    def holds(self) -> bool:
        """A search that was cut, or stopped at a violation, holds nothing; nor does a Flow of which every run fails."""
        return self.report.verdict.name == "PROVED" and not self.report.vain


def text(answer: Answer, lang: str) -> str:
    """For people: the verdict first, the story last."""
    from dexpatterns.dex.explain import property_name

    subject, report = answer.subject, answer.report
    verdict = report.verdict.name
    head = _say(lang, "vain" if report.vain else "head", verdict=verdict, name=subject.name, flow=report.machine)
    lines = [
        f"  {result.word:8} {property_name(asked, lang)}{searched.detail(report, result, lang)}"
        for asked, result in zip(report.properties, report.results, strict=True)
    ]
    counts = {"lost": answer.asked.lost_attempts, "late": answer.asked.late_attempts}
    faults = [_say(lang, key, n=n) for key, n in counts.items() if n] or [_say(lang, "no faults")]
    tried = _say(lang, "tried", faults=_say(lang, "and").join(faults))
    tried += _say(lang, "scenario", name=answer.asked.scenario) if answer.asked.scenario else ""
    size = searched.counts(report, answer.seconds, lang)
    fields = _say(lang, "and").join(answer.fields)
    lines += [tried, size + (_say(lang, "alike", fields=fields) if fields else "")]
    if report.outcomes:
        statuses = _say(lang, "and").join(_statuses(report))
        lines.append(_say(lang, "ends", n=len(report.outcomes), statuses=statuses))
    lines += _story(report, lang)
    if (about := _about(answer, lang)) is not None:
        lines += ["", about]
    colour = {"REFUTED": "bold red"}.get(verdict, "bold green" if answer.holds else "bold yellow")
    return rendered(visible(head), style=colour) + "".join(f"{visible(line)}\n" for line in lines)


def _story(report: Report, lang: str) -> list[str]:
    """The counterexample told whole; of any other verdict what was not said above."""
    told = report.explained(lang)
    if report.counterexample is not None:
        return ["", *str(told).splitlines()]
    # The properties are its indented lines; what follows them is the good run, or what grows.
    last = max((n for n, line in enumerate(told.details) if line.startswith("  ")), default=-1)
    return list(told.details[last + 1 :])


def _statuses(report: Report) -> list[str]:
    """With which statuses runs end, by the first word of each outcome."""
    return sorted({outcome.replace(":", " ").replace(",", " ").split()[0] for outcome in report.outcomes})


def _about(answer: Answer, lang: str) -> str | None:
    """Of an anti-pattern that it is one, and what repairs it."""
    pattern = answer.subject.pattern
    if pattern is None or pattern.kind != "anti-pattern":
        return None
    by = _say(lang, "and").join(pattern.repaired_by)
    key = "anti holds" if answer.holds else "anti"
    return _say(lang, key, id=pattern.id, by=by, summary=pattern.summary(lang))


def data(answer: Answer, lang: str) -> dict[str, Any]:
    """For programs."""
    subject, asked, report = answer.subject, answer.asked, answer.report
    explanation = report.explained(lang)
    return {
        "target": subject.name,
        "flow": report.machine,
        "holds": answer.holds,
        **searched.data(report, answer.seconds),
        "lost_attempts": asked.lost_attempts or 0,
        "late_attempts": asked.late_attempts or 0,
        "scenario": asked.scenario,
        "symmetric": list(answer.fields),
        "counterexample": _run_data(report.counterexample),
        "witness": _run_data(report.witness),
        "cause": getattr(explanation.cause, "kind", None),
        "explanation": str(explanation),
        "anti_pattern": subject.pattern is not None and subject.pattern.kind == "anti-pattern",
        "repaired_by": list(subject.pattern.repaired_by) if subject.pattern is not None else [],
    }


def _run_data(run: Run | None) -> dict[str, Any] | None:
    return None if run is None else {"turns": len(run.trace.turns), "schedule": run.schedule}


def notes(answer: Answer, lang: str) -> Iterator[str]:
    """What is no part of the verdict, but may be the reason for it: what holds because nothing ever happened."""
    report = answer.report
    if (answer.holds or report.vain) and report.witness is None:
        yield _say(lang, "none completes", outcome=min(report.outcomes, default="RUNNING"))
    elif answer.holds and report.witness is not None:
        yield from _idle(answer.subject, report.witness, lang)


def _idle(subject: Subject, run: Run, lang: str) -> Iterator[str]:
    """Sections and tokens that the run does not come by: what is asked of them may hold for that reason."""
    from dexpatterns.dex import sections

    for section in subject.sections:
        if not sections.visits(run.trace, section):
            yield _say(lang, "never inside", section=section.name)
    published = {
        getattr(event, "channel", "") for turn in run.trace.turns for event in turn.events if event.kind == "published"
    }
    for channel, _ in subject.tokens:
        if not any(name == channel or name.startswith(f"{channel}/") for name in published):
            yield _say(lang, "no token", channel=channel)
