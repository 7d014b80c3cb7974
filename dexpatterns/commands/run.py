"""`dexpatterns run`: one run of a pattern, by chance from a seed, with its lanes, its edits and a verdict on it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import click

from dexpatterns.commands.options import MOST_REVIEWERS, json_option, lang_option, svg_option
from dexpatterns.errors import InputError
from dexpatterns.terminal import Words, aside, check_outputs, say

__all__ = ["command"]

REVIEWERS, LONG_WORK = 5, 2_000
"""How many edits there are if nothing is said; and of how many a person is told that the work goes on."""

_WORDS: Words = {"work": ("running the Flow", "正在运行 Flow")}


@click.command("run", short_help="Run a pattern once: its lanes, its edits and a verdict.")
@click.argument("name")
@click.option("--edits", metavar="FILE", help="JSON or CSV, a row per edit; 'reviewer' is required.")
@click.option("--reviewers", type=click.IntRange(1, MOST_REVIEWERS), help=f"How many edits, if not {REVIEWERS}.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Another seed, another order.")
@click.option("--save", metavar="FILE", help="Keep the run, for 'dexpatterns replay'.")
@svg_option
@json_option
@lang_option
def command(
    *, name: str, edits: str | None, reviewers: int | None, seed: int, save: str | None, svg: str | None, as_json: bool,
    lang: str,
) -> int:  # fmt: skip
    """Run the pattern NAME once: its lanes, its edits and a verdict.

    NAME is a pattern of the catalog, or the path of a pattern's folder. Of a resource-lock pattern its orders run.

    \b
    Examples:
      dexpatterns run critical-section
      dexpatterns run critical-section --edits edits.csv --seed 7 --svg lanes.svg
      dexpatterns run shared-lock
    """
    from dexpatterns.commands.js7_work import of_pattern, run_once
    from dexpatterns.commands.one_run import show
    from dexpatterns.commands.targets import find_pattern
    from dexpatterns.dex.faces import simulate
    from dexpatterns.edits import read_edits
    from dexpatterns.folders.cards import JS7

    if edits is not None and reviewers is not None:
        raise InputError("--reviewers and --edits both say whose edits to run; leave one of them out")
    check_outputs({"--save": save, "--svg": svg}, {"--edits": edits})
    pattern = find_pattern(name)
    if pattern.form == JS7:
        for option, said in {"--edits": edits, "--reviewers": reviewers}.items():
            if said is not None:
                raise InputError(f"{option} is about Flows, and {name!r} has JS7 workflows; leave it out")
        return run_once(of_pattern(pattern), seed=seed, save=save, svg=svg, as_json=as_json, lang=lang)
    with aside():
        if pattern.section is None:
            raise InputError(f"{name!r} has no section to show; see 'dexpatterns list'")
        if edits is None:
            input, scenario = pattern.make_input(reviewers=reviewers or REVIEWERS), pattern.scenario
        else:
            input, scenario = pattern.from_edits(read_edits(edits))
        tokens = [] if pattern.token is None else [pattern.token]
        sections = [pattern.section]
        with _patience(len(input) if isinstance(input, Sequence) else 1, lang):
            made = simulate(pattern.flow, input, sections=sections, tokens=tokens, scenario=scenario, seed=seed)
            if save is not None:
                made.save(save)
    return show(made, pattern, as_json=as_json, svg=svg, lang=lang)


def _patience(edits: int, lang: str) -> AbstractContextManager[Any]:
    if edits < LONG_WORK or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(say(_WORDS, lang, "work"))
