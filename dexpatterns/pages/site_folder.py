"""The folder of a site: free, or an earlier site's own to the last file, and replaced at once.

What is written into it is not known here.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from dexpatterns.errors import InputError

__all__ = ["check_folder", "list_files", "swap"]

_LIST = ".dexpatterns-site.json"
"""In a site: the names of its files, so that nothing else is ever removed with it."""


def check_folder(folder: Path) -> None:
    """Raises `InputError` for a folder with anything in it that is not an earlier site's own."""
    try:
        if not folder.exists():
            return
        if not folder.is_dir():
            raise InputError(f"{str(folder)!r}: expected a folder, got a file; name another")
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    except OSError as error:
        raise InputError(f"{str(folder)!r}: cannot be looked into: {error.strerror}; name another folder") from None
    others = sorted(there - _own(folder))
    if others:
        raise InputError(
            f"{str(folder)!r}: expected an empty folder or an earlier site, got one with {others[0]!r} in it; nothing "
            "was touched, name another folder"
        )


def list_files(folder: Path, names: Iterable[str]) -> None:
    """Note in a new site what is its own, by paths with slashes."""
    listed = {"format": 1, "files": sorted([*names, _LIST])}
    (folder / _LIST).write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8", errors="replace", newline="\n")


def _own(folder: Path) -> set[str]:
    try:
        listed = json.loads((folder / _LIST).read_text(encoding="utf-8"))["files"]
        return {str(name) for name in listed}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def swap(part: Path, target: Path) -> None:
    """Put the new site in the place of the old one, which is kept until the new one stands."""
    old = target.with_name(f".{target.name}.{os.getpid()}.old")
    check_folder(target)
    if target.exists():
        target.rename(old)
    try:
        part.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
