"""Tells the server that it is alive, each in another way; one of them does not mind if that fails."""

import dex


class Beat(dex.Step[str]):
    def execute(self, context: dex.Context, input: str) -> dex.StepDecision:
        dex.heartbeat()
        return dex.dead_end()


class QuietBeat(dex.Step[str]):
    def execute(self, context: dex.Context, input: str) -> dex.StepDecision:
        try:
            dex.heartbeat()
        except Exception:  # noqa: BLE001
            return dex.graceful_complete("nobody heard")
        return dex.dead_end()


class BeatFlow(dex.Flow[str]):
    def __init__(self, step: dex.Step[str] | None = None) -> None:
        self.step = step or Beat()

    def get_steps(self) -> dex.StepList[str]:
        return dex.StepList.start_step(self.step)


def quiet() -> BeatFlow:
    return BeatFlow(QuietBeat())
