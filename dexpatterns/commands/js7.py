"""`dexpatterns js7`: JS7 workflows and locks, run once on a virtual clock, or tried in every order of events.

What the files mean and what follows from them is the package's to say; here it is asked for and shown.
"""

from __future__ import annotations

import time
from typing import Any

import click

from dexpatterns.commands.options import json_option, lang_option, svg_option
from dexpatterns.errors import InputError
from dexpatterns.terminal import Words, check_outputs, note, say, write_file

__all__ = ["command"]

_WORDS: Words = {
    "repeats": (
        "orders that repeat come once in a run; --check lets them come anew",
        "重复的订单在一次运行中只来一次；--check 会让它们再次到来",
    ),
}
_SOME = click.IntRange(1)


@click.command("js7", short_help="Run JS7 workflows with locks, or try every order of events.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--orders", metavar="FILE", required=True,
              help="JSON, a list of orders: id, workflow; arguments, priority, at (seconds), repeats, "
              "jobs.")  # fmt: skip
@click.option("--jobs", metavar="FILE",
              help="JSON, by job name: duration (seconds), outcomes (succeeded, failed, any), per_order. A job that is "
              "not named takes one second and succeeds.")  # fmt: skip
@click.option("--fair", is_flag=True, help="Nobody is granted a lock ahead of one that waits longer.")
@click.option("--answer", is_flag=True, help="Answer each prompt at once.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Another seed, other ends of jobs that may end "
              "either way.")  # fmt: skip
@click.option("--turns", type=_SOME, metavar="N", help="Stop a run after so many turns (100,000).")
@click.option("--check", is_flag=True, help="Try every order of arrivals, job ends and answers.")
@click.option("--starvation", multiple=True, metavar="ORDER", help="With --check: ask whether it may wait for ever.")
@click.option("--bound-states", type=_SOME, metavar="N", help="With --check: stop after so many states (1,000,000).")
@click.option("--bound-depth", type=_SOME, metavar="N", help="With --check: stop after so many turns.")
@click.option("--bound-seconds", type=click.FloatRange(0, min_open=True), metavar="S",
              help="With --check: stop after so many seconds.")  # fmt: skip
@click.option("--save", metavar="FILE", help="Keep the run that is shown, for 'load_run' in Python.")
@svg_option
@json_option
@lang_option
def command(
    *, files: tuple[str, ...], orders: str, jobs: str | None, fair: bool, answer: bool, seed: int | None,
    turns: int | None, check: bool, starvation: tuple[str, ...], bound_states: int | None, bound_depth: int | None,
    bound_seconds: float | None, save: str | None, svg: str | None, as_json: bool,
    lang: str,
) -> int:  # fmt: skip
    """Run the orders of a file through JS7 workflows, with their locks.

    Each FILE is a workflow file, a lock file, or a folder of *.workflow.json and *.lock.json, as JS7 exports them.
    Nothing of a script is run: --jobs says how long jobs take and how they end.

    Status 0: every order finished; with --check, PROVED. Status 1: one failed, was stopped, waits or asks at the end;
    with --check, REFUTED or cut. Status 2: something cannot be used.

    \b
    Examples:
      dexpatterns js7 nightly.workflow.json locks.json --orders orders.json
      dexpatterns js7 workflows/ --orders orders.json --check
    """
    from dexpatterns.commands.js7_given import given

    for_check = {"--starvation": starvation, "--bound-states": bound_states, "--bound-depth": bound_depth,
                 "--bound-seconds": bound_seconds}  # fmt: skip
    for_run = {"--answer": answer, "--seed": seed is not None, "--turns": turns}
    for option, said in (for_run if check else for_check).items():
        if said:
            other = "a run, and --check tries everything" if check else "--check"
            raise InputError(f"{option} is for {other}; leave {option} out{'' if check else ' or add --check'}")
    inputs: dict[str, str | None] = {f"the input {file}": file for file in files}
    check_outputs({"--save": save, "--svg": svg}, {**inputs, "--orders": orders, "--jobs": jobs})
    found = given(files, orders, jobs)
    from dexpatterns import js7

    if not check:
        from dexpatterns.commands.one_js7 import show
        from dexpatterns.commands.running_js7 import TURNS, run

        ran = run(found, fair=fair, answer=answer, seed=seed or 0, turns=turns or TURNS)
        if save is not None:
            ran.run.save(save)
        if svg is not None:
            write_file("--svg", svg, ran.run.timeline(lang=lang).svg)
        if any(order.repeats for order in found.orders):
            note(say(_WORDS, lang, "repeats"))
        return show(ran.run, stuck=ran.stuck(lang), findings=js7.look(found.items), as_json=as_json, lang=lang)

    from dexpatterns.commands.one_js7_report import show_report
    from dexpatterns.engine.report import Bounds
    from dexpatterns.views.progress import searching

    bounds: dict[str, Any] = {"states": bound_states, "depth": bound_depth, "seconds": bound_seconds}
    started = time.perf_counter()
    with searching(lang) as progress:
        report = js7.check(
            found.items, found.orders, jobs=found.jobs, fair=fair, progress=progress,
            properties=[
                js7.no_overcommitment(), js7.no_lock_kept(), js7.no_deadlock(), *map(js7.no_starvation, starvation),
            ],
            bounds=Bounds(**{name: said for name, said in bounds.items() if said is not None}),
        )  # fmt: skip
    seconds = time.perf_counter() - started
    shown = report.counterexample or report.witness
    if save is not None and shown is not None:
        shown.save(save)
    if svg is not None and shown is not None:
        write_file("--svg", svg, shown.timeline(lang=lang).svg)
    unsaved = [option for option, path in {"--save": save, "--svg": svg}.items() if path is not None and shown is None]
    return show_report(report, found, starvation, seconds, unsaved=unsaved,
                       as_json=as_json, lang=lang)  # fmt: skip
