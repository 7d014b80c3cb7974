"""What `dexpatterns js7` is given: workflow and lock files, and files of orders and jobs, read into records.

Every way in which a file can be wrong is one `WorkflowFileError` or `InputError` that names the file, the place in it
and the mend. Nothing of a file is executed, and no more of it is read than the stated limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from dexpatterns.errors import InputError, WorkflowFileError
from dexpatterns.js7.fields import At, suggest
from dexpatterns.js7.files import MAX_BYTES, Item, load
from dexpatterns.js7.machine import Js7Machine
from dexpatterns.js7.scenario import Job, Jobs, Order

__all__ = ["Given", "given"]

T = TypeVar("T")

_ORDER = ("id", "workflow", "arguments", "priority", "at", "repeats", "jobs")
_JOB = ("duration", "outcomes", "per_order")
MOST_NESTING = 200
"""Deepest value that an argument may be."""


class Given(NamedTuple):
    """All that runs, or is tried."""

    items: tuple[Item, ...]
    orders: tuple[Order, ...]
    jobs: Jobs


def given(files: Iterable[str], orders: str, jobs: str | None) -> Given:
    """Read it all, and see that it fits together; raises `WorkflowFileError` or `InputError`."""
    items = load(list(files))
    listed, own = _orders(_json(orders), At(orders))
    named = {} if jobs is None else _jobs(_json(jobs), At(jobs))
    for name, by_order in own.items():
        usual = named.get(name, Job())
        named[name] = Job(usual.duration, usual.outcomes, {**usual.per_order, **by_order})
    found = Given(items, listed, Jobs(named))
    ids = [order.id for order in listed]
    for name, job in named.items():
        for id in job.per_order:
            if id.partition("|")[0] not in ids:
                raise InputError(f"{jobs}: the job {name!r} speaks of an order {id!r}{suggest(id, ids)}")
    machine = Js7Machine(items, listed, found.jobs)
    known = machine.rules.world.job_names()
    for name in named:
        if name not in known:
            where = jobs if name not in own else orders
            raise InputError(f"{where}: no workflow has a job {name!r}{suggest(name, sorted(known))}")
    return found


# Orders.


def _orders(value: Any, at: At) -> tuple[tuple[Order, ...], dict[str, dict[str, Job]]]:
    """The orders, and how jobs go for them alone: by job, then by order."""
    if not isinstance(value, list) or not value:
        raise at.error(f"expected a list of orders, at least one, got {_show(value)}; write [{_EXAMPLE}]")
    made: dict[str, Order] = {}
    own: dict[str, dict[str, Job]] = {}
    for number, one in enumerate(value):
        here = at.then(number)
        fields = _fields(one, here, _ORDER, "an order", _EXAMPLE)
        for name in ("id", "workflow"):
            if name not in fields:
                raise here.error(f"an order needs '{name}'; write {_EXAMPLE}")
        own_jobs = _jobs(fields.pop("jobs", {}), here.then("jobs"), per_order=False)
        if "at" in fields:
            fields["at"] = _seconds(fields["at"], here.then("at"))
        arguments = fields.get("arguments")
        if _depth(arguments) > MOST_NESTING:
            raise here.then("arguments").error(f"nested too deeply; expected at most {MOST_NESTING} levels")
        order = _made(here, Order, fields)
        if order.id in made:
            raise here.then("id").error(f"the order '{order.id}' stands there twice; give one of them another id")
        made[order.id] = order
        for name, job in own_jobs.items():
            own.setdefault(name, {})[order.id] = job
    return tuple(made.values()), own


_EXAMPLE = '{"id": "A", "workflow": "W"}'


# Jobs.


def _jobs(value: Any, at: At, per_order: bool = True) -> dict[str, Job]:
    if not isinstance(value, Mapping):
        raise at.error(f"expected an object of jobs by name, got {_show(value)}; write {_JOB_EXAMPLE}")
    return {name: _job(one, at.then(name), per_order) for name, one in value.items()}


def _job(value: Any, at: At, per_order: bool) -> Job:
    fields = _fields(value, at, _JOB if per_order else _JOB[:2], "a job", _JOB_EXAMPLE)
    if "duration" in fields:
        fields["duration"] = _seconds(fields["duration"], at.then("duration"))
    outcomes = fields.get("outcomes")
    if outcomes is not None and not (isinstance(outcomes, list) and all(isinstance(one, str) for one in outcomes)):
        raise at.then("outcomes").error(f'expected a list such as ["failed", "succeeded"], got {_show(outcomes)}')
    if "per_order" in fields:
        place = at.then("per_order")
        fields["per_order"] = _jobs(fields["per_order"], place, per_order=False)
    return _made(at, Job, fields)


_JOB_EXAMPLE = '{"extract": {"duration": 5, "outcomes": ["failed", "succeeded"]}}'


# What they have in common.


def _fields(value: Any, at: At, known: tuple[str, ...], what: str, example: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise at.error(f"expected {what} as an object, got {_show(value)}; write {example}")
    for name in value:
        if name not in known:
            raise at.error(f"unknown field {_show(name)}{suggest(name, known)}")
    return dict(value)


def _made(at: At, make: Callable[..., T], fields: dict[str, Any]) -> T:
    try:
        return make(**fields)
    except InputError as error:
        raise at.error(str(error)) from None


def _seconds(value: Any, at: At) -> timedelta:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise at.error(f"expected seconds, a number of 0 or more, got {_show(value)}")
    try:
        return timedelta(seconds=value)
    except OverflowError:
        raise at.error(f"expected fewer seconds, got {_show(value)}") from None


def _show(value: Any) -> str:
    said = repr(value) if isinstance(value, (str, int, float, type(None))) else f"a {_KINDS.get(type(value), 'value')}"
    said = {"None": "null", "True": "true", "False": "false"}.get(said, said)
    return said if len(said) <= 80 else f"{said[:77]}..."


_KINDS: dict[type, str] = {list: "list", dict: "JSON object"}


def _depth(value: Any) -> int:
    """How deep lists and objects are in each other; not by recursion, since it is what guards against that."""
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [
            part for one in level if isinstance(one, (list, dict))
            for part in (one.values() if isinstance(one, dict) else one)
        ]  # fmt: skip
    return depth


def _json(name: str) -> Any:
    """The value in a file; raises `WorkflowFileError`."""
    import msgspec

    try:
        with Path(name).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise WorkflowFileError(f"{name!r}: cannot be read: {said[:1].lower() + said[1:]}; name a JSON file") from None
    if len(data) > MAX_BYTES:
        raise WorkflowFileError(f"{name}: the file has more than {MAX_BYTES:,} bytes; keep fewer in it")
    try:
        text = data.decode("utf-8-sig")
        return msgspec.json.decode(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise WorkflowFileError(f"{name}, line {line}: this is not UTF-8; save the file as UTF-8") from None
    except RecursionError:
        raise WorkflowFileError(f"{name}: nested too deeply; expected at most {MOST_NESTING} levels") from None
    except msgspec.MsgspecError as error:
        problem = str(error).removeprefix("JSON is malformed: ")
        raise WorkflowFileError(f"{name}: this is not JSON: {problem}; expected JSON") from None
