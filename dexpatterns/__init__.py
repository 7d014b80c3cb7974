"""dexpatterns: run, see and prove concurrency patterns of durable workflows.

| to | use |
|---|---|
| write a Flow | the authoring names of `dexpatterns.dex`: Flow, Step, Channel, Wait, go_to, ... |
| take one from a file, as it is written for the real system | `load_flow("my_flow.py:MyFlow")` |
| run it once, run it again | `simulate`, `replay`, with `Scenario`, `Faults`, `Section` |
| make its moves yourself | `Simulation` |
| try every order and failure | `check`, with `Bounds` and the properties `never_stuck`, `mutual_exclusion`, ... |
| list the ways out of a section, and what becomes of the token | `audit` |
| look at a run | `Run.events`, `.intervals`, `.overlaps`, `.timeline`, `.graph`; `Run.save` and `load_run` |
| put two runs on one axis | `compare_runs` |
| look at a Flow, or at JS7 workflows | `graph` |
| take a pattern from the shelf | `catalog.load("critical-section")`, `catalog.patterns()` |
| solve an exercise | `exercises.list()`, `exercises.show("give-it-back")`, `exercises.check("give-it-back", answer)` |

Nothing here imports pandas or a widget library until a view is asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

from dexpatterns.audit import audit
from dexpatterns.dex import (
    Anytime,
    At,
    Attribute,
    AttributeMap,
    Channel,
    ChannelMap,
    ConditionCombination,
    Context,
    Faults,
    Flow,
    FlowDefinitionError,
    FlowMachine,
    FlowStatus,
    FlowTimeoutPolicy,
    InvalidStepResultError,
    Invoke,
    PersistenceSchema,
    RecoveryErrorInfo,
    RetryPolicy,
    RPCResult,
    Scenario,
    Section,
    Simulation,
    StartFlowOptions,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    StepOptions,
    Stop,
    StopFlowOptions,
    StopType,
    Timer,
    Wait,
    WaitForFailurePolicy,
    check,
    dead_end,
    force_complete,
    force_complete_if_channels_empty,
    force_fail,
    go_to,
    go_to_many,
    graceful_complete,
    mutual_exclusion,
    replay,
    rpc,
    simulate,
    token_conserved,
)  # fmt: skip
from dexpatterns.engine.explore import explore
from dexpatterns.engine.properties import always, always_ends, never, never_stuck
from dexpatterns.engine.report import Bounds, Report, Verdict
from dexpatterns.engine.run import Run, load_run

__all__ = [
    "Anytime", "At", "Attribute", "AttributeMap", "Bounds", "Channel", "ChannelMap", "ConditionCombination",
    "Context", "Faults", "Flow", "FlowDefinitionError", "FlowMachine", "FlowStatus", "FlowTimeoutPolicy",
    "InvalidStepResultError", "Invoke", "PersistenceSchema", "RPCResult", "RecoveryErrorInfo", "Report",
    "RetryPolicy", "Run", "Scenario", "Section", "Simulation", "StartFlowOptions", "Step", "StepDecision",
    "StepList", "StepMovement", "StepOptions", "Stop", "StopFlowOptions", "StopType", "Timer", "Verdict", "Wait",
    "WaitForFailurePolicy", "always", "always_ends", "audit", "catalog", "check", "compare_runs", "dead_end",
    "exercises", "explore", "force_complete", "force_complete_if_channels_empty", "force_fail", "go_to", "go_to_many",
    "graceful_complete", "graph", "load_flow", "load_run", "mutual_exclusion", "never", "never_stuck", "replay", "rpc",
    "simulate", "token_conserved",
]  # fmt: skip

_LAZY = ("catalog", "exercises", "js7", "views")
_LAZY_NAMES = {
    "compare_runs": "dexpatterns.views.two_runs",
    "graph": "dexpatterns.views.graph",
    "load_flow": "dexpatterns.dex.loading",
}


def __getattr__(name: str) -> Any:
    """Rooms that need more than the standard library are opened when they are named."""
    if name in _LAZY:
        return importlib.import_module(f"dexpatterns.{name}")
    if name in _LAZY_NAMES:
        return getattr(importlib.import_module(_LAZY_NAMES[name]), name)
    raise AttributeError(f"module 'dexpatterns' has no attribute {name!r}")
