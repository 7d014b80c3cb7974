"""A Flow is what an author subclasses: its Steps, what it keeps, and what may be asked of it (D-1).

A Flow instance is a definition. Its executions live in a machine's states, so a handler keeps nothing on `self`.
Whether the parts fit together is checked when the Flow is built (`definition`), not here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dexpatterns.dex.attribute import Attribute, AttributeMap
from dexpatterns.dex.channel import Channel, ChannelMap
from dexpatterns.dex.step import Step
from dexpatterns.errors import FlowDefinitionError

if TYPE_CHECKING:
    from dexpatterns.dex.context import Context
    from dexpatterns.dex.decision import StepDecision

__all__ = ["Flow", "PersistenceSchema", "StepList"]

InputT = TypeVar("InputT")
StartT = TypeVar("StartT")
Definition = Channel[Any] | ChannelMap[Any] | Attribute[Any] | AttributeMap[Any]


_LISTED = "begin with StepList.start_step(...) and add the others by other_steps(...)"


class _StartStep:
    """`StepList.start_step`, which on a list that has its Steps already would silently drop them."""

    def __get__(self, steps: StepList[Any] | None, owner: Any = None) -> Callable[[Step[StartT]], StepList[StartT]]:
        def start_step(step: Step[StartT]) -> StepList[StartT]:
            if steps is not None:
                first = "no start" if steps.start is None else f"start {steps.start.get_step_type()!r}"
                raise FlowDefinitionError(
                    f"StepList: start_step is called on a list that has {first} already; a Flow has at most one "
                    f"starting Step: {_LISTED}"
                )
            return StepList(_step("StepList.start_step", step), ())

        return start_step


@dataclass(frozen=True)
class StepList(Generic[InputT]):
    """The Steps of a Flow, in order: instances, at most one of which the Flow starts with (D-1)."""

    __slots__ = ("others", "start")

    start: Step[InputT] | None
    others: tuple[Step[Any], ...]

    def __post_init__(self) -> None:
        if not isinstance(self.others, tuple):
            raise FlowDefinitionError(f"StepList: expected a tuple of Steps, got {self.others!r}; {_LISTED}")
        for step in self.all:
            _step("StepList", step)

    start_step = _StartStep()

    @staticmethod
    def without_start_step(*steps: Step[Any]) -> StepList[Any]:
        """Steps that only RPCs or the timeout handler start."""
        return StepList(None, tuple(_step("StepList.without_start_step", step) for step in steps))

    @staticmethod
    def empty() -> StepList[Any]:
        """No Steps at all."""
        return StepList(None, ())

    def other_steps(self, *steps: Step[Any]) -> StepList[InputT]:
        """A longer list with these Steps at its end."""
        return StepList(self.start, (*self.others, *(_step("StepList.other_steps", step) for step in steps)))

    @property
    def all(self) -> tuple[Step[Any], ...]:
        """Every Step, the starting one first."""
        return self.others if self.start is None else (self.start, *self.others)


@dataclass(frozen=True, slots=True)
class PersistenceSchema:
    """The Channels and Attributes that a Flow keeps; what it does not list, its handlers cannot use (D-5)."""

    definitions: tuple[Definition, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.definitions, tuple):
            raise FlowDefinitionError(
                f"PersistenceSchema: expected a tuple of definitions, got {self.definitions!r}; "
                "write PersistenceSchema.of(channel, attribute)"
            )
        for definition in self.definitions:
            if not isinstance(definition, (Channel, ChannelMap, Attribute, AttributeMap)):
                raise FlowDefinitionError(
                    f"PersistenceSchema.of: expected a Channel, ChannelMap, Attribute or AttributeMap, "
                    f"got {definition!r}; pass the definitions themselves"
                )

    @staticmethod
    def of(*definitions: Definition) -> PersistenceSchema:
        """List Channels, ChannelMaps, Attributes and AttributeMaps, in any order."""
        return PersistenceSchema(definitions)


class Flow(Generic[InputT]):
    """A durable workflow: `class ContractEditFlow(Flow[list[ContractEdit]])`.

    Subclasses override the hooks below as they need; RPCs are methods with `@rpc` (D-26).
    """

    def get_flow_type(self) -> str:
        """The Flow's name; the class name unless overridden."""
        return type(self).__name__

    def get_steps(self) -> StepList[Any]:
        """The Flow's Steps; none unless overridden."""
        return StepList.empty()

    def get_persistence_schema(self) -> PersistenceSchema:
        """The Channels and Attributes of the Flow; none unless overridden."""
        return PersistenceSchema.of()

    def handle_timeout(self, context: Context, /) -> StepDecision | Awaitable[StepDecision]:
        """Decide what follows the Flow's timeout. Only a Flow that overrides it has a timeout handler (D-27)."""
        raise NotImplementedError(f"Flow {self.get_flow_type()!r} has no handle_timeout")


def _step(where: str, step: Any) -> Step[Any]:
    if isinstance(step, Step):
        return step
    if isinstance(step, type) and issubclass(step, Step):
        raise FlowDefinitionError(
            f"{where}: expected a Step instance, got the class {step.__name__!r}; write {step.__name__}()"
        )
    raise FlowDefinitionError(f"{where}: expected a Step instance, got a {type(step).__name__}; derive it from Step")
