"""How to try two locks that every workflow nests in one order, sales before stock."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from dexpatterns.claims import Claim, Measure
from dexpatterns.engine.properties import Property, always_ends, never
from dexpatterns.engine.report import Report, Verdict
from dexpatterns.js7 import Job, Order, check, load, look, no_deadlock, no_lock_kept, no_overcommitment

ITEMS = load(Path(__file__).parent)
JOBS = {name: Job(timedelta(minutes=1)) for name in ("sell", "deliver", "count", "buy")}
EITHER_WAY = {name: Job(outcomes="any") for name in JOBS}


def make_orders(invoices: int, reorders: int) -> tuple[Order, ...]:
    return (
        *(Order(f"invoice-{n}", "INVOICE") for n in range(1, invoices + 1)),
        *(Order(f"reorder-{n}", "REORDER") for n in range(1, reorders + 1)),
    )


ORDERS = make_orders(1, 1)


def ask(orders: Iterable[Order], *properties: Property, jobs: Any = None) -> Report:
    return check(ITEMS, orders, jobs=jobs, properties=properties)


def two_inside(state: dict[str, Any]) -> bool:
    """Two orders are where the outer lock is held, which is the same one in both workflows."""
    there = [id for id, order in state["orders"].items() if order["position"].count("lock") > 0]
    return len(there) > 1


def found() -> float:
    """How many pairs of locks a look at the files finds nested in different orders."""
    return sum(one.kind == "nested in different orders" for one in look(ITEMS))


CLAIMS = {
    "never-in-a-circle": Claim(
        ask=lambda invoices, reorders: ask(make_orders(invoices, reorders), no_deadlock(), always_ends("FINISHED")),
        given={"invoices": 2, "reorders": 2},
        verdict=Verdict.PROVED,
        about="stuck",
    ),
    "one-holder-each": Claim(
        ask=lambda invoices, reorders: ask(
            make_orders(invoices, reorders), never("two inside", two_inside), no_overcommitment()
        ),
        given={"invoices": 2, "reorders": 2},
        verdict=Verdict.PROVED,
        about=("overlap", "spans Steps"),
    ),
    "failed-gives-back": Claim(
        ask=lambda invoices, reorders: ask(
            make_orders(invoices, reorders), no_lock_kept(strict=True), no_deadlock(), jobs=EITHER_WAY
        ),
        given={"invoices": 1, "reorders": 2},
        verdict=Verdict.PROVED,
        about="survives failure",
    ),
    "nothing-to-see": Measure(ask=found, unit="pairs of locks", at_most=0, about="other"),
}
