"""What a handler's source shows: where it goes, what it publishes, waits for, reads and writes.

Nothing is run. Names are followed through the handler's globals, closure, `self` and class attributes, and into
helper functions that get its Context or make its decision. What cannot be read so is never guessed: the result
says `complete=False`. Dead code counts as code. This module knows no Flow; `definition` holds what is found against
one (D-5), and the graph draws it.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dexpatterns.dex import decision
from dexpatterns.dex.channel import Channel, ChannelMap, Definition, KeyedDefinition
from dexpatterns.dex.decision import RPCResult, StepMovement
from dexpatterns.dex.step import Step
from dexpatterns.dex.wait import ConditionCombination, Timer, Wait
from dexpatterns.errors import InvalidStepResultError

__all__ = ["NOT_LITERAL", "Fault", "HandlerEdges", "Reading", "Target", "Use", "closure_of", "read_handler"]


NOT_LITERAL: Any = object()
"""Stands where the source shows no constant."""
_UNKNOWN: Any = object()
_CONTEXT: Any = object()


@dataclass(frozen=True, slots=True)
class HandlerEdges:
    """What one handler's source shows. Channels and Attributes are named by their definitions, in source order."""

    step: str
    """The Step's or RPC's name; 'handle_timeout' for the timeout handler."""
    method: str
    """'wait_for', 'execute', 'rpc' or 'handle_timeout'."""
    goes_to: tuple[tuple[type[Step[Any]], str], ...] = ()
    """(Step class, kind): 'go_to', 'go_to_many', 'fallback', 'rpc', 'route', 'cancel' or 'cancel_sibling'."""
    publishes: tuple[str, ...] = ()
    consumes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    """Attributes, and `size of NAME` for the size of a Channel."""
    writes: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    complete: bool = True
    """False when a part could not be read: there may be more than is shown."""


class Target(NamedTuple):
    """A Step class named by a decision, with its input if that is a constant."""

    step: type[Step[Any]]
    kind: str
    line: int
    input: Any


class Use(NamedTuple):
    """A Channel or Attribute that is used, with the value that is published or set if that is a constant."""

    definition: Definition[Any]
    verb: str
    line: int
    value: Any


class Fault(NamedTuple):
    """A call that is refused whenever it is made."""

    line: int
    text: str


@dataclass(slots=True)
class Reading:
    """Everything that was found in one handler."""

    edges: HandlerEdges
    file: str = ""
    targets: list[Target] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def read_handler(step: str, method: str, handler: Callable[..., Any]) -> Reading:
    """Read a bound handler of this Step (or RPC); where its source is not at hand, the result is not complete."""
    reading = Reading(HandlerEdges(step, method))
    reader = _Reader(reading, "rpc" if method == "rpc" else "go_to_many")
    try:
        reader.enter(handler, [_CONTEXT], {}, decides=True)
    except RecursionError:  # an expression of thousands of parts
        reader.complete = False

    def named(*verbs: str) -> tuple[str, ...]:
        uses = (use for use in reading.uses if use.verb in verbs)
        return tuple(dict.fromkeys("size of " * (use.verb == "size") + use.definition.name for use in uses))

    reading.edges = HandlerEdges(
        step,
        method,
        goes_to=tuple(dict.fromkeys((target.step, target.kind) for target in reading.targets)),
        publishes=named("publish"),
        consumes=named(*_WAITS),
        reads=named("get", "size"),
        writes=named("set", "delete"),
        decisions=tuple(dict.fromkeys(reader.decisions)),
        complete=reader.complete,
    )
    return reading


def closure_of(function: types.FunctionType) -> dict[str, Any]:
    """The names that a function takes from around it, as far as they have values by now."""
    values = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            values[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return values


_WAITS = ("for_one", "for_n", "at_least", "at_most", "for_range")

# By identity, since what a name stands for need not be hashable.
_DECISIONS: dict[int, str] = {
    id(getattr(decision, name)): name
    for name in (
        "go_to", "go_to_many", "dead_end", "graceful_complete", "force_complete",
        "force_complete_if_channels_empty", "force_fail",
    )
}  # fmt: skip
_COPIES = {
    "with_canceling_steps": "cancel",
    "with_canceling_sibling_steps": "cancel_sibling",
    "on_execute_failure_proceed_to": "route",
}
"""Methods that give a longer copy of what they are called on, and how the Steps they name are meant."""
_WITHOUT_PARTS = frozenset(map(id, (StepMovement.of, Timer.by_duration, Wait.skip_immediately)))
_OF_PARTS = frozenset(map(id, (
    Wait.until, Wait.all_of, Wait.any_of, Wait.any_combination_of, ConditionCombination.of,
    list, tuple, set, sorted, reversed,
)))  # fmt: skip
"""What gives a whole of its arguments: known when they are."""
_MOST_FUNCTIONS = 200
_NO_MOVEMENT = "go_to_many() has no movement, expected one or more; name one, or use dead_end()"


class _Scope(NamedTuple):
    """One function body that is being read."""

    code: types.CodeType
    globals: dict[str, Any]
    body: list[ast.stmt]
    first_line: int
    names: dict[str, Any]
    """What the names that are not global stand for: parameters, the closure; other locals are unknown."""
    assigned: dict[str, list[ast.expr | None]]
    """Everything that the body assigns to its locals; None where it is no plain expression."""
    grown: dict[str, list[ast.expr]]
    """What the body appends to its locals."""

    def line(self, node: ast.expr) -> int:
        return self.first_line + node.lineno - 1


class _Reader:
    """Walks a handler and the helpers it hands its Context to, and notes what it finds in a `Reading`."""

    def __init__(self, reading: Reading, movement_kind: str) -> None:
        self.reading = reading
        self.movement_kind = movement_kind
        self.decisions: list[str] = []
        self.complete = True
        self.fallbacks: set[int] = set()
        self.entered: dict[Any, Any] = {}

    def enter(self, callee: Any, given: list[Any], by_name: dict[str, Any], *, decides: bool) -> None:
        """Read a function that is called with these values; `decides` when its result is part of the decision."""
        scope = self._scope(callee, given, by_name)
        if scope is None or len(self.entered) >= _MOST_FUNCTIONS:
            self.complete = False
            return
        bound = tuple((name, id(value)) for name, value in scope.names.items())
        if (scope.code, bound, False) not in self.entered:
            # The values are kept with the key, so that no id is used twice while they matter.
            self.entered[scope.code, bound, False] = scope
            self._walk(scope)
        if decides and (scope.code, bound, True) not in self.entered:
            self.entered[scope.code, bound, True] = scope
            for node in _nodes(scope.body, inner=False):
                if isinstance(node, ast.Return) and node.value is not None and not self._known(node.value, scope):
                    self.complete = False

    def _scope(self, callee: Any, given: list[Any], by_name: dict[str, Any]) -> _Scope | None:
        """The scope of a call, or None when the source is not at hand or is not that of a plain function."""
        if isinstance(callee, types.MethodType):
            callee, given = callee.__func__, [callee.__self__, *given]
        function: Any = inspect.unwrap(callee)
        if not isinstance(function, types.FunctionType):
            return None
        try:
            lines, first_line = inspect.getsourcelines(function)
            node = ast.parse(textwrap.dedent("".join(lines))).body[0]
            self.reading.file = self.reading.file or inspect.getsourcefile(function) or ""
        except (OSError, TypeError, SyntaxError, IndexError):
            return None
        # A file that was changed after it was imported shows another function in these lines.
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.name != function.__name__:
            return None
        parameters = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        assigned, grown = _assignments([node.args, *node.body])
        names = closure_of(function) | dict.fromkeys(assigned, _UNKNOWN)
        for name, value in (*zip(parameters, given, strict=False), *by_name.items()):
            # A parameter that the body assigns to has more values than the one handed in.
            if assigned.get(name) == [None]:
                names[name] = value
            elif value is _CONTEXT:
                self.complete = False
        return _Scope(function.__code__, function.__globals__, node.body, first_line, names, assigned, grown)

    # Walking: every call is looked at once, wherever it stands; a parent comes before its parts.

    def _walk(self, scope: _Scope) -> None:
        followed: set[int] = set()
        for node in _nodes(scope.body):
            if isinstance(node, ast.Call):
                self._call(node, scope)
                followed.update(id(part) for part in _arguments(node))
            elif isinstance(node, ast.Attribute):
                followed.add(id(node.value))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in followed:
                # The Context goes where it is not followed: into a variable, a list, an attribute.
                self.complete = self.complete and self._value(node, scope) is not _CONTEXT

    def _call(self, node: ast.Call, scope: _Scope) -> None:
        function = self._value(node.func, scope)
        if (kind := _DECISIONS.get(id(function))) is not None:
            self._decision(kind, node, scope)
        elif function is StepMovement.of:
            kind = "fallback" if id(node) in self.fallbacks else self.movement_kind
            self._target(_argument(node, 0, "step"), _argument(node, 1, "input"), kind, scope)
        elif isinstance(owner := getattr(function, "__self__", None), Definition):
            self._use(owner, function.__name__, node, scope)
        elif isinstance(node.func, ast.Attribute) and (copy := _COPIES.get(node.func.attr)) is not None:
            for step in node.args[:1] if copy == "route" else node.args:
                self._target(step, None, copy, scope)
        elif any(self._value(part, scope) is _CONTEXT for part in _arguments(node)):
            self._follow(function, node, scope, decides=False)

    def _follow(self, function: Any, node: ast.Call, scope: _Scope, *, decides: bool) -> None:
        """Read the function that is called; where there is none to read, the reading is not complete."""
        plain = isinstance(function, (types.FunctionType, types.MethodType))
        if not plain or function.__module__.startswith("dexpatterns.") or _spread(node):
            self.complete = False
            return
        given = [self._value(part, scope) for part in node.args]
        by_name = {k.arg: self._value(k.value, scope) for k in node.keywords if k.arg is not None}
        self.enter(function, given, by_name, decides=decides)

    def _decision(self, kind: str, node: ast.Call, scope: _Scope) -> None:
        self.decisions.append(kind)
        if kind == "go_to":
            self._target(_argument(node, 0, "step"), _argument(node, 1, "input"), kind, scope)
        elif kind == "go_to_many" and not _arguments(node):
            self.reading.faults.append(Fault(scope.line(node), _NO_MOVEMENT))
        elif kind == "force_complete_if_channels_empty":
            self.fallbacks.add(id(_argument(node, 1, "fallback_movement")))
            for part in node.args[2:]:
                channel = self._value(part, scope)
                if isinstance(channel, (Channel, ChannelMap)):
                    self.reading.uses.append(Use(channel, kind, scope.line(node), NOT_LITERAL))
                else:
                    self.complete = False

    def _target(self, step: ast.expr | None, input: ast.expr | None, kind: str, scope: _Scope) -> None:
        found = _UNKNOWN if step is None else self._value(step, scope)
        cls = type(found) if isinstance(found, Step) else found
        if step is not None and isinstance(cls, type) and issubclass(cls, Step):
            self.reading.targets.append(Target(cls, kind, scope.line(step), _literal(input)))
        else:
            self.complete = False

    def _use(self, definition: Definition[Any], verb: str, node: ast.Call, scope: _Scope) -> None:
        first = 0 if verb in (*_WAITS, "lock") else 1  # the Context comes before everything else
        keyed = isinstance(definition, KeyedDefinition)
        value = _literal(_argument(node, first + keyed, "value")) if verb in ("publish", "set") else NOT_LITERAL
        self.reading.uses.append(Use(definition, verb, scope.line(node), value))
        literals = [_literal(part) for part in node.args]
        by_name = {k.arg or "**": _literal(k.value) for k in node.keywords}
        key = _literal(_argument(node, first, "key"))
        try:
            # What is refused for its constants alone is refused whenever the line runs.
            if verb in _WAITS and not any(part is NOT_LITERAL for part in (*literals, *by_name.values())):
                getattr(definition, verb)(*literals, **by_name)
            elif isinstance(definition, KeyedDefinition) and key is not NOT_LITERAL:
                definition.entry(key)
        except InvalidStepResultError as fault:
            self.reading.faults.append(Fault(scope.line(node), str(fault)))
        except TypeError:
            return  # arguments that do not fit at all: the handler's own error, once it runs

    # What an expression stands for, as far as the source and the values around it tell.

    def _value(self, node: ast.expr, scope: _Scope, seen: frozenset[str] = frozenset()) -> Any:
        if isinstance(node, ast.Attribute):
            return _attribute(self._value(node.value, scope, seen), node.attr)
        if isinstance(node, ast.Subscript):  # RPCResult[str](...), Channel[str](...)
            generic = self._value(node.value, scope, seen)
            return generic if isinstance(generic, type) else _UNKNOWN
        if not isinstance(node, ast.Name):
            return _UNKNOWN
        if node.id not in scope.names:
            return scope.globals.get(node.id, getattr(builtins, node.id, _UNKNOWN))
        value, sources = scope.names[node.id], scope.assigned.get(node.id, [])
        if value is _UNKNOWN and len(sources) == 1 and sources[0] is not None and node.id not in seen:
            return self._value(sources[0], scope, seen | {node.id})
        return value

    def _known(self, node: ast.expr | None, scope: _Scope, seen: frozenset[str] = frozenset()) -> bool:
        """Whether every decision, movement and Wait that the expression may give is one that is noted."""
        if isinstance(node, ast.Call):
            return self._known_call(node, scope, seen)
        if isinstance(node, ast.Name) and None not in scope.assigned.get(node.id, (None,)):
            sources = (*scope.assigned[node.id], *scope.grown.get(node.id, ()))
            return node.id in seen or all(self._known(source, scope, seen | {node.id}) for source in sources)
        fields = _PARTS.get(node.__class__)
        if fields is None:
            return False
        values = (getattr(node, name) for name in fields)
        parts = (part for value in values for part in (value if isinstance(value, list) else [value]))
        return all(self._known(part, scope, seen) for part in parts)

    def _known_call(self, node: ast.Call, scope: _Scope, seen: frozenset[str]) -> bool:
        function = self._value(node.func, scope)
        parts: Iterable[ast.expr] = ()
        if (kind := _DECISIONS.get(id(function))) is not None:
            parts = node.args if kind == "go_to_many" else node.args[1:2] if kind.endswith("empty") else ()
        elif function is RPCResult:
            parts = [k.value for k in node.keywords if k.arg == "next_steps"]
        elif id(function) in _OF_PARTS:
            parts = _arguments(node)
        elif isinstance(getattr(function, "__self__", None), Definition):
            return function.__name__ in _WAITS
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _COPIES:
            parts = (node.func.value,)
        elif id(function) not in _WITHOUT_PARTS:
            self._follow(function, node, scope, decides=True)
            return isinstance(function, (types.FunctionType, types.MethodType))
        return all(self._known(part, scope, seen) for part in parts)


_PARTS: dict[type[Any], tuple[str, ...]] = {
    ast.Constant: (), ast.Await: ("value",), ast.Starred: ("value",), ast.NamedExpr: ("value",), ast.List: ("elts",),
    ast.Tuple: ("elts",), ast.ListComp: ("elt",), ast.GeneratorExp: ("elt",), ast.IfExp: ("body", "orelse"),
    ast.BoolOp: ("values",), ast.BinOp: ("left", "right"),
}  # fmt: skip
"""The parts of an expression that may be its value, or in it; of any other kind nothing is known."""


def _nodes(body: Iterable[ast.AST], *, inner: bool = True) -> Iterator[ast.AST]:
    """The nodes in source order, a parent before its parts; without `inner`, none that is inside another function."""
    for node in body:
        yield node
        if inner or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield from _nodes(ast.iter_child_nodes(node), inner=inner)


def _assignments(body: Iterable[ast.AST]) -> tuple[dict[str, list[ast.expr | None]], dict[str, list[ast.expr]]]:
    """What is assigned to each local name (None where it is no plain expression), and what is appended to it."""
    assigned: dict[str, list[ast.expr | None]] = {}
    grown: dict[str, list[ast.expr]] = {}
    plain: set[int] = set()
    for node in _nodes(body):
        target: ast.expr | None = None
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            target = node.target
        if isinstance(target, ast.Name) and getattr(node, "value", None) is not None:
            assigned.setdefault(target.id, []).append(node.value)  # type: ignore[attr-defined]  # it has one, see above
            plain.add(id(target))
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            grown.setdefault(node.target.id, []).append(node.value)
            plain.add(id(node.target))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if node.func.attr in ("append", "extend", "insert") and isinstance(node.func.value, ast.Name):
                grown.setdefault(node.func.value.id, []).append(node.args[-1])
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store) and id(node) not in plain:
                assigned.setdefault(node.id, []).append(None)
        else:
            for name in _other_names(node):
                assigned.setdefault(name, []).append(None)
    return assigned, grown


def _other_names(node: ast.AST) -> Iterable[str]:
    """The local names that a node binds in another way than by an assignment."""
    if isinstance(node, ast.alias):
        return ((node.asname or node.name).partition(".")[0],)
    named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
    name = node.arg if isinstance(node, ast.arg) else node.name if isinstance(node, named) else None
    return () if name is None else (name,)


def _arguments(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(k.value for k in node.keywords)]


def _argument(node: ast.Call, index: int, name: str) -> ast.expr | None:
    by_place = None if len(node.args) <= index or _spread(node) else node.args[index]
    return next((k.value for k in node.keywords if k.arg == name), by_place)


def _spread(node: ast.Call) -> bool:
    """Whether the call spreads a list or a dict over its parameters, so that places say nothing."""
    return any(isinstance(part, ast.Starred) for part in node.args) or any(k.arg is None for k in node.keywords)


def _literal(node: ast.expr | None) -> Any:
    if node is None:
        return NOT_LITERAL
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return NOT_LITERAL


def _attribute(owner: Any, name: str) -> Any:
    """An attribute of a value, without running code of its class."""
    if owner is _UNKNOWN or owner is _CONTEXT:
        return _UNKNOWN
    try:
        found = inspect.getattr_static(owner, name)
    except AttributeError:
        return _UNKNOWN
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, types.FunctionType):
        of_instance = not isinstance(owner, (type, types.ModuleType)) and name not in getattr(owner, "__dict__", {})
        return types.MethodType(found, owner) if of_instance else found
    return _UNKNOWN if hasattr(type(found), "__get__") else found
