"""One answer that is being judged: how it is refused in words, and what is made of the searches that a world asks for.

Nothing here knows what kind of answer it is (`kinds`), or what is done about code that raises or never returns
(`judging`).
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from typing import Any, NoReturn

from dexpatterns.dex import sections
from dexpatterns.dex.io_guard import Watch
from dexpatterns.dex.wording import shown
from dexpatterns.engine.properties import Property
from dexpatterns.engine.report import Report, Verdict
from dexpatterns.engine.run import Run
from dexpatterns.errors import in_one_line
from dexpatterns.exercises.content import Exercise
from dexpatterns.exercises.demands import Demand, EverybodyOut, NoError
from dexpatterns.exercises.limit import EndlessError, Place, Watchdog
from dexpatterns.exercises.raised import line_in, line_of
from dexpatterns.exercises.result import because, story_of
from dexpatterns.exercises.texts import TEXTS, say

__all__ = ["MOST", "Case", "Refused", "headline", "told"]

MOST = 300
"""Characters that are shown of what an answer's own code says."""
_LINE = 100
"""Characters that are shown of a line of it."""
_SLIPS = frozenset(
    ("AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "TypeError", "UnboundLocalError")
)
"""Errors that say that the code is not what its author meant."""


class Refused(Exception):
    """The answer is not right, or not given: what is to be said of it."""

    def __init__(
        self, reason: str, sentence: str, *, property: str = "", run: Run | None = None, story: Any = None
    ) -> None:
        self.reason, self.sentence, self.property, self.run, self.story = reason, sentence, property, run, story


class Case:
    """One answer that is being judged."""

    def __init__(self, exercise: Exercise, answer: Any, lang: str, watchdog: Watchdog, watch: Watch) -> None:
        self.exercise = exercise
        self.answer = answer
        self.lang = lang
        self.watchdog = watchdog
        self.watch = watch

    def say(self, key: str, **fields: object) -> str:
        return say(self.lang, key, **fields)

    def file(self, path: str) -> str:
        """The last part of a file's name; the name of a notebook's cell is a number, and another one each time."""
        last = path.replace("\\", "/").rpartition("/")[2]
        cell = "ipykernel" in path or last[:1] in ("", "<")
        return self.say("cell") if cell else self.say("file", file=shown(last))

    def refuse(self, reason: str, key: str, **fields: object) -> NoReturn:
        raise Refused(reason, self.say(key, **fields))

    def wrong_kind(self, key: str, answer: Any, **fields: object) -> NoReturn:
        plain = isinstance(answer, (str, int, float, bool, dict, list))
        got = self.say("a value", value=shown(repr(answer), 60)) if plain else ""
        is_class = isinstance(answer, type)
        named = answer.__name__ if is_class else type(answer).__name__
        got = got or self.say("a class" if is_class else "a thing", type=shown(named))
        self.refuse("wrong kind", "wrong kind", expected=self.say(key, **fields), got=got)

    def look(self) -> None:
        """Refuse an answer whose code was caught at something, although its search has come to an end."""
        if self.watchdog.found is not None:
            raise EndlessError
        if self.watch.attempted:
            first = self.watch.attempted[0]
            target = shown(first.target or first.kind, 100)
            self.refuse("outside", "outside", target=target, line=first.line, file=self.file(first.file))

    def demanded(self, demands: Iterable[Demand]) -> int:
        """Let every demand be met, and count the states; refuses at the first that is not."""
        states = 0
        for demand in demands:
            self.look()
            self._met(demand)
            states += demand.report.states
        return states

    def _met(self, demand: Demand) -> None:
        report = demand.report
        self.bounded(report)
        if report.verdict is Verdict.REFUTED and demand.expected is Verdict.PROVED:
            self._broken(report)
        if report.verdict is Verdict.PROVED and demand.expected is Verdict.REFUTED:
            words = self.exercise.words(demand.said, self.lang)
            raise Refused(demand.said, words, run=report.witness)
        if demand.expected is Verdict.PROVED and report.witness is None:
            self.refuse("no good run", "no good run")
        if demand.visits and report.witness is not None:
            section = report.witness.sections[0]
            n = len(sections.visits(report.witness.trace, section))
            if n < demand.visits:
                sentence = self.say("nobody inside", n=n, expected=demand.visits, section=section.name)
                raise Refused("nobody inside", sentence, run=report.witness)

    def bounded(self, report: Report) -> None:
        """Refuse a search that was cut."""
        if report.verdict is not Verdict.BOUNDED:
            return
        if report.cut == "interrupted":
            self.refuse("interrupted", "interrupted")
        details = getattr(report.explained(self.lang), "details", ())
        grows = self.say("grows", what=details[-1]) if report.grown and details else ""
        self.refuse("unbounded", "unbounded", states=report.states, grows=grows)

    def _broken(self, report: Report) -> NoReturn:
        broken = next(one for one in report.properties if one.name == report.property)
        run, story = report.counterexample, story_of(report, self.lang)
        detail = next(result.detail for result in report.results if result.name == broken.name)
        if isinstance(broken, NoError):
            sentence = self._raised(detail, run)
            raise Refused("raises", sentence, run=run, story=because(story, ""))
        why = "" if getattr(story, "cause", None) is not None else self._why(broken, detail)
        if why:
            story = because(story, why)
        sentence = self.joined(headline(story, self.lang), why)
        if broken.kind == "always_ends":
            sentence = self.say("goes round", headline=sentence)
        raise Refused("broken", sentence, property=broken.name, run=run, story=story)

    def _why(self, broken: Property, detail: str) -> str:
        """What this exercise says, or else any, to whoever breaks that property in a way that has no known cause."""
        usual = f"usual {broken.kind}"
        why = self.exercise.why(broken.kind, self.lang) or (self.say(usual) if usual in TEXTS else "")
        wrong = (
            self.say("what is wrong", fault=shown(capital(detail), MOST)) if isinstance(broken, EverybodyOut) else ""
        )
        return self.joined(wrong, why)

    def _raised(self, detail: str, run: Run | None) -> str:
        error_type = detail.split(": ", 2)[1]
        key = "slips" if error_type in _SLIPS else "raises"
        return self.say(key, what=shown(detail, MOST), where=self._where(line_in(run, error_type)))

    def raises_making(self, error: BaseException) -> NoReturn:
        self.refuse("raises", "raises making", what=told(error), where=self._where(line_of(error)))

    def _where(self, place: Place | None) -> str:
        if place is None:
            return ""
        text = shown(linecache.getline(place.file, place.line).strip(), _LINE)
        code = self.say("code", text=text) if text else ""
        return self.say("where", line=place.line, file=self.file(place.file), code=code)

    def joined(self, *sentences: str) -> str:
        """Sentences one after the other."""
        return ("" if self.lang == "zh" else " ").join(filter(None, sentences))


def headline(story: Any, lang: str) -> str:
    """What is broken, and why if that is known, in a line."""
    cause = getattr(story, "cause", None)
    why = cause.sentence if cause is not None else ""
    return f"{story.headline}{'' if lang == 'zh' else ' '}{why}".strip()


def capital(text: str) -> str:
    """The text as a sentence begins."""
    return text[:1].upper() + text[1:]


def told(error: BaseException) -> str:
    """An error in one line."""
    return shown(in_one_line(error), MOST)
