"""A Step is what an author subclasses: what to wait for, and what to do then (D-2).

A Step instance is a definition. Its executions live in a Flow execution, so a handler keeps nothing on `self`.
This module calls no handler.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dexpatterns.dex.wait import Wait
from dexpatterns.errors import InvalidStepResultError

if TYPE_CHECKING:
    from dexpatterns.dex.context import Context
    from dexpatterns.dex.decision import StepDecision
    from dexpatterns.dex.options import StepOptions

__all__ = ["Step", "step_class"]

InputT = TypeVar("InputT")


class Step(Generic[InputT]):
    """One kind of work of a Flow: `class EditContract(Step[ContractEdit])`.

    Handlers are annotated in full and may be `async def` (D-5, D-28a).
    """

    def wait_for(self, context: Context, input: InputT, /) -> Wait | Awaitable[Wait]:  # for overriding
        """What to wait for before `execute`. A Step that does not override it goes straight to `execute` (D-2)."""
        return Wait.skip_immediately()

    def execute(self, context: Context, input: InputT, /) -> StepDecision | Awaitable[StepDecision]:
        """Do the work and decide what comes next; every Step overrides it."""
        raise NotImplementedError(f"Step {self.get_step_type()!r} has no execute")

    def get_step_type(self) -> str:
        """The Step's name; the class name unless overridden."""
        return type(self).__name__

    def get_step_options(self) -> StepOptions | None:
        """Retries, routes, locks and timeouts; None for the defaults."""
        return None


def step_class(where: str, step: Any) -> type[Step[Any]]:
    """The Step class that is meant; an instance stands for its class. Raises `InvalidStepResultError`."""
    if isinstance(step, type) and issubclass(step, Step) and step is not Step:
        return step
    if isinstance(step, Step):
        return type(step)
    got = step.__name__ if isinstance(step, type) else f"a {type(step).__name__}"
    raise InvalidStepResultError(f"{where}: expected a Step class, got {got}; name a class that derives from Step")
