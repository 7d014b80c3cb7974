"""What an engineer adds for a check: the order Flow with clients that touch nothing."""

from __future__ import annotations

from datetime import timedelta

import orders
from orders import OrderFlow

from dexpatterns import Scenario, Section


class FakePayments:
    async def charge(self, order_id: str, cents: int) -> str:
        return f"receipt of {order_id}"


class FakeMail:
    def send(self, to: str, text: str) -> None:
        """Nobody gets it."""


def make_flow() -> OrderFlow:
    return OrderFlow(FakePayments(), FakeMail())


SLOW = Scenario(durations={orders.PackOrder: timedelta(minutes=5)})
PACKING = Section(orders.PackOrder)
