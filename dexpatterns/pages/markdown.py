"""Markdown as pages write it: text made harmless, tables, fences. What is said is not known here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dexpatterns.engine.texts import visible

__all__ = ["fenced", "plain", "table"]


def plain(text: str) -> str:
    r"""The text with nothing in it that is markup, neither Markdown nor HTML.

    >>> print(plain("a|b <script> run_me *now*"))
    a\|b \<script> run_me \*now\*
    """
    text = re.sub(r"([\\`*<\[\]|~&])|(?<!\w)(_)|(_)(?!\w)", r"\\\1\2\3", visible(text))
    return re.sub(r"^(\s*\d*)([#+>=-]|(?<=\d)[.)])", r"\1\\\2", text)


def fenced(text: str) -> str:
    """The text as it is, in a fence that nothing in it can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join(line.rstrip() for line in text.rstrip("\n").split("\n"))
    return f"{fence}text\n{lines}\n{fence}"


def table(columns: str, rows: Iterable[Sequence[str]], right: str = "") -> str:
    """`columns` are the headings with `|` between them; `right` names the columns of figures by place, from 0."""
    heads = columns.split("|")
    rule = ["---:" if str(place) in right else "---" for place in range(len(heads))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [heads, rule, *rows])
