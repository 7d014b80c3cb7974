"""Judges an answer by the explorer: proved right, or refused with a sentence and the shortest run that breaks it.

An answer is somebody's code, and is run. Whatever it does (raise, never return, grow for ever, open a socket, do
something else each time) is told in a sentence; only a fault of our own is a traceback.
"""

from __future__ import annotations

import io
import threading
import traceback
from contextlib import redirect_stdout
from typing import Any, NoReturn

from dexpatterns.dex.io_guard import guarded
from dexpatterns.dex.wording import shown
from dexpatterns.errors import DexpatternsError, FlowDefinitionError, InternalError, NondeterminismError
from dexpatterns.exercises.case import MOST, Case, Refused
from dexpatterns.exercises.content import Exercise
from dexpatterns.exercises.demands import UnmetError
from dexpatterns.exercises.kinds import JUDGES
from dexpatterns.exercises.limit import is_somebodys, limited
from dexpatterns.exercises.result import Result
from dexpatterns.exercises.texts import say

__all__ = ["judge"]

_FAULTS = {NondeterminismError: "random", FlowDefinitionError: "definition"}
"""By the error that an answer brings about: the reason for refusing it, which is the key of its sentence as well."""


_ONE = threading.RLock()
"""One answer at a time: what is watched while it runs, and where it prints, are the whole process's."""


def judge(exercise: Exercise, answer: Any, lang: str) -> Result:
    """The result for an answer; raises only for what is no fault of the answer."""
    exercise.code("world")  # here, since a fault in there is not the answer's
    with _ONE, limited() as watchdog, guarded(allow=False) as watch, redirect_stdout(io.StringIO()):
        case = Case(exercise, answer, lang, watchdog, watch)
        try:
            sentence = _judged(case)
        except Refused as refused:
            return _result(case, refused)
    return Result(exercise.id, True, "passed", sentence, lang=lang)


def _judged(case: Case) -> str:
    """What is said of a right answer; whatever goes wrong in the answer's code is a refusal."""
    try:
        try:
            sentence = JUDGES[case.exercise.kind](case)
            case.look()
        except BaseException:
            # Whatever came of it, the reason is that something had to be stopped.
            if case.watchdog.found is not None:
                _endless(case, *case.watchdog.found)
            raise
    except UnmetError as unmet:
        key = str(unmet)
        raise Refused(key, case.exercise.words(key, case.lang)) from None
    except DexpatternsError as error:
        key = _FAULTS.get(type(error), "unusable")
        case.refuse(key, key, what=shown(str(error), MOST))
    except (Refused, InternalError):
        raise
    except (Exception, SystemExit) as error:
        if not any(is_somebodys(frame) for frame, _ in traceback.walk_tb(error.__traceback__)):
            raise
        case.raises_making(error)
    return sentence


def _endless(case: Case, name: str, file: str, line: int) -> NoReturn:
    seconds = case.watchdog.seconds
    case.refuse("endless", "endless", name=shown(name), seconds=seconds, line=line, file=case.file(file))


def _result(case: Case, refused: Refused) -> Result:
    exercise, lang = case.exercise, case.lang
    hint = ""
    if refused.reason == "not yet":
        hints = exercise.hints(lang)
        first = say(lang, "hint", n=1, all=len(hints), hint=hints[0])
        hint = f"{first}\n{say(lang, 'next hint', id=exercise.id, n=2)}"
    return Result(
        exercise.id,
        False,
        refused.reason,
        refused.sentence,
        broken=refused.property,
        hint=hint,
        counterexample=refused.run,
        story=refused.story,
        lang=lang,
    )
