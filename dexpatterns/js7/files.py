"""Workflow and lock files, read and written: every way in which a file can be wrong is told with its place.

`load` takes a file, a folder, or what `json.load` made of one, in either dialect and the older forms (J113), and
gives the items; `dump` writes items in one dialect. Loading executes nothing, follows no name in a file, and reads
no more than the stated limit. What the fields mean is `decode`'s business.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from dexpatterns.engine.texts import visible
from dexpatterns.errors import InputError, WorkflowFileError
from dexpatterns.js7 import decode, encode
from dexpatterns.js7.evaluation import show
from dexpatterns.js7.fields import At, Dialect, suggest
from dexpatterns.js7.instructions import Lock, LockInstruction, Workflow

__all__ = ["MAX_BYTES", "Item", "check_references", "dump", "load"]

MAX_BYTES = 10_000_000
"""Largest file that is read, in bytes (J59)."""

Item = Workflow | Lock
_Source = str | os.PathLike[str] | Mapping[str, Any] | Sequence[Any]

_SUFFIXES = {".workflow.json": "Workflow", ".lock.json": "Lock"}
_TYPES = ("Workflow", "Lock")


def load(source: _Source) -> tuple[Item, ...]:
    """The workflows and locks of a source, in their order; raises `WorkflowFileError`.

    A source is the path of a JSON file (one item, or an array of them), the path of a folder (its `*.workflow.json`
    and `*.lock.json` files, those of its subfolders too), an item as a dict, or a list of such sources. An item
    without a `path` is named after its file. When the source brings locks, each one that a workflow names must be
    among them (J58).

    >>> load([{"path": "L", "limit": 2}, {"path": "W", "instructions": [
    ...     {"TYPE": "Lock", "demands": [{"lockPath": "L", "count": 1}], "lockedWorkflow": {"instructions": []}}]}])[0]
    Lock(path='L', limit=2)
    """
    loader = _Loader()
    loader.add(source, At(""))
    if not loader.items:
        raise WorkflowFileError("there is no workflow and no lock in what was given; expected at least one")
    locks = {item.path for item in loader.items if isinstance(item, Lock)}
    if locks:
        for name, at in loader.references:
            if name not in locks:
                raise at.error(_unknown_lock(name, locks))
    return tuple(loader.items)


def check_references(items: Iterable[Item]) -> None:
    """Refuse items of which a workflow names a lock that is not among them, or two of one name (J31)."""
    items = _listed(items)
    locks = {item.path for item in items if isinstance(item, Lock)}
    seen: set[tuple[type, str]] = set()
    for item in items:
        if (type(item), item.path) in seen:
            raise WorkflowFileError(f"{item} is given twice; leave one of them out")
        seen.add((type(item), item.path))
        if isinstance(item, Workflow):
            _check_locks(item, locks)


def _listed(items: Any) -> tuple[Item, ...]:
    if isinstance(items, (Workflow, Lock)):
        return (items,)
    if isinstance(items, (str, type)) or not isinstance(items, Iterable):
        raise WorkflowFileError(f"expected workflows and locks, got {items!r}; js7.load makes them of files")
    listed = tuple(items)
    for item in listed:
        if not isinstance(item, (Workflow, Lock)):
            raise WorkflowFileError(f"expected a workflow or a lock, got {item!r}; js7.load makes them of files")
    return listed


def _check_locks(workflow: Workflow, locks: set[str]) -> None:
    for position, instruction in workflow.walk():
        for path in instruction.paths if isinstance(instruction, LockInstruction) else ():
            if path not in locks:
                where = f"{workflow.source}: " if workflow.source else ""
                place = json.dumps(position, ensure_ascii=False)
                raise WorkflowFileError(f"{where}{workflow} at {place}: {_unknown_lock(path, locks)}")


def dump(items: Item | Iterable[Item], dialect: Dialect = "controller", folder: str | Path | None = None) -> list[Any]:
    """The items as JSON values in a dialect, which `load` reads back to equal items.

    With `folder` each one is also written there, as `NAME.workflow.json` or `NAME.lock.json`, over what was there.
    Raises `WorkflowFileError` for what the dialect cannot say; then nothing is written.
    """
    if dialect not in get_args(Dialect):
        raise InputError(f"unknown dialect {dialect!r}{suggest(str(dialect), get_args(Dialect))}")
    if folder is not None and not isinstance(folder, (str, os.PathLike)):
        raise InputError(f"folder: expected the path of a folder, got {folder!r}; give it as a text or a Path")
    listed = _listed(items)
    made = [encode.item(item, dialect) for item in listed]
    if folder is not None:
        texts = {
            _file_name(item): json.dumps(one, ensure_ascii=False, indent=2) + "\n"
            for item, one in zip(listed, made, strict=True)
        }
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            for name, text in texts.items():
                (Path(folder) / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise WorkflowFileError(f"{folder}: cannot be written: {error.strerror or error}") from None
    return made


def _file_name(item: Item) -> str:
    if re.search(r"[/\\\x00-\x1f:]", item.path) or item.path in (".", ".."):
        raise WorkflowFileError(
            f"{item} cannot be a file's name; expected one without '/', '\\', ':' and control characters"
        )
    return f"{item.path}.{type(item).__name__.lower()}.json"


def _unknown_lock(name: str, locks: Iterable[str]) -> str:
    return f"unknown lock '{name}' (MissingReferencedItem){suggest(name, sorted(locks))}"


class _Loader:
    """Collects the items of one source."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.references: list[decode.LockReference] = []
        self.places: dict[tuple[str, str], At] = {}

    def add(self, source: Any, at: At) -> None:
        if isinstance(source, Mapping):
            self.item(source, at)
        elif isinstance(source, (str, os.PathLike)):
            self.path(source)
        elif isinstance(source, (list, tuple)):
            for i, one in enumerate(source):
                if isinstance(one, (list, tuple)):
                    raise at.then(i).error("expected a workflow or a lock, got a list inside of a list")
                self.add(one, at.then(i))
        else:
            raise at.error(f"expected a path, a dict, or a list of them, got {show(source)}")

    def path(self, source: str | os.PathLike[str]) -> None:
        if isinstance(source, str) and source.lstrip()[:1] in ("{", "["):
            raise WorkflowFileError("expected a path, got JSON text; pass json.loads(text)")
        path = Path(source)
        try:
            if not path.is_dir():
                self.file(path)
                return
            files = sorted(p for p in path.rglob("*.json") if _suffix(p) and p.is_file())
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from None
        if not files:
            raise WorkflowFileError(f"{path}: the folder has no *.workflow.json and no *.lock.json file")
        for file in files:
            self.file(file)

    def file(self, path: Path) -> None:
        at = At(str(path))
        value = _json(_read(path), at)
        suffix = _suffix(path)
        name = path.name[: -len(suffix)] if suffix else None
        if isinstance(value, list):
            for i, one in enumerate(value):
                self.item(one, at.then(i))
        else:
            self.item(value, at, name, _SUFFIXES.get(suffix))

    def item(self, value: Any, at: At, name: str | None = None, expected: str | None = None) -> None:
        kind = _type(value, at, expected)
        item: Item
        if kind == "Lock":
            item = decode.lock(value, at, name)
        else:
            item, references = decode.workflow(value, at, name)
            self.references += references
        first = self.places.setdefault((kind, item.path), at)
        if first is not at:
            raise at.error(f"{item} is given twice, at {first} already; leave one of them out")
        self.items.append(item)


def _suffix(path: Path) -> str:
    return next((suffix for suffix in _SUFFIXES if path.name.endswith(suffix) and path.name != suffix), "")


def _type(value: Any, at: At, expected: str | None) -> str:
    """Whether a value is a workflow or a lock, by its TYPE, its file's name or its fields."""
    if not isinstance(value, Mapping):
        raise at.error(f"expected a workflow or a lock as an object, got {show(value)}")
    kind = value.get("TYPE", expected)
    if kind is None:
        kind = "Workflow" if "instructions" in value else "Lock" if "limit" in value else None
    if kind is None:
        raise at.error("this is not a workflow and not a lock: it has no 'instructions' and no TYPE 'Lock'")
    if kind not in _TYPES:
        raise at.then("TYPE").error(f"unknown TYPE {show(kind)}{suggest(str(kind), _TYPES)}")
    if expected is not None and kind != expected:
        raise at.then("TYPE").error(f"the file's name says {expected}, its TYPE says {kind}; rename the file")
    return str(kind)


# --- bytes to JSON values ------------------------------------------------------------------------------------------


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = b"" if size > MAX_BYTES else file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    size = max(size, len(data))
    if size > MAX_BYTES:
        more = f"has {size:,} bytes" if len(data) <= MAX_BYTES else "is longer"
        raise WorkflowFileError(
            f"{path}: the file {more}, expected at most {MAX_BYTES:,}; split it into one for each item"
        )
    return data


def _unreadable(path: Path, error: Exception) -> WorkflowFileError:
    shown = visible(str(path))
    if isinstance(error, FileNotFoundError):
        try:
            beside = sorted(p.name for p in path.parent.iterdir() if p.suffix == ".json" or p.is_dir())
        except OSError:
            return WorkflowFileError(f"{shown}: no such file, and no such folder around it")
        return WorkflowFileError(f"{shown}: no such file{suggest(path.name, beside)}")
    return WorkflowFileError(f"{shown}: cannot be read: {getattr(error, 'strerror', None) or error}")


def _json(data: bytes, at: At) -> Any:
    import msgspec

    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        place = _line_and_column(data, error.start)
        raise WorkflowFileError(
            f"{at.source}, {place}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        ) from None
    try:
        value = msgspec.json.decode(data)
        _refuse_twins(data, at)
    except RecursionError:
        raise WorkflowFileError(
            f"{at.source}: nested too deeply; expected at most {decode.MAX_NESTING} instructions inside each other"
        ) from None
    except msgspec.MsgspecError as error:
        raise _malformed(data, str(error), at) from None
    return value


def _malformed(data: bytes, problem: str, at: At) -> WorkflowFileError:
    if not data.strip():
        return WorkflowFileError(f"{at.source}: the file is empty; expected a workflow or a lock in JSON")
    problem = problem.removeprefix("JSON is malformed: ")
    found = re.fullmatch(r"(.*) \(byte (\d+)\)", problem)
    place = ""
    if found:
        problem = found[1]
        # msgspec counts what trails from 1, everything else from 0.
        place = f", {_line_and_column(data, int(found[2]) - (problem == 'trailing characters'))}"
    elif problem == "Input data was truncated":
        place = f", {_line_and_column(data, len(data))}"
    return WorkflowFileError(f"{at.source}{place}: this is not JSON: {problem}")


def _line_and_column(data: bytes, byte: int) -> str:
    before = data[:byte].decode("utf-8", "replace")
    return f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"


def _refuse_twins(data: bytes, at: At) -> None:
    """Refuse a field that stands twice in one object: msgspec keeps the last one, and a demand would be lost."""

    def check(pairs: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            twin = next(name for name in names if names.count(name) > 1)
            written = re.finditer(re.escape(json.dumps(twin, ensure_ascii=False).encode()) + rb"\s*:", data)
            lines = sorted({data.count(b"\n", 0, match.start()) + 1 for match in written})[:10]
            where = f" (it is written on {'lines' if len(lines) > 1 else 'line'} {', '.join(map(str, lines))})"
            raise WorkflowFileError(
                f"{at.source}: the field '{twin}' stands twice in one object{where if lines else ''}"
            )

    json.loads(data, object_pairs_hook=check)
