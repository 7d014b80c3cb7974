"""The hashed map keeps what a dict keeps, hands it out in the order of the keys, and shares what it does not change."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dexpatterns.engine.table import Table
from dexpatterns.engine.tree import FIELD


class Heavy(int):
    """An item that counts in field 1 when it is odd."""

    @property
    def weight(self) -> int:
        return 1 | (self & 1) << FIELD


class Clash(int):
    """A key whose hash it shares with every other one that is equal to it in its last bit."""

    def __hash__(self) -> int:
        return self & 1


@pytest.mark.parametrize("key_of", [int, Clash])
@given(moves=st.lists(st.tuples(st.booleans(), st.integers(0, 400), st.integers(0, 9)), max_size=400))
def test_table_agrees_with_a_dict(key_of: type[int], moves: list[tuple[bool, int, int]]) -> None:
    table, plain, model = Table(weighted=True), Table(), {}
    for put, number, item in moves:
        key, item = key_of(number), Heavy(item)
        before = list(table)
        after = table.set(key, item) if put else table.remove(key)
        assert list(table) == before, "an edit changed the table that it was given"
        table = after
        plain = plain.set(key, item) if put else plain.remove(key)
        if put:
            model[key] = item
        else:
            model.pop(key, None)
        assert table.get(key) == model.get(key)
        if item > 7:
            # From here on the order is kept, if they are many.
            assert list(table.of(1)) == [one for _, one in sorted(model.items()) if one & 1]
    found = sorted(model.items())
    for one in (table, plain):
        assert sorted(one.loose()) == found
        assert list(one) == found and one.items() == tuple(item for _, item in found)
        assert len(one) == len(model) and bool(one) == bool(model)
        assert all(one.get(key) == item and key in one for key, item in found)
        assert one.get(key_of(401)) is None and one.get(key_of(401), 5) == 5 and key_of(401) not in one
    odd = [item for _, item in found if item & 1]
    assert table.count(1) == len(odd)
    assert list(table.of(1)) == odd == [table.kth(1, k) for k in range(len(odd))]
    with pytest.raises(IndexError):
        table.kth(1, len(odd))


@pytest.mark.parametrize("size", [1, 31, 33, 1_000, 3_000, 40_000])
def test_a_table_that_grew_and_shrank_is_as_good_as_new(size: int) -> None:
    keys = [(0, 1, j, 2) for j in range(size)]
    grown = Table(weighted=True).set((0,), Heavy(9)).replace((0,), keys, list(map(Heavy, range(size))))
    assert list(grown) == [(key, j) for j, key in enumerate(keys)] and grown.count(1) == size // 2
    for key in keys[1:]:
        grown = grown.remove(key)
    assert list(grown) == [(keys[0], 0)] and grown.weight == 1
    # Walking it costs no more than walking a small one.
    assert grown._levels <= 1


def test_a_key_that_is_not_there_is_removed_for_nothing() -> None:
    table = Table().set("a", 1)
    assert table.remove("b") is table
    assert list(table.replace("b", ("c",), (2,))) == [("a", 1), ("c", 2)]


def test_many_edits_of_one_place_leave_the_others_alone() -> None:
    first = Table().replace("", [str(i) for i in range(100)], range(100))
    second = first.set("7", -7)
    third = second.remove("8")
    assert (first.get("7"), first.get("8")) == (7, 8)
    assert (second.get("7"), second.get("8")) == (-7, 8)
    assert (third.get("7"), third.get("8")) == (-7, None)


def test_the_kth_of_many_is_found_without_looking_at_all_again() -> None:
    asked = []

    class Asked(Heavy):
        @property
        def weight(self) -> int:
            asked.append(int(self))
            return super().weight

    table = Table(weighted=True).replace("", range(10_000), list(map(Asked, range(10_000))))
    assert table.kth(1, 17) == 35
    asked.clear()
    for k in (0, 700, 4_999):
        table = table.set(2 * k + 1, Asked(2 * k + 1))
        assert table.kth(1, k) == 2 * k + 1
    assert len(asked) < 300


class Unordered(int):
    """A key that nobody may compare."""

    __hash__ = int.__hash__

    def __lt__(self, other: object) -> bool:
        raise AssertionError("keys were put in order")


@pytest.mark.parametrize("size", [5, 100, 10_000])
def test_a_loose_walk_orders_no_keys_and_costs_what_is_looked_at(size: int) -> None:
    table = Table()
    for number in range(size):
        table = table.set(Unordered(number), number)
    assert len(dict(table.loose())) == size
    seen: list[Any] = []
    table._trie = _watched(table._trie, table._levels, seen)
    next(table.loose())
    assert len(seen) <= 1, "dicts were looked into of which nothing was asked"


def _watched(trie: Any, levels: int, seen: list[Any]) -> Any:
    class Watched(dict[Any, Any]):
        def items(self) -> Any:
            seen.append(self)
            return super().items()

    return [_watched(one, levels - 1, seen) for one in trie] if levels else Watched(trie)
