"""A Flow's input is read from JSON by the type that its starting Step takes; what does not fit is told by its place."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, Optional, TypedDict, TypeVar
from uuid import UUID

import pytest

from dexpatterns import simulate
from dexpatterns.dex import Context, Flow, Step, StepDecision, StepList, graceful_complete
from dexpatterns.dex.inputs import MAX_BYTES, read_input
from dexpatterns.errors import InputError


class Urgency(enum.Enum):
    LOW = "low"
    HIGH = 2


@dataclass(frozen=True)
class Mail:
    to: str


@dataclass(frozen=True)
class Edit:
    id: int
    text: str = ""
    tags: tuple[str, ...] = ()
    urgency: Urgency = Urgency.LOW
    due: dt.datetime | None = None
    pause: dt.timedelta = dt.timedelta(0)
    mail: Optional[Mail] = None  # noqa: UP045  # both ways of writing it
    extra: dict[str, list[float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Batch:
    edits: list[Edit]
    by: str


@dataclass(frozen=True)
class Withdrawal:
    reason: str


@dataclass(frozen=True)
class Positive:
    n: int

    def __post_init__(self) -> None:
        if self.n <= 0:
            raise ValueError("n must be above 0")


@dataclass(frozen=True)
class Tree:
    children: tuple[Tree, ...] = ()


T = TypeVar("T")


@dataclass(frozen=True)
class Box(Generic[T]):
    held: T
    more: tuple[T, ...] = ()


class Point(NamedTuple):
    x: int
    y: int = 0


class Named(TypedDict, total=False):
    name: str


@dataclass(frozen=True)
class Counted:
    start: InitVar[int]
    doubled: int = field(init=False, default=0)

    def __post_init__(self, start: int) -> None:
        object.__setattr__(self, "doubled", 2 * start)


Id = NewType("Id", int)
UTC = dt.UTC

READ: list[tuple[Any, str, Any]] = [
    (str, '"a"', "a"),
    (int, "3", 3),
    (float, "3", 3.0),
    (float, "1.5", 1.5),
    (bool, "true", True),
    (None, "null", None),
    (Any, '{"a": [1]}', {"a": [1]}),
    (list[int], "[1, 2]", [1, 2]),
    (list, "[1, true]", [1, True]),
    (Sequence[int], "[1]", [1]),
    (tuple[int, ...], "[1, 2]", (1, 2)),
    (tuple[int, str], '[1, "a"]', (1, "a")),
    (dict[str, int], '{"a": 1}', {"a": 1}),
    (dict[int, Mail], '{"1": {"to": "a"}}', {1: Mail("a")}),
    (Mapping[str, int], '{"a": 1}', {"a": 1}),
    (dict, "{}", {}),
    (Urgency, '"low"', Urgency.LOW),
    (Urgency, "2", Urgency.HIGH),
    (Urgency, '"HIGH"', Urgency.HIGH),
    (dt.datetime, '"2026-01-31T09:00:00Z"', dt.datetime(2026, 1, 31, 9, tzinfo=UTC)),
    (dt.date, '"2026-01-31"', dt.date(2026, 1, 31)),
    (dt.time, '"09:30:00"', dt.time(9, 30)),
    (dt.timedelta, "90", dt.timedelta(seconds=90)),
    (dt.timedelta, "0.5", dt.timedelta(milliseconds=500)),
    (dt.timedelta, '"PT90S"', dt.timedelta(seconds=90)),
    (Decimal, '"12.50"', Decimal("12.50")),
    (UUID, '"00000000-0000-0000-0000-000000000001"', UUID(int=1)),
    (bytes, '"aGk="', b"hi"),
    (int | None, "null", None),
    (Optional[int], "3", 3),  # noqa: UP045  # as above
    (float | int, "3", 3),
    (Mail | Withdrawal, '{"reason": "late"}', Withdrawal("late")),
    (list[Mail | str], '[{"to": "a"}, "b"]', [Mail("a"), "b"]),
    (dt.datetime | str, '"soon"', "soon"),
    (Literal["a", 1], "1", 1),
    (Annotated[int, "a"], "1", 1),
    (Id, "1", 1),
    (Box[int], '{"held": 1, "more": [2]}', Box(1, (2,))),
    (Box[Mail], '{"held": {"to": "a"}}', Box(Mail("a"))),
    (Point, '{"x": 1}', Point(1)),
    (Named, '{"name": "a"}', {"name": "a"}),
    (Named, "{}", {}),
    (Tree, '{"children": [{}, {"children": [{}]}]}', Tree((Tree(), Tree((Tree(),))))),
    (Counted, '{"start": 2}', Counted(2)),
    (Edit, '{"id": 1}', Edit(1)),
    (
        Batch,
        """{"by": "Ada", "edits": [{"id": 1, "text": "a", "tags": ["x"], "urgency": 2, "pause": 1.5,
            "due": "2026-01-31T09:00:00Z", "mail": {"to": "b"}, "extra": {"w": [1, 2.5]}}]}""",
        Batch(
            [
                Edit(1, "a", ("x",), Urgency.HIGH, dt.datetime(2026, 1, 31, 9, tzinfo=UTC), dt.timedelta(seconds=1.5),
                     Mail("b"), {"w": [1.0, 2.5]})
            ],
            "Ada",
        ),
    ),
]  # fmt: skip


def flow_of(declared: Any) -> Flow[Any]:
    """A Flow whose starting Step takes this."""

    class Take(Step[Any]):
        def execute(self, context: Context, input: declared) -> StepDecision:
            return graceful_complete()

    Take.execute.__annotations__["input"] = declared
    Take.__orig_bases__ = (Step,)  # type: ignore[attr-defined]  # so that the annotation tells

    class TakeFlow(Flow[Any]):
        def get_steps(self) -> StepList[Any]:
            return StepList.start_step(Take())

    return TakeFlow()


def typed(value: Any) -> Any:
    """The value with the types of its numbers, since 1, 1.0 and True are equal to Python."""
    return repr(value)


@pytest.mark.parametrize(("declared", "given", "expected"), READ, ids=[f"{d} {g[:20]}" for d, g, _ in READ])
def test_json_becomes_the_input_of_the_starting_step(declared: Any, given: str, expected: Any, tmp_path: Path) -> None:
    flow = flow_of(declared)
    made = read_input(flow, given)
    assert (made, typed(made)) == (expected, typed(expected))
    (tmp_path / "input.json").write_text("\ufeff" + given, encoding="utf-8")
    assert typed(read_input(flow, str(tmp_path / "input.json"))) == typed(expected)
    assert typed(read_input(flow, tmp_path / "input.json")) == typed(expected)
    assert simulate(flow, made).status.name == "COMPLETED"


REFUSED: list[tuple[Any, str, str]] = [
    (str, "3", "$: expected a text, got 3; correct it"),
    (int, "true", "$: expected a whole number, got true"),
    (int, "1.0", "$: expected a whole number, got 1.0"),
    (int, '"1"', "$: expected a whole number, got the text '1'"),
    (float, '"x"', "$: expected a number, got the text 'x'"),
    (bool, "1", "$: expected true or false, got 1"),
    (None, "3", "$: expected null, got 3"),
    (str, "null", "$: expected a text, got null"),
    (list[int], "{}", "$: expected a list, got an object; write [1]"),
    (list[int], '[1, "a"]', "$[1]: expected a whole number, got the text 'a'"),
    (tuple[int, str], "[1]", "$: expected a list of 2, got a list of 1"),
    (dict[str, int], "[]", "$: expected an object, got a list; write {}"),
    (dict[str, int], '{"a b": null}', '$["a b"]: expected a whole number, got null'),
    (dict[int, int], '{"a": 1}', "$.a: expected a whole number as a key, got the text 'a'"),
    (Urgency, '"lo"', "$: expected one of \"low\", 2, got the text 'lo'"),
    (dt.datetime, '"tomorrow"', "$: expected a time such as \"2026-01-31T09:00:00Z\", got the text 'tomorrow'"),
    (dt.timedelta, '"1 day"', "$: expected seconds, or a duration such as \"PT90S\", got the text '1 day'"),
    (dt.timedelta, "1e300", "$: expected seconds, or a duration"),
    (UUID, '"x"', "$: expected a UUID, got the text 'x'"),
    (int | None, '"x"', "$: expected a whole number or null, got the text 'x'"),
    (Literal["a", 1], "true", '$: expected one of "a", 1, got true'),
    (Mail | None, '{"too": "a"}', "$: expected the fields to, got the field 'too'; did you mean 'to'?"),
    (Mail | str, '{"to": 3}', "$.to: expected a text, got 3"),
    (Mail | Withdrawal, '{"reason": 3}', "$.reason: expected a text, got 3"),
    (Mail | Withdrawal, "{}", "$: expected an object with the fields to or an object with the fields reason, got an"),
    (Mail, "[]", '$: expected an object with the fields to, got a list; write {"to": "..."}'),
    (Mail, "{}", '$: expected the field \'to\', got nothing; add "to": "..."'),
    (Positive, '{"n": 0}', "$: expected what Positive accepts, got a refusal (ValueError: n must be above 0)"),
    (Counted, '{"start": 1, "doubled": 3}', "$: expected the fields start, got the field 'doubled'; leave it out"),
    (Named, '{"nam": "a"}', "$: expected the fields name, got the field 'nam'; did you mean 'name'?"),
    (Point, '{"y": 1}', "$: expected the field 'x', got nothing"),
    (Box[int], '{"held": "a"}', "$.held: expected a whole number"),
    (Flow, "{}", "$: expected a Flow, got an object; JSON cannot give one: start the Flow from Python"),
    (Batch, '{"by": "a", "edits": [{"id": 1}, {"id": "x"}]}', "$.edits[1].id: expected a whole number, got the text"),
    (Batch, '{"by": "a", "edits": [{"id": 1, "mail": {"to": 1}}]}', "$.edits[0].mail.to: expected a text, got 1"),
    (Batch, '{"by": "a", "edits": [{"id": 1, "extra": {"w": [1, null]}}]}', "$.edits[0].extra.w[1]: expected a number"),
    (list[Edit], '[{"id": 1, "tex": "a"}]', "$[0]: expected the fields id, text, tags"),
    (str, '"' + "x" * 500, "expected JSON, got something else: unterminated string"),
    (int, "1" * 5000, "expected JSON"),
    (str, "[1, 2", "line 1, column 6: expected JSON, got something else: expecting ',' delimiter; mend it there"),
    (str, '{"a": 1,\n b: 2}', "line 2, column 2: expected JSON, got something else: expecting property name"),
    (str, '"\\ud83d"', "a text holds half of a character"),
    (str, "", "expected JSON, got nothing; write null for no input"),
    (str, "a name", "expected JSON or the path of a file, got 'a name', which is neither; check the path, or quote"),
    (str, "'a'", "expected JSON or the path of a file, got \"'a'\", which is neither"),
    (str, "NaN", "expected JSON or the path of a file, got 'NaN', which is neither"),
    (str, '"\udcff"', "expected UTF-8 text, got bytes that are none; save it as UTF-8"),
    (str, "edits.json", "'edits.json': expected a file of JSON, got no such file; check the path"),
    (str, "a\0b.json", "'a\\x00b.json': expected a file that can be read, got"),
    (str, "a" * 5000, "which is neither"),
    (Any, "[" * 100_000, "expected values nested a few levels deep, got hundreds; pass a flat value"),
    (Tree, '{"children": [' * 330 + "]}" * 330, "expected values nested a few levels deep, got hundreds"),
]


@pytest.mark.parametrize(("declared", "given", "said"), REFUSED, ids=range(len(REFUSED)))
def test_json_that_does_not_fit_is_refused_with_its_place(declared: Any, given: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read_input(flow_of(declared), given)
    assert said in str(raised.value)
    assert str(raised.value).startswith(("the input of Flow 'TakeFlow'", "'"))
    assert len(str(raised.value)) < 600


FILES: dict[str, tuple[bytes | int | None, str]] = {
    "a folder": (None, "expected a file of JSON, got a folder; name the file inside it"),
    "50 MB of junk": (50_000_000, "expected at most 20 MB of JSON, got more; pass a smaller file"),
    "Latin-1": (b'["a",\n"\xe9"]', ", line 2: expected UTF-8 text, got the byte 0xe9; save it as UTF-8"),
    "UTF-16": ("[1]".encode("utf-16"), "expected UTF-8 text, got UTF-16; save it as UTF-8"),
    "empty": (b"", "expected JSON, got nothing; write null for no input"),
    "no JSON": (b"hello", ", line 1, column 1: expected JSON, got something else: expecting value"),
    "cut off": (b"[1,", ", line 1, column 4: expected JSON"),
    "a NUL": (b"[1, \0]", "expected JSON"),
    "another type": (b'[1, "a"]', ", $[1]: expected a whole number, got the text 'a'"),
}


@pytest.mark.parametrize(("content", "said"), FILES.values(), ids=FILES)
def test_a_file_that_cannot_be_used_is_refused(content: bytes | int | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "input.json"
    if content is None:
        path.mkdir()
    elif isinstance(content, int):
        with path.open("wb") as file:
            file.truncate(content)
    else:
        path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read_input(flow_of(list[int]), str(path))
    assert str(raised.value).startswith(repr(str(path)))
    assert said in str(raised.value)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    monkeypatch.setattr(Path, "open", None)
    with pytest.raises(InputError, match="at most 20 MB"):
        read_input(flow_of(str), tmp_path / "big")


class NoStart(Flow[None]):
    """Only RPCs start something here."""


NOTHING_TAKEN = [
    (NoStart(), None), (NoStart(), "null"), (flow_of(None), None), (flow_of(None), "null"), (flow_of(int | None), None),
]  # fmt: skip


@pytest.mark.parametrize(("flow", "given"), NOTHING_TAKEN, ids=range(len(NOTHING_TAKEN)))
def test_no_input_where_none_is_taken(flow: Flow[Any], given: str | None) -> None:
    assert read_input(flow, given) is None


NOTHING_GIVEN = [
    (NoStart(), "3", "the Flow has no starting Step, so it takes no input; leave it out"),
    (flow_of(int), None, "expected a whole number, got nothing; pass it as JSON, or a file of it: 1"),
    (flow_of(Batch), None, 'or a file of it: {"edits": [{"id": 1}], "by": "..."}'),
    (flow_of(Urgency), None, 'or a file of it: "low"'),
    (flow_of(dict[str, int]), None, "expected an object, got nothing; pass it as JSON, or a file of it: {}"),
]


@pytest.mark.parametrize(("flow", "given", "said"), NOTHING_GIVEN, ids=range(len(NOTHING_GIVEN)))
def test_an_input_too_many_or_too_few(flow: Flow[Any], given: str | None, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read_input(flow, given)
    assert said in str(raised.value)


def test_a_text_that_is_the_name_of_a_file_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_input(flow_of(int), "7") == 7
    (tmp_path / "7").write_text("8")
    assert read_input(flow_of(int), "7") == 8
