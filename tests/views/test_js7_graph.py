"""The graph of workflows: what is drawn is what items and run say, at any turn on the same places, and harmless."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import dexpatterns
from dexpatterns import catalog, js7, load_run
from dexpatterns.engine.run import Run
from dexpatterns.errors import InputError, WorkflowFileError
from dexpatterns.js7 import Job, Order
from dexpatterns.js7.expression import Boolean, Text
from dexpatterns.js7.instructions import (
    Block,
    Branch,
    Demand,
    ExecuteNamed,
    Fork,
    If,
    LockInstruction,
    Options,
    Prompt,
    Try,
    Workflow,
)
from dexpatterns.views.dot import run_dot
from dexpatterns.views.graph import GraphView, graph
from dexpatterns.views.js7_graph import place_of
from tests.js7.notation import (
    JOBS,
    P,
    attempt,
    bad,
    block,
    controller,
    fail,
    finish,
    fork,
    items,
    lock,
    ok,
    opt,
    retry,
    sleep,
    when,
    workflow,
)

SVG = "{http://www.w3.org/2000/svg}"
LOCKS = [pattern for pattern in catalog.patterns() if pattern.form == "js7"]
LISTED = {"TYPE": "ForkList", "children": "$list", "childToId": "(x) => $x.id", "workflow": block(ok)}
FORKED = lock("L:2", fork(north=[ok, P], south=[lock("M", bad)], west=[]))
EVERY = items(
    workflow(
        "W",
        opt(True, when("$n > 3", FORKED, otherwise=[sleep(5)])),
        attempt(lock("M", ok, bad), catch=[ok, retry], maxTries=3, retryDelays=[5, 60]),
        when("$n == 99", finish),
        fail("no"),
    ),
    workflow("库存", LISTED),
    locks="L/3 M",
)
ORDERS = [Order(f"o-{n}", "W", {"n": 5 if n < 2 else 1}) for n in range(3)]
ORDERS += [Order("s", "库存", {"list": [{"id": "a"}, {"id": "b"}]})]


def run_of(id: str, seed: int = 1, turns: int = 40) -> Run:
    pattern = catalog.load(id)
    return js7.simulate(pattern.items, pattern.orders, jobs=pattern.jobs, seed=seed, turns=turns)


def every(seed: int = 2) -> Run:
    return js7.simulate(EVERY, ORDERS, jobs={"ok": Job(), "bad": Job(outcomes="any")}, seed=seed, turns=60)


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314  # it is our own


def captions(view: GraphView) -> list[str]:
    return [node.shown for node in view.data.nodes]


def lit(view: GraphView) -> set[str]:
    assert view.scene is not None
    said = view.data.names
    return {f"{said.get(link.who, link.who)} {link.verb} {said.get(link.what, link.what)}" for link in view.scene.links}


def badges(svg: str) -> dict[str, str]:
    """Who is at which instruction, not in the cards of locks: by badge, its tooltip."""
    (moment,) = (one for one in parsed(svg).iter(f"{SVG}g") if one.get("class") == "moment")
    cards = {id(one) for card in moment.iter() if card.get("class") == "stock" for one in card.iter()}
    marks = [one for one in moment.iter() if "at" in one.get("class", "").split() and id(one) not in cards]
    return {one.findtext(f"{SVG}text", ""): one.findtext(f"{SVG}title", "") for one in marks}


# The items.


def test_every_instruction_and_lock_has_a_node_but_those_that_only_lead_on() -> None:
    view = graph(EVERY)
    for path in ("W", "库存"):
        (found,) = (item for item in js7.load(EVERY) if isinstance(item, Workflow) and item.path == path)
        own = [position for position, one in found.walk() if not isinstance(one, (Try, Options))]
        ids = [view.data.places[place_of(path, position)] for position in own]
        assert len(set(ids)) == len(own)
    assert captions(view) == [
        "If $n > 3", "Lock L ×2", "Fork", "ok", "Prompt 'go on?'", "Lock M", "bad", "Join", "Sleep 5", "Lock M", "ok",
        "bad", "ok", "Retry", "If $n == 99", "Finish", "Fail 'no'", "End", "ForkList $list", "ok", "Join", "End", "L",
        "M",
    ]  # fmt: skip


def test_lines_lead_as_the_instructions_do() -> None:
    view = graph(EVERY)
    names = view.data.names
    links = {
        (names.get(link.who, link.who), link.verb, names.get(link.what, link.what), edge.words, edge.line)
        for edge in view.data.edges for link in edge.links
    }  # fmt: skip
    assert links >= {
        ("If $n > 3", "branch", "Lock L ×2", "then", "go"),
        ("If $n > 3", "branch", "Sleep 5", "else", "go"),
        ("Lock L ×2", "next", "Fork", "", "go"),
        ("Fork", "branch", "ok", "north", "go"),
        ("Fork", "branch", "Lock M", "south", "go"),
        ("Fork", "branch", "Join", "west", "go"),
        ("Join", "next", "Lock M", "", "go"),
        ("Sleep 5", "next", "Lock M", "", "go"),
        ("bad", "catch", "ok", "", "fail"),
        ("Retry", "retry", "Lock M", "", "go"),
        ("If $n == 99", "branch", "Finish", "then", "go"),
        ("If $n == 99", "branch", "Fail 'no'", "else", "go"),
        ("Finish", "next", "End", "", "go"),
        ("Lock L ×2", "acquire", "L", "", "data"),
        ("Lock L ×2", "release", "L", "", "data"),
    }
    assert not [one for one in links if one[0] == "Fail 'no'"]


def test_blocks_are_bands_inside_of_each_other() -> None:
    view = graph(EVERY)
    bands = {band.id: band for band in view.data.bands}
    assert [(band.sort, band.name, bands[band.outer].sort if band.outer else "") for band in bands.values()] == [
        ("workflow", "W", ""), ("options", "Options · stopOnFailure true", "workflow"), ("lock", "", "options"),
        ("lock", "", "lock"), ("try", "Try · maxTries 3 · retryDelays 5, 60 s", "workflow"), ("lock", "", "try"),
        ("workflow", "库存", ""),
    ]  # fmt: skip
    boxes = view.layout.bands
    for band in bands.values():
        box, outer = boxes[band.id], boxes.get(band.outer)
        if outer is not None:
            assert outer.x < box.x and outer.y < box.y and box.x + box.w < outer.x + outer.w
        for member in band.members:
            x, y = view.layout.nodes[member].middle
            assert box.x < x < box.x + box.w and box.y < y < box.y + box.h


@pytest.mark.parametrize(
    ("lang", "words"), [("en", ["L (2 of 3)", "M (all)", "M (all)"]), ("zh", ["L（2/3）", "M（全部）", "M（全部）"])]
)
def test_a_lock_block_says_its_lock_and_weight(lang: str, words: list[str]) -> None:
    root = parsed(graph(EVERY, lang=lang).svg)
    found = [one for one in root.iter(f"{SVG}g") if one.get("class") == "words of-lock"]
    assert [one.findtext(f"{SVG}text") for one in found] == words


def test_locks_stand_over_the_workflows() -> None:
    for pattern in LOCKS:
        view = graph(pattern.items)
        boxes = view.layout.nodes
        locks = [boxes[node.id] for node in view.data.nodes if node.sort == "resource"]
        top = min(box.y for band, box in view.layout.bands.items())
        assert locks and all(box.y + box.h <= top for box in locks), pattern.id


@pytest.mark.parametrize("pattern", LOCKS, ids=lambda pattern: pattern.id)
def test_the_items_of_a_pattern_are_drawn_by_the_same_function(pattern: Any, tmp_path: Path) -> None:
    view = dexpatterns.graph(pattern.items)
    assert view.moment is None and view.scene is None
    assert parsed(view.svg).tag == f"{SVG}svg"
    js7.dump(pattern.items, "controller", tmp_path)
    assert graph(tmp_path).data == graph(str(tmp_path)).data == graph(list(pattern.items)).data


def test_one_workflow_and_one_lock_are_items_too() -> None:
    (only,) = (item for item in js7.load(EVERY) if isinstance(item, Workflow) and item.path == "库存")
    assert captions(graph(only)) == ["ForkList $list", "ok", "Join", "End"]
    assert "locks alone" in str(graph(js7.Lock("L", 3)))


@pytest.mark.parametrize(
    ("thing", "error", "said"),
    [
        ([], WorkflowFileError, "expected at least one"),
        ([3], WorkflowFileError, "expected a path, a dict, or a list of them"),
        ({"TYPE": "Lok"}, WorkflowFileError, "unknown TYPE the string 'Lok'"),
        (3, InputError, "a int cannot be drawn; expected a Flow, or the items of JS7 workflows"),
    ],
)
def test_what_is_no_items_is_refused(thing: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        graph(thing)


# A run.


@pytest.mark.parametrize("pattern", LOCKS, ids=lambda pattern: pattern.id)
def test_every_order_stands_at_its_instruction_and_every_lock_with_its_holders(pattern: Any) -> None:
    run = run_of(pattern.id)
    machine, state = run.machine, run.machine.initial()
    view = run.graph(0)
    names = {node.id: node.name for node in view.data.nodes}
    locks = {node.name: node.id for node in view.data.nodes if node.sort == "resource"}
    for turn in run.trace.turns:
        state, _ = machine.apply(state, turn.choice)
        told = machine.describe(state)
        scene = view.at(turn.number).scene
        assert scene is not None
        marked = {mark.name: names[node] for node, marks in scene.marks.items() for mark in marks}
        live = {id for id, order in told["orders"].items() if order["state"] not in ("Finished", "Cancelled")}
        assert set(marked) == live and sum(map(len, scene.marks.values())) == len(live)
        for id in live:
            order = told["orders"][id]
            place = view.data.places[place_of(order["workflow"], tuple(order["position"]))]
            assert marked[id] == names[place]
        assert {mark.name for mark in scene.ended} == set(told["orders"]) - live
        assert {mark.name for mark in scene.coming} == set(told["pending"])
        for path, one in told["locks"].items():
            stock = scene.stocks[locks[path]]
            acquired = one["acquired"]
            holders = {acquired["orderId"]: "all"} if "orderId" in acquired else acquired.get("orderToCount", {})
            assert [part.mark.name for part in stock.held] == sorted(holders)
            assert [part.mark.name for part in stock.queue] == one["queue"]
            assert stock.limit == one["lock"]["limit"]


def test_a_turn_lights_the_lines_that_it_used() -> None:
    run = run_of("exclusive-lock")
    assert [turn.choice.kind for turn in run.trace.turns[:4]] == ["arrive", "arrive", "arrive", "succeed"]
    gate = "Lock WAREHOUSE"
    assert lit(run.graph(1)) == {f"{gate} acquire WAREHOUSE", f"{gate} next extract"}
    assert lit(run.graph(2)) == {f"{gate} queue WAREHOUSE"}
    assert lit(run.graph(4)) == {"extract next load"}
    assert lit(run.graph(5)) == {
        "load next End", f"{gate} release WAREHOUSE", f"{gate} acquire WAREHOUSE", f"{gate} next extract",
    }  # fmt: skip
    view = run.graph(5)
    assert view.scene is not None
    used = {edge.id for edge in view.data.edges if {"acquire", "next"} & set(edge.verbs)}
    assert view.scene.used == used - {edge.id for edge in view.data.edges if edge.links[0].who.endswith('"lock",0]')}
    assert {node.name for node in view.data.nodes if node.id in view.scene.changed} == {"WAREHOUSE"}


def test_a_failure_lights_the_way_to_its_catch_block_and_a_retry_the_way_back() -> None:
    hand = controller(attempt(lock("L", bad), catch=[when("true", retry)], maxTries=2))
    run = hand.add_order("O", "W").advance(JOBS["bad"].duration).run
    assert {"bad catch If true", "If true branch Retry", "Retry retry Lock L"} <= lit(run.graph())


def test_a_fork_lights_its_branches_and_children_stand_in_them() -> None:
    run = controller(lock("L", fork(a=[P], b=[]))).add_order("O", "W").run
    view = run.graph()
    assert {"Fork branch Prompt 'go on?'", "Fork branch Join"} <= lit(view)
    assert badges(view.svg) == {
        "1": "O: Forked; holds L (all)", "1a": "O|a: Prompting", "1b": "O|b: Ready",
    }  # fmt: skip
    assert "Join next End" in lit(controller(lock("L", fork(a=[ok], b=[]))).add_order("O", "W").advance(
        JOBS["ok"].duration).run.graph())  # fmt: skip


def test_who_failed_or_was_stopped_is_marked_where_it_stands() -> None:
    run = run_of("failed-order-keeps-lock")
    svg = run.graph().svg
    assert badges(svg) == {
        "1": "load: Stopped; holds WAREHOUSE (all)", "2": "clean-up: WaitingForLock: waits for WAREHOUSE (all)",
    }  # fmt: skip
    assert [one.get("class") for one in parsed(svg).iter(f"{SVG}g") if "failed" in one.get("class", "").split()]
    failed = controller(fail("m")).add_order("O", "W").run.graph()
    assert failed.scene is not None and {end for _, end in failed.scene.ends} == {"order_fails"}
    assert badges(failed.svg) == {"1": "O: Failed"}


def test_all_turns_are_drawn_on_the_same_places() -> None:
    run = every()
    view = run.graph(0)
    sources = {view.at(turn).source for turn in range(len(run.trace.turns) + 1)}
    assert len(sources) == 1
    assert run.graph(3).svg == run.graph(3).svg
    for turn in range(len(run.trace.turns) + 1):
        assert parsed(view.at(turn).svg).tag == f"{SVG}svg"


def test_a_run_draws_the_workflows_that_its_orders_come_to() -> None:
    run = run_of("exclusive-lock")
    assert run.graph().data.name == "NIGHTLY-LOAD"
    assert graph(catalog.load("exclusive-lock").items).data.name == "NIGHTLY-LOAD, RETRIED-LOAD"


def test_as_text_it_reads_like_the_workflow() -> None:
    assert (
        str(run_of("exclusive-lock").graph(4))
        == """\
NIGHTLY-LOAD: turn 4 of 9, 0:02:00, RUNNING
workflow NIGHTLY-LOAD
  Lock WAREHOUSE
      [2] load-2: WaitingForLock: waits for WAREHOUSE (all)
      [3] load-3: WaitingForLock: waits for WAREHOUSE (all)
    extract
    load
        [1] load-1: runs load; holds WAREHOUSE (all)
Locks
  WAREHOUSE: capacity 1; held by load-1 (all); load-2 (all), load-3 (all) wait
In this turn
  extract goes on to load"""
    )


def test_in_chinese_nothing_is_english_but_the_names_of_js7() -> None:
    text = str(run_of("shared-lock").graph(3, lang="zh"))
    assert text.splitlines()[0].startswith("IMPORT, REPORT：第 3 回合")
    assert "工作流 IMPORT" in text and "由 " in text and "占有" in text and "等待 DATABASE（×1）" in text
    assert "waits" not in text and "holds" not in text


# A run without its items.


@pytest.mark.parametrize("workflow", ['{"a": 1}', "[2]", "7", "null"])
def test_a_loaded_run_is_drawn_whatever_its_input_says(workflow: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    run = run_of("exclusive-lock")
    run.save(path)
    whole = path.read_text(encoding="utf-8")
    named = f'"workflow": "{run.trace.name}"'
    assert named in whole
    path.write_text(whole.replace(named, f'"workflow": {workflow}', 1), encoding="utf-8")
    assert captions(load_run(path).graph(3)) == captions(run.graph(3))


@pytest.mark.parametrize("pattern", LOCKS, ids=lambda pattern: pattern.id)
def test_a_loaded_run_is_drawn_from_what_it_shows(pattern: Any, tmp_path: Path) -> None:
    run = run_of(pattern.id)
    run.save(tmp_path / "run.json")
    loaded = load_run(tmp_path / "run.json")
    alone, whole = loaded.graph(), run.graph()
    assert not alone.data.known and "drawn from this run alone" in str(alone)
    known = {(node.sort, node.name, node.said) for node in whole.data.nodes}
    assert {(node.sort, node.name, node.said) for node in alone.data.nodes} <= known
    for turn in range(len(run.trace.turns) + 1):
        assert _stands(alone.at(turn)) == _stands(whole.at(turn))
    assert loaded.graph(flow=pattern.items).data == whole.data


def _stands(view: GraphView) -> dict[str, str]:
    assert view.scene is not None
    names = {node.id: node.name for node in view.data.nodes}
    return {mark.name: names[node] for node, marks in view.scene.marks.items() for mark in marks}


@pytest.mark.parametrize("seed", range(4))
def test_every_block_of_a_loaded_run_is_found_again(seed: int) -> None:
    run = every(seed)
    alone = Run(run.trace).graph()
    for turn in range(len(run.trace.turns) + 1):
        assert _stands(alone.at(turn)).keys() == _stands(run.graph(turn)).keys()
        assert parsed(alone.at(turn).svg).tag == f"{SVG}svg"


def test_other_items_are_refused() -> None:
    with pytest.raises(InputError, match="this is a run of 'NIGHTLY-LOAD', and no run of 'IMPORT, REPORT'"):
        run_of("exclusive-lock").graph(flow=catalog.load("shared-lock").items)
    flow, others = catalog.load("semaphore"), catalog.load("shared-lock").items
    run = dexpatterns.simulate(flow.flow, flow.input, scenario=flow.scenario)
    with pytest.raises(InputError, match="and no run of 'IMPORT, REPORT'"):
        run.graph(flow=others)


# Names are data.

NASTY = [
    "</script><script>alert(1)</script>", '"><img onerror=x>', "\\N \\G", 'a"];b[label=<<B>x</B>>', "a\u202eb",
    "x" * 10_000, "&amp; <b>", "\x1b[31m{n}%s",
]  # fmt: skip


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_names_are_shown_and_never_obeyed(name: str) -> None:
    asked = Demand(name, 1)
    inside = Block((
        ExecuteNamed(job_name=name), Prompt(question=Text(name[:50])), Fork(branches=(Branch(name, Block()),)),
    ))  # fmt: skip
    cases = ((Text(name[:50]), Block((ExecuteNamed(job_name=name),))), (Boolean(True), Block()))
    made = [
        js7.Lock(name, 2), Workflow(name, Block((LockInstruction(demands=(asked,), body=inside), If(cases=cases)))),
    ]  # fmt: skip
    run = js7.simulate(made, [Order(name, name), Order("o", name)])
    for lang in ("en", "zh"):
        view = run.graph(2, lang=lang)
        root = parsed(view.svg)
        tags = {one.tag.removeprefix(SVG) for one in root.iter()}
        assert tags <= {"svg", "style", "defs", "pattern", "rect", "path", "g", "title", "text", "circle", "polygon"}
        assert not [key for one in root.iter() for key in one.attrib if key.startswith("on")]
        assert "\u202e" not in view.svg and "\x1b" not in view.svg + view.text()
        assert max(map(len, view.text().splitlines())) < 1000
        assert view.layout.width < 1500
        assert run.graph(flow=made).svg and Run(run.trace).graph(2, lang=lang).svg


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_names_are_data_in_dot_too(name: str) -> None:
    inside = Block((ExecuteNamed(job_name=name), Prompt(question=Text(name[:50]))))
    made = [js7.Lock(name, 2), Workflow(name, Block((LockInstruction(demands=(Demand(name),), body=inside),)))]
    drawn = run_dot(graph(made).source, "svg")
    assert parsed(drawn).tag == f"{SVG}svg"
    assert "<script" not in drawn and "<img" not in drawn


def test_a_run_of_a_nasty_name_is_shown_harmlessly() -> None:
    run = js7.simulate([Workflow("\x1b[31mA\u202e", Block())], [Order("O", "\x1b[31mA\u202e")])
    assert repr(run) == "<Run of \\x1b[31mA\\u202e: FINISHED after 1 turn>"
    assert run.status == "FINISHED"
