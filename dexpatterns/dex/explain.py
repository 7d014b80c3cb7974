"""Explains a report: the verdict, the cause when it is a known one, and the run told in turns.

A counterexample is told whole, a good run shortly; a search that was cut says by what, and what grew on the way.
For a machine that is no Flow the story is its moves. This module searches nothing and finds no cause itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dexpatterns.dex.case import Case
from dexpatterns.dex.causes import cause_of
from dexpatterns.dex.clauses import Names
from dexpatterns.dex.facts import Facts
from dexpatterns.dex.story import sentences, tell
from dexpatterns.dex.telling import Cause, Explanation
from dexpatterns.dex.wording import duration, listed, say, shown
from dexpatterns.engine.growth import Part
from dexpatterns.engine.properties import Property
from dexpatterns.engine.report import Report, Verdict
from dexpatterns.engine.run import Run
from dexpatterns.engine.telling import Change, TurnText
from dexpatterns.engine.texts import check_lang

__all__ = ["Cause", "Change", "Explanation", "TurnText", "explain", "told"]


def explain(report: Report, lang: str = "en") -> Explanation:
    """Explain a report in a language, 'en' or 'zh'; raises `InputError` for another one."""
    return _VERDICTS[report.verdict](report, check_lang(lang))


def told(run: Run, lang: str = "en") -> Explanation:
    """A run in turns, judged by nobody."""
    turns = sentences(run.trace, run.sections, run.tokens, check_lang(lang))
    end = _end(run, lang)
    headline = say(lang, "told", name=shown(run.trace.name), n=len(turns), end=end)
    return Explanation(run.trace.name, "", headline, (), None, "", tuple(turns), lang=lang)


def _refuted(report: Report, lang: str) -> Explanation:
    run, broken = report.counterexample, _broken(report)
    assert run is not None
    name = property_name(broken, lang)
    turns: tuple[TurnText, ...]
    if run.trace.machine != "dex":
        turns = tuple(sentences(run.trace, lang=lang))
        said = say(lang, "broken_plain", name=name, n=len(turns), shortest=_shortest(report, lang))
        return Explanation(report.machine, "REFUTED", said, (), None, _unknown(broken, report, lang), turns, lang=lang)
    case = _case(report, run, broken, lang)
    late = (broken.section.name,) if getattr(broken, "late", False) else ()
    turns = tuple(tell(case.facts, lang, _limits(report), late))
    cause = cause_of(case) if case.facts.moments else None
    by = list(dict.fromkeys(filter(None, _culprits(case))))
    key = "broken_plain" if not by else "broken_by"
    if by and broken.kind == "never_stuck":
        key = "stuck_after" if len(by) == 1 else "stuck_after_many"
    headline = say(lang, key, name=name, n=len(turns), who=listed(lang, by), shortest=_shortest(report, lang))
    plain = "" if cause else _plain(case, report, turns, lang)
    return Explanation(report.machine, "REFUTED", headline, (), cause, plain, turns, lang=lang)


def _broken(report: Report) -> Any:
    """The property that is refuted; a nameless one in its place when it is not at hand."""
    for one in report.properties:
        if one.name == report.property:
            return one
    unknown = Property()
    unknown.name = report.property or ""
    return unknown


def _shortest(report: Report, lang: str) -> str:
    return say(lang, "maybe_shorter", cut=_cut(report, lang)) if report.cut else say(lang, "no_shorter")


def _cut(report: Report, lang: str) -> str:
    return say(lang, "interrupted") if report.cut == "interrupted" else report.cut


def _case(report: Report, run: Run, broken: Any, lang: str) -> Case:
    section = getattr(broken, "section", None)
    sections = [*([section] if section is not None else []), *run.sections]
    tokens = [*run.tokens, *(str(getattr(p, "channel", "")) for p in report.properties if p.kind == "token_conserved")]
    facts = Facts(run.trace, list(dict.fromkeys(sections)), tokens)
    return Case(facts, broken, report.properties, report.study, lang)


def _limits(report: Report) -> dict[str, int]:
    excluding: list[Any] = [p for p in report.properties if p.kind == "mutual_exclusion"]
    return {p.section.name: p.limit for p in excluding}


def _culprits(case: Case) -> Iterable[str]:
    """Whom a violation concerns: who is inside, who did something to a token, who waits."""
    if case.broken.kind == "mutual_exclusion":
        entered, others = case.inside(late=case.broken.late)
        return [case.names.who(guest.entry) for guest in sorted((*others, *entered), key=lambda g: g.since)]
    if case.broken.kind == "token_conserved":
        faults = [case.fault(channel) for channel in case.channels()]
        return [case.names.who(found[1].path) for found in faults if found is not None]
    if case.broken.kind == "never_stuck":
        return [case.names.who(path) for path in case.waiting()]
    return []


def _plain(case: Case, report: Report, turns: tuple[TurnText, ...], lang: str) -> str:
    """What is violated and by whom, where no known cause fits."""
    parts = [_unknown(case.broken, report, lang)]
    if case.broken.kind == "mutual_exclusion":
        entered, others = case.inside(late=case.broken.late)
        parts += [
            say(lang, "inside_since", who=case.names.who(guest.entry), turn=guest.since)
            for guest in sorted((*others, *entered), key=lambda g: g.since)
        ]
    elif turns:
        parts.append(say(lang, "last_turn", n=turns[-1].turn, sentence=str(turns[-1])))
    if case.broken.kind == "always_ends" and report.outcomes:
        ends = (shown(outcome, 120) for outcome in sorted(report.outcomes))
        parts.append(say(lang, "outcomes", what=say(lang, "clauses").join(ends)))
    return say(lang, "between_sentences").join(parts)


def _unknown(broken: Any, report: Report, lang: str) -> str:
    if broken.kind in ("always", "never"):
        return say(lang, f"own_{broken.kind}")
    fault = next((r.detail for r in report.results if r.name == report.property), "")
    return say(lang, "unknown_cause", fault=shown(fault, 300)) if lang == "en" else say(lang, "unknown_cause")


def _proved(report: Report, lang: str) -> Explanation:
    headline = say(lang, "proved", states=report.states, moves=report.transitions, depth=report.depth)
    details = [*_world(report, lang), *_judged(report, lang)]
    run = report.witness
    if run is None:
        details.append(say(lang, "no_witness"))
        return Explanation(report.machine, "PROVED", headline, tuple(details), None, "", (), short=True, lang=lang)
    turns = tuple(sentences(run.trace, run.sections, run.tokens, lang, limits=_limits(report)))
    details.append(say(lang, "witness", n=len(turns), end=_end(run, lang)))
    details += _visits(run, lang)
    return Explanation(report.machine, "PROVED", headline, tuple(details), None, "", turns, short=True, lang=lang)


def _bounded(report: Report, lang: str) -> Explanation:
    headline = say(
        lang, "bounded", cut=_cut(report, lang), states=report.states, moves=report.transitions, depth=report.depth
    )
    details = [*_world(report, lang), *_judged(report, lang)]
    if report.grown:
        details.append(say(lang, "grows", what=listed(lang, _parts(report.grown, lang), most=5)))
    return Explanation(report.machine, "BOUNDED", headline, tuple(details), None, "", (), lang=lang)


_VERDICTS = {Verdict.REFUTED: _refuted, Verdict.PROVED: _proved, Verdict.BOUNDED: _bounded}


# What was asked, and in what world.


def property_name(one: Any, lang: str = "en") -> str:
    """A property's title, fit to stand in a sentence."""
    return shown(one.title(lang), 120)


def _parts(grown: Iterable[Part], lang: str) -> list[str]:
    """The parts of the state by their names."""
    keys = {"attributes": "part_attribute", "channels": "part_channel"}
    return [say(lang, keys.get(part[0], "part_other"), name=shown(part[-1])) for part in grown]


def _judged(report: Report, lang: str) -> list[str]:
    names = {p.name: property_name(p, lang) for p in report.properties}
    return [f"  {r.word}  {names.get(r.name, shown(r.name, 120))}" for r in report.results]


def _world(report: Report, lang: str) -> list[str]:
    """Under what the verdict holds: faults and events, as far as the machine tells."""
    rules = getattr(report.study, "rules", None)
    if rules is None:
        return []
    faults, parts = rules.faults, []
    if faults.lost_attempts:
        parts.append(say(lang, "world_lost", n=faults.lost_attempts))
    if faults.late_attempts:
        parts.append(say(lang, "world_late", n=faults.late_attempts))
    for event in rules.events:
        owed = say(lang, "world_owed" if event.owed else "world_free", n=event.times)
        parts.append(say(lang, f"world_{event.kind}", name=shown(event.name), owed=owed))
    timeout = rules.scenario.options.timeout
    if timeout is not None:
        parts.append(say(lang, "world_timeout", time=duration(timeout.total_seconds())))
    return [say(lang, "world", what=say(lang, "between_names").join(parts) if parts else say(lang, "world_nothing"))]


def _end(run: Run, lang: str) -> str:
    status = run.trace.final.get("status")
    return say(lang, "ends_as", status=status) if status not in (None, "RUNNING") else say(lang, "ends_open")


def _visits(run: Run, lang: str) -> list[str]:
    """Who was inside when."""
    if run.trace.machine != "dex" or not run.sections:
        return []
    facts = Facts(run.trace, run.sections, run.tokens)
    names = Names(facts, lang)
    parts = [
        say(lang, "visit", who=names.who(visit.entry), first=visit.start_turn, last=visit.end_turn)
        for visit in facts.reading.visits
        if not visit.late
    ]
    return [say(lang, "visits", what=say(lang, "clauses").join(parts))] if parts else []
