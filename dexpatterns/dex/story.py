"""Tells a run of a Flow in turns: one sentence each, whose turn it is, what was read, what has another value now.

It works on every run, simulated ones too. What a turn means is read off its events by a table, one rule for each
kind of event that can come first; a kind that nobody has told of yet is told by its move. This module judges
nothing and knows no machine.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from dexpatterns.dex import wording
from dexpatterns.dex.clauses import Clauses
from dexpatterns.dex.facts import Facts, Guest, Moment
from dexpatterns.dex.sections import SectionLike
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.queue import Queue
from dexpatterns.engine.telling import Change, TurnText
from dexpatterns.engine.texts import check_lang
from dexpatterns.engine.trace import Trace

__all__ = ["read_name", "sentences", "tell"]


def sentences(
    trace: Trace,
    sections: Sequence[SectionLike] = (),
    tokens: Iterable[str] = (),
    lang: str = "en",
    *,
    limits: Mapping[str, int] | None = None,
    late: Collection[str] = (),
) -> list[TurnText]:
    """Every turn of a trace in words; of a machine that is no Flow, its moves.

    `tokens` are names of Channels (of a map, or of one entry). `limits` says by a section's name how many may be
    inside, where that is known; `late` names the sections in which code that runs on counts. Raises `InputError` for
    another language and for a label function that fails.
    """
    check_lang(lang)
    if trace.machine != "dex":
        return [_move(turn.number, str(turn.choice), lang) for turn in trace.turns]
    return tell(Facts(trace, sections, tokens), lang, limits or {}, late)


def tell(
    facts: Facts, lang: str, limits: Mapping[str, int], late: Collection[str] = (), *, last: int | None = None
) -> list[TurnText]:
    """`sentences`, of facts that are known already; `last` asks for so many of the last turns."""
    teller = _Teller(facts, lang, limits, late)
    return [teller.turn(moment) for moment in (facts.moments if last is None else facts.moments[-last:])]


def _move(number: int, move: str, lang: str) -> TurnText:
    said = wording.shown(move, 200)
    return TurnText(number, 0, "", "", "", said, said, lang=lang)


def read_name(name: str, lang: str) -> str:
    """What a handler read: an Attribute, or `size of` a Channel."""
    if name.startswith("size of "):
        return wording.say(lang, "size_of", channel=wording.shown(name.removeprefix("size of ")))
    return wording.shown(name)


class _Teller(Clauses):
    """Puts one moment after another into words."""

    def __init__(self, facts: Facts, lang: str, limits: Mapping[str, int], late: Collection[str]) -> None:
        super().__init__(facts, lang)
        self.limits = limits
        self.late = late

    def turn(self, moment: Moment) -> TurnText:
        events = moment.events
        rule = _RULES.get(events[0].kind) if events else None
        if rule is None:
            return _move(moment.number, str(moment.turn.choice), self.lang)
        return rule(self, moment, events[0])

    def _told(
        self,
        moment: Moment,
        verb: str,
        happens: str,
        *,
        step: str = "",
        alone: bool = False,
        reads: tuple[Change, ...] = (),
        extra: tuple[Change, ...] = (),
        note: str = "",
        seconds: str = "",
    ) -> TurnText:
        """Put a turn together: `happens` with its branch before it unless it stands `alone`, reads, second sentence."""
        lane = self.facts.lane(moment.path)
        who = self.names.of(moment.path)
        said = happens
        if reads:
            said += self.say("and_reads", reads=wording.listed(self.lang, (f"{r.name} = {r.new}" for r in reads)))
        if not alone and who and who != step.partition(".")[0]:
            said = self.say("whose", who=who, said=said)
        elif self.lang == "en" and said.startswith("the "):
            said = f"The {said[4:]}"
        return TurnText(
            moment.number,
            lane.number if lane is not None else 0,
            who,
            step,
            verb,
            happens + seconds,
            f"{said}{seconds}{self.say('stop')}",
            reads,
            (*self._values(moment), *extra),
            note,
            self.lang,
        )

    # The rules, by the first event of a turn.

    def _begins(self, moment: Moment, event: Any) -> TurnText:
        step = _call(event)
        key = "begins" if event.attempt == 1 else "begins_attempt"
        said = self.say(key, n=event.attempt)
        if event.locks:
            said += self.say("with_locks", locks=wording.listed(self.lang, map(wording.shown, event.locks)))
        happens = self.say("step_does", step=step, does=said)
        entering = tuple(self._enterings(moment))
        return self._told(
            moment,
            said,
            happens,
            step=step,
            reads=self._reads(event),
            extra=entering,
            seconds=self._still_inside(moment) if entering else "",
            note=self.say("note_reads") if event.reads else "",
        )

    def _arrives(self, moment: Moment, event: Any) -> TurnText:
        happens = self.say("call_arrives", rpc=wording.shown(event.step))
        return self._told(
            moment, self.say("arrives"), happens, step=wording.shown(event.step), alone=True, reads=self._reads(event)
        )

    def _began(self, moment: Moment, event: Any) -> TurnText:
        return (self._arrives if event.method == "rpc" else self._begins)(moment, event)

    def _saved(self, moment: Moment, event: Any) -> TurnText:
        first, rest = self.waits(moment, event) if event.decision == "wait" else self.decides(moment, event)
        said = self.say("saves")
        if first:
            said = self.say("saves_and", first=first)
        said = self.say("clauses").join([said, *rest])
        step = _call(event)
        at_once = len(self.others_taking(moment, tokens=True)) == 1
        note = self.say("note_at_once") if at_once else self._next_take(moment)
        does = self.say("step_does", step=step, does=said)
        return self._told(moment, self.say("saves"), does, step=step, note=note)

    def _next_take(self, moment: Moment) -> str:
        """Who waits for what was just published, when several do: who gets it is the next turn's to show (D-16)."""
        following = self.facts.moments[moment.number : moment.number + 1]
        taking = following[0].events[:1] if following else ()
        if not any(e.kind == "published" for e in moment.events) or not any(getattr(e, "rivals", ()) for e in taking):
            return ""
        waiting = sorted((taking[0].path, *taking[0].rivals))
        return self.say("note_next", who=self.some(waiting))

    def _failed(self, moment: Moment, event: Any) -> TurnText:
        step = _call(event)
        attempt = self.say("attempt_of" if event.limit else "attempt", n=event.attempt, limit=event.limit)
        if event.then == "caller":
            attempt = ""  # an RPC is not retried (D-26)
        for_good = event.then in ("route", "proceed", "flow_failed")
        verb = self.say(f"{event.how}{'_for_good' if for_good and event.how == 'raised' else ''}")
        error = wording.shown(event.error_type)
        if event.detail:
            error = self.say("error", type=error, detail=wording.shown(event.detail, 120))
        key = "fails_raised" if event.how == "raised" else "fails_gone"
        clauses = [self.say(key, verb=verb, attempt=attempt, error=error)]
        if for_good and event.how != "raised":
            clauses.append(self.say("for_good"))
        if event.then == "retry" and moment.turn.time is not None:
            clauses.append(self.say("retries_after", delay=wording.duration(event.delay)))
        elif event.then == "flow_failed" and event.method == "execute":
            clauses.append(self.say("no_route"))
        elif event.then in ("retry", "proceed", "caller"):
            clauses.append(self.say(f"then_{event.then}"))
        clauses += self.closing(moment, reason=False)
        route = next((e for e in moment.events if e.kind == "step_started" and e.why == "route"), None)
        moved: tuple[Change, ...] = ()
        if route is not None:
            moved = (Change(self.names.of(event.path), wording.shown(event.step), wording.shown(route.step)),)
        happens = self.say("step_does", step=step, does=self.say("clauses").join(clauses))
        note = self.say("note_late") if event.how == "late" else ""
        return self._told(moment, verb, happens, step=step, extra=moved, note=note)

    def _takes(self, moment: Moment, event: Any) -> TurnText:
        """Of several that were ready this one takes what there is (D-16)."""
        rivals = self.rivals(event.rivals)
        who = self.names.of(event.path)
        if len(event.taken) == 1 and self.facts.is_token(event.taken[0][0]) and len(event.taken[0][1]) == 1:
            key = "token_goes" if len(self.facts.token_channels()) == 1 else "token_goes_of"
            happens = self.say(key, channel=wording.shown(event.taken[0][0]), who=who)
            alone = True
        else:
            happens = self.say("step_does", step=wording.shown(event.step), does=self.taken(event))
            alone = False
        said = self.say("clauses").join([happens + rivals, *self.others(moment, event.path)])
        return self._told(
            moment,
            self.say("takes"),
            said,
            step=wording.shown(event.step),
            alone=alone,
            note=self.say("note_choice") if rivals else "",
        )

    def _fires(self, moment: Moment, event: Any) -> TurnText:
        happens = self.say("timer_fires", step=wording.shown(event.step), time=wording.duration(event.seconds))
        own = [e for e in moment.events if e.kind == "wait_completed" and e.path == event.path]
        happens = self.say("clauses").join([happens, *map(self.own_taking, own), *self.others(moment, event.path)])
        return self._told(moment, self.say("fires"), happens, step=wording.shown(event.step))

    def _stops(self, moment: Moment, event: Any) -> TurnText:
        reason = self.say("reason", reason=wording.shown(event.reason)) if event.reason else ""
        happens = self.say("stop_arrives", type=event.type, reason=reason)
        happens = self.say("clauses").join([happens, *self.closing(moment, reason=False)])
        return self._told(moment, self.say("arrives"), happens, alone=True)

    def _times_out(self, moment: Moment, event: Any) -> TurnText:
        begun = [self.say("handler_begins") for e in moment.events if e.kind == "began"]
        happens = self.say("clauses").join([self.say("timeout_fires"), *begun, *self.closing(moment, reason=False)])
        return self._told(moment, self.say("fires"), happens, alone=True)

    def _late_ends(self, moment: Moment, event: Any) -> TurnText:
        happens = self.say("late_ends", step=_call(event))
        return self._told(moment, self.say("ends"), happens, step=_call(event))

    # Values.

    def _reads(self, event: Any) -> tuple[Change, ...]:
        return tuple(Change(read_name(name, self.lang), "", wording.value(value)) for name, value in event.reads)

    def _enterings(self, moment: Moment) -> Iterable[Change]:
        for i, section in enumerate(self.facts.sections):
            if moment.entered(i) is None:
                continue
            late = section.name in self.late
            # Late code belongs to its branch: beside another attempt of its own it is no second one.
            before, after = (
                len({g.branch for g in guests if late or g.attempt is None})
                for guests in (moment.before[i], moment.after[i])
            )
            key = "inside" if len(self.facts.sections) == 1 else "inside_of"
            limit = self.limits.get(section.name)
            yield Change(
                self.say(key, section=wording.shown(section.name)),
                str(before),
                str(after),
                self.say("limit", limit=limit) if limit else "",
            )

    def _still_inside(self, moment: Moment) -> str:
        """The second sentence, when a branch enters and others are there."""
        there: dict[Lineage, Guest] = {}
        for i in range(len(self.facts.sections)):
            if moment.entered(i) is not None:
                there |= {g.entry: g for g in moment.before[i]}
        guests = [g.entry for g in there.values() if g.attempt is None]
        late = [g.entry for g in there.values() if g.attempt is not None]
        said = ""
        if guests:
            key = "still_inside" if len({self.names.of(path) for path in guests}) == 1 else "still_inside_many"
            said += self.say(key, who=self.names.list(guests))
        if late:
            said += self.say("code_inside", who=self.names.list(late))
        return said

    def _values(self, moment: Moment) -> Iterable[Change]:
        """What has another value after the turn: Attributes by their writes, Channels by what lies in them."""
        for event in moment.events:
            if event.kind == "attribute_changed":
                old, new = _attribute(event.old, event.new), _attribute(event.new, event.old)
                yield Change(wording.shown(event.name), old, new)
        for channel, (before, after) in moment.queues.items():
            if before.whole != after.whole if max(len(before), len(after)) < 3 else len(before) != len(after):
                whole = [self._queue(queue) for queue in (before, after)]
                if None in whole:
                    whole = [self.say("n_messages", n=len(queue)) for queue in (before, after)]
                yield Change(wording.shown(channel), *map(str, whole))

    def _queue(self, queue: Queue) -> str | None:
        """All that lies in a Channel, if it fits."""
        if len(queue) > 2:
            return None
        text = f"[{', '.join(message.text for message in queue)}]"
        return wording.shown(text) if len(text) <= wording.LIMIT else None


def _call(event: Any) -> str:
    step = wording.shown(event.step)
    return f"{step}.{event.method}" if event.method == "wait_for" else step


def _attribute(value: Any, other: Any) -> str:
    """An Attribute without a value reads as the default of its type, which the other value tells (D-4)."""
    if value is None and other is not None and type(other.plain) in (bool, int, float):
        return repr(type(other.plain)())
    return wording.value(value)


_RULES: dict[str, Callable[[_Teller, Moment, Any], TurnText]] = {
    "began": _Teller._began,
    "saved": _Teller._saved,
    "failed": _Teller._failed,
    "wait_completed": _Teller._takes,
    "timer_fired": _Teller._fires,
    "stop": _Teller._stops,
    "flow_timeout": _Teller._times_out,
    "late_ended": _Teller._late_ends,
}
