"""The explorer judges: the puzzle as shipped is open, the solution is proved, known wrong answers are refused."""

from __future__ import annotations

import linecache

import pytest

from dexpatterns import exercises
from dexpatterns.engine.run import Run
from dexpatterns.exercises.content import Exercise, all_exercises

ALL = all_exercises()
WRONG = [(one, name) for one in ALL for name in one.wrong]
LANGUAGES = ("en", "zh")


def answer_of(exercise: Exercise, name: str) -> object:
    return exercise.code(name).answer


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("exercise", ALL, ids=lambda one: one.id)
def test_the_puzzle_as_shipped_is_not_answered_yet(exercise: Exercise, lang: str) -> None:
    result = exercises.check(exercise.id, answer_of(exercise, "start"), lang)
    assert (result.passed, result.reason) == (False, "not yet")
    assert exercise.hints(lang)[0] in result.hint


@pytest.mark.parametrize("exercise", ALL, ids=lambda one: one.id)
def test_the_solution_is_proved(exercise: Exercise) -> None:
    result = exercises.check(exercise.id, answer_of(exercise, "solution"))
    assert result.passed, result
    assert (result.reason, result.counterexample, result.story) == ("passed", None, None)


@pytest.mark.parametrize(("exercise", "name"), WRONG, ids=lambda one: getattr(one, "id", one))
def test_a_known_wrong_answer_is_refused_for_the_stated_reason(exercise: Exercise, name: str) -> None:
    result = exercises.check(exercise.id, answer_of(exercise, f"wrong_{name}"))
    why = f"{result.reason}: {result.broken}" if result.reason == "broken" else result.reason
    assert (result.passed, why) == (False, exercise.wrong[name])
    assert "\n" not in result.sentence
    if result.reason == "broken":
        assert isinstance(result.counterexample, Run)
        assert len(str(result.story).splitlines()) > len(result.counterexample.trace.turns)


@pytest.mark.parametrize(("exercise", "name"), WRONG, ids=lambda one: getattr(one, "id", one))
def test_it_is_refused_alike_in_chinese(exercise: Exercise, name: str) -> None:
    result = exercises.check(exercise.id, answer_of(exercise, f"wrong_{name}"), "zh")
    assert result.reason == exercise.wrong[name].partition(":")[0]
    assert any("\u4e00" <= c <= "\u9fff" for c in result.sentence)


def test_the_shortest_story_comes_back() -> None:
    result = exercises.check("one-token-only", answer_of(exercises.exercise("one-token-only"), "wrong_one_too_many"))
    assert result.counterexample is not None
    assert len(result.counterexample.trace.turns) == 2
    assert "2  start: StartContractEdits saves" in str(result)


def test_another_right_answer_is_proved_as_well() -> None:
    """The token may be given back by whoever is notified last, and the Flow may be an instance or come of a factory."""
    solution = exercises.exercise("find-the-second-token").code("wrong_neither")

    class NotifyReviewer(solution.NotifyReviewer):  # type: ignore[misc, name-defined]
        def execute(self, context: solution.Context, edit: solution.ContractEdit) -> solution.StepDecision:  # type: ignore[name-defined]
            solution.CONTRACT_EDIT_TOKEN.publish(context, "contract")
            return solution.graceful_complete(f"{edit.reviewer} saved")

    class SaveContractEdit(solution.SaveContractEdit):  # type: ignore[misc, name-defined]
        def execute(self, context: solution.Context, edit: solution.ContractEdit) -> solution.StepDecision:  # type: ignore[name-defined]
            return solution.go_to(NotifyReviewer, edit)

    class EditContract(solution.EditContract):  # type: ignore[misc, name-defined]
        def execute(self, context: solution.Context, edit: solution.ContractEdit) -> solution.StepDecision:  # type: ignore[name-defined]
            return solution.go_to(SaveContractEdit, edit)

    class EnterContractEdit(solution.EnterContractEdit):  # type: ignore[misc, name-defined]
        def execute(self, context: solution.Context, edit: solution.ContractEdit) -> solution.StepDecision:  # type: ignore[name-defined]
            return solution.go_to(EditContract, edit)

    class StartContractEdits(solution.StartContractEdits):  # type: ignore[misc, name-defined]
        def execute(self, context: solution.Context, edits: list[solution.ContractEdit]) -> solution.StepDecision:  # type: ignore[name-defined]
            solution.CONTRACT_EDIT_TOKEN.publish(context, "contract")
            return solution.go_to_many(*[solution.StepMovement.of(EnterContractEdit, edit) for edit in edits])

    class OtherFlow(solution.SecondTokenFlow):  # type: ignore[misc, name-defined]
        def get_steps(self) -> solution.StepList:  # type: ignore[name-defined]
            return solution.StepList.start_step(StartContractEdits()).other_steps(
                EnterContractEdit(), EditContract(), SaveContractEdit(), NotifyReviewer()
            )

    def make_flow() -> OtherFlow:
        return OtherFlow()

    for answer in (OtherFlow, OtherFlow(), make_flow):
        assert exercises.check("find-the-second-token", answer).passed


def defined(text: str) -> object:
    """The answer of a cell with this text."""
    file = f"<cell {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(text, file, "exec"), names)  # noqa: S102  # as a kernel does
    return names["answer"]


def test_a_comment_is_no_answer() -> None:
    """The puzzle with other blanks, comments and line numbers is still the puzzle."""
    text = exercises.exercise("give-it-back").source().replace("    def ", "    # mine\n\n    def ")
    assert exercises.check("give-it-back", defined(text)).reason == "not yet"


def test_another_number_is_an_answer() -> None:
    """A value that the code names counts as much as the code."""
    text = exercises.exercise("one-token-only").source()
    loop = "for _ in edits:"
    assert loop in text
    counted = text.replace(loop, "for _ in range(TOKENS):")
    made = [exercises.check("one-token-only", defined(f"TOKENS = {n}\n{counted}")).reason for n in (1, 2)]
    assert made == ["passed", "broken"]


@pytest.mark.parametrize("name", ["start", "solution", "wrong_too_soon"])
def test_the_same_answer_is_told_in_the_same_bytes(name: str) -> None:
    answer = answer_of(exercises.exercise("give-it-back"), name)
    first, again = exercises.check("give-it-back", answer), exercises.check("give-it-back", answer)
    assert (repr(first), first._repr_html_()) == (repr(again), again._repr_html_())
    assert " at 0x" not in repr(first) + first._repr_html_()


def test_what_a_learner_writes_is_shown_and_not_obeyed() -> None:
    result = exercises.check("count-the-turns", "<script>alert(1)</script>")
    assert "<script>" in result.sentence
    assert "<script>" not in result._repr_html_()
