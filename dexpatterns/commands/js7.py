"""`dexpatterns js7`: JS7 workflows and locks, run once on a virtual clock, or tried in every order of events.

What the files mean and what follows from them is the package's to say; here it is asked for and shown.
"""

from __future__ import annotations

from typing import Any

import click

from dexpatterns.commands.options import json_option, lang_option, svg_option
from dexpatterns.errors import InputError
from dexpatterns.terminal import check_outputs

__all__ = ["command"]

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
@click.option("--save", metavar="FILE", help="Keep the run that is shown, for 'dexpatterns replay'.")
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
    from dexpatterns.commands.js7_work import run_once, try_all
    from dexpatterns.engine.report import Bounds

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
    if not check:
        return run_once(found, fair=fair, answer=answer, seed=seed or 0, turns=turns, save=save, svg=svg,
                        as_json=as_json, lang=lang)  # fmt: skip
    given_bounds: dict[str, Any] = {"states": bound_states, "depth": bound_depth, "seconds": bound_seconds}
    bounds = Bounds(**{name: value for name, value in given_bounds.items() if value is not None})
    return try_all(found, fair=fair, starvation=starvation, bounds=bounds, save=save, svg=svg, as_json=as_json,
                   lang=lang)  # fmt: skip
