"""The package starts light: what is heavy, or for one face of it alone, is imported when it is asked for."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ("pandas", "numpy", "graphviz", "ipywidgets", "anywidget", "IPython", "click", "rich", "msgspec")


def loaded_after(code: str) -> set[str]:
    """Which of the heavy packages a fresh Python has loaded once it has run the code."""
    tail = f"import json, sys; print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{tail}"], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("module", ["dexpatterns", "dexpatterns.dex", "dexpatterns.catalog"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    assert loaded_after(f"import {module}") == set()


def test_a_pattern_is_run_without_anything_heavy() -> None:
    code = """
from dexpatterns import catalog, simulate
pattern = catalog.load("critical-section")
run = simulate(pattern.flow, pattern.make_input(reviewers=2), sections=[pattern.section], scenario=pattern.scenario)
assert run.status.name == "COMPLETED"
"""
    assert loaded_after(code) == set()


RUN = """
import sys
from dexpatterns.cli import main
try:
    main({args!r})
except SystemExit as end:
    assert not end.code, end.code
"""


@pytest.mark.parametrize(
    ("args", "allowed"),
    [
        (["--help"], {"click"}),
        (["run", "--help"], {"click"}),
        (["list"], {"click", "rich"}),
        (["run", "critical-section"], {"click", "rich"}),
        (["run", "critical-section", "--json"], {"click"}),
    ],
    ids=" ".join,
)
def test_a_command_loads_what_it_shows(args: list[str], allowed: set[str]) -> None:
    assert loaded_after(RUN.format(args=args)) - allowed == set()
