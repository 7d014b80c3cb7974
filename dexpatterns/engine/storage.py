"""A run as a file: JSON that is data only, written whole or not at all, and checked word by word when it is read.

Loading builds events from a given vocabulary and nothing else: no class, function or path is ever taken from the
file. Whatever is wrong with it is one `RunFileError` that names the file and the mend. This module knows no machine
and no view.
"""

from __future__ import annotations

import io
import json
import math
import os
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TextIO
from uuid import uuid4

from dexpatterns.engine.machine import Choice, Event, Lineage
from dexpatterns.engine.trace import MAX_SECONDS, Trace, Turn
from dexpatterns.engine.values import NOTHING, Data, freeze
from dexpatterns.errors import DexpatternsError, RunFileError

__all__ = ["FORMAT", "MAX_BYTES", "VERSION", "KeptSection", "Stored", "dumps", "loads", "read", "write", "write_whole"]

FORMAT = "dexpatterns run"
VERSION = 1
MAX_BYTES = 256 * 1024 * 1024
"""Larger files are refused before they are read."""

Vocabulary = Callable[[str], Mapping[str, type[Any]] | None]
"""The event classes of a machine by their kind; None for a machine that is not known."""

Fault = Callable[[Trace], str | None]
"""What stands in the way of showing a run, although each of its events is one; None if nothing does."""


@dataclass(frozen=True, slots=True)
class KeptSection:
    """What a file keeps of a section: its names, and what its label function said."""

    name: str
    steps: tuple[str, ...]
    labels: Mapping[Lineage, str]

    @property
    def label(self) -> None:
        """The function itself is code, and is not kept."""


class Stored(NamedTuple):
    """What a file holds."""

    trace: Trace
    sections: tuple[KeptSection, ...]
    tokens: tuple[str, ...]


def write(path: str | os.PathLike[str], stored: Stored) -> None:
    """Write the run to a file, whole or not at all; raises `RunFileError` when that cannot be done."""
    write_whole(path, "the run", lambda file: _dump(file, stored))


def write_whole(path: str | os.PathLike[str], what: str, dump: Callable[[TextIO], object]) -> None:
    """Write a file beside its place, then move it there; raises `RunFileError` when that cannot be done.

    `what` is what it is called in the message: "the run".
    """
    try:
        target = Path(os.path.realpath(_named(path)))
        # A name of its own: two saves at once do not meet, and what a killed one left is in nobody's way.
        part = target.with_name(f".{uuid4().hex}.part")
        if target.is_dir():
            raise RunFileError(f"cannot save {what} to {str(path)!r}: it is a directory; name a file in it")
        if target.exists() and not target.is_file():
            # What is moved to its place would stand there instead of it: of /dev/null, for everybody.
            raise RunFileError(f"cannot save {what} to {str(path)!r}: it is a device, and no file; name a file")
        try:
            with part.open("x", encoding="utf-8", newline="\n") as file:
                dump(file)
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise RunFileError(
            f"cannot save {what} to {str(path)!r}: {said}; name a file in a directory that you may write to"
        ) from error


def _named(path: str | os.PathLike[str]) -> str:
    try:
        return os.fsdecode(path)
    except TypeError:
        raise RunFileError(f"expected the path of a file, got {path!r}; name one, such as 'run.json'") from None


def _dump(file: TextIO, stored: Stored) -> None:
    """A head, then a line per turn, so that a saved run can be read and compared by people."""
    trace, sections, tokens = stored
    if trace.turns and (trace.turns[-1].time or 0.0) > MAX_SECONDS:
        raise RunFileError(f"a run of more than {MAX_SECONDS:,} seconds (292 years) cannot be kept; shorten its times")
    head = {
        "format": FORMAT,
        "version": VERSION,
        "machine": trace.machine,
        "name": trace.name,
        "seed": trace.seed,
        "outcome": trace.outcome,
        "input": _out(trace.input) if isinstance(trace.input, Data) else {"plain": freeze(trace.input).plain},
        "sections": [
            {"name": s.name, "steps": s.steps, "labels": {_text(path): said for path, said in s.labels.items()}}
            for s in sections
        ],
        "tokens": tokens,
        "final": freeze(trace.final).plain,
        "started": [_event_out(event) for event in trace.started],
    }
    file.write("{\n")
    file.writelines(f"{json.dumps(name)}: {_json(value)},\n" for name, value in head.items())
    file.write('"turns": [')
    for n, turn in enumerate(trace.turns):
        line = [turn.number, turn.time, str(turn.choice), [_event_out(event) for event in turn.events]]
        file.write((",\n" if n else "\n") + _json(line))
    file.write("\n]\n}\n")


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no place in UTF-8, but a name as an escape.
        return json.dumps(value, allow_nan=False)
    return text


def _text(path: Lineage) -> str:
    return ".".join(map(str, path))


def _event_out(event: Event) -> dict[str, Any]:
    return {"kind": event.kind, **{name: _out(value) for name, value in event._asdict().items()}}


def _out(value: Any) -> Any:
    """An object stands for a `Data`, and for nothing else; one without a value is `NOTHING`."""
    if isinstance(value, Data):
        return {} if value == NOTHING else {"value": value.plain}
    return [_out(part) for part in value] if isinstance(value, tuple) else value


def dumps(stored: Stored) -> str:
    """What `write` writes."""
    page = io.StringIO()
    _dump(page, stored)
    return page.getvalue()


def loads(text: str, vocabulary: Vocabulary, fault: Fault) -> Stored:
    """Read what `dumps` gave; raises `RunFileError` for anything else."""
    return _read(text, "the pickled run", vocabulary, fault)


def read(path: str | os.PathLike[str], vocabulary: Vocabulary, fault: Fault) -> Stored:
    """Read a file that `write` wrote; raises `RunFileError` for anything else."""
    name = str(path)
    return _read(_read_text(Path(_named(path)), name), name, vocabulary, fault)


def _read(text: str, name: str, vocabulary: Vocabulary, fault: Fault) -> Stored:
    try:
        stored = _stored(_parse(text, name), name, vocabulary)
        wrong = fault(stored.trace)
    except _Wrong as error:
        wrong = f"at {error.where} expected {error.expected}, got {error.got}"
    if wrong is not None:
        raise RunFileError(f"{name!r} is no saved run: {wrong}; a saved run is not edited by hand, save it again")
    return stored


def _read_text(path: Path, name: str) -> str:
    try:
        if path.is_dir():
            raise RunFileError(f"{name!r} is a directory; name the file of a saved run in it")
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise RunFileError(f"cannot read {name!r}: {said}; name a file that `Run.save` wrote") from error
    if len(raw) > MAX_BYTES:
        raise RunFileError(f"{name!r} is larger than {MAX_BYTES // 1024**2} MB; save a run of fewer turns")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RunFileError(
            f"{name!r} is not UTF-8 text (byte {error.start} is {raw[error.start]:#04x}); "
            "a saved run is UTF-8, name another file or save the run again"
        ) from None


def _parse(text: str, name: str) -> dict[str, Any]:
    foreign = RunFileError(f"{name!r} is not a saved run of dexpatterns; name a file that `Run.save` wrote")
    if not text.strip():
        raise RunFileError(f"{name!r} is empty; save the run again")
    # Told before the whole is parsed: junk of any size is refused at once.
    if not text.lstrip().startswith("{") or '"format"' not in text[:1000]:
        raise foreign
    try:
        found = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) - 1 or "Unterminated string" in error.msg:
            lines = text.count("\n") + 1
            raise RunFileError(f"{name!r} is cut off after line {lines}; save the run again") from None
        raise RunFileError(
            f"{name!r} is damaged at line {error.lineno}, column {error.colno}: {error.msg}; save the run again"
        ) from None
    except (RecursionError, ValueError):
        raise RunFileError(f"{name!r} holds a value that no run can hold; save the run again") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise foreign
    if found.get("version") != VERSION or isinstance(found["version"], bool):
        raise RunFileError(
            f"{name!r} was saved by another version: its format is {str(found.get('version'))[:20]!r}, expected "
            f"{VERSION}; load it with the dexpatterns that saved it, or make the run again"
        )
    return found


def _no_constant(name: str) -> None:
    raise ValueError(name)


class _Wrong(Exception):
    """Something in the file is not what it must be there."""

    def __init__(self, where: str, expected: str, value: Any) -> None:
        self.where = where
        self.expected = expected
        said = repr(value)
        self.got = said if len(said) <= 60 else f"{said[:60]}..."


_Reader = Callable[[Any, str], Any]

_FIELDS = {
    "format", "version", "machine", "name", "seed", "outcome", "input", "sections", "tokens", "final", "started",
    "turns",
}  # fmt: skip


def _stored(found: dict[str, Any], name: str, vocabulary: Vocabulary) -> Stored:
    missing = sorted(_FIELDS - set(found))
    if missing:
        raise _Wrong("the top", f"a field {missing[0]!r}", sorted(found)[:12])
    machine = _read_as(str)(found["machine"], "machine")
    kinds = vocabulary(machine)
    if kinds is None:
        raise RunFileError(
            f"{name!r} is a run of a machine {machine[:40]!r}, which this version does not know; "
            "load it with the dexpatterns that saved it"
        )
    trace = Trace(
        machine,
        _read_as(str)(found["name"], "name"),
        _input(found["input"]),
        _read_as(int | None)(found["seed"], "seed"),
        _events(found["started"], "started", kinds),
        tuple(_turns(_list(found["turns"], "turns"), kinds)),
        _dict(found["final"], "final"),
        _read_as(str | None)(found["outcome"], "outcome"),
    )
    sections = tuple(_section(one, f"sections[{i}]") for i, one in enumerate(_list(found["sections"], "sections")))
    return Stored(trace, sections, _read_as(tuple[str, ...])(found["tokens"], "tokens"))


def _input(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"plain"}:
        return value["plain"]
    return _data(value, "input")


def _section(value: Any, where: str) -> KeptSection:
    found = _dict(value, where)
    if set(found) != {"name", "steps", "labels"}:
        raise _Wrong(where, "name, steps and labels", sorted(found))
    labels = {}
    for text, said in _dict(found["labels"], f"{where}.labels").items():
        path = text.split(".")
        if not all(part.isascii() and part.isdigit() for part in path):
            raise _Wrong(f"{where}.labels", "a lineage such as '0.1.2'", text)
        labels[tuple(map(int, path))] = _read_as(str)(said, f"{where}.labels[{text}]")
    steps = _read_as(tuple[str, ...])(found["steps"], f"{where}.steps")
    return KeptSection(_read_as(str)(found["name"], f"{where}.name"), steps, labels)


def _turns(found: list[Any], kinds: Mapping[str, type[Any]]) -> Iterator[Turn]:
    before: float | None = None
    for number, line in enumerate(found, 1):
        where = f"turn {number}"
        if not isinstance(line, list) or len(line) != 4:
            raise _Wrong(where, "[number, time, move, events]", line)
        if type(line[0]) is not int or line[0] != number:
            raise _Wrong(where, f"its number {number}", line[0])
        time = line[1]
        if time is not None:
            time = _read_as(float)(time, f"{where}, time")
            if time < (before or 0.0):
                raise _Wrong(f"{where}, time", f"seconds from {before or 0.0} on", time)
            if time > MAX_SECONDS:
                raise _Wrong(f"{where}, time", f"at most {MAX_SECONDS:,} seconds (292 years)", time)
        if number > 1 and (time is None) is not (before is None):
            raise _Wrong(f"{where}, time", "either a time in every turn or in none", time)
        before = time
        try:
            choice = Choice.parse(_read_as(str)(line[2], f"{where}, move"))
        except DexpatternsError:
            raise _Wrong(f"{where}, move", "KIND NAME LINEAGE", line[2]) from None
        yield Turn(number, time, choice, _events(line[3], where, kinds))


def _events(value: Any, where: str, kinds: Mapping[str, type[Any]]) -> tuple[Event, ...]:
    return tuple([_event(one, f"{where}, event {i}", kinds) for i, one in enumerate(_list(value, where), 1)])


def _event(value: Any, where: str, kinds: Mapping[str, type[Any]]) -> Any:
    fields = _dict(value, where)
    kind = fields.get("kind")
    cls: Any = kinds.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise _Wrong(where, "an event of a known kind", kind)
    readers = _readers_of(cls)
    if len(fields) != len(readers) + 1:
        raise _Wrong(where, f"the fields {', '.join(name for name, _ in readers)}", sorted(fields))
    made = []
    for name, reader in readers:
        if name not in fields:
            raise _Wrong(where, f"a field {name!r}", sorted(fields))
        made.append(reader(fields[name], f"{where}, {name}"))
    return cls(*made)


@cache
def _readers_of(cls: type[Any]) -> tuple[tuple[str, _Reader], ...]:
    hints: dict[str, Any] = typing.get_type_hints(cls)
    return tuple((name, _read_as(hints[name])) for name in cls._fields)


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _Wrong(where, "a list", value)
    return value


def _dict(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Wrong(where, "an object", value)
    return value


def _data(value: Any, where: str) -> Data:
    if value == {}:
        return NOTHING
    if not isinstance(value, dict) or set(value) != {"value"}:
        raise _Wrong(where, "an object with a value", value)
    try:
        return freeze(value["value"])
    except DexpatternsError:
        raise _Wrong(where, "a value that is not nested too deeply", "a deeper one") from None


def _anything(value: Any, where: str) -> Any:
    if isinstance(value, dict):
        return _data(value, where)
    return tuple([_anything(part, where) for part in value]) if isinstance(value, list) else value


@cache
def _read_as(hint: Any) -> _Reader:
    """How a value of this type is read back: everything that `_out` writes, checked all the way down."""
    if hint is Any:
        return _anything
    if hint is Data:
        return _data
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _read_union(hint, tuple(_read_as(part) for part in parts))
    if origin is tuple:
        if len(parts) == 2 and parts[1] is ...:
            return _read_many(_read_as(parts[0]))
        return _read_row(hint, tuple(_read_as(part) for part in parts))
    wanted = {float: (float, int)}.get(hint, (hint,))

    def plain(value: Any, where: str) -> Any:
        if type(value) not in wanted:
            raise _Wrong(where, "null" if hint is type(None) else f"a value of type {hint.__name__}", value)
        if type(value) is float and not math.isfinite(value):
            raise _Wrong(where, "a number that is finite", value)
        return value

    return plain


def _read_union(hint: Any, readers: Iterable[_Reader]) -> _Reader:
    def union(value: Any, where: str) -> Any:
        for reader in readers:
            with suppress(_Wrong):
                return reader(value, where)
        raise _Wrong(where, f"{hint}", value)

    return union


def _read_many(reader: _Reader) -> _Reader:
    return lambda value, where: tuple([reader(part, where) for part in _list(value, where)])


def _read_row(hint: Any, readers: tuple[_Reader, ...]) -> _Reader:
    def row(value: Any, where: str) -> Any:
        parts = _list(value, where)
        if len(parts) != len(readers):
            raise _Wrong(where, f"{hint}", value)
        return tuple([reader(part, where) for reader, part in zip(readers, parts, strict=True)])

    return row
