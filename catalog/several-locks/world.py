"""How to try two locks in one instruction, named in either order, and what that asks of patience."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from dexpatterns.claims import Claim
from dexpatterns.engine.properties import Property, always_ends, never
from dexpatterns.engine.report import Report, Verdict
from dexpatterns.js7 import Job, Order, check, load, no_deadlock, no_lock_kept, no_overcommitment, no_starvation

ITEMS = load(Path(__file__).parent)
JOBS = {"report": Job(timedelta(minutes=2)), "import": Job(timedelta(minutes=5))}
EITHER_WAY = {"report": Job(outcomes="any"), "import": Job(outcomes="any")}
REPORTS = ("SALES-REPORT", "STOCK-REPORT")


def reports(number: int) -> tuple[Order, ...]:
    """Every other one names the locks the other way round."""
    return tuple(Order(f"report-{n}", REPORTS[n % 2]) for n in range(1, number + 1))


ORDERS = (*reports(2), Order("sales-import", "SALES-IMPORT"), Order("stock-import", "STOCK-IMPORT"))


def ask(orders: Iterable[Order], *properties: Property, jobs: Any = None) -> Report:
    return check(ITEMS, orders, jobs=jobs, properties=properties)


def two_inside(state: dict[str, Any]) -> bool:
    """Of the reports, each of which wants both locks."""
    return sum("lock" in order["position"] for order in state["orders"].values()) > 1


def only_one_of_two(state: dict[str, Any]) -> bool:
    """A report holds one lock and not the other."""
    holders = [lock["acquired"].get("orderId") for lock in state["locks"].values()]
    return any(holders.count(id) == 1 for id, order in state["orders"].items() if order["workflow"] in REPORTS)


def alternating() -> tuple[Order, ...]:
    """A report that needs both locks, and imports that come again and again, each for one of them."""
    return (
        Order("report-1", "SALES-REPORT"),
        Order("sales-import", "SALES-IMPORT", repeats=True),
        Order("stock-import", "STOCK-IMPORT", repeats=True),
    )


CLAIMS = {
    "all-or-nothing": Claim(
        ask=lambda orders: ask(
            reports(orders), never("one of two", only_one_of_two), never("two inside", two_inside), no_overcommitment()
        ),
        given={"orders": 4},
        verdict=Verdict.PROVED,
        about="overlap",
    ),
    "all-finish": Claim(
        ask=lambda orders: ask(reports(orders), no_deadlock(), always_ends("FINISHED")),
        given={"orders": 4},
        verdict=Verdict.PROVED,
        about="stuck",
    ),
    "failed-gives-back": Claim(
        ask=lambda orders: ask(reports(orders), no_lock_kept(strict=True), no_deadlock(), jobs=EITHER_WAY),
        given={"orders": 3},
        verdict=Verdict.PROVED,
        about="survives failure",
    ),
    "both-may-starve": Claim(
        ask=lambda: ask(alternating(), no_starvation("report-1")),
        verdict=Verdict.REFUTED,
        broken="no starvation of report-1: report-1 waits for SALES and STOCK",
        turns=6,
        about="fair",
    ),
}
