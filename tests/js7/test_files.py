"""Workflow and lock files: both dialects and the older forms mean the same; what is wrong is told with its place."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from dexpatterns.errors import InputError, WorkflowFileError
from dexpatterns.js7 import files
from dexpatterns.js7.decode import MAX_NESTING
from dexpatterns.js7.expression import parse, parse_function
from dexpatterns.js7.files import check_references, dump, load
from dexpatterns.js7.instructions import (
    END,
    Block,
    Demand,
    ExecuteAnonymous,
    ExecuteNamed,
    Fail,
    Finish,
    ForkList,
    If,
    Instruction,
    Lock,
    LockInstruction,
    Options,
    Retry,
    Try,
    Workflow,
)
from tests.js7.workflows import JOB, SCRIPT, block, locked, workflow

LOCKS = [{"TYPE": "Lock", "path": "L", "limit": 3}, {"TYPE": "Lock", "path": "DATABASE"}]
TRY = {"TYPE": "Try", "try": block(), "catch": block({"TYPE": "Retry"})}


def first(item: dict[str, Any]) -> Instruction:
    """The first instruction of the only workflow in a source."""
    (made,) = load(item)
    assert isinstance(made, Workflow)
    return made.block.instructions[0]


def refusal(source: Any) -> str:
    with pytest.raises(WorkflowFileError) as caught:
        load(source)
    return str(caught.value)


# --- shapes --------------------------------------------------------------------------------------------------------


def test_j101_two_locks_and_two_jobs() -> None:
    """The shape of a real controller file: exclusive and weight 2 in one instruction, a named and an anonymous job."""
    anonymous = {
        "agentPath": "AGENT-A",
        "executable": {
            "TYPE": "ShellScriptExecutable",
            "script": "load.sh",
            "returnCodeMeaning": {"success": [0, 4]},
        },
        "processLimit": 5,
    }
    (made,) = load(
        {
            "TYPE": "Workflow",
            "path": "NIGHTLY-LOAD",
            "versionId": "1",
            "instructions": [
                locked(
                    {"TYPE": "Execute.Named", "jobName": "extract", "label": "step-1"},
                    {"TYPE": "Execute.Anonymous", "job": anonymous, "sourcePos": [3, 9], "position": [0, "lock", 1]},
                    {"TYPE": "ImplicitEnd"},
                    demands=[{"lockPath": "WAREHOUSE"}, {"lockPath": "TAPE-DRIVES", "count": 2}],
                )
            ],
            "jobs": {
                "extract": {
                    "agentPath": "AGENT-A",
                    "executable": {"TYPE": "ShellScriptExecutable", "script": "extract.sh"},
                }
            },
        }
    )
    assert isinstance(made, Workflow)
    assert (made.path, made.version_id) == ("NIGHTLY-LOAD", "1")
    lock = made.at((0,))
    assert isinstance(lock, LockInstruction)
    assert lock.demands == (Demand("WAREHOUSE"), Demand("TAPE-DRIVES", 2))
    assert lock.paths == ("WAREHOUSE", "TAPE-DRIVES")
    named, inner = made.at((0, "lock", 0)), made.at((0, "lock", 1))
    assert isinstance(named, ExecuteNamed) and named.label == "step-1"
    job = made.job((0, "lock", 0), "extract")
    assert job is not None and (job.script, job.process_limit, job.agent) == ("extract.sh", 1, "AGENT-A")
    assert isinstance(inner, ExecuteAnonymous) and (inner.job.script, inner.job.process_limit) == ("load.sh", 5)
    assert made.at((0, "lock", 2)) is END is made.at((1,))
    assert made.at((0, "lock", 3)) is made.at((0, "try", 0)) is made.at((2,)) is made.at((0, "lock")) is None


def test_j101_items_in_one_array() -> None:
    prompt = {"TYPE": "Prompt", "question": "'left?'"}
    fail = {"TYPE": "Fail", "message": "'no'"}
    choice = {
        "TYPE": "If",
        "ifThens": [{"predicate": "$broken", "then": block(fail)}],
        "else": block({"TYPE": "Finish"}),
    }
    fork = {
        "TYPE": "Fork",
        "joinIfFailed": True,
        "branches": [{"id": "L", "workflow": block(prompt)}, {"id": "R", "workflow": block(choice)}],
    }
    big = locked(fork, locked(demands=[{"lockPath": "SMALL"}]), demands=[{"lockPath": "BIG", "count": 3}])
    items = load(
        [
            {"TYPE": "Lock", "path": "BIG", "limit": 12},
            {"TYPE": "Lock", "path": "SMALL", "limit": 2},
            {
                "TYPE": "Workflow",
                "path": "KEEP-ON-FAIL",
                "versionId": "1",
                "instructions": [{"TYPE": "Options", "stopOnFailure": True, "block": block(big)}],
            },
        ]
    )
    assert items[:2] == (Lock("BIG", 12), Lock("SMALL", 2))
    made = items[2]
    assert isinstance(made, Workflow)
    positions = {
        (0,): Options,
        (0, "options", 0): LockInstruction,
        (0, "options", 0, "lock", 0, "fork+R", 0): If,
        (0, "options", 0, "lock", 0, "fork+R", 0, "then", 0): Fail,
        (0, "options", 0, "lock", 0, "fork+R", 0, "else", 0): Finish,
        (0, "options", 0, "lock", 1): LockInstruction,
    }
    walked = dict(made.walk())
    assert {position: type(walked[position]) for position in positions} == positions


def test_j105_a_try_with_its_attempts() -> None:
    made = first(
        workflow(
            {"TYPE": "Try", "maxTries": 4, "retryDelays": [0, 5], "try": block(), "catch": block({"TYPE": "Retry"})}
        )
    )
    assert isinstance(made, Try)
    assert (made.max_tries, [made.delay(n) for n in (1, 2, 3, 9)]) == (4, [0, 5, 5, 5])
    assert made.block("catch+3") is made.block("catch") is made.catch
    assert made.catch.instructions == (Retry(),)
    assert Try(body=Block(), catch=Block()).delay(1) == 0


def test_j26_a_single_lock_in_the_old_form_is_one_demand() -> None:
    body = block()
    for name in ("lockPath", "lockName", "lockId"):
        for more, demand in (({}, Demand("L")), ({"count": 2}, Demand("L", 2))):
            made = first(workflow({"TYPE": "Lock", name: "L", **more, "lockedWorkflow": body}))
            assert isinstance(made, LockInstruction) and made.demands == (demand,)
            assert made == first(workflow(locked(demands=[{name: "L", **more}])))


def test_j26_a_lock_named_twice_and_count_0() -> None:
    twice = refusal(workflow(locked(demands=[{"lockPath": "LOCK"}, {"lockPath": "LOCK", "count": 1}])))
    assert "$.instructions[0].demands: Unexpected duplicates: 2×Lock:LOCK" in twice
    zero = refusal(workflow(locked(demands=[{"lockPath": "LOCK", "count": 0}])))
    assert "$.instructions[0].demands[0].count: LockDemand.count must not be below 1 for Lock:LOCK, got the" in zero
    old = refusal(workflow({"TYPE": "Lock", "lockName": "LOCK", "count": -1, "lockedWorkflow": block()}))
    assert "$.instructions[0].count: LockDemand.count must not be below 1 for Lock:LOCK" in old


@pytest.mark.parametrize(
    ("controller", "inventory"),
    [
        (locked(demands=[{"lockPath": "L", "count": 2}]), locked(demands=[{"lockName": "L", "count": 2}])),
        (locked(demands=[{"lockPath": "L"}]), locked(demands=[{"lockId": "L"}])),
        (
            {"TYPE": "If", "ifThens": [{"predicate": "$a", "then": block()}], "else": block()},
            {"TYPE": "If", "predicate": "$a", "then": block(), "else": block()},
        ),
        (
            {"TYPE": "If", "ifThens": [{"predicate": "$a", "then": block()}, {"predicate": "$b", "then": block()}]},
            {
                "TYPE": "CaseWhen",
                "cases": [
                    {"TYPE": "When", "predicate": "$a", "then": block()},
                    {"TYPE": "When", "predicate": "$b", "then": block()},
                ],
            },
        ),
        ({"TYPE": "Finish"}, {"TYPE": "Finish"}),
        (
            {"TYPE": "Finish", "outcome": {"TYPE": "Failed", "message": "m"}},
            {"TYPE": "Finish", "message": "m", "unsuccessful": True},
        ),
        (
            {"TYPE": "Finish", "outcome": {"TYPE": "Succeeded", "message": "m"}},
            {"TYPE": "Finish", "message": "m", "unsuccessful": False},
        ),
        ({"TYPE": "Finish", "outcome": {"TYPE": "Succeeded"}}, {"TYPE": "Finish", "unsuccessful": False}),
        (
            {"TYPE": "Fail", "message": "'m'", "namedValues": {"returnCode": 3}, "uncatchable": True},
            {"TYPE": "Fail", "message": "'m'", "outcome": {"returnCode": 3}, "uncatchable": True},
        ),
        (
            {
                "TYPE": "ForkList",
                "children": "$files",
                "childToId": "(x, i) => $i + 1 ++ '.' ++ $x.name",
                "childToArguments": "(x) => $x",
                "workflow": block(),
            },
            {"TYPE": "ForkList", "children": "files", "childToId": "name", "workflow": block()},
        ),
        ({"TYPE": "Options", "stopOnFailure": False, "block": block()},) * 2,
        ({**TRY, "maxTries": 3, "retryDelays": [0, 60]},) * 2,
    ],
)
def test_j113_the_dialects_mean_the_same(controller: dict[str, Any], inventory: dict[str, Any]) -> None:
    assert first(workflow(controller)) == first(workflow(inventory))
    items = load(workflow(controller))
    assert dump(items)[0]["instructions"] == [controller]
    assert load(dump(items, "inventory")) == items
    if "lockId" not in json.dumps(inventory):
        assert dump(items, "inventory")[0]["instructions"] == [inventory]


def test_j113_jobs_and_what_only_people_read() -> None:
    inventory = {
        "TYPE": "Workflow",
        "version": "1.8.0",
        "path": "/folder/NIGHTLY",
        "title": "every night",
        "timeZone": "Europe/Berlin",
        "jobResourceNames": ["R"],
        "orderPreparation": {"parameters": {"p": {"type": "Number", "default": 5, "description": "how many"}}},
        "instructions": [{"TYPE": "Execute.Named", "jobName": "old", "label": "one"}],
        "jobs": {
            "old": {
                "agentName": "AGENT",
                "taskLimit": 2,
                "graceTimeout": 15,
                "title": "an old job",
                "executable": {"TYPE": "ScriptExecutable", "script": "exit 1"},
            }
        },
    }
    (made,) = items = load(inventory)
    assert isinstance(made, Workflow)
    assert made.path == "NIGHTLY", "the folder is no part of the name"
    (job,) = made.block.jobs
    assert (job.agent, job.process_limit, job.script) == ("AGENT", 2, "exit 1")
    assert made.preparation is not None and made.preparation.parameters[0].default == parse("5")
    (controller,) = dump(items)
    assert controller["jobs"]["old"] == {
        "agentPath": "AGENT",
        "processLimit": 2,
        "sigkillDelay": 15,
        "executable": {"TYPE": "ShellScriptExecutable", "script": "exit 1"},
    }
    assert controller["jobResourcePaths"] == ["R"] and controller["timeZone"] == "Europe/Berlin"
    assert "title" not in controller
    (back,) = dump(items, "inventory")
    assert (back["title"], back["version"], back["jobs"]["old"]["title"]) == ("every night", "1.8.0", "an old job")
    assert back["orderPreparation"]["parameters"]["p"]["description"] == "how many"
    assert load(controller) == items == load(back)


@pytest.mark.parametrize(
    ("instruction", "what"),
    [
        ({**TRY, "retryDelays": [0.5]}, "retryDelays are whole seconds there, got [0.5]"),
        (
            {"TYPE": "Finish", "outcome": {"TYPE": "Failed", "namedValues": {"a": 1}}},
            "a Finish has no named values there",
        ),
    ],
)
def test_j113_what_the_inventory_cannot_say(instruction: dict[str, Any], what: str, tmp_path: Path) -> None:
    items = load(workflow(instruction))
    with pytest.raises(
        WorkflowFileError, match=r"Workflow:W cannot be written for the inventory: .*controller"
    ) as caught:
        dump(items, "inventory", folder=tmp_path)
    assert what in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    assert load(dump(items)) == items
    with pytest.raises(InputError, match="unknown dialect 'Controller'; did you mean 'controller'"):
        dump(items, "Controller")  # type: ignore[arg-type]  # the mistake that is tested


def test_j109_a_job_is_looked_up_from_the_inside_out() -> None:
    inner = {"instructions": [{"TYPE": "Execute.Named", "jobName": "ok"}], "jobs": {"ok": {**JOB, "processLimit": 9}}}
    call = {"TYPE": "Execute.Named", "jobName": "ok"}
    (made,) = load(workflow({"TYPE": "Lock", "demands": [{"lockPath": "L"}], "lockedWorkflow": inner}, call))
    assert isinstance(made, Workflow)
    limits = [made.job(position, "ok") for position in ((0, "lock", 0), (1,))]
    assert [job and job.process_limit for job in limits] == [9, 1]
    assert made.job((0, "lock", 0), "bad") is not None and made.job((1,), "none") is None


def test_j106_a_fork_list_of_the_controller() -> None:
    made = first(
        workflow(
            {"TYPE": "ForkList", "children": "$c", "childToId": "(x) => $x", "workflow": block(), "agentPath": "A"}
        )
    )
    assert isinstance(made, ForkList)
    assert (made.child_to_id, made.child_to_arguments) == (parse_function("x => $x"), None)


def test_a_word_of_the_language_is_no_list() -> None:
    for word in ("true", "tryCount"):
        made = first(workflow({"TYPE": "ForkList", "children": word, "childToId": "id", "workflow": block()}))
        assert isinstance(made, ForkList) and made.children == parse(word)
        assert load(dump(load(workflow({**FORK_LIST, "children": word})), "inventory"))


def test_a_script_is_text(tmp_path: Path) -> None:
    """J54: loading executes nothing of a workflow."""
    mark = tmp_path / "mark"
    script = {**SCRIPT, "script": f"touch {mark}", "env": {"X": "$(touch x)"}}
    (made,) = load(workflow(jobs={"j": {"executable": script}}))
    assert isinstance(made, Workflow) and made.block.jobs[0].script == f"touch {mark}"
    assert not mark.exists()


# --- files and folders ---------------------------------------------------------------------------------------------


def test_a_folder_gives_its_workflows_and_locks(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "NIGHTLY.workflow.json").write_text(json.dumps({"TYPE": "Workflow", "instructions": [locked()]}))
    (tmp_path / "sub" / "L.lock.json").write_text("\ufeff" + json.dumps({"limit": 2, "title": "t"}), encoding="utf-8")
    (tmp_path / "calendar.json").write_text("not looked at")
    for source in (tmp_path, str(tmp_path), [tmp_path / "NIGHTLY.workflow.json", str(tmp_path / "sub")]):
        nightly, lock = load(source)
        assert (nightly.path, lock) == ("NIGHTLY", Lock("L", 2))
        assert isinstance(nightly, Workflow) and nightly.source == str(tmp_path / "NIGHTLY.workflow.json")
    items = load(tmp_path)
    for dialect in ("controller", "inventory"):
        dump(items, dialect, folder=tmp_path / dialect)
        assert sorted(p.name for p in (tmp_path / dialect).iterdir()) == ["L.lock.json", "NIGHTLY.workflow.json"]
        assert set(load(tmp_path / dialect)) == set(items)


def test_a_name_that_is_no_file_name_is_not_written(tmp_path: Path) -> None:
    items = load([{"path": "..", "limit": 1}, {"path": "a:b", "limit": 1}])
    for item in items:
        with pytest.raises(WorkflowFileError, match="cannot be a file's name"):
            dump(item, folder=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkflowFileError, match=r"file: cannot be written: "):
        dump(load(LOCKS), folder=tmp_path / "file")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", ": the file is empty; expected a workflow or a lock in JSON"),
        (b" \n ", ": the file is empty"),
        (b'{\n  "path": "W",\n  "instructions": [,]\n}', ", line 3, column 20: this is not JSON: invalid character"),
        (b'{"path": "\xc3\xbc", "instructions" []}', ", line 1, column 30: this is not JSON: expected ':'"),
        (b'{"path": "W", "instructions": [', ", line 1, column 32: this is not JSON: Input data was truncated"),
        (b'{"path": "W"} x', ", line 1, column 15: this is not JSON: trailing characters"),
        (b"path: W", ", line 1, column 1: this is not JSON"),
        (b'{"path": "W", "limit": NaN}', ", line 1, column 24: this is not JSON"),
        (b'{"path": "W", "limit": 1' + b"0" * 5000 + b"}", ": this is not JSON: Integer value out of range - at"),
        (b'{"path": "\\ud83d", "limit": 1}', ", line 1, column 17: this is not JSON: unexpected end of escaped utf-16"),
        (b'{"path": "W",\n "limit": 1, "title": "\xff"}', ", line 2, column 24: byte 0xff is not UTF-8; save the file"),
        ("{}".encode("utf-16"), ", line 1, column 1: byte 0xff is not UTF-8"),
        (
            b'{"path": "W", "limit": 1,\n "limit": 2}',
            ": the field 'limit' stands twice in one object (it is written on lines 1, 2)",
        ),
        (b"5", ", $: expected a workflow or a lock as an object, got the number 5"),
        (b"[1]", ", $[0]: expected a workflow or a lock as an object, got the number 1"),
        (b"{}", ", $: this is not a workflow and not a lock"),
        (b"[" * 100_000, ": nested too deeply; expected at most 50 instructions inside each other"),
        (b'{"a":' * 100_000, ": nested too deeply"),
    ],
)
def test_a_file_that_is_not_one(content: bytes, what: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    message = refusal(path)
    assert message.startswith(f"{path}{what[:2]}")
    assert what in message


def test_a_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nightly.workflow.json").write_text("{}")
    assert refusal(tmp_path / "nigthly.workflow.json").startswith(
        f"{tmp_path / 'nigthly.workflow.json'}: no such file; did you mean 'nightly.workflow.json'?"
    )
    assert "no such folder around it" in refusal(tmp_path / "none" / "x.json")
    (tmp_path / "empty").mkdir()
    assert "the folder has no *.workflow.json and no *.lock.json file" in refusal(tmp_path / "empty")
    assert "cannot be read: embedded null byte" in refusal("a\0b")
    assert "cannot be read: Not a directory" in refusal(tmp_path / "nightly.workflow.json" / "x")

    def denied(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    assert refusal(tmp_path / "nightly.workflow.json").endswith(": cannot be read: Permission denied")


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    started = time.perf_counter()
    assert refusal(path) == (
        f"{path}: the file has 100,000,000 bytes, expected at most 10,000,000; split it into one for each item"
    )
    assert time.perf_counter() - started < 0.5


def test_a_file_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "grows.json"
    path.write_bytes(b" " * 101)
    monkeypatch.setattr(files, "MAX_BYTES", 100)
    monkeypatch.setattr("os.fstat", lambda _: type("Stat", (), {"st_size": 0}))
    assert "the file is longer, expected at most 100" in refusal(path)


@pytest.mark.parametrize(
    ("source", "what"),
    [
        (5, "$: expected a path, a dict, or a list of them, got the number 5"),
        (None, "$: expected a path, a dict, or a list of them, got null"),
        ([], "there is no workflow and no lock in what was given"),
        ([[]], "$[0]: expected a workflow or a lock, got a list inside of a list"),
        ({}, "$: this is not a workflow and not a lock"),
        ('{"path": "W"}', "expected a path, got JSON text; pass json.loads(text)"),
        ({"TYPE": "Calendar"}, "$.TYPE: unknown TYPE the string 'Calendar'; expected one of: Workflow, Lock"),
        ({"TYPE": "Lokc", "limit": 1}, "$.TYPE: unknown TYPE the string 'Lokc'; did you mean 'Lock'?"),
        ({"limit": 1}, "$: the lock has no name: give it a 'path', or put it into a file NAME.lock.json"),
        ({"instructions": []}, "$: the workflow has no name"),
        ({"path": "L", "limit": -1}, "$.limit: expected a whole number from 0 to 2147483647, got the number -1"),
        ({"path": "L", "limit": 1.5}, "$.limit: expected a whole number from 0 to 2147483647, got the number 1.5"),
        ({"path": "L", "limit": True}, "$.limit: expected a whole number from 0 to 2147483647, got the boolean true"),
        ({"path": "L", "limit": 2**31}, "$.limit: expected a whole number"),
        ({"path": "", "limit": 1}, "$.path: expected a text that is not empty, got the string ''"),
        ({"path": "a<b", "limit": 1}, "$.path: expected a name of at most 255 characters without '<' and '>'"),
        ({"path": "n" * 256, "limit": 1}, "$.path: expected a name of at most 255 characters"),
        ({"path": "\ud800", "limit": 1}, "$.path: the text holds half of a character"),
        ({"path": "L", "limit": 1, "limits": 2}, "$: unknown field 'limits' in a lock; did you mean 'limit'?"),
        ([LOCKS[0], LOCKS[0]], "$[1]: Lock:L is given twice, at $[0] already"),
        ([workflow(), workflow()], "$[1]: Workflow:W is given twice, at $[0] already"),
    ],
)
def test_a_source_that_is_none(source: Any, what: str) -> None:
    assert what in refusal(source)


def nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"TYPE": "Prompt", "question": "'?'"}
    for _ in range(depth - 1):
        inner = {"TYPE": "If", "ifThens": [{"predicate": "true", "then": block(inner)}]}
    return workflow(inner)


def test_as_deep_as_allowed() -> None:
    items = load(nested(MAX_NESTING))
    assert load(json.loads(json.dumps(dump(items)))) == items == load(dump(items, "inventory"))
    assert len({items, load(nested(MAX_NESTING))}) == 1
    assert repr(items)


@pytest.mark.parametrize("depth", [MAX_NESTING + 1, 10_000])
def test_deeper_than_allowed(depth: int, tmp_path: Path) -> None:
    message = refusal(nested(depth))
    assert message.endswith(": more than 50 instructions inside each other; move the inner ones out")
    assert len(message) < 500
    text = '{"TYPE":"Lock","demands":[{"lockPath":"L"}],"lockedWorkflow":{"instructions":['
    path = tmp_path / "deep.json"
    path.write_text('{"path":"W","instructions":[' + text * depth + "]}}" * depth + "]}")
    assert "50 instructions inside each other" in refusal(path)
    loop: dict[str, Any] = {"TYPE": "Options", "block": {"instructions": []}}
    loop["block"]["instructions"].append(loop)
    assert "50 instructions inside each other" in refusal(workflow(loop))


# --- content -------------------------------------------------------------------------------------------------------

NAMED = {"TYPE": "Execute.Named", "jobName": "ok"}
BRANCH = {"id": "a", "workflow": block()}
CASE = {"predicate": "$a", "then": block()}
FORK_LIST = {"TYPE": "ForkList", "children": "$c", "childToId": "(x) => $x", "workflow": block()}


@pytest.mark.parametrize(
    ("instructions", "what"),
    [
        # what an instruction is
        ([5], "$.instructions[0]: expected an object with a TYPE, got the number 5"),
        ([{}], "$.instructions[0]: the object has no 'TYPE', which it needs"),
        ([{"TYPE": 5}], "$.instructions[0].TYPE: expected a text that is not empty, got the number 5"),
        ([{"TYPE": "Lokc"}], "$.instructions[0].TYPE: 'Lokc' is no instruction of JS7; did you mean 'Lock'? expected"),
        ([{"TYPE": "prompt"}], "'prompt' is no instruction of JS7; did you mean 'Prompt'"),
        ([{"TYPE": "Cycle"}], "$.instructions[0].TYPE: 'Cycle' is not played here; expected one of: Lock, Try, Retry,"),
        ([{"TYPE": "PostNotices", "boardPaths": []}], "'PostNotices' is not played here"),
        ([{"TYPE": "ImplicitEnd"}, NAMED], "$.instructions[0].TYPE: 'ImplicitEnd' is not played here"),
        ([{"TYPE": "Retry", "x": 1}], "$.instructions[0]: unknown field 'x' in the instruction 'Retry'; expected one"),
        ([{**locked(), "demand": []}], "unknown field 'demand' in the instruction 'Lock'; did you mean 'demands'?"),
        ([NAMED, locked({"TYPE": "Nope"})], "$.instructions[1].lockedWorkflow.instructions[0].TYPE: 'Nope'"),
        ([{**NAMED, "label": "x"}, locked({**NAMED, "label": "x"})],
         "$.instructions[1].lockedWorkflow.instructions[0].label: the label 'x' stands at $.instructions[0].label"),
        ([{**NAMED, "label": ""}], "$.instructions[0].label: expected a text that is not empty"),
        # blocks
        ([{"TYPE": "Options"}], "$.instructions[0]: the instruction 'Options' has no 'block', which it needs"),
        ([{"TYPE": "Options", "block": []}], "$.instructions[0].block: expected a block as an object, got a list of 0"),
        ([{"TYPE": "Options", "block": {}}], "$.instructions[0].block: a block has no 'instructions', which it needs"),
        ([{"TYPE": "Options", "block": {"instructions": {}}}], ".block.instructions: expected an array, got an object"),
        ([{"TYPE": "Options", "block": {**block(), "path": "W"}}], "unknown field 'path' in a block"),
        ([{"TYPE": "Options", "stopOnFailure": "yes", "block": block()}], "stopOnFailure: expected true or false, got"),
        # locks
        ([{"TYPE": "Lock", "lockedWorkflow": block()}], "the instruction 'Lock' has no 'demands', which it needs"),
        ([{"TYPE": "Lock", "count": 1, "lockedWorkflow": block()}], "the instruction 'Lock' has no 'demands'"),
        ([{"TYPE": "Lock", "demands": [{"lockPath": "L"}]}], "the instruction 'Lock' has no 'lockedWorkflow'"),
        ([locked(demands=[])], "$.instructions[0].demands: expected at least one demand, got an empty array"),
        ([locked(demands=[{}])], "$.instructions[0].demands[0]: a demand has no 'lockPath', which it needs"),
        ([locked(demands=["L"])], "$.instructions[0].demands[0]: expected a demand as an object, got the string 'L'"),
        ([locked(demands=[{"lockPath": 5}])], "$.instructions[0].demands[0].lockPath: expected a text"),
        ([locked(demands=[{"lockPath": "L", "count": "2"}])], ".count: expected a whole number from 1 to 2147483647"),
        ([locked(demands=[{"lockPath": "L", "count": 1.5}])], ".count: expected a whole number"),
        ([locked(demands=[{"lockPath": "L", "lockName": "L"}])], "'lockPath' and 'lockName' are two spellings of one"),
        ([locked(demands=[{"lockPath": "L", "weight": 2}])], "unknown field 'weight' in a demand; expected one of"),
        ([{**locked(), "lockName": "L"}], "$.instructions[0].lockName: 'demands' and a single lock in one Lock"),
        ([{**locked(), "count": 1}], "$.instructions[0].count: 'demands' and a single lock in one Lock"),
        # try and retry
        ([{"TYPE": "Retry"}], "$.instructions[0]: a Retry stands in a catch block only"),
        ([{**TRY, "try": block({"TYPE": "Retry"})}], "$.instructions[0].try.instructions[0]: a Retry stands in a"),
        ([{**TRY, "catch": block(locked({"TYPE": "Retry"}))}], ".catch.instructions[0].lockedWorkflow.instructions[0]"),
        ([{**TRY, "catch": block({"TYPE": "Options", "block": block({"TYPE": "Retry"})})}], "a Retry stands in a"),
        ([{**TRY, "catch": block(), "maxTries": 2}], "$.instructions[0].maxTries: the catch block has no Retry for"),
        ([{**TRY, "catch": block(), "retryDelays": [1]}], ".retryDelays: the catch block has no Retry for this"),
        ([{**TRY, "maxTries": 0}], "$.instructions[0].maxTries: expected a whole number from 1 to 2147483647, got"),
        ([{**TRY, "retryDelays": [1, -1]}], "$.instructions[0].retryDelays[1]: expected seconds from 0 on, got the"),
        ([{**TRY, "retryDelays": [float("inf")]}], "retryDelays[0]: expected seconds from 0 on"),
        ([{**TRY, "retryDelays": 5}], "$.instructions[0].retryDelays: expected an array, got the number 5"),
        ([{"TYPE": "Try", "try": block()}], "the instruction 'Try' has no 'catch', which it needs"),
        # expressions
        ([{"TYPE": "If", **CASE, "predicate": "$a ++ 'x'"}],
         "$.instructions[0].predicate: expression \"$a ++ 'x'\", column 4: '++' is outside what is played here"),
        ([{"TYPE": "Prompt", "question": "Go on?"}], ".question: expression 'Go on?', column 1: 'Go' is outside"),
        ([{"TYPE": "Prompt", "question": True}], ".question: expected an expression as text, such as \"'a'\""),
        ([{"TYPE": "Fail", "message": "'"}], "$.instructions[0].message: expression \"'\", column 1: the string that"),
        ([{"TYPE": "Sleep", "duration": 5}], ".duration: expected an expression as text"),
        ([{"TYPE": "Sleep", "duration": "toNumber($x)"}], "column 1: 'toNumber(' is outside"),
        ([{"TYPE": "Prompt", "question": "\ud800"}], ".question: the text holds half of a character"),
        # if
        ([{"TYPE": "If", "else": block()}], "$.instructions[0]: a case of an If has no 'predicate', which it needs"),
        ([{"TYPE": "If", "predicate": "$a"}], "$.instructions[0]: a case of an If has no 'then', which it needs"),
        ([{"TYPE": "If", "ifThens": []}], "$.instructions[0].ifThens: expected at least one case, got an empty array"),
        ([{"TYPE": "If", "ifThens": [{"then": block()}]}], "$.instructions[0].ifThens[0]: a case of an If has no"),
        ([{"TYPE": "If", "ifThens": [CASE], **CASE}], "'ifThens' and a single predicate in one If"),
        # forks
        ([{"TYPE": "Fork", "branches": [BRANCH, BRANCH]}], ".branches[1].id: the branch 'a' stands here twice"),
        ([{"TYPE": "Fork", "branches": [{**BRANCH, "id": "a|b"}]}], ".branches[0].id: expected a branch id without"),
        ([{"TYPE": "Fork", "branches": [{"id": "a"}]}], "$.instructions[0].branches[0]: a branch has no 'workflow'"),
        ([{"TYPE": "Fork", "branches": [
            {"id": "a", "workflow": {**block(), "result": {"r": "1"}}},
            {"id": "b", "workflow": {**block(), "result": {"r": "2"}}}]}],
         ".branches[1]: the result 'r' is that of branch 'a' too; rename one of them"),
        ([{**FORK_LIST, "childToId": "() => 'x'"}], ".childToId: expected a function of 1 or 2 parameters"),
        ([{**FORK_LIST, "childToId": "$x"}], ".childToId: expression '$x', column 1: expected a function such as"),
        ([{**FORK_LIST, "childToArguments": 5}], ".childToArguments: expected a function as text"),
        ([{**FORK_LIST, "children": "$c + 1"}], ".children: expression '$c + 1', column 4: '+' is outside"),
        # jobs
        ([{"TYPE": "Execute.Named", "jobName": "okay"}], ".jobName: unknown job 'okay'; did you mean 'ok'?"),
        ([{"TYPE": "Execute.Named"}], "the instruction 'Execute.Named' has no 'jobName'"),
        ([{**NAMED, "defaultArguments": []}], ".defaultArguments: expected an object, got a list of 0"),
        ([{"TYPE": "Execute.Anonymous", "job": {"script": "x"}}], ".job: unknown field 'script' in a job"),
        ([{"TYPE": "Execute.Anonymous", "job": {"executable": {"TYPE": "ShelScriptExecutable", "script": ""}}}],
         ".job.executable.TYPE: unknown executable 'ShelScriptExecutable'; did you mean 'ShellScriptExecutable'"),
        ([{"TYPE": "Execute.Anonymous", "job": {"executable": {"TYPE": "PathExecutable"}}}],
         ".job.executable: expected a text 'path' in the executable 'PathExecutable', got null"),
        ([{"TYPE": "Execute.Anonymous", "job": {"executable": {**SCRIPT, "scrpt": ""}}}],
         "unknown field 'scrpt' in the executable 'ShellScriptExecutable'; did you mean 'script'?"),
        ([{"TYPE": "Execute.Anonymous", "job": {"processLimit": -1}}], ".processLimit: expected a whole number from 0"),
        ([{"TYPE": "Execute.Anonymous", "job": {"timeout": {1, 2}}}], ".timeout: the value is a set, expected"),
        # outcomes
        ([{"TYPE": "Finish", "outcome": {"TYPE": "Ok"}}], ".outcome.TYPE: unknown outcome 'Ok'; expected one of: Succ"),
        ([{"TYPE": "Finish", "outcome": {"TYPE": "Failed"}, "message": "m"}], ".message: 'outcome' says this already"),
        ([{"TYPE": "Fail", "namedValues": 5}], ".namedValues: expected an object, got the number 5"),
        ([{"TYPE": "Fail", "uncatchable": "true"}], ".uncatchable: expected true or false, got the string 'true'"),
    ],
)  # fmt: skip
def test_what_an_instruction_must_not_say(instructions: list[Any], what: str) -> None:
    assert what in refusal(workflow(*instructions))


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"job": {}}, "$: unknown field 'job' in a workflow; did you mean 'jobs'?"),
        ({"instructions": None}, "$: a workflow has no 'instructions', which it needs"),
        ({"instructions": "x"}, "$.instructions: expected an array, got the string 'x'"),
        ({"jobs": []}, "$.jobs: expected an object, got a list of 0"),
        ({"jobs": {"a": 5}}, "$.jobs.a: expected a job as an object, got the number 5"),
        (
            {"jobs": {"my job": {"agnetPath": "A"}}},
            "$.jobs[\"my job\"]: unknown field 'agnetPath' in a job; did you mean",
        ),
        ({"jobs": {"a": {"agentPath": "A", "agentName": "A"}}}, "'agentPath' and 'agentName' are two spellings of one"),
        ({"result": {"r": "$a +"}}, "$.result.r: expression '$a +', column 4"),
        (
            {"orderPreparation": {"parameter": {}}},
            "$.orderPreparation: unknown field 'parameter' in orderPreparation; did",
        ),
        ({"orderPreparation": {"parameters": {"p": {"default": "now()"}}}}, "parameters.p.default: expression 'now()'"),
        (
            {"orderPreparation": {"parameters": {"p": {"default": float("nan")}}}},
            "default: expected an expression as text",
        ),
        ({5: 1}, "$: unknown field '5' in a workflow"),
    ],
)
def test_what_a_workflow_must_not_say(fields: dict[Any, Any], what: str) -> None:
    assert what in refusal({**workflow(), **fields})


def test_retry_behind_if_and_inside_of_a_try() -> None:
    """J105: a Retry is reached through If, and through the try-part of a Try in the catch block."""
    behind = {"TYPE": "If", "ifThens": [{"predicate": "tryCount < 3", "then": block({"TYPE": "Retry"})}]}
    for catch in (behind, {"TYPE": "Try", "try": block({"TYPE": "Retry"}), "catch": block()}):
        assert isinstance(first(workflow({**TRY, "catch": block(catch), "maxTries": 5})), Try)
    inside = {"TYPE": "Try", "try": block(), "catch": block({"TYPE": "Retry"})}
    assert "has no Retry for this" in refusal(workflow({**TRY, "catch": block(inside), "maxTries": 5}))


def test_j31_an_unknown_lock() -> None:
    lost = workflow(locked(demands=[{"lockPath": "L"}, {"lockPath": "DATABSE", "count": 1}]))
    message = refusal([*LOCKS, lost])
    assert message == (
        "$[2].instructions[0].demands[1].lockPath: unknown lock 'DATABSE' (MissingReferencedItem); did you mean "
        "'DATABASE'? expected one of: DATABASE, L"
    )
    # A source without locks may be one part of several; they are asked for when the parts come together (J58).
    alone = load(lost)
    with pytest.raises(WorkflowFileError) as caught:
        check_references((*load(LOCKS), *alone))
    assert str(caught.value) == (
        "Workflow:W at [0]: unknown lock 'DATABSE' (MissingReferencedItem); did you mean 'DATABASE'? expected one of: "
        "DATABASE, L"
    )
    with pytest.raises(WorkflowFileError, match=r"unknown lock 'L' .*there are none"):
        check_references(alone)
    with pytest.raises(WorkflowFileError, match="Lock:L is given twice"):
        check_references((*load(LOCKS), *load(LOCKS)))
    check_references((*load(LOCKS), *load(workflow(locked()))))
