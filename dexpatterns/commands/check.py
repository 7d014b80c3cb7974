"""`dexpatterns check`: tries every order, failure and outside event, and says what holds or shows how it breaks.

The search and the words of the explanation are others'; here they are asked for and laid out. A search that was cut
never looks like a proof: its verdict is BOUNDED, and the status 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

import click

from dexpatterns.commands.options import Asked, about_a_flow, json_option, lang_option, svg_option
from dexpatterns.errors import DexpatternsError, InputError, SymmetryError
from dexpatterns.terminal import Words, check_outputs, note, say, write, write_file, write_json

if TYPE_CHECKING:
    from dexpatterns.commands.targets import Subject
    from dexpatterns.dex.scenario import Faults
    from dexpatterns.engine.explore import Progress
    from dexpatterns.engine.properties import Property
    from dexpatterns.engine.report import Bounds, Report

__all__ = ["command"]

ENDS = ("COMPLETED", "FAILED", "CANCELED", "TERMINATED")

_WORDS: Words = {
    "plain": (
        "the search goes without symmetry, which this cannot have: {why}",
        "搜索不使用对称性，因为这里用不了：{why}",
    ),
    "no run": ("nothing to keep for {option}: no run is shown", "{option} 没有可保存的内容：没有可展示的运行"),
}
_say = partial(say, _WORDS)


class _Check(click.Command):
    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        given = list(args)
        try:
            return super().parse_args(context, args)
        except click.MissingParameter:
            # `--symmetric TARGET` means no field of that name.
            if "--symmetric" not in given:
                raise
            context.params.clear()
            return super().parse_args(context, ["--symmetric=" if arg == "--symmetric" else arg for arg in given])


@click.command("check", cls=_Check, short_help="Try everything that may happen: it holds, or how it breaks.")
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
    inside each --section, and that no --token is lost or doubled; of a resource-lock pattern, that no lock is
    over-committed or kept and that no orders wait for each other in a circle.

    Status 0: PROVED, every state was visited. Status 1: REFUTED, with a shortest run that shows it, or BOUNDED, the
    search was cut by a bound or by Ctrl-C, which is no proof. Status 2: something cannot be used.

    \b
    Examples:
      dexpatterns check critical-section --reviewers 4 --lost-attempts 2
      dexpatterns check orders.py:OrderFlow --input orders.json
          --section PackOrder --token packingTable
    """
    from dexpatterns.commands.js7_work import orders_of, try_all
    from dexpatterns.commands.one_report import Answer, data, notes, text
    from dexpatterns.commands.targets import bounds_of, faults_of, handlers_watched, subject_of
    from dexpatterns.dex.scenario import Faults
    from dexpatterns.views.progress import searching

    if symmetric is not None and no_symmetric:
        raise InputError("--symmetric and --no-symmetric contradict each other; leave one of them out")
    inputs = {"--input": asked.input, "TARGET": asked.target.rpartition(":")[0] or None}
    check_outputs({"--save": save, "--svg": svg}, inputs)
    bounds, faults = bounds_of(asked), faults_of(asked) or Faults()
    orders = orders_of(asked)
    if orders is not None:
        symmetry = {"--symmetric": symmetric is not None, "--no-symmetric": no_symmetric}
        of_flows = {"--late": late, "--ends": ends, **symmetry}
        for option, said in of_flows.items():
            if said:
                raise InputError(f"{option} is about Flows, and {asked.target!r} has JS7 workflows; leave it out")
        return try_all(orders, bounds=bounds, save=save, svg=svg, as_json=as_json, lang=lang)
    subject = subject_of(asked)
    fields = () if no_symmetric else _fields(subject, symmetric)
    properties = _properties(subject, late=late, ends=ends)
    started = time.perf_counter()
    with searching(lang) as told, handlers_watched(asked, told) as progress:
        search = partial(_search, subject, properties, faults=faults, bounds=bounds, progress=progress)
        report, refused = _symmetric(search, fields) if fields and symmetric is None else (search(fields), None)
    answer = Answer(
        subject=subject,
        asked=asked,
        report=report,
        fields=() if refused else fields,
        seconds=time.perf_counter() - started,
    )
    aside = [_say(lang, "plain", why=refused)] if refused else []
    run = report.counterexample or report.witness
    for option, path in {"--save": save, "--svg": svg}.items():
        if path is not None and run is None:
            aside.append(_say(lang, "no run", option=option))
    if run is not None and save is not None:
        run.save(save)
    if run is not None and svg is not None:
        section = next(iter(subject.sections), None)
        write_file("the picture", svg, run.timeline(section, lang=lang, limit=subject.limit).svg)
    aside += notes(answer, lang)
    if as_json:
        write_json({**data(answer, lang), "notes": aside})
    else:
        write(text(answer, lang))
        for one in aside:
            note(one)
    return 0 if answer.holds else 1


def _properties(subject: Subject, *, late: bool, ends: str | None) -> list[Property]:
    """What is asked of every state."""
    from dexpatterns.dex.properties import mutual_exclusion, token_conserved
    from dexpatterns.engine.properties import always_ends, never_stuck

    return [
        never_stuck(),
        *[mutual_exclusion(section, limit=subject.limit, late=late) for section in subject.sections],
        *[token_conserved(channel, count=count) for channel, count in subject.tokens],
        *([] if ends is None else [always_ends(ends)]),
    ]


def _fields(subject: Subject, symmetric: str | None) -> tuple[str, ...]:
    """The input fields by which branches may be taken for one; none for a search that tells all apart."""
    if symmetric is None or (symmetric == "" and subject.symmetric):
        return subject.symmetric
    fields = tuple(field.strip() for field in symmetric.split(","))
    if not all(fields):
        raise InputError(
            f"--symmetric: {subject.name!r} names no fields by which branches are alike; write --symmetric=FIELD,FIELD"
        )
    return fields


def _symmetric(
    search: Callable[[tuple[str, ...]], Report], fields: tuple[str, ...]
) -> tuple[Report, DexpatternsError | None]:
    """Search with symmetry, or without where the Flow or its input cannot have it, and then say why."""
    try:
        return search(fields), None
    except (SymmetryError, InputError) as refused:
        # If it is something else that is wrong, it is wrong without symmetry, too.
        return search(()), refused


def _search(
    subject: Subject, properties: Iterable[Property], fields: tuple[str, ...], *, faults: Faults, bounds: Bounds,
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
        # A file of one's own may draw, count or look at a clock: better told than searched wrongly.
        rerun=True,
    )
