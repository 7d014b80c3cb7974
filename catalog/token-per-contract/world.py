"""How to try the Flow with a token a contract: four reviewers on two contracts."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

from dexpatterns.claims import Claim
from dexpatterns.dex import Faults, Scenario, Section, check, mutual_exclusion, token_conserved
from dexpatterns.engine.properties import Property, never, never_stuck
from dexpatterns.engine.report import Report, Verdict

from .flow import (
    CONTRACT_TOKEN,
    ContractEdit,
    EditContract,
    EnterContractEdit,
    SaveContractEdit,
    TokenPerContractFlow,
)

CONTRACTS = ("lease", "sale")


def make_input(reviewers: int = 4) -> list[ContractEdit]:
    """The reviewers take the contracts in turn."""
    return [
        ContractEdit(f"reviewer-{n}", CONTRACTS[(n - 1) % len(CONTRACTS)], f"draft {n}")
        for n in range(1, reviewers + 1)
    ]


INPUT = make_input()
LIMIT = len(CONTRACTS)
"""How many may be inside together: one for each contract."""
SECTION = Section(EditContract, SaveContractEdit, name="contract edit", label=lambda edit: edit.reviewer)
TOKEN = CONTRACT_TOKEN
TOKENS = tuple(f"{CONTRACT_TOKEN.name}/{contract}" for contract in CONTRACTS)
"""The entries of the map, each of which holds one token."""
SYMMETRIC = ("reviewer", "text")
SCENARIO = Scenario(
    durations={
        EnterContractEdit: timedelta(milliseconds=200),
        EditContract: (timedelta(minutes=2), timedelta(minutes=8)),
        SaveContractEdit: (timedelta(seconds=2), timedelta(seconds=20)),
    }
)


def ask(reviewers: int, *properties: Property, lost: int = 0) -> Report:
    faults = Faults(lost_attempts=lost)
    edits = make_input(reviewers)
    return check(TokenPerContractFlow, edits, sections=[SECTION], tokens=TOKENS, properties=properties, faults=faults)


def each_token() -> list[Property]:
    return [token_conserved(token) for token in TOKENS]


def two_in_one(state: dict[str, Any]) -> bool:
    """Two executions are at protected Steps of one contract, begun or not."""
    inside = Counter(step["input"]["contract"] for step in state["steps"] if step["step"] in SECTION.steps)
    return any(n > 1 for n in inside.values())


def overtaken(state: dict[str, Any]) -> bool:
    """Somebody edits a contract for which somebody started earlier still waits."""
    waiting = [step["input"] for step in state["steps"] if step["phase"] == "waiting"]
    editing = [step["input"] for step in state["steps"] if step["step"] == "EditContract"]
    return any(
        one["contract"] == other["contract"] and one["reviewer"] < other["reviewer"]
        for one in waiting
        for other in editing
    )


CLAIMS = {
    "one-per-contract": Claim(
        ask=lambda reviewers, contracts: ask(reviewers, never("two inside one contract", two_in_one)),
        given={"reviewers": 4, "contracts": LIMIT},
        verdict=Verdict.PROVED,
        about=("holds n", "spans Steps"),
    ),
    "as-many-as-contracts": Claim(
        ask=lambda reviewers, contracts: ask(reviewers, mutual_exclusion(SECTION, limit=contracts)),
        given={"reviewers": 4, "contracts": LIMIT},
        verdict=Verdict.PROVED,
        about="holds n",
    ),
    "contracts-meet": Claim(
        ask=lambda reviewers: ask(reviewers, mutual_exclusion(SECTION)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="at most one inside contract edit: 2 are inside",
        turns=12,
        about="overlap",
    ),
    "tokens-conserved": Claim(
        ask=lambda reviewers: ask(reviewers, *each_token()),
        given={"reviewers": 4},
        verdict=Verdict.PROVED,
        about=("lost token", "second token"),
    ),
    "never-stuck": Claim(
        ask=lambda reviewers: ask(reviewers, never_stuck()),
        given={"reviewers": 4},
        verdict=Verdict.PROVED,
        about="stuck",
    ),
    "lost-attempts": Claim(
        ask=lambda reviewers, lost: ask(
            reviewers, never_stuck(), mutual_exclusion(SECTION, limit=LIMIT), *each_token(), lost=lost
        ),
        given={"reviewers": 3, "lost": 2},
        verdict=Verdict.PROVED,
        about="survives failure",
    ),
    "order-not-promised": Claim(
        ask=lambda reviewers: ask(reviewers, never("started later, in first", overtaken)),
        given={"reviewers": 3},
        verdict=Verdict.REFUTED,
        broken="started later, in first",
        turns=8,
        about="fair",
    ),
}
