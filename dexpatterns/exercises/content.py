"""What stands in an exercise's folder: its texts as an `Exercise`, and the code of its puzzle, solution and world.

Reading `exercise.toml` runs no code, and each fault is told with its place and mend. The world and the puzzle are run
when an answer is judged; **the solution and the known wrong answers are read only by those who ask for them by name.**
Whether an answer is right is for `judging` to say.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from dexpatterns.engine.texts import LANGUAGES, check_lang
from dexpatterns.errors import InputError
from dexpatterns.folders import toml
from dexpatterns.folders.code import run_code
from dexpatterns.folders.toml import in_each_language, table, text

__all__ = ["KINDS", "LEVELS", "MARK", "Exercise", "all_exercises", "exercise", "root"]

KINDS = ("flow", "items", "schedule", "verdict", "choice")
"""What an answer is: a Flow, workflow and lock items, a schedule, verdicts by question, or tools by situation."""
LEVELS = (1, 2, 3)
MARK = "# From here on it is yours."
"""The line of a puzzle's file that parts what is given from what is to be changed."""

_BOTH = ("title", "topic", "puzzle", "more")
_KEYS = frozenset(("id", "number", "level", "answer", "hints", "words", "why", "wrong", *_BOTH))


class Exercise:
    """One exercise, as its folder has it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        file = path / "exercise.toml"
        data = toml.read(file)
        if unknown := sorted(set(data) - _KEYS):
            raise InputError(f"{file}: unknown key {unknown[0]!r}; expected some of {', '.join(sorted(_KEYS))}")
        self.id = _text(file, "id", data.get("id"))
        if self.id != path.name:
            raise InputError(f"{file}: id is {self.id!r}, the folder {path.name!r}; expected the same, rename one")
        self.number = _number(file, "number", data.get("number"), range(1, 100))
        self.level = _number(file, "level", data.get("level"), LEVELS)
        self.kind = _text(file, "answer", data.get("answer"))
        if self.kind not in KINDS:
            raise InputError(f"{file}: answer is {self.kind!r}; expected one of {', '.join(KINDS)}")
        self._texts = {key: _both(file, key, data.get(key)) for key in _BOTH}
        hints = table(file, "hints", data.get("hints"))
        self._hints = {lang: _texts(file, f"hints.{lang}", hints.get(lang)) for lang in LANGUAGES}
        if len({len(told) for told in self._hints.values()}) > 1:
            raise InputError(f"{file}: hints: expected as many in one language as in the other; translate the rest")
        self._words, self._why = (
            {name: _both(file, f"{key}.{name}", both) for name, both in table(file, key, data.get(key, {})).items()}
            for key in ("words", "why")
        )
        self.wrong: dict[str, str] = {
            name: _text(file, f"wrong.{name}", why) for name, why in table(file, "wrong", data.get("wrong")).items()
        }
        """By name, `wrong_NAME.py` is a known wrong answer: the reason for which it is refused."""

    def title(self, lang: str = "en") -> str:
        return self._texts["title"][check_lang(lang)]

    def topic(self, lang: str = "en") -> str:
        """What it is about, in a few words."""
        return self._texts["topic"][check_lang(lang)]

    def puzzle(self, lang: str = "en") -> str:
        """What is to be done, in Markdown."""
        return self._texts["puzzle"][check_lang(lang)]

    def more(self, lang: str = "en") -> str:
        """What to try next, on one's own."""
        return self._texts["more"][check_lang(lang)]

    def hints(self, lang: str = "en") -> tuple[str, ...]:
        """From a nudge to nearly the solution."""
        return self._hints[check_lang(lang)]

    def words(self, key: str, lang: str = "en") -> str:
        """A sentence that this exercise alone needs."""
        return self._words[key][check_lang(lang)]

    def why(self, kind: str, lang: str = "en") -> str:
        """What whoever gets a property of this kind wrong should know, and where to look; '' if nothing is written."""
        both = self._why.get(kind)
        return "" if both is None else both[check_lang(lang)]

    @cached_property
    def world(self) -> ModuleType:
        """How answers are judged: the folder's `world.py`."""
        return self.code("world")

    def code(self, name: str) -> ModuleType:
        """A module of the folder, which is run; raises `InputError` for whatever it raises."""
        return run_code(self.path, f"dexpatterns_exercise_{self.id.replace('-', '_')}", (name,))[name]

    def source(self, name: str = "start") -> str:
        """The text of a module of the folder."""
        file = self.path / f"{name}.py"
        try:
            return file.read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"{file}: cannot be read: {error.strerror or error}; write it there") from None

    def cells(self, name: str = "start") -> tuple[str, str]:
        """The source in two parts: what is given, and what is to be changed; raises `InputError` without a `MARK`."""
        given, mark, own = self.source(name).partition(MARK)
        if not mark:
            raise InputError(f"{self.path / name}.py: expected a line {MARK!r} above what is to be changed, got none")
        # A note for a linter is none for a learner.
        return re.sub(r"  # noqa: .*", "", given).strip(), own.strip()

    def __repr__(self) -> str:
        return f"<exercise {self.id!r}, level {self.level}>"


def root() -> Path:
    """The exercises that come with the package: packed inside it, or beside it in the source tree."""
    here = Path(__file__).resolve().parents[1]
    packed = here / "_notebooks"
    return (packed if packed.is_dir() else here.parent / "notebooks") / "exercises"


@lru_cache(maxsize=1)
def all_exercises() -> tuple[Exercise, ...]:
    """Every exercise, by its number."""
    folders = [file.parent for file in root().glob("*/exercise.toml")]
    return tuple(sorted(map(Exercise, folders), key=lambda one: one.number))


def exercise(name: str) -> Exercise:
    """The exercise of that id; raises `InputError` with those that there are."""
    for one in all_exercises():
        if one.id == name:
            return one
    names = ", ".join(one.id for one in all_exercises()) or f"none is there, in {root()}"
    raise InputError(f"no exercise {name!r}; expected one of: {names}")


# exercise.toml, word by word.


def _text(file: Path, key: str, value: Any) -> str:
    return text(file, key, value).strip()


def _texts(file: Path, key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) < 2:
        raise InputError(f"{file}: {key}: expected two texts or more, got {value!r}; write {key} = ['...', '...']")
    return tuple(_text(file, key, one) for one in value)


def _both(file: Path, key: str, value: Any) -> dict[str, str]:
    return {lang: _joined(told.strip()) for lang, told in in_each_language(file, key, value).items()}


def _joined(text: str) -> str:
    """Lines of Chinese made one: a line's end between two characters would be shown as a space.

    >>> _joined("只有一条消息，\\n这条消息就是 token。\\n\\n* 一次\\n* 只给一个等待")
    '只有一条消息，这条消息就是 token。\\n\\n* 一次\\n* 只给一个等待'
    """
    wide = "\u3001-\u9fff\uff01-\uff60"
    return re.sub(f"(?<=[{wide}])\n(?=[{wide}])|(?<=[\u3001-\u301f\uff01-\uff20])\n(?=`)", "", text)


def _number(file: Path, key: str, value: Any, among: Any) -> int:
    if type(value) is not int or value not in among:
        raise InputError(f"{file}: {key}: expected one of {among}, got {value!r}")
    return value
