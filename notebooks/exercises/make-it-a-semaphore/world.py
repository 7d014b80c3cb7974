"""Three reviewers and two licences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dexpatterns.dex import Section, mutual_exclusion
from dexpatterns.exercises.demands import Demand, flow_demand, usual

SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)
CHANNEL = "editorLicence"
STEPS = ("EditContract", "SaveContractEdit")
CHANNELS = (CHANNEL,)
EDITS = [{"reviewer": "Ada"}, {"reviewer": "Bo"}, {"reviewer": "Chen"}]
RESULTS = ("Ada saved", "Bo saved", "Chen saved")


def judge(flow: Any, lang: str) -> Iterator[Demand]:
    asked = usual(SECTION, CHANNEL, RESULTS, lang, count=2)
    yield flow_demand(flow, EDITS, asked, section=SECTION, token=CHANNEL, visits=3)
    yield flow_demand(flow, EDITS, [mutual_exclusion(SECTION)], section=SECTION, breaks="two-never-meet")
