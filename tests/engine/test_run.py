"""A run is data: it is saved whole or not at all, loads equal in every view, and a bad file is one clear error."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dexpatterns.dex import events as ev
from dexpatterns.dex.options import FlowStatus
from dexpatterns.dex.scenario import Section
from dexpatterns.engine import storage
from dexpatterns.engine.run import Run, load_run
from dexpatterns.engine.trace import MAX_SECONDS
from dexpatterns.engine.values import NOTHING, Data, freeze
from dexpatterns.errors import InputError, RunFileError
from tests.handmade import TOKEN, Story, critical

SECTION = Section("EditContract", "SaveContractEdit", name="edit", label=lambda edit: edit.reviewer)


def a_run(reviewers: int = 3) -> Run:
    return Run(critical(reviewers), sections=(SECTION,), tokens=(TOKEN,))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    a_run().save(path)
    return path


# What a run says of itself.


def test_status_and_outputs_are_those_of_the_close() -> None:
    run = a_run()
    assert run.status is FlowStatus.COMPLETED
    assert run.outputs == ("done",)
    still_open = Run(critical(3, rounds=1))
    assert (still_open.status, still_open.outputs) == (FlowStatus.RUNNING, ())


def test_the_repr_is_one_line_that_does_not_change() -> None:
    assert repr(a_run()) == "<Run of ContractEditFlow: COMPLETED after 31 turns>"
    assert repr(Run(Story().trace())) == "<Run of ContractEditFlow: RUNNING after 0 turns>"


def test_tokens_are_kept_by_name() -> None:
    class Channel:
        name = "token"

    assert Run(critical(1), tokens=(Channel(), "other")).tokens == ("token", "other")  # type: ignore[arg-type]
    for alone in ("token", Channel()):
        assert Run(critical(1), tokens=alone).tokens == ("token",)  # type: ignore[arg-type]


def test_the_section_that_is_meant() -> None:
    other = Section("EditContract", name="other")
    one, two = a_run(), Run(critical(1), sections=(SECTION, other))
    assert one.section() is SECTION
    assert two.section("other") is other
    assert one.section(other) is other


@pytest.mark.parametrize(
    ("sections", "asked", "said"),
    [
        ((), None, "this run was made without a section"),
        ((), "edit", "this run was made without a section"),
        ((SECTION, Section("A", name="other")), None, "which section is meant; expected one of ['edit', 'other']"),
        ((SECTION,), "save", "no section 'save' in this run; expected one of ['edit']"),
        ((SECTION,), 5, "expected a Section or the name of one, got 5"),
        ((SECTION,), ["edit"], "expected a Section or the name of one, got ['edit']"),
        ((SECTION,), Run, "expected a Section or the name of one, got <class 'dexpatterns.engine.run.Run'>"),
    ],
)
def test_a_section_that_cannot_be_told_is_refused(sections: Any, asked: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        Run(critical(1), sections=sections).intervals(asked)
    assert said in str(error.value)


# There and back.


def test_a_loaded_run_is_equal_in_every_view(saved: Path) -> None:
    run, loaded = a_run(), load_run(saved)
    assert loaded.events().to_csv() == run.events().to_csv()
    assert loaded.intervals().to_csv() == run.intervals().to_csv()
    assert loaded.overlaps(late=True).to_csv() == run.overlaps(late=True).to_csv()
    assert str(loaded.timeline()) == str(run.timeline())
    assert loaded.timeline(lang="zh").svg == run.timeline(lang="zh").svg
    assert loaded.schedule == run.schedule
    assert (loaded.status, loaded.outputs, repr(loaded)) == (run.status, run.outputs, repr(run))
    assert (loaded.tokens, [s.name for s in loaded.sections]) == (run.tokens, ["edit"])


def test_saving_what_was_loaded_gives_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.json"
    load_run(saved).save(again)
    assert again.read_bytes() == saved.read_bytes()


def test_a_label_function_of_ones_own_works_on_a_loaded_run(saved: Path) -> None:
    mine = Section("SaveContractEdit", label=lambda edit: edit.reviewer.upper())
    assert list(load_run(saved).intervals(mine)["label"]) == ["REVIEWER-1", "REVIEWER-2"]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60)
@given(values, st.sampled_from([NOTHING, freeze(None)]))
def test_any_value_comes_back_as_plain_as_it_was(tmp_path_factory: Any, value: Any, other: Data) -> None:
    data = freeze(value)
    story = Story()
    story.turn("begin", (0, 0), ev.Began((0, 0), "Ä b", "execute", 1, (("x", data), ("size of x", 2)), ("lock",)))
    story.turn("commit", (0, 0), ev.AttributeChanged((0, 0), "s", "x", None, data), ev.Recorded((0,), "s", "n", other))
    path = tmp_path_factory.mktemp("runs") / "run.json"
    run = Run(story.trace())
    run.save(path)
    loaded = load_run(path)
    (began,), (changed, recorded) = (turn.events for turn in loaded.trace.turns)
    assert began.reads[0][1].text == data.text  # type: ignore[attr-defined]
    assert began._replace(reads=()) == run.trace.turns[0].events[0]._replace(reads=())  # type: ignore[attr-defined]
    assert (changed.old, changed.new.plain) == (None, data.plain)  # type: ignore[attr-defined]
    assert recorded.value == other  # type: ignore[attr-defined]
    assert [turn.choice for turn in loaded.trace.turns] == [turn.choice for turn in run.trace.turns]


# Saving.


def test_the_file_is_plain_json_and_holds_no_code(saved: Path) -> None:
    found = json.loads(saved.read_text("utf-8"))
    assert (found["format"], found["version"], len(found["turns"])) == ("dexpatterns run", 1, 31)
    assert found["sections"] == [
        {
            "name": "edit",
            "steps": ["EditContract", "SaveContractEdit"],
            "labels": {f"0.1.{n}.1": f"reviewer-{n + 1}" for n in range(3)},
        }
    ]


def test_saving_again_replaces_the_file_and_leaves_nothing_beside_it(saved: Path) -> None:
    a_run(1).save(saved)
    assert repr(load_run(saved)) == repr(a_run(1))
    assert [path.name for path in saved.parent.iterdir()] == ["run.json"]


def test_a_save_that_fails_leaves_the_old_file_and_nothing_half_written(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = saved.read_bytes()

    def full(_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(storage.os, "fsync", full)
    with pytest.raises(RunFileError, match="No space left on device"):
        a_run(1).save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["run.json"]


@pytest.mark.parametrize("place", ["missing/run.json", ".", "nul\0byte"])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, place: str) -> None:
    with pytest.raises(RunFileError, match="cannot save the run to"):
        a_run(1).save(tmp_path / place)
    assert list(tmp_path.iterdir()) == []


def test_a_device_is_never_put_out_of_its_place(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(RunFileError, match="it is a device, and no file"):
        a_run(1).save(pipe)
    assert pipe.is_fifo()


@pytest.mark.parametrize("path", [None, 5, ["run.json"]])
def test_what_is_no_path_is_told(path: Any) -> None:
    for does in (a_run(1).save, load_run):
        with pytest.raises(RunFileError, match="expected the path of a file, got"):
            does(path)


def test_what_a_killed_save_left_is_in_nobodys_way(saved: Path) -> None:
    saved.with_name(f".run.json.{os.getpid()}.part").touch()
    a_run(1).save(saved)
    assert repr(load_run(saved)) == repr(a_run(1))


def test_a_name_as_long_as_the_disk_takes_can_be_written(tmp_path: Path) -> None:
    a_run(1).save(tmp_path / ("x" * 255))
    assert repr(load_run(tmp_path / ("x" * 255))) == repr(a_run(1))


def test_saves_at_once_do_not_meet(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(a_run(2).save, tmp_path / "run.json") for _ in range(24)]:
            done.result()
    assert repr(load_run(tmp_path / "run.json")) == repr(a_run(2))
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


# Bad files.

_CUT = "is cut off after line"
_WRONG = "is no saved run: at "


def edit(**fields: Any) -> Callable[[str], str]:
    return lambda text: json.dumps({**json.loads(text), **fields})


def edit_turn(n: int, line: Any) -> Callable[[str], str]:
    def change(text: str) -> str:
        found = json.loads(text)
        found["turns"][n - 1] = line(found["turns"][n - 1]) if callable(line) else line
        return json.dumps(found)

    return change


def edit_event(**fields: Any) -> Callable[[str], str]:
    return edit_turn(1, lambda line: [*line[:3], [{**line[3][0], **fields}]])


def without(field: str) -> Callable[[str], str]:
    return lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != field})


def edit_final(**parts: Any) -> Callable[[str], str]:
    def change(text: str) -> str:
        found = json.loads(text)
        return json.dumps({**found, "final": {**found["final"], **parts}})

    return change


_STEP = {"id": "0", "step": "EditContract", "method": "execute", "phase": "waiting", "attempt": 1, "input": None}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: "", "is empty; save the run again"),
        (lambda text: text[:-3], _CUT),
        (lambda text: text[:1500], _CUT),
        (lambda text: text[: text.index("reviewer-2") + 4], _CUT),
        (lambda text: "[]", "is not a saved run of dexpatterns"),
        (lambda text: "hello" * 1000, "is not a saved run of dexpatterns"),
        (lambda text: '{"format": "something else", "version": 1}', "is not a saved run of dexpatterns"),
        (lambda text: text.replace('"seed": 7', '"seed": ]', 1), "is damaged at line 6, column 9"),
        (lambda text: text.replace('"seed": 7', '"seed": NaN', 1), "holds a value that no run can hold"),
        (lambda text: text.replace('"seed": 7', '"seed": ' + "[" * 100_000, 1), "holds a value that no run can hold"),
        (edit(version=2), "was saved by another version: its format is '2', expected 1"),
        (edit(version=True), "was saved by another version"),
        (edit(machine="js9"), "is a run of a machine 'js9', which this version does not know"),
        (without("final"), _WRONG + "the top expected a field 'final'"),
        (edit(name=3), _WRONG + "name expected a value of type str, got 3"),
        (edit(seed="x"), _WRONG + "seed expected int | None"),
        (edit(final=[]), _WRONG + "final expected an object, got []"),
        (edit(final={"x": {}}), _WRONG + "final object missing required field `status`"),
        (edit_final(status="DONE"), _WRONG + "final.status invalid enum value 'DONE'"),
        (edit_final(outputs=None), _WRONG + "final.outputs expected `array`, got `null`"),
        (edit_final(channels={"edit": 1}), _WRONG + "final.channels[...] expected `array`, got `int`"),
        (edit_final(steps=[{**_STEP, "id": "0.x"}]), _WRONG + "final.steps[0].id expected `str` matching regex"),
        (edit_final(steps=[{"id": "0"}]), _WRONG + "final.steps[0] object missing required field"),
        (edit(tokens="abc"), _WRONG + "tokens expected a list"),
        (edit(input=3), _WRONG + "input expected an object with a value"),
        (edit(sections=[{"name": "x", "steps": [], "run": "os"}]), "sections[0] expected name, steps and labels"),
        (edit(sections=[{"name": "x", "steps": [], "labels": {"0.a": "b"}}]), "expected a lineage such as '0.1.2'"),
        (edit(sections=[{"name": "x", "steps": [], "labels": {"0.1": 3}}]), "labels[0.1] expected a value of type str"),
        (edit(turns={}), _WRONG + "turns expected a list"),
        (edit_turn(2, 5), _WRONG + "turn 2 expected [number, time, move, events], got 5"),
        (edit_turn(2, lambda line: [3, *line[1:]]), _WRONG + "turn 2 expected its number 2, got 3"),
        (edit_turn(2, lambda line: [2, 0.05, *line[2:]]), _WRONG + "turn 2, time expected seconds from 0.1 on"),
        (edit_turn(2, lambda line: [2, "1", *line[2:]]), _WRONG + "turn 2, time expected a value of type float"),
        (edit_turn(2, lambda line: [2, None, *line[2:]]), "expected either a time in every turn or in none"),
        (edit_turn(2, lambda line: [2, 1e400, *line[2:]]), "holds a value that no run can hold"),
        (edit_turn(31, lambda line: [31, 1e308, *line[2:]]), "expected at most 9,223,372,036 seconds (292 years)"),
        (edit_turn(31, lambda line: [31, MAX_SECONDS + 1, *line[2:]]), _WRONG + "turn 31, time expected at most"),
        (lambda text: text.replace("[1, 0.1,", "[1, 1e999,", 1), "turn 1, time expected a number that is finite"),
        (edit_turn(2, lambda line: [*line[:2], "begin", line[3]]), _WRONG + "turn 2, move expected KIND NAME LINEAGE"),
        (edit_event(kind="os.system"), _WRONG + "turn 1, event 1 expected an event of a known kind, got 'os.system'"),
        (edit_event(kind=[]), "expected an event of a known kind, got []"),
        (edit_event(more=1), _WRONG + "turn 1, event 1 expected the fields path, step, method"),
        (edit_event(path=["0"]), _WRONG + "turn 1, event 1, path expected a value of type int, got '0'"),
        (edit_event(path=[True]), "path expected a value of type int, got True"),
        (edit_event(attempt=1.5), "attempt expected a value of type int, got 1.5"),
        (edit_event(reads=[["x"]]), "reads expected tuple[str, typing.Any], got ['x']"),
        (edit_event(reads=[["x", {"value": 1, "and": 2}]]), "reads expected an object with a value"),
    ],
)
def test_a_bad_file_is_told_by_name_place_and_mend(saved: Path, change: Callable[[str], str], said: str) -> None:
    saved.write_text(change(saved.read_text("utf-8")), "utf-8")
    with pytest.raises(RunFileError) as error:
        load_run(saved)
    assert said in str(error.value)
    assert repr(str(saved)) in str(error.value)
    assert len(str(error.value).replace(str(saved), "")) < 300


def test_a_run_of_292_years_is_kept_and_shown_and_a_longer_one_refused(saved: Path) -> None:
    """A table counts nanoseconds in 64 bits."""
    saved.write_text(edit_turn(31, lambda line: [31, MAX_SECONDS, *line[2:]])(saved.read_text("utf-8")), "utf-8")
    run = load_run(saved)
    assert run.events()["time"].max().total_seconds() == MAX_SECONDS
    assert "<svg" in run.timeline().svg
    *turns, last = run.trace.turns
    longer = Run(run.trace._replace(turns=(*turns, last._replace(time=MAX_SECONDS + 1.0))))
    with pytest.raises(RunFileError, match=r"a run of more than 9,223,372,036 seconds \(292 years\) cannot be kept"):
        longer.save(saved)
    with pytest.raises(InputError, match="no table holds a run of more than 9,223,372,036 seconds"):
        longer.events()
    assert load_run(saved) == run


def test_a_file_that_is_not_utf8_names_the_byte(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:30] + b"\xff\xfe" + saved.read_bytes()[30:])
    with pytest.raises(RunFileError, match=r"is not UTF-8 text \(byte 30 is 0xff\)"):
        load_run(saved)


def test_a_byte_order_mark_does_no_harm(saved: Path) -> None:
    saved.write_bytes(b"\xef\xbb\xbf" + saved.read_bytes())
    assert repr(load_run(saved)) == repr(a_run())


def test_a_file_over_the_stated_size_is_refused_unread(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "MAX_BYTES", 1024**2)
    saved.write_bytes(b"{" + b" " * 1024**2)
    with pytest.raises(RunFileError, match="is larger than 1 MB"):
        load_run(saved)


@pytest.mark.parametrize("place", ["missing.json", ".", "nul\0byte"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, place: str) -> None:
    with pytest.raises(RunFileError, match=r"cannot read|is a directory"):
        load_run(tmp_path / place)


def test_a_run_whose_events_speak_of_nobody_that_was_started_can_still_be_looked_at(saved: Path) -> None:
    edit(started=[])(saved.read_text("utf-8"))
    found = json.loads(saved.read_text("utf-8"))
    for line in found["turns"]:
        line[3] = [event for event in line[3] if event["kind"] != "step_started"]
    saved.write_text(json.dumps({**found, "started": []}), "utf-8")
    run = load_run(saved)
    assert len(run.intervals()) > 0
    assert "<svg" in run.timeline().svg
    assert str(run.timeline())
    assert len(run.events()) > 0
