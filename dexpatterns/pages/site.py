"""Pages and notebooks as a static site in both languages: it opens from a folder, and asks nobody for anything.

A page is the stored page with its pictures drawn and its runs as steppers; a notebook is what is stored in it. The
site appears whole or not at all.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import shutil
from collections.abc import Callable, Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from dexpatterns import catalog as shelf
from dexpatterns.catalog import Pattern
from dexpatterns.engine.texts import LANGUAGES
from dexpatterns.errors import DexpatternsError, InputError
from dexpatterns.pages import blocks
from dexpatterns.pages.html import render
from dexpatterns.pages.index import INDEXES, index
from dexpatterns.pages.markers import Marker
from dexpatterns.pages.notebooks import Drawing, Notebook, body, notebooks, root
from dexpatterns.pages.page import Page
from dexpatterns.pages.site_folder import check_folder, list_files, swap
from dexpatterns.pages.texts import say
from dexpatterns.views.page import assets, fragment
from dexpatterns.views.show import show

__all__ = ["Built", "build"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: file: 'self'"
_TAGS = {"en": "en", "zh": "zh-Hans"}

Told = Callable[[str, int, int], None]
"""Called before each page: its name, how many are done, how many there are."""


class Built(NamedTuple):
    """What was built, and what could not be: a sentence each."""

    pages: int
    steppers: int
    problems: tuple[str, ...]


class _Place(NamedTuple):
    """A page of the site: where, in which language, and where it is in the other one."""

    path: str
    lang: str
    other: str
    title: str


class _Maker:
    """One page in the making: numbers its steppers."""

    def __init__(self) -> None:
        self.steppers = 0

    def stepper(self, made: dict[str, Any]) -> str:
        self.steppers += 1
        return fragment(made, f"run-{self.steppers}")


def build(
    folder: Path, *, catalog: str | Path | None = None, lessons: Path | None = None, lang: str = "en",
    progress: Told | None = None,
) -> Built:  # fmt: skip
    """Write the site into a folder; `lang` is what its front page leads to.

    Raises `InputError`, before anything is made, for a folder that is not free, and when it cannot be written.
    """
    check_folder(folder)
    found = {pattern.id: pattern for pattern in shelf.patterns(catalog)}
    books = notebooks(lessons)
    problems = [problem.text for problem in shelf.problems(catalog)]
    target = Path(os.path.realpath(folder))
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    counted = 0
    try:
        part.mkdir(parents=True)
        names: list[str] = []
        for picture in sorted((root() if lessons is None else lessons).glob("*.svg")):
            names.append(f"notebooks/{picture.name}")
            _write(part / names[-1], picture.read_text(encoding="utf-8"))
        pictures = len(names)
        for name, html, steppers in _pages(found, books, catalog, {*names}, problems, lang, progress):
            counted += steppers
            names.append(name)
            _write(part / name, html)
        list_files(part, names)
        swap(part, target)
    except OSError as error:
        said = error.strerror or str(error)
        raise InputError(f"{str(folder)!r}: the site cannot be written: {said}; name another folder") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return Built(len(names) - pictures, counted, tuple(problems))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="replace", newline="\n")


# The pages.


def _pages(
    found: dict[str, Pattern], books: tuple[Notebook, ...], catalog: str | Path | None, pictures: set[str],
    problems: list[str], front: str, progress: Told | None,
) -> Iterator[tuple[str, str, int]]:  # fmt: skip
    """(name, HTML, steppers) of each page of the site."""
    things: tuple[Pattern | Notebook, ...] = (*found.values(), *books)
    work = [(lang, thing) for thing in things for lang in LANGUAGES if _in(thing, lang)]
    known = pictures | {_place(thing, lang).path for lang, thing in work}
    known |= {f"{lang}/index.html" for lang in LANGUAGES}
    for done, (lang, thing) in enumerate(work):
        place = _place(thing, lang)
        if progress is not None:
            progress(place.path, done, len(work))
        maker, link = _Maker(), _linker(place, known)
        try:
            if isinstance(thing, Pattern):
                html = _pattern_body(thing, lang, maker, link)
            else:
                html = body(thing, Drawing(maker.stepper, link))
        except DexpatternsError as error:
            problems.append(f"{place.path}: {error}")
            html = f'<h1>{escape(place.title)}</h1>\n<p class="error">{escape(str(error))}</p>'
        other = place.other if place.other in known else ""
        yield place.path, _whole(place._replace(other=other), html, maker, found), maker.steppers
    for lang in LANGUAGES:
        place = _Place(f"{lang}/index.html", lang, f"{_other(lang)}/index.html", say(lang, "site"))
        yield place.path, _whole(place, _front(lang, found, books, catalog, _linker(place, known)), None, found), 0
    yield "index.html", _leading(front), 0


def _other(lang: str) -> str:
    return next(one for one in LANGUAGES if one != lang)


def _in(thing: Pattern | Notebook, lang: str) -> bool:
    return isinstance(thing, Pattern) or thing.lang == lang


def _place(thing: Pattern | Notebook, lang: str) -> _Place:
    if isinstance(thing, Pattern):
        name, title = f"catalog/{thing.id}", thing.title(lang)
    else:
        name, title = "/".join(filter(None, ("notebooks", thing.folder, thing.stem))), thing.title
    return _Place(f"{lang}/{name}.html", lang, f"{_other(lang)}/{name}.html", title)


def _linker(place: _Place, known: set[str]) -> Callable[[str], str]:
    """Links between files of the source tree, as links between pages of the site; others within it lead nowhere."""
    here = posixpath.dirname(place.path)
    inside = posixpath.dirname(place.path.partition("/")[2])
    # A page stands in a folder of its own, which the site has not.
    base = posixpath.join(inside, posixpath.basename(place.path)[:-5]) if inside == "catalog" else inside

    def link(href: str) -> str:
        path, hash, anchor = href.partition("#")
        if not path or re.match(r"[a-z][a-z0-9+.-]*:|//", href, re.IGNORECASE):
            return href
        there = posixpath.normpath(posixpath.join(base, unquote(path)))
        if there.endswith(".svg"):
            return quote(posixpath.relpath(there, here)) if there in known else "#"
        lang = "zh" if re.search(r"\.zh\.(md|ipynb)$", there) else place.lang if there.endswith("/") else "en"
        name = re.sub(r"(\.zh)?\.(md|ipynb)$", "", there)
        name = re.sub(r"^(catalog/[^/]+)/page$", r"\1", name)
        name = "index" if name in ("catalog/README", "catalog", "README", ".") else name
        target = f"{lang}/{name}.html"
        return quote(posixpath.relpath(target, here)) + hash + anchor if target in known else "#"

    return link


def _pattern_body(pattern: Pattern, lang: str, maker: _Maker, link: Callable[[str], str]) -> str:
    def drawn(marker: Marker) -> str | None:
        try:
            run = blocks.run_of(pattern, marker.kind, marker.args)
            if run is None:
                return blocks.drawn(pattern, marker.kind, marker.args, lang)
            return maker.stepper(show(run, lang, limit=pattern.limit))
        except DexpatternsError:
            return None  # what is stored stands there, as text

    return render(Page(pattern, lang).text, drawn=drawn, link=link)


def _front(
    lang: str, found: dict[str, Pattern], books: tuple[Notebook, ...], catalog: str | Path | None,
    link: Callable[[str], str],
) -> str:  # fmt: skip
    """The index of the catalog, and what there is to learn."""
    file = (shelf.root() if catalog is None else Path(catalog)) / INDEXES[lang]
    text = file.read_text(encoding="utf-8") if file.is_file() else index(lang, catalog)
    parts = []
    for folder, words in (("", "lessons"), ("exercises", "exercises")):
        rows = [
            f'<li><a href="{quote(_place(book, lang).path.partition("/")[2])}">{escape(book.title)}</a></li>'
            for book in books
            if book.folder == folder and book.lang == lang
        ]
        parts += [f"<h2>{escape(say(lang, words))}</h2>\n<ul>{''.join(rows)}</ul>"] if rows else []
    # The index stands where the catalog's own does.
    listed = render(text, link=lambda href: link(f"catalog/{href}" if not re.match(r"[a-z]+:|#", href) else href))
    return "\n".join([f"<h1>{escape(say(lang, 'site'))}</h1>", *parts, listed])


def _whole(place: _Place, html: str, maker: _Maker | None, found: dict[str, Pattern]) -> str:
    here = posixpath.dirname(place.path)
    css, js = assets() if maker is not None and maker.steppers else ("", "")
    script = ""
    if js:
        links = {id: quote(posixpath.relpath(f"{place.lang}/catalog/{id}.html", here)) for id in found}
        known = json.dumps(links).replace("<", "\\u003c")
        script = f'<script type="application/json" id="dxs-links">{known}</script>\n<script>{js}</script>\n'
    switch = ""
    if place.other:
        to = _other(place.lang)
        switch = (
            f'<a href="{quote(posixpath.relpath(place.other, here))}" lang="{_TAGS[to]}" hreflang="{_TAGS[to]}">'
            f"{escape(say(to, 'this language'))}</a>"
        )
    home = quote(posixpath.relpath(f"{place.lang}/index.html", here))
    head = f'<header><nav><a href="{home}">{escape(say(place.lang, "site"))}</a>{switch}</nav></header>'
    page = f"<body>\n{head}\n<main>\n{html}\n</main>\n{script}</body>\n</html>\n"
    return _head(place.title, _TAGS[place.lang], css + _style()) + page


def _head(title: str, tag: str, style: str) -> str:
    return (
        f'<!doctype html>\n<html lang="{tag}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
    )


def _style() -> str:
    return files("dexpatterns.views").joinpath("front", "site.css").read_text(encoding="utf-8")


def _leading(lang: str) -> str:
    """The front page: it leads to a language at once, and names both."""
    links = "".join(
        f'<p><a href="{one}/index.html" lang="{_TAGS[one]}">{escape(say(one, "this language"))}</a></p>'
        for one in sorted(LANGUAGES, key=lambda one: one != lang)
    )
    head = _head("dexpatterns", _TAGS[lang], _style()).replace(
        "<title>", f'<meta http-equiv="refresh" content="0; url={lang}/index.html">\n<title>'
    )
    return f"{head}<body>\n<main>{links}</main>\n</body>\n</html>\n"
