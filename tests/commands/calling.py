"""Calls the command here or as a process of its own, and reads what it said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from dexpatterns.cli import main

__all__ = ["COMMAND", "call", "data", "refused", "start"]

# Ctrl-C reaches it also where these tests run behind a shell that lets its background jobs ignore it.
_HEARS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
COMMAND = [sys.executable, "-c", f"{_HEARS}; from dexpatterns.cli import main; main(prog_name='dexpatterns')"]


def call(*args: str | Path) -> Result:
    """Run the command here, on a wide terminal."""
    return CliRunner().invoke(main, [str(arg) for arg in args], prog_name="dexpatterns", env={"COLUMNS": "200"})


class Process(subprocess.Popen[str]):
    """A process that a failed test does not wait for."""

    def __exit__(self, *raised: object) -> None:
        if raised[0] is not None:
            self.kill()
        super().__exit__(*raised)


def start(*args: str | Path, **options: Any) -> Process:
    """Start the command as a process of its own."""
    env = {**os.environ, "COLUMNS": "200", **options.pop("env", {})}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return Process([*COMMAND, *map(str, args)], text=True, encoding="utf-8", env=env, **pipes)


def data(*args: str | Path) -> Any:
    """What it prints as data."""
    return json.loads(call(*args, "--json").stdout)


def refused(result: Result) -> str:
    """The one line of a refusal; the rest of the promise is checked on the way."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1, "one line"
    assert result.stderr[:-1].isprintable()
    return result.stderr
