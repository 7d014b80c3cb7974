"""The short notation of the scenarios, as Python: `lock("A:2 B", P)` is a Lock of weight 2 of A and all of B.

`items(...)` gives what a `Controller` takes: the workflows and the locks that are said by their limits. Every workflow
knows the jobs `ok` and `bad`; `JOBS` says how they end.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from dexpatterns.js7 import Controller, Job, Jobs

SECOND = timedelta(seconds=1)
MS = timedelta(milliseconds=1)
JOBS = Jobs({"ok": Job(), "bad": Job(outcomes=("failed",))})

Instruction = dict[str, Any]

ok: Instruction = {"TYPE": "Execute.Named", "jobName": "ok"}
bad: Instruction = {"TYPE": "Execute.Named", "jobName": "bad"}
P: Instruction = {"TYPE": "Prompt", "question": "'go on?'"}
retry: Instruction = {"TYPE": "Retry"}
finish: Instruction = {"TYPE": "Finish"}


def block(*instructions: Instruction) -> dict[str, Any]:
    return {"instructions": list(instructions)}


def demand(text: str) -> dict[str, Any]:
    path, _, weight = text.partition(":")
    return {"lockPath": path} | ({"count": int(weight)} if weight else {})


def lock(demands: str, *inner: Instruction) -> Instruction:
    return {"TYPE": "Lock", "demands": [demand(one) for one in demands.split()], "lockedWorkflow": block(*inner)}


def fail(message: str | None = None, **fields: Any) -> Instruction:
    return {"TYPE": "Fail", **({} if message is None else {"message": f"'{message}'"}), **fields}


def attempt(*inner: Instruction, catch: Iterable[Instruction] = (), **fields: Any) -> Instruction:
    return {"TYPE": "Try", "try": block(*inner), "catch": block(*catch), **fields}


def opt(stop: bool | None, *inner: Instruction) -> Instruction:
    return {"TYPE": "Options", **({} if stop is None else {"stopOnFailure": stop}), "block": block(*inner)}


def when(predicate: str, *then: Instruction, otherwise: Iterable[Instruction] | None = None) -> Instruction:
    made: Instruction = {"TYPE": "If", "ifThens": [{"predicate": predicate, "then": block(*then)}]}
    return made if otherwise is None else made | {"else": block(*otherwise)}


def fork(join_if_failed: bool = False, **branches: Any) -> Instruction:
    made = [
        {"id": name, "workflow": block(*inner) if isinstance(inner, (tuple, list)) else block(inner)}
        for name, inner in branches.items()
    ]
    return {"TYPE": "Fork", "branches": made} | ({"joinIfFailed": True} if join_if_failed else {})


def sleep(seconds: float) -> Instruction:
    return {"TYPE": "Sleep", "duration": str(seconds)}


def workflow(path: str, *instructions: Instruction, **fields: Any) -> dict[str, Any]:
    jobs = {name: {"agentPath": "AGENT", "executable": {"TYPE": "ShellScriptExecutable", "script": ":"}}
            for name in ("ok", "bad")}  # fmt: skip
    return {"path": path, **block(*instructions), "jobs": jobs, **fields}


def items(*workflows: Any, locks: str = "L") -> list[dict[str, Any]]:
    """Locks as `"L/3 B"`; one list of instructions instead of workflows is the workflow `W`."""
    made = [one if "path" in one else workflow("W", one) for one in workflows]
    found = [one.partition("/") for one in locks.split()]
    return [{"TYPE": "Lock", "path": path, "limit": int(limit or 1)} for path, _, limit in found] + made


def controller(*workflows: Any, locks: str = "L", jobs: Any = None, fair: bool = False) -> Controller:
    return Controller(items(*workflows, locks=locks), jobs=JOBS if jobs is None else jobs, fair=fair)


# --- what happened ---------------------------------------------------------------------------------------------------

_SHORT = {"OrderLocksAcquired": "Acq", "OrderLocksQueued": "Que", "OrderLocksReleased": "Rel"}
_JOBS = {"OrderProcessingStarted", "OrderProcessed"}


def told(event: Any) -> str:
    """An event as the scenarios write it: `Acq(L:2)`, `OrderMoved [0,"lock",1]`."""
    data = event.data
    if event.name == "OrderLocksReleased":
        return f"Rel({','.join(data['lockPaths'])})"
    if event.name in _SHORT:
        demands = [d["lockPath"] + (f":{d['count']}" if "count" in d else "") for d in data["demands"]]
        return f"{_SHORT[event.name]}({','.join(demands)})"
    name = event.name.removeprefix("Order")
    if "outcome" in data:
        return f"{name} {said(data['outcome'])}"
    for field in ("movedTo", "to"):
        if field in data:
            return f"{name} {position(data[field])}"
    return str(name)


def said(outcome: dict[str, Any]) -> str:
    message = outcome.get("message") or outcome.get("reason", {}).get("problem", {}).get("message")
    return outcome["TYPE"] + (f": {message}" if message else "")


def position(value: Iterable[Any]) -> str:
    return "[" + ",".join(f'"{part}"' if isinstance(part, str) else str(part) for part in value) + "]"


def story(c: Controller, order: str = "O", jobs: bool = False) -> list[str]:
    """What happened to an order; without OrderAdded and, unless asked for, without its jobs."""
    left_out = {"OrderAdded"} | (set() if jobs else _JOBS)
    return [told(event) for event in c.events(order) if event.name not in left_out]


def acquired(c: Controller) -> list[str]:
    """Who was granted locks, in turn."""
    return [event.order for event in c.events() if event.name == "OrderLocksAcquired"]


def state(c: Controller, order: str = "O") -> str:
    return f"{c.order(order).state} {position(c.order(order).position)}"


def holders(c: Controller, path: str = "L") -> Any:
    """'Available', the order that holds it alone, or the weights."""
    found = c.lock(path)["acquired"]
    return {"Available": "Available", "Exclusive": found.get("orderId"), "NonExclusive": found.get("orderToCount")}[
        found["TYPE"]
    ]


def free(c: Controller, *paths: str) -> bool:
    return all(c.lock(path)["acquired"] == {"TYPE": "Available"} and c.lock(path)["queue"] == [] for path in paths)
