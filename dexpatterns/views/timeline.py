"""Swim lanes of a run, ready to be shown: text in a terminal, a picture in a notebook.

Nothing is drawn before it is asked for. The two forms say the same of the same marks.
"""

from __future__ import annotations

from collections.abc import Iterable

from dexpatterns.dex.sections import SectionLike
from dexpatterns.engine.trace import Trace
from dexpatterns.errors import InputError
from dexpatterns.views import lanes_text, svg
from dexpatterns.views.swim import Swim, swim
from dexpatterns.views.texts import check_lang

__all__ = ["Timeline"]


class Timeline:
    """One lane a branch: `str()` and `text()` are plain text, `.svg` is one inline SVG, notebooks show the picture.

    `lang` is 'en' or 'zh'; more than `limit` branches inside at once are marked as an overlap.
    """

    __slots__ = ("_swim", "lang", "limit", "section", "tokens", "trace")

    def __init__(
        self,
        trace: Trace,
        section: SectionLike | None = None,
        tokens: Iterable[str] = (),
        *,
        lang: str = "en",
        limit: int = 1,
    ) -> None:
        self.trace = trace
        self.section = section
        self.tokens = tuple(tokens)
        self.lang = check_lang(lang)
        if type(limit) is not int or limit < 1:
            raise InputError(f"limit: expected a whole number of 1 or more, got {limit!r}")
        self.limit = limit
        self._swim: Swim | None = None

    @property
    def marks(self) -> Swim:
        """What is drawn, as data."""
        if self._swim is None:
            self._swim = swim(self.trace, self.section, self.tokens, self.limit)
        return self._swim

    def text(self, width: int = 100) -> str:
        """Plain text of at most `width` columns (48 at least), readable without colour."""
        return lanes_text.render(self.marks, width, self.lang)

    @property
    def svg(self) -> str:
        """An inline SVG: the same bytes for the same run, no script, nothing fetched."""
        return self.picture()

    def picture(self, turns: tuple[int, int] | None = None, width: int = 960) -> str:
        """The SVG; `turns` (first, last) asks for these turns of a long run, `width` is in pixels."""
        return svg.draw(self.marks, self.lang, float(max(width, 480)), turns)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.svg
