"""A person's file is loaded as it is, and what cannot be used is refused with file, line and mend."""

from __future__ import annotations

import inspect
import json
import os
import pickle
import py_compile
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dexpatterns import Verdict, check, simulate
from dexpatterns.dex import Context, Scenario, Section, real_names
from dexpatterns.dex.definition import compile_flow
from dexpatterns.dex.loading import load_flow, load_scenario, read_input
from dexpatterns.dex.real_names import NotModelledError, explain, missing, stand_in
from dexpatterns.errors import FlowDefinitionError, InputError

PRODUCTION = Path(__file__).parent / "production"
ORDERS = '[{"id": "a", "cents": 300}, {"id": "b", "cents": 5, "express": true}]'

FLOW = """
class Only(dex.Step[str]):
    def execute(self, context: dex.Context, input: str) -> dex.StepDecision:
        {body}

class OnlyFlow(dex.Flow[str]):
    def get_steps(self) -> dex.StepList[str]:
        return dex.StepList.start_step(Only())
"""


def a_flow(body: str = "return dex.graceful_complete(input)", before: str = "import dex") -> str:
    return before + FLOW.format(body=body)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    def written(text: str, name: str = "mine.py") -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


# A module written for the real system.

AS_IT_IS = {
    "fakes.py:make_flow": (ORDERS, (["a", "b"],)),
    "submodules.py:CounterFlow": (None, (3,)),
    "imports_more.py:ReportFlow": ('"done"', ("done",)),
    "shop/flows/refund.py:RefundFlow": ("70", (70,)),
}


@pytest.mark.parametrize(("target", "given", "outputs"), [(t, *told) for t, told in AS_IT_IS.items()], ids=AS_IT_IS)
def test_a_module_written_for_the_real_system_runs_as_it_is(target: str, given: str | None, outputs: Any) -> None:
    flow = load_flow(f"{PRODUCTION}/{target}")
    run = simulate(flow, read_input(flow, given))
    assert run.status.name == "COMPLETED"
    assert run.outputs == outputs


def test_it_is_checked_with_the_scenario_of_another_file() -> None:
    flow = load_flow(f"{PRODUCTION}/fakes.py:make_flow")
    orders = sys.modules[type(flow).__module__]
    scenario = load_scenario(f"{PRODUCTION}/fakes.py:SLOW")
    assert list(scenario.durations) == [orders.PackOrder]
    report = check(flow, read_input(flow, ORDERS), sections=[Section(orders.PackOrder)], tokens=["packingTable"])
    assert report.verdict is Verdict.PROVED


def test_its_source_shows_where_it_goes_and_what_it_publishes() -> None:
    spec = compile_flow(load_flow(f"{PRODUCTION}/fakes.py:make_flow"))
    shown = {(edges.step, edges.method): edges for edges in spec.routes}
    assert [step.__name__ for step, _ in shown["ChargeOrder", "execute"].goes_to] == ["EnterPacking"]
    assert shown["PackOrder", "execute"].publishes == ("packingTable", "packed")
    assert shown["EnterPacking", "wait_for"].consumes == ("packingTable",)
    assert all(edges.complete for edges in spec.routes)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path with a `dex` in it that must not be imported."""
    (tmp_path / "site-packages" / "dex").mkdir(parents=True)
    (tmp_path / "site-packages" / "dex" / "__init__.py").write_text("raise AssertionError('it was imported')")
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    return tmp_path / "site-packages"


@pytest.mark.parametrize("target", AS_IT_IS)
def test_an_installed_dex_is_neither_imported_nor_disturbed(target: str, installed: Path) -> None:
    given, outputs = AS_IT_IS[target]
    flow = load_flow(f"{PRODUCTION}/{target}")
    assert simulate(flow, read_input(flow, given)).outputs == outputs
    assert not [name for name in sys.modules if name == "dex" or name.startswith("dex.")]


def test_an_imported_dex_stays_what_it_was(monkeypatch: pytest.MonkeyPatch, write: Callable[..., str]) -> None:
    real = ModuleType("dex")
    monkeypatch.setitem(sys.modules, "dex", real)
    flow = load_flow(write(a_flow("import dex as late; return late.graceful_complete(input)")) + ":OnlyFlow")
    assert sys.modules["dex"] is real
    assert simulate(flow, "x").outputs == ("x",)
    assert sys.modules["dex"] is real
    assert vars(real).keys() == vars(ModuleType("dex")).keys()


def test_nothing_is_left_on_the_path_or_in_the_folder(write: Callable[..., str], tmp_path: Path) -> None:
    before = list(sys.path)
    write("import dex", "beside.py")
    load_flow(write(a_flow(before="import dex, beside")) + ":OnlyFlow")
    assert sys.path == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["beside.py", "mine.py"]
    assert "beside" not in sys.modules
    assert "mine" not in sys.modules


# How a person's own modules find each other.

LAYOUTS: dict[str, tuple[dict[str, str], str, str]] = {
    "beside": ({"helper.py": "from dex import graceful_complete as done"}, "mine.py", "from helper import done"),
    "beside, as a module": ({"helper.py": "from dex import graceful_complete as done"}, "mine.py",
                            "import helper as h; done = h.done"),
    "beside, by a dot": ({"helper.py": "from dex import graceful_complete as done"}, "mine.py",
                         "from .helper import done"),
    "a package beside": ({"lib/__init__.py": "", "lib/deep/__init__.py": "",
                          "lib/deep/helper.py": "from dex import graceful_complete as done"}, "mine.py",
                         "import lib.deep.helper; done = lib.deep.helper.done"),
    "a folder beside": ({"lib/helper.py": "from dex import graceful_complete as done"}, "mine.py",
                        "from lib.helper import done"),
    "in its package": ({"shop/__init__.py": "", "shop/flows/__init__.py": "",
                        "shop/helper.py": "from dex import graceful_complete as done"}, "shop/flows/mine.py",
                       "from ..helper import done"),
    "in its package, in full": ({"shop/__init__.py": "", "shop/flows/__init__.py": "",
                                 "shop/helper.py": "from dex import graceful_complete as done"}, "shop/flows/mine.py",
                                "from shop.helper import done"),
    "in its package, as a script would": ({"shop/__init__.py": "",
                                           "shop/helper.py": "from dex import graceful_complete as done"},
                                          "shop/mine.py", "from helper import done"),
    "at the top of the project": ({"common.py": "from dex import graceful_complete as done"}, "flows/mine.py",
                                  "from common import done"),
    "a module of a standard name": ({"calendar.py": "from dex import graceful_complete as done"}, "mine.py",
                                    "from calendar import done"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "own", "importing"), LAYOUTS.values(), ids=LAYOUTS)
def test_modules_of_one_project_find_each_other(
    files: dict[str, str],
    own: str,
    importing: str,
    write: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        write(text, name)
    flow = load_flow(write(a_flow("return done(input)", f"import dex; {importing}"), own) + ":OnlyFlow")
    assert simulate(flow, "x").outputs == ("x",)
    late = load_flow(write(a_flow(f"{importing}; return done(input)"), own.replace("mine", "late")) + ":OnlyFlow")
    assert simulate(late, "x").outputs == ("x",)


def test_a_project_on_the_path_is_run_as_the_persons_own(
    write: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("import dex\nimport acme.more\nDONE = dex.graceful_complete", "src/acme/__init__.py")
    write("import dex", "src/acme/more.py")
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    flow = load_flow(write(a_flow("return acme.DONE(input)", "import dex, acme"), "checks/mine.py") + ":OnlyFlow")
    assert simulate(flow, "x").outputs == ("x",)
    assert "acme" not in sys.modules


def test_an_installed_package_is_imported_as_ever(write: Callable[..., str], tmp_path: Path) -> None:
    text = a_flow(before="import dex, json, msgspec, dexpatterns.dex; assert dexpatterns.dex.Flow is dex.Flow")
    module = sys.modules[type(load_flow(write(text) + ":OnlyFlow")).__module__]
    assert (module.json, module.msgspec) == (json, sys.modules["msgspec"])


def test_one_file_by_two_names_is_one_module(
    write: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("from dex import graceful_complete as done", "flows/helper.py")
    body = "from .helper import done; return done(input)"
    flow = load_flow(write(a_flow(body), "flows/mine.py") + ":OnlyFlow")
    text = "from dexpatterns import Scenario\nfrom flows.mine import Only\nONE = Scenario(durations={Only: None or {}})"
    text = text.replace("None or {}", "__import__('datetime').timedelta(1)")
    scenario = load_scenario(write(text, "scenarios.py") + ":ONE")
    assert list(scenario.durations) == [type(flow.get_steps().start)]
    assert simulate(flow, "x").outputs == ("x",)


def test_two_files_of_one_name_do_not_clash(write: Callable[..., str]) -> None:
    one = load_flow(write(a_flow("return dex.graceful_complete(1)"), "a/mine.py") + ":OnlyFlow")
    two = load_flow(write(a_flow("return dex.graceful_complete(2)"), "b/mine.py") + ":OnlyFlow")
    assert (simulate(one, "").outputs, simulate(two, "").outputs) == ((1,), (2,))


def test_a_file_is_run_once_until_it_changes(write: Callable[..., str]) -> None:
    file = write(a_flow())
    first = type(load_flow(file + ":OnlyFlow"))
    assert type(load_flow(file + ":OnlyFlow")) is first
    write(a_flow("return dex.graceful_complete('changed')"))
    again = load_flow(file + ":OnlyFlow")
    assert type(again) is not first
    assert simulate(again, "x").outputs == ("changed",)
    assert "changed" in inspect.getsource(type(again.get_steps().start))  # type: ignore[arg-type]  # it has one


def test_a_file_that_was_mended_is_loaded(write: Callable[..., str]) -> None:
    with pytest.raises(InputError, match="ZeroDivisionError"):
        load_flow(write("1 / 0") + ":OnlyFlow")
    assert load_flow(write(a_flow()) + ":OnlyFlow")


def test_a_file_that_only_failed_for_now_is_run_again(write: Callable[..., str], tmp_path: Path) -> None:
    file = write(a_flow(before="import dex, pathlib\npathlib.Path(__file__).with_name('ready').read_text()\n"))
    with pytest.raises(InputError, match="FileNotFoundError"):
        load_flow(file + ":OnlyFlow")
    write("", "ready")
    assert load_flow(file + ":OnlyFlow")


def test_a_file_counts_and_not_its_bytecode(write: Callable[..., str]) -> None:
    file = write(a_flow("return dex.graceful_complete(1)"))
    py_compile.compile(file)
    before = Path(file).stat()
    write(a_flow("return dex.graceful_complete(2)"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert simulate(load_flow(file + ":OnlyFlow"), "").outputs == (2,)


def test_a_file_that_was_just_written_is_found(write: Callable[..., str], tmp_path: Path) -> None:
    load_flow(write(a_flow()) + ":OnlyFlow")
    before = tmp_path.stat()
    write("import dex", "new.py")
    other = write(a_flow(before="import dex, new"), "other.py")
    os.utime(tmp_path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert load_flow(other + ":OnlyFlow")


@pytest.mark.parametrize("name", ["my-flow.py", "my.flow.py", "流程.py", "class.py", "__init__.py", "my flow.py"])
def test_any_file_name_will_do(name: str, write: Callable[..., str]) -> None:
    flow = load_flow(write(a_flow(), name) + ":OnlyFlow")
    assert simulate(flow, "x").outputs == ("x",)


def test_pickling_and_source_work(write: Callable[..., str]) -> None:
    flow = load_flow(write(a_flow()) + ":OnlyFlow")
    assert type(pickle.loads(pickle.dumps(flow))) is type(flow)  # noqa: S301  # it was pickled right here
    assert inspect.getsource(type(flow)).startswith("class OnlyFlow(dex.Flow[str]):")
    made = read_input(order_flow := load_flow(f"{PRODUCTION}/fakes.py:make_flow"), ORDERS)
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301  # as above
    assert order_flow.get_steps().start is not None


# Names that are not modelled.

USES = {
    "called": ("x = dex.Client('db')", "'dex.Client' is called", 2),
    "called, from its module": ("from dex.client import Client\nClient()", "'dex.Client' is called", 3),
    "called with a type": ("x = dex.Stream[str]('progress', str)", "'dex.Stream' is called", 2),
    "derived from": ("\nclass Mine(dex.SubFlow):\n    pass", "'dex.SubFlow' is the base of 'Mine'", 3),
    "derived from, made": ("type('Mine', (dex.SubFlow, dict), {})", "'dex.SubFlow' is the base of 'Mine'", 2),
    "derived from, with a type": ("class Mine(dex.SubFlow[int]): pass", "'dex.SubFlow' is the base of 'Mine'", 2),
    "asked": ("x = dex.StepDurability.ASYNC", "'dex.StepDurability.ASYNC' is used", 2),
    "raised": ("raise dex.FlowNotFoundError", "'dex.FlowNotFoundError' is called", 2),
    "a name of a newer version": ("x = dex.Nebula()", "'dex.Nebula' is called", 2),
    "misspelt": ("x = dex.Chanel('a', str)", "did you mean 'Channel'?", 2),
    "in a file beside": ("import beside", "'dex.heartbeat' is called", 4),
    "a default": ("def f(x: int = dex.heartbeat()) -> None: ...", "'dex.heartbeat' is called", 2),
}


@pytest.mark.parametrize(("text", "said", "line"), USES.values(), ids=USES)
def test_using_a_name_that_is_not_modelled_is_refused_with_its_line(
    text: str, said: str, line: int, write: Callable[..., str]
) -> None:
    beside = write("\n\nimport dex\ndex.heartbeat()", "beside.py")
    mine = write(f"import dex\n{text}\n")
    with pytest.raises(NotModelledError) as raised:
        load_flow(f"{mine}:OnlyFlow")
    assert str(raised.value).startswith(f"{beside if 'beside' in text else mine}, line {line}: 'dex.")
    assert said in str(raised.value)
    assert "but it is not modelled here; " in str(raised.value)


def test_the_production_module_that_uses_one_is_refused_with_its_line() -> None:
    with pytest.raises(NotModelledError, match=r"uses_stream\.py, line 5: 'dex\.Stream' is called"):
        load_flow(f"{PRODUCTION}/uses_stream.py:WorkFlow")


NO_USES = {
    "imported": "from dex import Stream, SubFlow, heartbeat, Nebula",
    "imported, all": "from dex import *",
    "imported, from anywhere": "import dex.codec, dex.a.b.c; from dex.worker import Worker as W",
    "annotated": "def f(x: dex.Stream[str] | None, *y: dex.SubFlow) -> list[dex.Client]: ...",
    "annotated as text": "x: 'dex.Stream[str] | None'\n__import__('typing').get_type_hints(dex)",
    "annotated with typing": "import typing as t\nx: t.Optional[dex.Stream[str]]; y = t.Union[int, dex.SubFlow]",
    "in a dataclass": "import dataclasses as d\n@d.dataclass(frozen=True)\nclass A:\n    x: dex.Client | None = None",
    "asked whether": "assert not isinstance(3, dex.Stream) and not issubclass(int, dex.Client)",
    "caught": "try:\n    1 / 0\nexcept (dex.FlowNotFoundError, dex.LongPollTimeoutError):\n    pass\n"
    "except ZeroDivisionError:\n    pass",
    "shown": "str(dex.Stream), repr([dex.SubFlow]), dex.Stream == dex.Stream, {dex.Stream: 1}",
    "a module of a function's name": "import dex.rpc\nfrom dex.rpc import rpc\nassert dex.rpc is rpc",
    "where it is never run": "def serve() -> None:\n    dex.Worker(dex.Registry([])).run()",
    "for the main program": "if __name__ == '__main__':\n    dex.Worker().run()",
}


@pytest.mark.parametrize("text", NO_USES.values(), ids=NO_USES)
def test_what_is_no_use_is_no_fault(text: str, write: Callable[..., str]) -> None:
    flow = load_flow(write(a_flow(before=f"import dex\n{text}\n")) + ":OnlyFlow")
    assert simulate(flow, "x").outputs == ("x",)


def test_every_name_and_submodule_is_there(write: Callable[..., str]) -> None:
    """The names that are modelled are ours, in `dex` and in each of its submodules."""
    from dexpatterns import dex as ours

    text = "import dex\n" + "\n".join(f"import dex.{name}" for name in real_names.SUBMODULES)
    module = sys.modules[type(load_flow(write(a_flow(before=text)) + ":OnlyFlow")).__module__]
    for name in real_names.AUTHORING:
        assert getattr(module.dex, name) is getattr(ours, name)
        assert getattr(module.dex.step, name) is getattr(ours, name)
    assert not set(real_names.AUTHORING) & real_names.UNMODELLED.keys()
    assert module.dex.AsyncContext is Context
    assert module.dex.Stream is stand_in("Stream") is module.dex.stream.Stream
    with pytest.raises(AttributeError):
        _ = module.dex._private
    made = ModuleType("dex.step")
    assert real_names.DexModule("dex", {"step": made}.__getitem__).step is made


MEMBERS = {
    "not modelled": ("heartbeat", NotModelledError, "'Context.heartbeat' is used, but it is not modelled here"),
    "misspelt": ("flow_ids", AttributeError, "did you mean 'flow_id'?"),
    "nothing like it": ("zzz", AttributeError, "Context has no 'zzz'"),
}


@pytest.mark.parametrize(("name", "kind", "said"), MEMBERS.values(), ids=MEMBERS)
def test_a_member_that_is_not_there(name: str, kind: type[Exception], said: str) -> None:
    error = missing("Context", name, dir(Context))
    assert isinstance(error, kind)
    assert isinstance(error, AttributeError)  # so that hasattr says no
    assert said in str(error)


def raised_by(code: str) -> Exception:
    from dexpatterns import dex

    with pytest.raises(Exception, match=r"\w") as raised:
        eval(code, {"dex": dex})  # noqa: S307  # the table beside
    return raised.value


EXPLAINED = {
    "dex.StepOptions(heartbeat_timeout=1)": "the option 'heartbeat_timeout' of dex.StepOptions is not modelled here; ",
    "dex.rpc(strict=True)": "the option 'strict' of dex.rpc is not modelled here; ",
    "dex.Channel('a', str).pending_messages": "'Channel.pending_messages' is not modelled here; ",
    "dex.StartFlowOptions().with_attribute": "'StartFlowOptions.with_attribute' is not modelled here; ",
    "dict(1, a=2)": None,
    "(1).zzz": None,
    "dex.Channel('a', str).zzz": None,
    "sorted(a=2)": None,
}


@pytest.mark.parametrize(("code", "said"), EXPLAINED.items(), ids=EXPLAINED)
def test_an_option_or_method_that_is_not_modelled_is_explained(code: str, said: str | None) -> None:
    found = explain(raised_by(code))
    assert found is None if said is None else found is not None and found.startswith(said)


# `file.py:Name`.

OTHER = """import dex

class Needs(dex.Flow[str]):
    def __init__(self, payments, mail_client, retries=3): ...
class Bad(dex.Flow[str]):
    def __init__(self): raise KeyError("x")
class Base(dex.Step[str]): ...
class Plain: ...
VALUE = 3
def make(): return OnlyFlow()
def needs(x, *, y, z=1): return OnlyFlow()
def spreads(*x, **y): return OnlyFlow()
def nothing(): return None
def wrong(): return OnlyFlow
async def later(): return OnlyFlow()
def raises(): return {}["key"]
def ends(): raise SystemExit(3)
def uses(): dex.Client()
def broken(): return dex.Channel("a/b", str)
INSTANCE = None
"""


@pytest.mark.parametrize("name", ["OnlyFlow", "make", "spreads", "INSTANCE"])
def test_a_class_an_instance_and_a_factory_will_do(name: str, write: Callable[..., str]) -> None:
    file = write(a_flow(before=OTHER) + "\nINSTANCE = OnlyFlow()")
    assert type(load_flow(f"{file}:{name}")).__name__ == "OnlyFlow"


# What is no name of a Flow, and what is said; {file} stands for the file.
NOT_A_FLOW = {
    "OnlyFlo": "{file}: it has no 'OnlyFlo'; did you mean 'OnlyFlow'?",
    "zzz": "{file}: it has no 'zzz'; expected 'Needs' or 'Bad' or 'OnlyFlow' or 'make' or 'spreads' or one of 7 more",
    "Plain": "{file}:Plain: expected a Flow, got the class Plain; expected ",
    "Base": "{file}:Base: expected a Flow, got the Step Base; expected ",
    "VALUE": "{file}:VALUE: expected a Flow, got a int; expected ",
    "dex": "{file}:dex: expected a Flow, got a DexModule; expected ",
    "Needs": "expected a class without constructor arguments, got one that needs 'payments', 'mail_client'; write a "
    "factory, 'def make_flow(): return Needs(FakePayments(), FakeMailClient())', and name it: {file}:make_flow",
    "needs": "expected a function without required arguments, got one that needs 'x', 'y'; give them defaults",
    "nothing": "{file}:nothing: expected it to return a Flow, got None; return one",
    "wrong": "{file}:wrong: expected it to return a Flow, got the class OnlyFlow; return one",
    "later": "{file}:later: expected a Flow, got a coroutine; make it a plain def",
    "raises": "{file}, line 16: KeyError: 'key'; it is called without arguments",
    "ends": "{file}, line 17: SystemExit: 3; it is called without arguments",
    "Bad": "{file}, line 6: KeyError: 'x'; it is called without arguments",
    "uses": "{file}, line 18: 'dex.Client' is called, but it is not modelled here; ",
    "broken": "{file}, line 19: Channel 'a/b': expected a name",
}


@pytest.mark.parametrize(("name", "said"), NOT_A_FLOW.items(), ids=NOT_A_FLOW)
def test_what_is_no_flow_is_refused(name: str, said: str, write: Callable[..., str]) -> None:
    file = write(a_flow(before=OTHER))
    with pytest.raises((InputError, FlowDefinitionError)) as raised:
        load_flow(f"{file}:{name}")
    assert said.format(file=file) in str(raised.value)


# What is no file with a name; {dir} stands for the folder.
TARGETS = {
    "{dir}/nope.py:X": "'{dir}/nope.py': expected a Python file, got no such file; check the path",
    "{dir}:X": "'{dir}': expected a Python file, got a folder; name the file inside it",
    "{dir}/notes.txt:X": "'{dir}/notes.txt': expected a Python file, got one that ends in '.txt'; name a .py file",
    "{dir}/mine.py": "got no name; write {dir}/mine.py:NAME, it has OnlyFlow and make and ONE",
    "{dir}/nope.py": "got no name; write {dir}/nope.py:NAME, such as orders.py:OrderFlow",
    "{dir}/mine.py:": "expected a name after the colon, got ''; write orders.py:OrderFlow",
    "{dir}/mine.py:a.b": "expected a name after the colon, got 'a.b'",
    "C:\\flows\\mine.py": "expected a file and a name in it, got no name; write C:\\flows\\mine.py:NAME",
    "C:\\flows\\mine.py:X": "'C:\\\\flows\\\\mine.py': expected a Python file, got no such file",
    "X": "'X': expected a file and a name in it, got no name; write file.py:NAME, such as orders.py:OrderFlow",
    "": "'': expected a file and a name in it, got no name",
    "a\0b.py:X": "'a\\x00b.py': expected a file that can be read, got embedded null byte; check the path",
    "{dir}/large.py:X": "'{dir}/large.py': expected at most 10 MB of Python, got more; name another file",
}


@pytest.mark.parametrize(("target", "said"), TARGETS.items(), ids=range(len(TARGETS)))
def test_what_is_no_file_with_a_name_is_refused(
    target: str, said: str, write: Callable[..., str], tmp_path: Path
) -> None:
    write(a_flow() + "def make() -> 'OnlyFlow': ...\nONE = OnlyFlow()\nTWO = Only()\n")
    write("", "notes.txt")
    with (tmp_path / "large.py").open("wb") as large:
        large.truncate(50_000_000)
    with pytest.raises(InputError) as raised:
        load_flow(target.replace("{dir}", str(tmp_path)))
    assert said.replace("{dir}", str(tmp_path)) in str(raised.value)


def test_a_colon_in_a_path_is_no_name(write: Callable[..., str]) -> None:
    assert load_flow(write(a_flow(), "odd:folder/mine.py") + ":OnlyFlow")


# What goes wrong while a file is run.
BROKEN = {
    "syntax": ("x = 1\ndef f(:\n", "{file}, line 2: expected Python, got a SyntaxError: invalid syntax; mend it there"),
    "indentation": ("if 1:\nx", "{file}, line 2: expected Python, got a IndentationError: expected an indented block"),
    "null bytes": ("x = '\0'", "source code string cannot contain null bytes"),
    "raises": ("\n\n{}['key']", "{file}, line 3: KeyError: 'key'; mend it there"),
    "raises in a function": ("def f():\n    return 1 / 0\nf()", "{file}, line 2: ZeroDivisionError: division by zero"),
    "raises inside a library": ("import json\njson.loads('{')", "{file}, line 2: JSONDecodeError: Expecting"),
    "raises nothing to say": ("raise ValueError", "{file}, line 1: ValueError; mend it there"),
    "raises at length": ("raise ValueError('x' * 9999)", "xxx...; mend it there"),
    "exits": ("import sys\nsys.exit('bye')", "{file}, line 2: SystemExit: bye; mend it there"),
    "is not installed": (
        "import no_such_package",
        "{file}, line 1: ModuleNotFoundError: No module named 'no_such_package'; install it where this runs, or import",
    ),
    "is not in the project": ("import helper.zzz", "No module named 'helper.zzz'; 'helper' is not a package; install"),
    "is not in the module": (
        "from helper import zzz",
        "{file}, line 1: ImportError: cannot import name 'zzz' from 'helper'",
    ),
    "in a file beside": ("import wrong", "wrong.py, line 2: ZeroDivisionError: division by zero; mend it there"),
    "syntax in a file beside": ("import unwritten", "unwritten.py, line 1: expected Python, got a SyntaxError"),
    "without end": ("def f():\n    f()\nf()", "{file}, line 2: RecursionError: it calls or nests without end"),
    "a definition": (
        "import dex\nx = dex.Channel('', str)",
        "{file}, line 2: Channel '': expected a name that is not empty",
    ),
    "an option": (
        "import dex\nx = dex.StepOptions(heartbeat_timeout=1)",
        "{file}, line 2: the option 'heartbeat_timeout' of dex.StepOptions is not modelled here; ",
    ),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN)
def test_what_a_file_raises_is_told_with_its_line(text: str, said: str, write: Callable[..., str]) -> None:
    write("x = 1", "helper.py")
    write("x = 1\n1 / 0", "wrong.py")
    write("def", "unwritten.py")
    file = write(text)
    with pytest.raises((InputError, FlowDefinitionError)) as raised:
        load_flow(f"{file}:X")
    assert said.format(file=file) in str(raised.value) if "{file}" in said else said in str(raised.value)
    assert len(str(raised.value)) < 900


def test_a_file_that_is_not_utf8_is_refused(write: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes("x = 'é'".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.py.*expected Python, got a SyntaxError.*utf-8"):
        load_flow(f"{tmp_path / 'latin.py'}:X")


def test_an_interrupt_goes_through(write: Callable[..., str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        load_flow(write("raise KeyboardInterrupt") + ":X")


SCENARIOS = {
    "ONE": "",
    "make": "",
    "ON": "it has no 'ON'; did you mean 'ONE'?",
    "VALUE": "expected a Scenario, got a int; expected 'ONE' or 'make'",
    "needs": "expected a function without required arguments, got one that needs 'x'; give them defaults",
    "flow": "expected it to return a Scenario, got a Flow; return one",
    "Scenario": "expected a Scenario, got the class Scenario; expected 'ONE' or 'make'",
}


@pytest.mark.parametrize(("name", "said"), SCENARIOS.items(), ids=SCENARIOS)
def test_a_scenario_is_loaded_likewise(name: str, said: str, write: Callable[..., str]) -> None:
    text = "from dexpatterns import Scenario\nimport dex\nONE = Scenario()\nVALUE = 3\ndef make(): return ONE\n"
    file = write(text + "def needs(x): return ONE\ndef flow(): return dex.Flow()\n")
    if not said:
        assert load_scenario(f"{file}:{name}") == Scenario()
    else:
        with pytest.raises(InputError) as raised:
            load_scenario(f"{file}:{name}")
        assert said in str(raised.value)


# With the machine around it.


@pytest.mark.parametrize(("name", "line"), [("BeatFlow", 9), ("quiet", 17)])
def test_a_handler_that_uses_what_is_not_modelled_is_refused_even_if_it_does_not_mind(name: str, line: int) -> None:
    flow = load_flow(f"{PRODUCTION}/beats.py:{name}")
    with pytest.raises(NotModelledError, match=r"beats\.py, line \d+: 'dex\.heartbeat' is called"):
        simulate(flow, "x")
    with pytest.raises(NotModelledError, match=r"beats\.py"):
        check(flow, "x")


IN_HANDLERS = {
    "of the context": ("context.heartbeat()", "'Context.heartbeat' is used, but it is not modelled here"),
    "in a helper's default": ("(lambda x=dex.Client(): x)()", "'dex.Client' is called"),
}


@pytest.mark.parametrize(("body", "said"), IN_HANDLERS.values(), ids=IN_HANDLERS)
def test_a_handler_is_refused_by_its_line(body: str, said: str, write: Callable[..., str]) -> None:
    file = write(a_flow(body))
    with pytest.raises(NotModelledError) as raised:
        simulate(load_flow(f"{file}:OnlyFlow"), "x")
    assert str(raised.value).startswith(f"{file}, line 4: {said}")


def test_a_handler_may_ask_whether_there_is_one(write: Callable[..., str]) -> None:
    body = "return dex.graceful_complete(hasattr(context, 'heartbeat'))"
    assert simulate(load_flow(write(a_flow(body)) + ":OnlyFlow"), "x").outputs == (False,)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("execute_durability=dex.StepDurability.ASYNC", "'dex.StepDurability.ASYNC' is used, but it is not modelled"),
        ("heartbeat_timeout=10", "the option 'heartbeat_timeout' of dex.StepOptions is not modelled here"),
    ],
)
def test_options_that_are_not_modelled_are_refused_when_the_flow_is_built(
    options: str, said: str, write: Callable[..., str]
) -> None:
    text = a_flow().replace("class Only(dex.Step[str]):", "class Only(dex.Step[str]):\n"
                            "    def get_step_options(self) -> dex.StepOptions:\n"
                            f"        return dex.StepOptions({options})")  # fmt: skip
    flow = load_flow(write(text) + ":OnlyFlow")
    with pytest.raises((NotModelledError, FlowDefinitionError)) as raised:
        simulate(flow, "x")
    assert said in str(raised.value)
