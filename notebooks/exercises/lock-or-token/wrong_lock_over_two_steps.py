from dataclasses import dataclass

from dexpatterns.dex import (
    Attribute,
    AttributeMap,
    Context,
    Flow,
    PersistenceSchema,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    go_to,
    go_to_many,
    graceful_complete,
)


@dataclass(frozen=True)
class ContractEdit:
    reviewer: str
    version: int = 0


CONTRACT_VERSION = Attribute("contractVersion", int)
PARAGRAPH = AttributeMap("paragraph", str)


class WriteOwnParagraph(Step[ContractEdit]):
    """Situation `own-paragraph`: each reviewer writes a paragraph that nobody else touches."""

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        PARAGRAPH.set(context, edit.reviewer, "a new clause")
        return graceful_complete()


class RaiseVersion(Step[ContractEdit]):
    """Situation `one-execute`: read and write in one call."""

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT_VERSION.set(context, CONTRACT_VERSION.get(context) + 1)
        return graceful_complete()


class EditContract(Step[ContractEdit]):
    """Situation `two-steps`: read here, write in the Step that follows."""

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        version = CONTRACT_VERSION.get(context)
        return go_to(SaveContractEdit, ContractEdit(edit.reviewer, version + 1))


class SaveContractEdit(Step[ContractEdit]):
    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        CONTRACT_VERSION.set(context, edit.version)
        return graceful_complete()


class StartContractEdits(Step[list[ContractEdit]]):
    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        return go_to_many(*[StepMovement.of(EditContract, edit) for edit in edits])


class PuzzleFlow(Flow[list[ContractEdit]]):
    """The third situation, without any tool."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(EditContract(), SaveContractEdit())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT_VERSION)


# From here on it is yours.

answer = {"own-paragraph": "nothing", "one-execute": "lock", "two-steps": "lock"}
