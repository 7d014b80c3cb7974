"""Two reviewers, one attempt that may be given up, and code that runs on."""

from __future__ import annotations

from functools import cache

from dexpatterns.dex import Faults, Section, check, mutual_exclusion
from dexpatterns.engine.report import Report

from .start import EDITS, PuzzleFlow

SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)
TOKENS = ("contractEditToken",)
FAULTS = Faults(late_attempts=1)
MOVES = 20
"""With so many the run has to be broken."""


@cache
def shortest() -> Report:
    asked = [mutual_exclusion(SECTION, late=True)]
    return check(PuzzleFlow, EDITS, sections=[SECTION], tokens=TOKENS, properties=asked, faults=FAULTS)
