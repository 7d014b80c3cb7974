"""`audit`: the ways out of a section as a table, the run behind a row, and how it ends."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from dexpatterns import catalog
from tests.commands.calling import call, data, refused, start
from tests.commands.test_check import LOOP, ORDERS, PRODUCTION

LOST = ("audit", "lost-token", "--reviewers", "2", "--flag", "withdrawn=1")


def rows(text: str) -> list[list[str]]:
    """The cells of the table's rows, on a terminal that is wide enough."""
    lines = [line for line in text.splitlines() if line.strip()[:1].isdigit() and "   " in line]
    return [[cell.strip() for cell in line.strip().split("   ") if cell.strip()] for line in lines]


def test_a_way_out_that_loses_the_token() -> None:
    result = call(*LOST)
    assert (result.exit_code, result.stderr) == (1, "")
    found = rows(result.stdout)
    assert [row[0] for row in found] == [str(n) for n in range(1, len(found) + 1)]
    assert ["1", "normal", "SaveContractEdit", "SaveContractEdit publishes it", "returned"] in found
    assert ["5", "early exit", "EditContract", "nothing in EditContract publishes it", "LOST"] in found
    assert ["9", "closing: completes", "nothing needs to: no branch waits any more", "not needed"] not in found[:8]
    assert result.stdout.splitlines()[-1].startswith("one way out loses the token or makes a second one; ")


def test_as_data() -> None:
    found = data(*LOST)
    assert (found["target"], found["token"], found["holds"], found["cut"]) == (
        "lost-token", "contractEditToken", False, "",
    )  # fmt: skip
    (lost,) = [way for way in found["ways"] if way["verdict"] == "lost"]
    assert (lost["way_out"], lost["step"]) == ("early exit", "EditContract")
    assert lost["schedule"].count("commit EditContract.execute") == 1
    assert found["explanation"] is None


def test_the_run_behind_a_row() -> None:
    result = call(*LOST, "--explain", "5")
    assert result.exit_code == 1
    assert "\n5. early exit, EditContract: LOST\n" in result.stdout
    story = data(*LOST, "--explain", "5")["explanation"]
    assert "EditContract" in story
    assert [line for line in story.splitlines() if line not in result.stdout] == []
    unreached = call(*LOST, "--explain", "7").stdout
    assert "7. cancelled inside, EditContract: not reached\nno run took this way, so there is none " in unreached
    assert "--explain: expected a row from 1 to " in refused(call(*LOST, "--explain", "99"))


def test_each_way_gives_it_back() -> None:
    result = call("audit", "critical-section", "--reviewers", "1", "--flag", "withdrawn=1", "--lost-attempts", "2")
    assert result.exit_code == 0
    assert ["5", "early exit", "EditContract", "EditContract publishes it", "returned"] in rows(result.stdout)
    assert "3 ways out were reached, each gives the token back; " in result.stdout.splitlines()[-1]


def test_a_cut_search_is_no_proof() -> None:
    result = call("audit", "critical-section", "--reviewers", "1", "--bound-states", "12")
    assert result.exit_code == 1
    assert "; the search was cut by states=12, what was not reached may still be there; " in result.stdout
    assert data("audit", "critical-section", "--reviewers", "1", "--bound-states", "12")["holds"] is False


def test_interrupted_it_lists_what_is_known(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP, encoding="utf-8")
    command = ("audit", f"{tmp_path}/loop.py:RestFlow", "--input", "1", "--section", "Rest", "--token", "token")
    with start(*command) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "resting\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (1, "")
    assert "; the search was interrupted, what was not reached may still be there; " in out


def test_a_channel_that_is_no_token_is_not_taken_for_one() -> None:
    result = call("audit", "critical-section", "--reviewers", "1", "--token", "contractEditFinished")
    assert result.exit_code == 1
    assert "no way out was reached: nothing is said of the token" in result.stdout


def test_a_flow_of_ones_own() -> None:
    command = ("audit", f"{PRODUCTION}/fakes.py:make_flow", "--input", ORDERS, "--section", "PackOrder", "--token",
               "packingTable", "--lost-attempts", "1")  # fmt: skip
    result = call(*command)
    assert result.exit_code == 0, result.output
    assert ["1", "normal", "PackOrder", "PackOrder publishes it", "returned"] in rows(result.stdout)
    assert ["2", "execute failure", "EnterPacking", "no route: the Flow fails", "not reached"] in rows(result.stdout)


def test_a_flow_of_which_every_run_fails_is_said_to_do_so(tmp_path: Path) -> None:
    flow = (catalog.load("lost-token").path / "flow.py").read_text(encoding="utf-8")
    broken = tmp_path / "mine.py"
    broken.write_text(flow.replace("CONTRACT_EDIT_TOKEN.publish(", "CONTRACT_EDIT_TOKEN.publsh("), encoding="utf-8")
    command = ("audit", f"{broken}:LostTokenFlow", "--section", "EditContract,SaveContractEdit", "--token",
               "contractEditToken", "--input", '[{"reviewer": "Ada", "text": "a"}]')  # fmt: skip
    told = call(*command)
    assert told.exit_code == 1
    assert "every run of the Flow fails, such as FAILED: StartContractEdits.execute: AttributeError" in told.stderr
    assert "每次运行都失败" in call(*command, "--lang", "zh").stderr


def test_a_key_of_a_map_of_tokens() -> None:
    command = ("audit", "token-per-contract", "--reviewers", "2", "--lost-attempts", "0")
    assert "write --token contractToken/KEY" in refused(call(*command))
    found = data(*command, "--token", "contractToken/lease")
    assert {way["way_out"] for way in found["ways"] if way["verdict"] == "returned"} == {"normal"}


def test_chinese() -> None:
    shown = call(*LOST, "--lang", "zh").stdout
    for words in ("出口", "提前退出", "EditContract 中没有发布 token 的地方", "丢失", "1 个出口丢失 token"):
        assert words in shown
    told = call(*LOST, "--lang", "zh", "--bound-states", "12").stdout
    assert "搜索被 states=12 截断，未到达的出口可能仍然存在" in told


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (("attribute-lock",), ("expected one token, got none", "write --token CHANNEL")),
        (("critical-section", "--token", "a"), ("no Channel 'a'", "contractEditToken")),
        (("critical-section", "--section", "A"), ("no Step 'A'", "EditContract")),
        (("critical-section", "--section", "EditContract", "--section", "SaveContractEdit"), ("one section, got 2",)),
        (("critical-section", "--explain", "0"), ("--explain", "0 is not in the range")),
        (("nope.py:Flow",), ("'nope.py'", "no such file")),
        ((f"{PRODUCTION}/fakes.py:make_flow", "--input", ORDERS), ("expected one section, got none",)),
    ],
    ids=str,
)
def test_what_cannot_be_audited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    line = refused(call("audit", *args))
    assert [part for part in parts if part not in line] == [], line
