"""Anti-pattern: one way out of the section forgets the token, and everyone who still waits waits for ever.

Here it is the early exit of a withdrawn edit. The repair is a list of all ways out, each of which publishes the
token in the same result that leaves.
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
    withdrawn: bool = False


CONTRACT = Attribute("contract", str)
CONTRACT_EDIT_TOKEN = Channel("contractEditToken", str)


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return go_to_many(*[StepMovement.of(EnterContractEdit, edit) for edit in edits])


class EnterContractEdit(Step[ContractEdit]):
    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(CONTRACT_EDIT_TOKEN.for_one())

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(EditContract, edit)


class EditContract(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        if edit.withdrawn:
            return graceful_complete()  # the mistake: it leaves with the token in its pocket
        return go_to(SaveContractEdit, edit)


class SaveContractEdit(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT.set(context, edit.text)
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return graceful_complete()


class LostTokenFlow(Flow[list[ContractEdit]]):
    """Goes well as long as the reviewer who withdraws is the last to enter."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterContractEdit(), EditContract(), SaveContractEdit()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT, CONTRACT_EDIT_TOKEN)
