"""Exercises for a workshop or for oneself: a puzzle, hints, and a check that proves the answer or breaks it.

    from dexpatterns import exercises

    exercises.list()                            what there is
    exercises.show("give-it-back")              the puzzle
    exercises.hint("give-it-back")              a nudge; hint(..., 2) says more
    exercises.check("give-it-back", answer)     judged by the explorer: every order is tried

Each of them takes `lang="zh"`. **An answer is code, and is run**, many times over and guarded as `dexpatterns check`
guards a person's own file. The solution stands apart, and only `solution` reads it. Their notebooks are made by
`python -m dexpatterns.exercises.notebooks`.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from dexpatterns.errors import InputError
from dexpatterns.exercises.content import Exercise, all_exercises, exercise
from dexpatterns.exercises.result import Result
from dexpatterns.exercises.texts import say

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Exercise", "Result", "check", "hint", "list", "picture", "show", "solution"]


class Text(str):
    """A text that a notebook shows as it is read, not as a quoted value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f'<pre style="white-space:pre-wrap">{escape(self)}</pre>'


def check(name: str, answer: Any, lang: str = "en") -> Result:
    """Judge an answer: what it has to be is said in the puzzle.

    `.passed` is True for an answer that is proved right. Otherwise `.sentence` says what is wrong, and
    `.counterexample` is a shortest run that shows it, where there is one. Raises `InputError` for a name or language
    that there is not, and nothing that is the answer's fault.
    """
    from dexpatterns.exercises.judging import judge

    found = exercise(name)
    found.title(lang)
    return judge(found, answer, lang)


def list(lang: str = "en") -> pd.DataFrame:
    """The exercises: a DataFrame, a row each, columns number, id, level (1 to 3), title, topic, answer (what it is)."""
    import pandas as pd

    rows = [
        (one.number, one.id, one.level, one.title(lang), one.topic(lang), say(lang, f"answer {one.kind}"))
        for one in all_exercises()
    ]
    return pd.DataFrame(rows, columns=[say(lang, key) for key in ("number", "id", "level", "title", "topic", "answer")])


def show(name: str, lang: str = "en") -> Text:
    """The puzzle: its title, what is to be done, and the code to begin with."""
    found = exercise(name)
    return Text(f"{found.title(lang)}\n\n{found.puzzle(lang)}\n\n{found.source().strip()}\n")


def picture(name: str, lang: str = "en") -> Any:
    """The puzzle as it is shipped in a picture: the graph of its Flow, or who held which lock in one run."""
    from dexpatterns import js7
    from dexpatterns.views.graph import graph

    found = exercise(name)
    puzzle, world = found.code("start"), found.world
    if found.kind == "items":
        return js7.simulate(js7.load(puzzle.answer), world.ORDERS, jobs=world.JOBS).timeline(lang=lang)
    return graph(puzzle.answer if found.kind == "flow" else puzzle.PuzzleFlow, sections=[world.SECTION], lang=lang)


def hint(name: str, n: int = 1, lang: str = "en") -> Text:
    """The n-th hint, from 1: the later, the more it gives away. Raises `InputError` where there are no more."""
    found = exercise(name)
    hints = found.hints(lang)
    if type(n) is not int or not 1 <= n <= len(hints):
        raise InputError(say(lang, "no more hints", n=len(hints), id=name, got=n))
    return Text(say(lang, "hint", n=n, all=len(hints), hint=hints[n - 1]))


def solution(name: str) -> Text:
    """One right answer, as the text of the cell. There are others: `check` does not compare texts."""
    return Text(exercise(name).cells("solution")[1] + "\n")
