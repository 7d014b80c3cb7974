"""Three reviewers; the token may have any name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dexpatterns.dex import Section, mutual_exclusion
from dexpatterns.dex.definition import compile_flow
from dexpatterns.engine.properties import never_stuck
from dexpatterns.exercises.demands import Demand, UnmetError, flow_demand, no_error, usual

SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)
STEPS = ("EditContract", "SaveContractEdit")
CHANNELS = ()
EDITS = [{"reviewer": "Ada"}, {"reviewer": "Bo"}, {"reviewer": "Chen"}]
RESULTS = ("Ada saved", "Bo saved", "Chen saved")


def judge(flow: Any, lang: str) -> Iterator[Demand]:
    if "isEditing" in compile_flow(flow).attributes:
        asked = [no_error(lang), never_stuck(), mutual_exclusion(SECTION)]
        yield flow_demand(flow, EDITS, asked, section=SECTION)
        raise UnmetError("flag-stays")
    asked = [*usual(SECTION, None, RESULTS, lang)]
    yield flow_demand(flow, EDITS, asked, section=SECTION, visits=3)
