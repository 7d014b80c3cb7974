"""The stored notebooks are those that the folders make; as shipped each check says "not yet", solved it passes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dexpatterns.exercises import notebooks
from dexpatterns.exercises.content import Exercise, all_exercises, root

ROOT = Path(__file__).parents[2]
HERE = {**os.environ, "PYTHONPATH": str(ROOT), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
ALL = all_exercises()
BOTH = [(one, lang) for one in ALL for lang in ("en", "zh")]
PASSED = {"en": "proved right", "zh": "证明正确"}
OPEN = {"en": "not yet", "zh": "还没有作答"}


def said(cell: dict[str, Any]) -> dict[str, str]:
    """What a cell shows, by kind of text."""
    return {
        kind: "".join(text)
        for output in cell["outputs"]
        for kind, text in output.get("data", {"error": str(output)}).items()
    }


def checked(made: dict[str, Any]) -> str:
    return said(next(cell for cell in made["cells"] if cell["id"].endswith("check")))["text/plain"]


@pytest.mark.parametrize(("exercise", "lang"), BOTH, ids=lambda one: getattr(one, "id", one))
def test_the_stored_notebook_is_what_the_folder_makes(exercise: Exercise, lang: str) -> None:
    """If not: `python -m dexpatterns.exercises.notebooks`."""
    made = notebooks.executed(notebooks.notebook(exercise, lang))
    assert checked(made).startswith(f"{exercise.id}{': ' if lang == 'en' else '：'}{OPEN[lang]}")
    stored = (root() / notebooks.name_of(exercise, lang)).read_text(encoding="utf-8")
    assert stored == notebooks.text_of(made)


@pytest.mark.parametrize("exercise", ALL, ids=lambda one: one.id)
def test_solved_every_chinese_check_passes(exercise: Exercise) -> None:
    """The English ones pass in a kernel, below."""
    made = notebooks.executed(notebooks.notebook(exercise, "zh", "solution"))
    assert PASSED["zh"] in checked(made)


def test_no_notebook_is_left_over() -> None:
    names = {notebooks.name_of(exercise, lang) for exercise, lang in BOTH}
    assert {file.name for file in root().glob("*.ipynb")} == names


def test_the_two_languages_have_the_same_cells() -> None:
    for one in ALL:
        en, zh = (notebooks.notebook(one, lang)["cells"] for lang in ("en", "zh"))
        assert [(cell["id"], cell["cell_type"]) for cell in en] == [(cell["id"], cell["cell_type"]) for cell in zh]


def test_writing_them_elsewhere_gives_the_same_bytes(tmp_path: Path) -> None:
    files = notebooks.write(tmp_path / "made")
    assert checked(json.loads(files[0].read_text(encoding="utf-8"))).startswith("give-it-back: not yet\n")
    assert len(files) == len(BOTH)
    assert [file.name for file in files if file.read_bytes() != (root() / file.name).read_bytes()] == []


def test_in_a_real_kernel_all_of_them_say_what_is_stored(tmp_path: Path) -> None:
    """Every English notebook as shipped, then every one solved: one after the other, in one kernel."""
    whole: dict[str, Any] = {**notebooks.notebook(ALL[0]), "cells": []}
    for answer in ("start", "solution"):
        for one in ALL:
            for cell in notebooks.notebook(one, "en", answer)["cells"]:
                whole["cells"].append({**cell, "id": f"{answer[:3]}-{one.number}-{cell['id']}"})
    (tmp_path / "all.ipynb").write_text(json.dumps(whole), encoding="utf-8")
    convert = ["-m", "nbconvert", "--to", "notebook", "--execute", "--output", "done.ipynb", "all.ipynb"]
    command = [sys.executable, *convert]
    done = subprocess.run(command, cwd=tmp_path, env=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    cells = {cell["id"]: cell for cell in json.loads((tmp_path / "done.ipynb").read_text(encoding="utf-8"))["cells"]}
    for one in ALL:
        stored = json.loads((root() / notebooks.name_of(one, "en")).read_text(encoding="utf-8"))
        for cell in stored["cells"]:
            if cell["cell_type"] == "code" and not cell["metadata"].get("tags"):
                assert said(cells[f"sta-{one.number}-{cell['id']}"]) == said(cell), (one.id, cell["id"])
        assert PASSED["en"] in said(cells[f"sol-{one.number}-check"])["text/plain"]


def test_nbval_finds_nothing_in_its_strict_mode() -> None:
    """One of a Flow and one of locks, in each language; the others are compared above."""
    files = [str(root() / notebooks.name_of(ALL[number - 1], lang)) for number in (1, 18) for lang in ("en", "zh")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval", "--nbval-current-env", *files]
    done = subprocess.run(command, cwd=ROOT, env=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
