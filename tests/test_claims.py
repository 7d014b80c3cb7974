"""A claim is run, judged in all that it says, and told; one that is broken is a row, and the others go on."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from dexpatterns import audit, catalog
from dexpatterns.claims import ABOUT, COLUMNS, Claim, Measure, Verified, faults, judge, placeholders, verify
from dexpatterns.dex import check, token_conserved
from dexpatterns.engine.properties import never, never_stuck
from dexpatterns.engine.report import Bounds, Report, Verdict
from dexpatterns.errors import InputError
from dexpatterns.views import compare as view
from dexpatterns.views.texts import width

SECTION, LOST = catalog.load("critical-section"), catalog.load("lost-token")


def proves(reviewers: int = 2) -> Report:
    return check(SECTION.flow, SECTION.make_input(reviewers), properties=[never_stuck()])


def breaks(reviewers: int = 2) -> Report:
    edits = LOST.make_input(reviewers, withdrawn=(1,))
    return check(LOST.flow, edits, properties=[token_conserved(LOST.token)], tokens=[LOST.token])


def cuts() -> Report:
    return check(SECTION.flow, SECTION.make_input(2), bounds=Bounds(states=5))


def interrupts() -> Report:
    def stop(_state: dict[str, Any]) -> bool:
        raise KeyboardInterrupt

    return check(SECTION.flow, SECTION.make_input(2), properties=[never("seen", stop)])


def audits() -> Any:
    return audit(SECTION.flow, SECTION.make_input(1), SECTION.section, token=SECTION.token)


def audits_lost() -> Any:
    return audit(LOST.flow, LOST.make_input(2, withdrawn=(1,)), LOST.section, token=LOST.token)


def proved(ask: Callable[..., Any] = proves, **more: Any) -> Claim:
    return Claim(ask=ask, verdict=Verdict.PROVED, about=more.pop("about", "stuck"), **more)


def refuted(ask: Callable[..., Any] = breaks, **more: Any) -> Claim:
    return Claim(ask=ask, verdict=Verdict.REFUTED, about=more.pop("about", "lost token"), **more)


def measured(figure: float = 90, **more: Any) -> Measure:
    return Measure(ask=lambda: figure, about="waiting", unit="s", **more)


# One claim.


@pytest.mark.parametrize(
    ("claim", "expected", "found"),
    [
        (proved(), "PROVED", "PROVED"),
        (proved(outcomes=2), "PROVED, 2 final outcomes", "PROVED, 2 final outcomes"),
        (proved(given={"reviewers": 1}, outcomes=1), "PROVED, 1 final outcomes", "PROVED, 1 final outcomes"),
        (refuted(turns=8), "REFUTED in 8 turns", "REFUTED in 8 turns: one token in contractEditToken: lost by EditC"),
        (refuted(broken="one token in contractEditToken: lost"), "REFUTED: one token in", "REFUTED in 8 turns"),
        (Claim(ask=cuts, verdict=Verdict.BOUNDED, about="stuck"), "BOUNDED", "BOUNDED"),
        (proved(audits, ways=4), "PROVED, 4 ways out give the token back", "PROVED, 4 ways out give the token back"),
        (
            refuted(audits_lost, broken="lost: early exit, EditContract", turns=8),
            "REFUTED in 8 turns: lost: early exit, EditContract",
            "REFUTED in 8 turns: lost: early exit, EditContract",
        ),
        (measured(at_least=90), "at least 90 s", "90 s"),
        (measured(at_least=1, at_most=90), "at least 1 and at most 90 s", "90 s"),
    ],
    ids=str,
)  # fmt: skip
def test_a_claim_that_is_met_holds(claim: Claim | Measure, expected: str, found: str) -> None:
    judged = judge(claim)
    assert judged.holds
    assert judged.expected.startswith(expected)
    assert judged.found.startswith(found)


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        (proved(breaks), "REFUTED in 8 turns: one token"),
        (refuted(proves), "PROVED"),
        (proved(cuts), "BOUNDED"),
        (refuted(turns=7), "REFUTED in 8 turns"),
        (refuted(broken="one token in contractEditToken: doubled"), "REFUTED in 8 turns: one token in"),
        (refuted(broken="never stuck"), "REFUTED in 8 turns: one token"),
        (refuted(cause="no such kind of cause"), "REFUTED in 8 turns"),
        (proved(outcomes=3), "PROVED, 2 final outcomes"),
        (proved(audits, ways=3), "PROVED, 4 ways out"),
        (proved(audits_lost), "REFUTED in 8 turns: lost: early exit, EditContract"),
        (measured(at_least=90.5), "90 s"),
        (measured(at_most=89), "90 s"),
        (measured(float("nan"), at_least=0), "nan s"),
    ],
    ids=str,
)  # fmt: skip
def test_a_claim_that_is_not_met_says_what_was_found(claim: Claim | Measure, found: str) -> None:
    judged = judge(claim)
    assert not judged.holds
    assert judged.found.startswith(found)
    (row,) = verify({"one": {"en": "x", "zh": "x"}}, {"one": claim})
    assert (row.holds, row.verdict) == (False, judged.found)


def test_what_was_found_is_told_in_chinese_too() -> None:
    assert judge(refuted(turns=8), "zh").found.startswith("REFUTED，8 回合：one token")
    assert judge(measured(at_least=1), "zh").expected == "至少 1 s"


def test_the_run_behind_a_claim_can_be_looked_at() -> None:
    assert len(judge(refuted()).run.trace.turns) == 8
    assert judge(proved()).run.status.name == "COMPLETED"
    assert len(judge(refuted(audits_lost)).run.trace.turns) == 8


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: proved(about="everything"), "about 'everything': expected one or more of overlap, lost token"),
        (lambda: proved(about=()), r"about \(\)"),
        (lambda: proved(about=("stuck", "sound")), "sound"),
        (lambda: proved("check"), "expected a function that asks, got 'check'"),
        (lambda: Claim(ask=proves, verdict="PROVED", about="stuck"), "expected a Verdict, got 'PROVED'"),  # type: ignore[arg-type]
        (lambda: proved(turns=3), "PROVED has none"),
        (lambda: proved(broken="never stuck"), "PROVED has none"),
        (lambda: proved(given={"states": 3}), "given 'states': that name stands for what is found"),
        (lambda: proved(given=[("reviewers", 3)]), "given: expected arguments of ask by name"),
        (measured, "expected a bound, got none"),
    ],
)
def test_a_claim_that_cannot_be_meant_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_an_answer_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="gave True; expected a Report or an Audit"):
        judge(proved(lambda: True))


# Sentences.


@pytest.mark.parametrize(
    ("claim", "sentence", "said"),
    [
        (proved(), "It is {verdict}.", "It is PROVED."),
        (proved(given={"reviewers": 1}), "For {reviewers}: {verdict}", "For 1: PROVED"),
        (refuted(), "{verdict} in {turns} turns", "REFUTED in 8 turns"),
        (proved(outcomes=2), "{outcomes} ends", "2 ends"),
        (proved(audits, ways=4), "{ways} ways", "4 ways"),
        (measured(12.5, at_least=3, at_most=20.25), "{figure} from {at_least} to {at_most}", "12.5 from 3 to 20.25"),
        (proved(), "{{verdict}} is {verdict}", "{verdict} is PROVED"),
        (proved(), "no number at all", "no number at all"),
    ],
    ids=str,
)
def test_the_numbers_of_a_sentence_are_those_of_the_report(claim: Claim | Measure, sentence: str, said: str) -> None:
    for lang in ("en", "zh"):
        (row,) = verify({"one": {lang: sentence}}, {"one": claim}, lang)
        assert (row.sentence, row.holds) == (said, True)


def test_many_states_are_grouped() -> None:
    (row,) = verify({"one": {"en": "{states} states"}}, {"one": proved(given={"reviewers": 4})})
    assert row.states is not None and row.states > 1_000
    assert row.sentence == f"{row.states:,} states"


WRONG: list[tuple[str, Any, str]] = [
    ("{figure}", proved(), "unknown placeholder {figure}; expected {verdict}, {states}"),
    ("{turns}", proved(), "unknown placeholder {turns}"),
    ("{reviewers}", proved(), "unknown placeholder {reviewers}"),
    ("{states}", measured(at_least=1), "unknown placeholder {states}; expected {figure}, {at_least}"),
    ("{at_most}", measured(at_least=1), "unknown placeholder {at_most}"),
    ("{states.__class__}", proved(), "unknown placeholder {states.__class__}"),
    ("{states!r}", proved(), "unknown placeholder {states!r}"),
    ("{states:>99999999}", proved(), "unknown placeholder {states:>99999999}"),
    ("{}", proved(), "unknown placeholder {}"),
    ("{0}", proved(), "unknown placeholder {0}"),
    ("{verdict", proved(), "a brace that is not closed: '{verdict'"),
    ("verdict}", proved(), "a brace that is not closed: 'verdict}'"),
    ("x", 3, "expected Claim(...) or Measure(...) in CLAIMS, got 3"),
    ("x", proves, "expected Claim(...) or Measure(...) in CLAIMS, got <function proves"),
]


@pytest.mark.parametrize(("sentence", "claim", "message"), WRONG, ids=[str(one[0]) for one in WRONG])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_sentence_that_does_not_fit_its_claim_is_a_fault(sentence: str, claim: Any, message: str, lang: str) -> None:
    sentences = {"one": {"en": "fine", "zh": "fine", lang: sentence}}
    assert faults(sentences, {"one": claim})["one"].startswith(message)
    ran = False

    def ask() -> Report:
        nonlocal ran
        ran = True
        return proves()

    if isinstance(claim, Claim):
        claim = proved(ask)
    rows = list(verify({"zero": {"en": "x", "zh": "x"}, **sentences}, {"zero": proved(), "one": claim}))
    assert [row.holds for row in rows] == [True, False]
    assert rows[1].verdict.startswith(message)
    assert not ran, "its sentence could not be told, whatever the answer"


def test_a_claim_needs_a_sentence_and_a_sentence_a_claim() -> None:
    sentences = {"said": {"en": "x", "zh": "y"}, "both": {"en": "x", "zh": "y"}}
    claims = {"both": proved(), "claimed": proved()}
    rows = {row.claim: row for row in verify(sentences, claims)}
    assert list(rows) == ["said", "both", "claimed"]
    assert [row.holds for row in rows.values()] == [False, True, False]
    assert rows["said"].verdict.startswith("no claim 'said' in CLAIMS")
    assert rows["claimed"].verdict.startswith("no sentence for 'claimed'; write [claims.claimed] in pattern.toml")
    assert faults(sentences, claims, "zh")["said"].startswith("CLAIMS 中没有 'said'")


def test_what_may_stand_in_braces_follows_from_the_claim() -> None:
    assert placeholders(proved(given={"reviewers": 2})) == ("verdict", "states", "reviewers")
    assert placeholders(refuted()) == ("verdict", "states", "turns")
    assert placeholders(proved(audits, ways=4, outcomes=2)) == ("verdict", "states", "outcomes", "ways")
    assert placeholders(measured(at_most=2)) == ("figure", "at_most")


# All claims of a folder.


def raises(error: BaseException) -> Callable[..., Report]:
    def ask() -> Report:
        raise error

    return ask


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (raises(ValueError("a\nb")), "error: ValueError: a b"),
        (raises(SystemExit(3)), "error: SystemExit: 3"),
        (raises(RecursionError("x" * 1_000)), "error: RecursionError: xxx"),
        (lambda: 3, "error: InputError: a claim's ask gave 3"),
        (lambda reviewers: proves(), "error: TypeError: "),
        (lambda: check(SECTION.flow, 3), "error: "),
    ],
)
def test_a_claim_whose_code_raises_does_not_hold_and_the_others_go_on(ask: Callable[..., Any], words: str) -> None:
    sentences = {name: {"en": "{verdict} for {n}", "zh": "{verdict} {n}"} for name in ("first", "broken", "last")}
    good = proved(lambda n: proves(n + 1), given={"n": 1})

    def with_n(n: int) -> Any:
        return ask()

    rows = list(verify(sentences, {"first": good, "broken": proved(with_n, given={"n": 1}), "last": good}))
    assert [row.holds for row in rows] == [True, False, True]
    assert rows[1].verdict.startswith(words)
    assert len(rows[1].verdict) <= 320 and "\n" not in rows[1].verdict
    assert rows[1].sentence == "? for 1"


def test_an_interrupted_search_ends_the_verifying() -> None:
    sentences = {name: {"en": "x", "zh": "x"} for name in ("one", "two")}
    rows = verify(sentences, {"one": proved(), "two": proved(interrupts)})
    assert next(rows).holds
    with pytest.raises(KeyboardInterrupt):
        next(rows)


def test_verify_is_a_table() -> None:
    seen: list[tuple[str, int, int]] = []
    table = LOST.verify(progress=lambda *told: seen.append(told))
    assert tuple(table.columns) == COLUMNS
    assert COLUMNS == ("claim", "sentence", "about", "expected", "verdict", "holds", "states", "turns", "seconds")
    assert list(table["claim"]) == list(LOST.sentences)
    assert table["holds"].all()
    assert set(table["verdict"]) == {"PROVED", "REFUTED"}
    assert [str(kind) for kind in table.dtypes[["holds", "states", "turns", "seconds"]]] == [
        "bool", "Int64", "Int64", "float64",
    ]  # fmt: skip
    assert seen == [(f"lost-token: {name}", n, len(LOST.sentences)) for n, name in enumerate(LOST.sentences)]
    assert list(table.set_index("claim").loc["token-lost", ["verdict", "turns"]]) == ["REFUTED", 8]
    assert "REFUTED in 8 turns" in table.set_index("claim").loc["token-lost", "sentence"]


def test_verify_speaks_chinese_and_nothing_else() -> None:
    table = catalog.load("lock-across-steps").verify("zh")
    assert "5 个回合即 REFUTED" in table["sentence"].iloc[0]
    with pytest.raises(InputError, match="lang: expected 'en' or 'zh', got 'fr'"):
        catalog.load("lock-across-steps").verify("fr")


def test_a_figure_is_verified_with_its_unit() -> None:
    table = catalog.load("long-section").verify().set_index("claim")
    assert list(table.loc["tenth-waits", ["expected", "verdict"]]) == ["at least 90 s", "90 s"]
    assert table.loc["tenth-waits", ["states", "turns"]].isna().all()
    assert table.loc["token-conserved", "about"] == "lost token, second token"


# The comparison's forms.


def standing(verdict: str, turns: int | None = None, holds: bool = True) -> view.Standing:
    return view.Standing("one", verdict, turns, holds)


@pytest.mark.parametrize(
    ("standings", "cell", "zh"),
    [
        ([], "", ""),
        ([standing("PROVED")], "proved", "已证明"),
        ([standing("PROVED"), standing("REFUTED", 12), standing("REFUTED", 8)], "broken in 8 turns", "8 回合打破"),
        ([standing("REFUTED")], "broken", "被打破"),
        ([standing("REFUTED", 8), standing("PROVED", holds=False)], "not verified", "未验证"),
        ([standing("", holds=False)], "not verified", "未验证"),
        ([standing("BOUNDED")], "not verified", "未验证"),
        ([standing("")], "within its bounds", "在界限内"),
        ([standing(""), standing("PROVED")], "proved", "已证明"),
    ],
)
def test_a_cell_is_the_worst_of_what_was_verified(standings: list[view.Standing], cell: str, zh: str) -> None:
    lines = [view.Line("a", "pattern", "A", {"overlap": standings})]
    assert view.table(lines).iloc[0, 2] == cell
    assert view.table(lines, "zh").iloc[0, 2] == zh


HOSTILE = "=1+1|<script>alert(1)</script>\n# *x* `y` [z](http://q) \x1b[31m\u202e 合同"


def hostile_table() -> Any:
    lines = [
        view.Line("one", "pattern", HOSTILE, {"overlap": [standing("REFUTED", 12)], "stuck": [standing("PROVED")]}),
        view.Line("two", "anti-pattern", "plain", {"fair": [standing("PROVED", holds=False)]}),
    ]
    return view.table(lines)


def test_a_title_is_data_in_every_form() -> None:
    table = hostile_table()
    for form in view.FORMATS:
        text = view.write(table, form)
        assert "\x1b" not in text or form == "csv", "CSV keeps what a program will read"
    text, markdown, html = (view.write(table, form) for form in ("text", "markdown", "html"))
    assert "\u202e" not in text + markdown + html
    assert len(markdown.splitlines()) == 4
    assert "\\|\\<script\\>" in markdown and "\\[z\\]\\(http" in markdown
    assert "<script>" not in html and "&lt;script&gt;" in html
    rows = list(csv.reader(io.StringIO(view.write(table, "csv"))))
    assert [len(row) for row in rows] == [12, 12, 12]
    assert rows[1][1] == "'" + HOSTILE


def test_the_html_table_is_whole_and_says_breaking_in_words_too() -> None:
    tags: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: Any) -> None:
            tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            tags.append("/" + tag)

    html = view.write(hostile_table(), "html")
    Reader().feed(html)
    assert all(tags.count(tag) == tags.count("/" + tag) for tag in ("table", "thead", "tbody", "tr", "th", "td"))
    assert (tags.count("tr"), tags.count("td")) == (3, 22)
    assert '<td class="broken">broken in 12 turns</td>' in html
    assert '<td class="open">not verified</td>' in html
    assert 'lang="zh-Hans"' in view.write(view.table([], "zh"), "html")


def test_the_text_table_stands_in_columns_also_in_chinese() -> None:
    lines = [view.Line("one", "pattern", "合同", {"overlap": [standing("REFUTED", 123)], "fair": [standing("PROVED")]})]
    written = view.write(view.table(lines, "zh"), "text").splitlines()
    (rule,) = [line for line in written if line.startswith("---")]
    starts = [i for i, sign in enumerate(rule) if sign == "-" and (i == 0 or rule[i - 1] == " ")]
    assert len(starts) == 12
    assert all(line == line.rstrip() and width(line) <= width(rule) for line in written)
    (row,) = [line for line in written if line.startswith("one")]
    assert width(row[: row.index("已证明")]) == starts[-1]


def test_an_unknown_form_or_language_is_refused() -> None:
    with pytest.raises(InputError, match="expected one of text, markdown, csv, html, got 'pdf'"):
        view.write(hostile_table(), "pdf")
    with pytest.raises(InputError, match="'fr'"):
        view.table([], "fr")


def test_a_column_of_the_comparison_is_something_to_claim() -> None:
    assert tuple(view.HEADINGS) == ABOUT[: len(view.HEADINGS)]
    assert Verified._fields[: len(COLUMNS)] == COLUMNS
