"""How to try the Flow that forgets its token: the first of three reviewers withdraws."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from dexpatterns.dex import Scenario, Section

from .flow import CONTRACT_EDIT_TOKEN, ContractEdit, EditContract, EnterContractEdit, SaveContractEdit


def make_input(reviewers: int = 3, *, withdrawn: Iterable[int] = ()) -> list[ContractEdit]:
    """`withdrawn` names reviewers by number, from 1."""
    leaving = set(withdrawn)
    return [ContractEdit(f"reviewer-{n}", f"draft {n}", n in leaving) for n in range(1, reviewers + 1)]


INPUT = make_input(withdrawn=(1,))
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

CLAIMS: dict[str, object] = {}
