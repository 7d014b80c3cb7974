"""What happens in a turn beyond its verb, as clauses: tokens that change hands, who is cancelled, where it goes on.

Each clause is read off the events of the turn and what they changed. Which turn gets which clauses is decided by
`dex.story`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dexpatterns.dex import wording
from dexpatterns.dex.facts import Facts, Moment
from dexpatterns.engine.machine import Lineage

__all__ = ["Clauses", "Names"]

_RIVALS = 8
"""An event names no more rivals than these: there may be others."""


class Names:
    """What executions and branches are called in sentences."""

    def __init__(self, facts: Facts, lang: str) -> None:
        self.facts = facts
        self.lang = lang
        lanes = facts.reading.lanes
        one_join = sum(lane.kind == "join" for lane in lanes) == 1
        self._labels = [wording.shown(lane.label) for lane in lanes]
        self._lanes = [
            wording.say(lang, lane.kind) if lane.kind == "start" or (lane.kind == "join" and one_join) else label
            for lane, label in zip(lanes, self._labels, strict=True)
        ]

    def of(self, path: Lineage) -> str:
        """The branch that an execution belongs to, as its lane is called."""
        place = self.facts.reading.lane_of.get(path)
        return self._lanes[place] if place is not None else ""

    def who(self, path: Lineage) -> str:
        """The same, but the start and a join by their Step, so that a sentence can do without the lanes."""
        place = self.facts.reading.lane_of.get(path)
        return self._labels[place] if place is not None else ""

    def owned(self, path: Lineage, step: str) -> str:
        """A Step of a branch: `EditContract of reviewer-1`; alone where its line is no branch, or named after it."""
        lane, name, shown = self.facts.lane(path), self.who(path), wording.shown(step)
        if lane is None or lane.kind != "branch":
            return shown
        named_after = name.startswith(f"{shown}-") and name[len(shown) + 1 :].isdecimal()
        return name if named_after else wording.say(self.lang, "step_of", step=shown, who=name)

    def list(self, paths: Iterable[Lineage]) -> str:
        return wording.listed(self.lang, dict.fromkeys(map(self.who, paths)))


class Clauses:
    """The clauses of turns, in a language."""

    def __init__(self, facts: Facts, lang: str) -> None:
        self.facts = facts
        self.lang = lang
        self.names = Names(facts, lang)

    def say(self, key: str, /, **fields: object) -> str:
        return wording.say(self.lang, key, **fields)

    # What a result does.

    def waits(self, moment: Moment, event: Any) -> tuple[str, list[str]]:
        own = next((e for e in moment.events if e.kind == "wait_completed" and e.path == event.path), None)
        if own is not None:
            return self.own_taking(own), self.others(moment, event.path)
        wait = next((e.wait for e in moment.events if e.kind == "waiting"), "")
        return self.say("waits_for", wait=wording.shown(wait, 120)), self.others(moment, event.path)

    def decides(self, moment: Moment, event: Any) -> tuple[str, list[str]]:
        tokens = [said for channel in moment.tokens for said in self._token_moves(moment, event, channel)]
        first, clauses = (tokens[0], tokens[1:]) if tokens else ("", [])
        clauses += self._cancelling(moment)
        clauses += self._going(moment)
        clauses += self.closing(moment, reason=True)
        clauses += self.others(moment, event.path)
        if not first and not clauses and event.decision == "dead_end":
            clauses.append(self.say("dead_end"))
        return first, clauses

    def _token_moves(self, moment: Moment, event: Any, channel: str) -> Iterable[str]:
        """What the result of `event` does to the tokens of a Channel."""
        token = self.token(channel)
        before = moment.tokens[channel][0]
        published = moment.published(channel, event.path)
        back = min(published, dict(before.held).get(event.path, 0))
        if back:
            yield self.say("gives_back", token=token, n=back)
        if published > back:
            key = "publishes_more" if before.queued or before.held else "publishes_first"
            yield self.say(key, token=token, n=published - back, channel=wording.shown(channel))
        if event.path in moment.losers(channel):
            yield self.say("keeps", token=token)

    def _cancelling(self, moment: Moment) -> list[str]:
        clauses = []
        targets = [e for e in moment.events if e.kind == "cancelled"]
        lost = {path for channel in moment.tokens for path in moment.losers(channel)}
        for target in targets[:3]:
            said = self.say("is_cancelled", step=self.names.owned(target.path, target.step))
            if target.phase == "running":
                said += self.say("code_runs_on")
            if target.path in lost:
                said += self.say("with_token")
            clauses.append(said)
        if len(targets) > 3:
            clauses.append(self.say("more_cancelled", n=len(targets) - 3))
        for event in moment.events:
            if event.kind == "returned":
                key = "token_returns" if self.facts.is_token(event.channel) else "messages_return"
                clauses.append(
                    self.say(
                        key, token=self.token(event.channel), n=len(event.values), channel=wording.shown(event.channel)
                    )
                )
        return clauses

    def _going(self, moment: Moment) -> list[str]:
        born = [e for e in moment.events if e.kind == "step_started"]
        if len(born) == 1 and born[0].why in ("go_to", "fallback"):
            return [self.say(born[0].why, step=wording.shown(born[0].step))]
        times: dict[str, int] = {}
        for event in born:
            times[event.step] = times.get(event.step, 0) + 1
        names = [self.say("times", step=wording.shown(step), n=n) for step, n in times.items()]
        return [self.say("starts", steps=wording.listed(self.lang, names, most=5))] if names else []

    def closing(self, moment: Moment, *, reason: bool) -> list[str]:
        closed = next((e for e in moment.events if e.kind == "closed"), None)
        if closed is not None:
            why = self.say("reason", reason=wording.shown(closed.reason, 120)) if reason and closed.reason else ""
            return [self.say("flow_ends", status=closed.status, reason=why)]
        return [self.say("asks_end") for e in moment.events if e.kind == "graceful_asked"]

    # Who takes what.

    def taken(self, event: Any) -> str:
        parts = []
        for channel, messages in event.taken:
            if self.facts.is_token(channel):
                parts.append(self.say("token_n", token=self.token(channel), n=len(messages)))
            elif len(messages) == 1:
                parts.append(self.say("message", value=wording.value(messages[0]), channel=wording.shown(channel)))
            else:
                parts.append(self.say("messages", n=len(messages), channel=wording.shown(channel)))
        return self.say("takes_what", what=wording.listed(self.lang, parts)) if parts else self.say("wait_completes")

    def own_taking(self, event: Any) -> str:
        return self.say("takes_at_once", takes=self.taken(event)) if event.taken else self.say("wait_completes")

    def others_taking(self, moment: Moment, *, tokens: bool) -> list[Any]:
        """Waits of others that completed in this turn, since they alone were ready (D-15a)."""
        return [
            e
            for e in moment.events
            if e.kind == "wait_completed"
            and e.path != moment.path
            and (not tokens or (len(e.taken) == 1 and self.facts.is_token(e.taken[0][0])))
        ]

    def others(self, moment: Moment, path: Lineage) -> list[str]:
        clauses = []
        single = self.others_taking(moment, tokens=True)
        for event in self.others_taking(moment, tokens=False):
            who = self.names.of(event.path)
            if event in single and len(event.taken[0][1]) == 1:
                clauses.append(self.say("takes_it", who=who, token=self.token(event.taken[0][0])))
            else:
                key = "other_takes" if event.taken else "other_wait"
                clauses.append(self.say(key, who=who, takes=self.taken(event)))
        return clauses

    def rivals(self, paths: Sequence[Lineage]) -> str:
        return self.say("waited_too", who=self.some(paths)) if paths else ""

    def some(self, paths: Sequence[Lineage]) -> str:
        """Those who wait; of more than two, two and how many more."""
        names = [self.names.of(path) for path in paths]
        if len(names) <= 2:
            return wording.listed(self.lang, names)
        key = "at_least_more" if len(names) >= _RIVALS else "and_more"
        return self.say(key, who=self.say("between_names").join(names[:2]), n=len(names) - 2)

    def token(self, channel: str) -> str:
        """`the token`; with its Channel where there are several."""
        if len(self.facts.token_channels()) == 1:
            return self.say("the_token")
        return self.say("token_of", channel=wording.shown(channel))
