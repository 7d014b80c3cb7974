"""Shows one run of JS7 orders: its events, how each order stands, the locks, their lanes, and one line of verdict.

Names of events and states are those of JS7. What the files alone show to be risky follows as notes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from dexpatterns.engine.texts import visible
from dexpatterns.terminal import Words, note, rendered, say, table, write, write_json

if TYPE_CHECKING:
    from dexpatterns.engine.run import Run

__all__ = ["clock", "events_data", "finding_data", "finding_notes", "show"]

MOST_ROWS = 200
"""A longer table is cut, though not in `--json`."""

_WORDS: Words = {
    "events": ("time|turn|order|event|what happens", "时间|回合|订单|事件|发生了什么"),
    "orders": ("order|workflow|state|seen as|position|ended", "订单|工作流|状态|显示为|位置|结束"),
    "locks": ("lock|limit|state|held by|queue", "锁|上限|状态|占有者|队列"),
    "more": ("... and {n:,} more; --json prints all of them", "……另有 {n:,} 行；--json 会全部输出"),
    "all": ("{order} (all)", "{order}（全部）"),
    "share": ("{order} ({weight})", "{order}（{weight}）"),
    "suspended": ("{state}, suspended", "{state}，已挂起"),
    "finished": ("{n:,} of {all:,} orders finished", "{all:,} 个订单中 {n:,} 个完成"),
    "others": ("{n:,} {state}", "{n:,} 个 {state}"),
    "free": ("every lock is available", "所有锁都可用"),
    "held": ("{n:,} lock{s} still held", "{n:,} 个锁仍被占有"),
    "clock": ("{time} on the clock", "时钟走到 {time}"),
    "stuck": ("these can never go on: {why}", "这些订单再也无法继续：{why}"),
    "cut": ("stopped after {n:,} turns", "在 {n:,} 个回合后停止"),
    "coming": ("{n:,} still to come", "{n:,} 个尚未到来"),
    "and": (", ", "，"),
}  # fmt: skip
_say = partial(say, _WORDS)


def show(run: Run, *, stuck: str = "", findings: Sequence[Any] = (), as_json: bool, lang: str) -> int:
    """Show it; returns 0 when every order finished and 1 when one did not.

    `stuck` says who waits for ever, `findings` are those of `js7.look`; a run that was kept knows neither.
    """
    final = run.trace.final
    finished = _finished(run)
    verdict = _verdict(run, lang)
    if as_json:
        write_json(
            {
                "status": final["status"],
                "finished": finished,
                "stuck": stuck,
                "verdict": verdict,
                "events": events_data(run, lang),
                "orders": _orders(run),
                "locks": final["locks"],
                "pending": final["pending"],
                "intervals": _intervals(run),
                "findings": [finding_data(one) for one in findings],
                "schedule": run.schedule,
            }
        )
        return 0 if finished else 1
    rows = list(_event_rows(run, lang))
    write(table(_say(lang, "events"), rows[:MOST_ROWS]) + _more(len(rows), lang))
    orders = _orders(run)
    write(table(_say(lang, "orders"), [_order_row(id, one, lang) for id, one in list(orders.items())[:MOST_ROWS]]))
    write(_more(len(orders), lang))
    locks = final["locks"]
    if locks:
        write(table(_say(lang, "locks"), [_lock_row(path, one, lang) for path, one in locks.items()]))
        lanes = run.timeline(lang=lang).text(shutil.get_terminal_size((100, 24)).columns)
        write("\n".join(map(visible, lanes.splitlines())) + "\n\n")
    if stuck:
        write(visible(_say(lang, "stuck", why=stuck)) + "\n")
    write(rendered(verdict, style="bold green" if finished else "bold red"))
    finding_notes(findings)
    return 0 if finished else 1


def finding_notes(findings: Iterable[Any]) -> None:
    for one in findings:
        note(str(one))


def finding_data(one: Any) -> dict[str, Any]:
    places = [{"workflow": workflow, "position": list(position)} for workflow, position in one.places]
    return {"kind": one.kind, "locks": list(one.locks), "text": one.text, "mend": one.mend, "places": places}


def events_data(run: Run, lang: str) -> list[dict[str, Any]]:
    """Every event with its JS7 name and fields; `time` is in virtual seconds, null where there is no clock."""
    from dexpatterns.js7.story import sentence

    return [
        {"turn": number, "time": time, "event": one.name, "order": one.order, "data": one.data,
         "text": sentence(one, lang)}
        for number, time, one in _happened(run)
    ]  # fmt: skip


def _happened(run: Run) -> Iterator[tuple[int, float | None, Any]]:
    for turn in run.trace.turns:
        for event in turn.events:
            yield turn.number, turn.time, event


def _event_rows(run: Run, lang: str) -> Iterator[tuple[str, ...]]:
    from dexpatterns.js7.story import sentence

    for number, time, event in _happened(run):
        yield clock(time), str(number), event.order, event.name, sentence(event, lang)


def _more(rows: int, lang: str) -> str:
    return f"{_say(lang, 'more', n=rows - MOST_ROWS)}\n\n" if rows > MOST_ROWS else ""


def _orders(run: Run) -> dict[str, dict[str, Any]]:
    """Orders as they stand, by id, with the virtual second in which each ended."""
    ended = {event.order: time for _, time, event in _happened(run) if event.name in _ENDS}
    done = ("Finished", "Cancelled", "Failed", "FailedWhileFresh", "FailedInFork", "Stopped", "StoppedWhileFresh")
    return {
        id: {**one, "ended": ended.get(id) if one["state"] in done else None}
        for id, one in run.trace.final["orders"].items()
    }


_ENDS = frozenset(("OrderFinished", "OrderFailed", "OrderFailedInFork", "OrderStopped", "OrderCancelled"))


def _order_row(id: str, one: dict[str, Any], lang: str) -> tuple[str, ...]:
    state = _say(lang, "suspended", state=one["state"]) if one["suspended"] else one["state"]
    position = json.dumps(one["position"], ensure_ascii=False)
    return id, one["workflow"], state, one["seen"], position, clock(one["ended"])


def _lock_row(path: str, one: dict[str, Any], lang: str) -> tuple[str, ...]:
    acquired = one["acquired"]
    shares = acquired.get("orderToCount", {})
    alone = [acquired["orderId"]] if "orderId" in acquired else []
    holders = [_say(lang, "all", order=order) for order in alone]
    holders += [_say(lang, "share", order=order, weight=weight) for order, weight in shares.items()]
    comma = _say(lang, "and")
    limit = str(one["lock"].get("limit", 1))
    return path, limit, acquired["TYPE"], comma.join(holders) or "-", comma.join(one["queue"]) or "-"


def _intervals(run: Run) -> list[dict[str, Any]]:
    from dexpatterns.js7.holdings import holdings

    return [one._asdict() for one in holdings(run.trace)]


def _tops(run: Run) -> list[str]:
    """The states of the orders that came, without those that were forked."""
    return [one["state"] for id, one in run.trace.final["orders"].items() if "|" not in id]


def _finished(run: Run) -> bool:
    return not run.trace.final["pending"] and set(_tops(run)) == {"Finished"}


def _verdict(run: Run, lang: str) -> str:
    final, states = run.trace.final, _tops(run)
    parts = [_say(lang, "finished", n=states.count("Finished"), all=len(states) + len(final["pending"]))]
    parts += [_say(lang, "others", n=states.count(state), state=state) for state in sorted(set(states) - {"Finished"})]
    if final["pending"]:
        parts.append(_say(lang, "coming", n=len(final["pending"])))
    held = sum(lock["acquired"]["TYPE"] != "Available" for lock in final["locks"].values())
    if final["locks"]:
        parts.append(_say(lang, "held" if held else "free", n=held))
    if final["status"] == "RUNNING" and (final["pending"] or not set(states) <= _RESTING):
        parts.append(_say(lang, "cut", n=len(run.trace.turns)))
    last = run.trace.turns[-1].time if run.trace.turns else 0.0
    parts.append(_say(lang, "clock", time=clock(last)))
    return visible(_say(lang, "and").join(parts))


_RESTING = frozenset(
    ("Finished", "Prompting", "WaitingForLock", "Forked", "Failed", "FailedWhileFresh", "Stopped", "StoppedWhileFresh")
)
"""States in which an order is once a run has come to its end by itself."""


def clock(seconds: float | None) -> str:
    """Hours, minutes and seconds.

    >>> clock(3725.04), clock(None)
    ('1:02:05.040', '-')
    """
    if seconds is None:
        return "-"
    whole, milli = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}.{milli:03}"
