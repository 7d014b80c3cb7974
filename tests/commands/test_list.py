"""`list`: what is in a catalog, one's own as well."""

from __future__ import annotations

from pathlib import Path

from dexpatterns import catalog
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
