"""The browser of these tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """An installed Chromium without a window; where there is none, its tests are skipped."""
    program = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"needs a browser: {', '.join(_NAMES)}")
    with sync_playwright() as playwright:
        # As root, as in containers, Chromium starts without its sandbox only.
        opened = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"], timeout=300_000
        )
        yield opened
        opened.close()
