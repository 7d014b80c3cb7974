"""Positions lead in and out of blocks (J110), and branches are named as the files' readers expect."""

from __future__ import annotations

from dexpatterns.js7 import expression as ex
from dexpatterns.js7.instructions import END, Block, Branch, Fork, If, Prompt, Retry, Try, Workflow
from dexpatterns.js7.positions import TOP, attempt, branch_of, following, normalized, outer, step_into

ASK = Prompt(question=ex.Text("?"))


def test_j110_into_a_block_and_out_again() -> None:
    inside = step_into((0,), "try+2")
    assert inside == (0, "try+2", 0)
    assert (branch_of(inside), attempt("try+2"), normalized("try+2")) == ("try+2", 2, "try")
    assert following(inside) == (0, "try+2", 1)
    assert outer(following(inside)) == TOP
    assert outer(TOP) is None and branch_of(TOP) is None


def test_j110_only_try_and_catch_carry_an_attempt() -> None:
    assert attempt("catch+0") == 0
    for branch in ("try", "then+2", "fork+try+1", "lock", "try+x"):
        assert attempt(branch) is None and normalized(branch) == branch


def test_j110_branches_by_name() -> None:
    yes = ex.Boolean(True)
    inner = [Block((ASK,) * n) for n in range(1, 5)]
    choice = If(cases=((yes, inner[0]), (yes, inner[1]), (yes, inner[2])), otherwise=inner[3])
    assert [name for name, _ in choice.blocks] == ["then", "then+2", "then+3", "else"]
    fork = Fork(branches=(Branch("try+1", inner[0]), Branch("b", inner[1])))
    tried = Try(body=Block((fork,)), catch=Block((Retry(),)))
    workflow = Workflow("W", Block((choice, tried)))
    assert workflow.block_at((0, "then+2", 0)) is inner[1]
    assert workflow.at((1, "try+7", 0, "fork+try+1", 0)) is ASK
    assert workflow.at((1, "try+7", 0, "fork+b", 2)) is END
    assert isinstance(workflow.at((1, "catch+7", 0)), Retry)
    for nowhere in ((), (2, "try+0", 0), (1, "try+0"), ("try+0",), (0, "then+4", 0), (-1,), (1, "try+0", 5, "x", 0)):
        assert workflow.at(nowhere) is None
