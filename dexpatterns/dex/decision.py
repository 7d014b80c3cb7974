"""A decision is data: what an `execute` or an RPC wants next, saved with its writes or not at all (D-7, D-18).

Nothing moves here. Whether a Step, a Channel or a class to cancel is registered is judged where the Flow is known
(D-5, D-22). `NO_OUTPUT` tells an omitted output from a given None (D-28).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from dexpatterns.dex.channel import Channel, ChannelMap
from dexpatterns.dex.options import StepOptions
from dexpatterns.dex.step import Step, step_class
from dexpatterns.errors import InvalidStepResultError

__all__ = [
    "NO_OUTPUT", "RPCResult", "StepDecision", "StepMovement", "dead_end", "force_complete",
    "force_complete_if_channels_empty", "force_fail", "go_to", "go_to_many", "graceful_complete",
]  # fmt: skip

InputT = TypeVar("InputT")
OutputT = TypeVar("OutputT")


class _NoOutput:
    __slots__ = ()

    def __repr__(self) -> str:
        return "NO_OUTPUT"

    def __reduce__(self) -> str:
        # By its name, for there is one: it is known by being itself.
        return "NO_OUTPUT"


NO_OUTPUT = _NoOutput()
"""The output of a completion that names none: the Flow's result gets no entry (D-28)."""


@dataclass(frozen=True, slots=True)
class StepMovement:
    """One Step to start, with its input and the options that replace its own, if any (D-12)."""

    step: type[Step[Any]]
    input: Any
    options: StepOptions | None = None

    def __post_init__(self) -> None:
        step_class("StepMovement", self.step)
        if self.options is not None and not isinstance(self.options, StepOptions):
            raise InvalidStepResultError(
                f"a movement to {self.step.__name__!r}: expected StepOptions, got {self.options!r}; "
                "write options=StepOptions(...)"
            )

    @staticmethod
    def of(
        step: type[Step[InputT]] | Step[InputT], input: InputT, *, options: StepOptions | None = None
    ) -> StepMovement:
        """Start this Step class with this input."""
        if options is not None:
            return StepMovement(step_class("StepMovement.of", step), input, options)
        return _moved(step_class("StepMovement.of", step), input)


_make, _set = object.__new__, object.__setattr__


def _moved(step: type[Step[InputT]], input: InputT) -> StepMovement:
    """What `StepMovement(step, input)` is, where the class was judged already; nearly every move makes one."""
    movement = _make(StepMovement)
    _set(movement, "step", step)
    _set(movement, "input", input)
    _set(movement, "options", None)
    return movement


@dataclass(frozen=True, slots=True)
class StepDecision:
    """What an `execute` decided. Made by the functions below, never by hand (D-18)."""

    kind: str
    """'go_to', 'go_to_many', 'dead_end', 'graceful_complete', 'force_complete',
    'force_complete_if_channels_empty' or 'force_fail'."""
    movements: tuple[StepMovement, ...] = ()
    """What starts; of `force_complete_if_channels_empty` the fallback."""
    output: Any = NO_OUTPUT
    reason: str = ""
    channels: tuple[Channel[Any] | ChannelMap[Any], ...] = ()
    cancels: tuple[type[Step[Any]], ...] = ()
    cancel_siblings: tuple[type[Step[Any]], ...] = ()

    def with_canceling_steps(self, *steps: type[Step[Any]] | Step[Any]) -> StepDecision:
        """A copy that also cancels every queued or active execution of these Step classes (D-21)."""
        return replace(self, cancels=(*self.cancels, *_classes("with_canceling_steps", steps)))

    def with_canceling_sibling_steps(self, *steps: type[Step[Any]] | Step[Any]) -> StepDecision:
        """A copy that also cancels those of these Step classes that the decider's parent started too (D-21)."""
        classes = _classes("with_canceling_sibling_steps", steps)
        return replace(self, cancel_siblings=(*self.cancel_siblings, *classes))


def go_to(step: type[Step[InputT]] | Step[InputT], input: InputT) -> StepDecision:
    """Start one Step."""
    return StepDecision("go_to", (_moved(step_class("go_to", step), input),))


def go_to_many(*movements: StepMovement) -> StepDecision:
    """Start a Step for every movement; raises `InvalidStepResultError` when there is none (D-5)."""
    if not movements:
        raise InvalidStepResultError("go_to_many: expected a movement, got none; give one or more, or dead_end()")
    return StepDecision("go_to_many", tuple(_movement("go_to_many", movement) for movement in movements))


def dead_end() -> StepDecision:
    """End this path; the Flow goes on."""
    return _DEAD_END


def graceful_complete(output: Any = NO_OUTPUT) -> StepDecision:
    """Complete the Flow once no Step is active any more."""
    return StepDecision("graceful_complete", output=output)


def force_complete(output: Any = NO_OUTPUT) -> StepDecision:
    """Complete the Flow at once; every other branch ends."""
    return StepDecision("force_complete", output=output)


def force_complete_if_channels_empty(
    output: Any, fallback_movement: StepMovement, *channels: Channel[Any] | ChannelMap[Any]
) -> StepDecision:
    """Complete the Flow at once if these Channels are empty at the commit, else start the fallback (D-18).

    A ChannelMap is empty when all its keys are.
    """
    where = "force_complete_if_channels_empty"
    if not channels:
        raise InvalidStepResultError(f"{where}: expected a Channel, got none; name one, or use force_complete()")
    for channel in channels:
        if not isinstance(channel, (Channel, ChannelMap)):
            raise InvalidStepResultError(
                f"{where}: expected a Channel or ChannelMap, got {channel!r}; pass the definition itself"
            )
    return StepDecision(where, (_movement(where, fallback_movement),), output, channels=channels)


def force_fail(reason: str) -> StepDecision:
    """Fail the Flow at once; every other branch ends."""
    if not isinstance(reason, str):
        raise InvalidStepResultError(f"force_fail: expected a reason in words, got {reason!r}; pass a text")
    return StepDecision("force_fail", reason=reason)


_DEAD_END = StepDecision("dead_end")


@dataclass(frozen=True, init=False)
class RPCResult(Generic[OutputT]):
    """What an RPC returns: its output for the caller, Steps to start, and Step classes to cancel (D-26)."""

    __slots__ = ("cancels", "next_steps", "output")

    output: OutputT | None
    next_steps: tuple[StepMovement, ...]
    cancels: tuple[type[Step[Any]], ...]

    def __init__(self, output: OutputT | None = None, *, next_steps: Iterable[StepMovement] = ()) -> None:
        if isinstance(next_steps, StepMovement) or not isinstance(next_steps, Iterable):
            raise InvalidStepResultError(
                f"RPCResult next_steps: expected a tuple of movements, got {next_steps!r}; "
                "write next_steps=(StepMovement.of(...),)"
            )
        object.__setattr__(self, "output", output)
        object.__setattr__(self, "next_steps", tuple(_movement("RPCResult next_steps", m) for m in next_steps))
        object.__setattr__(self, "cancels", ())

    def with_canceling_steps(self, *steps: type[Step[Any]] | Step[Any]) -> RPCResult[OutputT]:
        """A copy that also cancels every queued or active execution of these Step classes (D-21)."""
        copy = RPCResult(self.output, next_steps=self.next_steps)
        object.__setattr__(copy, "cancels", (*self.cancels, *_classes("with_canceling_steps", steps)))
        return copy


def _movement(where: str, movement: object) -> StepMovement:
    if isinstance(movement, StepMovement):
        return movement
    raise InvalidStepResultError(
        f"{where}: expected a StepMovement, got a {type(movement).__name__}; write StepMovement.of(StepClass, input)"
    )


def _classes(where: str, steps: tuple[Any, ...]) -> tuple[type[Step[Any]], ...]:
    return tuple(step_class(where, step) for step in steps)
