"""A Flow broken as defined is refused when it is built, naming Flow, part and mend (D-5); a sound one becomes a spec.

`compile_flow` asks the Flow and its Steps everything once and reads their handlers' source (`sources`); after that
nobody asks an author's class what it is. No handler runs here, and nothing is kept between two calls.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any, NoReturn, TypeVar, get_args, get_origin

from dexpatterns.dex.attribute import Attribute, AttributeLock, AttributeMap
from dexpatterns.dex.channel import Channel, ChannelMap, check_name, check_value, never_fits, shown, type_text
from dexpatterns.dex.flow import Flow, PersistenceSchema, StepList
from dexpatterns.dex.options import FlowTimeoutPolicy, StartFlowOptions, StepOptions
from dexpatterns.dex.real_names import NotModelledError, explain
from dexpatterns.dex.rpc import mark_of
from dexpatterns.dex.sources import NOT_LITERAL, HandlerEdges, Reading, closure_of, read_handler
from dexpatterns.dex.step import Step
from dexpatterns.errors import FlowDefinitionError, InvalidStepResultError

__all__ = [
    "FlowSpec", "RpcSpec", "StepSpec", "check_value", "compile_flow", "options_fault", "timeout_policy",
]  # fmt: skip

AnyChannel = Channel[Any] | ChannelMap[Any]
AnyAttribute = Attribute[Any] | AttributeMap[Any]
_STRICTER = "this is stricter than Dex, which finds it only when it runs"


@dataclass(frozen=True, slots=True, eq=False)
class StepSpec:
    """A Step as its Flow registers it. `input_type` is `Any` where no annotation tells it."""

    name: str
    cls: type[Step[Any]]
    step: Step[Any]
    index: int
    has_wait: bool
    options: StepOptions
    input_type: Any
    wait_for: Callable[..., Any]
    execute: Callable[..., Any]


@dataclass(frozen=True, slots=True, eq=False)
class RpcSpec:
    """An RPC of a Flow; `locks` are entries, sorted."""

    name: str
    index: int
    method: Callable[..., Any]
    takes_input: bool
    input_type: Any
    locks: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FlowSpec:
    """A Flow that fits together: everything that a machine asks of its definition."""

    name: str
    flow: Flow[Any]
    steps: tuple[StepSpec, ...]
    by_class: dict[type[Any], StepSpec]
    by_name: dict[str, StepSpec]
    start: StepSpec | None
    channels: dict[str, AnyChannel]
    attributes: dict[str, AnyAttribute]
    rpcs: dict[str, RpcSpec]
    handle_timeout: Callable[..., Any] | None
    routes: tuple[HandlerEdges, ...]
    """What the handlers' source shows: an element for each handler, in the order of Steps, RPCs, timeout handler."""

    def is_map(self, definition: AnyChannel | AnyAttribute) -> bool:
        """Whether the definition is a family with keys."""
        return isinstance(definition, (ChannelMap, AttributeMap))


def compile_flow(flow: Flow[Any] | type[Flow[Any]]) -> FlowSpec:
    """Build the spec of a Flow, given as an instance or as a class without constructor arguments.

    Raises `FlowDefinitionError` for what D-5 names, as far as the definitions and the handlers' source show it.
    """
    flow = _instance(flow)
    name = _named(f"Flow {type(flow).__name__!r}", "get_flow_type()", flow.get_flow_type)
    where = f"Flow {name!r}"
    listed = _asked(where, "get_steps()", flow.get_steps, StepList)
    steps = _steps(where, listed)
    channels, attributes = _schema(
        where, _asked(where, "get_persistence_schema()", flow.get_persistence_schema, PersistenceSchema)
    )
    handler = None if type(flow).handle_timeout is Flow.handle_timeout else flow.handle_timeout
    rpcs = _rpcs(where, flow)
    handlers: list[tuple[str, str, str, Callable[..., Any]]] = []
    for step in steps:
        methods = ("wait_for", "execute") if step.has_wait else ("execute",)
        handlers += [(step.name, method, f"Step {step.name!r} {method}", getattr(step, method)) for method in methods]
    handlers += [(rpc.name, "rpc", f"RPC {rpc.name!r}", rpc.method) for rpc in rpcs]
    if handler is not None:
        _check_signature(f"{where}: handle_timeout", handler, ("context",))
        handlers.append(("handle_timeout", "handle_timeout", "handle_timeout", handler))
    readings = [(what, read_handler(owner, method, function)) for owner, method, what, function in handlers]
    spec = FlowSpec(
        name=name,
        flow=flow,
        steps=steps,
        by_class={step.cls: step for step in steps},
        by_name={step.name: step for step in steps},
        start=steps[0] if listed.start is not None else None,
        channels=channels,
        attributes=attributes,
        rpcs={rpc.name: rpc for rpc in rpcs},
        handle_timeout=handler,
        routes=tuple(reading.edges for _, reading in readings),
    )
    for step in steps:
        if fault := options_fault(spec, step.options, step.input_type):
            raise FlowDefinitionError(f"{where}: Step {step.name!r}: {fault}")
    for rpc in rpcs:
        mark = mark_of(rpc.method)
        for lock in mark.lock_attributes if mark else ():
            if fault := _lock_fault(spec, lock):
                raise FlowDefinitionError(f"{where}: RPC {rpc.name!r}: {fault}")
    for what, reading in readings:
        _check_reading(spec, f"{where}: {what}", reading)
    return spec


def timeout_policy(spec: FlowSpec, options: StartFlowOptions) -> FlowTimeoutPolicy | None:
    """What follows the Flow's timeout, or None when it has none (D-27).

    Raises `FlowDefinitionError` for a HANDLER policy without a `handle_timeout` (D-5).
    """
    policy = options.timeout_policy
    if policy is FlowTimeoutPolicy.HANDLER and spec.handle_timeout is None:
        raise FlowDefinitionError(
            f"Flow {spec.name!r}: the timeout policy is HANDLER, expected a handle_timeout, got none; "
            "override handle_timeout(self, context: Context) -> StepDecision, or choose FAIL or CANCEL"
        )
    if options.timeout is None:
        return None
    return policy or (FlowTimeoutPolicy.FAIL if spec.handle_timeout is None else FlowTimeoutPolicy.HANDLER)


def options_fault(spec: FlowSpec, options: StepOptions, input_type: Any = Any) -> str | None:
    """Why these options do not fit the Flow: a route or a lock that it does not register (D-5); None if they do.

    `input_type` is that of the Step they belong to: its route gets the same input (D-12).
    """
    for lock in (*options.wait_for_lock_attributes, *options.execute_lock_attributes):
        if fault := _lock_fault(spec, lock):
            return fault
    if options.execute_failure_route is None:
        return None
    cls, route_options = options.execute_failure_route
    target = spec.by_class.get(cls)
    if target is None:
        return f"its failure route goes to {_unregistered(spec, cls)}; {_STRICTER}"
    if never_fits(target.input_type, input_type):
        return (
            f"its failure route hands its input on to Step {target.name!r}: expected {type_text(target.input_type)}, "
            f"got {type_text(input_type)}; let both take the same input (D-12)"
        )
    return options_fault(spec, route_options, input_type) if route_options is not None else None


# What the Flow says of itself.


def _instance(flow: Any) -> Flow[Any]:
    if isinstance(flow, Flow):
        return flow
    if not (isinstance(flow, type) and issubclass(flow, Flow)):
        raise FlowDefinitionError(
            f"expected a Flow, got {flow!r}; pass an instance of a class that derives from Flow, or the class itself"
        )
    try:
        return flow()
    except Exception as raised:
        raise FlowDefinitionError(
            f"Flow {flow.__name__!r}: the class could not be built without arguments "
            f"({type(raised).__name__}: {raised}); pass an instance instead"
        ) from raised


def _asked(where: str, hook: str, ask: Callable[[], Any], expected: type[Any]) -> Any:
    """The answer of an author's hook; whatever goes wrong in it is a fault of the definition."""
    try:
        answer = ask()
    except NotModelledError:
        raise
    except (FlowDefinitionError, InvalidStepResultError) as fault:
        raise FlowDefinitionError(f"{where}: {hook}: {fault}") from fault
    except Exception as raised:
        said = explain(raised)
        raise FlowDefinitionError(
            f"{where}: {hook}: {said}"
            if said
            else f"{where}: {hook} raised {type(raised).__name__}: {raised}; it must answer without a Flow execution"
        ) from raised
    if not isinstance(answer, expected):
        raise FlowDefinitionError(f"{where}: {hook}: expected a {expected.__name__}, got {shown(answer)}; return one")
    return answer


def _named(where: str, hook: str, ask: Callable[[], str]) -> str:
    name = str(_asked(where, hook, ask, str))
    try:
        return check_name(where, name)
    except FlowDefinitionError as fault:
        raise FlowDefinitionError(f"{where}: {hook}: {fault}") from None


def _schema(where: str, schema: PersistenceSchema) -> tuple[dict[str, AnyChannel], dict[str, AnyAttribute]]:
    channels: dict[str, AnyChannel] = {}
    attributes: dict[str, AnyAttribute] = {}
    for definition in schema.definitions:
        table: dict[str, Any] = channels if isinstance(definition, (Channel, ChannelMap)) else attributes
        if definition.name in table:
            raise FlowDefinitionError(
                f"{where}: PersistenceSchema: two definitions are named {definition.name!r}, "
                f"{table[definition.name]!r} and {definition!r}; list it once, or give one another name"
            )
        table[definition.name] = definition
    return channels, attributes


def _steps(where: str, listed: StepList[Any]) -> tuple[StepSpec, ...]:
    specs: list[StepSpec] = []
    for step in listed.all:
        cls = type(step)
        name = _named(f"{where}: Step {cls.__name__!r}", "get_step_type()", step.get_step_type)
        for other in specs:
            same = "class" if other.cls is cls else "type" if other.name == name else ""
            if same:
                raise FlowDefinitionError(
                    f"{where}: the Step {same} {cls.__name__ if other.cls is cls else name!r} is registered twice, "
                    "expected once; list one instance of a Step class, and give each Step its own get_step_type()"
                )
        specs.append(_step(f"{where}: Step {name!r}", name, step, len(specs)))
    return tuple(specs)


def _step(where: str, name: str, step: Step[Any], index: int) -> StepSpec:
    cls = type(step)
    if cls.execute is Step.execute:
        raise FlowDefinitionError(
            f"{where}: expected an execute, got none; "
            "override execute(self, context: Context, input: T) -> StepDecision"
        )
    has_wait = cls.wait_for is not Step.wait_for
    _check_signature(f"{where} execute", step.execute, ("context", "input"))
    if has_wait:
        _check_signature(f"{where} wait_for", step.wait_for, ("context", "input"))

    def options() -> Any:
        given = step.get_step_options()
        return StepOptions() if given is None else given

    return StepSpec(
        name=name,
        cls=cls,
        step=step,
        index=index,
        has_wait=has_wait,
        options=_asked(where, "get_step_options()", options, StepOptions),
        input_type=_input_type(step),
        wait_for=step.wait_for,
        execute=step.execute,
    )


def _rpcs(where: str, flow: Flow[Any]) -> tuple[RpcSpec, ...]:
    """The methods with a mark, those of base classes first, in the order in which they are written."""
    names = dict.fromkeys(name for cls in reversed(type(flow).__mro__) for name in vars(cls))
    specs: list[RpcSpec] = []
    for name in names:
        mark = mark_of(inspect.getattr_static(type(flow), name))
        if mark is None:
            continue
        method = getattr(flow, name)
        takes_input = len(_parameters(method)) > 1
        _check_signature(f"{where}: RPC {name!r}", method, ("context", "input") if takes_input else ("context",))
        locks = tuple(sorted({lock.entry for lock in mark.lock_attributes}))
        kind = _annotated_input(method) if takes_input else NoneType
        called = mark.name or name
        if any(spec.name == called for spec in specs):
            raise FlowDefinitionError(f"{where}: two RPCs are named {called!r}, expected different names; rename one")
        specs.append(RpcSpec(called, len(specs), method, takes_input, kind, locks))
    return tuple(specs)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except ValueError:  # a builtin that does not say what it takes
        return []


def _check_signature(where: str, function: Callable[..., Any], expected: tuple[str, ...]) -> None:
    """Refuse a handler that cannot be called with these arguments, or is not annotated in full (D-5)."""
    example = f"(self, {', '.join(expected)})"
    if not callable(function):
        raise FlowDefinitionError(f"{where}: expected a method {example}, got {shown(function)}; write it as a def")
    parameters = _parameters(function)
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if len(parameters) != len(expected) or any(p.kind not in by_position for p in parameters):
        got = ", ".join(("self", *map(str, (p.name for p in parameters))))
        raise FlowDefinitionError(f"{where}: expected the parameters {example}, got ({got}); take exactly these")
    bare = [p.name for p in parameters if p.annotation is p.empty]
    if inspect.signature(function).return_annotation is inspect.Signature.empty:
        bare.append("the result")
    if bare:
        raise FlowDefinitionError(
            f"{where}: expected annotations on everything, got none on {' and '.join(bare)}; "
            "annotate the handler in full, such as (self, context: Context, input: str) -> StepDecision"
        )


def _input_type(step: Step[Any]) -> Any:
    """The type that `Step[...]` names, else the one that `execute` is annotated with, else `Any`."""
    for cls in type(step).__mro__:
        for base in vars(cls).get("__orig_bases__", ()):
            if get_origin(base) is Step:
                (named,) = get_args(base)
                if not isinstance(named, (str, TypeVar)) and type(named).__name__ != "ForwardRef":
                    return NoneType if named is None else named
    return _annotated_input(step.execute)


def _annotated_input(function: Callable[..., Any]) -> Any:
    annotation = _parameters(function)[-1].annotation
    if isinstance(annotation, str):
        plain = inspect.unwrap(getattr(function, "__func__", function))
        try:
            # Evaluated as `typing.get_type_hints` does, but alone: another annotation may name what only a type
            # checker imports.
            annotation = eval(annotation, dict(plain.__globals__), closure_of(plain))  # noqa: S307
        except Exception:  # noqa: BLE001  # a name that only a type checker sees says nothing here
            return Any
    if isinstance(annotation, (str, TypeVar)):
        return Any
    return NoneType if annotation is None else annotation


# What the parts say of each other.


def _lock_fault(spec: FlowSpec, lock: AttributeLock) -> str | None:
    if spec.attributes.get(lock.definition.name) == lock.definition:
        return None
    return f"it locks {_stranger(spec.attributes, lock.definition)}; add it to PersistenceSchema.of(...); {_STRICTER}"


def _stranger(table: Mapping[str, Any], definition: Any) -> str:
    kind = type(definition).__name__
    other = table.get(definition.name)
    if other is not None:
        return f"{definition!r}, expected {other!r}, which the persistence schema lists by that name"
    return f"{kind} {definition.name!r}, which is not in the persistence schema, expected one of {sorted(table)}"


def _unregistered(spec: FlowSpec, cls: type[Any]) -> str:
    known = sorted(step.cls.__name__ for step in spec.steps)
    return (
        f"Step {cls.__name__!r}, which is not registered, expected one of {known}; "
        f"add {cls.__name__}() to the StepList of get_steps()"
    )


def _check_reading(spec: FlowSpec, where: str, reading: Reading) -> None:
    """Hold what a handler's source shows against what the Flow registers."""

    def refuse(line: int, text: str) -> NoReturn:
        place = f" ({reading.file}, line {line})" if reading.file else ""
        raise FlowDefinitionError(f"{where}{place}: {text}")

    for fault in reading.faults:
        refuse(fault.line, fault.text)
    for target in reading.targets:
        registered = spec.by_class.get(target.step)
        if registered is None:
            # Whom to cancel is judged when the decision is saved (D-22).
            if not target.kind.startswith("cancel"):
                refuse(target.line, f"it goes to {_unregistered(spec, target.step)}; {_STRICTER}")
        elif target.input is not NOT_LITERAL and (fault_text := check_value(registered.input_type, target.input)):
            refuse(target.line, f"the input of Step {registered.name!r}: {fault_text}")
    for use in reading.uses:
        of_channels = isinstance(use.definition, (Channel, ChannelMap))
        table: Mapping[str, Any] = spec.channels if of_channels else spec.attributes
        if table.get(use.definition.name) != use.definition:
            refuse(use.line, f"it uses {_stranger(table, use.definition)}; add it to PersistenceSchema.of(...)")
        if use.value is not NOT_LITERAL and (fault_text := check_value(use.definition.value_type, use.value)):
            refuse(use.line, f"{type(use.definition).__name__} {use.definition.name!r}: {fault_text}")
