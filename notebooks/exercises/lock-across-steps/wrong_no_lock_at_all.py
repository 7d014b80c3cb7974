from dataclasses import dataclass

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
    Wait,
    go_to,
    go_to_many,
    graceful_complete,
)


@dataclass(frozen=True)
class ContractEdit:
    reviewer: str
    version: int = 0


CONTRACT_VERSION = Attribute("contractVersion", int)


# From here on it is yours.


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        return go_to_many(*[StepMovement.of(EditContract, edit) for edit in edits])


class EditContract(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT_VERSION.set(context, CONTRACT_VERSION.get(context) + 1)
        return graceful_complete(f"{edit.reviewer} saved")


class VersionFlow(Flow[list[ContractEdit]]):
    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(EditContract())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT_VERSION)


answer = VersionFlow
