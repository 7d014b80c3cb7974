"""`list`: what is in a catalog, one's own as well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dexpatterns import catalog
from dexpatterns.pages.starting import start
from tests.commands.calling import call, data, refused

CARD = """
id = "mine"
kind = "pattern"
[title]
en = "Mine \\u001b[31m"
zh = "我的"
[summary]
en = "[red]It is mine.[/red]"
zh = "它是我的。"
"""


def test_it_names_every_pattern() -> None:
    result = call("list")
    assert result.exit_code == 0
    patterns = catalog.patterns()
    assert len(patterns) > 5
    words = result.stdout.split()
    assert [p.id for p in patterns if p.id not in words] == []
    assert data("list")[0].keys() == {"id", "kind", "title", "summary"}


def test_a_catalog_of_ones_own(tmp_path: Path) -> None:
    assert call("list", "--catalog", tmp_path).stderr == "note: no pattern's folder is there\n"
    for name in ("mine", "broken"):
        (tmp_path / name).mkdir()
    for name, content in {"pattern.toml": CARD, "flow.py": "raise SystemExit", "world.py": ""}.items():
        (tmp_path / "mine" / name).write_text(content, encoding="utf-8")
    result = call("list", "--catalog", tmp_path)
    assert result.exit_code == 0, "nothing of it is run"
    assert "Mine \\x1b[31m: [red]It is mine.[/red]" in result.stdout
    assert result.stderr.startswith("note: ")
    assert result.stderr.count("\n") == 1
    assert "broken: expected pattern.toml" in result.stderr
    assert [row["id"] for row in data("list", "--catalog", tmp_path)] == ["mine"]
    assert "我的：[red]" not in call("list", "--catalog", tmp_path, "--lang", "zh").stdout
    assert "expected a folder" in refused(call("list", "--catalog", tmp_path / "nowhere"))


def edited(name: str, old: str, new: str) -> Callable[[Path], object]:
    def edit(folder: Path) -> object:
        file = folder / name
        return file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    return edit


BROKEN: list[tuple[Callable[[Path], object], str]] = [
    (lambda folder: (folder / "page.md").unlink(), "page.md: expected the page in this language, got none"),
    (lambda folder: (folder / "world.py").unlink(), "got no world.py"),
    (edited("page.zh.md", "## 问题", "## 难题"), "page.zh.md, line 5: expected the heading '## 问题', got '难题'"),
    (edited("flow.py", "class StartWork", "class"), "flow.py, line "),
    (edited("world.py", '"never-stuck": Claim', '"stuck": Claim'), "no claim 'never-stuck' in CLAIMS"),
    (edited("pattern.toml", "{verdict} for", "{answer} for"), "unknown placeholder {answer}"),
    (edited("pattern.toml", 'zh = "Broken"', ""), "title.zh: expected a text, got nothing"),
    (edited("pattern.toml", "[title]", "[titel]"), "unknown key 'titel'"),
]


@pytest.mark.parametrize(("how", "said"), BROKEN)
def test_a_broken_folder_is_named_and_the_others_are_listed(
    tmp_path: Path, how: Callable[[Path], object], said: str
) -> None:
    for name in ("broken", "good"):
        start(name, tmp_path)
    how(tmp_path / "broken")
    result = call("list", "--catalog", tmp_path, "--check")
    assert result.exit_code == 1
    assert "good" in result.stdout
    assert said in result.stderr
    assert all(line.startswith("note: ") and "broken" in line for line in result.stderr.splitlines())
    compared = call("compare", "--catalog", tmp_path)
    assert "good" in compared.stdout
