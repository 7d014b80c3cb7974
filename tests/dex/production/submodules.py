"""A ticket counter, written with every way of importing that there is."""

import dex as d
import dex.wait
from dex import *  # noqa: F403
from dex.attribute import Attribute
from dex.channel import Channel
from dex.context import Context
from dex.flow import Flow, PersistenceSchema
from dex.step import Step, StepDecision, StepList

counter = Channel("counter", str)
served = Attribute("served", int)


class OpenCounter(Step[None]):
    def execute(self, context: Context, input: None) -> StepDecision:
        counter.publish(context, "open")
        return go_to(ServeOne, 3)  # noqa: F405


class ServeOne(Step[int]):
    def wait_for(self, context: Context, input: int) -> d.Wait:
        return dex.wait.Wait.until(counter.for_one())

    def execute(self, context: Context, input: int) -> StepDecision:
        import dex.step as steps
        from dex import graceful_complete as done

        served.set(context, served.get(context) + 1)
        counter.publish(context, "open")
        return steps.go_to(ServeOne, input - 1) if input > 1 else done(served.get(context))


class CounterFlow(Flow[None]):
    def get_steps(self) -> StepList[None]:
        return StepList.start_step(OpenCounter()).other_steps(ServeOne())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(counter, served)
