"""`python -m dexpatterns.pages`: makes the generated parts of pages anew, in place; for those who write pages."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from pathlib import Path

import click

from dexpatterns import catalog as shelf
from dexpatterns.catalog import Pattern
from dexpatterns.engine.texts import LANGUAGES
from dexpatterns.errors import DexpatternsError
from dexpatterns.pages import FILES, fill, problems_of, read
from dexpatterns.pages.index import INDEXES, index
from dexpatterns.terminal import note, write, write_file


@click.command("python -m dexpatterns.pages")
@click.argument("folders", nargs=-1)
@click.option("--check", "checking", is_flag=True, help="Write nothing; status 1 when something is amiss.")
def main(folders: tuple[str, ...], checking: bool) -> None:
    """Make the generated parts of page.md and page.zh.md anew, in place.

    FOLDERS are pattern folders, by path or by their name in the catalog; without any, all of it and its index.
    What stands between two comments is replaced, all else is left as it is:

    \b
      <!-- made: graph [FLOW] -->        the Flow's graph as text (or that of the workflows)
      <!-- made: run -->                 the lanes of a run in which all goes well, if there is one
      <!-- made: story CLAIM -->         the counterexample of a claim that is REFUTED, with its cause
      <!-- made: ways-out [CLAIM] -->    the ways out of the section; of a claim that asks for an audit, its own
      <!-- made: claims -->              every claim, its verdict, states and turns
      <!-- made: holds -->               who held which lock and who waited, in the run above (workflows)
      ... each closed by a line          <!-- /made -->

    \b
    Within a line, a number, never at the line's start:
      <!-- made: n CLAIM.FIELD --><!-- /made -->
    FIELD: states, transitions, turns, depth, outcomes, ways, value (of a measure), or what the claim is given.

    The first line is '# ' and the title, the second paragraph the one-liner of pattern.toml; then the eleven
    headings; the last section folds its answer away:
      <details><summary>Answer</summary> ... </details>   (in Chinese: 答案)

    What is wrong with a page is printed with its line, and the others go on. Status 1: something is wrong.
    """
    bad = 0
    for pattern in _patterns(folders):
        bad += _rewrite(pattern, checking)
    if not folders:
        bad += sum(_rewrite_index(lang, checking) for lang in LANGUAGES)
    sys.exit(1 if bad else 0)


def _patterns(folders: Iterable[str]) -> Iterable[Pattern]:
    if not folders:
        yield from shelf.patterns()
        for problem in shelf.problems():
            note(problem.text)
    for folder in folders:
        try:
            yield shelf.open(folder) if Path(folder).is_dir() else shelf.load(folder)
        except DexpatternsError as error:
            sys.exit(f"error: {error}")


def _rewrite(pattern: Pattern, checking: bool) -> int:
    """How many faults there are."""
    started = time.perf_counter()
    said, faults = [], []
    for lang in LANGUAGES:
        name = FILES[lang]
        try:
            text = read(pattern, lang)
            made = fill(pattern, text, lang)
        except (OSError, UnicodeError):
            continue  # told below, as a problem of the page
        except DexpatternsError as error:
            faults.append(str(error))
            continue
        if made == text:
            said.append(f"{name} as it was")
        elif checking:
            faults.append(f"{pattern.path / name}: a generated part is not what it should be; make it anew")
        else:
            write_file("the page", str(pattern.path / name), made)
            said.append(f"{name} written")
    # A marker that could not be filled is told once.
    faults += [one for one in problems_of(pattern) if one not in faults]
    seconds = time.perf_counter() - started
    write(f"{pattern.id}: {', '.join(said) or 'nothing done'}; {len(faults)} to mend; {seconds:.1f} s\n")
    for fault in faults:
        write(f"  {fault}\n")
    return len(faults)


def _rewrite_index(lang: str, checking: bool) -> int:
    file = shelf.root() / INDEXES[lang]
    made = index(lang)
    if file.is_file() and file.read_text(encoding="utf-8") == made:
        write(f"{file.name}: as it was\n")
        return 0
    if not checking:
        write_file("the index", str(file), made)
    write(f"{file.name}: {'not what it should be; make it anew' if checking else 'written'}\n")
    return int(checking)


if __name__ == "__main__":
    main()
