"""What is wrong with the pages of a catalog folder, a sentence each: headings, the pair of languages, markers, links.

Nothing is searched, and nothing of the folder is run, but its `world.py` where a marker names a claim's field. Whether
the generated parts are those of today's reports is asked by filling them anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from dexpatterns.engine.texts import LANGUAGES
from dexpatterns.errors import DexpatternsError
from dexpatterns.pages.blocks import KINDS, check
from dexpatterns.pages.markers import fences, markers, unmatched
from dexpatterns.pages.texts import ANSWER, FILES, HEADINGS

if TYPE_CHECKING:
    from dexpatterns.catalog import Pattern

__all__ = ["problems_of", "read"]

_LARGEST = 1_000_000


class _Draft(NamedTuple):
    """A page as its checks need it."""

    pattern: Pattern
    lang: str
    text: str
    prose: str
    """Without what stands in code fences, line for line."""

    @property
    def at(self) -> int:
        return LANGUAGES.index(self.lang)


def read(pattern: Pattern, lang: str) -> str:
    """The text of a page as it stands in its file; raises `OSError` or `UnicodeError`."""
    file = pattern.path / FILES[lang]
    if file.stat().st_size > _LARGEST:
        raise OSError(None, f"more than {_LARGEST:,} bytes")
    return file.read_text(encoding="utf-8")


def problems_of(pattern: Pattern) -> tuple[str, ...]:
    """What is wrong with the pages of a folder, each with its file, its line and the mend; none of a good one."""
    found: list[str] = []
    levels: dict[str, list[int]] = {}
    for lang in LANGUAGES:
        file = pattern.path / FILES[lang]
        try:
            text = read(pattern, lang)
        except FileNotFoundError:
            found.append(f"{file}: expected the page in this language, got none; write it")
            continue
        except (OSError, UnicodeError) as error:
            said = getattr(error, "strerror", None) or str(error)
            found.append(f"{file}: expected a page in UTF-8, got {said}; mend it")
            continue
        draft = _Draft(pattern, lang, text, fences(text))
        levels[lang] = [len(marks) for marks in re.findall(r"^(#+) ", draft.prose, re.MULTILINE)]
        for test in _TESTS:
            found += [f"{file}{f', line {line}' if line else ''}: {said}" for line, said in test(draft)]
    if len(levels) == len(LANGUAGES) and levels["en"] != levels["zh"]:
        found.append(
            f"{pattern.path}: expected as many headings of each level in both languages, got {len(levels['en'])} and "
            f"{len(levels['zh'])} in all; write the same ones in the same order"
        )
    return tuple(found)


_Found = Iterator[tuple[int, str]]
"""Line (0: the page as a whole) and sentence."""


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _head(draft: _Draft) -> _Found:
    title, summary = draft.pattern.title(draft.lang), draft.pattern.summary(draft.lang)
    first, *rest = [part.strip() for part in draft.text.split("\n\n", 2)]
    if first != f"# {title}":
        yield 1, f"expected '# {title}', got {first[:80]!r}; write the title of pattern.toml"
    if " ".join(rest[:1]) != summary:
        yield 3, f"expected the one-liner of pattern.toml, {summary!r}, got {' '.join(rest[:1])[:80]!r}; write it there"


def _headings(draft: _Draft) -> _Found:
    found = [
        (_line(draft.prose, one.start()), one[1].strip())
        for one in re.finditer(r"^## (.*)$", draft.prose, re.MULTILINE)
    ]
    expected = [heading[draft.at] for heading in HEADINGS]
    for n, wanted in enumerate(expected):
        line, got = found[n] if n < len(found) else (0, "no more")
        if got != wanted:
            yield line, f"expected the heading '## {wanted}', got {got!r}; the headings are: {', '.join(expected)}"
            return
    for line, got in found[len(expected) :]:
        yield line, f"expected no heading after {expected[-1]!r}, got {got!r}; make it a ### or take it out"


def _answer(draft: _Draft) -> _Found:
    last = draft.prose.rpartition(f"\n## {HEADINGS[-1][draft.at]}")[2]
    wanted = f"<summary>{ANSWER[draft.at]}</summary>"
    if "<details>" not in last or wanted not in last or "</details>" not in last:
        yield 0, f"expected a folded answer at the end, got none; write <details>{wanted} ... </details>"


def _parts(draft: _Draft) -> _Found:
    for line in unmatched(draft.text):
        yield line, "a marker that opens or closes nothing; write <!-- made: KIND --> ... <!-- /made -->"
    kinds, told = set(), set()
    for marker in markers(draft.text):
        kinds.add(marker.kind)
        if marker.kind == "n" and marker.at_start:
            yield marker.line, "a number at the start of a line makes it HTML; write a word before it"
        if marker.inline and marker.body and marker.kind in KINDS and marker.kind != "n":
            yield marker.line, f"marker {marker.kind!r} makes a block; write its two comments on lines of their own"
        try:
            check(draft.pattern, marker.kind, marker.args)
        except DexpatternsError as error:
            # Code that fails is told once, not for each marker that needs it.
            if str(error) not in told:
                told.add(str(error))
                yield marker.line, str(error)
    for kind in ("graph", "run", "claims"):
        if kind not in kinds:
            yield 0, f"expected the part {kind!r}, got none; write <!-- made: {kind} --> and <!-- /made -->"


# Links.

_LINK = re.compile(r"(?<!!)\[(?P<text>(?:[^\[\]\\]|\\.)*)\]\((?P<to>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
_CITED = re.compile(r"(?P<repo>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*) ?#(?P<number>\d+)")
_ISSUE = re.compile(r"https://github\.com/([^/\s]+/[^/\s]+)/(?:issues|pull)/(\d+)")


def _links(draft: _Draft) -> _Found:
    for found in _LINK.finditer(draft.prose):
        said = _broken(draft, found["to"])
        if said:
            yield _line(draft.prose, found.start()), said


def _broken(draft: _Draft, to: str) -> str:
    if re.match(r"[a-z][a-z0-9+.-]*:", to, re.IGNORECASE):
        return "" if to.startswith("https://") else f"link to {to!r}: expected https://; write that, or a path"
    path = unquote(to.partition("#")[0])
    if not path:
        return ""
    target = (draft.pattern.path / path).resolve()
    catalog = draft.pattern.path.parent
    beside = target.is_relative_to(catalog) and not target.is_relative_to(draft.pattern.path)
    if beside and target.name in FILES.values():
        if target.name != FILES[draft.lang]:
            return f"link to {to!r}: expected the page in this language, {FILES[draft.lang]}"
        # That its page is missing is said of that folder.
        target = target.parent / "pattern.toml"
    elif not target.is_relative_to(catalog):
        target = _outside(target, catalog)
    return "" if target.exists() else f"link to {to!r}: there is no such file; mend the path"


def _outside(target: Path, catalog: Path) -> Path:
    """What a page says of `../../notebooks` is beside the packed catalog under another name."""
    packed = catalog.parent / "_notebooks"
    source = catalog.parent / "notebooks"
    if catalog.name == "_catalog" and target.is_relative_to(source):
        return packed / target.relative_to(source)
    return target


def _issues(draft: _Draft) -> _Found:
    """`owner/repo #12` is a link to that very issue, and such a link says which issue it is."""
    linked = []
    for found in _LINK.finditer(draft.prose):
        linked.append(found.span())
        cited, issue = _CITED.fullmatch(found["text"].replace("\\", "")), _ISSUE.fullmatch(found["to"])
        meant = f"{cited['repo']} #{cited['number']}" if cited else ""
        target = f"{issue[1]} #{issue[2]}" if issue else ""
        if (cited or issue) and (meant != target or found["text"].replace("\\", "") != target):
            said = f"issue {found['text']!r} links to {found['to']!r}; expected [OWNER/REPO #N](https://github.com/"
            said += "OWNER/REPO/issues/N), or /pull/N, with the same names and number"
            yield _line(draft.prose, found.start()), said
    for found in _CITED.finditer(draft.prose):
        if not any(first <= found.start() < last for first, last in linked):
            said = f"issue {found[0]!r} is no link; write [{found['repo']} #{found['number']}](https://github.com/"
            said += f"{found['repo']}/issues/{found['number']})"
            yield _line(draft.prose, found.start()), said


_TESTS: tuple[Callable[[_Draft], _Found], ...] = (_head, _headings, _answer, _parts, _links, _issues)
