"""How to try the Flow with licences: four reviewers and two licences."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from dexpatterns.claims import Claim
from dexpatterns.dex import Faults, Scenario, Section, check, mutual_exclusion, token_conserved
from dexpatterns.engine.properties import Property, never, never_stuck
from dexpatterns.engine.report import Report, Verdict

from .flow import EDITOR_LICENCE, LICENCES, CloseEditor, ContractEdit, OpenEditor, SemaphoreFlow, TakeLicence


def make_input(reviewers: int = 4, *, withdrawn: Iterable[int] = ()) -> list[ContractEdit]:
    """`withdrawn` names reviewers by number, from 1."""
    leaving = set(withdrawn)
    return [ContractEdit(f"reviewer-{n}", n in leaving) for n in range(1, reviewers + 1)]


INPUT = make_input()
LIMIT = LICENCES
"""How many may be inside together, and how many tokens there are."""
SECTION = Section(OpenEditor, CloseEditor, name="open editor", label=lambda edit: edit.reviewer)
TOKEN = EDITOR_LICENCE
SYMMETRIC = ("reviewer",)
SCENARIO = Scenario(
    durations={
        TakeLicence: timedelta(milliseconds=200),
        OpenEditor: (timedelta(minutes=2), timedelta(minutes=8)),
        CloseEditor: (timedelta(seconds=2), timedelta(seconds=20)),
    }
)


def ask(reviewers: int, *properties: Property, lost: int = 0, withdrawn: Iterable[int] = ()) -> Report:
    edits = make_input(reviewers, withdrawn=withdrawn)
    faults = Faults(lost_attempts=lost)
    return check(SemaphoreFlow, edits, sections=[SECTION], tokens=[TOKEN], properties=properties, faults=faults)


def usual() -> tuple[Property, ...]:
    return never_stuck(), mutual_exclusion(SECTION, limit=LIMIT), token_conserved(TOKEN, count=LIMIT)


def overtaken(state: dict[str, Any]) -> bool:
    """Somebody has an editor open whom somebody started earlier still waits for."""
    waiting = [step for step in state["steps"] if step["phase"] == "waiting"]
    opened = [step for step in state["steps"] if step["step"] == "OpenEditor"]
    return any(one["input"]["reviewer"] < other["input"]["reviewer"] for one in waiting for other in opened)


CLAIMS = {
    "at-most-two": Claim(
        ask=lambda reviewers, licences: ask(reviewers, mutual_exclusion(SECTION, limit=licences)),
        given={"reviewers": 4, "licences": LICENCES},
        verdict=Verdict.PROVED,
        about=("holds n", "spans Steps"),
    ),
    "two-do-meet": Claim(
        ask=lambda reviewers: ask(reviewers, mutual_exclusion(SECTION)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="at most one inside open editor: 2 are inside",
        turns=12,
        about="overlap",
    ),
    "licences-conserved": Claim(
        ask=lambda reviewers, licences: ask(reviewers, token_conserved(TOKEN, count=licences)),
        given={"reviewers": 4, "licences": LICENCES},
        verdict=Verdict.PROVED,
        about=("lost token", "second token"),
    ),
    "never-stuck": Claim(
        ask=lambda reviewers: ask(reviewers, never_stuck()),
        given={"reviewers": 4},
        verdict=Verdict.PROVED,
        about="stuck",
    ),
    "every-flag": Claim(
        ask=lambda reviewers, lost: ask(reviewers, *usual(), lost=lost, withdrawn=(1,)),
        given={"reviewers": 3, "lost": 2},
        verdict=Verdict.PROVED,
        about="survives failure",
    ),
    "order-not-promised": Claim(
        ask=lambda reviewers: ask(reviewers, never("started later, in first", overtaken)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="started later, in first",
        turns=10,
        about="fair",
    ),
}
