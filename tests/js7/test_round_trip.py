"""What is written in either dialect is read back to the same records, and no input makes the loader fall over."""

from __future__ import annotations

import contextlib
import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dexpatterns.errors import WorkflowFileError
from dexpatterns.js7.expression import parse
from dexpatterns.js7.files import Item, check_references, dump, load
from dexpatterns.js7.instructions import END, Workflow
from tests.js7.workflows import expressions, item_lists

quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@quick
@given(item_lists())
def test_both_dialects_give_the_same_items_back(items: tuple[Item, ...]) -> None:
    for dialect in ("controller", "inventory"):
        written = json.loads(json.dumps(dump(items, dialect=dialect)))
        assert load(written) == items
        assert hash(load(written)) == hash(items)


@quick
@given(item_lists(whole_seconds=False))
def test_the_controller_dialect_says_everything(items: tuple[Item, ...]) -> None:
    assert load(json.loads(json.dumps(dump(items)))) == items


@given(expressions)
def test_an_expression_is_written_as_it_is_read(expression: Any) -> None:
    assert parse(str(expression)) == expression


@quick
@given(item_lists())
def test_every_position_leads_to_its_instruction(items: tuple[Item, ...]) -> None:
    """J110: an interpreter can walk a workflow by position alone."""
    for workflow in items:
        if not isinstance(workflow, Workflow):
            continue
        for position, instruction in workflow.walk():
            assert workflow.at(position) is instruction
            block = workflow.block_at(position)
            assert block is not None
            end = (*position[:-1], len(block.instructions))
            assert workflow.at(end) is END
            assert workflow.at((*position[:-1], len(block.instructions) + 1)) is None
            for branch, inner in instruction.blocks:
                assert instruction.block(branch) is inner
                assert workflow.block_at((*position, branch, 0)) is inner
            assert workflow.at((*position, "nowhere", 0)) is None
    check_references(items)


_junk: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.just([]) | st.just({})
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    pairs = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return [(value, key) for key, _ in pairs] + [place for _, inner in pairs for place in _places(inner)]


@quick
@given(st.data())
def test_a_broken_file_is_refused_in_words(data: st.DataObject) -> None:
    written = dump(data.draw(item_lists()))
    for _ in range(data.draw(st.integers(1, 3))):
        places = _places(written)
        holder, key = data.draw(st.sampled_from(places))
        match data.draw(st.sampled_from(["replace", "remove", "add", "twice"])):
            case "replace":
                holder[key] = data.draw(_junk)
            case "remove":
                del holder[key]
            case "add" if isinstance(holder, dict):
                holder[data.draw(st.text(max_size=4))] = data.draw(_junk)
            case _:
                if isinstance(holder, list):
                    holder.append(copy.deepcopy(holder[key]))
        if not written:
            break
    with contextlib.suppress(WorkflowFileError):
        items = load(written)
        assert load(dump(items)) == items


@given(st.recursive(_junk, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8))
def test_any_value_at_all_is_refused_in_words(value: Any) -> None:
    if not isinstance(value, str):
        with pytest.raises(WorkflowFileError):
            load([value])
