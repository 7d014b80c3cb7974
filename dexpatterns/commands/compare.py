"""`dexpatterns compare`: the patterns of a catalog by property, each cell from claims that were run just now."""

from __future__ import annotations

import click

from dexpatterns.commands.options import json_option, lang_option
from dexpatterns.terminal import aside, note, write, write_json

__all__ = ["command"]

FORMATS = ("text", "markdown", "csv", "html")


@click.command("compare", short_help="Compare the patterns by property, from their claims.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="How to write the table.")
@click.option("--catalog", metavar="FOLDER", help="A catalog of your own: a folder of pattern folders.")
@json_option
@lang_option
def command(*, form: str, catalog: str | None, as_json: bool, lang: str) -> int:
    """Run every claim of the catalog and compare its patterns by property.

    A cell says what was proved, in how few turns it was broken, or that the claim about it is not met.

    \b
    Example:
      dexpatterns compare --format markdown > patterns.md
    """
    from dexpatterns import catalog as shelf
    from dexpatterns.views import compare as view
    from dexpatterns.views.progress import claiming

    with claiming(lang) as told, aside():
        table = shelf.compare(lang, catalog, progress=told)
    if as_json:
        write_json(table.attrs["verdicts"])
    else:
        write(view.write(table, form))
    for problem in shelf.problems(catalog):
        note(problem.text)
    for id, why in table.attrs["problems"].items():
        note(f"{id}: {why}")
    return 0
