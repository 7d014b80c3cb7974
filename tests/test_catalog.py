"""The loader: what is in a catalog folder, what is wrong with one, and that none of its code runs unasked."""

from __future__ import annotations

import inspect
import itertools
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from dexpatterns import catalog
from dexpatterns.dex.scenario import Scenario, Section
from dexpatterns.edits import EditRow
from dexpatterns.errors import InputError

TOML = """
id = "{id}"
kind = "pattern"

[title]
en = "One"
zh = "一"

[summary]
en = "Does one thing."
zh = "只做一件事。"
"""

FLOW = """
from dexpatterns.dex import Context, Flow, PersistenceSchema, Step, StepDecision, StepList, graceful_complete

class Only(Step[int]):
    def execute(self, context: Context, number: int) -> StepDecision:
        return graceful_complete(number)

class OneFlow(Flow[int]):
    def get_steps(self) -> StepList[int]:
        return StepList.start_step(Only())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of()
"""

WORLD = """
from .flow import Only

INPUT = 1

def make_input(reviewers=3, *, odd=()):
    return reviewers + len(tuple(odd))
"""

SAYING = (
    TOML
    + """
[claims.{name}]
en = "{en}"
zh = "如此"
"""
)

CLAIMING = (
    WORLD
    + """
from dexpatterns.claims import Claim, Measure
from dexpatterns.dex import check
from dexpatterns.engine.properties import never, never_stuck
from dexpatterns.engine.report import Verdict
from .flow import OneFlow

def ask():
    return check(OneFlow, 1)

def ask_done():
    return check(OneFlow, 1, properties=[never("done", lambda state: state["status"] == "COMPLETED")])

CLAIMS = {"ends": Claim(ask=ask, verdict=Verdict.PROVED, about="stuck")}
"""
)

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a folder that is right, but for the files that are given (None: left out)."""

    def folder(id: str, **files: str | bytes | None) -> Path:
        path = tmp_path / id
        path.mkdir(exist_ok=True)
        for name, text in {"pattern_toml": TOML.format(id=id), "flow_py": FLOW, "world_py": WORLD, **files}.items():
            file = path / name.replace("_", ".")
            if isinstance(text, bytes):
                file.write_bytes(text)
            elif text is None:
                file.unlink(missing_ok=True)
            else:
                file.write_text(text, encoding="utf-8")
        return path

    return folder


# The catalog that comes with the package.


WITH_FLOWS = [pattern for pattern in catalog.patterns() if pattern.form == "dex"]


def test_no_folder_of_our_catalog_is_broken() -> None:
    assert catalog.problems(run=True) == ()


def test_our_catalog_holds_the_patterns_and_their_anti_patterns() -> None:
    kinds = {pattern.id: pattern.kind for pattern in catalog.patterns()}
    assert kinds == {
        "attribute-lock": "pattern",
        "critical-section": "pattern",
        "exclusive-lock": "pattern",
        "semaphore": "pattern",
        "several-locks": "pattern",
        "shared-lock": "pattern",
        "token-per-contract": "pattern",
        "uniform-nesting": "pattern",
        "cancel-inside": "anti-pattern",
        "entry-order": "anti-pattern",
        "failed-order-keeps-lock": "anti-pattern",
        "heavy-waiter-starves": "anti-pattern",
        "is-editing-flag": "anti-pattern",
        "lock-across-steps": "anti-pattern",
        "long-section": "anti-pattern",
        "lost-token": "anti-pattern",
        "nested-locks-opposite-order": "anti-pattern",
        "retry-holding-lock": "anti-pattern",
        "second-token": "anti-pattern",
        "shared-token-channel": "anti-pattern",
        "work-in-handoff": "anti-pattern",
    }
    assert list(kinds) == sorted(kinds, key=lambda id: (kinds[id] != "pattern", id))


def test_every_anti_pattern_names_its_repair_and_the_repair_names_it_back() -> None:
    by_id = {pattern.id: pattern for pattern in catalog.patterns()}
    repairs = {(pattern.id, mended) for pattern in by_id.values() for mended in pattern.repairs}
    repaired = {(mender, pattern.id) for pattern in by_id.values() for mender in pattern.repaired_by}
    assert repairs == repaired
    assert {broken for _, broken in repaired} == {p.id for p in by_id.values() if p.kind == "anti-pattern"}
    assert all(by_id[mender].kind == "pattern" for mender, _ in repaired)


@pytest.mark.parametrize("pattern", catalog.patterns(), ids=lambda pattern: pattern.id)
def test_the_chinese_words_are_chinese_and_keep_a_space_before_latin(pattern: catalog.Pattern) -> None:
    sentences = [pattern.summary("zh"), *(words["zh"] for words in pattern.sentences.values())]
    for sentence in sentences:
        assert any("\u4e00" <= sign <= "\u9fff" for sign in sentence), sentence
        glued = [a + b for a, b in itertools.pairwise(sentence) if _is_glued(a, b)]
        assert not glued, sentence


def _is_glued(a: str, b: str) -> bool:
    def chinese(sign: str) -> bool:
        return "\u4e00" <= sign <= "\u9fff"

    return (chinese(a) and b.isascii() and b.isalnum()) or (a.isascii() and a.isalnum() and chinese(b))


def test_a_catalog_flow_imports_the_authoring_names_and_the_standard_library_alone() -> None:
    import ast

    documented = _documented_names()
    for pattern in WITH_FLOWS:
        tree = ast.parse((pattern.path / "flow.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                modules = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules = {node.module or "."}
            else:
                continue
            for module in modules:
                if module == "dexpatterns.dex" and isinstance(node, ast.ImportFrom):
                    assert {alias.name for alias in node.names} <= documented, pattern.id
                else:
                    assert module.partition(".")[0] in sys.stdlib_module_names, f"{pattern.id} imports {module}"


def _documented_names() -> set[str]:
    """What the real system has too: nothing of what tries a Flow here."""
    return set(
        "Flow Step StepList PersistenceSchema Channel ChannelMap Attribute AttributeMap Wait Timer "
        "ConditionCombination Context RetryPolicy StepOptions WaitForFailurePolicy StepMovement StepDecision go_to "
        "go_to_many dead_end graceful_complete force_complete force_complete_if_channels_empty force_fail rpc "
        "RPCResult RecoveryErrorInfo".split()
    )


# Reading folders.


def test_listing_runs_no_code(write: Write, tmp_path: Path) -> None:
    write("careful", flow_py="raise SystemExit(3)\n", world_py="raise SystemExit(4)\n")
    assert [(p.id, p.title(), p.summary("zh")) for p in catalog.patterns(tmp_path)] == [
        ("careful", "One", "只做一件事。")
    ]
    assert catalog.problems(tmp_path) == ()


def test_listing_our_catalog_imports_no_flow_and_nothing_heavy() -> None:
    program = (
        "import json, sys\n"
        "from dexpatterns import catalog\n"
        "ids = [p.id for p in catalog.patterns()]\n"
        "heavy = {'pandas', 'graphviz', 'IPython', 'ipywidgets', 'rich', 'click', 'msgspec'}\n"
        "print(json.dumps([len(ids), sorted(n for n in sys.modules if n in heavy or n.startswith('dexpatterns_cat'))]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [len(catalog.patterns()), []]


def test_two_folders_with_the_same_module_names_do_not_clash(write: Write, tmp_path: Path) -> None:
    first = catalog.open(write("first"))
    second = catalog.open(write("second", flow_py=FLOW.replace("OneFlow", "TwoFlow")))
    assert [type(first.flow).__name__, type(second.flow).__name__] == ["OneFlow", "TwoFlow"]
    assert first.world.Only is not second.world.Only


def test_a_class_of_a_folder_shows_its_source_and_can_be_pickled() -> None:
    pattern = catalog.load("critical-section")
    edit = pattern.input[0]
    assert pickle.loads(pickle.dumps(edit)) == edit  # noqa: S301  # made right here
    assert "class ContractEditFlow" in inspect.getsource(type(pattern.flow))


def test_a_folder_is_loaded_once_and_again_when_it_has_changed(write: Write) -> None:
    path = write("one")
    before = catalog.open(path)
    assert catalog.open(path) is before
    assert type(before.flow).__name__ == "OneFlow"
    write("one", flow_py=FLOW.replace("OneFlow", "NewFlow"))
    after = catalog.open(path)
    assert [type(after.flow).__name__, type(before.flow).__name__] == ["NewFlow", "OneFlow"]


def test_no_bytecode_is_left_in_a_folder(write: Write) -> None:
    path = write("one")
    assert catalog.open(path).input == 1
    assert sorted(child.name for child in path.iterdir()) == ["flow.py", "pattern.toml", "world.py"]
    assert not any(pattern.path.joinpath("__pycache__").exists() for pattern in catalog.patterns())


def test_a_folder_that_was_mended_loads(write: Write) -> None:
    path = write("one", world_py="from .flow import NotThere\n")
    with pytest.raises(InputError, match="NotThere"):
        _ = catalog.open(path).input
    write("one")
    assert catalog.open(path).input == 1


def test_what_a_folder_does_not_say_is_empty(write: Write) -> None:
    pattern = catalog.open(write("one"))
    assert (pattern.section, pattern.token, pattern.scenario) == (None, None, None)
    assert (pattern.scenarios, pattern.symmetric, pattern.claims, pattern.repairs) == ({}, (), {}, ())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("section", "'EditContract'"), ("token", "5"), ("limit", "'2'"), ("scenario", "{}"), ("scenarios", "[]"),
        ("symmetric", "'reviewer'"), ("claims", "[]"),
    ],
)  # fmt: skip
def test_what_a_folder_says_wrongly_is_refused_where_it_is_asked_for(write: Write, name: str, value: str) -> None:
    folder = write("one", world_py=f"{WORLD}{name.upper()} = {value}\n")
    expected = rf"one/world\.py: {name.upper()}: expected .*, got {re.escape(value)}; mend it there"
    with pytest.raises(InputError, match=expected):
        getattr(catalog.open(folder), name)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("def make_input(reviewers): return 1 / 0", r"world\.py, line \d+: ZeroDivisionError: .*; mend it there"),
        ("def make_input(reviewers): raise SystemExit(3)", r"world\.py, line \d+: SystemExit: 3; mend it there"),
        ("def from_edits(rows): return rows[0]", r"world\.py, line \d+: IndexError: .*; mend it there"),
        ("def from_edits(rows): return 3", r"world\.py: from_edits: expected it to make \(input, scenario\), got 3"),
    ],
)
def test_a_function_of_a_folder_that_fails_is_the_folders_fault(write: Write, line: str, message: str) -> None:
    pattern = catalog.open(write("one", world_py=f"{WORLD}\n{line}\n"))
    with pytest.raises(InputError, match=message):
        pattern.make_input(2) if "make_input" in line else pattern.from_edits([])


def test_what_a_folder_itself_refuses_stays_as_it_said_it(write: Write) -> None:
    refuses = (
        "from dexpatterns.errors import InputError\n\ndef make_input(reviewers):\n    raise InputError('2 or more')\n"
    )
    with pytest.raises(InputError, match=r"^2 or more$"):
        catalog.open(write("one", world_py=f"{WORLD}\n{refuses}")).make_input(1)


def test_more_than_one_flow_comes_in_the_order_of_the_file(write: Write) -> None:
    another = FLOW + "\nclass AFlow(OneFlow):\n    pass\n\nSame = OneFlow\n"
    flows = catalog.open(write("one", flow_py=another)).flows
    assert [type(flow).__name__ for flow in flows] == ["OneFlow", "AFlow"]


BROKEN = [
    ({"pattern_toml": None}, "got no pattern.toml"),
    ({"flow_py": None}, "got no flow.py"),
    ({"world_py": None}, "got no world.py"),
    ({"pattern_toml": "id = "}, "not TOML"),
    ({"pattern_toml": b"id = '\xff'"}, "not TOML in UTF-8"),
    ({"pattern_toml": "id = " + "[" * 100_000}, "not TOML in UTF-8: it is nested too deeply"),
    ({"pattern_toml": ""}, "id: expected a text, got nothing"),
    ({"pattern_toml": "id = 3"}, "id: expected a text, got 3"),
    ({"pattern_toml": TOML.format(id="broken").replace('"pattern"', '"recipe"')}, "kind is 'recipe'"),
    ({"pattern_toml": TOML.format(id="other")}, "id is 'other', the folder 'broken'"),
    ({"pattern_toml": TOML.format(id="../broken")}, "lower-case words"),
    ({"pattern_toml": TOML.format(id="broken").replace('zh = "一"', "")}, "title.zh: expected a text, got nothing"),
    ({"pattern_toml": TOML.format(id="broken").replace('zh = "一"', 'zh = " "')}, "title.zh"),
    ({"pattern_toml": TOML.format(id="broken") + 'fr = "Un"'}, "summary: unknown key 'fr'"),
    ({"pattern_toml": TOML.format(id="broken") + '[titel]\nen = "x"'}, "unknown key 'titel'"),
    ({"pattern_toml": 'repairs = "all"\n' + TOML.format(id="broken")}, "repairs: expected a list"),
    ({"pattern_toml": "title = 1\n" + 'id = "broken"\nkind = "pattern"'}, "title: expected a table, got 1"),
    ({"pattern_toml": TOML.format(id="broken") + '[claims.one]\nen = "x"'}, "claims.one.zh"),
    ({"pattern_toml": TOML.format(id="broken") + "[claims]\none = 1"}, "claims.one: expected a table, got 1"),
]

BROKEN_CODE = [
    ({"flow_py": "def ("}, r"flow.py, line 1: SyntaxError"),
    ({"flow_py": "import no_such_module_anywhere"}, r"flow.py, line 1: ModuleNotFoundError"),
    ({"flow_py": "\n\nraise SystemExit(2)"}, r"flow.py, line 3: SystemExit"),
    ({"flow_py": b"x = '\xff'\n"}, r"SyntaxError"),
    ({"flow_py": "Only = 1\n"}, r"expected a class that extends Flow, got none"),
    ({"flow_py": FLOW + "\n    def __init__(self, x: int) -> None: ...\n"}, r"OneFlow\(\) raised TypeError"),
    ({"flow_py": FLOW.replace("-> StepDecision", "")}, r"Only"),
    ({"world_py": "\n1 / 0\n"}, r"world.py, line 2: ZeroDivisionError"),
    ({"world_py": "raise ValueError('a\\nb' * 1_000)\n"}, r"ValueError: a ba .{200,}\.\.\.; mend"),
    ({"world_py": "def make_input(reviewers=3): return 1\n"}, r"expected INPUT, got none"),
    ({"world_py": "INPUT = 1\n"}, r"expected make_input, got none"),
    ({"world_py": WORLD + "make_input = 3\n"}, r"make_input: expected a function"),
    ({"world_py": WORLD + "SECTION = 'EditContract'\n"}, r"SECTION: expected a Section, got 'EditContract'"),
    ({"world_py": WORLD + "TOKEN = 5\n"}, r"TOKEN: expected a Channel or its name, got 5"),
    ({"world_py": WORLD + "SCENARIO = {}\n"}, r"SCENARIO: expected a Scenario, got \{\}"),
    ({"world_py": WORLD + "SYMMETRIC = 'reviewer'\n"}, r"SYMMETRIC: expected a tuple"),
    ({"world_py": WORLD + "SCENARIOS = []\n"}, r"SCENARIOS: expected a dict"),
    ({"world_py": WORLD + "CLAIMS = []\n"}, r"CLAIMS: expected a dict"),
    ({"world_py": WORLD + "CLAIMS = {'one': 1}\n"}, r"claim 'one': expected Claim\(...\) or Measure\(...\)"),
    ({"world_py": CLAIMING}, r"claim 'ends': no sentence for 'ends'; write \[claims.ends\]"),
    ({"pattern_toml": SAYING.format(id="broken", name="ends", en="x")}, r"claim 'ends': no claim 'ends' in CLAIMS"),
    (
        {"pattern_toml": SAYING.format(id="broken", name="ends", en="{figure}"), "world_py": CLAIMING},
        r"claim 'ends': unknown placeholder \{figure\}; expected \{verdict\}, \{states\}",
    ),
    ({"world_py": CLAIMING.replace('"stuck"', '"luck"')}, r"claim about 'luck': expected one or more of overlap"),
]


@pytest.mark.parametrize(("files", "message"), BROKEN)
def test_a_broken_folder_is_named_and_the_others_go_on(
    write: Write, tmp_path: Path, files: dict[str, str], message: str
) -> None:
    write("sound")
    broken = write("broken", **files)
    assert [pattern.id for pattern in catalog.patterns(tmp_path)] == ["sound"]
    (problem,) = catalog.problems(tmp_path)
    assert problem.path == broken
    assert message in problem.text
    assert str(broken) in problem.text
    for read in (lambda: catalog.load("broken", tmp_path), lambda: catalog.open(broken)):
        with pytest.raises(InputError) as raised:
            read()
        assert str(raised.value) == problem.text


@pytest.mark.parametrize(("files", "message"), BROKEN_CODE)
def test_broken_code_is_named_with_its_place_when_it_is_run(
    write: Write, tmp_path: Path, files: dict[str, str], message: str
) -> None:
    write("sound")
    write("broken", **files)
    assert [pattern.id for pattern in catalog.patterns(tmp_path)] == ["broken", "sound"]
    (problem,) = catalog.problems(tmp_path, run=True)
    assert problem.path.name == "broken"
    assert re.search(message, problem.text), problem.text
    assert "\n" not in problem.text


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: catalog.load("critical-sektion"), "no pattern 'critical-sektion'.*critical-section"),
        (lambda: catalog.load("../catalog/critical-section"), "no pattern"),
        (lambda: catalog.load(""), "no pattern ''"),
        (lambda: catalog.open("/no/such/folder"), "expected a folder, got no such folder"),
        (lambda: catalog.open(__file__), "expected a folder, got a file"),
        (lambda: catalog.patterns("/no/such/folder"), "expected a folder"),
        (lambda: catalog.load("critical-section").title("fr"), "lang: expected 'en' or 'zh', got 'fr'"),
        (lambda: catalog.load("critical-section").make_input(-1), "reviewers is -1"),
        (lambda: catalog.load("critical-section").make_input(2.5), "reviewers is 2.5"),
        (lambda: catalog.load("critical-section").make_input(True), "reviewers is True"),
        (lambda: catalog.load("critical-section").make_input(withdrown=(1,)), "no flag 'withdrown'.*withdrawn"),
        (lambda: catalog.load("critical-section").make_input(2, withdrawn=(3,)), "branch 3; .* from 1 to 2"),
        (lambda: catalog.load("critical-section").make_input(2, withdrawn=(0,)), "branch 0"),
        (lambda: catalog.load("critical-section").make_input(2, withdrawn=("1",)), "branch '1'"),
        (lambda: catalog.load("critical-section").make_input(2, text={3: "x"}), "branch 3"),
        (lambda: catalog.load("lost-token").from_edits([]), "takes no file of edits"),
    ],
)
def test_a_question_that_has_no_answer_is_refused_with_the_mend(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask()


def test_a_file_that_leads_nowhere_breaks_its_folder_alone(write: Write, tmp_path: Path) -> None:
    write("sound")
    (write("broken") / "notes.py").symlink_to(tmp_path / "nowhere")
    assert [pattern.id for pattern in catalog.patterns(tmp_path)] == ["sound"]
    assert ["cannot be read" in problem.text for problem in catalog.problems(tmp_path)] == [True]


def test_a_catalog_with_nothing_in_it_is_empty(tmp_path: Path) -> None:
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "README.md").write_text("not a pattern")
    assert catalog.patterns(tmp_path) == ()
    assert catalog.problems(tmp_path) == ()
    with pytest.raises(InputError, match="none is there"):
        catalog.load("one", tmp_path)


# Claims.

CLAIMED = [
    ('Claim(ask=ask, verdict=Verdict.PROVED, about="overlap")', True, "PROVED", "proved"),
    ('Claim(ask=ask_done, verdict=Verdict.REFUTED, turns=2, about="overlap")', True, "REFUTED", "broken in 2 turns"),
    ('Claim(ask=ask_done, verdict=Verdict.REFUTED, turns=3, about="overlap")', False, "REFUTED in 2 turns: done", ""),
    ('Claim(ask=ask, verdict=Verdict.REFUTED, about="overlap")', False, "PROVED", ""),
    ('Claim(ask=lambda: 1 / 0, verdict=Verdict.PROVED, about="overlap")', False, "error: ZeroDivisionError", ""),
    ('Claim(ask=lambda: exit(), verdict=Verdict.PROVED, about="overlap")', False, "error: SystemExit", ""),
    ('Measure(ask=lambda: 3, at_most=2, unit="s", about="overlap")', False, "3 s", ""),
    ('Measure(ask=lambda: 3, at_most=3, unit="s", about="overlap")', True, "3 s", "within its bounds"),
    ('"a sentence"', False, "expected Claim(...) or Measure(...)", None),
]


@pytest.mark.parametrize(("claim", "holds", "verdict", "cell"), CLAIMED)
def test_a_claim_of_a_folder_is_a_row_and_a_cell(
    write: Write, tmp_path: Path, claim: str, holds: bool, verdict: str, cell: str | None
) -> None:
    """`cell` is '' where the claim is about something and does not hold; None where it is about nothing."""
    toml = SAYING.format(id="one", name="ends", en="So it is: {verdict}.") + (
        '[claims.meets]\nen = "As it should."\nzh = "应当如此。"\n'
    )
    write("one", pattern_toml=toml, world_py=f'{CLAIMING}CLAIMS["meets"] = {claim}\n')
    write("two")
    rows = catalog.load("one", tmp_path).verify().set_index("claim")
    assert list(rows.index) == ["ends", "meets"]
    assert rows.loc["ends", "sentence"] == "So it is: PROVED."
    assert list(rows["holds"]) == [True, holds]
    assert rows.loc["meets", "verdict"].startswith(verdict)
    table = catalog.compare(catalog=tmp_path)
    assert list(table.index) == ["one", "two"]
    assert table.loc["one", "never stuck"] == "proved"
    assert table.loc["one", "one at a time"] == {"": "not verified", None: ""}.get(cell, cell)
    assert (table.loc["two"].iloc[2:] == "").all()


def test_a_folder_whose_code_fails_is_named_and_the_comparison_goes_on(write: Write, tmp_path: Path) -> None:
    write("broken", world_py="1 / 0\n", pattern_toml=SAYING.format(id="broken", name="ends", en="x"))
    write("sound", world_py=CLAIMING, pattern_toml=SAYING.format(id="sound", name="ends", en="x"))
    seen: list[tuple[str, int, int]] = []
    table = catalog.compare(catalog=tmp_path, progress=lambda *told: seen.append(told))
    assert list(table.index) == ["broken", "sound"]
    assert list(table["never stuck"]) == ["", "proved"]
    assert "ZeroDivisionError" in table.attrs["problems"]["broken"]
    assert [name for name, _, _ in seen] == ["sound: ends"]
    assert all(0 <= done <= total == 2 for _, done, total in seen)
    with pytest.raises(InputError, match="ZeroDivisionError"):
        catalog.load("broken", tmp_path).verify()


def test_an_empty_catalog_has_an_empty_comparison(tmp_path: Path) -> None:
    table = catalog.compare("zh", tmp_path)
    assert table.empty
    assert list(table.columns)[:3] == ["名称", "种类", "逐个进入"]
    with pytest.raises(InputError, match="lang: expected 'en' or 'zh', got 'fr'"):
        catalog.compare("fr")


# Inputs.


def test_flags_hit_branches_by_number() -> None:
    edits = catalog.load("critical-section").make_input(
        4, should_fail_handoff=(1,), should_fail_save=[2], withdrawn={3}, text={4: "new"}, reviewer={1: "Ada"}
    )
    assert [edit.reviewer for edit in edits] == ["Ada", "reviewer-2", "reviewer-3", "reviewer-4"]
    assert [edit.id for edit in edits] == ["edit-1", "edit-2", "edit-3", "edit-4"]
    assert [edit.should_fail_handoff for edit in edits] == [True, False, False, False]
    assert [edit.should_fail_save for edit in edits] == [False, True, False, False]
    assert [edit.withdrawn for edit in edits] == [False, False, True, False]
    assert edits[3].text == "new"


def test_the_input_of_a_folder_is_what_make_input_makes() -> None:
    for pattern in WITH_FLOWS:
        assert pattern.input == pattern.make_input(len(pattern.input)), pattern.id


def test_rows_become_edits_and_their_times_durations() -> None:
    rows = [
        EditRow("Ada", "a", "first", edit_seconds=0.5),
        EditRow("Ada", "b", "second", should_fail_save=True, save_seconds=7),
        EditRow("<b>Bo</b>", "c", "", should_fail_handoff=True, withdrawn=True),
    ]
    pattern = catalog.load("critical-section")
    edits, scenario = pattern.from_edits(rows)
    assert [(e.id, e.reviewer, e.text) for e in edits] == [
        ("a", "Ada", "first"),
        ("b", "Ada", "second"),
        ("c", "<b>Bo</b>", ""),
    ]
    assert [e.should_fail_save for e in edits] == [False, True, False]
    assert (edits[2].should_fail_handoff, edits[2].withdrawn) == (True, True)
    edit, save = pattern.world.EditContract, pattern.world.SaveContractEdit
    assert [scenario.duration(edit, "execute", e, 1) for e in edits] == [(0.5, 0.5), (300, 300), (300, 300)]
    assert [scenario.duration(save, "execute", e, 1) for e in edits] == [(10, 10), (7, 7), (10, 10)]


def test_rows_without_times_take_the_usual_ones() -> None:
    pattern = catalog.load("critical-section")
    edits, scenario = pattern.from_edits([EditRow("Ada", "a")])
    for step in (pattern.world.EditContract, pattern.world.SaveContractEdit):
        usual = pattern.scenario.duration(step, "execute", edits[0], 1)
        assert scenario.duration(step, "execute", edits[0], 1) == usual
        assert timedelta(seconds=usual[0]) < timedelta(seconds=usual[1])


def test_a_section_names_a_branch_by_its_reviewer() -> None:
    @dataclass(frozen=True)
    class Entry:
        reviewer: str

    for pattern in WITH_FLOWS:
        assert isinstance(pattern.section, Section)
        assert isinstance(pattern.scenario, Scenario)
        assert pattern.section.label is not None
        assert pattern.section.label(Entry("<script>alert(1)</script>")) == "<script>alert(1)</script>"


def test_a_claim_is_searched_once(write: Write) -> None:
    saying = SAYING.format(id="one", name="ends", en="It ends.")
    pattern = catalog.open(write("one", pattern_toml=saying, world_py=CLAIMING))
    asked = pattern.asked("ends")
    assert pattern.asked("ends") is asked
    assert [row.judged.seconds for row in pattern.verified() if row.judged] == [asked.seconds]
    assert pattern.judged("ends", "zh").holds
    with pytest.raises(InputError, match="no claim 'nothing' in CLAIMS; expected one of: ends"):
        pattern.asked("nothing")


def test_an_interrupted_search_is_not_remembered(write: Write) -> None:
    """Ctrl-C makes a report that is no answer: the next who asks gets a whole one."""
    world = CLAIMING.replace(
        "def ask():\n    return check(OneFlow, 1)",
        "asked = []\n\n\ndef stop(_state):\n    asked.append(1)\n    if len(asked) == 1:\n"
        "        raise KeyboardInterrupt\n\n\n"
        "def ask():\n    return check(OneFlow, 1, properties=[never('seen', stop)])",
    )
    saying = SAYING.format(id="one", name="ends", en="It ends.")
    pattern = catalog.open(write("one", pattern_toml=saying, world_py=world))
    with pytest.raises(KeyboardInterrupt):
        pattern.asked("ends")
    assert pattern.judged("ends").holds
    assert len(pattern.world.asked) > 1


@pytest.mark.parametrize("limit", ["0", "True", "'2'", "None"])
def test_a_limit_that_is_none_is_named(write: Write, limit: str) -> None:
    (problem,) = catalog.problems(write("one", world_py=f"{WORLD}\nLIMIT = {limit}\n").parent, run=True)
    assert "LIMIT: expected a whole number of 1 or more, got" in problem.text


def test_a_page_is_read_and_nothing_is_run(write: Write) -> None:
    folder = write("one", flow_py="raise SystemExit")
    (folder / "page.md").write_text("# One\n", encoding="utf-8")
    assert str(catalog.open(folder).page()) == "# One\n"
    with pytest.raises(InputError, match=r"page\.zh\.md: expected the page in this language, got none; write it"):
        catalog.open(folder).page("zh")
