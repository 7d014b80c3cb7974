"""What a catalog folder's `pattern.toml` says, as a `Card`: checked word by word, each fault with its place and mend.

It reads text and runs no code; whether the claims that it names are there, and hold, is for others to see.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from dexpatterns.errors import InputError

__all__ = ["DEX", "FILES", "JS7", "KINDS", "LANGUAGES", "Card", "form_of", "language", "read_card"]

LANGUAGES = ("en", "zh")
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
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: not TOML in UTF-8: {error}; mend it") from None
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}; check its permissions") from None
    for key in data:
        if key not in Card._fields:
            raise InputError(f"{file}: unknown key {key!r}; expected one of {', '.join(Card._fields)}")
    card = Card(
        id=_text(file, "id", data.get("id")),
        kind=_text(file, "kind", data.get("kind")),
        title=_both(file, "title", data.get("title")),
        summary=_both(file, "summary", data.get("summary")),
        repairs=_names(file, "repairs", data.get("repairs", [])),
        repaired_by=_names(file, "repaired_by", data.get("repaired_by", [])),
        claims={
            name: _both(file, f"claims.{name}", words)
            for name, words in _table(file, "claims", data.get("claims", {})).items()
        },
    )
    if card.kind not in KINDS:
        raise InputError(f"{file}: kind is {card.kind!r}; expected {' or '.join(map(repr, KINDS))}")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", card.id):
        raise InputError(f"{file}: id is {card.id!r}; expected lower-case words joined by '-'")
    if card.id != folder.name:
        raise InputError(f"{file}: id is {card.id!r}, the folder {folder.name!r}; expected the same, rename one")
    return card


def _text(file: Path, key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        found = "nothing" if value is None else repr(value)
        raise InputError(f"{file}: {key}: expected a text, got {found}; write {key} = '...'")
    return value


def _table(file: Path, key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        found = "nothing" if value is None else repr(value)
        raise InputError(f"{file}: {key}: expected a table, got {found}; write [{key}]")
    return value


def _both(file: Path, key: str, value: Any) -> dict[str, str]:
    table = _table(file, key, value)
    if unknown := sorted(set(table) - set(LANGUAGES)):
        raise InputError(f"{file}: {key}: unknown key {unknown[0]!r}; expected {' and '.join(LANGUAGES)}")
    return {lang: _text(file, f"{key}.{lang}", table.get(lang)) for lang in LANGUAGES}


def _names(file: Path, key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InputError(f"{file}: {key}: expected a list of ids, got {value!r}; write {key} = ['...']")
    return tuple(_text(file, key, name) for name in value)


def language(lang: str) -> str:
    """The language, if it is one; raises `InputError`."""
    if lang not in LANGUAGES:
        raise InputError(f"lang is {lang!r}; expected {' or '.join(map(repr, LANGUAGES))}")
    return lang
