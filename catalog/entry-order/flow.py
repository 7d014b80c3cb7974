"""Anti-pattern: the text of whoever was started last is taken for the final one, since "they enter in order".

Which of the waiting branches gets the token is not promised. `EntryOrderFlow` relies on it all the same;
`HandOnByNameFlow` is the repair: whoever leaves hands on to a place by its name, and one branch waits for each.
"""

from __future__ import annotations

from dataclasses import dataclass

from dexpatterns.dex import (
    Attribute,
    Channel,
    ChannelMap,
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
    """`place` counts from 1; the edit in the last place is meant to have the last word."""

    reviewer: str
    text: str
    place: int


CONTRACT = Attribute("contract", str)
CONTRACT_EDIT_TOKEN = Channel("contractEditToken", str)
CONTRACT_EDIT_PLACE = ChannelMap("contractEditPlace", str)


class StartContractEdits(Step[list[ContractEdit]]):
    """The mistake: it starts them in order and believes that they enter in it."""

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
        return go_to(SaveContractEdit, edit)


class SaveContractEdit(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT.set(context, edit.text)
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return graceful_complete()


class EntryOrderFlow(Flow[list[ContractEdit]]):
    """Never two inside, and still the wrong text at the end."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterContractEdit(), EditContract(), SaveContractEdit()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT, CONTRACT_EDIT_TOKEN)


# The repair: one token still, handed on to a place.


class StartEditsInOrder(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        CONTRACT_EDIT_PLACE.publish(context, "1", "contract")
        return go_to_many(*[StepMovement.of(EnterInPlace, edit) for edit in edits])


class EnterInPlace(Step[ContractEdit]):
    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(CONTRACT_EDIT_PLACE.for_one(str(edit.place)))

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(EditInPlace, edit)


class EditInPlace(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(SaveAndHandOn, edit)


class SaveAndHandOn(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT.set(context, edit.text)
        CONTRACT_EDIT_PLACE.publish(context, str(edit.place + 1), "contract")
        return graceful_complete()


class HandOnByNameFlow(Flow[list[ContractEdit]]):
    """The order is part of the messages, so it is kept."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartEditsInOrder()).other_steps(EnterInPlace(), EditInPlace(), SaveAndHandOn())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT, CONTRACT_EDIT_PLACE)
