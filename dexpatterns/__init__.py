"""dexpatterns: run, see and prove concurrency patterns of durable workflows.

| to | use |
|---|---|
| write a Flow | the authoring names of `dexpatterns.dex`: Flow, Step, Channel, Wait, go_to, ... |
| run it once, run it again | `simulate`, `replay`, with `Scenario`, `Faults`, `Section` |
| make its moves yourself | `Simulation` |
| try every order and failure | `check`, with `Bounds` and the properties `never_stuck`, `mutual_exclusion`, ... |
| list the ways out of a section, and what becomes of the token | `audit` |
| look at a run | `Run.events`, `.intervals`, `.overlaps`, `.timeline`; `Run.save` and `load_run` |
| take a pattern from the shelf | `catalog.load("critical-section")`, `catalog.patterns()` |

Nothing here imports pandas or a widget library until a view is asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

from dexpatterns.audit import audit
from dexpatterns.dex import *  # noqa: F403  # the authoring names, as dexpatterns.dex lists them
from dexpatterns.dex import __all__ as _dex_names
from dexpatterns.engine.explore import explore
from dexpatterns.engine.properties import always, always_ends, never, never_stuck
from dexpatterns.engine.report import Bounds, Report, Verdict
from dexpatterns.engine.run import Run, load_run

__all__ = [
    *_dex_names, "Bounds", "Report", "Run", "Verdict", "always", "always_ends", "audit", "catalog", "explore", "load_run",
    "never", "never_stuck",
]  # fmt: skip

_LAZY = ("catalog", "js7", "views")


def __getattr__(name: str) -> Any:
    """Rooms that need more than the standard library are opened when they are named."""
    if name in _LAZY:
        return importlib.import_module(f"dexpatterns.{name}")
    raise AttributeError(f"module 'dexpatterns' has no attribute {name!r}")
