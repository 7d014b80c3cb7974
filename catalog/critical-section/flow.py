"""Several reviewers change one contract, never two at a time: whoever holds the token is inside.

`ContractEditFlow` is the smallest whole form: enter, edit, save, and one Step that gives the token back when
something failed. `ContractEditAllExitsFlow` adds every other way out of the section. Neither knows how long
anything takes, nor who tries it out: inputs, durations and closings stand in `world.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from dexpatterns.dex import (
    Attribute,
    Channel,
    Context,
    Flow,
    PersistenceSchema,
    RetryPolicy,
    RPCResult,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    StepOptions,
    Timer,
    Wait,
    WaitForFailurePolicy,
    dead_end,
    force_complete,
    force_fail,
    go_to,
    go_to_many,
    graceful_complete,
    rpc,
)


@dataclass(frozen=True, slots=True)
class ContractEdit:
    """One reviewer's edit: `text` is what the contract says once it is saved. The flags make it leave otherwise."""

    id: str
    reviewer: str
    text: str
    should_fail_handoff: bool = False
    should_fail_save: bool = False
    withdrawn: bool = False
    started_at: datetime | None = None
    """Filled in by the Step that starts the edit; the Steps after it hand it on."""


@dataclass(frozen=True, slots=True)
class ContractEditRecord:
    """How one edit ended. `started_at` is None when it never got as far as editing."""

    id: str
    reviewer: str
    way_out: str
    started_at: datetime | None
    ended_at: datetime


class ContractEditError(Exception):
    """An edit that was told to fail."""


CONTRACT = Attribute("contract", str)
CONTRACT_EDIT_TOKEN = Channel("contractEditToken", str)
CONTRACT_EDIT_FINISHED = Channel("contractEditFinished", ContractEditRecord)
CONTRACT_EDIT_RETRY = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_attempts=2)


def record(context: Context, edit: ContractEdit, way_out: str) -> ContractEditRecord:
    return ContractEditRecord(edit.id, edit.reviewer, way_out, edit.started_at, context.first_attempt_at)


class StartContractEdits(Step[list[ContractEdit]]):
    """Publishes the only token, then starts a branch per edit and the join."""

    def execute(self, context: Context, edits: list[ContractEdit]) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        if not edits:
            return graceful_complete([])
        return go_to_many(
            *[StepMovement.of(EnterContractEdit, edit) for edit in edits],
            StepMovement.of(FinishContractEdits, len(edits)),
        )


class EnterContractEdit(Step[ContractEdit]):
    """The handoff: waits for the token and touches nothing, so it may be cancelled at any moment."""

    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_retry=CONTRACT_EDIT_RETRY).on_execute_failure_proceed_to(ReleaseContractEditToken)

    def wait_for(self, context: Context, edit: ContractEdit) -> Wait:
        return Wait.until(CONTRACT_EDIT_TOKEN.for_one())

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        if edit.should_fail_handoff:
            raise ContractEditError("handoff failed")
        return go_to(EditContract, edit)


class EditContract(Step[ContractEdit]):
    """The first protected Step. A withdrawn edit leaves here, and takes care of the token itself."""

    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_retry=CONTRACT_EDIT_RETRY).on_execute_failure_proceed_to(ReleaseContractEditToken)

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        started = replace(edit, started_at=context.first_attempt_at)
        if edit.withdrawn:
            CONTRACT_EDIT_TOKEN.publish(context, "contract")
            CONTRACT_EDIT_FINISHED.publish(context, record(context, started, "withdrawn"))
            return dead_end()
        return go_to(SaveContractEdit, started)


class SaveContractEdit(Step[ContractEdit]):
    """The last protected Step: the new text, the token and the record are saved together or not at all."""

    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_retry=CONTRACT_EDIT_RETRY).on_execute_failure_proceed_to(ReleaseContractEditToken)

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        if edit.should_fail_save:
            raise ContractEditError("save failed")
        CONTRACT.set(context, edit.text)
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        CONTRACT_EDIT_FINISHED.publish(context, record(context, edit, "saved"))
        return dead_end()


class ReleaseContractEditToken(Step[ContractEdit]):
    """Where every failure route leads: gives the token back for a Step that could not."""

    def execute(self, context: Context, edit: ContractEdit) -> StepDecision:
        error = context.recovery_error
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        CONTRACT_EDIT_FINISHED.publish(context, record(context, edit, error.detail if error else "released"))
        return dead_end()


class FinishContractEdits(Step[int]):
    """The join: completes the Flow once every edit has left its record, whichever way it went."""

    def wait_for(self, context: Context, count: int) -> Wait:
        return Wait.until(CONTRACT_EDIT_FINISHED.for_n(count))

    def execute(self, context: Context, count: int) -> StepDecision:
        return graceful_complete(CONTRACT_EDIT_FINISHED.results(context))


class ContractEditFlow(Flow[list[ContractEdit]]):
    """A list of edits in, a list of records out; the edits never overlap."""

    def get_steps(self) -> StepList[list[ContractEdit]]:
        return StepList.start_step(StartContractEdits()).other_steps(
            EnterContractEdit(),
            EditContract(),
            SaveContractEdit(),
            ReleaseContractEditToken(),
            FinishContractEdits(),
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CONTRACT, CONTRACT_EDIT_TOKEN, CONTRACT_EDIT_FINISHED)


# From here on: the same section with every way out that the Flow above has no need of.


@dataclass(frozen=True, slots=True)
class GuardedEdit(ContractEdit):
    """An edit whose confirmation can be told to fail, and whose reviewer may lose patience before they are let in."""

    should_fail_confirm: bool = False
    patience: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """What the join has so far: how many edits there are, and one record for each that it has heard of."""

    count: int
    records: tuple[ContractEditRecord, ...] = ()


CONTRACT_EDITS = Attribute("contractEdits", list[GuardedEdit])
STOP_REQUESTED = Attribute("stopRequested", bool)
CONFIRMATION_DELAY = timedelta(minutes=1)
CANCEL_ASKED = "cancellation asked"
"""The way out that a canceller records: all it knows is what it asked for, not whether it came in time."""


class OpenContract(Step[list[GuardedEdit]]):
    """Publishes the token a Step before there is any branch, which is as good as in the same Step."""

    def execute(self, context: Context, edits: list[GuardedEdit]) -> StepDecision:
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        CONTRACT_EDITS.set(context, edits)
        return go_to(InviteReviewers, edits)


class InviteReviewers(Step[list[GuardedEdit]]):
    """Starts a branch per edit and the join."""

    def execute(self, context: Context, edits: list[GuardedEdit]) -> StepDecision:
        if not edits:
            return graceful_complete([])
        patient = [StepMovement.of(AdmitReviewer, edit) for edit in edits if edit.patience is None]
        impatient = [StepMovement.of(InviteImpatiently, edit) for edit in edits if edit.patience is not None]
        return go_to_many(
            *patient, *impatient, StepMovement.of(CollectRecords, Collected(len({edit.id for edit in edits})))
        )


class InviteImpatiently(Step[GuardedEdit]):
    """Makes a handoff and its canceller siblings, so that the one can cancel the other and nobody else."""

    def execute(self, context: Context, edit: GuardedEdit) -> StepDecision:
        return go_to_many(StepMovement.of(AdmitReviewer, edit), StepMovement.of(LosePatience, edit))


class AdmitReviewer(Step[GuardedEdit]):
    """The handoff. Cancelling it is safe: a token that it took goes back to its Channel."""

    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_retry=CONTRACT_EDIT_RETRY).on_execute_failure_proceed_to(ReleaseContractEditToken)

    def wait_for(self, context: Context, edit: GuardedEdit) -> Wait:
        return Wait.until(CONTRACT_EDIT_TOKEN.for_one())

    def execute(self, context: Context, edit: GuardedEdit) -> StepDecision:
        if edit.should_fail_handoff:
            raise ContractEditError("handoff failed")
        return go_to(DraftChange, edit)


class DraftChange(Step[GuardedEdit]):
    """The first protected Step. It is asked to stop, not cancelled: so it can give the token back."""

    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_retry=CONTRACT_EDIT_RETRY).on_execute_failure_proceed_to(ReleaseContractEditToken)

    def execute(self, context: Context, edit: GuardedEdit) -> StepDecision:
        started = replace(edit, started_at=context.first_attempt_at)
        stopped = STOP_REQUESTED.get(context)
        if edit.withdrawn or stopped:
            CONTRACT_EDIT_TOKEN.publish(context, "contract")
            CONTRACT_EDIT_FINISHED.publish(context, record(context, started, "stopped" if stopped else "withdrawn"))
            return dead_end()
        return go_to(ConfirmChange, started)


class ConfirmChange(Step[GuardedEdit]):
    """Waits inside the section. When that very wait fails, its execute still runs and gives the token back."""

    def get_step_options(self) -> StepOptions:
        return StepOptions(
            wait_for_retry=CONTRACT_EDIT_RETRY,
            wait_for_failure=WaitForFailurePolicy.PROCEED,
            execute_retry=CONTRACT_EDIT_RETRY,
        ).on_execute_failure_proceed_to(ReleaseContractEditToken)

    def wait_for(self, context: Context, edit: GuardedEdit) -> Wait:
        if edit.should_fail_confirm:
            raise ContractEditError("confirmation failed")
        return Wait.until(Timer.by_duration(CONFIRMATION_DELAY))

    def execute(self, context: Context, edit: GuardedEdit) -> StepDecision:
        error = context.recovery_error
        if context.wait_for_method_failed() or STOP_REQUESTED.get(context):
            CONTRACT_EDIT_TOKEN.publish(context, "contract")
            CONTRACT_EDIT_FINISHED.publish(context, record(context, edit, error.detail if error else "stopped"))
            return dead_end()
        return go_to(SaveChange, edit)


class SaveChange(Step[GuardedEdit]):
    """The last protected Step, and the last that looks for a stop request."""

    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_retry=CONTRACT_EDIT_RETRY).on_execute_failure_proceed_to(ReleaseContractEditToken)

    def execute(self, context: Context, edit: GuardedEdit) -> StepDecision:
        stopped = STOP_REQUESTED.get(context)
        if edit.should_fail_save and not stopped:
            raise ContractEditError("save failed")
        if not stopped:
            CONTRACT.set(context, edit.text)
        CONTRACT_EDIT_TOKEN.publish(context, "contract")
        CONTRACT_EDIT_FINISHED.publish(context, record(context, edit, "stopped" if stopped else "saved"))
        return dead_end()


class LosePatience(Step[GuardedEdit]):
    """Cancels one handoff, and leaves the record that a cancelled Step cannot leave."""

    def wait_for(self, context: Context, edit: GuardedEdit) -> Wait:
        return Wait.until(Timer.by_duration(edit.patience or timedelta()))

    def execute(self, context: Context, edit: GuardedEdit) -> StepDecision:
        CONTRACT_EDIT_FINISHED.publish(context, record(context, edit, CANCEL_ASKED))
        return dead_end().with_canceling_sibling_steps(AdmitReviewer)


class CollectRecords(Step[Collected]):
    """The join: counts edits, not records, since a canceller records those as well who got in before it.

    Their own record takes its place if it comes while others are still missing.
    """

    def wait_for(self, context: Context, collected: Collected) -> Wait:
        return Wait.until(CONTRACT_EDIT_FINISHED.at_least(1))

    def execute(self, context: Context, collected: Collected) -> StepDecision:
        records = {known.id: known for known in collected.records}
        for new in CONTRACT_EDIT_FINISHED.results(context):
            if new.id not in records or records[new.id].way_out == CANCEL_ASKED:
                records[new.id] = new  # a branch knows more of itself than its canceller does
        found = sorted(records.values(), key=lambda known: known.id)
        if len(found) < collected.count:
            return go_to(CollectRecords, Collected(collected.count, tuple(found)))
        return graceful_complete(found).with_canceling_steps(LosePatience)


class AbandonContract(Step[str]):
    """Closes the Flow over everyone's head: no token is needed where no branch is left to wait for it."""

    def execute(self, context: Context, status: str) -> StepDecision:
        if status == "completed":
            return force_complete([])
        return force_fail("the contract was abandoned")


class ContractEditAllExitsFlow(Flow[list[GuardedEdit]]):
    """The contract again, with a wait inside the section, requests to stop, and handoffs that are cancelled."""

    def get_steps(self) -> StepList[list[GuardedEdit]]:
        return StepList.start_step(OpenContract()).other_steps(
            InviteReviewers(),
            InviteImpatiently(),
            AdmitReviewer(),
            DraftChange(),
            ConfirmChange(),
            SaveChange(),
            ReleaseContractEditToken(),
            LosePatience(),
            CollectRecords(),
            AbandonContract(),
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(
            CONTRACT, CONTRACT_EDITS, STOP_REQUESTED, CONTRACT_EDIT_TOKEN, CONTRACT_EDIT_FINISHED
        )

    @rpc
    def request_stop(self, context: Context) -> RPCResult[None]:
        """Ask whoever is inside, and whoever comes after, to leave by an early exit."""
        STOP_REQUESTED.set(context, True)
        return RPCResult(None)

    @rpc
    def turn_away(self, context: Context) -> RPCResult[int]:
        """Cancel every handoff; whom that hits is not known yet, so everyone gets a record. Answers how many."""
        edits = CONTRACT_EDITS.get(context) or []
        if not edits:
            return RPCResult(0)  # by the time this is saved there may be handoffs, but none that it has recorded
        for edit in edits:
            CONTRACT_EDIT_FINISHED.publish(context, record(context, edit, CANCEL_ASKED))
        return RPCResult(len(edits)).with_canceling_steps(AdmitReviewer)

    @rpc
    def abandon(self, context: Context, status: str) -> RPCResult[None]:
        """Close the Flow at once, "completed" or "failed"."""
        return RPCResult(None, next_steps=(StepMovement.of(AbandonContract, status),))
