"""How to try orders that are left lying with the lock: one that stops on failure, one whose child fails."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from dexpatterns.claims import Claim
from dexpatterns.engine.properties import Property
from dexpatterns.engine.report import Report, Verdict
from dexpatterns.js7 import Job, Order, check, load, no_deadlock, no_lock_kept, no_starvation

ITEMS = load(Path(__file__).parent)
JOBS = {"load": Job(timedelta(minutes=1), outcomes="failed"), "clean": Job(timedelta(minutes=1))}
EITHER_WAY = {"load": Job(outcomes="any")}


def make_orders(workflow: str) -> tuple[Order, ...]:
    """One of them, and one that only wants the lock."""
    return Order("load", workflow), Order("clean-up", "CLEAN-UP")


ORDERS = make_orders("STOPPED-LOAD")


def ask(workflow: str, *properties: Property) -> Report:
    return check(ITEMS, make_orders(workflow), jobs=EITHER_WAY, properties=properties)


CLAIMS = {
    "stopped-keeps": Claim(
        ask=lambda: ask("STOPPED-LOAD", no_lock_kept(strict=True)),
        verdict=Verdict.REFUTED,
        broken="no lock kept, not by stopped orders or for failed children either: Lock:WAREHOUSE is held by load, "
        "which is Stopped",
        turns=2,
        about="survives failure",
    ),
    "stopped-others-wait": Claim(
        ask=lambda: ask("STOPPED-LOAD", no_starvation("clean-up")),
        verdict=Verdict.REFUTED,
        broken="no starvation of clean-up: clean-up waits for WAREHOUSE",
        turns=3,
        about="stuck",
    ),
    "child-keeps": Claim(
        ask=lambda: ask("FORKED-LOAD", no_lock_kept(strict=True)),
        verdict=Verdict.REFUTED,
        broken="no lock kept, not by stopped orders or for failed children either: Lock:WAREHOUSE is held by load, "
        "which waits for its child load|north, which is Failed",
        turns=2,
        about="survives failure",
    ),
    "child-others-wait": Claim(
        ask=lambda: ask("FORKED-LOAD", no_starvation("clean-up")),
        verdict=Verdict.REFUTED,
        broken="no starvation of clean-up: clean-up waits for WAREHOUSE",
        turns=4,
        about="stuck",
    ),
    "no-circle": Claim(
        ask=lambda: ask("STOPPED-LOAD", no_deadlock()),
        verdict=Verdict.PROVED,
        about="other",
    ),
}
