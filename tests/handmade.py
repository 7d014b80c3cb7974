"""Traces written by hand, a line a turn, for tests of what reads traces: no machine takes part."""

from __future__ import annotations

from typing import Any

from dexpatterns.dex import events as ev
from dexpatterns.engine.machine import Choice, Event, Lineage
from dexpatterns.engine.trace import Trace, Turn
from dexpatterns.engine.values import freeze

TOKEN = "contractEditToken"  # noqa: S105  # a Channel's name


class Story:
    """Turns as they are told. Lineages are those of the machine: a single child is the next turn of its place."""

    def __init__(self, name: str = "ContractEditFlow", first: str = "StartContractEdits", clock: bool = True) -> None:
        self.name = name
        self.clock = clock
        self.now = 0.0
        self.turns: list[Turn] = []
        self.steps: dict[Lineage, str] = {}
        self.status = "RUNNING"
        self.started: tuple[Event, ...] = (
            ev.FlowStarted(name, freeze(None)),
            self._stepped((0, 0), first, None, (), "", "start"),
        )

    def _stepped(self, path: Lineage, step: str, input: Any, parent: Lineage, by: str, why: str) -> ev.Stepped:
        self.steps[path] = step
        return ev.Stepped(path, step, freeze(input), parent, by, why)

    def turn(self, kind: str, path: Lineage, *events: Event, seconds: float = 0.1) -> Story:
        self.now += seconds
        number = len(self.turns) + 1
        choice = Choice(kind, self.steps.get(path, "someone"), path)
        self.turns.append(Turn(number, round(self.now, 3) if self.clock else None, choice, events))
        return self

    def begin(self, path: Lineage, method: str = "execute", attempt: int = 1, step: str = "") -> Story:
        name = self.steps.setdefault(path, step)
        return self.turn("begin", path, ev.Began(path, name, method, attempt, (), ()))

    def save(
        self,
        path: Lineage,
        *goes: tuple[str, Any] | str,
        publish: str | tuple[str, ...] = (),
        cancel: tuple[tuple[Lineage, str], ...] = (),
        give_back: tuple[Lineage, ...] = (),
        takes: tuple[Lineage, ...] = (),
        close: str = "",
        attempt: int = 1,
        method: str = "execute",
        channel: str = TOKEN,
    ) -> Story:
        """Save: what is published, who is cancelled, which Steps start, who takes a message at once, in that order."""
        step = self.steps[path]
        kind = "go_to" if len(goes) == 1 else "go_to_many" if goes else "dead_end"
        events: list[Event] = [ev.Saved(path, step, method, attempt, "" if method == "rpc" else kind)]
        names = (publish,) if isinstance(publish, str) else publish
        events += [ev.Published(path, step, name, freeze("contract")) for name in names]
        events += [ev.Cancelled(who, self.steps[who], phase, "execute", path, step) for who, phase in cancel]
        events += [ev.Returned(who, self.steps[who], channel, (freeze("contract"),)) for who in give_back]
        events += self._children(path, goes, "go_to")
        events += [self._taken(who, channel) for who in takes]
        events += self._closing(close)
        return self.turn("commit", path, *events)

    def wait(self, path: Lineage, *, channel: str = TOKEN, takes: bool = False) -> Story:
        step = self.steps[path]
        events: list[Event] = [
            ev.Saved(path, step, "wait_for", 1, "wait"),
            ev.Waiting(path, step, f"one message of {channel}", (channel,) if channel else ()),
        ]
        if takes:
            events.append(self._taken(path, channel))
        return self.turn("commit", path, *events)

    def take(self, path: Lineage, *rivals: Lineage, channel: str = TOKEN) -> Story:
        return self.turn("take", path, self._taken(path, channel, rivals))

    def _taken(self, path: Lineage, channel: str, rivals: tuple[Lineage, ...] = ()) -> ev.Consumed:
        return ev.Consumed(path, self.steps[path], ((channel, (freeze("contract"),)),), rivals)

    def fail(
        self, path: Lineage, then: str = "retry", *, how: str = "raised", attempt: int = 1, route: str = "",
        method: str = "execute",
    ) -> Story:  # fmt: skip
        step = self.steps[path]
        events: list[Event] = [
            ev.Failed(path, step, method, attempt, "ContractEditError", "save failed", how, then, 1.0, 2)
        ]
        if route:
            events += self._children(path, ((route, None),), "route")
        if then == "flow_failed":
            events += self._closing("FAILED")
        return self.turn("commit", path, *events)

    def end_late(self, path: Lineage, attempt: int = 1) -> Story:
        return self.turn("end", path, ev.LateEnded(path, self.steps[path], "execute", attempt))

    def close(self, status: str = "CANCELED") -> Story:
        return self.turn("stop", (), ev.Stopped("CANCEL", ""), *self._closing(status))

    def _children(self, path: Lineage, goes: Any, why: str) -> list[Event]:
        moves = [go if isinstance(go, tuple) else (go, None) for go in goes]
        *place, at = path
        many = len(moves) > 1
        paths = [(*place, at + 1, j, 0) if many else (*place, at + 1) for j in range(len(moves))]
        return [
            self._stepped(child, step, input, path, self.steps[path], why)
            for child, (step, input) in zip(paths, moves, strict=True)
        ]

    def _closing(self, status: str) -> list[Event]:
        if not status:
            return []
        self.status = status
        return [ev.Closed(status, "", (freeze("done"),), ())]

    def trace(self) -> Trace:
        final = {
            "status": self.status, "reason": "", "outputs": ["done"] if self.status == "COMPLETED" else [],
            "attributes": {}, "channels": {}, "steps": [], "calls": [], "late": [], "locks": {},
        }  # fmt: skip
        outcome = None if self.status == "RUNNING" else self.status
        return Trace("dex", self.name, freeze(None), 7, self.started, tuple(self.turns), final, outcome)


def edits(*reviewers: str, clock: bool = True) -> tuple[Story, list[Lineage]]:
    """A start that publishes the token and fans out one `EnterContractEdit` per reviewer, and the join."""
    story = Story(clock=clock)
    moves = [("EnterContractEdit", {"reviewer": name}) for name in reviewers]
    story.begin((0, 0)).save((0, 0), *moves, ("FinishContractEdits", len(reviewers)), publish=TOKEN)
    return story, [(0, 1, j, 0) for j in range(len(reviewers) + 1)]


def after(path: Lineage, turns: int = 1) -> Lineage:
    """The execution that stands in the same place, so many turns later."""
    return (*path[:-1], path[-1] + turns)


def critical(reviewers: int = 4, rounds: int | None = None, clock: bool = True) -> Trace:
    """A whole good run of the contract edit: reviewer-3 needs its failure route, the last one leaves early."""
    names = [f"reviewer-{n}" for n in range(1, reviewers + 1)]
    story, (*enters, join) = edits(*names, clock=clock)
    for path in enters:
        story.begin(path, "wait_for")
    for n, path in enumerate(enters):
        story.wait(path, takes=n == 0)
    story.begin(join, "wait_for").wait(join, channel="contractEditFinished")
    for n, path in enumerate(enters[:rounds]):
        if n:
            story.take(path, *enters[n + 1 : n + 3])
        story.begin(path).save(path, ("EditContract", {"reviewer": names[n]}))
        edit, save = after(path), after(path, 2)
        story.begin(edit)
        if n == reviewers - 1:
            story.save(edit, publish=TOKEN)
            continue
        story.save(edit, ("SaveContractEdit", {"reviewer": names[n]}))
        story.begin(save)
        if n == 2:
            story.fail(save).begin(save, attempt=2).fail(save, "route", attempt=2, route="ReleaseContractEditToken")
            story.begin(after(save)).save(after(save), publish=TOKEN)
        else:
            story.save(save, publish=TOKEN)
    if rounds is None:
        story.take(join, channel="contractEditFinished").begin(join).save(join, close="COMPLETED")
    return story.trace()
