"""While a handler runs, it touches nothing outside, unless a person allows it; and the run can say what was tried."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from dexpatterns.dex import Context, Flow, Step, StepDecision, StepList, graceful_complete, simulate
from dexpatterns.dex.io_guard import Attempted, HandlerIOError, guarded, insist, is_installed, running, user_line

Action = Callable[[Path], object]


def fork(_: Path) -> None:
    if os.fork() == 0:
        os._exit(0)


REFUSED: dict[str, tuple[str, Action]] = {
    "socket": ("socket", lambda _: socket.socket()),
    "connect": ("socket", lambda _: socket.create_connection(("localhost", 1))),
    "udp": ("socket", lambda _: socket.socket(type=socket.SOCK_DGRAM)),
    "name look-up": ("socket", lambda _: socket.gethostbyname("localhost")),
    "run": ("process", lambda _: subprocess.run([sys.executable, "-c", ""], check=False)),
    "system": ("process", lambda _: os.system("exit 3")),  # noqa: S605, S607  # it must not come to that
    "exec": ("process", lambda _: os.execv("/no/such/program", ["x"])),  # noqa: S606  # as above
    "spawn": ("process", lambda _: os.posix_spawn("/no/such/program", ["x"], {})),
    "fork": ("process", fork),
    "write": ("write", lambda path: (path / "kept").write_text("changed")),
    "append": ("write", lambda path: (path / "kept").open("a")),
    "read and write": ("write", lambda path: (path / "kept").open("r+")),
    "create": ("write", lambda path: (path / "new").open("x")),
    "descriptor": ("write", lambda path: os.open(path / "new", os.O_WRONLY | os.O_CREAT)),
    "truncate": ("write", lambda path: os.truncate(path / "kept", 0)),
    "link": ("write", lambda path: (path / "new").symlink_to(path / "kept")),
    "copy": ("write", lambda path: shutil.copy(path / "kept", path / "new")),
    "database": ("write", lambda path: sqlite3.connect(path / "new")),
    "delete": ("delete", lambda path: (path / "kept").unlink()),
    "delete tree": ("delete", lambda path: shutil.rmtree(path / "folder")),
    "delete folder": ("delete", lambda path: (path / "folder").rmdir()),
    "rename": ("rename", lambda path: (path / "kept").rename(path / "new")),
    "replace": ("rename", lambda path: (path / "kept").replace(path / "new")),
    "make folder": ("folder", lambda path: (path / "new").mkdir()),
    "permissions": ("change", lambda path: (path / "kept").chmod(0o600)),
    "times": ("change", lambda path: os.utime(path / "kept", (0, 0))),
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "kept").write_text("kept")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(("kind", "action"), REFUSED.values(), ids=REFUSED)
def test_what_touches_the_outside_is_refused_and_kept(kind: str, action: Action, place: Path) -> None:
    before = sorted(path.name for path in place.iterdir())
    with guarded() as watch, pytest.raises(HandlerIOError, match="the handler tried to") as raised, running:
        action(place)
    assert [tried.kind for tried in watch.attempted] == [kind]
    assert watch.attempted[0].file == __file__
    assert str(raised.value) == watch.attempted[0].sentence()
    assert sorted(path.name for path in place.iterdir()) == before
    assert (place / "kept").read_text() == "kept"


def an_event_loop_of_its_own(_: Path) -> None:
    async def nothing() -> int:
        await asyncio.sleep(0)
        return 1

    assert asyncio.run(nothing()) == 1


def an_import_that_leaves_bytecode(place: Path) -> None:
    (place / "guarded_import.py").write_text("VALUE = 1")
    sys.path.insert(0, str(place))
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        with running:
            import guarded_import  # type: ignore[import-not-found]  # it was written two lines above

            assert guarded_import.VALUE == 1
    finally:
        sys.dont_write_bytecode = before
        sys.path.remove(str(place))
        del sys.modules["guarded_import"]


def output_to_nowhere(_: Path) -> None:
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        print("unheard")


FREE: dict[str, Action] = {
    "reading": lambda path: (path / "kept").read_text(),
    "listing": lambda path: list(path.iterdir()),
    "asking": lambda path: (path / "no such").exists(),
    "printing": lambda _: print("heard"),
    "nowhere": output_to_nowhere,
    "memory database": lambda _: sqlite3.connect(":memory:").close(),
    "event loop": an_event_loop_of_its_own,
    "import": an_import_that_leaves_bytecode,
}


@pytest.mark.parametrize("action", FREE.values(), ids=FREE)
def test_what_does_no_harm_is_free(action: Action, place: Path) -> None:
    if action is an_import_that_leaves_bytecode:
        # The test itself writes the module first: only the import is a handler's.
        with guarded() as watch:
            action(place)
    else:
        with guarded() as watch, running:
            action(place)
    assert watch.attempted == ()


def test_a_file_that_was_open_before_may_be_written_to(place: Path) -> None:
    with (place / "log").open("w") as log, guarded() as watch, running:
        log.write("line")
    assert (place / "log").read_text() == "line"
    assert watch.attempted == ()


def test_the_guard_holds_only_while_a_handler_runs(place: Path) -> None:
    with guarded() as watch:
        (place / "a").write_text("between handlers")
        with running:
            pass
        (place / "b").write_text("after one")
    with running:
        (place / "c").write_text("nobody guards")
    assert watch.attempted == ()


def test_a_handler_that_raises_leaves_nothing_guarded(place: Path) -> None:
    with guarded():
        with pytest.raises(ZeroDivisionError), running:
            _ = 1 / 0
        (place / "a").write_text("x")


def test_allowing_lets_everything_through_and_the_inner_block_holds(place: Path) -> None:
    with guarded(), guarded(allow=True) as watch, running:
        (place / "a").write_text("x")
    assert watch.attempted == ()
    with guarded(allow=True):
        with guarded(allow=False), pytest.raises(HandlerIOError), running:
            (place / "b").write_text("x")
        with running:
            (place / "c").write_text("x")


def test_a_handler_may_catch_it_and_the_fact_is_kept_once(place: Path) -> None:
    with guarded() as watch:
        for _ in range(3):
            with running:
                try:
                    (place / "kept").unlink()
                except Exception as error:  # noqa: BLE001  # as handlers do
                    caught = type(error)
    assert caught is HandlerIOError
    assert len(watch.attempted) == 1
    assert repr(str(place / "kept")) in watch.attempted[0].target


def test_another_thread_works_on_while_a_handler_runs(place: Path) -> None:
    go, done = threading.Event(), threading.Event()

    def other() -> None:
        go.wait(10)
        (place / "other").write_text("x")
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with guarded() as watch, running:
        go.set()
        assert done.wait(10)
    thread.join()
    assert (place / "other").exists()
    assert watch.attempted == ()


SENTENCES = {
    "en": "orders.py, line 7: the handler tried to open a socket to ('db', 5432); inject a fake, or allow it with "
    "--allow-io",
    "zh": "orders.py，第 7 行：handler 试图打开 socket：('db', 5432)；请注入一个替身，或用 --allow-io 允许",
}


@pytest.mark.parametrize(("lang", "said"), SENTENCES.items(), ids=SENTENCES)
def test_the_sentence_names_what_where_and_the_mend(lang: str, said: str) -> None:
    assert Attempted("socket", "('db', 5432)", "orders.py", 7).sentence(lang) == said


def test_the_line_is_the_innermost_of_a_persons_own_code(place: Path) -> None:
    def client() -> None:
        shutil.copytree(place / "folder", place / "new")

    with guarded() as watch, pytest.raises(HandlerIOError), running:
        client()
    assert watch.attempted[0].line == client.__code__.co_firstlineno + 1
    assert user_line()[0] == __file__


@pytest.mark.parametrize(
    ("file", "installed"),
    [
        (os.__file__, True),
        ("/venv/lib/python3.11/site-packages/requests/api.py", True),
        ("C:\\venv\\Lib\\site-packages\\requests\\api.py", True),
        ("/usr/lib/python3/dist-packages/x.py", True),
        ("<frozen importlib._bootstrap>", True),
        ("/home/ada/site-packages.py", False),
        ("/tmp/ipykernel_1/2.py", False),  # noqa: S108  # a name, nothing is put there
    ],
)
def test_whose_code_a_file_is(file: str, installed: bool) -> None:
    assert is_installed(file) is installed


def test_what_is_insisted_on_comes_out_whatever_the_handler_does_with_it() -> None:
    def handler() -> None:
        with running:
            try:
                raise insist(KeyError("x"))
            except KeyError:
                raise ValueError from None

    with pytest.raises(KeyError):
        handler()
    with running:
        pass  # it came out once
    insist(KeyError("outside of a handler there is nothing to come out of"))
    with running:
        pass


# With a Flow around it.


class Write(Step[str]):
    """Writes to the file that is its input; `catch` makes do without."""

    def __init__(self, catch: bool) -> None:
        self.catch = catch

    async def execute(self, context: Context, input: str) -> StepDecision:
        await asyncio.sleep(1)
        try:
            Path(input).write_text("x")
        except Exception:  # as handlers do
            if not self.catch:
                raise
        return graceful_complete(Path(input).exists())


class WriteFlow(Flow[str]):
    def __init__(self, catch: bool = False) -> None:
        self.step = Write(catch)

    def get_steps(self) -> StepList[str]:
        return StepList.start_step(self.step)


@pytest.mark.parametrize(
    ("catch", "allow", "status", "wrote", "tried"),
    [
        (False, False, "RUNNING", False, 1),
        (True, False, "COMPLETED", False, 1),
        (False, True, "COMPLETED", True, 0),
    ],
)
def test_what_a_handler_tries_fails_its_attempt(
    catch: bool, allow: bool, status: str, wrote: bool, tried: int, tmp_path: Path
) -> None:
    file = tmp_path / "out"
    with guarded(allow) as watch:
        run = simulate(WriteFlow(catch), str(file), turns=8)
    assert (run.status.name, file.exists(), len(watch.attempted)) == (status, wrote, tried)
    failures = [event for turn in run.trace.turns for event in turn.events if event.kind == "failed"]
    assert {event.error_type for event in failures} == ({"HandlerIOError"} if status == "RUNNING" else set())
