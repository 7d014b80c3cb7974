"""Each way to a dot works, nothing it says reaches a notebook, and where there is none the error says what to do."""

from __future__ import annotations

import shutil
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from dexpatterns.errors import InputError
from dexpatterns.views.dot import VARIABLE, DotError, find_dot, run_dot

GRAPH = 'digraph { a [label="合同"]; a -> b }'


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without any dot; returns the folder that is its PATH."""
    monkeypatch.delenv(VARIABLE, raising=False)
    path = tmp_path / "bin"
    path.mkdir()
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "env" / "python"))
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / "scripts"))
    return path


def program(folder: Path, name: str, does: str = "exit 0") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_variable_wins(nowhere: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(nowhere, "dot")
    mine = program(tmp_path / "mine", "my-dot")
    monkeypatch.setenv(VARIABLE, str(mine))
    assert find_dot() == str(mine)
    monkeypatch.setenv(VARIABLE, "other-dot")
    other = program(nowhere, "other-dot")
    assert find_dot() == str(other)


def test_then_the_dot_on_the_path(nowhere: Path, tmp_path: Path) -> None:
    program(tmp_path / "env", "graphviz-pure")
    path = program(nowhere, "dot")
    assert find_dot() == str(path)


@pytest.mark.parametrize("folder", ["env", "scripts", "bin"])
@pytest.mark.usefixtures("nowhere")
def test_then_graphviz_pure_beside_the_running_python(tmp_path: Path, folder: str) -> None:
    """Beside the interpreter, where its scripts are, or anywhere on the PATH."""
    path = program(tmp_path / folder, "graphviz-pure")
    assert find_dot() == str(path)


@pytest.mark.usefixtures("nowhere")
def test_without_any_the_error_says_how_to_get_one() -> None:
    with pytest.raises(DotError, match=r"there is none; install one .*pip install graphviz-pure.*DEXPATTERNS_DOT"):
        find_dot()
    assert issubclass(DotError, InputError)


@pytest.mark.parametrize("named", ["no-such-dot", "/no/such/dot"])
def test_a_variable_that_names_nothing_is_not_passed_over(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    program(nowhere, "dot")
    monkeypatch.setenv(VARIABLE, named)
    with pytest.raises(DotError, match=f"DEXPATTERNS_DOT is '{named}', which is no program that can be run"):
        find_dot()


def test_it_lays_out_and_is_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    """Warnings, as of glyphs without a width, would stand in a cell of a notebook."""
    assert '"bb"' in run_dot(GRAPH)
    assert capfd.readouterr() == ("", "")


def test_what_it_says_is_told_when_it_fails() -> None:
    with pytest.raises(DotError, match=r"ended with status 1: .*syntax error.*DEXPATTERNS_DOT"):
        run_dot("digraph {")


def test_it_has_a_time_limit_and_leaves_no_process(tmp_path: Path) -> None:
    left = tmp_path / "left"
    slow = program(tmp_path, "slow-dot", f"(sleep 1; touch '{left}') & wait")
    with pytest.raises(DotError, match=r"slow-dot' took longer than 0\.2 seconds"):
        run_dot(GRAPH, seconds=0.2, program=str(slow))
    time.sleep(1.2)
    assert not left.exists()


def test_a_program_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(b"\0\1\2")
    broken.chmod(0o755)
    with pytest.raises(DotError, match="broken' cannot be run"):
        run_dot(GRAPH, program=str(broken))


def test_one_that_stops_reading_is_a_failure_and_no_crash(tmp_path: Path) -> None:
    deaf = program(tmp_path, "deaf-dot", "exit 3")
    with pytest.raises(DotError, match="ended with status 3: nothing said why"):
        run_dot(GRAPH + " " * 1_000_000, program=str(deaf))


def test_the_environment_of_the_tests_has_one() -> None:
    assert shutil.which(find_dot())
