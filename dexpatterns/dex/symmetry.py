"""Branches that differ only by names are one: a Flow machine whose states are compared up to renaming them.

The named input fields are masked, so that a handler can copy their values and compare them, and nothing else. Then
renaming all of them together, with the branches that carry them, changes nothing but names: the order of branches
can be forgotten, and names can be numbered by where they first appear. Whatever could still tell two branches
apart is refused with the reason when it happens: a handler that looks into a name or asks for an id, a decision that
gives two different messages back to one Channel (D-24), a duration or a predicate that goes by a name. What a mask
cannot notice, such as a lookup in a dict of names, is found by running each handler with the names too, once with
every name in every place: it has to do the same. States that are equal up to renaming may still be met as two, which
costs time and no truth.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import Any

from dexpatterns.dex.context import Call, Question
from dexpatterns.dex.definition import FlowSpec
from dexpatterns.dex.flow import Flow
from dexpatterns.dex.handlers import Handlers, Outcome
from dexpatterns.dex.machine import FlowMachine
from dexpatterns.dex.rules import CallSpec, Rules
from dexpatterns.dex.scenario import Faults, Scenario
from dexpatterns.dex.state import State
from dexpatterns.engine import values
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.masked import HIDDEN, Masks, is_mask
from dexpatterns.engine.values import MASK, Data
from dexpatterns.errors import InputError, SymmetryError

__all__ = ["SymmetricFlowMachine"]

_UNSEEN = 1 << 30


class SymmetricFlowMachine(FlowMachine):
    """A `FlowMachine` in which branches that are equal but for the `fields` of the input are interchangeable.

    `fields` are names of fields of the dataclasses in the input; their values are texts. Raises `InputError` when no
    such field is there, and `SymmetryError` (while running) when the Flow can tell the branches apart.
    """

    def __init__(
        self,
        flow: Flow[Any] | type[Flow[Any]],
        input: Any,
        *,
        fields: Iterable[str],
        scenario: Scenario | None = None,
        faults: Faults | None = None,
        memo: bool = True,
        rerun: bool = False,
    ) -> None:
        super().__init__(flow, input, scenario=scenario, faults=faults, memo=memo)
        masks = Masks()
        self.input = _masked(self.input, tuple(fields), masks, self.name)
        self.rules = _Rules(self.spec, self.rules.scenario, self.rules.faults, memo=memo, rerun=rerun)
        self.rules.masks = masks
        self.rules.handlers = _Handlers(self.rules, masks, memo=memo, rerun=rerun)
        self._last: tuple[State | None, Any] = (None, None)

    def key(self, state: State) -> Hashable:
        return self._canonical(state)[0]

    def rank(self, state: State) -> Callable[[Lineage], int]:
        places = {path: i for i, path in enumerate(self._canonical(state)[1])}
        for code in state.late.items():
            places.setdefault(code.path, len(places))
        return places.__getitem__

    def _canonical(self, state: State) -> tuple[Hashable, Sequence[Lineage]]:
        """The state without names, and its executions in the order that it then has."""
        # Key and rank of a state are asked for one after the other.
        if self._last[0] is not state:
            self._last = (state, self._made_canonical(state))
        return self._last[1]  # type: ignore[no-any-return]

    def _made_canonical(self, state: State) -> tuple[Hashable, Sequence[Lineage]]:
        channels = self._shape_of(state.channels, lambda t: tuple([(name, q.whole) for name, q in t if q]))
        attributes = self._shape_of(state.attributes, tuple)
        numbers: dict[int, int] = {}
        number = numbers.setdefault
        shared = [
            (shape, tuple([number(atom, len(numbers)) for atom in atoms])) for shape, atoms in (attributes, channels)
        ]
        shapes = []
        for e in state.executions.items():
            if e.ident is None:
                e.ident = self._shape(e.content())
            shape, atoms = e.ident
            shapes.append((shape, tuple([numbers.get(atom, _UNSEEN) for atom in atoms]), atoms, e))
        # Alike to the last known name means alike: which of them comes first is a matter of names alone.
        shapes.sort(key=lambda one: one[:2])
        executions = tuple([(one[0], tuple([number(atom, len(numbers)) for atom in one[2]])) for one in shapes])
        first: dict[Lineage, int] = {}
        siblings = tuple([first.setdefault(one[3].parent, i) for i, one in enumerate(shapes)])
        paths = [one[3].path for one in shapes]
        late: tuple[Any, ...] = ()
        if state.late:
            places = {path: i for i, path in enumerate(paths)}
            late = tuple(
                sorted(
                    (places.setdefault(code.path, len(places)), code.step, code.method) for code in state.late.items()
                )
            )
        outputs, atoms = self._shape(state.outputs)
        key = (
            executions, siblings, tuple(shared), outputs, tuple([number(atom, len(numbers)) for atom in atoms]), late,
            state.externals, state.faults, state.timeout, state.graceful, state.status.name, state.reason,
        )  # fmt: skip
        return key, paths

    def _shape_of(self, table: Any, content: Callable[[Any], Any]) -> tuple[int, tuple[int, ...]]:
        if table.ident is None:
            table.ident = self._shape(content(table))
        return table.ident  # type: ignore[no-any-return]

    def _shape(self, content: Any) -> tuple[int, tuple[int, ...]]:
        """A number for what is left of a content without names, and its names in the order of appearance.

        A name that appears again stands as its place among them, so that who equals whom is part of the shape.
        """
        atoms: dict[int, int] = {}
        return self._number(_without_names(content, atoms)), tuple(atoms)

    def describe(self, state: State) -> dict[str, Any]:
        """As the plain machine does, but names and ids answer no question, and branches stand in no order."""
        told = _hidden(super().describe(state))
        for group in ("steps", "calls", "late"):
            told[group] = sorted(told[group], key=_in_no_order)
        told["locks"] = dict.fromkeys(told["locks"], HIDDEN)
        return told  # type: ignore[no-any-return]


class _Rules(Rules):
    """Refuses a scenario in which the names say how an attempt may end."""

    __slots__ = ("_compared",)

    def __init__(self, spec: FlowSpec, scenario: Scenario, faults: Faults, *, memo: bool, rerun: bool) -> None:
        super().__init__(spec, scenario, faults, memo=memo, rerun=rerun)
        self._compared: set[Hashable] = set()

    def ways_to_end(self, call: CallSpec, input: Data, attempt: int) -> int:
        ways = super().ways_to_end(call, input, attempt)
        if call.ways is None:
            asked = (call, input, attempt)
            if asked not in self._compared:
                self._compared.add(asked)
                self._compare(call, input, attempt, ways)
        return ways

    def _compare(self, call: CallSpec, input: Data, attempt: int, ways: int) -> None:
        assert self.masks is not None
        for naming in self.masks.namings():
            if super().ways_to_end(call, self.masks.reveal(input, naming), attempt) != ways:
                raise SymmetryError(
                    f"the scenario's duration of {call.name} depends on a symmetric field, and so does "
                    "whether an attempt outlives its method timeout: check without symmetric"
                )


class _Handlers(Handlers):
    """Runs each handler with the names as well, as often as there are names, and refuses one that then differs."""

    def __init__(self, rules: Rules, masks: Masks, *, memo: bool, rerun: bool) -> None:
        super().__init__(rules.spec, memo=memo, rerun=rerun)
        self.masks = masks
        self._plain = Handlers(rules.spec, memo=False)
        self._compared: set[Hashable] = set()

    def _run(
        self, owner: str, method: str, handler: Callable[..., Any], input: Data, call: Call
    ) -> tuple[Outcome, list[tuple[Question, Any]]]:
        outcome, asked = super()._run(owner, method, handler, input, call)
        atoms: dict[int, int] = {}
        shape = (owner, method, _without_names((input, tuple(asked)), atoms))
        if atoms and shape not in self._compared:
            self._compared.add(shape)
            self._compare(owner, method, handler, input, call, outcome)
        return outcome, asked

    def _compare(
        self, owner: str, method: str, handler: Callable[..., Any], input: Data, call: Call, outcome: Outcome
    ) -> None:
        assert self.masks is not None
        for naming in self.masks.namings():
            named = partial(self.masks.reveal, naming=naming)
            told = call._replace(taken=named(call.taken), attribute=_then(call.attribute, named))
            made, _ = self._plain._run(owner, method, handler, named(input), told)
            if made.effect != named(outcome.effect):
                raise SymmetryError(
                    f"{owner}.{method}: what it does depends on the value of a symmetric field, or differs from run "
                    "to run; such values may be copied and compared with each other, nothing else: check without "
                    "symmetric, or leave that field out of it"
                )


def _then(first: Callable[[str], Any], second: Callable[[Any], Any]) -> Callable[[str], Any]:
    return lambda name: second(first(name))


def _hidden(told: Any) -> Any:
    """A described state in which neither names nor ids can be asked for."""
    if isinstance(told, dict):
        return {name: HIDDEN if name == "id" else _hidden(value) for name, value in told.items()}
    if isinstance(told, list):
        return [_hidden(value) for value in told]
    return HIDDEN if told == MASK else told


def _in_no_order(one: dict[str, Any]) -> str:
    return repr([(name, value) for name, value in one.items() if name not in ("id", "input", "path")])


def _without_names(content: Any, atoms: dict[int, int]) -> Any:
    if isinstance(content, tuple):
        if is_mask(content):
            return MASK, atoms.setdefault(content[1].number, len(atoms))
        return tuple([_without_names(part, atoms) for part in content])
    if type(content) is Data:
        key = content.key
        return ("data", _without_names(key, atoms)) if type(key) is tuple else ("data", key)
    return content


def _masked(given: Data, fields: tuple[str, ...], masks: Masks, flow: str) -> Data:
    if not fields or not all(isinstance(name, str) for name in fields):
        raise InputError(f"symmetric: expected names of input fields, got {fields!r}; such as symmetric=('reviewer',)")
    found: set[str] = set()

    def walk(key: Any) -> Any:
        if type(key) is not tuple:
            return key
        names = values.field_names(key)
        if names is None:
            return tuple([walk(part) for part in key])
        head, parts = key[:2], key[2:]
        return (*head, *[mask(name, part) if name in fields else walk(part) for name, part in zip(names, parts)])  # noqa: B905

    def mask(name: str, part: Any) -> Any:
        found.add(name)
        if type(part) is not str:
            held = values.from_key(part).text
            raise InputError(f"symmetric: field {name!r} holds {held}, expected a text; leave it out")
        return (MASK, masks.mask(part))

    key = walk(given.key)
    if missing := sorted(set(fields) - found):
        raise InputError(
            f"symmetric: no dataclass in the input of Flow {flow!r} has a field {missing[0]!r}; name its fields"
        )
    return values.from_key(key)
