"""`dexpatterns replay`: shows a run again that was kept in a file; nothing is run and no code is taken from it."""

from __future__ import annotations

import click

from dexpatterns.commands.options import json_option, lang_option, svg_option
from dexpatterns.errors import InputError
from dexpatterns.terminal import check_outputs, write_file

__all__ = ["command"]


@click.command("replay", short_help="Show a run again that was kept in a file.")
@click.argument("file", metavar="FILE")
@svg_option
@json_option
@lang_option
def command(*, file: str, as_json: bool, svg: str | None, lang: str) -> int:
    """Show a run again that was kept with --save FILE.

    \b
    Example:
      dexpatterns replay run.json --svg lanes.svg
    """
    from dexpatterns.engine.run import load_run

    check_outputs({"--svg": svg}, {"the run": file})
    loaded = load_run(file)
    if loaded.trace.machine == "js7":
        from dexpatterns.commands.one_js7 import show as show_orders

        if svg is not None:
            write_file("the picture", svg, loaded.timeline(lang=lang).svg)
        return show_orders(loaded, as_json=as_json, lang=lang)
    from dexpatterns.commands.one_run import pattern_of, show

    if not loaded.sections:
        raise InputError(f"{file!r} was saved without a section, so there is nothing to show; save it with one")
    return show(loaded, pattern_of(loaded), as_json=as_json, svg=svg, lang=lang)
