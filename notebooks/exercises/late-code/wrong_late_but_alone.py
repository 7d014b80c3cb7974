from dataclasses import dataclass

from dexpatterns import Faults, Section, Simulation
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


class SaveContractEdit(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        return graceful_complete(f"{edit.reviewer} saved")


class PuzzleFlow(Flow[list[ContractEdit]]):
    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterContractEdit(), EditContract(), SaveContractEdit()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT_EDIT_TOKEN)


EDITS = [ContractEdit("Ada"), ContractEdit("Bo")]
SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)
FAULTS = Faults(late_attempts=1)
simulation = Simulation(
    PuzzleFlow, EDITS, sections=[SECTION], tokens=["contractEditToken"], faults=FAULTS
)


# From here on it is yours.

simulation.take("begin StartContractEdits.execute 0.0")
simulation.take("commit StartContractEdits.execute 0.0")
simulation.take("begin EnterContractEdit.wait_for 0.1.0.0")
simulation.take("commit EnterContractEdit.wait_for 0.1.0.0")
simulation.take("begin EnterContractEdit.execute 0.1.0.0")
simulation.take("commit EnterContractEdit.execute 0.1.0.0")
simulation.take("begin EditContract.execute 0.1.0.1")
simulation.take("late EditContract.execute 0.1.0.1")
simulation.take("retry EditContract.execute 0.1.0.1")
simulation.take("commit EditContract.execute 0.1.0.1")
simulation.take("begin EnterContractEdit.wait_for 0.1.1.0")
simulation.take("commit EnterContractEdit.wait_for 0.1.1.0")
simulation.take("begin SaveContractEdit.execute 0.1.0.2")
simulation.take("commit SaveContractEdit.execute 0.1.0.2")

answer = simulation
