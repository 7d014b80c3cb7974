"""The page that is given away: whole by itself, harmless whatever people call things, readable without a script."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from dexpatterns.errors import InputError, RunFileError
from dexpatterns.views import bundle
from dexpatterns.views.page import assets, fragment, page, table
from dexpatterns.views.show import show
from tests.views.test_graph import evil_run
from tests.views.test_show import RUN, SHOW, edits, locks, refuted


class Reader(HTMLParser):
    """A page as a browser reads it: which elements, which attributes, which scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: dict[str, int] = {}
        self.attributes: set[str] = set()
        self.scripts: list[str] = []
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes |= {name for name, _ in attrs}
        self.inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "script":
            self.scripts[-1] += data


def rows(text: str) -> list[list[str]]:
    """The cells of the table's body, as text."""
    body = re.sub(r"<svg.*?</svg>", "", text.partition("<tbody>")[2].partition("</tbody>")[0])
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)]
    return [[re.sub(r"<br>", "; ", re.sub(r"<(?!br)[^>]*>", "", cell)) for cell in row] for row in cells]


# Whole by itself.


def test_a_page_holds_its_show_and_asks_for_nothing() -> None:
    made = page(SHOW)
    read = Reader(made)
    assert json.loads(read.scripts[0]) == SHOW
    assert len(read.scripts) == 2
    assert not {"src", "href", "action", "srcset"} & read.attributes
    assert "default-src 'none'" in made
    addresses = set(re.findall(r"https?://[\w./-]+", made))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\((?!#|\")", bundle.css())


def test_the_page_of_the_contract_edits_is_small() -> None:
    assert len(page(SHOW).encode()) < 300_000


def test_equal_shows_give_the_same_page() -> None:
    assert page(show(edits(should_fail_save={3}))) == page(SHOW)


def test_several_steppers_share_one_script_and_style() -> None:
    css, js = assets()
    parts = fragment(SHOW, "first") + fragment(show(refuted()), "second")
    read = Reader(f"<style>{css}</style>{parts}<script>{js}</script>")
    assert [json.loads(one)["name"] for one in read.scripts[:2]] == ["ContractEditFlow", "EditingFlagInOneStepFlow"]
    assert "mountStepper" in js and "mountStepper" not in parts


# Harmless.


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_that_people_wrote_becomes_a_part_of_the_page(lang: str) -> None:
    harmless, evil = Reader(page(SHOW)), Reader(page(show(evil_run(), lang)))
    assert set(evil.tags) <= set(harmless.tags) | {"polygon"}
    assert evil.tags["script"] == 2
    assert evil.attributes <= harmless.attributes
    assert not {name for name in evil.attributes if name.startswith("on")}


def test_control_and_direction_marks_are_written_as_escapes() -> None:
    made = page(show(evil_run()))
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]", made)
    # Right to left is kept apart, as the sentences have it.
    assert made.encode("utf-8")


def test_what_is_10_000_characters_long_is_cut() -> None:
    """But in the tooltips of the pictures, which have names whole."""
    made = show(evil_run())
    assert "x" * 1000 not in json.dumps({key: part for key, part in made.items() if key not in ("graph", "windows")})
    assert "x" * 1000 not in table(made)


def test_data_in_a_script_cannot_end_it() -> None:
    from dexpatterns.views.page import _inside_script

    text = json.dumps({"a": "</script><!-- <script> &amp; \u2028\u2029"}, ensure_ascii=False)
    inside = _inside_script(text)
    assert not set("<>&\u2028\u2029") & set(inside)
    assert json.loads(inside) == json.loads(text)


def test_half_a_character_can_be_written() -> None:
    from dexpatterns.views.page import _inside_script

    assert json.loads(_inside_script(json.dumps("a\ud800", ensure_ascii=False))) == "a\ud800"


# The table.


def test_every_turn_is_a_row_with_what_happened_and_who_was_inside() -> None:
    found = rows(table(SHOW))
    assert [row[0] for row in found] == [str(turn.number) for turn in RUN.trace.turns]
    for row, told in zip(found, SHOW["told"], strict=True):
        assert told[1] in row[2]
        assert told[3].replace('"', "&quot;") in row[3]
    visits = RUN.intervals()
    for visit in visits.itertuples():
        inside = [int(row[0]) for row in found if visit.label in row[6]]
        assert set(range(int(visit.start_turn), int(visit.end_turn))) <= set(inside)


def test_the_table_says_where_the_token_is_and_marks_failures() -> None:
    found = rows(table(SHOW))
    assert found[1][5] == "in the Channel"
    holders = {row[5] for row in found} - {"–", "in the Channel"}
    assert holders == {f"reviewer-{n}" for n in range(1, 5)}
    failed = [turn for turn, kind in SHOW["marks"] if kind == "fail"]
    assert [int(row[0]) for row in found if row[3].startswith("×")] == failed


def test_the_table_says_how_it_ended_and_what_one_run_is_worth() -> None:
    text = table(SHOW)
    assert "Ended COMPLETED at" in text
    assert "none was broken" in text
    assert "One run shows one order" in text


def test_a_counterexample_prints_its_cause_first() -> None:
    text = table(show(refuted()))
    assert text.index("an old snapshot") < text.index("<table")
    assert "broken at turn 8" in text
    assert "One run shows one order" not in text


@pytest.mark.parametrize(("lang", "heads"), [
    ("en", ["Turn", "Time (s)", "Branch", "What happens", "What changed", "Token", "Inside"]),
    ("zh", ["回合", "时间（秒）", "分支", "发生了什么", "改变了什么", "Token", "段内"]),
])  # fmt: skip
def test_the_heads_are_in_the_language(lang: str, heads: list[str]) -> None:
    assert re.findall(r"<th[^>]*>([^<]*)</th>", table(show(RUN, lang))) == heads


def test_orders_have_a_table_too() -> None:
    text = table(show(locks(check=True)))
    assert [row[1] for row in rows(text)] == ["invoice-1", "reorder-1", "reorder-1", "invoice-1"]
    assert "Inside" not in text


# Saved.


def test_a_run_is_saved_as_its_page(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    RUN.save_html(path)
    assert path.read_text("utf-8") == page(SHOW)
    assert [one.name for one in tmp_path.iterdir()] == ["run.html"]


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.html"
    path.write_text("before", encoding="utf-8")

    def fails(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fails)
    with pytest.raises(RunFileError, match="No space left on device; name a file in a directory"):
        RUN.save_html(path)
    assert [(one.name, one.read_text("utf-8")) for one in tmp_path.iterdir()] == [("run.html", "before")]


@pytest.mark.parametrize(
    ("path", "arguments", "error", "said"),
    [
        (".", {}, RunFileError, "it is a directory; name a file in it"),
        ("no/such/run.html", {}, RunFileError, "No such file or directory"),
        ("run.html", {"lang": "de"}, InputError, "lang: expected 'en' or 'zh'"),
        ("run.html", {"limit": -1}, InputError, "limit: expected a whole number"),
    ],
)
def test_what_cannot_be_saved_is_said(
    tmp_path: Path, path: str, arguments: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        RUN.save_html(tmp_path / path, **arguments)
    assert list(tmp_path.iterdir()) == []
