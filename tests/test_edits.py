"""A file of edits is read as it was meant, or refused by one line that names file, place, column and mend."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from dexpatterns import edits
from dexpatterns.edits import EditRow, read_edits
from dexpatterns.errors import InputError

ADA = '{"reviewer": "Ada"'


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("list.json", '[{"reviewer": "Ada", "id": "a", "withdrawn": true, "edit_seconds": 3}, {"reviewer": "Bo"}]'),
        (
            "object.json",
            '{"edits": [{"reviewer": "Ada", "id": "a", "withdrawn": true, "edit_seconds": 3.0}, {"reviewer": "Bo"}]}',
        ),
        (
            "nulls.json",
            '[{"reviewer": "Ada", "id": "a", "withdrawn": true, "edit_seconds": 3}, {"reviewer": "Bo", "id": null}]',
        ),
        ("plain.csv", "reviewer,id,withdrawn,edit_seconds\nAda,a,true,3\nBo,,,\n"),
        ("windows.csv", "\ufeffreviewer,id,withdrawn,edit_seconds\r\nAda,a,YES,3.0\r\n\r\nBo,,no,\r\n"),
        ("spaces.csv", 'reviewer, id, withdrawn, edit_seconds\n"Ada", a, 1, 0.3e1\nBo, , 0, \n'),
        ("named.txt", "withdrawn,edit_seconds,reviewer,id\n1,+3,Ada,a\n0,,Bo,"),
        ("bom.json", '\ufeff [{"reviewer":"Ada","id":"a","withdrawn":true,"edit_seconds":3},{"reviewer":"Bo"}]'),
    ],
)
def test_every_form_of_the_same_file_gives_the_same_rows(tmp_path: Path, name: str, content: str) -> None:
    assert read_edits(write(tmp_path, name, content)) == [
        EditRow("Ada", "a", "draft 1", withdrawn=True, edit_seconds=3.0),
        EditRow("Bo", "edit-2", "draft 2"),
    ]


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "../../x", "😀", "[red]x[/]", "陈", 'Bo, "jr"', "=1+1"])
def test_a_name_is_just_a_name(tmp_path: Path, name: str) -> None:
    file = write(tmp_path, "e.json", json.dumps([{"reviewer": name}]))
    assert [row.reviewer for row in read_edits(file)] == [name]
    quoted = name.replace('"', '""')
    assert [row.reviewer for row in read_edits(write(tmp_path, "e.csv", f'reviewer\n"{quoted}"\n'))] == [name]


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("", ("'e.json'", "at least one edit", "an empty file", "header row")),
        (" \n\t\n", ("'e.json'", "at least one edit", "an empty file", "header row")),
        ("[]", ("'e.json'", "at least one edit", "none", "add a row")),
        ("{}", ("'e.json'", "at least one edit", "none", "add a row")),
        ('{"edits": []}', ("'e.json'", "at least one edit", "none", "add a row")),
        ("[", ("line 1, column 2", "JSON", "expecting value", "mend it")),
        ("[\n" + ADA + "\n{}]", ("line 3, column 1", "JSON", "delimiter", "mend it")),
        ("reviewer\nAda\n", ("line 1, column 1", "JSON", "expecting value", "CSV")),
        ("12", ("'e.json'", "a list of edits", "12", "write [{")),
        ('"Ada"', ("'e.json'", "a list of edits", "'Ada'", "write [{")),
        ('{"edits": 3}', ("'e.json'", "a list of edits", "3", "write [{")),
        (ADA + "}", ("'e.json'", "a list of edits", "'reviewer'", "in a list")),
        ("[1]", ("row 1", "an object", "1", "write {")),
        ("[[]]", ("row 1", "an object", "a list", "write {")),
        ("[{}]", ("row 1, column 'reviewer'", "a name", "nothing", "has a reviewer")),
        ('[{"id": "a"}]', ("row 1, column 'reviewer'", "a name", "nothing", "has a reviewer")),
        ('[{"reviewer": null}]', ("row 1, column 'reviewer'", "a name", "nothing", "has a reviewer")),
        ('[{"reviewer": " "}]', ("row 1, column 'reviewer'", "a name", "the text ' '", "correct it")),
        ('[{"reviewer": 7}]', ("row 1, column 'reviewer'", "a name", "7", "correct it")),
        ('[{"reviewer": ["Ada"]}]', ("row 1, column 'reviewer'", "a name", "a list", "correct it")),
        (f'[{ADA}, "id": ""}}]', ("row 1, column 'id'", "a text", "an empty text", "leave it out")),
        (f'[{ADA}, "id": 7}}]', ("row 1, column 'id'", "a text", "7", "leave it out")),
        (f'[{ADA}, "text": {{"a": 1}}}}]', ("row 1, column 'text'", "a text", "an object", "leave it out")),
        (f'[{ADA}, "text": {"[" * 40}{"]" * 40}}}]', ("row 1, column 'text'", "a text", "a list", "leave it out")),
        (f'[{ADA}}}, {ADA}, "withdrawn": 1}}]', ("row 2, column 'withdrawn'", "true or false", "1", "leave it out")),
        (f'[{ADA}, "withdrawn": "yes"}}]', ("row 1, column 'withdrawn'", "true or false", "'yes'", "leave it out")),
        (f'[{ADA}, "edit_seconds": -1}}]', ("row 1, column 'edit_seconds'", "from 0 to", "-1", "correct it")),
        (f'[{ADA}, "save_seconds": "5"}}]', ("row 1, column 'save_seconds'", "a number from 0", "'5'", "correct it")),
        (f'[{ADA}, "save_seconds": true}}]', ("row 1, column 'save_seconds'", "a number from 0", "true", "correct it")),
        (f'[{ADA}, "edit_seconds": NaN}}]', ("line 1", "a number from 0", "NaN", "correct it")),
        (f'[\n{ADA}, "edit_seconds": -Infinity}}]', ("line 2", "a number from 0", "-Infinity", "correct it")),
        (f'[{ADA}}}, {ADA}, "edit_seconds": 1e999}}]', ("row 2", "JSON", "out of range", "mend it")),
        (f'[{ADA}, "edit_seconds": 1{"0" * 30}}}]', ("column 'edit_seconds'", "to 1,000,000,000", "1000", "leave it")),
        (f'[{ADA}, "edit_seconds": 1{"0" * 400}}}]', ("column 'edit_seconds'", "a number", "far too large", "correct")),
        (f'[{ADA}, "edit_seconds": 1{"0" * 5000}}}]', ("row 1", "JSON", "out of range", "mend it")),
        (f'[{ADA}, "edit_seconds": 6e8}}, {ADA}, "save_seconds": 6e8}}]', ("row 2", "over all", "more", "shorten")),
        ('[{"reviwer": "Ada"}]', ("row 1", "the columns reviewer, id", "'reviwer'", "did you mean 'reviewer'?")),
        (f'[{ADA}, "With-Drawn": 1}}]', ("row 1", "the columns", "'With-Drawn'", "did you mean 'withdrawn'?")),
        (f'[{ADA}, "colour": 1}}]', ("row 1", "the columns", "'colour'", "leave it out")),
        (f'[{ADA}}}, {ADA}, "reviewer": "Bo"}}]', ("row 2", "each column once", "'reviewer' twice", "leave one")),
        (f'{{"edits": [{ADA}, "id": "id", "id": "b"}}]}}', ("row 1", "each column once", "'id' twice", "leave one")),
        (f'[{ADA}, "\\u0072eviewer": "Bo"}}]', ("row 1", "each column once", "'reviewer' twice", "leave one")),
        (f'{{"edits": [{ADA}}}], "edits": []}}', ("'e.json'", "each column once", "'edits' twice", "leave one")),
        (f'[{ADA}, "id": "x"}}, {ADA}, "id": "x"}}]', ("row 2, column 'id'", "an id of its own", "'x'", "of row 1")),
        (f'[{ADA}, "id": "edit-2"}}, {ADA}}}]', ("row 2, column 'id'", "an id of its own", "'edit-2'", "another id")),
        ('[{"reviewer": "\\ud83d"}]', ("'e.json'", "JSON", "half of a character", "mend it")),
        (f'[{ADA}, "text": {"[" * 100_000}', ("'e.json'", "flat objects", "nested too deeply", "one flat object")),
        (b"[\x00]", ("line 1", "text", "a NUL byte", "UTF-8")),
        (b'[{"reviewer":\n "\xff"}]', ("line 2", "UTF-8 text", "the byte 0xff", "save it as UTF-8")),
        ("[]".encode("utf-16"), ("'e.json'", "UTF-8 text", "UTF-16", "save it as UTF-8")),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, (str, bytes)) else None,
)
def test_json_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | bytes, parts: tuple[str, str, str, str]
) -> None:
    check_refusal(tmp_path, monkeypatch, "e.json", content, parts)


def test_the_slow_reader_is_asked_only_where_a_column_may_stand_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    slow = json.loads
    monkeypatch.setattr(json, "loads", lambda text, **how: asked.append(text) or slow(text, **how))
    rows = [{"reviewer": "Ada", "id": "a"}, {"reviewer": "李雷", "text": 'a "quoted" id, with \\', "withdrawn": True}]
    good = json.dumps(rows, ensure_ascii=False)
    assert len(read_edits(write(tmp_path, "e.json", good))) == 2
    assert len(read_edits(write(tmp_path, "o.json", f'{{"edits": {good}}}'))) == 2
    assert asked == []
    doubtful = f'[{ADA}, "text": "reviewer", "id": "\\u0041"}}]'
    assert read_edits(write(tmp_path, "d.json", doubtful))[0].id == "A"
    assert asked == [doubtful]


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("hello world\n", ("line 1", "JSON, or CSV whose first line names", "'hello world'", "begin with reviewer,")),
        ("\x1b[31m;rm -rf\n", ("line 1", "names the columns", "'\\x1b[31m;rm -rf'", "begin with reviewer,")),
        ("reviewer;id\nAda;a\n", ("line 1", "names the columns", "'reviewer;id'", "separate columns by commas")),
        ("reviewer\tid\nAda\ta\n", ("line 1", "names the columns", "'reviewer\\tid'", "separate columns by commas")),
        ("Ada,draft,no\n", ("line 1", "names the columns", "'Ada,draft,no'", "begin with reviewer,")),
        ("id,text\na,b\n", ("line 1", "a column 'reviewer'", "none", "add one")),
        ("reviewer,reviewer\nA,B\n", ("line 1", "each column once", "'reviewer' twice", "leave one")),
        ("reviewer,edit seconds\nA,1\n", ("line 1", "the columns", "'edit seconds'", "did you mean 'edit_seconds'")),
        ("reviewer,\nA,1\n", ("line 1", "the columns", "''", "leave it out")),
        ("reviewer\n", ("'e.csv'", "at least one edit", "none", "add a row")),
        ("reviewer,id\nAda\n", ("line 2", "2 cells", "1", "one cell per column")),
        ("reviewer\nAda,a\n", ("line 2", "expected 1 cell, got 2")),
        ("reviewer,id\nAda,a,b\n", ("line 2", "2 cells", "3", "quotes round a text that holds a comma")),
        ('reviewer,id\n"Ada\nB",x\n,y\n', ("line 4, column 'reviewer'", "a name", "nothing", "has a reviewer")),
        ("reviewer,edit_seconds\nAda,-3\n", ("line 2, column 'edit_seconds'", "from 0 to", "-3.0", "leave it out")),
        ("reviewer,edit_seconds\nAda,nan\n", ("line 2, column 'edit_seconds'", "a number", "'nan'", "leave it out")),
        ("reviewer,edit_seconds\nAda,inf\n", ("line 2, column 'edit_seconds'", "a number", "'inf'", "leave it out")),
        ("reviewer,edit_seconds\nAda,1e400\n", ("line 2, column 'edit_seconds'", "a number", "Infinity", "leave it")),
        ("reviewer,edit_seconds\nAda,1_0\n", ("line 2, column 'edit_seconds'", "a number", "'1_0'", "leave it out")),
        ("reviewer,edit_seconds\nAda,٣\n", ("line 2, column 'edit_seconds'", "a number", "'٣'", "leave it out")),
        ("reviewer,withdrawn\n\nAda,maybe\n", ("line 3, column 'withdrawn'", "true or false", "'maybe'", "leave")),
        ("reviewer,id\nA,x\nB,x\n", ("line 3, column 'id'", "an id of its own", "'x'", "of line 2")),
        ('reviewer\n"Ada', ("line 2", "CSV", "unexpected end", "close every quote")),
        ('reviewer\n"Ada"x\n', ("line 2", "CSV", "expected after", "close every quote")),
        ("reviewer\n" + "a" * 200_000, ("line 2", "CSV", "field larger", "below 100 KB")),
        ("reviewer\nA\x00\n", ("line 2", "text", "a NUL byte", "UTF-8")),
        (b"reviewer\nAda\n\xe4\n", ("line 3", "UTF-8 text", "the byte 0xe4", "save it as UTF-8")),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, (str, bytes)) else None,
)
def test_csv_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | bytes, parts: tuple[str, str, str, str]
) -> None:
    check_refusal(tmp_path, monkeypatch, "e.csv", content, parts)


def check_refusal(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str | bytes, parts: tuple[str, ...]
) -> None:
    write(folder, name, content)
    monkeypatch.chdir(folder)
    with pytest.raises(InputError) as refused:
        read_edits(name)
    text = str(refused.value)
    assert [part for part in (repr(name), *parts) if part not in text] == [], text
    assert text.isprintable(), "one line, without control characters"
    assert len(text) < 400


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("missing.csv", ("no such file", "check the path")),
        ("no/such/folder.csv", ("no such file", "check the path")),
        (".", ("a folder", "name the file inside it")),
        ("a\0b.csv", ("'a\\x00b.csv'", "check the path")),
        ("x" * 5000, ("name too long", "check the path")),
        ("plain.csv/x", ("not a directory", "check the path")),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_a_path_that_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, parts: tuple[str, ...]
) -> None:
    write(tmp_path, "plain.csv", "reviewer\nAda\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as refused:
        read_edits(path)
    assert [part for part in parts if part not in str(refused.value)] == [], refused.value


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "junk.csv"
    with file.open("wb") as junk:
        junk.truncate(50_000_000)
    read: list[Any] = []
    monkeypatch.setattr(Path, "open", lambda *args, **kwargs: read.append(args))
    with pytest.raises(InputError, match=r"junk.csv.*at most 20 MB, got more; split the file"):
        read_edits(file)
    assert read == []


def test_a_pipe_is_read_no_further_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "MAX_BYTES", 1000)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def fill() -> None:
        with pipe.open("wb", buffering=0) as end:
            try:
                for _ in range(1000):
                    end.write(b"x" * 1000)
            except BrokenPipeError:
                stopped.append(True)

    stopped: list[bool] = []
    writer = threading.Thread(target=fill)
    writer.start()
    with pytest.raises(InputError, match="got more"):
        read_edits(pipe)
    writer.join()
    assert stopped == [True]


def test_too_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "MAX_EDITS", 3)
    rows = "reviewer\n" + "Ada\n" * 3
    assert len(read_edits(write(tmp_path, "e.csv", rows))) == 3
    with pytest.raises(InputError, match="at most 3 edits, got more; split the file"):
        read_edits(write(tmp_path, "e.csv", rows + "Ada\n"))
