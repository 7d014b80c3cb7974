"""`site`: pages and notebooks in both languages, whole or not at all, and only into a folder that is free."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

from dexpatterns import catalog
from dexpatterns.pages.starting import start
from tests.commands.calling import call, data, refused

NAMES = ("lost-token", "nested-locks-opposite-order")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A catalog of two folders, and notebooks of two: small, so that a site is soon built."""
    folder = tmp_path_factory.mktemp("source")
    for name in NAMES:
        shutil.copytree(catalog.root() / name, folder / "catalog" / name)
    cells = [
        {"cell_type": "markdown", "source": "# A & B\n\n[exercise](exercises/01-a.ipynb), [中文](00-a.zh.ipynb), "
         "[token](../catalog/lost-token/page.md), [gone](nowhere.ipynb), ![p](p.svg)"},
        {"cell_type": "code", "source": "1 < 2", "outputs": [{"output_type": "stream", "text": "<b>True</b>"}]},
    ]  # fmt: skip
    for name in ("00-a.ipynb", "00-a.zh.ipynb", "exercises/01-a.ipynb"):
        (folder / "notebooks" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "notebooks" / name).write_text(json.dumps({"nbformat": 4, "cells": cells}), encoding="utf-8")
    (folder / "notebooks" / "p.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
    return folder


def options(source: Path) -> list[str | Path]:
    return ["--catalog", source / "catalog", "--notebooks", source / "notebooks"]


@pytest.fixture(scope="module")
def site(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "site"
    result = call("site", folder, *options(source))
    assert result.exit_code == 0, result.output
    assert re.fullmatch(rf"10 pages with \d+ steppers; open {re.escape(str(folder))}/index\.html\n", result.stdout)
    return folder


def pages(site: Path) -> dict[str, str]:
    return {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}


def test_every_page_is_there_in_both_languages(site: Path) -> None:
    both = ["index.html", "notebooks/00-a.html", *(f"catalog/{name}.html" for name in NAMES)]
    expected = ["index.html", *(f"{lang}/{name}" for lang in ("en", "zh") for name in both)]
    assert set(pages(site)) == {*expected, "en/notebooks/exercises/01-a.html"}
    assert [path.name for path in site.parent.iterdir()] == ["site"], "nothing is left beside it"


def test_no_link_is_dead_and_nothing_is_elsewhere(site: Path) -> None:
    for name, text in pages(site).items():
        for found in re.findall(r"(?<!\\)(?:href|src)=\"([^\"]+)\"", text.partition("<script")[0]):
            if found.startswith("https://"):
                continue
            target = (site / name).parent / unquote(found.partition("#")[0] or Path(name).name)
            assert target.is_file(), (name, found)
        assert not re.search(r"<(script|link|img|iframe)[^>]*(src|href)=\"(https?:)?//", text), name
        assert "Content-Security-Policy" in text


def test_each_page_leads_to_the_other_language(site: Path) -> None:
    for name, text in pages(site).items():
        if name == "index.html":
            assert 'content="0; url=en/index.html"' in text
            assert 'href="zh/index.html"' in text
        elif name == "en/notebooks/exercises/01-a.html":
            assert "hreflang" not in text, "there is none"
        else:
            other = "zh-Hans" if name.startswith("en/") else "en"
            assert f'hreflang="{other}"' in text.partition("</header>")[0]


def test_links_between_files_lead_to_pages(site: Path) -> None:
    text = pages(site)["en/notebooks/00-a.html"]
    for to in ("exercises/01-a", "../../zh/notebooks/00-a", "../catalog/lost-token"):
        assert f'href="{to}.html"' in text
    assert 'src="../../notebooks/p.svg"' in text
    assert '<a href="#">gone</a>' in text
    assert "&lt;b&gt;True&lt;/b&gt;" in text and "<b>True" not in text
    page = pages(site)["zh/catalog/nested-locks-opposite-order.html"]
    assert "page.zh.md" not in page and "<h2>问题</h2>" in page


def test_runs_are_steppers(site: Path) -> None:
    text = pages(site)["zh/catalog/lost-token.html"]
    stored = (catalog.root() / "lost-token" / "page.zh.md").read_text(encoding="utf-8")
    runs = stored.count("<!-- made: run -->") + stored.count("<!-- made: story ")
    assert text.count("<div data-dxs ") == runs > 1
    assert text.count('id="run-1"') == 1
    assert "mountStepper" in text
    assert "mountStepper" not in pages(site)["zh/notebooks/00-a.html"]


def test_an_earlier_site_is_built_anew(site: Path, source: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(site, tmp_path / "site"))
    (folder / "en" / "index.html").write_text("old", encoding="utf-8")
    found = data("site", folder, *options(source), "--lang", "zh")
    assert (found["pages"], found["problems"]) == (10, [])
    assert (folder / "en" / "index.html").read_text(encoding="utf-8") != "old"
    assert 'url=zh/index.html"' in (folder / "index.html").read_text(encoding="utf-8")


def test_a_folder_with_anything_else_in_it_is_refused(site: Path, source: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(site, tmp_path / "site"))
    (folder / "en" / "mine.txt").write_text("mine", encoding="utf-8")
    assert "got one with 'en/mine.txt' in it; nothing was touched" in refused(call("site", folder, *options(source)))
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    assert "expected a folder, got a file" in refused(call("site", tmp_path / "file", *options(source)))
    other = tmp_path / "other"
    other.mkdir()
    (other / "index.html").write_text("mine", encoding="utf-8")
    assert "'index.html' in it" in refused(call("site", other, *options(source)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "other", "site"]


def test_an_empty_folder_will_do(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    assert call("site", "empty", "--catalog", source / "catalog", "--notebooks", tmp_path / "empty").exit_code == 0
    assert (tmp_path / "empty" / "en" / "index.html").is_file()


def test_a_disk_that_is_full_leaves_the_earlier_site(
    site: Path, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(site, tmp_path / "site"))

    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    said = refused(call("site", folder, *options(source)))
    assert "the site cannot be written: No space left on device; name another folder" in said
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    assert pages(folder) == pages(site)


def test_a_broken_folder_or_page_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    start("good", tmp_path / "catalog")
    start("no-page", tmp_path / "catalog")
    (tmp_path / "catalog" / "no-page" / "page.zh.md").unlink()
    (tmp_path / "catalog" / "broken").mkdir()
    (tmp_path / "notebooks").mkdir()
    result = call("site", tmp_path / "site", "--catalog", tmp_path / "catalog", "--notebooks", tmp_path / "notebooks")
    assert result.exit_code == 1
    first, second = result.stderr.splitlines()
    assert "broken: expected pattern.toml" in first
    assert second.startswith("note: zh/catalog/no-page.html: ")
    assert "expected the page in this language, got none" in pages(tmp_path / "site")["zh/catalog/no-page.html"]
