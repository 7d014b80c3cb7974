"""How to try a lock with room for three: reports that weigh one, imports that weigh two."""

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
JOBS = {"report": Job(timedelta(minutes=1)), "import": Job(timedelta(minutes=5))}
EITHER_WAY = {"report": Job(outcomes="any"), "import": Job(outcomes="any")}
WEIGHTS = {"REPORT": 1, "IMPORT": 2}


def make_orders(reports: int, imports: int, repeats: bool = False) -> tuple[Order, ...]:
    return (
        *(Order(f"report-{n}", "REPORT", repeats=repeats) for n in range(1, reports + 1)),
        *(Order(f"import-{n}", "IMPORT") for n in range(1, imports + 1)),
    )


ORDERS = make_orders(3, 2)


def ask(orders: Iterable[Order], *properties: Property, jobs: Any = None) -> Report:
    return check(ITEMS, orders, jobs=jobs, properties=properties)


def weights_inside(state: dict[str, Any]) -> list[int]:
    return [WEIGHTS[order["workflow"]] for order in state["orders"].values() if "lock" in order["position"]]


CLAIMS = {
    "within-capacity": Claim(
        ask=lambda reports, imports, capacity: ask(
            make_orders(reports, imports),
            no_overcommitment(),
            never("more than the capacity", lambda state: sum(weights_inside(state)) > capacity),
        ),
        given={"reports": 3, "imports": 2, "capacity": 3},
        verdict=Verdict.PROVED,
        about="holds n",
    ),
    "two-do-meet": Claim(
        ask=lambda reports, imports: ask(
            make_orders(reports, imports), never("two inside", lambda state: len(weights_inside(state)) > 1)
        ),
        given={"reports": 1, "imports": 1},
        verdict=Verdict.REFUTED,
        broken="two inside",
        turns=2,
        about="overlap",
    ),
    "all-finish": Claim(
        ask=lambda reports, imports: ask(make_orders(reports, imports), no_deadlock(), always_ends("FINISHED")),
        given={"reports": 3, "imports": 2},
        verdict=Verdict.PROVED,
        about="stuck",
    ),
    "failed-gives-back": Claim(
        ask=lambda reports, imports: ask(
            make_orders(reports, imports), no_lock_kept(strict=True), no_deadlock(), jobs=EITHER_WAY
        ),
        given={"reports": 2, "imports": 2},
        verdict=Verdict.PROVED,
        about="survives failure",
    ),
    "light-passes-heavy": Claim(
        ask=lambda reports: ask(make_orders(reports, 1, repeats=True), no_starvation("import-1")),
        given={"reports": 3},
        verdict=Verdict.REFUTED,
        broken="no starvation of import-1",
        turns=9,
        about="fair",
    ),
}
