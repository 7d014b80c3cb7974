"""Two reviewers, and a time that may be up at any moment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dexpatterns.dex import Section, mutual_exclusion, token_conserved
from dexpatterns.engine.properties import never, never_stuck
from dexpatterns.exercises.demands import Demand, completes, flow_demand, no_error

SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)
CHANNEL = "contractEditToken"
STEPS = ("EditContract", "SaveContractEdit", "TimeIsUp")
CHANNELS = (CHANNEL,)
EDITS = [{"reviewer": "Ada"}, {"reviewer": "Bo"}]
NAMES = {"en": ("nobody is cut off inside", "everybody saves"), "zh": ("没有人在段内被中断", "每个人都保存")}


def cut_off(state: dict[str, Any]) -> bool:
    return state["status"] != "RUNNING" and bool(state["attributes"].get("editing"))


def sent_away(state: dict[str, Any]) -> bool:
    return state["status"] == "COMPLETED" and len(state["outputs"]) < len(EDITS)


def judge(flow: Any, lang: str) -> Iterator[Demand]:
    uncut, all_save = NAMES[lang]
    asked = [
        no_error(lang),
        never_stuck(),
        mutual_exclusion(SECTION),
        token_conserved(CHANNEL),
        never(uncut, cut_off),
        *completes(lang),
    ]
    yield flow_demand(flow, EDITS, asked, section=SECTION, token=CHANNEL)
    yield flow_demand(flow, EDITS, [never(all_save, sent_away)], section=SECTION, token=CHANNEL, breaks="nobody-leaves")
