"""How to try the two Flows: ten reviewers, eight seconds to look things up, two to edit and save."""

from __future__ import annotations

from datetime import timedelta

from dexpatterns.dex import Scenario, Section

from .flow import (
    CONTRACT_EDIT_TOKEN,
    ContractEdit,
    EditContract,
    EnterContractEdit,
    EnterPrepared,
    LookUpPrecedents,
    LookUpPrecedentsFirst,
    SaveContractEdit,
    StartContractEdits,
    StartPreparedEdits,
)


def make_input(reviewers: int = 10) -> list[ContractEdit]:
    return [ContractEdit(f"reviewer-{n}", f"draft {n}") for n in range(1, reviewers + 1)]


INPUT = make_input()
SECTION = Section(
    LookUpPrecedents, EditContract, SaveContractEdit, name="contract edit", label=lambda edit: edit.reviewer
)
TOKEN = CONTRACT_EDIT_TOKEN
SYMMETRIC = ("reviewer", "text")
SCENARIO = Scenario(
    durations={
        StartContractEdits: timedelta(),
        EnterContractEdit: timedelta(),
        LookUpPrecedents: timedelta(seconds=8),
        EditContract: timedelta(seconds=1),
        SaveContractEdit: timedelta(seconds=1),
    }
)

SHORT_SECTION = Section(EditContract, SaveContractEdit, name="prepared edit", label=lambda edit: edit.reviewer)
SHORT_SCENARIO = Scenario(
    durations={
        StartPreparedEdits: timedelta(),
        LookUpPrecedentsFirst: timedelta(seconds=8),
        EnterPrepared: timedelta(),
        EditContract: timedelta(seconds=1),
        SaveContractEdit: timedelta(seconds=1),
    }
)

CLAIMS: dict[str, object] = {}
