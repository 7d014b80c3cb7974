"""`dexpatterns list`: what is in a catalog, a line each; a folder or page that cannot be used is named on stderr."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from dexpatterns.commands.options import json_option, lang_option
from dexpatterns.terminal import Words, aside, note, say, table, write, write_json

if TYPE_CHECKING:
    from dexpatterns.catalog import Pattern

__all__ = ["command"]

_WORDS: Words = {
    "list": ("name|kind|in one line", "名称|种类|一句话"),
    "pattern": ("pattern", "模式"),
    "anti-pattern": ("anti-pattern", "反模式"),
    "empty": ("no pattern's folder is there", "那里没有任何模式的文件夹"),
    "told": ("{title}: {summary}", "{title}：{summary}"),
    "unmet": (
        "{path}: claim {claim!r} does not hold: expected {expected}, got {verdict}",
        "{path}：主张 {claim!r} 不成立：期望 {expected}，得到 {verdict}",
    ),
}
_say = partial(say, _WORDS)


@click.command("list")
@click.option("--catalog", metavar="FOLDER", help="A catalog of your own: a folder of pattern folders.")
@click.option(
    "--check", "checking", is_flag=True,
    help="Run each folder's code and claims and look at its pages too; status 1 if something is wrong.",
)  # fmt: skip
@json_option
@lang_option
def command(*, catalog: str | None, checking: bool, as_json: bool, lang: str) -> int:
    """List the catalog's patterns.

    A folder that cannot be used is named on stderr, and the others are listed.

    \b
    Examples:
      dexpatterns list --lang zh
      dexpatterns list --catalog our-patterns --check
    """
    from dexpatterns import catalog as shelf

    patterns = shelf.patterns(catalog)
    found = [(p.id, p.kind, p.title(lang), p.summary(lang)) for p in patterns]
    if as_json:
        write_json([dict(zip(("id", "kind", "title", "summary"), row, strict=True)) for row in found])
    else:
        rows = [
            (id, _say(lang, kind), _say(lang, "told", title=title, summary=summary))
            for id, kind, title, summary in found
        ]
        write(table(_say(lang, "list"), rows))
    problems = [problem.text for problem in shelf.problems(catalog, run=checking)]
    if checking:
        from dexpatterns.pages import problems_of

        problems += [problem for pattern in patterns for problem in problems_of(pattern)]
        broken = {problem.path for problem in shelf.problems(catalog, run=True)}
        problems += _unmet([pattern for pattern in patterns if pattern.path not in broken], lang)
    for problem in problems:
        note(problem)
    if not found and not problems:
        note(_say(lang, "empty"))
    return 1 if checking and problems else 0


def _unmet(patterns: Sequence[Pattern], lang: str) -> list[str]:
    """The claims that do not hold, each in a sentence."""
    from dexpatterns.views.progress import claiming

    total, done, found = sum(len(pattern.sentences) for pattern in patterns), 0, []
    with claiming(lang) as told, aside():
        for pattern in patterns:
            for row in pattern.verified(lang):
                told(f"{pattern.id}: {row.claim}", done, total)
                done += 1
                if not row.holds:
                    fields = {"claim": row.claim, "expected": row.expected, "verdict": row.verdict}
                    found.append(_say(lang, "unmet", path=pattern.path, **fields))
    return found
