"""The notebooks that come with the package, and any notebook as HTML from what is stored in it: nothing is run.

A text beside the notebooks, such as a plan for a workshop, is one with a single cell.
A stored show becomes a stepper again. Any other HTML of an output is put in a frame that may run no script and ask for
nothing, since a notebook may be anybody's.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from dexpatterns.errors import InputError
from dexpatterns.pages.html import highlighted, render

__all__ = ["Notebook", "notebooks", "root"]

_LARGEST = 50_000_000
_SHOW = "application/vnd.dexpatterns.show+json"
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def root() -> Path:
    """The notebooks that come with the package: packed inside it, or beside it in the source tree."""
    here = Path(__file__).resolve().parents[1]
    packed = here / "_notebooks"
    return packed if packed.is_dir() else here.parent / "notebooks"


class Notebook(NamedTuple):
    """One notebook: where it is, under which folder of notebooks, in which language."""

    path: Path
    folder: str
    """'' of a lesson, 'exercises' of an exercise."""
    stem: str
    """Its name without the language: the same in both."""
    lang: str
    title: str
    cells: tuple[dict[str, Any], ...]


def notebooks(folder: Path | None = None) -> tuple[Notebook, ...]:
    """Every notebook of a folder and of its `exercises`, by name; raises `InputError` for one that is broken."""
    top = root() if folder is None else folder
    files = [path for kind in ("*.ipynb", "*.md", "exercises/*.ipynb") for path in sorted(top.glob(kind))]
    return tuple(_read(file, file.parent.relative_to(top).as_posix().strip(".")) for file in files)


def _read(file: Path, folder: str) -> Notebook:
    try:
        if file.stat().st_size > _LARGEST:
            raise InputError(f"{file}: expected a notebook of at most {_LARGEST:,} bytes; clear its outputs")
        text = file.read_text(encoding="utf-8")
        data = {"cells": [{"cell_type": "markdown", "source": text}]} if file.suffix == ".md" else json.loads(text)
        cells = tuple(cell for cell in data["cells"] if isinstance(cell, dict))
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}; check its permissions") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{file}: expected a notebook of format 4, got {str(error)[:80]}; save it again") from None
    stem = file.stem.removesuffix(".zh")
    texts = [_text(cell.get("source")) for cell in cells if cell.get("cell_type") == "markdown"]
    found = re.search(r"^# +(.+)$", "\n".join(texts), re.MULTILINE)
    title = found[1].strip() if found else stem
    return Notebook(file, folder, stem, "zh" if file.stem.endswith(".zh") else "en", title, cells)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "".join(map(str, value)) if isinstance(value, list) else ""


class Drawing(NamedTuple):
    """What the page around a notebook gives it."""

    stepper: Callable[[dict[str, Any]], str]
    """A show as HTML."""
    link: Callable[[str], str]


def body(notebook: Notebook, drawing: Drawing) -> str:
    """The cells as HTML."""
    return "\n".join(_cell(cell, drawing) for cell in notebook.cells)


def _cell(cell: dict[str, Any], drawing: Drawing) -> str:
    source = _text(cell.get("source"))
    if cell.get("cell_type") == "markdown":
        return f'<div class="cell">{render(source, link=drawing.link)}</div>'
    if cell.get("cell_type") != "code":
        return ""
    outputs = [one for one in cell.get("outputs", ()) if isinstance(one, dict)]
    shown = "".join(f'<div class="output">{_output(one, drawing)}</div>' for one in outputs)
    code = f'<div class="input">{highlighted(source, "python")}</div>' if source.strip() else ""
    return f'<div class="cell">{code}{shown}</div>'


def _output(output: dict[str, Any], drawing: Drawing) -> str:
    kind = output.get("output_type")
    if kind == "stream":
        return _pre(_text(output.get("text")))
    if kind == "error":
        trace = _text([f"{line}\n" for line in output.get("traceback", ())])
        return _pre(trace or f"{output.get('ename', '')}: {output.get('evalue', '')}", "error")
    data = output.get("data")
    for mime, draw in _MIMES.items():
        if isinstance(data, dict) and mime in data and (html := draw(data[mime], drawing)):
            return html
    return ""


def _pre(text: str, name: str = "text") -> str:
    return f'<pre class="{name}">{escape(_ANSI.sub("", text))}</pre>' if text.strip() else ""


_MOST = 50_000_000
"""Bytes that a stored show may unpack to."""


def _show(value: Any, drawing: Drawing) -> str:
    """'' for one that is broken or of another format: its text says the same."""
    try:
        if value["format"] != 1:
            return ""
        packed = zlib.decompressobj()
        text = packed.decompress(base64.b64decode(value["zlib"], validate=True), _MOST)
        show = json.loads(text)
        return drawing.stepper(show) if not packed.unconsumed_tail and isinstance(show, dict) else ""
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, zlib.error, binascii.Error, RecursionError):
        return ""


def _framed(value: Any, _drawing: Drawing) -> str:
    """HTML of somebody: it may look as it likes in a frame of its own, and do nothing."""
    html = _text(value)
    if not html.strip():
        return ""
    page = (
        '<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
        "<style>body{margin:0;font:13px system-ui,sans-serif}svg{max-width:100%;height:auto}"
        "td,th{padding:2px 8px;text-align:right}table{border-collapse:collapse}</style>" + _unscripted(html)
    )
    return f'<iframe sandbox="" loading="lazy" style="height:{_height(html)}px" srcdoc="{escape(page)}"></iframe>'


def _unscripted(html: str) -> str:
    """Scripts would be kept from running all the same, with a complaint on the console for each."""
    html = re.sub(r"<script\b.*?(</script\s*>|\Z)", "", html, flags=re.DOTALL | re.IGNORECASE)
    return re.sub(r"<(link|meta|base|iframe|object|embed)\b[^>]*>", "", html, flags=re.IGNORECASE)


def _height(html: str) -> int:
    """As high as its pictures say and its rows and paragraphs need, within reason: a frame cannot tell."""
    pictures = [float(high) for high in re.findall(r"<svg\b[^>]*?\sheight=\"([0-9.]+)", html)]
    lines = len(re.findall(r"<(?:tr|p|br|div|li|h[1-6])\b", html)) + html.count("\n") * ("<pre" in html)
    return int(min(max(60, sum(pictures) + 16 + 26 * lines), 900))


def _image(value: Any, _drawing: Drawing) -> str:
    data = re.sub(r"\s", "", _text(value))
    return f'<img src="data:image/png;base64,{data}" alt="">' if re.fullmatch(r"[A-Za-z0-9+/]+=*", data) else ""


_MIMES: dict[str, Callable[[Any, Drawing], str]] = {
    _SHOW: _show,
    "text/html": _framed,
    "text/markdown": lambda value, drawing: render(_text(value), link=drawing.link),
    "image/png": _image,
    "text/plain": lambda value, _drawing: _pre(_text(value)),
}
"""What an output may be, the best first."""
