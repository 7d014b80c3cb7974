"""Three places; nobody may enter before the place ahead has saved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dexpatterns.dex import Section, mutual_exclusion
from dexpatterns.engine.properties import always, never, never_stuck
from dexpatterns.exercises.demands import Demand, completes, everybody_out, flow_demand, no_error

SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)
STEPS = ("EnterContractEdit", "EditContract", "SaveContractEdit")
CHANNELS = ()
EDITS = [{"reviewer": "Ada", "place": 1}, {"reviewer": "Bo", "place": 2}, {"reviewer": "Chen", "place": 3}]
RESULTS = ("Ada saved", "Bo saved", "Chen saved")
NAMES = {
    "en": ("the last place has the last word", "nobody waits while another is inside"),
    "zh": ("最后一位决定最后的文本", "有人在段内时没有别人在等待"),
}


def last_word(state: dict[str, Any]) -> bool:
    return bool(state["status"] != "COMPLETED" or state["attributes"].get("contract") == "the text of Chen")


def waits_beside(state: dict[str, Any]) -> bool:
    steps = [step["step"] for step in state["steps"]]
    return steps.count("EnterContractEdit") == 2 and "EditContract" in steps


def judge(flow: Any, lang: str) -> Iterator[Demand]:
    order, alone = NAMES[lang]
    asked = [
        no_error(lang),
        never_stuck(),
        mutual_exclusion(SECTION),
        always(order, last_word),
        everybody_out(RESULTS, lang),
        *completes(lang),
    ]
    yield flow_demand(flow, EDITS, asked, section=SECTION, visits=3)
    yield flow_demand(flow, EDITS, [never(alone, waits_beside)], section=SECTION, breaks="not-at-once")
