"""The Python files of a folder of content, run as a package of its own; whatever they raise is the folder's fault.

They run in this process, without a fence: it is for whoever calls this to say that the folder is trusted. What the
code has to say is not known here.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dexpatterns.errors import DexpatternsError, InputError, in_one_line

if TYPE_CHECKING:
    from dexpatterns.dex.flow import Flow

__all__ = ["blaming", "flows_of", "run_code"]


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
        raise _fault(folder, error) from error


@contextmanager
def blaming(folder: Path) -> Iterator[None]:
    """Around a call of a folder's function: what it raises becomes `InputError`, unless it is our own kind already."""
    try:
        yield
    except DexpatternsError:
        raise
    except (Exception, SystemExit) as error:
        raise _fault(folder, error) from error


def _fault(folder: Path, error: BaseException) -> InputError:
    return InputError(f"{_place(folder, error)}: {in_one_line(error)}; mend it there")


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
                f"{folder / 'flow.py'}: {cls.__name__}() raised {in_one_line(error)}; "
                "a catalog Flow is made without arguments"
            ) from error
    return tuple(made)
