"""A person's file, run as it is, with everything of their own that it imports; `import dex` in it means our names.

Such a module gets an `__import__` of its own through its `__builtins__`, so whatever its code imports, at once or later
inside a handler, comes by here. `dex` and its submodules are made by `real_names`; modules of the same project (beside
the file, in its package, on the path but not installed) are run in the same way; everything else is imported as
ever. `sys.modules` gets these modules under names that nobody else has, so that pickling and `inspect.getsource` work,
two files of one name do not clash, and an installed `dex` is neither imported nor seen.

An installed package that imports `dex` by itself gets the installed one. This module knows no Flow.
"""

from __future__ import annotations

import builtins
import hashlib
import importlib
import importlib.util
import re
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from dexpatterns.dex.io_guard import is_installed
from dexpatterns.dex.real_names import DexModule

__all__ = ["place_of", "plain_names", "run_file"]

_PACKAGE = "dexpatterns_files"
_DEX = f"{_PACKAGE}.dex"
_lock = threading.RLock()


class _Generation:
    """All files of one state of the disk: when one of them has changed, the next `run_file` begins another.

    So a scenario and a Flow that stand in one file, or in two that import a third, mean the same classes.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.suffix = f"_v{number}" if number > 1 else ""
        self.builtins = {**vars(builtins), "__import__": self._import}
        self.seen: dict[str, Any] = {}
        """Every file that was run, and what the disk said of it then."""
        self.modules: dict[Path, ModuleType] = {}
        """By its file, the module: one file that goes by two names is one module."""
        self.odd: dict[str, Path] = {}
        """Modules whose file is not to be found by their name, such as `my-flow.py`."""
        self._resolved: dict[tuple[str, str], str | None] = {}

    def is_current(self) -> bool:
        return all(_stamp(file) == stamp for file, stamp in self.seen.items())

    def name_of(self, path: Path) -> str:
        """The module's name: its project's, then the one by which the project itself would import it."""
        folder, parts = path.parent, [path.stem]
        while (folder / "__init__.py").is_file() and folder.name.isidentifier():
            parts.insert(0, folder.name)
            folder = folder.parent
        if parts[-1] == "__init__" and len(parts) > 1:
            parts.pop()
        project = self._project(folder)
        if not parts[-1].isidentifier():
            parts[-1] = f"{_word(parts[-1])}_{_digest(parts[-1])}"
            self.odd[".".join((project, *parts))] = path
        return ".".join((project, *parts))

    def _project(self, root: Path) -> str:
        name = f"{_PACKAGE}.{_word(root.name)}_{_digest(str(root))}{self.suffix}"
        if name not in sys.modules:
            _generations[name] = self
            _make_package(name, root)
        return name

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        """What `import` does in a person's module."""
        top = name.partition(".")[0]
        ours = None if level else _DEX if top == "dex" else self._ours(top, globals or {})
        if ours is None:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        whole = ours + name[len(top) :]
        if fromlist:
            return builtins.__import__(whole, globals, locals, fromlist)
        importlib.import_module(whole)
        return sys.modules[ours]

    def _ours(self, top: str, importer: Mapping[str, Any]) -> str | None:
        """Our name for what this module means by `import top`; None for what is imported as ever."""
        name, file = str(importer.get("__name__")), importer.get("__file__")
        if (name, top) not in self._resolved:
            known = file is not None and _project_name(name) in _generations
            self._resolved[name, top] = self._find(top, name, Path(str(file)).parent) if known else None
        return self._resolved[name, top]

    def _find(self, top: str, importer: str, folder: Path) -> str | None:
        if top in sys.builtin_module_names or top in ("dexpatterns", _PACKAGE):
            return None
        root = Path(sys.modules[_project_name(importer)].__path__[0])
        near = list(dict.fromkeys((root, folder)))
        for place in near:
            spec = PathFinder.find_spec(top, [str(place)])
            if spec is not None and spec.origin is not None:
                # Of the packages that are installed, the one that the importer itself is in.
                mine = not is_installed(spec.origin) or (place == root and importer.split(".")[2] == top)
                return self.name_of(Path(spec.origin)) if mine else None
        try:
            spec = importlib.util.find_spec(top)
        except (ImportError, ValueError):  # a module that was made by hand has no spec
            spec = None
        if spec is not None and spec.origin is not None:
            mine = isinstance(spec.loader, SourceFileLoader) and not is_installed(spec.origin)
            return self.name_of(Path(spec.origin)) if mine else None
        # Where nothing else has the name: the folder from which the command was called, and folders without __init__.
        here = PathFinder.find_spec(top, [str(Path.cwd())])
        if here is not None and here.origin is not None:
            return self.name_of(Path(here.origin))
        for place in (*near, Path.cwd(), *(Path(found).parent for found in _folders(spec))):
            if (place / top).is_dir() and not is_installed(str(place / top)):
                return f"{self._project(place)}.{top}"
        return None


_generations: dict[str, _Generation] = {}
"""By the name of a project, whose it is."""
_current = _Generation(1)


def run_file(path: Path) -> ModuleType:
    """The module of a Python file; a file that has not changed since is run once. Raises whatever the file raises."""
    global _current  # noqa: PLW0603  # as `sys.modules`, it is the state of an import system
    with _lock:
        _prepare()
        importlib.invalidate_caches()
        if not _current.is_current():
            _current = _Generation(_current.number + 1)
        return importlib.import_module(_current.name_of(path.resolve()))


def place_of(error: BaseException) -> str | None:
    """The file and line of a person's own code that the error came from; None if it came from nowhere there."""
    seen = {file for generation in {*_generations.values(), _current} for file in generation.seen}
    if isinstance(error, SyntaxError) and error.filename in seen:
        return f"{error.filename}, line {error.lineno or 1}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in seen]
    return f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else None


def plain_names(text: str) -> str:
    """The text with the names of modules as their author knows them.

    >>> plain_names("No module named 'dexpatterns_files.shop_1a2b3c4d_v2.prices'")
    "No module named 'prices'"
    """
    return re.sub(rf"\b{_PACKAGE}\.(\w+_[0-9a-f]{{8}}(_v\d+)?(\.|\b))?", "", text)


def _project_name(module: str) -> str:
    return ".".join(module.split(".")[:2])


def _word(text: str) -> str:
    return re.sub(r"[^0-9a-zA-Z_]", "_", text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _stamp(file: str) -> Any:
    try:
        stat = Path(file).stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _folders(spec: ModuleSpec | None) -> Sequence[str]:
    return list(spec.submodule_search_locations or ()) if spec is not None else ()


# What the import system is told.


class _Loader(SourceFileLoader):
    """Runs a source file with our `__import__`, from its text: its bytecode could be that of a second ago."""

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code

    def exec_module(self, module: ModuleType) -> None:
        generation, file = _generations[_project_name(module.__name__)], Path(self.path).resolve()
        generation.seen[self.path] = _stamp(self.path)
        generation.modules[file] = module
        vars(module)["__builtins__"] = generation.builtins
        try:
            super().exec_module(module)
        except BaseException:
            del generation.modules[file]
            raise


class _Alias:
    """Hands out a module that is there already, by another name."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has put its own in place


class _DexLoader:
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return DexModule(spec.name, lambda name: importlib.import_module(f"{_DEX}.{name}"))

    def exec_module(self, module: ModuleType) -> None:
        """Everything is there already."""


class _Finder:
    """Finds the modules whose names begin with ours, and no others."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, _target: Any = None) -> ModuleSpec | None:
        if not name.startswith(f"{_PACKAGE}."):
            return None
        if name == _DEX or name.startswith(f"{_DEX}."):
            return ModuleSpec(name, _DexLoader(), is_package=True)  # type: ignore[arg-type]  # as much of one as is used
        generation = _generations.get(_project_name(name))
        odd = generation and generation.odd.get(name)
        if odd:
            return importlib.util.spec_from_file_location(name, odd, loader=_Loader(name, str(odd)))
        spec = PathFinder.find_spec(name, path)
        if generation and spec is not None and isinstance(spec.loader, SourceFileLoader) and spec.origin is not None:
            known = generation.modules.get(Path(spec.origin).resolve())
            if known is not None:
                return ModuleSpec(name, _Alias(known), origin=spec.origin)  # type: ignore[arg-type]  # as above
            spec.loader, spec.cached = _Loader(name, spec.origin), None
        return spec


def _prepare() -> None:
    if _PACKAGE not in sys.modules:
        _make_package(_PACKAGE)
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


def _make_package(name: str, *places: Path) -> None:
    module = ModuleType(name)
    module.__path__ = list(map(str, places))
    sys.modules[name] = module
    above, _, own = name.rpartition(".")
    if above:
        setattr(sys.modules[above], own, module)
