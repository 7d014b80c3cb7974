"""A new catalog folder that loads, runs, and whose claims hold: the texts of `start/` with a name put in.

It appears whole or not at all, and never where something is already.
"""

from __future__ import annotations

import os
import re
import tempfile
from importlib.resources import files
from pathlib import Path

from dexpatterns import catalog as shelf
from dexpatterns.catalog import Pattern
from dexpatterns.engine.texts import LANGUAGES
from dexpatterns.errors import InputError
from dexpatterns.folders.cards import DEX
from dexpatterns.pages import fill
from dexpatterns.pages.texts import FILES

__all__ = ["start"]

_LONGEST = 60
_WAYS = {DEX: "ways-out", "js7": "holds"}


def start(name: str, folder: Path, form: str = DEX) -> Pattern:
    """Write `folder/name`; raises `InputError` for a name that is none, one that is taken, and when it cannot be done.

    Its pages are filled, for which its claims are run.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or len(name) > _LONGEST:
        raise InputError(
            f"{name!r}: expected lower-case words joined by '-', {_LONGEST} characters at most; name it so, as in "
            "'two-editors'"
        )
    target = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Under its own name already, so that it can be loaded before it is moved to its place.
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder) as made:
            if os.path.lexists(target):
                raise InputError(f"{str(target)!r} is there already, and was left as it is; choose another name")
            part = Path(made) / name
            part.mkdir()
            _write(part, name, form)
            _fill(part)
            part.rename(target)
    except OSError as error:
        said = error.strerror or str(error)
        raise InputError(f"{str(target)!r}: cannot be written: {said}; choose another --folder") from None
    return shelf.open(target)


def _write(part: Path, name: str, form: str) -> None:
    words = name.split("-")
    camel = "".join(word.capitalize() for word in words)
    texts = {
        "@ID@": name,
        "@CLASS@": camel,
        "@IMPORTED@": ", ".join(sorted([f"{camel}Flow", "DoWork", "Piece", "SaveWork"])),
        "@TITLE@": " ".join(words).capitalize(),
        "@RUN@": f"dexpatterns check ./{name}" if form == DEX else "dexpatterns list --catalog . --check",
        "@WAYS@": f"<!-- made: {_WAYS[form]} -->\n<!-- /made -->",
    }
    source = files("dexpatterns.pages").joinpath("start")
    for file in [*source.joinpath(form).iterdir(), *(source.joinpath(f"{name}.txt") for name in FILES.values())]:
        text = file.read_text(encoding="utf-8")
        for mark, word in texts.items():
            text = text.replace(mark, word)
        (part / file.name.removesuffix(".txt")).write_text(text, encoding="utf-8", newline="\n")


def _fill(part: Path) -> None:
    pattern = shelf.open(part)
    for lang in LANGUAGES:
        file = part / FILES[lang]
        text = file.read_text(encoding="utf-8").replace("@SUMMARY@", pattern.summary(lang))
        file.write_text(fill(pattern, text, lang), encoding="utf-8", newline="\n")
