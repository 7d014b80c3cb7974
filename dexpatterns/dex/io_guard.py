"""While a handler runs, it opens no socket, starts no process and changes no file, unless a person allows it.

    with guarded(allow=False) as watch:
        report = check(flow, input)
    watch.attempted        what handlers tried, each thing once

A handler of a person's own file is run for real, and many times over: what it does to the outside world would be done
as often. What it tries is refused with a `HandlerIOError`, which fails that attempt like any other exception; since
the handler may catch it, the fact is kept in the `Watch` too. Reading files, printing, and writing to what was open
before are free. It is no sandbox: what a C library does behind Python's back is not seen, nor what a thread does that
the handler starts. This module knows no Flow; whoever runs a handler does so inside `with running:`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

from dexpatterns.errors import DexpatternsError

__all__ = ["Attempted", "HandlerIOError", "Watch", "guarded", "insist", "is_installed", "running", "user_line"]


class HandlerIOError(DexpatternsError):
    """A handler tried to touch the outside world; it fails that attempt, and may be caught like any exception."""


_KINDS = {
    "socket": ("open a socket", "打开 socket"),
    "process": ("start a process", "启动进程"),
    "write": ("write a file", "写文件"),
    "delete": ("delete a file", "删除文件"),
    "rename": ("rename a file", "重命名文件"),
    "folder": ("make a folder", "创建文件夹"),
    "change": ("change a file", "修改文件"),
}
_SENTENCE = (
    "{place}the handler tried to {what}{target}; inject a fake, or allow it with --allow-io",
    "{place}handler 试图{what}{target}；请注入一个替身，或用 --allow-io 允许",
)
_PLACE = ("{file}, line {line}: ", "{file}，第 {line} 行：")
_TARGET = (" {to}{target}", "：{target}")


class Attempted(NamedTuple):
    """Something that a handler tried and that was refused."""

    kind: str
    """'socket', 'process', 'write', 'delete', 'rename', 'folder' or 'change'."""
    target: str
    """The address, program or file, as far as it is known."""
    file: str
    line: int
    """The innermost line of code that is neither installed nor ours."""

    def sentence(self, lang: str = "en") -> str:
        """What was tried, where, and the mend, in one sentence."""
        zh = lang == "zh"
        return _SENTENCE[zh].format(
            place=_PLACE[zh].format(file=self.file, line=self.line) if self.file else "",
            what=_KINDS[self.kind][zh],
            target=_TARGET[zh].format(to="to " * (self.kind == "socket"), target=self.target) if self.target else "",
        )


class Watch:
    """What handlers tried while a `guarded` block lasted; `attempted` keeps each thing once, in order."""

    __slots__ = ("_seen", "allow")

    def __init__(self, *, allow: bool) -> None:
        self.allow = allow
        self._seen: dict[Attempted, None] = {}

    @property
    def attempted(self) -> tuple[Attempted, ...]:
        return tuple(self._seen)

    def refuse(self, tried: Attempted) -> HandlerIOError:
        self._seen[tried] = None
        return HandlerIOError(tried.sentence())


class _Here(threading.local):
    """What holds in this thread.

    By thread, and not in a context variable: a copy of a context outlives the handler that it was taken in, and would
    take other people's work for the handler's (a notebook's printing goes on in a thread of its own).
    """

    watch: Watch | None = None
    depth = 0
    insisted: Exception | None = None


_here = _Here()


class _Running:
    """`with running:` around the run of one handler; a few hundred nanoseconds, once per run."""

    __slots__ = ()

    def __enter__(self) -> None:
        _here.depth += 1

    def __exit__(self, *_raised: object) -> None:
        here = _here
        here.depth -= 1
        if here.insisted is not None and not here.depth:
            error, here.insisted = here.insisted, None
            raise error


running = _Running()


def insist(error: Exception) -> Exception:
    """Have `running` raise this at the handler's end, even if the handler catches it; hands the error back."""
    if _here.depth:
        _here.insisted = error
    return error


@contextmanager
def guarded(allow: bool = False) -> Iterator[Watch]:
    """Guard the handlers that this thread runs meanwhile; with `allow`, leave them free. The innermost block holds."""
    if not allow:
        _install()
    before, _here.watch = _here.watch, Watch(allow=allow)
    try:
        yield _here.watch
    finally:
        _here.watch = before


# What is refused. Each rule turns the arguments of an audit event into (kind, target), or None if it does no harm.

_Tried = tuple[str, str] | None
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def _named(thing: Any) -> str:
    thing = thing.decode("utf-8", "backslashreplace") if isinstance(thing, bytes) else thing
    text = thing if isinstance(thing, str) else repr(thing)
    return repr(text if len(text) <= 100 else text[:97] + "...")


def _of(kind: str, *places: int) -> Callable[[tuple[Any, ...]], _Tried]:
    """A rule that names these arguments."""
    return lambda args: (kind, " -> ".join(_named(args[place]) for place in places))


def _opened(args: tuple[Any, ...]) -> _Tried:
    path, flags = args[0], args[2]
    writes = isinstance(flags, int) and flags & _WRITING and path != os.devnull
    return ("write", _named(path)) if writes else None


def _database(args: tuple[Any, ...]) -> _Tried:
    return None if args[0] in (":memory:", b":memory:", "") else ("write", _named(args[0]))


def _host(args: tuple[Any, ...]) -> _Tried:
    return "socket", _named(args[0])


def _address(args: tuple[Any, ...]) -> _Tried:
    return "socket", str(args[1])


_RULES: dict[str, Callable[[tuple[Any, ...]], _Tried]] = {
    "socket.__new__": _of("socket"),
    "socket.connect": _address,
    "socket.bind": _address,
    "socket.sendto": _address,
    "socket.sendmsg": _address,
    "socket.getaddrinfo": _host,
    "socket.gethostbyname": _host,
    "socket.gethostbyaddr": _host,
    "subprocess.Popen": _of("process", 0),
    "os.system": _of("process", 0),
    "os.exec": _of("process", 0),
    "os.posix_spawn": _of("process", 0),
    "os.spawn": _of("process", 1),
    "os.startfile": _of("process", 0),
    "os.startfile/2": _of("process", 0),
    "os.fork": _of("process"),
    "os.forkpty": _of("process"),
    "open": _opened,
    "sqlite3.connect": _database,
    "os.truncate": _of("write", 0),
    "os.remove": _of("delete", 0),
    "os.rmdir": _of("delete", 0),
    "shutil.rmtree": _of("delete", 0),
    "os.rename": _of("rename", 0, 1),
    "os.link": _of("write", 1),
    "os.symlink": _of("write", 1),
    "os.mkdir": _of("folder", 0),
    "os.chmod": _of("change", 0),
    "os.chown": _of("change", 0),
    "os.utime": _of("change", 0),
    "os.setxattr": _of("change", 0),
    "os.removexattr": _of("change", 0),
}


def _audit(event: str, args: tuple[Any, ...], _rules: dict[str, Any] = _RULES) -> None:
    # Called for everything that Python audits, while the interpreter ends too: so the table comes as a default.
    rule = _rules.get(event)
    if rule is None:
        return
    watch = _here.watch if _here.depth else None
    if watch is None or watch.allow:
        return
    tried = rule(args)
    if tried is not None and not _harmless(sys._getframe(1)):
        raise watch.refuse(Attempted(tried[0], tried[1], *user_line()))


def _harmless(frame: FrameType) -> bool:
    """Whether this is Python's own doing: the bytecode of an import, the pipe by which an event loop wakes itself."""
    if frame.f_code.co_filename.startswith("<frozen importlib"):
        return True
    while frame.f_globals.get("__name__") == "socket":
        if frame.f_code.co_name in ("socketpair", "_fallback_socketpair"):
            return True
        if frame.f_back is None:
            break
        frame = frame.f_back
    return False


_lock = threading.Lock()
_installed: list[bool] = []


def _install() -> None:
    """Once and for good: an audit hook cannot be taken out again. It does nothing but where a handler runs guarded."""
    with _lock:
        if not _installed:
            sys.addaudithook(_audit)
            _installed.append(True)


# Where it was.

_LIBRARY = os.path.dirname(os.__file__) + os.sep  # noqa: PTH120  # compared as text, for every frame


def is_installed(file: str) -> bool:
    """Whether a file belongs to Python or an installed package, and so is nobody's own code.

    >>> is_installed(os.__file__), is_installed("/home/ada/orders.py")
    (True, False)
    """
    parts = file.replace("\\", "/").split("/")
    return file.startswith((_LIBRARY, "<frozen")) or "site-packages" in parts or "dist-packages" in parts


def user_line() -> tuple[str, int]:
    """The innermost file and line that runs now and is neither ours nor installed; ("", 0) if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        file = frame.f_code.co_filename
        if not module.startswith("dexpatterns.") and not is_installed(file):
            return file, frame.f_lineno
        frame = frame.f_back
    return "", 0
