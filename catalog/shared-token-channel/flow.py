"""Anti-pattern: the Channel that holds the token carries comments too.

A wait takes any message: a comment lets a second reviewer in, and whoever wants a comment may take the token
away. The repair is a Channel for the token alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from dexpatterns.dex import (
    Attribute,
    Channel,
    Context,
    Flow,
    PersistenceSchema,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    Wait,
    dead_end,
    go_to,
    go_to_many,
    graceful_complete,
)


@dataclass(frozen=True, slots=True)
class ContractEdit:
    reviewer: str
    text: str


CONTRACT = Attribute("contract", str)
CONTRACT_MESSAGES = Channel("contractMessages", str)


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        CONTRACT_MESSAGES.publish(context, "token")
        return go_to_many(
            *[StepMovement.of(EnterContractEdit, edit) for edit in edits],
            StepMovement.of(ReadComment, None),
        )


class EnterContractEdit(Step[ContractEdit]):
    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(CONTRACT_MESSAGES.for_one())

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(EditContract, edit)


class EditContract(Step[ContractEdit]):
    """The mistake: what it publishes for a reader opens the section to the next reviewer."""

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT_MESSAGES.publish(context, "comment")
        return go_to(SaveContractEdit, edit)


class SaveContractEdit(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT.set(context, edit.text)
        CONTRACT_MESSAGES.publish(context, "token")
        return graceful_complete()


class ReadComment(Step[None]):
    """The same mistake from the other side: the comment that it reads may be the token."""

    def wait_for(self, context: Context, nothing: None) -> Wait:
        return Wait.until(CONTRACT_MESSAGES.for_one())

    def execute(self, context: Context, nothing: None) -> StepDecision:
        return dead_end()


class SharedTokenChannelFlow(Flow[list[ContractEdit]]):
    """Lets two in, or nobody, as the messages fall."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterContractEdit(), EditContract(), SaveContractEdit(), ReadComment()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT, CONTRACT_MESSAGES)
