"""What a told run is made of: a cause, and the explanation that holds it with the turns, as text and as HTML.

Everything here is text already and says nothing about how it was found. No machine, no Flow and no trace is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from dexpatterns.dex.wording import say
from dexpatterns.engine.telling import Change, TurnText
from dexpatterns.engine.texts import visible

__all__ = ["Cause", "Change", "Explanation", "TurnText"]

_FIRST, _LAST = 20, 380
"""Of a story that is longer, the turns that are shown at its beginning and end; `Explanation.turns` has them all."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a property breaks, when it is a known reason; every claim in it was read off the run."""

    kind: str
    """Such as 'lost-token'; the same in every language."""
    title: str
    sentence: str
    """What happened in this run."""
    general: str
    """What is behind it."""
    mend: str
    turns: tuple[int, ...]
    """The turns that it names, in order."""
    branches: tuple[str, ...]
    """Whom it names."""
    lang: str = field(default="en", compare=False)

    def __str__(self) -> str:
        said = say(self.lang, "cause", title=self.title, sentence=self.sentence, general=self.general)
        return f"{said.rstrip()}\n{say(self.lang, 'mend', mend=self.mend)}"


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """A verdict told: what it is, the cause if it is a known one, and the run in turns.

    `str` gives it as text, a notebook shows it as HTML.
    """

    name: str
    """Of the Flow, or whatever was run."""
    verdict: str
    """'REFUTED', 'PROVED', 'BOUNDED', or '' for a run that nobody judged."""
    headline: str
    details: tuple[str, ...]
    """What else there is to say of the verdict, a line each."""
    cause: Cause | None
    plain: str
    """Of a violation without a known cause: what is violated, and by whom."""
    turns: tuple[TurnText, ...]
    short: bool = False
    """Whether the turns are there to be looked up and not told."""
    lang: str = "en"

    def __str__(self) -> str:
        blocks = ["\n".join([self.headline, *self.details])]
        if self.cause or self.plain:
            blocks.append(str(self.cause or self.plain))
        if self.turns and not self.short:
            wide = len(str(self.turns[-1].turn))
            first, last, gap = self._parts()
            named = set(self.cause.turns) if self.cause else set()
            lines = [[f"{_mark(t, named)} {t.turn:>{wide}}  {t}" for t in part] for part in (first, last)]
            blocks.append("\n".join([*lines[0], *([f"  {gap}"] if gap else []), *lines[1]]))
        return "\n\n".join(blocks)

    def _parts(self) -> tuple[tuple[TurnText, ...], tuple[TurnText, ...], str]:
        """The turns to show, with what is said in between."""
        turns = self.turns
        if len(turns) <= _FIRST + _LAST:
            return turns, (), ""
        return turns[:_FIRST], turns[-_LAST:], say(self.lang, "skipped", n=len(turns) - _FIRST - _LAST)

    def __repr__(self) -> str:
        cause = f", cause {self.cause.kind}" if self.cause else ""
        turns = f"{len(self.turns)} turn{'' if len(self.turns) == 1 else 's'}"
        return f"<Explanation of {visible(self.name)}: {self.verdict + ', ' if self.verdict else ''}{turns}{cause}>"

    def _repr_html_(self) -> str:
        parts = [f"<p><b>{escape(self.headline)}</b></p>", *(f"<p>{escape(line)}</p>" for line in self.details)]
        if self.cause:
            title = escape(say(self.lang, "cause_title", title=self.cause.title))
            said = escape(say(self.lang, "sentences", first=self.cause.sentence, second=self.cause.general).strip())
            mend = escape(say(self.lang, "mend", mend=self.cause.mend))
            gap = say(self.lang, "between_sentences")
            parts.insert(0, f'<div style="{_BOX}"><b>{title}</b>{gap}{said}<br>{mend}</div>')
        elif self.plain:
            parts.insert(0, f'<div style="{_BOX}">{escape(self.plain)}</div>')
        if self.turns and not self.short:
            parts.append(self._table())
        return f'<div lang="{_TAGS[self.lang]}" style="{_PAGE}">{"".join(parts)}</div>'

    def _table(self) -> str:
        named = set(self.cause.turns) if self.cause else set()
        heads = "".join(f'<th scope="col" style="{_CELL}">{escape(say(self.lang, key))}</th>' for key in _HEADS)
        first, last, gap = self._parts()
        between = f'<tr><td colspan="{len(_HEADS)}" style="{_CELL}">{escape(gap)}</td></tr>' if gap else ""
        rows = "".join([*(_row(turn, named) for turn in first), between, *(_row(turn, named) for turn in last)])
        return f'<table style="border-collapse:collapse"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def _mark(turn: TurnText, named: set[int]) -> str:
    return ">" if turn.turn in named else " "


def _row(turn: TurnText, named: set[int]) -> str:
    changed = say(turn.lang, "between_changes").join(
        filter(None, [*(say(turn.lang, "reads_one", what=read) for read in turn.reads), turn.changed])
    )
    cells = (f"{_mark(turn, named)} {turn.turn}".strip(), turn.branch, turn.happens, changed)
    tag = "b" if turn.turn in named else "bdi"
    styles = (_NUMBER, _CELL, _CELL, _CELL)
    made = "".join(
        f'<td style="{style}"><{tag} dir="auto">{escape(cell)}</{tag}></td>'
        for style, cell in zip(styles, cells, strict=True)
    )
    return f'<tr style="break-inside:avoid">{made}</tr>'


_HEADS = ("head_turn", "head_branch", "head_happens", "head_changed")
_TAGS = {"en": "en", "zh": "zh-Hans"}
_PAGE = (
    "color:var(--jp-content-font-color1,inherit);background:var(--jp-layout-color0,inherit);line-height:1.5;"
    "unicode-bidi:isolate"
)
_BOX = "border-left:4px solid var(--jp-error-color1,#C23B00);padding:4px 12px;margin:8px 0;overflow-wrap:anywhere"
_CELL = (
    "text-align:start;vertical-align:top;padding:2px 12px 2px 0;border-bottom:1px solid "
    "var(--jp-border-color2,#D0D4D9);overflow-wrap:break-word"
)
_NUMBER = f"{_CELL};text-align:end;white-space:nowrap;font-variant-numeric:tabular-nums"
