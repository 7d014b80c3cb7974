"""Two runs one above the other on one axis: a pattern beside its anti-pattern, or the same Flow with two seeds.

A branch that both runs have, by its label, has the same number and colour in both. In words: what is wrong in each,
and the first turn in which they differ. Nothing is said of which of the two is right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from dexpatterns.engine.arguments import check_count
from dexpatterns.engine.run import Run
from dexpatterns.engine.texts import LANGUAGES, check_lang
from dexpatterns.errors import InputError
from dexpatterns.views import marks, texts
from dexpatterns.views.axis import MARGIN
from dexpatterns.views.marks import tag, text
from dexpatterns.views.picture import whole
from dexpatterns.views.texts import short
from dexpatterns.views.two_sides import Flows, Orders, Side

__all__ = ["Difference", "TwoRuns", "compare_runs"]

_WORDS = {
    "same": ("both runs are the same, turn by turn", "两次运行逐回合相同"),
    "differs": ("the first difference is in turn {turn}", "第一处不同在第 {turn} 回合"),
    "framed": (" (framed)", "（加框）"),
    "ends": (
        "the first {n} turns are the same; {ends} ends there, {goes} goes on",
        "前 {n} 回合相同；{ends} 到此结束，{goes} 继续",
    ),
    "ends:1": (
        "the first turn is the same; {ends} ends there, {goes} goes on",
        "第 1 回合相同；{ends} 到此结束，{goes} 继续",
    ),
    "ends:0": ("{ends} has no turn yet, {goes} has", "{ends} 还没有回合，{goes} 已有回合"),
    "does": ("{name}: {what}", "{name}：{what}"),
    "no_clock": (
        "by turns: one of the two runs has no virtual time",
        "按回合对齐：其中一次运行没有虚拟时间",
    ),
    "label": ("two runs on one axis", "同一时间轴上的两次运行"),
}
_NAMES = ("A", "B")
_WIDEST_SENTENCE = 200


class Difference(NamedTuple):
    """The first turn that is not the same in both; what happens there in each, '' where the run has ended."""

    turn: int
    first: str
    second: str


class TwoRuns:
    """`str()` and `text()` are plain text, `.svg` is one inline SVG, notebooks show the picture.

    `.difference` is the first `Difference`, None when there is none.
    """

    __slots__ = ("_pair", "by", "difference", "lang")

    def __init__(self, pair: Flows | Orders, by: str, lang: str) -> None:
        self._pair = pair
        self.by = by
        self.lang = lang
        self.difference = _first(*pair.told)

    def _say(self, key: str, **fields: object) -> str:
        pair = _WORDS.get(f"{key}:{fields.get('n')}") or _WORDS[key]
        return pair[LANGUAGES.index(self.lang)].format(**fields)

    def words(self) -> list[str]:
        """The difference in words: what it is, then what happens there in A and in B."""
        found = self.difference
        if found is None:
            said = [self._say("same")]
        else:
            happens = [(name, what) for name, what in zip(_NAMES, found[1:], strict=True) if what]
            said = [self._say("differs", turn=found.turn)]
            if len(happens) == 1:
                goes = happens[0][0]
                said = [self._say("ends", n=found.turn - 1, ends=_NAMES[goes == "A"], goes=goes)]
            said += [self._say("does", name=name, what=what) for name, what in happens]
        return [*said, self._say("no_clock")] if self.by == "time" and not self._pair.clocked else said

    @property
    def _by_time(self) -> bool:
        return self.by == "time" and self._pair.clocked

    def text(self, width: int = 100) -> str:
        """Plain text of at most `width` columns (48 at least), readable without colour."""
        width = max(width, 48)
        lines = [line for said in self.words() for line in texts.lines_of(said.split(" "), width, " ")]
        for n, name in enumerate(_NAMES):
            title = self._say("does", name=name, what="")
            lines += ["", *self._pair.text(n, title, width, self._by_time)]
        return "\n".join([*lines, *self._pair.legend_text(width)])

    @property
    def svg(self) -> str:
        """An inline SVG: the same bytes for the same runs, no script, nothing fetched."""
        return self.picture()

    def picture(self, width: int = 960) -> str:
        """The SVG, `width` pixels wide (480 at least)."""
        wide = float(max(width, 480))
        body: list[str] = []
        y = 8.0
        words = self.words()
        if self.difference is not None:
            words[0] += self._say("framed")
        for n, said in enumerate(words):
            for line in texts.lines_of(said.split(" "), int(wide / 7), " "):
                y += 18
                body.append(text(MARGIN, y, line, "" if n else "h"))
        turn = self.difference.turn if self.difference is not None else None
        sides, legend = self._pair.sides(wide, self._by_time, turn)
        for name, side in zip(_NAMES, sides, strict=True):
            y += 30
            body.append(text(MARGIN, y, self._say("does", name=name, what=side.head), "hh"))
            made, end = side.draw(y + 8)
            body += [*_frame(side, turn, y + 12, end), *made]
            y = end
            for said, bad in side.verdicts:
                y += 18
                body.append(text(MARGIN, y, said, "v" if bad else "q"))
        made, y = legend(y + 26)
        label = " ".join((self._say("label"), *self.words()))
        return whole("".join([*body, *made]), wide, y + 10, label, style=marks.STYLE)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.svg


def compare_runs(
    a: Run, b: Run, section: Any = None, lang: str = "en", by: str = "turns", *, limit: int = 1
) -> TwoRuns:
    """Two runs one above the other on one axis, with what is wrong in each and the first turn in which they differ.

    `section` is a Section, the name of one that both runs have, or left out for each run's own first; of JS7 orders
    the path of a lock. `by='time'` puts them on virtual time where both have a clock. More than `limit` branches
    inside at once are an overlap. Raises `InputError`, also for a Flow beside JS7 orders.
    """
    check_lang(lang)
    check_count("limit", limit)
    if by not in ("turns", "time"):
        raise InputError(f"by: expected 'turns' or 'time', got {by!r}")
    runs: tuple[Any, Any] = (a, b)
    for name, run in zip(_NAMES, runs, strict=True):
        if not isinstance(run, Run):
            hint = "; pass its .counterexample or .witness" if hasattr(run, "counterexample") else ""
            raise InputError(f"compare_runs: expected a Run as {name}, got {type(run).__name__}{hint}")
    kinds = [run.trace.machine for run in (a, b)]
    pair = _PAIRS.get(kinds[0])
    if kinds[0] != kinds[1] or pair is None:
        named = " and ".join(_KINDS.get(kind, f"one of {short(kind)}") for kind in kinds)
        raise InputError(f"compare_runs: expected two runs of Flows or two of JS7 orders, got {named}")
    return TwoRuns(pair((a, b), section, lang, limit), by, lang)


_KINDS = {"dex": "one of a Flow", "js7": "one of JS7 orders"}
_PAIRS: dict[str, Callable[[tuple[Run, Run], Any, str, int], Flows | Orders]] = {"dex": Flows, "js7": Orders}


def _frame(side: Side, turn: int | None, top: float, end: float) -> list[str]:
    """The column in which the two begin to differ, to stand behind the marks."""
    if turn is None or not side.axis.first <= turn <= side.axis.last:
        return []
    x = side.axis.begin(turn)
    wide = max(side.axis.end(turn) - x, 4.0)
    return [tag("rect", x=x, y=top, width=wide, height=end - top, class_="i")]


def _first(a: Sequence[str], b: Sequence[str]) -> Difference | None:
    for turn, (one, other) in enumerate(zip_longest(a, b, fillvalue=""), 1):
        if one != other:
            return Difference(turn, texts.clip(one, _WIDEST_SENTENCE), texts.clip(other, _WIDEST_SENTENCE))
    return None
