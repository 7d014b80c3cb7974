"""Retries and names that several Flows of the shop share."""

from dex import Channel, RetryPolicy

CASH_DESK = Channel("cashDesk", str)
TWICE = RetryPolicy(maximum_attempts=2)
