"""A show as HTML that needs nothing else: one file that steps through a run offline, or parts of a page with several.

Without a script, and on paper, there is the table of all turns. Every text of people's is escaped, in the JSON too;
the page forbids itself every request.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

from dexpatterns.engine.storage import write_whole
from dexpatterns.engine.texts import LANGUAGES
from dexpatterns.views import bundle, marks
from dexpatterns.views.front_texts import said
from dexpatterns.views.texts import duration

__all__ = ["assets", "fragment", "page", "table", "write"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_TAGS = dict(zip(LANGUAGES, ("en", "zh-Hans"), strict=True))


def page(show: Mapping[str, Any]) -> str:
    """One self-contained HTML file: the stepper, and the table of all turns."""
    css, js = assets()
    title = escape(f"{show['name']} · {show['about']}" if show["about"] else show["name"])
    return (
        f'<!doctype html>\n<html lang="{_TAGS[show["lang"]]}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_GROUND}{css}</style>\n</head>\n<body>\n"
        f"{fragment(show, 'run')}\n<script>{js}</script>\n</body>\n</html>\n"
    )


_GROUND = (
    "body{margin:0}@media screen{body{background:#FFFFFF}}"
    "@media screen and (prefers-color-scheme:dark){body{background:#111111}}"
    "[data-dxs]{max-width:1180px;margin:0 auto}"
)


def fragment(show: Mapping[str, Any], id: str) -> str:
    """The part of a page that becomes one stepper; `assets` are needed once, the script after the last fragment.

    A page may name where patterns are found: a `script` of type application/json with the id `dxs-links`.
    """
    data = json.dumps(show, ensure_ascii=False, separators=(",", ":"))
    return (
        f'<div data-dxs id="{escape(id)}">{table(show)}'
        f'<script type="application/json">{_inside_script(data)}</script></div>'
    )


def assets() -> tuple[str, str]:
    """(CSS, JavaScript) of every stepper in a page; the script mounts what is there when it runs."""
    # In a function, so that the declarations meet none of the page's own.
    return bundle.css(), f'(() => {{ "use strict";\n{bundle.script("page.js")}}})();'


def _inside_script(text: str) -> str:
    """JSON in which nothing can end the script that it stands in, or begin a comment there."""
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    # A half of a surrogate pair is no UTF-8.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def write(path: str | os.PathLike[str], text: str) -> None:
    """Write the page to a file, whole or not at all; raises `RunFileError` when that cannot be done."""
    write_whole(path, "the page", lambda file: file.write(text))


# The table of all turns.


def table(show: Mapping[str, Any]) -> str:
    """All turns as a table, for paper and where no script runs: colour says nothing in it."""
    lang = show["lang"]
    about = said(lang, "table_about", about=show["about"]) if show["about"] else ""
    title = said(lang, "table_title", name=show["name"], about=about, n=show["turns"])
    blocks = [f"<h2>{_own(title)}</h2>", *_cause(show), *(f"<p>{_own(line)}</p>" for line in _summary(show))]
    columns = _columns(show)
    heads = "".join(f'<th scope="col"{_number(key)}>{escape(said(lang, word))}</th>' for key, word in columns)
    rows = "".join(_rows(show, [key for key, _ in columns]))
    return (
        f'<div class="dxs-table" lang="{_TAGS[lang]}">{"".join(blocks)}'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


_NAME = ' class="s-name"'


def _own(text: str) -> str:
    return f"<bdi>{escape(text)}</bdi>"


def _number(key: str) -> str:
    return ' class="s-number"' if key in ("turn", "time") else ""


def _cause(show: Mapping[str, Any]) -> Iterator[str]:
    found, lang = show["cause"], show["lang"]
    if not found:
        return
    if "plain" in found:
        yield f'<p class="s-cause">{_own(found["plain"])}</p>'
        return
    gap = said(lang, "gap")
    sentences = gap.join(_own(found[part]) for part in ("sentence", "general"))
    title, mend = escape(said(lang, "cause", title=found["title"])), escape(said(lang, "mend"))
    yield f'<p class="s-cause"><b>{title}</b>{gap}{sentences}{gap}<b>{mend}</b>{gap}{_own(found["mend"])}</p>'


def _summary(show: Mapping[str, Any]) -> Iterator[str]:
    """How it ended, what held, and how to read the table."""
    lang, final = show["lang"], {**show["start"]}
    for delta in show["deltas"]:
        final.update(delta)
    time = duration(show["times"][-1]) if show["times"] else ""
    key = "left_open" if final["s"] == "RUNNING" else "ended_at" if time else "ended_as"
    lines = [said(lang, key, status=final["s"], time=time, n=show["turns"])]
    kept = [one["name"] for one in show["properties"] if not one["broken"] and one["judged"] and not one["goal"]]
    if kept:
        lines.append(said(lang, "none_broken", names=said(lang, "comma").join(kept)))
    lines += [
        said(lang, "one_broken", name=one["name"], n=one["broken"][0]) for one in show["properties"] if one["broken"]
    ]
    if show["kind"] == "run":
        lines.append(said(lang, "one_order"))
    yield said(lang, "gap").join(lines)
    sections = [name for name, _ in show["sections"]]
    hint = "table_hint" if sections else "table_hint_plain"
    yield said(lang, hint, section=said(lang, "comma").join(sections))


def _columns(show: Mapping[str, Any]) -> list[tuple[str, str]]:
    who = "order" if show["machine"] == "js7" else "branch"
    columns = [("turn", "turn"), ("branch", who), ("happens", "what_happens"), ("changed", "changed")]
    if show["times"]:
        columns.insert(1, ("time", "time_s"))
    if show["tokens"]:
        columns.append(("token", "token_head"))
    if show["sections"]:
        columns.append(("inside", "inside_head"))
    return columns


def _rows(show: Mapping[str, Any], columns: Iterable[str]) -> Iterator[str]:
    state = {**show["start"]}
    fails = {turn for turn, kind in show["marks"] if kind == "fail"}
    for place, (told, delta) in enumerate(zip(show["told"], show["deltas"], strict=True)):
        state.update(delta)
        turn = place + 1
        cells = {
            "turn": f"<td{_number('turn')}>{turn}</td>",
            "time": f"<td{_number('time')}>{show['times'][place]:,.1f}</td>" if show["times"] else "",
            "branch": f"<td{_NAME}>{_badge(show, told[0])}{_own(told[1])}</td>",
            "happens": _happens(told, turn in fails),
            "changed": f"<td>{'<br>'.join(_own(_change(change)) for change in told[5])}</td>",
            "token": f"<td{_NAME}>{_token(show, state)}</td>",
            "inside": _inside(show, state),
        }
        yield f"<tr>{''.join(cells[key] for key in columns)}</tr>"


def _happens(told: list[Any], failed: bool) -> str:
    reads = "".join(f" ({_own(f'{name} = {value}')})" for name, value in told[4])
    return f'<td class="s-bad">× {_own(told[3])}{reads}</td>' if failed else f"<td>{_own(told[3])}{reads}</td>"


def _change(change: list[str]) -> str:
    name, old, new, note = change
    return f"{name} {old} → {new}{note}" if old else f"{name} = {new}{note}"


def _badge(show: Mapping[str, Any], lane: int) -> str:
    if not 0 <= lane < len(show["lanes"]):
        return ""
    _, label, family, _ = show["lanes"][lane]
    drawn = marks.badge(0, 0, label, family)
    return (
        f'<svg class="dxp" width="20" height="16" viewBox="-15 -12 30 24" aria-hidden="true">'
        f'<g class="f{family}">{drawn}</g></svg>'
    )


def _token(show: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    """Who holds tokens, and whether some lie in their Channels."""
    held = {
        place: show["lanes"][int(key[2:])][0]
        for key, row in state.items() if key.startswith("b/") for place in row[3]
    }  # fmt: skip
    queued = any(state.get(f"c/{place}", [0])[0] for place in show["tokens"])
    lang = show["lang"]
    parts = [*([escape(said(lang, "in_channel"))] if queued else []), *map(_own, dict.fromkeys(held.values()))]
    return escape(said(lang, "list")).join(parts) if parts else "–"


def _inside(show: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    lanes = [lane for key, inside in state.items() if key.startswith("i/") for lane in inside]
    names = [_own(show["lanes"][lane][0]) for lane in dict.fromkeys(lanes) if lane >= 0]
    if not names:
        return '<td class="s-visits">–</td>'
    return f'<td class="s-name s-visit">{escape(said(show["lang"], "list")).join(names)}</td>'
