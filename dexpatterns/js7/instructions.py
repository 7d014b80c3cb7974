"""What a workflow file says, as frozen records.

An interpreter walks by position (J110): `Workflow.at(position)` is the instruction that stands there, or `END`;
`Instruction.blocks` names the blocks below one. The records decide nothing, run nothing and know no order, no lock
state and no file. Everything in them is hashable and compares by content; what only people read (`details`,
`source`) does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from dexpatterns.engine.looking import Shown
from dexpatterns.engine.texts import visible
from dexpatterns.engine.values import Data
from dexpatterns.js7.expression import Expression, Function
from dexpatterns.js7.positions import Position, normalized, outer

__all__ = [
    "END", "Block", "Branch", "Demand", "Details", "End", "ExecuteAnonymous", "ExecuteNamed", "Fail", "Finish", "Fork",
    "ForkList", "If", "Instruction", "Job", "Lock", "LockInstruction", "Options", "OrderPreparation", "Parameter",
    "Prompt", "Retry", "Sleep", "Try", "Workflow",
]  # fmt: skip

Details = tuple[tuple[str, Data], ...]
"""What is only kept, to be written back: (field, value)."""


@dataclass(frozen=True, slots=True)
class End:
    """The end of a block, which no file writes."""

    TYPE: ClassVar[str] = "ImplicitEnd"


END = End()


class Demand(NamedTuple):
    """What a Lock instruction asks of one lock: a weight, or None for all of it (exclusive)."""

    lock: str
    weight: int | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A job as the file describes it; nothing of it is executed (J54)."""

    name: str
    agent: str | None = None
    process_limit: int = 1
    executable: Data | None = None
    details: Details = field(default=(), compare=False, repr=False)

    @property
    def script(self) -> str:
        """The script as text, '' when the executable is of another kind."""
        found = self.executable.plain if self.executable is not None else {}
        return str(found.get("script", ""))


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions in their order, the jobs that they may name (J109), and what a fork branch hands back."""

    instructions: tuple[Instruction, ...] = ()
    jobs: tuple[Job, ...] = ()
    result: tuple[tuple[str, Expression], ...] = ()

    def job(self, name: str) -> Job | None:
        return next((job for job in self.jobs if job.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One instruction. `label` is unique in its workflow (J103)."""

    TYPE: ClassVar[str] = ""
    label: str | None = None

    @property
    def blocks(self) -> tuple[tuple[str, Block], ...]:
        """The blocks below, by branch name; `try` and `catch` without their attempt."""
        return ()

    def block(self, branch: str) -> Block | None:
        """The block of a branch; `try+2` is that of `try`."""
        branch = normalized(branch)
        return next((block for name, block in self.blocks if name == branch), None)


@dataclass(frozen=True, slots=True)
class LockInstruction(Instruction):
    """Hold all demanded locks while the block runs (J104)."""

    TYPE: ClassVar[str] = "Lock"
    demands: tuple[Demand, ...]
    body: Block

    @property
    def blocks(self) -> tuple[tuple[str, Block], ...]:
        return (("lock", self.body),)

    @property
    def paths(self) -> tuple[str, ...]:
        """The demanded locks, in demand order."""
        return tuple(demand.lock for demand in self.demands)


@dataclass(frozen=True, slots=True)
class Try(Instruction):
    """A block, and one for when it fails. `max_tries` None is without limit (J105)."""

    TYPE: ClassVar[str] = "Try"
    body: Block
    catch: Block
    retry_delays: tuple[int | float, ...] = ()
    """Seconds before the second attempt, the third, ...; the last one repeats, none is 0."""
    max_tries: int | None = None

    @property
    def blocks(self) -> tuple[tuple[str, Block], ...]:
        return (("try", self.body), ("catch", self.catch))

    def delay(self, attempt: int) -> int | float:
        """Seconds between this attempt (from 1) and the next."""
        return self.retry_delays[min(attempt, len(self.retry_delays)) - 1] if self.retry_delays else 0


@dataclass(frozen=True, slots=True)
class Retry(Instruction):
    """Try once more; stands in a catch block only (J105)."""

    TYPE: ClassVar[str] = "Retry"


@dataclass(frozen=True, slots=True)
class Fail(Instruction):
    """Fail the order; `uncatchable` skips every Try on the way out."""

    TYPE: ClassVar[str] = "Fail"
    message: Expression | None = None
    named_values: Data | None = None
    uncatchable: bool = False


@dataclass(frozen=True, slots=True)
class Finish(Instruction):
    """End the order, or its branch. `succeeded` None leaves the last outcome as it is."""

    TYPE: ClassVar[str] = "Finish"
    succeeded: bool | None = None
    message: str | None = None
    named_values: Data | None = None


@dataclass(frozen=True, slots=True)
class If(Instruction):
    """The block of the first predicate that is true, else `otherwise` (J107)."""

    TYPE: ClassVar[str] = "If"
    cases: tuple[tuple[Expression, Block], ...]
    otherwise: Block | None = None

    @property
    def blocks(self) -> tuple[tuple[str, Block], ...]:
        thens = tuple((self.branch(i), block) for i, (_, block) in enumerate(self.cases))
        return thens if self.otherwise is None else (*thens, ("else", self.otherwise))

    @staticmethod
    def branch(case: int) -> str:
        """The branch name of a case, counted from 0: `then`, `then+2`, `then+3`, ..."""
        return f"then+{case + 1}" if case else "then"


class Branch(NamedTuple):
    """One branch of a Fork; its order is `PARENT|id`."""

    id: str
    block: Block


@dataclass(frozen=True, slots=True)
class Fork(Instruction):
    """A child order for each branch; the parent waits for all (J106)."""

    TYPE: ClassVar[str] = "Fork"
    branches: tuple[Branch, ...]
    join_if_failed: bool = False
    agent: str | None = None

    @property
    def blocks(self) -> tuple[tuple[str, Block], ...]:
        return tuple((f"fork+{branch.id}", branch.block) for branch in self.branches)


@dataclass(frozen=True, slots=True)
class ForkList(Instruction):
    """A child order for each element of a list; all run the same block (J106)."""

    TYPE: ClassVar[str] = "ForkList"
    children: Expression
    child_to_id: Function
    body: Block
    child_to_arguments: Function | None = None
    join_if_failed: bool = False
    agent: str | None = None

    @property
    def blocks(self) -> tuple[tuple[str, Block], ...]:
        return (("fork", self.body),)


@dataclass(frozen=True, slots=True)
class Options(Instruction):
    """Settings for a block; `stop_on_failure` None has no opinion and lets the outer ones decide (J108)."""

    TYPE: ClassVar[str] = "Options"
    body: Block
    stop_on_failure: bool | None = None

    @property
    def blocks(self) -> tuple[tuple[str, Block], ...]:
        return (("options", self.body),)


@dataclass(frozen=True, slots=True)
class ExecuteNamed(Instruction):
    """Run a job of this block or one around it (J109)."""

    TYPE: ClassVar[str] = "Execute.Named"
    job_name: str
    arguments: Data | None = None


@dataclass(frozen=True, slots=True)
class ExecuteAnonymous(Instruction):
    """Run a job that is described on the spot; its name is ''."""

    TYPE: ClassVar[str] = "Execute.Anonymous"
    job: Job
    arguments: Data | None = None


@dataclass(frozen=True, slots=True)
class Prompt(Instruction):
    """Wait until a person answers."""

    TYPE: ClassVar[str] = "Prompt"
    question: Expression


@dataclass(frozen=True, slots=True)
class Sleep(Instruction):
    """Wait for a number of seconds."""

    TYPE: ClassVar[str] = "Sleep"
    duration: Expression


@dataclass(frozen=True, slots=True)
class Parameter:
    """A declared argument of a workflow's orders."""

    name: str
    type: str = "String"
    default: Expression | None = None
    final: Expression | None = None
    details: Details = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class OrderPreparation:
    """The arguments that a workflow declares."""

    parameters: tuple[Parameter, ...] = ()
    allow_undeclared: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Lock(Shown):
    """A resource lock as an item: its name and its capacity (J111)."""

    path: str
    limit: int = 1
    details: Details = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return f"Lock:{visible(self.path)}"


@dataclass(frozen=True, slots=True)
class Workflow(Shown):
    """A workflow as an item (J101). `source` is where it was read."""

    path: str
    block: Block
    version_id: str | None = None
    preparation: OrderPreparation | None = None
    details: Details = field(default=(), compare=False, repr=False)
    source: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        return f"Workflow:{visible(self.path)}"

    def block_at(self, position: Position) -> Block | None:
        """The block that a position's last number counts in; None when the position leads nowhere.

        >>> Workflow("W", Block((Options(Block()),))).block_at((0, "options", 0))
        Block(instructions=(), jobs=(), result=())
        """
        block: Block | None = self.block
        for number, branch in zip(position[:-1:2], position[1::2], strict=True):
            if block is None or not isinstance(number, int) or not 0 <= number < len(block.instructions):
                return None
            block = block.instructions[number].block(str(branch))
        return block

    def at(self, position: Position) -> Instruction | End | None:
        """The instruction at a position, `END` behind the last one of a block, None when it leads nowhere."""
        block = self.block_at(position) if len(position) % 2 else None
        number = position[-1] if position else None
        if block is None or not isinstance(number, int) or not 0 <= number <= len(block.instructions):
            return None
        return block.instructions[number] if number < len(block.instructions) else END

    def job(self, position: Position, name: str) -> Job | None:
        """The job of this name as seen from a position: the innermost block that has one (J109)."""
        here: Position | None = position
        while here is not None:
            block = self.block_at(here)
            found = block.job(name) if block is not None else None
            if found is not None:
                return found
            here = outer(here)
        return None

    def walk(self) -> Iterator[tuple[Position, Instruction]]:
        """Every instruction with its position, outer before inner; `try` and `catch` as their first attempt."""
        yield from _walk(self.block, ())


def _walk(block: Block, prefix: Position) -> Iterator[tuple[Position, Instruction]]:
    for number, instruction in enumerate(block.instructions):
        here = (*prefix, number)
        yield here, instruction
        for branch, inner in instruction.blocks:
            yield from _walk(inner, (*here, f"{branch}+0" if branch in ("try", "catch") else branch))
