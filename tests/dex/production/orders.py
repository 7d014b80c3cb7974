"""Orders: each is charged, then packed while nobody else packs, then confirmed by mail."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import dex

ONE_RETRY = dex.RetryPolicy(initial_interval=timedelta(seconds=1), maximum_attempts=2)


@dataclass(frozen=True)
class Order:
    id: str
    cents: int
    express: bool = False


class Payments(Protocol):
    async def charge(self, order_id: str, cents: int) -> str: ...


class Mail(Protocol):
    def send(self, to: str, text: str) -> None: ...


packing_table = dex.Channel[str]("packingTable", str)
packed = dex.Channel[str]("packed", str)
shipped = dex.Attribute[int]("shipped", int)


class OpenShop(dex.Step[list[Order]]):
    def execute(self, context: dex.Context, input: list[Order]) -> dex.StepDecision:
        packing_table.publish(context, "table")
        charges = [dex.StepMovement.of(ChargeOrder, order) for order in input]
        return dex.go_to_many(*charges, dex.StepMovement.of(CloseShop, len(input)))


class ChargeOrder(dex.Step[Order]):
    def __init__(self, payments: Payments) -> None:
        self.payments = payments

    def get_step_options(self) -> dex.StepOptions:
        return dex.StepOptions(execute_retry=ONE_RETRY)

    async def execute(self, context: dex.AsyncContext, input: Order) -> dex.StepDecision:
        await asyncio.sleep(0.2)
        await self.payments.charge(input.id, input.cents)
        return dex.go_to(EnterPacking, input)


class EnterPacking(dex.Step[Order]):
    async def wait_for(self, context: dex.AsyncContext, input: Order) -> dex.Wait:
        return dex.Wait.until(packing_table.for_one())

    async def execute(self, context: dex.AsyncContext, input: Order) -> dex.StepDecision:
        return dex.go_to(PackOrder, input)


class PackOrder(dex.Step[Order]):
    def __init__(self, mail: Mail) -> None:
        self.mail = mail

    def execute(self, context: dex.Context, input: Order) -> dex.StepDecision:
        self.mail.send(input.id, "your order is on its way")
        shipped.set(context, shipped.get(context) + 1)
        packing_table.publish(context, "table")
        packed.publish(context, input.id)
        return dex.dead_end()


class CloseShop(dex.Step[int]):
    def wait_for(self, context: dex.Context, input: int) -> dex.Wait:
        return dex.Wait.until(packed.for_n(input))

    def execute(self, context: dex.Context, input: int) -> dex.StepDecision:
        return dex.graceful_complete(sorted(packed.results(context)))


class OrderFlow(dex.Flow[list[Order]]):
    def __init__(self, payments: Payments, mail: Mail) -> None:
        self.payments = payments
        self.mail = mail

    def get_steps(self) -> dex.StepList[list[Order]]:
        return dex.StepList.start_step(OpenShop()).other_steps(
            ChargeOrder(self.payments), EnterPacking(), PackOrder(self.mail), CloseShop()
        )

    def get_persistence_schema(self) -> dex.PersistenceSchema:
        return dex.PersistenceSchema.of(packing_table, packed, shipped)

    @dex.rpc(lock_attributes=(shipped.lock(),))
    def count(self, context: dex.Context) -> dex.RPCResult[int]:
        return dex.RPCResult(shipped.get(context))
