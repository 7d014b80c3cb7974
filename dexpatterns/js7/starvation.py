"""Whether an order can wait for ever while others go round ahead of it: a search for circles in the graph of states.

All states are visited breadth first. Among those in which the order waits, a circle starves it when it may go on for
ever fairly: every job end, answer or awakening that is possible all the way round happens in it (an order that may
come again need not). A state in which nothing can happen any more starves it too. Strongly connected parts tell
whether there is such a circle; one of them is then walked, as short as it can easily be had.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from dexpatterns.engine.explore import Progress
from dexpatterns.engine.machine import Choice
from dexpatterns.engine.report import Bounds
from dexpatterns.js7.machine import Js7Machine
from dexpatterns.js7.waits import demands_of, tell_waits

__all__ = ["Graph", "Lasso", "starve"]

_TRIED = 500
"""So many states of a part are tried as the place where a circle closes."""
_TICK = 2_048


class Graph:
    """The reachable states, by number in the order of discovery."""

    def __init__(self, machine: Js7Machine, orders: Iterable[str], bounds: Bounds) -> None:
        self.machine = machine
        self.orders = tuple(orders)
        self.bounds = bounds
        self.parents: list[int] = []
        self.via: list[Choice | None] = []
        self.depths: list[int] = []
        self.edges: list[list[tuple[Choice, int]]] = []
        self.waiting: list[int] = []
        """Which of the orders wait, as bits."""
        self.outcomes: set[str] = set()
        self.good_end: int | None = None
        self.transitions = 0
        self.cut = ""

    def explore(self, progress: Callable[[Progress], None] | None = None) -> None:
        """Visit all states within the bounds."""
        started = time.monotonic()
        machine, bounds = self.machine, self.bounds
        places: dict[object, int] = {}
        state = machine.initial()
        places[machine.key(state)] = 0
        self._meet(state, -1, None)
        queue = [state]
        at = 0
        while at < len(queue):
            if bounds.depth is not None and self.depths[at] >= bounds.depth and machine.choices(queue[at]):
                self.cut = f"depth={bounds.depth}"
                return
            if bounds.seconds is not None and time.monotonic() - started > bounds.seconds:
                self.cut = f"seconds={bounds.seconds}"
                return
            for choice in machine.choices(queue[at]):
                after, _ = machine.apply(queue[at], choice)
                self.transitions += 1
                key = machine.key(after)
                place = places.get(key)
                if place is None:
                    if len(queue) >= bounds.states:
                        self.cut = f"states={bounds.states:,}"
                        return
                    place = places[key] = len(queue)
                    queue.append(after)
                    self._meet(after, at, choice)
                self.edges[at].append((choice, place))
            if progress and at % _TICK == _TICK - 1:
                seconds = max(time.monotonic() - started, 1e-9)
                progress(Progress(len(queue), len(queue) - at, self.depths[at], len(queue) / seconds))
            at += 1

    def _meet(self, state: object, parent: int, via: Choice | None) -> None:
        machine = self.machine
        self.parents.append(parent)
        self.via.append(via)
        self.depths.append(self.depths[parent] + 1 if parent >= 0 else 0)
        self.edges.append([])
        bits = 0
        for i, id in enumerate(self.orders):
            order = state.order(id)  # type: ignore[attr-defined]  # a State: the machine's own
            bits |= (order is not None and order.state == "WaitingForLock") << i
        self.waiting.append(bits)
        outcome = machine.outcome(state)  # type: ignore[arg-type]
        if outcome is not None:
            self.outcomes.add(outcome)
            if self.good_end is None and machine.succeeded(state):  # type: ignore[arg-type]
                self.good_end = len(self.parents) - 1

    def path(self, place: int) -> list[Choice]:
        """The choices that lead to a state."""
        found: list[Choice] = []
        while place > 0:
            choice = self.via[place]
            assert choice is not None
            found.append(choice)
            place = self.parents[place]
        return found[::-1]


class Lasso(NamedTuple):
    """A way to a state, and the circle that leads back to it; an empty one where nothing can happen any more."""

    way: tuple[Choice, ...]
    circle: tuple[Choice, ...]

    def tell(self, machine: Js7Machine, order: str, lang: str = "en") -> str:
        """What happens, in a sentence."""
        n = 1 if lang == "zh" else 0
        state = machine.initial()
        since = 0
        for turn, choice in enumerate(self.way, 1):
            state, _ = machine.apply(state, choice)
            one = state.order(order)
            if one is None or one.state != "WaitingForLock":
                since = 0
            elif not since:
                since = turn
        waiting = state.order(order)
        assert waiting is not None
        wanted = _SAY["and"][n].join(demand.lock for demand in demands_of(machine.rules, waiting))
        said = _SAY["waits"][n].format(order=order, wanted=wanted, since=since)
        if not self.circle:
            return said + _SAY["end"][n].format(waits=tell_waits(machine.rules, state, lang=lang))
        first, last = len(self.way) + 1, len(self.way) + len(self.circle)
        others = _SAY["comma"][n].join(dict.fromkeys(choice.name for choice in self.circle))
        return said + _SAY["round"][n].format(others=others, first=first, last=last)


_SAY = {
    "waits": ("{order} waits for {wanted} from turn {since} on", "{order} 从第 {since} 回合起等待 {wanted}"),
    "end": (", and nothing else can happen: {waits}", "，此后不再有任何走法：{waits}"),
    "round": (
        ", while {others} can go round for ever ahead of it (turns {first} to {last}, again and again)",
        "，而 {others} 可以永远轮流抢在它前面（第 {first} 到 {last} 回合，周而复始）",
    ),
    "and": (" and ", "、"),
    "comma": (", ", "、"),
}


_Steps = list[tuple[int, Choice, int]]
"""(from, choice, to)"""


def starve(graph: Graph, order: str) -> Lasso | None:
    """How the order waits for ever, by a short way; None when it cannot."""
    bit = 1 << graph.orders.index(order)
    inside = [bool(bits & bit) for bits in graph.waiting]
    ends = [place for place, waits in enumerate(inside) if waits and not graph.edges[place]]
    parts = [part for part in _parts(graph, inside) if _is_fair(graph, part, _within(graph, part))]
    best: Lasso | None = None
    if ends:
        best = Lasso(tuple(graph.path(ends[0])), ())
    for part in sorted(parts, key=min):
        if best is not None and graph.depths[min(part)] >= len(best.way) + len(best.circle):
            continue
        start, circle = _circle(graph, part)
        found = Lasso(tuple(graph.path(start)), tuple(choice for _, choice, _ in circle))
        if best is None or len(found.way) + len(found.circle) < len(best.way) + len(best.circle):
            best = found
    return best


def _within(graph: Graph, part: set[int]) -> _Steps:
    return [(here, choice, there) for here in part for choice, there in graph.edges[here] if there in part]


def _is_fair(graph: Graph, places: Iterable[int], steps: _Steps) -> bool:
    """Whether whoever goes these steps for ever leaves out nothing that is possible all the time."""
    taken = {choice for _, choice, _ in steps}
    always: set[Choice] | None = None
    for place in places:
        owed = {choice for choice, _ in graph.edges[place] if choice.kind != "arrive" and choice not in taken}
        always = owed if always is None else always & owed
        if not always:
            return True
    return not always


def _parts(graph: Graph, inside: list[bool]) -> Iterator[set[int]]:
    """The strongly connected parts that hold a circle, of the states that are inside (Tarjan's way, not recursive)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    for root in range(len(inside)):
        if not inside[root] or root in index:
            continue
        work = [(root, iter(graph.edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            here, targets = work[-1]
            for _, there in targets:
                if not inside[there]:
                    continue
                if there not in index:
                    index[there] = low[there] = len(index)
                    stack.append(there)
                    on_stack.add(there)
                    work.append((there, iter(graph.edges[there])))
                    break
                if there in on_stack:
                    low[here] = min(low[here], index[there])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[here])
                if low[here] == index[here]:
                    part = set()
                    while True:
                        one = stack.pop()
                        on_stack.discard(one)
                        part.add(one)
                        if one == here:
                            break
                    if len(part) > 1 or any(there == here for _, there in graph.edges[here]):
                        yield part


def _circle(graph: Graph, part: set[int]) -> tuple[int, _Steps]:
    """Where a fair circle closes, and its steps: a shortest one of those tried, else one that does all it has to."""
    best: tuple[int, _Steps] | None = None
    for start in sorted(part)[:_TRIED]:
        if best is not None and graph.depths[start] + 1 >= graph.depths[best[0]] + len(best[1]):
            break
        steps = _way(graph, part, start, lambda step, start=start: step[2] == start)  # type: ignore[misc]
        if _is_fair(graph, [here for here, _, _ in steps], steps) and (
            best is None or graph.depths[start] + len(steps) < graph.depths[best[0]] + len(best[1])
        ):
            best = (start, steps)
    return best if best is not None else _walk(graph, part)


def _way(graph: Graph, part: set[int], start: int, goal: Callable[[tuple[int, Choice, int]], bool]) -> _Steps:
    """The shortest way from a state to a step that is a goal, inside of the part."""
    via: dict[int, tuple[int, Choice, int]] = {}
    queue = [start]
    for here in queue:
        for choice, there in graph.edges[here]:
            if there not in part:
                continue
            step = (here, choice, there)
            if goal(step):
                way = [step]
                while way[-1][0] != start:
                    way.append(via[way[-1][0]])
                return way[::-1]
            if there != start and there not in via:
                via[there] = step
                queue.append(there)
    raise AssertionError("a strongly connected part has a way from each of its states to each of its steps")


def _walk(graph: Graph, part: set[int]) -> tuple[int, _Steps]:
    """A circle that leaves out nothing that is possible all the time."""
    start = min(part)
    steps: _Steps = []
    here = start
    while True:
        places = [start, *(there for _, _, there in steps)]
        taken = {choice for _, choice, _ in steps}
        owed = {choice for choice, _ in graph.edges[start] if choice.kind != "arrive" and choice not in taken}
        for place in places:
            owed &= {choice for choice, _ in graph.edges[place]}
        if not owed:
            break
        more = _way(
            graph, part, here,
            lambda step, owed=owed: step[1] in owed or not owed <= {choice for choice, _ in graph.edges[step[2]]},  # type: ignore[misc]
        )  # fmt: skip
        steps += more
        here = more[-1][2]
    if here != start or not steps:
        steps += _way(graph, part, here, lambda step: step[2] == start)
    return start, steps
