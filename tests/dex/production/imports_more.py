"""Names that have no meaning in a check are imported, stand in annotations, and are used only where a worker starts."""

from dataclasses import dataclass
from typing import Optional

import dex
from dex import Client, Registry, RpcLockConflictError, StepDurability, Stream, SubFlow, Worker, heartbeat
from dex._grpc_errors import retry_after
from dex.client import ClientOptions
from dex.subflow import SubFlow as Child

Progress = Optional[Stream[str]]  # noqa: UP045


@dataclass(frozen=True)
class Deps:
    client: Client | None = None
    options: "ClientOptions | None" = None
    streams: tuple[Stream[str], ...] = ()


class Report(dex.Step[str]):
    def __init__(self, deps: Deps, progress: Progress = None, later: list[Child] | None = None) -> None:
        self.deps = deps
        self.progress = progress

    def execute(self, context: dex.Context, input: str) -> dex.StepDecision:
        try:
            if isinstance(self.progress, Stream):
                self.progress.write(context, input)
            raise ValueError(input)
        except RpcLockConflictError:
            return dex.force_fail("locked")
        except (dex.FlowNotFoundError, ValueError):
            return dex.graceful_complete(input)


class ReportFlow(dex.Flow[str]):
    def get_steps(self) -> dex.StepList[str]:
        return dex.StepList.start_step(Report(Deps()))


def serve(durability: StepDurability, parent: SubFlow) -> None:
    heartbeat()
    retry_after(7, ValueError())
    Worker(Registry([ReportFlow()])).run()


if __name__ == "__main__":
    serve(StepDurability.SYNC, SubFlow())
