"""Every lesson does again what it shows, in both languages, and each asserts its own point."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET  # of a report that these tests have just made themselves
from pathlib import Path
from typing import Any

import pytest

from dexpatterns.views.stepper import SHOW_MIME
from tests.notebooks import nbval_skips

HERE = Path(__file__).parent
NOTEBOOKS = HERE.parents[1] / "notebooks"
ENGLISH = sorted(path for path in NOTEBOOKS.glob("*.ipynb") if not path.name.endswith(".zh.ipynb"))
CHINESE = [path.with_suffix(".zh.ipynb") for path in ENGLISH]
LESSONS = [*ENGLISH, *CHINESE]
MOST_SECONDS = 180.0
"""For all English lessons together."""


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def by_name(path: Path) -> str:
    return path.name


# Run again.


class Ran:
    """What a run of notebooks reported: by notebook the failures of its cells, and the seconds of all."""

    def __init__(self, report: Path, output: str) -> None:
        self.output = output
        self.cells: dict[str, int] = {}
        self.failures: dict[str, list[str]] = {}
        self.seconds = 0.0
        for case in ET.parse(report).iter("testcase"):  # noqa: S314  # see the import
            name = case.get("classname", "")
            self.cells[name] = self.cells.get(name, 0) + 1
            self.seconds += float(case.get("time", 0.0))
            found = [*case.iter("failure"), *case.iter("error")]
            self.failures.setdefault(name, []).extend(one.text or "" for one in found)


def start(paths: list[Path], report: Path) -> subprocess.Popen[str]:
    """A run of these notebooks in a process of its own, in the strict mode: every output is compared."""
    options = [
        "--nbval", "--nbval-current-env", f"--nbval-sanitize-with={HERE / 'sanitize.cfg'}", "-p", "nbval_skips",
        "-p", "no:cacheprovider", "-q", "--tb=short", f"--junitxml={report}", f"--rootdir={NOTEBOOKS}",
        "-c", os.devnull,
    ]  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *map(str, paths)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(HERE), str(NOTEBOOKS.parent)))},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    """Both languages at once, since a lesson mostly waits for its kernel."""
    folder = tmp_path_factory.mktemp("notebooks")
    started = {lang: start(paths, folder / f"{lang}.xml") for lang, paths in (("en", ENGLISH), ("zh", CHINESE))}
    outputs = {lang: process.communicate()[0] for lang, process in started.items()}
    missing = [outputs[lang] for lang in started if not (folder / f"{lang}.xml").is_file()]
    assert not missing, missing[0]
    return {lang: Ran(folder / f"{lang}.xml", outputs[lang]) for lang in started}


@pytest.mark.parametrize("path", LESSONS, ids=by_name)
def test_a_lesson_does_again_what_it_shows(path: Path, ran: dict[str, Ran]) -> None:
    done = ran["zh" if path in CHINESE else "en"]
    assert done.cells.get(path.name) == len(cells(path, "code")), done.output[-4000:]
    assert done.failures[path.name] == []


def test_the_english_lessons_take_less_than_three_minutes(ran: dict[str, Ran]) -> None:
    assert ran["en"].seconds < MOST_SECONDS


# What a lesson is.


def test_there_are_thirteen_lessons_from_00_on_each_in_both_languages() -> None:
    assert [path.name[:3] for path in ENGLISH] == [f"{n:02}-" for n in range(13)]
    assert [path for path in CHINESE if not path.is_file()] == []
    assert {path.name for path in NOTEBOOKS.glob("*.ipynb")} == {path.name for path in LESSONS}


@pytest.mark.parametrize("path", LESSONS, ids=by_name)
def test_a_lesson_asserts_its_own_point_at_its_end(path: Path) -> None:
    """So new outputs cannot be stored over a point that is lost."""
    last = ast.parse(source(cells(path, "code")[-1]))
    assert any(isinstance(node, ast.Assert) for node in last.body)


@pytest.mark.parametrize("path", LESSONS, ids=by_name)
def test_a_lesson_is_stored_with_its_outputs_and_without_what_differs_from_run_to_run(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["metadata"] == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert [cell["id"] for cell in notebook["cells"]] == [f"cell-{n:02}" for n in range(len(notebook["cells"]))]
    code = cells(path, "code")
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert any("data" in output for output in outputs)
    assert {output["output_type"] for output in outputs} <= {"execute_result", "display_data", "stream"}
    assert [output for output in outputs if output.get("name") == "stderr"] == []
    assert "widget-view" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("english", "chinese"), list(zip(ENGLISH, CHINESE, strict=True)), ids=by_name)
def test_both_languages_have_the_same_code_and_the_same_parts(english: Path, chinese: Path) -> None:
    one, other = (
        [re.sub(r"\"(en|zh)\"", '"LANG"', source(cell)) for cell in cells(path, "code")] for path in (english, chinese)
    )
    assert one == other
    heads = [
        [len(re.findall(rf"^{'#' * level} ", source(cell), re.MULTILINE)) for cell in cells(path, "markdown")
         for level in (1, 2, 3)]
        for path in (english, chinese)
    ]  # fmt: skip
    assert heads[0] == heads[1]


@pytest.mark.parametrize("path", LESSONS, ids=by_name)
def test_every_link_of_a_lesson_leads_somewhere(path: Path) -> None:
    text = "\n".join(map(source, cells(path, "markdown")))
    local = [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if not target.startswith("https://")]
    assert [target for target in local if not (NOTEBOOKS / target.partition("#")[0]).exists()] == []
    chinese = path in CHINESE
    assert [target for target in local if target.endswith((".ipynb", ".md")) and (".zh." in target) != chinese] == []


def test_the_data_of_a_stepper_is_what_is_left_out_of_the_comparison() -> None:
    assert nbval_skips.SHOW_MIME == SHOW_MIME
