"""How to try the contract-edit Flows: inputs, the section and its token, durations, and closings from outside.

The Flows know nothing of this. Times are invented: minutes for an edit, seconds for a save.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from math import factorial
from typing import Any, Protocol

from dexpatterns.audit import audit
from dexpatterns.claims import Claim, Measure
from dexpatterns.dex import (
    Anytime,
    At,
    Context,
    Faults,
    FlowTimeoutPolicy,
    Invoke,
    Scenario,
    Section,
    StartFlowOptions,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    Stop,
    StopFlowOptions,
    StopType,
    check,
    go_to_many,
    mutual_exclusion,
    simulate,
    token_conserved,
)
from dexpatterns.engine.properties import Property, always, always_ends, never, never_stuck
from dexpatterns.engine.report import Report, Verdict

from .flow import (
    CONTRACT_EDIT_TOKEN,
    AdmitReviewer,
    ConfirmChange,
    ContractEdit,
    ContractEditAllExitsFlow,
    ContractEditFlow,
    DraftChange,
    EditContract,
    EnterContractEdit,
    FinishContractEdits,
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


# What is claimed, and what proves it.


class StartWithAnotherToken(Step[list[ContractEdit]]):
    """Publishes another value; whoever leaves publishes the usual one, so that a run meets both."""

    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "a value that means nothing")
        return go_to_many(
            *[StepMovement.of(EnterContractEdit, edit) for edit in edits],
            StepMovement.of(FinishContractEdits, len(edits)),
        )


class AnotherTokenFlow(ContractEditFlow):
    """`ContractEditFlow`, but for the token's value."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartWithAnotherToken()).other_steps(
            EnterContractEdit(), EditContract(), SaveContractEdit(), ReleaseContractEditToken(), FinishContractEdits()
        )


USUAL = (never_stuck(), mutual_exclusion(SECTION), token_conserved(TOKEN))
PATIENCE = timedelta(minutes=4)
STOP_REQUEST, TURN_AWAY = ALL_EXITS_SCENARIOS["perhaps-stop-request"], ALL_EXITS_SCENARIOS["perhaps-turn-away"]


def ask(
    reviewers: int, *properties: Property, lost: int = 0, late: int = 0, edits: list[ContractEdit] | None = None
) -> Report:
    """With attempts to lose, reviewers without flags are taken as interchangeable: fewer states, the same verdict."""
    return check(
        ContractEditFlow,
        make_input(reviewers) if edits is None else edits,
        sections=[SECTION],
        tokens=[TOKEN],
        properties=properties,
        faults=Faults(lost_attempts=lost, late_attempts=late),
        symmetric=SYMMETRIC if lost and edits is None else None,
    )


def every_flag(reviewers: int, lost: int) -> Report:
    edits = make_input(reviewers, should_fail_handoff=(1,), should_fail_save=(2,), withdrawn=(3,))
    return ask(reviewers, *USUAL, lost=lost, edits=edits)


def another_token(reviewers: int) -> Report:
    edits = make_input(reviewers)
    return check(AnotherTokenFlow, edits, sections=[SECTION], tokens=[TOKEN], properties=USUAL)


def ask_all_exits(
    reviewers: int, *, late: bool = False, lost: int = 0, scenario: Scenario = ALL_EXITS_SCENARIO, **flags: Any
) -> Report:
    """With `late`, code that runs on counts as inside: what a cancelled Step still does is what cancelling is about."""
    return check(
        ContractEditAllExitsFlow,
        make_all_exits_input(reviewers, **flags),
        sections=[ALL_EXITS_SECTION],
        tokens=[TOKEN],
        properties=[never_stuck(), mutual_exclusion(ALL_EXITS_SECTION, late=late), token_conserved(TOKEN)],
        scenario=scenario,
        faults=Faults(lost_attempts=lost),
    )


def ways_out(reviewers: int) -> Any:
    return audit(ContractEditFlow, make_input(reviewers, withdrawn=(1,)), SECTION, token=TOKEN)


def all_ways_out(reviewers: int, scenario: Scenario = ALL_EXITS_SCENARIO, **flags: Any) -> Any:
    edits = make_all_exits_input(reviewers, **flags)
    return audit(ContractEditAllExitsFlow, edits, ALL_EXITS_SECTION, token=TOKEN, scenario=scenario)


def complete(reviewers: int) -> Property:
    return always(
        "a completed Flow has a record for every edit",
        lambda state: state["status"] != "COMPLETED" or len(state["outputs"][0]) == reviewers,
    )


def overtaken(state: dict[str, Any]) -> bool:
    """Somebody is editing who was started later than one who still waits."""
    steps = [(step["step"], step["phase"], step["input"]) for step in state["steps"]]
    waiting = [edit["id"] for step, phase, edit in steps if (step, phase) == ("EnterContractEdit", "waiting")]
    return any(one < edit["id"] for one in waiting for step, _, edit in steps if step == "EditContract")


def last_entry(reviewers: int, inside: int) -> float:
    """When the last reviewer enters, in seconds of virtual time, at the latest over a few seeds."""
    half = timedelta(seconds=inside / 2)
    at_once = dict.fromkeys(SCENARIO.durations, timedelta())
    scenario = Scenario(durations={**at_once, EditContract: half, SaveContractEdit: half})
    edits = make_input(reviewers)
    runs = [simulate(ContractEditFlow, edits, sections=[SECTION], scenario=scenario, seed=seed) for seed in range(5)]
    return max(float(run.intervals(SECTION)["start"].iloc[reviewers - 1].total_seconds()) for run in runs)


CLAIMS = {
    "one-at-a-time": Claim(
        ask=lambda reviewers, lost: ask(reviewers, mutual_exclusion(SECTION), lost=lost),
        given={"reviewers": 4, "lost": 2},
        verdict=Verdict.PROVED,
        about=("overlap", "spans Steps", "survives failure"),
    ),
    "token-conserved": Claim(
        ask=lambda reviewers, lost: ask(reviewers, token_conserved(TOKEN), lost=lost),
        given={"reviewers": 4, "lost": 2},
        verdict=Verdict.PROVED,
        about=("lost token", "second token", "survives failure"),
    ),
    "never-stuck": Claim(
        ask=lambda reviewers, lost: ask(reviewers, never_stuck(), lost=lost),
        given={"reviewers": 4, "lost": 2},
        verdict=Verdict.PROVED,
        about=("stuck", "survives failure"),
    ),
    "always-completes": Claim(
        ask=lambda reviewers, lost: ask(reviewers, always_ends("COMPLETED"), complete(reviewers), lost=lost),
        given={"reviewers": 3, "lost": 1},
        verdict=Verdict.PROVED,
        about=("stuck", "survives failure"),
    ),
    "every-flag": Claim(
        ask=every_flag, given={"reviewers": 3, "lost": 1}, verdict=Verdict.PROVED, about="survives failure"
    ),
    "every-way-out": Claim(
        ask=ways_out,
        given={"reviewers": 2},
        verdict=Verdict.PROVED,
        ways=5,
        about=("lost token", "second token", "survives failure"),
    ),
    "every-way-out-with-waits": Claim(
        ask=lambda reviewers: all_ways_out(reviewers, STOP_REQUEST),
        given={"reviewers": 1},
        verdict=Verdict.PROVED,
        ways=8,
        about=("lost token", "second token", "survives failure"),
    ),
    "cancelled-handoff-returns": Claim(
        ask=lambda reviewers: all_ways_out(reviewers, patience={1: PATIENCE}),
        given={"reviewers": 1},
        verdict=Verdict.PROVED,
        ways=7,
        about=("lost token", "second token", "survives cancel"),
    ),
    "handoff-cancelled-by-rpc": Claim(
        ask=lambda reviewers: ask_all_exits(reviewers, late=True, scenario=TURN_AWAY),
        given={"reviewers": 2},
        verdict=Verdict.PROVED,
        about="survives cancel",
    ),
    "handoff-cancelled-by-step": Claim(
        ask=lambda reviewers: ask_all_exits(reviewers, late=True, patience={1: PATIENCE}),
        given={"reviewers": 2},
        verdict=Verdict.PROVED,
        about="survives cancel",
    ),
    "stop-request": Claim(
        ask=lambda reviewers, lost: ask_all_exits(reviewers, lost=lost, scenario=STOP_REQUEST),
        given={"reviewers": 2, "lost": 1},
        verdict=Verdict.PROVED,
        about="survives cancel",
    ),
    "token-published-earlier": Claim(ask=ask_all_exits, given={"reviewers": 3}, verdict=Verdict.PROVED, about="other"),
    "value-does-not-matter": Claim(
        ask=another_token, given={"reviewers": 3}, verdict=Verdict.PROVED, outcomes=factorial(3), about="other"
    ),
    "every-order-seen": Claim(
        ask=lambda reviewers: ask(reviewers, complete(reviewers)),
        given={"reviewers": 3},
        verdict=Verdict.PROVED,
        outcomes=factorial(3),
        about="order",
    ),
    "order-not-promised": Claim(
        ask=lambda reviewers: ask(reviewers, never("started later, in first", overtaken)),
        given={"reviewers": 2},
        verdict=Verdict.REFUTED,
        broken="started later, in first",
        turns=8,
        about="fair",
    ),
    "late-code-overlaps": Claim(
        ask=lambda reviewers, late: ask(reviewers, mutual_exclusion(SECTION, late=True), late=late),
        given={"reviewers": 2, "late": 1},
        verdict=Verdict.REFUTED,
        broken="at most one inside contract edit, late code counted: 2 are inside",
        turns=17,
        about="late code",
    ),
    "late-code-saves-nothing": Claim(
        ask=lambda reviewers, late: ask(reviewers, *USUAL, late=late),
        given={"reviewers": 2, "late": 1},
        verdict=Verdict.PROVED,
        about=("overlap", "survives failure"),
    ),
    "short-section": Measure(
        ask=last_entry, given={"reviewers": 10, "inside": 2}, unit="s", at_most=20, about="waiting"
    ),
}
