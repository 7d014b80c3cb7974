"""The catalog's pages: both languages, each generated part that of today's reports, each link and entry alive."""

from __future__ import annotations

import re

import pytest

from dexpatterns import catalog
from dexpatterns.claims import Claim
from dexpatterns.dex import Channel
from dexpatterns.engine.report import Verdict
from dexpatterns.engine.texts import LANGUAGES
from dexpatterns.pages import FILES, fill, problems_of, read
from dexpatterns.pages.index import INDEXES, index
from dexpatterns.pages.markers import fences, markers

PATTERNS = {pattern.id: pattern for pattern in catalog.patterns()}
MEND = "run `python -m dexpatterns.pages`"


def test_every_folder_is_usable() -> None:
    assert catalog.problems(run=True) == ()


@pytest.mark.parametrize("id", PATTERNS)
def test_a_folder_has_its_pages_and_nothing_is_wrong_with_them(id: str) -> None:
    """Headings, both languages alike, markers, links, issue references."""
    assert problems_of(PATTERNS[id]) == ()


@pytest.mark.parametrize("id", PATTERNS)
def test_every_generated_part_is_that_of_the_reports(id: str) -> None:
    for lang in LANGUAGES:
        text = read(PATTERNS[id], lang)
        assert fill(PATTERNS[id], text, lang) == text, MEND


def parts(id: str, lang: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.kind, one.args) for one in markers(read(PATTERNS[id], lang))]


@pytest.mark.parametrize("id", PATTERNS)
def test_both_languages_show_the_same_parts(id: str) -> None:
    assert sorted(parts(id, "en")) == sorted(parts(id, "zh"))


@pytest.mark.parametrize("id", PATTERNS)
def test_a_page_shows_what_there_is_to_show(id: str) -> None:
    """A shortest counterexample of an anti-pattern; of a pattern, the ways out of the section, or who held which lock.

    A ChannelMap has a token for each key, and no audit of its own.
    """
    pattern, kinds = PATTERNS[id], {kind for kind, _ in parts(id, "en")}
    broken = [one for one in pattern.claims.values() if isinstance(one, Claim) and one.verdict is Verdict.REFUTED]
    if pattern.kind == "anti-pattern" and any(not one.aside for one in broken):
        assert "story" in kinds
    if pattern.kind == "pattern" and pattern.form == "js7":
        assert "holds" in kinds
    elif pattern.kind == "pattern" and isinstance(pattern.token, Channel):
        assert "ways-out" in kinds


@pytest.mark.parametrize("id", PATTERNS)
def test_both_languages_cite_the_same_faults(id: str) -> None:
    cited = [sorted(re.findall(r"https://[^\s)]+", fences(read(PATTERNS[id], lang)))) for lang in LANGUAGES]
    assert cited[0] == cited[1]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_index_is_that_of_the_folders(lang: str) -> None:
    assert (catalog.root() / INDEXES[lang]).read_text(encoding="utf-8") == index(lang), MEND


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_index_has_every_folder_and_no_dead_entry(lang: str) -> None:
    text = (catalog.root() / INDEXES[lang]).read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)]+)\)", text))
    pages = {f"{id}/{FILES[lang]}" for id in PATTERNS}
    assert linked - {INDEXES["zh" if lang == "en" else "en"]} == pages
    assert [page for page in pages if not (catalog.root() / page).is_file()] == []
    assert text.count("\n## ") == 5
    for pattern in PATTERNS.values():
        assert text.count(f"]({pattern.id}/{FILES[lang]})") >= 2, "in a list and in the comparison"
        for other in (*pattern.repairs, *pattern.repaired_by):
            assert other in PATTERNS
    side_by_side = text.rpartition("\n## ")[2]
    pairs = {(one.id, other) for one in PATTERNS.values() for other in one.repaired_by}
    rows = re.findall(r"^\| \[[^\]]+\]\(([^/]+)/.*?\]\(([^/]+)/page[^|]*\| [^|]*\|$", side_by_side, re.MULTILINE)
    assert set(rows) == pairs
