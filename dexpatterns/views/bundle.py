"""The stepper's script and style, put together from `front/`: one text each, no build step, nothing fetched.

The files are plain declarations in one scope, in the order of `SCRIPTS`. The colours are those of every view.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from dexpatterns.views import graph_style, marks, palette

__all__ = ["SCRIPTS", "css", "script"]

SCRIPTS = ("core.js", "graph.js", "asked.js", "lanes.js", "panels.js", "stepper.js", "seat.js")
"""Declarations alone; `page.js` and `widget.js` run them."""

STYLES = ("front.css", "seat.css")


@cache
def script(start: str) -> str:
    """The declarations, and the file that runs them: 'page.js' or 'widget.js'."""
    return _read((*SCRIPTS, start))


def _read(names: tuple[str, ...]) -> str:
    front = files("dexpatterns.views").joinpath("front")
    return "\n".join(front.joinpath(name).read_text(encoding="utf-8") for name in names)


@cache
def css() -> str:
    """Colours, the marks of lanes and graph, and the stepper's own rules."""
    return palette.css(":is(.dxs,.dxs-table)") + marks.STYLE + graph_style.STYLE + _read(STYLES)
