"""A Flow's graph, ready to be shown: text in a terminal, a picture in a notebook; at a moment of a run who is where.

`graph(flow)` is the definition alone, `Run.graph(at=...)` the same picture at a turn. It is laid out once for each
definition; every moment is drawn on the same places. Nothing is drawn, and no dot is called, before it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from html import escape
from typing import Any

from dexpatterns.dex.definition import FlowSpec, compile_flow
from dexpatterns.dex.flow import Flow
from dexpatterns.dex.sections import SectionLike
from dexpatterns.engine.trace import Trace
from dexpatterns.errors import InputError
from dexpatterns.views import graph_svg, graph_text
from dexpatterns.views.dot import DotError
from dexpatterns.views.graph_data import GraphData, graph_data
from dexpatterns.views.graph_layout import GraphLayout, dot_source, lay_out
from dexpatterns.views.graph_scene import Scene, Scenes
from dexpatterns.views.graph_texts import said
from dexpatterns.views.moment import Moment, check_turn, moment
from dexpatterns.views.texts import check_lang

__all__ = ["GraphData", "GraphLayout", "GraphView", "definition_of", "graph"]


def graph(
    flow: Any, *, sections: Iterable[SectionLike] | SectionLike = (), lang: str = "en", limit: int = 1
) -> GraphView:
    """The picture of a Flow: its Steps, decisions, failure routes, cancellations, Channels and Attributes.

    `flow` is an instance, or a class without constructor arguments. Sections are shaded; `limit` is how many branches
    may be inside one. Raises `FlowDefinitionError` (D-5).
    """
    sections = tuple(sections) if isinstance(sections, Iterable) else (sections,)
    _check(lang, limit)
    return GraphView(graph_data(definition_of(flow), None, sections, limit), lang=lang)


def definition_of(thing: Any) -> Any:
    """What is drawn of a thing that is handed in: a Flow is compiled, a compiled definition taken as it is."""
    if isinstance(thing, FlowSpec) or not isinstance(thing, (Flow, type)):
        return thing
    return compile_flow(thing)


def _check(lang: str, limit: int) -> None:
    check_lang(lang)
    if type(limit) is not int or limit < 1:
        raise InputError(f"limit: expected a whole number of 1 or more, got {limit!r}")


class _Shown:
    """A run as its graph needs it: read once, and shared by the views of all its turns."""

    def __init__(
        self, data: GraphData, trace: Trace, sections: tuple[SectionLike, ...], tokens: tuple[str, ...], lang: str
    ) -> None:
        self.trace, self.sections, self.tokens = trace, sections, tokens
        self.scenes = Scenes(data, trace, sections, tokens, lang)
        self.moment = lru_cache(maxsize=16)(self._moment)

    def _moment(self, at: int) -> Moment:
        return moment(self.trace, at, self.sections, self.tokens)


class GraphView:
    """`str()` and `text()` are plain text, `.svg` is one inline SVG, `.source` DOT; notebooks show the picture.

    `.data` is what is drawn, `.layout` where; with a run, `.moment` and `.scene` are what stands there after turn
    `.turn`, and `at(turn)` is the same picture at another one.
    """

    __slots__ = ("_shown", "data", "lang", "turn")

    def __init__(self, data: GraphData, *, lang: str = "en", shown: _Shown | None = None, turn: int = 0) -> None:
        self.data = data
        self.lang = lang
        self._shown = shown
        self.turn = turn

    @classmethod
    def of_run(
        cls,
        trace: Trace,
        at: int | None = None,
        *,
        definition: Any = None,
        sections: Iterable[SectionLike] = (),
        tokens: Iterable[str] = (),
        lang: str = "en",
        limit: int = 1,
    ) -> GraphView:
        """A run's graph after turn `at`; without a definition it is made of what the run shows."""
        _check(lang, limit)
        turn, sections, tokens = check_turn(trace, at), tuple(sections), tuple(tokens)
        data = graph_data(definition, trace, sections, limit)
        return cls(data, lang=lang, shown=_Shown(data, trace, sections, tokens, lang), turn=turn)

    def at(self, turn: int | None) -> GraphView:
        """The same picture after another turn: 0 is the start, None the last one; raises `InputError`."""
        if self._shown is None:
            raise InputError("this graph shows no run, so it has no turns; use run.graph(at=...)")
        return GraphView(self.data, lang=self.lang, shown=self._shown, turn=check_turn(self._shown.trace, turn))

    @property
    def moment(self) -> Moment | None:
        """The state after the turn; None without a run."""
        return None if self._shown is None else self._shown.moment(self.turn)

    @property
    def scene(self) -> Scene | None:
        """What the picture shows of that moment, by the ids of its nodes and edges; None without a run."""
        return None if self._shown is None else self._shown.scenes.at(self._shown.moment(self.turn))

    @property
    def layout(self) -> GraphLayout:
        """Where everything stands; raises `DotError` (an `InputError`) when there is no dot."""
        return lay_out(self.data)

    @property
    def source(self) -> str:
        """The graph as DOT text with its names, for other tools."""
        return dot_source(self.data)

    @property
    def svg(self) -> str:
        """An inline SVG: the same bytes for the same turn, no script, nothing fetched; raises `DotError`."""
        return self.picture()

    def picture(self, *, frame: bool = True) -> str:
        """The SVG; without `frame` it has neither head nor legend."""
        return graph_svg.draw(self.data, self.layout, self.scene, self.lang, frame=frame)

    def text(self) -> str:
        """Plain text: Steps with what they do and who is there, Channels and Attributes with what they hold."""
        return graph_text.render(self.data, self.scene, self.lang)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        try:
            return self.svg
        except DotError as error:
            # The text says the same: a missing program is no reason for a cell without an answer.
            note = f"{said(self.lang, 'no_dot')}{said(self.lang, 'colon')}{error}"
            return f"<pre>{escape(self.text())}</pre><p>{escape(note)}</p>"
