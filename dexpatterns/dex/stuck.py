"""Why a Flow is stuck: who waits for what, and why it cannot come (D-19).

First a circle is looked for, of branches that each hold, or would publish, what another waits for. Otherwise what is
waited for is followed back: who took the last of it, and who left without publishing any. Only an event from outside
that is allowed and not owed could still help; whether it would is tried on the machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from dexpatterns.dex.case import Case
from dexpatterns.dex.telling import Cause
from dexpatterns.dex.wording import listed, shown
from dexpatterns.engine.machine import Lineage

__all__ = ["circle", "waits"]

_TRIED = 500
"""States that are looked at, at most, to see whether an event from outside helps."""


class _Link(NamedTuple):
    """A Wait, a Channel that it needs, and another that waits and could fill it."""

    waiter: Lineage
    channel: str
    other: Lineage
    taken: int
    """When `other` took what it holds; 0 when it would only publish it later."""


def circle(case: Case) -> Cause | None:
    """Branches that wait for each other."""
    waiting = case.waiting() if is_stuck(case) else {}
    links = [link for path in waiting for link in _links(case, waiting, path)]
    ring = _ring(links, list(waiting))
    if not ring:
        return None
    held = all(link.taken for link in ring)
    parts = []
    # Told from the side of whoever has something: what it has is what the one before it waits for.
    for link, next_link in zip(ring, [*ring[1:], ring[0]], strict=True):
        who = case.names.owned(link.other, waiting[link.other].step)
        fields = {"channel": shown(link.channel), "taken": link.taken, "wants": shown(next_link.channel)}
        parts.append(case.say("circle_holds" if link.taken else "circle_would", who=who, **fields))
    said = case.say("clauses").join(parts) + case.say("stop")
    general = "circle_held" if held else "circle_published"
    turns, branches = [link.taken for link in ring], [case.names.who(link.other) for link in ring]
    return case.cause(
        "circle", {}, turns, branches, said="nothing", more=said, general=f"{general}_general", mend=f"{general}_mend"
    )


def is_stuck(case: Case) -> bool:
    """Whether the run ends in a state that is stuck, and not just in one that breaks something else."""
    if case.broken.kind == "never_stuck" or case.study is None:
        return bool(case.waiting())
    state = case.final_state()
    return not case.study.choices(state).owed and case.study.stuck(state) is not None


def _links(case: Case, waiting: dict[Lineage, Any], path: Lineage) -> Iterable[_Link]:
    for channel in waiting[path].channels:
        for other, event in waiting.items():
            # Two that wait for the same thing do not wait for each other.
            if other == path or channel in event.channels:
                continue
            taken = case.taken_at(channel, other)
            if taken and (case.gave_back_at(channel, other, case.last.number + 1) or 0) < taken:
                yield _Link(path, channel, other, taken)
            elif channel in _would_publish(case, event.step):
                yield _Link(path, channel, other, 0)


def _would_publish(case: Case, step: str) -> set[str]:
    """The Channels that a Step, or what it leads to, publishes to by its source."""
    found: set[str] = set()
    seen, open_ = {step}, [step]
    while open_:
        at = open_.pop()
        for edges in case.routes:
            if edges.step == at:
                found.update(edges.publishes)
                names = [
                    case.study.spec.by_class[cls].name
                    for cls, kind in edges.goes_to
                    if "cancel" not in kind and cls in case.study.spec.by_class
                ]
                open_ += [name for name in names if name not in seen]
                seen.update(names)
    return found


def _ring(links: list[_Link], paths: list[Lineage]) -> list[_Link]:
    """The first circle of links, each waiter being the one that the link before names; [] if there is none."""
    for start in paths:
        ways: list[list[_Link]] = [[link] for link in links if link.waiter == start]
        seen = {start}
        while ways:
            way = ways.pop(0)
            if way[-1].other == start:
                return way
            if way[-1].other not in seen:
                seen.add(way[-1].other)
                ways += [[*way, link] for link in links if link.waiter == way[-1].other]
    return []


def waits(case: Case) -> Cause | None:
    """Who waits for what, and who could have brought it and did not."""
    if not is_stuck(case):
        return None
    waiting = case.waiting()
    roots = _roots(case, waiting)
    if not roots:
        return None
    first = next(iter(roots.values()))
    channels = first.channels
    alike = [path for path, event in roots.items() if event.wait == first.wait]
    who = listed(case.lang, dict.fromkeys(case.names.owned(path, waiting[path].step) for path in alike))
    fields: dict[str, Any] = {"who": who, "wait": shown(first.wait, 120), "n": len(alike)}
    turns: list[int] = []
    branches = [case.names.who(path) for path in alike]
    parts = [case.say("stuck_waits", **fields)]
    for channel in channels:
        parts.append(_came(case, channel, turns))
        for path, turn, step in _left_without(case, channel)[:3]:
            name = case.names.who(path)
            parts.append(case.say("stuck_left", who=name, turn=turn, step=shown(step), channel=shown(channel)))
            turns.append(turn)
            branches.append(name)
    others = len(waiting) - len(alike)
    if others:
        parts.append(case.say("stuck_others", n=others))
    parts.append(_help(case, set(alike)))
    said = case.say("between_sentences").join(filter(None, parts))
    fields["channels"] = listed(case.lang, map(shown, channels))
    return case.cause("stuck", fields, turns, branches, said="nothing", more=said)


def _roots(case: Case, waiting: dict[Lineage, Any]) -> dict[Lineage, Any]:
    """Those who do not wait for one that itself waits for something else."""
    return {path: event for path, event in waiting.items() if not any(_links(case, waiting, path))} or waiting


def _came(case: Case, channel: str, turns: list[int]) -> str:
    """What became of the messages of a Channel."""
    published = [t for t, e in case.events("published") if e.channel == channel]
    if not published:
        return case.say("stuck_never", channel=shown(channel))
    there = next((len(m.queues[channel][1]) for m in reversed(case.facts.moments) if channel in m.queues), 0)
    if there:
        came = case.say("n_messages", n=len(published))
        return case.say("stuck_there", channel=shown(channel), n=there, published=came)
    takers = [(t, e) for t, e in case.events("wait_completed") if any(c == channel for c, _ in e.taken)]
    if not takers:
        return ""
    turn, event = takers[-1]
    turns.append(turn)
    return case.say(
        "stuck_taken", channel=shown(channel), n=len(published), turn=turn, who=case.names.owned(event.path, event.step)
    )


def _left_without(case: Case, channel: str) -> list[tuple[Lineage, int, str]]:
    """Branches that have ended and never published to a Channel: (last execution, turn, Step)."""
    living = {path for moment in case.facts.moments for path in _born(moment)}
    ended: dict[int, tuple[Lineage, int, str]] = {}
    gave = {case.facts.reading.lane_of.get(e.path) for _, e in case.events("published") if e.channel == channel}
    for kind in ("saved", "cancelled", "failed"):
        for turn, event in case.events(kind):
            if event.path in living and _ends(case, kind, event):
                place = case.facts.reading.lane_of.get(event.path)
                if place is not None and place not in gave and case.facts.reading.lanes[place].kind == "branch":
                    ended[place] = (event.path, turn, event.step)
    return [ended[place] for place in sorted(ended)]


def _born(moment: Any) -> list[Lineage]:
    return [e.path for e in moment.events if e.kind == "step_started"]


def _ends(case: Case, kind: str, event: Any) -> bool:
    """Whether an execution and its line ended with this event."""
    if kind == "saved" and (event.method != "execute"):
        return False
    if kind == "failed" and event.then != "flow_failed":
        return False
    return not any(parent == event.path for parent in case.facts.parents.values())


def _help(case: Case, stuck: set[Lineage]) -> str:
    """Which event from outside that is allowed, but need not come, would help."""
    if case.study is None:
        return case.say("stuck_nobody")
    state = case.final_state()
    choices = [choice for choice in case.study.choices(state) if choice.kind in ("call", "stop")]
    helping = [
        case.say(f"help_{choice.kind}", name=shown(choice.name))
        for choice in choices
        if choice.kind == "stop" or _would_help(case, state, choice, stuck)
    ]
    if helping:
        return case.say("stuck_help", what=listed(case.lang, dict.fromkeys(helping), most=5))
    return case.say("stuck_no_help" if choices else "stuck_nobody")


def _would_help(case: Case, state: Any, choice: Any, stuck: set[Lineage]) -> bool:
    """Whether this event may lead to one of those who are stuck getting what it waits for."""
    machine = case.study
    frontier, seen = [(state, choice)], 0
    known: set[Any] = set()
    while frontier and seen < _TRIED:
        seen += 1
        at, move = frontier.pop(0)
        after, events = machine.apply(at, move)
        if any(e.kind == "wait_completed" and e.path in stuck for e in events):
            return True
        if (key := machine.key(after)) not in known:
            known.add(key)
            frontier += [(after, c) for c in machine.choices(after) if c.kind not in ("call", "stop", "lose", "late")]
    return False
