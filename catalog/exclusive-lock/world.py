"""How to try one lock for one order at a time: three loads of a warehouse, and a load that is tried again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from dexpatterns.claims import Claim, Measure
from dexpatterns.engine.properties import Property, View, always_ends, never
from dexpatterns.engine.report import Report, Verdict
from dexpatterns.js7 import (
    Controller,
    Job,
    Order,
    check,
    holdings,
    load,
    no_deadlock,
    no_lock_kept,
    no_overcommitment,
    no_starvation,
    simulate,
)

ITEMS = load(Path(__file__).parent)
JOBS = {"extract": Job(timedelta(minutes=2)), "load": Job(timedelta(minutes=1))}
EITHER_WAY = {"extract": Job(outcomes="any"), "load": Job(outcomes="any")}


def loads(number: int, repeats: bool = False) -> tuple[Order, ...]:
    return tuple(Order(f"load-{n}", "NIGHTLY-LOAD", repeats=repeats) for n in range(1, number + 1))


ORDERS = loads(3)


def ask(orders: Iterable[Order], *properties: Property, jobs: Any = None) -> Report:
    return check(ITEMS, orders, jobs=jobs, properties=properties)


def two_inside(state: dict[str, Any]) -> bool:
    """Two orders are at a job of the block; between its jobs the lock is held as well."""
    return sum("lock" in order["position"] for order in state["orders"].values()) > 1


class FirstCome(Property):
    """Whoever queued first is granted first."""

    name = "first come, first served"

    def initial(self) -> tuple[str, ...]:
        return ()

    def step(self, memory: Any, events: tuple[Any, ...]) -> Any:
        for event in events:
            if event.kind == "OrderLocksQueued":
                memory = (*memory, event.order)
            elif event.kind == "OrderLocksAcquired" and memory:
                memory = memory[1:] if memory[0] == event.order else (*memory, "overtaken")
        return memory

    def fault(self, memory: Any, view: View) -> str | None:
        return f"{memory[0]} is overtaken" if "overtaken" in memory else None


def left_behind(orders: int, cancelled: int) -> float:
    """How many of the orders that were cancelled, the first of which holds the lock, still hold it or queue."""
    hand = Controller(ITEMS, jobs=JOBS)
    for order in loads(orders):
        hand.add_order(order.id, order.workflow)
    gone = [order.id for order in loads(cancelled)]
    hand.cancel(*gone).advance(timedelta(minutes=2))
    lock = hand.lock("WAREHOUSE")
    return len([id for id in gone if id in lock["queue"] or id == lock["acquired"].get("orderId")])


def wait_for_retried(attempts: int) -> float:
    """Of an order that comes a moment after a load whose attempts fail but for the last: all its waits, in minutes."""
    outcomes = ["failed"] * (attempts - 1) + ["succeeded"]
    jobs = JOBS | {"load": Job(timedelta(minutes=1), outcomes, {"load-1": Job(timedelta(minutes=1))})}
    orders = Order("retried", "RETRIED-LOAD"), Order("load-1", "NIGHTLY-LOAD", at=timedelta(seconds=1))
    run = simulate(ITEMS, orders, jobs=jobs)
    waits = [one for one in holdings(run.trace, "WAREHOUSE") if (one.order, one.what) == ("load-1", "waited")]
    return round(sum((one.end or 0) - (one.start or 0) for one in waits) / 60)


CLAIMS = {
    "one-inside": Claim(
        ask=lambda orders: ask(loads(orders), never("two inside", two_inside), no_overcommitment()),
        given={"orders": 3},
        verdict=Verdict.PROVED,
        about=("overlap", "spans Steps"),
    ),
    "all-finish": Claim(
        ask=lambda orders: ask(loads(orders), no_deadlock(), always_ends("FINISHED")),
        given={"orders": 3},
        verdict=Verdict.PROVED,
        about="stuck",
    ),
    "failed-gives-back": Claim(
        ask=lambda orders: ask(loads(orders), no_lock_kept(strict=True), no_deadlock(), jobs=EITHER_WAY),
        given={"orders": 3},
        verdict=Verdict.PROVED,
        about="survives failure",
    ),
    "cancelled-gives-back": Measure(
        ask=left_behind,
        given={"orders": 3, "cancelled": 2},
        unit="orders",
        at_most=0,
        about="survives cancel",
    ),
    "first-come": Claim(
        ask=lambda orders: ask(loads(orders), FirstCome()),
        given={"orders": 3},
        verdict=Verdict.PROVED,
        about="fair",
    ),
    "nobody-starves": Claim(
        ask=lambda orders: ask(loads(orders, repeats=True), no_starvation("load-1")),
        given={"orders": 3},
        verdict=Verdict.PROVED,
        about="fair",
    ),
    "free-between-attempts": Measure(
        ask=wait_for_retried,
        given={"attempts": 3},
        unit="min",
        at_most=1,
        about="waiting",
    ),
}
