"""Prints the figures that the project is measured by: `python tests/benchmarks/figures.py [NAME ...]`.

Each figure is made beside its peer in the same run, several times, and told as a median, since a shared machine is
noisy: compare ratios, not seconds. Nothing here can fail; the tests keep what must hold.

    simulation   edits in one Flow, beside SimPy (one Resource, two timeouts a branch); memory an edit
    start        `import dexpatterns`, and the command from start to prompt
    bare         the bare token model through the explorer, beside the checker minicheck
    explorer     the contract-edit Flow: states, verdicts, microseconds a transition, bytes a state
    refuted      shortest counterexamples of the anti-patterns, from 2 to 8 reviewers
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "engine")]

import minicheck  # noqa: E402  # after the path
import simpy  # noqa: E402

from dexpatterns import Bounds, Faults, catalog, check, never_stuck  # noqa: E402
from dexpatterns.dex import FlowMachine  # noqa: E402
from dexpatterns.engine.explore import explore  # noqa: E402
from dexpatterns.engine.simulator import simulate  # noqa: E402


def timed(work: Callable[[], Any]) -> float:
    """The seconds of this work; to throw away what it made counts as no part of it."""
    gc.collect()
    started = time.perf_counter()
    made = work()
    taken = time.perf_counter() - started
    del made
    return taken


def medians(times: int, *works: Callable[[], Any]) -> list[float]:
    """The median seconds of each piece of work, made in turn so that noise hits them alike."""
    found: list[list[float]] = [[] for _ in works]
    for _ in range(times):
        for kept, work in zip(found, works, strict=True):
            kept.append(timed(work))
    return [statistics.median(kept) for kept in found]


def simpy_branches(n: int) -> Any:
    env = simpy.Environment()
    token = simpy.Resource(env, capacity=1)

    def branch() -> Any:
        with token.request() as request:
            yield request
            yield env.timeout(1)
            yield env.timeout(1)

    for _ in range(n):
        env.process(branch())
    env.run()
    return env


def machine_of(n: int, *, memo: bool = False, **more: Any) -> FlowMachine:
    pattern = catalog.load("critical-section")
    return FlowMachine(pattern.flow, pattern.make_input(reviewers=n), memo=memo, **more)


def simulation() -> None:
    # First, since a process is born with the highest memory that its parent ever had.
    for n in (10_000, 100_000):
        print(elsewhere(f"memory_of({n})"), end="")
    print("edits     µs/edit  SimPy µs/branch  ratio")
    for n, times in ((1_000, 9), (10_000, 5), (100_000, 3)):
        machine = machine_of(n)
        ours, theirs = medians(times, lambda m=machine: simulate(m), lambda n=n: simpy_branches(n))
        print(f"{n:7,} {ours / n * 1e6:9.0f} {theirs / n * 1e6:14.1f} {ours / theirs:8.1f}")


def elsewhere(call: str) -> str:
    """What a call of this file prints in a process of its own, whose memory is its own."""
    code = [sys.executable, "-c", f"import figures; figures.{call}"]
    return subprocess.check_output(code, text=True, cwd=Path(__file__).parent)


def memory_of(n: int) -> None:
    machine = machine_of(n)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    trace = simulate(machine)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{n:7,} edits: {grown * 1024 / n:,.0f} bytes an edit at most, {len(trace.turns):,} turns kept")


def start() -> None:
    lean = [sys.executable, "-c", "pass"]
    imports = [sys.executable, "-c", "import dexpatterns"]
    command = [sys.executable, "-m", "dexpatterns.cli", "run", "critical-section"]

    def run(argv: list[str]) -> None:
        subprocess.run(argv, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)

    none, imported, ran = medians(9, lambda: run(lean), lambda: run(imports), lambda: run(command))
    print(f"import dexpatterns: {imported - none:.3f} s above a bare interpreter ({none:.3f} s)")
    print(f"dexpatterns run critical-section: {ran:.3f} s from start to prompt")


def peer_model(n: int) -> Any:
    """The token model for minicheck: whether the token lies there, then how far each branch is."""

    def transitions(state: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
        found = []
        for i in range(1, n + 1):
            made = state[i]
            if made < 4 and (made or state[0]):
                token = {0: 0, 3: 1}.get(made, state[0])
                found.append((f"{i}", (token, *state[1:i], made + 1, *state[i + 1 :])))
        return found

    fields = ("token", *(f"branch{i}" for i in range(n)))
    one = {"one inside": lambda state: sum(0 < state[name] < 4 for name in fields[1:]) <= 1}
    return minicheck.Protocol(
        name="token", candidate=False, fields=fields, initial=(1,) + (0,) * n, transitions=transitions, invariants=one
    )


def bare() -> None:
    from bare_models import FlagModel, TokenModel

    print("N   token: states/edges   flag: states/edges")
    for n in range(2, 9):
        token = explore(TokenModel(n))
        flag = explore(FlagModel(n), bounds=Bounds(states=5_000_000)) if n < 8 else None
        told = f"{flag.states:,}/{flag.transitions:,}" if flag else "(2,962,302/17,014,944 by the closed table)"
        print(f"{n}   {token.states:,}/{token.transitions:,}   {told}")
    peer, model = peer_model(8), TokenModel(8)
    theirs, ours = medians(7, lambda: minicheck.check_safety(peer), lambda: explore(model))
    print(f"token, N = 8: minicheck {theirs * 1e3:.0f} ms, ours {ours * 1e3:.0f} ms, {ours / theirs:.1f} times")


def explorer() -> None:
    for states in (1_000, 10_000, 100_000, 1_000_000):
        print(elsewhere(f"transition_of({states})"), end="")
    for n, lost, symmetric in ((4, 2, None), (8, 1, True), (12, 0, True)):
        pattern = catalog.load("critical-section")

        def ask(n: int = n, lost: int = lost, symmetric: bool | None = symmetric, pattern: Any = pattern) -> Any:
            return check(
                pattern.flow, pattern.make_input(reviewers=n), sections=[pattern.section], tokens=[pattern.token],
                faults=Faults(lost_attempts=lost), symmetric=symmetric,
            )  # fmt: skip

        (seconds,) = medians(3, ask)
        report = ask()
        told = f"{n:2} reviewers, {lost} lost, symmetric={symmetric}"
        print(f"{told}: {report.verdict.name}, {report.states:,} states, {seconds:.2f} s")


def transition_of(states: int) -> None:
    """The plain machine: handlers memoised, no other cut."""
    machine = machine_of(8, memo=True)
    explore(machine, properties=[never_stuck()], bounds=Bounds(states=500), merge=False)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    report = explore(machine, properties=[never_stuck()], bounds=Bounds(states=states), merge=False)
    seconds = time.perf_counter() - started
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(
        f"{report.states:9,} states: {seconds / report.transitions * 1e6:5.1f} µs a transition, "
        f"{grown * 1024 / report.states:,.0f} bytes a state"
    )


def refuted() -> None:
    for name in ("is-editing-flag", "second-token"):
        pattern = catalog.load(name)
        for n in (2, 4, 6, 8):

            def ask(n: int = n, pattern: Any = pattern) -> Any:
                tokens = [pattern.token] if pattern.token else []
                inside = [pattern.section]
                input = pattern.make_input(reviewers=n)
                return check(pattern.flow, input, sections=inside, tokens=tokens, symmetric=True)

            (seconds,) = medians(3, ask)
            report = ask()
            turns = len(report.counterexample.trace.turns)
            print(f"{name:16} {n} reviewers: {report.property} in {turns} turns, {seconds:.2f} s")


FIGURES = {"simulation": simulation, "start": start, "bare": bare, "explorer": explorer, "refuted": refuted}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*FIGURES, []], default=[])
    for name in parser.parse_args().names or FIGURES:
        print(f"\n{name} ({os.cpu_count()} cores, Python {sys.version.split()[0]})")
        FIGURES[name]()
