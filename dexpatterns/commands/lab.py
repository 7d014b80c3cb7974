"""`dexpatterns lab`: JupyterLab on a copy of the notebooks in a folder of one's own; nothing is overwritten."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from functools import partial
from pathlib import Path

import click

from dexpatterns.commands.options import lang_option
from dexpatterns.errors import InputError
from dexpatterns.terminal import Words, note, say, write

__all__ = ["command"]

_WORDS: Words = {
    "copied": ("{n} file{s} copied to {folder}", "已复制 {n} 个文件到 {folder}"),
    "kept": ("{n} file{s} there already, left alone: {names}", "那里已有 {n} 个文件，保持原样：{names}"),
    "more": ("{names} and {n} more", "{names} 等，另有 {n} 个"),
    "opens": ("JupyterLab opens; Ctrl-C here ends it", "JupyterLab 即将打开；在这里按 Ctrl-C 结束"),
    "start": ("start with {name}", "从 {name} 开始"),
}
_say = partial(say, _WORDS)

_KINDS = ("*.ipynb", "*.svg", "*.md")
_SHOWN = 5
_OFFLINE = ("--LabApp.news_url=None", "--LabApp.extension_manager=readonly")
"""JupyterLab asks nobody for news or extensions: a workshop may have no network."""


@click.command("lab")
@click.argument("folder", type=click.Path(path_type=Path), default="dexpatterns-notebooks")
@click.option("--copy-only", is_flag=True, help="Copy the notebooks, and do not open JupyterLab.")
@click.option("--no-browser", is_flag=True, help="Start JupyterLab, but open no browser; it prints the address.")
@click.option("--allow-root", is_flag=True, help="Start JupyterLab although you are root, as in a container.")
@lang_option
def command(*, folder: Path, copy_only: bool, no_browser: bool, allow_root: bool, lang: str) -> int:
    """Copy the lessons and exercises to FOLDER and open JupyterLab there.

    FOLDER is 'dexpatterns-notebooks' here unless you name another. A file that is there already is yours: it is kept
    as it is, and the others are added.

    \b
    Examples:
      dexpatterns lab workshop
      dexpatterns lab workshop --no-browser
    """
    from dexpatterns.pages.copying import copy_new
    from dexpatterns.pages.notebooks import root

    if not copy_only and importlib.util.find_spec("jupyterlab") is None:
        raise InputError(
            "lab: JupyterLab is not installed; install it with: pip install 'dexpatterns[lab]', or copy the notebooks "
            "alone with --copy-only"
        )
    copied, kept = copy_new(root(), folder, _KINDS)
    if kept:
        names = ", ".join(kept[:_SHOWN])
        shown = _say(lang, "more", names=names, n=len(kept) - _SHOWN) if len(kept) > _SHOWN else names
        note(_say(lang, "kept", n=len(kept), names=shown))
    write(_say(lang, "copied", n=len(copied), folder=folder) + "\n")
    lessons = [path for path in sorted(folder.glob("*.ipynb")) if path.stem.endswith(".zh") == (lang == "zh")]
    if lessons:
        write(_say(lang, "start", name=lessons[0]) + "\n")
    if copy_only:
        return 0
    note(_say(lang, "opens"))
    chosen = {"--no-browser": no_browser, "--allow-root": allow_root}
    options = [name for name, given in chosen.items() if given]
    return _lab([*options, *_OFFLINE, f"--ServerApp.root_dir={folder.resolve()}"])


def _lab(options: list[str]) -> int:
    """Its exit status; Ctrl-C ends both, and is no fault."""
    program = [sys.executable, "-m", "jupyterlab", *options]
    with subprocess.Popen(program) as server:  # noqa: S603  # our own Python, and a folder that was made above
        while True:
            try:
                return server.wait()
            except KeyboardInterrupt:
                continue  # the server has heard it too, and asks whether it is meant
