from dataclasses import dataclass
from datetime import timedelta

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
    Timer,
    Wait,
    force_complete,
    go_to,
    go_to_many,
    graceful_complete,
)


@dataclass(frozen=True)
class ContractEdit:
    reviewer: str


CONTRACT_EDIT_TOKEN = Channel("contractEditToken", str)
EDITING = Attribute("editing", str)


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return go_to_many(
            *[StepMovement.of(EnterContractEdit, edit) for edit in edits],
            StepMovement.of(TimeIsUp, None),
        )


class EnterContractEdit(Step[ContractEdit]):
    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(CONTRACT_EDIT_TOKEN.for_one())

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(EditContract, edit)


class EditContract(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        EDITING.set(context, edit.reviewer)
        return go_to(SaveContractEdit, edit)


class SaveContractEdit(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        EDITING.set(context, "")
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return graceful_complete(f"{edit.reviewer} saved")


# From here on it is yours.


class TimeIsUp(Step[None]):
    def wait_for(self, context: Context, nothing: None) -> Wait:
        return Wait.until(Timer.by_duration(timedelta(minutes=10)))

    def execute(self, context: Context, nothing: None) -> StepDecision:
        return graceful_complete().with_canceling_steps(EnterContractEdit)


class TimeIsUpFlow(Flow[list[ContractEdit]]):
    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterContractEdit(), EditContract(), SaveContractEdit(), TimeIsUp()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT_EDIT_TOKEN, EDITING)


answer = TimeIsUpFlow
