"""The expressions that are played here: what they mean (J122, J123), and what is refused, with its column (J121)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dexpatterns.errors import WorkflowFileError
from dexpatterns.js7.evaluation import Problem, call, evaluate, number, text, truth
from dexpatterns.js7.expression import MAX_DEPTH, MAX_LENGTH, Number, Text, parse, parse_function
from dexpatterns.js7.positions import try_count

VALUES: dict[str, Any] = {"n": 2, "half": 0.5, "s": "two", "yes": True, "no": False, "list": [1, "a"], "o": {"k": 1}}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("'a'", "a"),
        ('"a"', "a"),
        (r'"a\"b\\c\nd\$e"', 'a"b\\c\nd$e'),
        (r"'a\n$b'", r"a\n$b"),
        ("''", ""),
        ("12", 12),
        ("-3", -3),
        ("1.50", 1.5),
        ("true", True),
        ("$n", 2),
        ("${half}", 0.5),
        ("$list", [1, "a"]),
        ("tryCount", 7),
        ("tryCount < 3", False),
        ("$n == 2", True),
        ("$n == 2.0", True),
        ("$n == '2'", False),
        ("1 == true", False),
        ("0 != false", True),
        ("$list == $list", True),
        ("$s != 'two'", False),
        ("$half < 1 && $n >= 2", True),
        ("$no && $missing", False),
        ("$yes || $missing", True),
        ("$yes || $no && $no", True),
        ("($yes || $no) && $no", False),
        ("!$no == $yes", True),
        ("!($n > 1)", False),
        ("!!$yes", True),
        ("1 < 2 == 2 > 1", True),
        ("  1\n<\t2 ", True),
    ],
)
def test_j122_values(source: str, expected: Any) -> None:
    found = evaluate(parse(source), VALUES, try_count=7)
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("$param", "No such named value: param"),
        ("$param == 1", "No such named value: param"),
        ("$yes && $param", "No such named value: param"),
        ("'a' < 1", "expected a number left of '<', got the string 'a'"),
        ("1 >= true", "expected a number right of '>=', got the boolean true"),
        ("1 && true", "expected true or false left of '&&', got the number 1"),
        ("$no || $list", "expected true or false right of '||', got a list of 2"),
        ("!$o", "expected true or false after '!', got an object"),
    ],
)
def test_j122_no_value(source: str, expected: str) -> None:
    assert evaluate(parse(source), VALUES) == Problem(expected)


def test_j122_what_an_instruction_expects() -> None:
    assert truth(parse("$yes"), VALUES) is True
    assert truth(parse("$n"), VALUES) == Problem("expected true or false of '$n', got the number 2")
    assert number(parse("$half"), VALUES) == 0.5
    assert number(parse("$yes"), VALUES) == Problem("expected a number of '$yes', got the boolean true")
    assert [text(parse(s), VALUES) for s in ("$s", "$n", "$yes", "1.50", "$half")] == ["two", "2", "true", "1.5", "0.5"]
    assert text(parse("$list"), VALUES) == Problem("expected text of '$list', got a list of 2")


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ((0,), 0),
        ((0, "try+0", 0), 1),
        ((0, "catch+2", 1), 3),
        ((0, "try+1", 0, "then", 0, "then+2", 1, "else", 0), 2),
        ((0, "try+1", 0, "lock", 0), 0),
        ((0, "try+1", 0, "lock", 0, "then", 0), 0),
        ((0, "try+1", 0, "try+0", 0), 1),
        ((0, "try+1", 0, "options", 0), 0),
        ((0, "fork+try+1", 0), 0),
    ],
)
def test_j123_try_count(position: tuple[int | str, ...], expected: int) -> None:
    assert try_count(position) == expected


@pytest.mark.parametrize(
    ("source", "column", "what"),
    [
        ("", 1, "expected a value, got the end"),
        ("1 ==", 5, "expected a value, got the end"),
        ("(1", 3, "expected ')', got the end"),
        ("1)", 2, "expected an operator or the end, got ')'"),
        ("1 2", 3, "expected an operator or the end, got '2'"),
        ("'a", 1, "has no closing '"),
        ('$n == "a', 7, 'has no closing "'),
        ('"$n"', 2, "inserts a value"),
        (r'"\x"', 2, r"'\x' is no escape"),
        ("$n + 1", 4, "'+' is outside"),
        ("$n - 1", 4, "'-' is outside"),
        ("$n * 1", 4, "'*' is outside"),
        ("'a' ++ 'b'", 5, "'++' is outside"),
        ("$o.k", 3, "'.' is outside"),
        ("$n in [1]", 4, "'in' is outside"),
        ("$s matches 'a'", 4, "'matches' is outside"),
        ("$n ?", 4, "'?' is outside"),
        ("[1]", 1, "'[' is outside"),
        ("{a: 1}", 1, "'{' is outside"),
        ("toNumber($s)", 1, "'toNumber(' is outside"),
        ("variable('s')", 1, "'variable(' is outside"),
        ("returnCode == 0", 1, "'returnCode' is outside"),
        ("catchCount", 1, "'catchCount' is outside"),
        ("$n = 2", 4, "'=' is outside"),
        ("$n & $n", 4, "'&' is outside"),
        ("$", 1, "'$' is outside"),
        ("1.5.2", 1, "'1.5.2' is outside"),
        ("1e3", 1, "'1e3' is outside"),
        ("-$n", 1, "'-' is outside"),
        ("x => $x", 1, "'x' is outside"),
        ("1" * 31, 1, "a number of 31 characters"),
        ("__import__('os').system('true')", 1, "'__import__(' is outside"),
        ("(" * 60 + "1" + ")" * 60, MAX_DEPTH + 1, "more than 50"),
        ("!" * 60 + "$n", MAX_DEPTH + 1, "more than 50"),
    ],
)
def test_j121_refused_with_text_and_column(source: str, column: int, what: str) -> None:
    with pytest.raises(WorkflowFileError) as caught:
        parse(source)
    message = str(caught.value)
    assert f", column {column}: " in message
    assert what in message
    assert repr(source)[:40] in message


@pytest.mark.parametrize("source", ["$n || " * 60 + "$n", "1" + " == 1" * 60, "'" + "a" * MAX_LENGTH + "'"])
def test_j121_too_large_is_refused(source: str) -> None:
    with pytest.raises(WorkflowFileError, match=r"more than 50|at most 4,000"):
        parse(source)


@given(st.text(st.sampled_from("$ab1.'\"\\(){}!=<>&|+-, \n[]?"), max_size=30))
def test_j121_any_text_is_parsed_or_refused(source: str) -> None:
    try:
        found = parse(source)
    except WorkflowFileError:
        return
    assert parse(str(found)) == found


def test_a_constant_is_written_so_that_it_is_read_back() -> None:
    written = [str(Text(s)) for s in ("", "a", "it's", "a\nb", '"', "$x", "'$\"\\'")]
    assert written == ['""', "'a'", '"it\'s"', '"a\\nb"', "'\"'", "'$x'", '"\'\\$\\"\\\\\'"']
    assert [str(Number(n)) for n in (1, 1.0, -0.25, 1e-7, 1.2345678901234568e26)] == [
        "1", "1.0", "-0.25", "0.0000001", "123456789012345680000000000.0",
    ]  # fmt: skip


# --- functions of a ForkList (J106, J124) --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "arguments", "expected"),
    [
        ("(x) => $x", ["a"], "a"),
        ("x => $x", ["a"], "a"),
        ("(x, i) => ($i + 1) ++ '.' ++ $x.name", [{"name": "n"}, 0], "1.n"),
        ("(x) => {a: $x, b: $n > 1}", ["v"], {"a": "v", "b": True}),
        ("() => {}", ["v"], {}),
        ("(x) => $x ++ $list", [["a"]], ["a", 1, "a"]),
        ("(n) => $n", [9], 9),
        ("(x) => $x.y", [{}], Problem("Unknown field name 'y' in: $x.y")),
        ("(x) => $x.y", ["t"], Problem("expected an object before '.y', got the string 't'")),
        ("(x) => $x ++ 1", [None], Problem("expected text left of '++', got null")),
    ],
)
def test_j124_functions(source: str, arguments: list[Any], expected: Any) -> None:
    function = parse_function(source)
    assert call(function, arguments, VALUES) == expected
    assert parse_function(str(function)) == function


@pytest.mark.parametrize(
    ("source", "column", "what"),
    [
        ("$x", 1, "expected a function such as '(x) => $x', got '$x'"),
        ("", 1, "got the end"),
        ("(x, x) => 1", 5, "expected the name of a parameter, got 'x'"),
        ("(x, y, z) => 1", 1, "3 parameters, expected at most 2"),
        ("(x) $x", 5, "expected '=>', got '$x'"),
        ("(x) => ", 8, "expected a value, got the end"),
        ("(x) => $x.", 11, "expected the name of a field after '.'"),
        ("(x) => {a $x}", 11, "expected ':', got '$x'"),
        ("(x) => {a: 1, a: 2}", 15, "expected the name of a new field, got 'a'"),
        ("(x) => $x * 2", 11, "'*' is outside"),
        ("(x) => f($x)", 8, "'f(' is outside"),
        ("(x) => {a: 1} + 1", 15, "'+' is outside"),
    ],
)
def test_j124_functions_refused(source: str, column: int, what: str) -> None:
    with pytest.raises(WorkflowFileError) as caught:
        parse_function(source)
    assert f", column {column}: " in str(caught.value)
    assert what in str(caught.value)
