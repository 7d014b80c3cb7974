"""The index of a catalog: every folder, what it is for, and the tables that compare them, made from cards and verdicts.

It is written by `python -m dexpatterns.pages`, and no word of it is typed by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dexpatterns import catalog as shelf
from dexpatterns.catalog import Pattern
from dexpatterns.claims import Claim, Measure, Progress, Verified
from dexpatterns.engine.report import Verdict
from dexpatterns.folders.cards import KINDS
from dexpatterns.pages.markdown import plain, table
from dexpatterns.pages.texts import FILES, say

__all__ = ["INDEXES", "index"]

INDEXES = {"en": "README.md", "zh": "README.zh.md"}

_THREE = ("critical-section", "attribute-lock", "exclusive-lock")
"""A token, an Attribute lock and a resource lock, each in its plainest form."""


def index(lang: str = "en", catalog: str | Path | None = None, *, progress: Progress | None = None) -> str:
    """The index as Markdown; every claim is run, unless it was before."""
    found = {pattern.id: pattern for pattern in shelf.patterns(catalog)}
    compared = shelf.compare(lang, catalog, progress=progress)
    parts = [f"# {say(lang, 'index title')}", say(lang, "index"), say(lang, "other language")]
    for kind in KINDS:
        some = [pattern for pattern in found.values() if pattern.kind == kind]
        parts += [f"## {say(lang, f'{kind}s')}", _listed(some, kind, found, lang)] if some else []
    rows = [(_link(found[id], lang), *(plain(cell) for cell in cells[2:])) for id, *cells in compared.itertuples()]
    columns = "|".join([compared.columns[0], *compared.columns[2:]])
    parts += [f"## {say(lang, 'by property')}", say(lang, "by property told"), table(columns, rows)]
    three = [found[id] for id in _THREE if id in found]
    if len(three) > 1:
        heads = "|".join([say(lang, "property"), *(_link(pattern, lang) for pattern in three)])
        lines = [(say(lang, "summary"), *(plain(pattern.summary(lang)) for pattern in three))]
        for column in compared.columns[2:]:
            cells = [plain(str(compared.loc[pattern.id, column])) for pattern in three]
            lines += [(column, *cells)] if any(cells) else []
        parts += [f"## {say(lang, 'three')}", table(heads, lines)]
    pairs = [row for pattern in found.values() for row in _mended(pattern, found, lang)]
    if pairs:
        parts += [f"## {say(lang, 'side by side')}", table(say(lang, "side columns"), pairs)]
    return "\n\n".join(parts) + "\n"


def _link(pattern: Pattern, lang: str) -> str:
    return f"[{plain(pattern.title(lang))}]({pattern.id}/{FILES[lang]})"


def _listed(some: list[Pattern], kind: str, found: dict[str, Pattern], lang: str) -> str:
    between = "、" if lang == "zh" else ", "
    rows = []
    for pattern in some:
        others = pattern.repairs if kind == "pattern" else pattern.repaired_by
        links = between.join(_link(found[id], lang) if id in found else plain(id) for id in others)
        rows.append((_link(pattern, lang), plain(pattern.summary(lang)), links))
    return table(say(lang, f"{kind} columns"), rows)


# An anti-pattern and each of its repairs: what the one breaks and the other keeps, in the words of their claims.


def _mended(pattern: Pattern, found: dict[str, Pattern], lang: str) -> Iterator[tuple[str, str, str, str]]:
    if pattern.kind != "anti-pattern":
        return
    for repair in (found[id] for id in pattern.repaired_by if id in found):
        pair = _pair(pattern, repair, lang)
        if pair:
            yield _link(pattern, lang), plain(pair[0]), _link(repair, lang), plain(pair[1])


def _pair(pattern: Pattern, repair: Pattern, lang: str) -> tuple[str, str] | None:
    """The first sentence of what breaks about something that the repair keeps, and of that."""
    kept = [(about, row.sentence) for row in _sentences(repair, lang, good=True) for about in row.about]
    for row in _sentences(pattern, lang, good=False):
        for about in row.about:
            for kept_about, sentence in kept:
                if kept_about == about:
                    return row.sentence, sentence
    return None


def _sentences(pattern: Pattern, lang: str, *, good: bool) -> list[Verified]:
    return [
        row for row in pattern.verified(lang) if row.holds and not row.aside and _says(pattern.claims[row.claim], good)
    ]


def _says(claim: Claim | Measure, good: bool) -> bool:
    """Whether it tells of something kept, or of something broken."""
    if isinstance(claim, Measure):
        return (claim.at_most if good else claim.at_least) is not None
    return claim.verdict is (Verdict.PROVED if good else Verdict.REFUTED)
