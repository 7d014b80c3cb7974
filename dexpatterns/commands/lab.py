"""`dexpatterns lab`: JupyterLab on a copy of the notebooks in a folder of one's own; nothing is overwritten."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

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
_OFFLINE = (
    "--LabApp.news_url=None",
    "--LabApp.extension_manager=readonly",
    f"--LabApp.app_settings_dir={Path(__file__).parent / 'jupyterlab'}",
)
"""JupyterLab asks nobody for news or extensions, nor whether it may: a workshop may have no network."""


@click.command("lab")
@click.argument("folder", type=click.Path(path_type=Path), default="dexpatterns-notebooks")
@click.option("--copy-only", is_flag=True, help="Copy the notebooks, and do not open JupyterLab.")
@click.option("--no-browser", is_flag=True, help="Start JupyterLab, but open no browser; it prints the address.")
@click.option("--allow-root", is_flag=True, help="Start JupyterLab although you are root, as in a container.")
@lang_option
def command(*, folder: Path, copy_only: bool, no_browser: bool, allow_root: bool, lang: str) -> int:
    """Copy the lessons and exercises to FOLDER and open JupyterLab there.

    FOLDER is 'dexpatterns-notebooks' here unless you name another. A file that is there already is yours: it is kept
    as it is, and the others are added. With --lang zh those in Chinese are copied.

    \b
    Examples:
      dexpatterns lab workshop
      dexpatterns lab workshop --no-browser
      dexpatterns lab --lang zh
    """
    from dexpatterns.pages.copying import copy_new
    from dexpatterns.pages.notebooks import root

    if not copy_only and importlib.util.find_spec("jupyterlab") is None:
        raise InputError(
            "lab: JupyterLab is not installed; install it with: pip install 'dexpatterns[lab]', or copy the notebooks "
            "alone with --copy-only"
        )
    if not copy_only and not allow_root and hasattr(os, "geteuid") and os.geteuid() == 0:
        raise InputError("lab: JupyterLab does not start as root; add --allow-root, or run it as another user")
    copied, kept = copy_new(root(), folder, _KINDS, _of(lang))
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
    _trust(folder / name for name in copied if name.endswith(".ipynb"))
    note(_say(lang, "opens"))
    chosen = {"--no-browser": no_browser, "--allow-root": allow_root}
    options = [name for name, given in chosen.items() if given]
    return _lab([*options, *_OFFLINE, f"--ServerApp.root_dir={folder.resolve()}"])


def _of(lang: str) -> Callable[[Path], bool]:
    """Whether a file belongs to a language; a picture belongs to each."""
    return lambda name: name.suffix not in (".ipynb", ".md") or name.stem.endswith(".zh") == (lang == "zh")


def _trust(paths: Iterable[Path]) -> None:
    """Sign the copies as the person's own, so that JupyterLab shows the pictures stored in them before they are run.

    They are the package's own notebooks, and the person has asked for them by name.
    """
    nbformat: Any = importlib.import_module("nbformat")  # it has no types
    notary = importlib.import_module("nbformat.sign").NotebookNotary()
    for path in paths:
        notary.sign(nbformat.read(path, as_version=nbformat.NO_CONVERT))


def _lab(options: list[str]) -> int:
    """Its exit status; where that can be, it takes this process over, so that whatever ends this one ends it."""
    program = [sys.executable, "-m", "jupyterlab", *options]
    if os.name == "posix":
        sys.stdout.flush()
        sys.stderr.flush()
        os.execv(program[0], program)  # noqa: S606  # our own Python, and a folder that was made above
    with subprocess.Popen(program) as server:  # noqa: S603  # as above
        while True:
            try:
                return server.wait()
            except KeyboardInterrupt:
                continue  # the server has heard it too, and asks whether it is meant
