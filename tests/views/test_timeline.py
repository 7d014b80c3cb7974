"""Swim lanes: text and picture say the same of a run, show what people wrote harmlessly, and stay small."""

from __future__ import annotations

import cProfile
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from dexpatterns import Faults, Simulation, catalog
from dexpatterns.dex.scenario import Section
from dexpatterns.engine.run import Run
from dexpatterns.engine.trace import Trace
from dexpatterns.errors import InputError
from dexpatterns.views import palette, texts
from dexpatterns.views.counting import counts
from dexpatterns.views.swim import CHANNEL, swim
from dexpatterns.views.timeline import Timeline
from tests.handmade import TOKEN, Story, after, critical, edits

SECTION = Section("EditContract", "SaveContractEdit", name="edit", label=lambda edit: edit.reviewer)
SVG = "{http://www.w3.org/2000/svg}"
EVIL = ("<script>alert(1)</script>", "../../x", "李雷 👩‍💻", 'a"&<b>\x1b[31m\u202e\0', "@@")


def lines_of(trace: Trace, section: Any = SECTION, **more: Any) -> Timeline:
    return Timeline(trace, section, (TOKEN,), **more)


def both_inside(*names: str) -> Trace:
    story, paths = edits(*names, clock=False)
    for path, name in zip(paths, names, strict=False):
        story.begin(path).save(path, ("EditContract", {"reviewer": name}))
    for path in paths[: len(names)]:
        story.begin(after(path))
    return story.trace()


def every_mark() -> Trace:
    """A lost, a late, a cancelled, a failed and a running attempt, and a second token that gets lost."""
    story, (a, b, c, d, _) = edits("a", "b", "c", "d")
    story.begin(a, "wait_for").begin(b, "wait_for").wait(a, takes=True).wait(b)
    story.begin(a).fail(a, how="lost").begin(a, attempt=2).save(a, ("EditContract", {"reviewer": "a"}))
    story.begin(after(a)).fail(after(a), how="late").begin(c).fail(c).begin(d)
    story.save(d, publish=TOKEN, takes=(b,)).begin(after(a), attempt=2).begin(c, attempt=2)
    story.begin(b).save(b, ("EditContract", {"reviewer": "b"})).begin(after(b)).end_late(after(a))
    story.save(c, cancel=((after(b), "running"),), attempt=2)
    return story.trace()


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314  # it is our own


# Text.


def test_the_lanes_as_text() -> None:
    assert (
        str(lines_of(critical(4)))
        == """\
ContractEditFlow, seed 7: COMPLETED after 44 turns, 4.4 s of virtual time
  turn               1   5    10   15   20   25   30   35   40
  contractEditToken    ooooo1----------o2-----o3---------o4---ooo
  start              [=
1 reviewer-1           -----     [=[#[#
2 reviewer-2            -----...........[=[#[#
3 reviewer-3             -----.................[=[#[x[x[=
4 reviewer-4              -----...........................[=[#
  join                         --..............................[=
  time               0.1s     1s        2s        3s        4s

. waiting   - wait_for   = execute   # execute inside the section   x failed attempt
o token in its Channel   2-- held by that branch
no two branches were inside edit at once"""
    )


def test_few_turns_get_wide_columns_with_names() -> None:
    text = lines_of(both_inside("ann", "bob")).text(80)
    assert "[Enter====" in text
    assert "2 inside edit at once, turn 8: ann, bob" in text
    (bob,) = (line for line in text.splitlines() if line.startswith("2 bob"))
    assert bob.endswith("XXXXX")


def test_an_overlap_is_told_in_words_and_in_chinese() -> None:
    text = lines_of(both_inside("ann", "bob", "cy"), lang="zh").text()
    assert "3 个分支同时在 edit 段内，第 10 至 11 回合：ann、bob、cy" in text


def test_three_of_whom_two_at_a_time_were_inside_are_not_called_three() -> None:
    story, (a, b, c, _) = edits("a", "b", "c")
    for path, name in ((a, "a"), (b, "b"), (c, "c")):
        story.begin(path).save(path, ("EditContract", {"reviewer": name}))
    story.begin(after(a)).begin(after(b)).save(after(a)).begin(after(c)).save(after(b)).save(after(c))
    (zone, second) = swim(story.trace(), SECTION, ()).zones
    assert (zone.first, zone.last, zone.most, second.most) == (10, 10, 2, 2)


def test_what_a_limit_allows_is_no_overlap() -> None:
    trace = both_inside("a", "b", "c")
    two = lines_of(trace, limit=2).text()
    assert "3 inside edit at once, turn 11: a, b, c" in two
    assert "X more than 2 inside at once" in two
    three = lines_of(trace, limit=3)
    assert "never more than 3 branches were inside edit at once" in str(three)
    assert "X" not in str(three)
    assert "#dx" not in re.sub(r"<defs>.*</defs>", "", three.svg)
    with pytest.raises(InputError, match="limit: expected a whole number of 1 or more, got 0"):
        lines_of(trace, limit=0)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [10, 48, 80, 100, 200])
@pytest.mark.parametrize(
    "trace", [critical(4), critical(60), every_mark(), both_inside(*EVIL), Story().trace()],
    ids=["four", "sixty", "marks", "evil", "nothing"],
)  # fmt: skip
def test_no_line_is_wider_than_asked(trace: Trace, width: int, lang: str) -> None:
    lines = lines_of(trace, lang=lang).text(width).splitlines()
    assert max(map(texts.width, lines)) <= max(width, 48)
    assert all(line == line.rstrip() for line in lines)


def test_columns_stay_aligned_behind_wide_characters() -> None:
    rows = lines_of(both_inside("李雷", "ann")).text(60).splitlines()
    marks = [texts.width(row[: row.index("[")]) for row in rows if "[Enter" in row]
    per_turn = (marks[1] - marks[0]) // 2
    assert marks[1] - marks[0] == 2 * per_turn > 0


def test_of_many_turns_several_share_a_column_and_of_many_branches_some_are_drawn() -> None:
    text = lines_of(critical(60)).text()
    assert "each column is 8 turns" in text
    assert "38 of 60 branches drawn as lanes" in text
    assert "3 reviewer-3" in text, "the one that failed is drawn"


def test_a_second_token_has_a_row_of_its_own_and_its_loss_a_mark() -> None:
    rows = lines_of(every_mark()).text().splitlines()
    first = next(i for i, row in enumerate(rows) if TOKEN in row)
    assert "o1" in rows[first]
    assert rows[first + 1].strip().startswith("2--")
    assert rows[first + 1].endswith("x")


def test_the_marks_of_every_way_that_an_attempt_ends() -> None:
    text = str(lines_of(every_mark()))
    for mark in ("! lost with its worker", "& given up, its code runs on", "/ cancelled", "x failed", "~ before the"):
        assert mark in text


# Harmless.


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_people_wrote_is_shown_and_never_obeyed(lang: str) -> None:
    line = lines_of(both_inside(*EVIL), lang=lang)
    assert "<script" not in line.svg
    for shown in (str(line), line.svg, line._repr_html_()):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069]", shown)
    said = "".join(parsed(line.svg).itertext())
    for name in ("<script>alert(1)</script>", "李雷 👩‍💻", 'a"&<b>\\x1b[31m\\u202e\\x00', "@@"):
        assert name in said


def test_the_picture_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    svg = lines_of(every_mark()).svg
    assert set(re.findall(r"https?://[^\"' ]*", svg)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(script|foreignObject|image|use|a)\b|\bon\w+=|@import|javascript:", svg)
    assert set(re.findall(r"url\(([^)]*)\)", svg)) <= {f"#{id_}" for id_ in re.findall(r'<pattern id="([^"]*)"', svg)}


# Picture.


def test_the_same_run_gives_the_same_bytes_and_other_runs_other_ids() -> None:
    one, other = lines_of(critical(4)).svg, lines_of(critical(5)).svg
    assert one == lines_of(critical(4)).svg
    ids = [set(re.findall(r'id="([^"]*)"', svg)) for svg in (one, other)]
    assert not ids[0] & ids[1]


def test_every_style_rule_stands_under_the_picture_alone() -> None:
    style = parsed(lines_of(critical(2)).svg).find(f"{SVG}style")
    assert style is not None
    assert style.text is not None
    for selector in re.findall(r"([^{}]+)\{", re.sub(r"@media[^{]*\{", "", style.text)):
        assert ".dxp" in selector


def titles(svg: str) -> list[str]:
    return [title.text or "" for title in parsed(svg).iter(f"{SVG}title")]


def test_tooltips_say_who_what_and_when() -> None:
    said = titles(lines_of(critical(4)).svg)
    failed = "reviewer-3: SaveContractEdit, attempt 1 of 2, failed attempt: ContractEditError: save failed"
    assert f"{failed}; turns 31 to 32, 3.1 s – 3.2 s" in said
    assert "reviewer-2: waits for one message of contractEditToken; turns 9 to 19, 0.9 s – 1.9 s" in said
    assert "reviewer-1: inside edit; turns 15 to 18, 1.5 s – 1.8 s" in said
    assert "the token of contractEditToken goes to reviewer-4; turn 37, 3.7 s" in said
    assert "reviewer-3 gives the token back to contractEditToken; turn 36, 3.6 s" in said


def test_the_picture_names_itself_for_who_does_not_see_it() -> None:
    root = parsed(lines_of(both_inside("ann", "bob")).svg)
    assert root.get("role") == "img"
    assert root.get("aria-label", "").endswith("inside edit at once, turn 8: ann, bob")


def test_an_overlap_is_hatched_over_the_lanes_concerned_and_named() -> None:
    svg = lines_of(both_inside("ann", "bob")).svg
    hatched = [rect for rect in parsed(svg).iter(f"{SVG}rect") if "x)" in rect.get("style", "")]
    assert len(hatched) == 2, "one over both lanes, one in the legend"
    assert "1 and 2 both inside" in "".join(parsed(svg).itertext())
    assert "3 inside at once" in "".join(parsed(lines_of(both_inside("a", "b", "c")).svg).itertext())


def test_a_long_run_is_an_overview_and_a_window_that_one_may_choose() -> None:
    line = lines_of(critical(300))
    said = "".join(parsed(line.svg).itertext())
    assert "10 of 300 branches drawn as lanes" in said
    assert "Turns 597 to 676 of 2708" in said
    assert "290 waiting" in said
    assert "Turns 2000 to 2059 of 2708" in "".join(parsed(line.picture((2000, 2059))).itertext())


@pytest.mark.parametrize("reviewers", [3, 20, 40, 300])
def test_a_picture_stays_small(reviewers: int) -> None:
    assert len(lines_of(critical(reviewers)).svg.encode()) < 60_000


def test_a_picture_of_many_that_are_all_inside_stays_small_and_draws_the_violation() -> None:
    svg = lines_of(both_inside(*map(str, range(300)))).svg
    assert len(svg.encode()) < 120_000
    assert "300 inside at once" in "".join(parsed(svg).itertext())


def test_an_empty_run_says_that_nothing_has_happened() -> None:
    line = lines_of(Story().trace())
    assert "nothing has happened yet" in str(line)
    assert "nothing has happened yet" in "".join(parsed(line.svg).itertext())


def test_lanes_need_neither_section_nor_token() -> None:
    line = Timeline(critical(2))
    assert "EnterContractEdit-1" in str(line)
    assert "at once" not in str(line)
    assert "EnterContractEdit-2" in "".join(parsed(line.svg).itertext())


def test_the_palette_keeps_its_contrast() -> None:
    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for theme in (palette.LIGHT, palette.DARK):
        page = light(theme["page"])
        for name in ("text", "quiet", "frame", "a", "b", "c", "d", "s", "fail"):
            high, low = sorted((light(theme[name]), page), reverse=True)
            assert (high + 0.05) / (low + 0.05) > 4.5, name


def test_a_language_that_is_not_spoken_is_refused() -> None:
    with pytest.raises(InputError, match="lang"):
        Run(critical(1)).timeline(lang="fr")


# The marks behind both.


def test_the_way_of_a_token_goes_from_hand_to_hand() -> None:
    (way,) = swim(critical(4), SECTION, (TOKEN,)).ways
    assert [(hop.turn, hop.place, hop.why) for hop in way.hops[:4]] == [
        (2, CHANNEL, "published"), (7, 1, "taken"), (18, CHANNEL, "given"), (19, 2, "taken"),
    ]  # fmt: skip
    assert way.end == 44


def test_branches_without_a_lane_are_counted_by_phase() -> None:
    marks = swim(critical(5), SECTION, (TOKEN,))
    branches = {i for i, lane in enumerate(marks.lanes) if lane.kind == "branch"}
    found = counts(marks, branches, 1, marks.turns)
    assert [sum(row[turn - 1] for row in found.values()) for turn in (1, 2, 20, marks.turns)] == [0, 5, 5, 5]
    assert found["ended"][-1] == 5
    assert found["waiting"][19] == 4


def test_the_cost_follows_the_trace() -> None:
    """Counted in calls, which are the same on every machine: ten times the branches are about ten times the calls."""

    def calls(reviewers: int) -> int:
        line = lines_of(critical(reviewers))
        profile = cProfile.Profile()
        profile.runcall(lambda: (line.svg, str(line)))
        return sum(entry.callcount for entry in profile.getstats())

    assert calls(2_000) < 12 * calls(200)


def test_d10_code_that_runs_on_is_drawn_to_the_end_of_its_own_attempt() -> None:
    flow = catalog.load("critical-section").flow
    input = catalog.load("critical-section").make_input(reviewers=1)
    simulation = Simulation(flow, input, faults=Faults(late_attempts=2))
    edit = "EditContract.execute"
    for move in ("begin", "commit"):
        simulation.take(f"{move} StartContractEdits.execute 0.0")
    for move in ("begin EnterContractEdit.wait_for", "commit EnterContractEdit.wait_for"):
        simulation.take(f"{move} 0.1.0.0")
    for move in ("begin EnterContractEdit.execute 0.1.0.0", "commit EnterContractEdit.execute 0.1.0.0"):
        simulation.take(move)
    for move in (f"begin {edit}", f"late {edit}", f"retry {edit}", f"late {edit}"):
        simulation.take(f"{move} 0.1.0.1")
    newest = [choice for choice in simulation.choices if choice.kind == "end"][-1]
    simulation.take(newest)
    runs = swim(simulation.run.trace, None, ()).late
    assert [(run.first, run.last) for run in runs] == [(11, 11), (9, 11)]
