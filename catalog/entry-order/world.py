"""How to try the two Flows: three reviewers, the last of whom is to have the last word."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from dexpatterns.claims import Claim
from dexpatterns.dex import Flow, Scenario, Section, check, mutual_exclusion
from dexpatterns.engine.properties import Property, never, never_stuck
from dexpatterns.engine.report import Report, Verdict

from .flow import (
    CONTRACT_EDIT_PLACE,
    CONTRACT_EDIT_TOKEN,
    ContractEdit,
    EditContract,
    EditInPlace,
    EnterContractEdit,
    EnterInPlace,
    EntryOrderFlow,
    HandOnByNameFlow,
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


Ask = Callable[[int, Property], Report]


def asking(flow: type[Flow[list[ContractEdit]]], section: Section) -> Ask:
    def ask(reviewers: int, one: Property) -> Report:
        return check(flow, make_input(reviewers), sections=[section], properties=[one])

    return ask


RELYING, HANDING_ON = asking(EntryOrderFlow, SECTION), asking(HandOnByNameFlow, IN_PLACE_SECTION)


def wrong_last_word(reviewers: int) -> Property:
    last = make_input(reviewers)[-1].text
    return never(
        "the wrong last word",
        lambda state: state["status"] == "COMPLETED" and state["attributes"]["contract"] != last,
    )


def overtaken(state: dict[str, Any]) -> bool:
    """Somebody is editing who was started later than one who still waits."""
    waiting = [step for step in state["steps"] if step["phase"] == "waiting"]
    editing = [step for step in state["steps"] if step["step"] in ("EditContract", "EditInPlace")]
    return any(one["input"]["place"] < other["input"]["place"] for one in waiting for other in editing)


CLAIMS = {
    "wrong-last-word": Claim(
        ask=lambda reviewers: RELYING(reviewers, wrong_last_word(reviewers)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="the wrong last word",
        turns=26,
        about="order",
    ),
    "later-in-first": Claim(
        ask=lambda reviewers: RELYING(reviewers, never("started later, in first", overtaken)),
        given={"reviewers": 2},
        verdict=Verdict.REFUTED,
        broken="started later, in first",
        turns=8,
        about="fair",
    ),
    "one-at-a-time": Claim(
        ask=lambda reviewers: RELYING(reviewers, mutual_exclusion(SECTION)),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        about=("overlap", "spans Steps"),
    ),
    "never-stuck": Claim(
        ask=lambda reviewers: RELYING(reviewers, never_stuck()),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        about="stuck",
    ),
    "handed-on-keeps-order": Claim(
        ask=lambda reviewers: HANDING_ON(reviewers, wrong_last_word(reviewers)),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        about="order",
        aside=True,
    ),
    "handed-on-in-turn": Claim(
        ask=lambda reviewers: HANDING_ON(reviewers, never("started later, in first", overtaken)),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        about="fair",
        aside=True,
    ),
    "handed-on-one-at-a-time": Claim(
        ask=lambda reviewers: HANDING_ON(reviewers, mutual_exclusion(IN_PLACE_SECTION)),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        about=("overlap", "spans Steps"),
        aside=True,
    ),
}
