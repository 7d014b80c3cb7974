"""Two edits of one contract, one of another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from dexpatterns.dex import Section, mutual_exclusion
from dexpatterns.engine.properties import never, never_stuck
from dexpatterns.exercises.demands import Demand, completes, everybody_out, flow_demand, no_error

SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)
STEPS = ("EditContract", "SaveContractEdit")
CHANNELS = ()
EDITS = [
    {"reviewer": "Ada", "contract": "lease"},
    {"reviewer": "Bo", "contract": "lease"},
    {"reviewer": "Chen", "contract": "sale"},
]
RESULTS = ("Ada saved", "Bo saved", "Chen saved")
ONE_EACH = {"en": "at most one inside each contract", "zh": "每份合同段内至多一位"}


def two_in_one(state: dict[str, Any]) -> bool:
    inside = Counter(step["input"]["contract"] for step in state["steps"] if step["step"] in STEPS)
    return any(n > 1 for n in inside.values())


def judge(flow: Any, lang: str) -> Iterator[Demand]:
    asked = [
        no_error(lang),
        never_stuck(),
        never(ONE_EACH[lang], two_in_one),
        everybody_out(RESULTS, lang),
        *completes(lang),
    ]
    yield flow_demand(flow, EDITS, asked, section=SECTION, visits=3)
    yield flow_demand(flow, EDITS, [mutual_exclusion(SECTION)], section=SECTION, breaks="contracts-wait")
