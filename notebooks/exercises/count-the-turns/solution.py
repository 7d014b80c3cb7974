from dataclasses import dataclass

from dexpatterns.dex import (
    Attribute,
    Context,
    Flow,
    PersistenceSchema,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    StepOptions,
    go_to,
    go_to_many,
    graceful_complete,
)


@dataclass(frozen=True)
class ContractEdit:
    reviewer: str
    version: int = 0


CONTRACT_VERSION = Attribute("contractVersion", int)


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        return go_to_many(*[StepMovement.of(EditContract, edit) for edit in edits])


class EditContract(Step[ContractEdit]):
    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_lock_attributes=(CONTRACT_VERSION.lock(),))

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        version = CONTRACT_VERSION.get(context)
        return go_to(SaveContractEdit, ContractEdit(edit.reviewer, version + 1))


class SaveContractEdit(Step[ContractEdit]):
    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_lock_attributes=(CONTRACT_VERSION.lock(),))

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT_VERSION.set(context, edit.version)
        return graceful_complete(f"{edit.reviewer} saved")


class PuzzleFlow(Flow[list[ContractEdit]]):
    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(EditContract(), SaveContractEdit())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT_VERSION)


EDITS = [ContractEdit("Ada"), ContractEdit("Bo")]


# From here on it is yours.

answer = "REFUTED in 5 turns"
