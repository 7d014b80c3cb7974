"""Finds why a property breaks, when it is one of the known ways: everything that is said was read off the run.

A table gives for each kind of property the causes that are looked for, the nearest first. A rule that does not find
what it looks for says nothing; when none does, there is no cause, and nobody guesses. Who waits for what stands in
`dex.stuck`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from dexpatterns.dex import stuck
from dexpatterns.dex.case import Case
from dexpatterns.dex.facts import Guest, Moment
from dexpatterns.dex.story import read_name
from dexpatterns.dex.telling import Cause
from dexpatterns.dex.watch import Fault, Tokens
from dexpatterns.dex.wording import shown, value
from dexpatterns.engine.machine import Lineage

__all__ = ["cause_of"]


def cause_of(case: Case) -> Cause | None:
    """The cause of the violation that the case ends in; None when it is none that is known."""
    for rule in _RULES.get(case.broken.kind, ()):
        cause = rule(case)
        if cause is not None:
            return cause
    return None


# Tokens.


def _lost_token(case: Case) -> Cause | None:
    for channel in case.channels():
        found = case.fault(channel)
        if found is not None and found[1].kind == "lost" and found[1].path:
            return _lost(case, channel, *found[:2])
    return None


def _lost(case: Case, channel: str, moment: Moment, fault: Fault) -> Cause:
    """Who took it last, and by which way out it left."""
    who, taken = case.names.who(fault.path), case.taken_at(channel, fault.path)
    fields: dict[str, Any] = {
        "who": who,
        "token": case.token(channel),
        "channel": shown(channel),
        "taken": taken,
        "step": shown(fault.step),
        "turn": moment.number,
    }
    waiting = [path for path, event in case.waiting().items() if channel in event.channels]
    more = case.say("lost_waiting", n=len(waiting), who=case.names.list(waiting)) if waiting else ""
    turns, branches = [taken, moment.number], [who]
    if fault.how == "cancelled":
        event = next(e for e in moment.events if e.kind == "cancelled" and e.path == fault.path)
        fields["by"] = case.names.owned(event.by, event.by_step)
        branches.append(case.names.who(event.by))
        return case.cause("cancelled-inside", fields, turns, branches, more=more)
    started = case.started(fault.path)
    if started is not None and started.why == "route":
        fields["failed"] = shown(started.by)
        turns.append(case.turn_of(started.path))
        return case.cause("lost-token", fields, turns, branches, said="lost-token_route", more=more)
    saved = next((e for e in moment.events if e.kind == "saved" and e.path == fault.path), None)
    fields["decision"] = saved.decision if saved is not None else ""
    return case.cause("lost-token", fields, turns, branches, more=more)


def _doubled_token(case: Case) -> Cause | None:
    for channel in case.channels():
        found = case.fault(channel)
        if found is not None and found[1].kind == "doubled":
            return _doubled(case, channel, *found)
    return None


def _doubled(case: Case, channel: str, moment: Moment, fault: Fault, before: Tokens) -> Cause:
    """Who published it, and where the first one was."""
    published = [e for e in moment.events if e.kind == "published" and e.channel == channel]
    publisher = next((e for e in published if e.path == fault.path), published[0])
    path, who = publisher.path, case.names.owned(publisher.path, publisher.step)
    holders = [holder for holder, _ in before.held if holder != path]
    fields: dict[str, Any] = {
        "who": who,
        "token": case.token(channel),
        "channel": shown(channel),
        "turn": moment.number,
        "count": case.count(channel),
        "n": len(published),
    }
    branches = [case.names.who(path), *map(case.names.who, holders)]
    if not case.ever_taken(channel, moment.number) and not before.established:
        return case.cause("too-many-tokens", fields, [moment.number], branches)
    earlier = case.gave_back_at(channel, path, before_turn=moment.number)
    if dict(before.held).get(path) or earlier:
        fields |= {"who": case.names.who(path), "before": earlier, "taken": case.taken_at(channel, path)}
        said = "given-back-twice_said" if earlier else "given-back-twice_at_once"
        turns = [fields["taken"], earlier or 0, moment.number]
        return case.cause("given-back-twice", fields, turns, branches, said=said)
    turns = [moment.number]
    read = case.begin_of(path, moment.number)
    size = dict(read[1].reads).get(f"size of {channel}") if read is not None else None
    more = ""
    if read is not None and size is not None:
        turns.append(read[0])
        more = case.say("read_size", n=value(size), channel=shown(channel), turn=read[0])
    if holders:
        fields |= {"holder": case.names.list(holders), "taken": case.taken_at(channel, holders[0])}
        turns.append(fields["taken"])
        said = "second-token_held"
    else:
        said = "second-token_queued"
    cancels = any(e.kind == "cancelled" for e in moment.events) or case.may_cancel(publisher.step)
    general = "second-token_canceller" if cancels else "second-token_size" if more else "second-token_general"
    return case.cause("second-token", fields, turns, branches, said=said, general=general, more=more)


def _early_return(case: Case) -> Cause | None:
    """Somebody inside has given its token back already."""
    entered, others = case.inside()
    for guest in [*others, *entered]:
        for channel in case.facts.token_channels():
            turn = case.gave_back_at(channel, guest.entry, before_turn=case.last.number + 1)
            if turn is None or case.holds(channel, guest.entry) or not (taken := case.taken_at(channel, guest.entry)):
                continue
            event = case.published_at(channel, turn)
            fields: dict[str, Any] = {
                "who": case.names.who(guest.entry),
                "token": case.token(channel),
                "channel": shown(channel),
                "step": shown(event.step),
                "turn": turn,
                "taken": taken,
            }
            return case.cause("early-return", fields, [taken, turn, case.last.number], [fields["who"]])
    return None


def _no_token(case: Case) -> Cause | None:
    """Somebody is inside without the token that another has: it took none, or one of another Channel."""
    there = [guest for side in case.inside() for guest in side]
    channels = case.facts.token_channels()
    for channel in channels:
        holder = next((g for g in there if case.holds(channel, g.entry)), None)
        barging = next((g for g in there if not case.taken_at(channel, g.entry)), None)
        if holder is None or barging is None:
            continue
        taken = case.taken_at(channel, holder.entry)
        fields: dict[str, Any] = {
            "who": case.names.who(barging.entry),
            "holder": case.names.who(holder.entry),
            "token": case.token(channel),
            "step": shown(barging.step),
            "turn": barging.since,
            "taken": taken,
        }
        branches = [fields["who"], fields["holder"]]
        other = next((one for one in channels if case.holds(one, barging.entry)), None)
        if other is None:
            return case.cause("no-token", fields, [taken, barging.since], branches)
        fields |= {"other": case.token(other), "other_taken": case.taken_at(other, barging.entry)}
        return case.cause("different-tokens", fields, [taken, fields["other_taken"]], branches)
    return None


# Code that runs on.


def _late_code(case: Case) -> Cause | None:
    """Code that the Flow gave up or cancelled counts, and without it nobody would be too many."""
    entered, others = case.inside(late=True)
    late = [g for g in (*others, *entered) if g.attempt is not None]
    if not late or len(case.inside()[0]) + len(case.inside()[1]) > case.limit:
        return None
    guest = late[0]
    others = [g for g in (*others, *entered) if case.names.who(g.entry) != case.names.who(guest.entry)]
    other = max(others, key=lambda g: g.since, default=None)
    if other is None:
        return None
    fields: dict[str, Any] = {
        "step": case.names.owned(guest.entry, guest.step),
        "turn": guest.since,
        "n": guest.attempt,
        "other": case.names.who(other.entry),
        "entered": other.since,
    }
    event = next((e for e in case.moment(guest.since).events if e.kind == "cancelled"), None)
    said = "late-code_given_up" if guest.attempt else "late-code_cancelled"
    if event is not None:
        fields["by"] = case.names.owned(event.by, event.by_step)
    branches = [case.names.who(guest.entry), fields["other"]]
    kind = "late-code"
    return case.cause(kind, fields, [guest.since, other.since], branches, said=said, mend=f"{said}_mend")


# Attributes.


def _lock_across_steps(case: Case) -> Cause | None:
    """A lock ended with its call, and the next one took it while the first was still inside."""
    entered, others = case.inside()
    for guest in entered:
        for turn, began in case.calls_of(guest.entry):
            for other in others:
                found = _lock_that_ended(case, other, began.locks, turn)
                if found is not None:
                    ended, call, lock = found
                    fields: dict[str, Any] = {
                        "who": case.names.who(other.entry),
                        "other": case.names.who(guest.entry),
                        "lock": shown(lock),
                        "step": shown(call.step),
                        "ended": ended,
                        "turn": turn,
                        "taker": shown(began.step),
                    }
                    return case.cause(
                        "lock-across-steps", fields, [ended, turn, case.last.number], [fields["who"], fields["other"]]
                    )
    return None


def _lock_that_ended(case: Case, guest: Guest, locks: tuple[str, ...], before: int) -> tuple[int, Any, str] | None:
    for _, call in reversed(list(case.calls_of(guest.entry))):
        lock = next((one for one in call.locks if one in locks), None)
        ended = case.end_of(call.path, call.method) if lock is not None else None
        if lock is not None and ended is not None and ended < before:
            return ended, call, lock
    return None


class _Stale(NamedTuple):
    """A value that somebody read and another wrote over."""

    name: str
    seen: Any
    read: int
    reader: Lineage
    reading: Any
    """The `Began` that read it."""
    written: int
    writer: Lineage
    write: Any


def _old_snapshot(case: Case) -> Cause | None:
    """Somebody entered on the strength of a value that another had changed meanwhile."""
    entered, others = case.inside()
    found = [one for guest in entered for other in others for one in _stale_reads(case, guest, other)]
    # What the reader writes too is what it checked and set, most often a flag; the last reading is the nearest.
    found.sort(key=lambda one: (not case.writes(one.reader, one.name), value(one.seen) != "False", -one.read))
    for one in found:
        if case.differs_after(one.reader, one.read, one.written):
            return _snapshot(case, one)
    return None


def _stale_reads(case: Case, guest: Guest, other: Guest) -> Iterable[_Stale]:
    for read, began in case.calls_of(guest.entry):
        for name, seen in began.reads:
            for moment in case.facts.moments[read:]:
                for event in moment.events:
                    if (
                        event.kind == "attribute_changed"
                        and event.name == name
                        and event.new != seen
                        and case.belongs(event.path, other.entry)
                    ):
                        yield _Stale(name, seen, read, guest.entry, began, moment.number, other.entry, event)


def _snapshot(case: Case, one: _Stale) -> Cause:
    kind = "old-snapshot" if one.write.step == one.reading.step else "check-then-act"
    branches = [case.names.who(one.reader), case.names.who(one.writer)]
    return case.cause(kind, _stale_fields(case, one), [one.read, one.written], branches)


def _stale_fields(case: Case, one: _Stale) -> dict[str, Any]:
    return {
        "reader": case.names.who(one.reader),
        "writer": case.names.who(one.writer),
        "name": read_name(one.name, case.lang),
        "seen": value(one.seen),
        "new": value(one.write.new),
        "read": one.read,
        "written": one.written,
        "checks": shown(one.reading.step),
        "sets": shown(one.write.step),
    }


def _lost_update(case: Case) -> Cause | None:
    """Somebody wrote over what another had saved since it was read; with a later reading nothing would be broken."""
    for turn, event in reversed(list(case.events("attribute_changed"))):
        for read, began in reversed(case.calls_of(event.path)):
            for written, write in case.events("attribute_changed"):
                if (
                    read < written < turn
                    and write.name == event.name in dict(began.reads)
                    and not case.belongs(write.path, event.path)
                    and write.new != dict(began.reads)[event.name]
                    and case.differs_after(event.path, read, written)
                ):
                    seen = dict(began.reads)[event.name]
                    stale = _Stale(event.name, seen, read, event.path, began, written, write.path, write)
                    return _overwritten(case, stale, turn, event)
    return None


def _overwritten(case: Case, one: _Stale, turn: int, event: Any) -> Cause:
    fields = _stale_fields(case, one) | {"over": value(event.new), "turn": turn, "lock": shown(one.name)}
    branches = [fields["reader"], fields["writer"]]
    kind = "old-snapshot" if event.step == one.reading.step else "check-then-act"
    saving = case.begin_of(event.path, turn)
    if kind != "old-snapshot" and saving is not None and one.name in saving[1].locks and one.name in one.reading.locks:
        kind = "lock-across-steps"
    return case.cause(kind, fields, [one.read, one.written, turn], branches, said="overwritten_said")


# Ends.


def _no_route(case: Case) -> Cause | None:
    """The Flow failed because a call did, and nothing was declared to follow."""
    for event in case.last.events:
        if event.kind == "failed" and event.then == "flow_failed":
            fields: dict[str, Any] = {
                "step": case.names.owned(event.path, event.step),
                "name": shown(event.step),
                "turn": case.last.number,
                "n": event.attempt,
                "error": shown(event.error_type),
            }
            said = f"no-route_{'execute' if event.method == 'execute' else 'wait'}"
            return case.cause(
                "no-route",
                fields,
                [case.last.number],
                [case.names.who(event.path)],
                said=said,
                general=f"{said}_general",
                mend=f"{said}_mend",
            )
    return None


_Rule = Callable[[Case], Cause | None]
_RULES: dict[str, tuple[_Rule, ...]] = {
    "mutual_exclusion": (_late_code, _doubled_token, _early_return, _no_token, _lock_across_steps, _old_snapshot),
    "token_conserved": (_doubled_token, _lost_token),
    "never_stuck": (_lost_token, stuck.circle, stuck.waits),
    "always": (_lost_update,),
    "never": (_lost_update,),
    "always_ends": (_no_route, _lost_token, stuck.circle, stuck.waits),
}
