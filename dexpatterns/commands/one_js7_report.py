"""Shows what a search over JS7 orders found: a verdict a property, what was tried and the story; or all as data."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from dexpatterns.commands import searched
from dexpatterns.engine.texts import visible
from dexpatterns.terminal import Words, note, rendered, say, write, write_json

if TYPE_CHECKING:
    from dexpatterns.commands.js7_given import Given
    from dexpatterns.engine.report import Report
    from dexpatterns.engine.run import Run

__all__ = ["show_report"]

_WORDS: Words = {
    "head": ("{verdict}: {name}", "{verdict}：{name}"),
    "tried": (
        "tried: {n:,} order{s}, arriving at any moment and in any order; jobs, delays and answers in every order",
        "尝试了：{n:,} 个订单，以任意时刻和顺序到达；作业、停顿和回答的每一种顺序",
    ),
    "ends": ("{n:,} final outcome{s}: {outcomes}", "{n:,} 种最终结果：{outcomes}"),
    "more": ("... and {n:,} more", "……另有 {n:,} 种"),
    "and": ("; ", "；"),
    "growing": (
        "what grows in what was seen, perhaps without end: {what}",
        "在已经看到的部分里不断增长、也许没有尽头的有：{what}",
    ),
    "names": (", ", "、"),
    "none": ("no run ends with every order finished", "没有任何运行以所有订单完成而结束"),
    "no run": ("nothing to keep for {option}: no run is shown", "{option} 没有可保存的内容：没有可展示的运行"),
}
_say = partial(say, _WORDS)

MOST_OUTCOMES = 8


def show_report(
    report: Report,
    found: Given,
    seconds: float,
    *,
    unsaved: Iterable[str],
    as_json: bool,
    lang: str,
) -> int:
    """Show it; returns 0 when it is proved and 1 when it is not."""
    from dexpatterns.commands.one_js7 import finding_data, finding_notes
    from dexpatterns.js7.static import look

    holds = report.verdict.name == "PROVED"
    notes = [_say(lang, "none")] if holds and report.witness is None else []
    notes += [_say(lang, "no run", option=option) for option in unsaved]
    findings = look(found.items)
    if as_json:
        told = [finding_data(one) for one in findings]
        write_json({**_data(report, seconds, lang), "holds": holds, "notes": notes, "findings": told})
        return 0 if holds else 1
    colour = {"PROVED": "bold green", "REFUTED": "bold red"}.get(report.verdict.name, "bold yellow")
    head = _say(lang, "head", verdict=report.verdict.name, name=report.machine)
    lines = _lines(report, found, seconds, lang)
    write(rendered(visible(head), style=colour) + "".join(f"{visible(line)}\n" for line in lines))
    for one in notes:
        note(one)
    finding_notes(findings)
    return 0 if holds else 1


def _lines(report: Report, found: Given, seconds: float, lang: str) -> list[str]:
    names = {one.name: one.title(lang) for one in report.properties}
    explanation = report.explained(lang)
    lines = [
        f"  {result.word:8} {names.get(result.name, result.name)}{searched.detail(report, result, lang)}"
        for result in report.results
    ]
    lines.append(_say(lang, "tried", n=len(found.orders)))
    lines.append(searched.counts(report, seconds, lang))
    if report.outcomes:
        outcomes = sorted(report.outcomes)
        more = [_say(lang, "more", n=len(outcomes) - MOST_OUTCOMES)] if len(outcomes) > MOST_OUTCOMES else []
        told = _say(lang, "and").join([*outcomes[:MOST_OUTCOMES], *more])
        lines.append(_say(lang, "ends", n=len(outcomes), outcomes=told))
    if report.grown:
        lines.append(_say(lang, "growing", what=_say(lang, "names").join(part[-1] for part in report.grown)))
    return [*lines, "", *str(explanation).splitlines()] if explanation is not None else lines


def _data(report: Report, seconds: float, lang: str) -> dict[str, Any]:
    explanation = report.explained(lang)
    return {
        "workflows": report.machine,
        **searched.data(report, seconds),
        "counterexample": _run_data(report.counterexample, lang),
        "witness": _run_data(report.witness, lang),
        "explanation": None if explanation is None else str(explanation),
    }


def _run_data(run: Run | None, lang: str) -> dict[str, Any] | None:
    from dexpatterns.commands.one_js7 import events_data

    if run is None:
        return None
    return {"turns": len(run.trace.turns), "schedule": run.schedule, "events": events_data(run, lang)}
