"""One invoice and one reorder, then two invoices and a reorder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dexpatterns.engine.properties import always_ends, never
from dexpatterns.exercises.demands import Demand, UnmetError, items_demand, jobs_run, locked_while
from dexpatterns.js7 import Job, Order, no_deadlock, no_lock_kept, no_overcommitment

WORKFLOWS = ("INVOICE", "REORDER")
LOCKS = ("SALES", "STOCK")
UNDER = {"sell": ["SALES"], "count": ["STOCK"], "deliver": ["SALES", "STOCK"], "buy": ["SALES", "STOCK"]}
ORDERS = [Order("invoice-1", "INVOICE"), Order("reorder-1", "REORDER")]
MORE = [*ORDERS, Order("invoice-2", "INVOICE")]
JOBS = {name: Job() for name in UNDER}
ONE_HOLDER = {"en": "one holder at a time", "zh": "同一时刻只有一个持有者"}


def two_holders(state: dict[str, Any]) -> bool:
    """A lock that is held in shares has its holders by name."""
    return any(len(lock["acquired"].get("orderToCount", ())) > 1 for lock in state["locks"].values())


def judge(items: Any, lang: str) -> Iterator[Demand]:
    for orders in (ORDERS, MORE):
        asked = [
            no_overcommitment(),
            no_lock_kept(),
            no_deadlock(),
            locked_while(UNDER, lang),
            never(ONE_HOLDER[lang], two_holders),
            always_ends("FINISHED"),
        ]
        demand = items_demand(items, orders, asked)
        yield demand
        if jobs_run(demand.report.witness) < len(UNDER):
            raise UnmetError("work-gone")
