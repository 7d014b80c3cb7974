"""Where Graphviz is called: the one place that looks for a `dot`, runs it, and says how to get one.

The variable DEXPATTERNS_DOT names the program; else it is the `dot` on the PATH; else `graphviz-pure`, which comes as
a wheel and stands beside the running Python. It is quiet and has a time limit. What is drawn is not known here.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path

from dexpatterns.errors import InputError

__all__ = ["SECONDS", "VARIABLE", "DotError", "find_dot", "run_dot"]

VARIABLE = "DEXPATTERNS_DOT"
SECONDS = 20.0
"""How long one layout may take."""
PURE = "graphviz-pure"

_GET = (
    f"install one (`python -m pip install {PURE}`, or Graphviz from the system's packages), "
    f"or name it in the variable {VARIABLE}"
)


class DotError(InputError):
    """There is no `dot`, or it did not do what it was asked; the text says how to get one."""


def find_dot() -> str:
    """The program that lays graphs out; raises `DotError` when there is none."""
    named = os.environ.get(VARIABLE)
    if named:
        found = shutil.which(named)
        if found is None:
            raise DotError(f"{VARIABLE} is {named!r}, which is no program that can be run; correct it or unset it")
        return found
    found = shutil.which("dot") or _beside_python() or shutil.which(PURE)
    if found is None:
        raise DotError(f"graphs need the program dot of Graphviz, and there is none; {_GET}")
    return found


def _beside_python() -> str | None:
    """What pip installed for this Python, on the PATH or not: an environment need not be activated to be used."""
    folders = (str(Path(sys.executable).parent) if sys.executable else "", sysconfig.get_path("scripts") or "")
    return next((found for folder in folders if folder and (found := shutil.which(PURE, path=folder))), None)


def run_dot(source: str, form: str = "json0", *, seconds: float = SECONDS, program: str | None = None) -> str:
    """What dot makes of a DOT text, in one of its output forms; raises `DotError` when it fails or takes too long.

    Whatever it says besides is told only when it fails.
    """
    program = program or find_dot()
    try:
        process = subprocess.Popen(  # noqa: S603  # the program that the person chose, without a shell
            [program, f"-T{form}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=os.name == "posix",
        )
    except OSError as error:
        raise DotError(f"{program!r} cannot be run: {error.strerror or error}; {_GET}") from error
    try:
        out, said = process.communicate(source.encode(), timeout=seconds)
    except subprocess.TimeoutExpired:
        raise DotError(f"{program!r} took longer than {seconds:g} seconds; draw fewer Steps, or {_GET}") from None
    finally:
        _end(process)
    if process.returncode:
        told = " ".join(said.decode(errors="replace").split())[:300] or "nothing said why"
        raise DotError(f"{program!r} ended with status {process.returncode}: {told}; {_GET}")
    return out.decode(errors="replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let nothing of it live on: a wrapper's child would hold the pipes open."""
    if process.poll() is None:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    process.wait()
