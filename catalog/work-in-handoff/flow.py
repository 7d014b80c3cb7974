"""Anti-pattern: the Step that waits for the token also does the first piece of protected work.

Cancelling that Step gives its token back, but does not stop its code: the next reviewer enters while the first one
still writes. The repair is a handoff that does nothing but go to the first protected Step.
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
ONE_REVIEWER_AFTER = timedelta(minutes=10)


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return go_to_many(
            *[StepMovement.of(EnterAndEditContract, edit) for edit in edits],
            StepMovement.of(InviteDeputy, ContractEdit("deputy", "the deputy's draft")),
        )


class EnterAndEditContract(Step[ContractEdit]):
    """The mistake: while `execute` edits, a cancellation hands the token to somebody else."""

    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(CONTRACT_EDIT_TOKEN.for_one())

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        context.record_event("edited", edit.text)
        return go_to(SaveContractEdit, edit)


class SaveContractEdit(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT.set(context, edit.text)
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return graceful_complete()


class InviteDeputy(Step[ContractEdit]):
    """Cancels everyone who is not through the handoff, which would be safe, and lets a deputy edit instead."""

    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(Timer.by_duration(ONE_REVIEWER_AFTER))

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(EnterAndEditContract, edit).with_canceling_steps(EnterAndEditContract)


class WorkInHandoffFlow(Flow[list[ContractEdit]]):
    """In what is saved nothing is wrong; in what was written outside two edits are mixed."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterAndEditContract(), SaveContractEdit(), InviteDeputy()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT, CONTRACT_EDIT_TOKEN)
