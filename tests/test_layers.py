"""Imports run one way, from errors at the bottom to cli at the top: RANKS says which room stands where."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "dexpatterns"

RANKS = [
    {"errors"},
    {"engine"},
    {"dex", "js7"},
    {"audit", "claims", "views"},
    {"folders"},
    {"catalog", "edits", "exercises", "terminal"},
    {"pages"},
    {"commands"},
    {"cli"},
]
RANK = {room: rank for rank, rooms in enumerate(RANKS) for room in rooms}

EXCEPTIONS = {("engine/looking.py", "views"), ("catalog.py", "pages")}
"""`Run` asks for its pictures and tables here, `Pattern` for its page, and nowhere else; inside a function, so that
both stay light."""

HEAVY = {"pandas", "graphviz", "ipywidgets", "anywidget", "IPython", "numpy"}
"""For views and what stands above them alone."""

MACHINES = {"dexpatterns.dex.machine", "dexpatterns.js7.machine", "dexpatterns.engine.simulator"}
"""Views read traces; the stepper alone may hold a machine."""


class Import(NamedTuple):
    file: str
    """Under the package, with slashes."""
    line: int
    module: str
    """In full; `from a import b` is `a.b` when that is a module of ours, else `a`."""
    inner: bool
    """Inside a function."""


def imports_of(source: str, file: str) -> Iterator[Import]:
    """Every import in the text of a module, also those for the type checker and those made by name."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    inner = {id(node) for function in functions for node in ast.walk(function)}
    package = ["dexpatterns", *file.split("/")[:-1]]
    for node in ast.walk(tree):
        for module in _modules(node, package):
            yield Import(file, getattr(node, "lineno", 0), module, id(node) in inner)


def _modules(node: ast.AST, package: list[str]) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            base = ".".join([*(package[: len(package) - level + 1] if level else []), *([module] if module else [])])
            return [f"{base}.{alias.name}" if _is_ours(f"{base}.{alias.name}") else base for alias in names]
        case ast.Call(
            func=ast.Attribute(attr="import_module") | ast.Name(id="import_module" | "__import__"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return [name]
    return []


def _is_ours(module: str) -> bool:
    path = ROOT.joinpath(*module.split("."))
    return module.startswith("dexpatterns.") and (path.with_suffix(".py").is_file() or path.is_dir())


def room_of(module: str) -> str | None:
    """The room of a module of ours; '' is the package's own front page."""
    parts = module.split(".")
    return None if parts[0] != "dexpatterns" else parts[1] if len(parts) > 1 else ""


def breaches(imports: Iterator[Import]) -> list[str]:
    found = []
    for one in imports:
        room = one.file.split("/")[0].removesuffix(".py")
        where = f"{one.file}:{one.line} imports {one.module}"
        target = room_of(one.module)
        if target is None:
            top = one.module.split(".")[0]
            if room != "__init__" and RANK[room] < RANK["views"] and top not in sys.stdlib_module_names | {"msgspec"}:
                found.append(f"{where}, which stands above {room}")
            elif top in HEAVY and room == "__init__":
                found.append(f"{where}, which the front page must not")
        elif room == "__init__":
            # `audit` is named here like `check`; that it stays light is tested with the import time.
            if not one.inner and target and target != "audit" and RANK[target] >= RANK["views"]:
                found.append(f"{where} when it is imported itself")
        elif (one.file, target) in EXCEPTIONS:
            if not one.inner:
                found.append(f"{where} outside a function")
        elif room != "cli" and target != room and (not target or RANK[target] >= RANK[room]):
            found.append(f"{where}, which does not stand below {room}")
        if room == "views" and one.file != "views/stepper.py" and one.module in MACHINES:
            found.append(f"{where}, but views read traces")
    return found


def all_imports() -> Iterator[Import]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield from imports_of(path.read_text(encoding="utf-8"), path.relative_to(PACKAGE).as_posix())


def test_imports_run_one_way() -> None:
    assert breaches(all_imports()) == []


def test_every_room_has_a_place() -> None:
    rooms = {
        path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py")))
    }
    assert rooms - {"__init__"} - RANK.keys() == set()


@pytest.mark.parametrize(
    ("file", "source", "said"),
    [
        ("engine/looking.py", "def f():\n    from dexpatterns.views import timeline", ""),
        ("engine/looking.py", "from dexpatterns.views import timeline", "outside a function"),
        ("engine/simulator.py", "def f():\n    import dexpatterns.views.frames", "does not stand below engine"),
        ("dex/flow.py", "from dexpatterns.engine.values import Data", ""),
        ("dex/flow.py", "from ..js7 import locks", "does not stand below dex"),
        ("dex/flow.py", "from .. import js7", "does not stand below dex"),
        ("dex/flow.py", "import dexpatterns", "does not stand below dex"),
        ("dex/flow.py", "from importlib import import_module\nimport_module('dexpatterns.cli')", "below dex"),
        ("dex/flow.py", "def f():\n    import pandas as pd", "above dex"),
        ("views/frames.py", "import pandas", ""),
        ("views/timeline.py", "from dexpatterns.dex.machine import FlowMachine", "views read traces"),
        ("views/stepper.py", "from dexpatterns.dex.machine import FlowMachine", ""),
        ("catalog.py", "if TYPE_CHECKING:\n    from dexpatterns import cli", "does not stand below catalog"),
        ("__init__.py", "from dexpatterns.views import timeline", "when it is imported itself"),
        ("__init__.py", "from dexpatterns.dex import Flow", ""),
    ],
)
def test_a_breach_is_seen(file: str, source: str, said: str) -> None:
    found = breaches(imports_of(source, file))
    assert [said in text for text in found] == ([True] if said else [])


@pytest.mark.parametrize("flow", sorted(ROOT.glob("catalog/*/flow.py")), ids=lambda path: path.parent.name)
def test_a_catalog_flow_needs_nothing_but_dex(flow: Path) -> None:
    """So that changing one import carries it to the real system."""
    tree = ast.parse(flow.read_text(encoding="utf-8"))
    whole = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    parts = {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {m for m in whole | parts if m.split(".")[0] not in sys.stdlib_module_names} == {"dexpatterns.dex"}
