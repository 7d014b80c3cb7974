"""How to try the Flow whose token Channel carries comments: three reviewers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from dexpatterns.claims import Claim
from dexpatterns.dex import Scenario, Section, check, mutual_exclusion, token_conserved
from dexpatterns.engine.properties import Property, never, never_stuck
from dexpatterns.engine.report import Report, Verdict

from .flow import (
    CONTRACT_MESSAGES,
    ContractEdit,
    EditContract,
    EnterContractEdit,
    SaveContractEdit,
    SharedTokenChannelFlow,
)


def make_input(reviewers: int = 3) -> list[ContractEdit]:
    return [ContractEdit(f"reviewer-{n}", f"draft {n}") for n in range(1, reviewers + 1)]


INPUT = make_input()
SECTION = Section(EditContract, SaveContractEdit, name="contract edit", label=lambda edit: edit.reviewer)
TOKEN = CONTRACT_MESSAGES
SYMMETRIC = ("reviewer", "text")
SCENARIO = Scenario(
    durations={
        EnterContractEdit: timedelta(milliseconds=200),
        EditContract: (timedelta(minutes=2), timedelta(minutes=8)),
        SaveContractEdit: (timedelta(seconds=2), timedelta(seconds=20)),
    }
)


def ask(reviewers: int, one: Property) -> Report:
    return check(SharedTokenChannelFlow, make_input(reviewers), sections=[SECTION], tokens=[TOKEN], properties=[one])


def second_token(state: dict[str, Any]) -> bool:
    """Somebody is inside, and yet there is a message to enter with."""
    inside = any(step["step"] in SECTION.steps for step in state["steps"])
    return inside and bool(state["channels"][TOKEN.name])


CLAIMS = {
    "two-inside": Claim(
        ask=lambda reviewers: ask(reviewers, mutual_exclusion(SECTION)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="at most one inside contract edit: 2 are inside",
        turns=13,
        about="overlap",
    ),
    "token-doubled": Claim(
        ask=lambda reviewers: ask(reviewers, never("a second token", second_token)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="a second token",
        turns=8,
        about="second token",
    ),
    "reader-takes-token": Claim(
        ask=lambda reviewers: ask(reviewers, token_conserved(TOKEN)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="one token in contractMessages",
        turns=6,
        about="lost token",
    ),
    "others-stuck": Claim(
        ask=lambda reviewers: ask(reviewers, never_stuck()),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="never stuck",
        turns=12,
        about="stuck",
    ),
}
