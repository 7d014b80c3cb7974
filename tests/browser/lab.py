"""JupyterLab on a free port of 127.0.0.1, and notebooks in it whose cells are written and run from outside.

A cell is run as a person runs it, by JupyterLab's own command; what a test reads is what stands in its output.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
}
"""What JupyterLab would ask the internet for, and would lay over the page."""
EMPTY = {
    "cells": [],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
PATIENCE = 30

# The kernel is there once it has said what it is; an idle mark may come before.
READY = """async () => {
  const app = window.jupyterapp;
  await app.restored;
  const panel = app.shell.currentWidget;
  await panel.context.ready;
  await panel.sessionContext.ready;
  await panel.sessionContext.session.kernel.info;
}"""

RUN = """async (code) => {
  const app = window.jupyterapp;
  const notebook = app.shell.currentWidget.content;
  const cells = notebook.model.sharedModel;
  cells.insertCell(cells.cells.length, { cell_type: "code", source: code, metadata: {} });
  notebook.activeCellIndex = cells.cells.length - 1;
  notebook.deselectAll();
  await app.commands.execute("notebook:run-cell");
  const cell = notebook.activeCell;
  await notebook.scrollToItem(notebook.activeCellIndex, "smart");
  return [notebook.activeCellIndex, cell.model.outputs.toJSON()];
}"""

STATE = """() => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  return [notebook.mode, notebook.activeCellIndex, notebook.widgets.map((cell) => cell.model.type).join(" ")];
}"""

CLEAR = """() => {
  const cells = window.jupyterapp.shell.currentWidget.content.model.sharedModel;
  cells.deleteCellRange(0, cells.cells.length);
}"""

NARROW = """(width) => {
  const id = "narrow-outputs";
  document.getElementById(id)?.remove();
  if (!width) return;
  const style = document.createElement("style");
  style.id = id;
  style.textContent = `.jp-OutputArea-output { max-width: ${width}px; }`;
  document.head.append(style);
}"""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a JupyterLab whose notebooks, settings and runtime files are all in `folder`, with its token."""
    for name, value in SETTINGS.items():
        plugin, _, setting = name.partition("/")
        path = folder / "settings" / "@jupyterlab" / plugin / f"{setting}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
    (folder / "notebooks").mkdir()
    places = {
        "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces", "JUPYTER_DATA_DIR": "data",
        "JUPYTER_CONFIG_DIR": "config", "JUPYTER_RUNTIME_DIR": "runtime", "IPYTHONDIR": "ipython",
    }  # fmt: skip
    own = {name: str(folder / place) for name, place in places.items()} | {"PYTHONPATH": str(ROOT)}
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--expose-app-in-browser",
        f"--ServerApp.root_dir={folder / 'notebooks'}",
    ]  # fmt: skip
    log = folder / "lab.log"
    with log.open("w", encoding="utf-8") as out:
        server = subprocess.Popen(command, env={**os.environ, **own}, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
    try:
        yield _address(server, folder / "runtime", log)
    finally:
        server.terminate()
        try:
            server.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _address(server: subprocess.Popen[bytes], runtime: Path, log: Path) -> str:
    """Which port it took stands in a file that it writes once it listens."""
    path = runtime / f"jpserver-{server.pid}.json"
    until = time.monotonic() + PATIENCE
    while not path.exists() and server.poll() is None and time.monotonic() < until:
        time.sleep(0.1)
    assert path.exists(), log.read_text(encoding="utf-8")
    said = json.loads(path.read_text(encoding="utf-8"))
    return f"{said['url']}lab/workspaces/test/tree/{{name}}?token={said['token']}&reset"


class Notebook:
    """One notebook, open in a page of the browser."""

    def __init__(self, page: Any, address: str, name: str) -> None:
        self.page = page
        page.goto(address.format(name=name))
        page.wait_for_selector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook", timeout=PATIENCE * 1000)
        page.evaluate(READY)

    def run(self, code: str) -> Any:
        """Put a cell at the end and run it; gives the place of its output. What it raises is raised here."""
        at, outputs = self.page.evaluate(RUN, code)
        failed = [one for one in outputs if one["output_type"] == "error"]
        assert not failed, "\n".join(failed[0]["traceback"])
        self.outputs = outputs
        return self.page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{at}'] .jp-OutputArea-output").last

    def ask(self, expression: str) -> Any:
        """The value of an expression in the kernel, by a cell of its own."""
        self.run(f"import json\nprint(json.dumps({expression}))")
        return json.loads("".join(one["text"] for one in self.outputs))

    def comes_to(self, expression: str, value: Any) -> bool:
        """Whether it has this value soon: what the browser says may still be on its way."""
        until = time.monotonic() + PATIENCE
        while (found := self.ask(expression)) != value and time.monotonic() < until:
            time.sleep(0.1)
        assert found == value
        return True

    def clear(self) -> None:
        """Take all cells away."""
        self.page.evaluate(CLEAR)

    def narrow(self, width: int) -> None:
        """Give outputs this width in px, 0 for what the window gives."""
        self.page.evaluate(NARROW, width)

    def state(self) -> tuple[str, int, str]:
        """(mode, place of the cell that is chosen, types of all cells): what a stray key would change."""
        mode, at, types = self.page.evaluate(STATE)
        return mode, at, types

    def theme(self, name: str) -> None:
        self.page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", name)
        light = str("Dark" not in name).lower()
        self.page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached")
        # It covers the page meanwhile. Two changes close together would take the cover away twice, which is an error.
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")
