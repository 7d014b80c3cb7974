"""`dexpatterns site`: the catalog and the notebooks as static HTML in both languages, which opens without a server."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from dexpatterns.commands.options import json_option, lang_option
from dexpatterns.terminal import Words, note, say, write, write_json

__all__ = ["command"]

_WORDS: Words = {
    "built": (
        "{pages} pages with {steppers} steppers; open {front}",
        "{pages} 个页面，{steppers} 个逐回合视图；请打开 {front}",
    ),
}
_say = partial(say, _WORDS)


@click.command("site")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--catalog", metavar="FOLDER", help="A catalog of your own: a folder of pattern folders.")
@click.option(
    "--notebooks", "lessons", metavar="FOLDER", type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Notebooks of your own, shown with what is stored in them.",
)  # fmt: skip
@json_option
@lang_option
def command(*, folder: Path, catalog: str | None, lessons: Path | None, as_json: bool, lang: str) -> int:
    """Build the catalog's pages and the notebooks as a site in FOLDER.

    Both languages are built; --lang says which one its front page opens. It works offline, with a stepper wherever a
    run is shown. Code of the catalog's folders is run, that of notebooks is not. FOLDER is new, empty or an earlier
    site; anything else is left alone.

    Status 0: built. Status 1: built, but some page could not be made as it should. Status 2: nothing was written.

    \b
    Example:
      dexpatterns site public --lang zh
    """
    from dexpatterns.pages.site import build
    from dexpatterns.views.progress import counting

    with counting("pages", lang) as progress:
        built = build(folder, catalog=catalog, lessons=lessons, lang=lang, progress=progress)
    for problem in built.problems:
        note(problem)
    if as_json:
        write_json({"pages": built.pages, "steppers": built.steppers, "problems": list(built.problems)})
    else:
        write(_say(lang, "built", pages=built.pages, steppers=built.steppers, front=folder / "index.html") + "\n")
    return 1 if built.problems else 0
