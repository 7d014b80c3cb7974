"""What every text for people needs: the languages that there are, and names and values fit to stand in it.

A name is data: what would act instead of being seen is written as an escape, never obeyed, and a name of which nothing
would be seen is written with marks. Every text that came from people goes through `visible` wherever it is shown. The
texts themselves stand with whoever says them.
"""

from __future__ import annotations

import re
import unicodedata

from dexpatterns.errors import InputError

__all__ = ["LANGUAGES", "acts", "check_lang", "isolated", "visible"]

LANGUAGES = ("en", "zh")
"""English and Simplified Chinese, in the order of every pair of texts."""

_UNSEEN = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
_DIRECTION = {*range(0x200E, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x061C}
_EMPTY = {
    0x00AD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x200B, *range(0x2060, 0x2066), 0x3164, 0xFEFF, 0xFFA0,
    *range(0xFFF9, 0xFFFC),
}  # fmt: skip
"""What takes no room, or room without a sign: with it two names would look the same."""
_ACTING = _DIRECTION | _EMPTY
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
_JOINING = {0x200C, 0x200D, *range(0xFE00, 0xFE10)}
"""What does something to its neighbours, in emoji and in Persian, and is nothing without them."""


def check_lang(lang: str) -> str:
    """The language, if it is one; raises `InputError`."""
    if lang not in LANGUAGES:
        raise InputError(f"lang: expected {' or '.join(map(repr, LANGUAGES))}, got {lang!r}")
    return lang


def acts(c: str) -> bool:
    """Whether a character would turn a line round, break it, hide, or do something to a terminal."""
    return unicodedata.category(c) in _UNSEEN or ord(c) in _ACTING


def visible(text: str) -> str:
    """The text with everything that would act instead of being seen written as an escape; blanks alone as marks.

    What it has made stays as it is when it is given it again, and so does what `isolated` has made.

    >>> visible("a\\u202eb\\x1b[2J\\n"), visible("李雷 👩‍💻"), visible("  ")
    ('a\\\\u202eb\\\\x1b[2J\\\\n', '李雷 👩‍💻', '␣␣')
    """
    if _is_blank(text):
        return "".join("␣" if unicodedata.category(c) == "Zs" else _escape(c) for c in text)
    if text.isascii() and text.isprintable():
        return text
    parts = _ISOLATED.split(text)
    parts[::2] = map(_escaped, parts[::2])
    parts[1::2] = [isolated(_escaped(part[1:-1])) if _turns(part) else _escaped(part) for part in parts[1::2]]
    return "".join(parts)


def isolated(text: str) -> str:
    """A visible text; one that is read from the right cannot turn round what stands beside it."""
    return f"\u2068{text}\u2069" if _turns(text) else text


_ISOLATED = re.compile("(\u2068[^\u2066-\u2069]*\u2069)")


def _is_blank(text: str) -> bool:
    """Whether there is something, and nothing of it would be seen."""
    return bool(text) and all(c.isspace() or ord(c) in _JOINING for c in text)


def _turns(text: str) -> bool:
    return not text.isascii() and any(unicodedata.bidirectional(c) in _RIGHT_TO_LEFT for c in text)


def _escaped(text: str) -> str:
    return "".join(_escape(c) if acts(c) else c for c in text)


def _escape(c: str) -> str:
    return c.encode("unicode_escape").decode("ascii") if ord(c) < 0x10000 else f"\\U{ord(c):08x}"
