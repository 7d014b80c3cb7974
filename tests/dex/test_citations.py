"""Every rule that is cited can be read, and every rule that can be read is kept by a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULES = ROOT / "dexpatterns" / "dex" / "rules.md"
CITED = re.compile(r"(?<![\w-])D-(\d+)(a)?(?![\w])")
NUMBERS = [f"D-{n}" for n in range(1, 30)]
ALL = sorted([*NUMBERS, "D-15a", "D-26a", "D-28a"])
SKIPPED = {".venv", ".git", "__pycache__", ".ipynb_checkpoints"}


def rules() -> list[str]:
    return re.findall(r"^### (D-\d+a?) \S", RULES.read_text(encoding="utf-8"), re.MULTILINE)


def texts(*rooms: str, kinds: tuple[str, ...] = (".py", ".md", ".toml")) -> dict[Path, str]:
    found = [path for room in rooms for path in sorted((ROOT / room).rglob("*")) if path.suffix in kinds]
    return {path: path.read_text(encoding="utf-8") for path in found if not SKIPPED & set(path.parts)}


def cited(text: str) -> set[str]:
    """The rules that a text cites; `D-18 to D-20` and `D-18 .. D-20` name those between as well."""
    found = {f"D-{n}{a}" for n, a in CITED.findall(text)}
    for low, high in re.findall(r"D-(\d+)a? (?:to|\.\.|bis|至) D-(\d+)", text):
        found |= {f"D-{n}" for n in range(int(low), int(high) + 1)}
    return found


def test_every_rule_stands_there_once_under_its_number() -> None:
    assert sorted(rules()) == ALL
    assert len(rules()) == len(set(rules()))


def test_every_citation_in_code_catalog_and_tests_resolves() -> None:
    known = set(rules())
    strangers = {
        f"{path.relative_to(ROOT)}: {rule}"
        for path, text in texts("dexpatterns", "catalog", "tests", "notebooks").items()
        for rule in cited(text) - known
        if path != Path(__file__)
    }
    assert strangers == set()


@pytest.mark.parametrize("rule", ALL)
def test_every_rule_is_kept_by_a_test(rule: str) -> None:
    """A test named after it (`test_d16_...`), or for the rules of definitions one that cites it."""
    name = f"test_d{rule[2:]}_"
    in_tests = {path: text for path, text in texts("tests", kinds=(".py",)).items() if path != Path(__file__)}
    named = any(f"def {name}" in text for text in in_tests.values())
    assert named or (rule in NUMBERS[:5] and any(rule in cited(text) for text in in_tests.values()))


@pytest.mark.parametrize("rule", ALL)
def test_every_rule_is_cited_by_the_code_that_keeps_it(rule: str) -> None:
    code = "\n".join(texts("dexpatterns", kinds=(".py",)).values())
    assert rule in cited(code) or rule == "D-25", "what nothing in the code keeps is a promise of nobody"


def test_the_rules_speak_of_nothing_outside_the_project() -> None:
    text = RULES.read_text(encoding="utf-8")
    assert not re.search(r"https?://|shared/|issue|seed page", text, re.IGNORECASE)
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(D-24)", {"D-24"}),
        ("D-26a, D-28a", {"D-26a", "D-28a"}),
        ("rules D-1 to D-3", {"D-1", "D-2", "D-3"}),
        ("id D-12345 and XD-1 and D-1b", {"D-12345"}),
    ],
)
def test_a_citation_is_found_where_it_stands(text: str, found: set[str]) -> None:
    assert cited(text) == found
