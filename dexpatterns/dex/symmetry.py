"""Branches that differ only by names are one: a Flow machine whose states are compared up to renaming them.

The named input fields are masked, so that a handler can copy their values and compare them, and nothing else. Then
renaming all of them together, with the branches that carry them, changes nothing but names: the order of branches
can be forgotten, and names can be numbered by where they first appear. Whatever could still tell two branches
apart is refused with the reason when it happens: a handler that looks into a name or asks for an id, and a decision
that gives two different messages back to one Channel (D-24). States that are equal up to renaming may still be met
as two, which costs time and no truth.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from dexpatterns.dex.flow import Flow
from dexpatterns.dex.machine import FlowMachine
from dexpatterns.dex.scenario import Faults, Scenario
from dexpatterns.dex.state import State
from dexpatterns.engine import values
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.masked import Masks
from dexpatterns.engine.values import MASK, Data
from dexpatterns.errors import InputError

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
    ) -> None:
        super().__init__(flow, input, scenario=scenario, faults=faults, memo=memo)
        masks = Masks()
        self.plain_input = self.input
        self.input = _masked(self.input, tuple(fields), masks, self.name)
        self.rules.masks = masks
        self.rules.handlers.masks = masks
        self._shapes: dict[Any, tuple[int, tuple[int, ...]]] = {}

    def key(self, state: State) -> Hashable:
        return self._canonical(state)[0]

    def rank(self, state: State) -> Callable[[Lineage], int]:
        places = {path: i for i, path in enumerate(self._canonical(state)[1])}
        for code in state.late.items():
            places.setdefault(code.path, len(places))
        return places.__getitem__

    def _canonical(self, state: State) -> tuple[Hashable, Sequence[Lineage]]:
        """The state without names, and its executions in the order that it then has."""
        channels = self._shape_of_tree(state.channels, lambda t: tuple([(name, q.whole) for name, q in t if q]))
        attributes = self._shape_of_tree(state.attributes, tuple)
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

    def _shape_of_tree(self, tree: Any, content: Callable[[Any], Any]) -> tuple[int, tuple[int, ...]]:
        if tree.ident is None:
            tree.ident = self._shape(content(tree))
        return tree.ident  # type: ignore[no-any-return]

    def _shape(self, content: Any) -> tuple[int, tuple[int, ...]]:
        """A number for what is left of a content without names, and its names in the order of appearance.

        A name that appears again stands as its place among them, so that who equals whom is part of the shape.
        """
        atoms: dict[int, int] = {}
        return self._number(_without_names(content, atoms)), tuple(atoms)


def _without_names(content: Any, atoms: dict[int, int]) -> Any:
    if isinstance(content, tuple):
        if content[:1] == (MASK,):
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
            raise InputError(f"symmetric: field {name!r} holds {Data(part, None).text}, expected a text; leave it out")
        return (MASK, masks.mask(part))

    key = walk(given.key)
    if missing := sorted(set(fields) - found):
        raise InputError(
            f"symmetric: no dataclass in the input of Flow {flow!r} has a field {missing[0]!r}; name its fields"
        )
    return values.from_key(key)
