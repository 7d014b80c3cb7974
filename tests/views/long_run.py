"""A run as long as one likes: branches that take turns in a section, round after round."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache

from dexpatterns import (
    Attribute,
    Channel,
    Context,
    Flow,
    PersistenceSchema,
    Run,
    Scenario,
    Section,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    Wait,
    dead_end,
    go_to,
    go_to_many,
    simulate,
)

TOKEN = Channel("turnToken", str)
TEXT = Attribute("text", str)


@dataclass(frozen=True)
class Work:
    name: str
    rounds: int


class Begin(Step[list[Work]]):
    def execute(self, context: Context, works: list[Work]) -> StepDecision:
        TOKEN.publish(context, "go")
        return go_to_many(*[StepMovement.of(Enter, work) for work in works])


class Enter(Step[Work]):
    def wait_for(self, context: Context, work: Work) -> Wait:
        return Wait.until(TOKEN.for_one())

    def execute(self, context: Context, work: Work) -> StepDecision:
        return go_to(Edit, work)


class Edit(Step[Work]):
    def execute(self, context: Context, work: Work) -> StepDecision:
        TEXT.set(context, f"{work.name}, {work.rounds} rounds left")
        TOKEN.publish(context, "go")
        return go_to(Enter, replace(work, rounds=work.rounds - 1)) if work.rounds > 1 else dead_end()


class RoundsFlow(Flow[list[Work]]):
    def get_steps(self) -> StepList[list[Work]]:
        return StepList.start_step(Begin()).other_steps(Enter(), Edit())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(TOKEN, TEXT)


@cache
def long_run(branches: int = 20, turns: int = 2000) -> Run:
    """So many branches and turns."""
    rounds = turns // (7 * branches) + 2
    return simulate(
        RoundsFlow,
        [Work(f"worker-{n}", rounds) for n in range(1, branches + 1)],
        sections=[Section(Edit, name="edit", label=lambda work: work.name)],
        tokens=[TOKEN],
        scenario=Scenario(durations={Edit: (timedelta(seconds=1), timedelta(seconds=9))}),
        seed=3,
        turns=turns,
    )
