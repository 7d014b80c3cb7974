"""The graph: what is drawn is what the definition and the run say, at any turn on the same places, and harmless."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import dexpatterns
from dexpatterns import (
    Attribute,
    AttributeMap,
    Channel,
    ChannelMap,
    Context,
    Faults,
    Flow,
    FlowDefinitionError,
    PersistenceSchema,
    RetryPolicy,
    RPCResult,
    Run,
    Section,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    StepOptions,
    Wait,
    catalog,
    check,
    dead_end,
    force_complete,
    force_complete_if_channels_empty,
    force_fail,
    go_to,
    go_to_many,
    graceful_complete,
    load_run,
    rpc,
    simulate,
)
from dexpatterns.dex.definition import compile_flow
from dexpatterns.dex.machine import FlowMachine
from dexpatterns.engine.texts import visible
from dexpatterns.errors import InputError
from dexpatterns.views import graph_layout, graph_texts
from dexpatterns.views.dot import VARIABLE, run_dot
from dexpatterns.views.graph import GraphView, graph
from dexpatterns.views.graph_data import Link, graph_data
from dexpatterns.views.graph_layout import LONGEST, caption, fit, size_of
from dexpatterns.views.texts import pixels
from tests.handmade import TOKEN, Story, after, critical, edits

SVG = "{http://www.w3.org/2000/svg}"
PATTERN = catalog.load("critical-section")
SECTION = Section("EditContract", "SaveContractEdit", name="edit", label=lambda edit: edit["reviewer"])
EVERY = [pytest.param(flow, id=type(flow).__name__) for pattern in catalog.patterns() for flow in pattern.flows]


def view(at: int | None = None, *, lang: str = "en", trace: Any = None, **more: Any) -> GraphView:
    """The handmade good run on the catalog's definition."""
    more = {"definition": compile_flow(PATTERN.flow), "sections": (SECTION,), "tokens": (TOKEN,), **more}
    return GraphView.of_run(trace or critical(4), at, lang=lang, **more)


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314  # it is our own


def groups(svg: str, sort: str) -> dict[str, ET.Element]:
    """The groups that stand for nodes, edges or bands, by the first line of their tooltips."""
    found = [one for one in parsed(svg).iter(f"{SVG}g") if one.get(f"data-{sort}")]
    return {one.findtext(f"{SVG}title", "").partition(":")[0]: one for one in found}


def lit(svg: str, sort: str) -> set[str]:
    return {name for name, one in groups(svg, sort).items() if "now" in one.get("class", "").split()}


def badges(svg: str) -> dict[str, str]:
    """Who is where, by badge: its tooltip, with the phase as its class says it."""
    return {one.findtext(f"{SVG}text", ""): one.get("class", "").split()[-1] for one in badge_marks(svg)}


def badge_marks(svg: str) -> list[ET.Element]:
    """Those in the picture, not those of its legend."""
    places = [one for one in parsed(svg).iter(f"{SVG}g") if one.get("class") in ("moment", "ended")]
    return [one for place in places for one in place.iter() if "at" in one.get("class", "").split()]


def said(svg: str) -> str:
    return " | ".join(text.strip() for text in parsed(svg).itertext())


# The definition.


def test_every_step_decision_route_and_channel_of_the_definition_is_drawn() -> None:
    svg = graph(PATTERN.flow).svg
    assert set(groups(svg, "node")) == {
        "StartContractEdits", "EnterContractEdit", "EditContract", "SaveContractEdit", "ReleaseContractEditToken",
        "FinishContractEdits", "contractEditToken", "contractEditFinished", "contract",
    }  # fmt: skip
    publishers = ("StartContractEdits", "EditContract", "SaveContractEdit", "ReleaseContractEditToken")
    routed = ("EnterContractEdit", "EditContract", "SaveContractEdit")
    assert set(groups(svg, "edge")) == {
        "StartContractEdits goes to EnterContractEdit", "StartContractEdits goes to FinishContractEdits",
        "EnterContractEdit goes to EditContract", "EditContract goes to SaveContractEdit",
        "EnterContractEdit consumes from contractEditToken", "FinishContractEdits consumes from contractEditFinished",
        "SaveContractEdit writes contract",
        *(f"{who} publishes to contractEditToken" for who in publishers),
        *(f"{who} publishes to contractEditFinished" for who in publishers[1:]),
        *(f"{who} on failure goes to ReleaseContractEditToken" for who in routed),
    }  # fmt: skip


def test_the_ends_of_paths_stand_at_their_steps() -> None:
    nodes = groups(graph(PATTERN.flow).svg, "node")
    ends = {name: [one.get("data-end") for one in node.iter() if one.get("data-end")] for name, node in nodes.items()}
    assert {name: kinds for name, kinds in ends.items() if kinds} == {
        "StartContractEdits": ["graceful_complete"],
        "EditContract": ["dead_end"],
        "SaveContractEdit": ["dead_end"],
        "ReleaseContractEditToken": ["dead_end"],
        "FinishContractEdits": ["graceful_complete"],
    }


MAP, TABLE = ChannelMap("map", str), AttributeMap("table", int)
SIZED, LOCKED, STAMPED = Channel("sized", str), Attribute("locked", int), Attribute("stamped", int)


class All(Step[None]):
    """Goes every way that there is."""

    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_lock_attributes=(LOCKED.lock(),), wait_for_lock_attributes=(TABLE.lock("k"),))

    def wait_for(self, context: Context, input: None) -> Wait:
        return Wait.until(MAP.for_one("k"))

    def execute(self, context: Context, input: None) -> StepDecision:
        MAP.publish(context, "k", "v")
        STAMPED.set(context, TABLE.get(context, "k") + LOCKED.get(context))
        if SIZED.size(context) > 2:
            return force_complete(None)
        if SIZED.size(context) > 1:
            return force_fail("no")
        return force_complete_if_channels_empty(None, StepMovement.of(Other, None), SIZED)


class Other(Step[None]):
    def execute(self, context: Context, input: None) -> StepDecision:
        return dead_end().with_canceling_steps(All).with_canceling_sibling_steps(Third)


class Third(Step[None]):
    def get_step_options(self) -> StepOptions:
        again = StepOptions().on_execute_failure_proceed_to(All)
        return StepOptions().on_execute_failure_proceed_to(Other, options=again)

    def execute(self, context: Context, input: None) -> StepDecision:
        return dead_end()


class AllFlow(Flow[None]):
    def get_steps(self) -> StepList[None]:
        return StepList.start_step(All()).other_steps(Other(), Third())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(MAP, TABLE, SIZED, LOCKED, STAMPED)

    @rpc(lock_attributes=(LOCKED.lock(),))
    def ask(self, context: Context) -> RPCResult[None]:
        return RPCResult(None, next_steps=(StepMovement.of(Third, None),)).with_canceling_steps(Other)

    def handle_timeout(self, context: Context) -> StepDecision:
        return go_to(Other, None)


def test_every_sort_of_link_is_read_from_the_definition() -> None:
    data = graph(AllFlow).data
    assert {link for edge in data.edges for link in edge.links} == {
        Link("All", "consume", "map"), Link("All", "publish", "map"), Link("All", "read", "table"),
        Link("All", "read", "locked"), Link("All", "write", "stamped"), Link("All", "size", "sized"),
        Link("All", "lock", "locked"), Link("All", "lock", "table"), Link("All", "fallback", "Other"),
        Link("Other", "cancel", "All"), Link("Other", "cancel", "Third"), Link("Third", "route", "Other"),
        Link("Other", "route", "All"), Link("ask", "go_to", "Third"), Link("ask", "cancel", "Other"),
        Link("ask", "lock", "locked"), Link("handle_timeout", "go_to", "Other"),
    }  # fmt: skip
    nodes = {node.name: node for node in data.nodes}
    assert nodes["All"].ends == ("force_complete", "force_complete_if_channels_empty", "force_fail")
    assert (nodes["ask"].sort, nodes["handle_timeout"].sort) == ("call", "call")
    assert [name for name, node in nodes.items() if node.keyed] == ["map", "table"]
    assert all(node.read for node in data.nodes)
    (queue,) = [edge for edge in data.edges if "publish" in edge.verbs]
    assert queue.both and set(queue.verbs) == {"publish", "consume"}, "one line that points both ways"


class Lends(Step[None]):
    """Gives options, and a failure route in them, to a Step that it starts."""

    def execute(self, context: Context, input: None) -> StepDecision:
        lent = StepOptions().on_execute_failure_proceed_to(Third)
        return go_to_many(StepMovement.of(Other, None, options=lent), StepMovement.of(Third, None))


class LendsFlow(Flow[None]):
    def get_steps(self) -> StepList[None]:
        return StepList.start_step(Lends()).other_steps(Other(), Third(), All())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(MAP, TABLE, SIZED, LOCKED, STAMPED)


def test_a_route_that_is_lent_to_another_step_is_not_guessed() -> None:
    data = graph(LendsFlow).data
    assert [link.what for edge in data.edges for link in edge.links if link.who == "Lends"] == ["Other", "Third"]
    assert [node.name for node in data.nodes if not node.read] == ["Lends"]


@pytest.mark.parametrize("flow", EVERY)
def test_every_flow_of_the_catalog_is_drawn_whole(flow: Flow[Any]) -> None:
    shown = graph(flow)
    root = parsed(shown.svg)
    assert len([one for one in root.iter() if one.get("data-node")]) == len(shown.data.nodes)
    assert len([one for one in root.iter() if one.get("data-edge")]) == len(shown.data.edges)
    boxes = shown.layout.nodes.values()
    assert all(box.x > -1 and box.x + box.w < shown.layout.width + 1 for box in boxes)
    assert all(box.y > -1 and box.y + box.h < shown.layout.height + 1 for box in boxes)
    drawn = [(a, b) for a in boxes for b in boxes if a < b]
    assert not [(a, b) for a, b in drawn if a.x < b.x + b.w and b.x < a.x + a.w and a.y < b.y + b.h and b.y < a.y + a.h]


def test_a_section_is_a_band_with_its_words_and_its_exits_leave_it_by_one_line() -> None:
    shown = graph(PATTERN.flow, sections=PATTERN.section)
    (title,) = groups(shown.svg, "band")
    assert title == "section contract edit"
    assert "one at a time" in said(shown.svg)
    assert "at most 2 at once" in said(graph(PATTERN.flow, sections=[PATTERN.section], limit=2).svg)
    gathered = {(edge.band, edge.verbs, edge.actors) for edge in shown.data.edges if edge.band}
    assert gathered == {("b0", ("publish",), ("EditContract", "SaveContractEdit"))}
    (band,) = shown.layout.bands.values()
    for edge in shown.data.edges:
        if edge.band:
            points = shown.layout.edges[edge.id].points
            (x, y) = points[0] if shown.layout.edges[edge.id].tail is None else points[-1]
            assert min(abs(x - band.x), abs(x - band.x - band.w), abs(y - band.y), abs(y - band.y - band.h)) < 2


def test_a_step_in_two_sections_stands_in_the_first() -> None:
    bands = graph(PATTERN.flow, sections=[
        Section("EditContract", name="one"), Section("EditContract", "SaveContractEdit", name="two"),
        Section("EditContract", name="three"),
    ]).data.bands  # fmt: skip
    names = {node.id: node.name for node in graph(PATTERN.flow).data.nodes}
    assert [(band.name, [names[id] for id in band.members]) for band in bands] == [
        ("one", ["EditContract"]), ("two", ["SaveContractEdit"]),
    ]  # fmt: skip


def test_what_is_no_flow_is_refused() -> None:
    with pytest.raises(InputError, match="a int cannot be drawn; expected a Flow"):
        graph(3)
    with pytest.raises(FlowDefinitionError):
        graph(int)
    with pytest.raises(InputError, match="limit: expected a whole number"):
        graph(PATTERN.flow, limit=0)
    with pytest.raises(InputError, match="lang: expected 'en' or 'zh'"):
        graph(PATTERN.flow, lang="fr")
    assert dexpatterns.graph is graph


# What cannot be read, and what a run shows.


def somewhere(steps: list[Any]) -> Any:
    return steps[0]


class Hidden(Step[int]):
    """Where it goes is not in its source."""

    def execute(self, context: Context, n: int) -> StepDecision:
        target = somewhere([Seen])
        return go_to_many(*[StepMovement.of(target, i) for i in range(n)])


class Seen(Step[int]):
    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_retry=RetryPolicy(maximum_attempts=2))

    def execute(self, context: Context, n: int) -> StepDecision:
        return graceful_complete()


class HiddenFlow(Flow[int]):
    def get_steps(self) -> StepList[int]:
        return StepList.start_step(Hidden()).other_steps(Seen())


def test_what_could_not_be_read_is_marked_and_what_a_run_shows_is_added_and_marked() -> None:
    definition = graph(HiddenFlow)
    assert "not read from source" in said(definition.svg)
    assert definition.data.edges == ()
    run = simulate(HiddenFlow, 3)
    shown = GraphView.of_run(run.trace, definition=compile_flow(HiddenFlow))
    (edge,) = shown.data.edges
    assert (edge.found, edge.times, edge.links) == (True, (3, 3), (Link("Hidden", "go_to", "Seen"),))
    assert {"found in this run alone", "×3"} <= set(said(shown.svg).split(" | "))
    (drawn,) = groups(shown.svg, "edge").values()
    assert "found" in drawn.get("class", "").split()
    assert "goes to Seen ×3 (found in this run alone)" in str(shown)
    # Nothing of a definition that was read moves or gets another id by what is found.
    assert [node._replace(ends=()) for node in shown.data.nodes] == [
        node._replace(ends=()) for node in definition.data.nodes
    ]


def test_what_only_the_run_has_is_a_node_that_says_so() -> None:
    story, (one, *_) = edits("a")
    trace = story.begin(one).save(one, ("SecretStep", None), publish="secretChannel").trace()
    shown = view(trace=trace)
    names = [node.name for node in shown.data.nodes]
    assert names == [*(node.name for node in view().data.nodes), "SecretStep", "secretChannel"]
    nodes = groups(shown.svg, "node")
    for name in ("SecretStep", "secretChannel"):
        assert "found in this run alone" in nodes[name].findtext(f"{SVG}title", "")
        assert "+" in [text.text for text in nodes[name].iter(f"{SVG}text")]
    assert "SecretStep (found in this run alone)" in str(shown)


def test_how_many_one_result_started_is_a_range_when_it_differs() -> None:
    story = Story()
    story.begin((0, 0)).save((0, 0), ("Fan", 1), ("Fan", 1), ("Join", 1))
    story.begin((0, 1, 0, 0)).save((0, 1, 0, 0), ("Leaf", 1), ("Leaf", 1), ("Leaf", 1))
    story.begin((0, 1, 1, 0)).save((0, 1, 1, 0), ("Leaf", 1))
    times = {edge.links[0]: edge.times for edge in graph_data(None, story.trace()).edges}
    assert times == {
        Link("StartContractEdits", "go_to", "Fan"): (2, 2),
        Link("StartContractEdits", "go_to", "Join"): (1, 1),
        Link("Fan", "go_to", "Leaf"): (1, 3),
    }
    assert "×1–3" in said(GraphView.of_run(story.trace()).svg)


def test_a_run_alone_is_drawn_of_what_it_shows_and_says_so(tmp_path: Path) -> None:
    run = simulate(PATTERN.flow, PATTERN.make_input(2), sections=[PATTERN.section], tokens=[PATTERN.token])
    run.save(tmp_path / "run.json")
    shown = load_run(tmp_path / "run.json").graph()
    assert not shown.data.known
    assert "drawn from this run alone, without the definition" in said(shown.svg)
    assert "found in this run alone" not in said(shown.svg)
    links = {link for edge in shown.data.edges for link in edge.links}
    assert links < {link for edge in graph(PATTERN.flow).data.edges for link in edge.links}
    assert "ReleaseContractEditToken" not in groups(shown.svg, "node"), "it never came to it"
    whole = load_run(tmp_path / "run.json").graph(flow=PATTERN.flow)
    assert "ReleaseContractEditToken" in groups(whole.svg, "node")


def test_a_run_of_another_flow_is_refused() -> None:
    with pytest.raises(InputError, match="this is a run of 'ContractEditFlow', and no run of 'HiddenFlow'"):
        Run(critical(2)).graph(flow=HiddenFlow)


def test_a_run_that_knows_its_definition_draws_it() -> None:
    run = Run(critical(2), sections=(SECTION,), tokens=(TOKEN,), machine=FlowMachine(PATTERN.flow, PATTERN.input))
    assert run.graph().data.known
    assert run == Run(critical(2), sections=(SECTION,), tokens=(TOKEN,)), "a definition is no part of what happened"


# A moment.


def test_the_badges_say_who_is_where_and_in_which_phase() -> None:
    phases = badges(view(16).svg)
    assert phases == {"S": "ended", "1": "queued", "2": "waiting", "3": "waiting", "4": "waiting", "J": "waiting"}
    assert badges(view(17).svg)["1"] == "running"
    assert badges(view(32).svg)["3"] == "retrying"
    tips = [title.text for title in parsed(view(32).svg).iter(f"{SVG}title")]
    assert "reviewer-3: SaveContractEdit, between attempts; holds the token of contractEditToken" in tips
    assert "reviewer-4: EnterContractEdit.wait_for, waits for one message of contractEditToken" in tips


def test_each_phase_has_its_own_shape() -> None:
    looks = set()
    for at, who in ((17, "1"), (16, "1"), (17, "2"), (32, "3")):
        (badge,) = [one for one in badge_marks(view(at).svg) if one.findtext(f"{SVG}text") == who]
        looks.add(tuple(shape.get("class") for shape in badge if shape.get("class") not in (None, "c")))
    assert len(looks) == 4


def scene(shown: GraphView) -> Any:
    assert shown.scene is not None
    return shown.scene


def tokens_at(shown: GraphView) -> dict[str, int]:
    """By node: tokens in its queue, or held at it."""
    names = {node.id: node.name for node in shown.data.nodes}
    found = {names[id]: sum(cell.token for cell in stock.cells) for id, stock in scene(shown).stocks.items()}
    for id, marks in scene(shown).marks.items():
        found[names[id]] = found.get(names[id], 0) + sum(mark.tokens for mark in marks)
    return {name: n for name, n in found.items() if n}


@pytest.mark.parametrize(
    ("at", "where"),
    [(0, {}), (2, {TOKEN: 1}), (7, {"EnterContractEdit": 1}), (16, {"SaveContractEdit": 1}), (18, {TOKEN: 1}),
     (34, {"ReleaseContractEditToken": 1}), (44, {TOKEN: 1})],
)  # fmt: skip
def test_the_token_is_a_disc_in_its_channel_or_at_its_holder(at: int, where: dict[str, int]) -> None:
    shown = view(at)
    assert tokens_at(shown) == where
    body = re.sub(r'<g class="legend.*', "", shown.svg)
    assert body.count('class="c"') == sum(where.values())


@pytest.mark.parametrize(
    ("at", "edges", "nodes"),
    [
        (0, set(), set()),
        (2, {"StartContractEdits goes to EnterContractEdit", "StartContractEdits goes to FinishContractEdits",
             "StartContractEdits publishes to contractEditToken"}, {"StartContractEdits", TOKEN}),
        (19, {"EnterContractEdit consumes from contractEditToken"}, {"EnterContractEdit", TOKEN}),
        (34, {"SaveContractEdit on failure goes to ReleaseContractEditToken"}, {"SaveContractEdit"}),
        (36, {"ReleaseContractEditToken publishes to contractEditToken"}, {"ReleaseContractEditToken", TOKEN}),
    ],
)  # fmt: skip
def test_what_a_turn_used_is_dark(at: int, edges: set[str], nodes: set[str]) -> None:
    svg = view(at).svg
    assert lit(svg, "edge") == edges
    assert lit(svg, "node") == nodes


def test_the_line_of_a_bands_exits_is_lit_for_each_of_its_steps() -> None:
    (edge,) = [edge for edge in view().data.edges if edge.band and edge.links[0].what == TOKEN]
    lights = [turn for turn in range(45) if edge.id in scene(view(turn)).used]
    assert lights == [18, 25, 41]
    assert [link.who for link in scene(view(41)).links] == ["EditContract"]


def test_the_end_of_a_path_is_lit_in_its_turn() -> None:
    node = groups(view(18).svg, "node")["SaveContractEdit"]
    assert [one.get("class") for one in node.iter() if one.get("data-end")] == ["end now"]
    other = groups(view(19).svg, "node")["SaveContractEdit"]
    assert [one.get("class") for one in other.iter() if one.get("data-end")] == ["end"]


def test_a_band_counts_who_is_inside() -> None:
    counts = [re.search(r"\d inside", said(view(turn).svg)) for turn in (10, 15, 18)]
    assert [found and found[0] for found in counts] == ["0 inside", "1 inside", "0 inside"]


def both_inside(*names: str) -> Any:
    story, paths = edits(*names, clock=False)
    for path, name in zip(paths, names, strict=False):
        story.begin(path).save(path, ("EditContract", {"reviewer": name}))
    for path in paths[: len(names)]:
        story.begin(after(path))
    return story.trace()


def test_more_inside_than_may_be_is_marked_on_band_and_step_and_named() -> None:
    shown = view(trace=both_inside("ann", "bob"))
    assert "2 inside, limit 1" in said(shown.svg)
    (band,) = groups(shown.svg, "band").values()
    assert band.get("class") == "band over"
    assert "2 inside: ann, bob" in band.findtext(f"{SVG}title", "")
    over = {name for name, one in groups(shown.svg, "node").items() if "over" in one.get("class", "")}
    assert over == {"EditContract"}
    assert "2 inside, limit 1: ann, bob" in str(shown)
    allowed = view(trace=both_inside("ann", "bob"), limit=2)
    assert "limit 2" not in said(allowed.svg)
    assert "over" not in {one.get("class") for one in parsed(allowed.svg).iter()}


def test_a_counterexample_is_drawn_without_a_clock() -> None:
    pattern = catalog.load("is-editing-flag")
    report = check(pattern.flow, pattern.make_input(2), sections=[pattern.section], scenario=pattern.scenario)
    run = report.counterexample
    assert run is not None
    assert "2 inside, limit 1" in said(run.graph(flow=pattern.flow).svg)
    assert run.graph(flow=pattern.flow).moment.time is None


def test_messages_are_counted_two_are_told_and_the_rest_is_a_number() -> None:
    story, paths = edits(*"abcdefgh")
    for n, path in enumerate(paths):
        story.begin(path).save(path, publish=TOKEN if n else (), channel=TOKEN)
    shown = view(trace=story.trace(), tokens=())
    assert 'contractEditToken: 9 messages: "contract", "contract" +7' in str(shown)
    assert "+4" in said(shown.svg), "five of the nine have a cell"
    cells = [one for one in parsed(shown.svg).iter(f"{SVG}rect") if one.get("class") == "cell"]
    assert len(cells) == 5


def test_of_many_branches_on_a_step_two_are_drawn_and_counted() -> None:
    story, paths = edits(*map(str, range(300)))
    story.begin(paths[0])
    shown = view(trace=story.trace())
    assert "+298" in said(shown.svg)
    assert set(badges(shown.svg)) == {"1", "2", "S", "F"}
    assert len(shown.svg.encode()) < 30_000


def test_who_acts_and_who_holds_come_first() -> None:
    story, paths = edits(*"abcde")
    for path in paths[:5]:
        story.begin(path, "wait_for").wait(path, takes=path == paths[3])
    story.begin(paths[4], "wait_for", attempt=2)
    (marks,) = [row for row in scene(view(trace=story.trace())).marks.values() if len(row) == 5]
    assert [mark.label for mark in marks] == ["5", "4", "1", "2", "3"]


def test_values_locks_and_late_code_are_shown() -> None:
    story, (one, *_) = edits("a")
    story.begin(one)
    trace = story.fail(one, how="late").trace()
    assert "given up, its code runs on" in said(view(trace=trace).svg)
    run = simulate(catalog.load("attribute-lock").flow, catalog.load("attribute-lock").input, seed=1)
    texts = [str(run.graph(at)) for at in range(len(run.trace.turns) + 1)]
    assert any("; locked by EditContract-" in text for text in texts)
    assert any("contractVersion: 2" in text for text in texts)
    assert "contractVersion: no value" in texts[0]
    held = [run.graph(at).svg for at, text in enumerate(texts) if "locked by" in text]
    assert all('class="lock held"' in svg for svg in held)


@pytest.mark.parametrize("at", [-1, 45, True, "1"])
def test_a_turn_that_there_is_not_is_refused(at: Any) -> None:
    for ask in (view, view().at):
        with pytest.raises(InputError, match=r"at: expected a turn from 0 \(the start\) to 44 \(the last\)"):
            ask(at)
    with pytest.raises(InputError, match="this graph shows no run"):
        graph(PATTERN.flow).at(1)


# Laid out once.


def test_a_definition_is_laid_out_once_for_all_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def counted(source: str, **more: Any) -> str:
        calls.append(source)
        return run_dot(source, **more)

    monkeypatch.setattr(graph_layout, "run_dot", counted)
    graph_layout._lay_out.cache_clear()
    section = Section("EditContract", "SaveContractEdit", name="a name of its own")
    first = graph(PATTERN.flow, sections=section).layout
    for at in (0, 13, 44):
        for lang in ("en", "zh"):
            assert view(at, lang=lang, sections=(section,)).layout is first
    assert len(calls) == 1


def moved(svg: str) -> list[str]:
    """The picture without what a turn changes."""
    whole = re.sub(r'<g class="moment">.*', "", svg.partition("<g transform")[2])
    whole = re.sub(r'<g class="words.*?</g>|<title>.*?</title>| now| over', "", whole)
    return re.findall(r"<[^>]*>", whole)


def test_between_turns_nothing_moves_and_only_classes_change() -> None:
    shown = view(0)
    assert all(moved(shown.at(turn).svg) == moved(shown.svg) for turn in (2, 18, 32, 44))


def test_the_same_turn_gives_the_same_bytes_and_two_pictures_share_no_id() -> None:
    one, other = view(13).svg, view(14).svg
    assert one == view(13).svg
    ids = [set(re.findall(r' id="([^"]*)"', svg)) for svg in (one, other)]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_the_places_are_plain_data_for_a_browser() -> None:
    plain = graph(PATTERN.flow, sections=PATTERN.section).layout.plain()
    assert set(plain) == {"width", "height", "nodes", "bands"}
    assert all(len(box) == 4 for box in (*plain["nodes"].values(), *plain["bands"].values()))


def test_without_a_frame_there_is_the_graph_alone() -> None:
    bare = view(13).picture(frame=False)
    assert "turn 13 of 44" not in said(bare)
    assert 'class="legend' not in bare
    assert groups(bare, "node").keys() == groups(view(13).svg, "node").keys()


def test_without_a_dot_a_notebook_shows_the_text_and_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/no/such/dot")
    shown = view(13)
    assert str(shown).splitlines()[0] in shown._repr_html_()
    assert "The picture could not be drawn: DEXPATTERNS_DOT is" in shown._repr_html_()
    assert "<svg" not in shown._repr_html_()


def test_a_program_that_is_no_dot_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    echo = tmp_path / "echo-dot"
    echo.write_text("#!/bin/sh\necho hello\n", encoding="utf-8")
    echo.chmod(0o755)
    monkeypatch.setenv(VARIABLE, str(echo))
    with pytest.raises(InputError, match="echo-dot' did not answer with a layout but 'hello"):
        _ = graph(PATTERN.flow).svg


# Harmless, and fitting.

EVIL = (
    "</script><script>alert(1)</script>", '"><img onerror=alert(1) src=x>', "\\N \\G \\l", 'a"]; b -> c; {rank=same}',
    "\u202eabc\u2066", "<b>x</b>", "&amp;", "x" * 10_000, "合同" * 40, "\ud800\0\x1b[2J", "",
)  # fmt: skip


def evil_run() -> Run:
    """A loaded file may hold any names: Steps, Channels, Attributes, values, branches, the Flow itself."""
    from dexpatterns.dex import events as ev
    from dexpatterns.engine.values import freeze

    story = Story(name=EVIL[0], first=EVIL[0])
    story.begin((0, 0)).save((0, 0), *[(name, {"reviewer": name}) for name in EVIL], publish=EVIL)
    for n, name in enumerate(EVIL):
        path = (0, 1, n, 0)
        story.begin(path)
        story.turn("commit", path, ev.AttributeChanged(path, name, name, None, freeze(name)))
        story.wait(path, channel=name)
    section = Section(*EVIL[:4], name=EVIL[1], label=lambda edit: edit["reviewer"] if edit else EVIL[8])
    return Run(story.trace(), sections=(section,), tokens=(EVIL[2],))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_people_wrote_is_shown_and_never_obeyed(lang: str) -> None:
    shown = evil_run().graph(lang=lang)
    svg = shown.svg
    names = {one.tag.removeprefix(SVG) for one in parsed(svg).iter()}
    assert names <= {"svg", "style", "defs", "pattern", "rect", "path", "g", "title", "text", "circle", "polygon"}
    attributes = {name for one in parsed(svg).iter() for name in one.attrib}
    assert not {name for name in attributes if name.startswith("on") or "href" in name}
    for text in (svg, str(shown), shown.source, shown._repr_html_()):
        assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", text)
    assert set(re.findall(r"https?://[^\"' ]*", svg)) == {"http://www.w3.org/2000/svg"}
    titles = {title.text for title in parsed(svg).iter(f"{SVG}title")}
    for name in EVIL:
        assert any((title or "").startswith(visible(name)) for title in titles), "the whole name is in a tooltip"
    assert max(map(len, str(shown).splitlines())) < 2_000


def test_the_dot_text_shows_the_names_as_they_are() -> None:
    """dot reads escapes in a label; so it must give back what it was given."""
    told = run_dot(evil_run().graph().source, "svg")
    written = {text.text for text in parsed(told.partition("<svg")[1] + told.partition("<svg")[2]).iter(f"{SVG}text")}
    for name in EVIL[:7]:
        assert visible(name) in written


def test_no_name_reaches_the_layout() -> None:
    source = graph_layout.dot_source(evil_run().graph().data, names=False)
    assert re.fullmatch(r"[\w\s{}\[\]=;\"<>./-]*", source, re.ASCII)
    assert "script" not in source
    assert "xxx" not in source


NAMES = ("A", "EnterContractEdit", "ReleaseContractEditToken", "x" * 10_000, "W" * 60, "合同编辑" * 20)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sort", ["step", "call", "channel", "attribute"])
def test_a_name_fits_its_box_and_a_long_one_gives_way_in_its_middle(name: str, sort: str) -> None:
    node = graph_data(compile_flow(PATTERN.flow)).nodes[0]._replace(sort=sort, name=name)
    width, _ = size_of(node)
    assert pixels(caption(node), 12) < width <= LONGEST
    short = caption(node)
    assert short == name or (short[0] == name[0] and short[-1] == name[-1] and "…" in short)


@pytest.mark.parametrize("room", [0, 5, 30, 100, 1000])
def test_fitting_ends_and_fits(room: float) -> None:
    for text in ("", "W" * 50, "合" * 50, "i" * 50):
        assert pixels(fit(text, 12, room), 12) <= max(room, 24)


def test_every_style_rule_stands_under_the_picture_alone() -> None:
    style = parsed(graph(PATTERN.flow).svg).find(f"{SVG}style")
    assert style is not None
    for selector in re.findall(r"([^{}]+)\{", re.sub(r"@media[^{]*\{", "", style.text or "")):
        assert all(".dxp" in part for part in selector.split(","))


# Words.


def test_the_picture_names_itself_for_who_does_not_see_it() -> None:
    root = parsed(view(13).svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == "ContractEditFlow: 6 Steps, 2 Channels; turn 13 of 44 · 1.3 s · RUNNING"


def test_the_graph_as_text() -> None:
    text = str(view(19))
    assert text.splitlines()[0] == "ContractEditFlow: turn 19 of 44, 1.9 s, RUNNING"
    assert (
        """\
  EnterContractEdit
    [2] reviewer-2: EnterContractEdit, queued; holds the token of contractEditToken
    [3] reviewer-3: EnterContractEdit.wait_for, waits for one message of contractEditToken
    [4] reviewer-4: EnterContractEdit.wait_for, waits for one message of contractEditToken
    consumes from contractEditToken
    goes to EditContract
    on failure goes to ReleaseContractEditToken
"""
        in text
    )
    assert text.endswith("""\
Channels
  contractEditToken: empty
  contractEditFinished: empty
Attributes
  contract: no value
Sections
  section edit: EditContract, SaveContractEdit; one at a time; 0 inside
ended: [S] start, [1] reviewer-1
In this turn
  EnterContractEdit consumes from contractEditToken""")


def test_it_is_told_in_chinese() -> None:
    shown = view(34, lang="zh")
    for text in (str(shown), said(shown.svg)):
        for word in ("第 34 回合，共 44 回合", "一次一个分支", "排队", "等待", "失败时", "此路结束", "已结束"):
            assert word in text
        assert not re.search(r"\b(turn|inside|waits|queued|goes|publishes|dead|holds|ended)\b", text)
    assert "reviewer-3：ReleaseContractEditToken，排队；持有 contractEditToken 的 token" in str(shown)


def test_every_word_has_both_languages_and_the_same_fields() -> None:
    for key, (english, chinese) in graph_texts._WORDS.items():
        assert set(re.findall(r"\{(\w+)\}", english)) == set(re.findall(r"\{(\w+)\}", chinese)), key
        assert english and chinese, key


def test_a_graph_in_a_notebook_has_both_forms() -> None:
    shown = view(13)
    assert shown._repr_html_() == shown.svg
    assert repr(shown) == str(shown) == shown.text()
    assert " at 0x" not in repr(shown)


@pytest.mark.parametrize("flow", EVERY)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_pattern_is_drawn_at_every_turn(flow: Flow[Any], lang: str) -> None:
    pattern = next(one for one in catalog.patterns() if flow in one.flows)
    try:
        run = simulate(flow, pattern.input, seed=2, faults=Faults(1, 1))
    except InputError:
        run = simulate(flow, pattern.world.ALL_EXITS_INPUT, seed=2, faults=Faults(1, 1))
    shown = run.graph(0, lang, flow=flow)
    for turn in range(len(run.trace.turns) + 1):
        parsed(shown.at(turn).svg)
