"""Shows one run: its lanes, its edits with the way each left, and one line of verdict.

What a run shows is one order of many; that it held proves nothing, and the words do not say so.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from dexpatterns.engine.texts import visible
from dexpatterns.terminal import Words, rendered, say, table, write, write_file, write_json

if TYPE_CHECKING:
    from dexpatterns.catalog import Pattern
    from dexpatterns.dex.sections import Overlap, Visit
    from dexpatterns.engine.run import Run
    from dexpatterns.views.seen_edits import EditSeen

__all__ = ["Found", "beyond", "pattern_of", "show"]

MOST_ROWS = 50
"""A longer table is cut, though not in `--json`."""

_WORDS: Words = {
    "columns": ("id|reviewer|way out|started|ended|seconds", "id|审核人|出口|开始|结束|秒"),
    "columns of branches": ("id|branch|way out|started|ended|seconds", "id|分支|出口|开始|结束|秒"),
    "left": ("left", "已离开"),
    "failed": ("failed for good", "最终失败"),
    "cancelled": ("cancelled", "已取消"),
    "closed": ("closed with the Flow", "随 Flow 关闭"),
    "open": ("still inside", "仍在段内"),
    "late": ("given up, its code runs on", "已放弃，代码仍在运行"),
    "never": ("never inside", "从未进入"),
    "more": ("... and {n:,} more; --json prints all of them", "……另有 {n:,} 行；--json 会全部输出"),
    "edits": ("{n:,} edit{s}", "{n:,} 次编辑"),
    "branches": ("{n:,} branches", "{n:,} 个分支"),
    "branch": ("{n} branch", "{n} 个分支"),
    "overlaps": ("{n:,} overlap{s}", "{n:,} 处重叠"),
    "within": ("never more than {limit} inside", "段内从未超过 {limit} 个分支"),
    "beyond": ("{n:,} time{s} more than {limit} inside", "{n:,} 次有超过 {limit} 个分支在段内"),
    "back": ("token back in its channel", "token 已回到它的 Channel"),
    "all back": ("{limit} tokens back in their channel", "{limit} 个 token 已回到它们的 Channel"),
    "not back": ("token not back in its channel", "token 没有回到它的 Channel"),
    "tokens": ("{n:,} token{s} in the channel instead of {limit}", "Channel 中有 {n:,} 个 token，应为 {limit} 个"),
    "status": ("the Flow is {status}", "Flow 的状态是 {status}"),
    "waits": ("{step} waits for {wait}", "{step} 在等待 {wait}"),
    "waiting": ("{n:,} Step{s} still waiting", "{n:,} 个 Step 仍在等待"),
    "cut": ("stopped after {n:,} turns", "在 {n:,} 个回合后停止"),
    "and": (", ", "，"),
    "why": (": ", "："),
}
_say = partial(say, _WORDS)


def pattern_of(run: Run) -> Pattern | None:
    """The catalog's pattern of that Flow: a saved run does not say how many may be inside together."""
    from dexpatterns import catalog

    for pattern in catalog.patterns():
        if pattern.form != "dex":
            continue
        source = (pattern.path / "flow.py").read_text(encoding="utf-8")
        if f"class {run.trace.name}(" in source and getattr(pattern.section, "name", None) == run.sections[0].name:
            return pattern
    return None


class Found(NamedTuple):
    """What is in a run; `limit` is how many may be inside together, and how many tokens there are."""

    edits: list[EditSeen]
    branches: int
    limit: int
    overlaps: list[Overlap]
    beyond: int
    """Overlapping pairs; with a limit above one, how often one more came in."""
    token: str | None
    tokens: int
    status: str

    @property
    def holds(self) -> bool:
        return self.status == "COMPLETED" and not self.beyond and not (self.token and self.tokens > self.limit)


def _look(run: Run, pattern: Pattern | None) -> Found:
    from dexpatterns.dex import sections
    from dexpatterns.views.seen_edits import seen_edits

    reading = sections.read(run.trace, run.sections[0])
    limit = pattern.limit if pattern else 1
    overlaps = sections.overlaps(reading.visits)
    token, queues = next(iter(run.tokens), None), run.trace.final.get("channels", {}).items()
    return Found(
        edits=seen_edits(run.trace, reading),
        branches=sum(lane.kind == "branch" for lane in reading.lanes),
        limit=limit,
        overlaps=overlaps,
        beyond=len(overlaps) if limit == 1 else beyond(reading.visits, limit),
        token=token,
        tokens=sum(len(queue) for name, queue in queues if name == token or name.startswith(f"{token}/")),
        status=str(run.trace.final.get("status", "")),
    )


def beyond(visits: Iterable[Visit], limit: int) -> int:
    """How often one more came in while `limit` were inside; code that runs on does not count."""
    found, ends = 0, list[int]()
    for visit in (visit for visit in visits if not visit.late):
        ends = [end for end in ends if end > visit.start_turn]
        found += len(ends) >= limit
        ends.append(visit.end_turn)
    return found


def show(run: Run, pattern: Pattern | None, *, as_json: bool, svg: str | None, lang: str) -> int:
    """Show it, with a picture in the file `svg` if that is given; returns 0 when it held and 1 when it did not."""
    found = _look(run, pattern)
    timeline = run.timeline(run.sections[0], lang=lang, limit=found.limit)
    if svg is not None:
        write_file("the picture", svg, timeline.svg)
    verdict = _verdict(run, pattern, found, lang)
    if as_json:
        write_json(_data(run, pattern, found, verdict))
    else:
        more = len(found.edits) - MOST_ROWS
        lanes = timeline.text(shutil.get_terminal_size((100, 24)).columns)
        write("\n".join(map(visible, lanes.splitlines())) + "\n\n")
        columns = _say(lang, "columns" if pattern else "columns of branches")
        edits = table(columns, [_cells(edit, lang) for edit in found.edits[:MOST_ROWS]])
        write(edits + (f"{_say(lang, 'more', n=more)}\n\n" if more > 0 else ""))
        write(rendered(verdict, style="bold green" if found.holds else "bold red"))
    return 0 if found.holds else 1


def _verdict(run: Run, pattern: Pattern | None, found: Found, lang: str) -> str:
    """One line: how many, whether they overlap, where the token is, and why the Flow did not complete."""
    limit, tokens = found.limit, found.tokens
    bound = "overlaps" if limit == 1 else "beyond" if found.beyond else "within"
    who = "edits" if pattern else "branch" if found.branches == 1 else "branches"
    parts = [_say(lang, who, n=found.branches), _say(lang, bound, n=found.beyond, limit=limit)]
    if found.token is not None:
        back = "tokens" if tokens != limit else "back" if limit == 1 else "all back"
        parts.append(_say(lang, "not back" if limit == 1 and not tokens else back, n=tokens, limit=limit))
    if found.status != "COMPLETED":
        why = _why(run, lang)
        parts.append(_say(lang, "status", status=found.status) + (_say(lang, "why") + why if why else ""))
    return visible(_say(lang, "and").join(parts))


def _why(run: Run, lang: str) -> str:
    """Why a Flow did not complete: its reason, or who is left."""
    final = run.trace.final
    steps = final.get("steps", ())
    if final.get("reason") or not steps:
        return str(final.get("reason", ""))
    if any(step["phase"] != "waiting" for step in steps):
        return _say(lang, "cut", n=len(run.trace.turns))
    path = tuple(map(int, steps[0]["id"].split(".")))
    events: Iterable[Any] = (event for turn in run.trace.turns for event in turn.events)
    waits = [event.wait for event in events if event.kind == "waiting" and event.path == path]
    told = _say(lang, "waits", step=steps[0]["step"], wait=waits[-1]) if waits else ""
    return _say(lang, "waiting", n=len(steps)) + (f" ({told})" if told else "")


def _data(run: Run, pattern: Pattern | None, found: Found, verdict: str) -> dict[str, Any]:
    pairs = [(pair.first.label, pair.second.label, pair.start, pair.end) for pair in found.overlaps]
    token = found.token and {"channel": found.token, "messages": found.tokens}
    return {
        "pattern": pattern.id if pattern else None,
        "flow": run.trace.name,
        "seed": run.trace.seed,
        "status": found.status,
        "reason": run.trace.final.get("reason", ""),
        "section": run.sections[0].name,
        "limit": found.limit,
        "edits": [{**edit._asdict(), "seconds": edit.seconds} for edit in found.edits],
        "overlaps": [dict(zip(("first", "second", "started", "ended"), pair, strict=True)) for pair in pairs],
        "token": token,
        "outputs": run.trace.final.get("outputs", []),
        "verdict": verdict,
        "holds": found.holds,
    }


def _cells(edit: EditSeen, lang: str) -> tuple[str, ...]:
    seconds = "-" if edit.seconds is None else f"{edit.seconds:,.1f}"
    # What the Flow itself says of an edit is more than what can be seen of it from outside.
    way_out, started, ended = edit.way_out or _say(lang, edit.outcome), _clock(edit.started), _clock(edit.ended)
    return edit.id, edit.reviewer, way_out, started, ended, seconds


def _clock(seconds: float | None) -> str:
    """Hours, minutes and seconds.

    >>> _clock(3725.04), _clock(None)
    ('1:02:05.0', '-')
    """
    tenths = round((seconds or 0) * 10)
    return "-" if seconds is None else f"{tenths // 36000}:{tenths // 600 % 60:02}:{tenths // 10 % 60:02}.{tenths % 10}"
