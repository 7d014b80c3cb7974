"""How to try the Flow with licences: four reviewers and two licences."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from dexpatterns.dex import Scenario, Section

from .flow import EDITOR_LICENCE, LICENCES, CloseEditor, ContractEdit, OpenEditor, TakeLicence


def make_input(reviewers: int = 4, *, withdrawn: Iterable[int] = ()) -> list[ContractEdit]:
    """`withdrawn` names reviewers by number, from 1."""
    leaving = set(withdrawn)
    return [ContractEdit(f"reviewer-{n}", n in leaving) for n in range(1, reviewers + 1)]


INPUT = make_input()
LIMIT = LICENCES
"""How many may be inside together, and how many tokens there are."""
SECTION = Section(OpenEditor, CloseEditor, name="open editor", label=lambda edit: edit.reviewer)
TOKEN = EDITOR_LICENCE
SYMMETRIC = ("reviewer",)
SCENARIO = Scenario(
    durations={
        TakeLicence: timedelta(milliseconds=200),
        OpenEditor: (timedelta(minutes=2), timedelta(minutes=8)),
        CloseEditor: (timedelta(seconds=2), timedelta(seconds=20)),
    }
)

CLAIMS: dict[str, object] = {}
