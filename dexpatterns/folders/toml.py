"""A TOML file, word by word: every value is of the kind that it should be, or the fault is told with place and mend.

Which keys a file has is for those who read it to say.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from dexpatterns.engine.texts import LANGUAGES
from dexpatterns.errors import InputError

__all__ = ["in_each_language", "read", "table", "text"]


def read(file: Path) -> dict[str, Any]:
    """What stands in it; raises `InputError`, as all of these do."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        fault = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise InputError(f"{file}: not TOML in UTF-8: {fault}; mend it") from None
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}; check its permissions") from None


def text(file: Path, key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{file}: {key}: expected a text, got {_found(value)}; write {key} = '...'")
    return value


def table(file: Path, key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{file}: {key}: expected a table, got {_found(value)}; write [{key}]")
    return value


def in_each_language(file: Path, key: str, value: Any) -> dict[str, str]:
    """A table with a text for every language, and nothing else."""
    texts = table(file, key, value)
    if unknown := sorted(set(texts) - set(LANGUAGES)):
        raise InputError(f"{file}: {key}: unknown key {unknown[0]!r}; expected {' and '.join(LANGUAGES)}")
    return {lang: text(file, f"{key}.{lang}", texts.get(lang)) for lang in LANGUAGES}


def _found(value: Any) -> str:
    """TOML has no null: None is a key that is not there."""
    return "nothing" if value is None else repr(value)
