"""What goes wrong in each folder over many seeds, and what does not: a sample, against what the folder says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dexpatterns import catalog
from dexpatterns.dex.machine import FlowMachine
from dexpatterns.dex.sections import overlaps, visits
from dexpatterns.dex.watch import TokenWatch
from dexpatterns.engine import simulator
from dexpatterns.engine.trace import Trace

ROOT = catalog.root().parent

CASES: list[tuple[str, int, dict[str, Any], set[str]]] = [
    ("is-editing-flag", 0, {}, {"overlap", "late overlap"}),
    ("is-editing-flag", 1, {}, {"overlap", "late overlap"}),
    ("second-token", 0, {}, {"overlap", "late overlap", "doubled"}),
    ("lost-token", 0, {}, {"lost", "stuck"}),
    ("cancel-inside", 0, {}, {"lost", "stuck"}),
    (
        "cancel-inside",
        1,
        {"section": "SECTION", "scenario": "REPLACING_SCENARIO"},
        {"overlap", "late overlap", "lost", "doubled", "stuck"},
    ),
    ("work-in-handoff", 0, {}, {"late overlap"}),
    ("shared-token-channel", 0, {}, {"overlap", "late overlap", "lost", "doubled", "stuck"}),
    ("entry-order", 0, {}, {"wrong last word"}),
    ("entry-order", 1, {"section": "IN_PLACE_SECTION", "scenario": "IN_PLACE_SCENARIO", "token": None}, set()),
    ("lock-across-steps", 0, {}, {"overlap", "late overlap", "edit lost"}),
    ("long-section", 0, {}, set()),
    ("long-section", 1, {"section": "SHORT_SECTION", "scenario": "SHORT_SCENARIO"}, set()),
    ("attribute-lock", 0, {}, set()),
    (
        "attribute-lock",
        1,
        {"section": "WITHOUT_LOCK_SECTION", "scenario": "WITHOUT_LOCK_SCENARIO"},
        {"overlap", "late overlap", "edit lost"},
    ),
    ("semaphore", 0, {}, set()),
    ("token-per-contract", 0, {"token": "contractToken/lease"}, set()),
    ("token-per-contract", 0, {"token": "contractToken/sale"}, set()),
]


@pytest.mark.parametrize(("id", "number", "other", "expected"), CASES, ids=str)
def test_a_folder_goes_wrong_as_it_says_and_no_other_way(
    id: str, number: int, other: dict[str, Any], expected: set[str]
) -> None:
    pattern = catalog.load(id)
    flow = pattern.flows[number]
    section, scenario = pattern.section, pattern.scenario
    if "section" in other:
        section, scenario = getattr(pattern.world, other["section"]), getattr(pattern.world, other["scenario"])
    token = other.get("token", pattern.token)
    watch = None if token is None else TokenWatch(token, getattr(pattern.world, "LIMIT", 1) if id == "semaphore" else 1)
    machine = FlowMachine(flow, pattern.input, scenario=scenario)
    found: set[str] = set()
    for seed in range(300):
        trace = simulator.simulate(machine, seed=seed, turns=2_000, input=machine.input)
        found |= _overlaps(trace, section, getattr(pattern.world, "LIMIT", 1))
        found |= _token(trace, watch) | _end(trace, pattern)
    assert found == expected


def _overlaps(trace: Trace, section: Any, limit: int) -> set[str]:
    stays = visits(trace, section)
    if limit > 1:
        return {"overlap"} if _most_inside(stays) > limit else set()
    return {word for word, late in (("overlap", False), ("late overlap", True)) if overlaps(stays, late)}


def _most_inside(stays: list[Any]) -> int:
    return max(sum(one.start_turn <= stay.start_turn < one.end_turn for one in stays) for stay in stays)


def _token(trace: Trace, watch: TokenWatch | None) -> set[str]:
    if watch is None:
        return set()
    tokens = watch.step(watch.initial(), trace.started)
    for turn in trace.turns:
        tokens = watch.step(tokens, turn.events)
    fault = watch.fault(tokens)
    return set() if fault is None else {fault.kind}


def _end(trace: Trace, pattern: catalog.Pattern) -> set[str]:
    if trace.final["status"] != "COMPLETED":
        assert {step["phase"] for step in trace.final["steps"]} == {"waiting"}, trace.seed
        return {"stuck"}
    attributes = trace.final["attributes"]
    if "contractVersion" in attributes and attributes["contractVersion"] != len(pattern.input):
        return {"edit lost"}
    if pattern.id == "entry-order" and attributes["contract"] != pattern.input[-1].text:
        return {"wrong last word"}
    return set()


def test_two_licences_are_used_together() -> None:
    pattern = catalog.load("semaphore")
    machine = FlowMachine(pattern.flow, pattern.input, scenario=pattern.scenario)
    most = {_most_inside(visits(simulator.simulate(machine, seed=seed), pattern.section)) for seed in range(20)}
    assert max(most) == pattern.world.LIMIT


def test_two_contracts_are_edited_together_and_none_twice_at_once() -> None:
    pattern = catalog.load("token-per-contract")
    contract_of = {edit.reviewer: edit.contract for edit in pattern.input}
    machine = FlowMachine(pattern.flow, pattern.input, scenario=pattern.scenario)
    pairs = 0
    for seed in range(100):
        for overlap in overlaps(visits(simulator.simulate(machine, seed=seed), pattern.section)):
            pairs += 1
            assert contract_of[overlap.first.label] != contract_of[overlap.second.label]
    assert pairs


@pytest.mark.parametrize(
    ("number", "section", "scenario", "least", "most"),
    [(0, "SECTION", "SCENARIO", 90, 90), (1, "SHORT_SECTION", "SHORT_SCENARIO", 26, 26)],
)
def test_the_tenth_reviewer_waits_for_nine_sections(
    number: int, section: str, scenario: str, least: float, most: float
) -> None:
    pattern = catalog.load("long-section")
    machine = FlowMachine(pattern.flows[number], pattern.make_input(10), scenario=getattr(pattern.world, scenario))
    for seed in range(20):
        trace = simulator.simulate(machine, seed=seed)
        tenth = visits(trace, getattr(pattern.world, section))[9]
        assert tenth.start is not None
        assert least <= tenth.start <= most


def test_the_catalog_is_typed_in_full(tmp_path: Path) -> None:
    """As one package: each folder's `flow` is a module of its own, which mypy would not see in folders with a '-'."""
    names = []
    for pattern in catalog.patterns():
        names.append(pattern.id.replace("-", "_"))
        folder = tmp_path / "typed" / names[-1]
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()
        for module in pattern.path.glob("*.py"):
            (folder / module.name).write_text(module.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "typed" / "__init__.py").touch()
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary", "-p", "typed"],
        cwd=tmp_path,
        env={"MYPYPATH": f"{tmp_path}:{ROOT}", "PATH": "", "MYPY_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
