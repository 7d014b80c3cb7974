"""The comparison of patterns by property: one table, as a DataFrame, as text, as Markdown, as CSV and as HTML.

It is given verdicts and finds none. A cell that breaks says so in words, never by colour alone; what came from a
catalog folder is escaped in each form, and in CSV kept from being taken for a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from dexpatterns.engine.texts import LANGUAGES, check_lang, visible
from dexpatterns.errors import InputError
from dexpatterns.views.reprs import verdict_mark
from dexpatterns.views.texts import pad, width

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMATS", "HEADINGS", "Line", "Standing", "table", "write"]

HEADINGS: dict[str, tuple[str, str]] = {
    "overlap": ("one at a time", "逐个进入"),
    "lost token": ("no token lost", "token 不丢失"),
    "second token": ("no second token", "没有第二个 token"),
    "stuck": ("never stuck", "不会卡住"),
    "survives failure": ("survives failure", "经得起失败"),
    "survives cancel": ("survives cancelling", "经得起取消"),
    "spans Steps": ("spans Steps", "跨多个 Step"),
    "holds n": ("at most n inside", "段内至多 n 个"),
    "fair": ("in the order of starting", "按启动顺序进入"),
}
"""The columns of the comparison, by what a claim is about: English, then Simplified Chinese."""

_WORDS = {
    "name": ("name", "名称"),
    "kind": ("kind", "种类"),
    "pattern": ("pattern", "模式"),
    "anti-pattern": ("anti-pattern", "反模式"),
    "proved": ("proved", "已证明"),
    "broken": ("broken in {n} turns", "{n} 回合打破"),
    "broken at once": ("broken", "被打破"),
    "measured": ("within its bounds", "在界限内"),
    "open": ("not verified", "未验证"),
}


class Standing(NamedTuple):
    """How one claim stands: its verdict's name ('' of a measure), its turns, and whether it is met."""

    claim: str
    verdict: str
    turns: int | None
    holds: bool


class Line(NamedTuple):
    """One pattern: its standings by what they are about."""

    id: str
    kind: str
    title: str
    standings: Mapping[str, Sequence[Standing]]


def _say(lang: str, key: str, **words: object) -> str:
    return _WORDS[key][LANGUAGES.index(lang)].format(**words)


def table(lines: Iterable[Line], lang: str = "en") -> pd.DataFrame:
    """A row per pattern, by its id: name, kind, then the properties; `.attrs` keeps the verdicts and the language."""
    import pandas as pd

    at = LANGUAGES.index(check_lang(lang))
    lines = list(lines)
    rows = [
        (line.title, _say(lang, line.kind), *(_cell(line.standings.get(about, ()), lang) for about in HEADINGS))
        for line in lines
    ]
    columns = [_say(lang, "name"), _say(lang, "kind"), *(heading[at] for heading in HEADINGS.values())]
    index = pd.Index([line.id for line in lines], name="id", dtype="str")
    made: pd.DataFrame = _comparison()(rows, columns=columns, index=index, dtype="str")
    made.attrs = {
        "lang": lang,
        "properties": list(HEADINGS),
        "verdicts": {
            line.id: {about: [one._asdict() for one in line.standings[about]] for about in line.standings}
            for line in lines
        },
    }
    return made


@cache
def _comparison() -> Any:
    """Made with the first table: pandas is not loaded before it is needed."""
    import pandas as pd

    class Comparison(pd.DataFrame):
        """A DataFrame that a notebook shows with the mark of each verdict."""

        @property
        def _constructor(self) -> Any:
            return pd.DataFrame

        def __repr__(self) -> str:
            return _text(self).rstrip("\n")

        def _repr_html_(self) -> str:
            return _html(self, verdict_mark)

    return Comparison


def _cell(standings: Sequence[Standing], lang: str) -> str:
    state = _state(standings)
    turns = min((one.turns for one in standings if one.verdict == "REFUTED" and one.turns is not None), default=None)
    if state == "broken" and turns is None:
        return _say(lang, "broken at once")
    return _say(lang, state, n=turns) if state else ""


def _state(standings: Sequence[Standing]) -> str:
    """The worst of all: one claim that does not hold makes the others about the same worth nothing."""
    verdicts = {one.verdict for one in standings}
    if not standings:
        return ""
    if not all(one.holds for one in standings) or verdicts - {"PROVED", "REFUTED", ""}:
        return "open"
    return "broken" if "REFUTED" in verdicts else "proved" if "PROVED" in verdicts else "measured"


# The forms.


def write(made: pd.DataFrame, form: str = "text") -> str:
    """The table in a form: 'text', 'markdown', 'csv' or 'html'; raises `InputError` for another."""
    if form not in FORMATS:
        raise InputError(f"form: expected one of {', '.join(FORMATS)}, got {form!r}")
    return FORMATS[form](made)


def _grid(made: pd.DataFrame) -> list[list[str]]:
    head = [str(made.index.name), *map(str, made.columns)]
    return [head, *([str(cell) for cell in row] for row in made.itertuples())]


_NARROW = 11


def _text(made: pd.DataFrame) -> str:
    """Columns of a terminal; a long heading or cell goes on in the next line."""
    rows = [[visible(cell) for cell in row] for row in _grid(made)]
    limits = [max(map(width, column)) if i < 3 else _NARROW for i, column in enumerate(zip(*rows, strict=True))]
    blocks = [[_lines(cell, limit) for cell, limit in zip(row, limits, strict=True)] for row in rows]
    widths = [max(width(line) for block in blocks for line in block[i]) for i in range(len(limits))]
    written = []
    for n, block in enumerate(blocks):
        for k in range(max(map(len, block))):
            parts = [pad(lines[k] if k < len(lines) else "", size) for lines, size in zip(block, widths, strict=True)]
            written.append("  ".join(parts).rstrip())
        if n == 0:
            written.append("  ".join("-" * size for size in widths))
    return "\n".join(written) + "\n"


def _lines(cell: str, limit: int) -> list[str]:
    """Broken at spaces, and between Chinese characters."""
    lines = [""]
    for part in re.findall(r"[\u2e80-\uffff]|[^\s\u2e80-\uffff]+|\s+", cell):
        if width(lines[-1] + part) > limit and lines[-1].strip():
            lines.append("")
        lines[-1] += part.lstrip() if not lines[-1] else part
    return [line.rstrip() for line in lines]


def _markdown(made: pd.DataFrame) -> str:
    rows = [[_plain(visible(cell)) for cell in row] for row in _grid(made)]
    rows.insert(1, ["---"] * len(rows[0]))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _plain(cell: str) -> str:
    """Nothing in it is markup any more, HTML included."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&])", r"\\\1", cell)


def _csv(made: pd.DataFrame) -> str:
    page = io.StringIO()
    csv.writer(page, lineterminator="\n").writerows([[_no_formula(cell) for cell in row] for row in _grid(made)])
    return page.getvalue()


def _no_formula(cell: str) -> str:
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def _html(made: pd.DataFrame, mark: Callable[[str], str] = lambda state: "") -> str:
    """A table of its own: the page around it lends it its style, by the classes `proved`, `broken`, `open` ...

    `mark` gives what stands before a cell of such a state, as HTML.
    """
    head, *rows = _grid(made)
    lang = made.attrs.get("lang", "en")
    heads = "".join(f'<th scope="col">{escape(visible(cell))}</th>' for cell in head)
    said = "zh-Hans" if lang == "zh" else "en"
    written = [f'<table class="dxp-compare" lang="{said}">', f"<thead><tr>{heads}</tr></thead>", "<tbody>"]
    for id, *cells in rows:
        found = made.attrs.get("verdicts", {}).get(id, {})
        states = ["", "", *(_state([Standing(**one) for one in found.get(about, ())]) for about in HEADINGS)]
        body = "".join(_table_cell(cell, state, mark(state)) for cell, state in zip(cells, states, strict=True))
        written.append(f'<tr><th scope="row">{escape(visible(id))}</th>{body}</tr>')
    return "\n".join([*written, "</tbody>", "</table>", ""])


def _table_cell(cell: str, state: str, mark: str) -> str:
    return f'<td class="{state}">{mark}{escape(visible(cell))}</td>' if state else f"<td>{escape(visible(cell))}</td>"


FORMATS: dict[str, Callable[[Any], str]] = {"text": _text, "markdown": _markdown, "csv": _csv, "html": _html}
