"""Three questions about a flag that is taken in one execute."""

from __future__ import annotations

from collections.abc import Callable

from dexpatterns.dex import Section, check, mutual_exclusion
from dexpatterns.engine.properties import Property, always_ends, never_stuck
from dexpatterns.engine.report import Report

from .start import EDITS, PuzzleFlow

SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)


def asking(one: Property) -> Callable[[], Report]:
    return lambda: check(PuzzleFlow, EDITS, sections=[SECTION], properties=[one])


QUESTIONS = {
    "never stuck": asking(never_stuck()),
    "one at a time": asking(mutual_exclusion(SECTION)),
    "always completes": asking(always_ends("COMPLETED")),
}
COUNTED = ()
"""The questions of which the turns are asked as well."""
