"""Two reviewers and a flag, broken in nine moves or fewer."""

from __future__ import annotations

from functools import cache

from dexpatterns.dex import Section, check, mutual_exclusion
from dexpatterns.engine.report import Report

from .start import EDITS, PuzzleFlow

SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)
TOKENS = ()
FAULTS = None
MOVES = 9
"""With so many the run has to be broken."""


@cache
def shortest() -> Report:
    asked = [mutual_exclusion(SECTION)]
    return check(PuzzleFlow, EDITS, sections=[SECTION], tokens=TOKENS, properties=asked, faults=FAULTS)
