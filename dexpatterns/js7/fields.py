"""Which fields each JSON object of a JS7 file has, and how either dialect spells them (J113): tables only.

A file may mix the dialects and the older spellings; writing uses those of one dialect. `Shape.read` checks an
object against its table; what the values mean is `decode`'s and `encode`'s business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeVar

from dexpatterns.engine.texts import visible
from dexpatterns.errors import WorkflowFileError
from dexpatterns.js7.evaluation import show

__all__ = [
    "BLOCK", "BRANCH", "CASE", "DEMAND", "EXECUTABLES", "INSTRUCTIONS", "JOB", "LOCK", "NOT_PLAYED", "OUTCOME",
    "PARAMETER", "PREPARATION", "WORKFLOW", "At", "Dialect", "Found", "Shape", "suggest",
]  # fmt: skip

Dialect = Literal["controller", "inventory"]
T = TypeVar("T")


class At:
    """A place in a JSON value, written out only when something is wrong there.

    >>> str(At("a.json").then("jobs").then("my job").then(0))
    'a.json, $.jobs["my job"][0]'
    """

    __slots__ = ("_above", "_key", "source")

    def __init__(self, source: str, above: At | None = None, key: str | int = "") -> None:
        self.source = source
        self._above = above
        self._key = key

    def then(self, key: str | int) -> At:
        return At(self.source, self, key)

    def __str__(self) -> str:
        keys: list[str] = []
        here: At | None = self
        while here is not None and here._above is not None:
            key = here._key
            if isinstance(key, int):
                keys.append(f"[{key}]")
            else:
                keys.append(f".{key}" if key.isidentifier() else f'["{visible(key)}"]')
            here = here._above
        path = "$" + "".join(reversed(keys))
        if len(path) > 300:
            path = f"{path[:140]} ... {path[-140:]}"
        return f"{self.source}, {path}" if self.source else path

    def error(self, what: str) -> WorkflowFileError:
        return WorkflowFileError(f"{self}: {what}")


def suggest(name: str, allowed: Iterable[str]) -> str:
    """The names near to a wrong one, and those that there are, as the end of an error text.

    >>> suggest("demand", ["demands", "lockedWorkflow"])
    "; did you mean 'demands'? expected one of: demands, lockedWorkflow"
    """
    from difflib import get_close_matches

    known = list(dict.fromkeys(allowed))
    by_folded = {one.casefold(): one for one in reversed(known)}
    near = [by_folded[one] for one in get_close_matches(name[:255].casefold(), by_folded, n=3)]
    listed = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
    mean = f"; did you mean {' or '.join(map(repr, near))}?" if near else ";"
    return f"{mean} expected one of: {listed}" if known else "; there are none"


class Found:
    """The fields of one object that was read, by our names, each with its place."""

    __slots__ = ("_fields", "at")

    def __init__(self, at: At, found: Mapping[str, tuple[Any, At]]) -> None:
        self.at = at
        self._fields = found

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def take(self, name: str, read: Callable[[Any, At], T], default: Any = None) -> T | Any:
        """What `read` makes of a field and its place; `default` when the field is not there."""
        return read(*self._fields[name]) if name in self._fields else default

    def raw(self, name: str) -> Any:
        return self._fields[name][0]

    def where(self, name: str) -> At:
        return self._fields[name][1]

    def only(self, *names: str) -> Found:
        """With these fields alone."""
        return Found(self.at, {name: field for name, field in self._fields.items() if name in names})


class Spelling(NamedTuple):
    """How a field is written: None where a dialect has no place for it."""

    controller: str | None
    inventory: str | None
    older: tuple[str, ...]


def _spelling(notation: str) -> Spelling:
    """`both`, `controller|inventory`, `controller|inventory|older ones`; `-` is none."""
    both, *rest = notation.split("|")
    controller = None if both == "-" else both
    inventory = (None if rest[0] == "-" else rest[0]) if rest else controller
    return Spelling(controller, inventory, tuple(rest[1:]))


class Shape:
    """The fields of one kind of object: those that mean something here, and those that are only kept."""

    def __init__(self, what: str, required: str = "", fields: Mapping[str, str] | None = None, kept: str = "") -> None:
        self.what = what
        self.required = required.split()
        self.spellings = {name: _spelling(notation) for name, notation in (fields or {}).items()}
        self.kept = {s.controller or str(s.inventory): s for s in map(_spelling, kept.split())}
        self.names = {
            written: name
            for table in (self.spellings, self.kept)
            for name, spelling in table.items()
            for written in (spelling.controller, spelling.inventory, *spelling.older)
            if written is not None
        }

    def read(self, value: Any, at: At) -> Found:
        """The object's fields, by our names; raises `WorkflowFileError` for what is not in the table.

        A field that is null is not there (J60).
        """
        if not isinstance(value, Mapping):
            raise at.error(f"expected {self.what} as an object, got {show(value)}")
        found: dict[str, tuple[Any, At]] = {}
        for key, content in value.items():
            if key == "TYPE" or key in _WRITTEN_ONLY:
                continue
            name = self.names.get(key) if isinstance(key, str) else None
            if name is None:
                raise at.error(f"unknown field '{key}' in {self.what}{suggest(str(key), self.names)}")
            if content is None:
                continue
            if name in found:
                other = next(k for k in value if k != key and self.names.get(k) == name)
                raise at.error(f"'{other}' and '{key}' are two spellings of one field; leave one of them out")
            found[name] = (content, at.then(key))
        return self.complete(Found(at, found))

    def complete(self, found: Found) -> Found:
        """The same, when nothing that is required is missing."""
        for name in self.required:
            if name not in found:
                spelling = self.spellings[name]
                raise found.at.error(
                    f"{self.what} has no '{spelling.controller or spelling.inventory}', which it needs"
                )
        return found

    def write(self, values: Mapping[str, Any], dialect: Dialect) -> dict[str, Any]:
        """The object in a dialect, without what is None; what was only kept goes where the dialect has a place."""
        written: dict[str, Any] = {}
        for table in (self.spellings, self.kept):
            for name, spelling in table.items():
                key = spelling.controller if dialect == "controller" else spelling.inventory
                if key is not None and values.get(name) is not None:
                    written[key] = values[name]
        return written


_WRITTEN_ONLY = frozenset(("position", "positionString", "sourcePos"))
"""Fields that the product adds when it shows an instruction; they say nothing new."""

WORKFLOW = Shape(
    "a workflow",
    "instructions",
    {
        "path": "path",
        "version_id": "versionId",
        "instructions": "instructions",
        "jobs": "jobs",
        "preparation": "orderPreparation",
        "result": "result",
    },
    "timeZone jobResourcePaths|jobResourceNames calendarPath|calendarName source -|title -|version -|documentationName",
)
BLOCK = Shape(
    "a block",
    "instructions",
    {"instructions": "instructions", "jobs": "jobs", "result": "result"},
)
LOCK = Shape(
    "a lock",
    "",
    {"path": "path", "limit": "limit"},
    "itemRevision|- -|title -|version -|documentationName",
)
PREPARATION = Shape("orderPreparation", "", {"parameters": "parameters", "allow_undeclared": "allowUndeclared"})
PARAMETER = Shape(
    "a parameter",
    "",
    {"type": "type", "default": "default", "final": "final"},
    "-|description -|list -|listParameters -|mapParameters -|facet -|message",
)
JOB = Shape(
    "a job",
    "",
    {
        "agent": "agentPath|agentName|agentId",
        "process_limit": "processLimit|parallelism|taskLimit",
        "executable": "executable",
    },
    "defaultArguments jobResourcePaths|jobResourceNames subagentBundleIdExpr|subagentClusterIdExpr "
    "subagentSelectionId|subagentClusterId timeout sigkillDelay|graceTimeout failOnErrWritten "
    "killAtEndOfAdmissionPeriod admissionTimeScheme isNotRestartable "
    "skipIfNoAdmissionStartForOrderDay|skipIfNoAdmissionForOrderDay -|title -|documentationName -|logLevel "
    "-|criticality -|warnOnErrWritten -|warnIfShorter -|warnIfLonger -|notification -|jobTemplate "
    "-|withSubagentClusterIdExpr",
)
DEMAND = Shape("a demand", "lock", {"lock": "lockPath|lockName|lockId", "weight": "count"})
BRANCH = Shape("a branch", "id block", {"id": "id", "block": "workflow"})
CASE = Shape("a case of an If", "predicate then", {"predicate": "predicate", "then": "then"})
OUTCOME = Shape("an outcome", "", {"message": "message", "named_values": "namedValues"})

EXECUTABLES: dict[str, tuple[str, frozenset[str]]] = {
    name: (text, frozenset(("TYPE", text, "env", "login", "returnCodeMeaning", "v1Compatible", *more.split())))
    for name, text, more in (
        ("ShellScriptExecutable", "script", ""),
        ("PathExecutable", "path", ""),
        ("CommandLineExecutable", "command", ""),
        ("InternalExecutable", "className", "script jobArguments arguments internalType"),
    )
}
"""By TYPE: the field that it cannot do without, and all fields."""


def _instruction(name: str, required: str = "", fields: Mapping[str, str] | None = None, kept: str = "") -> Shape:
    return Shape(f"the instruction '{name}'", required, {"label": "label", **(fields or {})}, kept)


INSTRUCTIONS: dict[str, Shape] = {
    "Lock": _instruction(
        "Lock",
        "body",
        {"demands": "demands", "body": "lockedWorkflow", "lock": "lockPath|lockName|lockId", "weight": "count"},
    ),
    "Try": _instruction(
        "Try",
        "body catch",
        {"body": "try", "catch": "catch", "max_tries": "maxTries", "retry_delays": "retryDelays"},
    ),
    "Retry": _instruction("Retry"),
    "Fail": _instruction(
        "Fail",
        "",
        {"message": "message", "named_values": "namedValues|outcome", "uncatchable": "uncatchable"},
    ),
    "Finish": _instruction(
        "Finish",
        "",
        {"outcome": "outcome|-", "message": "-|message", "unsuccessful": "-|unsuccessful"},
    ),
    "If": _instruction(
        "If",
        "",
        {"cases": "ifThens|-", "predicate": "predicate", "then": "then", "otherwise": "else"},
    ),
    "CaseWhen": _instruction("CaseWhen", "cases", {"cases": "-|cases", "otherwise": "else"}),
    "Fork": _instruction(
        "Fork",
        "branches",
        {"branches": "branches", "join_if_failed": "joinIfFailed", "agent": "agentPath|agentName"},
    ),
    "ForkList": _instruction(
        "ForkList",
        "children child_to_id body",
        {
            "children": "children",
            "child_to_id": "childToId",
            "child_to_arguments": "childToArguments",
            "body": "workflow",
            "join_if_failed": "joinIfFailed",
            "agent": "agentPath|agentName",
        },
    ),
    "Options": _instruction("Options", "body", {"stop_on_failure": "stopOnFailure", "body": "block"}),
    "Execute.Named": _instruction(
        "Execute.Named", "job_name", {"job_name": "jobName", "arguments": "defaultArguments"}
    ),
    "Execute.Anonymous": _instruction("Execute.Anonymous", "job", {"job": "job", "arguments": "defaultArguments"}),
    "Prompt": _instruction("Prompt", "question", {"question": "question"}),
    "Sleep": _instruction("Sleep", "duration", {"duration": "duration"}),
}
"""By TYPE. A trailing `ImplicitEnd` may be written, too; it says nothing."""

NOT_PLAYED = frozenset((
    "AddOrder", "AdmissionTime", "Break", "BreakOrder", "ConsumeNotices", "Cycle", "EmptyInstruction", "End",
    "ExpectNotice", "ExpectNotices", "Gap", "ImplicitEnd", "PostNotice", "PostNotices", "Say", "StickySubagent", "Stop",
))  # fmt: skip
"""Instructions of JS7 that are refused by name (J55)."""
