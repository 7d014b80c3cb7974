"""`list`: what is in a catalog, one's own as well."""

from __future__ import annotations

from pathlib import Path

from dexpatterns import catalog
from tests.commands.calling import call, data


def test_list_names_every_pattern() -> None:
    result = call("list")
    assert result.exit_code == 0
    patterns = catalog.patterns()
    assert len(patterns) > 5
    words = result.stdout.split()
    assert [p.id for p in patterns if p.id not in words] == []
    assert data("list")[0].keys() == {"id", "kind", "title", "summary"}
