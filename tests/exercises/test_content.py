"""Every exercise is whole in both languages: texts, hints, puzzle, solution, known wrong answers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from dexpatterns import exercises
from dexpatterns.errors import InputError
from dexpatterns.exercises import content, texts
from dexpatterns.exercises.content import Exercise, all_exercises

ALL = all_exercises()
LANGUAGES = ("en", "zh")
CJK = "\u4e00-\u9fff"


def told(exercise: Exercise, lang: str) -> dict[str, str]:
    """Every text that a learner may see of it, by where it stands."""
    hints = {f"hint {n}": hint for n, hint in enumerate(exercise.hints(lang), start=1)}
    words = {f"words {key}": exercise.words(key, lang) for key in exercise._words}
    why = {f"why {kind}": exercise.why(kind, lang) for kind in exercise._why}
    whole = {"title": exercise.title(lang), "topic": exercise.topic(lang), "puzzle": exercise.puzzle(lang)}
    return {**whole, "more": exercise.more(lang), **hints, **words, **why}


def prose(text: str) -> str:
    """The text without its code, which is the same in every language."""
    return re.sub(r"`[^`]*`", "X", text)


def test_there_are_enough_in_three_levels() -> None:
    assert len(ALL) >= 16
    assert [one.number for one in ALL] == list(range(1, len(ALL) + 1))
    assert {one.level for one in ALL} == {1, 2, 3}
    assert [one.level for one in ALL] == sorted(one.level for one in ALL), "an easier one stands after a harder one"
    assert {one.kind for one in ALL} == set(content.KINDS)


@pytest.mark.parametrize("exercise", ALL, ids=lambda one: one.id)
class TestEach:
    def test_has_two_hints_and_two_wrong_answers_or_more(self, exercise: Exercise) -> None:
        assert len(exercise.hints("en")) == len(exercise.hints("zh")) >= 2
        assert len(exercise.wrong) >= 2
        there = {file.stem.removeprefix("wrong_") for file in exercise.path.glob("wrong_*.py")}
        assert there == set(exercise.wrong)

    def test_gives_the_same_with_every_answer(self, exercise: Exercise) -> None:
        names = ("solution", *(f"wrong_{name}" for name in exercise.wrong))
        assert [name for name in names if exercise.cells(name)[0] != exercise.cells("start")[0]] == []

    def test_does_not_ship_its_solution(self, exercise: Exercise) -> None:
        solution = exercise.cells("solution")[1]
        assert exercise.cells("start")[1] != solution
        assert exercises.solution(exercise.id).strip() == solution
        for lang in LANGUAGES:
            assert solution not in exercises.show(exercise.id, lang)

    def test_says_in_both_languages_what_a_learner_may_see(self, exercise: Exercise) -> None:
        en, zh = told(exercise, "en"), told(exercise, "zh")
        assert en.keys() == zh.keys()
        for where, text in en.items():
            assert not re.search(f"[{CJK}]", text), where
            assert re.search(f"[{CJK}]", zh[where]), where

    def test_names_the_same_code_in_both_languages(self, exercise: Exercise) -> None:
        for where, text in told(exercise, "en").items():
            named = set(re.findall(r"`([^`]*)`", text)), set(re.findall(r"`([^`]*)`", told(exercise, "zh")[where]))
            assert named[0] == named[1], where

    def test_is_set_as_chinese_is(self, exercise: Exercise) -> None:
        faults = {where: chinese_faults(text) for where, text in told(exercise, "zh").items()}
        assert {where: found for where, found in faults.items() if found} == {}


def chinese_faults(text: str) -> list[str]:
    """Half-width punctuation after a Chinese character, and a Latin word or number without a space beside one."""
    plain = prose(re.sub(r"\{[^}]*\}", "X", text))
    return re.findall(f"[{CJK}][,;:!?.]|[{CJK}][A-Za-z0-9*]|[A-Za-z0-9][{CJK}]", plain.replace("*", ""))


def test_a_fault_of_setting_is_seen() -> None:
    assert chinese_faults("token是一条消息,一次") == ["n是", "息,"]
    assert chinese_faults("token 是一条消息，`x` 一次。") == []


def test_every_sentence_of_a_judge_is_there_in_both_languages() -> None:
    for key, (en, zh) in texts.TEXTS.items():
        fields = set(re.findall(r"\{(\w+)", en)), set(re.findall(r"\{(\w+)", zh))
        assert fields[0] == fields[1], key
        assert not re.search(f"[{CJK}]", en), key
        # What fills a field brings its own spaces.
        assert chinese_faults(re.sub(r"\{[^}]*\}|exercises\.hint\(.*\)|'PROVED.*'", "", zh)) == [], key


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_list_has_a_row_for_each(lang: str) -> None:
    table = exercises.list(lang)
    assert table["id"].tolist() == [one.id for one in ALL]
    assert table.iloc[:, 3].tolist() == [one.title(lang) for one in ALL]
    assert table[texts.say(lang, "topic")].tolist() == [one.topic(lang) for one in ALL]
    assert table[texts.say(lang, "topic")].is_unique


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_hints_come_one_by_one(lang: str) -> None:
    one = ALL[0]
    assert [exercises.hint(one.id, n, lang) for n in (1, 2, 3)] == [
        texts.say(lang, "hint", n=n, all=3, hint=hint) for n, hint in enumerate(one.hints(lang), start=1)
    ]
    assert repr(exercises.hint(one.id, lang=lang)) == str(exercises.hint(one.id, 1, lang))


@pytest.mark.parametrize("n", [0, 4, -1, "1", None, True, 1.0])
def test_a_hint_that_there_is_not_is_refused(n: object) -> None:
    with pytest.raises(InputError, match="there are 3 hints"):
        exercises.hint("give-it-back", n)  # type: ignore[arg-type]


@pytest.mark.parametrize("ask", [exercises.show, exercises.hint, exercises.solution, exercises.picture])
def test_an_unknown_exercise_is_refused_with_those_that_there_are(ask: object) -> None:
    with pytest.raises(InputError, match=r"no exercise 'give-it-bck'; expected one of: give-it-back, "):
        ask("give-it-bck")  # type: ignore[operator]


def test_an_unknown_language_is_refused() -> None:
    for ask in (exercises.show, exercises.list):
        with pytest.raises(InputError, match="'fr'"):
            ask(*(["give-it-back"] if ask is exercises.show else []), lang="fr")  # type: ignore[operator]
    with pytest.raises(InputError, match="'fr'"):
        exercises.check("give-it-back", None, "fr")


WHOLE = (ALL[0].path / "exercise.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('id = "give-it-back"', 'id = "other"', "id is 'other', the folder 'give-it-back'"),
        ('id = "give-it-back"', "id = 3", "id: expected a text, got 3"),
        ("level = 1", "level = 4", "level: expected one of"),
        ("level = 1", "level = true", "level: expected one of"),
        ("number = 1", "number = 0", "number: expected one of"),
        ('answer = "flow"', 'answer = "essay"', "answer is 'essay'; expected one of flow"),
        ("[more]", "[extra]", "unknown key 'extra'"),
        ("[title]", "[title]\nfr = 'Rends-le'", "title: unknown key 'fr'"),
        ('zh = "把 token 还回来"', "", "title.zh: expected a text"),
        ('[topic]\nen = "ways out"', "[topic]", "topic.en: expected a text"),
        ("[why.everybody_out]", "[why.everybody_out]\nfr = 'Rien'", "why.everybody_out: unknown key 'fr'"),
        ("[hints]\nen = [", '[hints]\nen = ["one more",', "as many in one language"),
        ("[wrong]", "[wrong]\nextra = 3", "wrong.extra: expected a text"),
        ("[puzzle]", "[puzzle", "not TOML"),
    ],
)
def test_a_broken_card_is_told_with_its_place(tmp_path: Path, old: str, new: str, said: str) -> None:
    folder = tmp_path / "give-it-back"
    folder.mkdir()
    assert old in WHOLE
    (folder / "exercise.toml").write_text(WHOLE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as error:
        Exercise(folder)
    assert said in str(error.value)
    assert str(folder / "exercise.toml") in str(error.value)


def test_what_is_missing_in_a_folder_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "give-it-back"
    folder.mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        Exercise(folder)
    (folder / "exercise.toml").write_text(WHOLE, encoding="utf-8")
    one = Exercise(folder)
    with pytest.raises(InputError, match=r"start\.py: cannot be read"):
        one.cells()
    (folder / "start.py").write_text("answer = 1", encoding="utf-8")
    with pytest.raises(InputError, match="expected a line"):
        one.cells()


def test_naming_the_exercises_loads_nothing_heavy() -> None:
    code = (
        "import sys; from dexpatterns import exercises; exercises.show('give-it-back'); exercises.hint('give-it-back');"
        "print([name for name in ('pandas', 'graphviz', 'IPython', 'click') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
