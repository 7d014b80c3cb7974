"""A load whose first two tries fail, and a clean-up that may come at any moment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dexpatterns.engine.properties import always_ends, never
from dexpatterns.exercises.demands import Demand, UnmetError, items_demand, jobs_run, locked_while
from dexpatterns.js7 import Job, Order, no_deadlock, no_lock_kept, no_overcommitment

WORKFLOWS = ("LOAD", "CLEAN-UP")
LOCKS = ("WAREHOUSE",)
UNDER = {"load": ["WAREHOUSE"], "clean": ["WAREHOUSE"]}
ORDERS = [Order("load-1", "LOAD"), Order("clean-up-1", "CLEAN-UP")]
JOBS = {"load": Job(outcomes=("failed", "failed", "succeeded"))}
EITHER_WAY = {"load": Job(outcomes="any")}
NAMES = {
    "en": ("nobody waits for a try with the lock in hand", "no order fails"),
    "zh": ("没有人占着锁等待下一次尝试", "没有订单失败"),
}


def holds_and_pauses(state: dict[str, Any]) -> bool:
    pausing = {id for id, order in state["orders"].items() if order["state"] == "DelayingRetry"}
    acquired = state["locks"]["WAREHOUSE"]["acquired"]
    holders = {acquired.get("orderId"), *acquired.get("orderToCount", ())}
    return bool(pausing & holders)


def judge(items: Any, lang: str) -> Iterator[Demand]:
    always = [no_overcommitment(), no_lock_kept(), no_deadlock(), locked_while(UNDER, lang)]
    empty_handed, unfailing = NAMES[lang]
    pauses = never(empty_handed, holds_and_pauses)
    asked = [*always, pauses, never(unfailing, lambda state: state["status"] == "FAILED"), always_ends("FINISHED")]
    demand = items_demand(items, ORDERS, asked, jobs=JOBS)
    yield demand
    if jobs_run(demand.report.witness) < len(UNDER):
        raise UnmetError("work-gone")
    yield items_demand(items, ORDERS, [*always, pauses], jobs=EITHER_WAY)
