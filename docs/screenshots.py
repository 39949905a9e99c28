"""Take the pictures of pages that README.md and pages.md show: run ``python docs/screenshots.py``.

The commands below play, tune and search in an empty directory, so the pictures are of a real run
of today's program. Needs the native core, Chromium, Playwright for Python (the extra ``test``) and
some minutes of an idle machine.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, sync_playwright

IMAGES = Path(__file__).parent / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
COMMANDS = (
    "mtdf gauntlet --hero mtdf --field mtdf:convergence=plaat --field pvs --field alphabeta "
    "--pairs 100 --nodes 2000 --jobs 2 --seed 7 --name first --quiet",
    "mtdf sprt --test pvs --base alphabeta --elo0 0 --elo1 20 --nodes 1000 --jobs 2 --seed 3 "
    "--name better --quiet",
    "mtdf tune run --base mtdf:guess=zero --param guess --param null_move_reduction=1..5 "
    "--nodes 300 --budget-pairs 1600 --jobs 2 --seed 1 --name tuned --quiet",
    "mtdf lab compare --engine mtdf --engine mtdf:guess=zero --engine negascout --depth 3..6 "
    "--jobs 2 --name drivers --quiet",
    "mtdf report --event first -o event.html",
    "mtdf report --event better -o test.html",
    "mtdf report --study tuned -o study.html",
)
"""What the pictures are of, run in an empty directory."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture of a page."""

    name: str
    page: str
    """The file, and its place that is shown first."""
    width: int
    height: int
    scheme: Literal["light", "dark"] = "light"


SHOTS = (
    Shot("page-event", "event.html", 1300, 1000),
    Shot("page-test", "test.html", 1300, 900, "dark"),
    Shot("page-game", "event.html#game-g12-34", 1300, 1000),
    Shot("page-study", "study.html#study-tuned-slices", 1300, 1000),
    Shot("page-phone", "event.html", 390, 844, "dark"),
)


def main() -> int:
    """Take all pictures."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"needs one of {', '.join(BROWSERS)} on the PATH", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as directory:
        for command in COMMANDS:
            _run(command, directory)
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(
                executable_path=browser, args=["--no-sandbox"] if os.getuid() == 0 else []
            )
            for shot in SHOTS:
                _take(chromium, Path(directory), shot)
            chromium.close()
    return 0


def _run(command: str, directory: str) -> None:
    """Run a command of the program that is installed beside this Python."""
    words = [str(Path(sysconfig.get_path("scripts"), "mtdf")), *shlex.split(command)[1:]]
    environment = {key: value for key, value in os.environ.items() if key != "MTDF_DB"}
    subprocess.run(words, cwd=directory, env=environment, check=True)


def _take(chromium: Browser, directory: Path, shot: Shot) -> None:
    context = chromium.new_context(
        viewport={"width": shot.width, "height": shot.height}, color_scheme=shot.scheme
    )
    page = context.new_page()
    file, _, place = shot.page.partition("#")
    page.goto((directory / file).as_uri() + (f"#{place}" if place else ""))
    page.wait_for_selector("html[data-drawn]")
    if place and not place.startswith("game-"):  # a game comes into view by itself
        page.locator(f"[id='{place}']").scroll_into_view_if_needed()
    page.screenshot(path=IMAGES / f"{shot.name}.png")
    context.close()


if __name__ == "__main__":
    sys.exit(main())
