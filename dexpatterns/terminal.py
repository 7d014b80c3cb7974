"""Writes for people and for programs: text that a person wrote is shown, never obeyed, and no file is left half-done.

A terminal obeys escapes, direction marks and markup, so what could be obeyed is written as an escape. A file appears
whole or not at all, and one that could not be written is refused before anything runs. This module knows no command.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from dexpatterns.engine.texts import acts, visible
from dexpatterns.errors import InputError

__all__ = [
    "Words", "aside", "check_outputs", "note", "rendered", "say", "table", "write", "write_file", "write_json",
]  # fmt: skip

Words = Mapping[str, tuple[str, str]]
"""The texts of one feature by a short key: English, then Simplified Chinese."""


def say(words: Words, lang: str, key: str, **fields: Any) -> str:
    """A text in a language, filled in; `{s}` is the ending of an English plural of `n`."""
    return words[key][lang == "zh"].format(s="" if fields.get("n") == 1 else "s", **fields)


def table(columns: str, rows: Iterable[Iterable[str]]) -> str:
    """A table for the terminal; `columns` are the headings with `|` between them, no cell is longer than it can be."""
    from rich import box
    from rich.table import Column, Table

    made = Table(*(Column(name, overflow="fold") for name in columns.split("|")), box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        made.add_row(*(cell if len(cell) <= 200 else f"{cell[:199]}…" for cell in map(visible, row)))
    return rendered(made)


def rendered(thing: Any, style: str | None = None) -> str:
    """What rich makes of a thing, in colour on a terminal; a text with a style is not broken into lines."""
    from rich.console import Console

    # Not on stdout itself: rich ends the program when nobody reads any more. Brackets in a name are no markup.
    page = io.TextIOWrapper(io.BytesIO(), encoding=sys.stdout.encoding, errors="backslashreplace", newline="")
    console = Console(file=page, force_terminal=sys.stdout.isatty(), markup=False, emoji=False, highlight=False)
    console.print(thing, style=style, soft_wrap=style is not None)
    page.seek(0)
    return page.read()


def write(text: str, stream: Any = None) -> None:
    """Write it all; a reader who has seen enough changes no exit status."""
    stream = stream or sys.stdout
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
        if not isinstance(error, BrokenPipeError):
            raise _unwritable("output", stream.name, error) from None


def note(text: str) -> None:
    """One line on stderr, about something that changes no verdict."""
    write(f"note: {visible(' '.join(text.split()))}\n", sys.stderr)


@contextmanager
def aside() -> Iterator[None]:
    """What somebody's own code prints meanwhile goes to stderr: stdout holds the answer alone."""
    with redirect_stdout(sys.stderr):
        yield


def write_json(data: Any) -> None:
    """Write data on stdout, readable for people, with nothing in it that a terminal would obey."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    text = json.dumps(data, ensure_ascii=encoding != "utf8", indent=2)
    write(_LEFT.sub(lambda found: json.dumps(found[0])[1:-1] if acts(found[0]) else found[0], text) + "\n")


_LEFT = re.compile("[^\n -~]")
"""What JSON leaves as it is, and somebody may have to escape."""


def check_outputs(outputs: Mapping[str, str | None], inputs: Mapping[str, str | None]) -> None:
    """Refuse, before anything runs, a path that could not be written or that is in use already.

    Both are by option, such as "--svg"; raises `InputError`.
    """
    taken = {os.path.realpath(path): option for option, path in inputs.items() if path is not None}
    for option, path in outputs.items():
        if path is None:
            continue
        try:
            target = Path(os.path.realpath(path))
            whose = taken.setdefault(str(target), option)
            if whose != option:
                raise OSError(None, f"the file of {whose}")
            if target.exists() and not target.is_file():
                raise OSError(None, "a folder" if target.is_dir() else "a device")
            if target.exists() and not os.access(target, os.W_OK):
                raise OSError(None, "one that is read-only")
            tempfile.TemporaryFile(dir=target.parent).close()
        except (OSError, ValueError) as error:
            raise _unwritable(option, path, error) from None


def write_file(what: str, path: str, text: str) -> None:
    """Write a text whole or not at all; raises `RunFileError`, which says `what` could not be saved."""
    from dexpatterns.engine.storage import write_whole

    write_whole(path, what, lambda file: file.write(text))


def _unwritable(option: str, path: str, error: Exception) -> InputError:
    said = getattr(error, "strerror", None) or str(error)
    got = said[:1].lower() + said[1:]
    return InputError(f"{option} {path!r}: expected a file that can be written, got {got}; name another")
