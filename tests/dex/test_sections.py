"""Who is inside a section, who holds the token, and which lines of descent a run has (rules 1-4 of `dex.watch`)."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dexpatterns.dex import events as ev
from dexpatterns.dex.scenario import Section
from dexpatterns.dex.sections import Lane, SectionWatch, TokenWatch, Visit, labels, lanes, overlaps, read, visits
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.trace import Trace
from dexpatterns.engine.values import freeze
from dexpatterns.errors import InputError
from tests.handmade import TOKEN, Story, after, critical, edits

SECTION = Section("EditContract", "SaveContractEdit", name="edit", label=lambda edit: edit.reviewer)


def inside_after_each_turn(trace: Trace, section: Any = SECTION, late: bool = False) -> list[int]:
    """How many branches are inside after each turn, folded one move at a time."""
    watch = SectionWatch(section)
    state = watch.step(watch.initial(), trace.started)
    counts = []
    for turn in trace.turns:
        state = watch.step(state, turn.events)
        counts.append(len(watch.inside(state, late)))
    return counts


def one(first: str = "EditContract") -> tuple[Story, Lineage]:
    """A Flow of a single line that begins with `first`."""
    return Story(first=first), (0, 0)


def row(visit: Visit) -> tuple[str, int, int, str]:
    return visit.label, visit.start_turn, visit.end_turn, visit.outcome


# Rule 1: when a branch is inside.


def test_a_branch_is_inside_from_the_begin_of_execute_not_from_its_wait() -> None:
    story, edit = one()
    trace = story.begin(edit, "wait_for").wait(edit, takes=True).begin(edit).save(edit).trace()
    assert inside_after_each_turn(trace) == [0, 0, 1, 0]


def test_a_section_step_started_out_of_another_is_inside_with_its_wait_too() -> None:
    story, edit = one()
    save = after(edit)
    story.begin(edit).save(edit, "SaveContractEdit").begin(save, "wait_for").wait(save).take(save)
    trace = story.begin(save).save(save).trace()
    assert inside_after_each_turn(trace) == [1, 1, 1, 1, 1, 1, 0]
    assert [row(v) for v in visits(trace, Section("EditContract", "SaveContractEdit"))] == [
        ("EditContract-1", 1, 7, "left")
    ]


def test_a_section_step_started_from_outside_is_not_inside_before_it_begins() -> None:
    story, enter = one("EnterContractEdit")
    trace = story.begin(enter).save(enter, "EditContract").begin(after(enter)).trace()
    assert inside_after_each_turn(trace) == [0, 0, 1]


def test_what_a_call_starts_is_not_inside_although_the_call_bears_the_name_of_a_step() -> None:
    story, edit = one()
    story.begin(edit).begin((2, 0, 0, 0), "rpc", step="EditContract")
    trace = story.save((2, 0, 0, 0), "SaveContractEdit", method="rpc").trace()
    assert inside_after_each_turn(trace) == [1, 1, 1]
    assert len(visits(trace, Section("EditContract", "SaveContractEdit"))) == 1


# Rule 2: everything that descends from one entry is one branch.


def test_two_children_of_one_entry_are_one_branch_that_ends_with_the_last_of_them() -> None:
    story, edit = one()
    left, right = (0, 1, 0, 0), (0, 1, 1, 0)
    story.begin(edit).save(edit, "SaveContractEdit", "SaveContractEdit")
    trace = story.begin(left).save(left).begin(right).save(right).trace()
    assert inside_after_each_turn(trace) == [1, 1, 1, 1, 1, 0]
    (visit,) = visits(trace, Section("EditContract", "SaveContractEdit"))
    assert (visit.start_turn, visit.end_turn, visit.steps) == (
        1, 6, ("EditContract", "SaveContractEdit", "SaveContractEdit"),
    )  # fmt: skip


def test_a_descendant_outside_that_comes_back_while_another_is_inside_is_the_same_branch() -> None:
    story, edit = one()
    stays, goes = (0, 1, 0, 0), (0, 1, 1, 0)
    story.begin(edit).save(edit, "SaveContractEdit", "Notify").begin(goes).save(goes, "EditContract")
    trace = story.begin(after(goes)).begin(stays).save(stays).save(after(goes)).trace()
    assert inside_after_each_turn(trace) == [1, 1, 1, 1, 1, 1, 1, 0]
    assert len(visits(trace, Section("EditContract", "SaveContractEdit"))) == 1


def test_a_descendant_that_was_started_again_from_outside_is_not_inside_before_it_begins() -> None:
    story, edit = one()
    stays, goes = (0, 1, 0, 0), (0, 1, 1, 0)
    story.begin(edit).save(edit, "SaveContractEdit", "Notify").begin(goes).save(goes, "EditContract")
    trace = story.begin(stays).save(stays).begin(after(goes)).save(after(goes)).trace()
    assert inside_after_each_turn(trace) == [1, 1, 1, 1, 1, 0, 1, 0]
    assert len(visits(trace, Section("EditContract", "SaveContractEdit"))) == 2


def test_coming_back_after_all_have_left_is_a_new_entry() -> None:
    story, edit = one()
    story.begin(edit).save(edit, "Review").begin(after(edit)).save(after(edit), "EditContract")
    trace = story.begin(after(edit, 2)).save(after(edit, 2)).trace()
    assert inside_after_each_turn(trace) == [1, 0, 0, 0, 1, 0]
    assert [row(v) for v in visits(trace, Section("EditContract"))] == [
        ("EditContract-1", 1, 2, "left"),
        ("EditContract-1 (2)", 5, 6, "left"),
    ]


# Rule 3: how a branch leaves.


def left_by(how: str) -> tuple[Trace, str]:
    story, edit = one()
    story.begin(edit)
    if how == "cancelled":
        story = Story(first="Start").begin((0, 0)).save((0, 0), "EditContract", "Cancel")
        edit, other = (0, 1, 0, 0), (0, 1, 1, 0)
        story.begin(edit).begin(other).save(other, cancel=((edit, "running"),))
    elif how == "failed":
        story.fail(edit, "route", route="Release")
    elif how == "flow_failed":
        story.fail(edit, "flow_failed")
    elif how == "closed":
        story.close()
    elif how == "left":
        story.save(edit, close="COMPLETED")
    return story.trace(), how


@pytest.mark.parametrize(
    ("how", "outcome"),
    [
        ("left", "left"), ("failed", "failed"), ("flow_failed", "failed"), ("cancelled", "cancelled"),
        ("closed", "closed"), ("open", "open"),
    ],
)  # fmt: skip
def test_the_outcome_says_how_a_branch_left(how: str, outcome: str) -> None:
    trace, _ = left_by(how)
    visit = visits(trace, Section("EditContract"))[0]
    assert visit.outcome == outcome
    still = outcome == "open"
    assert visit.end_turn == len(trace.turns) + still
    assert (visit.end is None) is still
    assert inside_after_each_turn(trace, Section("EditContract"))[-1] == still


def test_a_failed_attempt_that_is_tried_again_does_not_leave() -> None:
    story, edit = one()
    trace = story.begin(edit).fail(edit).begin(edit, attempt=2).save(edit, attempt=2).trace()
    assert inside_after_each_turn(trace) == [1, 1, 1, 0]


def test_a_failure_route_to_a_section_step_does_not_leave() -> None:
    story, edit = one()
    trace = story.begin(edit).fail(edit, "route", route="SaveContractEdit").begin(after(edit)).save(after(edit)).trace()
    assert inside_after_each_turn(trace) == [1, 1, 1, 0]


def test_who_leaves_and_who_begins_in_the_next_turn_do_not_overlap() -> None:
    story, (a, b, _) = edits("a", "b")
    story.save(a, "EditContract").save(b, "EditContract")
    story.begin(after(a)).save(after(a)).begin(after(b)).save(after(b))
    found = visits(story.trace(), Section("EditContract"))
    assert [(v.start_turn, v.end_turn) for v in found] == [(5, 6), (7, 8)]
    assert overlaps(found) == []


# Rule 4: code that runs on.


def late_story() -> tuple[Story, Lineage, Lineage]:
    story, (a, b, _) = edits("a", "b")
    moves = [("EditContract", {"reviewer": name}) for name in "ab"]
    story.begin(a).save(a, moves[0]).begin(b).save(b, moves[1])
    return story, after(a), after(b)


def test_code_that_was_given_up_has_a_row_of_its_own_until_it_ends() -> None:
    story, a, b = late_story()
    story.begin(a).fail(a, "route", how="late", route="Release").begin(b).end_late(a).save(b)
    trace = story.trace()
    found = visits(trace, SECTION)
    assert [(row(v), v.late) for v in found] == [
        (("a", 7, 8, "failed"), False),
        (("a", 8, 10, "late"), True),
        (("b", 9, 11, "left"), False),
    ]
    assert overlaps(found) == []
    (pair,) = overlaps(found, late=True)
    assert (pair.first.label, pair.second.label, pair.from_turn, pair.to_turn) == ("a", "b", 9, 10)
    assert inside_after_each_turn(trace)[6:] == [1, 0, 1, 1, 0]
    assert inside_after_each_turn(trace, late=True)[6:] == [1, 1, 2, 1, 0]


def test_late_code_beside_another_attempt_of_its_own_branch_is_no_second_branch() -> None:
    story, a, _ = late_story()
    trace = story.begin(a).fail(a, how="late").begin(a, attempt=2).end_late(a).save(a, attempt=2).trace()
    assert inside_after_each_turn(trace, late=True)[6:] == [1, 1, 1, 1, 0]
    assert overlaps(visits(trace, SECTION), late=True) == []


def test_code_that_was_cancelled_while_running_runs_on_until_its_end() -> None:
    story, a, b = late_story()
    story.begin(a).begin(b).save(b, cancel=((a, "running"),)).end_late(a)
    trace = story.trace()
    assert [(row(v)) for v in visits(trace, SECTION) if v.late] == [("a", 9, 10, "late")]


@pytest.mark.parametrize("phase", ["queued", "waiting", "retrying"])
def test_code_that_was_cancelled_while_it_did_not_run_does_not_run_on(phase: str) -> None:
    story, a, b = late_story()
    trace = story.begin(a).begin(b).save(b, cancel=((a, phase),)).trace()
    assert not [v for v in visits(trace, SECTION) if v.late]


def test_a_close_ends_what_runs_on() -> None:
    story, a, _ = late_story()
    trace = story.begin(a).fail(a, "route", how="late", route="Release").close().trace()
    assert [row(v) for v in visits(trace, SECTION) if v.late] == [("a", 8, 9, "late")]
    assert inside_after_each_turn(trace, late=True)[-1] == 0


# The state that an explorer keeps.


def test_the_state_keeps_living_members_of_open_branches_alone() -> None:
    watch = SectionWatch(Section("EditContract"))
    story, edit = one()
    for n in range(50):
        story.begin(after(edit, n)).save(after(edit, n), "EditContract")
    state = watch.initial()
    sizes = []
    for turn in story.trace().turns:
        state = watch.step(state, turn.events)
        sizes.append(len(state.members))
    assert set(sizes) == {1}
    assert watch.step(state, story.close().trace().turns[-1].events) == watch.initial()


def test_events_that_do_not_concern_the_section_give_back_the_same_object() -> None:
    watch = SectionWatch(Section("EditContract"))
    state = watch.initial()
    for turn in critical(2, rounds=0).turns:
        assert watch.step(state, turn.events) is state


def test_states_that_differ_only_in_names_have_one_key() -> None:
    def state_of(path: Lineage, other: Lineage) -> tuple[SectionWatch, Any]:
        watch = SectionWatch(Section("EditContract"))
        state = watch.initial()
        for who in (other, path):
            state = watch.step(state, (ev.Began(who, "EditContract", "execute", 1, (), ()),))
        state = watch.step(state, (ev.Failed(path, "EditContract", "execute", 1, "X", "", "late", "retry", 1.0, 2),))
        return watch, state

    watch, first = state_of((0, 1, 0, 0), (0, 1, 1, 0))
    _, second = state_of((0, 9, 0, 7), (0, 9, 1, 3))
    assert first != second
    assert watch.key(first, sorted([(0, 1, 0, 0), (0, 1, 1, 0)]).index) == watch.key(
        second, sorted([(0, 9, 0, 7), (0, 9, 1, 3)]).index
    )
    # Whose code runs on is a difference.
    swapped = {(0, 1, 0, 0): 1, (0, 1, 1, 0): 0}
    assert watch.key(first, swapped.__getitem__) != watch.key(second, sorted([(0, 9, 0, 7), (0, 9, 1, 3)]).index)


# Lanes and labels.


def shown(lane: Lane) -> tuple[int, str, str]:
    return lane.number, lane.kind, lane.label


def test_a_lane_begins_where_a_branch_became_the_only_one_and_is_named_by_its_visit() -> None:
    trace = critical(3)
    assert [shown(lane) for lane in lanes(trace, SECTION)] == [
        (0, "start", "StartContractEdits"),
        (1, "branch", "reviewer-1"),
        (2, "branch", "reviewer-2"),
        (3, "branch", "reviewer-3"),
        (0, "join", "FinishContractEdits"),
    ]
    reading = read(trace, SECTION)
    assert [visit.branch for visit in reading.visits] == [1, 2, 3]
    for visit in reading.visits:
        assert reading.lanes[reading.lane_of[visit.entry]].number == visit.branch


def test_branches_that_wait_before_the_section_are_told_apart_by_their_own_input() -> None:
    trace = critical(3, rounds=1)
    assert [lane.label for lane in lanes(trace, SECTION)][1:4] == ["reviewer-1", "reviewer-2", "reviewer-3"]


@pytest.mark.parametrize("section", [None, Section("EditContract", "SaveContractEdit")])
def test_without_a_label_function_a_branch_is_the_step_and_its_number(section: Any) -> None:
    assert [lane.label for lane in lanes(critical(2), section)][1:3] == ["EnterContractEdit-1", "EnterContractEdit-2"]


def test_a_flow_of_a_single_line_is_one_branch() -> None:
    story, enter = one("EnterContractEdit")
    story.begin(enter).save(enter, "EditContract").begin(after(enter)).save(after(enter))
    assert [shown(lane) for lane in lanes(story.trace(), Section("EditContract"))] == [(1, "branch", "EditContract-1")]


def test_what_forks_inside_has_lanes_of_its_own_and_one_visit() -> None:
    story, edit = one()
    left = (0, 1, 0, 0)
    story.begin(edit).save(edit, "SaveContractEdit", "SaveContractEdit").begin(left).save(left)
    reading = read(story.trace(), Section("EditContract", "SaveContractEdit"))
    assert [lane.stays for lane in reading.lanes] == [((0, 1, 2),), ((0, 2, 4),), ((0, 2, 5),)]
    assert [lane.label for lane in reading.lanes] == [
        "EditContract-1", "EditContract-1, SaveContractEdit", "EditContract-1, SaveContractEdit (2)",
    ]  # fmt: skip


def test_calls_have_one_lane_per_name_and_what_they_start_has_its_own() -> None:
    story = Story()
    for use in range(2):
        call = (2, 0, use, 0)
        story.begin(call, "rpc", step="withdraw").save(call, "EditContract", method="rpc")
    assert [shown(lane) for lane in lanes(story.trace(), Section("EditContract"))] == [
        (0, "start", "StartContractEdits"),
        (0, "call", "withdraw"),
        (1, "branch", "EditContract-1"),
        (2, "branch", "EditContract-2"),
    ]


def test_a_label_that_comes_twice_is_made_unique() -> None:
    story, paths = edits("ann", "ann", "ann (2)")
    for path, name in zip(paths, ("ann", "ann", "ann (2)"), strict=False):
        story.begin(path).save(path, ("EditContract", {"reviewer": name}))
        story.begin(after(path)).save(after(path))
    assert [v.label for v in visits(story.trace(), SECTION)] == ["ann", "ann (2)", "ann (2) (2)"]


@pytest.mark.parametrize("label", [lambda edit: edit.reviewer, lambda edit: edit["reviewer"]])
def test_a_label_function_may_read_fields_by_name_and_by_key(label: Any) -> None:
    trace = critical(1)
    assert visits(trace, Section("EditContract", label=label))[0].label == "reviewer-1"


@pytest.mark.parametrize(
    ("label", "said"),
    [
        (lambda edit: edit.nobody, "'edit', given the input of 'EditContract', raised AttributeError: nobody"),
        (lambda edit: 1 / 0, "raised ZeroDivisionError: division by zero; it must take that input and return a str"),
        (lambda edit: 3, "returned int, expected a str"),
    ],
)
def test_a_label_function_that_fails_is_told_as_its_authors_fault(label: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        visits(critical(2), Section("EditContract", name="edit", label=label))
    assert said in str(error.value)


def test_labels_are_what_was_asked_of_the_function() -> None:
    assert labels(critical(2, rounds=1), SECTION) == {(0, 1, 0, 1): "reviewer-1", (0, 1, 1, 0): "reviewer-2"}


# Overlaps against the plain definition.


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(1, 6), st.booleans()), max_size=8))
def test_overlaps_are_the_pairs_whose_turns_meet(spans: list[tuple[int, int, bool]]) -> None:
    rows = [
        Visit(n, f"b{n}", (n,), start, start + length, None, None, "left", (), late)
        for n, (start, length, late) in enumerate(spans)
    ]
    for late in (False, True):
        kept = [v for v in rows if late or not v.late]
        expected = {
            frozenset((a.label, b.label))
            for a, b in combinations(kept, 2)
            if a.start_turn < b.end_turn and b.start_turn < a.end_turn
        }
        found = overlaps(rows, late)
        assert {frozenset((o.first.label, o.second.label)) for o in found} == expected
        assert len(found) == len(expected)
        assert all(o.from_turn == max(o.first.start_turn, o.second.start_turn) for o in found)
        assert all(o.to_turn == min(o.first.end_turn, o.second.end_turn) for o in found)


# The fold and the reading say the same of any story.


@st.composite
def stories(draw: Any) -> Trace:
    names = ["Enter", "EditContract", "SaveContractEdit", "Leave"]
    story = Story(first="Enter", clock=False)
    queued, running, late = [(0, 0)], [], []
    for _ in range(draw(st.integers(1, 30))):
        move = draw(st.sampled_from(["begin", "save", "fail", "fork", "cancel", "late", "end"]))
        if move == "begin" and queued:
            path = queued.pop(draw(st.integers(0, len(queued) - 1)))
            story.begin(path)
            running.append(path)
        elif move == "end" and late:
            story.end_late(*late.pop())
        elif running and move not in ("begin", "end"):
            path = running.pop(draw(st.integers(0, len(running) - 1)))
            children = {"fork": 2, "save": draw(st.integers(0, 1))}.get(move, 0)
            goes = [draw(st.sampled_from(names)) for _ in range(children)]
            before = set(story.steps)
            if move == "late":
                story.fail(path, "route", how="late", route=draw(st.sampled_from(names)))
                late.append((path, 1))
            elif move == "fail":
                story.fail(path, "route", route=draw(st.sampled_from(names)))
            elif move == "cancel" and running:
                other = running.pop()
                story.save(path, cancel=((other, "running"),))
                late.append((other, 1))
            else:
                story.save(path, *goes)
            queued += sorted(set(story.steps) - before)
    return story.trace()


@settings(max_examples=150, deadline=None)
@given(stories())
def test_a_fold_of_moves_counts_what_the_reading_of_the_whole_shows(trace: Trace) -> None:
    section = Section("EditContract", "SaveContractEdit")
    found = [v for v in visits(trace, section) if not v.late]
    counts = inside_after_each_turn(trace, section)
    assert counts == [sum(v.start_turn <= n < v.end_turn for v in found) for n in range(1, len(counts) + 1)]


# The token.


def fault_of(trace: Trace, count: int = 1) -> Any:
    watch = TokenWatch(TOKEN, count)
    state = watch.step(watch.initial(), trace.started)
    for turn in trace.turns:
        state = watch.step(state, turn.events)
    return watch.fault(state)


def holding() -> tuple[Story, Lineage, Lineage]:
    """Reviewer a holds the token, b waits for it."""
    story, (a, b, _) = edits("a", "b")
    return story.wait(a, takes=True).wait(b).begin(a), a, b


def test_a_run_that_gives_the_token_back_on_every_way_out_conserves_it() -> None:
    assert fault_of(critical(4)) is None


def test_the_first_movement_inherits_the_token() -> None:
    story, a, b = holding()
    story.save(a, "SaveContractEdit", "Notify")
    heir, other = (0, 1, 0, 1, 0, 0), (0, 1, 0, 1, 1, 0)
    assert fault_of(story.begin(heir).save(heir, publish=TOKEN, takes=(b,)).trace()) is None
    assert fault_of(story.begin(other).save(other, publish=TOKEN).trace()).kind == "doubled"


def test_the_step_of_a_failure_route_inherits_the_token() -> None:
    story, a, _ = holding()
    story.fail(a, "route", route="Release")
    assert fault_of(story.trace()) is None
    assert fault_of(story.begin(after(a)).save(after(a), publish=TOKEN).trace()) is None
    story, a, _ = holding()
    story.fail(a, "route", route="Release").begin(after(a)).save(after(a))
    assert fault_of(story.trace())[:4] == ("lost", after(a), "Release", "saved")


@pytest.mark.parametrize("how", ["saved", "cancelled"])
def test_a_way_out_that_does_not_give_back_loses_the_token(how: str) -> None:
    story, a, b = holding()
    if how == "saved":
        story.save(a)
    else:
        story.save(b, cancel=((a, "running"),))
    assert fault_of(story.trace())[:4] == ("lost", a, "EnterContractEdit", how)


def test_what_a_cancellation_returns_is_not_lost() -> None:
    story, a, b = holding()
    assert fault_of(story.save(b, cancel=((a, "running"),), give_back=(a,)).trace()) is None


def test_a_second_token_is_told_with_who_published_it_and_who_held_the_first() -> None:
    story, a, b = holding()
    fault = fault_of(story.save(b, publish=TOKEN).trace())
    assert fault == ("doubled", b, "EnterContractEdit", "published", (a,), 1)


def test_who_publishes_twice_doubles_although_it_held_one() -> None:
    story, a, _ = holding()
    assert fault_of(story.save(a, publish=(TOKEN, TOKEN)).trace()).kind == "doubled"


def test_before_all_tokens_exist_too_few_is_no_fault_but_too_many_is() -> None:
    story, (a, *_) = edits("a", "b")
    story.wait(a, takes=True).begin(a).save(a)
    assert fault_of(story.trace(), count=2) is None
    assert fault_of(Story().begin((0, 0)).save((0, 0), publish=(TOKEN, TOKEN)).trace()).kind == "doubled"


def test_a_close_needs_nothing_given_back() -> None:
    story, a, _ = holding()
    assert fault_of(story.close().trace()) is None
    story, a, _ = holding()
    assert fault_of(story.save(a, close="COMPLETED").trace()) is None


def test_two_messages_taken_at_once_are_two_tokens_held() -> None:
    a = (0, 1, 0, 0)
    watch = TokenWatch(TOKEN, 2)
    taken = ev.Consumed(a, "E", ((TOKEN, (freeze(1), freeze(2))),), ())
    state = watch.initial()._replace(queued=2, established=True)
    state = watch.step(state, (taken,))
    assert (state.queued, state.held) == (0, ((a, 2),))
    one_back = watch.step(state, (ev.Saved(a, "E", "execute", 1, "go_to"), ev.Published(a, "E", TOKEN, freeze(1)),
                                  ev.Stepped(after(a), "S", freeze(1), a, "E", "go_to")))  # fmt: skip
    assert (one_back.queued, one_back.held, one_back.fault) == (1, ((after(a), 1),), None)


def test_a_fault_does_not_heal_and_its_author_is_no_part_of_the_key() -> None:
    watch = TokenWatch(TOKEN)
    story, a, b = holding()
    state = watch.initial()
    for turn in story.save(a).trace().turns:
        state = watch.step(state, turn.events)
    healed = watch.step(state, (ev.Published(b, "E", TOKEN, freeze(1)),))
    assert healed is state
    assert watch.key(state, {}.__getitem__) == (0, (), True, False, "lost")


def test_other_channels_give_back_the_same_object() -> None:
    watch = TokenWatch("another")
    state = watch.initial()
    for turn in critical(3).turns[:-1]:
        assert watch.step(state, turn.events) is state
