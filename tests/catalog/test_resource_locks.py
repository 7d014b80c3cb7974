"""The resource-lock folders: workflow files in place of a Flow, and what their claims rest on."""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dexpatterns import catalog, claims
from dexpatterns.errors import InputError
from dexpatterns.js7 import Jobs, Lock, Workflow, dump, look
from dexpatterns.js7 import load as load_items

LOCKS = {pattern.id: pattern for pattern in catalog.patterns() if pattern.form == "js7"}
MENDS = {
    "failed-order-keeps-lock": ("exclusive-lock",),
    "heavy-waiter-starves": ("exclusive-lock",),
    "nested-locks-opposite-order": ("uniform-nesting", "several-locks"),
    "retry-holding-lock": ("exclusive-lock",),
}


def judged(id: str, name: str) -> claims.Judged:
    return LOCKS[id].judged(name)


def test_the_eight_folders_and_what_mends_what() -> None:
    assert set(LOCKS) == {"exclusive-lock", "shared-lock", "several-locks", "uniform-nesting", *MENDS}
    assert {id: pattern.repaired_by for id, pattern in LOCKS.items() if pattern.kind == "anti-pattern"} == MENDS


@pytest.mark.parametrize("id", LOCKS)
def test_a_folder_gives_its_items_orders_and_jobs(id: str) -> None:
    pattern = LOCKS[id]
    assert {type(item) for item in pattern.items} == {Workflow, Lock}
    paths = {item.path for item in pattern.items}
    assert {order.workflow for order in pattern.orders} <= paths
    assert isinstance(pattern.jobs, Jobs)
    assert pattern.flows == ()
    assert (pattern.section, pattern.token, pattern.scenario) == (None, None, None)


@pytest.mark.parametrize("id", LOCKS)
def test_the_files_are_in_the_controller_dialect_and_mean_the_same_in_the_other(id: str, tmp_path: Path) -> None:
    items = LOCKS[id].items
    assert load_items(dump(items)) == items
    dump(items, "inventory", tmp_path)
    assert load_items(tmp_path) == items
    for file in LOCKS[id].path.glob("*.json"):
        assert json.loads(file.read_text(encoding="utf-8"))["path"] == file.name.partition(".")[0]


@pytest.mark.parametrize("name", ["flow", "input"])
def test_a_resource_lock_pattern_has_no_flow_and_says_what_it_has(name: str) -> None:
    with pytest.raises(InputError, match=rf"'shared-lock' has no \.{name}: .*shared-lock has workflow files"):
        getattr(LOCKS["shared-lock"], name)
    with pytest.raises(InputError, match=r"use \.items, \.orders, \.jobs"):
        LOCKS["shared-lock"].make_input(2)


@pytest.mark.parametrize("name", ["items", "orders", "jobs"])
def test_a_pattern_with_a_flow_has_no_items(name: str) -> None:
    with pytest.raises(InputError, match=rf"'semaphore' has no \.{name}: .* use \.flow, \.input, \.section"):
        getattr(catalog.load("semaphore"), name)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(LOCKS["shared-lock"].path, tmp_path / "shared-lock"))


def test_its_world_alone_is_run(copy: Path) -> None:
    (copy / "other.py").write_text("raise SystemExit\n", encoding="utf-8")
    pattern = catalog.open(copy)
    assert [one.id for one in catalog.patterns(copy.parent)] == ["shared-lock"]
    assert pattern.orders
    made = [name for name in sys.modules if name.startswith(pattern.world.__package__ + ".")]
    assert made == [f"{pattern.world.__package__}.world"]


def test_its_items_are_read_without_its_world(copy: Path) -> None:
    (copy / "world.py").write_text("raise SystemExit\n", encoding="utf-8")
    assert len(catalog.open(copy).items) == 3


def test_a_changed_workflow_file_is_read_again(copy: Path) -> None:
    before = catalog.open(copy).items
    (copy / "DATABASE.lock.json").write_text('{"TYPE": "Lock", "path": "DATABASE", "limit": 12}', encoding="utf-8")
    after = catalog.open(copy).items
    assert [item.limit for item in (*before, *after) if isinstance(item, Lock)] == [3, 12]


def change(folder: Path, name: str, text: str | None) -> None:
    if text is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(text, encoding="utf-8")


BROKEN: list[tuple[str, str | None, bool, str]] = [
    ("flow.py", "", False, r"expected flow\.py or \*\.workflow\.json files, got both"),
    ("world.py", None, False, r"expected pattern\.toml, world\.py, got no world\.py"),
    ("pattern.toml", None, False, r"got no pattern\.toml"),
    ("DATABASE.lock.json", "{", True, r"DATABASE\.lock\.json"),
    ("DATABASE.lock.json", None, True, r"unknown lock 'DATABASE'"),
    ("REPORT.workflow.json", '{"path": "REPORT", "instructions": [{"TYPE": "Lok"}]}', True, r"Lok"),
    ("world.py", "CLAIMS = {}\n", True, r"expected ORDERS, got none"),
    ("world.py", "ORDERS = 3\n", True, r"ORDERS: expected a tuple of orders, got 3"),
    ("world.py", "ORDERS = (3,)\n", True, r"expected a js7\.Order, got 3"),
    ("world.py", "ORDERS = ()\nJOBS = {'report': 3}\n", True, r"world\.py: .*expected a Job, got 3"),
    (
        "world.py", "from dexpatterns.js7 import Order\nORDERS = (Order('A', 'REPORTS'),)\n", True,
        r"world\.py: unknown workflow 'REPORTS'",
    ),
    ("world.py", "ORDERS = ()\n", True, r"no claim 'within-capacity' in CLAIMS"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "run", "said"), BROKEN, ids=[f"{one[0]}-{one[3]}" for one in BROKEN])
def test_a_broken_folder_is_named_and_the_others_go_on(
    copy: Path, name: str, text: str | None, run: bool, said: str
) -> None:
    shutil.copytree(LOCKS["several-locks"].path, copy.parent / "several-locks")
    change(copy, name, text)
    (problem,) = catalog.problems(copy.parent, run=run)
    assert problem.path == copy
    assert re.search(said, problem.text), problem.text
    assert [one.id for one in catalog.patterns(copy.parent) if one.id != "shared-lock"] == ["several-locks"]


# What is claimed.


def test_all_claims_together_are_quick() -> None:
    started = time.perf_counter()
    rows = [row for pattern in LOCKS.values() for row in pattern.verified()]
    assert [(row.claim, row.verdict) for row in rows if not row.holds] == []
    assert time.perf_counter() - started < 10


def test_the_deadlock_is_named_and_seen_in_the_files() -> None:
    """J44: each holds what the other waits for."""
    run = judged("nested-locks-opposite-order", "in-a-circle").run
    orders = run.trace.final["orders"]
    assert {one["state"] for one in orders.values()} == {"WaitingForLock"}
    (found,) = look(LOCKS["nested-locks-opposite-order"].items)
    assert (found.kind, found.locks) == ("nested in different orders", ("SALES", "STOCK"))


def test_a_look_finds_nothing_in_the_patterns() -> None:
    for pattern in LOCKS.values():
        if pattern.kind == "pattern":
            assert look(pattern.items) == [], pattern.id


@pytest.mark.parametrize(
    ("id", "kind"),
    [("failed-order-keeps-lock", "failed child keeps the lock"), ("retry-holding-lock", "delay while holding")],
)
def test_a_look_finds_what_an_anti_pattern_is_about(id: str, kind: str) -> None:
    assert [found.kind for found in look(LOCKS[id].items)] == [kind]


@pytest.mark.parametrize(
    ("name", "state"), [("stopped-others-wait", "Stopped"), ("child-others-wait", "Forked")], ids=str
)
def test_whoever_left_the_lock_is_still_there(name: str, state: str) -> None:
    """J22, J42."""
    final = judged("failed-order-keeps-lock", name).run.trace.final
    assert final["status"] == "STUCK"
    assert final["orders"]["load"]["state"] == state
    assert final["locks"]["WAREHOUSE"]["queue"] == ["clean-up"]


def test_pauses_are_held_through_with_the_lock_outside_and_not_inside() -> None:
    world: Any = LOCKS["retry-holding-lock"].world
    assert [world.wait("RETRIED-LOAD", attempts) for attempts in (1, 2, 3)] == [1, 12, 23]
    assert [world.wait("REPAIRED-LOAD", attempts) for attempts in (1, 2, 3)] == [1, 1, 1]


def test_who_is_passed_is_told() -> None:
    """The first-come property is no empty one: with priorities an order is overtaken."""
    from dexpatterns.js7 import Order

    world: Any = LOCKS["exclusive-lock"].world
    orders = [*world.loads(2), Order("urgent", "NIGHTLY-LOAD", priority=1)]
    report = world.ask(orders, world.FirstCome())
    assert report.verdict.name == "REFUTED"
    assert report.results[0].detail.endswith("is overtaken")


def test_nobody_is_left_behind_only_because_they_were_cancelled() -> None:
    world: Any = LOCKS["exclusive-lock"].world
    assert world.left_behind(3, 2) == 0
    assert world.left_behind(3, 3) == 0


def test_what_a_lock_covers_stands_beside_the_tokens() -> None:
    from dexpatterns.views.compare import HEADINGS

    cells = catalog.compare()
    cells.columns = [*cells.columns[:2], *HEADINGS]
    lock, token, attribute = (cells.loc[id] for id in ("exclusive-lock", "critical-section", "attribute-lock"))
    assert (lock["spans Steps"], token["spans Steps"]) == ("proved", "proved")
    assert attribute["spans Steps"] != "proved"
    assert (lock["fair"], token["fair"]) == ("proved", "broken in 8 turns")
    assert (cells.loc["shared-lock"]["holds n"], cells.loc["semaphore"]["holds n"]) == ("proved", "proved")
    assert (lock["survives failure"], lock["survives cancel"]) == ("proved", "within its bounds")
    assert lock["lost token"] == lock["second token"] == ""
    assert cells.loc["failed-order-keeps-lock"]["survives failure"] == "broken in 2 turns"
    assert cells.loc["nested-locks-opposite-order"]["stuck"] == "broken in 4 turns"
    assert cells.loc["heavy-waiter-starves"]["fair"] == "broken in 6 turns"
