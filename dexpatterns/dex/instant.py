"""Runs an `async def` handler to its end in no real time, and leaves nothing of it behind (D-28a).

Each handler gets an event loop of its own, in which time jumps to the next timer instead of passing and a function
for another thread runs where it is. Nothing can reach such a loop from outside: a handler that waits for something
which nobody inside can make happen would wait for ever, and fails instead. This module knows no Flow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, TypeVar

from dexpatterns.errors import InvalidStepResultError

__all__ = ["finish"]

ResultT = TypeVar("ResultT")


def finish(coroutine: Coroutine[Any, Any, ResultT]) -> ResultT:
    """The result of the coroutine; raises what it raises, or `InvalidStepResultError` if it can never end."""
    # A notebook runs its cells inside a loop, and one thread has one: that one stands back meanwhile.
    outer = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    loop = _InstantLoop()
    try:
        return loop.run_until_complete(coroutine)
    finally:
        loop.leave_nothing()
        asyncio._set_running_loop(outer)


class _Jump:
    """Stands where a loop asks the operating system for news: there are none, and time passes at once."""

    passed = 0.0

    def select(self, timeout: float | None) -> Iterable[Any]:
        if timeout is None:
            raise InvalidStepResultError(
                "the handler waits for something that can never come; await what it brings to an end itself"
            )
        self.passed += timeout
        return ()


class _InstantLoop(asyncio.BaseEventLoop):
    def __init__(self) -> None:
        super().__init__()
        self._selector = _Jump()

    def time(self) -> float:
        return self._selector.passed

    def run_in_executor(self, executor: Any, func: Callable[..., ResultT], *args: Any) -> asyncio.Future[ResultT]:  # type: ignore[override]  # the executor is left out of it
        """Run the function here and now: in a thread it would end at a moment that no seed decides."""
        future: asyncio.Future[ResultT] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as raised:  # noqa: BLE001  # it is raised where the future is awaited
            future.set_exception(raised)
        return future

    def leave_nothing(self) -> None:
        """Cancel what the handler started and did not await, as `asyncio.run` does; what will not end is dropped."""
        self.set_exception_handler(lambda loop, context: None)
        left = asyncio.all_tasks(self)
        for task in left:
            task.cancel()
        with suppress(Exception, SystemExit):
            if left:
                self.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self.close()

    def _process_events(self, event_list: Iterable[Any]) -> None:
        """Nothing comes from outside."""

    def _write_to_self(self) -> None:
        """Nobody has to be woken: nothing sleeps."""
