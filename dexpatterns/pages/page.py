"""One page of a pattern, as text and, in a notebook, with its pictures drawn in place of its text blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dexpatterns.engine.texts import check_lang
from dexpatterns.errors import DexpatternsError, InputError
from dexpatterns.pages import blocks, checking
from dexpatterns.pages.html import render
from dexpatterns.pages.markers import Marker
from dexpatterns.pages.texts import FILES

if TYPE_CHECKING:
    from dexpatterns.catalog import Pattern

__all__ = ["Page"]


class Page:
    """`str()` and `.text` are the Markdown as it is stored; a notebook shows it with the Flow's graph, the lanes of its
    run and its stories drawn, for which its claims are run.
    """

    __slots__ = ("lang", "pattern", "text")

    def __init__(self, pattern: Pattern, lang: str = "en") -> None:
        self.pattern = pattern
        self.lang = check_lang(lang)
        file = pattern.path / FILES[lang]
        try:
            self.text = checking.read(pattern, lang)
        except FileNotFoundError:
            raise InputError(f"{file}: expected the page in this language, got none; write it") from None
        except (OSError, UnicodeError) as error:
            said = getattr(error, "strerror", None) or str(error)
            raise InputError(f"{file}: expected a page in UTF-8, got {said}; mend it") from None

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Page of {self.pattern.id!r} in {self.lang!r}>"

    def _repr_pretty_(self, printer: object, _cycle: bool) -> None:
        printer.text(self.text)  # type: ignore[attr-defined]  # IPython's, and the only thing that it is asked

    def _repr_markdown_(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        tag = "zh-Hans" if self.lang == "zh" else "en"
        return f'<div lang="{tag}">{render(self.text, drawn=self._drawn)}</div>'

    def _drawn(self, marker: Marker) -> str | None:
        try:
            return blocks.drawn(self.pattern, marker.kind, marker.args, self.lang)
        except DexpatternsError:
            return None  # what is stored stands there, as text
