"""What a command's TARGET means: a Flow with everything that is tried around it, as a `Subject`.

A name is a pattern of the catalog, a path a pattern's folder, `file.py:Flow` a Flow of a person's own. What the
options do not say is taken from the pattern's world.py. What cannot be meant is an `InputError`, before anything is
searched; this module searches nothing.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dexpatterns import catalog
from dexpatterns.commands.options import Asked
from dexpatterns.dex.channel import ChannelMap, check_value
from dexpatterns.dex.definition import FlowSpec, compile_flow
from dexpatterns.dex.flow import Flow
from dexpatterns.dex.io_guard import Watch, guarded
from dexpatterns.dex.scenario import Faults, Scenario, Section, check_world
from dexpatterns.engine.explore import Progress
from dexpatterns.engine.report import Bounds
from dexpatterns.errors import DexpatternsError, InputError
from dexpatterns.terminal import aside

if TYPE_CHECKING:
    from dexpatterns.catalog import Pattern

__all__ = ["Subject", "bounds_of", "faults_of", "find_pattern", "handlers_watched", "subject_of"]


class Subject(NamedTuple):
    """What is tried."""

    name: str
    """As it was named: a pattern's id, or `file.py:Flow`."""
    flow: Flow[Any]
    input: Any
    sections: tuple[Section, ...]
    tokens: tuple[tuple[str, int], ...]
    """Names of Channels, and how many tokens each has."""
    limit: int
    """How many may be inside a section together."""
    scenario: Scenario | None
    symmetric: tuple[str, ...]
    """The fields that the pattern says tell branches apart and nothing else."""
    pattern: Pattern | None
    """None for a Flow of a person's own file."""


def subject_of(asked: Asked) -> Subject:
    """Read everything that is asked for; raises `InputError` or `FlowDefinitionError`."""
    # A colon ends a file's name; of a pattern there is nothing to name inside it.
    return _of_file(asked) if re.search(r"\.py$|:", asked.target) else _of_pattern(asked)


def find_pattern(target: str) -> Pattern:
    """The pattern of a name, or in a folder if it is written as a path; raises `InputError`."""
    if os.sep in target or "/" in target or target in (".", "..") or target[:1] == "~":
        return catalog.open(target)
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
def handlers_watched(
    asked: Asked, told: Callable[[Progress], None]
) -> Iterator[Callable[[Progress], None]]:
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
            sections=_sections(asked, spec),
            tokens=_tokens(asked, spec, limit),
            limit=limit,
            scenario=None if scenario is None else load_scenario(scenario),
            symmetric=(),
            pattern=None,
        )


def _sections(asked: Asked, spec: FlowSpec) -> tuple[Section, ...]:
    made = []
    for said in asked.sections:
        steps = [step.strip() for step in said.split(",")]
        if not all(steps):
            raise InputError(f"--section {said!r}: expected Steps with commas between them, got an empty name")
        made.append(Section(*steps))
    try:
        check_world(spec, sections=made)
        names = [section.name for section in made]
        if len(set(names)) < len(names):
            raise InputError(f"two sections are called {names[0]!r}; leave one of them out")
    except InputError as error:
        raise InputError(f"--section: {error}") from None
    return tuple(made)


def _tokens(asked: Asked, spec: FlowSpec, limit: int) -> tuple[tuple[str, int], ...]:
    found: dict[str, int] = {}
    for said in asked.tokens:
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
        world = pattern.world
        flow = _flow(pattern, asked.flow)
        spec = compile_flow(flow)
        section = _fitting(world, Section, lambda one: check_world(spec, sections=[one]), first="SECTION")
        own = asked.sections == () and section is not None
        limit = asked.limit or (int(getattr(world, "LIMIT", 1)) if own else 1)
        token = getattr(pattern.token, "name", pattern.token)
        said = asked.tokens or ((token,) if token is not None and token.partition("/")[0] in spec.channels else ())
        return Subject(
            name=pattern.id,
            flow=flow,
            input=_input(pattern, flow, spec, asked),
            sections=(section,) if own else _sections(asked, spec),
            tokens=_tokens(asked._replace(tokens=said), spec, limit),
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
        raise InputError(f"--flow: {pattern.id!r} has no Flow {name!r}; expected one of {list(flows)}")
    return flows[name]


def _fitting(world: object, kind: type[Any], check: Callable[[Any], object], *, first: str) -> Any:
    """Of the values of a kind in world.py the first that fits this Flow, the one of the usual name before others."""
    values = vars(world)
    for value in (values.get(first), *values.values()):
        if isinstance(value, kind):
            try:
                check(value)
            except DexpatternsError:
                continue
            return value
    return None


def _input(pattern: Pattern, flow: Flow[Any], spec: FlowSpec, asked: Asked) -> Any:
    if asked.input is not None:
        from dexpatterns.dex.inputs import read_input

        return read_input(flow, asked.input)
    takes = None if spec.start is None else spec.start.input_type
    flags = dict(_flag(said) for said in asked.flags)
    if asked.reviewers is None and not flags:
        own = [value for name, value in vars(pattern.world).items() if re.fullmatch(r"(\w+_)?INPUT", name)]
        for value in (pattern.input, *own):
            if check_value(takes, value) is None:
                return value
    reviewers = asked.reviewers or 3
    for make in _makers(pattern):
        if flags.keys() - inspect.signature(make).parameters.keys():
            continue
        made = make(reviewers, **flags)
        if check_value(takes, made) is None:
            return made
    # Nothing fits: the pattern's own maker says which flags there are, if that is what is wrong.
    pattern.make_input(reviewers, **flags)
    raise InputError(
        f"world.py of {pattern.id!r} makes no input for Flow {spec.name!r}; give it with --input, as JSON or a file"
    )


def _makers(pattern: Pattern) -> Iterator[Callable[..., Any]]:
    yield pattern.make_input
