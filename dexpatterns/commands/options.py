"""The options that several commands have: languages, data, and everything that says what is tried and how far.

What `about_a_flow` adds to a command reaches it as one `Asked`. Options are read here and judged elsewhere.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import click

__all__ = ["MOST_REVIEWERS", "Asked", "about_a_flow", "json_option", "lang_option", "svg_option"]

MOST_REVIEWERS = 100_000

lang_option = click.option(
    "--lang", type=click.Choice(["en", "zh"]), default="en", help="English (en) or Chinese (zh)."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print data and nothing else; times in seconds.")
svg_option = click.option("--svg", metavar="FILE", help="Draw the lanes into a file.")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person asks to be tried; None and () where nothing is said."""

    target: str
    reviewers: int | None = None
    flags: tuple[str, ...] = ()
    flow: str | None = None
    input: str | None = None
    sections: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    limit: int | None = None
    scenario: str | None = None
    lost_attempts: int | None = None
    late_attempts: int | None = None
    bound_states: int | None = None
    bound_depth: int | None = None
    bound_seconds: float | None = None
    allow_io: bool = False


_SOME = click.IntRange(1)
_OPTIONS = (
    click.argument("target"),
    click.option("--reviewers", type=click.IntRange(1, MOST_REVIEWERS), metavar="N",
                 help="How many branches a pattern of the catalog has, if not as many as its own input (mostly 3)."),
    click.option("--flag", "flags", multiple=True, metavar="NAME=N,N",
                 help="Which branches of a pattern a flag hits, such as withdrawn=1."),
    click.option("--flow", metavar="NAME", help="Another Flow of the pattern's folder."),
    click.option("--input", metavar="FILE|JSON", help="The Flow's input: JSON, or a file of it."),
    click.option("--section", "sections", multiple=True, metavar="STEP,STEP",
                 help="The Steps of a protected section, first to last."),
    click.option("--token", "tokens", multiple=True, metavar="CHANNEL[=N]",
                 help="The Channel that holds the token, and how many, if not one."),
    click.option("--limit", type=_SOME, metavar="N", help="How many may be inside at once, if not one."),
    click.option("--scenario", metavar="NAME", help="One of the pattern's scenarios, or file.py:NAME."),
    click.option("--lost-attempts", type=click.IntRange(0), metavar="N",
                 help="How many attempts may be lost with their worker."),
    click.option("--late-attempts", type=click.IntRange(0), metavar="N",
                 help="How many may be given up while their code runs on."),
    click.option("--bound-states", type=_SOME, metavar="N", help="Stop after so many states (1,000,000)."),
    click.option("--bound-depth", type=_SOME, metavar="N", help="Stop after so many turns."),
    click.option("--bound-seconds", type=click.FloatRange(0, min_open=True), metavar="S",
                 help="Stop after so many seconds."),
    click.option("--allow-io", is_flag=True, help="Let handlers open sockets, start programs and write files."),
)  # fmt: skip


def about_a_flow(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the argument TARGET and all options above; it is called with `asked=Asked(...)`."""
    names = [field.name for field in fields(Asked)]

    @functools.wraps(command)
    def called(**given: Any) -> int:
        return command(asked=Asked(**{name: given.pop(name) for name in names}), **given)

    for option in reversed(_OPTIONS):
        called = option(called)
    return called
