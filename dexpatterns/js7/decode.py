"""JSON values to records: every rule that a workflow or lock must keep is checked here, with its place.

`workflow` and `lock` take what a JSON text or a dict holds and return the frozen records of `instructions`, or
raise `WorkflowFileError` naming source, JSON position, what was found, what is allowed and the mend. Nothing is
executed, nothing is opened. Which locks there are is not known here: `files` asks that at the end (J58).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from dexpatterns.engine.values import Data
from dexpatterns.js7 import fields, scalars
from dexpatterns.js7.evaluation import show
from dexpatterns.js7.expression import WORDS, Boolean, Expression, Function, Name, Number, parse_function
from dexpatterns.js7.fields import At, Found, Shape, suggest
from dexpatterns.js7.instructions import (
    Block,
    Branch,
    Demand,
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
    Parameter,
    Prompt,
    Retry,
    Sleep,
    Try,
    Workflow,
)

__all__ = ["LIST_CHILD_ID", "MAX_NESTING", "LockReference", "is_list_name", "lock", "workflow"]

MAX_NESTING = 50
"""Most instructions inside each other (J59)."""
LIST_CHILD_ID = '(x, i) => ($i + 1) ++ "." ++ $x.{}'
"""What the inventory's field name in `childToId` stands for."""

LockReference = tuple[str, At]
"""A lock that is named somewhere, and the place."""


# --- items ---------------------------------------------------------------------------------------------------------


def lock(value: Any, at: At, name: str | None = None) -> Lock:
    """A lock item (J111). `name` is what the file's name says; without it the item must have a `path`."""
    found = fields.LOCK.read(value, at)
    limit = found.take("limit", scalars.whole(0), 1)
    return Lock(_path(found, name, "lock"), limit, _details(fields.LOCK, found))


def workflow(value: Any, at: At, name: str | None = None) -> tuple[Workflow, list[LockReference]]:
    """A workflow item (J101), and the locks that it names."""
    found = fields.WORKFLOW.read(value, at)
    path = _path(found, name, "workflow")
    reader = _Reader()
    made = Workflow(
        path,
        reader.block(found, jobs=(), retry=False, depth=0),
        found.take("version_id", scalars.text),
        found.take("preparation", _preparation),
        _details(fields.WORKFLOW, found),
        at.source,
    )
    return made, reader.locks


def _path(found: Found, name: str | None, what: str) -> str:
    """The item's name; the folders of an inventory path do not belong to it."""
    if "path" in found:
        return scalars.name(found.take("path", scalars.name).rpartition("/")[2], found.where("path"))
    if name is None:
        raise found.at.error(f"the {what} has no name: give it a 'path', or put it into a file NAME.{what}.json")
    return scalars.name(name, found.at)


def _details(shape: Shape, found: Found) -> Details:
    return tuple((name, found.take(name, scalars.data)) for name in shape.kept if name in found)


def _preparation(value: Any, at: At) -> OrderPreparation:
    found = fields.PREPARATION.read(value, at)
    parameters = [_parameter(*one) for one in found.take("parameters", scalars.members, [])]
    return OrderPreparation(tuple(parameters), found.take("allow_undeclared", scalars.flag, False))


def _parameter(name: str, value: Any, at: At) -> Parameter:
    found = fields.PARAMETER.read(value, at)
    return Parameter(
        name,
        found.take("type", scalars.text, "String"),
        found.take("default", _default),
        found.take("final", scalars.expression),
        _details(fields.PARAMETER, found),
    )


def _default(value: Any, at: At) -> Expression:
    if isinstance(value, bool):
        return Boolean(value)
    if isinstance(value, (int, float)) and isfinite(value):
        value = str(Number(value))
    return scalars.expression(value, at)


def _job(name: str, value: Any, at: At) -> Job:
    found = fields.JOB.read(value, at)
    return Job(
        name,
        found.take("agent", scalars.text),
        found.take("process_limit", scalars.whole(0), 1),
        found.take("executable", _executable),
        _details(fields.JOB, found),
    )


def _executable(value: Any, at: At) -> Data:
    kind = _type(value, at)
    if kind == "ScriptExecutable":
        kind = "ShellScriptExecutable"
        value = {**value, "TYPE": kind}
    if kind not in fields.EXECUTABLES:
        raise at.then("TYPE").error(f"unknown executable '{kind}'{suggest(kind, fields.EXECUTABLES)}")
    needed, allowed = fields.EXECUTABLES[kind]
    for key in value:
        if key not in allowed:
            raise at.error(f"unknown field '{key}' in the executable '{kind}'{suggest(str(key), sorted(allowed))}")
    if not isinstance(value.get(needed), str):
        raise at.error(f"expected a text '{needed}' in the executable '{kind}', got {show(value.get(needed))}")
    return scalars.data(dict(value), at)


def _type(value: Any, at: At) -> str:
    if not isinstance(value, Mapping):
        raise at.error(f"expected an object with a TYPE, got {show(value)}")
    if "TYPE" not in value:
        raise at.error("the object has no 'TYPE', which it needs")
    return scalars.text(value["TYPE"], at.then("TYPE"))


# --- blocks and instructions ---------------------------------------------------------------------------------------


class _Reader:
    """Reads one workflow: collects its labels, and the locks that it names."""

    def __init__(self) -> None:
        self.labels: dict[str, At] = {}
        self.locks: list[LockReference] = []

    def block(self, found: Found, jobs: tuple[str, ...], retry: bool, depth: int) -> Block:
        """`jobs` are those of the blocks around; `retry` tells whether a Retry may stand here (J105)."""
        members = found.take("jobs", scalars.members, [])
        own = tuple(_job(scalars.name(name, here), value, here) for name, value, here in members)
        scope = _Scope(self, (*(job.name for job in own), *jobs), retry, depth)
        items = found.take("instructions", scalars.array)
        if items and isinstance(items[-1][0], Mapping) and items[-1][0].get("TYPE") == "ImplicitEnd":
            items.pop()
        made = tuple(scope.instruction(value, here) for value, here in items)
        return Block(made, own, found.take("result", scalars.result, ()))


class _Scope:
    """What the instructions of one block may refer to."""

    def __init__(self, reader: _Reader, jobs: tuple[str, ...], retry: bool, depth: int) -> None:
        self.reader = reader
        self.jobs = jobs
        self.retry = retry
        self.depth = depth

    def block(self, retry: bool) -> Callable[[Any, At], Block]:
        """How to read a block inside an instruction of this one."""

        def read(value: Any, at: At) -> Block:
            return self.reader.block(fields.BLOCK.read(value, at), self.jobs, retry, self.depth + 1)

        return read

    def instruction(self, value: Any, at: At) -> Instruction:
        if self.depth >= MAX_NESTING:
            raise at.error(f"more than {MAX_NESTING} instructions inside each other; move the inner ones out")
        kind = _type(value, at)
        shape = fields.INSTRUCTIONS.get(kind)
        if shape is None:
            what = "is not played here" if kind in fields.NOT_PLAYED else "is no instruction of JS7"
            raise at.then("TYPE").error(f"'{kind}' {what}{suggest(kind, fields.INSTRUCTIONS)}")
        found = shape.read(value, at)
        return _READ[kind](self, found, found.take("label", self.label))

    def label(self, value: Any, at: At) -> str:
        label = scalars.name(value, at)
        first = self.reader.labels.setdefault(label, at)
        if first is not at:
            raise at.error(f"the label '{label}' stands at {first} already; expected another one")
        return label

    # --- one method for each instruction -----------------------------------------------------------------------------

    def lock(self, found: Found, label: str | None) -> Instruction:
        single = "lock" in found or "weight" in found
        if "demands" in found:
            if single:
                place = found.where("lock" if "lock" in found else "weight")
                raise place.error("'demands' and a single lock in one Lock instruction; leave one of them out")
            at = found.where("demands")
            objects = [fields.DEMAND.read(*one) for one in found.take("demands", scalars.array)]
        elif "lock" in found:
            at = found.at
            objects = [found.only("lock", "weight")]
        else:
            raise found.at.error("the instruction 'Lock' has no 'demands', which it needs")
        demands = tuple(self.demand(one) for one in objects)
        if not demands:
            raise at.error("expected at least one demand, got an empty array")  # J57
        for path in (paths := [demand.lock for demand in demands]):
            if paths.count(path) > 1:
                raise at.error(
                    f"Unexpected duplicates: {paths.count(path)}×Lock:{path}; name each lock once, with all the "
                    "weight that is wanted"
                )
        return LockInstruction(label=label, demands=demands, body=found.take("body", self.block(retry=False)))

    def demand(self, found: Found) -> Demand:
        path = found.take("lock", scalars.name)
        self.reader.locks.append((path, found.where("lock")))
        if "weight" not in found:
            return Demand(path)
        weight = found.raw("weight")
        if isinstance(weight, int) and weight < 1:
            raise found.where("weight").error(
                f"LockDemand.count must not be below 1 for Lock:{path}, got {show(weight)}; leave it out to get all "
                "of the lock"
            )
        return Demand(path, found.take("weight", scalars.whole(1)))

    def attempt(self, found: Found, label: str | None) -> Instruction:
        body = found.take("body", self.block(retry=self.retry))
        catch = found.take("catch", self.block(retry=True))
        delays = tuple(scalars.seconds(*one) for one in found.take("retry_delays", scalars.array, []))
        most = found.take("max_tries", scalars.whole(1))
        for name in ("max_tries", "retry_delays"):
            if name in found and not _retries(catch):
                raise found.where(name).error("the catch block has no Retry for this; add one or leave this out")
        return Try(label=label, body=body, catch=catch, retry_delays=delays, max_tries=most)

    def again(self, found: Found, label: str | None) -> Instruction:
        if not self.retry:
            raise found.at.error(
                "a Retry stands in a catch block only, directly or inside of If and Try; move it there"
            )
        return Retry(label=label)

    def fail(self, found: Found, label: str | None) -> Instruction:
        return Fail(
            label=label,
            message=found.take("message", scalars.expression),
            named_values=found.take("named_values", scalars.values),
            uncatchable=found.take("uncatchable", scalars.flag, False),
        )

    def finish(self, found: Found, label: str | None) -> Instruction:
        if "outcome" not in found:
            unsuccessful = found.take("unsuccessful", scalars.flag, False if "message" in found else None)
            succeeded = None if unsuccessful is None else not unsuccessful
            return Finish(label=label, succeeded=succeeded, message=found.take("message", scalars.text))
        for name in ("message", "unsuccessful"):
            if name in found:
                raise found.where(name).error("'outcome' says this already; leave one of them out")
        value, at = found.raw("outcome"), found.where("outcome")
        kind = _type(value, at)
        if kind not in ("Succeeded", "Failed"):
            raise at.then("TYPE").error(f"unknown outcome '{kind}'{suggest(kind, ('Succeeded', 'Failed'))}")
        outcome = fields.OUTCOME.read(value, at)
        values = outcome.take("named_values", scalars.values)
        return Finish(
            label=label,
            succeeded=kind == "Succeeded",
            message=outcome.take("message", scalars.text),
            named_values=values if values is not None and values.plain else None,
        )

    def choice(self, found: Found, label: str | None) -> Instruction:
        read = self.block(retry=self.retry)
        if "cases" not in found:
            cases = [fields.CASE.complete(found.only("predicate", "then"))]
        elif "predicate" in found or "then" in found:
            raise found.at.error("'ifThens' and a single predicate in one If; leave one of them out")
        else:
            cases = [fields.CASE.read(*one) for one in found.take("cases", scalars.array)]
        if not cases:
            raise found.where("cases").error("expected at least one case, got an empty array")
        pairs = tuple((case.take("predicate", scalars.expression), case.take("then", read)) for case in cases)
        return If(label=label, cases=pairs, otherwise=found.take("otherwise", read))

    def fork(self, found: Found, label: str | None) -> Instruction:
        branches: dict[str, Branch] = {}
        results: dict[str, str] = {}
        for one in found.take("branches", scalars.array):
            item = fields.BRANCH.read(*one)
            branch = Branch(item.take("id", _branch_id), item.take("block", self.block(retry=False)))
            if branch.id in branches:
                raise item.where("id").error(f"the branch '{branch.id}' stands here twice; expected another id")
            branches[branch.id] = branch
            for name, _ in branch.block.result:
                other = results.setdefault(name, branch.id)
                if other != branch.id:
                    raise item.at.error(f"the result '{name}' is that of branch '{other}' too; rename one of them")
        return Fork(
            label=label,
            branches=tuple(branches.values()),
            join_if_failed=found.take("join_if_failed", scalars.flag, False),
            agent=found.take("agent", scalars.text),
        )

    def fork_list(self, found: Found, label: str | None) -> Instruction:
        children = found.raw("children")
        listed = isinstance(children, str) and is_list_name(children)
        return ForkList(
            label=label,
            children=Name(children) if listed else found.take("children", scalars.expression),
            child_to_id=found.take("child_to_id", _child_id),
            child_to_arguments=found.take("child_to_arguments", scalars.function, _ELEMENT if listed else None),
            body=found.take("body", self.block(retry=False)),
            join_if_failed=found.take("join_if_failed", scalars.flag, False),
            agent=found.take("agent", scalars.text),
        )

    def options(self, found: Found, label: str | None) -> Instruction:
        stop = found.take("stop_on_failure", scalars.flag)
        return Options(label=label, stop_on_failure=stop, body=found.take("body", self.block(retry=False)))

    def execute(self, found: Found, label: str | None) -> Instruction:
        name = found.take("job_name", scalars.name)
        if name not in self.jobs:
            raise found.where("job_name").error(f"unknown job '{name}'{suggest(name, self.jobs)}")
        return ExecuteNamed(label=label, job_name=name, arguments=found.take("arguments", scalars.values))

    def execute_here(self, found: Found, label: str | None) -> Instruction:
        job = found.take("job", lambda value, at: _job("", value, at))
        return ExecuteAnonymous(label=label, job=job, arguments=found.take("arguments", scalars.values))

    def prompt(self, found: Found, label: str | None) -> Instruction:
        return Prompt(label=label, question=found.take("question", scalars.expression))

    def sleep(self, found: Found, label: str | None) -> Instruction:
        return Sleep(label=label, duration=found.take("duration", scalars.expression))


_READ: dict[str, Callable[[_Scope, Found, str | None], Instruction]] = {
    "Lock": _Scope.lock,
    "Try": _Scope.attempt,
    "Retry": _Scope.again,
    "Fail": _Scope.fail,
    "Finish": _Scope.finish,
    "If": _Scope.choice,
    "CaseWhen": _Scope.choice,
    "Fork": _Scope.fork,
    "ForkList": _Scope.fork_list,
    "Options": _Scope.options,
    "Execute.Named": _Scope.execute,
    "Execute.Anonymous": _Scope.execute_here,
    "Prompt": _Scope.prompt,
    "Sleep": _Scope.sleep,
}

_ELEMENT = parse_function("(x) => $x")


def _retries(block: Block) -> bool:
    """Whether a Retry stands in the block, seen through If and the try-part of Try (J105)."""
    for instruction in block.instructions:
        match instruction:
            case Retry():
                return True
            case If() if any(_retries(inner) for _, inner in instruction.blocks):
                return True
            case Try() if _retries(instruction.body):
                return True
    return False


def _branch_id(value: Any, at: At) -> str:
    """An id that can be joined to its parent's (J61)."""
    name = scalars.name(value, at)
    if "|" in name:
        raise at.error(f"expected a branch id without '|', which joins the ids of orders, got {show(name)}")
    return name


def is_list_name(children: str) -> bool:
    """Whether `children` is the name of a list, as the inventory has it, and not an expression of the controller."""
    return children.isidentifier() and children not in WORDS


def _child_id(value: Any, at: At) -> Function:
    if isinstance(value, str) and value.isidentifier():
        return parse_function(LIST_CHILD_ID.format(value))
    function = scalars.function(value, at)
    if not function.parameters:
        raise at.error("expected a function of 1 or 2 parameters, got one of none")
    return function
