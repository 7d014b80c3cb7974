"""How to try the Flow with a token a contract: four reviewers on two contracts."""

from __future__ import annotations

from datetime import timedelta

from dexpatterns.dex import Scenario, Section

from .flow import CONTRACT_TOKEN, ContractEdit, EditContract, EnterContractEdit, SaveContractEdit

CONTRACTS = ("lease", "sale")


def make_input(reviewers: int = 4) -> list[ContractEdit]:
    """The reviewers take the contracts in turn."""
    return [
        ContractEdit(f"reviewer-{n}", CONTRACTS[(n - 1) % len(CONTRACTS)], f"draft {n}")
        for n in range(1, reviewers + 1)
    ]


INPUT = make_input()
LIMIT = len(CONTRACTS)
"""How many may be inside together: one for each contract."""
SECTION = Section(EditContract, SaveContractEdit, name="contract edit", label=lambda edit: edit.reviewer)
TOKEN = CONTRACT_TOKEN
SYMMETRIC = ("reviewer", "text")
SCENARIO = Scenario(
    durations={
        EnterContractEdit: timedelta(milliseconds=200),
        EditContract: (timedelta(minutes=2), timedelta(minutes=8)),
        SaveContractEdit: (timedelta(seconds=2), timedelta(seconds=20)),
    }
)

CLAIMS: dict[str, object] = {}
