"""`dexpatterns audit`: every way out of a section, and what becomes of the token on it; any run of them on request."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from dexpatterns.commands.options import Asked, about_a_flow, json_option, lang_option
from dexpatterns.engine.texts import visible
from dexpatterns.errors import InputError
from dexpatterns.terminal import Words, note, rendered, say, table, write, write_json

if TYPE_CHECKING:
    from dexpatterns.commands.targets import Subject

__all__ = ["command"]

_WORDS: Words = {
    "columns": ("#|way out|step|declared|verdict", "#|出口|Step|声明|结论"),
    "warning": ("warning: {what}", "警告：{what}"),
    "cut": ("the search was {what}, what was not reached may still be there", "搜索{what}，未到达的出口可能仍然存在"),
    "row": ("{n}. {way}, {step}: {verdict}", "{n}. {way}，{step}：{verdict}"),
    "unreached": ("no run took this way, so there is none to tell", "没有运行走这个出口，因此没有可讲述的内容"),
    "holds": ("{n} ways out were reached, each gives the token back", "到达了 {n} 个出口，每一个都归还 token"),
    "holds one": ("one way out was reached, and it gives the token back", "到达了 1 个出口，它归还 token"),
    "breaks": ("{n} ways out lose the token or make a second one", "{n} 个出口丢失 token 或造出第二个"),
    "breaks one": ("one way out loses the token or makes a second one", "1 个出口丢失 token 或造出第二个"),
    "none": ("no way out was reached: nothing is said of the token", "没有到达任何出口：对 token 什么也没有说明"),
    "counts": ("; {states:,} states, {seconds:.2f} s", "；{states:,} 个状态，{seconds:.2f} 秒"),
}  # fmt: skip
_say = partial(say, _WORDS)

_BAD = ("lost", "doubled")


@click.command("audit", short_help="List the ways out of a section: which give the token back.")
@about_a_flow
@click.option("--explain", type=click.IntRange(1), metavar="N", help="Tell the run behind row N of the table.")
@json_option
@lang_option
def command(*, asked: Asked, explain: int | None, as_json: bool, lang: str) -> int:
    """List every way out of a section of TARGET: does it give the token back?

    TARGET is as of 'dexpatterns check'. Without --lost-attempts and --late-attempts, enough attempts are lost to use
    up each retry policy once, and the Flow is closed in each way at any moment.

    Status 0: each way that was reached gives the token back, exactly once. Status 1: one loses it or makes a second
    one, none was reached, or the search was cut. Status 2: something cannot be used.

    \b
    Examples:
      dexpatterns audit critical-section --flag withdrawn=1
      dexpatterns audit orders.py:OrderFlow --input orders.json
          --section PackOrder --token packingTable --explain 2
    """
    from dexpatterns.audit import audit, in_words
    from dexpatterns.commands.targets import bounds_of, faults_of, handlers_watched, subject_of
    from dexpatterns.views.progress import searching

    bounds, faults = bounds_of(asked), faults_of(asked)
    subject = subject_of(asked)
    section = _one(subject, "section", subject.sections)
    token, count = _one(subject, "token", subject.tokens)
    if token in subject.maps:
        raise InputError(
            f"audit: each key of the ChannelMap {token!r} has a token of its own; write --token {token}/KEY"
        )
    started = time.perf_counter()
    with searching(lang) as told, handlers_watched(asked, told) as progress:
        found = audit(
            subject.flow, subject.input, section, token=token, count=count, scenario=subject.scenario, faults=faults,
            bounds=bounds, lang=lang, progress=progress,
        )  # fmt: skip
        if explain is not None and explain > len(found):
            raise InputError(f"--explain: expected a row from 1 to {len(found)}, got {explain}")
        story = None if explain is None else found.explanation(explain - 1, lang)
    seconds = time.perf_counter() - started
    holds = bool(found.holds) and "returned" in set(found["verdict"])
    if as_json:
        write_json(_data(found, subject, section.name, token, holds, story, seconds))
        return 0 if holds else 1
    rows = [tuple(map(str, row)) for row in found.itertuples(index=False)]
    cells = [
        (str(n), in_words(way, lang), step, declared, _verdict_of(verdict, lang))
        for n, (way, step, declared, verdict, _) in enumerate(rows, 1)
    ]
    write(table(_say(lang, "columns"), cells))
    if explain is not None:
        way, step, verdict = cells[explain - 1][1], cells[explain - 1][2], cells[explain - 1][4]
        lines = [_say(lang, "row", n=explain, way=way, step=step or "-", verdict=verdict)]
        lines += _say(lang, "unreached").splitlines() if story is None else str(story).splitlines()
        write("".join(f"{visible(line)}\n" for line in [*lines, ""]))
    for warning in found.attrs["warnings"]:
        note(_say(lang, "warning", what=warning))
    verdict = _verdict(found, lang) + _say(lang, "counts", states=found.attrs["states"], seconds=seconds)
    write(rendered(visible(verdict), style="bold green" if holds else "bold red"))
    return 0 if holds else 1


def _one(subject: Subject, what: str, named: Sequence[Any]) -> Any:
    if len(named) != 1:
        example = "--section FirstStep,LastStep" if what == "section" else "--token CHANNEL"
        raise InputError(f"audit of {subject.name!r}: expected one {what}, got {len(named) or 'none'}; write {example}")
    return named[0]


def _verdict_of(verdict: str, lang: str) -> str:
    from dexpatterns.audit import in_words

    said = in_words(verdict, lang)
    return said.upper() if verdict in _BAD else said


def _verdict(found: Any, lang: str) -> str:
    """How many ways break it, or that none does; and whether the search was cut."""
    from dexpatterns.commands.searched import cut_words

    verdicts = list(found["verdict"])
    bad, good = sum(verdict in _BAD for verdict in verdicts), verdicts.count("returned")
    key = "breaks" if bad else "holds" if good else "none"
    told = _say(lang, f"{key} one" if (bad or good) == 1 else key, n=bad or good)
    cut = found.attrs["cut"]
    return f"{told}; {_say(lang, 'cut', what=cut_words(cut, lang))}" if cut else told


def _data(
    found: Any, subject: Subject, section: str, token: str, holds: bool, story: Any, seconds: float
) -> dict[str, Any]:
    return {
        "target": subject.name,
        "section": section,
        "token": token,
        "holds": holds,
        "ways": [dict(row) for row in found.to_dict("records")],
        "warnings": list(found.attrs["warnings"]),
        "states": int(found.attrs["states"]),
        "cut": found.attrs["cut"],
        "seconds": round(seconds, 3),
        "explanation": None if story is None else str(story),
    }
