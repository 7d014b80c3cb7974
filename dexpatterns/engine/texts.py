"""What every text for people needs: the languages that there are.

The texts themselves stand with whoever says them.
"""

from __future__ import annotations

from dexpatterns.errors import InputError

__all__ = ["LANGUAGES", "check_lang"]

LANGUAGES = ("en", "zh")
"""English and Simplified Chinese, in the order of every pair of texts."""


def check_lang(lang: str) -> str:
    """The language, if it is one; raises `InputError`."""
    if lang not in LANGUAGES:
        raise InputError(f"lang: expected 'en' or 'zh', got {lang!r}")
    return lang
