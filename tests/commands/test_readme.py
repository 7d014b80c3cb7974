"""The README's searches: its commands are run as they stand there, and print what stands below them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from dexpatterns import catalog, exercises, graph, load_flow
from tests.commands.calling import call

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def told(marker: str) -> tuple[list[str], list[str]]:
    """The arguments of the marked command, and the lines that the README says it prints."""
    found = re.search(rf"<!-- {marker} command -->\n```sh\n(.*?)\n```\n\n```text\n(.*?)\n```", README, re.DOTALL)
    assert found, marker
    program, *args = shlex.split(found[1])
    assert program == ".venv/bin/dexpatterns"
    return args, found[2].splitlines()


def test_the_proof() -> None:
    args, lines = told("check")
    result = call(*args)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[: len(lines)] == lines


def test_the_refutation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    args, lines = told("refuted")
    result = call(*args)
    assert result.exit_code == 1
    assert [line for line in lines if line not in result.stdout.splitlines()] == []
    assert {path.name for path in tmp_path.iterdir()} == {"broken.json", "broken.svg"}


def test_the_audit_of_ones_own_flow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Flow is one of the catalog's, one import apart, as its author would have it."""
    monkeypatch.chdir(tmp_path)
    flow = (catalog.load("lost-token").path / "flow.py").read_text(encoding="utf-8")
    mine = flow.replace("from dexpatterns.dex import", "from dex import").replace("LostTokenFlow", "MyFlow")
    Path("my_flow.py").write_text(mine, encoding="utf-8")
    edits = [{"reviewer": "Ada", "text": "first", "withdrawn": True}, {"reviewer": "Bo", "text": "second"}]
    Path("edits.json").write_text(json.dumps(edits), encoding="utf-8")
    args, lines = told("audit")
    result = call(*args)
    assert result.exit_code == 1
    shown = [line.split() for line in result.stdout.splitlines()]
    assert [line for line in lines if line.split() not in shown] == []


def test_a_flow_of_a_file_is_taken_from_python_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert '`load_flow("my_flow.py:MyFlow")`' in README
    monkeypatch.chdir(tmp_path)
    flow = (catalog.load("lost-token").path / "flow.py").read_text(encoding="utf-8")
    mine = flow.replace("from dexpatterns.dex import", "from dex import").replace("LostTokenFlow", "MyFlow")
    Path("my_flow.py").write_text(mine, encoding="utf-8")
    assert graph(load_flow("my_flow.py:MyFlow")).data.name == "MyFlow"


def test_the_orders_in_a_circle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    orders = re.search(r"how long jobs take and how they end:\n\n```json\n(.*?)\n```", README, re.DOTALL)
    assert orders
    (tmp_path / "orders.json").write_text(orders[1], encoding="utf-8")
    args, lines = told("js7")
    monkeypatch.chdir(ROOT)
    result = call(*[str(tmp_path / arg) if arg == "orders.json" else arg for arg in args])
    assert result.exit_code == 1
    assert [line for line in lines if line not in result.stdout.splitlines()] == []


def test_the_way_to_the_first_exercise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = re.search(r"<!-- lab command -->\n *```sh\n *(.*?)\n *```", README, re.DOTALL)
    assert found
    install, _, opens = found[1].partition(" && ")
    assert install == ".venv/bin/pip install -q '.[lab]'"
    program, *args = shlex.split(opens)
    assert program == ".venv/bin/dexpatterns"
    assert call(*args, "--copy-only").exit_code == 0
    first = re.search(r"`(exercises/[\w.-]+\.ipynb)`", README)
    assert first
    folder = Path(args[1])
    assert (folder / "00-start-here.ipynb").is_file()
    assert (folder / first[1]).is_file()
    number = re.search(r"There are (\d+) of them", README)
    assert number
    english = [one for one in folder.glob("exercises/*.ipynb") if ".zh." not in one.name]
    assert int(number[1]) == len(english) == len(exercises.list())


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\((?!https:)([^)]+)\)", README))))
def test_every_link_of_the_readme_leads_somewhere(target: str) -> None:
    assert (ROOT / target).exists()
