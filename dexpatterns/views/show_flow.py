"""The part of a show that is about a Flow: its lines of descent, and each turn in a sentence."""

from __future__ import annotations

from typing import Any

from dexpatterns.dex import sections
from dexpatterns.dex.story import sentences
from dexpatterns.engine.run import Run
from dexpatterns.views import palette
from dexpatterns.views.graph_data import GraphData
from dexpatterns.views.show_graph import uses
from dexpatterns.views.show_lanes import WIDTH, legend, overview, slider_marks
from dexpatterns.views.show_parts import Parts, explained, told
from dexpatterns.views.show_states import States
from dexpatterns.views.swim import lane_letter, lane_names
from dexpatterns.views.texts import short
from dexpatterns.views.timeline import Timeline

__all__ = ["parts_of_flow"]


def parts_of_flow(
    run: Run, data: GraphData | None, lang: str, lanes: Timeline, limits: dict[str, int], name: str, *, still: bool
) -> Parts:
    """What a show tells of a run of a Flow; `name` is the id of the patterns, `still` that of its last turn alone."""
    trace, swim = run.trace, lanes.marks
    reading = sections.Reading(list(swim.visits), list(swim.lanes), dict(swim.lane_at))
    states = States(run, reading, data, lang, still=still)
    said = () if still else explained(run, lang) or sentences(trace, run.sections, run.tokens, lang, limits=limits)
    movers = [reading.lane_of.get(_path(turn), -1) for turn in trace.turns]
    return Parts(
        lanes=[
            [short(name), lane_letter(lane, name), palette.family(lane.number), lane.kind]
            for lane, name in zip(reading.lanes, lane_names(reading.lanes, lang), strict=True)
        ],
        channels=states.named(states.channels, "channel"),
        attributes=states.named(states.attributes, "attribute"),
        locks=states.named(states.locks, "attribute"),
        tokens=[place for name, place in states.channels.items() if states.is_token(name)],
        sections=[[short(section.name), limits[section.name]] for section in run.sections],
        start=states.start,
        deltas=states.deltas,
        told=[[lane] for lane in movers] if still else [told(*one) for one in zip(said, movers, strict=True)],
        use=uses(run, data, still=still),
        overview=overview(swim, lang, name) if len(lanes.windows(WIDTH)) > 1 else "",
        legend=legend(swim, lang, name),
        marks=[] if still else slider_marks(run, swim),
    )


def _path(turn: Any) -> tuple[int, ...]:
    """Whose turn it was."""
    path: tuple[int, ...] = getattr(turn.events[0], "path", turn.choice.path) if turn.events else turn.choice.path
    return path
