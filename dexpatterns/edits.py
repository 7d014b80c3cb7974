"""An edit as a row of a person's file: read, or refused with file, place and mend.

A file is JSON (a list of objects, or `{"edits": [...]}`) or CSV (a header row, then a row per edit). This module
knows no Flow and no pattern: a catalog pattern turns the rows into its own input. What a person wrote in a cell
stays text; nothing in it is read as code, markup or a path.
"""

from __future__ import annotations

import csv
import dataclasses
import difflib
import io
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from dexpatterns.dex.json_types import found_words, quoted
from dexpatterns.errors import InputError

__all__ = ["COLUMNS", "MAX_BYTES", "MAX_EDITS", "MAX_SECONDS", "EditRow", "read_edits"]

MAX_BYTES = 20_000_000
"""A larger file is refused before it is read."""

MAX_EDITS = 100_000
"""With more rows than this a picture of the run says nothing, and its trace fills a laptop's memory."""

MAX_SECONDS = 1_000_000_000
"""All edits of a file together may last some thirty years: the calendar of the virtual clock has an end."""


@dataclasses.dataclass(frozen=True, slots=True)
class EditRow:
    """One edit as its author wrote it. Seconds are virtual; None where the file says nothing."""

    reviewer: str
    id: str = ""
    text: str = ""
    should_fail_handoff: bool = False
    should_fail_save: bool = False
    withdrawn: bool = False
    edit_seconds: float | None = None
    save_seconds: float | None = None


COLUMNS = tuple(field.name for field in dataclasses.fields(EditRow))
"""The columns a file may have; `reviewer` is required."""

_SECONDS = f"seconds, a number from 0 to {MAX_SECONDS:,}"
_FLAG = "true or false"
_EXPECTED = {
    "reviewer": "a name",
    "id": "a text",
    "text": "a text",
    "should_fail_handoff": _FLAG,
    "should_fail_save": _FLAG,
    "withdrawn": _FLAG,
    "edit_seconds": _SECONDS,
    "save_seconds": _SECONDS,
}
_WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_EXAMPLE = "reviewer,id,text"

Row = tuple[str, dict[str, Any]]
"""Where a row stands ("row 3", "line 4"), and its columns."""


def read_edits(path: str | Path) -> list[EditRow]:
    """Read a JSON or CSV file of edits; raises `InputError` for the first thing that cannot be used.

    A row without an `id` is called `edit-N` by its number from 1, one without a `text` is `draft N`.
    """
    file = repr(str(path))
    text = _read_text(Path(path), file)
    read = _json_rows if text.lstrip()[:1] in ("[", "{") or Path(path).suffix.lower() == ".json" else _csv_rows
    edits: list[EditRow] = []
    places: dict[str, str] = {}
    seconds = 0.0
    for place, columns in read(text, file):
        edit = _edit(columns, len(edits) + 1, file, place)
        if edit.id in places:
            _refuse(
                f"{file}, {place}, column 'id'",
                f"an id of its own, got {quoted(edit.id)}, the id of {places[edit.id]} too",
                "give each edit another id, or leave the column out",
            )
        places[edit.id] = place
        edits.append(edit)
        if len(edits) > MAX_EDITS:
            _refuse(file, f"at most {MAX_EDITS:,} edits, got more", "split the file")
        seconds += (edit.edit_seconds or 0) + (edit.save_seconds or 0)
        if seconds > MAX_SECONDS:
            _refuse(f"{file}, {place}", f"at most {MAX_SECONDS:,} seconds over all edits, got more", "shorten some")
    if not edits:
        _refuse(file, "at least one edit, got none", "add a row with a reviewer")
    return edits


def _refuse(where: str, expected_got: str, mend: str) -> NoReturn:
    raise InputError(f"{where}: expected {expected_got}; {mend}")


def _read_text(path: Path, file: str) -> str:
    try:
        if path.is_dir():
            _refuse(file, "a file of edits, got a folder", "name the file inside it")
        if path.stat().st_size > MAX_BYTES:
            _too_large(file)
        with path.open("rb") as source:
            # One byte more than allowed: a pipe has no size that could be asked for.
            data = source.read(MAX_BYTES + 1)
    except FileNotFoundError:
        _refuse(file, "a JSON or CSV file of edits, got no such file", "check the path")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        _refuse(file, f"a file that can be read, got {reason.lower()}", "check the path and its permissions")
    if len(data) > MAX_BYTES:
        _too_large(file)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        _refuse(file, "UTF-8 text, got UTF-16", "save it as UTF-8")
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        _refuse(f"{file}, line {line}", "text, got a NUL byte", "save it as JSON or CSV text in UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        _refuse(f"{file}, line {line}", f"UTF-8 text, got the byte 0x{data[error.start]:02x}", "save it as UTF-8")
    if not text.strip():
        _refuse(file, "at least one edit, got an empty file", "write a header row and a row per edit")
    return text


def _too_large(file: str) -> NoReturn:
    _refuse(file, f"at most {MAX_BYTES // 1_000_000} MB, got more", "split the file")


def _json_rows(text: str, file: str) -> Iterator[Row]:
    import msgspec

    try:
        items = msgspec.json.decode(text)
    except RecursionError:
        _refuse(file, "a list of flat objects, got values nested too deeply", "write one flat object per edit")
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        _refuse_json(text, file, str(error))
    _refuse_twins(text, items, file)
    if isinstance(items, dict):
        for name in items:
            if name != "edits":
                mend = 'put the edits in a list: [{"reviewer": "Ada"}]'
                _refuse(file, f"a list of edits, or one object with 'edits', got the key {quoted(name)}", mend)
        items = items.get("edits", [])
    if not isinstance(items, list):
        _refuse(file, f"a list of edits, got {found_words(items)}", 'write [{"reviewer": "Ada"}]')
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            _refuse(f"{file}, row {number}", f"an object, got {found_words(item)}", 'write {"reviewer": "Ada"}')
        _check_names(item, file, f"row {number}")
        # A null says nothing, which is what leaving the column out says.
        yield f"row {number}", {name: value for name, value in item.items() if value is not None}


def _refuse_twins(text: str, items: Any, file: str) -> None:
    """Refuse a column that stands twice in one object, as in CSV; the fast reader has kept the last and says nothing.

    The slow reader is asked only where names stand in the text more often than in what was read, or one as an escape.
    """
    read = sum(len(one) for _, one in _objects(items, dict))
    if "\\u" not in text and sum(text.count(f'"{name}"') for name in ("edits", *COLUMNS)) == read:
        return
    try:
        pairs = json.loads(text, object_pairs_hook=tuple)
    except (RecursionError, ValueError):
        return  # The slow reader takes less, numbers of thousands of digits: no column takes what it stumbles over.
    for place, one in _objects(pairs, tuple):
        _check_once([name for name, _ in one], f"{file}, {place}" if place else file)


def _objects(items: Any, kind: type[Any]) -> Iterator[tuple[str, Any]]:
    """Each object that may have columns, with its place; of the one round the edits there is none to say."""
    if isinstance(items, kind):
        yield "", items
        items = dict(items).get("edits")
    for number, item in enumerate(items if isinstance(items, list) else (), 1):
        if isinstance(item, kind):
            yield f"row {number}", item


def _refuse_json(text: str, file: str, reason: str) -> NoReturn:
    """Say where; the fast reader knows no line, so the slow one is asked, now that time does not matter."""

    def constant(name: str) -> NoReturn:
        line = text[: text.index(name)].count("\n") + 1
        _refuse(f"{file}, line {line}", f"{_SECONDS}, got {name}", "correct it, or leave the column out")

    row = re.search(r" - at `\$\[(\d+)\]", reason)
    where = f"{file}, row {int(row[1]) + 1}" if row else file
    found = reason.partition(" - at ")[0]
    try:
        json.loads(text, parse_constant=constant)
        if "truncated" in found:
            found = "a text holds half of a character, such as \\ud83d without its other half"
    except json.JSONDecodeError as error:
        where = f"{file}, line {error.lineno}, column {error.colno}"
        found = error.msg
    except (RecursionError, ValueError):
        pass  # Over a number of thousands of digits the slow reader stumbles as well: the first reason stands.
    raise InputError(f"{where}: not JSON: {found[:1].lower()}{found[1:]}; mend it, or write CSV with a header row")


def _csv_rows(text: str, file: str) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, skipinitialspace=True)
    line = 1
    try:
        header: list[str] = []
        for cells in reader:
            place, line = f"line {line}", reader.line_num + 1
            if not cells:
                continue
            if not header:
                header = _header([cell.strip() for cell in cells], file, place)
            elif len(cells) != len(header):
                mend = "one cell per column, with quotes round a text that holds a comma"
                wanted = f"{len(header)} cell{'' if len(header) == 1 else 's'}"
                _refuse(f"{file}, {place}", f"{wanted}, got {len(cells)}", f"write {mend}")
            else:
                filled = ((name, cell) for name, cell in zip(header, cells, strict=True) if cell.strip())
                yield place, {name: _cell(name, cell) for name, cell in filled}
    except csv.Error as error:
        raise InputError(
            f"{file}, line {line}: not CSV: {error}; close every quote, and keep cells below 100 KB"
        ) from None


def _header(names: list[str], file: str, place: str) -> list[str]:
    if not set(names) & set(COLUMNS):
        line = ",".join(names)
        hint = "separate columns by commas" if re.search(r"\breviewer\b", line) else f"begin with {_EXAMPLE}"
        expected = "JSON, or CSV whose first line names the columns"
        _refuse(f"{file}, {place}", f"{expected}, got {quoted(line)}", hint)
    _check_names(names, file, place)
    _check_once(names, f"{file}, {place}")
    if "reviewer" not in names:
        _refuse(f"{file}, {place}", "a column 'reviewer', got none", "add one with a name in every row")
    return names


def _cell(name: str, cell: str) -> Any:
    """A cell's text as the value that JSON would hold; what is no such value stays text and is refused later."""
    word = cell.strip().lower()
    if _EXPECTED[name] is _FLAG:
        return _WORDS.get(word, cell)
    if _EXPECTED[name] is _SECONDS:
        # float() also takes 1_000 and the digits of every script; a file says plain numbers.
        return float(word) if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", word, re.ASCII) else cell
    return cell


def _check_names(names: Iterable[str], file: str, place: str) -> None:
    for name in names:
        if name not in _EXPECTED:
            near = difflib.get_close_matches(re.sub(r"[\s-]+", "_", name.strip().lower()), COLUMNS, n=2)
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "leave it out"
            _refuse(f"{file}, {place}", f"the columns {', '.join(COLUMNS)}, got {quoted(name)}", hint)


def _check_once(names: list[str], where: str) -> None:
    for name in names:
        if names.count(name) > 1:
            _refuse(where, f"each column once, got {quoted(name)} twice", "leave one of them out")


def _edit(columns: dict[str, Any], number: int, file: str, place: str) -> EditRow:
    import msgspec

    if "reviewer" not in columns:
        _refuse(f"{file}, {place}, column 'reviewer'", "a name, got nothing", "every edit has a reviewer")
    try:
        edit = msgspec.convert({"id": f"edit-{number}", "text": f"draft {number}", **columns}, EditRow)
    except msgspec.ValidationError as error:
        name = _column(str(error))
        _refuse_value(name, columns.get(name), file, place)
    for name in ("reviewer", "id"):
        if not getattr(edit, name).strip():
            _refuse_value(name, getattr(edit, name), file, place)
    for name in ("edit_seconds", "save_seconds"):
        seconds = getattr(edit, name)
        if seconds is not None and not 0 <= seconds <= MAX_SECONDS:
            _refuse_value(name, columns[name], file, place)
    return edit


def _column(message: str) -> str:
    found = re.search(r"`\$\.(\w+)`", message)
    return found[1] if found else "reviewer"


def _refuse_value(name: str, value: Any, file: str, place: str) -> NoReturn:
    mend = "correct it" if name == "reviewer" else "correct it, or leave it out"
    _refuse(f"{file}, {place}, column {name!r}", f"{_EXPECTED[name]}, got {found_words(value)}", mend)
