"""One question about a lock that two Steps take, with its turns."""

from __future__ import annotations

from collections.abc import Callable

from dexpatterns.dex import Section, check, mutual_exclusion
from dexpatterns.engine.properties import Property
from dexpatterns.engine.report import Report

from .start import EDITS, PuzzleFlow

SECTION = Section("EditContract", "SaveContractEdit", name="contract edit", label=lambda edit: edit.reviewer)


def asking(one: Property) -> Callable[[], Report]:
    return lambda: check(PuzzleFlow, EDITS, sections=[SECTION], properties=[one])


QUESTIONS = {"one at a time": asking(mutual_exclusion(SECTION))}
COUNTED = ("one at a time",)
"""The questions of which the turns are asked as well."""
