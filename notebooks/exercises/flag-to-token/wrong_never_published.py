from dataclasses import dataclass
from datetime import timedelta  # noqa: F401

from dexpatterns.dex import (  # noqa: F401
    Attribute,
    Channel,
    Context,
    Flow,
    PersistenceSchema,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    StepOptions,
    Timer,
    Wait,
    go_to,
    go_to_many,
    graceful_complete,
)


@dataclass(frozen=True)
class ContractEdit:
    reviewer: str


# From here on it is yours.


CONTRACT_EDIT_TOKEN = Channel("contractEditToken", str)


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
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
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return graceful_complete(f"{edit.reviewer} saved")


class TokenFlow(Flow[list[ContractEdit]]):
    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterContractEdit(), EditContract(), SaveContractEdit()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT_EDIT_TOKEN)


answer = TokenFlow
