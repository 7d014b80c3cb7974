"""A Wait is data: which messages and timers an execution waits for, in the order its author gave them (D-14).

Nothing waits here. The records only say what is asked for and refuse what cannot be meant (D-5); what is ready,
and what is consumed then, is the machine's to say (D-15). This module knows neither queues nor clocks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from dexpatterns.errors import InvalidStepResultError

if TYPE_CHECKING:
    from dexpatterns.dex.channel import Channel, ChannelMap

__all__ = ["ChannelCondition", "Condition", "ConditionCombination", "Timer", "TimerCondition", "Wait"]


@dataclass(frozen=True, slots=True)
class ChannelCondition:
    """Ready when `at_least` messages are queued; takes up to `at_most`, or all when that is None (D-15).

    `channel` is the entry: the Channel's name, or `name/key` of a ChannelMap.
    """

    definition: Channel[Any] | ChannelMap[Any] = field(compare=False, repr=False)
    channel: str
    at_least: int
    at_most: int | None
    condition_id: str | None = None
    _until: Wait | None = field(default=None, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        _check_bound(self.channel, "at_least", self.at_least)
        if self.at_most is not None:
            _check_bound(self.channel, "at_most", self.at_most)
            if self.at_most < self.at_least:
                raise InvalidStepResultError(
                    f"condition on {self.channel!r}: expected at_most >= at_least, got at_least={self.at_least}, "
                    f"at_most={self.at_most}; swap the bounds"
                )
        _check_id(self.condition_id)

    def __reduce__(self) -> tuple[Any, ...]:
        # Made anew, as its Wait is.
        return ChannelCondition, (self.definition, self.channel, self.at_least, self.at_most, self.condition_id)

    @property
    def text(self) -> str:
        """The condition in words, such as `contractEditToken.for_one()`."""
        low, high = self.at_least, self.at_most
        if high is None:
            words = f"at_least({low})"
        elif low == high:
            words = "for_one()" if low == 1 else f"for_n({low})"
        else:
            words = f"at_most({high})" if low == 0 else f"for_range(at_least={low}, at_most={high})"
        return f"{self.channel}.{words}"


@dataclass(frozen=True, slots=True)
class TimerCondition:
    """Ready once `duration` has passed since the Wait was saved (D-17)."""

    duration: timedelta
    condition_id: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.duration, timedelta):
            raise InvalidStepResultError(
                f"a timer's duration: expected a timedelta, got {self.duration!r}; write timedelta(seconds=...)"
            )
        if self.duration < timedelta(0):
            raise InvalidStepResultError(
                f"a timer's duration: expected zero or more, got {self.duration}; give the time from now on"
            )
        _check_id(self.condition_id)

    @property
    def text(self) -> str:
        """The condition in words, such as `timer 1:00:00`."""
        return f"timer {self.duration}"


_KINDS = ("skip", "until", "all_of", "any_of", "any_combination_of")

Condition = ChannelCondition | TimerCondition
"""What a Wait is made of."""


class Timer:
    """Makes conditions that time alone fulfils."""

    __slots__ = ()

    @staticmethod
    def by_duration(duration: timedelta, *, condition_id: str | None = None) -> TimerCondition:
        """Wait for this long, counted from the moment that the Wait is saved (D-17)."""
        return TimerCondition(duration, condition_id)


@dataclass(frozen=True, slots=True)
class ConditionCombination:
    """Conditions that must all be ready together: one alternative of `Wait.any_combination_of`."""

    conditions: tuple[Condition, ...]

    def __post_init__(self) -> None:
        _check_conditions("ConditionCombination.of", self.conditions)

    @staticmethod
    def of(*conditions: Condition) -> ConditionCombination:
        """Combine; every condition needs a `condition_id` in the end (D-14)."""
        return ConditionCombination(conditions)


@dataclass(frozen=True, slots=True)
class Wait:
    """What an execution waits for before its `execute` runs. Made by the functions below, never by hand.

    `conditions` are the distinct ones in argument order, `combinations` the alternatives of
    `any_combination_of`. `timers`, `channels` (distinct entries) and `definitions` keep that order too.
    """

    kind: str
    """'skip', 'until', 'all_of', 'any_of' or 'any_combination_of'."""
    conditions: tuple[Condition, ...] = ()
    combinations: tuple[tuple[Condition, ...], ...] = ()
    timers: tuple[TimerCondition, ...] = field(init=False, compare=False, repr=False)
    channels: tuple[str, ...] = field(init=False, compare=False, repr=False)
    definitions: tuple[Channel[Any] | ChannelMap[Any], ...] = field(init=False, compare=False, repr=False)
    text: str = field(init=False, compare=False, repr=False)
    """The Wait in words, such as `any_of(timer 1:00:00, stop.for_one())`."""
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        groups: Any = self.combinations
        if not (
            self.kind in _KINDS and _only_conditions(self.conditions)
            and isinstance(groups, tuple) and all(map(_only_conditions, groups))
        ):  # fmt: skip
            raise InvalidStepResultError(
                f"Wait: expected what one of its functions makes, got kind {self.kind!r} of {self.conditions!r} and "
                f"{groups!r}; write Wait.until(...), Wait.all_of(...) or the like"
            )
        put = object.__setattr__
        on_channels = [c for c in self.conditions if isinstance(c, ChannelCondition)]
        put(self, "timers", tuple(c for c in self.conditions if isinstance(c, TimerCondition)))
        put(self, "channels", tuple(dict.fromkeys(c.channel for c in on_channels)))
        put(self, "definitions", tuple(dict.fromkeys(c.definition for c in on_channels)))
        put(self, "text", _text(self.kind, self.conditions, self.combinations))
        put(self, "_hash", hash((self.kind, self.conditions, self.combinations)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        # Made anew: where it is read, the same names have another hash.
        return Wait, (self.kind, self.conditions, self.combinations)

    @staticmethod
    def skip_immediately() -> Wait:
        """Wait for nothing: `execute` is next."""
        return _SKIP

    @staticmethod
    def until(condition: Condition) -> Wait:
        """Wait for this one condition."""
        if isinstance(condition, ChannelCondition):
            # A condition and its only Wait never change, so the Wait is kept with it: thousands of branches that
            # wait for one Channel share one record.
            if condition._until is None:
                object.__setattr__(condition, "_until", Wait("until", (condition,)))
            assert condition._until is not None
            return condition._until
        return Wait("until", _check_conditions("Wait.until", (condition,)))

    @staticmethod
    def all_of(*conditions: Condition) -> Wait:
        """Wait until all are ready together; every one of them consumes (D-15)."""
        return Wait("all_of", _check_conditions("Wait.all_of", conditions))

    @staticmethod
    def any_of(*conditions: Condition) -> Wait:
        """Wait until one is ready, Timers before Channels; only the one picked consumes (D-15)."""
        return Wait("any_of", _check_conditions("Wait.any_of", conditions))

    @staticmethod
    def any_combination_of(*combinations: ConditionCombination) -> Wait:
        """Wait until one combination is ready, in argument order; each condition needs a `condition_id` (D-14)."""
        if not combinations:
            raise InvalidStepResultError("Wait.any_combination_of: expected a combination, got none; give one or more")
        for combination in combinations:
            if not isinstance(combination, ConditionCombination):
                raise InvalidStepResultError(
                    f"Wait.any_combination_of: expected a ConditionCombination, got a {_kind(combination)}; "
                    "wrap the conditions in ConditionCombination.of(...)"
                )
            for condition in combination.conditions:
                if condition.condition_id is None:
                    raise InvalidStepResultError(
                        f"Wait.any_combination_of: {condition.text!r} has no condition_id; pass condition_id='...'"
                    )
        together = _check_conditions(
            "Wait.any_combination_of", tuple(c for combination in combinations for c in combination.conditions)
        )
        return Wait("any_combination_of", together, tuple(_distinct(c.conditions) for c in combinations))


def _check_bound(channel: str, name: str, bound: object) -> None:
    if type(bound) is not int or bound < 0:
        raise InvalidStepResultError(
            f"condition on {channel!r}: expected {name} to be a whole number of messages, zero or more, got {bound!r}; "
            "say how many messages are wanted"
        )


def _check_id(condition_id: object) -> None:
    if condition_id is not None and (type(condition_id) is not str or not condition_id):
        raise InvalidStepResultError(
            f"condition_id: expected a text that is not empty, got {condition_id!r}; name the condition or leave it out"
        )


def _check_conditions(where: str, conditions: tuple[Any, ...]) -> tuple[Condition, ...]:
    """The distinct conditions; one given twice by the same id counts once."""
    if not isinstance(conditions, tuple):
        raise InvalidStepResultError(
            f"{where}: expected conditions, got a {_kind(conditions)}; give them one after another"
        )
    if not conditions:
        raise InvalidStepResultError(
            f"{where}: expected a condition, got none; give one, or Wait.skip_immediately() to wait for nothing"
        )
    by_id: dict[str, Condition] = {}
    for condition in conditions:
        if not isinstance(condition, (ChannelCondition, TimerCondition)):
            raise InvalidStepResultError(
                f"{where}: expected a condition, got a {_kind(condition)}; write channel.for_one(), another bound of "
                "a Channel, or Timer.by_duration(...)"
            )
        if condition.condition_id is not None and by_id.setdefault(condition.condition_id, condition) != condition:
            raise InvalidStepResultError(
                f"{where}: condition_id {condition.condition_id!r} names two conditions, "
                f"{by_id[condition.condition_id].text} and {condition.text}; give each an id of its own"
            )
    return _distinct(conditions)


def _distinct(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    seen: set[Condition] = set()
    kept = []
    for condition in conditions:
        if condition.condition_id is None or condition not in seen:
            seen.add(condition)
            kept.append(condition)
    return tuple(kept)


def _text(kind: str, conditions: tuple[Condition, ...], combinations: tuple[tuple[Condition, ...], ...]) -> str:
    if kind == "skip":
        return "skip_immediately()"
    if kind == "until":
        return conditions[0].text
    parts = [f"({', '.join(c.text for c in group)})" for group in combinations] or [c.text for c in conditions]
    return f"{kind}({', '.join(parts)})"


def _only_conditions(given: Any) -> bool:
    return isinstance(given, tuple) and all(isinstance(c, (ChannelCondition, TimerCondition)) for c in given)


def _kind(value: object) -> str:
    return type(value).__name__


_SKIP = Wait("skip")
