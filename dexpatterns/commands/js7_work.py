"""Runs JS7 orders once, or tries everything that may happen to them, and shows it: for every command that may be asked.

What is given may come from files or from a pattern of the catalog. What happens is the package's to say.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import fields
from functools import partial

from dexpatterns.catalog import Pattern
from dexpatterns.commands.js7_given import Given
from dexpatterns.commands.options import Asked
from dexpatterns.commands.targets import find_pattern, names_a_file
from dexpatterns.engine.report import Bounds
from dexpatterns.errors import InputError
from dexpatterns.folders.cards import JS7
from dexpatterns.terminal import Words, note, say, write_file

__all__ = ["of_pattern", "orders_of", "run_once", "try_all"]

_WORDS: Words = {
    "repeats": (
        "orders that repeat come once in a run; --check lets them come anew",
        "重复的订单在一次运行中只来一次；--check 会让它们再次到来",
    ),
}
_say = partial(say, _WORDS)


def of_pattern(pattern: Pattern) -> Given:
    """What a resource-lock pattern of the catalog is shown with."""
    return Given(pattern.items, pattern.orders, pattern.jobs)


def orders_of(asked: Asked) -> Given | None:
    """What is asked for when it is a resource-lock pattern, else None; raises `InputError` for options of Flows."""
    if names_a_file(asked.target) or (pattern := find_pattern(asked.target)).form != JS7:
        return None
    for field in fields(Asked):
        option = {"sections": "section", "tokens": "token", "flags": "flag"}.get(field.name, field.name)
        if field.name == "target" or option.startswith("bound_"):
            continue
        if getattr(asked, field.name) != field.default:
            raise InputError(
                f"--{option.replace('_', '-')} is about Flows, and {asked.target!r} has JS7 workflows; leave it out"
            )
    return of_pattern(pattern)


def run_once(
    found: Given, *, fair: bool = False, answer: bool = False, seed: int = 0, turns: int | None = None,
    save: str | None, svg: str | None, as_json: bool, lang: str,
) -> int:  # fmt: skip
    """One run on a virtual clock; returns 0 when every order finished, else 1."""
    from dexpatterns.commands.one_js7 import show
    from dexpatterns.commands.running_js7 import TURNS, run
    from dexpatterns.js7.static import look

    ran = run(found, fair=fair, answer=answer, seed=seed, turns=turns or TURNS)
    if save is not None:
        ran.run.save(save)
    if svg is not None:
        write_file("the picture", svg, ran.run.timeline(lang=lang).svg)
    if any(order.repeats for order in found.orders):
        note(_say(lang, "repeats"))
    return show(ran.run, stuck=ran.stuck(lang), findings=look(found.items), as_json=as_json, lang=lang)


def try_all(
    found: Given, *, fair: bool = False, starvation: Iterable[str] = (), bounds: Bounds, save: str | None,
    svg: str | None, as_json: bool, lang: str,
) -> int:  # fmt: skip
    """Every order of arrivals, job ends and answers; returns 0 when all is proved, else 1."""
    from dexpatterns import js7
    from dexpatterns.commands.one_js7_report import show_report
    from dexpatterns.js7.properties import usual_properties
    from dexpatterns.views.progress import searching

    started = time.perf_counter()
    with searching(lang) as progress:
        report = js7.check(
            found.items, found.orders, jobs=found.jobs, fair=fair, progress=progress, bounds=bounds,
            properties=[*usual_properties(), *map(js7.no_starvation, starvation)],
        )  # fmt: skip
    seconds = time.perf_counter() - started
    shown = report.counterexample or report.witness
    if save is not None and shown is not None:
        shown.save(save)
    if svg is not None and shown is not None:
        write_file("the picture", svg, shown.timeline(lang=lang).svg)
    unsaved = [option for option, path in {"--save": save, "--svg": svg}.items() if path is not None and shown is None]
    return show_report(report, found, seconds, unsaved=unsaved, as_json=as_json, lang=lang)
