"""What `check` cannot use: one line with the place and the mend, status 2, and no file touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.commands.calling import call, refused

FLOW = """
import dex
{before}
class Begin(dex.Step[list[str]]):
    def execute(self, context: dex.Context, input: list[str]) -> dex.StepDecision:
        {body}

class Other(dex.Step[str]):
    def execute(self, context: dex.Context, input: str) -> dex.StepDecision:
        return dex.dead_end()

done = dex.Channel("done", str)

class MyFlow(dex.Flow[list[str]]):
    def get_steps(self) -> dex.StepList[list[str]]:
        return dex.StepList.start_step(Begin()).other_steps(Other())
    def get_persistence_schema(self) -> dex.PersistenceSchema:
        return dex.PersistenceSchema.of(done)
"""


def a_flow(body: str = "return dex.dead_end()", before: str = "") -> str:
    return FLOW.format(body=body, before=before)


FILES = {
    "good.py": a_flow(),
    "broken.py": "import dex\nthis is no Python\n",
    "raises.py": "import dex\n1 / 0\n",
    "subflow.py": a_flow(before="sub = dex.SubFlow('x')"),
    "stream.py": a_flow("return dex.Stream('log', str)"),
    "beats.py": a_flow("context.heartbeat('here')\n        return dex.dead_end()"),
    "unnamed.py": a_flow().replace("input: list[str]", "input"),
    "unregistered.py": a_flow("return dex.go_to(Missing, 'x')", "class Missing(dex.Step[str]): ..."),
    "writes.py": a_flow("open('written.txt', 'w').close()\n        return dex.dead_end()"),
    "hides.py": a_flow(
        "try:\n            __import__('subprocess').run(['true'])\n        except Exception: pass\n"
        "        return dex.dead_end()"
    ),
    "good.json": '["a"]',
    "wrong.json": '["a", {"b": 1}]',
    "cut.json": '["a',
    "latin.json": '["caf\xe9"]',
}
CATALOG = "critical-section"
MINE = ("good.py:MyFlow", "--input", "good.json")

TARGETS = [
    ((), ("missing argument 'TARGET'", "check --help")),
    (("critical-sectoin",), ("no pattern 'critical-sectoin'", "expected one of", CATALOG)),
    (("",), ("no pattern ''",)),
    (("\x1b[31m",), ("'\\x1b[31m'",)),
    (("./nowhere",), ("expected a folder, got no such folder",)),
    ((".",), ("pattern.toml", "got no pattern.toml")),
    (("good.py",), ("got no name; write good.py:NAME, it has MyFlow",)),
    (("good.py:",), ("expected a name after the colon",)),
    (("good.py:Nope",), ("good.py: it has no 'Nope'", "'MyFlow'")),
    (("good.py:Begin",), ("good.py:Begin: expected a Flow, got the Step Begin",)),
    (("nowhere.py:MyFlow",), ("'nowhere.py'", "no such file")),
    (("good.json:MyFlow",), ("expected a Python file, got one that ends in '.json'",)),
    (("broken.py:MyFlow",), ("broken.py, line 2: expected Python",)),
    (("raises.py:MyFlow",), ("raises.py, line 2: ZeroDivisionError",)),
    (("subflow.py:MyFlow",), ("subflow.py, line 3: 'dex.SubFlow' is called, but it is not modelled here",)),
    (("unnamed.py:MyFlow", "--input", "good.json"), ("Flow 'MyFlow': Step 'Begin' execute", "annotations", "input")),
    (("unregistered.py:MyFlow", "--input", "good.json"), ("'MyFlow'", "Missing")),
]
HANDLERS = [
    (("stream.py:MyFlow", "--input", "good.json"), ("stream.py, line 6: 'dex.Stream' is called", "not modelled here")),
    (("beats.py:MyFlow", "--input", "good.json"), ("beats.py, line 6: 'Context.heartbeat'", "not modelled here")),
    (("writes.py:MyFlow", "--input", "good.json"),
     ("writes.py, line 6: the handler tried to write a file 'written.txt'", "--allow-io")),
    (("hides.py:MyFlow", "--input", "good.json"), ("hides.py, line 7: the handler tried to start a process",)),
]  # fmt: skip
INPUTS = [
    (("good.py:MyFlow",), ("the input of Flow 'MyFlow': expected a list, got nothing",)),
    (("good.py:MyFlow", "--input", "nowhere.json"), ("'nowhere.json'", "no such file")),
    (("good.py:MyFlow", "--input", "cut.json"), ("'cut.json', line 1", "expected JSON")),
    (("good.py:MyFlow", "--input", "latin.json"), ("'latin.json', line 1: expected UTF-8",)),
    (("good.py:MyFlow", "--input", "wrong.json"), ("'wrong.json', $[1]: expected a text",)),
    (("good.py:MyFlow", "--input", '["a", 3]'), ("$[1]: expected a text, got 3",)),
    (("good.py:MyFlow", "--input", "."), ("expected a file of JSON, got a folder",)),
    ((CATALOG, "--input", '[{"id": "a"}]'), ("the input of Flow 'ContractEditFlow', $[0]",)),
]
OPTIONS = [
    ((CATALOG, "--reviewers", "3", "--input", "good.json"), ("--reviewers and --input both say what goes in",)),
    ((CATALOG, "--flag", "withdrawn=1", "--input", "good.json"), ("--flag and --input both say what goes in",)),
    ((*MINE, "--reviewers", "2"), ("--reviewers is for patterns", "is a file", "--input")),
    ((*MINE, "--flag", "a=1"), ("--flag is for patterns",)),
    ((*MINE, "--flow", "MyFlow"), ("--flow is for patterns", "file.py:NAME")),
    ((CATALOG, "--reviewers", "0"), ("--reviewers", "0 is not in the range")),
    ((CATALOG, "--reviewers", "x"), ("--reviewers", "'x' is not a valid integer")),
    ((CATALOG, "--flag", "withdrawn"), ("--flag 'withdrawn': expected NAME=N,N",)),
    ((CATALOG, "--flag", "withdrawn=x"), ("--flag 'withdrawn=x': expected NAME=N,N",)),
    ((CATALOG, "--flag", "withdrawn=4"), ("expected branches from 1 to 3, got 4",)),
    ((CATALOG, "--flag", "withdrawn=0"), ("expected branches from 1 to 3, got 0",)),
    ((CATALOG, "--flag", "tired=1"), ("no flag 'tired'", "withdrawn")),
    ((CATALOG, "--flag", "text=1"), ("--flag: 'text' of 'critical-section' cannot be said by branch numbers",)),
    ((CATALOG, "--flow", "Nope"), ("no Flow 'Nope'", "ContractEditFlow, ContractEditAllExitsFlow")),
    ((CATALOG, "--scenario", "nope"), ("no scenario 'nope'", "stop-cancel", "file.py:NAME")),
    (("attribute-lock", "--scenario", "nope"), ("no scenario 'nope'; expected file.py:NAME",)),
    ((*MINE, "--scenario", "SLOW"), ("good.py: it has no 'SLOW'", "define a Scenario")),
    ((*MINE, "--scenario", "nowhere.py:SLOW"), ("'nowhere.py'", "no such file")),
    ((*MINE, "--section", "Nope"), ("no Step 'Nope'", "['Begin', 'Other']")),
    ((*MINE, "--section", "Begin,,Other"), ("--section 'Begin,,Other'", "empty name")),
    ((*MINE, "--section", ""), ("--section ''", "empty name")),
    ((*MINE, "--section", "Begin,Begin"), ("'Begin' is given twice",)),
    ((*MINE, "--section", "Begin", "--section", "Begin"), ("'Begin' is the name of two sections",)),
    ((*MINE, "--token", "nope"), ("--token", "no Channel 'nope'", "['done']")),
    ((*MINE, "--token", "done/key"), ("no Channel 'done/key'", "['done']")),
    ((*MINE, "--token", "done=0"), ("--token 'done=0': expected a number of 1 or more",)),
    ((*MINE, "--token", "done=many"), ("got 'many'",)),
    ((CATALOG, "--limit", "0"), ("--limit", "0 is not in the range")),
    ((CATALOG, "--lost-attempts", "-1"), ("--lost-attempts", "-1 is not in the range")),
    ((CATALOG, "--late-attempts", "-1"), ("--late-attempts", "-1 is not in the range")),
    ((CATALOG, "--bound-states", "0"), ("--bound-states", "0 is not in the range")),
    ((CATALOG, "--bound-depth", "0"), ("--bound-depth", "0 is not in the range")),
    ((CATALOG, "--bound-seconds", "0"), ("--bound-seconds", "not in the range")),
    ((CATALOG, "--bound-seconds", "nan"), ("seconds: expected a number above 0, got nan",)),
    ((CATALOG, "--ends", "RUNNING"), ("--ends", "'RUNNING' is not one of 'COMPLETED'")),
    ((CATALOG, "--lang", "fr"), ("--lang", "'fr' is not one of 'en', 'zh'")),
    ((CATALOG, "--symmetric", "--no-symmetric"), ("contradict each other",)),
    ((CATALOG, "--symmetric", "nope"), ("has a field 'nope'",)),
    ((CATALOG, "--symmetric", "id,"), ("--symmetric", "--symmetric=FIELD,FIELD")),
    (("entry-order", "--symmetric"), ("'entry-order' names no fields", "--symmetric=FIELD,FIELD")),
    ((*MINE, "--symmetric"), ("names no fields", "--symmetric=FIELD,FIELD")),
    ((*MINE, "--symmetric", "id"), ("no dataclass in the input of Flow 'MyFlow' has a field 'id'",)),
]
OUTPUTS = [
    ((CATALOG, "--save", "."), ("--save '.'", "a folder", "name another")),
    ((CATALOG, "--svg", "no/such/x.svg"), ("--svg 'no/such/x.svg'", "no such file or directory")),
    ((CATALOG, "--save", "x", "--svg", "./x"), ("--svg './x'", "the file of --save")),
    ((*MINE, "--save", "good.json"), ("--save 'good.json'", "the file of --input")),
    ((*MINE, "--svg", "good.py"), ("--svg 'good.py'", "the file of TARGET")),
    ((CATALOG, "--save", os.devnull), ("--save", "a device")),
]


@pytest.mark.parametrize(
    ("args", "parts"),
    [*TARGETS, *HANDLERS, *INPUTS, *OPTIONS, *OUTPUTS],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else None,
)
def test_it_is_one_line_and_touches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="latin-1")
    line = refused(call("check", *args))
    assert [part for part in parts if part not in line] == [], line
    assert {path.name: path.read_text(encoding="latin-1") for path in tmp_path.iterdir()} == FILES


def test_io_may_be_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "writes.py").write_text(FILES["writes.py"], encoding="utf-8")
    result = call("check", "writes.py:MyFlow", "--input", '["a"]', "--allow-io")
    assert result.exit_code == 0
    assert (tmp_path / "written.txt").exists()
