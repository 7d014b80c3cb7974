"""Three reviewers who do nothing unusual."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dexpatterns.dex import Section
from dexpatterns.exercises.demands import Demand, flow_demand, usual

SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)
CHANNEL = "contractEditToken"
STEPS = ("EditContract", "SaveContractEdit")
CHANNELS = (CHANNEL,)
EDITS = [{"reviewer": "Ada"}, {"reviewer": "Bo"}, {"reviewer": "Chen"}]
RESULTS = ("Ada saved", "Bo saved", "Chen saved")


def judge(flow: Any, lang: str) -> Iterator[Demand]:
    yield flow_demand(flow, EDITS, usual(SECTION, CHANNEL, RESULTS, lang), section=SECTION, token=CHANNEL, visits=3)
