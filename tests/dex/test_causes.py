"""Every known cause is found in the Flow that has it, named exactly, and not found where it is not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from string import Formatter
from typing import Any

import pytest

from dexpatterns.dex import (
    Anytime,
    Attribute,
    Channel,
    ChannelMap,
    Context,
    Faults,
    Flow,
    FlowStatus,
    Invoke,
    PersistenceSchema,
    RetryPolicy,
    RPCResult,
    Scenario,
    Section,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    StepOptions,
    Stop,
    Timer,
    Wait,
    WaitForFailurePolicy,
    check,
    dead_end,
    go_to,
    go_to_many,
    graceful_complete,
    rpc,
)
from dexpatterns.dex.explain import Cause
from dexpatterns.dex.properties import mutual_exclusion, token_conserved
from dexpatterns.dex.texts import TEXTS
from dexpatterns.engine.properties import always_ends, never, never_stuck

TOKEN = Channel("token", str)
DONE = Channel("done", str)
NOTE = Attribute("note", str)
COUNT = Attribute("count", int)


@dataclass(frozen=True, slots=True)
class Edit:
    who: str
    how: str = "well"


class Failing(Exception):
    """An edit that was told to fail."""


class Begin(Step[list[Edit]]):
    """Publishes as many tokens as its first edit says."""

    def execute(self, context: Context, edits: list[Edit]) -> StepDecision:
        for _ in range(2 if edits[0].how == "two tokens" else 1):
            TOKEN.publish(context, "t")
        barging = [StepMovement.of(Work, edit) for edit in edits if edit.how == "barges in"]
        joining = [StepMovement.of(Join, len(edits)) for edit in edits[:1] if edit.how == "not told"]
        hurrying = [StepMovement.of(Hurry, edit) for edit in edits if edit.how == "cancelled"]
        waiting = [StepMovement.of(Enter, edit) for edit in edits if edit.how != "barges in"]
        return go_to_many(*waiting, *barging, *joining, *hurrying)


class Enter(Step[Edit]):
    def wait_for(self, context: Context, edit: Edit) -> Wait:
        return Wait.until(TOKEN.for_one())

    def execute(self, context: Context, edit: Edit) -> StepDecision:
        return go_to(Work, edit)


class Work(Step[Edit]):
    """Leaves in the way that the edit says."""

    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_retry=RetryPolicy(maximum_attempts=1)).on_execute_failure_proceed_to(Release)

    def execute(self, context: Context, edit: Edit) -> StepDecision:
        if edit.how == "forgets":
            return graceful_complete()
        if edit.how == "fails":
            raise Failing("told to")
        if edit.how == "comments":
            TOKEN.publish(context, "a comment")
        return go_to(Save, edit)


class Save(Step[Edit]):
    def execute(self, context: Context, edit: Edit) -> StepDecision:
        for _ in range(2 if edit.how == "gives two" else 1):
            TOKEN.publish(context, "t")
        if edit.how != "not told":
            DONE.publish(context, edit.who)
        return dead_end()


class Release(Step[Edit]):
    """A failure route that forgets what it is for."""

    def execute(self, context: Context, edit: Edit) -> StepDecision:
        return graceful_complete()


class Join(Step[int]):
    def wait_for(self, context: Context, count: int) -> Wait:
        return Wait.until(DONE.for_n(count))

    def execute(self, context: Context, count: int) -> StepDecision:
        return graceful_complete()


class Hurry(Step[Edit]):
    def execute(self, context: Context, edit: Edit) -> StepDecision:
        return dead_end().with_canceling_steps(Work, Save)


class Edits(Flow[list[Edit]]):
    def get_steps(self) -> StepList[list[Edit]]:
        return StepList.start_step(Begin()).other_steps(Enter(), Work(), Save(), Release(), Join(), Hurry())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(TOKEN, DONE, NOTE)

    @rpc
    def tell_all(self, context: Context) -> RPCResult[None]:
        """Publishes what the join waits for."""
        DONE.publish(context, "told")
        return RPCResult(None)

    @rpc
    def greet(self, context: Context) -> RPCResult[None]:
        NOTE.set(context, "hello")
        return RPCResult(None)


SECTION = Section(Work, Save, name="work", label=lambda edit: edit.who)


def cause_of(flow: Any, input: Any, one: Any, lang: str = "en", **more: Any) -> Cause:
    report = check(flow, input, sections=(SECTION,) if flow is Edits else (), properties=[one], **more)
    found = report.explained(lang).cause
    assert found is not None, report.explanation
    return found


def edits(*how: str) -> list[Edit]:
    return [Edit(name, one) for name, one in zip(("ann", "ben", "eve"), how, strict=False)]


ONE_TOKEN = token_conserved(TOKEN)
ALONE = mutual_exclusion(SECTION)


@pytest.mark.parametrize(
    ("how", "one", "kind", "sentence"),
    [
        (
            ("forgets", "well"), ONE_TOKEN, "lost-token",
            ("ann took the token at turn 4 and left with it at turn 8: Work saved graceful_complete without giving it "
            "back."),
        ),
        (
            ("fails", "well"), ONE_TOKEN, "lost-token",
            ("ann took the token at turn 4 and left with it at turn 10: Release, the failure route of Work, saved "
            "without giving it back."),
        ),
        (
            ("cancelled", "well"), ONE_TOKEN, "cancelled-inside",
            "ann took the token at turn 4; Hurry cancelled its Work at turn 8, and the token went with it.",
        ),
        (
            ("two tokens", "well"), ONE_TOKEN, "too-many-tokens",
            "Begin published 2 messages to token at turn 2, and nobody had taken one yet: 1 expected.",
        ),
        (
            ("gives two", "well"), ONE_TOKEN, "given-back-twice",
            "ann took one token at turn 4 and published 2 to token at turn 10.",
        ),
        (
            ("comments", "well"), ALONE, "early-return",
            "ann took the token at turn 4, put one back at turn 8 (Work), and was inside all the same.",
        ),
        (
            ("well", "barges in"), ALONE, "no-token",
            "ben entered Work at turn 3 without having taken the token, which ann took at turn 5.",
        ),
        (
            ("two tokens", "well"), ALONE, "too-many-tokens",
            "Begin published 2 messages to token at turn 2, and nobody had taken one yet: 1 expected.",
        ),
    ],
)  # fmt: skip
def test_what_happens_to_a_token_is_named(how: tuple[str, ...], one: Any, kind: str, sentence: str) -> None:
    cause = cause_of(Edits, edits(*how), one, tokens=(TOKEN,))
    assert (cause.kind, cause.sentence) == (kind, sentence)


def test_the_turns_and_branches_that_a_cause_names_are_data() -> None:
    cause = cause_of(Edits, edits("forgets", "well"), ONE_TOKEN, tokens=(TOKEN,))
    assert (cause.turns, cause.branches, cause.title) == ((4, 8), ("ann",), "a lost token")
    assert cause.general == "Nobody else can give it back: every way out has to, in the same result that leaves."
    assert cause.mend == "let Work publish to token on this way out too (critical-section)."


def test_a_lost_token_explains_why_others_are_stuck() -> None:
    cause = cause_of(Edits, edits("forgets", "well", "well"), never_stuck(), tokens=(TOKEN,))
    assert cause.kind == "lost-token"
    assert cause.sentence.endswith("without giving it back. ben and eve wait for it for ever.")


def test_those_who_wait_for_the_same_do_not_wait_for_each_other() -> None:
    """Each would give the token back, if it only got it: that is no circle."""
    cause = cause_of(Edits, edits("forgets", "well", "well"), never_stuck())
    assert cause.kind == "stuck"
    assert cause.sentence.startswith("Enter of ben and Enter of eve wait for token.for_one().")


def test_a_token_that_nobody_declared_is_followed_as_a_message() -> None:
    cause = cause_of(Edits, edits("forgets", "well"), never_stuck())
    assert (cause.kind, cause.turns, cause.branches) == ("stuck", (4, 8), ("ben", "ann"))
    assert cause.sentence == (
        "Enter of ben waits for token.for_one(). The only message that came to token went to Enter of ann at turn 4. "
        "ann ended at turn 8 (Work) without publishing to it. Nobody is left who would publish."
    )


# Who waits for what.


def test_a_join_that_hears_of_one_too_few_is_told_who_said_nothing() -> None:
    cause = cause_of(Edits, edits("not told", "well"), never_stuck(), tokens=(TOKEN,))
    assert cause.kind == "stuck"
    assert cause.sentence == (
        "Join waits for done.for_n(2). 1 message came to done, of which 1 still lies there. ann ended at turn 10 "
        "(Save) without publishing to it. Nobody is left who would publish."
    )
    assert cause.mend == "let every way that a branch can end publish to done, failures and early exits too."


@pytest.mark.parametrize(
    ("events", "ending"),
    [
        (
            [Anytime(Invoke("tell_all"))],
            "Nobody is left who would publish; a call of tell_all would help, but need not come.",
        ),
        (
            [Anytime(Invoke("greet"))],
            "Nobody is left who would publish, and no event that is still allowed would help.",
        ),
        (
            [Anytime(Invoke("tell_all")), Anytime(Stop())],
            "Nobody is left who would publish; a call of tell_all and a stop (CANCEL) would help, but need not come.",
        ),
    ],
)
def test_an_event_that_is_allowed_and_not_owed_is_tried(events: list[Any], ending: str) -> None:
    """D-19, D-26a."""
    scenario = Scenario(events=events)
    cause = cause_of(Edits, edits("not told"), never_stuck(), tokens=(TOKEN,), scenario=scenario)
    assert cause.sentence.endswith(ending)


LEFT = Channel("left", str)
RIGHT = Channel("right", str)


class LayForks(Step[str]):
    """`how` is 'forks' for two tokens, 'letters' for two who each wait to be written to first."""

    def execute(self, context: Context, how: str) -> StepDecision:
        if how == "letters":
            return go_to_many(StepMovement.of(AnswerLeft, "ann"), StepMovement.of(AnswerRight, "ben"))
        LEFT.publish(context, "fork")
        RIGHT.publish(context, "fork")
        return go_to_many(StepMovement.of(TakeLeft, "ann"), StepMovement.of(TakeRight, "ben"))


class TakeLeft(Step[str]):
    def wait_for(self, context: Context, who: str) -> Wait:
        return Wait.until(LEFT.for_one())

    def execute(self, context: Context, who: str) -> StepDecision:
        return go_to(ThenRight, who)


class ThenRight(Step[str]):
    def wait_for(self, context: Context, who: str) -> Wait:
        return Wait.until(RIGHT.for_one())

    def execute(self, context: Context, who: str) -> StepDecision:
        LEFT.publish(context, "fork")
        RIGHT.publish(context, "fork")
        return dead_end()


class TakeRight(Step[str]):
    def wait_for(self, context: Context, who: str) -> Wait:
        return Wait.until(RIGHT.for_one())

    def execute(self, context: Context, who: str) -> StepDecision:
        return go_to(ThenLeft, who)


class ThenLeft(Step[str]):
    def wait_for(self, context: Context, who: str) -> Wait:
        return Wait.until(LEFT.for_one())

    def execute(self, context: Context, who: str) -> StepDecision:
        LEFT.publish(context, "fork")
        RIGHT.publish(context, "fork")
        return dead_end()


class AnswerLeft(Step[str]):
    def wait_for(self, context: Context, who: str) -> Wait:
        return Wait.until(LEFT.for_one())

    def execute(self, context: Context, who: str) -> StepDecision:
        RIGHT.publish(context, "a letter")
        return dead_end()


class AnswerRight(Step[str]):
    def wait_for(self, context: Context, who: str) -> Wait:
        return Wait.until(RIGHT.for_one())

    def execute(self, context: Context, who: str) -> StepDecision:
        LEFT.publish(context, "a letter")
        return dead_end()


class Table(Flow[str]):
    def get_steps(self) -> StepList[str]:
        return StepList.start_step(LayForks()).other_steps(
            TakeLeft(), ThenRight(), TakeRight(), ThenLeft(), AnswerLeft(), AnswerRight()
        )

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(LEFT, RIGHT)


def test_a_circle_of_held_tokens_is_named_all_round() -> None:
    cause = cause_of(Table, "forks", never_stuck(), tokens=(LEFT, RIGHT))
    assert (cause.kind, cause.turns) == ("circle", (4, 9))
    assert cause.sentence == (
        "ThenLeft holds what it took from right at turn 9 and waits for left; ThenRight holds what it took from left "
        "at turn 4 and waits for right."
    )


def test_a_circle_of_those_who_answer_only_when_asked_is_named() -> None:
    cause = cause_of(Table, "letters", never_stuck())
    assert cause.kind == "circle"
    assert cause.sentence == (
        "AnswerRight would publish to left, but waits for right first; AnswerLeft would publish to right, but waits "
        "for left first."
    )


# Values that were read too early.


FLAG = Attribute("flag", bool)
NAME = Attribute("name", str)


class Open(Step[list[Edit]]):
    def execute(self, context: Context, edits: list[Edit]) -> StepDecision:
        first: dict[str, Any] = {"at once": Set, "in two Steps": Check, "no flag": Look, "locked": Lock, "late": Slow}
        return go_to_many(*[StepMovement.of(first[edit.how], edit) for edit in edits])


class Set(Step[Edit]):
    """Checks and sets in one execute."""

    def execute(self, context: Context, edit: Edit) -> StepDecision:
        if FLAG.get(context):
            return dead_end()
        FLAG.set(context, True)
        return go_to(Write, edit)


class Check(Step[Edit]):
    """Checks; the next Step sets."""

    def execute(self, context: Context, edit: Edit) -> StepDecision:
        return dead_end() if FLAG.get(context) else go_to(Raise, edit)


class Raise(Step[Edit]):
    def execute(self, context: Context, edit: Edit) -> StepDecision:
        FLAG.set(context, True)
        return go_to(Write, edit)


class Look(Step[Edit]):
    """Reads what another writes, and does not care."""

    def execute(self, context: Context, edit: Edit) -> StepDecision:
        NAME.get(context)
        NAME.set(context, edit.who)
        return go_to(Write, edit)


class Lock(Step[Edit]):
    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_lock_attributes=(NAME.lock(),))

    def execute(self, context: Context, edit: Edit) -> StepDecision:
        return go_to(Write, edit)


class Slow(Step[Edit]):
    """Everyone in turn, as long as nothing is given up."""

    def get_step_options(self) -> StepOptions:
        retry = RetryPolicy(maximum_attempts=1)
        return StepOptions(execute_lock_attributes=(NAME.lock(),), execute_retry=retry).on_execute_failure_proceed_to(
            Rest
        )

    def execute(self, context: Context, edit: Edit) -> StepDecision:
        return dead_end()


class Rest(Step[Edit]):
    def execute(self, context: Context, edit: Edit) -> StepDecision:
        return dead_end()


class Write(Step[Edit]):
    def execute(self, context: Context, edit: Edit) -> StepDecision:
        return dead_end()


class Flags(Flow[list[Edit]]):
    def get_steps(self) -> StepList[list[Edit]]:
        return StepList.start_step(Open()).other_steps(Set(), Check(), Raise(), Look(), Lock(), Slow(), Rest(), Write())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(FLAG, NAME)


WRITING = Section(Write, name="writing", label=lambda edit: edit.who)
LOCKED = Section(Lock, Write, name="writing", label=lambda edit: edit.who)
SLOW = Section(Slow, name="slow", label=lambda edit: edit.who)


@pytest.mark.parametrize(
    ("how", "one", "kind", "sentence"),
    [
        ("at once", mutual_exclusion(WRITING), "old-snapshot",
         "ben read flag = False at turn 4; ann saved True at turn 5."),
        ("in two Steps", mutual_exclusion(WRITING), "check-then-act",
         ("ben read flag = False at turn 6 (Check); ann saved True at turn 9 (Raise), and ben went on with what it had "
         "read.")),
        ("locked", mutual_exclusion(LOCKED), "lock-across-steps",
         ("ann held the lock of name until Lock was saved at turn 4; ben took it for Lock at turn 5, while ann was "
         "still inside.")),
    ],
)  # fmt: skip
def test_what_does_not_keep_a_second_one_out_is_named(how: str, one: Any, kind: str, sentence: str) -> None:
    cause = cause_of(Flags, edits(how, how), one)
    assert (cause.kind, cause.sentence) == (kind, sentence)


def test_a_value_that_makes_no_difference_is_not_blamed() -> None:
    report = check(Flags, edits("no flag", "no flag"), properties=[mutual_exclusion(WRITING)])
    explanation = report.explanation
    assert explanation.cause is None
    assert explanation.plain == (
        "The cause is none of the known ones. What is wrong: 2 are inside, limit 1. ann is inside since turn 6. ben is "
        "inside since turn 8."
    )


def test_code_that_was_given_up_is_told_apart_from_saved_work() -> None:
    """D-10, D-20: the lock is free again while the code still runs."""
    hit = Faults(late_attempts=1)
    assert check(Flags, edits("late", "late"), properties=[mutual_exclusion(SLOW)], faults=hit).counterexample is None
    cause = cause_of(Flags, edits("late", "late"), mutual_exclusion(SLOW, late=True), faults=hit)
    assert (cause.kind, cause.sentence) == (
        "late-code",
        "Slow of ann was given up at turn 4 (attempt 1) and its code runs on; ben is inside since turn 5.",
    )
    report = check(Flags, edits("late", "late"), properties=[mutual_exclusion(SLOW, late=True)], faults=hit)
    last = report.explanation.turns[-1]
    assert str(last) == (
        "ben: Slow begins (holding the lock of name). The code of ann still runs. inside 1 → 2, limit 1"
    )
    assert cause.mend == "give what is done outside a key that makes a late write harmless; no token can."


def test_late_code_that_makes_no_difference_is_not_blamed() -> None:
    """A branch and its own late attempt are one; what lets the other in is the second attempt's message."""

    class Fork(Step[str]):
        def execute(self, context: Context, input: str) -> StepDecision:
            return go_to_many(StepMovement.of(Knock, "ann"), StepMovement.of(Open_, "ben"))

    class Knock(Step[str]):
        def execute(self, context: Context, who: str) -> StepDecision:
            if context.attempt == 2:
                TOKEN.publish(context, "come in")
            return go_to(Inside, who)

    class Open_(Step[str]):  # noqa: N801  # the other one is an opening of a Flow
        def wait_for(self, context: Context, who: str) -> Wait:
            return Wait.until(TOKEN.for_one())

        def execute(self, context: Context, who: str) -> StepDecision:
            return go_to(Inside, who)

    class Inside(Step[str]):
        def execute(self, context: Context, who: str) -> StepDecision:
            return dead_end()

    class House(Flow[str]):
        def get_steps(self) -> StepList[str]:
            return StepList.start_step(Fork()).other_steps(Knock(), Open_(), Inside())

        def get_persistence_schema(self) -> PersistenceSchema:
            return PersistenceSchema.of(TOKEN)

    section = Section(Knock, Inside, label=lambda who: who)
    report = check(House, "", properties=[mutual_exclusion(section, late=True)], faults=Faults(late_attempts=1))
    assert [
        event.how for turn in report.counterexample.trace.turns for event in turn.events if event.kind == "failed"
    ] == ["late"]
    assert report.explanation.cause is None


def test_of_several_values_the_flag_that_both_set_is_named() -> None:
    class Start(Step[str]):
        def execute(self, context: Context, input: str) -> StepDecision:
            return go_to_many(StepMovement.of(Claim, "ann"), StepMovement.of(Claim, "ben"))

    class Claim(Step[str]):
        def execute(self, context: Context, who: str) -> StepDecision:
            NAME.get(context)
            if FLAG.get(context):
                return dead_end()
            NAME.set(context, who)
            FLAG.set(context, True)
            return go_to(Use, who)

    class Use(Step[str]):
        def execute(self, context: Context, who: str) -> StepDecision:
            return dead_end()

    class Claims(Flow[str]):
        def get_steps(self) -> StepList[str]:
            return StepList.start_step(Start()).other_steps(Claim(), Use())

        def get_persistence_schema(self) -> PersistenceSchema:
            return PersistenceSchema.of(FLAG, NAME)

    cause = cause_of(Claims, "", mutual_exclusion(Section(Use, label=lambda who: who)))
    assert cause.sentence == "ben read flag = False at turn 4; ann saved True at turn 5."


# Second tokens.


def test_a_token_that_its_publisher_never_took_is_not_given_back_twice() -> None:
    class First(Step[str]):
        def execute(self, context: Context, input: str) -> StepDecision:
            TOKEN.publish(context, "t")
            return go_to(Again, input)

    class Again(Step[str]):
        def execute(self, context: Context, input: str) -> StepDecision:
            TOKEN.publish(context, "t")
            return dead_end()

    class Doubling(Flow[str]):
        def get_steps(self) -> StepList[str]:
            return StepList.start_step(First()).other_steps(Again())

        def get_persistence_schema(self) -> PersistenceSchema:
            return PersistenceSchema.of(TOKEN)

    cause = cause_of(Doubling, "", ONE_TOKEN)
    assert (cause.kind, cause.sentence) == (
        "second-token",
        "Again published a token to token at turn 4, where one already lay.",
    )


class Publish(Step[list[Edit]]):
    """'seen lost' looks whether the token is there, 'for sure' does not look."""

    def execute(self, context: Context, edits: list[Edit]) -> StepDecision:
        TOKEN.publish(context, "t")
        return go_to_many(StepMovement.of(Hold, edits[0]), StepMovement.of(Recover, edits[0].how))


class Hold(Step[Edit]):
    def wait_for(self, context: Context, edit: Edit) -> Wait:
        return Wait.until(TOKEN.for_one())

    def execute(self, context: Context, edit: Edit) -> StepDecision:
        TOKEN.publish(context, "t")
        return dead_end()


class Recover(Step[str]):
    def execute(self, context: Context, how: str) -> StepDecision:
        if how == "for sure" or TOKEN.size(context) == 0:
            TOKEN.publish(context, "new")
        return dead_end()


class Recovering(Flow[list[Edit]]):
    def get_steps(self) -> StepList[list[Edit]]:
        return StepList.start_step(Publish()).other_steps(Hold(), Recover())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(TOKEN)


@pytest.mark.parametrize(
    ("how", "sentence", "general"),
    [
        (
            "seen lost",
            (
                "Recover published a token at turn 6 while Hold still held the one taken at turn 4. It had read size "
                "of token = 0 at turn 5."
            ),
            "An empty Channel is what a held token looks like: it does not say that the token is lost.",
        ),
        (
            "for sure",
            "Recover published a token to token at turn 4, where one already lay.",
            "Each token lets one branch in: with one more, one more can be inside.",
        ),
    ],
)
def test_a_second_token_is_told_with_where_the_first_one_was(how: str, sentence: str, general: str) -> None:
    cause = cause_of(Recovering, edits(how), ONE_TOKEN)
    assert (cause.kind, cause.sentence, cause.general) == ("second-token", sentence, general)


# Ends.


class Fragile(Step[str]):
    def get_step_options(self) -> StepOptions:
        once = RetryPolicy(maximum_attempts=1)
        return StepOptions(execute_retry=once, wait_for_retry=once, wait_for_failure=WaitForFailurePolicy.FAIL_FLOW)

    def wait_for(self, context: Context, how: str) -> Wait:
        return Wait.until(Timer.by_duration(timedelta(seconds=1)))

    def execute(self, context: Context, how: str) -> StepDecision:
        return graceful_complete()


class Breaking(Flow[str]):
    def get_steps(self) -> StepList[str]:
        return StepList.start_step(Fragile()).other_steps()


def test_a_failure_that_nothing_follows_explains_why_an_end_is_out_of_reach() -> None:
    """D-12, D-13."""
    cause = cause_of(Breaking, "", always_ends(FlowStatus.COMPLETED), faults=Faults(lost_attempts=1))
    assert (cause.kind, cause.sentence) == (
        "no-route",
        "wait_for of Fragile failed for good at turn 2 (attempt 1, AttemptLost): the Flow failed.",
    )


def test_a_property_of_ones_own_is_told_without_a_guess() -> None:
    """The last turn is all that is known of it."""
    never_done = never("nothing done", lambda state: bool(state["channels"]["done"]))
    explanation = check(Edits, edits("well"), properties=[never_done]).explanation
    assert explanation.cause is None
    assert explanation.plain == (
        "It is asked never to happen, and it has happened; of a property in one's own words no cause is looked for. "
        "It is so after turn 10: "
        'start: Save saves; its path ends. token [] → ["t"], done [] → ["ann"]'
    )


def test_an_end_that_is_out_of_reach_without_a_known_cause_is_told_with_the_ends_there_are() -> None:
    explanation = check(Edits, edits("well"), properties=[always_ends(FlowStatus.FAILED)]).explanation
    assert explanation.cause is None
    assert explanation.headline == "REFUTED: always ends FAILED. Broken from the start."
    assert explanation.plain.endswith("How runs end: RUNNING, idle.")


def test_tokens_of_a_map_are_told_apart_by_their_key() -> None:
    """D-3: an entry of a ChannelMap is a Channel of its own."""
    rooms = ChannelMap("room", str)

    class Book(Step[str]):
        def execute(self, context: Context, input: str) -> StepDecision:
            rooms.publish(context, "a", "key")
            rooms.publish(context, "b", "key")
            return go_to(Leave, input)

    class Leave(Step[str]):
        def wait_for(self, context: Context, input: str) -> Wait:
            return Wait.until(rooms.for_one("a"))

        def execute(self, context: Context, input: str) -> StepDecision:
            return dead_end()

    class Rooms(Flow[str]):
        def get_steps(self) -> StepList[str]:
            return StepList.start_step(Book()).other_steps(Leave())

        def get_persistence_schema(self) -> PersistenceSchema:
            return PersistenceSchema.of(rooms)

    cause = cause_of(Rooms, "", token_conserved("room/a"))
    assert cause.sentence == (
        "Book took the token at turn 4 and left with it at turn 6: Leave saved dead_end without giving it back."
    )


def test_what_another_saved_and_was_written_over_is_named() -> None:
    """The update is lost in one execute, or across two Steps that each hold the lock (D-20)."""

    class Add(Step[str]):
        def execute(self, context: Context, input: str) -> StepDecision:
            COUNT.set(context, COUNT.get(context) + 1)
            return dead_end()

    class Read(Step[str]):
        def get_step_options(self) -> StepOptions:
            return StepOptions(execute_lock_attributes=(COUNT.lock(),))

        def execute(self, context: Context, input: str) -> StepDecision:
            return go_to(Put, COUNT.get(context) + 1)

    class Put(Step[int]):
        def get_step_options(self) -> StepOptions:
            return StepOptions(execute_lock_attributes=(COUNT.lock(),))

        def execute(self, context: Context, input: int) -> StepDecision:
            COUNT.set(context, input)
            return dead_end()

    class Twice(Step[str]):
        def execute(self, context: Context, how: str) -> StepDecision:
            step: Any = Add if how == "at once" else Read
            return go_to_many(StepMovement.of(step, how), StepMovement.of(step, how))

    class Counter(Flow[str]):
        def get_steps(self) -> StepList[str]:
            return StepList.start_step(Twice()).other_steps(Add(), Read(), Put())

        def get_persistence_schema(self) -> PersistenceSchema:
            return PersistenceSchema.of(COUNT)

    def lost(state: dict[str, Any]) -> bool:
        return not state["steps"] and state["attributes"].get("count", 0) < 2

    causes = [cause_of(Counter, how, never("an update is lost", lost)) for how in ("at once", "in two Steps")]
    assert [(cause.kind, cause.sentence) for cause in causes] == [
        (
            "old-snapshot",
            "Add-2 read count = 0 at turn 4; Add-1 saved 1 at turn 5, and Add-2 saved 1 over it at turn 6.",
        ),
        (
            "lock-across-steps",
            "Read-2 read count = 0 at turn 5; Read-1 saved 1 at turn 8, and Read-2 saved 1 over it at turn 10.",
        ),
    ]


def test_tokens_of_different_channels_do_not_keep_each_other_out() -> None:
    class Hang(Step[str]):
        def execute(self, context: Context, input: str) -> StepDecision:
            LEFT.publish(context, "fork")
            RIGHT.publish(context, "fork")
            return go_to_many(StepMovement.of(ByLeft, "ann"), StepMovement.of(ByRight, "ben"))

    class ByLeft(Step[str]):
        def wait_for(self, context: Context, who: str) -> Wait:
            return Wait.until(LEFT.for_one())

        def execute(self, context: Context, who: str) -> StepDecision:
            return go_to(Eat, who)

    class ByRight(Step[str]):
        def wait_for(self, context: Context, who: str) -> Wait:
            return Wait.until(RIGHT.for_one())

        def execute(self, context: Context, who: str) -> StepDecision:
            return go_to(Eat, who)

    class Eat(Step[str]):
        def execute(self, context: Context, who: str) -> StepDecision:
            return dead_end()

    class Meal(Flow[str]):
        def get_steps(self) -> StepList[str]:
            return StepList.start_step(Hang()).other_steps(ByLeft(), ByRight(), Eat())

        def get_persistence_schema(self) -> PersistenceSchema:
            return PersistenceSchema.of(LEFT, RIGHT)

    section = Section(Eat, label=lambda who: who)
    cause = cause_of(Meal, "", mutual_exclusion(section), tokens=(LEFT, RIGHT))
    assert (cause.kind, cause.sentence) == (
        "different-tokens",
        "ann took the token of left at turn 4, ben took the token of right at turn 9.",
    )


# Both languages.


@pytest.mark.parametrize(
    ("flow", "input", "one", "sentence"),
    [
        (
            Edits,
            edits("forgets", "well"),
            ONE_TOKEN,
            "ann 在第 4 回合消费了 token，在第 8 回合带着它离开：Work 保存了 graceful_complete，没有归还。",
        ),
        (
            Edits,
            edits("cancelled", "well"),
            ONE_TOKEN,
            "ann 在第 4 回合消费了 token；Hurry 在第 8 回合取消了它的 Work，token 随之丢失。",
        ),
        (
            Edits,
            edits("not told", "well"),
            never_stuck(),
            (
                "Join 等待 done.for_n(2)。done 收到过 1 条消息，现有 1 条。ann 在第 10 回合结束（Save），没有向它发布。"
                "已没有谁会发布。"
            ),
        ),
        (
            Flags,
            edits("at once", "at once"),
            mutual_exclusion(WRITING),
            "ben 在第 4 回合读到 flag = False；ann 在第 5 回合保存了 True。",
        ),
    ],
)
def test_a_cause_says_the_same_in_chinese(flow: Any, input: Any, one: Any, sentence: str) -> None:
    english, chinese = (
        cause_of(flow, input, one, lang, tokens=(TOKEN,) if flow is Edits else ()) for lang in ("en", "zh")
    )
    assert chinese.sentence == sentence
    assert (chinese.kind, chinese.turns, chinese.branches) == (english.kind, english.turns, english.branches)


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("key", TEXTS)
def test_both_languages_tell_the_same(key: str) -> None:
    """A field that one language names and the other does not would be something that it does not say."""
    english, chinese = TEXTS[key]
    assert _fields(english) ^ _fields(chinese) <= {"unknown_cause": {"fault"}, "takes_it": {"token"}}.get(key, set())
    assert bool(english.strip()) == bool(chinese.strip())
