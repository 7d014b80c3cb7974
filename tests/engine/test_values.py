"""A value whose key waits until somebody asks is the value whose key was made at once, and stays what it was."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from enum import Enum, Flag
from itertools import count
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dexpatterns.engine import values
from dexpatterns.engine.masked import Masks, has_masks
from dexpatterns.engine.values import Data, freeze, from_key
from dexpatterns.errors import ValueNotDataError


class Color(Enum):
    RED = 1
    BLUE = "blue"


class Access(Flag):
    READ = 1
    WRITE = 2


@dataclass(frozen=True)
class One:
    part: Any


@dataclass(frozen=True, slots=True)
class Two:
    first: Any
    second: Any = None


@dataclass(frozen=True)
class Same:
    """Says of itself that it is like every other."""

    part: Any

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    @property
    def more(self) -> Any:
        raise AssertionError("asked for what is no field")


@dataclass(frozen=True)
class Late:
    """Computes a field when it is first needed, past the frozen `__setattr__`."""

    part: Any
    length: Any = field(default=None, init=False)

    def measure(self) -> None:
        object.__setattr__(self, "length", len(repr(self.part)))


class Opened(One):
    """A dataclass by inheritance, whose fields can be set after all."""

    __setattr__ = object.__setattr__


class Counted:
    """A field that is another whenever it is read."""

    numbers = count()

    def __get__(self, one: Any, owner: Any = None) -> int:
        return next(Counted.numbers)

    def __set__(self, one: Any, value: Any) -> None: ...


@dataclass(frozen=True)
class Read:
    part: Any


Read.part = Counted()


@dataclass(frozen=True)
class Asked:
    """Answers for its own fields."""

    part: Any

    def __getattribute__(self, name: str) -> Any:
        return next(Counted.numbers) if name == "part" else object.__getattribute__(self, name)


class Pair(NamedTuple):
    left: Any
    right: Any = 0


class Zone(tzinfo):
    """Anybody's own, which tells itself in a new way each time."""

    def utcoffset(self, when: datetime | None) -> timedelta:
        return timedelta(hours=1)

    def dst(self, when: datetime | None) -> None: ...

    def tzname(self, when: datetime | None) -> str:
        return "own"

    def __repr__(self) -> str:
        return f"Zone({next(Counted.numbers)})"


SMALL = st.sampled_from([0, 1, 2, 0.0, -0.0, 1.0, math.nan, math.inf, True, False, None, "", "1", "a", b"", b"\xff"])
MOMENTS = st.builds(
    lambda zone, fold, hour: datetime(2026, 1, 1, hour, tzinfo=zone, fold=fold),
    st.sampled_from([None, UTC, timezone(timedelta(0), "Z"), timezone(timedelta(hours=1))]),
    st.sampled_from([0, 1]),
    st.sampled_from([11, 12]),
)
ATOMS = (
    SMALL
    | MOMENTS
    | MOMENTS.map(datetime.timetz)
    | st.sampled_from(
        [date(2026, 1, 1), time(12), timedelta(1), Decimal("1.0"), Decimal(1), Decimal("NaN"), UUID(int=1)]
    )
    | st.sampled_from([*Color, *Access, Access(0), Access.READ | Access.WRITE])
)
NAMES = st.sampled_from(["a", "b", 1, True, 0.0, -0.0, math.nan, None])
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(NAMES, inner, max_size=3),
        st.builds(One, inner),
        st.builds(Two, inner, inner),
        st.builds(Same, inner),
        st.builds(Late, inner),
        st.builds(Pair, inner, inner),
    ),
    max_leaves=6,
)


def at_once(value: Any) -> Data:
    """Frozen by way of its key."""
    return from_key(values._key(value))


def told(value: Any) -> str:
    """A live value with the types of all its parts; `repr` tells nan, -0.0 and fold."""
    return repr(value)


def spoil(value: Any) -> None:
    """Change whatever can be changed in it."""
    if isinstance(value, dict):
        list(map(spoil, value.values()))
        value["spoilt"] = value.pop(next(iter(value), "none"), None)
    elif isinstance(value, list):
        list(map(spoil, value))
        value.append("spoilt")
    elif isinstance(value, tuple):
        list(map(spoil, value))
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            spoil(getattr(value, name))


@settings(max_examples=200)
@given(VALUES)
def test_a_value_whose_key_waits_is_the_one_whose_key_was_made_at_once(value: Any) -> None:
    data, other = freeze(value), at_once(value)
    assert data.changeable is other.changeable
    assert told(data.thaw()) == told(other.thaw()) == told(value)
    assert data.changeable or data.thaw() is value
    assert data == other and other == data and hash(data) == hash(other) and data.key == other.key
    assert (data.text, repr(data)) == (other.text, repr(other)) and told(data.plain) == told(other.plain)
    assert told(data.thaw()) == told(value), "its key takes nothing away"
    assert freeze(data.thaw()) == data


@settings(max_examples=200)
@given(VALUES, VALUES)
def test_two_are_equal_exactly_when_their_keys_made_at_once_are(one: Any, other: Any) -> None:
    equal = values._key(one) == values._key(other)
    assert (freeze(one) == freeze(other)) is equal is (freeze([one]) == freeze([other]))
    assert not equal or hash(freeze(one)) == hash(freeze(other))
    assert (freeze({"x": one, "y": 0}) == freeze({"y": 0, "x": other})) is False


@settings(max_examples=200)
@given(VALUES)
def test_who_handed_it_in_or_got_it_out_changes_nothing_else(value: Any) -> None:
    before = told(value)
    data = freeze(value)
    spoil(value)
    taken = data.thaw()
    assert told(taken) == before
    spoil(taken)
    assert told(data.thaw()) == before
    assert data == at_once(data.thaw())
    spoil(data.plain)
    assert told(data.thaw()) == before


@pytest.mark.parametrize(
    "value",
    [
        "a",
        True,
        1.5,
        Two("a", datetime(2026, 1, 1, tzinfo=UTC)),
        (Two("a"), Two(False)),
        Two(Two(Color.RED), Access.READ | Access.WRITE),
        [Two("a"), One(1.0)],
        {"a": Two("a"), 1: (1, 2)},
    ],
)
def test_a_run_pays_for_no_key_and_gets_its_items_as_they_are(value: Any) -> None:
    data = freeze(value)
    thawed = data.thaw()
    assert data._key is None and data._hash is None
    assert data.changeable is (type(value) in (list, dict)) is (thawed is not value)
    if data.changeable:
        parts = (lambda one: one.values()) if type(value) is dict else iter
        assert all(mine is yours for mine, yours in zip(parts(value), parts(thawed), strict=True))
    assert data == at_once(value) and data._key is not None


# What is read once must not be read again: it may be another then.


def zoned() -> datetime:
    return datetime(2026, 1, 1, tzinfo=Zone())


@pytest.mark.parametrize(
    "make",
    [zoned, lambda: zoned().timetz(), lambda: One(zoned()), lambda: [zoned()], lambda: Read(1), lambda: (Asked(1), 2)],
)
def test_what_tells_itself_in_a_new_way_each_time_is_asked_when_it_is_frozen(make: Callable[[], Any]) -> None:
    value = make()
    data, again = freeze(value), freeze(value)
    asked = next(Counted.numbers)
    assert data != again and isinstance(hash(data), int)
    assert next(Counted.numbers) == asked + 1


def test_a_field_that_is_computed_later_leaves_the_frozen_value_as_it_was() -> None:
    value = Late("abc")
    data, before = freeze([value]), freeze(Late("abc"))
    alone = freeze(value)
    value.measure()
    assert value.length == 5
    assert alone == before and data == freeze([Late("abc")]) and data.thaw()[0].length is None


def test_a_subclass_that_can_be_set_leaves_the_frozen_value_as_it_was() -> None:
    value = Opened("a")
    data, listed = freeze(value), freeze([value])
    value.part = "b"  # type: ignore[misc]
    assert (data.plain, listed.plain, listed.thaw()[0].part) == ({"part": "a"}, [{"part": "a"}], "a")


class Loud(Zone):
    def __repr__(self) -> str:
        raise RuntimeError("no")


@dataclass(frozen=True)
class Unset:
    part: Any = field(init=False)
    other: int = 1


class Own(str):
    __slots__ = ()


class Number(int): ...


class Moment(datetime): ...


@dataclass
class Open:
    part: Any


NOT_DATA: list[tuple[Callable[[Any], Any], str]] = [
    (lambda bad: bad, "the value"),
    (lambda bad: [1, bad], "the value at [1]"),
    (lambda bad: {"k": bad}, "the value at ['k']"),
    (lambda bad: Two(1, bad), "the value at .second"),
    (One, "the value at .part"),
    (lambda bad: [Two(1), Two((1, bad))], "the value at [1].first[1]"),
    (lambda bad: Two(Two(Two(Two(bad)))), "the value at .first.first.first.first"),
    (lambda bad: Pair(1, bad), "the value at .right"),
]


@pytest.mark.parametrize("bad", [Own("a"), Number(1), Moment(2026, 1, 1), Open(1), {1}, object()])
@pytest.mark.parametrize(("put", "where"), NOT_DATA)
def test_what_is_no_data_is_refused_when_it_is_frozen_with_its_place(
    put: Callable[[Any], Any], where: str, bad: Any
) -> None:
    for _ in range(2):
        with pytest.raises(ValueNotDataError) as error:
            freeze(put(bad))
        assert str(error.value).startswith(f"{where} is a {type(bad).__qualname__}")


@pytest.mark.parametrize("name", [b"x", (1, 2), date(2026, 1, 1), Own("a"), Color.RED])
def test_a_dict_with_another_key_is_refused(name: Any) -> None:
    with pytest.raises(ValueNotDataError, match=f"is a dict with a key of type {type(name).__name__}"):
        freeze({name: 1})


def test_what_cannot_be_read_is_an_error_when_it_is_frozen() -> None:
    with pytest.raises(AttributeError, match="part"):
        freeze(Unset())
    with pytest.raises(RuntimeError, match="no"):
        freeze(One(datetime(2026, 1, 1, tzinfo=Loud())))


def nested(deep: Callable[[Any], Any], levels: int) -> Any:
    made: Any = 0
    for _ in range(levels):
        made = deep(made)
    return made


@pytest.mark.parametrize("deep", [lambda x: [x], lambda x: (x,), One, Two, lambda x: {"x": x}])
@pytest.mark.parametrize("levels", [1_000, 100_000])
def test_what_is_nested_too_deeply_is_refused_when_it_is_frozen(deep: Callable[[Any], Any], levels: int) -> None:
    with pytest.raises(ValueNotDataError, match="nested too deeply or holds itself"):
        freeze(nested(deep, levels))


@pytest.mark.parametrize("deep", [lambda x: [x], lambda x: (x,), One, Two, lambda x: {"x": x}])
def test_the_key_of_a_deep_value_is_there_when_it_is_frozen(deep: Callable[[Any], Any]) -> None:
    """Asked for far down the stack, it might not be made any more."""
    for levels in range(12):
        value = nested(deep, levels)
        assert freeze(value) == at_once(value) and told(freeze(value).thaw()) == told(value)
    assert freeze(nested(deep, 12))._key is not None


def test_what_holds_itself_is_refused() -> None:
    holds: list[Any] = []
    holds.append(One(holds))
    with pytest.raises(ValueNotDataError, match="holds itself"):
        freeze(holds)


def wrapped(mask: Any) -> Iterator[Any]:
    yield from (mask, [mask], {"k": mask}, One(mask), Two(1, (mask,)), [Two(mask)], Pair(mask))


def test_a_mask_is_found_wherever_it_is_and_a_text_made_of_one_as_well() -> None:
    masks = Masks()
    mask = masks.mask("alice")
    made = str.__add__(mask, "!")
    for masked, leaking, plain in zip(wrapped(mask), wrapped(made), wrapped("alice"), strict=True):
        data = freeze(masked)
        assert has_masks(data.key) and not masks.leaks((data,)) and masks.reveal(data) == freeze(plain)
        assert not has_masks(freeze(leaking)) and masks.leaks((freeze(leaking),))
        assert data == at_once(masked) and data.changeable is freeze(plain).changeable
        assert "?" in data.text
    assert not masks.refused
