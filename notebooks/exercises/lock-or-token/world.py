"""Every situation with every tool, from the lightest: which of them lose no edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dexpatterns.dex import (
    Channel,
    Context,
    Flow,
    PersistenceSchema,
    Section,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    StepOptions,
    Wait,
    check,
    go_to,
    go_to_many,
    graceful_complete,
)
from dexpatterns.engine.properties import never, never_stuck
from dexpatterns.engine.report import Report

from .start import CONTRACT_VERSION, PARAGRAPH, ContractEdit

SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)
EDITS = [ContractEdit("Ada"), ContractEdit("Bo"), ContractEdit("Chen")]
TOKEN = Channel("contractEditToken", str)
LOCK = StepOptions(execute_lock_attributes=(CONTRACT_VERSION.lock(),))
TOOLS = ("nothing", "lock", "token")


class Start(Step[list[ContractEdit]]):
    """Publishes the token in any case: where nobody takes it, it does no harm."""

    def __init__(self, tool: str, situation: str) -> None:
        self.tool, self.situation = tool, situation

    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        TOKEN.publish(context, "contract")
        if self.tool == "token":
            return go_to_many(*[StepMovement.of(Enter, edit) for edit in edits])
        return go_to_many(*[StepMovement.of(FIRST[self.situation], edit) for edit in edits])


class Enter(Step[ContractEdit]):
    def __init__(self, situation: str) -> None:
        self.situation = situation

    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(TOKEN.for_one())

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(FIRST[self.situation], edit)


class _Work(Step[ContractEdit]):
    def __init__(self, tool: str) -> None:
        self.tool = tool

    def get_step_options(self) -> StepOptions | None:
        return LOCK if self.tool == "lock" else None

    def leave(self, context: Context) -> StepDecision:
        if self.tool == "token":
            TOKEN.publish(context, "contract")
        return graceful_complete()


class WriteOwnParagraph(_Work):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        PARAGRAPH.set(context, edit.reviewer, "a new clause")
        return self.leave(context)


class RaiseVersion(_Work):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT_VERSION.set(context, CONTRACT_VERSION.get(context) + 1)
        return self.leave(context)


class EditContract(_Work):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        return go_to(SaveContractEdit, ContractEdit(edit.reviewer, CONTRACT_VERSION.get(context) + 1))


class SaveContractEdit(_Work):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT_VERSION.set(context, edit.version)
        return self.leave(context)


FIRST = {"own-paragraph": WriteOwnParagraph, "one-execute": RaiseVersion, "two-steps": EditContract}


class ToolFlow(Flow[list[ContractEdit]]):
    def __init__(self, situation: str, tool: str) -> None:
        self.situation, self.tool = situation, tool

    def get_steps(self) -> StepList[list[ContractEdit]]:
        work = (WriteOwnParagraph, RaiseVersion, EditContract, SaveContractEdit)
        return StepList.start_step(Start(self.tool, self.situation)).other_steps(
            Enter(self.situation), *[step(self.tool) for step in work]
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT_VERSION, PARAGRAPH, TOKEN)


def edits_lost(state: dict[str, Any]) -> bool:
    """All is over, and less was written than was edited."""
    if state["status"] != "COMPLETED":
        return False
    paragraphs = [name for name in state["attributes"] if name.startswith("paragraph/")]
    return max(len(paragraphs), state["attributes"].get("contractVersion") or 0) < len(EDITS)


def asking(situation: str, tool: str) -> Callable[[], Report]:
    return lambda: check(
        ToolFlow(situation, tool), EDITS, properties=[never_stuck(), never("an edit is lost", edits_lost)]
    )


SITUATIONS = {situation: {tool: asking(situation, tool) for tool in TOOLS} for situation in FIRST}
"""By situation and tool, the lightest tool first."""
