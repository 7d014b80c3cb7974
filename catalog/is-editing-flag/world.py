"""How to try the two flag Flows: the same edits, section and times for both."""

from __future__ import annotations

from datetime import timedelta

from dexpatterns.dex import Scenario, Section

from .flow import ContractEdit, EditContract, SaveContractEdit


def make_input(reviewers: int = 3) -> list[ContractEdit]:
    return [ContractEdit(f"reviewer-{n}", f"draft {n}") for n in range(1, reviewers + 1)]


INPUT = make_input()
SECTION = Section(EditContract, SaveContractEdit, name="contract edit", label=lambda edit: edit.reviewer)
SYMMETRIC = ("reviewer", "text")
SCENARIO = Scenario(
    durations={
        EditContract: (timedelta(minutes=2), timedelta(minutes=8)),
        SaveContractEdit: (timedelta(seconds=2), timedelta(seconds=20)),
    }
)

CLAIMS: dict[str, object] = {}
