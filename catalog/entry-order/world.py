"""How to try the two Flows: three reviewers, the last of whom is to have the last word."""

from __future__ import annotations

from datetime import timedelta

from dexpatterns.dex import Scenario, Section

from .flow import (
    CONTRACT_EDIT_PLACE,
    CONTRACT_EDIT_TOKEN,
    ContractEdit,
    EditContract,
    EditInPlace,
    EnterContractEdit,
    EnterInPlace,
    SaveAndHandOn,
    SaveContractEdit,
)


def make_input(reviewers: int = 3) -> list[ContractEdit]:
    return [ContractEdit(f"reviewer-{n}", f"draft {n}", n) for n in range(1, reviewers + 1)]


INPUT = make_input()
SECTION = Section(EditContract, SaveContractEdit, name="contract edit", label=lambda edit: edit.reviewer)
TOKEN = CONTRACT_EDIT_TOKEN
SYMMETRIC = ()
SCENARIO = Scenario(
    durations={
        EnterContractEdit: timedelta(milliseconds=200),
        EditContract: (timedelta(minutes=2), timedelta(minutes=8)),
        SaveContractEdit: (timedelta(seconds=2), timedelta(seconds=20)),
    }
)

IN_PLACE_SECTION = Section(EditInPlace, SaveAndHandOn, name="contract edit in place", label=lambda edit: edit.reviewer)
IN_PLACE_CHANNEL = CONTRACT_EDIT_PLACE
IN_PLACE_SCENARIO = Scenario(
    durations={
        EnterInPlace: timedelta(milliseconds=200),
        EditInPlace: (timedelta(minutes=2), timedelta(minutes=8)),
        SaveAndHandOn: (timedelta(seconds=2), timedelta(seconds=20)),
    }
)

CLAIMS: dict[str, object] = {}
