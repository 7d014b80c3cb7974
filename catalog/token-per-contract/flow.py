"""The right tool when there are several things to protect: a token for each, in a ChannelMap.

Edits of one contract take turns, edits of different contracts do not wait for each other.
"""

from __future__ import annotations

from dataclasses import dataclass

from dexpatterns.dex import (
    AttributeMap,
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


@dataclass(frozen=True, slots=True)
class ContractEdit:
    """`contract` is the key of the contract that is edited: not empty, without a `/`."""

    reviewer: str
    contract: str
    text: str


CONTRACTS = AttributeMap("contract", str)
CONTRACT_TOKEN = ChannelMap("contractToken", str)


class StartContractEdits(Step[list[ContractEdit]]):
    """Publishes one token for each contract, however many edits it has."""

    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        for contract in sorted({edit.contract for edit in edits}):
            CONTRACT_TOKEN.publish(context, contract, "contract")
        return go_to_many(*[StepMovement.of(EnterContractEdit, edit) for edit in edits])


class EnterContractEdit(Step[ContractEdit]):
    """The handoff: waits for the token of its own contract."""

    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(CONTRACT_TOKEN.for_one(edit.contract))

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(EditContract, edit)


class EditContract(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(SaveContractEdit, edit)


class SaveContractEdit(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACTS.set(context, edit.contract, edit.text)
        CONTRACT_TOKEN.publish(context, edit.contract, "contract")
        return graceful_complete()


class TokenPerContractFlow(Flow[list[ContractEdit]]):
    """As many inside as there are contracts, and one at most in each."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterContractEdit(), EditContract(), SaveContractEdit()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACTS, CONTRACT_TOKEN)
