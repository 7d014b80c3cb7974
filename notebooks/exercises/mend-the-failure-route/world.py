"""Ada's edit cannot be saved, those of Bo and Chen can."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dexpatterns.dex import Section
from dexpatterns.exercises.demands import Demand, UnmetError, fails, flow_demand, usual

SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)
CHANNEL = "contractEditToken"
STEPS = ("EditContract", "SaveContractEdit")
CHANNELS = (CHANNEL,)
EDITS = [{"reviewer": "Ada", "cannot_save": True}, {"reviewer": "Bo"}, {"reviewer": "Chen"}]
RESULTS = ("Ada failed", "Bo saved", "Chen saved")


def judge(flow: Any, lang: str) -> Iterator[Demand]:
    asked = usual(SECTION, CHANNEL, RESULTS, lang, errors=("ContractEditError",))
    demand = flow_demand(flow, EDITS, asked, section=SECTION, token=CHANNEL, visits=3)
    yield demand
    if not fails(demand.report.witness, "SaveContractEdit"):
        raise UnmetError("no-failure")
