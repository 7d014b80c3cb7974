"""What a person gets to read who is wrong: what is missing, where to look, whose move it is, and no more than that."""

from __future__ import annotations

import linecache
import re
from typing import Any

import pytest

from dexpatterns import Simulation, exercises
from dexpatterns.engine.schedule import Schedule
from dexpatterns.exercises import notebooks
from dexpatterns.exercises.content import all_exercises, root
from dexpatterns.exercises.texts import TEXTS, say
from dexpatterns.views.seat import Seat
from dexpatterns.views.stepper import Stepper

ALL = all_exercises()
SEATS = [one for one in ALL if one.kind == "schedule"]
UNKNOWN = ("none of the known ones", "不在已知的几种之中")


def cells(exercise: str, *changes: tuple[str, str], answer: str = "start", above: str = "") -> dict[str, Any]:
    """The names of an exercise's two cells, run as a kernel does, with something else in the second."""
    given, own = exercises.exercise(exercise).cells(answer)
    for old, new in changes:
        assert old in own
        own = own.replace(old, new)
    names: dict[str, Any] = {"__name__": "__main__"}
    for text in (given, f"{above}{own}"):
        file = f"<cell {hash(text)}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), names)  # noqa: S102  # as above
    return names


def played(exercise: str) -> Stepper:
    """A seat, as the notebook opens it, in which the moves of the solution were made."""
    seat: Stepper = cells(exercise)["simulation"].seat()
    for move in exercises.exercise(exercise).code("solution").answer:
        seat.seated.take(move)
    return seat


# The seat.


@pytest.mark.parametrize("exercise", SEATS, ids=lambda one: one.id)
def test_moves_are_taken_as_they_stand_wherever_they_were_made(exercise: Any) -> None:
    stepper = played(exercise.id)
    seat: Seat = stepper.seated
    moves = [str(turn.choice) for turn in seat.run.trace.turns]
    simulation = cells(exercise.id)["simulation"]
    for move in moves:
        simulation.take(move)
    schedule = Schedule.of(seat.run.trace)
    choices = [turn.choice for turn in seat.run.trace.turns]
    for answer in (stepper, seat, seat.run, simulation, schedule, str(schedule), moves, tuple(choices)):
        result = exercises.check(exercise.id, answer)
        assert result.passed, result
        assert f"Broken in {len(moves)} moves" in result.sentence
    assert exercises.check(exercise.id, seat.undo()).reason == "breaks nothing"


def test_the_numbers_that_a_seat_shows_are_moves_too() -> None:
    assert exercises.check("break-it-in-the-seat", [1, 1, 1, 2, 1, 2, 1, 2]).passed


@pytest.mark.parametrize("exercise", SEATS, ids=lambda one: one.id)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_seat_in_which_nobody_has_moved_is_not_answered(exercise: Any, lang: str) -> None:
    simulation = cells(exercise.id)["simulation"]
    for answer in (simulation, simulation.seat(lang), simulation.seat(lang).seated, []):
        result = exercises.check(exercise.id, answer, lang)
        assert (result.reason, result.sentence) == ("not yet", say(lang, "no move"))


@pytest.mark.parametrize("exercise", SEATS, ids=lambda one: one.id)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_notebook_opens_the_seat_that_the_puzzle_speaks_of(exercise: Any, lang: str) -> None:
    """In its own language, so that `answer = seat` is all there is to write."""
    assert "`answer = seat`" in exercise.puzzle(lang)
    made = {cell["id"]: "".join(cell["source"]) for cell in notebooks.notebook(exercise, lang)["cells"]}
    names = cells(exercise.id)
    exec(made["seat"], names)  # noqa: S102  # as a kernel does
    assert isinstance(names["seat"], Stepper)
    assert names["seat"].lang == names["seat"].seated.lang == lang
    assert str(exercise.world.MOVES) in exercise.puzzle(lang)


NOT_BROKEN = {"break-it-in-the-seat": "one_after_the_other", "late-code": "nobody_is_late"}


@pytest.mark.parametrize("exercise", SEATS, ids=lambda one: one.id)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_branches_are_called_what_people_see(exercise: Any, lang: str) -> None:
    answer = exercise.code(f"wrong_{NOT_BROKEN[exercise.id]}").answer
    sentence = exercises.check(exercise.id, answer, lang).sentence
    assert {"en": "Bo: EditContract ", "zh": "Bo：EditContract "}[lang] in sentence
    assert not re.search(r"\b0\.1\b", sentence)


def whole_run(exercise: str) -> Simulation:
    simulation: Simulation = cells(exercise)["simulation"]
    while simulation.choices:
        simulation.take(0)
    return simulation


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_at_the_end_of_a_run_it_says_that_nothing_is_possible_any_more(lang: str) -> None:
    simulation = whole_run("break-it-in-the-seat")
    result = exercises.check("break-it-in-the-seat", simulation, lang)
    assert result.reason == "breaks nothing"
    assert result.sentence.endswith(say(lang, "no next"))


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["one_after_the_other", "takes_the_scenic_route"])
def test_whoever_makes_too_many_moves_is_told_how_many_are_allowed(name: str, lang: str) -> None:
    one = exercises.exercise("break-it-in-the-seat")
    sentence = exercises.check(one.id, one.code(f"wrong_{name}").answer, lang).sentence
    assert re.search(r"\b9 moves|9 步", sentence)


def test_a_move_that_is_not_possible_is_told_with_those_that_are() -> None:
    answer = ["begin StartContractEdits.execute 0.0", "begin TakeFlag.execute 0.1.0.0"]
    result = exercises.check("break-it-in-the-seat", answer)
    assert result.sentence == (
        "Move 2 of yours, begin TakeFlag.execute 0.1.0.0, is not possible there. "
        "Possible next: start: StartContractEdits saves."
    )


BAD_MOVES = [[0], [99], [True], [1.5], ["take"], [""], [None], [["begin"]], "begin", ("x" * 500,)]


@pytest.mark.parametrize("answer", BAD_MOVES, ids=repr)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_moves_that_are_none_get_a_sentence(answer: object, lang: str) -> None:
    result = exercises.check("break-it-in-the-seat", answer, lang)
    assert result.reason in ("unusable", "wrong kind")
    assert result.sentence


def test_a_seat_of_another_flow_is_refused_by_its_name() -> None:
    other = Simulation(exercises.exercise("give-it-back").code("solution").answer, []).seat()
    other.seated.take(1)
    result = exercises.check("break-it-in-the-seat", other)
    assert (result.reason, "of another Flow, GiveItBackFlow" in result.sentence) == ("unusable", True)


# One of a thing, several of it.


def test_one_of_a_thing_is_told_in_the_singular() -> None:
    result = exercises.check("break-it-in-the-seat", [1])
    assert result.sentence.startswith("This move is possible and breaks nothing yet")
    assert say("en", "breaks nothing", n=2, property="it").startswith("These 2 moves are")
    result = exercises.check("count-the-turns", "REFUTED in 1 turn")
    assert "one turn is too few" in result.sentence


def test_every_text_for_one_number_has_a_text_for_the_others() -> None:
    for key in TEXTS:
        name, _, number = key.partition(":")
        assert not number or (name in TEXTS and "{n}" in TEXTS[name][0]), key


# Verdicts.


def verdicts(**said: str) -> dict[str, str]:
    right: dict[str, str] = exercises.exercise("predict-the-verdict").code("solution").answer
    return {**right, **{name.replace("_", " "): verdict for name, verdict in said.items()}}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("exercise", "answer"),
    [("predict-the-verdict", verdicts(one_at_a_time="PROVED")), ("count-the-turns", "PROVED")],
)
def test_whoever_believes_too_much_is_shown_the_shortest_run(exercise: str, answer: object, lang: str) -> None:
    result = exercises.check(exercise, answer, lang)
    assert result.counterexample is not None
    turns = len(result.counterexample.trace.turns)
    assert str(turns) in result.sentence
    assert len(str(result.story).splitlines()) > turns
    assert str(result.story) in str(result)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("name", "kind"), [("never_stuck", "never_stuck"), ("always_completes", "always_ends")])
def test_whoever_believes_too_little_is_told_why_it_holds(name: str, kind: str, lang: str) -> None:
    result = exercises.check("predict-the-verdict", verdicts(**{name: "REFUTED"}), lang)
    why = exercises.exercise("predict-the-verdict").why(kind, lang)
    assert why
    assert result.sentence.endswith(why)
    assert re.search(r"\d+ (states|个状态)", result.sentence)
    assert result.story is None


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("n", [2, 4, 6, 9])
def test_a_wrong_number_of_turns_is_not_put_right(n: int, lang: str) -> None:
    result = exercises.check("count-the-turns", f"REFUTED in {n} turns", lang)
    assert result.sentence == say(lang, "fewer turns" if n > 5 else "more turns", name="one at a time", n=n)
    assert "5" not in str(result)
    assert (result.counterexample, result.story) == (None, None)


def test_the_wrong_ones_are_counted() -> None:
    one = exercises.check("predict-the-verdict", verdicts(never_stuck="REFUTED"))
    assert one.sentence.startswith("1 of 3 verdicts is wrong. never stuck: ")
    two = exercises.check("predict-the-verdict", verdicts(never_stuck="REFUTED", one_at_a_time="PROVED"))
    assert two.sentence.startswith("2 of 3 verdicts are wrong. The first: never stuck: ")


# What is wrong, and where to look.


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_who_is_missing_is_named_and_nobody_else(lang: str) -> None:
    answer = exercises.exercise("give-it-back").code("wrong_ignores_withdrawal").answer
    sentence = exercises.check("give-it-back", answer, lang).sentence
    expected = {"en": "Missing: Ada withdrew; not asked for: Ada saved.", "zh": "缺少：Ada withdrew；多出：Ada saved。"}
    assert expected[lang] in sentence
    assert "Bo saved" not in sentence


WRONG = [(one, name) for one in ALL for name, why in one.wrong.items() if why.startswith("broken")]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("exercise", "name"), WRONG, ids=lambda one: getattr(one, "id", one))
def test_the_usual_mistakes_have_a_cause_or_a_sentence_of_their_own(exercise: Any, name: str, lang: str) -> None:
    result = exercises.check(exercise.id, exercise.code(f"wrong_{name}").answer, lang)
    told = str(result)
    assert not any(text in told for text in UNKNOWN)
    known = getattr(result.story, "cause", None)
    if known is None and exercise.kind == "flow" and "goes round" not in told and result.broken != "never stuck":
        assert result.story.plain
        assert result.story.plain in result.sentence


PUBLISH = 'CONTRACT_EDIT_TOKEN.publish(context, "contract")'
RAISE = 'raise ContractEditError("the archive refuses")'
USUAL: dict[str, tuple[str, tuple[tuple[str, str], ...], str]] = {
    "publish before raise, no route": (
        "add-the-failure-route",
        ((RAISE, f"{PUBLISH}\n            {RAISE}"),),
        "To publish before raising does not help",
    ),
    "the route is taken away": (
        "mend-the-failure-route",
        ((".on_execute_failure_proceed_to(ReportFailure)", ""),),
        "no failure route takes over",
    ),
    "the failed edit is said to be saved": (
        "mend-the-failure-route",
        (
            ('return graceful_complete(f"{edit.reviewer} failed")',
             f'{PUBLISH}\n        return graceful_complete(f"{{edit.reviewer}} saved")'),
        ),
        "Missing: Ada failed; not asked for: Ada saved. `ReportFailure` still has to write down",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", USUAL)
def test_a_usual_mistake_is_told_what_is_wrong_and_where_to_look(name: str) -> None:
    exercise, changes, said = USUAL[name]
    result = exercises.check(exercise, cells(exercise, *changes)["answer"])
    assert said in result.sentence
    assert not any(text in str(result) for text in UNKNOWN)


SLIPS = {
    "a misspelt method": (
        f"{PUBLISH}  # to be sure",
        'CONTRACT_EDIT_TOKEN.publsh(context, "contract")',
        "AttributeError",
    ),
    "a name that there is not": (f"{PUBLISH}  # to be sure", "TOKEN.publish(context)", "NameError"),
    "an argument too few": (f"{PUBLISH}  # to be sure", "CONTRACT_EDIT_TOKEN.publish()", "TypeError"),
}


@pytest.mark.parametrize("name", SLIPS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_slip_in_the_code_is_named_with_its_line(name: str, lang: str) -> None:
    old, new, error = SLIPS[name]
    names = cells("find-the-second-token", (old, new))
    own = exercises.exercise("find-the-second-token").cells()[1].replace(old, new)
    line = 1 + [new in text for text in own.splitlines()].index(True)
    result = exercises.check("find-the-second-token", names["answer"], lang)
    assert result.reason == "raises"
    assert error in result.sentence
    where = {"en": f"at line {line} of your cell (`{new}`)", "zh": f"在你的单元格第 {line} 行（`{new}`）"}
    assert where[lang] in result.sentence
    assert not any(text in str(result) for text in UNKNOWN)


def test_an_error_that_is_caught_is_not_the_one_that_is_named() -> None:
    caught = (
        'try:\n            int("x")\n        except ValueError:\n            pass\n        raise ValueError("mine")'
    )
    names = cells("find-the-second-token", (f"{PUBLISH}  # to be sure", caught))
    sentence = exercises.check("find-the-second-token", names["answer"]).sentence
    assert sentence.startswith("A handler raises: NotifyReviewer.execute: ValueError: mine, at line ")
    assert '(`raise ValueError("mine")`)' in sentence


def test_a_slip_that_shows_when_the_flow_is_made_is_named_with_its_line() -> None:
    names = cells("find-the-second-token", ("StepList.start_step", "StepLst.start_step"))
    sentence = exercises.check("find-the-second-token", names["answer"]).sentence
    assert re.search(r"NameError: .*, at line \d+ of your cell \(`return StepLst\.", sentence)


# A failure route.


@pytest.mark.parametrize("exercise", ["add-the-failure-route", "mend-the-failure-route"])
def test_who_returns_instead_of_raising_is_asked_for_the_route(exercise: str) -> None:
    result = exercises.check(exercise, exercises.exercise(exercise).code("wrong_returns_instead").answer)
    assert (result.passed, result.reason) == (False, "no-failure")
    assert "no longer fails" in result.sentence


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_to_be_tried_after_the_third_exercise_can_be_done(lang: str) -> None:
    """The Flow fails where it says so, and does not once the route is there."""
    crash, ask = re.findall(r"```python\n(.*?)```", exercises.exercise("add-the-failure-route").more(lang), re.DOTALL)
    options = "StepOptions(execute_retry=RetryPolicy(maximum_attempts=2))"
    routed = crash.replace(options, f"{options}.on_execute_failure_proceed_to(ReleaseContractEditToken)")
    assert routed != crash
    verdicts = []
    for above in (crash, routed):
        names = cells("add-the-failure-route", answer="solution", above=f"{above}\n\n")
        body, _, last = ask.strip().rpartition("\n")
        exec(body, names)  # noqa: S102  # as a kernel does
        verdicts.append(eval(last, names).verdict.name)  # noqa: S307  # as above
    assert verdicts == ["REFUTED", "PROVED"]


# Words.


OTHER_WORDS = ("审阅者", "评审人", "审稿人", "调度员", "调度座位", "失败路径", "失败路线", "裁决", "判定")


def test_the_chinese_of_all_exercises_uses_one_word_for_one_thing() -> None:
    told = [zh for _, zh in TEXTS.values()]
    told += [(one.path / "exercise.toml").read_text(encoding="utf-8") for one in ALL]
    told += [file.read_text(encoding="utf-8") for file in root().glob("*.zh.ipynb")]
    assert [(word, text[:60]) for text in told for word in OTHER_WORDS if word in text] == []
