"""How to try the two cancelling Flows: the same edits, section and times for both."""

from __future__ import annotations

from datetime import timedelta

from dexpatterns.dex import Scenario, Section

from .flow import (
    CONTRACT_EDIT_TOKEN,
    CancelAndReplaceToken,
    ContractEdit,
    EditContract,
    EnterContractEdit,
    SaveContractEdit,
)


def make_input(reviewers: int = 3) -> list[ContractEdit]:
    return [ContractEdit(f"reviewer-{n}", f"draft {n}") for n in range(1, reviewers + 1)]


INPUT = make_input()
SECTION = Section(EditContract, SaveContractEdit, name="contract edit", label=lambda edit: edit.reviewer)
TOKEN = CONTRACT_EDIT_TOKEN
SYMMETRIC = ("reviewer", "text")
SCENARIO = Scenario(
    durations={
        EnterContractEdit: timedelta(milliseconds=200),
        EditContract: (timedelta(minutes=2), timedelta(minutes=8)),
        SaveContractEdit: (timedelta(seconds=2), timedelta(seconds=20)),
    }
)
REPLACING_SCENARIO = Scenario(
    durations={
        (EnterContractEdit, "wait_for"): (timedelta(), timedelta(minutes=15)),
        EnterContractEdit: (timedelta(), timedelta(minutes=8)),
        EditContract: (timedelta(), timedelta(minutes=8)),
        SaveContractEdit: (timedelta(), timedelta(minutes=8)),
        CancelAndReplaceToken: (timedelta(), timedelta(minutes=8)),
    }
)
"""A day on which everything is slow, the canceller too: what it has seen is old by the time it is saved."""

CLAIMS: dict[str, object] = {}
