"""Whatever an answer does, a sentence says it: no traceback, no end of waiting, nothing touched outside."""

from __future__ import annotations

import itertools
import linecache
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dexpatterns import exercises
from dexpatterns.dex import Flow, StepList
from dexpatterns.exercises.limit import EndlessError, limited

SOURCE = exercises.exercise("give-it-back").source("solution")
RETURNS = 'CONTRACT_EDIT_TOKEN.publish(context, "contract")\n            return'
GOES_ON = "return go_to(SaveContractEdit, edit)"
EDIT = "def execute(self, context: Context, edit: ContractEdit) -> StepDecision:\n"
STEPS = "EnterContractEdit(), EditContract(), SaveContractEdit()"
SCHEMA = "PersistenceSchema.of(CONTRACT_EDIT_TOKEN)"


def changed(old: str, new: str) -> Any:
    """The solution with something else in it, as a notebook's cell would define it."""
    assert old in SOURCE
    text, file = SOURCE.replace(old, new), f"<cell {new}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "__main__", "COUNTER": itertools.count()}
    exec(compile(text, file, "exec"), names)  # noqa: S102  # as a kernel does
    return names["answer"]


def doing(code: str, then: str = "return") -> Callable[[], Any]:
    """Makes the solution with a handler that does this before it leaves."""
    return lambda: changed(RETURNS, f"{code}\n            {then}")


def changing(old: str, new: str) -> Callable[[], Any]:
    return lambda: changed(old, new)


class NoFlow:
    pass


class RaisesWhenMade(Flow[None]):
    def __init__(self) -> None:
        raise ValueError("boom")


class RaisesWhenAsked(Flow[None]):
    def get_steps(self) -> StepList[None]:
        raise ValueError("boom")


class Leaves(Flow[None]):
    def __init__(self) -> None:
        self.leave()

    @staticmethod
    def leave() -> None:
        sys.exit("bye")


class LeavesWhenAsked(Flow[None]):
    def get_steps(self) -> StepList[None]:
        sys.exit()


class RaisesForItsName(Flow[None]):
    def get_flow_type(self) -> str:
        raise ValueError("boom")


class Hostile:
    def __eq__(self, other: object) -> bool:
        raise ValueError("boom")

    def __repr__(self) -> str:
        raise ValueError("boom")

    __hash__ = None  # type: ignore[assignment]


def endless() -> Flow[None]:
    while True:
        pass


SWALLOWED = "try:\n                open('token.txt', 'w')\n            except Exception:\n                pass"
GROWS = "return go_to(EditContract, ContractEdit(edit.reviewer + 'x'))"

BAD: dict[str, tuple[Callable[[], Any], str, str]] = {
    "nothing": (lambda: None, "not yet", "the puzzle as it is shipped"),
    "dots": (lambda: ..., "not yet", "the puzzle as it is shipped"),
    "a number": (lambda: 3, "wrong kind", "a Flow: the class, an instance, or a function that makes one, got 3"),
    "a text": (lambda: "publish it", "wrong kind", "got 'publish it'"),
    "a list": (list, "wrong kind", "got []"),
    "a class that is no Flow": (lambda: NoFlow, "wrong kind", "got the class NoFlow"),
    "an object that is no Flow": (NoFlow, "wrong kind", "got an object of type NoFlow"),
    "an object that raises when looked at": (Hostile, "wrong kind", "got an object of type Hostile"),
    "a factory of nothing": (lambda: lambda: None, "wrong kind", "got an object of type NoneType"),
    "a Flow that leaves Python": (lambda: Leaves, "raises", "SystemExit: bye"),
    "a factory that leaves Python": (lambda: Leaves.leave, "raises", "SystemExit: bye"),
    "a Flow that leaves Python when asked": (lambda: LeavesWhenAsked, "raises", "SystemExit"),
    "a factory with an argument": (lambda: lambda a: a, "raises", "missing 1 required positional argument"),
    "Flow itself": (lambda: Flow, "missing", "The Step EditContract is gone"),
    "raises when it is made": (lambda: RaisesWhenMade, "raises", "Making the Flow raised ValueError: boom"),
    "raises when asked for Steps": (lambda: RaisesWhenAsked, "raises", "Making the Flow raised ValueError: boom"),
    "raises for its name": (lambda: RaisesForItsName, "definition", "boom"),
    "a Step that is not listed": (changing(STEPS, STEPS.rpartition(",")[0]), "definition", "SaveContractEdit"),
    "no Channel in the schema": (changing(SCHEMA, "PersistenceSchema.of()"), "definition", "contractEditToken"),
    "another Channel": (changing('l("contractEditToken"', 'l("other"'), "missing", "The Channel contractEditToken"),
    "a handler that raises": (doing('raise KeyError("x")'), "raises", "EditContract.execute: KeyError: 'x'"),
    "a handler that decides nothing": (doing("return None"), "raises", "execute returned None"),
    "a name that there is not": (doing("tokn.publish()"), "raises", "NameError"),
    "a Flow that goes round for ever": (changing(GOES_ON, "return go_to(EditContract, edit)"), "broken", "goes round"),
    "a Flow that grows for ever": (changing(GOES_ON, GROWS), "unbounded", "5,000 states"),
    "a handler that writes a file": (doing("open('token.txt', 'w').write('x')"), "outside", "'token.txt', at line"),
    "a handler that writes and says nothing": (doing(SWALLOWED, RETURNS), "outside", "'token.txt', at line"),
    "a handler that opens a socket": (doing("__import__('socket').socket()"), "outside", "socket"),
    "a handler that starts a program": (doing("__import__('subprocess').run(['ls'])"), "outside", "at line"),
    "a handler that prints": (doing("print('hello')", RETURNS), "passed", "Every order"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_gets_a_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    make, reason, said = BAD[name]
    answer = make()
    result = exercises.check("give-it-back", answer)
    assert result.reason == reason, result
    assert said in result.sentence
    assert "Traceback" not in repr(result)
    zh = exercises.check("give-it-back", answer, "zh")
    assert (zh.reason, zh.passed) == (reason, reason == "passed")
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "make",
    [
        lambda: endless,
        doing("while True: pass"),
        doing("__import__('time').sleep(1e6)"),
        lambda: changed(EDIT, f"async {EDIT}        while True:\n            await __import__('asyncio').sleep(1)\n"),
    ],
    ids=["a factory", "a handler", "a handler that sleeps", "an async handler that sleeps"],
)
def test_code_that_never_returns_is_stopped_and_named(make: Callable[[], Any]) -> None:
    started = time.monotonic()
    result = exercises.check("give-it-back", make())
    assert result.reason == "endless"
    assert "never returns: it was stopped after 2 seconds, at line" in result.sentence
    assert time.monotonic() - started < 8


def test_an_endless_handler_is_stopped_in_any_thread() -> None:
    found: list[exercises.Result] = []
    answer = doing("while True: pass")()
    thread = threading.Thread(target=lambda: found.append(exercises.check("give-it-back", answer)))
    thread.start()
    thread.join(10)
    assert [one.reason for one in found] == ["endless"]


def test_answers_that_are_checked_at_once_leave_printing_and_files_as_they_were(tmp_path: Path) -> None:
    """What is watched, and where an answer prints, are the whole process's: so it is one after the other."""
    printing, answer = sys.stdout, changed(RETURNS, RETURNS)
    with ThreadPoolExecutor(4) as pool:
        passed = list(pool.map(lambda _: exercises.check("give-it-back", answer).passed, range(6)))
    assert passed == [True] * 6
    assert sys.stdout is printing
    (tmp_path / "still").write_text("possible")


def test_our_own_work_may_take_its_time() -> None:
    """Only one call of somebody's code counts, not how long all of them take together."""

    def short() -> None:
        time.sleep(0.05)

    with limited(seconds=0.3) as watchdog:
        for _ in range(20):
            short()
    assert watchdog.found is None


def test_the_limit_leaves_no_alarm_behind() -> None:
    import signal

    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(EndlessError), limited(seconds=0.3):
        endless()
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_handler_that_does_not_do_the_same_twice_is_found_out() -> None:
    counts = "if next(COUNTER) % 2:\n                CONTRACT_EDIT_TOKEN.publish(context, 'x')"
    result = exercises.check("give-it-back", doing(counts)())
    assert (result.reason, "EditContract.execute: two runs" in result.sentence) == ("random", True)


def test_one_that_seldom_differs_is_found_in_another_round() -> None:
    """A right answer is searched three times over: what goes well for six runs is one that keeps its word."""
    counts = "if next(COUNTER) != 4:\n                CONTRACT_EDIT_TOKEN.publish(context, 'x')"
    assert exercises.check("give-it-back", doing(counts)()).reason == "random"


ITEMS: dict[str, tuple[Any, str, str]] = {
    "nothing": (None, "not yet", "the puzzle"),
    "a number": (3, "wrong kind", "workflows and locks"),
    "a path": ("workflows/", "wrong kind", "workflows and locks"),
    "no items": ([], "missing", "The workflow INVOICE is gone"),
    "no workflow": ([{"TYPE": "Lock", "path": "SALES", "limit": 1}], "missing", "The workflow INVOICE is gone"),
    "an unknown type": ([{"TYPE": "Door"}], "unusable", "Door"),
    "a list of numbers": ([1, 2], "unusable", "expected a path, a dict"),
}


@pytest.mark.parametrize("name", ITEMS)
def test_bad_items_get_a_sentence(name: str) -> None:
    answer, reason, said = ITEMS[name]
    result = exercises.check("order-the-locks", answer)
    assert (result.reason, said in result.sentence) == (reason, True), result


@pytest.mark.parametrize(
    ("exercise", "answer", "reason"),
    [
        ("break-it-in-the-seat", None, "not yet"),
        ("break-it-in-the-seat", 3, "wrong kind"),
        ("break-it-in-the-seat", "", "unusable"),
        ("break-it-in-the-seat", "take 0", "unusable"),
        ("break-it-in-the-seat", 'dexpatterns-schedule 1 "PuzzleFlow"\nend 0', "breaks nothing"),
        ("predict-the-verdict", "PROVED", "wrong kind"),
        ("predict-the-verdict", {"never stuck": 1, "one at a time": 2, "always completes": 3}, "wrong kind"),
        ("predict-the-verdict", {"never stuck": ...}, "not yet"),
        ("count-the-turns", "refuted in 5", "passed"),
        ("count-the-turns", "REFUTED in five turns", "wrong kind"),
        ("count-the-turns", {"one at a time": "REFUTED in 5 turns"}, "passed"),
        ("count-the-turns", ["REFUTED in 5 turns"], "wrong kind"),
        ("lock-or-token", "lock", "wrong kind"),
        ("lock-or-token", {"own-paragraph": [], "one-execute": "lock", "two-steps": "token"}, "wrong kind"),
    ],
)
def test_other_bad_answers_get_a_sentence(exercise: str, answer: Any, reason: str) -> None:
    for lang in ("en", "zh"):
        result = exercises.check(exercise, answer, lang)
        assert result.reason == reason, result
        assert result.sentence


def test_the_moves_are_judged_on_the_puzzles_own_flow() -> None:
    """A Simulation of something else breaks nothing here."""
    from dexpatterns import Simulation

    other = Simulation(exercises.exercise("give-it-back").code("solution").answer, [])
    other.take(0)
    assert exercises.check("break-it-in-the-seat", other).reason == "unusable"
