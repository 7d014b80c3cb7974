"""What is shipped and promised: lint and types, the wheel away from the tree, and every line of the README."""

from __future__ import annotations

import os
import re
import shutil
import site
import subprocess
import sys
import tomllib
import venv
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CATALOG = sorted(path.parent for path in ROOT.glob("catalog/*/pattern.toml"))
COMMAND = (sys.executable, "-c", "from dexpatterns.cli import main; main()")
HERE = {**os.environ, "PYTHONPATH": str(ROOT)}
ALONE = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}


def output(*command: str | Path, status: int = 0, **options: Any) -> str:
    """What a command printed; fails with all of it when the command ends otherwise."""
    options = {"cwd": ROOT, **options}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    assert done.returncode == status, done.stdout
    return done.stdout


def block(marker: str, language: str = "sh") -> str:
    """The README's code block after the marker."""
    found = re.search(rf"{re.escape(marker)}\n+```{language}\n(.*?)```", README, re.DOTALL)
    assert found, marker
    return found[1]


# Lint and types.


def test_ruff_has_nothing_to_say() -> None:
    output(sys.executable, "-m", "ruff", "check", "--no-cache", ".")
    output(sys.executable, "-m", "ruff", "format", "--check", "--no-cache", "dexpatterns", "tests")


def test_mypy_has_nothing_to_say_of_the_package_and_the_catalog(tmp_path: Path) -> None:
    """A pattern's folder has a name that no package may have; its files import each other as a package's do."""
    packages = []
    for folder in CATALOG:
        packages.append(tmp_path / f"pattern_{folder.name.replace('-', '_')}")
        shutil.copytree(folder, packages[-1], ignore=shutil.ignore_patterns("__pycache__"))
        (packages[-1] / "__init__.py").touch()
    output(sys.executable, "-m", "mypy", "dexpatterns", *packages)


# The wheel.


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist, which so is known to hold all that it needs."""
    folder = tmp_path_factory.mktemp("dist")
    output(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder, env=ALONE)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of an environment that has the wheel, and of the rest only what other projects made."""
    env = tmp_path_factory.mktemp("env")
    venv.create(env, with_pip=False)
    scripts = env / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    pip = (sys.executable, "-m", "pip", "--python", python)
    output(*pip, "install", "-q", "--no-deps", "--no-index", wheel, env=ALONE)
    packages = output(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", env=ALONE).strip()
    # Only named there, so that no .pth file inside them is read: this project's own would lead back to the tree.
    Path(packages, "others.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
    return scripts


def test_the_wheel_holds_the_content(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for source, packed in (("catalog", "_catalog"), ("notebooks", "_notebooks"), ("dexpatterns", "")):
        files = [path.relative_to(ROOT / source) for path in (ROOT / source).rglob("*") if path.is_file()]
        wanted = {(Path("dexpatterns", packed) / file).as_posix() for file in files if "__pycache__" not in file.parts}
        assert wanted - names == set()
        assert wanted
    assert "dexpatterns/py.typed" in names
    assert [name for name in names if "__pycache__" in name or name.startswith("tests")] == []


def test_the_wheel_works_away_from_the_tree(installed: Path, tmp_path: Path) -> None:
    away = {"cwd": tmp_path, "env": ALONE}
    where = output(installed / "python", "-c", "import dexpatterns; print(dexpatterns.__file__)", **away)
    assert Path(where.strip()).is_relative_to(installed.parent)
    command = installed / "dexpatterns"
    assert output(command, "--version", **away).strip() == PROJECT["version"]
    listed = output(command, "list", **away)
    assert [folder.name for folder in CATALOG if folder.name not in listed] == []
    told = output(command, "run", "critical-section", "--save", "run.json", "--svg", "lanes.svg", **away)
    assert told.endswith("5 edits, 0 overlaps, token back in its channel\n")
    assert output(command, "replay", "run.json", **away) == told
    tables = "from dexpatterns import load_run; print(len(load_run('run.json').intervals()))"
    assert output(installed / "python", "-c", tables, **away) == "5\n"


def test_every_dependency_has_its_reason(wheel: Path) -> None:
    packed = zipfile.ZipFile(wheel)
    (name,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
    needs = Parser().parsestr(packed.read(name).decode()).get_all("Requires-Dist") or []
    needed = {re.split(r"[<>=\[; ]", need)[0] for need in needs if "extra ==" not in need}
    assert needed == {re.split(r"[<>=]", need)[0] for need in PROJECT["dependencies"]}
    reasons = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("Dependencies")[2]
    assert needed == set(re.findall(r"\*\*([\w-]+)\*\*", reasons))


# The README.


def test_the_readmes_edits_run(tmp_path: Path) -> None:
    (tmp_path / "edits.csv").write_text(block("a row per edit:", "csv"), encoding="utf-8")
    words = next(line for line in README.splitlines() if "--edits edits.csv" in line).split()
    assert words[0] == ".venv/bin/dexpatterns"
    told = output(*COMMAND, *words[1:], cwd=tmp_path, env=HERE)
    assert told.endswith("3 edits, 0 overlaps, token back in its channel\n")


def test_the_readmes_verdict_is_what_its_command_prints() -> None:
    command = block("<!-- run command -->").strip()
    assert command.endswith(" && .venv/bin/dexpatterns run critical-section")
    told = output(*COMMAND, "run", "critical-section", env=HERE)
    assert told.endswith(block("line of verdict:", "text"))


def test_the_readmes_python_runs() -> None:
    names: dict[str, Any] = {}
    exec(compile(block("the same run is:", "python"), "README.md", "exec"), names)  # noqa: S102  # it is ours, and the test
    assert len(names["run"].intervals(names["pattern"].section)) == 5


def test_the_readmes_columns_are_those_that_are_read() -> None:
    from dexpatterns.edits import COLUMNS

    table = README.partition("| column |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`(?=[^|]*\|[^|]*\|[^|]*\|)", table)) >= set(COLUMNS)


# .ci/run


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree that holds nothing but .ci/run and a README."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    return tmp_path


def ci(tree: Path, readme: str, status: int) -> str:
    (tree / "README.md").write_text(readme, encoding="utf-8")
    # What must not leak: this environment first on the PATH and on Python's own.
    env = {
        **os.environ,
        "CHROMIUM": "there",  # else it would install one
        "PYTHON": sys.executable,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([*site.getsitepackages(), str(ROOT)]),
    }
    return output("bash", tree / ".ci" / "run", cwd=tree.parent, env=env, status=status)


def marked(command: str) -> str:
    return f"```sh\nfalse\n```\n\n<!-- test command -->\n```sh\n{command}\n```\n\n```sh\nfalse\n```\n"


def test_ci_runs_the_marked_command_on_a_copy(tree: Path) -> None:
    told = ci(tree, marked("pwd && ls -a && touch made"), 0)
    assert str(tree) not in told
    assert "README.md" in told
    assert not (tree / "made").exists()


def test_ci_takes_the_readmes_test_command() -> None:
    assert block("<!-- test command -->").strip().endswith(" && .venv/bin/python -m pytest")


@pytest.mark.parametrize(
    "command",
    [
        block("<!-- test command -->").replace(" && .venv/bin/pip install -q -e '.[test]'", "").strip(),
        "python3 -m pytest",
        "python -c 'import pytest'",
        "pytest --version",
        "python3 -c 'import dexpatterns'",
        "dexpatterns --version",
        "false\ntrue",
        "false | true",
    ],
)
def test_ci_fails_when_the_command_does_not_install(tree: Path, command: str) -> None:
    ci(tree, marked(command), 127 if command.startswith(("pytest", "dexpatterns")) else 1)


def test_ci_fails_without_a_command(tree: Path) -> None:
    assert "no code block after the line '<!-- test command -->'" in ci(tree, "# Nothing\n\n```sh\ntrue\n```\n", 1)
