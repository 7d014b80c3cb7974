"""The right tool when the protected work fits one execute: a lock on the Attribute that it changes.

Calls that lock the same Attribute take turns from begin to end, so none reads what another is about to change.
`WithoutLockFlow` is the same work without it, and loses edits.
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
    go_to_many,
    graceful_complete,
)


@dataclass(frozen=True, slots=True)
class ContractEdit:
    reviewer: str


CONTRACT_VERSION = Attribute("contractVersion", int)


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        return go_to_many(*[StepMovement.of(EditContract, edit) for edit in edits])


class EditContract(Step[ContractEdit]):
    """Reads and writes under one lock: the whole section is this one call."""

    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_lock_attributes=(CONTRACT_VERSION.lock(),))

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT_VERSION.set(context, CONTRACT_VERSION.get(context) + 1)
        return graceful_complete()


class AttributeLockFlow(Flow[list[ContractEdit]]):
    """As many versions as edits, without a token."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(EditContract())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT_VERSION)


# The same without the lock.


class StartEditsWithoutLock(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        return go_to_many(*[StepMovement.of(EditWithoutLock, edit) for edit in edits])


class EditWithoutLock(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT_VERSION.set(context, CONTRACT_VERSION.get(context) + 1)
        return graceful_complete()


class WithoutLockFlow(Flow[list[ContractEdit]]):
    """Two edits that begin together make one version."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartEditsWithoutLock()).other_steps(EditWithoutLock())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT_VERSION)
