"""Refunds, in a package: relative imports, absolute ones, and one inside a handler."""

from __future__ import annotations

from dex import Context, Flow, PersistenceSchema, Step, StepDecision, StepList, StepOptions

from shop.money import CASH_DESK

from ..money import TWICE  # noqa: TID252


class Refund(Step[int]):
    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_retry=TWICE)

    def execute(self, context: Context, input: int) -> StepDecision:
        from shop import money

        from . import audit_trail

        money.CASH_DESK.publish(context, "open")
        return audit_trail.close(input)


class RefundFlow(Flow[int]):
    def get_steps(self) -> StepList[int]:
        return StepList.start_step(Refund())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(CASH_DESK)
