"""The scheduler's seat of a Flow in words: what each move does, who waits for what, how a property stands.

Names are those of the lanes, so that the seat, the story and the pictures call a branch the same. Who may move is the
machine's to say; this module reads its state and decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from dexpatterns.dex.explain import explain, property_name
from dexpatterns.dex.facts import Facts
from dexpatterns.dex.state import WAITING
from dexpatterns.dex.story import read_name, tell
from dexpatterns.dex.waiting import timer_order
from dexpatterns.dex.watch import SectionWatch
from dexpatterns.engine.machine import Choice, Lineage
from dexpatterns.engine.report import Bounds, Report, Result, Verdict
from dexpatterns.engine.run import Run
from dexpatterns.engine.schedule import trace_of
from dexpatterns.engine.texts import visible
from dexpatterns.views import palette
from dexpatterns.views.moment import moment
from dexpatterns.views.seat_words import BRIEF, Badge, Blocked, Said, Words, listed
from dexpatterns.views.swim import lane_letter, lane_names
from dexpatterns.views.texts import clip, duration, short, short_names, value

if TYPE_CHECKING:
    from dexpatterns.views.seat import Judged, Seat

__all__ = ["FlowWords"]


class FlowWords(Words):
    """A Flow's seat in words."""

    def __init__(self, seat: Seat, lang: str) -> None:
        super().__init__(seat, lang)
        sections = [*self.run.sections, *(s for one in seat.properties if (s := getattr(one, "section", None)))]
        self.sections = tuple({section.name: section for section in sections}.values())
        self.facts = Facts(self.run.trace, self.sections, self.run.tokens)
        self.moment = moment(self.run.trace, None, self.sections, self.run.tokens)
        lanes = self.facts.reading.lanes
        self.size = sum(lane.number > 0 for lane in lanes)
        held: Counter[int] = Counter()
        for path, tokens in self.moment.held.items():
            held[self._place(path)] += len(tokens)
        phases = {self._place(one.path): one.phase for one in (*self.moment.calls, *self.moment.steps)}
        self.badges = tuple(
            Badge(
                lane_letter(lane, name), palette.family(lane.number), short(name), clip(visible(name), BRIEF),
                phases.get(i, "ended"), held[i],
            )
            for i, (lane, name) in enumerate(zip(lanes, lane_names(lanes, lang), strict=True))
        )  # fmt: skip

    def _place(self, path: Lineage) -> int:
        return self.facts.reading.lane_of.get(path, -1)

    def name(self, path: Lineage) -> str:
        place = self._place(path)
        return self.badges[place].name if place >= 0 else ""

    def order(self, lane: int) -> tuple[bool, int]:
        return lane < 0 or not self.facts.reading.lanes[lane].number, lane

    # What a move does.

    def lane(self, choice: Choice) -> int:
        path = choice.path[:-1] if choice.kind == "end" else choice.path
        return self._place(path) if choice.kind not in ("call", "stop", "timeout") else -1

    def title(self, choice: Choice, events: tuple[Any, ...]) -> tuple[str, dict[str, Any]]:
        execution = self.state.executions.get(choice.path)
        fields = {"call": _call(choice.name), "step": visible(choice.name.partition(".")[0])}
        first = events[0] if events else None
        if choice.kind == "retry":
            fields["n"] = execution.attempt
        elif choice.kind == "fire":
            fields["time"] = duration(timer_order(execution.wait.wait)[execution.fired][0])
        elif choice.kind == "take":
            fields["what"] = self._taken(next((e for e in events if e.kind == "wait_completed"), None))
        elif choice.kind == "commit" and first is not None and first.kind == "failed":
            return self.say("fails", call=fields["call"]), fields
        return self.named(choice.kind, fields), fields

    def consequences(self, choice: Choice, events: tuple[Any, ...]) -> list[str]:
        said: list[str] = []
        for event in events:
            rule = _CONSEQUENCES.get(event.kind)
            if rule is not None:
                said += rule(self, choice, event, events)
        if choice.kind in ("call", "stop"):
            said.append(self._left_of(choice))
        return list(dict.fromkeys(filter(None, said)))

    def _left_of(self, choice: Choice) -> str:
        """How often an event from outside may still come."""
        place = choice.path[1]
        return self.say("owed" if self.machine.rules.events[place].owed else "free", n=self.state.externals[place])

    def _taken(self, event: Any) -> str:
        parts = []
        for channel, messages in event.taken if event is not None else ():
            token = self.facts.is_token(channel) and len(messages) == 1
            parts.append(self._token(channel) if token
                         else self.say("messages", n=len(messages), channel=short(channel)))  # fmt: skip
        return listed(self.lang, parts)

    def _token(self, channel: str) -> str:
        one = len(self.run.tokens) == 1 and channel in self.run.tokens
        return self.say("the_token") if one else self.say("token_of", channel=short(channel))

    def begins(self, choice: Choice, event: Any, _: Any) -> Iterable[str]:
        for section in self.sections:
            inside = self.moment.inside[section.name]
            if event.method == "execute" and event.step in section.steps and not any(event.path in b for b in inside):
                who = [self.name(branch[0]) for branch in inside]
                key = "enters" if not who else "enters_beside" if len(who) == 1 else "enters_beside_many"
                yield self.say(key, section=short(section.name), who=listed(self.lang, who))
        if event.reads:
            what = [f"{read_name(name, self.lang)} = {value(got, self.lang)}" for name, got in event.reads[:2]]
            yield self.say("reads", what=listed(self.lang, what))

    def fails(self, choice: Choice, event: Any, _: Any) -> Iterable[str]:
        if event.then != "caller":
            yield self.say("attempt_of" if event.limit else "attempt", n=event.attempt, limit=event.limit)
        yield self.say(f"then_{event.then}")

    def goes(self, choice: Choice, event: Any, events: Any) -> Iterable[str]:
        born = [e.step for e in events if e.kind == "step_started"]
        if len(born) == 1:
            yield self.say("goes_to_route" if event.why == "route" else "goes_to", step=short(event.step))
        else:
            times = Counter(born)
            yield self.say("starts", steps=listed(self.lang, [
                f"{short(step)} × {n}" if n > 1 else short(step) for step, n in times.items()
            ]))  # fmt: skip

    def publishes(self, choice: Choice, event: Any, _: Any) -> Iterable[str]:
        if event.channel in self.moment.held.get(event.path, ()):
            yield self.say("gives_back", token=self._token(event.channel))
        else:
            yield self.say("publishes", channel=short(event.channel))

    def waits(self, choice: Choice, event: Any, events: Any) -> Iterable[str]:
        if not any(e.kind == "wait_completed" and e.path == event.path for e in events):
            yield self.say("waits", wait=self._wait(event))

    def takes(self, choice: Choice, event: Any, _: Any) -> Iterable[str]:
        if choice.kind == "take":
            who = [self.name(path) for path in event.rivals]
            if who:
                yield self.say("rivals" if len(who) == 1 else "rivals_many", who=listed(self.lang, who))
            return
        own = event.path == choice.path
        taking, ending = ("takes_at_once", "wait_completes") if own else ("other_takes", "other_completes")
        key = taking if event.taken else ending
        yield self.say(key, who=self.name(event.path), what=self._taken(event))

    # Who has no move.

    def blocked(self) -> tuple[Blocked, ...]:
        moving = {choice.path for choice in self.choices}
        living = [one for one in (*self.moment.steps, *self.moment.calls) if one.path not in moving]
        reasons = [(self._place(one.path), *self._reason(one)) for one in living]
        return self.blocked_by(sorted(reasons, key=lambda one: self.order(one[0])))

    def _reason(self, one: Any) -> tuple[str, str]:
        """Why it cannot move: of one, and of several with the same reason."""
        if one.phase == "waiting":
            what = self._wait(one)
            holders = [self.name(path) for path, held in self.moment.held.items() if set(held) & set(one.channels)]
        elif one.phase == "queued" and (locks := self.state.executions.get(one.path).call.locks):
            what = self.say("lock_of", what=listed(self.lang, map(short, locks)))
            holders = [self.name(self.moment.locks[lock]) for lock in locks if lock in self.moment.locks]
        else:
            return (self.say("taking_first"),) * 2
        if holders:
            key = "held_by" if len(set(holders)) == 1 else "held_by_many"
            what = self.say(key, what=what, who=listed(self.lang, holders))
        return self.say("waits_for", what=what), self.say("waits_for_many", what=what)

    def _wait(self, one: Any) -> str:
        """What is waited for: the Channel alone where one message of it is all."""
        if len(one.channels) == 1 and one.wait == f"{one.channels[0]}.for_one()":
            return short(one.channels[0])
        return clip(visible(one.wait), 80)

    def over(self) -> str:
        if self.choices:
            return ""
        if self.moment.status != "RUNNING":
            return self.say("over", name=short(self.run.trace.name), status=self.moment.status)
        return self.say("stuck" if self.machine.stuck(self.state) else "idle")

    def left(self) -> str:
        faults = self.machine.rules.faults
        if not self.machine.rules.hit_steps or not (faults.lost_attempts or faults.late_attempts):
            return ""
        lost, late = self.state.faults
        kinds = (("left_lost", faults.lost_attempts, lost), ("left_late", faults.late_attempts, late))
        parts = [self.say(key, n=n) for key, budget, n in kinds if budget]
        return self.say("left", what=self.say("names").join(parts))

    # What happened.

    def turns(self, last: int) -> list[Said]:
        late = [one.section.name for one in self._asked("mutual_exclusion") if one.late]
        limits = {one.section.name: one.limit for one in self._asked("mutual_exclusion")}
        told = tell(self.facts, self.lang, limits, late, last=last)
        names = short_names(sorted({t.step.partition(".")[0] for t in told if t.step}))
        said = []
        for turn, at in zip(told, self.facts.moments[-last:], strict=True):
            step, dot, method = turn.step.partition(".")
            brief = f"{names.get(step, step)}{dot}{method} {turn.verb}" if step else turn.happens
            changes = tuple((c.name, c.old, c.new, c.note) for c in turn.changes[:4])
            said.append(Said(self._place(at.path), turn.branch, turn.happens, turn.step, changes, turn.note, brief))
        return said

    def _asked(self, kind: str) -> list[Any]:
        return [one for one in self.seat.properties if one.kind == kind]

    # How properties stand.

    def property_name(self, one: Any) -> str:
        return property_name(one, self.lang)

    def standing(self, one: Judged) -> str:
        rule = _STANDING.get(one.property.kind)
        if rule is None:
            return super().standing(one)
        key, fields = rule(one)
        return self.say(key, **fields)

    def broken(self, one: Judged) -> tuple[str, str]:
        rule = _BROKEN.get(one.property.kind)
        return rule(self, one) if rule is not None else super().broken(one)

    def too_many(self, one: Judged) -> tuple[str, str]:
        inside = _inside(one)
        who = listed(self.lang, [self.name(branch[0]) for branch in inside])
        limit: Any = getattr(one.property, "limit", 1)
        return self.say("how_inside", n=len(inside), limit=limit), who

    def token(self, one: Judged) -> tuple[str, str]:
        fault = next((tokens.fault for tokens in _tokens(one) if tokens.fault is not None), None)
        if fault is None:
            return "", ""
        who = self.name(fault.path)
        return self.say(f"how_{fault.kind}", who=who or short(fault.step)), who

    def stuck(self, one: Judged) -> tuple[str, str]:
        state: Any = self.seat.spot_at(one.since).state
        paths = [e.path for e in state.executions.items() if e.phase == WAITING]
        names = list(dict.fromkeys(filter(None, map(self.name, paths))))
        who = listed(self.lang, names)
        return self.say("how_stuck" if len(names) == 1 else "how_stuck_many", who=who), who

    def goal(self, one: Judged) -> tuple[str, str]:
        return self.say("how_goal", status=getattr(one.property, "status", "")), ""

    def cause(self, one: Judged) -> Any:
        """What the story of a counterexample would give as the cause, for the run up to the break."""
        if not one.since or one.property.goal:
            return None
        kept, key = self.seat.spot_at(one.since).causes, (one.property.name, self.lang)
        if key not in kept:
            kept[key] = self._look_for_cause(one)
        return kept[key]

    def _look_for_cause(self, one: Judged) -> Any:
        state = self.seat.spot_at(one.since).state
        turns = [spot.turn for spot in self.seat.path[: one.since] if spot.turn is not None]
        trace = trace_of(self.machine, state, self.run.trace.started, turns, input=self.run.trace.input)
        report = Report(
            self.machine.name, (Result(one.property.name, Verdict.REFUTED, one.fault),), 0, 0, len(turns), Bounds(),
            frozenset(), Run(trace, self.sections, self.run.tokens, machine=self.machine), None,
            properties=self.seat.properties, study=self.machine,
        )  # fmt: skip
        return explain(report, self.lang).cause


def _call(name: str) -> str:
    """A call as it is read: `Step` for its execute, `Step.wait_for`, the name of an RPC."""
    return short(name.removesuffix(".execute"))


_Rule = Callable[[FlowWords, Choice, Any, Any], Iterable[str]]

_CONSEQUENCES: dict[str, _Rule] = {
    "began": FlowWords.begins,
    "failed": FlowWords.fails,
    "published": FlowWords.publishes,
    "attribute_changed": lambda words, _, event, __: [
        words.say("writes", name=short(event.name), value=value(event.new, words.lang))
    ],
    "cancelled": lambda words, _, event, __: [words.say("cancels", step=short(event.step), who=words.name(event.path))],
    "step_started": FlowWords.goes,
    "waiting": FlowWords.waits,
    "wait_completed": FlowWords.takes,
    "graceful_asked": lambda words, *_: [words.say("asks_end")],
    "closed": lambda words, _, event, __: [words.say("closes", status=event.status)],
    "saved": lambda words, _, event, events: (
        [words.say("dead_end")] if event.decision == "dead_end" and len(events) == 1 else []
    ),
}
"""What each kind of event adds to the second line of a move."""


def _inside(one: Judged) -> tuple[tuple[Lineage, ...], ...]:
    asked: Any = one.property
    return SectionWatch(asked.section).inside(one.memory, late=asked.late)


def _tokens(one: Judged) -> list[Any]:
    """The books of the token's Channel; of a map, of each entry."""
    memory = one.memory
    return [memory] if hasattr(memory, "queued") else [tokens for _, tokens in memory]


def _counted(one: Judged) -> tuple[str, dict[str, Any]]:
    books = _tokens(one)
    return "holds_tokens", {
        "queued": sum(tokens.queued for tokens in books),
        "held": sum(n for tokens in books for _, n in tokens.held),
    }


_STANDING: dict[str, Callable[[Judged], tuple[str, dict[str, Any]]]] = {
    "mutual_exclusion": lambda one: ("holds_inside", {"n": len(_inside(one))}),
    "token_conserved": _counted,
}
_BROKEN: dict[str, Callable[[FlowWords, Judged], tuple[str, str]]] = {
    "mutual_exclusion": FlowWords.too_many,
    "token_conserved": FlowWords.token,
    "never_stuck": FlowWords.stuck,
    "always_ends": FlowWords.goal,
}
