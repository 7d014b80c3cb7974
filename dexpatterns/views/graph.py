"""A graph of a Flow or of JS7 workflows, ready to be shown: text in a terminal, a picture in a notebook.

`graph(flow)` and `graph(items)` are the definition alone, `Run.graph(at=...)` the same picture at a turn: who is
where. It is laid out once for each definition; every moment is drawn on the same places. Nothing is drawn, and no dot
is called, before it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from html import escape
from os import PathLike
from typing import Any

from dexpatterns.dex.definition import FlowSpec, compile_flow
from dexpatterns.dex.flow import Flow
from dexpatterns.dex.sections import SectionLike
from dexpatterns.engine.arguments import check_count
from dexpatterns.engine.run import check_sections
from dexpatterns.engine.texts import check_lang
from dexpatterns.engine.trace import Trace
from dexpatterns.errors import InputError
from dexpatterns.js7.instructions import Lock, Workflow
from dexpatterns.js7.scenario import World
from dexpatterns.views import graph_svg, graph_text
from dexpatterns.views.dot import DotError
from dexpatterns.views.graph_data import graph_data
from dexpatterns.views.graph_layout import GraphLayout, dot_source, lay_out
from dexpatterns.views.graph_parts import GraphData, Outline
from dexpatterns.views.graph_scene import Scene, Scenes
from dexpatterns.views.graph_texts import said
from dexpatterns.views.js7_found import found
from dexpatterns.views.js7_graph import outline_of
from dexpatterns.views.js7_scene import OrderScenes
from dexpatterns.views.moment import moment, turn_of

__all__ = ["GraphData", "GraphLayout", "GraphView", "definition_of", "definition_of_run", "graph", "scenes_of"]


def graph(
    flow: Any, *, sections: Iterable[SectionLike] | SectionLike = (), lang: str = "en", limit: int = 1
) -> GraphView:
    """The picture of a Flow: its Steps, decisions, failure routes, cancellations, Channels and Attributes.

    `flow` is an instance, or a class without constructor arguments. Sections are shaded; `limit` is how many branches
    may be inside one. Or it is items of JS7, as `js7.load` gives and takes them: the instructions of every workflow,
    their blocks, and the locks. Raises `FlowDefinitionError` (D-5) or `WorkflowFileError`.
    """
    _check(lang, limit)
    return GraphView(graph_data(definition_of(flow), None, check_sections(sections), limit), lang=lang)


def definition_of(thing: Any, trace: Trace | None = None) -> Any:
    """What is drawn of a thing that is handed in: a Flow is compiled, items of JS7 are read, the rest taken as it is.

    Of items, a run draws the workflows that its orders come to.
    """
    if isinstance(thing, (Flow, type)):
        return compile_flow(thing)
    if isinstance(thing, _ITEMS) and not isinstance(thing, (FlowSpec, Outline)):
        return outline_of(thing, trace)
    return thing


_ITEMS = (World, Workflow, Lock, Mapping, list, tuple, set, frozenset, str, PathLike)


def definition_of_run(run: Any, flow: Any = None) -> Any:
    """What a run's graph is drawn from: what is handed in, else what its machine runs on; None where that is gone."""
    if flow is None:
        machine = run.machine
        flow = getattr(machine, "spec", None) or getattr(getattr(machine, "rules", None), "world", None)
    return definition_of(flow, run.trace)


def _check(lang: str, limit: int) -> None:
    check_lang(lang)
    check_count("limit", limit)


def scenes_of(
    data: GraphData, trace: Trace, sections: Sequence[SectionLike] = (), tokens: Iterable[str] = (), lang: str = "en"
) -> Scenes | OrderScenes:
    """What a run's graph shows after each turn: `.at(moment)` is the scene of that moment."""
    if trace.machine == "js7":
        return OrderScenes(data, trace, lang)
    return Scenes(data, trace, sections, tokens, lang)


class _Shown:
    """A run as its graph needs it: read once, and shared by the views of all its turns."""

    def __init__(
        self, data: GraphData, trace: Trace, sections: tuple[SectionLike, ...], tokens: tuple[str, ...], lang: str
    ) -> None:
        self.data, self.lang = data, lang
        self.trace, self.sections, self.tokens = trace, sections, tokens
        self.moment = lru_cache(maxsize=16)(self._moment)

    @cached_property
    def scenes(self) -> Scenes | OrderScenes:
        return scenes_of(self.data, self.trace, self.sections, self.tokens, self.lang)

    def _moment(self, at: int) -> Any:
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
        turn, sections, tokens = turn_of(trace, at), tuple(sections), tuple(tokens)
        if definition is None and trace.machine == "js7":
            definition = outline_of(found(trace), trace)._replace(known=False)
        data = graph_data(definition, trace, sections, limit)
        return cls(data, lang=lang, shown=_Shown(data, trace, sections, tokens, lang), turn=turn)

    def at(self, turn: int | None) -> GraphView:
        """The same picture after another turn: 0 is the start, None the last one; raises `InputError`."""
        if self._shown is None:
            raise InputError("this graph shows no run, so it has no turns; use run.graph(at=...)")
        return GraphView(self.data, lang=self.lang, shown=self._shown, turn=turn_of(self._shown.trace, turn))

    @property
    def moment(self) -> Any:
        """The state after the turn, a `Moment` or of JS7 orders an `OrdersMoment`; None without a run."""
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
