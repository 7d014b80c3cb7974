"""How to try the contract-edit Flows: inputs, the section and its token, durations, and closings from outside.

The Flows know nothing of this. Times are invented: minutes for an edit, seconds for a save.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Protocol

from dexpatterns.dex import (
    Anytime,
    At,
    FlowTimeoutPolicy,
    Invoke,
    Scenario,
    Section,
    StartFlowOptions,
    Stop,
    StopFlowOptions,
    StopType,
)

from .flow import (
    CONTRACT_EDIT_TOKEN,
    AdmitReviewer,
    ConfirmChange,
    ContractEdit,
    DraftChange,
    EditContract,
    EnterContractEdit,
    GuardedEdit,
    InviteImpatiently,
    InviteReviewers,
    OpenContract,
    ReleaseContractEditToken,
    SaveChange,
    SaveContractEdit,
    StartContractEdits,
)


def make_input(
    reviewers: int = 3,
    *,
    should_fail_handoff: Iterable[int] = (),
    should_fail_save: Iterable[int] = (),
    withdrawn: Iterable[int] = (),
    reviewer: Mapping[int, str] | None = None,
    text: Mapping[int, str] | None = None,
) -> list[ContractEdit]:
    """One edit per reviewer. Flags name reviewers by number, from 1; `reviewer` and `text` replace their words."""
    handoffs, saves, withdrawals = set(should_fail_handoff), set(should_fail_save), set(withdrawn)
    return [
        ContractEdit(
            id=f"edit-{n}",
            reviewer=(reviewer or {}).get(n, f"reviewer-{n}"),
            text=(text or {}).get(n, f"draft {n}"),
            should_fail_handoff=n in handoffs,
            should_fail_save=n in saves,
            withdrawn=n in withdrawals,
        )
        for n in range(1, reviewers + 1)
    ]


INPUT = make_input()
SECTION = Section(EditContract, SaveContractEdit, name="contract edit", label=lambda edit: edit.reviewer)
TOKEN = CONTRACT_EDIT_TOKEN
SYMMETRIC = ("id", "reviewer", "text")

MOMENT = timedelta(milliseconds=200)
EDITING = (timedelta(minutes=2), timedelta(minutes=8))
SAVING = (timedelta(seconds=2), timedelta(seconds=20))

SCENARIO = Scenario(
    durations={
        StartContractEdits: MOMENT,
        EnterContractEdit: MOMENT,
        EditContract: EDITING,
        SaveContractEdit: SAVING,
        ReleaseContractEditToken: MOMENT,
    }
)


class EditRow(Protocol):
    """One edit as a person wrote it down. Seconds are None where nothing was said."""

    @property
    def id(self) -> str: ...
    @property
    def reviewer(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def should_fail_handoff(self) -> bool: ...
    @property
    def should_fail_save(self) -> bool: ...
    @property
    def withdrawn(self) -> bool: ...
    @property
    def edit_seconds(self) -> float | None: ...
    @property
    def save_seconds(self) -> float | None: ...


def from_edits(rows: Iterable[EditRow]) -> tuple[list[ContractEdit], Scenario]:
    """The Flow's input, and a scenario in which every attempt takes as long as its row says.

    A row that is silent where another speaks takes five minutes to edit and ten seconds to save.
    """
    rows = list(rows)
    edits = [
        ContractEdit(
            id=row.id,
            reviewer=row.reviewer,
            text=row.text,
            should_fail_handoff=row.should_fail_handoff,
            should_fail_save=row.should_fail_save,
            withdrawn=row.withdrawn,
        )
        for row in rows
    ]
    durations = dict(SCENARIO.durations)
    if any(row.edit_seconds is not None for row in rows):
        durations[EditContract] = _by_id({row.id: row.edit_seconds for row in rows}, 300)
    if any(row.save_seconds is not None for row in rows):
        durations[SaveContractEdit] = _by_id({row.id: row.save_seconds for row in rows}, 10)
    return edits, Scenario(durations=durations)


def _by_id(seconds: Mapping[str, float | None], silent: float) -> Callable[[ContractEdit, int], timedelta]:
    lasts = {edit: timedelta(seconds=silent if said is None else said) for edit, said in seconds.items()}
    return lambda edit, _attempt: lasts[edit.id]


def _stop(type: StopType) -> Scenario:
    stop = Stop(StopFlowOptions(type=type, reason="the contract is not needed any more"))
    return Scenario(durations=SCENARIO.durations, events=(At(timedelta(minutes=6), stop),))


def _timeout(policy: FlowTimeoutPolicy) -> Scenario:
    options = StartFlowOptions(timeout=timedelta(minutes=6), timeout_policy=policy)
    return Scenario(durations=SCENARIO.durations, options=options)


SCENARIOS = {
    "stop-cancel": _stop(StopType.CANCEL),
    "stop-terminate": _stop(StopType.TERMINATE),
    "stop-fail": _stop(StopType.FAIL),
    "timeout-fail": _timeout(FlowTimeoutPolicy.FAIL),
    "timeout-cancel": _timeout(FlowTimeoutPolicy.CANCEL),
}
"""Ways to close `ContractEditFlow` from outside, six minutes after its start."""


def make_all_exits_input(
    reviewers: int = 3,
    *,
    should_fail_handoff: Iterable[int] = (),
    should_fail_confirm: Iterable[int] = (),
    should_fail_save: Iterable[int] = (),
    withdrawn: Iterable[int] = (),
    patience: Mapping[int, timedelta] | None = None,
) -> list[GuardedEdit]:
    """The same for `ContractEditAllExitsFlow`; `patience` says after how long which reviewer stops waiting."""
    handoffs, confirms = set(should_fail_handoff), set(should_fail_confirm)
    saves, withdrawals = set(should_fail_save), set(withdrawn)
    return [
        GuardedEdit(
            id=f"edit-{n}",
            reviewer=f"reviewer-{n}",
            text=f"draft {n}",
            should_fail_handoff=n in handoffs,
            should_fail_confirm=n in confirms,
            should_fail_save=n in saves,
            withdrawn=n in withdrawals,
            patience=(patience or {}).get(n),
        )
        for n in range(1, reviewers + 1)
    ]


ALL_EXITS_INPUT = make_all_exits_input()
ALL_EXITS_SECTION = Section(
    DraftChange, ConfirmChange, SaveChange, name="contract change", label=lambda edit: edit.reviewer
)
ALL_EXITS_SCENARIO = Scenario(
    durations={
        OpenContract: MOMENT,
        InviteReviewers: MOMENT,
        InviteImpatiently: MOMENT,
        AdmitReviewer: MOMENT,
        DraftChange: EDITING,
        ConfirmChange: MOMENT,
        SaveChange: SAVING,
        ReleaseContractEditToken: MOMENT,
    }
)


def _call(event: At | Anytime) -> Scenario:
    return Scenario(durations=ALL_EXITS_SCENARIO.durations, events=(event,))


CALLS = {
    "stop-request": Invoke("request_stop"),
    "turn-away": Invoke("turn_away"),
    "force-complete": Invoke("abandon", "completed"),
    "force-fail": Invoke("abandon", "failed"),
}
ALL_EXITS_SCENARIOS = {
    **{name: _call(At(timedelta(minutes=6), call)) for name, call in CALLS.items()},
    **{f"perhaps-{name}": _call(Anytime(call)) for name, call in CALLS.items()},
}
"""Calls to `ContractEditAllExitsFlow`, six minutes after its start; or at any moment, or never."""

CLAIMS: dict[str, object] = {}
