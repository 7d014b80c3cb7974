"""The sorted map keeps what a dict and a sorted list keep, and shares what it does not change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dexpatterns.engine.tree import FIELD, Tree


def weigh(item: int) -> int:
    return 1 | (item & 1) << FIELD


def model_of(tree: Tree) -> list[tuple[int, int]]:
    return list(tree)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 400), st.integers(0, 9)), max_size=400))
def test_tree_agrees_with_a_dict(moves: list[tuple[bool, int, int]]) -> None:
    tree, plain, model = Tree(weigh), Tree(), {}
    for put, key, item in moves:
        before = model_of(tree)
        after = tree.set(key, item) if put else tree.remove(key)
        assert model_of(tree) == before, "an edit changed the tree that it was given"
        tree = after
        plain = plain.set(key, item) if put else plain.remove(key)
        if put:
            model[key] = item
        else:
            model.pop(key, None)
    assert list(tree) == sorted(model.items())
    assert len(tree) == len(model) and bool(tree) == bool(model)
    assert list(plain) == sorted(model.items()) and len(plain) == len(model)
    assert [plain.kth(0, k)[:2] for k in range(len(model))] == sorted(model.items())
    for n in (0, 1, 9, 400):
        assert tree.first(n) == tree.items()[:n]
    odd = [(k, v) for k, v in sorted(model.items()) if v & 1]
    assert tree.count(1) == len(odd)
    assert [tree.kth(1, k)[:2] for k in range(len(odd))] == odd
    assert list(tree.of(1)) == [v for _, v in odd]
    for low in (0, 57, 400):
        assert list(tree.from_key(low)) == [(k, v) for k, v in sorted(model.items()) if k >= low]
    with pytest.raises(IndexError):
        tree.kth(0, len(model))


@given(st.integers(0, 300), st.integers(0, 300))
def test_children_stand_where_their_parent_stood(size: int, children: int) -> None:
    tree = Tree().edit((0,), [((i, 0), i) for i in range(size)])
    middle = size // 2
    tree = tree.edit((middle, 0), [((middle, 1, j), -j) for j in range(children)])
    expected = [((i, 0), i) for i in range(middle)] + [((middle, 1, j), -j) for j in range(children)]
    expected += [((i, 0), i) for i in range(middle + 1, size)]
    assert list(tree) == expected
    assert all(tree.get(key) == item for key, item in expected)
    assert tree.get((-1,)) is None and (middle, 2) not in tree


@given(st.lists(st.tuples(st.booleans(), st.integers(300, 700)), max_size=400))
def test_a_set_is_a_tree_whose_items_are_its_keys(moves: list[tuple[bool, int]]) -> None:
    members, model = Tree(), set()
    for put, key in moves:
        members = members.set(key, key) if put else members.remove(key)
        (model.add if put else model.discard)(key)
    assert list(members) == [(key, key) for key in sorted(model)] and len(members) == len(model)
    # An item of another kind makes it a map as any other.
    mixed = members.set(299, "low").set(500, "other").remove(300)
    assert list(mixed) == sorted({299: "low", **{key: key for key in model - {300}}, 500: "other"}.items())
