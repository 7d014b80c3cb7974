"""Where the generated parts of a page stand: between two comments, so that a stored page reads well anywhere.

    <!-- made: KIND ARGS -->
    ...
    <!-- /made -->

A part on lines of its own is a block; one within a line, `<!-- made: n CLAIM.FIELD -->8,031<!-- /made -->`, is a
number. What is put between them is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

__all__ = ["Marker", "fences", "markers", "replaced", "unmatched"]

_MADE = re.compile(r"<!-- made:(?P<said>[^\n]*?)-->(?P<body>(?:(?!<!-- made:).)*?)<!-- /made -->", re.DOTALL)
_OPEN, _CLOSE = "<!-- made:", "<!-- /made -->"
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)


class Marker(NamedTuple):
    """One generated part: what is asked for, what stands there now, and where."""

    kind: str
    args: tuple[str, ...]
    body: str
    line: int
    """Of its first comment, from 1."""
    inline: bool
    at_start: bool
    """Whether its line begins with it; of a number, that makes the whole line HTML."""


def markers(text: str) -> Iterator[Marker]:
    """Every generated part of a page, in order."""
    return (_marker(text, found) for found in _MADE.finditer(text))


def _marker(text: str, found: re.Match[str]) -> Marker:
    kind, *args = found["said"].split() or [""]
    before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    line = text.count("\n", 0, found.start()) + 1
    return Marker(kind, tuple(args), found["body"], line, "\n" not in found["body"], not before.strip())


def replaced(text: str, made: Callable[[Marker], str]) -> str:
    """The page with each part made anew; what stands outside the markers stays as it is."""

    def write(found: re.Match[str]) -> str:
        marker = _marker(text, found)
        # What is made holds data: it must not end its own part.
        body = made(marker).replace(_CLOSE, "<!-- / made -->").replace(_OPEN, "<!-- made :")
        kept = f"<!-- made: {' '.join((marker.kind, *marker.args))} -->"
        return f"{kept}{body}{_CLOSE}" if marker.inline and "\n" not in body else f"{kept}\n{body}\n{_CLOSE}"

    return _MADE.sub(write, text)


def unmatched(text: str) -> Iterator[int]:
    """The lines of comments that open or close nothing."""
    rest = _MADE.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(rest.split("\n"), 1):
        if _OPEN in line or _CLOSE in line:
            yield number


def fences(text: str) -> str:
    """The page with what stands in code fences left blank, line for line: it is no Markdown."""
    return _FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)
