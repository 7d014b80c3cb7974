"""`dex`, as a module written for the real system means it: our authoring names, and stand-ins for all others.

`import dex`, `from dex import Step`, `from dex.step import Step` and `import dex.step` in a person's file give modules
made here (`user_code` sees to it). Every public name exists, since newer versions have names that we do not know: one
that is not modelled may be imported, stand in annotations and be caught as an exception; **using** it, that is to
call it, derive from it or ask it for something, is refused with file and line. This module imports nothing of the
real package and knows no file.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from functools import cache
from types import ModuleType
from typing import Any, NoReturn

from dexpatterns.dex.io_guard import insist, user_line
from dexpatterns.errors import InputError

__all__ = ["AUTHORING", "SUBMODULES", "UNMODELLED", "DexModule", "NotModelledError", "explain", "missing", "stand_in"]


class NotModelledError(InputError):
    """A name of the real system that is not modelled here is used; nothing that follows would mean anything."""


AUTHORING: tuple[str, ...] = tuple(
    """
    Flow Step StepList PersistenceSchema Channel ChannelMap Attribute AttributeMap Wait Timer ConditionCombination
    Context RetryPolicy StepOptions WaitForFailurePolicy StepMovement StepDecision go_to go_to_many dead_end
    graceful_complete force_complete force_complete_if_channels_empty force_fail rpc RPCResult RecoveryErrorInfo
    StartFlowOptions StopFlowOptions StopType FlowTimeoutPolicy FlowStatus FlowDefinitionError InvalidStepResultError
    """.split()
)
"""What is modelled, by the name that an author writes."""

_CONNECTS = "a check connects to nothing: make it in another module, or under `if __name__ == '__main__':`"
_REPORTS = "no other branch can see it: hand the Step a fake that does nothing"
_OTHER_FLOW = "a check runs one Flow: let a Channel and an RPC of the scenario stand for the other one"
_TUNES = "it changes nothing that is checked here: leave it out of what is checked"
_OTHERWISE = "leave it out of what is checked, or inject a fake"

UNMODELLED: dict[str, str] = {
    name: mend
    for mend, names in {
        _CONNECTS: """
            AsyncClient AsyncWorker BlobCache BlobCacheConfig Client ClientOptions Credential FileCredential Registry
            Worker WorkerOptions WorkerTarget open_blob_cache
            """,
        _REPORTS: "BufferedTextStream Stream StreamMessage StepOutput heartbeat",
        _OTHER_FLOW: "SubFlow SubFlowOptions SubFlowReusePolicy SubFlowCondition",
        _TUNES: """
            ActiveStepSearchMode AttributeIndex BOOL BYTES Codec CodecRegistry DOUBLE FlowConfig IdReusePolicy INT64
            IndexType JsonCodec STRING StepDurability Value WireKind
            """,
        _OTHERWISE: """
            AttributeMapNotLoadedError ChannelLoad ChannelMessage ChannelMessageNotFoundError
            ChannelMessagesNotLoadedError DexServiceError ErrorSubStatus FlowAlreadyStartedError FlowErrorType FlowInfo
            FlowNotActiveError FlowNotFoundError FlowResult HealthInfo LongPollTimeoutError ResetFlowOptions ResetType
            RpcLockConflictError SearchFlowEntry SearchFlowsPage StateNotLoadedError StepCompletion StepExecutionId
            TimeTravelOptions TimeTravelStepMethod TimeTravelType TimerId ValueMappingError WorkerInvocationError
            """,
    }.items()
    for name in names.split()
}
"""Names of the real system that have no meaning here, and what to do instead."""

SUBMODULES: frozenset[str] = frozenset(
    """
    async_client async_worker attribute attribute_match blob_cache channel client client_options codec condition
    context contracts errors flow flow_config flow_info flow_options flow_result registry runtime runtime_errors state
    step step_execution stream subflow timer wait worker worker_options
    """.split()
)
"""What `dex.NAME` is a module; any other one can be imported too, and gives the same names."""

_MEMBERS: dict[str, dict[str, str]] = {
    "Context": dict.fromkeys(
        ("heartbeat", "record_heartbeat", "get_last_heartbeat_value", "has_last_heartbeat_value"), _REPORTS
    ),
    "Channel": dict.fromkeys(("delete", "pending_messages"), _OTHERWISE),
    "ChannelMap": dict.fromkeys(("delete", "pending_messages", "keys", "load"), _OTHERWISE),
    "AttributeMap": dict.fromkeys(("keys", "load"), _OTHERWISE),
    "StartFlowOptions": dict.fromkeys(("with_attribute",), _OTHERWISE),
}
"""What our classes lack of those that they stand for, and what to do instead."""


def _refused(what: str, how: str, mend: str) -> NotModelledError:
    file, line = user_line()
    where = f"{file}, line {line}: " if file else ""
    return NotModelledError(f"{where}{what} is {how}, but it is not modelled here; {mend}")


def _refuse(name: str, how: str) -> NoReturn:
    top = name.partition(".")[0]
    near = [] if top in UNMODELLED else difflib.get_close_matches(top, AUTHORING, n=1)
    mend = f"did you mean {near[0]!r}?" if near else UNMODELLED.get(top, _OTHERWISE)
    raise insist(_refused(f"'dex.{name}'", how, mend))


class _StandIn(type):
    """The class of stand-ins. They are classes, so that annotations, `isinstance` and `except` take them."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **_options: Any) -> _StandIn:
        for base in bases:
            if isinstance(base, _StandIn):
                _refuse(base.__name__, f"the base of {name!r}")
        return super().__new__(mcs, name, bases, namespace)

    def __call__(cls, *_given: Any, **_by_name: Any) -> NoReturn:
        _refuse(cls.__name__, "called")

    def __getitem__(cls, _of: Any) -> _StandIn:
        return cls

    def __getattr__(cls, name: str) -> Any:
        # What begins with an underscore is asked by Python itself, about any class.
        if name.startswith("_"):
            raise AttributeError(name)
        _refuse(f"{cls.__name__}.{name}", "used")

    def __repr__(cls) -> str:
        return f"dex.{cls.__name__} (not modelled here)"


@cache
def stand_in(name: str) -> type:
    """What `dex.NAME` is for a name that is not modelled; the same one every time.

    >>> stand_in("Stream"), stand_in("Stream")[str] is stand_in("Stream")
    (dex.Stream (not modelled here), True)
    """
    # An exception that nobody raises may be named in `except`: it is never met.
    bases: tuple[type, ...] = (Exception,) if name.endswith(("Error", "Exception")) else ()
    return _StandIn(name, bases, {"__module__": "dex"})


class DexModule(ModuleType):
    """`dex`, or a submodule of it; our names stand in its dict, where who reads source finds them."""

    def __init__(self, name: str, submodule: Callable[[str], ModuleType]) -> None:
        super().__init__(name)
        import dexpatterns.dex as ours
        from dexpatterns.dex.attribute import AttributeLock

        names = {name: getattr(ours, name) for name in AUTHORING}
        vars(self).update(names, AsyncContext=ours.Context, AttributeLock=AttributeLock)
        vars(self)["__all__"] = sorted({*names, *UNMODELLED, "AsyncContext", "AttributeLock"})
        vars(self)["_submodule"] = submodule

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module 'dex' has no attribute {name!r}")
        return self._submodule(name) if name in SUBMODULES else stand_in(name)

    def __setattr__(self, name: str, value: Any) -> None:
        # An import of `dex.rpc` puts the module where the function is; the function stays.
        if not (isinstance(value, DexModule) and name in AUTHORING):
            super().__setattr__(name, value)


# What our own names lack.


class _NoSuchMember(NotModelledError, AttributeError):
    """So that `hasattr` says no."""


def missing(owner: str, name: str, known: Iterable[str]) -> AttributeError:
    """The error for `owner.name`, which is not there: not modelled, or perhaps misspelt."""
    if name in _MEMBERS.get(owner, {}):
        return _NoSuchMember(str(_refused(f"'{owner}.{name}'", "used", _MEMBERS[owner][name])))
    near = difflib.get_close_matches(name, [one for one in known if one[0] != "_"], n=1)
    return AttributeError(f"{owner} has no {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))


_KEYWORD = re.compile(r"(\w+)(?:\.\w+)?\(\) got an unexpected keyword argument '(\w+)'")


def explain(raised: BaseException) -> str | None:
    """What to say of an exception that comes from a part of one of our names that is not modelled; None of any other.

    An option that is not modelled is a `TypeError` to Python, a method an `AttributeError`.
    """
    if isinstance(raised, TypeError) and (found := _KEYWORD.search(str(raised))) and found[1] in AUTHORING:
        return f"the option {found[2]!r} of dex.{found[1]} is not modelled here; {_TUNES}"
    if isinstance(raised, AttributeError) and not isinstance(raised, NotModelledError):
        owner = raised.obj if isinstance(raised.obj, type) else type(raised.obj)
        if raised.name and owner.__module__.startswith("dexpatterns.dex.") and owner.__name__ in AUTHORING:
            mend = _MEMBERS.get(owner.__name__, {}).get(raised.name)
            return mend and f"'{owner.__name__}.{raised.name}' is not modelled here; {mend}"
    return None
