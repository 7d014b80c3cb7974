"""Text that came from people, fitted to the room that there is; and the words of the swim lanes in both languages.

Widths are those of a terminal, where a Chinese character and most emoji take two columns. This module draws nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import count

from dexpatterns.engine.texts import LANGUAGES, visible
from dexpatterns.engine.values import NOTHING, Data
from dexpatterns.errors import InputError

__all__ = [
    "check_turn", "clip", "duration", "lines_of", "nearly_whole", "nice_steps", "pad", "pixels", "short",
    "short_names", "value", "width", "words",
]  # fmt: skip

VALUE_LIMIT = 40

_ZERO = {"Mn", "Me", "Cf"}


def check_turn(at: int, last: int, name: str = "at") -> int:
    """The turn at which something is shown, if the run has it; raises `InputError`."""
    if type(at) is not int or not 0 <= at <= last:
        raise InputError(f"{name}: expected a turn from 0 (the start) to {last} (the last), got {at!r}")
    return at


def width(text: str) -> int:
    """The columns that a text takes in a terminal.

    >>> width("ab"), width("合同"), width("é́")
    (2, 4, 1)
    """
    return sum(_columns(c) for c in text)


def _columns(c: str) -> int:
    if c < "\u0300":
        return 1
    return 0 if unicodedata.category(c) in _ZERO else 2 if unicodedata.east_asian_width(c) in "WF" else 1


def clip(text: str, columns: int) -> str:
    """At most so many columns; of a longer text the middle gives way.

    >>> clip("ReleaseContractEditToken", 16)
    'ReleaseC…itToken'
    """
    if width(text) <= columns:
        return text
    left, right = columns - 1 - (columns - 1) // 2, (columns - 1) // 2
    return f"{_first(text, left)}…{_first(text[::-1], right)[::-1]}"


def short(name: str) -> str:
    """A name fit for a line of text: harmless, and of one over 60 columns the middle gives way."""
    return clip(visible(name), 60)


def nearly_whole(name: str) -> str:
    """A name fit for a tooltip: harmless, and of one over 200 columns the middle gives way."""
    return clip(visible(name), 200)


def _first(text: str, columns: int) -> str:
    taken = 0
    for i, c in enumerate(text):
        taken += _columns(c)
        if taken > columns:
            return text[:i]
    return text


def pad(text: str, columns: int) -> str:
    return text + " " * max(columns - width(text), 0)


_NARROW = set("iIjl.,:;'|!()[]ftr- ")
_BROAD = set("mwMWQO@%")


def pixels(text: str, size: float) -> float:
    """About how wide a text is in a sans-serif font of this size; a little more rather than less."""
    total = 0.0
    for c in text:
        if c >= "\u0300":
            total += 1.0 * _columns(c) / 2 if _columns(c) != 1 else 0.6
        else:
            total += 0.37 if c in _NARROW else 0.92 if c in _BROAD else 0.7 if c.isupper() else 0.6
    return total * size


def lines_of(parts: Iterable[str], columns: int, gap: str = "  ") -> list[str]:
    """The parts in order, as many on a line as fit."""
    lines: list[str] = []
    for part in parts:
        if lines and width(lines[-1]) + len(gap) + width(part) <= columns:
            lines[-1] += gap + part
        else:
            lines.append(part)
    return lines


def value(data: object, lang: str = "en") -> str:
    """A value in one short line of JSON; no value is `None`."""
    if data is None or data == NOTHING:
        return "None"
    text = visible(data.text if isinstance(data, Data) else str(data))
    text = {"true": "True", "false": "False", "null": "None"}.get(text, text)
    if len(text) <= VALUE_LIMIT:
        return text
    return f"{text[:VALUE_LIMIT]}… {words(lang, 'characters', n=f'{len(text):,}')}"


def duration(seconds: float) -> str:
    """Virtual seconds for people: two figures below a second, one below two minutes, then h:mm:ss.

    >>> duration(0.1), duration(10.3), duration(3725), duration(90061)
    ('0.1 s', '10.3 s', '1:02:05', '1 d 1:01:01')
    """
    if seconds < 120:
        text = f"{seconds:.2f}" if seconds < 1 else f"{seconds:.1f}"
        return f"{text.rstrip('0').rstrip('.')} s"
    whole = round(seconds)
    days, rest = divmod(whole, 86400)
    return f"{f'{days} d ' if days else ''}{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"


def nice_steps() -> Iterator[int]:
    """Steps of an axis: 1, 2, 5, 10, 20, 50, ..."""
    for power in count():
        for digit in (1, 2, 5):
            yield digit * 10**power


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[^A-Za-z0-9]+")


def short_names(names: Iterable[str]) -> dict[str, str]:
    """For each name the fewest leading words that tell it from the others; the whole name where none do.

    >>> short_names(["EnterContractEdit", "EditContract", "EditText"])
    {'EnterContractEdit': 'Enter', 'EditContract': 'EditContract', 'EditText': 'EditText'}
    """
    split = {name: _WORD.findall(name) or [name] for name in names}
    taken: dict[tuple[str, ...], int] = {}
    for parts in split.values():
        for n in range(1, len(parts) + 1):
            head = tuple(parts[:n])
            taken[head] = taken.get(head, 0) + 1
    short = {}
    for name, parts in split.items():
        fits = (n for n in range(1, len(parts) + 1) if taken[tuple(parts[:n])] == 1)
        short[name] = "".join(parts[: next(fits, len(parts))])
    return short


_WORDS: dict[str, tuple[str, str]] = {
    "turn": ("turn", "回合"),
    "time": ("time", "时间"),
    "start": ("start", "启动"),
    "join": ("join", "汇合"),
    "head": ("{name}{seed}: {status} after {turns} turns{time}", "{name}{seed}：{status}，共 {turns} 回合{time}"),
    "head_one": ("{name}{seed}: {status} after 1 turn{time}", "{name}{seed}：{status}，共 1 回合{time}"),
    "seed": (", seed {seed}", "，种子 {seed}"),
    "took": (", {time} of virtual time", "，虚拟时间 {time}"),
    "no_clock": (" (no clock)", "（没有时钟）"),
    "nothing": ("nothing has happened yet", "尚未发生任何事"),
    "legend": ("legend", "图例"),
    "wait_for": ("wait_for", "wait_for"),
    "waiting": ("waiting", "等待"),
    "execute": ("execute", "execute"),
    "inside_execute": ("execute inside the section", "在段内 execute"),
    "inside": ("inside the section", "在段内"),
    "failed": ("failed attempt", "失败的 attempt"),
    "lost": ("lost with its worker", "随 worker 丢失"),
    "late": ("given up, its code runs on", "已放弃，代码仍在运行"),
    "cancelled": ("cancelled", "已取消"),
    "closed": ("ended with the Flow", "随 Flow 结束"),
    "retry": ("before the next attempt", "等待下一次 attempt"),
    "open": ("still running", "仍在运行"),
    "overlap": ("two inside at once", "两个分支同时在段内"),
    "token": ("token", "token"),
    "token_queued": ("in its Channel", "在 Channel 中"),
    "token_held": ("held by that branch", "由该分支持有"),
    "token_lost": ("token lost", "token 丢失"),
    "not_yet": ("not yet", "尚未发生"),
    "read": ("read at begin (snapshot)", "开始时读到（快照）"),
    "written": ("written at save", "保存时写入"),
    "reads": ("reads {value}", "读到 {value}"),
    "writes": ("writes {value}", "写入 {value}"),
    "tip_reads": ("{who} reads {name} = {value}", "{who} 读到 {name} = {value}"),
    "tip_writes": ("{who} writes {name} = {value}", "{who} 写入 {name} = {value}"),
    "current": ("this turn", "当前回合"),
    "shown_at": ("after turn {at} of {all}", "第 {at} 回合之后，共 {all} 回合"),
    "lanes_of": ("Branches over turns, turns {first} to {last}", "各分支的经过，第 {first} 至 {last} 回合"),
    "scale": ("each column is {n} turns", "每列 {n} 个回合"),
    "more": ("{drawn} of {all} branches drawn as lanes", "{all} 个分支中画出 {drawn} 个"),
    "counts": ("{n} {phase}", "{n} 个{phase}"),
    "running": ("running", "运行中"),
    "queued": ("queued", "排队"),
    "ended": ("ended", "已结束"),
    "none_overlap": ("no two branches were inside {section} at once", "没有两个分支同时在 {section} 段内"),
    "overlap_limit": ("more than {limit} inside at once", "同时在段内的分支多于 {limit} 个"),
    "none_overlap_limit": (
        "never more than {limit} branches were inside {section} at once",
        "同时在 {section} 段内的分支从未多于 {limit} 个",
    ),
    "overlaps": (
        "{n} inside {section} at once, turns {first} to {last}: {who}",
        "{n} 个分支同时在 {section} 段内，第 {first} 至 {last} 回合：{who}",
    ),
    "overlap_turn": (
        "{n} inside {section} at once, turn {first}: {who}",
        "{n} 个分支同时在 {section} 段内，第 {first} 回合：{who}",
    ),
    "both": ("{a} and {b} both inside", "{a} 与 {b} 同时在段内"),
    "many": ("{n} inside at once", "{n} 个分支同时在段内"),
    "and_more": ("{who} and {n} more", "{who} 等，另有 {n} 个"),
    "zones_more": ("and {n} more times", "另有 {n} 次"),
    "whole": ("The whole run", "整个运行"),
    "whole_hint": (
        "a dash: inside the section; a cross: a failed attempt; the frame: what is drawn below",
        "短线：在段内；叉：失败的 attempt；方框：下面画出的部分",
    ),
    "all_lanes": ("all {n} branches", "全部 {n} 个分支"),
    "window": ("Turns {first} to {last} of {all}", "第 {first} 至 {last} 回合，共 {all} 回合"),
    "branches": ("{n} branches", "{n} 个分支"),
    "one_branch": ("1 branch", "1 个分支"),
    "tip_turns": ("turns {first} to {last}", "第 {first} 至 {last} 回合"),
    "tip_turn": ("turn {first}", "第 {first} 回合"),
    "tip_attempt": ("attempt {n}", "第 {n} 次 attempt"),
    "tip_attempt_of": ("attempt {n} of {limit}", "第 {n} 次 attempt（最多 {limit} 次）"),
    "tip_saved": ("saved", "已保存"),
    "tip_waits": ("waits for {what}", "等待 {what}"),
    "tip_visit": ("inside {section}", "在 {section} 段内"),
    "tip_taken": ("the token of {channel} goes to {who}", "{who}：消费 {channel} 的 token"),
    "tip_given": ("{who} gives the token back to {channel}", "{who} 把 token 归还 {channel}"),
    "tip_published": ("{who} publishes a token to {channel}", "{who} 向 {channel} 发布一个 token"),
    "tip_lost": ("{who} has lost the token of {channel}", "{who} 丢失了 {channel} 的 token"),
    "join_words": (", ", "、"),
    "parts": ("; ", "；"),
    "colon": (": ", "："),
    "characters": ("({n} characters)", "（共 {n} 个字符）"),
}
"""Every word of the swim lanes: English, then Simplified Chinese."""


def words(lang: str, key: str, **fields: object) -> str:
    """One of the texts above, its fields filled in."""
    text = _WORDS[key][LANGUAGES.index(lang)]
    return text.format(**fields) if fields else text
