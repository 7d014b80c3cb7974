"""Anti-pattern: a watchdog finds the token's Channel empty, takes the token for lost, and publishes another one.

An empty Channel is what a held token looks like. With two tokens two reviewers are inside together, from then on.
The repair is to lose none: every way out of the section gives the token back.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from dexpatterns.dex import (
    Attribute,
    Channel,
    Context,
    Flow,
    PersistenceSchema,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    Timer,
    Wait,
    dead_end,
    go_to,
    go_to_many,
    graceful_complete,
)


@dataclass(frozen=True, slots=True)
class ContractEdit:
    reviewer: str
    text: str


CONTRACT = Attribute("contract", str)
CONTRACT_EDIT_TOKEN = Channel("contractEditToken", str)
PATIENCE = timedelta(minutes=10)


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return go_to_many(
            *[StepMovement.of(EnterContractEdit, edit) for edit in edits],
            StepMovement.of(RecoverToken, None),
        )


class EnterContractEdit(Step[ContractEdit]):
    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(CONTRACT_EDIT_TOKEN.for_one())

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(EditContract, edit)


class EditContract(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(SaveContractEdit, edit)


class SaveContractEdit(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT.set(context, edit.text)
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return graceful_complete()


class RecoverToken(Step[None]):
    """The mistake: it cannot tell a token that is lost from one that somebody holds."""

    def wait_for(self, context: Context, nothing: None) -> Wait:
        return Wait.until(Timer.by_duration(PATIENCE))

    def execute(self, context: Context, nothing: None) -> StepDecision:
        if CONTRACT_EDIT_TOKEN.size(context) == 0:
            CONTRACT_EDIT_TOKEN.publish(context, "recovered")
        return dead_end()


class SecondTokenFlow(Flow[list[ContractEdit]]):
    """One edit that takes longer than the watchdog's patience is enough."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterContractEdit(), EditContract(), SaveContractEdit(), RecoverToken()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT, CONTRACT_EDIT_TOKEN)
