"""What a check comes back with: whether the answer is proved right, a sentence, and the run that breaks it.

Text and HTML say the same, and both are the same bytes for the same answer: no addresses, no times. All of it is text
already; nothing is judged here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, NamedTuple

from dexpatterns.engine.report import Report
from dexpatterns.engine.run import Run
from dexpatterns.exercises.texts import say

__all__ = ["Result", "Story", "because", "story_of"]

_BAR = {"passed": "#1B7F3B", "not yet": "#7A7F87", "refused": "#C23B00"}
_TAGS = {"en": "en", "zh": "zh-Hans"}


class Story(NamedTuple):
    """A run that is told as a plain text, its first line being the headline."""

    text: str

    @property
    def headline(self) -> str:
        return self.text.partition("\n")[0]

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<pre style="white-space:pre-wrap">{escape(self.text)}</pre>'


def story_of(report: Report, lang: str) -> Any:
    """The run of a report, told: an `Explanation`, or a `Story` where a machine tells its runs as texts."""
    told = report.explained(lang)
    return Story(told) if isinstance(told, str) else told


def because(story: Any, why: str) -> Any:
    """The same story with this as what is said of its cause."""
    if not isinstance(story, Story):
        return replace(story, plain=why)
    head, _, rest = story.text.partition("\n")
    return Story("\n".join(filter(None, (head, why, rest))))


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """The answer to an answer. `str` gives it as text, a notebook shows it as HTML."""

    exercise: str
    """Its id."""
    passed: bool
    """Proved right; False as well for what is not answered yet."""
    reason: str
    """In a word or two, in every language the same: 'passed', 'not yet', 'broken', 'raises', 'endless' ..."""
    sentence: str
    """What is the case, for people."""
    broken: str = ""
    """What is broken, where `reason` is 'broken'."""
    hint: str = ""
    """The first hint, where nothing was answered yet."""
    counterexample: Run | None = field(default=None, compare=False)
    """A shortest run that shows what is wrong; None where there is none."""
    story: Any = field(default=None, compare=False)
    """That run told in turns (`dex.explain.Explanation`, or a `Story`)."""
    lang: str = "en"

    @property
    def how(self) -> str:
        """'passed', 'not yet' or 'refused'."""
        return self.reason if self.reason in ("passed", "not yet") else "refused"

    @property
    def _lines(self) -> list[str]:
        # The story of what is broken begins with the same sentence.
        told = self.story is not None and self.sentence.startswith(self.story.headline)
        said = [] if told else [self.sentence]
        return [*said, *([self.hint] if self.hint else [])]

    def __repr__(self) -> str:
        head = say(self.lang, "head", id=self.exercise, how=say(self.lang, self.how))
        told = ["", *str(self.story).splitlines()] if self.story is not None else []
        return "\n".join([head, *self._lines, *told])

    def _repr_html_(self) -> str:
        head = escape(say(self.lang, "head", id=self.exercise, how=say(self.lang, self.how)))
        lines = "".join(f"<br>{escape(line)}" for text in self._lines for line in text.splitlines())
        told = self.story._repr_html_() if self.story is not None else ""
        return (
            f'<div lang="{_TAGS[self.lang]}" style="border-left:4px solid {_BAR[self.how]};padding:4px 12px">'
            f"<b>{head}</b>{lines}</div>{told}"
        )
