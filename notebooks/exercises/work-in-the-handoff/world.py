"""Two reviewers, and a deputy who may come at any moment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dexpatterns.dex import Section, mutual_exclusion, token_conserved
from dexpatterns.engine.machine import Event
from dexpatterns.engine.properties import Property, View, never, never_stuck
from dexpatterns.exercises.demands import Demand, completes, flow_demand, no_error

SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)
CHANNEL = "contractEditToken"
STEPS = ("EditContract", "SaveContractEdit")
CHANNELS = (CHANNEL,)
EDITS = [{"reviewer": "Ada"}, {"reviewer": "Bo"}]
NAMES = {
    "en": ("the event is recorded inside alone", "everybody saves"),
    "zh": ("事件只在段内记录", "每个人都保存"),
}


class RecordedInside(Property):
    """The memory is the Step outside the section that recorded an edit."""

    kind = "recorded_inside"

    def __init__(self, name: str) -> None:
        self.name = name

    def step(self, memory: Any, events: tuple[Event, ...]) -> Any:
        for event in events:
            known: Any = event
            if event.kind == "recorded" and known.step != "EditContract":
                return known.step
        return memory

    def key(self, memory: Any, rank: Any) -> Any:
        return memory

    def fault(self, memory: Any, view: View) -> str | None:
        return None if memory is None else f"{memory} records it"


def sent_away(state: dict[str, Any]) -> bool:
    return state["status"] == "COMPLETED" and len(state["outputs"]) <= len(EDITS)


def judge(flow: Any, lang: str) -> Iterator[Demand]:
    inside, all_save = NAMES[lang]
    asked = [
        no_error(lang),
        never_stuck(),
        mutual_exclusion(SECTION, late=True),
        token_conserved(CHANNEL),
        RecordedInside(inside),
        *completes(lang),
    ]
    yield flow_demand(flow, EDITS, asked, section=SECTION, token=CHANNEL, visits=1)
    yield flow_demand(
        flow, EDITS, [never(all_save, sent_away)], section=SECTION, token=CHANNEL, breaks="nobody-sent-away"
    )
