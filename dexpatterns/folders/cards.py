"""The card of a catalog folder: what `pattern.toml` says, checked word by word, each fault with its place and mend.

Which files a folder must have is looked at too, and none of its code is run. Whether the claims that a card names are
there, and hold, is for others to see.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from dexpatterns.errors import InputError
from dexpatterns.folders import toml
from dexpatterns.folders.toml import in_each_language, table, text

__all__ = ["DEX", "FILES", "JS7", "KINDS", "Card", "form_of", "read_card"]

KINDS = ("pattern", "anti-pattern")
FILES = ("pattern.toml", "flow.py", "world.py")
DEX, JS7 = "dex", "js7"
"""The forms of a folder: Flows in `flow.py`, or resource locks in workflow and lock files."""
_WORKFLOWS = "*.workflow.json"


class Card(NamedTuple):
    """What `pattern.toml` says."""

    id: str
    kind: str
    title: dict[str, str]
    summary: dict[str, str]
    repairs: tuple[str, ...]
    repaired_by: tuple[str, ...]
    claims: dict[str, dict[str, str]]


def form_of(folder: Path) -> str:
    """`DEX` or `JS7`; raises `InputError` for a folder that is both."""
    if not any(folder.glob(_WORKFLOWS)):
        return DEX
    if (folder / "flow.py").exists():
        raise InputError(f"{folder}: expected flow.py or {_WORKFLOWS} files, got both; make two folders of it")
    return JS7


def read_card(folder: Path) -> Card:
    """The card of a folder; raises `InputError` for the first thing that is missing, unknown or of the wrong kind."""
    files = FILES if form_of(folder) == DEX else tuple(name for name in FILES if name != "flow.py")
    for name in files:
        if not (folder / name).is_file():
            raise InputError(f"{folder}: expected {', '.join(files)}, got no {name}; write it or remove the folder")
    file = folder / "pattern.toml"
    data = toml.read(file)
    for key in data:
        if key not in Card._fields:
            raise InputError(f"{file}: unknown key {key!r}; expected one of {', '.join(Card._fields)}")
    card = Card(
        id=text(file, "id", data.get("id")),
        kind=text(file, "kind", data.get("kind")),
        title=in_each_language(file, "title", data.get("title")),
        summary=in_each_language(file, "summary", data.get("summary")),
        repairs=_names(file, "repairs", data.get("repairs", [])),
        repaired_by=_names(file, "repaired_by", data.get("repaired_by", [])),
        claims={
            name: in_each_language(file, f"claims.{name}", words)
            for name, words in table(file, "claims", data.get("claims", {})).items()
        },
    )
    if card.kind not in KINDS:
        raise InputError(f"{file}: kind is {card.kind!r}; expected {' or '.join(map(repr, KINDS))}")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", card.id):
        raise InputError(f"{file}: id is {card.id!r}; expected lower-case words joined by '-'")
    if card.id != folder.name:
        raise InputError(f"{file}: id is {card.id!r}, the folder {folder.name!r}; expected the same, rename one")
    return card


def _names(file: Path, key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InputError(f"{file}: {key}: expected a list of ids, got {value!r}; write {key} = ['...']")
    return tuple(text(file, key, name) for name in value)
