"""Swim lanes of a run, ready to be shown: text in a terminal, a picture in a notebook.

Nothing is drawn before it is asked for. The two forms say the same of the same marks.
"""

from __future__ import annotations

from collections.abc import Iterable

from dexpatterns.dex.sections import SectionLike
from dexpatterns.engine.arguments import check_count
from dexpatterns.engine.texts import check_lang
from dexpatterns.engine.trace import Trace
from dexpatterns.views import lanes_text, svg
from dexpatterns.views.axis import STUB, windows
from dexpatterns.views.grid import name_edge
from dexpatterns.views.swim import Swim, swim
from dexpatterns.views.texts import check_turn

__all__ = ["Timeline"]


class Timeline:
    """One lane a branch: `str()` and `text()` are plain text, `.svg` is one inline SVG, notebooks show the picture.

    `lang` is 'en' or 'zh'; more than `limit` branches inside at once are marked as an overlap. With `at` it is the run
    after that turn: what comes later is "not yet". Raises `InputError`.
    """

    STYLE = svg.STYLE
    """The CSS of every panel."""

    __slots__ = ("_swim", "at", "lang", "limit", "section", "tokens", "trace")

    def __init__(
        self,
        trace: Trace,
        section: SectionLike | None = None,
        tokens: Iterable[str] = (),
        *,
        lang: str = "en",
        limit: int = 1,
        at: int | None = None,
    ) -> None:
        self.trace = trace
        self.section = section
        self.tokens = tuple(tokens)
        self.lang = check_lang(lang)
        self.limit = check_count("limit", limit)
        self.at = None if at is None else check_turn(at, len(trace.turns))
        self._swim: Swim | None = None

    @property
    def marks(self) -> Swim:
        """What is drawn, as data."""
        if self._swim is None:
            self._swim = swim(self.trace, self.section, self.tokens, self.limit)
        return self._swim

    def text(self, width: int = 100) -> str:
        """Plain text of at most `width` columns (48 at least), readable without colour."""
        return lanes_text.render(self.marks, width, self.lang, self.at)

    @property
    def svg(self) -> str:
        """An inline SVG: the same bytes for the same run, no script, nothing fetched."""
        return self.picture()

    def picture(self, turns: tuple[int, int] | None = None, width: int = 960) -> str:
        """The SVG; `turns` (first, last) asks for these turns of a long run, `width` is in pixels."""
        return svg.draw(self.marks, self.lang, float(max(width, 480)), turns, self.at)

    def windows(self, width: int) -> list[tuple[int, int]]:
        """The windows (first, last) into which a stepper of this width cuts the run: one, or 40 to 80 turns each."""
        return windows(self.marks.turns, width - name_edge(self.marks, self.lang) - STUB)

    def panel(self, turns: tuple[int, int], width: int, *, height: int | None = None, by_time: bool = False) -> str:
        """The SVG of one window for a stepper: the lanes alone, without `STYLE`, which a page needs once.

        The root has data-first and data-last (the window's turns), data-x (left edge of its first column in pixels),
        data-column (width of a column), data-top and data-bottom (of the rows). Every mark is a `g` with data-a and
        data-b, the first and last turn that it reaches over, and with data-turn where a click on it leads; the group
        of a lane has data-lane (its place), data-y and data-h. Class `ny` on a mark makes it "not yet". `height`
        makes the lanes lower until they fit, as far as they can be read. `by_time` puts the turns on virtual time: the
        root then has data-low, data-high (seconds) and data-right, where the axis ends.
        """
        return svg.draw_panel(self.marks, self.lang, turns, float(width), height, timed=by_time)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.svg
