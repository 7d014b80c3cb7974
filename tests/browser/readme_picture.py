"""Makes the README's picture of the stepper: a run of the critical section at the turn in which the token comes back.

    python tests/browser/readme_picture.py

It is drawn from the page that `save_html` writes, in Chromium, and kept in `notebooks/stepper.png`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

PICTURE = ROOT / "notebooks" / "stepper.png"
WIDTH = 1180
TURN = 29


def main() -> None:
    from playwright.sync_api import sync_playwright

    from dexpatterns import catalog, simulate
    from tests.browser.conftest import ARGUMENTS, MISSING, find_chromium

    program = find_chromium()
    if program is None:
        sys.exit(MISSING)
    pattern = catalog.load("critical-section")
    run = simulate(
        pattern.flow, pattern.make_input(4, should_fail_save={3}),
        sections=[pattern.section], tokens=[pattern.token], scenario=pattern.scenario, seed=7,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "run.html")
        run.save_html(path)
        chromium = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        page = chromium.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
        page.goto(path.as_uri())
        page.locator("input[type=range]").evaluate(
            "(slider, to) => { slider.value = to; slider.dispatchEvent(new Event('input')); }", TURN
        )
        page.locator(".dxs").screenshot(path=PICTURE)
        chromium.close()
    print(f"{PICTURE.relative_to(ROOT)}: turn {TURN} of {len(run.trace.turns)}, {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
