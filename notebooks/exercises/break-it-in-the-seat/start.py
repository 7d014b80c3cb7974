from dataclasses import dataclass
from datetime import timedelta

from dexpatterns import Section, Simulation
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


@dataclass(frozen=True)
class ContractEdit:
    reviewer: str


IS_EDITING = Attribute("isEditing", bool)


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        return go_to_many(*[StepMovement.of(TakeFlag, edit) for edit in edits])


class TakeFlag(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        if IS_EDITING.get(context):
            return go_to(LookAgain, edit)
        IS_EDITING.set(context, True)
        return go_to(EditContract, edit)


class LookAgain(Step[ContractEdit]):
    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(Timer.by_duration(timedelta(seconds=30)))

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(TakeFlag, edit)


class EditContract(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(SaveContractEdit, edit)


class SaveContractEdit(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        IS_EDITING.set(context, False)
        return graceful_complete(f"{edit.reviewer} saved")


class PuzzleFlow(Flow[list[ContractEdit]]):
    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            TakeFlag(), LookAgain(), EditContract(), SaveContractEdit()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(IS_EDITING)


EDITS = [ContractEdit("Ada"), ContractEdit("Bo")]
SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)
simulation = Simulation(PuzzleFlow, EDITS, sections=[SECTION])


# From here on it is yours.

answer = ...  # seat, once you have played in it
