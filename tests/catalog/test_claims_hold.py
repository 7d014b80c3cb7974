"""Every claim of every folder is run; anti-patterns fail as they say, and their repairs keep what they break."""

from __future__ import annotations

import itertools
import math
import re
import string
from typing import Any

import pytest

from dexpatterns import catalog, claims
from dexpatterns.claims import ABOUT, Claim, Measure
from dexpatterns.engine.report import Verdict
from dexpatterns.views import compare as view

PATTERNS = {pattern.id: pattern for pattern in catalog.patterns()}
ALL = [(pattern.id, name) for pattern in PATTERNS.values() for name in pattern.sentences]


def claim_of(id: str, name: str) -> Any:
    return PATTERNS[id].claims[name]


@pytest.mark.parametrize(("id", "name"), ALL, ids=str)
def test_a_claim_holds_and_its_sentence_says_what_was_found(id: str, name: str) -> None:
    pattern, claim = PATTERNS[id], claim_of(id, name)
    (row,) = claims.verify({name: pattern.sentences[name]}, {name: claim}, asking=pattern.asked)
    assert row.holds, f"{row.sentence}\nexpected {row.expected}, got {row.verdict}"
    assert "{" not in row.sentence and "?" not in row.sentence
    judged = row.judged
    assert judged is not None
    for name, value in judged.values.items():
        if "{%s}" % name in pattern.sentences[row.claim]["en"]:  # noqa: UP031  # braces in an f-string are hard to read
            assert value in row.sentence
    if isinstance(claim, Claim):
        assert claim.verdict is not Verdict.BOUNDED
        assert row.states is not None and row.states <= 5_000, "a claim is a small check"
        assert (row.turns is None) == (claim.verdict is Verdict.PROVED)


@pytest.mark.parametrize("id", PATTERNS)
def test_sentences_and_claims_have_the_same_names(id: str) -> None:
    assert list(PATTERNS[id].claims) == list(PATTERNS[id].sentences)
    assert claims.faults(PATTERNS[id].sentences, PATTERNS[id].claims) == {}


@pytest.mark.parametrize(("id", "name"), ALL, ids=str)
def test_a_sentence_says_the_same_in_both_languages(id: str, name: str) -> None:
    """The verdict and the bounds within which it was found: no number is typed in, none is left out in one language."""
    claim, words = claim_of(id, name), PATTERNS[id].sentences[name]
    named = {lang: [one[1] for one in string.Formatter().parse(text) if one[1]] for lang, text in words.items()}
    assert sorted(named["en"]) == sorted(named["zh"])
    expected = {"figure"} if isinstance(claim, Measure) else {"verdict"}
    if isinstance(claim, Claim) and claim.turns is not None:
        expected.add("turns")
    assert expected | set(claim.given) <= set(named["en"])
    for text in words.values():
        assert not any(sign.isdigit() for sign in text)
    filled = claims._filled(words["zh"], dict.fromkeys(named["zh"], "1"))
    glued = [a + b for a, b in itertools.pairwise(filled) if {_kind(a), _kind(b)} == {"zh", "latin"}]
    assert not glued


def _kind(sign: str) -> str:
    return "zh" if "\u4e00" <= sign <= "\u9fff" else "latin" if sign.isascii() and sign.isalnum() else ""


@pytest.mark.parametrize(("id", "name"), ALL, ids=str)
def test_what_is_broken_is_said_to_the_turn(id: str, name: str) -> None:
    claim = claim_of(id, name)
    if isinstance(claim, Claim) and claim.verdict is Verdict.REFUTED:
        assert claim.turns is not None and claim.broken
    else:
        assert getattr(claim, "turns", None) is None


# Anti-patterns and their repairs.


def kept(id: str) -> set[str]:
    """What is proved or stays within its bounds, and broken nowhere in the same folder."""
    good = {about for claim in PATTERNS[id].claims.values() if _is_kept(claim) for about in claims.subjects(claim)}
    return good - broken(id)


def broken(id: str) -> set[str]:
    found = [claim for claim in PATTERNS[id].claims.values() if not claim.aside]
    bad = [
        claim for claim in found
        if (claim.at_least is not None if isinstance(claim, Measure) else claim.verdict is Verdict.REFUTED)
    ]  # fmt: skip
    return {about for claim in bad for about in claims.subjects(claim)}


def _is_kept(claim: Any) -> bool:
    if claim.aside:
        return False
    return claim.at_most is not None if isinstance(claim, Measure) else claim.verdict is Verdict.PROVED


ANTI_PATTERNS = [id for id, pattern in PATTERNS.items() if pattern.kind == "anti-pattern"]
SAFETY = {*ABOUT[:7], "state"}
"""All columns up to "spans Steps": what is let in, lost, doubled, stuck or does not survive."""


@pytest.mark.parametrize("id", ANTI_PATTERNS)
def test_an_anti_pattern_breaks_something_and_each_repair_keeps_some_of_it(id: str) -> None:
    wrong = broken(id)
    assert wrong
    for repair in PATTERNS[id].repaired_by:
        assert wrong & kept(repair), repair


@pytest.mark.parametrize("id", ANTI_PATTERNS)
def test_the_repairs_together_keep_all_that_is_unsafe(id: str) -> None:
    together = set().union(*(kept(repair) for repair in PATTERNS[id].repaired_by))
    assert (broken(id) & SAFETY) - together == set()


def test_everything_that_is_said_of_the_critical_section_is_claimed() -> None:
    named = {about for claim in PATTERNS["critical-section"].claims.values() for about in claims.subjects(claim)}
    assert named == set(ABOUT) - {"holds n", "state"}


@pytest.mark.parametrize(
    ("id", "pairs"),
    [
        (
            "is-editing-flag",
            [
                ("two-steps-let-two-in", "two-steps-no-later-for-three"),
                ("one-step-lets-two-in", "one-step-no-later-for-three"),
            ],
        ),
        ("second-token", [("two-inside", "no-later-for-three")]),
    ],
)
def test_three_reviewers_need_as_many_turns_as_two(id: str, pairs: list[tuple[str, str]]) -> None:
    for pair in pairs:
        two, three = (claim_of(id, name) for name in pair)
        assert (two.given, three.given) == ({"reviewers": 2}, {"reviewers": 3})
        assert two.turns == three.turns


@pytest.mark.parametrize(
    ("id", "name"), [("critical-section", "late-code-overlaps"), ("work-in-handoff", "late-code-overlaps")]
)
def test_late_code_is_told_from_saved_work(id: str, name: str) -> None:
    """D-10, D-29: the overlap is with code that was given up, and in what is saved there is none."""
    run = PATTERNS[id].judged(name).run
    assert run.overlaps().empty
    (late,) = run.overlaps(late=True)["late"]
    assert late


@pytest.mark.parametrize("reviewers", [1, 2, 3])
def test_every_order_of_records_is_an_outcome(reviewers: int) -> None:
    """D-16: as many final outcomes as there are orders, in each of which every edit has its record."""
    report = claim_of("critical-section", "every-order-seen").ask(reviewers)
    orders = {tuple(map(int, re.findall(r"'id': 'edit-(\d)'", outcome))) for outcome in report.outcomes}
    assert orders == set(itertools.permutations(range(1, reviewers + 1)))
    assert len(orders) == len(report.outcomes) == math.factorial(reviewers)


def test_another_value_of_the_token_gives_the_very_same_answer() -> None:
    """D-3: nobody reads it. The Flows differ in what the start publishes, and every state is met in both."""
    world = PATTERNS["critical-section"].world
    usual, other = world.ask(3, *world.USUAL), world.another_token(3)
    assert (usual.results, usual.states, usual.transitions, usual.outcomes) == (
        other.results, other.states, other.transitions, other.outcomes,
    )  # fmt: skip


# The comparison.


def test_no_row_of_the_comparison_is_empty_in_either_language() -> None:
    english, chinese = catalog.compare(), catalog.compare("zh")
    assert list(english.index) == list(chinese.index) == list(PATTERNS)
    assert not (english.iloc[:, 2:] == "").all(axis=1).any()
    assert not (english.iloc[:, 2:] == "").all(axis=0).any()
    assert ((english.iloc[:, 2:] == "").to_numpy() == (chinese.iloc[:, 2:] == "").to_numpy()).all()
    for table in (english, chinese):
        assert table.attrs["problems"] == {}
        assert not table.isin(["not verified", "未验证"]).any(axis=None)
    assert list(english["kind"].unique()) == ["pattern", "anti-pattern"]
    assert list(chinese["种类"].unique()) == ["模式", "反模式"]
    assert list(chinese["名称"]) == [pattern.title("zh") for pattern in PATTERNS.values()]
    assert list(english.columns[2:]) == [en for en, _ in view.HEADINGS.values()]
    assert list(chinese.columns[2:]) == [zh for _, zh in view.HEADINGS.values()]


def test_the_comparison_says_of_each_what_its_page_is_about() -> None:
    cells = catalog.compare()
    cells.columns = [*cells.columns[:2], *view.HEADINGS]

    def of(id: str) -> dict[str, str]:
        return {about: cell for about, cell in cells.loc[id].iloc[2:].items() if cell}

    assert of("critical-section") == {
        **dict.fromkeys(
            ["overlap", "lost token", "second token", "stuck", "survives failure", "survives cancel", "spans Steps"],
            "proved",
        ),
        "fair": "broken in 8 turns",
    }
    assert of("is-editing-flag") == {"overlap": "broken in 8 turns", "stuck": "proved"}
    assert of("semaphore")["overlap"] == "broken in 12 turns"
    assert of("semaphore")["holds n"] == "proved"
    assert of("lock-across-steps") == {"overlap": "broken in 5 turns", "spans Steps": "broken in 5 turns"}
    # The Flow without the lock stands beside the pattern for contrast, and is not what is compared.
    assert of("attribute-lock")["overlap"] == "proved"


def test_the_verdicts_behind_a_cell_are_kept() -> None:
    verdicts = catalog.compare().attrs["verdicts"]
    assert verdicts["lost-token"]["stuck"] == [
        {"claim": "others-stuck", "verdict": "REFUTED", "turns": 12, "holds": True}
    ]
    assert set(view.HEADINGS) <= set(ABOUT[: len(view.HEADINGS)])
