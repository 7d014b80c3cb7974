"""The right tool when a few may be inside together: as many tokens as there are places.

Two licences for an editor, any number of reviewers. All that holds for one token holds for each of them: published
once, before anyone enters, and given back on every way out.
"""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class ContractEdit:
    reviewer: str
    withdrawn: bool = False


LICENCES = 2
EDITOR_LICENCE = Channel("editorLicence", str)


class StartContractEdits(Step[list[ContractEdit]]):
    """Publishes every licence there is, once."""

    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        for _ in range(LICENCES):
            EDITOR_LICENCE.publish(context, "licence")
        return go_to_many(*[StepMovement.of(TakeLicence, edit) for edit in edits])


class TakeLicence(Step[ContractEdit]):
    """The handoff: takes one licence, whichever."""

    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(EDITOR_LICENCE.for_one())

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(OpenEditor, edit)


class OpenEditor(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        if edit.withdrawn:
            EDITOR_LICENCE.publish(context, "licence")
            return graceful_complete()
        return go_to(CloseEditor, edit)


class CloseEditor(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        EDITOR_LICENCE.publish(context, "licence")
        return graceful_complete()


class SemaphoreFlow(Flow[list[ContractEdit]]):
    """Never more editors open than licences."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(TakeLicence(), OpenEditor(), CloseEditor())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(EDITOR_LICENCE)
