"""`new`: a folder that loads, runs, whose claims hold; nothing is overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from dexpatterns import catalog
from dexpatterns.pages import FILES, fill, problems_of, read
from dexpatterns.pages.blocks import good_run
from tests.commands.calling import call, refused


@pytest.mark.parametrize(("form", "status"), [("dex", "COMPLETED"), ("js7", "FINISHED")])
def test_a_new_folder_loads_runs_and_holds(tmp_path: Path, form: str, status: str) -> None:
    result = call("new", "two-editors", "--folder", tmp_path / "ours", "--form", form)
    assert result.exit_code == 0, result.output
    pattern = catalog.open(tmp_path / "ours" / "two-editors")
    assert pattern.form == form
    assert catalog.problems(tmp_path / "ours", run=True) == ()
    assert pattern.verify()["holds"].all()
    assert good_run(pattern).trace.final["status"] == status
    assert problems_of(pattern) == ()
    for lang in FILES:
        text = read(pattern, lang)
        assert "@" not in text
        assert fill(pattern, text, lang) == text
    assert [child.name for child in (tmp_path / "ours").iterdir()] == ["two-editors"]
    assert call("list", "--catalog", tmp_path / "ours", "--check").exit_code == 0


def test_two_new_folders_are_compared(tmp_path: Path) -> None:
    for name in ("a", "z9-later"):
        assert call("new", name, "--folder", tmp_path, "--lang", "zh").exit_code == 0
    assert call("compare", "--catalog", tmp_path).exit_code == 0
    assert call("check", tmp_path / "a").exit_code == 0


@pytest.mark.parametrize("name", ["Two", "two_editors", "../two", "two--editors", "a b", "-a", "", ".", "x" * 61, "二"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    said = refused(call("new", "--folder", tmp_path / "ours", "--", name))
    assert "expected lower-case words joined by '-'" in said
    assert not (tmp_path / "ours").exists()


def test_what_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("a file", encoding="utf-8")
    (tmp_path / "linked").symlink_to(tmp_path / "nowhere")
    for name in ("mine", "linked"):
        assert "is there already" in refused(call("new", name, "--folder", tmp_path))
    assert (tmp_path / "mine").read_text(encoding="utf-8") == "a file"
    assert sorted(child.name for child in tmp_path.iterdir()) == ["linked", "mine"]


def test_a_folder_without_permission_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root is refused nothing by the system, so what it says to others is raised here."""

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", denied)
    assert "cannot be written: Permission denied" in refused(call("new", "mine", "--folder", tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_catalog_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "cannot be written" in refused(call("new", "mine", "--folder", tmp_path / "file"))


def test_a_disk_that_is_full_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    assert "cannot be written: No space left on device" in refused(call("new", "mine", "--folder", tmp_path))
    assert list(tmp_path.iterdir()) == []
