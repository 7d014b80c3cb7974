"""How to try an order that wants the whole lock, beside light ones that come again and again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from dexpatterns.claims import Claim
from dexpatterns.engine.properties import Property
from dexpatterns.engine.report import Report, Verdict
from dexpatterns.js7 import Job, Order, check, load, no_deadlock, no_overcommitment, no_starvation

ITEMS = load(Path(__file__).parent)
JOBS = {"report": Job(timedelta(minutes=1)), "maintain": Job(timedelta(minutes=1))}


def reports(number: int) -> tuple[Order, ...]:
    return tuple(Order(f"report-{n}", "REPORT", repeats=True) for n in range(1, number + 1))


def make_orders(number: int) -> tuple[Order, ...]:
    return Order("maintenance", "MAINTENANCE"), *reports(number)


ORDERS = make_orders(2)


def ask(orders: Iterable[Order], *properties: Property, fair: bool = False) -> Report:
    return check(ITEMS, orders, fair=fair, properties=properties)


CLAIMS = {
    "starves": Claim(
        ask=lambda reports: ask(make_orders(reports), no_starvation("maintenance")),
        given={"reports": 2},
        verdict=Verdict.REFUTED,
        broken="no starvation of maintenance: maintenance waits for DATABASE",
        turns=6,
        about="fair",
    ),
    "one-report-cannot": Claim(
        ask=lambda reports: ask(make_orders(reports), no_starvation("maintenance")),
        given={"reports": 1},
        verdict=Verdict.PROVED,
        about="fair",
        aside=True,
    ),
    "strict-queue": Claim(
        ask=lambda reports: ask(make_orders(reports), no_starvation("maintenance"), fair=True),
        given={"reports": 2},
        verdict=Verdict.PROVED,
        about="fair",
        aside=True,
    ),
    "equal-weights": Claim(
        ask=lambda orders: ask(reports(orders), no_starvation("report-1")),
        given={"orders": 3},
        verdict=Verdict.PROVED,
        about="fair",
        aside=True,
    ),
    "within-capacity": Claim(
        ask=lambda reports: ask(make_orders(reports), no_overcommitment(), no_deadlock()),
        given={"reports": 2},
        verdict=Verdict.PROVED,
        about=("holds n", "stuck"),
    ),
}
