"""What a Flow's author writes, and what runs and checks it.

    from dexpatterns.dex import Flow, Step, Channel, Wait, go_to

The names up to `StopType` are those that Dex documents, so that a module that uses these alone is carried to the
real system by changing its imports. The rest tries a Flow here.
"""

from dexpatterns.dex.attribute import Attribute, AttributeMap
from dexpatterns.dex.channel import Channel, ChannelMap
from dexpatterns.dex.context import Context
from dexpatterns.dex.decision import (
    RPCResult,
    StepDecision,
    StepMovement,
    dead_end,
    force_complete,
    force_complete_if_channels_empty,
    force_fail,
    go_to,
    go_to_many,
    graceful_complete,
)
from dexpatterns.dex.faces import Simulation, check, replay, simulate
from dexpatterns.dex.flow import Flow, PersistenceSchema, StepList
from dexpatterns.dex.machine import FlowMachine
from dexpatterns.dex.options import (
    FlowStatus,
    FlowTimeoutPolicy,
    RecoveryErrorInfo,
    RetryPolicy,
    StartFlowOptions,
    StepOptions,
    StopFlowOptions,
    StopType,
    WaitForFailurePolicy,
)
from dexpatterns.dex.properties import mutual_exclusion, token_conserved
from dexpatterns.dex.rpc import rpc
from dexpatterns.dex.scenario import Anytime, At, Faults, Invoke, Scenario, Section, Stop
from dexpatterns.dex.step import Step
from dexpatterns.dex.wait import ConditionCombination, Timer, Wait
from dexpatterns.errors import FlowDefinitionError, InvalidStepResultError

__all__ = [
    "Anytime", "At", "Attribute", "AttributeMap", "Channel", "ChannelMap", "ConditionCombination", "Context",
    "Faults", "Flow", "FlowDefinitionError", "FlowMachine", "FlowStatus", "FlowTimeoutPolicy",
    "InvalidStepResultError", "Invoke", "PersistenceSchema", "RPCResult", "RecoveryErrorInfo", "RetryPolicy",
    "Scenario", "Section", "Simulation", "StartFlowOptions", "Step", "StepDecision", "StepList", "StepMovement",
    "StepOptions", "Stop", "StopFlowOptions", "StopType", "Timer", "Wait", "WaitForFailurePolicy", "check",
    "dead_end", "force_complete", "force_complete_if_channels_empty", "force_fail", "go_to", "go_to_many",
    "graceful_complete", "mutual_exclusion", "replay", "rpc", "simulate", "token_conserved",
]  # fmt: skip
