"""The part of JS7's expression language that is played here, as data.

`parse` and `parse_function` turn text into frozen records and refuse everything outside the subset with its text
and column (J55, J121); `str` of a record is text that parses to an equal record. What a record is worth is
`evaluation`'s business. Nothing here runs code or knows workflows, orders or files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple, NoReturn

from dexpatterns.errors import WorkflowFileError

__all__ = [
    "MAX_DEPTH", "MAX_LENGTH", "WORDS", "Binary", "Boolean", "Expression", "FieldOf", "Function", "Name", "Not",
    "Number", "Record", "Text", "TryCount", "parse", "parse_function", "short",
]  # fmt: skip

MAX_LENGTH = 4_000
"""Most characters of one expression (J59)."""
MAX_DEPTH = 50
"""Most operators and parentheses of one expression inside each other (J59)."""

_SUBSET = "strings, numbers, true, false, $name, tryCount, == != < <= > >=, &&, ||, !, parentheses"
_WIDER = _SUBSET + "; in a function also $name.field, +, ++ and {name: value}"


# --- records -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Text:
    """A string constant."""

    value: str

    def __str__(self) -> str:
        if self.value and not _NEEDS_DOUBLE.search(self.value):
            return f"'{self.value}'"
        return '"' + "".join(_ESCAPED.get(c, c) for c in self.value) + '"'


@dataclass(frozen=True, slots=True)
class Number:
    """A number constant; whole numbers stay whole."""

    value: int | float

    def __str__(self) -> str:
        written = format(Decimal(repr(self.value)), "f")
        return written if isinstance(self.value, int) or "." in written else written + ".0"


@dataclass(frozen=True, slots=True)
class Boolean:
    """`true` or `false`."""

    value: bool

    def __str__(self) -> str:
        return "true" if self.value else "false"


@dataclass(frozen=True, slots=True)
class Name:
    """`$name`: a named value of the order."""

    name: str

    def __str__(self) -> str:
        return f"${self.name}" if _SIMPLE.fullmatch(self.name) else f"${{{self.name}}}"


@dataclass(frozen=True, slots=True)
class TryCount:
    """`tryCount`: which attempt of the Try around it this is, 0 outside of one (J123)."""

    def __str__(self) -> str:
        return "tryCount"


@dataclass(frozen=True, slots=True)
class Not:
    """`!a`."""

    a: Expression

    def __str__(self) -> str:
        return "!" + _inside(self.a, _FACTOR)


@dataclass(frozen=True, slots=True)
class Binary:
    """`a op b`; operators of equal rank lean to the left."""

    op: str
    a: Expression
    b: Expression

    def __str__(self) -> str:
        rank = _RANK[self.op]
        return f"{_inside(self.a, rank)} {self.op} {_inside(self.b, rank + 1)}"


@dataclass(frozen=True, slots=True)
class FieldOf:
    """`a.field`; in functions only."""

    a: Expression
    field: str

    def __str__(self) -> str:
        return f"{_inside(self.a, _FACTOR)}.{self.field}"


@dataclass(frozen=True, slots=True)
class Record:
    """`{name: value, ...}`; as the body of a function only."""

    fields: tuple[tuple[str, Expression], ...]

    def __str__(self) -> str:
        return "{" + ", ".join(f"{name}: {value}" for name, value in self.fields) + "}"


Expression = Text | Number | Boolean | Name | TryCount | Not | Binary | FieldOf | Record


@dataclass(frozen=True, slots=True)
class Function:
    """`(a, b) => body`, as ForkList's `childToId` and `childToArguments` take it."""

    parameters: tuple[str, ...]
    body: Expression

    def __str__(self) -> str:
        return f"({', '.join(self.parameters)}) => {self.body}"


_RANK = {"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "++": 5}
_FACTOR = 9
_WIDE_ONLY = frozenset(("+", "++"))
_SIMPLE = re.compile(r"[^\W\d]\w*")
_NEEDS_DOUBLE = re.compile(r"['\x00-\x1f\x7f]")
_UNESCAPED = {"\\": "\\", '"': '"', "$": "$", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPED = {value: "\\" + key for key, value in _UNESCAPED.items()}


def _inside(part: Expression, rank: int) -> str:
    own = _RANK[part.op] if isinstance(part, Binary) else _FACTOR
    return str(part) if own >= rank else f"({part})"


# --- text to records -----------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<single>'[^']*')
    | (?P<double>"(?:[^"\\]|\\.)*")
    | (?P<number>\d+(?:\.\d+)?(?![\w.]))
    | (?P<name>\$(?:[^\W\d]\w*|\{[^\s{}$"'`]+\}))
    | (?P<word>[^\W\d]\w*)
    | (?P<op>=>|\+\+|[|]{2}|&&|[=!<>]=|[<>!()+\-.,:{}])
    """,
    re.VERBOSE | re.DOTALL,
)
_JUNK = re.compile(r"(?P<junk>[\w.]+|.)", re.DOTALL)


class _Token(NamedTuple):
    kind: str
    text: str
    at: int

    def __str__(self) -> str:
        return repr(self.text) if self.text else "the end"


def parse(source: str) -> Expression:
    """Read an expression of the subset; raises `WorkflowFileError` naming text and column.

    >>> str(parse('tryCount<3 && !($mode == "fast")'))
    "tryCount < 3 && !($mode == 'fast')"
    """
    parser = _Parser(source, wide=False)
    found = parser.expression(0)[0]
    parser.expect_end()
    return found


def parse_function(source: str, most: int = 2) -> Function:
    """Read `(a, b) => body` with at most `most` parameters; raises `WorkflowFileError` naming text and column.

    >>> parse_function("(child) => $child.name").parameters
    ('child',)
    """
    parser = _Parser(source, wide=True)
    function = parser.function(most)
    parser.expect_end()
    return function


class _Parser:
    """Recursive descent over tokens; every method returns a record with how deep it is."""

    def __init__(self, source: str, wide: bool) -> None:
        if len(source) > MAX_LENGTH:
            raise WorkflowFileError(
                f"expression {source[:40]!r}... has {len(source):,} characters, expected at most {MAX_LENGTH:,}"
            )
        self.source = source
        self.wide = wide
        self.tokens = self.tokenize()
        self.i = 0

    def refuse(self, at: int, what: str) -> NoReturn:
        raise WorkflowFileError(f"expression {short(self.source)}, column {at + 1}: {what}")

    def outside(self, token: _Token) -> NoReturn:
        self.refuse(token.at, f"{token.text!r} is outside what is played here; expected {self.allowed}")

    @property
    def allowed(self) -> str:
        return _WIDER if self.wide else _SUBSET

    def tokenize(self) -> list[_Token]:
        tokens, at = [], 0
        while at < len(self.source):
            match = _TOKEN.match(self.source, at)
            if match is None:
                c = self.source[at]
                if c in "'\"":
                    self.refuse(at, f"the string that starts here has no closing {c}")
                # Kept as a token, so that the leftmost fault is the one that is told.
                match = _JUNK.match(self.source, at)
                assert match is not None
            if match.lastgroup != "space":
                tokens.append(_Token(match.lastgroup or "", match.group(), at))
            at = match.end()
        tokens.append(_Token("end", "", at))
        return tokens

    def next(self) -> _Token:
        token = self.tokens[self.i]
        self.i += token.kind != "end"
        return token

    def take(self, op: str) -> bool:
        token = self.tokens[self.i]
        if token.kind == "op" and token.text == op:
            self.i += 1
            return True
        return False

    def expect(self, op: str) -> None:
        if not self.take(op):
            token = self.tokens[self.i]
            self.refuse(token.at, f"expected {op!r}, got {token}")

    def expect_end(self) -> None:
        token = self.tokens[self.i]
        if token.kind != "end":
            if token.text in (")", ",", ":", "}", "=>") or token.kind in ("single", "double", "number", "name"):
                self.refuse(token.at, f"expected an operator or the end, got {token.text!r}")
            self.outside(token)

    def deeper(self, depth: int, at: int) -> int:
        if depth >= MAX_DEPTH:
            self.refuse(at, f"more than {MAX_DEPTH} operators and parentheses inside each other")
        return depth + 1

    def expression(self, level: int, rank: int = 1) -> tuple[Expression, int]:
        """Operators of this rank and above. `level` counts the parentheses around."""
        left, depth = self.factor(level)
        while True:
            token = self.tokens[self.i]
            own = _RANK.get(token.text, 0) if token.kind == "op" else 0
            if own < rank or (token.text in _WIDE_ONLY and not self.wide):
                return left, depth
            self.i += 1
            right, other = self.expression(level, own + 1)
            left, depth = Binary(token.text, left, right), self.deeper(max(depth, other), token.at)

    def factor(self, level: int) -> tuple[Expression, int]:
        found, depth = self.atom(level)
        while self.wide and self.take("."):
            token = self.next()
            if token.kind != "word":
                self.refuse(token.at, "expected the name of a field after '.'")
            found, depth = FieldOf(found, token.text), self.deeper(depth, token.at)
        return found, depth

    def atom(self, level: int) -> tuple[Expression, int]:
        token = self.next()
        if token.kind == "end":
            self.refuse(token.at, f"expected a value, got the end; allowed are {self.allowed}")
        if token.text == "(":
            found, depth = self.expression(self.deeper(level, token.at))
            self.expect(")")
            return found, depth
        if token.text == "!":
            found, depth = self.factor(self.deeper(level, token.at))
            return Not(found), self.deeper(depth, token.at)
        if token.text == "-" and self.tokens[self.i].kind == "number":
            return Number(-self.number(self.next())), 0
        return self.constant(token), 0

    def constant(self, token: _Token) -> Expression:
        if token.kind == "single":
            return Text(token.text[1:-1])
        if token.kind == "double":
            return Text(self.unescaped(token))
        if token.kind == "number":
            return Number(self.number(token))
        if token.kind == "name":
            return Name(token.text[1:].strip("{}"))
        if token.kind == "word" and token.text in WORDS and self.tokens[self.i].text != "(":
            return WORDS[token.text]
        called = token.kind == "word" and self.tokens[self.i].text == "("
        return self.outside(token._replace(text=token.text + "(") if called else token)

    def number(self, token: _Token) -> int | float:
        if len(token.text) > 30:
            self.refuse(token.at, f"a number of {len(token.text)} characters, expected at most 30")
        return float(token.text) if "." in token.text else int(token.text)

    def unescaped(self, token: _Token) -> str:
        """The content of a double-quoted string: a backslash escapes, and a bare `$` would insert a value."""
        found, content, i = [], token.text[1:-1], 0
        while i < len(content):
            c = content[i]
            if c == "$":
                self.refuse(
                    token.at + 1 + i,
                    "a '$' inside a double-quoted string inserts a value, which is outside what is played here; "
                    "write the string in single quotes, or '\\$' for the character",
                )
            if c == "\\":
                i += 1
                if content[i] not in _UNESCAPED:
                    allowed = " ".join("\\" + c for c in _UNESCAPED)
                    self.refuse(token.at + i, f"'\\{content[i]}' is no escape; expected one of {allowed}")
                c = _UNESCAPED[content[i]]
            found.append(c)
            i += 1
        return "".join(found)

    def function(self, most: int) -> Function:
        start = self.tokens[0]
        names: list[str] = []
        if start.kind == "word":
            names.append(self.next().text)
        elif self.take("("):
            while not self.take(")"):
                if names:
                    self.expect(",")
                token = self.next()
                if token.kind != "word" or token.text in names:
                    self.refuse(token.at, f"expected the name of a parameter, got {token}")
                names.append(token.text)
        else:
            self.refuse(start.at, f"expected a function such as '(x) => $x', got {start}")
        if len(names) > most:
            self.refuse(start.at, f"{len(names)} parameters, expected at most {most}")
        self.expect("=>")
        body = self.record() if self.tokens[self.i].text == "{" else self.expression(0)[0]
        return Function(tuple(names), body)

    def record(self) -> Record:
        self.expect("{")
        fields: dict[str, Expression] = {}
        while not self.take("}"):
            if fields:
                self.expect(",")
            token = self.next()
            if token.kind != "word" or token.text in fields:
                self.refuse(token.at, f"expected the name of a new field, got {token}")
            self.expect(":")
            fields[token.text] = self.expression(0)[0]
        return Record(tuple(fields.items()))


WORDS: dict[str, Expression] = {"true": Boolean(True), "false": Boolean(False), "tryCount": TryCount()}
"""The words that mean something; every other one is outside of the subset."""


def short(source: str) -> str:
    """A text in quotes for an error, cut after 80 characters."""
    return repr(source if len(source) <= 80 else source[:77] + "...")
