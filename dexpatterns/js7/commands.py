"""What a person does to orders: answer, cancel, suspend, resume, change a priority (J231 to J238).

Each function checks first and then lets events happen, so that a refusal, which is an `InputError` naming the order,
where it stands and the mend, changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from dexpatterns.engine.values import Data, freeze
from dexpatterns.errors import InputError, ValueNotDataError
from dexpatterns.js7 import events as ev
from dexpatterns.js7 import outcomes, steps
from dexpatterns.js7.draft import Draft
from dexpatterns.js7.fields import suggest
from dexpatterns.js7.leaving import cancel as leave_cancelled
from dexpatterns.js7.positions import Position
from dexpatterns.js7.scenario import check_priority
from dexpatterns.js7.state import CANCELLABLE, DONE, FAILED, RESETTABLE, STOPPED, OrderState
from dexpatterns.js7.walking import crosses

__all__ = ["answer", "cancel", "change_priority", "resume", "suspend"]


def _known(draft: Draft, id: Any) -> OrderState:
    order = draft.order(id) if isinstance(id, str) else None
    if order is None:
        there = [order.id for order in draft.state.orders.items()]
        raise InputError(f"there is no order {id!r}{suggest(str(id), there)}")
    return order


def _refuse(order: OrderState, what: str, mend: str) -> NoReturn:
    """The text of JS7 for what it does not do, with the place and what to do instead."""
    suspended = ", suspended" if order.suspended else ""
    raise InputError(
        f"order '{order.id}' cannot be {what}: it is {order.state}{suspended} at {list(order.position)} of workflow "
        f"'{order.workflow}'; {mend}"
    )


def answer(draft: Draft, id: str) -> None:
    """The question of a prompting order is answered."""
    order = _known(draft, id)
    if order.state != "Prompting":
        _refuse(order, "answered", "only an order that is Prompting has a question")
    steps.answered(draft, order)
    draft.settle(id)


def cancel(draft: Draft, ids: Sequence[str]) -> None:
    """All of these orders end here, or as soon as their jobs and children have ended (J231)."""
    if not ids:
        raise InputError("cancel: expected the id of an order, got none")
    for order in [_known(draft, id) for id in ids]:
        if order.state in DONE:
            _refuse(order, "cancelled", "it has ended already")
        if order.state == "FailedInFork":
            _refuse(order, "cancelled", f"its parent '{order.parent}' joins it as soon as its siblings are done")
        if order.mark == "cancel":
            _refuse(order, "cancelled again", "it will be, once its job or its children have ended")
    for id in dict.fromkeys(ids):
        order = _known(draft, id)
        if order.state in CANCELLABLE:
            leave_cancelled(draft, order)
        else:
            draft.emit(ev.OrderCancellationMarked(id, freeze({"TYPE": "FreshOrStarted"})))
    for id in dict.fromkeys(ids):
        draft.settle(id)


def suspend(draft: Draft, id: str, reset_state: bool) -> None:
    """The order stands still, at once or as soon as it can (J232, J233)."""
    order = _known(draft, id)
    if order.state in DONE | FAILED | STOPPED | {"Broken"}:
        _refuse(order, "suspended", "it does not go on by itself anyway")
    if order.mark == "cancel":
        _refuse(order, "suspended", "it is to be cancelled")
    if order.suspended and not (reset_state and order.state in RESETTABLE):
        _refuse(order, "suspended again", "resume it first")
    if order.mark == ("suspend reset" if reset_state else "suspend"):
        _refuse(order, "suspended again", "it will be, as soon as it is Ready")
    if order.state in RESETTABLE and reset_state:
        draft.reset(order)
        draft.emit(ev.OrderSuspended(id))
    elif order.state in RESETTABLE - {"WaitingForLock"} | {"Fresh", "Ready"}:
        draft.emit(ev.OrderSuspended(id))
    else:
        draft.emit(ev.OrderSuspensionMarked(id, reset_state))
    draft.settle(id)


_RESUMABLE = frozenset(("Failed", "Stopped", "StoppedWhileFresh", "Broken"))


def resume(
    draft: Draft, id: str, position: Sequence[Any] | None, as_succeeded: bool, history_operations: Iterable[Any]
) -> None:
    """The order goes on: from where it stands, or from another position that lies in the same Lock and Fork (J234)."""
    order = _known(draft, id)
    at = _position(draft, order, position)
    operations = _operations(draft, order, history_operations)
    if order.mark == "cancel":
        _refuse(order, "resumed", "it is to be cancelled")
    if order.mark:
        if at is not None or operations is not None:
            _refuse(order, "resumed elsewhere", "it is not suspended yet; resume it without position and history")
        draft.emit(ev.OrderResumptionMarked(id, None, None, as_succeeded))
    elif order.suspended or order.state in _RESUMABLE:
        if at is not None and order.state in RESETTABLE:
            _refuse(order, "resumed elsewhere", "suspend it with reset_state=True first")
        draft.emit(ev.OrderResumed(id, at, operations, as_succeeded))
    else:
        mends = {"FailedWhileFresh": "cancel it, and add it anew", "FailedInFork": "its parent goes on instead"}
        mend = mends.get(order.state, "only one that is suspended, failed or stopped can be")
        _refuse(order, "resumed", mend)
    draft.settle(id)


def _position(draft: Draft, order: OrderState, given: Any) -> Position | None:
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InputError(f"resume order '{order.id}': expected a position such as [0, 'lock', 1], got {given!r}")
    at = tuple(given)
    if not all(type(part) in (int, str) for part in at) or draft.rules.workflow(order).at(at) is None:
        raise InputError(f"resume order '{order.id}': there is no position {list(at)} in workflow '{order.workflow}'")
    if crosses(order.position, at):
        raise InputError(
            f"resume order '{order.id}': {list(at)} cannot be reached from {list(order.position)} without crossing a "
            "Lock or a Fork (UnreachableOrderPosition); choose a position in the same block, or cancel the order"
        )
    return at


_OPERATIONS = {
    "Append": {"position", "outcome"}, "Replace": {"position", "outcome"}, "Delete": {"position"},
    "Insert": {"position", "newPosition", "outcome"},
}  # fmt: skip


def _operations(draft: Draft, order: OrderState, given: Iterable[Any]) -> Data | None:
    """The history operations as JSON, checked (J236)."""
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        raise InputError(f"resume order '{order.id}': expected a list of history operations, got {given!r}")
    made = [_operation(draft, order, one) for one in given]
    try:
        return freeze(made) if made else None
    except ValueNotDataError as fault:
        raise InputError(f"resume order '{order.id}': {fault}") from None


def _operation(draft: Draft, order: OrderState, given: Any) -> dict[str, Any]:
    where = f"resume order '{order.id}'"
    if not isinstance(given, Mapping) or given.get("TYPE") not in _OPERATIONS:
        raise InputError(f"{where}: expected a history operation with a TYPE of {sorted(_OPERATIONS)}, got {given!r}")
    kind = given["TYPE"]
    operation = dict(given)
    if kind == "Append":
        operation.setdefault("position", list(order.position))
    if set(operation) != _OPERATIONS[kind] | {"TYPE"}:
        raise InputError(f"{where}: expected the fields {sorted(_OPERATIONS[kind])} in {kind}, got {sorted(given)}")
    for name in ("position", "newPosition"):
        if name in operation:
            at = operation[name]
            if not isinstance(at, (list, tuple)) or draft.rules.workflow(order).at(tuple(at)) is None:
                raise InputError(f"{where}: there is no position {at!r} in workflow '{order.workflow}'")
            operation[name] = list(at)
    if kind != "Append" and tuple(operation["position"]) not in [at for at, _ in order.history]:
        raise InputError(f"{where}: {kind}: the order has no outcome at {operation['position']}")
    if "outcome" in operation:
        operation["outcome"] = outcomes.read(operation["outcome"], f"{where}, {kind}").plain
    return operation


def change_priority(draft: Draft, id: str, priority: int) -> None:
    """Another place among those that wait, from the next sweep on (J226)."""
    order = _known(draft, id)
    check_priority(id, priority)
    if order.state in DONE:
        _refuse(order, "given another priority", "it has ended")
    draft.prioritize(order, priority)
    draft.settle(id)
