"""Swim lanes: text and picture say the same of a run, show what people wrote harmlessly, and stay small."""

from __future__ import annotations

import cProfile
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from dexpatterns import Faults, Simulation, catalog
from dexpatterns.dex import events as ev
from dexpatterns.dex.scenario import Section
from dexpatterns.engine.run import Run
from dexpatterns.engine.trace import Trace
from dexpatterns.engine.values import freeze
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


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_name_of_10_000_characters_is_cut_everywhere(lang: str) -> None:
    line = lines_of(both_inside("x" * 10_000, "ann"), lang=lang)
    for shown in (line.svg, line.panel((1, 8), 628), str(line)):
        assert "x" * 201 not in shown


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


# The window of a stepper.


@pytest.mark.parametrize("width", [200, 480, 628, 2000])
@pytest.mark.parametrize("reviewers", [1, 4, 7, 8, 30, 60])
def test_windows_cover_the_run_and_have_40_to_80_turns_where_one_is_not_enough(reviewers: int, width: int) -> None:
    line = lines_of(critical(reviewers))
    turns = line.marks.turns
    cut = line.windows(width)
    assert [turn for low, high in cut for turn in range(low, high + 1)] == list(range(1, turns + 1))
    assert len(cut) == 1 or all(40 <= high - low + 1 <= 80 for low, high in cut)


def test_one_window_is_enough_where_the_columns_are_wide_enough() -> None:
    assert lines_of(critical(7)).windows(628) == [(1, 71)]
    assert len(lines_of(critical(8)).windows(480)) == 2
    assert lines_of(Story().trace()).windows(628) == [(1, 1)]


def test_a_panel_says_where_each_turn_stands() -> None:
    panel = parsed(lines_of(critical(9)).panel((41, 80), 628))
    said = {name: float(panel.get(f"data-{name}", "nan")) for name in ("first", "last", "x", "column", "top", "bottom")}
    assert (said["first"], said["last"]) == (41, 80)
    assert said["x"] + 40 * said["column"] <= 628
    bars = [(mark, box) for mark in panel.iter(f"{SVG}g") if mark.get("data-turn") for box in mark.iter(f"{SVG}rect")]
    assert len(bars) > 20
    for mark, box in bars:
        first, last = int(mark.get("data-a", "")), int(mark.get("data-b", ""))
        low = said["x"] + (max(first, 41) - 41) * said["column"]
        high = said["x"] + (min(last, 80) - 40) * said["column"]
        assert low <= float(box.get("x", "")) + 0.2
        assert float(box.get("x", "")) + float(box.get("width", "")) <= high + 0.2
        assert said["top"] <= float(box.get("y", "")) <= said["bottom"]


def test_a_panel_is_lanes_alone_and_every_lane_says_its_place() -> None:
    line = lines_of(critical(4))
    svg = line.panel((1, 44), 628)
    assert "<style" not in svg
    assert ".dxp .ny" in line.STYLE
    assert "virtual time" not in svg
    assert "failed attempt" not in {text.text for text in parsed(svg).iter(f"{SVG}text")}
    lanes = [lane for lane in parsed(svg).iter(f"{SVG}g") if lane.get("data-lane")]
    assert [int(lane.get("data-lane", "")) for lane in lanes] == list(range(len(line.marks.lanes)))
    edges = [float(lane.get("data-y", "")) for lane in lanes]
    heights = [float(lane.get("data-h", "")) for lane in lanes]
    assert [y + h for y, h in zip(edges, heights, strict=True)][:-1] == edges[1:]


@pytest.mark.parametrize(
    ("reviewers", "asked", "high"),
    [
        (8, None, 56), (9, None, 32), (20, None, 32), (21, None, 20), (40, None, 20),
        (8, 400, 32), (8, 200, 20), (3, 999, 56),
    ],
)  # fmt: skip
def test_lanes_are_lower_the_more_there_are_or_the_less_room(reviewers: int, asked: int | None, high: int) -> None:
    panel = parsed(lines_of(critical(reviewers)).panel((1, 60), 628, height=asked))
    lanes = [lane for lane in panel.iter(f"{SVG}g") if lane.get("class") == "fa" and lane.get("data-lane")]
    assert {lane.get("data-h") for lane in lanes} == {str(high)}


def test_a_panel_stays_small() -> None:
    line = lines_of(critical(20))
    assert max(len(line.panel(window, 628).encode()) for window in line.windows(628)) < 40_000


def test_of_more_than_forty_lanes_a_panel_draws_those_that_matter_and_says_so() -> None:
    panel = lines_of(critical(300)).panel((1188, 1228), 900)
    assert "7 of 300 branches drawn as lanes" in "".join(parsed(panel).itertext())


# At a turn.


def outlines(svg: str) -> set[str]:
    """The tooltips of the marks that are drawn as "not yet", whole."""
    marks = [mark for mark in parsed(svg).iter(f"{SVG}g") if mark.get("data-a") is not None]
    return {
        title.text or ""
        for mark in marks
        for title in mark.findall(f"{SVG}title")
        if [part.get("class") for part in mark.findall(f"{SVG}g")] == ["ny"]
    }


def test_what_comes_after_the_turn_is_an_outline_and_the_turn_is_framed() -> None:
    svg = Run(critical(4), (SECTION,), (TOKEN,)).timeline("edit", at=29).svg
    later = outlines(svg)
    assert "the token of contractEditToken goes to reviewer-4; turn 37, 3.7 s" in later
    assert "reviewer-4: inside edit; turns 40 to 41, 4 s – 4.1 s" in later
    assert "the token of contractEditToken goes to reviewer-3; turn 26, 2.6 s" in titles(svg)
    assert "the token of contractEditToken goes to reviewer-3; turn 26, 2.6 s" not in later
    (frame,) = (box for box in parsed(svg).iter(f"{SVG}rect") if box.get("class") == "i")
    boxed = [text.text for text in parsed(svg).iter(f"{SVG}text") if text.get("class") == "g"]
    assert "29" in boxed
    assert float(frame.get("width", "")) > 6
    assert "not yet" in "".join(parsed(svg).itertext())


def test_a_mark_that_reaches_over_the_turn_is_cut_there() -> None:
    svg = lines_of(critical(4), at=29).svg
    (clip, rest) = (one for one in parsed(svg).iter(f"{SVG}clipPath"))
    ids = {one.get("id") for one in (clip, rest)}
    (waits,) = (
        mark for mark in parsed(svg).iter(f"{SVG}g")
        if (mark.findtext(f"{SVG}title") or "").startswith("reviewer-4: waits for")
    )  # fmt: skip
    parts = waits.findall(f"{SVG}g")
    assert [part.get("class") for part in parts] == [None, "ny"]
    assert {part.get("clip-path", "")[5:-1] for part in parts} == ids


def test_at_the_start_nothing_has_happened_and_at_the_end_everything() -> None:
    trace = critical(2)
    start, end = lines_of(trace, at=0), lines_of(trace, at=len(trace.turns))
    assert not [box for box in parsed(start.svg).iter(f"{SVG}rect") if box.get("class") == "i"]
    marks = [mark for mark in parsed(start.svg).iter(f"{SVG}g") if mark.get("data-turn")]
    assert all([part.get("class") for part in mark.findall(f"{SVG}g")] == ["ny"] for mark in marks)
    assert not outlines(end.svg)
    assert "not yet" not in str(end)


def test_text_lanes_mark_the_turn_and_what_is_not_yet() -> None:
    lines = str(lines_of(critical(4), at=29)).splitlines()
    assert lines[0].endswith("; after turn 29 of 44")
    (mark,) = (line for line in lines if "this turn" in line)
    lanes = [line for line in lines if "reviewer-" in line]
    edge = mark.rindex("^") + 1
    assert {c for line in lanes for c in line[edge:]} <= {" ", ":"}
    assert not any(":" in line[:edge] for line in lanes)
    assert ": not yet" in lines[-2]


@pytest.mark.parametrize("at", [-1, 45, 1.0, True, "3"])
def test_a_turn_that_the_run_has_not_is_refused(at: Any) -> None:
    with pytest.raises(InputError, match=r"at: expected a turn from 0 \(the start\) to 44 \(the last\)"):
        lines_of(critical(4), at=at)


def test_a_long_run_is_shown_around_its_current_turn() -> None:
    assert "Turns 1974 to 2053 of 2708" in "".join(parsed(lines_of(critical(300), at=2000).svg).itertext())


# Attributes.


def flag(*values: Any, clock: bool = False, names: int = 1) -> Trace:
    """Two read the Attribute, then both write a value of their own, and are inside."""
    story, (a, b, _) = edits("ann", "bob", clock=clock)
    old, new = (freeze(value) for value in values or (False, True))
    reads = tuple((f"flag{n}", old) for n in range(names))
    for path in (a, b):
        story.turn("begin", path, ev.Began(path, "EnterContractEdit", "execute", 1, (*reads, ("size of q", 3)), ()))
    for path, before in ((a, old), (b, new)):
        story.save(path, ("EditContract", {"reviewer": "x"}))
        last = story.turns[-1]
        change = ev.AttributeChanged(path, "EnterContractEdit", "flag0", before, new)
        story.turns[-1] = last._replace(events=(*last.events, change))
    return story.trace()


def test_who_read_and_who_wrote_an_attribute_is_known() -> None:
    (one,) = swim(flag(), None, ()).tags
    assert one.name == "flag0"
    assert [(touch.turn, touch.lane, touch.writes) for touch in one.touches] == [
        (3, 1, False), (4, 2, False), (5, 1, True), (6, 2, True)
    ]  # fmt: skip
    assert [(first, last, str(held.text if held else None)) for first, last, held in one.spans(8)] == [
        (1, 5, "false"), (6, 6, "true"), (7, 8, "true")
    ]  # fmt: skip


def test_an_attribute_has_a_lane_of_values_reads_and_writes() -> None:
    line = lines_of(flag())
    said = titles(line.svg)
    for told in ("ann reads flag0 = False", "bob writes flag0 = True", "flag0 = False"):
        assert told in said
    drawn = [text.text for text in parsed(line.svg).iter(f"{SVG}text")]
    assert drawn.count("reads False") == 2
    assert "read at begin (snapshot)" in drawn
    row, touched = str(line).splitlines()[2:4]
    assert row.split()[:2] == ["flag0", "[False"]
    assert touched.split() == ["r1", "r2", "w1", "w2"]
    assert "开始时读到（快照）" in str(lines_of(flag(), lang="zh"))


def test_what_is_written_on_the_lanes_covers_no_other_words() -> None:
    flag = catalog.load("is-editing-flag")
    run = flag.claims["one-step-lets-two-in"].ask(2).counterexample
    svg = parsed(run.timeline().panel((1, 8), 628))
    words = [one for one in svg.iter() if one.tag.endswith("text") and one.get("class") in ("xa", "v")]
    boxes = []
    for one in words:
        said, x, y = one.text or "", float(one.get("x", 0)), float(one.get("y", 0))
        wide = texts.pixels(said, 11 if one.get("class") == "v" else 10)
        left = x - wide / 2 if one.get("text-anchor") == "middle" else x
        boxes.append((said, left, left + wide, y - 9, y + 3))
    assert {said for said, *_ in boxes} == {"reads False", "writes True", "1 and 2 both inside"}
    right = max(float(one.get("x", 0)) + float(one.get("width", 0)) for one in svg.iter() if one.get("class") == "z")
    for n, (said, left, end, top, bottom) in enumerate(boxes):
        assert end <= right, said
        for other, left2, end2, top2, bottom2 in boxes[n + 1 :]:
            assert end <= left2 or end2 <= left or bottom <= top2 or bottom2 <= top, (said, other)


@pytest.mark.parametrize(
    "trace", [flag(clock=True), flag(names=5), critical(4, clock=False)], ids=["clock", "five", "none"]
)
def test_attributes_have_no_lane_where_there_is_a_clock_or_too_many_or_none(trace: Trace) -> None:
    assert not swim(trace, None, ()).tags
    assert "reads" not in lines_of(trace).svg


@pytest.mark.parametrize("value", ["</text><script>", "\u202e" * 50, {"a": ["x" * 10_000]}, None, "李雷" * 40])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_values_of_attributes_are_shown_short_and_harmlessly(value: Any, lang: str) -> None:
    line = lines_of(flag(value, value), lang=lang)
    for shown in (line.svg, str(line)):
        assert "<script" not in line.svg
        assert "\u202e" not in shown
        assert len(shown) < 30_000
    parsed(line.svg)
    assert max(map(texts.width, str(line).splitlines())) <= 100


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
