"""The pages of a catalog's folders, `page.md` and `page.zh.md`: their generated parts, made from runs and reports.

What people write stands outside the markers and is left as it is. A claim is searched for once a process, however
many pages and languages speak of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dexpatterns.errors import DexpatternsError, InputError
from dexpatterns.pages import blocks
from dexpatterns.pages.checking import problems_of, read
from dexpatterns.pages.markers import Marker, replaced
from dexpatterns.pages.texts import FILES

if TYPE_CHECKING:
    from dexpatterns.catalog import Pattern

__all__ = ["FILES", "fill", "problems_of", "read"]


def fill(pattern: Pattern, text: str, lang: str) -> str:
    """The page with every generated part made anew; raises `InputError`, with the line, for one that cannot be made."""

    def made(marker: Marker) -> str:
        try:
            return blocks.made(pattern, marker.kind, marker.args, lang)
        except DexpatternsError as error:
            file = pattern.path / FILES[lang]
            raise InputError(f"{file}, line {marker.line}: {error}") from error

    return replaced(text, made)
