"""How an order becomes several and one again (J106, J315).

A child is an order of its own, `PARENT|BRANCH`, with its parent's arguments, outcomes and priority. When all children
are at the end of their branch, or failed where their parent joins failed ones, or are cancelled, they are gone, and
the parent goes on with what they brought.
"""

from __future__ import annotations

from typing import Any

from dexpatterns.engine.values import Data, freeze
from dexpatterns.js7 import events as ev
from dexpatterns.js7 import outcomes
from dexpatterns.js7.draft import Draft
from dexpatterns.js7.evaluation import Problem, call, evaluate, show
from dexpatterns.js7.instructions import END, Fork, ForkList
from dexpatterns.js7.leaving import fail, fork_of
from dexpatterns.js7.positions import outer, step_into, try_count
from dexpatterns.js7.state import OrderState

__all__ = ["carry_out_fork", "join"]

_TOLD = 3
"""So many failed children are named in the parent's outcome."""

_Child = tuple[str, str, dict[str, Any]]
"""(its id behind the bar, its branch, its own arguments)"""


def carry_out_fork(draft: Draft, order: OrderState, instruction: Fork | ForkList) -> None:
    children = _children(draft, order, instruction)
    if isinstance(children, Problem):
        fail(draft, order, outcomes.disrupted(children.text))
        return
    if order.state == "Fresh":
        order = draft.emit(ev.OrderStarted(order.id))
    draft.emit(ev.OrderForked(order.id, tuple([(branch, f"{order.id}|{name}") for name, branch, _ in children])))
    given = order.arguments.plain if any(own for _, _, own in children) else {}
    for number, (name, branch, own) in enumerate(children):
        child = OrderState(
            f"{order.id}|{name}", (*order.place, number), order.workflow, step_into(order.position, branch), "Ready",
            freeze(given | own) if own else order.arguments,
            priority=order.priority, parent=order.id, history=order.history,
        )  # fmt: skip
        draft.put(child)
        draft.look_at(child.id)


def _children(draft: Draft, order: OrderState, instruction: Fork | ForkList) -> list[_Child] | Problem:
    if isinstance(instruction, Fork):
        return [(branch.id, f"fork+{branch.id}", {}) for branch in instruction.branches]
    values = draft.rules.values(order)
    found = evaluate(instruction.children, values, try_count(order.position))
    if isinstance(found, Problem):
        return found
    if not isinstance(found, (list, tuple)):
        return Problem(f"expected a list of children, got {show(found)}")
    made: dict[str, _Child] = {}
    for number, element in enumerate(found):
        name = call(instruction.child_to_id, (element, number), values)
        name = str(name) if isinstance(name, (int, float)) and not isinstance(name, bool) else name
        if isinstance(name, Problem):
            return name
        if not isinstance(name, str) or not name or "|" in name:
            return Problem(f"expected a text without '|' as the id of child {number}, got {show(name)}")
        if name in made:
            return Problem(f"Duplicate child IDs in the list: '{name}'")
        own: Any = {}
        if instruction.child_to_arguments is not None:
            own = call(instruction.child_to_arguments, (element, number), values)
            if isinstance(own, Problem):
                return own
            if not isinstance(own, dict):
                return Problem(f"expected an object as the arguments of child '{name}', got {show(own)}")
        made[name] = (name, "fork", own)
    return list(made.values())


def join(draft: Draft, parent_id: str) -> None:
    """The parent goes on, once all of its children are done."""
    parent = draft.order(parent_id)
    if parent is None or parent.state != "Forked" or parent.halted:
        return
    children: list[OrderState] = []
    for _, id in parent.children:
        child = draft.order(id)
        assert child is not None
        if not is_done(draft, child, parent):
            return
        children.append(child)
    draft.emit(ev.OrderJoined(parent.id, _joined(draft, parent, children)))
    for child in children:
        draft.drop(child.id)
    draft.look_at(parent.id)


def is_done(draft: Draft, child: OrderState, parent: OrderState) -> bool:
    """Whether nothing more is to come of a child."""
    if child.halted:
        return False
    if child.state in ("FailedInFork", "Cancelled"):
        return True
    at_end = child.state == "Ready" and outer(child.position) == parent.position
    return at_end and draft.rules.workflow(child).at(child.position) is END and not child.failed


def _joined(draft: Draft, parent: OrderState, children: list[OrderState]) -> Data:
    failed = [child for child in children if child.state == "Cancelled" or child.failed]
    if failed:
        told = [
            f"Order:{child.id} has been cancelled" if child.state == "Cancelled"
            else f"Order:{child.id} {outcomes.show(child.outcome)}"
            for child in failed[:_TOLD]
        ]  # fmt: skip
        return outcomes.failed(";\n".join(told))
    results: dict[str, Any] = {}
    instruction = fork_of(draft, parent)
    blocks = (
        [instruction.body] * len(children) if isinstance(instruction, ForkList)
        else [branch.block for branch in instruction.branches]
    )  # fmt: skip
    for block, child in zip(blocks, children, strict=True):
        for name, expression in block.result:
            value = draft.rules.evaluated(child, expression)
            if isinstance(value, Problem):
                return outcomes.failed(value.text)
            if isinstance(instruction, ForkList):
                results.setdefault(name, []).append(value)
            else:
                results[name] = value
    return outcomes.succeeded(results)
