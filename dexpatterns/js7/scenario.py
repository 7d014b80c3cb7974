"""What comes to the workflows from outside, as data: orders, and how long jobs take and how they end (J54).

Nothing is executed. What cannot be meant is refused here with the mend; whether it fits the workflows is told by
`check_orders` and `check_jobs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from dexpatterns.engine.looking import Shown
from dexpatterns.engine.values import Data, freeze
from dexpatterns.errors import InputError, ValueNotDataError, WorkflowFileError
from dexpatterns.js7.evaluation import Problem, evaluate
from dexpatterns.js7.fields import suggest
from dexpatterns.js7.files import Item, check_references, load
from dexpatterns.js7.instructions import ExecuteAnonymous, ExecuteNamed, Lock, OrderPreparation, Workflow
from dexpatterns.js7.locks import ancestors

__all__ = ["ANY", "HIGHEST", "Job", "Jobs", "Order", "World", "check_priority", "check_time"]

HIGHEST = 2**31 - 1
"""A priority lies between this and its negative."""

SUCCEEDED, FAILED, ANY = "succeeded", "failed", "any"
_OUTCOMES = (SUCCEEDED, FAILED, ANY)


def check_time(where: str, time: object) -> None:
    if not isinstance(time, timedelta) or time < timedelta(0):
        raise InputError(f"{where}: expected a timedelta of 0 or more, got {time!r}")


def check_priority(order: str, priority: object) -> None:
    if type(priority) is not int or abs(priority) > HIGHEST:
        raise InputError(
            f"order '{order}': expected a whole number from {-HIGHEST} to {HIGHEST} as priority, got {priority!r}"
        )


@dataclass(frozen=True, slots=True)
class Job(Shown):
    """How a job goes: how long an attempt takes, and how each attempt ends, the last outcome repeating.

    An attempt is the n-th run of the job for one order. `outcomes` are 'succeeded', 'failed', or 'any': either, drawn
    by the simulator and both tried by a check (a `Controller` takes it to succeed). `per_order` says otherwise for
    some orders, and for the children forked from them.
    """

    duration: timedelta = timedelta(seconds=1)
    outcomes: Sequence[str] = (SUCCEEDED,)
    """Kept as a tuple."""
    per_order: Mapping[str, Job] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_time("Job duration", self.duration)
        given: Any = self.outcomes
        if not isinstance(given, Iterable):
            raise InputError(f"Job outcomes: expected a list of them, got {given!r}; write outcomes=['failed']")
        outcomes = (given,) if isinstance(given, str) else tuple(given)
        for one in outcomes:
            if one not in _OUTCOMES:
                raise InputError(f"Job outcomes: unknown outcome {one!r}{suggest(str(one), _OUTCOMES)}")
        if not outcomes:
            raise InputError("Job outcomes: expected at least one, got none; leave it out to succeed always")
        object.__setattr__(self, "outcomes", outcomes)
        per_order: Any = self.per_order
        if not isinstance(per_order, Mapping) or not all(isinstance(one, Job) for one in per_order.values()):
            raise InputError(f"Job per_order: expected a dict of Jobs by order id, got {per_order!r}")
        object.__setattr__(self, "per_order", MappingProxyType(dict(self.per_order)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Made anew: a read-only dict can be neither copied deeply nor pickled.
        return Job, (self.duration, self.outcomes, dict(self.per_order))

    def of(self, order: str) -> Job:
        """How it goes for one order: as said for it, or for the nearest order that it was forked from."""
        return next((self.per_order[one] for one in (order, *ancestors(order)) if one in self.per_order), self)

    def outcome(self, attempt: int) -> str:
        """How the n-th attempt ends, from 1."""
        return self.outcomes[min(attempt, len(self.outcomes)) - 1]


_USUAL = Job()


class Jobs(Shown):
    """How jobs go, by job name; of an anonymous job the label of its instruction, or ''.

    A job that is not named takes one second and succeeds.
    """

    __slots__ = ("_jobs",)

    def __init__(self, jobs: Mapping[str, Job] | None = None) -> None:
        if jobs is not None and not isinstance(jobs, Mapping):
            raise InputError(f"Jobs: expected a dict of Jobs by name, got {jobs!r}")
        for name, job in (jobs or {}).items():
            if not isinstance(job, Job):
                raise InputError(f"Jobs {name!r}: expected a Job, got {job!r}; write Job(duration=..., outcomes=...)")
        self._jobs = dict(jobs or {})

    def __getitem__(self, name: str) -> Job:
        return self._jobs.get(name, _USUAL)

    def __iter__(self) -> Any:
        return iter(self._jobs)

    def __repr__(self) -> str:
        return f"Jobs({self._jobs!r})"


@dataclass(frozen=True, slots=True)
class Order(Shown):
    """An order that comes to a workflow, once, or (`repeats`) anew whenever it has finished.

    `at` is when it comes in a simulation; a check lets orders come at any moment and in any order.
    """

    id: str
    workflow: str
    arguments: Mapping[str, Any] | None = field(default=None, hash=False)
    priority: int = 0
    at: timedelta = timedelta(0)
    repeats: bool = False

    def __post_init__(self) -> None:
        workflow: Any = self.workflow
        if isinstance(workflow, Workflow):
            object.__setattr__(self, "workflow", workflow.path)
        for name in ("id", "workflow"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name):
                raise InputError(f"Order {name}: expected a text that is not empty, got {getattr(self, name)!r}")
        if "|" in self.id:
            raise InputError(f"Order id: '|' joins the ids of forked orders, got {self.id!r}; leave it out")
        if self.arguments is not None and not isinstance(self.arguments, Mapping):
            raise InputError(f"order '{self.id}': expected its arguments as a dict by name, got {self.arguments!r}")
        check_priority(self.id, self.priority)
        check_time(f"order '{self.id}', at", self.at)
        if not isinstance(self.repeats, bool):
            raise InputError(f"order '{self.id}': expected True or False for repeats, got {self.repeats!r}")


_NO_ARGUMENTS = freeze({})


class World(NamedTuple):
    """The items that are there, by path."""

    workflows: dict[str, Workflow]
    locks: dict[str, Lock]

    @classmethod
    def of(cls, items: Any) -> World:
        """From items, or from whatever `load` takes; raises `WorkflowFileError`."""
        found = _items(items)
        check_references(found)
        return cls(
            {item.path: item for item in found if isinstance(item, Workflow)},
            {item.path: item for item in found if isinstance(item, Lock)},
        )

    def workflow(self, path: str) -> Workflow:
        """The workflow of this name; raises `InputError` with the near names."""
        found = self.workflows.get(path)
        if found is None:
            raise InputError(f"unknown workflow {path!r}{suggest(path, sorted(self.workflows))}")
        return found

    def arguments(self, order: Order) -> Data:
        """The arguments that an order is given, with what its workflow adds; raises `InputError`."""
        given = dict(order.arguments or {})
        preparation = self.workflow(order.workflow).preparation
        if not given and preparation is None:
            return _NO_ARGUMENTS
        if preparation is not None:
            given = _prepared(order, preparation, given)
        for name in given:
            if not isinstance(name, str):
                raise InputError(f"order '{order.id}': expected names of arguments as texts, got {name!r}")
        try:
            return freeze(given)
        except ValueNotDataError as fault:
            raise InputError(f"the arguments of order '{order.id}': {fault}") from None

    def check_orders(self, orders: Iterable[Order]) -> tuple[Order, ...]:
        """The orders, all of which fit; raises `InputError`."""
        if isinstance(orders, Order):
            orders = (orders,)
        if isinstance(orders, type) or not isinstance(orders, Iterable):
            raise InputError(f"orders: expected a list of js7.Order, got {orders!r}; write [Order('O', 'WORKFLOW')]")
        found: dict[str, Order] = {}
        for one in orders:
            if not isinstance(one, Order):
                raise InputError(f"orders: expected a js7.Order, got {one!r}; write Order('O', 'WORKFLOW')")
            if one.id in found:
                raise InputError(f"the order '{one.id}' stands there twice; give one of them another id")
            found[one.id] = one
            self.arguments(one)
        return tuple(found.values())

    def check_jobs(self, jobs: Any) -> Jobs:
        """The jobs; raises `InputError` for a name that is no job's but near to one.

        A name that is near to none may be there for other workflows.
        """
        made = jobs if isinstance(jobs, Jobs) else Jobs(jobs)
        names = self.job_names()
        for name in made:
            said = suggest(name, sorted(names))
            if name not in names and "did you mean" in said:
                raise InputError(f"Jobs: no workflow has a job {name!r}{said}")
        return made

    def job_names(self) -> set[str]:
        """What `Jobs` may speak of: all that is declared or run, and labels of what is run on the spot."""
        names = set()
        for workflow in self.workflows.values():
            names |= {job.name for job in workflow.block.jobs}
            for _, instruction in workflow.walk():
                names |= {job.name for _, block in instruction.blocks for job in block.jobs}
                if isinstance(instruction, ExecuteNamed):
                    names.add(instruction.job_name)
                elif isinstance(instruction, ExecuteAnonymous):
                    names.add(instruction.label or "")
        return names


def _items(source: Any) -> tuple[Item, ...]:
    if isinstance(source, (Workflow, Lock)):
        return (source,)
    if isinstance(source, (list, tuple, set, frozenset)):
        listed = list(source)
        if any(isinstance(one, (Workflow, Lock)) for one in listed):
            return tuple(item for one in listed for item in _items(one))
        if not listed:
            raise WorkflowFileError("there is no workflow and no lock in what was given; expected at least one")
    return load(source)


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "Boolean"
    for kind, types in _TYPES.items():
        if isinstance(value, types):
            return kind
    return type(value).__name__


_TYPES: dict[str, Any] = {
    "Boolean": bool, "String": str, "Number": (int, float), "List": (list, tuple), "Object": Mapping,
}  # fmt: skip


def _prepared(order: Order, preparation: OrderPreparation, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments, each as it was declared, with defaults and final values (J115)."""
    declared = {parameter.name: parameter for parameter in preparation.parameters}
    where = f"order '{order.id}' of workflow '{order.workflow}'"
    if not preparation.allow_undeclared:
        for name in given:
            if name not in declared:
                raise InputError(f"{where}: undeclared argument {name!r}{suggest(str(name), sorted(declared))}")
    made = dict(given)
    for name, parameter in declared.items():
        if name in given:
            if parameter.final is not None:
                raise InputError(f"{where}: the argument {name!r} is final in the workflow; leave it out")
            kind = _type_of(given[name])
            if parameter.type in _TYPES and kind != parameter.type:
                raise InputError(f"{where}: expected a {parameter.type} as argument {name!r}, got {given[name]!r}")
            continue
        expression = parameter.final or parameter.default
        if expression is None:
            raise InputError(f"{where}: the argument {name!r} is missing; the workflow declares it without a default")
        value = evaluate(expression, made)
        if isinstance(value, Problem):
            raise InputError(f"{where}: the argument {name!r} has no value: {value.text}")
        made[name] = value
    return made
