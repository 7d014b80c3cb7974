from dataclasses import dataclass

from dexpatterns.dex import (  # noqa: F401
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


@dataclass(frozen=True)
class ContractEdit:
    reviewer: str
    contract: str


# From here on it is yours.


CONTRACT_EDIT_TOKEN = ChannelMap("contractEditToken", str)


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "any", "contract")
        return go_to_many(*[StepMovement.of(EnterContractEdit, edit) for edit in edits])


class EnterContractEdit(Step[ContractEdit]):
    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(CONTRACT_EDIT_TOKEN.for_one("any"))

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(EditContract, edit)


class EditContract(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(SaveContractEdit, edit)


class SaveContractEdit(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "any", "contract")
        return graceful_complete(f"{edit.reviewer} saved")


class PerContractFlow(Flow[list[ContractEdit]]):
    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterContractEdit(), EditContract(), SaveContractEdit()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT_EDIT_TOKEN)


answer = PerContractFlow
