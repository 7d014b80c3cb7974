"""Makes the exercises' notebooks out of their folders, in both languages, with the outputs that they have as shipped.

    python -m dexpatterns.exercises.notebooks [FOLDER]

The same folders give the same bytes on every machine: cells are run in this process, and of a picture or a seat the
plain text is kept, since a drawing depends on which `dot` there is, and a widget on the browser. A stored notebook is
never edited by hand: change the folder, and make it again. This module judges nothing.
"""

from __future__ import annotations

import ast
import io
import json
import linecache
import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from itertools import count
from pathlib import Path
from typing import Any

from dexpatterns.engine.texts import LANGUAGES
from dexpatterns.exercises.content import Exercise, all_exercises, root

__all__ = ["executed", "name_of", "notebook", "text_of", "write"]

_WORDS = {
    "level": ("Level {level} of 3", "难度 {level}/3"),
    "other": ("[中文]({file})", "[English]({file})"),
    "picture": ("## The puzzle in a picture", "## 题目的图"),
    "given": (
        "## Given\n\nRun this cell; there is nothing to change in it.",
        "## 已给出的代码\n\n运行这个单元格；其中没有需要修改的内容。",
    ),
    "seat": (
        (
            "## The scheduler's seat\n\nRun this cell, and play in what it shows: click a move or press its number. "
            "Run it again to begin anew."
        ),
        (
            "## 调度者席位\n\n运行这个单元格，然后在显示出来的席位里走：点击一步走法，或按它的编号。"
            "再运行一次即可重新开始。"
        ),
    ),
    "yours": (
        "## Yours\n\nChange this cell and run it. What you call `answer` is what is judged.",
        "## 由你来写\n\n修改并运行这个单元格。名为 `answer` 的就是要判断的答案。",
    ),
    "check": (
        "## Check\n\nEvery order is tried. Either your answer is proved, or you get a shortest run that breaks it.",
        "## 检查\n\n每一种顺序都会尝试。你的答案要么被证明，要么得到打破它的最短运行。",
    ),
    "hints": ("## Hints", "## 提示"),
    "hint": ("Hint {n}", "提示 {n}"),
    "more": ("## Now you", "## 轮到你"),
    "solution": (
        "One solution: `exercises.solution({id!r})`. There are others, and the check proves those as well.",
        "一种解法：`exercises.solution({id!r})`。还有别的解法，检查同样会证明它们。",
    ),
}
_KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_IGNORED = "nbval-ignore-output"
"""The tag of a cell whose output is another one each time: drawn by whichever `dot` is there, or a widget."""
_numbers = count(1)


def name_of(exercise: Exercise, lang: str) -> str:
    """The notebook's file name, such as `01-give-it-back.ipynb` and `01-give-it-back.zh.ipynb`."""
    return f"{exercise.number:02}-{exercise.id}{'' if lang == 'en' else f'.{lang}'}.ipynb"


def notebook(exercise: Exercise, lang: str = "en", answer: str = "start") -> dict[str, Any]:
    """The notebook as its JSON value, without outputs; `answer` names the module whose code stands in the cell."""
    words = {key: pair[lang == "zh"] for key, pair in _WORDS.items()}
    given, own = exercise.cells()[0], exercise.cells(answer)[1]
    other = name_of(exercise, "zh" if lang == "en" else "en")
    head = f"# {exercise.number:02} · {exercise.title(lang)}\n\n"
    head += f"{words['level'].format(level=exercise.level)} · {words['other'].format(file=other)}\n\n"
    said = "" if lang == "en" else f', lang="{lang}"'
    hints = "\n\n".join(
        f"<details><summary>{words['hint'].format(n=n)}</summary>\n\n{hint}\n\n</details>"
        for n, hint in enumerate(exercise.hints(lang), start=1)
    )
    more = f"{words['more']}\n\n{exercise.more(lang)}\n\n{words['solution'].format(id=exercise.id)}"
    picture = f'from dexpatterns import exercises\n\nexercises.picture("{exercise.id}"{said})'
    cells = [
        _markdown("puzzle", head + exercise.puzzle(lang)),
        _markdown("picture-head", words["picture"]),
        _code("picture", picture, tags=[_IGNORED]),
        _markdown("given-head", words["given"]),
        _code("given", given),
        *([_markdown("seat-head", words["seat"]), _seat(lang)] if exercise.kind == "schedule" else []),
        _markdown("yours-head", words["yours"]),
        _code("yours", own),
        _markdown("check-head", words["check"]),
        _code("check", f'exercises.check("{exercise.id}", answer{said})'),
        _markdown("hints", f"{words['hints']}\n\n{hints}"),
        _markdown("more", more),
    ]
    return {"cells": cells, "metadata": _KERNEL, "nbformat": 4, "nbformat_minor": 5}


def _seat(lang: str) -> dict[str, Any]:
    """The cell with the widget: not in the puzzle's file, which is run as well when an answer is judged."""
    return _code("seat", f"seat = simulation.seat({'' if lang == 'en' else f'lang={lang!r}'})\nseat", tags=[_IGNORED])


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _markdown(id: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": id, "metadata": {}, "source": _lines(text)}


def _code(id: str, text: str, tags: Iterable[str] = ()) -> dict[str, Any]:
    metadata = {"tags": [*tags]} if tags else {}
    return {
        "cell_type": "code", "execution_count": None, "id": id, "metadata": metadata, "outputs": [],
        "source": _lines(text),
    }  # fmt: skip


def executed(made: dict[str, Any]) -> dict[str, Any]:
    """The same notebook with its cells run, in this process and in order; raises whatever they raise.

    A cell's last expression is kept as plain text and as HTML, of a cell that nbval ignores as plain text alone.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    number = 0
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            plain = _IGNORED in cell["metadata"].get("tags", ())
            outputs = list(_outputs("".join(cell["source"]), names, number, plain=plain))
            cell = {**cell, "execution_count": number, "outputs": outputs}
        cells.append(cell)
    return {**made, "cells": cells}


def _outputs(source: str, names: dict[str, Any], number: int, *, plain: bool) -> Iterator[dict[str, Any]]:
    # A file name of its own for each cell that is ever run: what a Step decides is read from its source.
    file = f"<cell {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, _lines(source + "\n"), file)
    tree = ast.parse(source, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, file, "exec"), names)  # noqa: S102  # running cells is what it is for
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), file, "eval"), names)  # noqa: S307  # as above
    if printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())}
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        if not plain and hasattr(value, "_repr_html_"):
            data["text/html"] = _lines(value._repr_html_())
        yield {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}


def text_of(made: dict[str, Any]) -> str:
    """The notebook as it is stored."""
    return json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def write(folder: Path | None = None) -> tuple[Path, ...]:
    """Write every exercise's notebooks, run, into a folder (its own if none is said); the files that were written."""
    folder = root() if folder is None else folder
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for exercise in all_exercises():
        for lang in LANGUAGES:
            file = folder / name_of(exercise, lang)
            file.write_text(text_of(executed(notebook(exercise, lang))), encoding="utf-8")
            files.append(file)
    return tuple(files)


if __name__ == "__main__":
    for written in write(Path(sys.argv[1]) if sys.argv[1:] else None):
        print(written)
