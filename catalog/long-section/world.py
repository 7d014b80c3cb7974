"""How to try the two Flows: ten reviewers, eight seconds to look things up, two to edit and save."""

from __future__ import annotations

from datetime import timedelta

from dexpatterns.claims import Claim, Measure
from dexpatterns.dex import Flow, Scenario, Section, check, mutual_exclusion, simulate, token_conserved
from dexpatterns.engine.properties import Property, never_stuck
from dexpatterns.engine.report import Report, Verdict

from .flow import (
    CONTRACT_EDIT_TOKEN,
    ContractEdit,
    EditContract,
    EnterContractEdit,
    EnterPrepared,
    LongSectionFlow,
    LookUpPrecedents,
    LookUpPrecedentsFirst,
    SaveContractEdit,
    ShortSectionFlow,
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
LOOKING_UP, EDITING, SAVING = 8, 1, 1
"""Seconds."""
SCENARIO = Scenario(
    durations={
        StartContractEdits: timedelta(),
        EnterContractEdit: timedelta(),
        LookUpPrecedents: timedelta(seconds=LOOKING_UP),
        EditContract: timedelta(seconds=EDITING),
        SaveContractEdit: timedelta(seconds=SAVING),
    }
)

SHORT_SECTION = Section(EditContract, SaveContractEdit, name="prepared edit", label=lambda edit: edit.reviewer)
SHORT_SCENARIO = Scenario(
    durations={
        StartPreparedEdits: timedelta(),
        LookUpPrecedentsFirst: timedelta(seconds=LOOKING_UP),
        EnterPrepared: timedelta(),
        EditContract: timedelta(seconds=EDITING),
        SaveContractEdit: timedelta(seconds=SAVING),
    }
)


def entry(flow: type[Flow[list[ContractEdit]]], section: Section, scenario: Scenario, number: int) -> list[float]:
    """When the reviewer of that number enters, in seconds of virtual time, over a few seeds."""
    edits = make_input(number)
    runs = [simulate(flow, edits, sections=[section], scenario=scenario, seed=seed) for seed in range(5)]
    return [float(run.intervals(section)["start"].iloc[number - 1].total_seconds()) for run in runs]


def ask(reviewers: int, one: Property) -> Report:
    return check(LongSectionFlow, make_input(reviewers), sections=[SECTION], tokens=[TOKEN], properties=[one])


def long_entry(reviewers: int, inside: int) -> float:
    return min(entry(LongSectionFlow, SECTION, SCENARIO, reviewers))


def short_entry(reviewers: int, inside: int) -> float:
    return max(entry(ShortSectionFlow, SHORT_SECTION, SHORT_SCENARIO, reviewers))


CLAIMS = {
    "tenth-waits": Measure(
        ask=long_entry,
        given={"reviewers": 10, "inside": LOOKING_UP + EDITING + SAVING},
        unit="s",
        at_least=90,
        about="waiting",
    ),
    "short-tenth-waits": Measure(
        ask=short_entry,
        given={"reviewers": 10, "inside": EDITING + SAVING},
        unit="s",
        at_most=30,
        about="waiting",
        aside=True,
    ),
    "one-at-a-time": Claim(
        ask=lambda reviewers: ask(reviewers, mutual_exclusion(SECTION)),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        about=("overlap", "spans Steps"),
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
