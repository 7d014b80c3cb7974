"""What a command's TARGET means: a Flow with everything that is tried around it, as a `Subject`.

A name is a pattern of the catalog, a path a pattern's folder, `file.py:Flow` a Flow of a person's own. What the
options do not say is taken from the pattern's world.py. What cannot be meant is an `InputError`, before anything is
searched; this module searches nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from dexpatterns import catalog
from dexpatterns.commands.options import Asked
from dexpatterns.dex.channel import ChannelMap, check_value
from dexpatterns.dex.definition import FlowSpec, compile_flow
from dexpatterns.dex.flow import Flow
from dexpatterns.dex.io_guard import Watch, guarded
from dexpatterns.dex.scenario import Faults, Scenario, Section, check_world
from dexpatterns.engine.explore import Progress
from dexpatterns.engine.report import Bounds
from dexpatterns.errors import InputError
from dexpatterns.folders.code import blaming
from dexpatterns.terminal import aside

if TYPE_CHECKING:
    from dexpatterns.catalog import Pattern

__all__ = ["Subject", "bounds_of", "faults_of", "find_pattern", "handlers_watched", "names_a_file", "subject_of"]


class Subject(NamedTuple):
    """What is tried."""

    name: str
    """As it was named: a pattern's id, or `file.py:Flow`."""
    flow: Flow[Any]
    input: Any
    sections: tuple[Section, ...]
    tokens: tuple[tuple[str, int], ...]
    """Names of Channels, and how many tokens each has."""
    maps: frozenset[str]
    """The names of ChannelMaps, each key of which is a Channel of its own."""
    limit: int
    """How many may be inside a section together."""
    scenario: Scenario | None
    symmetric: tuple[str, ...]
    """The fields that the pattern says tell branches apart and nothing else."""
    pattern: Pattern | None
    """None for a Flow of a person's own file."""


def subject_of(asked: Asked) -> Subject:
    """Read everything that is asked for; raises `InputError` or `FlowDefinitionError`."""
    return _of_file(asked) if names_a_file(asked.target) else _of_pattern(asked)


def names_a_file(target: str) -> bool:
    """Whether a Flow of a person's own file is meant, as `file.py:Flow`, and not a pattern."""
    # A colon ends a file's name; of a pattern there is nothing to name inside it.
    return re.search(r"\.py$|:", target) is not None


def find_pattern(target: str) -> Pattern:
    """The pattern of a name, or in a folder if it is written as a path; raises `InputError`."""
    if os.sep in target or "/" in target or target in (".", "..") or target[:1] == "~":
        try:
            return catalog.open(target)
        except (OSError, RuntimeError, ValueError) as error:  # a path that cannot be: with a NUL, of nobody's home
            raise InputError(f"{target!r}: expected a pattern's folder, got {error}; check the path") from None
    try:
        return catalog.load(target)
    except InputError as error:
        if target and (Path(target) / "pattern.toml").is_file():
            raise InputError(f"{error}; for the folder {target!r} here, write ./{target}") from None
        raise


def bounds_of(asked: Asked) -> Bounds:
    said = {"states": asked.bound_states, "depth": asked.bound_depth, "seconds": asked.bound_seconds}
    return Bounds(**{name: value for name, value in said.items() if value is not None})  # type: ignore[arg-type]


def faults_of(asked: Asked) -> Faults | None:
    """None where nothing is said of lost or late attempts."""
    if asked.lost_attempts is None and asked.late_attempts is None:
        return None
    return Faults(lost_attempts=asked.lost_attempts or 0, late_attempts=asked.late_attempts or 0)


@contextmanager
def handlers_watched(asked: Asked, told: Callable[[Progress], None]) -> Iterator[Callable[[Progress], None]]:
    """Run handlers guarded, and end in `InputError` once one has tried to touch the outside world.

    Yields what a search tells its progress to: that is passed on to `told`, and a search that has become worthless
    ends there. What handlers print goes to stderr.
    """
    with guarded(allow=asked.allow_io) as watch, aside():

        def progressed(progress: Progress) -> None:
            _refuse_io(watch)
            told(progress)

        yield progressed
        _refuse_io(watch)


def _refuse_io(watch: Watch) -> None:
    if watch.attempted:
        first, *others = watch.attempted
        more = f" (and {len(others)} more like it)" if others else ""
        raise InputError(first.sentence() + more)


# A Flow of a person's own.


def _of_file(asked: Asked) -> Subject:
    from dexpatterns.dex.loading import load_flow, load_scenario, read_input

    for option, said in {"--reviewers": asked.reviewers, "--flag": asked.flags, "--flow": asked.flow}.items():
        if said:
            mend = "name the Flow as file.py:NAME" if option == "--flow" else "give its input with --input"
            raise InputError(f"{option} is for patterns of the catalog, and {asked.target!r} is a file; {mend}")
    with aside():
        flow = load_flow(asked.target)
        spec = compile_flow(flow)
        scenario = asked.scenario
        if scenario is not None and ":" not in scenario:
            scenario = f"{asked.target.rpartition(':')[0]}:{scenario}"
        limit = asked.limit or 1
        return Subject(
            name=asked.target,
            flow=flow,
            input=read_input(flow, asked.input),
            sections=_sections(asked.sections, spec),
            tokens=_tokens(asked.tokens, spec, limit),
            maps=frozenset(name for name, channel in spec.channels.items() if isinstance(channel, ChannelMap)),
            limit=limit,
            scenario=None if scenario is None else load_scenario(scenario),
            symmetric=(),
            pattern=None,
        )


def _sections(named: Iterable[str], spec: FlowSpec) -> tuple[Section, ...]:
    made = []
    for said in named:
        steps = [step.strip() for step in said.split(",")]
        if not all(steps):
            raise InputError(f"--section {said!r}: expected Steps with commas between them, got an empty name")
        made.append(Section(*steps))
    check_world(spec, sections=made)
    names = [section.name for section in made]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"--section: {twice[0]!r} is the name of two sections; leave one of them out")
    return tuple(made)


def _tokens(named: Iterable[str], spec: FlowSpec, limit: int) -> tuple[tuple[str, int], ...]:
    found: dict[str, int] = {}
    for said in named:
        name, equals, number = said.partition("=")
        channel = spec.channels.get(name.partition("/")[0])
        if channel is None:
            raise InputError(
                f"--token: Flow {spec.name!r} has no Channel {name!r}; expected one of {sorted(spec.channels)}"
            )
        if equals and not (number.isascii() and number.isdigit() and int(number)):
            raise InputError(f"--token {said!r}: expected a number of 1 or more after the '=', got {number!r}")
        # Of a map each entry has a token of its own.
        found[name] = int(number) if equals else 1 if isinstance(channel, ChannelMap) else limit
    return tuple(found.items())


# A pattern.


def _of_pattern(asked: Asked) -> Subject:
    for option, said in {"--reviewers": asked.reviewers, "--flag": asked.flags}.items():
        if said and asked.input is not None:
            raise InputError(f"{option} and --input both say what goes in; leave one of them out")
    pattern = find_pattern(asked.target)
    with aside():
        flow = _flow(pattern, asked.flow)
        spec = compile_flow(flow)
        section = None if asked.sections else _fitting(pattern.section, pattern.world, Section, spec)
        limit = asked.limit or (pattern.limit if section is not None else 1)
        token = getattr(pattern.token, "name", pattern.token)
        usual = (token,) if token is not None and token.partition("/")[0] in spec.channels else ()
        return Subject(
            name=pattern.id,
            flow=flow,
            input=_input(pattern, flow, spec, asked),
            sections=_sections(asked.sections, spec) if section is None else (section,),
            tokens=_tokens(asked.tokens or usual, spec, limit),
            maps=frozenset(name for name, channel in spec.channels.items() if isinstance(channel, ChannelMap)),
            limit=limit,
            scenario=_scenario(pattern, spec, asked.scenario),
            symmetric=pattern.symmetric,
            pattern=pattern,
        )


def _flow(pattern: Pattern, name: str | None) -> Flow[Any]:
    flows = {type(flow).__name__: flow for flow in pattern.flows}
    if name is None:
        return pattern.flow
    if name not in flows:
        raise InputError(f"--flow: {pattern.id!r} has no Flow {name!r}; expected one of {', '.join(flows)}")
    return flows[name]


def _fitting(usual: Any, world: ModuleType, kind: type[Section | Scenario], spec: FlowSpec) -> Any:
    """What the pattern says; for another Flow than the folder's first, the first value in world.py that fits it."""
    for value in (usual, *vars(world).values()):
        if isinstance(value, kind):
            try:
                check_world(spec, **({"sections": [value]} if isinstance(value, Section) else {"scenario": value}))
            except InputError:
                continue
            return value
    return None


def _scenario(pattern: Pattern, spec: FlowSpec, name: str | None) -> Scenario | None:
    if name is None:
        found: Scenario | None = _fitting(pattern.scenario, pattern.world, Scenario, spec)
        return found
    if ":" in name:
        from dexpatterns.dex.loading import load_scenario

        return load_scenario(name)
    known: dict[str, Scenario] = {}
    for value in vars(pattern.world).values():
        if isinstance(value, Mapping):
            known |= {str(key): one for key, one in value.items() if isinstance(one, Scenario)}
    if name not in known:
        there = f"one of {', '.join(known)}, or file.py:NAME" if known else "file.py:NAME"
        raise InputError(f"--scenario: {pattern.id!r} has no scenario {name!r}; expected {there}")
    return known[name]


def _input(pattern: Pattern, flow: Flow[Any], spec: FlowSpec, asked: Asked) -> Any:
    if asked.input is not None:
        from dexpatterns.dex.inputs import read_input

        return read_input(flow, asked.input)
    takes = None if spec.start is None else spec.start.input_type
    if asked.reviewers is None and not asked.flags:
        own = (value for name, value in vars(pattern.world).items() if name.endswith("INPUT"))
        for value in (pattern.input, *own):
            if _fits(takes, value):
                return value
    usual = pattern.input
    reviewers = asked.reviewers or (len(usual) if isinstance(usual, Sequence) else 3)
    flags = dict(_flag(said, reviewers) for said in asked.flags)
    others = (value for name, value in vars(pattern.world).items() if re.fullmatch(r"make_\w+_input", name))
    for make in (pattern.make_input, *others):
        try:
            with blaming(pattern.path):
                made = make(reviewers, **flags)
        except InputError as error:
            names = ", ".join(map(repr, flags))
            unsaid = isinstance(error.__cause__, (AttributeError, TypeError))
            said = f"{names} of {pattern.id!r} cannot be said by branch numbers; leave it out" if unsaid else error
            fault = InputError(f"--flag: {said}") if flags else error
        else:
            if _fits(takes, made):
                return made
            mend = "give one with --input, as JSON or a file of it"
            fault = InputError(f"{pattern.id!r} makes no such input for Flow {spec.name!r}; {mend}")
        if type(flow) is type(pattern.flow):
            break
    raise fault


def _fits(takes: Any, value: Any) -> bool:
    """Whether a Step takes the value: a list is looked into as well, since it is edits of which kind that matters."""
    of = [kind for kind in get_args(takes) if isinstance(kind, type)]
    return check_value(takes, value) is None and (
        not of or not isinstance(value, list) or all(isinstance(one, tuple(of)) for one in value)
    )


def _flag(said: str, reviewers: int) -> tuple[str, tuple[int, ...]]:
    """A flag and the branches that it hits."""
    name, equals, numbers = said.partition("=")
    hit = numbers.split(",")
    if not name.isidentifier() or not equals or not all(re.fullmatch(r"[0-9]{1,9}", one.strip()) for one in hit):
        raise InputError(f"--flag {said!r}: expected NAME=N,N with the numbers of branches, such as withdrawn=1,2")
    beyond = [one for one in hit if not 1 <= int(one) <= reviewers]
    if beyond:
        raise InputError(f"--flag {said!r}: expected branches from 1 to {reviewers}, got {beyond[0].strip()}")
    return name, tuple(map(int, hit))
