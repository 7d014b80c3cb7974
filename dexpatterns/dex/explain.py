"""Tells the run of a report in turns."""
from __future__ import annotations
from typing import Any
__all__=["explain"]
def explain(report: Any, lang: str = "en") -> Any:
    run = report.counterexample or report.witness
    return None if run is None else "\n".join(f"{t.number} {t.choice}" for t in run.trace.turns)
