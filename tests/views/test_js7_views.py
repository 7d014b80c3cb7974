"""A run of JS7 orders as tables and as lanes, and kept in a file: it says who held what, when, and who waited."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from dexpatterns import js7
from dexpatterns.engine.run import Run, load_run
from dexpatterns.errors import InputError, RunFileError
from dexpatterns.js7.events import EVENTS as JS7_EVENTS
from dexpatterns.views import js7_frames, vocabulary
from dexpatterns.views.js7_text import MOST_LANES, Lanes
from tests.js7.workflows import locked, workflow

SVG = "{http://www.w3.org/2000/svg}"
EXECUTE = {"TYPE": "Execute.Named", "jobName": "ok"}
PROMPT = {"TYPE": "Prompt", "question": "'go on?'"}
LOCKS = [{"TYPE": "Lock", "path": "L", "limit": 3}, {"TYPE": "Lock", "path": "M"}]


def share(count: int) -> dict[str, Any]:
    return locked(EXECUTE, demands=[{"lockPath": "L", "count": count}])


ITEMS = [
    *LOCKS, workflow(share(2), path="two"), workflow(share(3), path="three"), workflow(locked(EXECUTE), path="alone"),
    workflow(locked(PROMPT), path="ask"),
]  # fmt: skip


def a_run() -> Run:
    """a holds 2 of L for a second, b then all of it, c asks a person under it; d is taken out of its wait."""
    made = js7.Controller(ITEMS).add_order("a", "two").add_order("b", "alone").add_order("c", "ask")
    return made.add_order("d", "three").advance(timedelta(seconds=3)).cancel("d").run


def tried() -> Run:
    """A run without a clock."""
    found = js7.check(ITEMS, [js7.Order("a", "two"), js7.Order("b", "alone")]).witness
    assert found is not None
    return found


def test_who_held_what_with_which_weight_and_who_waited() -> None:
    frame = a_run().intervals("L")
    rows = [
        (row.order, row.what, None if pd.isna(row.weight) else row.weight, row.outcome) for row in frame.itertuples()
    ]
    assert rows == [
        ("a", "held", 2, "released"), ("b", "waited", None, "granted"), ("c", "waited", None, "granted"),
        ("d", "waited", 3, "given up"), ("b", "held", None, "released"), ("c", "held", None, "open"),
    ]  # fmt: skip
    assert list(frame["start"].dt.total_seconds()) == [0, 0, 0, 0, 1, 2]
    assert list(frame["end"].dt.total_seconds())[:5] == [1, 1, 2, 3, 2]
    assert pd.isna(frame["end"].iloc[5])


def test_one_lock_or_all_by_path_or_as_it_is() -> None:
    run = a_run()
    assert run.intervals("M").empty
    assert run.intervals().equals(run.intervals("L"))
    assert run.intervals(js7.Lock("L", 3)).equals(run.intervals("L"))
    with pytest.raises(InputError, match="unknown lock 'l'; did you mean 'L'"):
        run.intervals("l")


@pytest.mark.parametrize("empty", [False, True])
def test_columns_and_dtypes_are_the_same_always(empty: bool) -> None:
    run = js7.Controller(ITEMS).run if empty else a_run()
    for frame, columns in ((run.events(), js7_frames.EVENTS), (run.intervals(), js7_frames.INTERVALS)):
        assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == columns
        assert frame.empty is empty


def test_events_have_their_names_times_and_words() -> None:
    frame = a_run().events()
    first = frame[frame["kind"] == "OrderLocksAcquired"].iloc[0]
    assert (first["order"], first["text"], first["time"]) == ("a", "takes 2 of L", pd.Timedelta(0))
    assert first["data"] == {"demands": [{"lockPath": "L", "count": 2}]}
    assert "取得 L 的 2" in set(a_run().events(lang="zh")["text"])
    with pytest.raises(InputError, match="lang"):
        a_run().events(lang="de")


def test_without_a_clock_there_are_turns_and_no_times() -> None:
    run = tried()
    assert run.events()["time"].isna().all()
    frame = run.intervals("L")
    assert frame["start"].isna().all()
    assert (frame["end_turn"] > frame["start_turn"]).any()
    assert run.timeline().text().splitlines()[0].split() == ["turn", "1", "turn", str(len(run.trace.turns))]


def test_lanes_show_weights_waiting_and_what_is_still_so() -> None:
    lines = a_run().timeline("L").text(60).splitlines()
    assert [line.partition("|")[0].split() for line in lines[1:5]] == [["a", "L"], ["b", "L"], ["c", "L"], ["d", "L"]]
    bars = [line.partition("|")[2] for line in lines[1:5]]
    assert [sorted(set(bar) - {" "}) for bar in bars] == [["2"], ["=", "~"], ["=", ">", "~"], ["~"]]
    third = len(bars[3]) / 3
    assert [abs(len(bar) - third * n) < 1 for n, bar in enumerate(bars[:2], 1)] == [True, True]
    assert abs(bars[1].count("~") - third) < 1
    assert bars[2].endswith("=>")
    assert lines[-1].startswith("= holds all of the lock")
    assert a_run().timeline(lang="zh").text().endswith("仍是如此")


@pytest.mark.parametrize("width", [1, 48, 61, 200])
def test_no_lane_is_wider_than_asked_for(width: int) -> None:
    names = ["合同" * 30, "b" * 90]
    controller = js7.Controller(ITEMS)
    for name in names:
        controller.add_order(name, "two")
    lines = controller.advance(timedelta(seconds=1)).run.timeline().text(width).splitlines()
    from dexpatterns.views.texts import width as columns

    assert max(map(columns, lines[:-1])) <= max(width, 48)


def test_many_lanes_are_counted_and_none_is_said() -> None:
    controller = js7.Controller(ITEMS)
    for number in range(MOST_LANES + 5):
        controller.add_order(f"o{number}", "alone")
    assert "... and 5 lanes more" in str(controller.run.timeline())
    assert str(js7.Controller(ITEMS).run.timeline()) == "no lock was ever asked for"


def test_names_are_escaped_in_text_and_in_a_notebook() -> None:
    shown = js7.Controller(ITEMS).add_order("\x1b[2J<script>", "two").run.timeline()
    assert isinstance(shown, Lanes)
    assert "\x1b" not in str(shown)
    assert "\\x1b[2J<script>" in str(shown)
    assert "<script>" not in shown._repr_html_()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_picture_is_well_formed_and_says_each_time(lang: str) -> None:
    for run in (a_run(), tried(), js7.Controller(ITEMS).run):
        shown = run.timeline(lang=lang)
        picture = ET.fromstring(shown.svg)  # noqa: S314  # our own text
        titles = [one.text or "" for one in picture.iter("{http://www.w3.org/2000/svg}title")]
        assert len(titles) == len(run.intervals())
        assert shown.svg == run.timeline(lang=lang).svg == shown._repr_html_()
        boxes = [one.attrib for one in picture.iter("{http://www.w3.org/2000/svg}rect") if one.get("x")]
        assert all(float(box["x"]) + float(box["width"]) <= 960 for box in boxes)
    told = {"en": "a holds 2 of L, 0 s to 1 s", "zh": "a 占有 L（2），0 s 到 1 s"}[lang]
    assert f"<title>{told}</title>" in a_run().timeline(lang=lang).svg


def test_the_lanes_of_a_stepper_are_by_turns_and_say_where_they_stand() -> None:
    lanes = a_run().timeline()
    assert lanes.windows(628) == [(1, 7)]
    panel = ET.fromstring(lanes.panel((1, 7), 628))  # noqa: S314  # our own text
    x, column = (float(panel.get(name, "")) for name in ("data-x", "data-column"))
    places = [group.get("data-lane") for group in panel.iter(f"{SVG}g") if group.get("data-lane")]
    assert places == [str(n) for n in range(len(lanes.lanes))]
    marks = [mark for mark in panel.iter(f"{SVG}g") if mark.get("data-turn")]
    assert len(marks) == sum(len(lane.times) for lane in lanes.lanes)
    for mark in marks:
        box = mark.find(f"{SVG}rect")
        assert box is not None
        assert float(box.get("x", "")) == pytest.approx(x + (int(mark.get("data-a", "")) - 1) * column, abs=0.2)


def test_of_many_lanes_a_panel_draws_those_of_its_window_in_their_places() -> None:
    controller = js7.Controller(ITEMS)
    for number in range(MOST_LANES + 20):
        controller.add_order(f"o{number}", "alone")
    lanes = controller.advance(timedelta(seconds=100)).run.timeline()
    last = len(lanes.trace.turns)
    panel = ET.fromstring(lanes.panel((last - 9, last), 628))  # noqa: S314  # our own text
    places = [int(group.get("data-lane", "")) for group in panel.iter(f"{SVG}g") if group.get("data-lane")]
    assert len(places) < MOST_LANES
    assert places[-1] == len(lanes.lanes) - 1


def test_at_a_turn_later_times_are_outlines_and_the_turn_is_framed() -> None:
    shown = a_run().timeline(at=4)
    picture = ET.fromstring(shown.svg)  # noqa: S314  # our own text
    later = [
        mark.findtext(f"{SVG}title") for mark in picture.iter(f"{SVG}g")
        if mark.get("data-a") and [part.get("class") for part in mark.findall(f"{SVG}g")] == ["ny"]
    ]  # fmt: skip
    assert later == ["b holds all of L, turn 5 to turn 5", "c holds all of L, turn 6 to turn 7"]
    assert sum(box.get("class") == "i" for box in picture.iter(f"{SVG}rect")) == 1
    text = shown.text().splitlines()
    assert "2" in text[1]
    assert text[3].count(":") > 10
    assert text[-2] == "after turn 4 of 7; : not yet"
    with pytest.raises(InputError, match=r"at: expected a turn from 0 \(the start\) to 7 \(the last\), got 8"):
        a_run().timeline(at=8)


def test_what_only_a_flow_has_is_refused_with_what_to_use() -> None:
    run = a_run()
    with pytest.raises(InputError, match=r"overlaps: expected a run of a Flow.*run.intervals\(lock\)"):
        run.overlaps("L")


def test_a_run_is_kept_whole(tmp_path: Path) -> None:
    for number, run in enumerate((a_run(), tried(), js7.simulate(ITEMS, [js7.Order("c", "ask", {"x": [1, None]})]))):
        path = tmp_path / f"{number}.json"
        run.save(path)
        loaded = load_run(path)
        assert loaded.trace.turns == run.trace.turns
        assert loaded.trace.started == run.trace.started
        assert loaded.trace.final == run.trace.final
        assert (loaded.status, repr(loaded), loaded.schedule) == (run.status, repr(run), run.schedule)
        assert loaded.intervals().equals(run.intervals())
        assert str(loaded.timeline()) == str(run.timeline())


def test_status_and_repr() -> None:
    run = tried()
    assert run.status == "FINISHED"
    assert run.outputs == ()
    assert repr(run) == f"<Run of alone, two: FINISHED after {len(run.trace.turns)} turns>"
    assert a_run().status == "RUNNING"


def test_a_file_speaks_in_known_events_alone(tmp_path: Path) -> None:
    assert vocabulary("js7") == JS7_EVENTS
    path = tmp_path / "run.json"
    a_run().save(path)
    path.write_text(path.read_text(encoding="utf-8").replace("OrderAdded", "OrderExec"), encoding="utf-8")
    with pytest.raises(RunFileError, match="expected an event of a known kind, got 'OrderExec'"):
        load_run(path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"status": "RUNNING"', '"status": 3', "at final.status expected `str`, got `int`"),
        ('"kind": "OrderStarted", "order": "a"', '"kind": "OrderStarted", "order": "z"', "what happens in turn 1 "),
    ],
)
def test_a_file_that_was_changed_by_hand_is_refused_before_a_view_stumbles(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = tmp_path / "run.json"
    a_run().save(path)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RunFileError) as refused:
        load_run(path)
    assert str(refused.value).startswith(f"{str(path)!r} is no saved run: {said}")
    assert str(refused.value).endswith("; a saved run is not edited by hand, save it again")
