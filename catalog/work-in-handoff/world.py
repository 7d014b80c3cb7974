"""How to try the Flow whose handoff edits: two reviewers, and a deputy who comes when time is over."""

from __future__ import annotations

from datetime import timedelta

from dexpatterns.claims import Claim
from dexpatterns.dex import Scenario, Section, check, mutual_exclusion, token_conserved
from dexpatterns.engine.properties import Property, never_stuck
from dexpatterns.engine.report import Report, Verdict

from .flow import CONTRACT_EDIT_TOKEN, ContractEdit, EnterAndEditContract, SaveContractEdit, WorkInHandoffFlow


def make_input(reviewers: int = 2) -> list[ContractEdit]:
    return [ContractEdit(f"reviewer-{n}", f"draft {n}") for n in range(1, reviewers + 1)]


INPUT = make_input()
SECTION = Section(EnterAndEditContract, SaveContractEdit, name="contract edit", label=lambda edit: edit.reviewer)
TOKEN = CONTRACT_EDIT_TOKEN
SYMMETRIC = ("reviewer", "text")
SCENARIO = Scenario(
    durations={
        EnterAndEditContract: (timedelta(minutes=2), timedelta(minutes=8)),
        SaveContractEdit: (timedelta(seconds=2), timedelta(seconds=20)),
    }
)


def ask(reviewers: int, one: Property) -> Report:
    return check(WorkInHandoffFlow, make_input(reviewers), sections=[SECTION], tokens=[TOKEN], properties=[one])


CLAIMS = {
    "late-code-overlaps": Claim(
        ask=lambda reviewers: ask(reviewers, mutual_exclusion(SECTION, late=True)),
        given={"reviewers": 2},
        verdict=Verdict.REFUTED,
        broken="at most one inside contract edit, late code counted: 2 are inside",
        turns=13,
        about=("late code", "survives cancel"),
    ),
    "saved-work-exclusive": Claim(
        ask=lambda reviewers: ask(reviewers, mutual_exclusion(SECTION)),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        about="overlap",
    ),
    "token-conserved": Claim(
        ask=lambda reviewers: ask(reviewers, token_conserved(TOKEN)),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        about=("lost token", "second token"),
    ),
    "never-stuck": Claim(
        ask=lambda reviewers: ask(reviewers, never_stuck()),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        about="stuck",
    ),
}
