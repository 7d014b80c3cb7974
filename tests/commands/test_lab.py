"""`lab`: a copy of the notebooks; what is there is kept, and what cannot be done is said in a sentence."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import Any

import pytest

from dexpatterns.commands import lab
from dexpatterns.pages import notebooks as books
from dexpatterns.pages.copying import write_new
from tests.commands.calling import call, refused


@pytest.fixture(autouse=True)
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A few notebooks in place of those that come with the package."""
    root = tmp_path / "source"
    names = ["00-start.ipynb", "00-start.zh.ipynb", "picture.svg", "exercises/01-a.ipynb", "exercises/a/solution.py"]
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"shipped {name}", encoding="utf-8")
    monkeypatch.setattr(books, "root", lambda: root)
    return root


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


COPIED = ["00-start.ipynb", "exercises/01-a.ipynb", "picture.svg"]


def test_notebooks_and_pictures_are_copied_and_no_solution(tmp_path: Path) -> None:
    result = call("lab", tmp_path / "mine", "--copy-only")
    assert (result.exit_code, result.stderr) == (0, "")
    assert names(tmp_path / "mine") == COPIED
    first = tmp_path / "mine" / "00-start.ipynb"
    assert result.stdout == f"3 files copied to {tmp_path / 'mine'}\nstart with {first}\n"


def test_the_notebooks_of_the_language_are_copied(tmp_path: Path) -> None:
    assert "00-start.zh.ipynb" in call("lab", tmp_path / "zwei", "--copy-only", "--lang", "zh").stdout
    assert names(tmp_path / "zwei") == ["00-start.zh.ipynb", "picture.svg"]


def test_root_is_told_before_anything_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    assert "add --allow-root" in refused(call("lab", tmp_path / "mine"))
    assert not (tmp_path / "mine").exists()


def test_the_copies_are_trusted_and_a_file_of_ones_own_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lessons: Path
) -> None:
    from nbformat import NO_CONVERT, read, sign
    from nbformat.v4 import new_code_cell, new_notebook, writes

    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(lab, "_lab", lambda options: 0)
    for path in lessons.rglob("*.ipynb"):
        path.write_text(writes(new_notebook(cells=[new_code_cell(path.name)])), encoding="utf-8")
    mine = tmp_path / "mine" / "00-start.ipynb"
    mine.parent.mkdir()
    mine.write_text(writes(new_notebook(cells=[new_code_cell("somebody's")])), encoding="utf-8")
    assert call("lab", mine.parent, "--allow-root").exit_code == 0
    notary = sign.NotebookNotary()
    assert not notary.check_signature(read(mine, as_version=NO_CONVERT))
    assert notary.check_signature(read(mine.parent / "exercises" / "01-a.ipynb", as_version=NO_CONVERT))


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "00-start.ipynb").write_text("my own work", encoding="utf-8")
    (mine / "picture.svg").symlink_to(tmp_path / "nowhere")
    (mine / "other").write_text("other", encoding="utf-8")
    result = call("lab", mine, "--copy-only")
    assert result.exit_code == 0
    assert result.stderr == "note: 2 files there already, left alone: 00-start.ipynb, picture.svg\n"
    assert (mine / "00-start.ipynb").read_text(encoding="utf-8") == "my own work"
    assert not (tmp_path / "nowhere").exists()
    assert (mine / "exercises" / "01-a.ipynb").read_text(encoding="utf-8") == "shipped exercises/01-a.ipynb"
    assert call("lab", mine, "--copy-only").stdout.startswith("0 files copied")


def test_the_lab_is_opened_on_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(lab, "_lab", lambda options: asked.append(options) or 0)
    monkeypatch.setattr(lab, "_trust", list)
    assert call("lab", tmp_path / "mine", "--no-browser", "--allow-root").exit_code == 0
    (options,) = asked
    assert options[:2] == ["--no-browser", "--allow-root"]
    assert options[-1] == f"--ServerApp.root_dir={tmp_path / 'mine'}"
    (settings,) = (Path(one.partition("=")[2]) for one in options if one.startswith("--LabApp.app_settings_dir="))
    assert json.loads((settings / "overrides.json").read_text(encoding="utf-8"))


def test_without_jupyterlab_the_line_that_installs_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert "pip install 'dexpatterns[lab]'" in refused(call("lab", tmp_path / "mine"))
    assert not (tmp_path / "mine").exists()
    assert call("lab", tmp_path / "mine", "--copy-only").exit_code == 0


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("a file", encoding="utf-8")
    said = refused(call("lab", tmp_path / "mine", "--copy-only"))
    assert f"{str(tmp_path / 'mine')!r}: cannot be written to: " in said
    assert (tmp_path / "mine").read_text(encoding="utf-8") == "a file"


def denied(*_: object, **__: object) -> None:
    """What the system says of a folder of somebody else's; raised here, since it refuses root nothing."""
    raise PermissionError(13, "Permission denied")


def test_a_folder_without_permission_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "mkdir", denied)
    assert "cannot be written to: Permission denied" in refused(call("lab", tmp_path / "mine", "--copy-only"))
    assert not (tmp_path / "mine").exists()


def test_a_disk_that_is_full_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        whole(path, content[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    said = refused(call("lab", tmp_path / "mine", "--copy-only"))
    assert "cannot be written to: No space left on device; name another folder" in said
    assert names(tmp_path / "mine") == []


def test_a_file_system_without_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    assert write_new(tmp_path, tmp_path / "a", b"a")
    assert not write_new(tmp_path, tmp_path / "a", b"b")
    shipped = sorted([*COPIED, "00-start.zh.ipynb", "exercises/a/solution.py"])
    assert names(tmp_path) == ["a", *(f"source/{name}" for name in shipped)]
    assert (tmp_path / "a").read_bytes() == b"a"
