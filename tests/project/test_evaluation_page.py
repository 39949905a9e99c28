"""The page of the evaluations quotes the errors that their data files record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def _recipe(root: Path, game: str) -> dict[str, Any]:
    data = json.loads((root / "engines" / "data" / f"{game}.json").read_text(encoding="utf-8"))
    recipe: dict[str, Any] = data["recipe"]
    return recipe


def _page(root: Path) -> str:
    return (root / "docs" / "evaluation.md").read_text(encoding="utf-8")


def test_errors_of_othello_are_those_of_the_file(root: Path) -> None:
    page, recipe = _page(root), _recipe(root, "othello")
    for name, errors in recipe["held_out_error"].items():
        assert f"| `{name}` | {' | '.join(f'{one:.2f}' for one in errors.values())} |" in page
    data = json.loads((root / "engines" / "data" / "othello.json").read_text(encoding="utf-8"))
    weights = sum(len(one["weights"][0]) for one in data["patterns"].values())
    assert f"{weights:,} weights at each knot" in page
    assert f"plays {recipe['games']:,} games" in page


def test_losses_of_draughts_are_those_of_the_file(root: Path) -> None:
    page, recipe = _page(root), _recipe(root, "draughts")
    losses = recipe["held_out_loss"]
    for name in ("pst", "full"):
        assert f"| `{name}` | {losses[name][0]:.4f} | {losses[name][1]:.4f} |" in page
    assert f"(a constant prediction has {losses['blind']:.4f})" in page
    assert f"{recipe['games']:,} own games" in page
