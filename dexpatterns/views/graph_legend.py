"""The marks of the graph that stand alone, and the legend: of what is drawn, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from dexpatterns.engine.texts import visible
from dexpatterns.views import marks
from dexpatterns.views.graph_layout import Curve
from dexpatterns.views.graph_lines import arrow, draw_lock, slashes
from dexpatterns.views.graph_parts import ENDS, GraphData
from dexpatterns.views.graph_scene import Mark, Scene
from dexpatterns.views.graph_texts import said
from dexpatterns.views.marks import number, tag, text
from dexpatterns.views.texts import pixels

__all__ = ["END_MARKS", "MARGIN", "draw_badge", "draw_doubt", "draw_legend"]

MARGIN = 16.0


def draw_doubt(x: float, y: float, sign: str) -> str:
    """A sign in a ring: `?` was not read from source, `+` was found in a run alone."""
    return tag("circle", cx=x, cy=y, r=7, class_="doubt") + text(x, y + 3.5, sign, "tiny", "middle")


def _fails(x: float, y: float) -> str:
    d = f"M{number(x - 2.5)} {number(y + 2.5)}l5 5m0 -5l-5 5"
    return tag("circle", cx=x, cy=y + 5, r=5) + tag("path", d=d)


END_MARKS: dict[str, Callable[[float, float], str]] = {
    "dead_end": lambda x, y: tag("path", d=f"M{number(x - 8)} {number(y + 1)}h16", class_="bar"),
    "graceful_complete": lambda x, y: (
        tag("circle", cx=x, cy=y + 5, r=5) + tag("circle", cx=x, cy=y + 5, r=2, class_="solid")
    ),
    "force_complete": lambda x, y: tag("circle", cx=x, cy=y + 5, r=5, class_="solid"),
    "force_complete_if_channels_empty": lambda x, y: (
        tag("circle", cx=x, cy=y + 5, r=5)
        + tag("path", d=f"M{number(x - 5)} {number(y + 5)}a5 5 0 0 0 10 0z", class_="solid")
    ),
    "force_fail": _fails,
    "order_fails": _fails,
}


_LOOKS = {"running": ("k", "g"), "queued": ("line", "ink"), "waiting": ("wait", "ink"), "retrying": ("ring", "ink"),
          "ended": ("k", "g"), "failed": ("bad", "ink"), "coming": ("line", "ink")}  # fmt: skip
"""The classes of shape and letters, by phase."""


def draw_badge(mark: Mark, x: float, y: float, most: float = 20.0) -> str:
    kind, ink = _LOOKS[mark.phase]
    drawn = marks.badge(x, y, mark.label, mark.family, most, kind=kind, ink=ink)
    if mark.phase == "retrying":
        drawn += marks.badge(x, y, mark.label, mark.family, most, kind="hatch", letters=False)
    if mark.phase == "failed":
        drawn += marks.cross(x - 9, y - 9, 3.4)
    drawn += "".join(tag("circle", cx=x + 9 + 6 * i, cy=y - 9, r=4.6, class_="c") for i in range(min(mark.tokens, 3)))
    if mark.locks:
        drawn += f'<g transform="translate({number(x + 5)} {number(y - 15)}) scale(.8)">{draw_lock(0, 0)}</g>'
    return f'<g class="f{mark.family} at {mark.phase}"><title>{escape(visible(mark.tip))}</title>{drawn}</g>'


def draw_legend(data: GraphData, scene: Scene | None, lang: str, y: float, width: float) -> tuple[list[str], float]:
    drawn = []
    x = MARGIN
    for key, sample in _used(data, scene):
        words = said(lang, key)
        size = 34 + pixels(words, 11) * 1.02 + 12
        if x + size > width and x > MARGIN:
            x, y = MARGIN, y + 22
        drawn.append(sample(x, y) + text(x + 32, y + 4, words, "name q"))
        x += size
    notes = [] if data.known else [said(lang, "unknown")]
    for note in notes:
        y += 22
        drawn.append(text(MARGIN, y + 4, note, "name q"))
    return [f'<g class="legend fs">{"".join(drawn)}</g>'], y + 18


Sample = Callable[[float, float], str]


def _line(class_: str) -> Sample:
    def sample(x: float, y: float) -> str:
        ends = slashes(Curve(((x, y), (x, y), (x, y), (x + 18, y)), (x + 26, y), None))
        tip = ends if "cancel" in class_ else arrow((x + 18, y), (x + 26, y))
        d = f"M{number(x)} {number(y)}h{26 if 'cancel' in class_ else 18}"
        return f'<g class="ed {class_}">{tag("path", d=d)}{tip}</g>'

    return sample


def _sample_badge(phase: str) -> Sample:
    return lambda x, y: draw_badge(Mark("1", "a", phase, "", ""), x + 12, y, 9)


def _used(data: GraphData, scene: Scene | None) -> list[tuple[str, Sample]]:
    lines = {edge.line for edge in data.edges}
    ends = {end for node in data.nodes for end in node.ends}
    phases = {mark.phase for row in scene.marks.values() for mark in row} if scene is not None else set()
    tokens = scene is not None and any(
        [*(mark.tokens for row in scene.marks.values() for mark in row),
         *(cell.token for stock in scene.stocks.values() for cell in stock.cells)]
    )  # fmt: skip
    locks = any(node.sort == "resource" for node in data.nodes)
    holders = scene is not None and any(mark.locks for row in scene.marks.values() for mark in row)
    locked = scene is not None and any(stock.lock for stock in scene.stocks.values())
    rows: list[tuple[str, bool, Sample]] = [
        ("go", "go" in lines, _line("go")),
        ("fail", "fail" in lines, _line("fail")),
        ("data", "data" in lines and not locks, _line("data")),
        ("shares", "data" in lines and locks, _line("data")),
        ("cancels", "cancel" in lines, _line("cancel")),
        ("used", scene is not None and bool(scene.used), _line("go now")),
        ("locks", any("lock" in edge.verbs for edge in data.edges), lambda x, y: draw_lock(x + 6, y - 8, held=False)),
        ("locked", locked, lambda x, y: draw_lock(x + 6, y - 8)),
        ("found", any(edge.found for edge in data.edges), _line("go found")),
        ("found", any(node.found for node in data.nodes), lambda x, y: draw_doubt(x + 12, y, "+")),
        *((end, end in ends, _sample_end(end)) for end in ENDS),
        *((phase, phase in phases, _sample_badge(phase)) for phase in _PHASES),
        ("holder_lock", holders, lambda x, y: draw_lock(x + 6, y - 8)),
        ("resource", locks, _sample_resource),
        ("gate", any(node.sort == "gate" for node in data.nodes), lambda x, y: draw_lock(x + 6, y - 8, held=False)),
        ("token", tokens, lambda x, y: tag("circle", cx=x + 12, cy=y, r=6, class_="c")),
        ("late", scene is not None and bool(scene.late), lambda x, y: marks.waves(x, y - 1, 24)),
        ("call", any(node.sort == "call" for node in data.nodes), _sample_call),
        ("unread", any(not node.read for node in data.nodes), lambda x, y: draw_doubt(x + 12, y, "?")),
    ]
    return [(key, sample) for key, used, sample in rows if used]


_PHASES = ("running", "waiting", "queued", "retrying", "failed")


def _sample_resource(x: float, y: float) -> str:
    card = tag("rect", x=x, y=y - 8, width=24, height=16, class_="queue")
    d = f"M{number(x + 24)} {number(y - 8)}h-24v16h24m0 -11h-24m12 0v11m3 -9v7"
    return card + tag("path", d=d, class_="rail")


def _sample_end(end: str) -> Sample:
    def sample(x: float, y: float) -> str:
        stem = tag("path", d=f"M{number(x + 12)} {number(y - 9)}v7")
        return f'<g class="end">{stem}{END_MARKS[end](x + 12, y - 2)}</g>'

    return sample


def _sample_call(x: float, y: float) -> str:
    outer = tag("rect", x=x, y=y - 7, width=24, height=14, rx=4, class_="box")
    return outer + tag("rect", x=x + 2.5, y=y - 4.5, width=19, height=9, rx=2.5, class_="box")
