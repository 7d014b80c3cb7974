"""How to try the two Flows: three reviewers, each of whom is to add one version."""

from __future__ import annotations

from datetime import timedelta

from dexpatterns.dex import Scenario, Section

from .flow import ContractEdit, EditContract, EditWithoutLock


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

CLAIMS: dict[str, object] = {}
