"""Every folder of a catalog becomes a `Pattern`; a folder that is broken is named, and the others go on.

`patterns()`, `load(name)` and `open(path)` read a folder's `pattern.toml` alone. **Its code, `flow.py` and
`world.py`, is run when a `Pattern` is first asked for something that stands in it** (`flow`, `input`, `section`
...): open a catalog from elsewhere only if you would run its code. A resource-lock pattern has workflow and lock files
in place of a `flow.py`, of which nothing is ever run. What is claimed is judged elsewhere (`claims`), and shown
elsewhere (`views.compare`); here both are asked of every folder.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from dexpatterns import claims as claiming
from dexpatterns.engine.arguments import check_callable
from dexpatterns.engine.looking import Shown
from dexpatterns.engine.texts import LANGUAGES, check_lang, visible
from dexpatterns.errors import DexpatternsError, InputError
from dexpatterns.folders import worlds
from dexpatterns.folders.cards import DEX, JS7, KINDS, Card, form_of, read_card
from dexpatterns.folders.code import blaming, flows_of, run_code

if TYPE_CHECKING:
    import pandas as pd

    from dexpatterns.dex.flow import Flow
    from dexpatterns.js7.files import Item
    from dexpatterns.js7.scenario import Jobs, Order

__all__ = ["LANGUAGES", "Pattern", "Problem", "compare", "load", "open", "patterns", "problems", "root"]

_OF_FORM = {DEX: ("flow", "input", "section"), JS7: ("items", "orders", "jobs")}


class Problem(NamedTuple):
    """A folder that cannot be used, and what is wrong with it."""

    path: Path
    text: str


class Pattern(Shown):
    """One pattern or anti-pattern: what its folder says of it, its Flows or workflows, and how to try them."""

    def __init__(self, path: Path, card: Card, package: str, form: str = DEX) -> None:
        self.path = path
        self.id = card.id
        self.kind = card.kind
        self.form = form
        """'dex': it has Flows; 'js7': it is a resource-lock pattern, with workflow files."""
        self.repairs = card.repairs
        """The anti-patterns that this pattern mends."""
        self.repaired_by = card.repaired_by
        """The patterns that mend this anti-pattern."""
        self.sentences = card.claims
        """By claim name and language: what is claimed, in words."""
        self._card = card
        self._package = package

    def __repr__(self) -> str:
        return f"<{self.kind} {self.id!r}: {visible(self.title())}>"

    def title(self, lang: str = "en") -> str:
        return self._card.title[check_lang(lang)]

    def summary(self, lang: str = "en") -> str:
        """One line: what it does, or what goes wrong."""
        return self._card.summary[check_lang(lang)]

    def page(self, lang: str = "en") -> Any:
        """Its page, a `pages.page.Page`: text in a terminal; in a notebook with its pictures, for which claims are run.

        Raises `InputError` when it is missing or broken.
        """
        from dexpatterns.pages.page import Page

        return Page(self, lang)

    @cached_property
    def _code(self) -> dict[str, ModuleType]:
        return run_code(self.path, self._package, ("flow", "world") if self.form == DEX else ("world",))

    def _only(self, form: str, name: str) -> None:
        if self.form != form:
            there = "workflow files and no Flow" if self.form == JS7 else "a Flow and no workflow files"
            mend = ", ".join(f".{one}" for one in _OF_FORM[self.form])
            raise InputError(f"pattern {self.id!r} has no .{name}: {self.path} has {there}; use {mend}")

    @property
    def world(self) -> ModuleType:
        """The module `world.py`, for what only this pattern has; raises `InputError` if the folder's code fails."""
        return self._code["world"]

    @cached_property
    def flows(self) -> tuple[Flow[Any], ...]:
        """An instance of every Flow in `flow.py`, in the order in which they are written; none of a
        resource-lock pattern.
        """
        return flows_of(self.path, self._code["flow"]) if self.form == DEX else ()

    @property
    def flow(self) -> Flow[Any]:
        """The first Flow in `flow.py`: the one that the folder is about; raises `InputError` where there is none."""
        self._only(DEX, "flow")
        return self.flows[0]

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The workflows and locks of a resource-lock pattern; reading them runs nothing."""
        from dexpatterns.js7.files import load as load_files

        self._only(JS7, "items")
        return load_files(self.path)

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders that a resource-lock pattern is shown with."""
        self._only(JS7, "orders")
        return tuple(self._told("ORDERS"))

    @property
    def jobs(self) -> Jobs:
        """How its jobs go."""
        from dexpatterns.js7.scenario import Jobs

        self._only(JS7, "jobs")
        jobs = self._told("JOBS")
        return jobs if isinstance(jobs, Jobs) else Jobs(jobs)

    def _told(self, name: str) -> Any:
        return worlds.told(self.world, name)

    @property
    def input(self) -> Any:
        """The input with which the Flow is shown."""
        self._only(DEX, "input")
        return self._told("INPUT")

    @property
    def section(self) -> Any:
        """The `Section` whose Steps are protected, or None."""
        return self._told("SECTION")

    @property
    def token(self) -> Any:
        """The Channel that holds the token, or None."""
        return self._told("TOKEN")

    @property
    def limit(self) -> int:
        """How many branches may be inside the section at once; as many tokens there are."""
        limit: int = self._told("LIMIT") if self.form == DEX else 1
        return limit

    @property
    def scenario(self) -> Any:
        """The `Scenario` with the durations that the Flow is shown with, or None."""
        return self._told("SCENARIO")

    @property
    def scenarios(self) -> dict[str, Any]:
        """More scenarios by name, such as ways to close the Flow from outside."""
        return dict(self._told("SCENARIOS"))

    @property
    def symmetric(self) -> tuple[str, ...]:
        """The input fields that tell branches apart and nothing else."""
        return tuple(self._told("SYMMETRIC"))

    @property
    def claims(self) -> dict[str, Any]:
        """By name: the `Claim` or `Measure` behind each of `sentences`."""
        return dict(self._told("CLAIMS"))

    @cached_property
    def _asked(self) -> dict[str, claiming.Asked]:
        return {}

    def asked(self, name: str) -> claiming.Asked:
        """What the claim of that name asks: a Report, an Audit or a figure; searched for once, then remembered.

        Raises `InputError` when there is no such claim, and whatever its code raises.
        """
        claim = self.claims.get(name)
        if not isinstance(claim, (claiming.Claim, claiming.Measure)):
            known = ", ".join(self.claims) or "none is there"
            raise InputError(f"{self.path / 'world.py'}: no claim {name!r} in CLAIMS; expected one of: {known}")
        if name not in self._asked:
            asked = claiming.ask(claim)
            if asked.interrupted:
                raise KeyboardInterrupt
            self._asked[name] = asked
        return self._asked[name]

    def judged(self, name: str, lang: str = "en") -> claiming.Judged:
        """The same, held against what the claim expects."""
        return claiming.judge(self.claims[name], lang, self.asked(name))

    def verify(self, lang: str = "en", *, progress: claiming.Progress | None = None) -> pd.DataFrame:
        """Every claim, run if it was not yet: a DataFrame, a row per claim, columns claim, sentence (its numbers those
        of the report), about, expected, verdict, holds, states, turns, seconds.

        A claim whose code raises, that has no sentence, or a sentence without a claim is a row that does not hold,
        with the reason in `verdict`; the others go on. `progress` is called before each. Raises `InputError` when the
        folder's code fails.
        """
        import pandas as pd

        rows = list(self.verified(lang, progress=progress))
        columns = list(claiming.COLUMNS)
        table = pd.DataFrame([row[: len(columns)] for row in rows], columns=columns)
        table["about"] = [", ".join(row.about) for row in rows]
        types = {"holds": "bool", "states": "Int64", "turns": "Int64", "seconds": "float64"}
        return table.astype({name: types.get(name, "str") for name in columns})

    def verified(self, lang: str = "en", *, progress: claiming.Progress | None = None) -> Iterator[claiming.Verified]:
        """The same as records, one by one as they are run, each with its counterexample or witness."""
        check_lang(lang)
        check_callable("progress", progress)
        claims = self.claims
        names = list(dict.fromkeys((*self.sentences, *claims)))

        def told(name: str) -> None:
            if progress is not None:
                progress(f"{self.id}: {name}", names.index(name), len(names))

        yield from claiming.verify(self.sentences, claims, lang, told, self.asked)

    def make_input(self, reviewers: int = 3, **flags: Any) -> Any:
        """An input with that many branches; a flag takes the numbers of the branches that it hits, from 1.

        Raises `InputError` for a number below 0, a flag that this pattern has not, or a branch that there is not.
        """
        self._only(DEX, "make_input")
        make = self._told("make_input")
        if type(reviewers) is not int or reviewers < 0:
            raise InputError(f"reviewers is {reviewers!r}; expected a whole number from 0 up")
        known = [name for name in inspect.signature(make).parameters if name != "reviewers"]
        for name, value in flags.items():
            if name not in known:
                raise InputError(f"{self.id!r} has no flag {name!r}; expected one of {known}")
            for number in value if isinstance(value, Iterable) and not isinstance(value, str) else ():
                if type(number) is not int or not 1 <= number <= reviewers:
                    raise InputError(f"{name} names branch {number!r}; expected whole numbers from 1 to {reviewers}")
        with blaming(self.path):
            return make(reviewers, **flags)

    def from_edits(self, rows: Iterable[Any]) -> tuple[Any, Any]:
        """The input and the scenario that these rows ask for; raises `InputError` if the pattern takes no rows."""
        make = self._told("from_edits")
        if make is None:
            raise InputError(f"{self.id!r} takes no file of edits; give it a number of reviewers instead")
        with blaming(self.path):
            made = make(rows)
        if not isinstance(made, tuple) or len(made) != 2:
            file = self.path / "world.py"
            raise InputError(f"{file}: from_edits: expected it to make (input, scenario), got {made!r}; mend it there")
        return made


def root() -> Path:
    """The catalog that comes with the package: packed inside it, or beside it in the source tree."""
    here = Path(__file__).resolve().parent
    # The packed one first: beside an installed package, "catalog" may be anybody's.
    packed = here / "_catalog"
    return packed if packed.is_dir() else here.parent / "catalog"


def patterns(catalog: str | Path | None = None) -> tuple[Pattern, ...]:
    """Every usable folder of a catalog, patterns before anti-patterns, by id; runs none of their code."""
    found = [thing for thing in _read_all(catalog) if isinstance(thing, Pattern)]
    return tuple(sorted(found, key=lambda pattern: (KINDS.index(pattern.kind), pattern.id)))


def problems(catalog: str | Path | None = None, *, run: bool = False) -> tuple[Problem, ...]:
    """Every folder that cannot be used. With `run`, the code of the others is run as well, to see whether it can."""
    found: list[Problem] = []
    for thing in _read_all(catalog):
        if isinstance(thing, Problem):
            found.append(thing)
        elif run:
            try:
                worlds.check(thing.world, thing.form, thing.flows, thing.sentences)
            except DexpatternsError as error:
                found.append(Problem(thing.path, str(error)))
    return tuple(found)


def load(name: str, catalog: str | Path | None = None) -> Pattern:
    """The pattern of that id; raises `InputError` if there is none or its folder is broken."""
    things = _read_all(catalog)
    for thing in things:
        if thing.path.name == name:
            if isinstance(thing, Problem):
                raise InputError(thing.text)
            return thing
    names = ", ".join(thing.id for thing in things if isinstance(thing, Pattern)) or "none is there"
    raise InputError(f"no pattern {name!r} in {str(_folder(catalog))!r}; expected one of: {names}")


def open(path: str | Path) -> Pattern:
    """The pattern in a folder anywhere; raises `InputError` if it is broken. Asked for its Flow, it runs code."""
    thing = _read(_folder(path))
    if isinstance(thing, Problem):
        raise InputError(thing.text)
    return thing


def compare(
    lang: str = "en", catalog: str | Path | None = None, *, progress: claiming.Progress | None = None
) -> pd.DataFrame:
    """Patterns and anti-patterns by property: a DataFrame, a row per folder, each cell from claims that were verified.

    A cell says "proved", "broken in 8 turns" (the fewest), "not verified" where a claim about it does not hold, and
    nothing where none is claimed. `.attrs`: `verdicts` (by id and property: claim, verdict, turns, holds),
    `properties` (the columns' names in English) and `problems` (by id: why a folder's claims could not be run).
    `views.compare.FORMATS` writes it as text, Markdown, CSV or HTML.
    """
    from dexpatterns.views import compare as view

    check_lang(lang)
    check_callable("progress", progress)
    found = patterns(catalog)
    lines, trouble = [], {}
    total, done = sum(len(pattern.sentences) for pattern in found), 0
    for pattern in found:
        standings: dict[str, list[view.Standing]] = {}
        start = done

        def told(name: str, nth: int, _all: int, start: int = start) -> None:
            if progress is not None:
                progress(name, min(start + nth, total), total)

        try:
            for row in pattern.verified(lang, progress=told):
                done += 1
                if not row.aside:
                    verdict = row.judged.verdict.name if row.judged and row.judged.verdict else ""
                    for about in row.about:
                        standings.setdefault(about, []).append(view.Standing(row.claim, verdict, row.turns, row.holds))
        except DexpatternsError as error:
            trouble[pattern.id] = str(error)
        lines.append(view.Line(pattern.id, pattern.kind, pattern.title(lang), standings))
    table = view.table(lines, lang)
    table.attrs["problems"] = trouble
    return table


def _folder(path: str | Path | None) -> Path:
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise InputError(f"expected the path of a folder, got {path!r}; give it as a text or a Path")
    folder = root() if path is None else Path(path).expanduser().resolve()
    if not folder.is_dir():
        found = "a file" if folder.exists() else "no such folder"
        raise InputError(f"{str(folder)!r}: expected a folder, got {found}; check the path")
    return folder


def _read_all(catalog: str | Path | None) -> list[Pattern | Problem]:
    folders = sorted(child for child in _folder(catalog).iterdir() if child.is_dir() and child.name[0] not in "._")
    return [_read(folder) for folder in folders]


_read_before: dict[Path, tuple[Any, Pattern | Problem]] = {}
_packages: dict[str, int] = {}


def _read(folder: Path) -> Pattern | Problem:
    """Read a folder once; again when one of its files has changed, under a new package name."""
    try:
        stamp = _stamp(folder)
    except OSError as error:
        return Problem(folder, f"{folder}: cannot be read: {error.strerror}; check its files and their permissions")
    known = _read_before.get(folder)
    if known and known[0] == stamp:
        return known[1]
    thing: Pattern | Problem
    try:
        thing = Pattern(folder, read_card(folder), _package(folder), form_of(folder))
    except InputError as error:
        thing = Problem(folder, str(error))
    _read_before[folder] = stamp, thing
    return thing


def _stamp(folder: Path) -> Any:
    files = sorted(child for child in folder.iterdir() if child.suffix in (".py", ".toml", ".json"))
    return [(child.name, (stat := child.stat()).st_mtime_ns, stat.st_size) for child in files]


def _package(folder: Path) -> str:
    """A name of its own for the folder's modules, so that two folders' `flow` are two modules.

    It stays the same between processes as long as the folder stays where it is.
    """
    name = re.sub(r"\W", "_", folder.name)
    if folder.parent != root():
        name += "_" + hashlib.sha256(str(folder).encode()).hexdigest()[:8]
    _packages[name] = _packages.get(name, 0) + 1
    return f"dexpatterns_catalog.{name}" + (f"_v{_packages[name]}" if _packages[name] > 1 else "")
