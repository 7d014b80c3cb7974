from dataclasses import dataclass

from dexpatterns.dex import (
    Channel,
    Context,
    Flow,
    PersistenceSchema,
    RetryPolicy,
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
    cannot_save: bool = False


class ContractEditError(Exception):
    """The archive refuses this edit, however often it is tried."""


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
        return go_to(SaveContractEdit, edit)


class ReleaseContractEditToken(Step[ContractEdit]):
    """Gives the token back for a Step that could not."""

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return graceful_complete(f"{edit.reviewer} failed")


# From here on it is yours.


class SaveContractEdit(Step[ContractEdit]):
    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_retry=RetryPolicy(maximum_attempts=2))

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        if edit.cannot_save:
            CONTRACT_EDIT_TOKEN.publish(context, "contract")
            return graceful_complete(f"{edit.reviewer} failed")
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return graceful_complete(f"{edit.reviewer} saved")


class FailureRouteFlow(Flow[list[ContractEdit]]):
    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterContractEdit(), EditContract(), SaveContractEdit(), ReleaseContractEditToken()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT_EDIT_TOKEN)


answer = FailureRouteFlow
