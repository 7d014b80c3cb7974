"""The `dexpatterns` command: one line starts a run or a search, and its exit status says whether the pattern held.

0: it holds. 1: it was refuted, or cut before it could be told. 2: what was handed in cannot be used; one line on
stderr says what, where and the mend, and no file is touched. 70: our bug. 130: interrupted with nothing to say.
Each command is a module of `commands` and is loaded when it is called; this module judges and shows nothing itself.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from contextlib import suppress
from typing import Any, NoReturn

import click

from dexpatterns.commands import NAMES
from dexpatterns.engine.texts import visible
from dexpatterns.errors import DexpatternsError
from dexpatterns.terminal import write

__all__ = ["main"]


class _Command(click.Group):
    """Ends every way of ending in one line and a status, whether it was called from a shell or from a test."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(NAMES)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in NAMES:
            return None
        command: click.Command = importlib.import_module(f"dexpatterns.commands.{name}").command
        return command

    def main(self, *args: Any, **options: Any) -> NoReturn:
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, ValueError):
                # What the terminal cannot write is written as an escape, not as a traceback.
                stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # not every stream has it
        try:
            status = super().main(*args, **{**options, "standalone_mode": False})
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            hint = f"; see '{context.command_path} --help'" if context else ""
            message = error.format_message().rstrip(".")
            # click begins its sentences with a capital, ours have none.
            status = _fail(message[:1].lower() + message[1:] + hint)
        except DexpatternsError as error:
            status = _fail(str(error))
        except click.Abort:
            status = 130
        except Exception:  # noqa: BLE001  # our bug, whatever it is; it must not be taken for a verdict
            traceback.print_exc()
            status = 70
        sys.exit(status)


def _fail(message: str) -> int:
    write(f"error: {visible(' '.join(message.split()))}\n", sys.stderr)
    return 2


@click.group(cls=_Command, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dexpatterns", message="%(version)s")
@click.pass_context
def main(context: click.Context) -> int:
    """Run concurrency patterns of durable workflows, and prove or break them.

    \b
    Examples:
      dexpatterns run critical-section
      dexpatterns check critical-section
    """
    if context.invoked_subcommand is None:
        write(context.get_help() + "\n")
    return 0
