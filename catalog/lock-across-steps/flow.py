"""Anti-pattern: two Steps take the same Attribute lock, in the belief that it is held from one to the other.

A lock covers one call and is released when that call ends. Between the two Steps another reviewer reads the same
version, and one of the two edits is lost. The repair is a token, which spans Steps; or all the work in one execute.
"""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True)
class ContractEdit:
    reviewer: str


@dataclass(frozen=True, slots=True)
class ContractDraft:
    """An edit, and the version that it will make of the contract."""

    reviewer: str
    version: int


CONTRACT_VERSION = Attribute("contractVersion", int)


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        return go_to_many(*[StepMovement.of(EditContract, edit) for edit in edits])


class EditContract(Step[ContractEdit]):
    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_lock_attributes=(CONTRACT_VERSION.lock(),))

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        version = CONTRACT_VERSION.get(context)
        return go_to(SaveContractEdit, ContractDraft(edit.reviewer, version + 1))


class SaveContractEdit(Step[ContractDraft]):
    """The mistake: the lock that it takes is the same one, but it was free in between."""

    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_lock_attributes=(CONTRACT_VERSION.lock(),))

    def execute(self, context: Context, draft: ContractDraft) -> StepDecision:
        CONTRACT_VERSION.set(context, draft.version)
        return graceful_complete()


class LockAcrossStepsFlow(Flow[list[ContractEdit]]):
    """Every edit is to raise the version by one; some do so together."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(EditContract(), SaveContractEdit())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT_VERSION)
