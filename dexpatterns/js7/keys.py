"""When two states are one for a search: the part of each order that its future depends on.

What was left out: outcomes that nobody can read any more, what a job did more often than its scenario tells apart,
attempts of a Try without limit beyond the last delay. Nothing here decides what happens.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from dexpatterns.engine.values import freeze
from dexpatterns.js7.draft import Rules
from dexpatterns.js7.expression import Binary, Expression, FieldOf, Function, Name, Not, Record, TryCount
from dexpatterns.js7.instructions import Block, Fail, ForkList, If, Prompt, Sleep, Workflow
from dexpatterns.js7.outcomes import values_of
from dexpatterns.js7.state import OrderState, State
from dexpatterns.js7.walking import shortened

__all__ = ["Keys"]


class Keys:
    """The numbers that stand for local states in one machine's searches."""

    __slots__ = ("_idents", "_names", "_rules", "_tries")

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._idents: dict[Hashable, int] = {}
        self._names: dict[str, frozenset[str]] = {}
        """The named values that a workflow's expressions read."""
        self._tries: dict[str, bool] = {}
        """Whether they read `tryCount`."""
        for workflow in rules.world.workflows.values():
            parts = [part for expression in _expressions(workflow) for part in _parts(expression)]
            self._names[workflow.path] = frozenset(part.name for part in parts if isinstance(part, Name))
            self._tries[workflow.path] = any(isinstance(part, TryCount) for part in parts)

    def key(self, state: State) -> Hashable:
        orders, pending = state.orders, state.pending
        if orders.ident is None:
            found = []
            for order in orders.items():
                if order.ident is None:
                    order.ident = self._number(self._content(order))
                found.append(order.ident)
            orders.ident = self._number(tuple(found))
        if pending.ident is None:
            pending.ident = self._number(tuple(pending))
        return orders.ident, pending.ident, state.locks

    def _number(self, content: Hashable) -> int:
        return self._idents.setdefault(content, len(self._idents))

    def _content(self, order: OrderState) -> tuple[Any, ...]:
        workflow = self._rules.world.workflows[order.workflow]
        position = order.position if self._tries[workflow.path] else shortened(workflow, order.position)
        jobs = self._rules.jobs
        runs = tuple([(job, min(times, len(jobs[job].of(order.id).outcomes))) for job, times in order.runs])
        return (
            order.id, order.state, position, order.suspended, order.mark, order.priority, order.arguments,
            self._seen(order), order.failed, runs, order.children, order.job, order.ends, order.delete,
        )  # fmt: skip

    def _seen(self, order: OrderState) -> tuple[Any, ...]:
        """What the workflow may still read of its outcomes."""
        names = self._names[order.workflow]
        seen: dict[str, Any] = {}
        for _, outcome in order.history if names else ():
            seen |= {name: value for name, value in values_of(outcome).items() if name in names}
        return tuple(sorted((name, freeze(value)) for name, value in seen.items())) if seen else ()


def _expressions(workflow: Workflow) -> Iterator[Expression]:
    yield from _results(workflow.block)
    for _, instruction in workflow.walk():
        for _, block in instruction.blocks:
            yield from _results(block)
        match instruction:
            case If():
                yield from (predicate for predicate, _ in instruction.cases)
            case Prompt():
                yield instruction.question
            case Sleep():
                yield instruction.duration
            case Fail():
                yield from () if instruction.message is None else (instruction.message,)
            case ForkList():
                yield instruction.children
                for function in (instruction.child_to_id, instruction.child_to_arguments):
                    if isinstance(function, Function):
                        yield function.body
            case _:
                pass


def _results(block: Block) -> Iterator[Expression]:
    return (expression for _, expression in block.result)


def _parts(e: Expression) -> Iterator[Expression]:
    yield e
    match e:
        case Not(a) | FieldOf(a, _):
            yield from _parts(a)
        case Binary(_, a, b):
            yield from _parts(a)
            yield from _parts(b)
        case Record(fields):
            for _, part in fields:
                yield from _parts(part)
        case _:
            pass
