"""Checks of this machine or of an engine, one line each and what follows from it."""

from __future__ import annotations

from toolkit.base.output import Output, Style

_STYLES: dict[str, Style] = {"ok": "green", "warn": "yellow", "FAIL": "red"}
_WIDTH = 14
"""Of the names of checks."""


def print_check(output: Output, status: str, name: str, detail: str, then: str) -> None:
    """One check; ``then``: what to do, or what it means; may be empty."""
    mark = output.styled(f"{f'[{status}]':<6}", _STYLES[status])
    output.text(detail, lead=f"{mark} {name:<{_WIDTH}} ")
    if then:
        output.text(then, lead=" " * (_WIDTH + 8))
    output.flush()
