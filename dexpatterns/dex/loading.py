"""What a person hands to the command becomes a Flow or a Scenario: `file.py:Flow`, `file.py:make_flow`, `file.py:NAME`.

The file is run, with everything that it does when it is imported: name only files that you would run. In it
`import dex` means our authoring names (`user_code`), so a module written for the real system is loaded as it is.
Whatever goes wrong is an `InputError` with the file, its line, what was expected and the mend. This module knows no
machine.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from dexpatterns.dex import user_code
from dexpatterns.dex.flow import Flow
from dexpatterns.dex.inputs import read_input
from dexpatterns.dex.real_names import NotModelledError, explain
from dexpatterns.dex.scenario import Scenario
from dexpatterns.dex.step import Step
from dexpatterns.errors import DexpatternsError, InputError

__all__ = ["MAX_BYTES", "load_flow", "load_scenario", "read_input"]

MAX_BYTES = 10_000_000
"""A larger Python file is refused before it is read."""

_MOST_NAMES = 5


class _Wanted(NamedTuple):
    """What is loaded."""

    cls: type[Any]
    noun: str
    example: str
    factory: str
    """What a factory is called in the mend, and what it returns there."""


_FLOW = _Wanted(Flow, "a Flow", "orders.py:OrderFlow", "make_flow")
_SCENARIO = _Wanted(Scenario, "a Scenario", "scenarios.py:SLOW", "make_scenario")


def load_flow(target: str) -> Flow[Any]:
    """The Flow of `file.py:Name`: a Flow class or instance, or a function without required arguments that makes one.

    Raises `InputError` for a file that cannot be run, a name that is not there, and what is no Flow.
    """
    flow: Flow[Any] = _load(target, _FLOW)
    return flow


def load_scenario(target: str) -> Scenario:
    """The Scenario of `file.py:NAME`, or what a function of that name makes; errors as of `load_flow`.

    A file that imports a Flow's module, or is that module, names the same Step classes as the Flow that was loaded.
    """
    scenario: Scenario = _load(target, _SCENARIO)
    return scenario


def _load(target: str, wanted: _Wanted) -> Any:
    file, name = _split(target, wanted)
    path = _checked(Path(file), file)
    try:
        module = user_code.run_file(path)
    except (Exception, SystemExit) as raised:  # the file is somebody's code: whatever it raises
        raise _fault(raised, str(path), "mend it there") from raised
    if name not in vars(module):
        raise InputError(f"{file}: it has no {name!r}; {_instead(name, module, wanted)}")
    return _made(vars(module)[name], f"{file}:{name}", module, wanted)


# The target.


def _split(target: str, wanted: _Wanted) -> tuple[str, str]:
    """The file and the name; a colon of a Windows path is none of ours."""
    if not isinstance(target, str):
        raise InputError(f"expected a file and a name in it as a text, got {target!r}; write {wanted.example!r}")
    file, _, name = target.rpartition(":")
    if file and name.isidentifier():
        return file, name
    if file.endswith(".py"):
        raise InputError(f"{target!r}: expected a name after the colon, got {name!r}; write {wanted.example}")
    known = _written(Path(target), wanted) if target.endswith(".py") else []
    hint = f"it has {' and '.join(known)}" if known else f"such as {wanted.example}"
    raise InputError(f"{target!r}: expected a file and a name in it, got no name; write {_short(target)}:NAME, {hint}")


def _short(target: str) -> str:
    return target if target.endswith(".py") else "file.py"


def _written(path: Path, wanted: _Wanted) -> list[str]:
    """What of this kind the text of a file seems to have; nothing is run."""
    try:
        body = ast.parse(_checked(path, str(path)).read_bytes()).body
    except (DexpatternsError, SyntaxError, ValueError, OSError, RecursionError, MemoryError):
        return []
    found = []
    for node in body:
        match node:
            case ast.ClassDef(name=name, bases=[kind, *_]) | ast.FunctionDef(name=name, returns=ast.AST() as kind):
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=kind)):
                pass
            case _:
                continue
        if wanted.cls.__name__ in ast.unparse(kind):
            found.append(name)
    return found


def _checked(path: Path, file: str) -> Path:
    try:
        if path.is_dir():
            raise InputError(f"{file!r}: expected a Python file, got a folder; name the file inside it")
        if path.suffix.lower() != ".py":
            raise InputError(f"{file!r}: expected a Python file, got one that ends in {path.suffix!r}; name a .py file")
        size = path.stat().st_size
        with path.open("rb"):
            pass
    except FileNotFoundError:
        raise InputError(f"{file!r}: expected a Python file, got no such file; check the path") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{file!r}: expected a file that can be read, got {reason.lower()}; check the path") from None
    if size > MAX_BYTES:
        limit = f"{MAX_BYTES // 1_000_000} MB"
        raise InputError(f"{file!r}: expected at most {limit} of Python, got more; name another file")
    return path


# What the name stands for.


def _made(value: Any, where: str, module: ModuleType, wanted: _Wanted) -> Any:
    if isinstance(value, wanted.cls):
        return value
    subclass = isinstance(value, type) and issubclass(value, wanted.cls) and value is not wanted.cls
    if not subclass and (isinstance(value, type) or not callable(value)):
        raise InputError(f"{where}: expected {wanted.noun}, got {_found(value)}; {_instead('', module, wanted)}")
    if needed := _required(value):
        raise InputError(f"{where}: {_needs(value, needed, where, wanted)}")
    try:
        made = value()
    except (Exception, SystemExit) as raised:  # as above
        raise _fault(raised, where, "it is called without arguments") from raised
    if isinstance(made, wanted.cls):
        return made
    if inspect.iscoroutine(made):
        made.close()
        raise InputError(f"{where}: expected {wanted.noun}, got a coroutine; make it a plain def")
    raise InputError(f"{where}: expected it to return {wanted.noun}, got {_found(made)}; return one")


def _found(value: Any) -> str:
    if isinstance(value, type):
        return f"the {'Step' if issubclass(value, Step) else 'class'} {value.__name__}"
    return "None" if value is None else f"a {type(value).__name__}"


def _required(function: Callable[..., Any]) -> list[str]:
    """The parameters without a default."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    spread = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.default is p.empty and p.kind not in spread]


def _needs(value: Any, needed: list[str], where: str, wanted: _Wanted) -> str:
    names = ", ".join(map(repr, needed))
    if not isinstance(value, type):
        return f"expected a function without required arguments, got one that needs {names}; give them defaults"
    fakes = ", ".join(f"Fake{re.sub('_', ' ', name).title().replace(' ', '')}()" for name in needed)
    file = where.rpartition(":")[0]
    return (
        f"expected a class without constructor arguments, got one that needs {names}; write a factory, "
        f"'def {wanted.factory}(): return {value.__name__}({fakes})', and name it: {file}:{wanted.factory}"
    )


def _instead(name: str, module: ModuleType, wanted: _Wanted) -> str:
    """What to name instead: what is near, or all that there is."""
    there = [one for one, value in vars(module).items() if one[0] != "_" and _will_do(value, module, wanted)]
    there.sort(key=lambda one: inspect.isfunction(vars(module)[one]))
    near = difflib.get_close_matches(name, there, n=2) if name else []
    if near or there:
        more = f" or one of {len(there) - _MOST_NAMES} more" if len(there) > _MOST_NAMES else ""
        return f"did you mean {_any_of(near)}?" if near else f"expected {_any_of(there[:_MOST_NAMES])}{more}"
    return f"define {wanted.noun} there, or a function that makes one"


def _any_of(names: Iterable[str]) -> str:
    return " or ".join(map(repr, names))


def _will_do(value: Any, module: ModuleType, wanted: _Wanted) -> bool:
    """Whether this may be what is wanted: one, a class of them, or a function of the module itself."""
    if isinstance(value, type):
        return issubclass(value, wanted.cls) and value is not wanted.cls
    own = inspect.isfunction(value) and value.__module__ == module.__name__ and not _required(value)
    return isinstance(value, wanted.cls) or own


# What the file raised.

_MISSING = "install it where this runs, or import it where it is used"


def _fault(raised: BaseException, where: str, mend: str) -> DexpatternsError:
    """The error to raise instead: whose line it was, in the words of what was raised."""
    place = user_code.place_of(raised) or where
    if isinstance(raised, NotModelledError):
        return raised
    if isinstance(raised, DexpatternsError):
        return type(raised)(f"{place}: {raised}")
    if isinstance(raised, RecursionError):
        return InputError(f"{place}: RecursionError: it calls or nests without end; {mend}")
    if (said := explain(raised)) is not None:
        return InputError(f"{place}: {said}")
    if isinstance(raised, SyntaxError):
        return InputError(f"{place}: expected Python, got a {type(raised).__name__}: {raised.msg}; {mend}")
    if isinstance(raised, ModuleNotFoundError):
        mend = _MISSING
    text = " ".join(user_code.plain_names(str(raised)).split())
    text = text if len(text) <= 500 else text[:497] + "..."
    return InputError(f"{place}: {type(raised).__name__}{': ' * bool(text)}{text}; {mend}")
