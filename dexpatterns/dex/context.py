"""What a handler is handed: a frozen view of one call, every answer of which is written down.

A `Context` answers from a `Call` (who asks, the snapshot, what was consumed) and stages what the handler
writes. It keeps the list of questions with their answers, so that a handler is a function of them: `handlers.py`
runs it once per everything it was told. It knows no machine and saves nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from dexpatterns.dex.attribute import Attribute, AttributeMap
from dexpatterns.dex.channel import Channel, ChannelMap
from dexpatterns.dex.definition import FlowSpec, check_value
from dexpatterns.dex.options import RecoveryErrorInfo
from dexpatterns.dex.real_names import missing
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.texts import visible
from dexpatterns.engine.values import Data, freeze
from dexpatterns.errors import InvalidStepResultError

__all__ = ["EPOCH", "Call", "Context", "Question", "text_of"]

EPOCH = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
"""Virtual time zero (D-9): the start of every simulated run, and the constant that the explorer answers."""

Question = tuple[str, ...]
_NONE: Any = object()


def text_of(path: Lineage) -> str:
    """A lineage as a handler sees it."""
    return ".".join(map(str, path))


def from_id(parent: Lineage) -> str:
    """`from_step_execution_id`: empty for what the Flow's start, a timeout or an RPC began (D-9, D-22)."""
    by_call = parent[:1] == (1,) and len(parent) == 2 and parent[1] == 0
    by_call |= parent[:1] == (2,) and len(parent) == 4 and parent[3] == 0
    return "" if not parent or by_call else text_of(parent)


class Call(NamedTuple):
    """Everything that a handler may ask in one attempt, as functions and values of the state it began in."""

    flow_id: str
    path: Lineage
    parent: Lineage
    attempt: int
    first_attempt_at: float
    recovery: tuple[str, str] | None
    wait_failed: bool
    taken: tuple[tuple[str, tuple[Data, ...]], ...]
    timers: tuple[bool, ...]
    attribute: Callable[[str], Data | None]
    size: Callable[[str], int]

    def answer(self, question: Question) -> Hashable:
        return _ANSWERS[question[0]](self, *question[1:])


_ANSWERS: dict[str, Callable[..., Hashable]] = {
    "attribute": lambda call, name: call.attribute(name),
    "size": lambda call, name: call.size(name),
    "results": lambda call, name: next((values for channel, values in call.taken if channel == name), ()),
    "timer": lambda call, index: index in map(str, range(len(call.timers))) and call.timers[int(index)],
    "any timer": lambda call: any(call.timers),
    "attempt": lambda call: call.attempt,
    "first_attempt_at": lambda call: call.first_attempt_at,
    "recovery_error": lambda call: call.recovery,
    "wait_failed": lambda call: call.wait_failed,
    "flow_id": lambda call: call.flow_id,
    "id": lambda call: text_of(call.path),
    "from_id": lambda call: from_id(call.parent),
}
"""What a handler can ask, and who answers: adding a question here is all that a new one takes."""


class Context:
    """One attempt of one method call, as its handler sees it (D-9).

    Reads come from the snapshot of the call's begin (D-6) and from the attempt's own writes (D-8); writes and
    publications are staged and saved together with the result, or not at all (D-7). Once the attempt is over the
    Context refuses everything: a handler that keeps it cannot reach a later state.
    """

    __slots__ = ("_asked", "_call", "_published", "_recorded", "_spec", "_written")

    def __init__(self, spec: FlowSpec, call: Call) -> None:
        self._spec = spec
        self._call: Call | None = call
        """None once the attempt is over."""
        self._asked: dict[Question, Hashable] = {}
        self._written: dict[str, Data | None] = {}
        self._published: list[tuple[str, Data]] = []
        self._recorded: list[tuple[str, Data]] = []

    def __repr__(self) -> str:
        return f"Context({visible(self._spec.name)})"

    if not TYPE_CHECKING:  # for a type checker a name that is not there stays a mistake

        def __getattr__(self, name: str) -> NoReturn:
            """Refuse what Dex has and is not modelled, such as `heartbeat`, by name and line."""
            raise missing("Context", name, dir(type(self)))

    def _ask(self, *question: str) -> Any:
        call = self._call or self._refuse()
        asked = self._asked
        if question not in asked:
            asked[question] = call.answer(question)
        return asked[question]

    def _check_open(self) -> None:
        if self._call is None:
            self._refuse()

    def _refuse(self) -> NoReturn:
        raise InvalidStepResultError("the context of an attempt was used after it had ended; use it only inside")

    @property
    def flow_id(self) -> str:
        """The id of this Flow execution."""
        return str(self._ask("flow_id"))

    @property
    def run_id(self) -> str:
        """The id of this run of the Flow; a simulated Flow has one run, so it is `flow_id`."""
        return str(self._ask("flow_id"))

    @property
    def step_execution_id(self) -> str:
        """The lineage of this execution, as text: the same in every interleaving."""
        return str(self._ask("id"))

    @property
    def from_step_execution_id(self) -> str:
        """The lineage of the execution that started this one; empty at the start (D-9)."""
        return str(self._ask("from_id"))

    @property
    def attempt(self) -> int:
        """Which attempt of the call this is, from 1."""
        return int(self._ask("attempt"))

    @property
    def first_attempt_at(self) -> dt.datetime:
        """When the first attempt of this call began (UTC, virtual); a constant while every order is explored."""
        return EPOCH + dt.timedelta(seconds=self._ask("first_attempt_at"))

    @property
    def recovery_error(self) -> RecoveryErrorInfo | None:
        """The failure that led here by a route (D-12) or by PROCEED (D-13); else None."""
        told = self._ask("recovery_error")
        return None if told is None else RecoveryErrorInfo(*told)

    def wait_for_method_failed(self) -> bool:
        """Whether `wait_for` failed for good and this `execute` runs all the same (D-13)."""
        return bool(self._ask("wait_failed"))

    def has_timer_fired(self, index: int | None = None) -> bool:
        """Whether the index-th Timer of the completed Wait had fired, in argument order; any of them if None (D-17)."""
        return bool(self._ask("any timer") if index is None else self._ask("timer", str(index)))

    def is_cancellation_requested(self) -> bool:
        """Whether this attempt was cancelled; a handler is run on what held at its begin, so never True (D-10)."""
        self._check_open()
        return False

    def record_event(self, name: str, value: Any = None) -> None:
        """Show something in the run; it is no part of the state (D-9)."""
        self._check_open()
        if not isinstance(name, str):
            raise InvalidStepResultError(f"record_event: expected a name in words, got {name!r}; pass a text")
        self._recorded.append((name, freeze(value)))

    # The port of Channels and Attributes: they name the entry, the context checks it and keeps the books.

    def _registered(self, definition: Any, table: dict[str, Any], kind: str) -> None:
        known = table.get(definition.name)
        if known is not definition and known != definition:
            raise InvalidStepResultError(
                f"{kind} {definition.name!r} is not in the persistence schema of Flow {self._spec.name!r}; "
                f"expected one of {sorted(table)}; add it to PersistenceSchema.of(...)"
            )

    def _staged(self, definition: Any, table: dict[str, Any], kind: str, entry: str, value: Any) -> Data:
        """The value as it will be saved there."""
        if self._call is None:
            self._refuse()
        if table.get(definition.name) is not definition:  # it nearly always is
            self._registered(definition, table, kind)
        fault = check_value(definition.value_type, value)
        if fault:
            raise InvalidStepResultError(f"{kind} {entry!r}: {fault}")
        return freeze(value)

    def _publish(self, channel: Channel[Any] | ChannelMap[Any], entry: str, value: Any) -> None:
        self._published.append((entry, self._staged(channel, self._spec.channels, "Channel", entry, value)))

    def _size(self, channel: Channel[Any] | ChannelMap[Any], entry: str) -> int:
        self._registered(channel, self._spec.channels, "Channel")
        return int(self._ask("size", entry)) + sum(1 for name, _ in self._published if name == entry)

    def _results(self, channel: Channel[Any] | ChannelMap[Any], entry: str) -> list[Any]:
        self._registered(channel, self._spec.channels, "Channel")
        return [value.thaw() for value in self._ask("results", entry)]

    def _get(self, attribute: Attribute[Any] | AttributeMap[Any], entry: str) -> Any:
        self._registered(attribute, self._spec.attributes, "Attribute")
        self._check_open()
        held = self._written.get(entry, _NONE)
        if held is _NONE:
            held = self._ask("attribute", entry)
        return attribute.default if held is None else held.thaw()

    def _set(self, attribute: Attribute[Any] | AttributeMap[Any], entry: str, value: Any) -> None:
        self._written[entry] = self._staged(attribute, self._spec.attributes, "Attribute", entry, value)

    def _delete(self, attribute: Attribute[Any] | AttributeMap[Any], entry: str) -> None:
        self._check_open()
        self._registered(attribute, self._spec.attributes, "Attribute")
        self._written[entry] = None
