"""What stands in the generated parts of a page: each kind of part is a row of `KINDS`, made from runs and reports.

A part is made as Markdown; those with a picture can be drawn as well (`drawn`). Everything that came from a catalog
folder is escaped. Where the parts stand in a page is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from dexpatterns.errors import InputError
from dexpatterns.pages.markdown import fenced, plain, table
from dexpatterns.pages.texts import known, say
from dexpatterns.views.texts import duration

if TYPE_CHECKING:
    from dexpatterns.catalog import Pattern
    from dexpatterns.engine.run import Run

__all__ = ["KINDS", "check", "drawn", "fields_of", "good_run", "made", "run_of"]

_SEEDS = 50
"""How many are tried for a good run."""
_ENDLESS, _LONG = 60, 10_000
"""The most turns of a run that has no end, and of any other."""
_FEW = 2
"""Branches with which every way out is found, and soon."""
_WIDTH = 92
_ROWS = 40


class Kind(NamedTuple):
    """One kind of part: its text, how many words follow it (least, most), and for which form of folder it is."""

    text: Callable[[Pattern, Sequence[str], str], str]
    words: tuple[int, int]
    forms: tuple[str, ...] = ("dex", "js7")
    thing: Callable[[Pattern, Sequence[str], str], Any] | None = None
    """What is drawn in place of the text where pictures can be shown."""


def made(pattern: Pattern, kind: str, args: Sequence[str], lang: str) -> str:
    """The Markdown of a part; raises `InputError` for an unknown kind, claim or field."""
    check(pattern, kind, args)
    return _kind(pattern, kind, args).text(pattern, args, lang)


def check(pattern: Pattern, kind: str, args: Sequence[str]) -> None:
    """Raises `InputError` for what no report could make: an unknown kind, claim or field. Searches nothing."""
    _kind(pattern, kind, args)
    if kind == "n":
        name, _, field = args[0].partition(".")
        fields = fields_of(pattern, name)
        if field not in fields:
            raise InputError(f"marker 'n': claim {name!r} has no {field!r}; expected one of {', '.join(fields)}")
    elif args and kind in ("story", "ways-out"):
        fields_of(pattern, args[0])


def drawn(pattern: Pattern, kind: str, args: Sequence[str], lang: str) -> str | None:
    """The same as HTML with its picture; None for a kind that has none."""
    thing = _kind(pattern, kind, args).thing
    if thing is None:
        return None
    found = thing(pattern, args, lang)
    parts = found if isinstance(found, tuple) else (found,)
    return "".join(
        part._repr_html_() if hasattr(part, "_repr_html_") else f"<pre>{escape(str(part))}</pre>" for part in parts
    )


def run_of(pattern: Pattern, kind: str, args: Sequence[str]) -> Run | None:
    """The run behind a part, for those who step through it; None for a part without one."""
    if kind == "run":
        return good_run(pattern)
    return pattern.judged(_story_claim(pattern, args)).run if kind == "story" else None


def _kind(pattern: Pattern, kind: str, args: Sequence[str]) -> Kind:
    found = KINDS.get(kind)
    if found is None:
        raise InputError(f"unknown marker {kind!r}; expected one of {', '.join(KINDS)}")
    if pattern.form not in found.forms:
        raise InputError(f"marker {kind!r} is not for a folder of this form; expected {', '.join(_of(pattern.form))}")
    least, most = found.words
    if not least <= len(args) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        raise InputError(f"marker {kind!r}: expected {wanted} words after it, got {len(args)}")
    return found


def _of(form: str) -> list[str]:
    return [name for name, kind in KINDS.items() if form in kind.forms]


# Graph.


def _graph(pattern: Pattern, args: Sequence[str], lang: str) -> Any:
    from dexpatterns.views.graph import graph

    if pattern.form == "js7":
        return graph(pattern.items, lang=lang)
    flows = {type(flow).__name__: flow for flow in pattern.flows}
    if args and args[0] not in flows:
        raise InputError(f"marker 'graph': no Flow {args[0]!r} in flow.py; expected one of {', '.join(flows)}")
    flow = flows[args[0]] if args else pattern.flow
    steps = {step.__name__ for step in _steps(flow)}
    section = pattern.section
    sections = (section,) if section is not None and set(section.steps) <= steps else ()
    return graph(flow, sections=sections, lang=lang, limit=pattern.limit)


def _steps(flow: Any) -> Iterable[type]:
    from dexpatterns.dex.definition import compile_flow

    return tuple(compile_flow(flow).by_class)


# Runs.


@lru_cache(maxsize=64)
def good_run(pattern: Pattern) -> Run:
    """A run in which nothing goes wrong, if one of the first seeds gives one: what a test that passes looks like."""
    first, well = (_flow_run, _flow_well) if pattern.form == "dex" else (_order_run, _orders_well)
    runs = (first(pattern, seed) for seed in range(_SEEDS))
    return next((run for run in islice(runs, _SEEDS) if well(pattern, run)), None) or first(pattern, 0)


def _flow_run(pattern: Pattern, seed: int) -> Run:
    from dexpatterns.dex import simulate

    sections = () if pattern.section is None else (pattern.section,)
    tokens = () if pattern.token is None else (pattern.token,)
    return simulate(pattern.flow, pattern.input, sections=sections, tokens=tokens, scenario=pattern.scenario, seed=seed)


def _flow_well(pattern: Pattern, run: Run) -> bool:
    ended = run.trace.final["status"] == "COMPLETED"
    return ended and not any(len(zone.visits) > pattern.limit for zone in run.timeline(limit=pattern.limit).marks.zones)


def _order_run(pattern: Pattern, seed: int) -> Run:
    from dexpatterns.js7 import simulate

    turns = _ENDLESS if any(order.repeats for order in pattern.orders) else _LONG
    return simulate(pattern.items, pattern.orders, jobs=pattern.jobs, seed=seed, turns=turns)


def _orders_well(pattern: Pattern, run: Run) -> bool:
    return run.trace.outcome == "FINISHED"


def _lanes(pattern: Pattern, _args: Sequence[str], lang: str) -> Any:
    return good_run(pattern).timeline(lang=lang, limit=pattern.limit)


# Claims.


def _story_claim(pattern: Pattern, args: Sequence[str]) -> str:
    """The name of the claim, of which a run is to be told."""
    judged = pattern.judged(args[0])
    if judged.verdict is None or judged.verdict.name != "REFUTED" or judged.run is None:
        found = "a figure" if judged.verdict is None else judged.verdict.name
        raise InputError(f"marker 'story': claim {args[0]!r} has no counterexample to tell, it is {found}")
    return args[0]


def _explained(pattern: Pattern, name: str, lang: str) -> Any:
    result = pattern.asked(name).result
    if hasattr(result, "explained"):
        return result.explained(lang)
    rows = list(result["verdict"])
    return result.explanation(next(i for i, verdict in enumerate(rows) if verdict in ("lost", "doubled")), lang)


def _story(pattern: Pattern, args: Sequence[str], lang: str) -> str:
    """What is said of it as prose, its turns as they are."""
    told = _explained(pattern, _story_claim(pattern, args), lang)
    if isinstance(told, str) or not told.turns or told.short:
        said, _, turns = str(told).partition("\n")
        blocks = [said]
    else:
        *blocks, turns = str(told).split("\n\n")
    prose = [" \\\n".join(map(plain, block.split("\n"))).replace(" \\\n", "\\\n") for block in blocks]
    return "\n\n".join([*prose, *([fenced(turns)] if turns else [])])


def _story_drawn(pattern: Pattern, args: Sequence[str], lang: str) -> Any:
    name = _story_claim(pattern, args)
    return pattern.judged(name).run.timeline(lang=lang, limit=pattern.limit), _explained(pattern, name, lang)


def _claims(pattern: Pattern, _args: Sequence[str], lang: str) -> str:
    rows = []
    for row in pattern.verified(lang):
        figure = row.judged is not None and row.judged.verdict is None
        said = row.judged.values["figure"] if row.judged is not None and figure and row.holds else row.verdict
        verdict = said if row.holds else say(lang, "open", what=said)
        rows.append((plain(row.sentence), plain(verdict), _count(row.states), _count(row.turns)))
    return table(say(lang, "claims"), rows, "23")


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


_FIELDS = ("states", "transitions", "turns", "depth", "outcomes", "ways")


def fields_of(pattern: Pattern, name: str) -> tuple[str, ...]:
    """What `n` can say of a claim; raises `InputError` for an unknown one. Nothing is run but `world.py`."""
    from dexpatterns.claims import Measure

    claim = pattern.claims.get(name)
    if claim is None:
        raise InputError(f"no claim {name!r}; expected one of {', '.join(pattern.claims) or 'none'}")
    return (*(("value",) if isinstance(claim, Measure) else _FIELDS), *claim.given)


def _number(pattern: Pattern, args: Sequence[str], _lang: str) -> str:
    name, _, field = args[0].partition(".")
    claim = pattern.claims[name]
    value = claim.given[field] if field in claim.given else _found(pattern, name, field)
    if value is None:
        raise InputError(f"marker 'n': claim {name!r} has no {field} to tell: nothing of that sort was found")
    return plain(f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value))


def _found(pattern: Pattern, name: str, field: str) -> Any:
    result, judged = pattern.asked(name).result, pattern.judged(name)
    if field == "value":
        return float(result)
    if field in ("turns", "states"):
        return getattr(judged, field)
    if field == "ways":
        return list(result["verdict"]).count("returned") if hasattr(result, "declared") else None
    found = getattr(result, field, None) if hasattr(result, "outcomes") else None
    return len(found) if field == "outcomes" and found is not None else found


# Ways out.


@lru_cache(maxsize=64)
def _usual_audit(pattern: Pattern) -> Any:
    from dexpatterns.audit import audit

    input = pattern.input[:_FEW] if isinstance(pattern.input, list) else pattern.input
    return audit(
        pattern.flow, input, pattern.section, token=pattern.token, scenario=pattern.scenario,
        count=pattern.limit,
    )  # fmt: skip


def _ways_out(pattern: Pattern, args: Sequence[str], lang: str) -> str:
    if args:
        found = pattern.asked(args[0]).result
        if not hasattr(found, "declared"):
            raise InputError(f"marker 'ways-out': claim {args[0]!r} asks for no audit; name one that does, or none")
    elif pattern.section is None or pattern.token is None:
        raise InputError("marker 'ways-out': this folder has no section with a token; leave the marker out")
    else:
        found = _usual_audit(pattern)
    from dexpatterns.audit import in_words

    rows = []
    for number, (row, declared) in enumerate(zip(found.itertuples(index=False), found.declared(lang), strict=True)):
        run = found.run(number)
        verdict = in_words(row.verdict, lang)
        rows.append((
            plain(in_words(row.way_out, lang)),
            plain(row.step),
            plain(declared),
            f"**{verdict}**" if row.verdict in ("lost", "doubled") else verdict,
            _count(None if run is None else len(run.trace.turns)),
        ))  # fmt: skip
    return table(say(lang, "ways"), rows, "4")


# Who held what.


def _holds(pattern: Pattern, _args: Sequence[str], lang: str) -> str:
    from dexpatterns.views.js7_frames import held_and_waited

    found = [one for one in held_and_waited(good_run(pattern).trace) if one.end_turn != one.start_turn]
    rows = [
        (
            plain(one.order),
            plain(one.lock),
            known(lang, one.what),
            say(lang, "all") if one.weight is None else str(one.weight),
            _moment(one.start, one.start_turn, lang),
            "" if one.outcome == "open" else _moment(one.end, one.end_turn, lang),
            known(lang, "open at the end" if one.outcome == "open" else one.outcome),
        )
        for one in found[:_ROWS]
    ]
    more = f"\n\n{say(lang, 'more rows', n=len(found) - _ROWS)}" if len(found) > _ROWS else ""
    return table(say(lang, "holds"), rows, "3") + more


def _moment(time: float | None, turn: int, lang: str) -> str:
    return say(lang, "turn", n=turn) if time is None else duration(time)


KINDS: dict[str, Kind] = {
    "graph": Kind(lambda *a: fenced(str(_graph(*a))), (0, 1), thing=_graph),
    "run": Kind(lambda *a: fenced(_lanes(*a).text(_WIDTH)), (0, 0), thing=_lanes),
    "story": Kind(_story, (1, 1), thing=_story_drawn),
    "ways-out": Kind(_ways_out, (0, 1), ("dex",)),
    "claims": Kind(_claims, (0, 0)),
    "holds": Kind(_holds, (0, 0), ("js7",)),
    "n": Kind(_number, (1, 1)),
}
"""By the word after `made:`."""
