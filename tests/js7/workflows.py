"""Small workflows for the tests of this folder, and a Hypothesis strategy for random ones."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from dexpatterns.engine.values import freeze
from dexpatterns.js7 import expression as ex
from dexpatterns.js7.decode import LIST_CHILD_ID
from dexpatterns.js7.instructions import (
    Block,
    Branch,
    Demand,
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

SCRIPT = {"TYPE": "ShellScriptExecutable", "script": "exit 0"}
JOB = {"agentPath": "AGENT", "executable": SCRIPT}
TOP_NAMES = ("ok", "bad", "extract")


def workflow(*instructions: Any, path: str = "W", **more: Any) -> dict[str, Any]:
    """A workflow of the controller dialect, with jobs `ok` and `bad`."""
    return {"path": path, "instructions": list(instructions), "jobs": {"ok": JOB, "bad": JOB}, **more}


def block(*instructions: Any) -> dict[str, Any]:
    return {"instructions": list(instructions)}


def locked(*inner: Any, demands: Any = ({"lockPath": "L"},)) -> dict[str, Any]:
    return {"TYPE": "Lock", "demands": list(demands), "lockedWorkflow": block(*inner)}


# --- random ones ---------------------------------------------------------------------------------------------------

names = st.sampled_from(["A", "B", "nightly load", "größe", "数据", "x.y", "'", "$x"])
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-5, 5) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
named_values = st.dictionaries(texts, values, max_size=2).map(freeze)

_constants = (
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8).map(ex.Text)
    | st.integers(-(10**20), 10**20).map(ex.Number)
    | st.decimals(-1000, 1000, places=3).map(float).map(ex.Number)
    | st.booleans().map(ex.Boolean)
    | st.sampled_from(["a", "returnCode", "größe", "with-dash"]).map(ex.Name)
    | st.just(ex.TryCount())
)
_operators = st.sampled_from(["&&", "||", "==", "!=", "<", "<=", ">", ">="])
expressions: st.SearchStrategy[ex.Expression] = st.recursive(
    _constants, lambda inner: st.builds(ex.Not, inner) | st.builds(ex.Binary, _operators, inner, inner), max_leaves=6
)


@st.composite
def item_lists(draw: st.DrawFn, whole_seconds: bool = True) -> tuple[Workflow | Lock, ...]:
    """Locks and workflows that name them."""
    paths = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    locks = [Lock(path, draw(st.integers(0, 5))) for path in paths]
    titles = draw(st.lists(names, max_size=2, unique=True))
    return (
        *locks,
        *(_Builder(draw, tuple(paths), whole_seconds).workflow(title) for title in titles),
    )


class _Builder:
    def __init__(self, draw: st.DrawFn, locks: tuple[str, ...], whole_seconds: bool) -> None:
        self.draw = draw
        self.locks = locks
        self.whole_seconds = whole_seconds
        self.labels = 0

    def workflow(self, path: str = "W") -> Workflow:
        draw = self.draw
        parameters = st.builds(
            Parameter,
            st.just("p"),
            st.sampled_from(["String", "Number"]),
            st.none() | expressions,
            st.none() | expressions,
        )
        preparation = st.builds(OrderPreparation, st.tuples(parameters), st.booleans())
        return Workflow(
            path,
            self.block((), retry=False, depth=0),
            draw(st.none() | texts),
            draw(st.none() | preparation),
        )

    def block(self, jobs: tuple[str, ...], retry: bool, depth: int, result: str | None = None) -> Block:
        draw = self.draw
        own = tuple(
            Job(
                name,
                draw(st.none() | texts),
                draw(st.integers(0, 3)),
                draw(st.none() | st.just(freeze(SCRIPT))),
            )
            for name in draw(st.lists(st.sampled_from(TOP_NAMES), max_size=2, unique=True))
        )
        jobs = (*(job.name for job in own), *jobs)
        size = draw(st.integers(0, 3 if depth < 2 else 1))
        made = tuple(self.instruction(jobs, retry, depth) for _ in range(size))
        returned = ((result, draw(expressions)),) if result is not None and draw(st.booleans()) else ()
        return Block(made, own, returned)

    def instruction(self, jobs: tuple[str, ...], retry: bool, depth: int) -> Instruction:
        kinds = ["fail", "finish", "prompt", "sleep", "anonymous"]
        kinds += ["named"] * bool(jobs) + ["retry"] * (2 * retry)
        if depth < 3:
            kinds += ["lock", "lock", "try", "try", "if", "fork", "fork_list", "options"]
        made = getattr(self, self.draw(st.sampled_from(kinds)))(jobs, retry, depth)
        assert isinstance(made, Instruction)
        return made

    def label(self) -> str | None:
        self.labels += 1
        return self.draw(st.none() | st.just(f"step {self.labels}"))

    def lock(self, jobs: tuple[str, ...], retry: bool, depth: int) -> Instruction:
        paths = self.draw(st.lists(st.sampled_from(self.locks), min_size=1, unique=True))
        demands = tuple(Demand(path, self.draw(st.none() | st.integers(1, 7))) for path in paths)
        return LockInstruction(demands=demands, body=self.block(jobs, False, depth + 1), label=self.label())

    def retry(self, *_: Any) -> Instruction:
        return Retry(label=self.label())

    def fail(self, *_: Any) -> Instruction:
        draw = self.draw
        return Fail(
            message=draw(st.none() | expressions),
            named_values=draw(st.none() | named_values),
            uncatchable=draw(st.booleans()),
            label=self.label(),
        )

    def finish(self, *_: Any) -> Instruction:
        succeeded = self.draw(st.none() | st.booleans())
        if succeeded is None:
            return Finish(label=self.label())
        filled = named_values.filter(lambda data: bool(data.plain))
        return Finish(
            succeeded=succeeded,
            message=self.draw(st.none() | texts),
            named_values=None if self.whole_seconds else self.draw(st.none() | filled),
            label=self.label(),
        )

    def prompt(self, *_: Any) -> Instruction:
        return Prompt(question=self.draw(expressions), label=self.label())

    def sleep(self, *_: Any) -> Instruction:
        return Sleep(duration=self.draw(expressions), label=self.label())

    def anonymous(self, *_: Any) -> Instruction:
        job = Job("", "AGENT", self.draw(st.integers(0, 9)), freeze(SCRIPT))
        return ExecuteAnonymous(job=job, label=self.label())

    def named(self, jobs: tuple[str, ...], *_: Any) -> Instruction:
        name = self.draw(st.sampled_from(jobs))
        return ExecuteNamed(job_name=name, arguments=self.draw(st.none() | named_values), label=self.label())

    def options(self, jobs: tuple[str, ...], retry: bool, depth: int) -> Instruction:
        body = self.block(jobs, False, depth + 1)
        return Options(stop_on_failure=self.draw(st.none() | st.booleans()), body=body, label=self.label())

    def fork(self, jobs: tuple[str, ...], retry: bool, depth: int) -> Instruction:
        ids = self.draw(st.lists(names, max_size=2, unique=True))
        branches = tuple(Branch(i, self.block(jobs, False, depth + 1, result=f"from {i}")) for i in ids)
        return Fork(branches=branches, join_if_failed=self.draw(st.booleans()), label=self.label())

    def fork_list(self, jobs: tuple[str, ...], retry: bool, depth: int) -> Instruction:
        to_id = self.draw(st.sampled_from([LIST_CHILD_ID.format("id"), "(x) => $x", '(x, i) => "n" ++ $i']))
        arguments = self.draw(st.sampled_from([None, "(x) => $x", "() => {}", "(x) => {a: $x, b: 1}"]))
        return ForkList(
            children=self.draw(st.just(ex.Name("list")) | expressions),
            child_to_id=ex.parse_function(to_id),
            child_to_arguments=None if arguments is None else ex.parse_function(arguments),
            body=self.block(jobs, False, depth + 1),
            join_if_failed=self.draw(st.booleans()),
            label=self.label(),
        )

    def if_(self, jobs: tuple[str, ...], retry: bool, depth: int) -> Instruction:
        count = self.draw(st.integers(1, 3))
        cases = tuple((self.draw(expressions), self.block(jobs, retry, depth + 1)) for _ in range(count))
        otherwise = self.block(jobs, retry, depth + 1) if self.draw(st.booleans()) else None
        return If(cases=cases, otherwise=otherwise, label=self.label())

    def try_(self, jobs: tuple[str, ...], retry: bool, depth: int) -> Instruction:
        seconds = st.integers(0, 100) | (st.nothing() if self.whole_seconds else st.floats(0, 100))
        body, catch = self.block(jobs, retry, depth + 1), self.block(jobs, True, depth + 1)
        again = any(isinstance(one, Retry) for one in catch.instructions)
        return Try(
            body=body,
            catch=catch,
            retry_delays=tuple(self.draw(st.lists(seconds, max_size=2))) if again else (),
            max_tries=self.draw(st.none() | st.integers(1, 9)) if again else None,
            label=self.label(),
        )


setattr(_Builder, "if", _Builder.if_)
setattr(_Builder, "try", _Builder.try_)
