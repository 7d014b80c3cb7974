"""All that a seat shows, as data for a browser and as plain text: moves, reasons, properties, the hint, the path.

`view` is JSON-able; every text in it is fit to be shown and not yet escaped for HTML. What is drawn from the run so
far (graph, lanes, tables) comes from `show`, as for any run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dexpatterns.engine.report import Verdict
from dexpatterns.engine.resume import Ahead
from dexpatterns.engine.texts import visible
from dexpatterns.views.seat_texts import front_texts, say
from dexpatterns.views.seat_words import Move, Said, Words
from dexpatterns.views.show import show
from dexpatterns.views.texts import short

if TYPE_CHECKING:
    from dexpatterns.views.seat import Judged, Seat

__all__ = ["text", "told", "view"]

_PATH = 200
"""So many of the last moves are listed; those before are counted."""
_MOVES = 400
"""So many moves are listed; those after are counted."""


def view(seat: Seat, lang: str) -> dict[str, Any]:
    """The seat as data for a browser: `told`, and under `show` the run so far (`show.show`), None of a machine that
    nobody can draw.
    """
    words = seat.words(lang)
    return {**told(words), "show": show(words.run, lang, still=True) if words.pictured else None}


def told(words: Words) -> dict[str, Any]:
    """What the seat says. `made` is the number of moves; a browser sends it back with what was clicked.

    `moves` (n, group, lane, who, says, then, choice, hint), `cannot` (lanes, says), `badges` by lane, `properties`
    (name, mark, after, ahead), `broken` (newest first: says, cause, mend), `hint` (a sentence each), `path` (the last
    turns: turn, lane, says, recorded), `said` (the last turn), `schedule`, `texts`.
    """
    seat, lang = words.seat, words.lang
    turns = words.turns(_PATH)  # the last of them
    judged = seat.judged
    moves = words.moves()
    broken = _broken(seat, words, judged)  # first, since it looks for what the properties then know
    path = seat.path
    first = len(path) - len(turns)
    return {
        "format": 1,
        "lang": lang,
        "name": short(seat.machine.name),
        "about": _about(seat, words, lang),
        "sort": words.sort,
        "left_at": seat.recorded,
        "made": seat.made,
        "redo": seat.can_redo,
        "answered": seat.answered,
        "trouble": visible(seat.trouble),
        "badges": [badge._asdict() for badge in words.badges],
        "said": _said(turns[-1] if turns else None, seat, lang),
        "moves": [_move(move) for move in moves[:_MOVES]],
        "possible": len(moves),
        "cannot": [{"lanes": list(one.lanes), "says": one.says} for one in words.blocked()],
        "over": words.over(),
        "left": words.left(),
        "properties": [_property(one, words, moves) for one in judged],
        "broken": broken,
        "hint": hint_said(seat, words, judged),
        "hinted": next((move.number for move in moves if move.hinted), None),
        "path": [
            {"turn": n, "lane": one.lane, "says": one.short, "recorded": path[n - 1].recorded}
            for n, one in enumerate(turns, first + 1)
        ],
        "schedule": words.run.schedule,
        "texts": {**front_texts(lang), "seat": say(lang, "seat")},
    }


def _about(seat: Seat, words: Words, lang: str) -> list[str]:
    about = [say(lang, words.sort, n=words.size)] if words.size else []
    return [*about, say(lang, "left_at", n=seat.recorded)] if seat.recorded is not None else about


def _said(one: Said | None, seat: Seat, lang: str) -> dict[str, Any]:
    """The last turn, and that it is the person's move."""
    if one is None:
        return {**Said(-1, "", say(lang, "nothing_yet"))._asdict(), "chose": ""}
    chose = "" if seat.spot.recorded else say(lang, "chose", n=seat.spot.of) if seat.spot.of > 1 else say(lang, "only")
    return {**one._asdict(), "says": one.says + say(lang, "stop"), "chose": chose}


def _move(move: Move) -> dict[str, Any]:
    return {
        "n": move.number, "group": move.group, "lane": move.lane, "who": move.who, "says": move.says,
        "then": move.then, "choice": str(move.choice), "hint": move.hinted,
    }  # fmt: skip


def _property(one: Judged, words: Words, moves: Iterable[Move]) -> dict[str, Any]:
    name = words.property_name(one.property)
    return {"name": name, "mark": _mark(one), "after": _after(one, words), "ahead": _ahead(one, words, moves)}


def _mark(one: Judged) -> str:
    """'broken', 'proved' (it cannot be broken from here), 'holds' so far, or 'open': not judged."""
    if one.since is not None:
        return "broken"
    if one.ahead is not None and one.ahead.verdict is Verdict.PROVED:
        return "proved"
    return "open" if one.property.goal else "holds"


def _after(one: Judged, words: Words) -> str:
    if one.since is None:
        return words.standing(one)
    if not one.since:
        return words.say("broken_start")
    how = words.broken(one)[0]
    return words.say("broken_at" if how else "broken_plain", n=one.since, how=how)


def _ahead(one: Judged, words: Words, moves: Iterable[Move]) -> str:
    if one.since is not None:
        known = words.seat.known_shortest(one.property)
        if known is not None and known.way and len(known.way) < one.since:
            return words.say("ahead_shortest", n=len(known.way))
        return words.say("ahead_broken")
    ahead = one.ahead
    if ahead is None:
        return words.say("ahead_unknown")
    if ahead.verdict is Verdict.REFUTED:
        first = next((move.number for move in moves if move.choice == ahead.way[0]), "?")
        return words.say("ahead_way", n=len(ahead.way), first=first)
    key = _never(words, "ahead_no") if ahead.verdict is Verdict.PROVED else "ahead_cut"
    return words.say(key, n=f"{ahead.states:,}")


def _broken(seat: Seat, words: Words, judged: Iterable[Judged]) -> list[dict[str, Any]]:
    """What is broken, the newest first: by whom, in how many moves, whether that is the shortest, and why."""
    found = []
    for one in sorted((one for one in judged if one.since is not None), key=lambda one: -(one.since or 0)):
        made = one.since or 0
        _, who = words.broken(one)
        known = seat.shortest(one.property)
        end = "broke_unknown"
        if known.verdict is Verdict.REFUTED and len(known.way) < made:
            end = "broke_shortest"
        elif known.verdict is Verdict.REFUTED and not known.cut:
            end = "broke_is_shortest"
        says = words.say("broke_by" if who else "broke_in", who=who, n=made) + words.say(end, n=len(known.way))
        cause = words.cause(one)
        found.append(
            {
                "title": words.say("broke", name=words.property_name(one.property)),
                "says": says,
                "now": made == seat.made,
                "cause": [words.say("cause", title=cause.title), cause.sentence, cause.general] if cause else [],
                "mend": words.say("mend", mend=cause.mend) if cause else "",
            }
        )
    return found


def hint_said(seat: Seat, words: Words, judged: Iterable[Judged]) -> list[str]:
    """What is known of the way ahead, in sentences; none before it was asked for."""
    asked = [(one, one.ahead) for one in judged if one.since is None and one.ahead is not None]
    said = _ways(words, asked)
    if said and seat.next_hint is not None:
        said.append(words.say("hint_marked"))
    never = [(one, ahead) for one, ahead in asked if ahead.verdict is Verdict.PROVED]
    states = {ahead.states for _, ahead in never}
    if len(never) > 1 and len(never) == len(seat.properties) and len(states) == 1:
        said.append(words.say(_never(words, "hint_never_all"), n=f"{states.pop():,}"))
    else:
        key = _never(words, "hint_never")
        said += [words.say(key, name=_name(words, one), n=f"{ahead.states:,}") for one, ahead in never]
    said += [
        words.say("hint_cut", name=_name(words, one), n=f"{ahead.states:,}")
        for one, ahead in asked if ahead.verdict is Verdict.BOUNDED
    ]  # fmt: skip
    return said + [_already(words, one) for one in judged if one.since is not None and seat.hinted]


def _never(words: Words, key: str) -> str:
    """After moves, what was tried are the states from here on: of the pattern itself it says nothing."""
    return f"{key}_here" if words.seat.made else key


def _ways(words: Words, asked: Iterable[tuple[Judged, Ahead]]) -> list[str]:
    ways = sorted(((len(ahead.way), one) for one, ahead in asked if ahead.way), key=lambda way: way[0])
    if not ways:
        return []
    parts = [words.say("hint_first" if not i else "hint_then", name=_name(words, one), n=n)
             for i, (n, one) in enumerate(ways)]  # fmt: skip
    return [words.say("hint_ways", what=words.say("names").join(parts))]


def _already(words: Words, one: Judged) -> str:
    known = words.seat.known_shortest(one.property)
    if known is None or not known.way:
        return words.say("hint_broken_only", name=_name(words, one))
    return words.say("hint_broken_cut" if known.cut else "hint_broken", name=_name(words, one), n=len(known.way))


def _name(words: Words, one: Judged) -> str:
    name = words.property_name(one.property)
    return f"“{name}”" if words.lang == "zh" else f'"{name}"'


def text(seat: Seat, lang: str) -> str:
    """The seat in a terminal: what happened last, the moves by number, who cannot move, how the properties stand."""
    shown = told(seat.words(lang))
    said = shown["said"]
    head = say(lang, "names").join([shown["name"], *shown["about"]])
    lines = [say(lang, "whose", who=shown["texts"]["seat"], said=head)]
    happened = say(lang, "whose", who=said["who"], said=said["says"]) if said["who"] else said["says"]
    lines.append(f"{seat.made}. {happened}" if seat.made else happened)
    for move in shown["moves"]:
        who = say(lang, "whose", who=move["who"], said=move["says"]) if move["who"] else move["says"]
        mark, then = ">" if move["hint"] else " ", f"  ({move['then']})" if move["then"] else ""
        lines.append(f"{mark}{move['n']:>3}  {who}{then}")
    if shown["possible"] > len(shown["moves"]):
        lines.append(f"     {say(lang, 'more', n=shown['possible'] - len(shown['moves']))}")
    lines += [f"     {one['says']}" for one in shown["cannot"]]
    lines += [f"     {one}" for one in (shown["left"], shown["over"]) if one]
    lines += [say(lang, "whose", who=one["name"], said=one["after"]) for one in shown["properties"]]
    lines += [say(lang, "between").join((one["title"], one["says"])) for one in shown["broken"]]
    return "\n".join([*lines, *shown["hint"]])
