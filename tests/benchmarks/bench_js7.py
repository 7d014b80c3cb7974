"""What JS7 runs cost: `python tests/benchmarks/bench_js7.py` prints the figures and fails when one is missed.

Times are those of the processor, so that what else runs on the machine counts less.

10,000 orders of mixed weight on 3 locks, started together, in a Controller and in the simulator: the time per order is
at most 1.5 times that at 1,000, all finish, all locks are available, all queues empty. And the deadlock of two orders
on locks nested in opposite orders is found in under 0.2 s.
"""

from __future__ import annotations

import gc
import random
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[2])]

from dexpatterns.js7 import Controller, Job, Jobs, Order, check, load, simulate
from tests.js7.notation import items, lock, ok, workflow

_WEIGHTS = (1, 2, 3, 5)
JOBS = Jobs({"ok": Job(duration=timedelta(seconds=1))})


def world() -> Any:
    """Workflows that take weights and all of A/10, B/5 and C/3, alone and together."""
    made = [workflow(f"A{w}", lock(f"A:{w}", ok)) for w in _WEIGHTS]
    made += [workflow(f"B{w}", lock(f"B:{w}", ok)) for w in _WEIGHTS]
    made += [workflow(f"C{w}", lock(f"C:{w}", ok)) for w in (1, 2, 3)]
    several = {"AB": "A:3 B:2", "ABC": "A:1 B:1 C:1", "C": "C"}
    made += [workflow(path, lock(demands, ok)) for path, demands in several.items()]
    return load(items(*made, locks="A/10 B/5 C/3"))


def mix(world: Any, n: int) -> list[tuple[str, str, int]]:
    names = [item.path for item in world if type(item).__name__ == "Workflow"]
    draw = random.Random(7)
    return [(f"O{i:05}", draw.choice(names), draw.choice((0, 0, 0, 10, -10))) for i in range(n)]


def by_hand(n: int, fair: bool = False) -> float:
    """Seconds for n orders that are added together, until all have finished."""
    made = world()
    orders = mix(made, n)
    gc.collect()
    start = time.process_time()
    c = Controller(made, jobs=JOBS, fair=fair)
    for id, path, priority in orders:
        c.add_order(id, path, priority=priority)
    c.advance(timedelta(days=1))
    seconds = time.process_time() - start
    assert {order.state for order in c.orders} == {"Finished"}
    for path in "ABC":
        assert c.lock(path)["acquired"] == {"TYPE": "Available"} and not c.lock(path)["queue"], path
    return seconds


def simulated(n: int) -> float:
    made = world()
    orders = [Order(id, path, priority=priority) for id, path, priority in mix(made, n)]
    gc.collect()
    start = time.process_time()
    run = simulate(made, orders, jobs=JOBS)
    seconds = time.process_time() - start
    assert run.trace.final["status"] == "FINISHED", run.trace.outcome
    return seconds


def deadlock() -> float:
    made = items(workflow("X", lock("A", ok, lock("B", ok))), workflow("Y", lock("B", ok, lock("A", ok))), locks="A B")
    start = time.process_time()
    report = check(made, [Order("X", "X"), Order("Y", "Y")])
    seconds = time.process_time() - start
    assert report.property == "no deadlock"
    return seconds


def main() -> int:
    missed = []
    runs: dict[str, Callable[[int], float]] = {
        "Controller": by_hand, "Controller, fair": lambda n: by_hand(n, True), "simulate": simulated,
    }  # fmt: skip
    for name, run in runs.items():
        small = min(run(1_000) for _ in range(3)) / 1_000
        large = min(run(10_000) for _ in range(2)) / 10_000
        times = large / small
        print(f"{name}: {small * 1e3:.3f} ms per order of 1,000, {large * 1e3:.3f} ms of 10,000: {times:.2f} times")
        if large > 1.5 * small:
            missed.append(name)
    seconds = min(deadlock() for _ in range(3))
    print(f"deadlock of two orders: {seconds * 1e3:.1f} ms")
    if seconds > 0.2:
        missed.append("deadlock")
    for name in missed:
        print(f"missed: {name}")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
