"""Runs a handler and turns whatever it does into data: a result, or a failure with its cause.

A handler is a function of its Step, its input and the answers of its Context (D-8, D-9). So it is run once per
everything it was told, and what it did is kept: the memo is a tree of questions, since what a handler asks next
depends only on what it was told so far. Nothing here knows what a result does to a Flow.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from types import CoroutineType
from typing import Any, NamedTuple, NoReturn

from dexpatterns.dex.channel import ChannelMap
from dexpatterns.dex.context import Call, Context, Question
from dexpatterns.dex.decision import NO_OUTPUT, RPCResult, StepDecision, StepMovement, dead_end
from dexpatterns.dex.definition import FlowSpec, check_value, options_fault
from dexpatterns.dex.io_guard import running
from dexpatterns.dex.options import StepOptions
from dexpatterns.dex.real_names import NotModelledError, explain
from dexpatterns.dex.wait import ChannelCondition, Wait
from dexpatterns.dex.waiting import WAITS
from dexpatterns.engine.masked import Masks
from dexpatterns.engine.values import NOTHING, Data, freeze, new
from dexpatterns.errors import InternalError, InvalidStepResultError, NondeterminismError, SymmetryError

__all__ = ["DECISIONS", "Decision", "Effect", "Handlers", "Move", "Outcome"]


class Move(NamedTuple):
    """A Step to start."""

    step: str
    input: Data
    options: StepOptions | None


class Decision(NamedTuple):
    """A StepDecision (or what an RPC decides) as data: names instead of classes, frozen values."""

    kind: str
    moves: tuple[Move, ...] = ()
    output: Data | None = None
    reason: str = ""
    channels: tuple[tuple[str, bool], ...] = ()
    """(name, whether it is a ChannelMap), for `force_complete_if_channels_empty`."""
    cancels: tuple[str, ...] = ()
    cancel_siblings: tuple[str, ...] = ()


DECISIONS = frozenset(
    ("go_to", "go_to_many", "dead_end", "graceful_complete", "force_complete", "force_complete_if_channels_empty",
     "force_fail")
)  # fmt: skip
"""Every kind of decision that a handler can make; `saving` says what each does."""

_DEAD_END = dead_end()
_DEAD_END_AS_DATA = Decision(_DEAD_END.kind)
"""Most paths end so, and with nothing else to say: this one decision is read once."""


class Effect(NamedTuple):
    """What an attempt will do when it is saved. Two attempts with equal effects have equal futures."""

    result: Decision | Wait | None
    """None for an attempt that failed."""
    writes: tuple[tuple[str, Data | None], ...] = ()
    published: tuple[tuple[str, Data], ...] = ()
    output: Data | None = None
    error: tuple[str, str] | None = None
    """(detail, error type) of an attempt that failed."""


class Outcome(NamedTuple):
    """An effect, and for people: what the handler read, and the events that it recorded."""

    effect: Effect
    reads: tuple[tuple[str, Any], ...]
    recorded: tuple[tuple[str, Data], ...]


class _Node:
    """One question of a handler, and where each answer leads: to the next question or to the outcome."""

    __slots__ = ("next", "question")

    def __init__(self, question: Question) -> None:
        self.question = question
        self.next: dict[Any, _Node | Outcome] = {}


class Handlers:
    """Runs the handlers of one Flow. With `memo`, each once per everything that it was told; with `rerun`, each time
    twice, to find one that does not do the same again.
    """

    def __init__(self, spec: FlowSpec, *, memo: bool, rerun: bool = False) -> None:
        self.spec = spec
        self.memo = memo
        self.rerun = rerun
        self._kept: dict[tuple[str, str, Data], _Node | Outcome] = {}
        self.masks: Masks | None = None
        self.runs = 0
        self.ids_asked = False
        """Whether a handler has asked for the id of an execution."""

    def outcome(self, owner: str, method: str, handler: Callable[..., Any], input: Data, call: Call) -> Outcome:
        """What this attempt does. `owner` is the Step's or RPC's name, `method` which of its handlers."""
        run = self._run_twice if self.rerun else self._run
        if not self.memo:
            return run(owner, method, handler, input, call)[0]
        place: dict[Any, Any] = self._kept
        at: Any = (owner, method, input)
        known = 0
        while (found := place.get(at)) is not None:
            if type(found) is Outcome:
                return found
            place, at, known = found.next, call.answer(found.question), known + 1
        outcome, asked = run(owner, method, handler, input, call)
        for question, answer in asked[known:]:
            node = _Node(question)
            place[at] = node
            place, at = node.next, answer
        place[at] = outcome
        return outcome

    def _run_twice(
        self, owner: str, method: str, handler: Callable[..., Any], input: Data, call: Call
    ) -> tuple[Outcome, list[tuple[Question, Any]]]:
        made = self._run(owner, method, handler, input, call)
        first, again = made[0], self._run(owner, method, handler, input, call)[0]
        if first.effect != again.effect:
            one, other = _differing(first.effect, again.effect)
            raise NondeterminismError(
                f"{owner}.{method}: two runs with the same input and the same answers of the context differ: "
                f"first {one}, then {other}; a handler may depend on nothing else, so hand chance, time and "
                "counts in as input, or keep them in an Attribute"
            )
        return made

    def _run(
        self, owner: str, method: str, handler: Callable[..., Any], input: Data, call: Call
    ) -> tuple[Outcome, list[tuple[Question, Any]]]:
        context = Context(self.spec, call)
        self.runs += 1
        try:
            # NOTHING stands for "takes no input": an RPC without one, the timeout handler.
            given = input.thaw()
            with running:
                made = handler(context) if input is NOTHING else handler(context, given)
                if isinstance(made, CoroutineType):
                    from dexpatterns.dex.instant import finish  # it brings an event loop, which few Flows need

                    made = finish(made)
            result, output = _MEANING[method](self, context, made, given, input)
            written = context._written
            effect = new(Effect, (
                result, tuple(written.items()) if written else (), tuple(context._published), output, None
            ))  # fmt: skip
        except (KeyboardInterrupt, InternalError, NotModelledError):
            raise
        except BaseException as raised:  # a handler may raise anything; whatever it is fails its attempt (D-10)
            effect = Effect(None, error=(_detail(raised), type(raised).__name__))
        finally:
            context._call = None
        if self.masks is not None:
            self._check_masks(self.masks, f"{owner}.{method}", context, effect)
        asked = list(context._asked.items()) if context._asked else []
        reads = self._reads(asked) if asked else ()
        return new(Outcome, (effect, reads, tuple(context._recorded))), asked

    def _check_masks(self, masks: Masks, where: str, context: Context, effect: Effect) -> None:
        """Refuse a handler that can tell interchangeable branches apart (`symmetry`)."""
        how = masks.refused and f"a masked value is {masks.refused}"
        if any(question[0] in ("id", "from_id") for question in context._asked):
            how = "it asks for the id of an execution"
        if not how and (masks.leaks(tuple(effect)) or masks.leaks(tuple(context._recorded))):
            how = "a text is made out of a masked value"
        if how:
            masks.refused = ""
            raise SymmetryError(
                f"{where}: {how}; values of symmetric fields may be copied and compared with each other, nothing "
                "else: check without symmetric, or leave that field out of it"
            )

    def _reads(self, asked: list[tuple[Question, Any]]) -> tuple[tuple[str, Any], ...]:
        """What of this a reader of the run is shown."""
        reads = []
        for question, answer in asked:
            kind = question[0]
            if kind == "attribute":
                reads.append((question[1], self._seen(question[1], answer)))
            elif kind == "size":
                reads.append((f"size of {question[1]}", answer))
            elif kind == "id" or kind == "from_id":
                self.ids_asked = True
        return tuple(reads)

    def _seen(self, name: str, answer: Any) -> Any:
        """What `get` gave: the default of the Attribute's type where there is no value (D-4)."""
        default = self.spec.attributes[name.partition("/")[0]].default if answer is None else None
        return answer if default is None else freeze(default)

    # What a handler may return, by method: its result as data, and the output of an RPC. `given` is the live input.

    def _waited(self, context: Context, made: Any, given: Any, input: Data) -> tuple[Wait, None]:
        if not isinstance(made, Wait) or made.kind not in WAITS:
            raise InvalidStepResultError(f"wait_for returned {_shown(made)}, expected a Wait, such as Wait.until(...)")
        for condition in made.conditions or chain.from_iterable(made.combinations):
            if isinstance(condition, ChannelCondition):
                context._registered(condition.definition, self.spec.channels, "Channel")
        return made, None

    def _decided(self, context: Context, made: Any, given: Any, input: Data) -> tuple[Decision, None]:
        if made is _DEAD_END:
            return _DEAD_END_AS_DATA, None
        if not isinstance(made, StepDecision) or made.kind not in DECISIONS or type(made.reason) is not str:
            raise InvalidStepResultError(
                f"execute returned {_shown(made)}, expected a StepDecision, such as go_to(Step, input) or dead_end()"
            )
        output = None if made.output is NO_OUTPUT else freeze(made.output)
        for channel in made.channels:
            context._registered(channel, self.spec.channels, "Channel")
        decision = new(Decision, (
            made.kind,
            tuple([self._move(move, given, input) for move in made.movements]) if made.movements != () else (),
            output,
            made.reason,
            tuple([(c.name, isinstance(c, ChannelMap)) for c in made.channels]) if made.channels != () else (),
            self._names(made.cancels) if made.cancels != () else (),
            self._names(made.cancel_siblings) if made.cancel_siblings != () else (),
        ))  # fmt: skip
        return decision, None

    def _answered(self, context: Context, made: Any, given: Any, input: Data) -> tuple[Decision, Data]:
        if made is None:
            made = RPCResult()
        if not isinstance(made, RPCResult):
            raise InvalidStepResultError(f"the RPC returned {_shown(made)}, expected an RPCResult or None")
        decision = Decision(
            "rpc",
            tuple([self._move(move, given, input) for move in made.next_steps]),
            cancels=self._names(made.cancels),
        )
        return decision, freeze(made.output)

    def _names(self, classes: tuple[type, ...]) -> tuple[str, ...]:
        return tuple([(self.spec.by_class.get(cls) or self._refuse(cls)).name for cls in classes])

    def _refuse(self, cls: type) -> NoReturn:
        raise InvalidStepResultError(
            f"Step {getattr(cls, '__name__', cls)!r} is not registered in Flow {self.spec.name!r}; "
            f"expected one of {sorted(self.spec.by_name)}; add an instance of it to get_steps()"
        )

    def _move(self, move: StepMovement, given: Any, input: Data) -> Move:
        step = self.spec.by_class.get(move.step) or self._refuse(move.step)
        name = step.name
        if fault := check_value(step.input_type, move.input):
            raise InvalidStepResultError(f"the input of Step {name!r}: {fault}")
        if move.options is not None and (fault := options_fault(self.spec, move.options, step.input_type)):
            raise InvalidStepResultError(f"the options of Step {name!r}: {fault}")
        # What is handed on as it came need not be frozen again, if nobody could have changed it.
        is_same = move.input is given and not input.changeable and input is not NOTHING
        return new(Move, (name, input if is_same else freeze(move.input), move.options))


_MEANING: dict[str, Callable[[Handlers, Context, Any, Any, Data], tuple[Decision | Wait, Data | None]]] = {
    "wait_for": Handlers._waited,
    "execute": Handlers._decided,
    "handle_timeout": Handlers._decided,
    "rpc": Handlers._answered,
}


def _differing(first: Effect, again: Effect) -> tuple[str, str]:
    """The part that says most of how two effects differ, as each has it."""
    parts = reversed(list(zip(Effect._fields, first, again, strict=True)))
    name, one, other = next(part for part in parts if part[1] != part[2])
    return f"{name} {one!r}"[:300], f"{name} {other!r}"[:300]


def _shown(value: Any) -> str:
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _detail(raised: BaseException) -> str:
    try:
        return (explain(raised) or str(raised))[:2000]
    except KeyboardInterrupt:
        raise
    except BaseException:  # the exception's own __str__ is user code too
        return "(its text could not be made)"
