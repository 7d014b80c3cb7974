"""How to try the two cancelling Flows: the same edits, section and times for both."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from dexpatterns.claims import Claim
from dexpatterns.dex import Flow, Scenario, Section, check, mutual_exclusion, token_conserved
from dexpatterns.engine.properties import Property, never_stuck
from dexpatterns.engine.report import Report, Verdict

from .flow import (
    CONTRACT_EDIT_TOKEN,
    CancelAndReplaceToken,
    CancelAndReplaceTokenFlow,
    CancelInsideFlow,
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


def asking(flow: type[Flow[list[ContractEdit]]], one: Property) -> Callable[..., Report]:
    def ask(reviewers: int) -> Report:
        return check(flow, make_input(reviewers), sections=[SECTION], tokens=[TOKEN], properties=[one])

    return ask


CLAIMS = {
    "others-stuck": Claim(
        ask=asking(CancelInsideFlow, never_stuck()),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="never stuck",
        turns=15,
        about=("stuck", "survives cancel"),
    ),
    "token-lost": Claim(
        ask=asking(CancelInsideFlow, token_conserved(TOKEN)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="one token in contractEditToken: lost by EditContract",
        turns=11,
        about=("lost token", "survives cancel"),
    ),
    "one-at-a-time": Claim(
        ask=asking(CancelInsideFlow, mutual_exclusion(SECTION)),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        about="overlap",
    ),
    "replacement-doubles": Claim(
        ask=asking(CancelAndReplaceTokenFlow, token_conserved(TOKEN)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="one token in contractEditToken: doubled by CancelAndReplaceToken",
        turns=9,
        about=("second token", "survives cancel"),
    ),
    "replacement-lets-two-in": Claim(
        ask=asking(CancelAndReplaceTokenFlow, mutual_exclusion(SECTION)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="at most one inside contract edit: 2 are inside",
        turns=17,
        about=("overlap", "survives cancel"),
    ),
    "replacement-loses-too": Claim(
        ask=asking(CancelAndReplaceTokenFlow, never_stuck()),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="never stuck",
        turns=15,
        about=("stuck", "lost token"),
    ),
}
