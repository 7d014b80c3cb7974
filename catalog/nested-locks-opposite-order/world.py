"""How to try two locks that two workflows nest in opposite orders: one order of each is enough."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from dexpatterns.claims import Claim, Measure
from dexpatterns.engine.properties import Property, never
from dexpatterns.engine.report import Report, Verdict
from dexpatterns.js7 import Job, Order, check, load, look, no_deadlock, no_overcommitment

ITEMS = load(Path(__file__).parent)
JOBS = {name: Job(timedelta(minutes=1)) for name in ("sell", "deliver", "count", "buy")}


def make_orders(invoices: int, reorders: int) -> tuple[Order, ...]:
    return (
        *(Order(f"invoice-{n}", "INVOICE") for n in range(1, invoices + 1)),
        *(Order(f"reorder-{n}", "REORDER") for n in range(1, reorders + 1)),
    )


ORDERS = make_orders(1, 1)


def ask(orders: Iterable[Order], *properties: Property, jobs: Any = None) -> Report:
    return check(ITEMS, orders, jobs=jobs, properties=properties)


def two_inside(state: dict[str, Any]) -> bool:
    """Two orders are where both locks are held."""
    there = [id for id, order in state["orders"].items() if order["position"].count("lock") == 2]
    return len(there) > 1


def found() -> float:
    """How many pairs of locks a look at the files finds nested in different orders."""
    return sum(one.kind == "nested in different orders" for one in look(ITEMS))


CLAIMS = {
    "in-a-circle": Claim(
        ask=lambda invoices, reorders: ask(make_orders(invoices, reorders), no_deadlock()),
        given={"invoices": 1, "reorders": 1},
        verdict=Verdict.REFUTED,
        broken="no deadlock: invoice-1 holds SALES and waits for STOCK, reorder-1 holds STOCK and waits for SALES",
        turns=4,
        about="stuck",
    ),
    "alone-it-goes-well": Claim(
        ask=lambda invoices: ask(make_orders(invoices, 0), no_deadlock()),
        given={"invoices": 3},
        verdict=Verdict.PROVED,
        about="stuck",
        aside=True,
    ),
    "one-holder-each": Claim(
        ask=lambda invoices, reorders: ask(
            make_orders(invoices, reorders), never("two inside", two_inside), no_overcommitment()
        ),
        given={"invoices": 2, "reorders": 2},
        verdict=Verdict.PROVED,
        about="overlap",
    ),
    "seen-in-the-files": Measure(ask=found, unit="pairs of locks", at_least=1, about="other"),
}
