"""A plugin for the run of notebooks: what is not compared beyond that which nbval leaves out itself.

The data of a stepper holds the layout of a graph, which is another program's and may differ between machines.
"""

from __future__ import annotations

from typing import Any

SHOW_MIME = "application/vnd.dexpatterns.show+json"


def pytest_itemcollected(item: Any) -> None:
    skipped = getattr(item.parent, "skip_compare", None)
    if skipped is not None and SHOW_MIME not in skipped:
        item.parent.skip_compare = (*skipped, SHOW_MIME)
