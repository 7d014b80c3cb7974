"""Three reports and two imports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dexpatterns.engine.properties import always_ends, never
from dexpatterns.exercises.demands import Demand, UnmetError, items_demand, jobs_run, locked_while
from dexpatterns.js7 import Job, Order, no_deadlock, no_lock_kept, no_overcommitment

WORKFLOWS = ("REPORT", "IMPORT")
LOCKS = ("DATABASE",)
UNDER = {"report": ["DATABASE"], "import": ["DATABASE"]}
REPORTS = [Order(f"report-{n}", "REPORT") for n in (1, 2, 3)]
ORDERS = [*REPORTS, Order("import-1", "IMPORT"), Order("import-2", "IMPORT")]
JOBS = {name: Job() for name in UNDER}
NAMES = {"en": ("an import runs alone", "three reports at once"), "zh": ("导入独自运行", "三个报表同时运行")}


def running(state: dict[str, Any]) -> list[str]:
    return [order["workflow"] for order in state["orders"].values() if order["state"] == "Processing"]


def import_beside(state: dict[str, Any]) -> bool:
    return "IMPORT" in running(state) and len(running(state)) > 1


def three_reports(state: dict[str, Any]) -> bool:
    return running(state).count("REPORT") == 3


def judge(items: Any, lang: str) -> Iterator[Demand]:
    alone, together = NAMES[lang]
    asked = [
        no_overcommitment(),
        no_lock_kept(),
        no_deadlock(),
        locked_while(UNDER, lang),
        never(alone, import_beside),
        always_ends("FINISHED"),
    ]
    demand = items_demand(items, ORDERS, asked)
    yield demand
    if jobs_run(demand.report.witness) < len(UNDER):
        raise UnmetError("work-gone")
    yield items_demand(items, REPORTS, [never(together, three_reports)], breaks="three-never-meet")
