"""Anti-pattern: work that needs no protection is done with the token in hand, and everyone else waits for it.

Nothing breaks in `LongSectionFlow`, it is only slow: the waits add up. `ShortSectionFlow` is the repair: look
things up first, then enter.
"""

from __future__ import annotations

from dataclasses import dataclass

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


class EditContract(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(SaveContractEdit, edit)


class SaveContractEdit(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT.set(context, edit.text)
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return graceful_complete()


# Enter first, look things up inside.


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return go_to_many(*[StepMovement.of(EnterContractEdit, edit) for edit in edits])


class EnterContractEdit(Step[ContractEdit]):
    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(CONTRACT_EDIT_TOKEN.for_one())

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(LookUpPrecedents, edit)


class LookUpPrecedents(Step[ContractEdit]):
    """The mistake: it touches nothing of the contract, and keeps everyone out of it."""

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(EditContract, edit)


class LongSectionFlow(Flow[list[ContractEdit]]):
    """The tenth reviewer waits for nine look-ups."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterContractEdit(), LookUpPrecedents(), EditContract(), SaveContractEdit()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT, CONTRACT_EDIT_TOKEN)


# Look things up outside, then enter.


class StartPreparedEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return go_to_many(*[StepMovement.of(LookUpPrecedentsFirst, edit) for edit in edits])


class LookUpPrecedentsFirst(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(EnterPrepared, edit)


class EnterPrepared(Step[ContractEdit]):
    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(CONTRACT_EDIT_TOKEN.for_one())

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(EditContract, edit)


class ShortSectionFlow(Flow[list[ContractEdit]]):
    """The look-ups run side by side; only the edits take turns."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartPreparedEdits()).other_steps(
            LookUpPrecedentsFirst(), EnterPrepared(), EditContract(), SaveContractEdit()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT, CONTRACT_EDIT_TOKEN)
