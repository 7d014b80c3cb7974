"""Everything that a browser needs to step through a run, as plain data: `show(run)`.

A show is made once, holds no machine and fetches nothing; every text in it is fit to be shown, and still to be
escaped. Its size follows what happens in the run, not turns times branches: a keyframe, and what each turn changes.

| key | what |
|---|---|
| `format`, `lang`, `texts` | the form of this table, and the words of the stepper |
| `kind` | 'run', 'counterexample' or 'witness' |
| `name`, `about`, `turns`, `clock` | of what, in a line; how many turns; whether they have times |
| `machine` | 'dex', or 'js7': then lanes are orders, and locks are resource locks |
| `lanes` | by place [name, letter, family, kind] |
| `rows` | of the pictures of lanes: whose lane each row is; None where rows are lanes |
| `channels`, `attributes`, `locks` | [name, node] by place |
| `tokens` | places of the Channels of tokens |
| `sections` | [name, limit] by place |
| `start`, `deltas` | the keyframe, and what each turn changes: keys in `views.show_states` |
| `told` | by turn [lane, who, sentence, what happens, reads, changes, note, Step]; a change is [name, old, new, note] |
| `times` | by turn, virtual seconds; [] without a clock |
| `use` | by turn [nodes, edges, ends] that the graph lights up |
| `graph` | {svg, nodes: {id: [sort, name, x, y, w, h]}, bands: [[id, name, limit, x, y, w, h]]}, or {why} |
| `windows`, `overview` | of the lanes: [first, last, SVG], and of a run of several windows its map |
| `by_time` | the same windows by virtual time; [] without a clock, and where they were not asked for |
| `legend`, `defs` | [words, sample] of the marks; the patterns that they use |
| `marks` | of the slider: [turn, 'token', 'fail' or 'over'] |
| `moves` | how many moves were possible after turn 0, 1, ...; None where nobody can tell |
| `stays` | then why, as a key of `texts`: no other move can be tried |
| `properties` | {name, verdict, by, goal, judged, broken} |
| `cause` | {title, sentence, general, mend, turns} or {plain}; None where nothing is broken |
"""

from __future__ import annotations

import hashlib
from typing import Any

from dexpatterns.engine.arguments import check_count
from dexpatterns.engine.run import Run
from dexpatterns.engine.texts import check_lang
from dexpatterns.views import marks, swim_lanes
from dexpatterns.views.front_texts import front_texts, said
from dexpatterns.views.show_flow import parts_of_flow
from dexpatterns.views.show_graph import draw_graph
from dexpatterns.views.show_judged import Judged, judge, limits
from dexpatterns.views.show_lanes import windows
from dexpatterns.views.show_orders import parts_of_orders
from dexpatterns.views.show_parts import Parts
from dexpatterns.views.texts import short
from dexpatterns.views.timeline import Timeline

__all__ = ["FORMAT", "by_time", "show"]

FORMAT = 1


def show(
    run: Run, lang: str = "en", *, flow: Any = None, limit: int = 1, still: bool = False, by_time: bool = True
) -> dict[str, Any]:
    """The show of a run; raises `InputError` for another language and a machine whose events are not known.

    A loaded run knows no definition: its graph is made of what the run shows, or of a `flow` that is handed in.
    `limit` is how many branches may be inside a section. `still` is for who shows the last turn alone: nothing is told
    or judged, no turn changes anything, and there is one window. `by_time` asks for the lanes by virtual time too.
    """
    check_lang(lang)
    check_count("limit", limit)
    trace = run.trace
    most = limits(run, limit)
    graph = draw_graph(run, lang, flow, most, limit)
    judged = Judged(None, []) if still else judge(run, lang, limit)
    lanes = _lanes(run, lang, most, limit)
    name = "dx" + hashlib.sha256(f"{trace.name} {run.schedule}".encode("utf-8", "replace")).hexdigest()[:8]
    parts: Parts = (
        parts_of_flow(run, graph.data, lang, lanes, most, name, still=still)
        if isinstance(lanes, Timeline)
        else parts_of_orders(run, graph.data, lang, lanes)
    )
    broken = [[one["broken"][0], "over"] for one in judged.properties if one["broken"]]
    clock = bool(trace.turns) and trace.turns[0].time is not None
    return {
        "format": FORMAT,
        "lang": lang,
        "texts": front_texts(lang),
        "machine": trace.machine,
        "kind": _kind(run),
        "name": short(trace.name),
        "about": _about(run, lang, sum(kind == "branch" for *_, kind in parts.lanes)),
        "turns": len(trace.turns),
        "clock": clock,
        **vars(parts),
        "marks": sorted(parts.marks + [one for one in broken if one not in parts.marks]),
        "times": [round(turn.time or 0.0, 3) for turn in trace.turns] if clock else [],
        "graph": graph.show,
        "windows": windows(lanes, still=still),
        "by_time": windows(lanes, by_time=True) if by_time and clock and not still else [],
        "defs": marks.defs(name),
        "moves": judged.moves,
        "stays": "no_machine" if run.machine is None else "not_again" if judged.moves is None else "",
        "properties": judged.properties,
        "cause": _cause(run, lang),
    }


def by_time(run: Run, lang: str = "en", limit: int = 1) -> list[list[Any]]:
    """The windows of the lanes of a run with a clock by virtual time, as a show has them."""
    return windows(_lanes(run, lang, limits(run, limit), limit), by_time=True)


def _lanes(run: Run, lang: str, most: dict[str, int], limit: int) -> Any:
    return swim_lanes(run, None, lang, max(most.values(), default=limit))


def _kind(run: Run) -> str:
    if run.report is None:
        return "run"
    return "counterexample" if run.report.counterexample is run else "witness"


def _about(run: Run, lang: str, lanes: int) -> str:
    what = "orders" if run.trace.machine == "js7" else "branches"
    parts = [said(lang, f"{what}_one" if lanes == 1 else f"{what}_n", n=lanes)] if lanes else []
    if run.report is not None:
        parts.append(said(lang, _kind(run)))
    elif run.trace.seed is not None:
        parts.append(said(lang, "seed", n=run.trace.seed))
    return said(lang, "between").join(parts)


def _cause(run: Run, lang: str) -> dict[str, Any] | None:
    report = run.report
    if report is None or report.counterexample is not run or report.explain is None:
        return None
    explained = report.explained(lang)
    if isinstance(explained, str):  # a story in lines, the first of which says what is broken
        return {"plain": explained.partition("\n")[0]}
    found = getattr(explained, "cause", None)
    if found is None:
        plain = getattr(explained, "plain", "")
        return {"plain": plain} if plain else None
    return {
        "title": found.title, "sentence": found.sentence, "general": found.general, "mend": found.mend,
        "turns": list(found.turns),
    }  # fmt: skip
