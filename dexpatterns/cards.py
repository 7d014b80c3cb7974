"""What stands in a catalog folder: `pattern.toml` as a `Card`, checked word by word, and its code, run when asked for.

Each fault is told with its place and mend. Reading a card runs no code; `run_code` runs it as a package of its own, in
this process. Whether the claims that a card names are there, and hold, is for others to see.
"""

from __future__ import annotations

import importlib
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from dexpatterns import toml_file
from dexpatterns.errors import InputError
from dexpatterns.toml_file import in_each_language, table, text

if TYPE_CHECKING:
    from dexpatterns.dex.flow import Flow

__all__ = [
    "DEX", "FILES", "JS7", "KINDS", "Card", "flows_of", "form_of", "read_card", "run_code",
]  # fmt: skip

KINDS = ("pattern", "anti-pattern")
FILES = ("pattern.toml", "flow.py", "world.py")
DEX, JS7 = "dex", "js7"
"""The forms of a folder: Flows in `flow.py`, or resource locks in workflow and lock files."""
_WORKFLOWS = "*.workflow.json"


class Card(NamedTuple):
    """What `pattern.toml` says."""

    id: str
    kind: str
    title: dict[str, str]
    summary: dict[str, str]
    repairs: tuple[str, ...]
    repaired_by: tuple[str, ...]
    claims: dict[str, dict[str, str]]


def form_of(folder: Path) -> str:
    """`DEX` or `JS7`; raises `InputError` for a folder that is both."""
    if not any(folder.glob(_WORKFLOWS)):
        return DEX
    if (folder / "flow.py").exists():
        raise InputError(f"{folder}: expected flow.py or {_WORKFLOWS} files, got both; make two folders of it")
    return JS7


def read_card(folder: Path) -> Card:
    """The card of a folder; raises `InputError` for the first thing that is missing, unknown or of the wrong kind."""
    files = FILES if form_of(folder) == DEX else tuple(name for name in FILES if name != "flow.py")
    for name in files:
        if not (folder / name).is_file():
            raise InputError(f"{folder}: expected {', '.join(files)}, got no {name}; write it or remove the folder")
    file = folder / "pattern.toml"
    data = toml_file.read(file)
    for key in data:
        if key not in Card._fields:
            raise InputError(f"{file}: unknown key {key!r}; expected one of {', '.join(Card._fields)}")
    card = Card(
        id=text(file, "id", data.get("id")),
        kind=text(file, "kind", data.get("kind")),
        title=in_each_language(file, "title", data.get("title")),
        summary=in_each_language(file, "summary", data.get("summary")),
        repairs=_names(file, "repairs", data.get("repairs", [])),
        repaired_by=_names(file, "repaired_by", data.get("repaired_by", [])),
        claims={
            name: in_each_language(file, f"claims.{name}", words)
            for name, words in table(file, "claims", data.get("claims", {})).items()
        },
    )
    if card.kind not in KINDS:
        raise InputError(f"{file}: kind is {card.kind!r}; expected {' or '.join(map(repr, KINDS))}")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", card.id):
        raise InputError(f"{file}: id is {card.id!r}; expected lower-case words joined by '-'")
    if card.id != folder.name:
        raise InputError(f"{file}: id is {card.id!r}, the folder {folder.name!r}; expected the same, rename one")
    return card


def _names(file: Path, key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InputError(f"{file}: {key}: expected a list of ids, got {value!r}; write {key} = ['...']")
    return tuple(text(file, key, name) for name in value)


# flow.py and world.py.


def run_code(folder: Path, package: str, modules: Iterable[str]) -> dict[str, ModuleType]:
    """Import modules of a folder as a package, in which `world.py` says `from .flow import ...`; by their names.

    Raises `InputError` for whatever they raise.
    """
    sys.modules.setdefault("dexpatterns_catalog", _namespace("dexpatterns_catalog", []))
    sys.modules[package] = _namespace(package, [str(folder)])
    importlib.invalidate_caches()
    try:
        with _no_bytecode():
            return {name: importlib.import_module(f"{package}.{name}") for name in modules}
    except (Exception, SystemExit) as error:  # the code is somebody's: whatever it raises is the folder's fault
        for name in [name for name in sys.modules if name == package or name.startswith(package + ".")]:
            del sys.modules[name]
        raise InputError(f"{_place(folder, error)}: {_told(error)}; mend it there") from error


def _namespace(name: str, path: list[str]) -> ModuleType:
    module = ModuleType(name)
    module.__path__ = path
    return module


@contextmanager
def _no_bytecode() -> Iterator[None]:
    """Leave no `__pycache__` in a folder of content: two saves within a second would also leave a stale one."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def _told(error: BaseException) -> str:
    """The error in one line that fits a message."""
    words = " ".join(f"{type(error).__name__}: {error}".split())
    return words if len(words) <= 300 else words[:297] + "..."


def _place(folder: Path, error: BaseException) -> str:
    """The file and line in the folder that the error came from."""
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).parent == folder:
        return f"{error.filename}, line {error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if Path(frame.filename).parent == folder]
    return f"{inside[-1].filename}, line {inside[-1].lineno}" if inside else str(folder)


def flows_of(folder: Path, module: ModuleType) -> tuple[Flow[Any], ...]:
    """An instance of each Flow that the module defines; raises `InputError` when there is none, or one is not made."""
    from dexpatterns.dex.flow import Flow

    found = [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, Flow) and thing.__module__ == module.__name__
    ]
    if not found:
        raise InputError(f"{folder / 'flow.py'}: expected a class that extends Flow, got none; define one")
    made = []
    for cls in dict.fromkeys(found):
        try:
            made.append(cls())
        except Exception as error:  # a constructor is the folder's code too
            raise InputError(
                f"{folder / 'flow.py'}: {cls.__name__}() raised {_told(error)}; "
                "a catalog Flow is made without arguments"
            ) from error
    return tuple(made)
