"""Writes its progress to a Stream, which nobody waits for and a check has no meaning for."""

import dex

progress = dex.Stream("progress", str, 1024)


class Work(dex.Step[str]):
    def execute(self, context: dex.Context, input: str) -> dex.StepDecision:
        return dex.graceful_complete(input)


class WorkFlow(dex.Flow[str]):
    def get_steps(self) -> dex.StepList[str]:
        return dex.StepList.start_step(Work())
