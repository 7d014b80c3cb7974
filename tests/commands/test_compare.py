"""`compare`: the table of a catalog's patterns, in each form, with what could not be told on stderr."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from dexpatterns import catalog
from tests.commands.calling import call, data

WRONG = """
from dexpatterns.claims import Claim
from dexpatterns.engine.report import Verdict
print("from world.py")
INPUT = []
def make_input(reviewers): return []
CLAIMS = {"wrong": Claim(ask=lambda: 1 / 0, verdict=Verdict.PROVED, about="overlap")}
"""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pattern whose claims are met, one whose claim raises, and one whose code does."""
    folder = tmp_path_factory.mktemp("catalog")
    (folder / "attribute-lock").symlink_to(catalog.load("attribute-lock").path)
    card = 'id = "{id}"\nkind = "anti-pattern"\ntitle = {{en = "=<b>", zh = "b"}}\nsummary = {{en = "a", zh = "b"}}\n'
    claim = '[claims.wrong]\nen = "a"\nzh = "b"\n'
    for id, flow in (("wrong", ""), ("broken", "raise ValueError('no')")):
        (folder / id).mkdir()
        (folder / id / "pattern.toml").write_text(card.format(id=id) + claim, encoding="utf-8")
        (folder / id / "flow.py").write_text(flow, encoding="utf-8")
        (folder / id / "world.py").write_text(WRONG, encoding="utf-8")
    return folder


def test_the_table_says_what_was_proved_and_names_what_could_not_be_run(shelf: Path) -> None:
    result = call("compare", "--catalog", shelf)
    assert result.exit_code == 0
    rows = {line.split()[0]: line for line in result.stdout.splitlines() if line.strip()}
    assert "proved" in rows["attribute-lock"]
    assert "not" in rows["wrong"]
    assert "from world.py" not in result.stdout
    notes = [line for line in result.stderr.splitlines() if line.startswith("note: ")]
    assert len(notes) == 1
    assert notes[0].startswith("note: broken: ")
    assert "ValueError: no" in notes[0]
    found = data("compare", "--catalog", shelf)
    assert found["attribute-lock"]["overlap"][0]["verdict"] == "PROVED"
    assert found["wrong"]["overlap"][0]["holds"] is False


def test_each_form_of_it(shelf: Path) -> None:
    told = {form: call("compare", "--catalog", shelf, "--format", form).stdout for form in ("markdown", "csv", "html")}
    assert told["markdown"].startswith("| id | name | kind | one at a time |")
    assert r"=\<b\>" in told["markdown"]
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(told["csv"]))}
    assert rows["attribute-lock"]["one at a time"] == "proved"
    assert rows["wrong"]["name"] == "'=<b>", "no formula"
    assert told["html"].startswith("<table")
    assert "=&lt;b&gt;" in told["html"]
    assert "<b>" not in told["html"]
    assert "已证明" in call("compare", "--catalog", shelf, "--lang", "zh").stdout
