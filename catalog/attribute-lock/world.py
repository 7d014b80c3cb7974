"""How to try the two Flows: three reviewers, each of whom is to add one version."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from dexpatterns.claims import Claim
from dexpatterns.dex import Faults, Scenario, Section, check, mutual_exclusion
from dexpatterns.engine.properties import Property, never, never_stuck
from dexpatterns.engine.report import Report, Verdict

from .flow import AttributeLockFlow, ContractEdit, EditContract, EditWithoutLock, WithoutLockFlow


def make_input(reviewers: int = 3) -> list[ContractEdit]:
    return [ContractEdit(f"reviewer-{n}") for n in range(1, reviewers + 1)]


INPUT = make_input()
SECTION = Section(EditContract, name="contract edit", label=lambda edit: edit.reviewer)
SYMMETRIC = ("reviewer",)
SCENARIO = Scenario(
    durations={
        EditContract: (timedelta(minutes=2), timedelta(minutes=8)),
    }
)

WITHOUT_LOCK_SECTION = Section(EditWithoutLock, name="edit without lock", label=lambda edit: edit.reviewer)
WITHOUT_LOCK_SCENARIO = Scenario(durations={EditWithoutLock: (timedelta(minutes=2), timedelta(minutes=8))})


def ask(reviewers: int, *properties: Property, lost: int = 0) -> Report:
    faults = Faults(lost_attempts=lost, steps=[EditContract])
    return check(AttributeLockFlow, make_input(reviewers), sections=[SECTION], properties=properties, faults=faults)


def ask_without_lock(reviewers: int, one: Property) -> Report:
    return check(WithoutLockFlow, make_input(reviewers), sections=[WITHOUT_LOCK_SECTION], properties=[one])


def edit_lost(reviewers: int) -> Property:
    return never(
        "fewer versions than edits",
        lambda state: state["status"] == "COMPLETED" and state["attributes"]["contractVersion"] < reviewers,
    )


def overtaken(state: dict[str, Any]) -> bool:
    """Somebody edits whom somebody started earlier still waits for."""
    edits = [step for step in state["steps"] if step["step"] == "EditContract"]
    waiting = [step["input"]["reviewer"] for step in edits if step["phase"] == "queued"]
    editing = [step["input"]["reviewer"] for step in edits if step["phase"] == "running"]
    return any(one < other for one in waiting for other in editing)


CLAIMS = {
    "one-at-a-time": Claim(
        ask=lambda reviewers, lost: ask(reviewers, mutual_exclusion(SECTION), lost=lost),
        given={"reviewers": 3, "lost": 2},
        verdict=Verdict.PROVED,
        about=("overlap", "survives failure"),
    ),
    "no-edit-lost": Claim(
        ask=lambda reviewers, lost: ask(reviewers, edit_lost(reviewers), lost=lost),
        given={"reviewers": 3, "lost": 2},
        verdict=Verdict.PROVED,
        about=("state", "survives failure"),
    ),
    "never-stuck": Claim(
        ask=lambda reviewers, lost: ask(reviewers, never_stuck(), lost=lost),
        given={"reviewers": 3, "lost": 2},
        verdict=Verdict.PROVED,
        about=("stuck", "survives failure"),
    ),
    "order-not-promised": Claim(
        ask=lambda reviewers: ask(reviewers, never("started later, in first", overtaken)),
        given={"reviewers": 2},
        verdict=Verdict.REFUTED,
        broken="started later, in first",
        turns=3,
        about="fair",
    ),
    "without-lock-edit-lost": Claim(
        ask=lambda reviewers: ask_without_lock(reviewers, edit_lost(reviewers)),
        given={"reviewers": 2},
        verdict=Verdict.REFUTED,
        broken="fewer versions than edits",
        turns=6,
        about="state",
        aside=True,
    ),
    "without-lock-two-inside": Claim(
        ask=lambda reviewers: ask_without_lock(reviewers, mutual_exclusion(WITHOUT_LOCK_SECTION)),
        given={"reviewers": 2},
        verdict=Verdict.REFUTED,
        broken="at most one inside edit without lock: 2 are inside",
        turns=4,
        about="overlap",
        aside=True,
    ),
}
