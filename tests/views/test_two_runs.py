"""Two runs on one axis: where they stand, who has which colour, what is wrong in each, and where they differ."""

from __future__ import annotations

import inspect
import re
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import dexpatterns
from dexpatterns import catalog, check, compare_runs, js7, mutual_exclusion
from dexpatterns.dex.scenario import Section
from dexpatterns.engine.run import Run
from dexpatterns.engine.trace import Trace
from dexpatterns.errors import InputError
from dexpatterns.views import texts
from dexpatterns.views.swim import renumbered, swim
from tests.handmade import TOKEN, Story, after, critical, edits
from tests.js7.workflows import locked, workflow

SECTION = Section("EditContract", "SaveContractEdit", name="edit", label=lambda edit: edit.reviewer)
SVG = "{http://www.w3.org/2000/svg}"
EVIL = ("</script><script>alert(1)</script>", '"><img onerror=x>', "\u202e李雷\0")
ITEMS = [
    {"TYPE": "Lock", "path": "L"},
    workflow(locked({"TYPE": "Execute.Named", "jobName": "ok"}), path="one"),
    workflow(locked({"TYPE": "Prompt", "question": "'go on?'"}), path="ask"),
]


def run(trace: Trace) -> Run:
    return Run(trace, (SECTION,), (TOKEN,))


def together(*names: str, lose: bool = False) -> Run:
    """All inside at once; with `lose` the first leaves without publishing what it took."""
    story, paths = edits(*names)
    if lose:
        story.begin(paths[0], "wait_for").wait(paths[0], takes=True)
    for path, name in zip(paths, names, strict=False):
        story.begin(path).save(path, ("EditContract", {"reviewer": name}))
    for path in paths[: len(names)]:
        story.begin(after(path))
    if lose:
        story.save(after(paths[0]))
    return run(story.trace())


def orders(*names: str, path: str = "one", seconds: int = 3) -> Run:
    made = js7.Controller(ITEMS)
    for name in names:
        made.add_order(name, path)
    return made.advance(timedelta(seconds=seconds)).run


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314  # it is our own


def drawn(svg: str) -> list[str]:
    return [text.text or "" for text in parsed(svg).iter(f"{SVG}text")]


# Where they stand.


def test_both_stand_on_one_axis() -> None:
    svg = compare_runs(run(critical(4)), run(critical(3))).svg
    places = [
        (text.text, text.get("x")) for text in parsed(svg).iter(f"{SVG}text")
        if text.get("class") == "x" and (text.text or "").isdigit()
    ]  # fmt: skip
    for turn in ("1", "10", "30"):
        (one, other) = (x for said, x in places if said == turn)
        assert one == other, turn


def test_in_text_too_the_same_turn_stands_in_the_same_column() -> None:
    lines = str(compare_runs(run(critical(4)), run(critical(3)))).splitlines()
    (one, other) = (line for line in lines if line.startswith("  turn"))
    assert one.startswith(other[: other.index("30")])


def test_by_time_the_same_moment_stands_in_the_same_place() -> None:
    shown = compare_runs(run(critical(4)), run(critical(3)), by="time")
    places: dict[str, set[str | None]] = {}
    for text in parsed(shown.svg).iter(f"{SVG}text"):
        if (text.text or "").endswith(" s"):
            places.setdefault(text.text or "", set()).add(text.get("x"))
    assert {"1 s", "2 s", "4 s"} <= set(places)
    assert all(len(found) == 1 for found in places.values())
    assert max(map(texts.width, str(shown).splitlines())) <= 100


def test_without_a_clock_it_is_turns_and_says_so() -> None:
    shown = compare_runs(run(critical(2)), run(critical(2, clock=False)), by="time")
    assert shown.words()[-1] == "by turns: one of the two runs has no virtual time"
    assert "by turns: one of the two runs has no virtual time" in drawn(shown.svg)
    assert "by turns" not in str(compare_runs(run(critical(2)), run(critical(2, clock=False))))


@pytest.mark.parametrize("by", ["turns", "time"])
def test_of_long_runs_both_show_the_window_in_which_they_begin_to_differ(by: str) -> None:
    one, other = run(critical(60)), run(critical(60, rounds=20))
    shown = compare_runs(one, other, by=by)
    turn = shown.difference.turn if shown.difference else 0
    assert turn > 100
    assert len(shown.svg.encode()) < 120_000
    frames = [box for box in parsed(shown.svg).iter(f"{SVG}rect") if box.get("class") == "i"]
    assert len({box.get("x") for box in frames}) == 1
    assert frames


# Who is who.


def test_a_branch_of_both_has_the_same_number_and_colour() -> None:
    svg = compare_runs(together("ann", "bob"), together("bob", "ann", "cy")).svg
    found: dict[str, set[tuple[str | None, str | None]]] = {}
    for lane in parsed(svg).iter(f"{SVG}g"):
        if lane.get("data-lane"):
            badge, name = list(lane.iter(f"{SVG}text"))[:2]
            found.setdefault(name.text or "", set()).add((badge.text, lane.get("class")))
    assert found["ann"] == {("1", "fa")}
    assert found["bob"] == {("2", "fb")}
    assert found["cy"] == {("3", "fc")}


def test_who_has_no_namesake_keeps_its_number_where_nobody_has() -> None:
    one, other = (swim(together(*names).trace, SECTION, ()) for names in (("a", "b"), ("c", "d")))
    assert [lane.number for lane in renumbered(other, one).lanes] == [0, 1, 2, 0]
    mixed = swim(together("d", "b", "e").trace, SECTION, ())
    assert [lane.number for lane in renumbered(mixed, one).lanes] == [0, 3, 2, 4, 0]


def test_an_overlap_is_named_by_the_shared_numbers() -> None:
    svg = compare_runs(together("ann", "bob", "cy"), together("cy", "bob")).svg
    assert "2 and 3 both inside" in drawn(svg)


# What is wrong.


def test_the_verdict_of_each_is_told_below_it() -> None:
    text = str(compare_runs(run(critical(3)), together("ann", "bob", lose=True)))
    good, bad = text.split("\nB: ContractEditFlow")
    assert "no two branches were inside edit at once" in good
    assert "the token is back in contractEditToken" in good
    assert "2 inside edit at once" in bad
    assert "1 of contractEditToken lost" in bad
    zh = str(compare_runs(run(critical(3)), together("ann", "bob", lose=True), lang="zh"))
    assert "token 已回到 contractEditToken" in zh
    assert "contractEditToken 的 1 个 token 已丢失" in zh


def test_a_counterexample_names_the_property_that_it_breaks() -> None:
    pattern, anti = catalog.load("critical-section"), catalog.load("is-editing-flag")
    found = [
        check(
            one.flow, one.make_input(reviewers=2), sections=[one.section],
            properties=[mutual_exclusion(one.section)],
        )
        for one in (pattern, anti)
    ]  # fmt: skip
    good, bad = found[0].witness, found[1].counterexample
    assert good is not None
    assert bad is not None
    shown = compare_runs(good, bad)
    assert str(shown).endswith("breaks: at most one inside contract edit")
    assert str(shown).count("breaks:") == 1
    assert "打破了：contract edit 段内至多 1 个分支" in drawn(compare_runs(good, bad, lang="zh").svg)
    assert "reads False" in drawn(shown.svg)


# Where they differ.


def test_the_first_difference_is_told_in_words() -> None:
    shown = compare_runs(run(critical(4)), run(critical(3)))
    assert shown.difference is not None
    assert shown.difference.turn == 2
    assert shown.words()[0] == "the first difference is in turn 2"
    assert shown.words()[1].startswith("A: start: StartContractEdits saves")
    assert compare_runs(run(critical(4)), run(critical(3)), lang="zh").words()[0] == "第一处不同在第 2 回合"


def test_a_run_that_ends_earlier_is_told_so() -> None:
    whole = critical(2)
    short = whole._replace(turns=whole.turns[:5])
    assert compare_runs(run(short), run(whole)).words()[0] == "the first 5 turns are the same; A ends there, B goes on"
    assert compare_runs(run(whole), run(short)).words()[0] == "the first 5 turns are the same; B ends there, A goes on"


def test_the_same_run_twice_has_no_difference() -> None:
    shown = compare_runs(run(critical(2)), run(critical(2)))
    assert shown.difference is None
    assert shown.words() == ["both runs are the same, turn by turn"]
    assert not [box for box in parsed(shown.svg).iter(f"{SVG}rect") if box.get("class") == "i"]


# JS7.


def test_two_runs_of_orders_share_axis_names_and_colours() -> None:
    shown = compare_runs(orders("a", "b"), orders("b", "c", "a", seconds=2))
    rows = [line for line in str(shown).splitlines() if "  L  |" in line]
    assert [row[0] for row in rows] == ["a", "b", "b", "c", "a"]
    assert len({row.index("|") for row in rows}) == 1
    badges: dict[str, set[str | None]] = {}
    for lane in parsed(shown.svg).iter(f"{SVG}g"):
        if lane.get("data-lane"):
            badge, name = list(lane.iter(f"{SVG}text"))[:2]
            badges.setdefault(name.text or "", set()).add(badge.text)
    assert badges == {"a": {"1"}, "b": {"2"}, "c": {"3"}}
    assert shown.words()[0] == "the first difference is in turn 1"


@pytest.mark.parametrize("by", ["turns", "time"])
def test_of_orders_it_says_what_is_still_held_or_waited_for(by: str) -> None:
    text = str(compare_runs(orders("a", "b"), orders("a", "b", path="ask"), by=by))
    assert "every lock was released, nobody waits" in text
    assert "still held at the end, 1: a L" in text
    assert "still waited for at the end, 1: b L" in text
    assert "到最后仍占有，1 处：a L" in str(compare_runs(orders("a"), orders("a", path="ask"), lang="zh"))


# What is refused.


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"b": orders("a")}, "expected two runs of Flows or two of JS7 orders, got one of a Flow and one of JS7"),
        ({"a": orders("a")}, "got one of JS7 orders and one of a Flow"),
        ({"b": "run.json"}, "expected a Run as B, got str"),
        ({"a": None}, "expected a Run as A, got NoneType"),
        ({"by": "seconds"}, "by: expected 'turns' or 'time', got 'seconds'"),
        ({"lang": "fr"}, "lang: expected 'en' or 'zh', got 'fr'"),
        ({"section": "nobody's"}, "no section \"nobody's\" in this run"),
        ({"limit": 0}, "limit: expected a whole number of 1 or more, got 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused_with_what_was_expected(others: dict[str, Any], said: str) -> None:
    asked: dict[str, Any] = {"a": run(critical(1)), "b": run(critical(1)), **others}
    with pytest.raises(InputError, match=re.escape(said)):
        compare_runs(**asked)


# Harmless, and the same always.


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("by", ["turns", "time"])
def test_what_people_wrote_is_shown_and_never_obeyed(lang: str, by: str) -> None:
    for shown in (
        compare_runs(together(*EVIL), together(EVIL[1], EVIL[0]), lang=lang, by=by),
        compare_runs(orders(*EVIL[:2]), orders(EVIL[1]), lang=lang, by=by),
    ):
        svg = shown.svg
        parsed(svg)
        assert not re.search(r"<script|<img|[\u202a-\u202e]|https?://(?!www\.w3\.org/2000/svg)", svg)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\u202a-\u202e]", str(shown))


@pytest.mark.parametrize("width", [10, 48, 80, 200])
@pytest.mark.parametrize("by", ["turns", "time"])
def test_no_line_is_wider_than_asked(width: int, by: str) -> None:
    pairs = [
        (run(critical(3)), together("ann", "bob")), (run(Story().trace()), run(critical(1))), (orders("a"), orders()),
    ]  # fmt: skip
    for one, other in pairs:
        lines = compare_runs(one, other, by=by).text(width).splitlines()
        assert max(map(texts.width, lines)) <= max(width, 48)


def test_a_notebook_gets_the_picture_and_always_text_without_addresses() -> None:
    pair = (run(critical(2)), together("ann", "bob"))
    shown = compare_runs(*pair)
    assert shown._repr_html_() == shown.svg == compare_runs(*pair).svg
    assert repr(shown) == str(shown) == shown.text()
    assert "0x" not in repr(shown)
    assert parsed(shown.svg).get("aria-label", "").startswith("two runs on one axis")


def test_it_is_a_name_of_the_package() -> None:
    assert "compare_runs" in dexpatterns.__all__
    assert dexpatterns.compare_runs is compare_runs
    assert list(inspect.signature(compare_runs).parameters)[:5] == ["a", "b", "section", "lang", "by"]
