"""Puts sentences together: a text in a language with its fields filled in, and people's own texts fit to stand in it.

A name or value is data: what would act instead of being seen is written as an escape, what is read from right to
left is isolated, what is long is cut. The texts themselves stand in `dex.texts`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

from dexpatterns.dex.texts import TEXTS
from dexpatterns.engine.texts import LANGUAGES, isolated, visible
from dexpatterns.engine.values import NOTHING, Data

__all__ = ["duration", "listed", "say", "shown", "value", "width"]

LIMIT = 40
"""Characters of a value or a name that are shown."""

_JSON_WORDS = {"true": "True", "false": "False", "null": "None"}


def shown(text: str, limit: int = LIMIT) -> str:
    """A person's text, fit to stand in a sentence.

    >>> shown("a\\u202eb\\x1b[2J"), shown("x" * 10_000, limit=3), shown("李雷")
    ('a\\\\u202eb\\\\x1b[2J', 'xxx… (10,000 characters)', '李雷')
    """
    cut = isolated(visible(text[:limit]))
    return cut if len(text) <= limit else f"{cut}… ({len(text):,} characters)"


def value(data: Any) -> str:
    """A value in one short line, as JSON but for `True`, `False` and `None`.

    >>> from dexpatterns.engine.values import freeze
    >>> value(freeze(["contract"])), value(freeze(False)), value(None)
    ('["contract"]', 'False', 'None')
    """
    if data is None or data == NOTHING:
        return "None"
    text = data.text if isinstance(data, Data) else str(data)
    return _JSON_WORDS.get(text) or shown(text)


def duration(seconds: float) -> str:
    """Seconds for people.

    >>> duration(0.5), duration(30), duration(3725), duration(90061)
    ('0.5 s', '30 s', '1:02:05', '1 d 1:01:01')
    """
    if seconds < 120:
        return f"{seconds:.2f}".rstrip("0").rstrip(".") + " s"
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{f'{days} d ' if days else ''}{hours}:{minutes:02}:{left:02}"


def width(text: str) -> int:
    """The columns that a text takes in a terminal, where a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else unicodedata.category(c) != "Mn" for c in text)


def listed(lang: str, parts: Iterable[str], most: int = 3) -> str:
    """Names in a row, the first `most` of them.

    >>> listed("en", "abc"), listed("zh", "abc"), listed("en", "abcde")
    ('a, b and c', 'a、b、c', 'a, b, c and 2 more')
    """
    names = list(parts)
    named = names[:most]
    if len(names) > most:
        return say(lang, "and_more", who=(", " if lang == "en" else "、").join(named), n=len(names) - most)
    if lang == "zh":
        return "、".join(named)
    return " and ".join(filter(None, (", ".join(named[:-1]), named[-1]))) if named else ""


def say(lang: str, key: str, /, **fields: object) -> str:
    """One of the texts, its fields filled in. `n` finds the text for that number, if there is one."""
    pair = TEXTS.get(f"{key}:{fields.get('n')}") or TEXTS[key]
    text = pair[LANGUAGES.index(lang)]
    return text.format(**fields) if fields else text
