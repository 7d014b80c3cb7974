"""How to try the Flow that forgets its token: the first of three reviewers withdraws."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from dexpatterns.audit import audit
from dexpatterns.claims import Claim
from dexpatterns.dex import Scenario, Section, check, mutual_exclusion, token_conserved
from dexpatterns.engine.properties import Property, never_stuck
from dexpatterns.engine.report import Report, Verdict

from .flow import CONTRACT_EDIT_TOKEN, ContractEdit, EditContract, EnterContractEdit, LostTokenFlow, SaveContractEdit


def make_input(reviewers: int = 3, *, withdrawn: Iterable[int] = (1,)) -> list[ContractEdit]:
    """`withdrawn` names reviewers by number, from 1; else it is the first, which the folder is about."""
    leaving = set(withdrawn)
    return [ContractEdit(f"reviewer-{n}", f"draft {n}", n in leaving) for n in range(1, reviewers + 1)]


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


def ask(reviewers: int, *properties: Property, withdrawn: Iterable[int] = (1,)) -> Report:
    edits = make_input(reviewers, withdrawn=withdrawn)
    return check(LostTokenFlow, edits, sections=[SECTION], tokens=[TOKEN], properties=properties)


def audited(reviewers: int) -> Any:
    return audit(LostTokenFlow, make_input(reviewers, withdrawn=(1,)), SECTION, token=TOKEN)


CLAIMS = {
    "others-stuck": Claim(
        ask=lambda reviewers: ask(reviewers, never_stuck()),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="never stuck",
        turns=12,
        about="stuck",
    ),
    "token-lost": Claim(
        ask=lambda reviewers: ask(reviewers, token_conserved(TOKEN)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="one token in contractEditToken: lost by EditContract",
        turns=8,
        about="lost token",
    ),
    "early-exit-forgets": Claim(
        ask=audited,
        given={"reviewers": 2},
        verdict=Verdict.REFUTED,
        broken="lost: early exit, EditContract",
        turns=8,
        about="lost token",
    ),
    "one-at-a-time": Claim(
        ask=lambda reviewers: ask(reviewers, mutual_exclusion(SECTION)),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        about="overlap",
    ),
    "fine-without-withdrawal": Claim(
        ask=lambda reviewers: ask(reviewers, never_stuck(), token_conserved(TOKEN), withdrawn=()),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        about="other",
    ),
}
