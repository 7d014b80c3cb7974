"""Runs notebooks and stores their outputs in the form that is compared: `python tests/notebooks/store.py [FILE ...]`.

What differs from run to run is left out: widget models, times of execution, the version of Python. Without a name
every notebook under `notebooks/` is run. A notebook is written whole or not at all; one whose cell fails is left as
it was, and the cell is named.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
MODEL = "application/vnd.jupyter.widget-view+json"
"""A widget of a kernel that is gone: what stands beside it is what a reader can see."""
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def notebooks() -> list[Path]:
    return sorted(path for path in NOTEBOOKS.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)


def run(path: Path) -> Any:
    """The notebook with the outputs of a new kernel, started in its folder; raises `CellExecutionError`."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": path.parent}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=where).execute()
    return clean(notebook)


def clean(notebook: Any) -> Any:
    """The same without what differs from run to run."""
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": {"name": "python"}})
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:02}"
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k in ("tags", "jupyter")})
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(MODEL, None)
            output.metadata = nbformat.from_dict({}) if "metadata" in output else output.get("metadata")
            if output.metadata is None:
                del output["metadata"]
    return notebook


def store(path: Path) -> None:
    text = nbformat.writes(run(path), version=nbformat.NO_CONVERT) + "\n"
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def main(names: list[str]) -> int:
    failed = 0
    for path in map(Path, names) if names else notebooks():
        try:
            store(path.resolve())
            print(f"stored {path.name}")
        except CellExecutionError as error:
            failed += 1
            print(f"{path.name}: a cell failed, nothing stored:\n{error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
