"""The documented examples of ``from toolkit import …`` run, each section in an empty directory."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import toolkit

SECTIONS = {
    text.partition("\n")[0]: text
    for text in re.split(r"\n(?=[^\n]+\n-{3,}\n)", toolkit.__doc__ or "")[1:]
}


def test_every_part_has_example() -> None:
    assert list(SECTIONS) == [
        "Playing",
        "Testing",
        "Rating",
        "Tuning",
        "The laboratory",
        "Pages and pictures",
    ]


@pytest.mark.native
@pytest.mark.parametrize("title", SECTIONS)
def test_example_prints_documented_output(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    example = doctest.DocTestParser().get_doctest(SECTIONS[title], {}, title, None, 0)
    printed: list[str] = []
    result = doctest.DocTestRunner().run(example, out=printed.append)
    assert result.attempted >= 5
    assert result.failed == 0, "".join(printed)
