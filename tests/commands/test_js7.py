"""`dexpatterns js7`: what a run and a check say, in both languages and as data, with the statuses that are promised."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dexpatterns import js7
from dexpatterns.engine.run import load_run
from tests.commands.calling import call, data, refused
from tests.js7.workflows import block, locked, workflow

EXECUTE = {"TYPE": "Execute.Named", "jobName": "ok"}
PROMPT = {"TYPE": "Prompt", "question": "'go on?'"}
A, B = [{"lockPath": "A"}], [{"lockPath": "B", "count": 2}]
AB = workflow(locked(EXECUTE, locked(EXECUTE, demands=B), demands=A), path="ab")
BA = workflow(locked(EXECUTE, locked(EXECUTE, demands=A), demands=B), path="ba")
FILES: dict[str, Any] = {
    "a.lock.json": {"limit": 1},
    "b.lock.json": {"limit": 3},
    "ab.workflow.json": AB,
    "ba.workflow.json": BA,
    "ask.workflow.json": workflow(locked(PROMPT, demands=A), path="ask"),
    "round.workflow.json": workflow(
        {"TYPE": "Try", "try": block({"TYPE": "Fail"}), "catch": block({"TYPE": "Retry"}), "retryDelays": [1]},
        path="round",
    ),
    "same.json": [{"id": "X", "workflow": "ab"}, {"id": "Y", "workflow": "ab"}],
    "opposite.json": [{"id": "X", "workflow": "ab"}, {"id": "Y", "workflow": "ba"}],
    "later.json": [{"id": "X", "workflow": "ab"}, {"id": "Y", "workflow": "ba", "at": 200, "priority": 3}],
    "fails.json": [{"id": "X", "workflow": "ab", "jobs": {"ok": {"duration": 2.5, "outcomes": ["failed"]}}}],
    "asks.json": [{"id": "X", "workflow": "ask"}, {"id": "Y", "workflow": "ask"}],
    "round.json": [{"id": "X", "workflow": "round"}],
    "jobs.json": {"ok": {"duration": 60, "per_order": {"Y": {"duration": 5}}}},
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in FILES.items():
        (tmp_path / name.replace("a.lock", "A.lock").replace("b.lock", "B.lock")).write_text(
            json.dumps(value), encoding="utf-8"
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


LOCKS = ("A.lock.json", "B.lock.json")
BOTH = (*LOCKS, "ab.workflow.json", "ba.workflow.json")


def words(text: str) -> list[str]:
    """The lines without the space between the cells of a table."""
    return [" ".join(line.split()) for line in text.splitlines()]


# A run.


def test_a_run_prints_events_times_states_and_locks() -> None:
    result = call("js7", *BOTH, "--orders", "same.json")
    assert result.exit_code == 0
    lines = words(result.stdout)
    assert "0:00:00.000 1 X OrderLocksAcquired takes all of A" in lines
    assert "0:00:00.000 2 Y OrderLocksQueued waits for all of A" in lines
    assert "0:00:02.000 4 Y OrderLocksAcquired takes all of A" in lines
    assert "Y ab Finished FINISHED [1] 0:00:04.000" in lines
    assert "B 3 Available - -" in lines
    assert lines[-1] == "2 of 2 orders finished, every lock is available, 0:00:04.000 on the clock"


def test_a_folder_is_loaded_whole() -> None:
    assert call("js7", ".", "--orders", "same.json").exit_code == 0


def test_a_deadlock_is_named_with_its_circle_and_its_cause_in_the_files() -> None:
    """J214: at the same time they wait for each other, one after the other they do not."""
    result = call("js7", *BOTH, "--orders", "opposite.json")
    assert result.exit_code == 1
    assert "these can never go on: X holds A and waits for B, Y holds B and waits for A" in result.stdout
    assert "B 3 Exclusive Y (all) X" in words(result.stdout) or "B 3 NonExclusive Y (2) X" in words(result.stdout)
    assert result.stderr.startswith("note: workflow 'ab' at")
    assert "nest 'A' and 'B' in one and the same order everywhere" in result.stderr
    assert call("js7", *BOTH, "--orders", "later.json").exit_code == 0


def test_times_come_from_the_files() -> None:
    shown = data("js7", *BOTH, "--orders", "later.json", "--jobs", "jobs.json")
    times = {(one["order"], one["event"]): one["time"] for one in shown["events"]}
    assert times["X", "OrderFinished"] == 120
    assert (times["Y", "OrderAdded"], times["Y", "OrderStarted"], times["Y", "OrderFinished"]) == (200, 200, 210)
    added = next(one for one in shown["events"] if one["order"] == "Y")
    assert added == {
        "turn": 4, "time": 200.0, "event": "OrderAdded", "order": "Y", "text": "comes to ba with priority 3",
        "data": {"workflowPath": "ba", "priority": 3},
    }  # fmt: skip


def test_a_failed_order_is_status_1_and_gives_its_locks_back() -> None:
    shown = data("js7", *BOTH, "--orders", "fails.json")
    assert call("js7", *BOTH, "--orders", "fails.json").exit_code == 1
    assert (shown["status"], shown["finished"]) == ("FAILED", False)
    assert shown["orders"]["X"]["state"] == "Failed"
    assert shown["orders"]["X"]["ended"] == 2.5
    assert shown["locks"]["A"]["acquired"] == {"TYPE": "Available"}
    assert [one["outcome"] for one in shown["intervals"]] == ["released"]


def test_a_prompt_stays_unless_it_is_answered_at_once() -> None:
    args = ("js7", *LOCKS, "ask.workflow.json", "--orders", "asks.json")
    result = call(*args)
    assert result.exit_code == 1
    assert "A 1 Exclusive X (all) Y" in words(result.stdout)
    assert "0 of 2 orders finished, 1 Prompting, 1 WaitingForLock, 1 lock still held" in result.stdout
    answered = call(*args, "--answer")
    assert answered.exit_code == 0
    assert "0:00:00.000 4 Y OrderPromptAnswered is answered" in words(answered.stdout)


def test_what_goes_round_for_ever_is_cut_and_told() -> None:
    result = call("js7", "round.workflow.json", "--orders", "round.json", "--turns", "40")
    assert result.exit_code == 1
    assert "1 DelayingRetry, stopped after 40 turns" in result.stdout


def test_a_long_table_is_cut_though_not_as_data() -> None:
    args = ("js7", "round.workflow.json", "--orders", "round.json", "--turns", "200")
    events = data(*args)["events"]
    assert f"... and {len(events) - 200:,} more" in call(*args).stdout


def test_either_end_is_drawn_from_the_seed() -> None:
    Path("either.json").write_text('{"ok": {"outcomes": ["any"]}}', encoding="utf-8")
    args = ("js7", *BOTH, "--orders", "same.json", "--jobs", "either.json", "--seed")
    ends = [call(*args, str(seed)).exit_code for seed in range(30)]
    assert set(ends) == {0, 1}
    assert call(*args, "3").stdout == call(*args, "3").stdout


def test_fair_lets_nobody_pass_by() -> None:
    """J227: a light demand overtakes a heavy one that waits, but not with --fair."""
    for weight in (1, 3):
        one = workflow(locked(EXECUTE, demands=[{"lockPath": "B", "count": weight}]), path=f"w{weight}")
        Path(f"w{weight}.workflow.json").write_text(json.dumps(one), encoding="utf-8")
    orders = [
        {"id": id, "workflow": f"w{w}", "at": at} for id, w, at in (("a", 1, 0), ("heavy", 3, 0.2), ("b", 1, 0.4))
    ]
    Path("three.json").write_text(json.dumps(orders), encoding="utf-8")
    args = ("js7", *LOCKS, "w1.workflow.json", "w3.workflow.json", "--orders", "three.json")

    def taken(*more: str) -> list[str]:
        return [one["order"] for one in data(*args, *more)["events"] if one["event"] == "OrderLocksAcquired"]

    assert taken() == ["a", "b", "heavy"]
    assert taken("--fair") == ["a", "heavy", "b"]


def test_chinese() -> None:
    result = call("js7", *BOTH, "--orders", "opposite.json", "--lang", "zh")
    assert "这些订单再也无法继续：X 占有 A，等待 B，Y 占有 B，等待 A" in result.stdout
    assert "2 个订单中 0 个完成" in result.stdout


@pytest.mark.parametrize("more", [(), ("--check",)])
def test_the_run_that_is_shown_is_kept_whole(more: tuple[str, ...]) -> None:
    assert call("js7", *BOTH, "--orders", "opposite.json", "--save", "run.json", *more).exit_code == 1
    run = load_run("run.json")
    assert run.status == "STUCK"
    assert repr(run) == "<Run of ab, ba: STUCK after 4 turns>"
    orders = [js7.Order("X", "ab"), js7.Order("Y", "ba")]
    again = js7.replay(list(BOTH), orders, run.schedule)
    assert [turn.events for turn in again.trace.turns] == [turn.events for turn in run.trace.turns]


def test_a_run_that_was_kept_is_shown_again() -> None:
    """But for what only the files tell: who waits for ever, and what is risky in them."""
    for orders, status in (("same.json", 0), ("opposite.json", 1)):
        made = call("js7", *BOTH, "--orders", orders, "--save", "run.json", "--svg", "1.svg")
        again = call("replay", "run.json", "--svg", "2.svg")
        assert (made.exit_code, again.exit_code) == (status, status)
        lines = [line for line in made.stdout.splitlines() if not line.startswith("these can never go on")]
        assert again.stdout.splitlines() == lines
        assert Path("1.svg").read_bytes() == Path("2.svg").read_bytes()
        assert data("replay", "run.json")["events"] == data("js7", *BOTH, "--orders", orders)["events"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"status": "STUCK"', '"status": 3', "at final.status expected `str`, got `int`"),
        ('"status": "STUCK", ', "", "at final object missing required field `status`"),
        ('"limit": 1', '"limit": null', "at final.locks[...].lock.limit expected `int`, got `null`"),
        ('"kind": "OrderStarted", "order": "X"', '"kind": "OrderStarted", "order": "Z"', "what happens in turn 1"),
        ('"TYPE": "Succeeded"', '"TYPE": "Fine"', "what happens in turn 3"),
        ('"namedValues": {"returnCode": 0}', '"namedValues": 7', "what happens in turn 3"),
        (
            '"to": [0, "lock", 1]',
            '"to": ["lock", 1]',
            "at turn 3 expected a position, numbers and branch names in turn",
        ),
        ('"to": [0, "lock", 1]', '"to": []', "at turn 3 expected a position, numbers and branch names in turn, got []"),
        ('"position": [0, "lock", 1]', '"position": [0, "lock"]', "at final.orders, order 'X', expected a position"),
    ],
)
def test_a_kept_run_that_was_changed_by_hand_is_refused(old: str, new: str, said: str) -> None:
    call("js7", *BOTH, "--orders", "opposite.json", "--save", "run.json")
    text = Path("run.json").read_text(encoding="utf-8")
    assert old in text
    Path("run.json").write_text(text.replace(old, new, 1), encoding="utf-8")
    line = refused(call("replay", "run.json", "--svg", "lanes.svg"))
    assert said in line
    assert line.endswith("a saved run is not edited by hand, save it again\n")
    assert not Path("lanes.svg").exists()


@pytest.mark.parametrize("more", [(), ("--check",)])
def test_the_lanes_are_drawn_into_a_file(more: tuple[str, ...], here: Path) -> None:
    assert call("js7", *BOTH, "--orders", "opposite.json", "--svg", "lanes.svg", *more).exit_code == 1
    assert (here / "lanes.svg").read_text(encoding="utf-8").startswith("<svg ")


def test_what_is_not_shown_is_not_kept(here: Path) -> None:
    result = call("js7", *BOTH, "--orders", "fails.json", "--check", "--save", "run.json", "--svg", "lanes.svg")
    assert result.exit_code == 0
    assert "note: nothing to keep for --save: no run is shown" in result.stderr.splitlines()
    assert "note: no run ends with every order finished" in result.stderr.splitlines()
    assert not (here / "run.json").exists()


def test_names_are_shown_and_never_obeyed() -> None:
    orders = [{"id": "\x1b[31m<b>", "workflow": "ab"}]
    Path("odd.json").write_text(json.dumps(orders), encoding="utf-8")
    result = call("js7", *BOTH, "--orders", "odd.json")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "\\x1b[31m<b>" in result.stdout


# A check.


def test_a_deadlock_is_refuted_in_a_shortest_story() -> None:
    result = call("js7", *BOTH, "--orders", "opposite.json", "--check")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "REFUTED: ab, ba"
    assert "  REFUTED  no deadlock: X holds A and waits for B, Y holds B and waits for A" in lines
    assert [line[:2] for line in lines[-4:]] == ["1.", "2.", "3.", "4."]
    assert result.stderr.startswith("note: workflow 'ab'")


def test_uniform_nesting_is_proved() -> None:
    result = call("js7", *BOTH, "--orders", "same.json", "--check", "--starvation", "Y")
    assert result.exit_code == 0
    assert [line.split("  ")[-1].strip() for line in result.stdout.splitlines()[1:5]] == [
        "no over-commitment", "no lock kept", "no deadlock", "no starvation of Y",
    ]  # fmt: skip


def test_a_heavy_waiter_starves_and_does_not_with_fair() -> None:
    for weight in (1, 3):
        one = workflow(locked(EXECUTE, demands=[{"lockPath": "B", "count": weight}]), path=f"w{weight}")
        Path(f"w{weight}.workflow.json").write_text(json.dumps(one), encoding="utf-8")
    orders = [{"id": id, "workflow": "w1", "repeats": True} for id in "ab"] + [{"id": "heavy", "workflow": "w3"}]
    Path("heavy.json").write_text(json.dumps(orders), encoding="utf-8")
    args = ("js7", *LOCKS, "w1.workflow.json", "w3.workflow.json", "--orders", "heavy.json")
    assert data(*args, "--check", "--starvation", "heavy")["broken"] == "no starvation of heavy"
    assert call(*args, "--check", "--starvation", "heavy", "--fair").exit_code == 0
    run = call(*args)
    assert run.exit_code == 0
    assert run.stderr == "note: orders that repeat come once in a run; --check lets them come anew\n"


def test_a_search_that_was_cut_is_no_proof() -> None:
    result = call("js7", *BOTH, "--orders", "same.json", "--check", "--bound-states", "3")
    assert result.exit_code == 1
    assert "  BOUNDED  no deadlock: cut by states=3" in result.stdout.splitlines()


def test_one_state_is_counted_in_the_singular() -> None:
    result = call("js7", *BOTH, "--orders", "same.json", "--check", "--bound-states", "1")
    assert "1 state, 1 transition, depth 0 turns" in result.stdout


def test_a_check_as_data() -> None:
    shown = data("js7", *BOTH, "--orders", "opposite.json", "--check")
    assert (shown["verdict"], shown["holds"], shown["broken"]) == ("REFUTED", False, "no deadlock")
    assert shown["counterexample"]["turns"] == 4
    assert {one["time"] for one in shown["counterexample"]["events"]} == {None}
    assert [one["kind"] for one in shown["findings"]] == ["nested in different orders"]


def test_a_check_in_chinese() -> None:
    result = call("js7", *BOTH, "--orders", "opposite.json", "--check", "--lang", "zh")
    assert "  REFUTED  没有死锁：X 占有 A，等待 B，Y 占有 B，等待 A" in result.stdout.splitlines()


# What cannot be used: one line, status 2, and nothing written.

ORDER = '[{"id": "X", "workflow": "ab"}]'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ("orders.json: this is not JSON",)),
        ('[{"id"', ("orders.json: this is not JSON",)),
        ("\udcff", ("orders.json, line 1: this is not UTF-8",)),
        ("[" * 50_000, ("orders.json: nested too deeply",)),
        ("[]", ("orders.json, $: expected a list of orders, at least one, got a list",)),
        ("{}", ("expected a list of orders", "got a JSON object")),
        ("null", ("expected a list of orders", "got null")),
        ("[3]", ("orders.json, $[0]: expected an order as an object, got 3",)),
        ('[{"id": "X"}]', ("orders.json, $[0]: an order needs 'workflow'",)),
        ('[{"id": "X", "workflow": "abc"}]', ("unknown workflow 'abc'; did you mean 'ab'", "expected one of: ab, ba")),
        ('[{"id": 1, "workflow": "ab"}]', ("$[0]: Order id: expected a text", "got 1")),
        ('[{"id": "X|Y", "workflow": "ab"}]', ("$[0]: Order id: '|' joins",)),
        ('[{"id": "X", "workflow": "ab", "prioritty": 1}]', ("unknown field 'prioritty'; did you mean 'priority'",)),
        ('[{"id": "X", "workflow": "ab", "priority": "1"}]', ("order 'X': expected a whole number",)),
        ('[{"id": "X", "workflow": "ab", "at": -1}]', ("$[0].at: expected seconds, a number of 0 or more, got -1",)),
        ('[{"id": "X", "workflow": "ab", "at": 1e300}]', ("$[0].at: expected fewer seconds",)),
        ('[{"id": "X", "workflow": "ab", "at": true}]', ("$[0].at: expected seconds", "got true")),
        ('[{"id": "X", "workflow": "ab", "arguments": [1]}]', ("expected its arguments as a dict",)),
        (
            '[{"id": "X", "workflow": "ab", "arguments": {"x": %s}}]' % ("[" * 500 + "]" * 500),
            ("orders.json, $[0].arguments: nested too deeply",),
        ),
        ('[{"id": "X", "workflow": "ab"}, {"id": "X", "workflow": "ba"}]', ("$[1].id: the order 'X' stands",)),
        ('[{"id": "X", "workflow": "ab", "jobs": 3}]', ("$[0].jobs: expected an object of jobs by name, got 3",)),
        (
            '[{"id": "X", "workflow": "ab", "jobs": {"ok": {"duration": -2}}}]',
            ("$[0].jobs.ok.duration: expected seconds, a number of 0 or more, got -2",),
        ),
        ('[{"id": "X", "workflow": "ab", "jobs": {"okk": {}}}]', ("no workflow has a job 'okk'; did you mean 'ok'",)),
    ],
)  # fmt: skip
def test_orders_that_cannot_be_used(text: str, said: tuple[str, ...], here: Path) -> None:
    (here / "orders.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    line = refused(call("js7", *BOTH, "--orders", "orders.json", "--save", "run.json"))
    assert [one for one in said if one not in line] == []
    assert not (here / "run.json").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", ("jobs.json, $: expected an object of jobs by name, got a list",)),
        ('{"ok": 3}', ("jobs.json, $.ok: expected a job as an object, got 3",)),
        ('{"ok": {"time": 3}}', ("$.ok: unknown field 'time'", "expected one of: duration, outcomes, per_order")),
        ('{"ok": {"duration": -1}}', ("$.ok.duration: expected seconds, a number of 0 or more, got -1",)),
        ('{"ok": {"duration": "3"}}', ("$.ok.duration: expected seconds", "got '3'")),
        ('{"ok": {"outcomes": "failed"}}', ("$.ok.outcomes: expected a list",)),
        ('{"ok": {"outcomes": []}}', ("$.ok: Job outcomes: expected at least one",)),
        ('{"ok": {"outcomes": ["fialed"]}}', ("unknown outcome 'fialed'; did you mean 'failed'",)),
        ('{"nothing like it": {}}', ("jobs.json: no workflow has a job 'nothing like it'", "expected one of: bad, ok")),
        ('{"ok": {"per_order": {"Z": {}}}}', ("jobs.json: the job 'ok' speaks of an order 'Z'", "X")),
        ('{"ok": {"per_order": {"X": {"per_order": {}}}}}', ("$.ok.per_order.X: unknown field 'per_order'",)),
    ],
)
def test_jobs_that_cannot_be_used(text: str, said: tuple[str, ...], here: Path) -> None:
    (here / "jobs.json").write_text(text, encoding="utf-8")
    (here / "orders.json").write_text(ORDER, encoding="utf-8")
    line = refused(call("js7", *BOTH, "--orders", "orders.json", "--jobs", "jobs.json"))
    assert [one for one in said if one not in line] == []


def nested(depth: int) -> str:
    head = '{"TYPE": "Options", "stopOnFailure": true, "block": {"instructions": ['
    return '{"path": "ab", "instructions": [' + head * depth + "]}}" * depth + "]}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", ("w.workflow.json", "this is not JSON")),
        ("[]", ("there is no workflow",)),
        ('{"path": "ab"}', ("w.workflow.json", "instructions")),
        ('{"path": "ab", "instructions": [{"TYPE": "Lok"}]}', ("$.instructions[0].TYPE", "'Lock'?")),
        ('{"path": "ab", "instructions": [], "colour": 1}', ("unknown field 'colour'",)),
        (json.dumps(workflow(locked(demands=[{"lockPath": "AA"}]), path="ab")), ("unknown lock 'AA'", "'A'")),
        (json.dumps(workflow(locked(demands=[*A, *A]), path="ab")), ("A",)),
        (nested(10_000), ("w.workflow.json", "nested")),
        (" " * 10_000_001, ("w.workflow.json: the file has 10,000,001 bytes",)),
    ],
    ids=["cut", "empty", "bare", "instruction", "field", "lock", "twice", "deep", "huge"],
)  # fmt: skip
def test_workflows_that_cannot_be_used(text: str, said: tuple[str, ...], here: Path) -> None:
    (here / "w.workflow.json").write_text(text, encoding="utf-8")
    (here / "orders.json").write_text(ORDER, encoding="utf-8")
    files = ("w.workflow.json",) if text == "[]" else (*LOCKS, "w.workflow.json")
    line = refused(call("js7", *files, "--orders", "orders.json"))
    if text != "[]":
        assert [one for one in said if one not in line] == []


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), ("missing argument 'FILE...'",)),
        (("A.lock.json",), ("missing option '--orders'",)),
        (("nowhere.json", "--orders", "same.json"), ("nowhere.json: no such file",)),
        ((*BOTH, "--orders", "nowhere.json"), ("'nowhere.json': cannot be read: no such file",)),
        ((*BOTH, "--orders", "."), ("'.': cannot be read: is a directory",)),
        ((*BOTH, *LOCKS, "--orders", "same.json"), ("is given twice",)),
        ((*BOTH, "--orders", "same.json", "--starvation", "X"), ("--starvation is for --check",)),
        ((*BOTH, "--orders", "same.json", "--bound-depth", "4"), ("--bound-depth is for --check",)),
        ((*BOTH, "--orders", "same.json", "--check", "--answer"), ("--answer is for a run",)),
        ((*BOTH, "--orders", "same.json", "--check", "--seed", "0"), ("--seed is for a run",)),
        ((*BOTH, "--orders", "same.json", "--check", "--starvation", "Z"), ("no order 'Z' comes",)),
        ((*BOTH, "--orders", "same.json", "--turns", "0"), ("--turns", "not in the range")),
        ((*BOTH, "--orders", "same.json", "--save", "same.json"), ("--save 'same.json'", "the file of --orders")),
        ((*BOTH, "--orders", "same.json", "--save", "no/where"), ("--save 'no/where': expected a file",)),
    ],
)
def test_options_that_cannot_be_used(args: tuple[str, ...], said: tuple[str, ...]) -> None:
    line = refused(call("js7", *args))
    assert [one for one in said if one not in line] == []


def test_a_huge_file_of_orders_is_refused(here: Path) -> None:
    with (here / "huge.json").open("wb") as file:
        file.truncate(100_000_000)
    assert "more than 10,000,000 bytes" in refused(call("js7", *BOTH, "--orders", "huge.json"))


# A pattern of the catalog is run and tried by its name, like one that has a Flow.


def test_a_pattern_of_resource_locks_runs_by_its_name() -> None:
    assert call("run", "exclusive-lock").exit_code == 0
    stuck = call("run", "nested-locks-opposite-order")
    assert stuck.exit_code == 1
    assert "these can never go on" in stuck.stdout


def test_a_pattern_of_resource_locks_is_tried_by_its_name() -> None:
    refuted = data("check", "nested-locks-opposite-order")
    assert (refuted["verdict"], refuted["counterexample"]["turns"]) == ("REFUTED", 4)
    assert call("check", "uniform-nesting").exit_code == 0
    assert data("check", "exclusive-lock", "--bound-states", "3")["verdict"] == "BOUNDED"


@pytest.mark.parametrize(
    ("args", "option"),
    [
        (("check", "exclusive-lock", "--reviewers", "2"), "--reviewers"),
        (("check", "exclusive-lock", "--section", "A"), "--section"),
        (("check", "exclusive-lock", "--lost-attempts", "1"), "--lost-attempts"),
        (("check", "exclusive-lock", "--ends", "FAILED"), "--ends"),
        (("check", "exclusive-lock", "--symmetric=x"), "--symmetric"),
        (("run", "exclusive-lock", "--reviewers", "2"), "--reviewers"),
        (("run", "exclusive-lock", "--edits", "none.csv"), "--edits"),
    ],
)
def test_what_is_about_flows_is_refused_by_name(args: tuple[str, ...], option: str) -> None:
    told = refused(call(*args))
    assert told == f"error: {option} is about Flows, and 'exclusive-lock' has JS7 workflows; leave it out\n"
