"""Branches are taken as one only when nothing can tell them apart; whatever could is refused, with the reason."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Literal

import pytest

from dexpatterns.dex import (
    Attribute,
    AttributeMap,
    Channel,
    ChannelMap,
    Context,
    Flow,
    Invoke,
    Scenario,
    Step,
    StepDecision,
    StepMovement,
    StepOptions,
    Wait,
    check,
    dead_end,
    force_complete,
    force_fail,
    go_to,
    go_to_many,
    graceful_complete,
)
from dexpatterns.dex.scenario import Anytime
from dexpatterns.engine.masked import MaskRefusedError, Masks
from dexpatterns.engine.properties import Property, always, never
from dexpatterns.engine.report import Verdict
from dexpatterns.engine.values import freeze
from dexpatterns.errors import InputError, SymmetryError
from tests.dex.flows import NO_RETRY, flow, step


@dataclass(frozen=True)
class Edit:
    name: str
    more: tuple[str, ...] = ()


class Nothing(Property):
    name = "nothing"


LAST, TABLE, ENTRY = Attribute("last", str), Attribute("table", dict), AttributeMap("entry", str)
OUT, ANY, TO = Channel("out", str), Channel("any", Any), ChannelMap("to", str)
KEEPS = (LAST, TABLE, ENTRY, OUT, ANY, TO)
KNOWN, BOB = {"alice": 1}, frozenset(["bob"])
ALIKE = {"alice": 1, "bob": 1}
BOTH = ("alice", "bob")
DASH = "-"
Does = Callable[[Context, Edit], object]


def working(does: Does, name: str = "Work") -> type[Step[Any]]:
    """A Step that does this, and ends."""

    def execute(context: Context, edit: Edit) -> StepDecision:
        made = does(context, edit)
        return made if isinstance(made, StepDecision) else dead_end()

    return step(name, execute, None, NO_RETRY)


def branching(work: type[Step[Any]], *, keeps: tuple[Any, ...] = KEEPS, **rpcs: Any) -> Flow[Any]:
    """A Flow with a branch of this Step for each edit."""
    begin = step("Begin", lambda context, edits: go_to_many(*[StepMovement.of(work, edit) for edit in edits]))
    return flow(begin, work, keeps=keeps, rpcs=rpcs)


def of(does: Does, names: tuple[str, ...] = BOTH) -> tuple[Flow[Any], list[Edit]]:
    """A branch for each name, of one Step that does this; and the input."""
    return branching(working(does)), [Edit(name) for name in names]


def refusal(does: Does, **more: Any) -> str:
    made, edits = of(does)
    assert check(made, edits, properties=[Nothing()], **more).verdict is Verdict.PROVED
    with pytest.raises(SymmetryError) as refused:
        check(made, edits, properties=[Nothing()], symmetric=["name"], **more)
    return str(refused.value)


# A handler that looks into a name.

LOOKS: dict[str, Does] = {
    "used by __format__": lambda context, edit: context.record_event("note", f"hello {edit.name}"),
    "used by __rmod__": lambda context, edit: context.record_event("note", "hello %s" % edit.name),  # noqa: UP031
    "used by __str__": lambda context, edit: str(edit.name),
    "used by __repr__": lambda context, edit: context.record_event("note", repr(edit)),
    "used by __len__": lambda context, edit: LAST.set(context, "long" if len(edit.name) > 4 else "short"),
    "used by __getitem__": lambda context, edit: edit.name[0],
    "used by __iter__": lambda context, edit: list(edit.name),
    "used by __contains__": lambda context, edit: "a" in edit.name,
    "used by __add__": lambda context, edit: edit.name + "!",
    "used by __radd__": lambda context, edit: "!" + edit.name,
    "used by __bool__": lambda context, edit: LAST.set(context, "some" if edit.name else "none"),
    "used by __lt__": lambda context, edit: sorted(["bob", edit.name]),
    "used by upper": lambda context, edit: edit.name.upper(),
    "used by startswith": lambda context, edit: edit.name.startswith("a"),
    "used by encode": lambda context, edit: edit.name.encode(),
    "compared with a text that is not masked": lambda context, edit: LAST.set(context, str(edit.name == "alice")),
    "a text is made out of a masked value": lambda context, edit: LAST.set(context, DASH.join([edit.name])),
    "it asks for the id of an execution": lambda context, edit: LAST.set(context, context.step_execution_id),
}


@pytest.mark.parametrize("told", LOOKS)
def test_a_handler_that_looks_into_a_name_is_refused_by_what_it_does(told: str) -> None:
    assert re.match(rf"Work\.execute: .*{told}; .*check without symmetric", refusal(LOOKS[told]))


HIDDEN_LOOKS: dict[str, Does] = {
    "a lookup": lambda context, edit: LAST.set(context, "known" if KNOWN.get(edit.name) else "unknown"),
    "a lookup that finds them all": lambda context, edit: LAST.set(context, "known" if edit.name in ALIKE else "not"),
    "a set": lambda context, edit: OUT.publish(context, "x") if edit.name in BOB else None,
    "a search in a text": lambda context, edit: LAST.set(context, "in" if edit.name in "alice, carol" else "out"),
    "a pattern": lambda context, edit: LAST.set(context, "al" if re.match("al", edit.name) else "other"),
    "a type": lambda context, edit: LAST.set(context, "text" if type(edit.name) is str else "no text"),
    "json": lambda context, edit: LAST.set(context, json.dumps([edit.name])),
    "a key in a dict": lambda context, edit: TABLE.set(context, {edit.name: 1}),
    "a reason": lambda context, edit: force_fail(edit.name),
}


@pytest.mark.parametrize("how", HIDDEN_LOOKS)
def test_a_handler_that_a_mask_cannot_notice_is_found_by_running_it_with_the_names(how: str) -> None:
    told = refusal(HIDDEN_LOOKS[how])
    assert told.startswith("Work.execute: what it does depends on the value of a symmetric field, or differs from run")


@pytest.mark.parametrize("entry", [ENTRY, TO])
def test_a_name_is_no_key_of_a_map(entry: Any) -> None:
    put = entry.set if entry is ENTRY else entry.publish
    assert "used by __repr__" in refusal(lambda context, edit: put(context, edit.name, "x"))


def test_a_name_that_only_one_branch_may_ask_for_is_found_wherever_it_is_asked() -> None:
    # The second branch never gets as far in the states that are kept, but its name is tried there all the same.
    def does(context: Context, edit: Edit) -> StepDecision:
        return force_complete("b" if edit.name in BOB else "other")

    assert "depends on the value" in refusal(does)


def test_swallowing_the_refusal_does_not_help() -> None:
    def does(context: Context, edit: Edit) -> None:
        try:
            LAST.set(context, "a" if edit.name == "alice" else "b")
        except Exception:  # noqa: BLE001  # what a handler of a user may well do
            LAST.set(context, "b")

    assert "compared with a text that is not masked" in refusal(does)


def test_an_exception_with_a_name_in_it_is_a_text_made_of_it() -> None:
    def does(context: Context, edit: Edit) -> None:
        raise ValueError(f"not {edit.name}")

    assert "used by __format__" in refusal(does)


def test_a_name_that_has_to_be_one_of_some_is_looked_into() -> None:
    only = Channel[Any]("only", Literal["alice", "bob"])
    made = branching(working(lambda context, edit: only.publish(context, edit.name)), keeps=(only,))
    with pytest.raises(SymmetryError, match="depends on the value"):
        check(made, [Edit("alice"), Edit("bob")], symmetric=["name"])


# What may be done.

MAY: dict[str, Does] = {
    "copied": lambda context, edit: (LAST.set(context, edit.name), ANY.publish(context, [edit, edit.name])),
    "recorded": lambda context, edit: context.record_event("who", edit.name),
    "compared": lambda context, edit: (
        OUT.publish(context, str(LAST.get(context) == edit.name)), LAST.set(context, edit.name),
    ),
    "in a list": lambda context, edit: ANY.publish(context, edit.name in [LAST.get(context) or edit.name, edit.name]),
    "counted apart": lambda context, edit: ANY.publish(context, len({edit.name, LAST.get(context) or edit.name})),
    "replaced": lambda context, edit: ANY.publish(context, replace(edit, more=(edit.name,))),
    "told": lambda context, edit: graceful_complete([edit.name, LAST.get(context)]),
}  # fmt: skip


@pytest.mark.parametrize("names", [BOTH, ("alice", "alice"), ("alice", "bob", "alice", "carol", "dave")])
@pytest.mark.parametrize("how", MAY)
def test_a_name_may_be_copied_and_compared(how: str, names: tuple[str, ...]) -> None:
    made, edits = of(MAY[how], names if how != "told" else names[:3])
    plain = check(made, edits, properties=[Nothing()])
    masked = check(made, edits, properties=[Nothing()], symmetric=["name"])
    assert masked.states <= plain.states - (names != ("alice", "alice"))
    assert masked.outcomes == {re.sub("'(alice|bob|carol|dave)'", "'?'", outcome) for outcome in plain.outcomes}


def test_branches_that_differ_in_more_than_their_names_are_kept_apart() -> None:
    made, _ = of(lambda context, edit: force_complete(list(edit.more)))
    edits = [Edit("alice", ("x",)), Edit("bob", ("y",)), Edit("carol", ("y",))]
    report = check(made, edits, properties=[Nothing()], symmetric=["name"])
    assert report.outcomes == {"COMPLETED [['x']]", "COMPLETED [['y']]"}


def test_whose_name_an_attribute_holds_is_part_of_a_state() -> None:
    # In the end one branch is left, and the name that was written last is its own or that of the other.
    def marks(context: Context, edit: Edit) -> StepDecision:
        LAST.set(context, edit.name)
        return go_to(parts, edit)

    def part(context: Context, edit: Edit) -> StepDecision:
        if TABLE.get(context):
            return go_to(stays, edit)
        TABLE.set(context, {"left": 1})
        OUT.publish(context, "left")
        return dead_end()

    def stay(context: Context, edit: Edit) -> StepDecision:
        return graceful_complete("its own" if LAST.get(context) == edit.name else "the other's")

    turn_by_turn = StepOptions(execute_lock_attributes=(TABLE.lock(),))
    parts = step("Parts", part, None, turn_by_turn)
    stays = step("Stays", stay, lambda context, _: Wait.until(OUT.for_one()))
    begin = step("Begin", lambda context, edits: go_to_many(*[StepMovement.of(first, edit) for edit in edits]))
    first = step("Marks", marks)
    made, edits = flow(begin, first, parts, stays, keeps=KEEPS), [Edit("alice"), Edit("bob")]
    outcomes = {"COMPLETED ['its own']", 'COMPLETED ["the other\'s"]'}
    assert check(made, edits, properties=[Nothing()]).outcomes == outcomes
    assert check(made, edits, properties=[Nothing()], symmetric=["name"]).outcomes == outcomes


def test_names_of_the_definition_may_look_like_a_mask() -> None:
    mark, marked = Channel("?", str), Attribute("?", str)

    def does(context: Context, edit: Edit) -> None:
        mark.publish(context, "x")
        marked.set(context, edit.name)

    made = branching(working(does, "?"), keeps=(mark, marked))
    assert check(made, [Edit("a"), Edit("b")], properties=[Nothing()], symmetric=["name"]).states == 4


def test_the_counterexample_has_the_names_again() -> None:
    made, edits = of(MAY["copied"])
    report = check(made, edits, properties=[never("two", lambda s: len(s["channels"]["any"]) == 2)], symmetric=["name"])
    assert report.counterexample is not None
    assert [one["name"] for one, _ in report.counterexample.trace.final["channels"]["any"]] == ["alice", "bob"]


# What else could tell branches apart.


def test_d24_two_different_messages_may_not_go_back_to_one_channel() -> None:
    def made_of(publishes: Callable[[Context, list[Edit]], object]) -> Flow[Any]:
        waits = step("Waits", lambda context, _: dead_end(), lambda context, _: Wait.until(OUT.for_one()), NO_RETRY)
        cancels = step("Cancels", lambda context, _: dead_end().with_canceling_steps(waits))

        def begin(context: Context, edits: list[Edit]) -> StepDecision:
            publishes(context, edits)
            return go_to_many(*[StepMovement.of(waits, edit) for edit in edits], StepMovement.of(cancels, None))

        return flow(step("Begin", begin), waits, cancels, keeps=(OUT,))

    edits = [Edit("alice"), Edit("bob")]
    different = made_of(lambda context, edits: [OUT.publish(context, edit.name) for edit in edits])
    with pytest.raises(SymmetryError, match=r"hold different messages of Channel 'out'.*D-24"):
        check(different, edits, symmetric=["name"])
    same = made_of(lambda context, edits: [OUT.publish(context, "token") for _ in edits])
    plain = check(same, edits, properties=[Nothing()])
    assert check(same, edits, properties=[Nothing()], symmetric=["name"]).outcomes == plain.outcomes


def test_a_duration_that_goes_by_the_name_is_refused_when_it_matters() -> None:
    work = working(lambda context, edit: None)
    made, edits = branching(work), [Edit("alice"), Edit("bob")]

    def lasts(hours: float) -> Scenario:
        return Scenario(durations={work: lambda edit, _: timedelta(hours=hours if edit.name == "bob" else 0)})

    with pytest.raises(SymmetryError, match=r"duration of Work\.execute depends on a symmetric field"):
        check(made, edits, scenario=lasts(3), symmetric=["name"])
    assert check(made, edits, scenario=lasts(1), symmetric=["name"]).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    "predicate",
    [
        lambda state: state["attributes"].get("last") == "alice",
        lambda state: "alice" in str(state["attributes"]),
        lambda state: state["attributes"].get("last") in BOB,
        lambda state: any(one["id"] == "0.1.0.0" for one in state["steps"]),
        lambda state: any(one["input"]["name"] == "alice" for one in state["steps"] if one["step"] == "Work"),
    ],
)
def test_a_predicate_that_asks_for_a_name_or_an_id_is_refused(predicate: Callable[[dict[str, Any]], bool]) -> None:
    made, edits = of(lambda context, edit: LAST.set(context, edit.name))
    with pytest.raises(SymmetryError, match=r"property 'asks': a masked name is used by __\w+__: check without"):
        check(made, edits, properties=[never("asks", predicate)], symmetric=["name"])


def test_a_predicate_that_counts_is_none_of_these() -> None:
    made, edits = of(lambda context, edit: OUT.publish(context, edit.name))
    few = always("few", lambda state: len(state["channels"]["out"]) + len(state["steps"]) <= 2)
    assert check(made, edits, properties=[few], symmetric=["name"]).verdict is Verdict.PROVED
    one = never("one", lambda state: len(state["channels"]["out"]) == 1)
    assert check(made, edits, properties=[one], symmetric=["name"]).verdict is Verdict.REFUTED


def test_a_call_with_a_name_of_its_own_meets_a_masked_one() -> None:
    def ask(context: Context, name: str) -> None:
        OUT.publish(context, "his" if LAST.get(context) == name else "not his")

    made = branching(working(lambda context, edit: LAST.set(context, edit.name)), ask=ask)
    scenario = Scenario(events=[Anytime(Invoke("ask", "alice"))])
    with pytest.raises(SymmetryError, match=r"ask\.rpc: .*compared with a text that is not masked"):
        check(made, [Edit("alice"), Edit("bob")], scenario=scenario, symmetric=["name"])


@pytest.mark.parametrize(
    ("given", "fields", "told"),
    [
        ([Edit("a")], ["reviewer"], "has a field 'reviewer'"),
        ([Edit("a")], ["more"], "field 'more' holds [], expected a text"),
        ([Edit("a")], [3], "expected names of input fields, got (3,)"),
        ([], ["name"], "has a field 'name'"),
    ],
)
def test_fields_that_are_none_are_refused(given: list[Edit], fields: list[Any], told: str) -> None:
    made, _ = of(lambda context, edit: None)
    with pytest.raises(InputError) as refused:
        check(made, given, symmetric=fields)
    assert told in str(refused.value)


# Masks.


def test_a_mask_is_frozen_and_revealed() -> None:
    masks = Masks()
    alice, bob = masks.mask("alice"), masks.mask("bob")
    assert alice == masks.mask("alice") != bob
    data = freeze({"who": [alice, bob], "n": 1})
    assert data.plain == {"who": ["?", "?"], "n": 1}
    assert masks.reveal(data) == freeze({"who": ["alice", "bob"], "n": 1})
    told = [masks.reveal(data, naming).plain["who"] for naming in masks.namings()]
    assert told == [["alice", "bob"], ["bob", "alice"]]
    with pytest.raises(MaskRefusedError):
        alice.upper()
    assert masks.refused == "used by upper"


@pytest.mark.parametrize(("n", "namings"), [(1, 1), (3, 6), (4, 24), (7, 7)])
def test_every_name_is_tried_for_every_mask(n: int, namings: int) -> None:
    masks = Masks()
    names = [f"n{i}" for i in range(n)]
    for name in names:
        masks.mask(name)
    tried = masks.namings()
    assert (len(tried), tried[0]) == (namings, tuple(names))
    assert {(place, name) for one in tried for place, name in enumerate(one)} == {
        (place, name) for place in range(n) for name in names
    }
