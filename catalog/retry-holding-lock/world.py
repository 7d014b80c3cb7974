"""How to try a load that is tried again: with the lock around the attempts, and beside it with the lock inside."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from dexpatterns.claims import Claim, Measure
from dexpatterns.engine.properties import Property, never
from dexpatterns.engine.report import Report, Verdict
from dexpatterns.js7 import Job, Order, check, holdings, load, no_deadlock, no_lock_kept, no_overcommitment, simulate

ITEMS = load(Path(__file__).parent)


def make_jobs(attempts: int) -> dict[str, Job]:
    """The last attempt succeeds."""
    outcomes = ["failed"] * (attempts - 1) + ["succeeded"]
    return {"load": Job(timedelta(minutes=1), outcomes), "clean": Job(timedelta(minutes=1))}


JOBS = make_jobs(3)
EITHER_WAY = {"load": Job(outcomes="any")}


def make_orders(workflow: str = "RETRIED-LOAD") -> tuple[Order, ...]:
    """A load whose first attempts fail, and an order that comes a moment later."""
    return Order("load", workflow), Order("clean-up", "CLEAN-UP", at=timedelta(seconds=1))


ORDERS = make_orders()


def ask(*properties: Property) -> Report:
    return check(ITEMS, make_orders(), jobs=EITHER_WAY, properties=properties)


def two_inside(state: dict[str, Any]) -> bool:
    return sum("lock" in order["position"] for order in state["orders"].values()) > 1


def wait(workflow: str, attempts: int) -> float:
    """How long the clean-up waits for the lock, in minutes of virtual time."""
    run = simulate(ITEMS, make_orders(workflow), jobs=make_jobs(attempts))
    waits = [one for one in holdings(run.trace, "WAREHOUSE") if (one.order, one.what) == ("clean-up", "waited")]
    return round(sum((one.end or 0) - (one.start or 0) for one in waits) / 60)


CLAIMS = {
    "others-wait-for-pauses": Measure(
        ask=lambda attempts: wait("RETRIED-LOAD", attempts),
        given={"attempts": 3},
        unit="min",
        at_least=20,
        about="waiting",
    ),
    "inside-the-try": Measure(
        ask=lambda attempts: wait("REPAIRED-LOAD", attempts),
        given={"attempts": 3},
        unit="min",
        at_most=1,
        about="waiting",
        aside=True,
    ),
    "nothing-else-breaks": Claim(
        ask=lambda: ask(never("two inside", two_inside), no_overcommitment(), no_lock_kept(), no_deadlock()),
        verdict=Verdict.PROVED,
        about=("overlap", "stuck"),
    ),
}
