"""`run` and `replay`: what they show of one run, and that a name in a person's file is just a name."""

from __future__ import annotations

import errno
import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dexpatterns import catalog, simulate
from dexpatterns.commands.one_run import Found, beyond
from dexpatterns.dex.sections import Visit
from tests.commands.calling import call, data, refused

# What it shows.


def test_the_critical_section_shows_lanes_edits_and_a_verdict() -> None:
    result = call("run", "critical-section")
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert lines[-1] == "5 edits, 0 overlaps, token back in its channel"
    head = next(n for n, line in enumerate(lines) if line.split()[:2] == ["id", "reviewer"])
    assert lines[head].split() == ["id", "reviewer", "way", "out", "started", "ended", "seconds"]
    rows = [line.split() for line in lines[head + 2 : -2]]
    assert sorted(row[0] for row in rows) == [f"edit-{n}" for n in range(1, 6)]
    assert {row[2] for row in rows} == {"saved"}
    times = [(row[3], row[4]) for row in rows]
    assert all(ended <= began for (_, ended), (began, _) in pairwise(times)), "one at a time"
    lanes = "\n".join(lines[:head])
    assert [n for n in range(1, 6) if f"reviewer-{n}" not in lanes] == []


def test_the_seed_decides_the_order_and_nothing_else_does() -> None:
    one, again = call("run", "critical-section", "--seed", "1"), call("run", "critical-section", "--seed", "1")
    assert one.stdout == again.stdout
    others = [data("run", "critical-section", "--seed", str(seed)) for seed in range(9)]
    assert len({tuple(edit["id"] for edit in other["edits"]) for other in others}) > 5


@pytest.mark.parametrize(("args", "count"), [((), 5), (("--reviewers", "1"), 1), (("--reviewers", "12"), 12)])
def test_so_many_reviewers(args: tuple[str, ...], count: int) -> None:
    result = call("run", "critical-section", *args)
    said = f"{count} edit{'s' if count > 1 else ''}, 0 overlaps, token back in its channel\n"
    assert result.stdout.endswith(said)


EDITS = """\
reviewer,id,text,should_fail_handoff,should_fail_save,withdrawn,edit_seconds,save_seconds
Ada,a,Shorten clause 3,no,no,no,20,2
Bo,b,Raise the cap,yes,no,no,20,2
Chen,c,Delete the annex,no,yes,no,20,2
Dee,d,Nothing,no,no,yes,7,2
"""


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    file = tmp_path / "edits.csv"
    file.write_text(EDITS, encoding="utf-8")
    return file


@pytest.mark.parametrize("seed", range(5))
def test_every_way_out_of_a_persons_own_edits(edits: Path, seed: int) -> None:
    found = data("run", "critical-section", "--edits", edits, "--seed", str(seed))
    columns = ("reviewer", "way_out", "outcome", "seconds")
    assert {edit["id"]: tuple(edit[column] for column in columns) for edit in found["edits"]} == {
        "a": ("Ada", "saved", "left", 22.0),
        "b": ("Bo", "handoff failed", "never", None),
        # Two attempts of two seconds, and a second between them.
        "c": ("Chen", "save failed", "failed", 25.0),
        "d": ("Dee", "withdrawn", "left", 7.0),
    }
    assert found["holds"] is True
    assert found["overlaps"] == []
    assert found["token"] == {"channel": "contractEditToken", "messages": 1}
    assert found["verdict"] == "4 edits, 0 overlaps, token back in its channel"
    assert sorted(record["id"] for record in found["outputs"][0]) == ["a", "b", "c", "d"]


def test_json_and_csv_say_the_same(tmp_path: Path, edits: Path) -> None:
    rows = [
        {"reviewer": "Ada", "id": "a", "text": "Shorten clause 3", "edit_seconds": 20, "save_seconds": 2},
        {"reviewer": "Bo", "id": "b", "should_fail_handoff": True, "edit_seconds": 20, "save_seconds": 2},
        {"reviewer": "Chen", "id": "c", "should_fail_save": True, "edit_seconds": 20, "save_seconds": 2},
        {"reviewer": "Dee", "id": "d", "withdrawn": True, "edit_seconds": 7, "save_seconds": 2},
    ]
    other = tmp_path / "edits.json"
    other.write_text(json.dumps({"edits": rows}), encoding="utf-8")
    command = ("run", "critical-section", "--edits")
    assert call(*command, other).stdout == call(*command, edits).stdout


def test_json_is_data_and_nothing_else() -> None:
    found = data("run", "critical-section", "--seed", "3", "--reviewers", "2")
    assert {key: found[key] for key in ("pattern", "flow", "seed", "status", "section", "limit")} == {
        "pattern": "critical-section",
        "flow": "ContractEditFlow",
        "seed": 3,
        "status": "COMPLETED",
        "section": "contract edit",
        "limit": 1,
    }
    for edit in found["edits"]:
        assert edit["seconds"] == pytest.approx(edit["ended"] - edit["started"], abs=1e-6)


def test_chinese() -> None:
    result = call("run", "critical-section", "--lang", "zh")
    assert result.stdout.endswith("5 次编辑，0 处重叠，token 已回到它的 Channel\n")
    assert [word for word in ("审核人", "出口", "开始", "结束") if word not in result.stdout] == []
    assert "反模式" in call("list", "--lang", "zh").stdout


def test_a_long_table_is_cut_and_says_so() -> None:
    result = call("run", "critical-section", "--reviewers", "53")
    assert "... and 3 more; --json prints all of them" in result.stdout
    assert len(data("run", "critical-section", "--reviewers", "53")["edits"]) == 53


# How it ends.


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("is-editing-flag", "overlaps"),
        ("lock-across-steps", "overlap"),
        ("second-token", "2 tokens in the channel instead of 1"),
    ],
)
def test_status_one_when_it_does_not_hold(name: str, said: str) -> None:
    results = [call("run", name, "--reviewers", "3", "--seed", str(seed)) for seed in range(10)]
    broken = [result.stdout for result in results if result.exit_code == 1]
    assert broken
    assert [text for text in broken if said in text.splitlines()[-1]]
    assert {result.exit_code for result in results} <= {0, 1}


def test_a_flow_that_does_not_complete_says_who_waits(tmp_path: Path) -> None:
    """Whoever is first in keeps the token, so that the other two wait for ever."""
    pattern, kept = catalog.load("lost-token"), tmp_path / "run.json"
    edits = pattern.make_input(reviewers=3, withdrawn=[1, 2, 3])
    simulate(pattern.flow, edits, sections=[pattern.section], tokens=[pattern.token]).save(kept)
    result = call("replay", kept)
    assert result.exit_code == 1
    last = result.stdout.splitlines()[-1]
    assert last.startswith("3 edits, 0 overlaps, token not back in its channel, the Flow is RUNNING: 2 Steps still ")
    assert "waiting (EnterContractEdit waits for " in last
    assert "contractEditToken" in last
    assert data("replay", kept)["holds"] is False


@pytest.mark.parametrize(("stop", "status"), [("stop-cancel", "CANCELED"), ("timeout-fail", "FAILED")])
def test_a_flow_that_was_closed_from_outside_says_so(tmp_path: Path, stop: str, status: str) -> None:
    pattern, kept = catalog.load("critical-section"), tmp_path / "run.json"
    scenario = pattern.scenarios[stop]
    simulate(pattern.flow, pattern.make_input(5), sections=[pattern.section], scenario=scenario).save(kept)
    result = call("replay", kept)
    assert result.exit_code == 1
    assert f"the Flow is {status}: " in result.stdout.splitlines()[-1]


def test_several_tokens_are_no_overlap() -> None:
    result = call("run", "semaphore", "--reviewers", "6")
    assert result.exit_code == 0
    assert result.stdout.endswith("6 edits, never more than 2 inside, 2 tokens back in their channel\n")


@pytest.mark.parametrize(
    ("different", "holds"),
    [
        ({}, True),
        ({"tokens": 0}, True),
        ({"tokens": 2}, False),
        ({"tokens": 2, "limit": 2}, True),
        ({"tokens": 2, "token": None}, True),
        ({"beyond": 1}, False),
        ({"status": "FAILED"}, False),
        ({"status": "RUNNING"}, False),
    ],
    ids=str,
)
def test_what_holds(different: dict[str, Any], holds: bool) -> None:
    """Where the token is when a Flow has completed is told; a second one is a fault, met or not."""
    usual = Found([], 3, limit=1, overlaps=[], beyond=0, token="t", tokens=1, status="COMPLETED")  # noqa: S106
    assert usual._replace(**different).holds is holds


def test_with_a_limit_of_two_the_third_isbeyond_it() -> None:
    def visit(start: int, end: int, *, late: bool = False) -> Visit:
        return Visit(1, "x", (0,), start, end, None, None, "left", ("Edit",), late)

    three = [visit(1, 9), visit(2, 5), visit(4, 6)]
    assert [beyond(three, limit) for limit in (1, 2, 3)] == [2, 1, 0]
    assert beyond([visit(1, 3), visit(3, 5)], 1) == 0, "who leaves in the turn in which the next enters is not met"
    assert beyond([visit(1, 9, late=True), visit(2, 5)], 1) == 0


NO_PATTERN = ("no pattern", "expected one of", "critical-section")


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (("run",), ("missing argument 'NAME'", "dexpatterns run --help")),
        (("runn",), ("no such command 'runn'", "dexpatterns --help")),
        (("run", "critical-sectoin"), NO_PATTERN),
        (("run", "../../etc"), ("expected a folder", "no such folder", "check the path")),
        (("run", "./no such"), ("expected a folder",)),
        (("run", "."), ("no pattern.toml",)),
        (("run", "./good.csv"), ("expected a folder, got a file",)),
        (("run", "./a\0b"), ("'./a\\x00b'", "null")),
        (("run", "~nobody-of-this-name/x"), ("home directory",)),
        (("run", ""), NO_PATTERN),
        (("run", "\x1b[31m"), ("\\x1b[31m",)),
        (("run", "critical-section", "--reviewers", "0"), ("--reviewers", "0 is not in the range", "run --help")),
        (("run", "critical-section", "--reviewers", "-3"), ("--reviewers", "-3 is not in the range")),
        (("run", "critical-section", "--reviewers", "100001"), ("--reviewers", "100001 is not in the range")),
        (("run", "critical-section", "--reviewers", "many"), ("--reviewers", "'many' is not a valid integer")),
        (("run", "critical-section", "--seed", "-1"), ("--seed", "-1 is not in the range")),
        (("run", "critical-section", "--seed", "1.5"), ("--seed", "'1.5' is not a valid integer")),
        (("run", "critical-section", "--lang", "fr"), ("--lang", "'fr' is not one of 'en', 'zh'")),
        (("run", "critical-section", "--sed", "1"), ("no such option", "--sed")),
        (("run", "critical-section", "--edits"), ("--edits", "requires an argument")),
        (("run", "critical-section", "--edits", "e.csv", "--reviewers", "3"), ("leave one of them out",)),
        (("run", "critical-section", "--edits", "missing.csv"), ("'missing.csv'", "no such file", "check the path")),
        (("run", "critical-section", "--edits", "bad.csv"), ("'bad.csv', line 2", "'withdrawn'", "true or false")),
        (("run", "critical-section", "--edits", "bad.csv", "--json"), ("'bad.csv', line 2", "'maybe'")),
        (("run", "semaphore", "--edits", "good.csv"), ("'semaphore' takes no file of edits",)),
        (("run", "critical-section", "--save", "."), ("--save '.'", "a folder", "name another")),
        (("run", "critical-section", "--svg", "no/such/x.svg"), ("--svg 'no/such/x.svg'", "no such file or directory")),
        (("run", "critical-section", "--svg", "good.csv/x"), ("--svg", "not a directory")),
        (("run", "critical-section", "--svg", "a\0b"), ("--svg 'a\\x00b'", "null")),
        (("run", "critical-section", "--svg", "x" * 300), ("--svg", "name too long")),
        (("run", "critical-section", "--svg", os.devnull), ("--svg", "a device")),
        (("run", "critical-section", "--svg", "x", "--save", "./x"), ("--svg 'x'", "the file of --save")),
        (("run", "critical-section", "--edits", "good.csv", "--save", "good.csv"), ("--save", "the file of --edits")),
        (("replay", "missing.json"), ("'missing.json'", "no such file")),
        (("replay", "good.csv"), ("'good.csv'", "not a saved run")),
        (("replay", "empty"), ("'empty' is empty",)),
        (("replay", "cut.json"), ("'cut.json'", "cut off")),
        (("replay", "old.json"), ("'old.json'", "another version")),
        (("replay", "cut.json", "--svg", "cut.json"), ("--svg 'cut.json'", "the file of the run")),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else None,
)
def test_what_cannot_be_used_is_one_line_and_touches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "good.csv": "reviewer\nAda\n",
        "bad.csv": "reviewer,withdrawn\nAda,maybe\n",
        "empty": "",
        "cut.json": '{\n"format": "dexpatterns run",\n"version": 1,\n"machi',
        "old.json": '{"format": "dexpatterns run", "version": 99}',
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    line = refused(call(*args))
    assert [part for part in parts if part.lower() not in line.lower()] == [], line
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == files


def test_a_run_that_was_kept_is_shown_again(tmp_path: Path, edits: Path) -> None:
    kept, first, second = tmp_path / "run.json", tmp_path / "1.svg", tmp_path / "2.svg"
    made = call("run", "critical-section", "--edits", edits, "--seed", "4", "--save", kept, "--svg", first)
    again = call("replay", kept, "--svg", second)
    assert (made.exit_code, again.exit_code) == (0, 0)
    assert made.stdout == again.stdout
    assert first.read_bytes() == second.read_bytes()
    assert first.read_text(encoding="utf-8").startswith("<svg")
    assert data("run", "critical-section", "--edits", edits, "--seed", "4") == data("replay", kept)
    assert call("replay", kept, "--lang", "zh").stdout.endswith("token 已回到它的 Channel\n")


def test_replay_ends_as_the_run_did(tmp_path: Path) -> None:
    for name, status in (("semaphore", 0), ("is-editing-flag", 1)):
        assert call("run", name, "--save", tmp_path / "run.json").exit_code == status
        assert call("replay", tmp_path / "run.json").exit_code == status


def test_a_file_that_cannot_be_finished_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    svg = tmp_path / "lanes.svg"
    svg.write_text("old", encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", full)
    said = f"cannot save the picture to {str(svg)!r}: No space left on device"
    assert said in refused(call("run", "critical-section", "--svg", svg))
    assert [path.name for path in tmp_path.iterdir()] == ["lanes.svg"]
    assert svg.read_text(encoding="utf-8") == "old"


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link, target = tmp_path / "lanes.svg", tmp_path / "there" / "real.svg"
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    assert call("run", "critical-section", "--svg", link).exit_code == 0
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8").startswith("<svg")


# Names are just names.


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("../../x", "../../x"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("陈", "陈"),
        ("[red]Ada[/red]", "[red]Ada[/red]"),
        ("[/]", "[/]"),
        (":smile:", ":smile:"),
        ("{n} {0} %s", "{n} {0} %s"),
        ("Ada\x1b[2J", "Ada\\x1b[2J"),
        ("Ada\nBo", "Ada\\nBo"),
        ("Ada\r\x07", "Ada\\r\\x07"),
        ("\x9b31mAda", "\\x9b31mAda"),
        ("Ada\u202eoB", "Ada\\u202eoB"),
        ("A" * 5000, "A" * 100),
    ],
    ids=lambda name: ascii(name)[:40],
)
def test_a_name_is_shown_and_not_obeyed(tmp_path: Path, name: str, shown: str) -> None:
    file, svg, kept = tmp_path / "e.json", tmp_path / "e.svg", tmp_path / "run.json"
    file.write_text(json.dumps([{"reviewer": name, "id": name, "text": name}, {"reviewer": "Bo"}]), encoding="utf-8")
    result = call("run", "critical-section", "--edits", file, "--svg", svg, "--save", kept)
    assert result.exit_code == 0, result.output
    table = result.stdout.replace("\n", "")
    assert shown in table or shown in "".join(table.split())
    assert [c for c in set(result.stdout) - {"\n", "\u200d"} if not c.isprintable()] == []
    printed = call("replay", kept, "--json").stdout
    assert name in {edit["reviewer"] for edit in json.loads(printed)["edits"]}
    assert [c for c in set(printed) - {"\n", "\u200d"} if not c.isprintable()] == []
    picture = svg.read_text(encoding="utf-8")
    assert "<script" not in picture
    assert {path.name for path in tmp_path.iterdir()} == {"e.json", "e.svg", "run.json"}
