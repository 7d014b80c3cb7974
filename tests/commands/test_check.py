"""`check`: the verdict on every order and failure, how it is shown, and how it ends."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from dexpatterns import catalog
from tests.commands.calling import call, data, refused, start

PRODUCTION = Path(__file__).parents[1] / "dex" / "production"
ORDERS = '[{"id": "a", "cents": 300}, {"id": "b", "cents": 5, "express": true}]'
PACKING = ("--input", ORDERS, "--section", "PackOrder", "--token", "packingTable")


def without_seconds(text: str) -> list[str]:
    """The lines of an answer, without how long it took."""
    return [line.partition(" turns, ")[0] if " transition" in line else line for line in text.splitlines()]


# What it shows.


def test_a_proof_says_what_was_asked_what_was_tried_and_what_was_met() -> None:
    result = call("check", "critical-section", "--reviewers", "2", "--lost-attempts", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = without_seconds(result.stdout)
    assert lines[:5] == [
        "PROVED: critical-section, ContractEditFlow",
        "  PROVED   never stuck",
        "  PROVED   at most one inside contract edit",
        "  PROVED   one token in contractEditToken",
        "tried: every order, with up to 1 lost attempt",
    ]
    found = data("check", "critical-section", "--reviewers", "2", "--lost-attempts", "1")
    assert lines[5].startswith(f"{found['states']:,} states, {found['transitions']:,} transitions, depth ")
    assert lines[6] == "1 final outcome: COMPLETED"


def test_a_refutation_names_what_is_broken_and_tells_the_run() -> None:
    result = call("check", "is-editing-flag", "--reviewers", "2")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith("REFUTED: is-editing-flag, EditingFlagFlow\n")
    assert "  REFUTED  at most one inside contract edit: 2 are inside, limit 1\n" in result.stdout
    assert "  unjudged never stuck: not judged to the end: the search stopped at the first violation\n" in result.stdout
    pattern = catalog.load("is-editing-flag")
    found = data("check", "is-editing-flag", "--reviewers", "2")
    assert (found["verdict"], found["holds"], found["broken"]) == (
        "REFUTED", False, "at most one inside contract edit",
    )  # fmt: skip
    assert (found["counterexample"]["turns"], found["cause"]) == (12, "check-then-act")
    assert found["witness"] is None
    assert found["explanation"]
    assert [line for line in found["explanation"].splitlines() if line not in result.stdout] == []
    assert (found["anti_pattern"], found["repaired_by"]) == (True, list(pattern.repaired_by))


WITH_FLOWS = [pattern for pattern in catalog.patterns() if pattern.form == "dex"]
PATTERNS = [(pattern.id, pattern.kind) for pattern in WITH_FLOWS]
HOLDS_ALTHOUGH_ANTI = {"entry-order", "long-section", "work-in-handoff"}
"""What is wrong with these is no overlap, no token and nobody stuck: the order, the waiting, the late code."""


@pytest.mark.parametrize(("name", "kind"), PATTERNS, ids=[name for name, _ in PATTERNS])
def test_a_pattern_holds_and_an_anti_pattern_names_its_repair(name: str, kind: str) -> None:
    """Each with the input, the section, the token and the limit that its folder is shown with."""
    result = call("check", name)
    holds = kind == "pattern" or name in HOLDS_ALTHOUGH_ANTI
    assert result.exit_code == (0 if holds else 1)
    assert result.stdout.startswith(f"{'PROVED' if holds else 'REFUTED'}: {name}, ")
    last = result.stdout.splitlines()[-1]
    repairs = ", ".join(catalog.load(name).repaired_by)
    if kind == "pattern":
        assert "anti-pattern" not in result.stdout
    elif holds:
        assert last.startswith(f"{name} is an anti-pattern although this holds: ")
        assert last.endswith(f" What repairs it: {repairs}")
    else:
        assert last == f"{name} is an anti-pattern; what repairs it: {repairs}"


def test_late_code_counts_when_that_is_asked() -> None:
    result = call("check", "work-in-handoff", "--late")
    assert result.exit_code == 1
    assert "  REFUTED  at most one inside contract edit, late code counted: 2 are inside, limit 1\n" in result.stdout


def test_a_late_attempt_breaks_even_a_token() -> None:
    command = ("check", "critical-section", "--reviewers", "2", "--late-attempts", "1")
    assert call(*command).exit_code == 0
    assert call(*command, "--late").exit_code == 1


def test_how_many_may_be_inside() -> None:
    assert data("check", "semaphore", "--limit", "1", "--token", "editorLicence=2")["broken"] == (
        "at most one inside open editor"
    )
    assert data("check", "semaphore", "--token", "editorLicence=1")["broken"] == "one token in editorLicence"
    found = data("check", "token-per-contract")
    assert [one["property"] for one in found["properties"]] == [
        "never stuck", "at most 2 inside contract edit", "one token in contractToken",
    ]  # fmt: skip


def test_an_end_that_is_asked_for_too() -> None:
    assert call("check", "attribute-lock", "--ends", "COMPLETED").exit_code == 0
    assert data("check", "attribute-lock", "--ends", "FAILED")["broken"] == "always ends FAILED"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "tried: every order, no attempt lost or late"),
        (("--lost-attempts", "1"), "tried: every order, with up to 1 lost attempt"),
        (("--late-attempts", "2"), "tried: every order, with up to 2 late attempts"),
        (
            ("--lost-attempts", "2", "--late-attempts", "1"),
            "tried: every order, with up to 2 lost attempts, with up to 1 late attempt",
        ),
        (("--lang", "zh"), "尝试了每一种顺序，没有 attempt 丢失或被放弃"),
        (("--lost-attempts", "1", "--lang", "zh"), "尝试了每一种顺序，至多丢失 1 次 attempt"),
        (("--late-attempts", "1", "--lang", "zh"), "尝试了每一种顺序，至多 1 次 attempt 被放弃而代码仍在运行"),
    ],
)
def test_only_the_faults_that_were_tried_are_named(options: tuple[str, ...], said: str) -> None:
    shown = call("check", "attribute-lock", "--reviewers", "1", *options).stdout
    assert said in shown.splitlines()


def test_flags_and_scenarios_of_the_folder() -> None:
    found = data("check", "critical-section", "--reviewers", "2", "--flag", "withdrawn=1", "--flag",
                 "should_fail_save=2", "--no-symmetric")  # fmt: skip
    assert found["holds"] is True
    assert all("withdrawn" in one and "save failed" in one for one in found["outcomes"])
    found = data("check", "critical-section", "--reviewers", "2", "--scenario", "timeout-cancel")
    assert {one.split(":")[0].split()[0] for one in found["outcomes"]} == {"COMPLETED", "CANCELED"}
    shown = call("check", "critical-section", "--reviewers", "1", "--scenario", "timeout-cancel").stdout
    assert "tried: every order, no attempt lost or late, scenario timeout-cancel\n" in shown
    assert " final outcomes: CANCELED, COMPLETED\n" in shown


@pytest.mark.parametrize("pattern", WITH_FLOWS, ids=lambda pattern: pattern.id)
def test_every_other_flow_of_a_folder_has_a_world_too(pattern: Any) -> None:
    """Its section, input and scenario are those in world.py that fit it."""
    for flow in pattern.flows[1:]:
        name = type(flow).__name__
        found = data("check", pattern.id, "--flow", name, "--bound-states", "300")
        assert found["flow"] == name
        assert len(found["properties"]) >= 2, "it has a section"
        assert [one for one in found["notes"] if one.startswith("no run completes")] == [], "and an input that it takes"


def test_a_folder_is_named_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = catalog.load("attribute-lock").path
    folder = tmp_path / "my-lock"
    folder.mkdir()
    for file in source.glob("*.*"):
        text = file.read_text(encoding="utf-8").replace('id = "attribute-lock"', 'id = "my-lock"')
        (folder / file.name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for path in ("./my-lock", str(folder)):
        assert call("check", path).stdout.startswith("PROVED: my-lock, AttributeLockFlow\n")
        assert call("run", path).exit_code == 0
    assert "for the folder 'my-lock' here, write ./my-lock" in refused(call("check", "my-lock"))


@pytest.mark.parametrize(
    ("name", "said"),
    [("SCENARIO", "SCENARIO: expected a Scenario, got 5"), ("SECTION", "SECTION: expected a Section, got 5")],
)
def test_what_a_world_says_wrongly_is_refused_and_not_passed_over(tmp_path: Path, name: str, said: str) -> None:
    source = catalog.load("attribute-lock").path
    folder = tmp_path / "attribute-lock"
    folder.mkdir()
    for file in source.glob("*.*"):
        (folder / file.name).write_bytes(file.read_bytes())
    with (folder / "world.py").open("a", encoding="utf-8") as world:
        world.write(f"\n{name} = 5\n")
    lines = [refused(call(command, str(folder))) for command in ("check", "run")]
    assert said in lines[0]
    assert lines[0] == lines[1]


def test_chinese() -> None:
    shown = call("check", "second-token", "--lang", "zh").stdout
    assert shown.startswith("REFUTED：second-token，SecondTokenFlow\n")
    for words in (
        "不会卡住：未判定完",
        "REFUTED  contractEditToken 恰好 1 个 token：被 RecoverToken 多发布：有 2 个，应为 1 个\n",
        "个状态，",
        "是反模式；修复它的是",
    ):
        assert words in shown
    shown = call("check", "critical-section", "--bound-states", "20", "--late", "--lang", "zh").stdout
    assert "contract edit 段内至多 1 个分支（仍在运行的代码也算）：被 states=20 截断" in shown
    assert "仅 id、reviewer、text 不同的分支视为同一个" in shown


# Symmetry.


def test_branches_that_are_alike_are_one_unless_all_are_told_apart() -> None:
    few = data("check", "critical-section")
    all_of_them = data("check", "critical-section", "--no-symmetric")
    assert few["symmetric"] == ["id", "reviewer", "text"]
    assert all_of_them["symmetric"] == []
    assert few["verdict"] == all_of_them["verdict"] == "PROVED"
    assert few["depth"] == all_of_them["depth"]
    assert few["states"] < all_of_them["states"] / 4


def test_a_flow_that_tells_branches_apart_is_searched_without_and_says_why() -> None:
    command = ("check", "critical-section", "--flow", "ContractEditAllExitsFlow", "--reviewers", "2")
    result = call(*command)
    assert result.exit_code == 0
    assert "alone are one" not in result.stdout
    lines = [line for line in result.stderr.splitlines() if "without symmetry" in line]
    assert len(lines) == 1
    assert lines[0].startswith("note: the search goes without symmetry, which this cannot have: CollectRecords.execute")
    assert data(*command)["notes"] == [line.removeprefix("note: ") for line in result.stderr.splitlines()]
    assert "CollectRecords.execute" in refused(call(*command, "--symmetric")), "who asks for it is refused"


@pytest.mark.parametrize(
    ("args", "fields"),
    [
        (("--symmetric", "critical-section"), ["id", "reviewer", "text"]),
        (("critical-section", "--symmetric"), ["id", "reviewer", "text"]),
        (("critical-section", "--symmetric", "id, text"), ["id", "text"]),
        (("--symmetric=text", "critical-section"), ["text"]),
    ],
    ids=str,
)
def test_symmetry_may_be_asked_for_with_fields_and_without(args: tuple[str, ...], fields: list[str]) -> None:
    assert data("check", *args, "--reviewers", "1")["symmetric"] == fields


# A cut search.


def test_a_cut_search_is_no_proof() -> None:
    for bound, said in (("--bound-states", "states=20"), ("--bound-depth", "depth=20")):
        result = call("check", "critical-section", bound, "20")
        assert result.exit_code == 1
        assert result.stdout.startswith("BOUNDED: critical-section")
        assert f"  BOUNDED  never stuck: cut by {said}\n" in result.stdout
    found = data("check", "critical-section", "--bound-states", "20")
    assert (found["holds"], found["verdict"], found["bounds"]["states"]) == (False, "BOUNDED", 20)


LOOP = """
import dex, sys

class Count(dex.Step[int]):
    def execute(self, context: dex.Context, input: int) -> dex.StepDecision:
        total.set(context, input)
        return dex.go_to(Count, input + 1)

class Rest(dex.Step[int]):
    def execute(self, context: dex.Context, input: int) -> dex.StepDecision:
        print("resting", flush=True)
        while True:
            pass

total = dex.Attribute("total", int)
token = dex.Channel("token", str)

class CountFlow(dex.Flow[int]):
    def get_steps(self) -> dex.StepList[int]:
        return dex.StepList.start_step(Count())
    def get_persistence_schema(self) -> dex.PersistenceSchema:
        return dex.PersistenceSchema.of(total)

class RestFlow(dex.Flow[int]):
    def get_steps(self) -> dex.StepList[int]:
        return dex.StepList.start_step(Rest())
    def get_persistence_schema(self) -> dex.PersistenceSchema:
        return dex.PersistenceSchema.of(token)
"""


@pytest.fixture
def loop(tmp_path: Path) -> Path:
    file = tmp_path / "loop.py"
    file.write_text(LOOP, encoding="utf-8")
    return file


def test_what_grows_without_end_is_named(loop: Path) -> None:
    command = ("check", f"{loop}:CountFlow", "--input", "1", "--bound-states", "200")
    shown = call(*command, "--save", loop.parent / "run.json")
    assert shown.exit_code == 1
    (line,) = [line for line in shown.stdout.splitlines() if line.startswith("What grows in what was seen")]
    assert "total" in line
    assert "total" in data(*command)["growing"]
    assert shown.stderr == "note: nothing to keep for --save: no run is shown\n"
    assert not (loop.parent / "run.json").exists()


def test_interrupted_it_tells_what_was_found(loop: Path) -> None:
    with start("check", f"{loop}:RestFlow", "--input", "1") as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "resting\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (1, "")
    assert out.startswith(f"BOUNDED: {loop}:RestFlow, RestFlow\n  BOUNDED  never stuck: interrupted\n")


# Files that it writes, and data.


@pytest.mark.parametrize(("name", "status"), [("second-token", 1), ("attribute-lock", 0)])
def test_the_run_that_is_shown_can_be_kept_and_drawn(tmp_path: Path, name: str, status: int) -> None:
    kept, svg, again = tmp_path / "run.json", tmp_path / "1.svg", tmp_path / "2.svg"
    assert call("check", name, "--save", kept, "--svg", svg).exit_code == status
    replayed = call("replay", kept, "--svg", again)
    assert replayed.exit_code == status
    assert svg.read_bytes() == again.read_bytes()
    found = data("check", name)
    turns = (found["counterexample"] or found["witness"])["turns"]
    assert len(catalog_run(kept).trace.turns) == turns


def catalog_run(path: Path) -> Any:
    from dexpatterns import load_run

    return load_run(path)


def test_two_processes_print_the_same_data() -> None:
    """Whatever their hashes are; but for the time that it took."""
    command = ("check", "second-token", "--no-symmetric", "--json")
    processes = [start(*command, env={"PYTHONHASHSEED": seed}) for seed in ("1", "2")]
    told = [json.loads(process.communicate()[0]) for process in processes]
    assert all(one.pop("seconds") >= 0 for one in told)
    assert json.dumps(told[0]) == json.dumps(told[1])


# A Flow of one's own.


def test_a_module_for_the_real_system_is_checked_as_it_is() -> None:
    target = f"{PRODUCTION}/fakes.py:make_flow"
    result = call("check", target, *PACKING, "--lost-attempts", "1", "--ends", "COMPLETED")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(
        f"PROVED: {target}, OrderFlow\n  PROVED   never stuck\n  PROVED   at most one inside "
    )
    assert "  PROVED   one token in packingTable\n" in result.stdout
    assert call("check", target, *PACKING, "--scenario", "SLOW").exit_code == 0
    assert call("check", target, *PACKING, "--scenario", f"{PRODUCTION}/fakes.py:SLOW").exit_code == 0
    assert data("check", target, *PACKING[:2])["properties"] == [
        {"property": "never stuck", "verdict": "PROVED", "detail": ""}
    ]


def test_what_holds_because_nothing_happens_is_said(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        """
import dex

class Begin(dex.Step[str]):
    def execute(self, context: dex.Context, input: str) -> dex.StepDecision:
        print("from the handler")
        return dex.graceful_complete(input) if input else dex.force_fail("because\\x1b[31m")

class Inside(dex.Step[str]):
    def execute(self, context: dex.Context, input: str) -> dex.StepDecision:
        token.publish(context, "t")
        return dex.dead_end()

token = dex.Channel("token", str)

class MyFlow(dex.Flow[str]):
    def get_steps(self) -> dex.StepList[str]:
        return dex.StepList.start_step(Begin()).other_steps(Inside())
    def get_persistence_schema(self) -> dex.PersistenceSchema:
        return dex.PersistenceSchema.of(token)

print("from the file")
""",
        encoding="utf-8",
    )
    command = ("check", f"{tmp_path}/mine.py:MyFlow", "--section", "Inside", "--token", "token", "--input")
    found = json.loads(call(*command, '"x"', "--json").stdout)
    assert found["notes"] == [
        "in the run shown nobody is ever inside Inside, so that little is said of it",
        "in the run shown nothing is ever published to token, so that little is said of it",
    ]
    result = call(*command, '""')
    assert result.exit_code == 1, "a Flow of which every run fails keeps everything in vain"
    assert result.stdout.startswith("PROVED, but every run fails: ")
    assert not json.loads(call(*command, '""', "--json").stdout)["holds"]
    assert "from the handler\n" in result.stderr
    assert "from the" not in result.stdout
    assert result.stderr.endswith("note: no run completes; each ends otherwise, such as FAILED: because\\x1b[31m\n")
