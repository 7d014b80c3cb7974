"""Records to JSON values, in either dialect (J113): what `decode` reads from them is equal to what was written.

What a dialect cannot say is refused, never rounded or left out: the inventory has whole seconds between tries, and
no named values in a Finish. What only people read is written where the dialect has a place for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dexpatterns.errors import WorkflowFileError
from dexpatterns.js7 import fields
from dexpatterns.js7.decode import LIST_CHILD_ID, is_list_name
from dexpatterns.js7.expression import Expression, FieldOf, Function, Name, parse_function
from dexpatterns.js7.fields import Dialect
from dexpatterns.js7.instructions import (
    Block,
    Details,
    ExecuteAnonymous,
    ExecuteNamed,
    Fail,
    Finish,
    Fork,
    ForkList,
    If,
    Instruction,
    Job,
    Lock,
    LockInstruction,
    Options,
    OrderPreparation,
    Prompt,
    Retry,
    Sleep,
    Try,
    Workflow,
)

__all__ = ["item"]

Json = dict[str, Any]


def item(value: Workflow | Lock, dialect: Dialect) -> Json:
    """A workflow or a lock as JSON; raises `WorkflowFileError` for what the dialect cannot say."""
    if isinstance(value, Lock):
        own: Json = {"path": value.path, "limit": value.limit}
        return {"TYPE": "Lock", **fields.LOCK.write({**own, **_kept(value.details)}, dialect)}
    writer = _Writer(value, dialect)
    own = {
        "path": value.path,
        "version_id": value.version_id,
        **writer.block_fields(value.block),
        "preparation": value.preparation and writer.preparation(value.preparation),
        **_kept(value.details),
    }
    return {"TYPE": "Workflow", **fields.WORKFLOW.write(own, dialect)}


def _kept(details: Details) -> Json:
    return {name: data.plain for name, data in details}


def _texts(pairs: Iterable[tuple[str, Expression]]) -> dict[str, str] | None:
    return {name: str(value) for name, value in pairs} or None


def _text(value: Expression | Function | None) -> str | None:
    return None if value is None else str(value)


class _Writer:
    """Writes one workflow in one dialect."""

    def __init__(self, workflow: Workflow, dialect: Dialect) -> None:
        self.workflow = workflow
        self.dialect: Dialect = dialect

    def refuse(self, what: str) -> WorkflowFileError:
        return WorkflowFileError(
            f"{self.workflow} cannot be written for the inventory: {what}; write it as dialect='controller'"
        )

    def block(self, block: Block) -> Json:
        return fields.BLOCK.write(self.block_fields(block), self.dialect)

    def block_fields(self, block: Block) -> Json:
        return {
            "instructions": [self.instruction(instruction) for instruction in block.instructions],
            "jobs": {job.name: self.job(job) for job in block.jobs} or None,
            "result": _texts(block.result),
        }

    def job(self, job: Job) -> Json:
        own = {
            "agent": job.agent,
            "process_limit": job.process_limit,
            "executable": job.executable and job.executable.plain,
            **_kept(job.details),
        }
        return fields.JOB.write(own, self.dialect)

    def preparation(self, preparation: OrderPreparation) -> Json:
        parameters = {
            one.name: fields.PARAMETER.write(
                {
                    "type": one.type,
                    "default": _text(one.default),
                    "final": _text(one.final),
                    **_kept(one.details),
                },
                self.dialect,
            )
            for one in preparation.parameters
        }
        own = {"parameters": parameters or None, "allow_undeclared": preparation.allow_undeclared or None}
        return fields.PREPARATION.write(own, self.dialect)

    def instruction(self, instruction: Instruction) -> Json:
        kind = instruction.TYPE
        if isinstance(instruction, If) and len(instruction.cases) > 1 and self.dialect == "inventory":
            kind = "CaseWhen"
        own = {"label": instruction.label, **_WRITE[type(instruction)](self, instruction)}
        return {"TYPE": kind, **fields.INSTRUCTIONS[kind].write(own, self.dialect)}

    # --- one method for each instruction -----------------------------------------------------------------------------

    def lock(self, it: LockInstruction) -> Json:
        demands = [
            fields.DEMAND.write({"lock": demand.lock, "weight": demand.weight}, self.dialect) for demand in it.demands
        ]
        return {"demands": demands, "body": self.block(it.body)}

    def attempt(self, it: Try) -> Json:
        delays = list(it.retry_delays)
        if self.dialect == "inventory":
            if any(delay != int(delay) for delay in delays):
                raise self.refuse(f"retryDelays are whole seconds there, got {delays}")
            delays = [int(delay) for delay in delays]
        return {
            "body": self.block(it.body),
            "catch": self.block(it.catch),
            "max_tries": it.max_tries,
            "retry_delays": delays or None,
        }

    def fail(self, it: Fail) -> Json:
        values = it.named_values and it.named_values.plain
        return {"message": _text(it.message), "named_values": values, "uncatchable": it.uncatchable or None}

    def finish(self, it: Finish) -> Json:
        if it.succeeded is None:
            return {}
        values = it.named_values and it.named_values.plain
        if self.dialect == "inventory":
            if values:
                raise self.refuse("a Finish has no named values there")
            return {"message": it.message, "unsuccessful": not it.succeeded}
        kind = "Succeeded" if it.succeeded else "Failed"
        outcome = fields.OUTCOME.write({"message": it.message, "named_values": values}, self.dialect)
        return {"outcome": {"TYPE": kind, **outcome}}

    def choice(self, it: If) -> Json:
        otherwise = it.otherwise and self.block(it.otherwise)
        cases = [{"predicate": str(predicate), "then": self.block(then)} for predicate, then in it.cases]
        if self.dialect == "controller":
            return {"cases": cases, "otherwise": otherwise}
        if len(cases) > 1:
            return {"cases": [{"TYPE": "When", **case} for case in cases], "otherwise": otherwise}
        return {**cases[0], "otherwise": otherwise}

    def fork(self, it: Fork) -> Json:
        branches = [
            fields.BRANCH.write({"id": branch.id, "block": self.block(branch.block)}, self.dialect)
            for branch in it.branches
        ]
        return {"branches": branches, "join_if_failed": it.join_if_failed or None, "agent": it.agent}

    def fork_list(self, it: ForkList) -> Json:
        children, child_to_id, arguments = str(it.children), str(it.child_to_id), _text(it.child_to_arguments)
        named = _child_field(it) if self.dialect == "inventory" else None
        if named is not None:
            children, child_to_id, arguments = *named, None
        return {
            "children": children,
            "child_to_id": child_to_id,
            "child_to_arguments": arguments,
            "body": self.block(it.body),
            "join_if_failed": it.join_if_failed or None,
            "agent": it.agent,
        }

    def options(self, it: Options) -> Json:
        return {"stop_on_failure": it.stop_on_failure, "body": self.block(it.body)}

    def execute(self, it: ExecuteNamed) -> Json:
        return {"job_name": it.job_name, "arguments": it.arguments and it.arguments.plain}

    def execute_here(self, it: ExecuteAnonymous) -> Json:
        return {"job": self.job(it.job), "arguments": it.arguments and it.arguments.plain}

    def retry(self, _: Retry) -> Json:
        return {}

    def prompt(self, it: Prompt) -> Json:
        return {"question": str(it.question)}

    def sleep(self, it: Sleep) -> Json:
        return {"duration": str(it.duration)}


def _child_field(it: ForkList) -> tuple[str, str] | None:
    """The list and the field, if the ForkList is one that the inventory can name in this way."""
    match it.children, it.child_to_id.body, it.child_to_arguments:
        case Name(name), _, Function(("x",), Name("x")) if is_list_name(name):
            last = getattr(it.child_to_id.body, "b", None)
            if isinstance(last, FieldOf) and it.child_to_id == parse_function(LIST_CHILD_ID.format(last.field)):
                return name, last.field
    return None


_WRITE: dict[type[Instruction], Callable[[_Writer, Any], Json]] = {
    LockInstruction: _Writer.lock,
    Try: _Writer.attempt,
    Retry: _Writer.retry,
    Fail: _Writer.fail,
    Finish: _Writer.finish,
    If: _Writer.choice,
    Fork: _Writer.fork,
    ForkList: _Writer.fork_list,
    Options: _Writer.options,
    ExecuteNamed: _Writer.execute,
    ExecuteAnonymous: _Writer.execute_here,
    Prompt: _Writer.prompt,
    Sleep: _Writer.sleep,
}
