"""The commands, a module each: `dexpatterns NAME` is the object `command` of `dexpatterns.commands.NAME`.

A command reads its options, asks the package, and shows the answer; it returns the exit status. Its module imports
nothing but click and what writes, so that every other command and every help text stay fast. To add one, write the
module and put its name here, in the order in which the help lists them.
"""

from __future__ import annotations

__all__ = ["NAMES"]

NAMES = ("list", "run", "check", "audit", "compare", "replay", "js7", "lab", "new", "site")
