"""Every rule of locks and workflows that is cited stands in rules.md, once."""

from __future__ import annotations

import re
from pathlib import Path

import dexpatterns.js7

ROOM = Path(dexpatterns.js7.__file__).parent
RULES = (ROOM / "rules.md").read_text(encoding="utf-8")
RULE = re.compile(r"\bJ\d+\b", re.IGNORECASE)


def test_a_cited_rule_stands_in_the_rules() -> None:
    defined = re.findall(r"^(?:\| )?\*\*(J\d+)\*\*", RULES, re.MULTILINE)
    assert len(defined) == len(set(defined))
    assert {f"J{n}" for n in range(1, 46)} <= set(defined), "J1 to J45 are the scenarios"
    for path in [*ROOM.glob("*.py"), ROOM / "rules.md", *Path(__file__).parent.glob("test_*.py")]:
        names = re.sub(r"_(j\d+)_", r" \1 ", path.read_text(encoding="utf-8"))
        cited = {found.upper() for found in RULE.findall(names)}
        assert cited <= set(defined), f"{path.name} cites {sorted(cited - set(defined))}"
