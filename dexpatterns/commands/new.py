"""`dexpatterns new`: a catalog folder of one's own to start from: it loads, runs, and its claims hold."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from dexpatterns.commands.options import lang_option
from dexpatterns.terminal import Words, say, write

__all__ = ["command"]

_WORDS: Words = {
    "made": ("{path} is written: {files}", "已写好 {path}：{files}"),
    "next": (
        "change it, then: dexpatterns list --catalog {folder} --check; python -m dexpatterns.pages {path}",
        "改成自己的模式，然后：dexpatterns list --catalog {folder} --check；python -m dexpatterns.pages {path}",
    ),
    "and": (", ", "、"),
}
_say = partial(say, _WORDS)


@click.command("new")
@click.argument("name")
@click.option("--folder", type=click.Path(path_type=Path), default=".", help="Your catalog, made if there is none.")
@click.option(
    "--form", type=click.Choice(["dex", "js7"]), default="dex", show_default=True,
    help="A Flow, or workflow and lock files.",
)  # fmt: skip
@lang_option
def command(*, name: str, folder: Path, form: str, lang: str) -> int:
    """Write the folder of a new pattern, NAME, to start from.

    It has everything that a catalog folder needs, in both languages; it loads, runs, and its claims hold. NAME is
    lower-case words joined by '-'. What is there already is left as it is.

    \b
    Examples:
      dexpatterns new two-editors --folder our-patterns
      dexpatterns new nightly-load --form js7
    """
    from dexpatterns.pages.starting import start

    pattern = start(name, folder, form)
    path = folder / name
    files = _say(lang, "and").join(sorted(child.name for child in pattern.path.iterdir()))
    write(_say(lang, "made", path=path, files=files) + "\n" + _say(lang, "next", folder=folder, path=path) + "\n")
    return 0
