"""A notebook shows every object: its text without addresses or paths, and HTML in which text of people's is data."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from dexpatterns import Bounds, Faults, Simulation, audit, catalog, check, js7, simulate
from dexpatterns.engine.report import Report
from dexpatterns.views import compare, html_of

CRITICAL = catalog.load("critical-section")
LOCKS = catalog.load("shared-lock")


def checked(pattern: Any, **given: Any) -> Report:
    return check(
        pattern.flow, pattern.make_input(reviewers=2), sections=[pattern.section], tokens=[pattern.token], **given
    )


def flag() -> Report:
    pattern = catalog.load("is-editing-flag")
    return check(pattern.flow, pattern.make_input(reviewers=2), sections=[pattern.section])


def simulation(reviewers: int = 2) -> Simulation:
    return Simulation(
        CRITICAL.flow, CRITICAL.make_input(reviewers=reviewers), sections=[CRITICAL.section], tokens=[CRITICAL.token]
    )


def controller() -> js7.Controller:
    made = js7.Controller(LOCKS.items)
    for order in LOCKS.orders:
        made.add_order(order.id, order.workflow)
    return made


def audited(lang: str = "en") -> Any:
    lost = catalog.load("lost-token")
    return audit(lost.flow, lost.make_input(reviewers=2), lost.section, token=lost.token, lang=lang)


def one_row() -> Any:
    standing = compare.Standing("one-at-a-time", "REFUTED", 8, True)
    return compare.table([compare.Line("x", "pattern", "X", {"overlap": [standing]})])


SHOWN: dict[str, tuple[Callable[[], Any], str, str]] = {
    "run": (lambda: simulate(CRITICAL.flow, CRITICAL.make_input(reviewers=2)), "COMPLETED after 22 turns", "<svg"),
    "run of orders": (
        lambda: js7.simulate(LOCKS.items, LOCKS.orders, jobs=LOCKS.jobs), "FINISHED after 10 turns", "<svg"
    ),
    "proof": (lambda: checked(CRITICAL), "PROVED   never stuck", "never stuck</bdi>"),
    "violation": (flag, "REFUTED  at most one", "2 are inside, limit 1"),
    "cut search": (lambda: checked(CRITICAL, bounds=Bounds(states=20)), "cut by states=20", "cut by states=20"),
    "simulation": (simulation, "0 turns, 1 move possible", "StartContractEdits begins"),
    "pattern": (lambda: CRITICAL, "<pattern 'critical-section': Critical Section>", "is-editing-flag"),
    "audit": (audited, "nothing in EditContract publishes it", "<b>lost</b>"),
    "comparison": (one_row, "broken in 8", "</svg>broken in 8 turns"),
    "section": (lambda: CRITICAL.section, "name='contract edit'", "contract edit"),
    "scenario": (lambda: CRITICAL.scenario, "StartContractEdits", "EditContract: 0:02:00"),
    "faults": (lambda: Faults(lost_attempts=2), "lost_attempts=2", "lost_attempts"),
    "bounds": (Bounds, "states=1000000", "1000000"),
    "controller": (controller, "5 orders, 5 turns", "import-1, import-2".replace(", ", "</bdi>, <bdi>")),
    "workflow": (lambda: LOCKS.items[1], "Workflow(path='IMPORT'", "&quot;jobName&quot;: &quot;import&quot;"),
    "lock": (lambda: LOCKS.items[0], "Lock(path='DATABASE', limit=3)", "DATABASE"),
    "order": (lambda: LOCKS.orders[0], "Order(id='report-1'", "report-1"),
    "jobs": (lambda: LOCKS.jobs, "Jobs({'report'", "0:05:00"),
    "seat": (lambda: simulation().seat().seated, "0 moves made, 1 possible", "StartContractEdits begins"),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_an_object_is_shown_as_text_and_as_html(name: str) -> None:
    make, text, html = SHOWN[name]
    thing, again = make(), make()
    assert text in repr(thing)
    assert html in thing._repr_html_()
    assert not re.search(r"0x[0-9a-f]{6}|/catalog/", repr(thing))
    assert (repr(thing), thing._repr_html_()) == (repr(again), again._repr_html_())


def test_a_verdict_is_told_by_shape_and_word() -> None:
    broken, proved = flag()._repr_html_(), checked(CRITICAL)._repr_html_()
    octagon = "M5.5 1.5h5l4 4v5l-4 4h-5l-4-4v-5z"
    assert broken.count(octagon) == 2
    assert "<b>REFUTED</b>" in broken
    assert octagon not in proved
    assert "12 turns: see .explanation" in broken


def test_the_moves_of_a_simulation_stand_under_the_numbers_that_take_expects() -> None:
    made = simulation()
    for _ in range(4):
        made.take(made.choices[0])
    rows = re.findall(r"<tr><td[^>]*>(\d+)</td><td[^>]*><bdi>([^<]*)</bdi></td><td[^>]*><bdi>([^<]*)", html_of(made))
    assert [int(number) for number, *_ in rows] == list(range(len(made.choices)))
    for number, _, says in rows:
        choice = made.choices[int(number)]
        assert says.startswith(choice.name.removesuffix(".execute")), (choice, says)


def test_an_audit_shows_its_columns_whole_and_in_its_language() -> None:
    shown, rows = repr(audited("zh")), audited("zh")._repr_html_()
    assert "..." not in shown
    assert "EditContract 中没有发布 token 的地方" in shown
    assert "schedule" not in shown
    assert "<th" in rows
    assert "出口" in rows
    assert "<code>.run(" in rows


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "x" * 10_000, "a\u202eb"]
)
def test_a_name_is_only_a_name(name: str) -> None:
    made = js7.Controller([{"TYPE": "Lock", "path": "L"}, {"path": "W", "instructions": []}])
    order = js7.Order("A", name.replace("|", "/"))
    section = type(CRITICAL.section)("EditContract", name=name)
    for thing in (order, section, js7.Lock(name), js7.Jobs({name: js7.Job()}), made):
        html = thing._repr_html_()
        assert not Tags(html).seen & {"script", "img"}
        assert "\u202e" not in html
        assert len(html) < 12_000
