"""How to try the Flow that locks twice: three reviewers, each of whom is to add one version."""

from __future__ import annotations

from datetime import timedelta

from dexpatterns.claims import Claim
from dexpatterns.dex import Scenario, Section, check, mutual_exclusion
from dexpatterns.engine.properties import Property, never
from dexpatterns.engine.report import Report, Verdict

from .flow import ContractEdit, EditContract, LockAcrossStepsFlow, SaveContractEdit


def make_input(reviewers: int = 3) -> list[ContractEdit]:
    return [ContractEdit(f"reviewer-{n}") for n in range(1, reviewers + 1)]


INPUT = make_input()
SECTION = Section(EditContract, SaveContractEdit, name="contract edit", label=lambda edit: edit.reviewer)
SYMMETRIC = ("reviewer",)
SCENARIO = Scenario(
    durations={
        EditContract: (timedelta(minutes=2), timedelta(minutes=8)),
        SaveContractEdit: (timedelta(seconds=2), timedelta(seconds=20)),
    }
)


def ask(reviewers: int, one: Property) -> Report:
    return check(LockAcrossStepsFlow, make_input(reviewers), sections=[SECTION], properties=[one])


def edit_lost(reviewers: int) -> Property:
    return never(
        "fewer versions than edits",
        lambda state: state["status"] == "COMPLETED" and state["attributes"]["contractVersion"] < reviewers,
    )


CLAIMS = {
    "two-inside": Claim(
        ask=lambda reviewers: ask(reviewers, mutual_exclusion(SECTION)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="at most one inside contract edit: 2 are inside",
        turns=5,
        about=("overlap", "spans Steps"),
    ),
    "edit-lost": Claim(
        ask=lambda reviewers: ask(reviewers, edit_lost(reviewers)),
        given={"reviewers": 2},
        verdict=Verdict.REFUTED,
        broken="fewer versions than edits",
        turns=10,
        about="state",
    ),
}
