"""Two reviewers, then three; each adds one version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dexpatterns.dex import Section
from dexpatterns.engine.properties import always, never_stuck
from dexpatterns.exercises.demands import Demand, completes, everybody_out, flow_demand, no_error

SECTION = Section("EditContract", name="contract edit", label=lambda edit: edit.reviewer)
STEPS = ("EditContract",)
CHANNELS = ()
NAMES = ("Ada", "Bo", "Chen")
EACH_COUNTS = {"en": "every edit raises the version", "zh": "每次编辑都使版本号加一"}


def judge(flow: Any, lang: str) -> Iterator[Demand]:
    for n in (2, 3):

        def counted(state: dict[str, Any], n: int = n) -> bool:
            return bool(state["status"] != "COMPLETED" or state["attributes"].get("contractVersion") == n)

        edits = [{"reviewer": name} for name in NAMES[:n]]
        results = [f"{name} saved" for name in NAMES[:n]]
        asked = [
            no_error(lang),
            never_stuck(),
            always(EACH_COUNTS[lang], counted),
            everybody_out(results, lang),
            *completes(lang),
        ]
        yield flow_demand(flow, edits, asked, section=SECTION, visits=n)
