"""How to try the watchdog Flow: three reviewers, and edits that may outlast its patience."""

from __future__ import annotations

from datetime import timedelta

from dexpatterns.claims import Claim
from dexpatterns.dex import Scenario, Section, check, mutual_exclusion, token_conserved
from dexpatterns.engine.properties import Property
from dexpatterns.engine.report import Report, Verdict

from .flow import CONTRACT_EDIT_TOKEN, ContractEdit, EditContract, EnterContractEdit, SaveContractEdit, SecondTokenFlow


def make_input(reviewers: int = 3) -> list[ContractEdit]:
    return [ContractEdit(f"reviewer-{n}", f"draft {n}") for n in range(1, reviewers + 1)]


INPUT = make_input()
SECTION = Section(EditContract, SaveContractEdit, name="contract edit", label=lambda edit: edit.reviewer)
TOKEN = CONTRACT_EDIT_TOKEN
SYMMETRIC = ("reviewer", "text")
SCENARIO = Scenario(
    durations={
        EnterContractEdit: timedelta(milliseconds=200),
        EditContract: (timedelta(minutes=2), timedelta(minutes=15)),
        SaveContractEdit: (timedelta(seconds=2), timedelta(seconds=20)),
    }
)


def ask(reviewers: int, one: Property) -> Report:
    return check(SecondTokenFlow, make_input(reviewers), sections=[SECTION], tokens=[TOKEN], properties=[one])


def two_inside(reviewers: int) -> Claim:
    return Claim(
        ask=lambda reviewers: ask(reviewers, mutual_exclusion(SECTION)),
        given={"reviewers": reviewers},
        verdict=Verdict.REFUTED,
        broken="at most one inside contract edit: 2 are inside",
        turns=17,
        about="overlap",
    )


CLAIMS = {
    "two-inside": two_inside(2),
    "no-later-for-three": two_inside(3),
    "token-doubled": Claim(
        ask=lambda reviewers: ask(reviewers, token_conserved(TOKEN)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="one token in contractEditToken: doubled by RecoverToken",
        turns=9,
        about="second token",
    ),
}
