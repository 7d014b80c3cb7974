"""How to try the two flag Flows: the same edits, section and times for both."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from dexpatterns.claims import Claim
from dexpatterns.dex import Flow, Scenario, Section, check, mutual_exclusion
from dexpatterns.engine.properties import Property, never_stuck
from dexpatterns.engine.report import Report, Verdict

from .flow import ContractEdit, EditContract, EditingFlagFlow, EditingFlagInOneStepFlow, SaveContractEdit, TakeFlag


def make_input(reviewers: int = 3) -> list[ContractEdit]:
    return [ContractEdit(f"reviewer-{n}", f"draft {n}") for n in range(1, reviewers + 1)]


INPUT = make_input()
SECTION = Section(EditContract, SaveContractEdit, name="contract edit", label=lambda edit: edit.reviewer)
SYMMETRIC = ("reviewer", "text")
SCENARIO = Scenario(
    durations={
        EditContract: (timedelta(minutes=2), timedelta(minutes=8)),
        SaveContractEdit: (timedelta(seconds=2), timedelta(seconds=20)),
    }
)

SCENARIOS = {"at-once": Scenario(durations={**SCENARIO.durations, TakeFlag: timedelta()})}
"""`EditingFlagInOneStepFlow` on a day on which the flag is taken at once: some runs go well, by luck."""


def asking(flow: type[Flow[list[ContractEdit]]], one: Property) -> Callable[..., Report]:
    def ask(reviewers: int) -> Report:
        return check(flow, make_input(reviewers), sections=[SECTION], properties=[one])

    return ask


def lets_two_in(flow: type[Flow[list[ContractEdit]]], reviewers: int, turns: int) -> Claim:
    return Claim(
        ask=asking(flow, mutual_exclusion(SECTION)),
        given={"reviewers": reviewers},
        verdict=Verdict.REFUTED,
        broken="at most one inside contract edit: 2 are inside",
        turns=turns,
        about="overlap",
    )


TWO_STEPS_TURNS, ONE_STEP_TURNS = 12, 8

CLAIMS = {
    "two-steps-let-two-in": lets_two_in(EditingFlagFlow, 2, TWO_STEPS_TURNS),
    "two-steps-no-later-for-three": lets_two_in(EditingFlagFlow, 3, TWO_STEPS_TURNS),
    "one-step-lets-two-in": lets_two_in(EditingFlagInOneStepFlow, 2, ONE_STEP_TURNS),
    "one-step-no-later-for-three": lets_two_in(EditingFlagInOneStepFlow, 3, ONE_STEP_TURNS),
    "two-steps-never-stuck": Claim(
        ask=asking(EditingFlagFlow, never_stuck()), given={"reviewers": 3}, verdict=Verdict.PROVED, about="stuck"
    ),
    "one-step-never-stuck": Claim(
        ask=asking(EditingFlagInOneStepFlow, never_stuck()),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        about="stuck",
    ),
}
