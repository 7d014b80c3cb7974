"""The show: what a browser folds and draws is what the run was, in both languages, harmless and small."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from dexpatterns import Run, catalog, js7, load_run, simulate
from dexpatterns.engine.texts import LANGUAGES
from dexpatterns.errors import InputError
from dexpatterns.views.moment import moments
from dexpatterns.views.show import FORMAT, show
from tests.views.long_run import long_run

PATTERN = catalog.load("critical-section")
FLAG = catalog.load("is-editing-flag")


def edits(reviewers: int = 4, **flags: Any) -> Run:
    return simulate(
        PATTERN.flow, PATTERN.make_input(reviewers, **flags),
        sections=[PATTERN.section], tokens=[PATTERN.token], scenario=PATTERN.scenario, seed=7,
    )  # fmt: skip


def refuted() -> Run:
    found = FLAG.claims["one-step-lets-two-in"].ask(2).counterexample
    assert isinstance(found, Run)
    return found


def locks(check: bool = False) -> Run:
    pattern = catalog.load("nested-locks-opposite-order")
    if check:
        found = js7.check(pattern.items, pattern.orders, jobs=pattern.jobs).counterexample
        assert found is not None
        return found
    return js7.simulate(pattern.items, pattern.orders, jobs=pattern.jobs)


RUN = edits(should_fail_save={3})
SHOW = show(RUN)


def states(made: dict[str, Any]) -> list[dict[str, Any]]:
    """What a browser has after turn 0, 1, ...: the keyframe with the changes of each turn."""
    state = {**made["start"]}
    folded = [{**state}]
    for delta in made["deltas"]:
        state.update(delta)
        folded.append({**state})
    return folded


def test_a_show_is_json_and_holds_no_number_that_is_none() -> None:
    text = json.dumps(SHOW, allow_nan=False)
    assert json.loads(text) == SHOW
    assert SHOW["format"] == FORMAT


def test_equal_runs_give_equal_shows() -> None:
    assert show(edits(should_fail_save={3})) == SHOW


def test_the_folded_states_say_where_every_branch_is_and_what_lies_where() -> None:
    names = [lane[0] for lane in SHOW["lanes"]]
    for at, state in zip(moments(RUN.trace, RUN.sections, RUN.tokens), states(SHOW), strict=True):
        living = sorted((one.step, one.phase) for one in at.steps)
        rows = [row for key, row in state.items() if key.startswith("b/")]
        assert sorted((row[0], row[2]) for row in rows if row[2] != "ended") == living
        for place, (name, _) in enumerate(SHOW["channels"]):
            assert state.get(f"c/{place}", [0])[0] == len(at.channels.get(name, ()))
        held = sum(len(tokens) for tokens in at.held.values())
        assert sum(len(row[3]) for row in rows) == held
        inside = at.inside["contract edit"]
        assert len(state["i/0"]) == len(inside)
        assert state["s"] == at.status
        values = {name: state.get(f"a/{place}") for place, (name, _) in enumerate(SHOW["attributes"])}
        assert {name for name, found in values.items() if found} == set(at.attributes)
    assert {"reviewer-1", "start", "join"} <= set(names)


def test_a_turn_sends_what_changed_and_nothing_else() -> None:
    before: dict[str, Any] = {}
    for delta in [SHOW["start"], *SHOW["deltas"]]:
        assert all(before.get(key, before) != value for key, value in delta.items())
        before.update(delta)


def test_every_turn_has_its_sentence_and_its_lane() -> None:
    assert len(SHOW["told"]) == len(SHOW["times"]) == len(SHOW["use"]) == SHOW["turns"] == len(RUN.trace.turns)
    for lane, who, sentence, *_ in SHOW["told"]:
        assert SHOW["lanes"][lane][0] == who
        assert sentence


def test_what_a_turn_lights_up_is_in_the_picture() -> None:
    svg = SHOW["graph"]["svg"]
    for nodes, edges, ends in SHOW["use"]:
        assert all(f'data-node="{id}"' in svg for id in nodes)
        assert all(f'data-edge="{id}"' in svg for id in edges)
        for end in ends:
            id, name = end.split(" ")
            assert f'data-node="{id}"' in svg and f'data-end="{name}"' in svg
    assert "<style>" not in svg


def test_the_windows_hold_every_turn_once() -> None:
    made = show(long_run(4, 400))
    turns = [turn for first, last, _ in made["windows"] for turn in range(first, last + 1)]
    assert turns == list(range(1, 401))
    assert all("<style>" not in svg for *_, svg in made["windows"])


def test_the_slider_is_marked_where_tokens_change_hands_and_attempts_fail() -> None:
    fails = [turn.number for turn in RUN.trace.turns if any(event.kind == "failed" for event in turn.events)]
    assert [turn for turn, kind in SHOW["marks"] if kind == "fail"] == fails
    taken = [turn.number for turn in RUN.trace.turns
             if any(event.kind == "wait_completed" and any(channel == "contractEditToken" for channel, _ in event.taken)
                    for event in turn.events)]  # fmt: skip
    assert [turn for turn, kind in SHOW["marks"] if kind == "token"] == taken
    assert [8, "over"] in show(refuted())["marks"]


# What holds.


def test_of_a_run_the_usual_properties_are_judged_and_nothing_is_proved() -> None:
    assert [(one["verdict"], one["broken"], one["judged"]) for one in SHOW["properties"]] == [("", None, True)] * 3


def test_a_counterexample_says_what_broke_when_and_what_the_search_said() -> None:
    made = show(refuted())
    (one,) = made["properties"]
    assert made["kind"] == "counterexample"
    assert (one["verdict"], one["broken"]) == ("REFUTED", [8, "2 are inside, limit 1"])
    assert made["cause"]["title"] == "an old snapshot"
    assert made["cause"]["turns"] == [4, 5]
    assert made["times"] == []


def test_a_search_that_was_stopped_by_another_fault_never_looks_like_a_proof() -> None:
    from dexpatterns import check, mutual_exclusion, never_stuck

    found = check(
        FLAG.flow, FLAG.make_input(2), sections=[FLAG.section],
        properties=[mutual_exclusion(FLAG.section), never_stuck()],
    ).counterexample  # fmt: skip
    assert found is not None
    broken, other = show(found)["properties"]
    assert (broken["verdict"], other["verdict"]) == ("REFUTED", "BOUNDED")
    assert other["by"] == "not judged: it stopped at the first"


def test_a_witness_shows_what_was_proved() -> None:
    from dexpatterns import check

    report = check(PATTERN.flow, PATTERN.make_input(2), sections=[PATTERN.section], tokens=[PATTERN.token])
    assert report.witness is not None
    made = show(report.witness)
    assert made["kind"] == "witness"
    assert {one["verdict"] for one in made["properties"]} == {"PROVED"}
    assert made["properties"][0]["by"] == f"PROVED: all {report.states:,} states were tried"


def test_a_limit_says_how_many_may_be_inside() -> None:
    run = refuted()
    object.__setattr__(run, "report", None)
    assert [one["broken"] for one in show(run)["properties"][1:2]] == [[8, "2 are inside, limit 1"]]
    made = show(run, limit=2)
    assert made["sections"] == [["contract edit", 2]]
    assert [one["broken"] for one in made["properties"]] == [None, None]


def test_the_moves_that_were_possible_are_counted() -> None:
    machine: Any = RUN.machine
    state, _ = machine.start()
    counts = [len(machine.choices(state))]
    for turn in RUN.trace.turns:
        state, _ = machine.apply(state, turn.choice, turn.time)
        counts.append(len(machine.choices(state)))
    assert SHOW["moves"] == counts
    assert SHOW["stays"] == ""


def test_a_loaded_run_is_shown_and_says_why_it_stays(tmp_path: Any) -> None:
    RUN.save(tmp_path / "run.json")
    made = show(load_run(tmp_path / "run.json"))
    assert made["moves"] is None
    assert made["texts"][made["stays"]] == "this run was loaded: it has no machine to move"
    assert [one["name"] for one in made["properties"]] == [
        "at most one inside contract edit", "one token in contractEditToken",
    ]  # fmt: skip
    assert made["deltas"] == [
        {key: value if not key.startswith("b/") else [*value[:6], made["deltas"][i][key][6]]
         for key, value in delta.items()}
        for i, delta in enumerate(SHOW["deltas"])
    ]  # fmt: skip


# Other machines, other words.


@pytest.mark.parametrize("check", [False, True])
def test_a_run_of_orders_is_shown_with_its_locks(check: bool) -> None:
    run = locks(check)
    made = show(run)
    assert made["machine"] == "js7"
    assert [name for name, _ in made["locks"]] == ["SALES", "STOCK"]
    last = states(made)[-1]
    assert [last[f"k/{place}"][:2] for place in range(2)] == [[1, 1], [1, 1]]
    assert all(last[f"k/{place}"][3] for place in range(2))
    (deadlock,) = [one for one in made["properties"] if one["name"] == "no deadlock"]
    assert deadlock["broken"] == [made["turns"], deadlock["broken"][1]]
    assert all(sentence for _, _, sentence, *_ in made["told"])


def test_without_dot_there_is_a_reason_in_place_of_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    from dexpatterns.views.dot import VARIABLE

    monkeypatch.setenv(VARIABLE, "/no/such/dot")
    made = show(RUN)
    assert "/no/such/dot" in made["graph"]["why"]
    assert made["deltas"] == SHOW["deltas"]


def test_both_languages_have_the_same_words_and_fields() -> None:
    import re

    english, chinese = (show(RUN, lang)["texts"] for lang in LANGUAGES)
    assert english.keys() == chinese.keys()
    for key, text in english.items():
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", chinese[key])), key


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_show_is_told_in_its_language(lang: str) -> None:
    made = show(RUN, lang)
    assert made["told"][0][2] == {
        "en": "start: StartContractEdits begins.", "zh": "启动：StartContractEdits 开始。"
    }[lang]  # fmt: skip
    assert {one["name"] for one in made["properties"]} >= {{"en": "never stuck", "zh": "不会卡住"}[lang]}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"lang": "de"}, "lang: expected 'en' or 'zh', got 'de'"),
        ({"limit": 0}, "limit: expected a whole number of 1 or more, got 0"),
        ({"limit": True}, "limit: expected a whole number of 1 or more, got True"),
    ],
)
def test_what_cannot_be_shown_is_said(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        show(RUN, **arguments)


def test_a_run_without_turns_is_shown() -> None:
    from dexpatterns.dex.machine import FlowMachine
    from dexpatterns.engine.schedule import trace_of

    machine = FlowMachine(PATTERN.flow, PATTERN.make_input(1))
    state, started = machine.start()
    made = show(Run(trace_of(machine, state, started, ()), sections=[PATTERN.section], machine=machine))
    assert (made["turns"], made["deltas"], made["moves"]) == (0, [], [1])


def test_a_long_run_is_small_and_opens_soon() -> None:
    run = long_run(20, 2000)
    run.graph().layout  # noqa: B018  # dot's start is not what is measured
    began = time.process_time()  # what others do meanwhile is no part of it
    made = show(run)
    seconds = time.process_time() - began
    assert len(json.dumps(made)) < 3_000_000
    assert len(made["deltas"]) == 2000
    # Twice the time that it may take, for a machine that is busy with other tests.
    assert seconds < 4
