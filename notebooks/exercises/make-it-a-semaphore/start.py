from dataclasses import dataclass

from dexpatterns.dex import (
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


@dataclass(frozen=True)
class ContractEdit:
    reviewer: str


# From here on it is yours.


EDITOR_LICENCE = Channel("editorLicence", str)


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        EDITOR_LICENCE.publish(context, "licence")
        return go_to_many(*[StepMovement.of(TakeLicence, edit) for edit in edits])


class TakeLicence(Step[ContractEdit]):
    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(EDITOR_LICENCE.for_one())

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(EditContract, edit)


class EditContract(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(SaveContractEdit, edit)


class SaveContractEdit(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        EDITOR_LICENCE.publish(context, "licence")
        return graceful_complete(f"{edit.reviewer} saved")


class LicenceFlow(Flow[list[ContractEdit]]):
    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            TakeLicence(), EditContract(), SaveContractEdit()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(EDITOR_LICENCE)


answer = LicenceFlow
