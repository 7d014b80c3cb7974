"""Names and values of people are data: in no plain text of ours do they break a line, turn it round, or hide."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dexpatterns as d
from dexpatterns import js7
from dexpatterns.dex.wording import shown
from dexpatterns.engine.schedule import Schedule
from dexpatterns.engine.texts import acts, isolated, visible
from dexpatterns.engine.values import freeze
from dexpatterns.js7.instructions import Block
from dexpatterns.terminal import table

BAD = "a\u202eb\x00c\nd\x1b[2Je\u200bf\u2028g\u00adh"
TOKEN = d.Channel("token", int)
SEEN = "a\\u202eb"
HELD: list[d.Context] = []
"""What a handler can print."""


@dataclass(frozen=True)
class Given:
    who: str


class Named(d.Step[Given]):
    def get_step_type(self) -> str:
        return BAD

    def execute(self, context: d.Context, input: Given) -> d.StepDecision:
        HELD.append(context)
        return d.graceful_complete(input.who)


class NamedFlow(d.Flow[Given]):
    def get_flow_type(self) -> str:
        return BAD

    def get_steps(self) -> d.StepList[Given]:
        return d.StepList.start_step(Named())

    def get_persistence_schema(self) -> d.PersistenceSchema:
        return d.PersistenceSchema.of(TOKEN)


SECTION = d.Section(Named, name=BAD, label=lambda given: str(given.who))
RUN = d.simulate(NamedFlow, Given(BAD), sections=[SECTION])
BROKEN = d.always(BAD, lambda state: state["status"] == "RUNNING")
REPORT = d.check(NamedFlow, Given(BAD), properties=[BROKEN, d.mutual_exclusion(SECTION)], sections=[SECTION])


def titled() -> d.catalog.Pattern:
    pattern = copy.copy(d.catalog.load("critical-section"))
    pattern._card = pattern._card._replace(title={"en": BAD, "zh": BAD})
    return pattern


TEXTS: dict[str, Any] = {
    "report": REPORT,
    "result": REPORT.results[0],
    "property": BROKEN,
    "own property": d.mutual_exclusion(SECTION),
    "value": freeze(Given(BAD)),
    "context": HELD[0],
    "run": RUN,
    "explanation": REPORT.explanation,
    "explanation in Chinese": REPORT.explained("zh"),
    "section": SECTION,
    "choice": RUN.trace.turns[0].choice,
    "schedule": Schedule.of(RUN.trace),
    "simulation": d.Simulation(NamedFlow, Given(BAD)),
    "seat": d.Simulation(NamedFlow, Given(BAD)).seat(),
    "run's graph": RUN.graph(),
    "graph": d.graph(NamedFlow),
    "timeline": RUN.timeline(),
    "stepper": RUN.stepper(),
    "two runs": d.compare_runs(RUN, RUN),
    "pattern": titled(),
    "invoke": d.Invoke(BAD, BAD),
    "decision": d.force_fail(BAD),
    "movement": d.StepMovement(Named, Given(BAD)),
    "channel": d.Channel("a\u202eb", int),
    "attribute": d.Attribute("a\u202eb", int),
    "wait": d.Wait.until(d.Channel("a\u202eb", int).for_one()),
    "audit": d.audit(NamedFlow, Given(BAD), SECTION, token=TOKEN),
    "lock": js7.Lock(BAD),
    "workflow": js7.Workflow(BAD, Block()),
    "order": js7.Order("a\u202eb", "W"),
}


@pytest.mark.parametrize("how", [str, repr])
@pytest.mark.parametrize("name", TEXTS)
def test_no_name_acts_in_a_plain_text(name: str, how: Any) -> None:
    text = how(TEXTS[name])
    assert sorted({c for c in text if acts(c)} - {"\n"}) == []
    assert "c\nd" not in text


@pytest.mark.parametrize(
    "name",
    ["report", "property", "explanation", "simulation", "lock", "workflow", "pattern", "value", "context", "run"],
)
def test_the_name_is_there_to_be_read(name: str) -> None:
    assert SEEN in str(TEXTS[name])


@given(st.text())
def test_a_text_made_visible_stays_as_it_is(text: str) -> None:
    assert not any(map(acts, visible(text).replace("\u2068", "").replace("\u2069", "")))
    assert visible(visible(text)) == visible(text)


@given(st.text(st.characters(exclude_characters="\u2066\u2067\u2068\u2069")))
def test_what_a_sentence_shows_stays_as_it_is(text: str) -> None:
    assert visible(shown(text)) == shown(text)


def test_isolates_are_kept_around_what_is_read_from_the_right_and_nowhere_else() -> None:
    assert visible(isolated("علي")) == "\u2068علي\u2069"
    assert visible("\u2068Bo\u2069") == "\\u2068Bo\\u2069"
    assert visible("\u2068علي") == "\\u2068علي"


@pytest.mark.parametrize(
    "point", [0x200B, 0x00AD, 0x2060, 0x3164, 0x115F, 0xFEFF, 0x061C, 0x202E, 0x2028, 0x85, 0xD800]
)  # fmt: skip
def test_what_cannot_be_seen_is_written_as_an_escape_everywhere(point: int) -> None:
    escape = visible(chr(point))
    assert escape.startswith("\\")
    assert visible(f"a{chr(point)}") == shown(f"a{chr(point)}") == f"a{escape}"


def test_what_joins_emoji_and_accents_letters_is_kept() -> None:
    for text in ("👩‍💻", "é", "می‌خواهم", "❤️", "李\u3000雷"):
        assert visible(text) == text


# A name of which nothing would be seen.

UNSEEN = {"   ": "␣␣␣", "\u3000\u00a0": "␣␣", "\u200d": "\\u200d", "\ufe0f ": "\\ufe0f␣", "\t": "\\t"}


def told(name: str) -> d.Report:
    """Two are inside together, one of them of that name."""
    pattern = d.catalog.load("is-editing-flag")
    first, second = pattern.make_input(reviewers=2)
    return d.check(pattern.flow, [replace(first, reviewer=name), second], sections=[pattern.section])


def page_of(run: d.Run, folder: Path) -> str:
    run.save_html(folder / "run.html")
    return (folder / "run.html").read_text(encoding="utf-8")


SHOWN: dict[str, Callable[[d.Report, d.Run, Path], str]] = {
    "explanation": lambda report, run, _: str(report.explanation),
    "explanation in Chinese": lambda report, run, _: str(report.explained("zh")),
    "explanation as HTML": lambda report, run, _: report.explanation._repr_html_(),
    "lanes": lambda report, run, _: str(run.timeline()),
    "lanes as SVG": lambda report, run, _: run.timeline().svg,
    "graph": lambda report, run, _: run.graph().text(),
    "graph as SVG": lambda report, run, _: run.graph().svg,
    "stepper": lambda report, run, _: json.dumps(run.stepper().show, ensure_ascii=False).replace("\\\\", "\\"),
    "page": lambda report, run, folder: page_of(run, folder).replace("\\\\", "\\"),
    "two runs": lambda report, run, _: str(d.compare_runs(run, run)),
    "table": lambda report, run, _: table("who", [[run.intervals()["label"].iloc[0]]]),
}


@pytest.mark.parametrize("name", UNSEEN, ids=ascii)
def test_a_name_of_which_nothing_would_be_seen_has_marks_everywhere(name: str, tmp_path: Path) -> None:
    report = told(name)
    assert report.counterexample is not None
    run, marks = report.counterexample, UNSEEN[name]
    assert [where for where, show in SHOWN.items() if marks not in show(report, run, tmp_path)] == []


def test_blanks_beside_something_stay_blanks() -> None:
    assert [visible(text) for text in ("", " a", "李 雷", "\u3000雷")] == ["", " a", "李 雷", "\u3000雷"]
