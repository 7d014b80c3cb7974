"""Options are data: retries, routes, locks and timeouts of a Step, and how a Flow is started and stopped.

Whatever is left out, None or zero means the default (D-10, D-11), so a machine never meets a missing option. This
module keeps no clock: times are `timedelta` for authors and seconds for the machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import Enum
from typing import Any, NamedTuple

from dexpatterns.dex.attribute import Attribute, AttributeLock, AttributeMap
from dexpatterns.dex.step import Step, step_class
from dexpatterns.errors import DexpatternsError, InputError, InvalidStepResultError

__all__ = [
    "DEFAULT_METHOD_TIMEOUT", "FlowStatus", "FlowTimeoutPolicy", "RecoveryErrorInfo", "RetryPolicy",
    "StartFlowOptions", "StepOptions", "StopFlowOptions", "StopType", "WaitForFailurePolicy", "check_locks",
]  # fmt: skip

DEFAULT_METHOD_TIMEOUT = timedelta(hours=2)
_ZERO = timedelta(0)
_ROUNDING = 1e-9
"""Seconds by which a sum of delays may pass a limit: 0.1 + 0.2 is more than 0.3 to a machine."""


def _check_time(error: type[DexpatternsError], where: str, time: object) -> None:
    if time is None:
        return
    if not isinstance(time, timedelta):
        raise error(f"{where}: expected a timedelta, got {time!r}; write timedelta(seconds=...)")
    if time < _ZERO:
        raise error(f"{where}: expected zero or more, got {time}; zero or None means the default")


class FlowStatus(Enum):
    """How a Flow execution stands (D-28)."""

    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELED = "CANCELED"
    TERMINATED = "TERMINATED"


class WaitForFailurePolicy(Enum):
    """What follows when `wait_for` has failed for good (D-13)."""

    FAIL_FLOW = "FAIL_FLOW"
    PROCEED = "PROCEED"


class FlowTimeoutPolicy(Enum):
    """What follows when the Flow's timeout is reached (D-27)."""

    FAIL = "FAIL"
    CANCEL = "CANCEL"
    HANDLER = "HANDLER"


class StopType(Enum):
    """What a stop from outside makes of the Flow (D-27)."""

    CANCEL = "CANCEL"
    TERMINATE = "TERMINATE"
    FAIL = "FAIL"


class RecoveryErrorInfo(NamedTuple):
    """The failure that a route or PROCEED recovers from: that of the last attempt (D-12, D-13)."""

    detail: str
    error_type: str


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When a failed attempt is made again; attempts count the first, and the first limit ends the retries (D-11).

    Defaults: 1 second, coefficient 2, at most 100 seconds between attempts, no limit of attempts, four hours.

    >>> policy = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_attempts=2)
    >>> policy.delay_seconds(1), policy.allows(1, 0.0), policy.allows(2, 1.0)
    (1.0, True, False)
    """

    initial_interval: timedelta | None = None
    backoff_coefficient: float | None = None
    maximum_interval: timedelta | None = None
    maximum_attempts: int | None = None
    total_duration: timedelta | None = None

    def __post_init__(self) -> None:
        for name in ("initial_interval", "maximum_interval", "total_duration"):
            _check_time(InvalidStepResultError, f"RetryPolicy {name}", getattr(self, name))
        coefficient, attempts = self.backoff_coefficient, self.maximum_attempts
        number = coefficient is None or (type(coefficient) in (int, float) and (coefficient == 0 or coefficient >= 1))
        if not number or coefficient == float("inf"):
            raise InvalidStepResultError(
                f"RetryPolicy backoff_coefficient: expected a number of 1 or more, got {coefficient!r}; "
                "1 keeps the delay as it is"
            )
        if attempts is not None and (type(attempts) is not int or attempts < 0):
            raise InvalidStepResultError(
                f"RetryPolicy maximum_attempts: expected a whole number, got {attempts!r}; "
                "1 makes the first attempt the only one, 0 or None sets no limit"
            )

    @property
    def limit(self) -> int | None:
        """How many attempts there may be; None is without limit."""
        return self.maximum_attempts or None

    def delay_seconds(self, retry: int) -> float:
        """The seconds before retry number `retry`, counted from 1 (D-11)."""
        longest = (self.maximum_interval or timedelta(seconds=100)).total_seconds()
        try:
            grown = float(self.backoff_coefficient or 2) ** (retry - 1)
        except OverflowError:
            return longest
        return min((self.initial_interval or timedelta(seconds=1)).total_seconds() * grown, longest)

    def allows(self, attempts_made: int, delays_so_far: float) -> bool:
        """Whether one more attempt may follow.

        `delays_so_far` is the sum in seconds of the delays that lie behind; the delay of the coming retry is
        added here, and one that would pass `total_duration` ends the retries (D-11).
        """
        if self.maximum_attempts and attempts_made >= self.maximum_attempts:
            return False
        total = (self.total_duration or timedelta(hours=4)).total_seconds()
        return delays_so_far + self.delay_seconds(attempts_made) <= total + _ROUNDING


_DEFAULT_RETRY = RetryPolicy()
_MOST_ROUTES = 100
"""So deep may options be: they are compared whole, and Python stops a comparison that goes much deeper."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOptions:
    """How the calls of a Step are retried, timed, locked, and what follows their failure (D-10 to D-13, D-20).

    After construction every option has its value: a policy or timeout that was None is the default one.
    """

    wait_for_retry: RetryPolicy = _DEFAULT_RETRY
    execute_retry: RetryPolicy = _DEFAULT_RETRY
    wait_for_method_timeout: timedelta = DEFAULT_METHOD_TIMEOUT
    execute_method_timeout: timedelta = DEFAULT_METHOD_TIMEOUT
    wait_for_failure: WaitForFailurePolicy = WaitForFailurePolicy.FAIL_FLOW
    wait_for_lock_attributes: tuple[AttributeLock, ...] = ()
    execute_lock_attributes: tuple[AttributeLock, ...] = ()
    execute_failure_route: tuple[type[Step[Any]], StepOptions | None] | None = None
    """Set by `on_execute_failure_proceed_to`: the Step that follows, and its options if they differ."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("wait_for_retry", "execute_retry"):
            policy = getattr(self, name)
            if policy is None:
                put(self, name, _DEFAULT_RETRY)
            elif not isinstance(policy, RetryPolicy):
                raise InvalidStepResultError(
                    f"StepOptions {name}: expected a RetryPolicy, got {policy!r}; "
                    "write RetryPolicy(maximum_attempts=...)"
                )
        for name in ("wait_for_method_timeout", "execute_method_timeout"):
            timeout = getattr(self, name)
            _check_time(InvalidStepResultError, f"StepOptions {name}", timeout)
            put(self, name, timeout or DEFAULT_METHOD_TIMEOUT)
        failure: Any = self.wait_for_failure
        if failure is None:
            put(self, "wait_for_failure", WaitForFailurePolicy.FAIL_FLOW)
        elif not isinstance(failure, WaitForFailurePolicy):
            raise InvalidStepResultError(
                f"StepOptions wait_for_failure: expected a WaitForFailurePolicy, got {failure!r}; "
                "write WaitForFailurePolicy.PROCEED"
            )
        for name in ("wait_for_lock_attributes", "execute_lock_attributes"):
            put(self, name, check_locks(f"StepOptions {name}", getattr(self, name)))
        route: Any = self.execute_failure_route
        if route is not None:
            if not isinstance(route, tuple) or len(route) != 2:
                raise InvalidStepResultError(
                    f"StepOptions execute_failure_route: expected a Step class and its options, got {route!r}; "
                    "write StepOptions(...).on_execute_failure_proceed_to(StepClass)"
                )
            step_class("StepOptions execute_failure_route", route[0])
            _check_options("StepOptions execute_failure_route", route[1])
            if _routes(route) > _MOST_ROUTES:
                raise InvalidStepResultError(
                    f"StepOptions execute_failure_route: expected at most {_MOST_ROUTES} routes within one another, "
                    "got more; leave the options of a route out, and its Step keeps its own"
                )

    def on_execute_failure_proceed_to(self, step: type[Step[Any]], options: StepOptions | None = None) -> StepOptions:
        """A copy whose `execute`, failed for good, is followed by this Step with the same input (D-12)."""
        _check_options("on_execute_failure_proceed_to", options)
        return replace(self, execute_failure_route=(step_class("on_execute_failure_proceed_to", step), options))

    def timeout_seconds(self, method: str) -> float:
        """The method timeout of 'wait_for' or 'execute' (D-10)."""
        timeout = self.execute_method_timeout if method == "execute" else self.wait_for_method_timeout
        return timeout.total_seconds()

    @property
    def wait_for_locks(self) -> tuple[str, ...]:
        """The entries that `wait_for` locks, sorted, each once."""
        return _entries(self.wait_for_lock_attributes)

    @property
    def execute_locks(self) -> tuple[str, ...]:
        """The entries that `execute` locks, sorted, each once."""
        return _entries(self.execute_lock_attributes)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartFlowOptions:
    """How a Flow is started: `timeout` of the whole Flow (None or zero: none) and what follows it (D-27)."""

    timeout: timedelta | None = None
    timeout_policy: FlowTimeoutPolicy | None = None
    """None is HANDLER for a Flow that overrides `handle_timeout`, else FAIL."""

    def __post_init__(self) -> None:
        _check_time(InputError, "StartFlowOptions timeout", self.timeout)
        if self.timeout == _ZERO:
            object.__setattr__(self, "timeout", None)
        if self.timeout_policy is None:
            return
        if not isinstance(self.timeout_policy, FlowTimeoutPolicy):
            raise InputError(
                f"StartFlowOptions timeout_policy: expected a FlowTimeoutPolicy, got {self.timeout_policy!r}; "
                "write FlowTimeoutPolicy.CANCEL"
            )
        if self.timeout is None:
            raise InputError("StartFlowOptions timeout_policy: there is no timeout it could follow; pass timeout= too")


@dataclass(frozen=True, slots=True, kw_only=True)
class StopFlowOptions:
    """How a Flow is stopped from outside: every branch ends (D-27)."""

    type: StopType = StopType.CANCEL
    reason: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.type, StopType):
            raise InputError(f"StopFlowOptions type: expected a StopType, got {self.type!r}; write StopType.CANCEL")
        if not isinstance(self.reason, str):
            raise InputError(f"StopFlowOptions reason: expected a text, got {self.reason!r}; say why in words")


def check_locks(where: str, locks: Any) -> tuple[AttributeLock, ...]:
    """The locks as a tuple; raises `InvalidStepResultError` for what is no lock (D-20)."""
    if locks is None:
        return ()
    if isinstance(locks, (AttributeLock, Attribute, AttributeMap, str)) or not isinstance(locks, Iterable):
        raise InvalidStepResultError(f"{where}: expected a tuple of locks, got {locks!r}; write (attribute.lock(),)")
    found = tuple(locks)
    for lock in found:
        if not isinstance(lock, AttributeLock):
            raise InvalidStepResultError(
                f"{where}: expected the lock of an Attribute, got {lock!r}; write attribute.lock()"
            )
    return found


def _entries(locks: tuple[AttributeLock, ...]) -> tuple[str, ...]:
    return tuple(sorted({lock.entry for lock in locks}))


def _routes(route: tuple[type[Step[Any]], StepOptions | None] | None) -> int:
    """How many failure routes follow one another in these options."""
    count = 0
    while route is not None:
        count += 1
        route = None if route[1] is None else route[1].execute_failure_route
    return count


def _check_options(where: str, options: object) -> None:
    if options is not None and not isinstance(options, StepOptions):
        raise InvalidStepResultError(f"{where}: expected StepOptions, got {options!r}; write options=StepOptions(...)")
