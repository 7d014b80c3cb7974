"""A run as DataFrames: columns, dtypes and units are the same always, and every row can be read as a sentence."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from dexpatterns.dex import events as ev
from dexpatterns.dex.scenario import Section
from dexpatterns.engine.run import Run
from dexpatterns.engine.texts import LANGUAGES
from dexpatterns.engine.values import NOTHING, freeze
from dexpatterns.errors import InputError
from dexpatterns.views import frames
from dexpatterns.views.sentences import sentence
from tests.handmade import TOKEN, Story, after, critical, edits

SECTION = Section("EditContract", "SaveContractEdit", name="edit", label=lambda edit: edit.reviewer)
COLUMNS = {"events": frames.EVENTS, "intervals": frames.INTERVALS, "overlaps": frames.OVERLAPS}


def run_of(story: Story) -> Run:
    return Run(story.trace(), sections=(SECTION,), tokens=(TOKEN,))


def both_inside(clock: bool = True) -> Story:
    story, (a, b, _) = edits("ann", "bob", clock=clock)
    for path, name in ((a, "ann"), (b, "bob")):
        story.begin(path).save(path, ("EditContract", {"reviewer": name}))
    return story.begin(after(a)).begin(after(b)).save(after(a)).save(after(b))


def test_the_three_names_are_those_that_the_run_promises() -> None:
    assert list(frames.EVENTS) == ["turn", "time", "kind", "branch", "step", "method", "attempt", "text", "data"]
    assert list(frames.INTERVALS) == ["branch", "label", "start_turn", "end_turn", "start", "end", "outcome", "steps"]
    assert list(frames.OVERLAPS)[:8] == [
        "first", "second", "first_label", "second_label", "from_turn", "to_turn", "start", "end",
    ]  # fmt: skip


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize(
    "story",
    [Story(), Story(clock=False), both_inside(), both_inside(clock=False)],
    ids=["empty", "empty-nc", "two", "nc"],
)
def test_columns_and_dtypes_are_the_same_with_rows_and_without(story: Story, name: str) -> None:
    frame = getattr(run_of(story), name)()
    assert {column: str(dtype) for column, dtype in frame.dtypes.items()} == COLUMNS[name]


def test_intervals_are_a_row_per_visit_in_virtual_time() -> None:
    frame = run_of(both_inside()).intervals()
    assert frame.to_dict("records") == [
        {
            "branch": 1, "label": "ann", "start_turn": 7, "end_turn": 9, "start": pd.Timedelta(seconds=0.7),
            "end": pd.Timedelta(seconds=0.9), "outcome": "left", "steps": ("EditContract",),
        },
        {
            "branch": 2, "label": "bob", "start_turn": 8, "end_turn": 10, "start": pd.Timedelta(seconds=0.8),
            "end": pd.Timedelta(seconds=1), "outcome": "left", "steps": ("EditContract",),
        },
    ]  # fmt: skip


def test_without_a_clock_there_are_turns_and_no_times() -> None:
    run = run_of(both_inside(clock=False))
    for frame in (run.intervals(), run.overlaps()):
        assert frame[["start", "end"]].isna().all(axis=None)
    assert run.events()["time"].isna().all()


def test_who_is_still_inside_has_no_end_and_ends_past_the_last_turn() -> None:
    story, edit = Story(first="EditContract"), (0, 0)
    frame = Run(story.begin(edit).trace()).intervals(Section("EditContract"))
    assert (frame.loc[0, "end_turn"], frame.loc[0, "outcome"]) == (2, "open")
    assert pd.isna(frame.loc[0, "end"])


def test_overlaps_name_the_pair_and_when() -> None:
    (row,) = run_of(both_inside()).overlaps().to_dict("records")
    assert row == {
        "first": 1, "second": 2, "first_label": "ann", "second_label": "bob", "from_turn": 8, "to_turn": 9,
        "start": pd.Timedelta(seconds=0.8), "end": pd.Timedelta(seconds=0.9), "late": False,
    }  # fmt: skip
    assert Run(critical(4), sections=(SECTION,)).overlaps().empty


def test_late_code_counts_when_asked_for() -> None:
    story, (a, b, _) = edits("ann", "bob")
    for path, name in ((a, "ann"), (b, "bob")):
        story.begin(path).save(path, ("EditContract", {"reviewer": name}))
    run = run_of(story.begin(after(a)).fail(after(a), "route", how="late", route="Release").begin(after(b)))
    assert run.overlaps().empty
    assert list(run.overlaps(late=True)["late"]) == [True]
    assert list(run.intervals()["outcome"]) == ["failed", "late", "open"]


def test_events_are_a_row_per_event_under_the_branch_that_made_it() -> None:
    frame = run_of(both_inside()).events()
    assert list(frame["turn"][:4]) == [0, 0, 1, 2]
    began = frame[(frame["kind"] == "began") & (frame["step"] == "EditContract")]
    assert list(began["branch"]) == ["ann", "bob"]
    assert list(began["text"]) == ["EditContract begins", "EditContract begins"]
    assert list(began["attempt"]) == [1, 1]
    started = frame[frame["kind"] == "flow_started"].iloc[0]
    assert (started["branch"], started["step"], started["text"]) == ("", "", "ContractEditFlow starts")
    assert pd.isna(started["attempt"])
    assert set(frame["branch"]) == {"", "start", "ann", "bob", "FinishContractEdits"}


def test_data_holds_the_fields_of_an_event_as_plain_json() -> None:
    frame = run_of(both_inside()).events()
    published = frame[frame["kind"] == "published"].iloc[0]
    assert published["data"] == {"path": [0, 0], "channel": TOKEN, "value": "contract"}
    assert frame[frame["kind"] == "step_started"].iloc[1]["data"]["input"] == {"reviewer": "ann"}


def test_frames_speak_chinese_too() -> None:
    frame = run_of(both_inside()).events(lang="zh")
    assert frame[frame["kind"] == "published"].iloc[0]["text"] == f'向 {TOKEN} 发布 "contract"'
    assert "启动" in set(frame["branch"])


def test_a_language_that_is_not_spoken_is_refused() -> None:
    with pytest.raises(InputError, match="lang: expected 'en' or 'zh', got 'de'"):
        run_of(both_inside()).events(lang="de")


P, Q = (0, 1, 0, 0), (0, 1, 1, 0)
VALUE = freeze("draft 1")
SENTENCES: list[tuple[Any, str, str]] = [
    (ev.FlowStarted("Flow", VALUE), "Flow starts", "Flow 启动"),
    (ev.Stepped(P, "Edit", VALUE, (), "", "start"), "Edit is started", "启动 Edit"),
    (ev.Stepped(P, "Edit", VALUE, Q, "Enter", "go_to"), "Edit is started by Enter", "Enter 启动 Edit"),
    (
        ev.Stepped(P, "Release", VALUE, Q, "Save", "route"),
        "the failure route of Save starts Release",
        "Save 的失败路由启动 Release",
    ),
    (ev.Stepped(P, "Edit", VALUE, Q, "Enter", "fallback"), "Enter falls back to Edit", "Enter 退回到 Edit"),
    (ev.Began(P, "Edit", "wait_for", 1, (), ()), "Edit.wait_for begins", "Edit.wait_for 开始"),
    (
        ev.Began(P, "Check", "execute", 2, (("isEditing", freeze(False)), ("size of x", 3)), ()),
        "Check begins, attempt 2 and reads isEditing = False, size of x = 3",
        "Check 开始，第 2 次 attempt，读到 isEditing = False、size of x = 3",
    ),
    (ev.Recorded(P, "Edit", "note", VALUE), 'records note = "draft 1"', '记录 note = "draft 1"'),
    (ev.Saved(P, "Edit", "execute", 1, "dead_end"), "Edit saves: dead end", "Edit 已保存：此路结束"),
    (ev.Saved(P, "stop", "rpc", 1, ""), "stop saves", "stop 已保存"),
    (
        ev.Failed(P, "Save", "execute", 1, "ContractEditError", "save failed", "raised", "retry", 1.0, 2),
        'Save fails, attempt 1 of 2: ContractEditError "save failed"; tries again after 1 s',
        'Save 失败，第 1 次 attempt（最多 2 次）：ContractEditError "save failed"；1 s 后重试',
    ),
    (
        ev.Failed(P, "Save", "execute", 3, "AttemptLost", "its worker was lost", "lost", "route", 0.0, None),
        "Save is lost with its worker, attempt 3; goes to its failure route",
        "Save 随 worker 丢失，第 3 次 attempt；进入失败路由",
    ),
    (
        ev.Failed(P, "Save", "execute", 1, "AttemptTimedOut", "", "late", "flow_failed", 0.0, 1),
        "Save is given up, its code runs on, attempt 1 of 1; fails the Flow",
        "Save 已放弃，代码仍在运行，第 1 次 attempt（最多 1 次）；Flow 失败",
    ),
    (
        ev.LateEnded(P, "Save", "execute", 1),
        "the code of Save that ran on comes to its end; the Flow ignores it",
        "Save 仍在运行的代码结束；Flow 不理会它",
    ),
    (ev.AttributeChanged(P, "Save", "contract", None, VALUE), 'contract None → "draft 1"', 'contract None → "draft 1"'),
    (ev.Published(P, "Save", "token", VALUE), 'publishes "draft 1" to token', '向 token 发布 "draft 1"'),
    (
        ev.Returned(P, "Save", "token", (VALUE, VALUE, VALUE)),
        '"draft 1", "draft 1" +1 go back to the front of token',
        '"draft 1"、"draft 1" +1 归还到 token 的最前面',
    ),
    (ev.Waiting(P, "Enter", "one of token", ("token",)), "waits for one of token", "等待 one of token"),
    (ev.TimerFired(P, "Enter", 0, 3600.0), "a timer of 1:00:00 fires", "1:00:00 的 Timer 触发"),
    (
        ev.Consumed(P, "Enter", (("token", (VALUE,)),), (Q,)),
        'takes "draft 1" from token; 1 more waited too',
        '消费 token 的 "draft 1"；另有 1 个也在等待',
    ),
    (ev.Consumed(P, "Enter", (), ()), "its Wait completes without a message", "它的 Wait 完成，没有消费消息"),
    (
        ev.Cancelled(P, "Edit", "waiting", "wait_for", Q, "Stop"),
        "Edit is cancelled by Stop, waiting",
        "Edit 被 Stop 取消（等待）",
    ),
    (ev.GracefulAsked(P, "Finish"), "the Flow completes once no Step is active", "没有活动的 Step 时 Flow 即完成"),
    (ev.Stopped("CANCEL", "night"), "a stop arrives from outside: CANCEL: night", "外部停止请求到达：CANCEL：night"),
    (ev.TimedOut("FAIL"), "the Flow's timeout is reached: FAIL", "达到 Flow 的超时：FAIL"),
    (ev.Closed("FAILED", "why", (), ()), "the Flow ends FAILED: why", "Flow 以 FAILED 结束：why"),
]


@pytest.mark.parametrize(("event", "english", "chinese"), SENTENCES, ids=lambda x: getattr(x, "kind", None))
def test_what_happened_in_words(event: Any, english: str, chinese: str) -> None:
    assert (sentence(event, "en"), sentence(event, "zh")) == (english, chinese)


def test_every_kind_of_event_has_a_sentence() -> None:
    assert {event.kind for event, _, _ in SENTENCES} == set(ev.EVENTS)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_values_are_shortened_and_shown_harmlessly(lang: str) -> None:
    said = sentence(ev.Published(P, "S\x1b[2J", "tok\u202een", freeze("<b>\u2066" + "x" * 10_000)), lang)
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert "\u2066" not in said
    assert "10,0" in said
    assert len(said) < 120


def test_a_step_without_an_input_and_a_kind_that_is_not_known_do_no_harm() -> None:
    run = Run(Story().turn("begin", (0, 0), ev.Stepped(P, "Edit", NOTHING, (0, 0), "S", "go_to")).trace())  # type: ignore[arg-type]
    assert run.events().iloc[-1]["data"]["input"] is None

    class Odd(ev.TimedOut):
        kind = "odd_thing"

    assert sentence(Odd("x")) == "odd thing: policy x"
