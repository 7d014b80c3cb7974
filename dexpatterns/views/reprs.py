"""What a notebook shows of an object beside its text: a small table, or a picture, as HTML that needs nothing else.

A form is found by the name of a class, so that no class is imported for the sake of another; what has no form is a
table of its fields. Every text is escaped here, a verdict is told by its word and by the shape of its mark.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import timedelta
from html import escape
from typing import Any

from dexpatterns.engine.texts import LANGUAGES, visible
from dexpatterns.views.texts import clip, duration

__all__ = ["html_of", "mark", "verdict_mark"]

_WORDS: dict[str, tuple[str, str]] = {
    "property": ("Property", "性质"),
    "verdict": ("Verdict", "结论"),
    "detail": ("Detail", "说明"),
    "counts": (
        "{name}: {states:,} states, {transitions:,} transitions, depth {depth} turns",
        "{name}：{states:,} 个状态，{transitions:,} 次转移，深度 {depth} 回合",
    ),
    "shown by": (
        "A counterexample of {n} turns: see .explanation, or step through it with .counterexample.stepper()",
        "{n} 回合的反例：见 .explanation，或用 .counterexample.stepper() 逐回合查看",
    ),
    "turns": ("{n} turns made", "已走 {n} 回合"),
    "turns:1": ("1 turn made", "已走 1 回合"),
    "in channels": ("In Channels", "Channel 中"),
    "attributes": ("Attributes", "Attribute"),
    "nothing": ("nothing", "无"),
    "move": ("Move", "走法"),
    "who": ("Who", "谁"),
    "says": ("What", "做什么"),
    "then": ("What follows", "随后"),
    "no move": ("No move is possible any more.", "没有走法了。"),
    "take": ("take(n) makes a move, undo() takes it back", "take(n) 走一步，undo() 撤销"),
    "order": ("Order", "订单"),
    "workflow": ("Workflow", "工作流"),
    "position": ("Position", "位置"),
    "state": ("State", "状态"),
    "lock": ("Lock", "锁"),
    "held": ("Held by", "由谁占有"),
    "queue": ("Waiting", "等待者"),
    "clock": ("{name} on its clock", "时钟 {name}"),
    "repairs": ("Mends", "修复的反模式"),
    "repaired_by": ("Mended by", "由谁修复"),
    "claims": ("Claims", "主张"),
    "pattern": ("pattern", "模式"),
    "anti-pattern": ("anti-pattern", "反模式"),
    "see": ("See .page(), .claims and .world", "见 .page()、.claims 和 .world"),
    "way_out": ("Way out", "出口"),
    "step": ("Step", "Step"),
    "declared": ("Declared", "声明"),
    "schedule": ("Run", "运行"),
    "states": ("{n:,} states tried", "试过 {n:,} 个状态"),
    "cut": ("cut by {what}", "被 {what} 截断"),
}


def _say(lang: str, key: str, **given: Any) -> str:
    pair = _WORDS.get(f"{key}:{given.get('n')}") or _WORDS[key]
    return pair[LANGUAGES.index(lang)].format(**given)


def html_of(thing: Any) -> str:
    """The HTML of anything that has a form, by its class or one of its bases; else a table of its fields."""
    for cls in type(thing).__mro__:
        if cls.__name__ in _FORMS:
            return _FORMS[cls.__name__](thing)
    return _fields(thing)


# Parts.

_PAGE = (
    "color:var(--jp-content-font-color1,inherit);background:var(--jp-layout-color0,inherit);line-height:1.5;"
    "unicode-bidi:isolate"
)
_CELL = (
    "text-align:start;vertical-align:top;padding:2px 16px 2px 0;border-bottom:1px solid "
    "var(--jp-border-color2,#D0D4D9);overflow-wrap:break-word"
)
_TAGS = {"en": "en", "zh": "zh-Hans"}
_LONG = 200
"""Columns of a cell; of a longer text the middle gives way."""

_CUT = 'fill="none" stroke="var(--jp-layout-color0,#FFFFFF)" stroke-width="1.8"'
"""A line cut out of a filled mark."""
_LINE = 'fill="none" stroke="currentColor" stroke-width="1.4"'
_MARKS = {
    "full": (
        '<rect x="1.3" y="1.3" width="13.4" height="13.4" rx="2" fill="currentColor"/>'
        f'<path d="M4.8 8.2l2.2 2.3 4.2-4.6" {_CUT}/>'
    ),
    "half": (
        f'<rect x="2" y="2" width="12" height="12" rx="2" {_LINE}/>'
        '<rect x="2" y="8" width="12" height="6" fill="currentColor"/>'
    ),
    "octagon": (
        '<path d="M5.5 1.5h5l4 4v5l-4 4h-5l-4-4v-5z" fill="currentColor"/>'
        f'<path d="M5.7 5.7l4.6 4.6m0-4.6l-4.6 4.6" {_CUT}/>'
    ),
    "ring": f'<circle cx="8" cy="8" r="6.2" stroke-dasharray="2.4 1.9" {_LINE}/>',
}
_OF_VERDICT = {"PROVED": "full", "BOUNDED": "half", "REFUTED": "octagon"}
_OF_WAY = {"returned": "full", "lost": "octagon", "doubled": "octagon", "not needed": "full", "not reached": "ring"}
_OF_CELL = {"proved": "full", "measured": "full", "broken": "octagon", "open": "ring"}
_BAD = "color:var(--jp-error-color1,#C23B00)"


def mark(shape: str) -> str:
    """A mark of 16 px: 'full' square with tick, 'half' square, 'octagon' with cross, dashed 'ring'."""
    style = f' style="vertical-align:-3px;margin-inline-end:6px{";" + _BAD if shape == "octagon" else ""}"'
    return f'<svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"{style}>{_MARKS[shape]}</svg>'


def verdict_mark(state: str) -> str:
    """The mark of a state of a comparison's cell; '' for one that claims nothing."""
    return mark(_OF_CELL[state]) if state in _OF_CELL else ""


def _own(text: object) -> str:
    return f"<bdi>{escape(clip(visible(str(text)), _LONG))}</bdi>"


def _marked(shape: str, word: str) -> str:
    said = escape(visible(word))
    return f'<span style="white-space:nowrap">{mark(shape)}{f"<b>{said}</b>" if shape == "octagon" else said}</span>'


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Cells are HTML already."""
    top = "".join(f'<th scope="col" style="{_CELL}">{escape(head)}</th>' for head in heads)
    body = "".join(
        f"<tr>{''.join(f'<td style={chr(34)}{_CELL}{chr(34)}>{cell}</td>' for cell in row)}</tr>" for row in rows
    )
    head = f"<thead><tr>{top}</tr></thead>" if top else ""
    return f'<table style="border-collapse:collapse">{head}<tbody>{body}</tbody></table>'


def _line(*parts: str) -> str:
    return f'<p style="margin:4px 0">{" ".join(filter(None, parts))}</p>'


def _box(parts: Iterable[str], lang: str = "en") -> str:
    return f'<div lang="{_TAGS[lang]}" style="{_PAGE}">{"".join(parts)}</div>'


def _named(names: Iterable[object]) -> str:
    return ", ".join(_own(name) for name in names) or "–"


# Runs, and what a search found.

_SHORT = 60
"""Turns of a run whose lanes are shown at once."""


def _run(run: Any) -> str:
    """One line, and of a short run its lanes; those of a Flow say the line themselves."""
    if not 0 < len(run.trace.turns) <= _SHORT or run.trace.machine not in ("dex", "js7"):
        return _box([_line(_own(str(run)[1:-1]))])
    lanes = run.timeline()._repr_html_()
    return str(lanes) if run.trace.machine == "dex" else _box([_line(_own(str(run)[1:-1])), lanes])


def _report(report: Any) -> str:
    lang = "en"
    verdict = report.verdict.name
    counts = _say(
        lang, "counts", name=visible(report.machine), states=report.states, transitions=report.transitions,
        depth=report.depth,
    )  # fmt: skip
    titles = {one.name: one.title(lang) for one in report.properties}
    rows = [
        (
            _own(titles.get(one.name, one.name)),
            _marked(_OF_VERDICT[one.verdict.name], one.word),
            _own(one.detail) if one.detail else "",
        )
        for one in report.results
    ]
    parts = [
        _line(_marked(_OF_VERDICT[verdict], verdict), escape(counts)),
        _table([_say(lang, key) for key in ("property", "verdict", "detail")], rows),
    ]
    if report.counterexample is not None:
        parts.append(_line(escape(_say(lang, "shown by", n=len(report.counterexample.trace.turns)))))
    return _box(parts, lang)


# What is in a person's hands.


def _simulation(simulation: Any) -> str:
    """The state, and the moves with their places in `choices`, in words."""
    from dexpatterns.views.seat import Seat

    run, lang = simulation.run, "en"
    state = simulation.state
    place = {choice: n for n, choice in enumerate(simulation.choices)}
    moves = sorted(Seat.of_run(run, properties=(), own=True).moves, key=lambda move: place[move.choice])
    rows = [(str(place[one.choice]), *map(_own, (one.who, one.says, one.then))) for one in moves]
    stocks = [
        _line(f"{escape(_say(lang, head))}: {_values(found)}")
        for head, found in (("in channels", state["channels"]), ("attributes", state["attributes"])) if found
    ]  # fmt: skip
    turns = _say(lang, "turns", n=len(run.trace.turns))
    heads = [_say(lang, key) for key in ("move", "who", "says", "then")]
    shown = [_table(heads, rows), _line(escape(_say(lang, "take")))] if rows else [_line(_say(lang, "no move"))]
    head = _line(f"<b>{_own(run.trace.name)}</b>: {escape(str(state['status']))}, {escape(turns)}")
    return _box([head, *stocks, *shown], lang)


def _values(found: Mapping[str, Any]) -> str:
    return "; ".join(f"{_own(name)} = <code>{_own(json.dumps(value, ensure_ascii=False))}</code>"
                     for name, value in found.items())  # fmt: skip


def _seat(seat: Any) -> str:
    return f'<pre style="white-space:pre-wrap">{escape(str(seat))}</pre>'


def _controller(controller: Any) -> str:
    """The orders as they stand, and who holds and waits for which lock."""
    orders = [
        (_own(one.id), _own(one.workflow), _own(one.position), _own(one.seen), _own(one.mark))
        for one in controller.orders
    ]
    locks = [
        (_own(f"{lock['lock']['path']} ({lock['lock']['limit']})"), _holders(lock["acquired"]), _named(lock["queue"]))
        for lock in controller.run.trace.final["locks"].values()
    ]
    parts = [_line(escape(repr(controller)[1:-1]))]
    if orders:
        parts.append(_table([*(_say("en", key) for key in ("order", "workflow", "position", "state")), ""], orders))
    if locks:
        parts.append(_table([_say("en", key) for key in ("lock", "held", "queue")], locks))
    return _box(parts)


def _holders(acquired: Mapping[str, Any]) -> str:
    if "orderId" in acquired:
        return _own(acquired["orderId"])
    return _named(f"{order} ({weight})" for order, weight in acquired.get("orderToCount", {}).items())


# What stands on the shelf, and tables.


def _pattern(pattern: Any) -> str:
    lang = "en"
    rows = [
        (escape(_say(lang, key)), _named(names))
        for key, names in (("repairs", pattern.repairs), ("repaired_by", pattern.repaired_by),
                           ("claims", pattern.sentences)) if names
    ]  # fmt: skip
    head = f"<b>{_own(pattern.title(lang))}</b> · {escape(_say(lang, pattern.kind))} · <code>{_own(pattern.id)}</code>"
    body = [_line(head), _line(escape(pattern.summary(lang))), _table((), rows) if rows else ""]
    return _box([*body, _line(escape(_say(lang, "see")))], lang)


def _audit(audit: Any) -> str:
    lang = audit.attrs.get("lang", "en")
    rows = [
        (
            _own(row.way_out), _own(row.step), _own(row.declared),
            _marked(_OF_WAY.get(row.verdict, "ring"), row.verdict), f"<code>.run({n})</code>" if row.schedule else "",
        )
        for n, row in enumerate(audit.itertuples(index=False))
    ]  # fmt: skip
    heads = [_say(lang, key) for key in ("way_out", "step", "declared", "verdict", "schedule")]
    cut = audit.attrs.get("cut")
    said = _say(lang, "states", n=audit.attrs.get("states", 0))
    warnings = [_line(_own(one)) for one in audit.attrs.get("warnings", ())]
    tail = _line(escape(said), escape(_say(lang, "cut", what=cut)) if cut else "")
    return _box([_table(heads, rows), *warnings, tail], lang)


# What is data alone.


def _item(item: Any) -> str:
    """A workflow or lock as its file writes it."""
    from dexpatterns.js7.files import dump

    written = json.dumps(dump(item)[0], ensure_ascii=False, indent=2)
    head = _line(f"<b>{_own(item.path)}</b> · {escape(type(item).__name__)}")
    return _box([head, f'<pre style="white-space:pre-wrap">{escape(_visible_lines(written))}</pre>'])


def _visible_lines(text: str) -> str:
    """The text with its line ends, and everything else that would act as an escape."""
    return "\n".join(map(visible, text.split("\n")))


def _jobs(jobs: Any) -> str:
    return _box([_table(("Job", "duration", "outcomes"), [
        (_own(name), _own(_plain(jobs[name].duration)), _named(jobs[name].outcomes)) for name in jobs
    ])])  # fmt: skip


def _fields(thing: Any) -> str:
    """A dataclass: its fields that are not left out of its text."""
    rows = [(escape(one.name), _own(_plain(getattr(thing, one.name)))) for one in fields(thing) if one.repr]
    return _box([_line(f"<b>{escape(type(thing).__name__)}</b>"), _table((), rows)])


def _plain(value: Any) -> str:
    """A value in a few words: classes and functions by their names, times as they are read."""
    if isinstance(value, timedelta):
        return duration(value.total_seconds())
    if isinstance(value, Mapping):
        return "; ".join(f"{_plain(key)}: {_plain(one)}" for key, one in value.items()) or "–"
    if isinstance(value, tuple):
        return ", ".join(map(_plain, value)) or "–"
    if isinstance(value, str):
        return value
    name = getattr(value, "__qualname__", None)
    return str(name) if name else repr(value) if value is not None else "–"


_FORMS: dict[str, Callable[[Any], str]] = {
    "Audit": _audit,
    "Controller": _controller,
    "Jobs": _jobs,
    "Lock": _item,
    "Pattern": _pattern,
    "Report": _report,
    "Run": _run,
    "Seat": _seat,
    "Simulation": _simulation,
    "Workflow": _item,
}
