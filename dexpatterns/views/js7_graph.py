"""Workflows and resource locks as nodes, edges and bands: what a graph draws of a JS7 definition.

An instruction that an order can stand at is a node, a block that it can be in a band: the workflow, what is done
under a lock, the part of a Try that may fail, Options. What only leads on (the end of a block, a Try) has no node; an
order that is there is drawn where it goes next. Everything comes from the items themselves; no run is known here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from dexpatterns.engine.trace import Trace
from dexpatterns.errors import InputError
from dexpatterns.js7.instructions import (
    Block,
    Demand,
    ExecuteAnonymous,
    ExecuteNamed,
    Fail,
    Finish,
    Fork,
    ForkList,
    If,
    Instruction,
    LockInstruction,
    Options,
    Prompt,
    Retry,
    Sleep,
    Try,
    Workflow,
)
from dexpatterns.js7.positions import Position, normalized
from dexpatterns.js7.scenario import World
from dexpatterns.views.graph_parts import Band, Line, Link, Node, Outline
from dexpatterns.views.texts import clip, short

__all__ = ["outline_of", "place_of"]


def outline_of(items: Any, trace: Trace | None = None) -> Outline:
    """What is drawn of items (all that `js7.load` gives or takes); of a run, the workflows that its orders come to.

    Raises `InputError` or `WorkflowFileError`.
    """
    world = items if isinstance(items, World) else World.of(items)
    name = ", ".join(sorted(world.workflows)) or "locks alone"
    workflows = list(world.workflows.values())
    if trace is not None:
        used = _used(trace)
        if trace.machine != "js7" or used - set(world.workflows):
            raise InputError(f"this is a run of {trace.name!r}, and no run of {name!r}; pass the items that ran")
        name = trace.name
        workflows = [workflow for workflow in workflows if workflow.path in used or not used]
    made = _Outline({path: lock.limit for path, lock in world.locks.items()})
    for workflow in workflows:
        made.workflow(workflow)
    asked = {link.what for link in made.links if link.verb == "acquire"}
    locks = [lock for path, lock in world.locks.items() if path in asked or not workflows]
    nodes = (*made.nodes, *(Node("", "resource", lock.path, limit=lock.limit) for lock in locks))
    return Outline(
        name, nodes, tuple(dict.fromkeys(made.links)), tuple(made.bands), made.words, tuple(made.lines), made.places,
        made.leaves,
    )  # fmt: skip


def _used(trace: Trace) -> set[str]:
    """The workflows that orders come to, or were to come to."""
    added: list[Any] = [event for turn in trace.turns for event in turn.events if event.kind == "OrderAdded"]
    came = {event.workflow for event in added}
    told = trace.input.plain if hasattr(trace.input, "plain") else trace.input
    orders = told if isinstance(told, (list, tuple)) else ()
    # What a file says of the input nobody has checked.
    said = [one.get("workflow") for one in orders if isinstance(one, Mapping)]
    return came | {name for name in said if isinstance(name, str)}


def place_of(workflow: str, position: Position) -> tuple[str, Position]:
    """The key of a position in `GraphData.places`: all attempts of a Try are drawn at one place."""
    return workflow, tuple(normalized(part) if isinstance(part, str) else part for part in position)


class _At(NamedTuple):
    """Where a block is: what all of its instructions have in common."""

    workflow: str
    band: int
    depth: int
    ends: str
    """The node that a Finish leads to: the end of the workflow, or of the fork's branch."""
    again: Callable[[], str] | None = None
    """Where a Retry leads, in a catch block."""


class _Outline:
    """Gathers in the order of the text; an instruction is told when what follows it is known by name."""

    def __init__(self, limits: Mapping[str, int]) -> None:
        self.limits = limits
        self.nodes: list[Node] = []
        self.links: list[Link] = []
        self.bands: list[Band] = []
        self.words: dict[Link, str] = {}
        self.lines: list[Line] = []
        self.places: dict[Any, str] = {}
        self.leaves: dict[Link, str] = {}

    def workflow(self, workflow: Workflow) -> None:
        end = f"{workflow.path} end"
        band = self._band(workflow.path, "workflow", -1)
        self.lines.append(Line(0, "", workflow.path, "workflow"))
        self._block(workflow.block, (), end, _At(workflow.path, band, 1, end))
        self._node(Node("", "end", end, said="End"), band)

    # Blocks.

    def _block(self, block: Block, prefix: Position, after: str, at: _At) -> None:
        """A block whose end leads to the node `after`."""
        last = len(block.instructions)
        self.places[place_of(at.workflow, (*prefix, last))] = after
        for number, instruction in enumerate(block.instructions):
            here = (*prefix, number)
            onward = _entry(block, number + 1, prefix, after, at.workflow)
            self.places[place_of(at.workflow, here)] = _entry(block, number, prefix, after, at.workflow)
            _RULES[type(instruction)](self, instruction, here, onward, at)

    def _band(self, name: str, sort: str, outer: int, shares: Iterable[Demand] = ()) -> int:
        shared = tuple((demand.lock, demand.weight, self.limits.get(demand.lock, 0)) for demand in shares)
        self.bands.append(Band(f"b{len(self.bands)}", name, (), 0, sort, f"b{outer}" if outer >= 0 else "", shared))
        return len(self.bands) - 1

    def _node(self, node: Node, band: int) -> None:
        self.nodes.append(node)
        self.bands[band] = self.bands[band]._replace(members=(*self.bands[band].members, node.name))

    def _link(self, who: str, verb: str, what: str, words: str = "") -> None:
        link = Link(who, verb, what)
        self.links.append(link)
        if words:
            self.words[link] = f"{self.words[link]}, {words}" if link in self.words else words

    def _own(self, sort: str, said: str, here: Position, at: _At, **more: Any) -> str:
        """The node of an instruction, and its line."""
        name = _key(at.workflow, here)
        self._node(Node("", sort, name, said=said, **more), at.band)
        self.lines.append(Line(at.depth, name, said))
        return name

    # Instructions: each is told with the node that follows it.

    def plain(self, instruction: Any, here: Position, onward: str, at: _At) -> None:
        sort = "job" if isinstance(instruction, (ExecuteNamed, ExecuteAnonymous)) else "act"
        self._link(self._own(sort, _said(instruction), here, at), "next", onward)

    def fail(self, instruction: Fail, here: Position, onward: str, at: _At) -> None:
        self._own("act", _said(instruction), here, at, ends=("order_fails",))

    def finish(self, instruction: Finish, here: Position, onward: str, at: _At) -> None:
        self._link(self._own("act", _said(instruction), here, at), "next", at.ends)

    def retry(self, instruction: Retry, here: Position, onward: str, at: _At) -> None:
        name = self._own("act", _said(instruction), here, at)
        if at.again is not None:
            self._link(name, "retry", at.again())

    def lock(self, instruction: LockInstruction, here: Position, onward: str, at: _At) -> None:
        name = self._own("gate", _said(instruction), here, at)
        for demand in instruction.demands:
            self._link(name, "acquire", demand.lock)
            self._link(name, "queue", demand.lock)
            self._link(name, "release", demand.lock)
        inside, prefix = instruction.body, (*here, "lock")
        self._link(name, "next", _entry(inside, 0, prefix, onward, at.workflow))
        band = self._band("", "lock", at.band, instruction.demands)
        self._block(inside, prefix, onward, at._replace(band=band, depth=at.depth + 1, again=None))

    def attempt(self, instruction: Try, here: Position, onward: str, at: _At) -> None:
        said = _said(instruction)
        entry = _entry(instruction.body, 0, (*here, "try"), onward, at.workflow)
        self.lines.append(Line(at.depth, "", said))
        band = self._band(said, "try", at.band)
        before = len(self.nodes)
        self._block(instruction.body, (*here, "try"), onward, at._replace(band=band, depth=at.depth + 1, again=None))
        caught = _entry(instruction.catch, 0, (*here, "catch"), onward, at.workflow)
        inside = [node for node in self.nodes[before:] if node.sort != "end"]
        if inside:
            link = Link(inside[-1].name, "catch", caught)
            self.links.append(link)
            self.leaves[link] = f"b{band}"
        if instruction.catch.instructions:
            self.lines.append(Line(at.depth, "", "Catch"))
        self._block(
            instruction.catch, (*here, "catch"), onward, at._replace(depth=at.depth + 1, again=lambda: entry)
        )  # fmt: skip

    def options(self, instruction: Options, here: Position, onward: str, at: _At) -> None:
        said = _said(instruction)
        self.lines.append(Line(at.depth, "", said))
        band = self._band(said, "options", at.band)
        self._block(instruction.body, (*here, "options"), onward, at._replace(band=band, depth=at.depth + 1))

    def choose(self, instruction: If, here: Position, onward: str, at: _At) -> None:
        name = self._own("choice", _said(instruction), here, at)
        several = len(instruction.cases) > 1
        for i, (predicate, block) in enumerate(instruction.cases):
            branch = instruction.branch(i)
            word = _expression(predicate) if several else "then"
            self._branch(name, block, (*here, branch), word, onward, at)
        if instruction.otherwise is not None:
            self._branch(name, instruction.otherwise, (*here, "else"), "else", onward, at)
        else:
            self._link(name, "branch", onward, "else")

    def fork(self, instruction: Fork | ForkList, here: Position, onward: str, at: _At) -> None:
        name = self._own("fork", _said(instruction), here, at)
        join = f"{name} join"
        at = at._replace(ends=join, again=None)
        if isinstance(instruction, Fork):
            for branch in instruction.branches:
                self._branch(name, branch.block, (*here, f"fork+{branch.id}"), branch.id, join, at)
        else:
            self._branch(name, instruction.body, (*here, "fork"), "", join, at)
        self._node(Node("", "fork", join, said="Join"), at.band)
        self.lines.append(Line(at.depth, join, "Join"))
        self.places["join", *place_of(at.workflow, here)] = join
        self._link(join, "next", onward)

    def _branch(self, name: str, block: Block, prefix: Position, word: str, after: str, at: _At) -> None:
        if word:
            self.lines.append(Line(at.depth + 1, "", word, "branch"))
        self._link(name, "branch", _entry(block, 0, prefix, after, at.workflow), clip(word, 24))
        self._block(block, prefix, after, at._replace(depth=at.depth + 2))


_RULES: Mapping[type[Instruction], Callable[[_Outline, Any, Position, str, _At], None]] = {
    **dict.fromkeys((ExecuteNamed, ExecuteAnonymous, Prompt, Sleep), _Outline.plain),
    Fail: _Outline.fail,
    Finish: _Outline.finish,
    Retry: _Outline.retry,
    LockInstruction: _Outline.lock,
    Try: _Outline.attempt,
    Options: _Outline.options,
    If: _Outline.choose,
    Fork: _Outline.fork,
    ForkList: _Outline.fork,
}
_THROUGH: Mapping[type[Instruction], str] = {Try: "try", Options: "options"}
"""The instructions without a node, and the block that they lead into."""


def _entry(block: Block, number: int, prefix: Position, after: str, workflow: str) -> str:
    """The node that stands for the n-th instruction of a block; behind the last one that of what follows."""
    if number >= len(block.instructions):
        return after
    instruction = block.instructions[number]
    branch = _THROUGH.get(type(instruction))
    if branch is None:
        return _key(workflow, (*prefix, number))
    inner = instruction.block(branch)
    assert inner is not None
    onward = partial(_entry, block, number + 1, prefix, after, workflow)
    if not inner.instructions:
        return onward()
    return _entry(inner, 0, (*prefix, number, branch), onward(), workflow)


def _key(workflow: str, here: Position) -> str:
    """The name of an instruction's node: its place."""
    return f"{workflow} {json.dumps(here, ensure_ascii=False, separators=(',', ':'))}"


# What stands in a node. Names of instructions and fields are those of JS7, in every language.


def _said(instruction: Any) -> str:
    return _SAID[type(instruction)](instruction)


def _expression(one: Any) -> str:
    return short(str(one))


def _anonymous(one: ExecuteAnonymous) -> str:
    lines = one.job.script.strip().splitlines()
    return one.label or (lines[0] if lines else "job")


def _tried(one: Try) -> str:
    parts = ["Try"]
    parts += [f"maxTries {one.max_tries}"] if one.max_tries is not None else []
    if one.retry_delays:
        parts.append(f"retryDelays {', '.join(f'{seconds:g}' for seconds in one.retry_delays[:4])} s")
    return " · ".join(parts)


def _asked(one: LockInstruction) -> str:
    told = (demand.lock if demand.weight is None else f"{demand.lock} ×{demand.weight}" for demand in one.demands)
    return f"Lock {', '.join(told)}"


def _options(one: Options) -> str:
    stop = one.stop_on_failure
    return "Options" if stop is None else f"Options · stopOnFailure {'true' if stop else 'false'}"


_SAID: Mapping[type[Any], Callable[[Any], str]] = {
    ExecuteNamed: lambda one: one.job_name,
    ExecuteAnonymous: _anonymous,
    Prompt: lambda one: f"Prompt {one.question}",
    Sleep: lambda one: f"Sleep {one.duration}",
    Fail: lambda one: "Fail" if one.message is None else f"Fail {one.message}",
    Finish: lambda one: "Finish",
    Retry: lambda one: "Retry",
    LockInstruction: _asked,
    Try: _tried,
    Options: _options,
    If: lambda one: f"If {one.cases[0][0]}" if len(one.cases) == 1 else "If",
    Fork: lambda one: "Fork",
    ForkList: lambda one: f"ForkList {one.children}",
}
