"""Anti-pattern: a Step that does protected work is cancelled, when the time for editing is over.

What is cancelled publishes nothing, so the token is gone (`CancelInsideFlow`). Publishing it in the canceller's
stead is worse (`CancelAndReplaceTokenFlow`): whom it hits is settled only when its result is saved, and by then
its target may have given the token back. The repair is a request to stop, which the protected Steps look for.
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
TIME_TO_EDIT = timedelta(minutes=10)


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


# Cancel, and leave the token to its fate.


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return go_to_many(
            *[StepMovement.of(EnterContractEdit, edit) for edit in edits],
            StepMovement.of(CancelEditing, None),
        )


class CancelEditing(Step[None]):
    """The mistake: whoever is inside right now never comes to publish the token."""

    def wait_for(self, context: Context, nothing: None) -> Wait:
        return Wait.until(Timer.by_duration(TIME_TO_EDIT))

    def execute(self, context: Context, nothing: None) -> StepDecision:
        return dead_end().with_canceling_steps(EditContract, SaveContractEdit)


class CancelInsideFlow(Flow[list[ContractEdit]]):
    """Whoever waits after the cancellation waits for ever."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterContractEdit(), EditContract(), SaveContractEdit(), CancelEditing()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT, CONTRACT_EDIT_TOKEN)


# Cancel, and publish the token for the one that was cancelled.


class StartEditsWithReplacement(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return go_to_many(
            *[StepMovement.of(EnterContractEdit, edit) for edit in edits],
            StepMovement.of(CancelAndReplaceToken, None),
        )


class CancelAndReplaceToken(Step[None]):
    """The second mistake: what it saw when it began need not hold any more when it is saved."""

    def wait_for(self, context: Context, nothing: None) -> Wait:
        return Wait.until(Timer.by_duration(TIME_TO_EDIT))

    def execute(self, context: Context, nothing: None) -> StepDecision:
        if CONTRACT_EDIT_TOKEN.size(context) == 0:
            CONTRACT_EDIT_TOKEN.publish(context, "replaced")
        return dead_end().with_canceling_steps(EditContract, SaveContractEdit)


class CancelAndReplaceTokenFlow(Flow[list[ContractEdit]]):
    """The target gave its token back a moment before, and now there are two."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartEditsWithReplacement()).other_steps(
            EnterContractEdit(), EditContract(), SaveContractEdit(), CancelAndReplaceToken()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT, CONTRACT_EDIT_TOKEN)
