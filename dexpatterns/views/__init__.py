"""Every way to look at a run; each is loaded when it is first asked for, so that a run costs no pandas.

The functions here are what a `Run` reaches through its hook. They take the run as it is and know no machine beyond
the vocabulary of its events.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dexpatterns.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from dexpatterns.dex.sections import SectionLike
    from dexpatterns.engine.machine import Lineage
    from dexpatterns.engine.run import Run
    from dexpatterns.engine.trace import Trace
    from dexpatterns.views.graph import GraphView
    from dexpatterns.views.js7_text import Lanes
    from dexpatterns.views.stepper import Stepper
    from dexpatterns.views.timeline import Timeline

__all__ = [
    "events", "fault", "graph_of_run", "html_of", "intervals", "labels", "overlaps", "save_html", "seat_of",
    "section_of", "status", "stepper_of_run", "swim_lanes", "vocabulary",
]  # fmt: skip


def events(run: Run, lang: str = "en") -> pd.DataFrame:
    """What happened, a row per event."""
    if _is_js7(run):
        from dexpatterns.views import js7_frames

        return js7_frames.events(run.trace, lang=lang)
    from dexpatterns.views import frames

    return frames.events(run.trace, next(iter(run.sections), None), lang=lang)


def intervals(run: Run, section: SectionLike | str | None = None) -> pd.DataFrame:
    """Who was inside when, a row per visit; of JS7 orders, who held or waited for a lock."""
    if _is_js7(run):
        from dexpatterns.views import js7_frames

        return js7_frames.intervals(run.trace, section)
    from dexpatterns.views import frames

    return frames.intervals(run.trace, section_of(run, section))


def overlaps(run: Run, section: SectionLike | str | None = None, late: bool = False) -> pd.DataFrame:
    """Which two branches were inside together."""
    _only_flows(run, "overlaps", "intervals(lock)")
    from dexpatterns.views import frames

    return frames.overlaps(run.trace, section_of(run, section), late=late)


def swim_lanes(
    run: Run, section: SectionLike | str | None, lang: str = "en", limit: int = 1, at: int | None = None
) -> Timeline | Lanes:
    """One lane a branch. (`timeline` is the module: a function of that name would be lost behind it.)"""
    if _is_js7(run):
        from dexpatterns.views.js7_text import Lanes

        return Lanes(run.trace, section, lang=lang, at=at)
    from dexpatterns.views.timeline import Timeline

    chosen = section_of(run, section) if section is not None else next(iter(run.sections), None)
    return Timeline(run.trace, chosen, run.tokens, lang=lang, limit=limit, at=at)


def graph_of_run(run: Run, at: int | None, *, lang: str = "en", flow: Any = None, limit: int = 1) -> GraphView:
    """The graph at a moment. (`graph` is the module, as with `timeline`.)"""
    from dexpatterns.views.graph import GraphView, definition_of_run

    definition = definition_of_run(run, flow)
    return GraphView.of_run(
        run.trace, at, definition=definition, sections=run.sections, tokens=run.tokens, lang=lang, limit=limit
    )


def stepper_of_run(run: Run, lang: str = "en", *, flow: Any = None, limit: int = 1) -> Stepper:
    """The widget that steps through it. (`stepper` is the module, as with `timeline`.)"""
    from dexpatterns.views.stepper import Stepper

    return Stepper(run, lang, flow=flow, limit=limit)


def save_html(run: Run, path: str | os.PathLike[str], lang: str = "en", *, flow: Any = None, limit: int = 1) -> None:
    """One file that steps through it in any browser."""
    from dexpatterns.views.page import page, write
    from dexpatterns.views.show import show

    write(path, page(show(run, lang, flow=flow, limit=limit)))


def section_of(run: Run, section: SectionLike | str | None) -> SectionLike:
    """The section that is meant; raises `InputError`, also for Steps that the Flow of the run does not have.

    Nobody is ever inside of those, and that would look as if the pattern held. A loaded run knows no Flow to ask.
    """
    chosen: Any = run.section(section)
    spec = getattr(run.machine, "spec", None)
    if spec is not None and chosen not in run.sections:
        from dexpatterns.dex.scenario import check_world

        check_world(spec, sections=[chosen])
    asked: SectionLike = chosen
    return asked


def _is_js7(run: Run) -> bool:
    return run.trace.machine == "js7"


def _only_flows(run: Run, what: str, instead: str) -> None:
    if _is_js7(run):
        raise InputError(f"{what}: expected a run of a Flow, got one of JS7 orders; use run.{instead}")


def html_of(thing: Any) -> str:
    """What a notebook shows of anything beside its text."""
    from dexpatterns.views import reprs

    return reprs.html_of(thing)


def labels(trace: Trace, section: SectionLike) -> dict[Lineage, str]:
    """What a section's label function says in this run; what a saved run knows, of a loaded one."""
    from dexpatterns.dex import sections

    kept = getattr(section, "labels", None)
    return dict(kept) if kept is not None else sections.labels(trace, section)


def status(trace: Trace) -> Any:
    """The status of a run, in the type of its machine."""
    said = trace.final.get("status")
    if trace.machine == "dex" and isinstance(said, str):
        from dexpatterns.dex.options import FlowStatus

        return FlowStatus.__members__.get(said, said)
    return said


def vocabulary(machine: str) -> Mapping[str, type[Any]] | None:
    """The events that a machine of this name speaks in, by kind; None for one that is not known."""
    if machine == "dex":
        from dexpatterns.dex.events import EVENTS

        return EVENTS
    if machine == "js7":
        from dexpatterns.js7 import events as js7_events

        return js7_events.EVENTS
    return None


def fault(trace: Trace) -> str | None:
    """What stands in the way of showing a run that comes from a file, where no machine would; None if nothing does."""
    if trace.machine == "js7":
        from dexpatterns.js7 import kept as kept_orders

        return kept_orders.fault(trace)
    from dexpatterns.dex import kept as kept_flow

    return kept_flow.fault(trace)


def seat_of(run: Run, properties: Iterable[Any] | None, lang: str = "en") -> Stepper:
    """The scheduler's seat at the end of a run, all of whose turns are a person's own."""
    from dexpatterns.views.seat import Seat
    from dexpatterns.views.stepper import Stepper

    made = Stepper(run, lang)
    made.sit(Seat.of_run(run, properties=properties, own=True, lang=lang))
    return made
