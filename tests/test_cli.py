"""The command as a whole: its help, how it ends, and what reaches a terminal, a pipe and a process."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from dexpatterns import catalog
from dexpatterns.commands import NAMES
from tests.commands.calling import call, refused, start


@pytest.mark.parametrize("args", [(), *((name,) for name in NAMES)], ids=" ".join)
def test_help_shows_an_example(args: tuple[str, ...]) -> None:
    result = call(*args, "--help")
    assert result.exit_code == 0
    example = result.stdout.partition("Example")[2].splitlines()[1]
    assert example.startswith(f"    {' '.join(['dexpatterns', *args])} ")
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_without_a_command_it_shows_its_help() -> None:
    assert call().stdout == call("--help").stdout


def test_our_own_bug_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: str) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(catalog, "load", broken)
    result = call("run", "critical-section")
    assert result.exit_code == 70
    assert "ZeroDivisionError: ours" in result.stderr


# As a process.


def test_as_a_process_it_ends_with_the_same_statuses(tmp_path: Path) -> None:
    expected = [
        (["run", "critical-section"], 0),
        (["check", "is-editing-flag"], 1),
        (["check", "nobody"], 2),
        (["run", "critical-section", "--edits", str(tmp_path)], 2),
    ]
    for process, (_, status) in zip([start(*args) for args, _ in expected], expected, strict=True):
        out, err = process.communicate()
        assert process.returncode == status
        assert "Traceback" not in err
        assert bool(out) is (status < 2)
        assert len(err.splitlines()) == (status == 2)


def test_fifty_megabytes_of_junk_are_refused_at_once(tmp_path: Path) -> None:
    junk = tmp_path / "junk.csv"
    with junk.open("wb") as file:
        file.truncate(50_000_000)
    assert "at most 20 MB" in refused(call("run", "critical-section", "--edits", junk))
    assert "junk.csv" in refused(call("replay", junk))


def test_a_terminal_that_knows_ascii_alone(tmp_path: Path) -> None:
    file = tmp_path / "e.json"
    file.write_text(json.dumps([{"reviewer": "陈 😀"}]), encoding="utf-8")
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    ways: list[list[str]] = [[], ["--json"], ["--lang", "zh"]]
    processes = [start("run", "critical-section", "--edits", file, *args, env=ascii_only) for args in ways]
    for process, args in zip(processes, ways, strict=True):
        out, err = process.communicate()
        assert (process.returncode, err) == (0, "")
        assert out.isascii()
        assert "--json" not in args or json.loads(out)["edits"][0]["reviewer"] == "陈 😀"


@pytest.mark.parametrize("args", [(), ("--json",)])
def test_a_reader_who_has_seen_enough_is_no_error(args: tuple[str, ...]) -> None:
    with start("run", "critical-section", "--reviewers", "500", *args) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


def test_an_output_that_takes_nothing_is_told() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full, start("list", stdout=full) as process:
        err = process.communicate()[1]
    assert process.returncode == 2
    assert err.startswith("error: output '<stdout>': expected a file that can be written, got no space left")
    assert err.count("\n") == 1


@pytest.mark.parametrize("rows", [0, 50_000])
def test_interrupted_it_says_nothing_and_leaves_nothing(tmp_path: Path, rows: int) -> None:
    """While it reads the file of edits, and while it runs the Flow."""
    pipe = tmp_path / "edits.csv"
    os.mkfifo(pipe)
    with start("run", "critical-section", "--edits", pipe, "--save", tmp_path / "run.json") as process:
        edits = pipe.open("w", encoding="utf-8")  # goes on once the command reads
        if rows:
            with edits:
                edits.write("reviewer\n" + "Ada\n" * rows)
            time.sleep(1)
            assert process.poll() is None, "it still runs"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        edits.close()
    assert (process.returncode, out, err.strip()) == (130, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["edits.csv"]
