"""The `dexpatterns` command: one line starts a run, and its exit status says whether the pattern held.

0: it holds. 1: branches overlap, there is a token too many, or the Flow does not complete. 2: the input cannot be
used; one line on stderr says what, where and the mend, and no file is touched. 70: our bug. 130: interrupted.
This module judges nothing itself. Text that a person wrote is shown, never obeyed: by no terminal and as no markup.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from dexpatterns.errors import DexpatternsError, InputError

if TYPE_CHECKING:
    from dexpatterns.catalog import Pattern
    from dexpatterns.dex.sections import Overlap, Visit
    from dexpatterns.edits import EditSeen
    from dexpatterns.engine.run import Run

__all__ = ["main"]

REVIEWERS, MOST_REVIEWERS = 5, 100_000
MOST_ROWS, LONG_WORK = 50, 2_000
"""A longer table is cut, though not in `--json`; of longer work a person is told that it goes on."""

_ENGLISH_AND_CHINESE = {
    "columns": ("id|reviewer|way out|started|ended|seconds", "id|审阅者|离开方式|开始|结束|秒"),
    "list": ("name|kind|in one line", "名称|种类|一句话"),
    "pattern": ("pattern", "模式"),
    "anti-pattern": ("anti-pattern", "反模式"),
    "left": ("left", "已离开"),
    "failed": ("failed for good", "最终失败"),
    "cancelled": ("cancelled", "已取消"),
    "closed": ("closed with the Flow", "随 Flow 关闭"),
    "open": ("still inside", "仍在段内"),
    "late": ("given up, its code runs on", "已放弃，代码仍在运行"),
    "never": ("never inside", "从未进入"),
    "more": ("... and {n:,} more; --json prints all of them", "……另有 {n:,} 行；--json 会全部输出"),
    "edits": ("{n:,} edit{s}", "{n:,} 次编辑"),
    "overlaps": ("{n:,} overlap{s}", "{n:,} 处重叠"),
    "within": ("never more than {limit} inside", "段内从未超过 {limit} 个分支"),
    "beyond": ("{n:,} time{s} more than {limit} inside", "{n:,} 次有超过 {limit} 个分支在段内"),
    "back": ("token back in its channel", "token 已回到它的 Channel"),
    "all back": ("{limit} tokens back in their channel", "{limit} 个 token 已回到它们的 Channel"),
    "not back": ("token not back in its channel", "token 没有回到它的 Channel"),
    "tokens": ("{n:,} token{s} in the channel instead of {limit}", "Channel 中有 {n:,} 个 token，应为 {limit} 个"),
    "status": ("the Flow is {status}", "Flow 的状态是 {status}"),
    "waits": ("{step} waits for {wait}", "{step} 在等待 {wait}"),
    "waiting": ("{n:,} Step{s} still waiting", "{n:,} 个 Step 仍在等待"),
    "cut": ("stopped after {n:,} turns", "在 {n:,} 个回合后停止"),
    "work": ("running the Flow", "正在运行 Flow"),
    "and": (", ", "，"),
    "why": (": ", "："),
}


def _say(lang: str, key: str, **words: Any) -> str:
    return _ENGLISH_AND_CHINESE[key][lang == "zh"].format(s="" if words.get("n") == 1 else "s", **words)


class _Command(click.Group):
    """Ends every way of ending in one line and a status, whether it was called from a shell or from a test."""

    def main(self, *args: Any, **options: Any) -> NoReturn:
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, ValueError):
                # What the terminal cannot write is written as an escape, not as a traceback.
                stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # not every stream has it
        try:
            status = super().main(*args, **{**options, "standalone_mode": False})
        except click.UsageError as error:
            hint = f"; see '{error.ctx.command_path} --help'" if error.ctx else ""
            status = _fail(error.format_message().rstrip(".") + hint)
        except (click.ClickException, DexpatternsError) as error:
            status = _fail(str(error))
        except click.Abort:
            status = 130
        except Exception:  # noqa: BLE001  # our bug, whatever it is; it must not be taken for a verdict
            traceback.print_exc()
            status = 70
        sys.exit(status)


def _fail(message: str) -> int:
    message = " ".join(message.split())
    # click begins its sentences with a capital, ours have none.
    _write(f"error: {_shown(message[:1].lower() + message[1:])}\n", sys.stderr)
    return 2


@click.group(cls=_Command, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dexpatterns", message="%(version)s")
@click.pass_context
def main(context: click.Context) -> int:
    """Run concurrency patterns of durable workflows, and see every turn.

    \b
    Example:
      dexpatterns run critical-section
    """
    if context.invoked_subcommand is None:
        _write(context.get_help() + "\n")
    return 0


_lang = click.option("--lang", type=click.Choice(["en", "zh"]), default="en", help="English (en) or Chinese (zh).")
_json = click.option("--json", "as_json", is_flag=True, help="Print data and nothing else; times in seconds.")
_svg = click.option("--svg", metavar="FILE", help="Draw the lanes into a file.")


@main.command("list")
@_json
@_lang
def list_patterns(*, as_json: bool, lang: str) -> int:
    """List the catalog's patterns.

    \b
    Example:
      dexpatterns list --lang zh
    """
    from dexpatterns import catalog

    found = [(p.id, p.kind, p.title(lang), p.summary(lang)) for p in catalog.patterns()]
    if as_json:
        _write_json([dict(zip(("id", "kind", "title", "summary"), row, strict=True)) for row in found])
    else:
        words = [(name, _say(lang, kind), _say(lang, "why").join(told)) for name, kind, *told in found]
        _write(_table(_say(lang, "list"), words))
    for problem in catalog.problems():
        _write(f"note: {_shown(problem.text)}\n", sys.stderr)
    return 0


@main.command()
@click.argument("name")
@click.option("--edits", metavar="FILE", help="JSON or CSV, a row per edit; 'reviewer' is required.")
@click.option("--reviewers", type=click.IntRange(1, MOST_REVIEWERS), help=f"How many edits, if not {REVIEWERS}.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Another seed, another order.")
@click.option("--save", metavar="FILE", help="Keep the run, for 'dexpatterns replay'.")
@_svg
@_json
@_lang
def run(
    *, name: str, edits: str | None, reviewers: int | None, seed: int, save: str | None, svg: str | None, as_json: bool,
    lang: str,
) -> int:  # fmt: skip
    """Run the pattern NAME once: its lanes, its edits and a verdict.

    \b
    Examples:
      dexpatterns run critical-section
      dexpatterns run critical-section --edits edits.csv --seed 7 --svg lanes.svg
    """
    from dexpatterns import catalog, simulate
    from dexpatterns.edits import read_edits

    if edits is not None and reviewers is not None:
        raise InputError("--reviewers and --edits both say whose edits to run; leave one of them out")
    _check_outputs({"--save": save, "--svg": svg}, {"--edits": edits})
    pattern = catalog.load(name)
    if pattern.section is None:
        raise InputError(f"{name!r} has no section to show; see 'dexpatterns list'")
    if edits is None:
        input, scenario = pattern.make_input(reviewers=reviewers or REVIEWERS), pattern.scenario
    else:
        input, scenario = pattern.from_edits(read_edits(edits))
    tokens = [] if pattern.token is None else [pattern.token]
    with _patience(len(input) if isinstance(input, Sequence) else 1, lang):
        made = simulate(pattern.flow, input, sections=[pattern.section], tokens=tokens, scenario=scenario, seed=seed)
        if save is not None:
            made.save(save)
    return _show(made, pattern, as_json=as_json, svg=svg, lang=lang)


@main.command()
@click.argument("file", metavar="FILE")
@_svg
@_json
@_lang
def replay(*, file: str, as_json: bool, svg: str | None, lang: str) -> int:
    """Show a run again that was kept by 'run --save FILE'.

    \b
    Example:
      dexpatterns replay run.json --svg lanes.svg
    """
    from dexpatterns import load_run

    _check_outputs({"--svg": svg}, {"the run": file})
    loaded = load_run(file)
    if not loaded.sections:
        raise InputError(f"{file!r} was saved without a section, so there is nothing to show; save it with one")
    return _show(loaded, _pattern_of(loaded), as_json=as_json, svg=svg, lang=lang)


def _pattern_of(run: Run) -> Pattern | None:
    """The catalog's pattern of that Flow: a saved run does not say how many may be inside together."""
    from dexpatterns import catalog

    for pattern in catalog.patterns():
        source = (pattern.path / "flow.py").read_text(encoding="utf-8")
        if f"class {run.trace.name}(" in source and pattern.section.name == run.sections[0].name:
            return pattern
    return None


class _Found(NamedTuple):
    """What is in a run; `limit` is how many may be inside together, and how many tokens there are."""

    edits: list[EditSeen]
    branches: int
    limit: int
    overlaps: list[Overlap]
    beyond: int
    """Overlapping pairs; with a limit above one, how often one more came in."""
    token: str | None
    tokens: int
    status: str

    @property
    def holds(self) -> bool:
        return self.status == "COMPLETED" and not self.beyond and not (self.token and self.tokens > self.limit)


def _look(run: Run, pattern: Pattern | None) -> _Found:
    from dexpatterns.dex import sections
    from dexpatterns.edits import seen_edits

    reading = sections.read(run.trace, run.sections[0])
    limit = int(getattr(pattern.world, "LIMIT", 1)) if pattern else 1
    overlaps = sections.overlaps(reading.visits)
    token, queues = next(iter(run.tokens), None), run.trace.final.get("channels", {}).items()
    return _Found(
        edits=seen_edits(run.trace, reading),
        branches=sum(lane.kind == "branch" for lane in reading.lanes),
        limit=limit,
        overlaps=overlaps,
        beyond=len(overlaps) if limit == 1 else _beyond(reading.visits, limit),
        token=token,
        tokens=sum(len(queue) for name, queue in queues if name == token or name.startswith(f"{token}/")),
        status=str(run.trace.final.get("status", "")),
    )


def _beyond(visits: Iterable[Visit], limit: int) -> int:
    found, ends = 0, list[int]()
    for visit in (visit for visit in visits if not visit.late):
        ends = [end for end in ends if end > visit.start_turn]
        found += len(ends) >= limit
        ends.append(visit.end_turn)
    return found


def _show(run: Run, pattern: Pattern | None, *, as_json: bool, svg: str | None, lang: str) -> int:
    found = _look(run, pattern)
    timeline = run.timeline(run.sections[0], lang=lang)
    if svg is not None:
        _write_file(svg, timeline.svg)
    verdict = _verdict(run, found, lang)
    if as_json:
        _write_json(_data(run, pattern, found, verdict))
    else:
        more = len(found.edits) - MOST_ROWS
        lanes = timeline.text(shutil.get_terminal_size((100, 24)).columns)
        _write("\n".join(map(_shown, lanes.splitlines())) + "\n\n")
        table = _table(_say(lang, "columns"), [_cells(edit, lang) for edit in found.edits[:MOST_ROWS]])
        _write(table + (f"{_say(lang, 'more', n=more)}\n\n" if more > 0 else ""))
        _write(_rendered(verdict, style="bold green" if found.holds else "bold red"))
    return 0 if found.holds else 1


def _verdict(run: Run, found: _Found, lang: str) -> str:
    """One line: how many, whether they overlap, where the token is, and why the Flow did not complete."""
    limit, tokens = found.limit, found.tokens
    bound = "overlaps" if limit == 1 else "beyond" if found.beyond else "within"
    parts = [_say(lang, "edits", n=found.branches), _say(lang, bound, n=found.beyond, limit=limit)]
    if found.token is not None:
        back = "tokens" if tokens != limit else "back" if limit == 1 else "all back"
        parts.append(_say(lang, "not back" if limit == 1 and not tokens else back, n=tokens, limit=limit))
    if found.status != "COMPLETED":
        why = _why(run, lang)
        parts.append(_say(lang, "status", status=found.status) + (_say(lang, "why") + why if why else ""))
    return _shown(_say(lang, "and").join(parts))


def _why(run: Run, lang: str) -> str:
    """Why a Flow did not complete: its reason, or who is left."""
    final = run.trace.final
    steps = final.get("steps", ())
    if final.get("reason") or not steps:
        return str(final.get("reason", ""))
    if any(step["phase"] != "waiting" for step in steps):
        return _say(lang, "cut", n=len(run.trace.turns))
    path = tuple(map(int, steps[0]["id"].split(".")))
    events: Iterable[Any] = (event for turn in run.trace.turns for event in turn.events)
    waits = [event.wait for event in events if event.kind == "waiting" and event.path == path]
    told = _say(lang, "waits", step=steps[0]["step"], wait=waits[-1]) if waits else ""
    return _say(lang, "waiting", n=len(steps)) + (f" ({told})" if told else "")


def _data(run: Run, pattern: Pattern | None, found: _Found, verdict: str) -> dict[str, Any]:
    pairs = [(pair.first.label, pair.second.label, pair.start, pair.end) for pair in found.overlaps]
    token = found.token and {"channel": found.token, "messages": found.tokens}
    return {
        "pattern": pattern.id if pattern else None,
        "flow": run.trace.name,
        "seed": run.trace.seed,
        "status": found.status,
        "reason": run.trace.final.get("reason", ""),
        "section": run.sections[0].name,
        "limit": found.limit,
        "edits": [{**edit._asdict(), "seconds": edit.seconds} for edit in found.edits],
        "overlaps": [dict(zip(("first", "second", "started", "ended"), pair, strict=True)) for pair in pairs],
        "token": token,
        "outputs": run.trace.final.get("outputs", []),
        "verdict": verdict,
        "holds": found.holds,
    }


def _cells(edit: EditSeen, lang: str) -> tuple[str, ...]:
    seconds = "-" if edit.seconds is None else f"{edit.seconds:,.1f}"
    # What the Flow itself says of an edit is more than what can be seen of it from outside.
    way_out, started, ended = edit.way_out or _say(lang, edit.outcome), _clock(edit.started), _clock(edit.ended)
    return edit.id, edit.reviewer, way_out, started, ended, seconds


def _clock(seconds: float | None) -> str:
    """Hours, minutes and seconds.

    >>> _clock(3725.04), _clock(None)
    ('1:02:05.0', '-')
    """
    tenths = round((seconds or 0) * 10)
    return "-" if seconds is None else f"{tenths // 36000}:{tenths // 600 % 60:02}:{tenths // 10 % 60:02}.{tenths % 10}"


def _shown(text: str) -> str:
    r"""The text with everything that a terminal would obey written as an escape.

    >>> print(_shown("Ada \x1b[31m \u202e 陈"))
    Ada \x1b[31m \u202e 陈
    """
    if text.isprintable():
        return text
    # A joiner makes one emoji of several; a wide space is a space.
    return "".join(c if c.isprintable() or c in "\u200d\u3000" else ascii(c)[1:-1] for c in text)


def _table(columns: str, rows: Iterable[Iterable[str]]) -> str:
    from rich import box
    from rich.table import Column, Table

    table = Table(*(Column(name, overflow="fold") for name in columns.split("|")), box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*(cell if len(cell) <= 200 else f"{cell[:199]}…" for cell in map(_shown, row)))
    return _rendered(table)


def _rendered(thing: Any, style: str | None = None) -> str:
    from rich.console import Console

    # Not on stdout itself: rich ends the program when nobody reads any more. Brackets in a name are no markup.
    page = io.TextIOWrapper(io.BytesIO(), encoding=sys.stdout.encoding, errors="backslashreplace", newline="")
    console = Console(file=page, force_terminal=sys.stdout.isatty(), markup=False, emoji=False, highlight=False)
    console.print(thing, style=style, soft_wrap=style is not None)
    page.seek(0)
    return page.read()


def _patience(edits: int, lang: str) -> AbstractContextManager[Any]:
    if edits < LONG_WORK or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(_say(lang, "work"))


def _write(text: str, stream: Any = None) -> None:
    """Write it all; a reader who has seen enough changes no exit status."""
    stream = stream or sys.stdout
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
        if not isinstance(error, BrokenPipeError):
            raise _unwritable("output", stream.name, error) from None


def _write_json(data: Any) -> None:
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    text = json.dumps(data, ensure_ascii=encoding != "utf8", indent=2)
    _write(_OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


_OBEYED = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON leaves as it is and a terminal may obey."""


def _check_outputs(outputs: dict[str, str | None], inputs: dict[str, str | None]) -> None:
    """Refuse, before anything runs, a path that could not be written or that is in use already."""
    taken = {os.path.realpath(path): option for option, path in inputs.items() if path is not None}
    for option, path in outputs.items():
        if path is None:
            continue
        try:
            target = Path(os.path.realpath(path))
            whose = taken.setdefault(str(target), option)
            if whose != option:
                raise OSError(None, f"the file of {whose}")
            if target.exists() and not target.is_file():
                raise OSError(None, "a folder" if target.is_dir() else "a device")
            if target.exists() and not os.access(target, os.W_OK):
                raise OSError(None, "one that is read-only")
            tempfile.TemporaryFile(dir=target.parent).close()
        except (OSError, ValueError) as error:
            raise _unwritable(option, path, error) from None


def _write_file(path: str, text: str) -> None:
    """Write the file beside its place, then move it there, so that nobody ever sees half of it."""
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(target)
    except OSError as error:
        raise _unwritable("--svg", path, error) from None
    finally:
        part.unlink(missing_ok=True)


def _unwritable(option: str, path: str, error: Exception) -> InputError:
    said = (getattr(error, "strerror", None) or str(error)).lower()
    return InputError(f"{option} {path!r}: expected a file that can be written, got {said}; name another")
