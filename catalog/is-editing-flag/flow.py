"""Anti-pattern: a flag in an Attribute is meant to keep a second reviewer out, and does not.

Between reading the flag and saving it anything may happen, so two reviewers can both have read False. Checking and
setting in two Steps (`EditingFlagFlow`) or in one (`EditingFlagInOneStepFlow`) makes no difference but in how
often it goes wrong. The repair is a token in a Channel: a message is taken by one wait, once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from dexpatterns.dex import (
    Attribute,
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
IS_EDITING = Attribute("isEditing", bool)
LOOK_AGAIN_AFTER = timedelta(seconds=30)


class EditContract(Step[ContractEdit]):
    """The first protected Step, or so it is believed."""

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(SaveContractEdit, edit)


class SaveContractEdit(Step[ContractEdit]):
    """The last one: saves the text and lowers the flag."""

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT.set(context, edit.text)
        IS_EDITING.set(context, False)
        return graceful_complete()


# Check in one Step, set in the next.


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        return go_to_many(*[StepMovement.of(CheckFlag, edit) for edit in edits])


class CheckFlag(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        if IS_EDITING.get(context):
            return go_to(LookAgain, edit)
        return go_to(SetFlag, edit)


class LookAgain(Step[ContractEdit]):
    """Nothing can wait for an Attribute, so all that is left is to look again later."""

    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(Timer.by_duration(LOOK_AGAIN_AFTER))

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(CheckFlag, edit)


class SetFlag(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        IS_EDITING.set(context, True)
        return go_to(EditContract, edit)


class EditingFlagFlow(Flow[list[ContractEdit]]):
    """Two reviewers find the flag down, and both raise it."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            CheckFlag(), LookAgain(), SetFlag(), EditContract(), SaveContractEdit()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT, IS_EDITING)


# Check and set inside one execute.


class StartFlagTakers(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        return go_to_many(*[StepMovement.of(TakeFlag, edit) for edit in edits])


class TakeFlag(Step[ContractEdit]):
    """Reads when it begins, writes when it is saved; another one fits in between."""

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        if IS_EDITING.get(context):
            return go_to(TakeFlagLater, edit)
        IS_EDITING.set(context, True)
        return go_to(EditContract, edit)


class TakeFlagLater(Step[ContractEdit]):
    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(Timer.by_duration(LOOK_AGAIN_AFTER))

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(TakeFlag, edit)


class EditingFlagInOneStepFlow(Flow[list[ContractEdit]]):
    """One execute is not one instant: the same two reviewers, the same end."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartFlagTakers()).other_steps(
            TakeFlag(), TakeFlagLater(), EditContract(), SaveContractEdit()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT, IS_EDITING)
