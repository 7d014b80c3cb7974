"""The world around a Flow, as data: how long attempts take, what comes from outside, what may be lost.

A scenario says what is possible; which of it happens is a choice of whoever runs the machine (D-26a). What cannot
be meant is refused here, with the mend; whether it fits a Flow is told by `check_world`. No clock runs here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dexpatterns.dex.options import StartFlowOptions, StopFlowOptions
from dexpatterns.dex.step import Step
from dexpatterns.engine.looking import Shown
from dexpatterns.engine.values import NOTHING
from dexpatterns.errors import InputError

if TYPE_CHECKING:
    from dexpatterns.dex.definition import FlowSpec

__all__ = ["Anytime", "At", "Faults", "Invoke", "Scenario", "Section", "Stop", "check_world"]

Span = tuple[float, float]
"""From the shortest to the longest time that something takes, in seconds."""

_METHODS = ("execute", "wait_for")
_USUAL: dict[str, Span] = {"execute": (1.0, 1.0)}
_AT_ONCE: Span = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Invoke:
    """Someone outside calls this RPC; `input` is left out for one that takes none (D-26)."""

    rpc_name: str
    input: Any = NOTHING

    def __post_init__(self) -> None:
        if not _is_text(self.rpc_name):
            raise InputError(
                f"Invoke: expected the name of an RPC, got {self.rpc_name!r}; give the method's name as a text"
            )

    def __repr__(self) -> str:
        given = "" if self.input is NOTHING else f", {self.input!r}"
        return f"Invoke({self.rpc_name!r}{given})"


@dataclass(frozen=True, slots=True)
class Stop:
    """Someone outside stops the Flow (D-27)."""

    options: StopFlowOptions = field(default_factory=StopFlowOptions)

    def __post_init__(self) -> None:
        if not isinstance(self.options, StopFlowOptions):
            raise InputError(
                f"Stop: expected StopFlowOptions, got {self.options!r}; write Stop(StopFlowOptions(type=StopType.FAIL))"
            )


@dataclass(frozen=True, slots=True)
class At:
    """This happens once, `time` after the start; where no clock runs, at any moment. It is owed (D-26a)."""

    time: timedelta
    what: Invoke | Stop

    def __post_init__(self) -> None:
        _check_time("At", self.time)
        _check_what("At", self.what)


@dataclass(frozen=True, slots=True)
class Anytime:
    """This happens at any moment, at most `times`; if `owed`, surely that often (D-26a)."""

    what: Invoke | Stop
    times: int = 1
    owed: bool = False

    def __post_init__(self) -> None:
        _check_what("Anytime", self.what)
        if type(self.times) is not int or self.times < 1:
            raise InputError(
                f"Anytime times: expected a whole number of 1 or more, got {self.times!r}; leave the event out for none"
            )
        if not isinstance(self.owed, bool):
            raise InputError(f"Anytime owed: expected True or False, got {self.owed!r}; True makes it surely happen")


Duration = timedelta | tuple[timedelta, timedelta] | Callable[[Any, int], timedelta]
"""A time, the shortest and the longest, or a function of (input, attempt)."""


@dataclass(frozen=True, slots=True)
class Scenario(Shown):
    """How long attempts take in the simulator, what comes from outside, and how the Flow is started.

    A duration is that of one `execute` attempt of the Step class it stands under (one second if nothing is
    said); under `(Step, "wait_for")` it is that of a `wait_for` attempt, which else takes none, as RPCs do.
    """

    durations: Mapping[Any, Duration] = field(default_factory=dict, hash=False)
    events: Sequence[At | Anytime] = ()
    """Kept as a tuple."""
    options: StartFlowOptions = field(default_factory=StartFlowOptions)
    _spans: Mapping[tuple[type[Step[Any]], str], Span | Callable[[Any, int], timedelta]] = field(
        init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        put = object.__setattr__
        durations: Any = self.durations
        if not isinstance(durations, Mapping):
            raise InputError(f"Scenario durations: expected a dict, got {durations!r}; write {{StepClass: timedelta}}")
        put(self, "durations", MappingProxyType(dict(durations)))
        put(self, "_spans", {_call(key): _span(key, value) for key, value in durations.items()})
        events: Any = self.events
        if isinstance(events, (At, Anytime)) or not isinstance(events, Iterable):
            raise InputError(f"Scenario events: expected a list, got {events!r}; write events=[At(...), Anytime(...)]")
        put(self, "events", tuple(events))
        for event in self.events:
            if not isinstance(event, (At, Anytime)):
                raise InputError(f"Scenario events: expected At or Anytime, got {event!r}; say when it may happen")
        if not isinstance(self.options, StartFlowOptions):
            raise InputError(
                f"Scenario options: expected StartFlowOptions, got {self.options!r}; leave them out for none"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        # Made anew: a read-only dict can be neither copied deeply nor pickled.
        return Scenario, (dict(self.durations), self.events, self.options)

    def asks(self, step: type[Step[Any]], method: str) -> bool:
        """Whether the duration of this method depends on the input or the attempt."""
        return callable(self._spans.get((step, method)))

    def duration(self, step: type[Step[Any]], method: str, input: Any, attempt: int) -> Span:
        """The shortest and longest time of this attempt, in seconds; `input` is the live value.

        Raises `InputError` when a function of the scenario gives no time.
        """
        span = self._spans.get((step, method))
        if span is None:
            return _USUAL.get(method, _AT_ONCE)
        if isinstance(span, tuple):
            return span
        where = f"Scenario duration of {step.__name__}.{method}"
        try:
            time = span(input, attempt)
        except Exception as raised:  # the function is the scenario's, and whatever it raises is told as its fault
            raise InputError(
                f"{where}: the function raised {type(raised).__name__}: {raised}; expected a timedelta for "
                f"attempt {attempt}"
            ) from raised
        _check_time(where, time)
        return (time.total_seconds(),) * 2


@dataclass(frozen=True, slots=True)
class Faults(Shown):
    """How many attempts may be lost with their worker, or given up while their code runs on (D-10).

    `steps` are the Step classes that may be hit, kept as a tuple; None is all of them.
    """

    lost_attempts: int = 0
    late_attempts: int = 0
    steps: Sequence[type[Step[Any]]] | None = None

    def __post_init__(self) -> None:
        for name in ("lost_attempts", "late_attempts"):
            count = getattr(self, name)
            if type(count) is not int or count < 0:
                raise InputError(
                    f"Faults {name}: expected a whole number, zero or more, got {count!r}; it is the budget of one run"
                )
        if self.steps is None:
            return
        steps: Any = self.steps
        if isinstance(steps, (str, type)) or not isinstance(steps, Iterable):
            raise InputError(
                f"Faults steps: expected a list of Step classes, got {steps!r}; write steps=[EditContract]"
            )
        classes = tuple(steps)
        if not classes:
            raise InputError("Faults steps: expected Step classes, got none; leave it out to mean every Step")
        for cls in classes:
            if not _is_step(cls):
                raise InputError(f"Faults steps: expected a Step class, got {cls!r}; name the class itself")
        object.__setattr__(self, "steps", classes)


@dataclass(frozen=True, slots=True, init=False)
class Section(Shown):
    """The protected Steps: `Section(EditContract, SaveContractEdit)`; classes, or Step type names.

    `label` names a branch by the input of its entry; None leaves it to Step name and lineage.
    """

    steps: tuple[str, ...]
    name: str
    label: Callable[[Any], str] | None = field(repr=False)

    def __init__(
        self, *steps: type[Step[Any]] | str, name: str | None = None, label: Callable[[Any], str] | None = None
    ) -> None:
        if not steps:
            raise InputError("Section: expected the protected Steps, got none; write Section(FirstStep, LastStep)")
        names = tuple(map(_step_name, steps))
        if twice := [step for step in names if names.count(step) > 1]:
            raise InputError(f"Section: {twice[0]!r} is given twice; name every protected Step once")
        if name is not None and not _is_text(name):
            raise InputError(
                f"Section name: expected a text that is not empty, got {name!r}; leave it out for the usual one"
            )
        if label is not None and not callable(label):
            raise InputError(
                f"Section label: expected a function of the input, got {label!r}; write label=lambda e: e.id"
            )
        usual = names[0] if len(names) == 1 else f"{names[0]}..{names[-1]}"
        object.__setattr__(self, "steps", names)
        object.__setattr__(self, "name", usual if name is None else name)
        object.__setattr__(self, "label", label)


def check_world(
    spec: FlowSpec, scenario: Scenario | None = None, faults: Faults | None = None, sections: Iterable[Section] = ()
) -> None:
    """Refuse what names a Step or an RPC that the Flow does not have; raises `InputError`.

    It would change nothing, and the person who wrote it believes that it does.
    """
    for name, given, kind in (("scenario", scenario, Scenario), ("faults", faults, Faults)):
        if given is not None and not isinstance(given, kind):
            raise InputError(f"{name}: expected {kind.__name__}(...), got {given!r}; leave it out for none")
    scenario, faults = scenario or Scenario(), faults or Faults()
    for key in scenario.durations:
        _check_registered(spec, "Scenario durations", _call(key)[0])
    for cls in faults.steps or ():
        _check_registered(spec, "Faults steps", cls)
    for section in sections:
        for name in section.steps:
            if name not in spec.by_name:
                raise InputError(
                    f"Section {section.name!r}: Flow {spec.name!r} has no Step {name!r}; "
                    f"expected one of {sorted(spec.by_name)}"
                )
    for event in scenario.events:
        if isinstance(event.what, Invoke):
            _check_invoke(spec, event.what)


def _check_invoke(spec: FlowSpec, invoke: Invoke) -> None:
    from dexpatterns.dex.definition import check_value

    where = f"Invoke {invoke.rpc_name!r}"
    rpc = spec.rpcs.get(invoke.rpc_name)
    if rpc is None:
        known = f"expected one of {sorted(spec.rpcs)}" if spec.rpcs else "it has none; mark a method with @rpc"
        raise InputError(f"{where}: Flow {spec.name!r} has no such RPC; {known}")
    given = invoke.input is not NOTHING
    if given != rpc.takes_input:
        what = "it takes no input, leave it out" if given else f"it takes an input, write Invoke({rpc.name!r}, input)"
        raise InputError(f"{where}: {what}")
    if given and (fault := check_value(rpc.input_type, invoke.input)):
        raise InputError(f"{where}: {fault}; pass what the RPC is annotated with")


def _check_registered(spec: FlowSpec, where: str, cls: type[Step[Any]]) -> None:
    if cls not in spec.by_class:
        known = sorted(step.cls.__name__ for step in spec.steps)
        raise InputError(f"{where}: Flow {spec.name!r} has no Step {cls.__name__!r}; expected one of {known}")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_step(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Step)


def _call(key: Any) -> tuple[type[Step[Any]], str]:
    """The Step class and method that a duration stands under."""
    cls, method = key if isinstance(key, tuple) and len(key) == 2 else (key, "execute")
    if not _is_step(cls) or method not in _METHODS:
        raise InputError(
            f'Scenario durations: expected a Step class or (StepClass, "wait_for"), got {key!r}; name the class itself'
        )
    return cls, method


def _span(key: Any, value: Any) -> Span | Callable[[Any, int], timedelta]:
    cls, method = _call(key)
    where = f"Scenario duration of {cls.__name__}.{method}"
    if callable(value):
        made: Callable[[Any, int], timedelta] = value
        return made
    if isinstance(value, tuple) and len(value) == 2:
        low, high = value
        _check_time(where, low)
        _check_time(where, high)
        if low > high:
            raise InputError(f"{where}: expected (low, high), got ({low}, {high}); the shortest time comes first")
        return low.total_seconds(), high.total_seconds()
    _check_time(where, value)
    return (value.total_seconds(),) * 2


def _check_time(where: str, time: object) -> None:
    if not isinstance(time, timedelta):
        raise InputError(f"{where}: expected a timedelta, got {time!r}; write timedelta(seconds=...)")
    if time < timedelta(0):
        raise InputError(f"{where}: expected zero or more, got {time}; time only goes on")


def _check_what(where: str, what: object) -> None:
    if not isinstance(what, (Invoke, Stop)):
        raise InputError(
            f"{where}: expected Invoke or Stop, got {what!r}; write {where}(..., Invoke('rpc_name', input))"
        )


def _step_name(step: Any) -> str:
    if isinstance(step, str) and step:
        return step
    if not _is_step(step) or step is Step:
        raise InputError(f"Section: expected a Step class or a Step's name, got {step!r}; name the protected Steps")
    if step.get_step_type is Step.get_step_type:
        return str(step.__name__)
    try:
        # The name is a method's answer, and a class alone has no instance yet: most answers need none.
        return str(step.get_step_type(object.__new__(step)))
    except Exception as raised:
        raise InputError(
            f"Section: the name of Step {step.__name__!r} depends on its instance; give the name itself"
        ) from raised
