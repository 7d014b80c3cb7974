"""`dexpatterns check`: tries every order, failure and outside event, and says what holds or shows how it breaks.

The search and the words of the explanation are others'; here they are asked for and laid out. A search that was cut
never looks like a proof: its verdict is BOUNDED, and the status 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dexpatterns.commands.options import Asked, about_a_flow, json_option, lang_option, svg_option
from dexpatterns.errors import DexpatternsError, InputError, SymmetryError
from dexpatterns.terminal import (
    Words,
    check_outputs,
    note,
    rendered,
    say,
    shown,
    write,
    write_file,
    write_json,
)

if TYPE_CHECKING:
    from dexpatterns.commands.targets import Subject
    from dexpatterns.dex.scenario import Faults
    from dexpatterns.engine.explore import Progress
    from dexpatterns.engine.properties import Property
    from dexpatterns.engine.report import Report
    from dexpatterns.engine.run import Run

__all__ = ["command"]

ENDS = ("COMPLETED", "FAILED", "CANCELED", "TERMINATED")

_WORDS: Words = {
    "head": ("{verdict}: {name}, {flow}", "{verdict}：{name}，{flow}"),
    "tried": (
        "every order, {lost:,} lost attempt{s}, {late:,} late one{t}",
        "每一种顺序，至多丢失 {lost:,} 次 attempt，至多 {late:,} 次迟到的 attempt",
    ),
    "scenario": (", scenario {name}", "，场景 {name}"),
    "counts": (
        "{states:,} states, {transitions:,} transitions, depth {depth} turns, {seconds:.2f} s",
        "{states:,} 个状态，{transitions:,} 次转移，深度 {depth} 回合，{seconds:.2f} 秒",
    ),
    "alike": ("; branches that differ in {fields} alone are one", "；仅 {fields} 不同的分支视为同一个"),
    "ends": ("{n:,} final outcome{s}: {statuses}", "{n:,} 种最终结果：{statuses}"),
    "and": (", ", "、"),
    "detail": (": {what}", "：{what}"),
    "unjudged": ("not judged to the end: the search stopped at the first violation", "未判定完：搜索停在第一处违反"),
    "cut": ("cut by {what}", "被 {what} 截断"),
    "interrupted": ("cut by interrupted", "被中断"),
    "anti": ("{id} is an anti-pattern; what repairs it: {by}", "{id} 是反模式；修复它的是：{by}"),
    "anti holds": (
        "{id} is an anti-pattern although this holds: {summary} What repairs it: {by}",
        "虽然以上性质成立，{id} 仍是反模式：{summary} 修复它的是：{by}",
    ),
    "plain": (
        "the search goes without symmetry, which this cannot have: {why}",
        "搜索不使用对称性，因为这里用不了：{why}",
    ),
    "no run": ("nothing to keep in {option}: no run had ended when the search was cut", "{option} 没有可保存的内容：搜索被截断时还没有任何运行结束"),
    "none completes": ("no run completes; each ends otherwise, such as {outcome}", "没有任何运行完成；例如 {outcome}"),
    "never inside": (
        "in the run shown nobody is ever inside {section}, so that little is said of it",
        "所示的运行中没有分支进入 {section} 段，因此对它说明不了什么",
    ),
    "no token": (
        "in the run shown nothing is ever published to {channel}, so that little is said of it",
        "所示的运行中没有向 {channel} 发布过任何消息，因此对它说明不了什么",
    ),
}  # fmt: skip
_say = partial(say, _WORDS)

_CHINESE = {
    "stuck": "从不卡住",
    "inside": "{section} 段内至多 {limit} 个分支",
    "late": "（计入迟到的代码）",
    "token": "{channel} 中恰有 {count} 个 token",
    "always": "总能以 {status} 结束",
}
"""What is asked; in English a property has a name of its own."""


@click.command("check", short_help="Try everything that may happen: it holds, or how it breaks.")
@about_a_flow
@click.option("--late", is_flag=True, help="Code that runs on after it was given up counts as inside.")
@click.option("--ends", type=click.Choice(ENDS), help="Ask as well whether an end with this status stays in reach.")
@click.option("--symmetric", is_flag=False, flag_value="", metavar="[FIELD,FIELD]",
              help="Branches that differ in these input fields alone are one: fewer states, the same verdict. On for "
              "a pattern that names such fields.")  # fmt: skip
@click.option("--no-symmetric", is_flag=True, help="Tell all branches apart.")
@click.option("--save", metavar="FILE", help="Keep the run that is shown, for 'dexpatterns replay'.")
@svg_option
@json_option
@lang_option
def command(
    *, asked: Asked, late: bool, ends: str | None, symmetric: str | None, no_symmetric: bool, save: str | None,
    svg: str | None, as_json: bool, lang: str,
) -> int:  # fmt: skip
    """Try everything that may happen in TARGET: it holds, or here is how it breaks.

    TARGET is a pattern of the catalog, the path of a pattern's folder, or a Flow of your own as file.py:Flow or
    file.py:make_flow; the file is run as it is. Asked is that nobody is stuck, that at most --limit branches are
    inside each --section, and that no --token is lost or doubled.

    Status 0: PROVED, every state was visited. Status 1: REFUTED, with a shortest run that shows it, or BOUNDED, the
    search was cut by a bound or by Ctrl-C, which is no proof. Status 2: something cannot be used.

    \b
    Examples:
      dexpatterns check critical-section --reviewers 4 --lost-attempts 2
      dexpatterns check orders.py:OrderFlow --input orders.json
          --section PackOrder --token packingTable
    """
    from dexpatterns.commands.targets import bounds_of, faults_of, handlers_watched, subject_of
    from dexpatterns.dex.scenario import Faults
    from dexpatterns.views.progress import searching

    if symmetric is not None and no_symmetric:
        raise InputError("--symmetric and --no-symmetric contradict each other; leave one of them out")
    inputs = {"--input": asked.input, "TARGET": asked.target.rpartition(":")[0] or None}
    check_outputs({"--save": save, "--svg": svg}, inputs)
    bounds, faults = bounds_of(asked), faults_of(asked) or Faults()
    subject = subject_of(asked)
    properties = _properties(subject, late=late, ends=ends, lang=lang)
    started = time.perf_counter()
    with searching(lang) as told, handlers_watched(asked, told) as progress:
        search = partial(
            _search, subject, list(properties.values()), faults=faults, bounds=bounds, progress=progress
        )
        fields, refused = _fields(subject, symmetric, no_symmetric), None
        if fields and symmetric is None:
            try:
                report = search(fields)
            except (SymmetryError, InputError) as error:
                # Whatever else is wrong is wrong without it, too.
                fields, refused = (), error
                report = search(())
        else:
            report = search(fields)
    seconds = time.perf_counter() - started
    run = report.counterexample or report.witness
    if run is not None and save is not None:
        run.save(save)
    if run is not None and svg is not None:
        write_file("--svg", svg, run.timeline(next(iter(subject.sections), None), lang=lang, limit=subject.limit).svg)
    notes = list(_notes(subject, report, refused, run, {"--save": save, "--svg": svg}, lang))
    answer = _Answer(subject, asked, report, tuple(properties), fields, seconds, notes)
    if as_json:
        write_json(_data(answer, lang))
    else:
        write(_text(answer, lang))
        for one in notes:
            note(one)
    return 0 if report.verdict.name == "PROVED" else 1


class _Answer(NamedTuple):
    """What was asked, and what came of it."""

    subject: Subject
    asked: Asked
    report: Report
    names: tuple[str, ...]
    """What was asked of every state, in the person's language."""
    fields: tuple[str, ...]
    seconds: float
    notes: list[str]


def _properties(subject: Subject, *, late: bool, ends: str | None, lang: str) -> dict[str, Property]:
    """What is asked of every state, by its name in a language."""
    from dexpatterns.dex.properties import mutual_exclusion, token_conserved
    from dexpatterns.engine.properties import always_ends, never_stuck

    limit, asked = subject.limit, {_CHINESE["stuck"]: never_stuck()}
    for section in subject.sections:
        name = _CHINESE["inside"].format(section=section.name, limit=limit) + (_CHINESE["late"] if late else "")
        asked[name] = mutual_exclusion(section, limit=limit, late=late)
    for channel, count in subject.tokens:
        asked[_CHINESE["token"].format(channel=channel, count=count)] = token_conserved(channel, count=count)
    if ends is not None:
        asked[_CHINESE["always"].format(status=ends)] = always_ends(ends)
    return asked if lang == "zh" else {one.name: one for one in asked.values()}


def _fields(subject: Subject, symmetric: str | None, no_symmetric: bool) -> tuple[str, ...]:
    """The input fields by which branches may be taken for one; none for a search that tells all apart."""
    if no_symmetric:
        return ()
    if symmetric is None or (symmetric == "" and subject.symmetric):
        return subject.symmetric
    fields = tuple(field.strip() for field in symmetric.split(","))
    if not all(fields):
        raise InputError(
            f"--symmetric: {subject.name!r} names no fields by which branches are alike; name them: --symmetric=FIELD"
        )
    return fields


def _search(
    subject: Subject, properties: list[Property], fields: tuple[str, ...], *, faults: Faults, bounds: Any,
    progress: Callable[[Progress], None],
) -> Report:  # fmt: skip
    from dexpatterns.dex.faces import check

    return check(
        subject.flow,
        subject.input,
        sections=subject.sections,
        tokens=[name for name, _ in subject.tokens],
        properties=properties,
        scenario=subject.scenario,
        faults=faults,
        bounds=bounds,
        symmetric=fields or None,
        progress=progress,
    )


# What is said of it.


def _notes(
    subject: Subject, report: Report, refused: DexpatternsError | None, run: Run | None,
    outputs: dict[str, str | None], lang: str,
) -> Iterator[str]:  # fmt: skip
    """What a person may want to know that is no part of the verdict."""
    if refused is not None:
        yield _say(lang, "plain", why=refused)
    for option, path in outputs.items():
        if path is not None and run is None:
            yield _say(lang, "no run", option=option)
    if report.verdict.name != "PROVED":
        return
    if run is None:
        yield _say(lang, "none completes", outcome=min(report.outcomes, default="RUNNING"))
    else:
        yield from _idle(subject, run, lang)


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


def _text(answer: _Answer, lang: str) -> str:
    subject, report = answer.subject, answer.report
    verdict = report.verdict.name
    head = _say(lang, "head", verdict=verdict, name=subject.name, flow=report.machine)
    lines = [
        f"  {result.verdict.name:8} {name}{_detail(result, lang)}"
        for name, result in zip(answer.names, report.results, strict=True)
    ]
    lost, late = answer.asked.lost_attempts or 0, answer.asked.late_attempts or 0
    tried = _say(lang, "tried", lost=lost, late=late, n=lost, t="" if late == 1 else "s")
    tried += _say(lang, "scenario", name=answer.asked.scenario) if answer.asked.scenario else ""
    counts = _say(
        lang, "counts", states=report.states, transitions=report.transitions, depth=report.depth, seconds=answer.seconds
    )
    fields = _say(lang, "and").join(answer.fields)
    lines += [tried, counts + (_say(lang, "alike", fields=fields) if fields else "")]
    if report.outcomes:
        statuses = _say(lang, "and").join(_statuses(report))
        lines.append(_say(lang, "ends", n=len(report.outcomes), statuses=statuses))
    explanation = report.explained(lang)
    if explanation is not None:
        lines += ["", *str(explanation).splitlines()]
    if (about := _about(answer, lang)) is not None:
        lines += ["", about]
    colour = {"PROVED": "bold green", "REFUTED": "bold red"}.get(verdict, "bold yellow")
    return rendered(shown(head), style=colour) + "".join(f"{shown(line)}\n" for line in lines)


def _detail(result: Any, lang: str) -> str:
    what = result.detail
    if lang == "zh" and result.verdict.name == "BOUNDED":
        cut = what.removeprefix("cut by ")
        key = "unjudged" if cut == what else "interrupted" if cut == "interrupted" else "cut"
        what = _say(lang, key, what=cut)
    return _say(lang, "detail", what=what) if what else ""


def _statuses(report: Report) -> list[str]:
    """With which statuses runs end, by the first word of each outcome."""
    return sorted({outcome.replace(":", " ").replace(",", " ").split()[0] for outcome in report.outcomes})


def _about(answer: _Answer, lang: str) -> str | None:
    """Of an anti-pattern that it is one, and what repairs it."""
    pattern = answer.subject.pattern
    if pattern is None or pattern.kind != "anti-pattern":
        return None
    by = _say(lang, "and").join(pattern.repaired_by)
    key = "anti holds" if answer.report.verdict.name == "PROVED" else "anti"
    return _say(lang, key, id=pattern.id, by=by, summary=pattern.summary(lang))


def _data(answer: _Answer, lang: str) -> dict[str, Any]:
    subject, asked, report = answer.subject, answer.asked, answer.report
    explanation = report.explained(lang)
    return {
        "target": subject.name,
        "flow": report.machine,
        "verdict": report.verdict.name,
        "holds": report.verdict.name == "PROVED",
        "properties": [
            {"property": result.name, "verdict": result.verdict.name, "detail": result.detail}
            for result in report.results
        ],
        "broken": report.property,
        "states": report.states,
        "transitions": report.transitions,
        "depth": report.depth,
        "seconds": round(answer.seconds, 3),
        "lost_attempts": asked.lost_attempts or 0,
        "late_attempts": asked.late_attempts or 0,
        "scenario": asked.scenario,
        "bounds": {name: getattr(report.bounds, name) for name in ("states", "depth", "seconds")},
        "symmetric": list(answer.fields),
        "outcomes": sorted(report.outcomes),
        "growing": report.growing,
        "counterexample": _run_data(report.counterexample),
        "witness": _run_data(report.witness),
        "explanation": None if explanation is None else str(explanation),
        "anti_pattern": subject.pattern is not None and subject.pattern.kind == "anti-pattern",
        "repaired_by": list(subject.pattern.repaired_by) if subject.pattern is not None else [],
        "notes": answer.notes,
    }


def _run_data(run: Run | None) -> dict[str, Any] | None:
    return run and {"turns": len(run.trace.turns), "schedule": run.schedule}
