"""Parameters of one game change nothing in the others, and defaults may differ by game."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from engines.choices import GAMES
from engines.errors import VariantError
from engines.features import features_of, without_feature
from engines.registry import DRIVERS, PARAMETERS
from engines.rules.catalog import rules_of
from engines.spec import Value
from engines.variant import make_variant, parse_variant
from toolkit.books.book import load_book

OF_GAMES = [param for param in PARAMETERS.values() if param.games]
DEPTHS = {"chess": 6, "connect-four": 8, "draughts": 9, "othello": 8}


@pytest.mark.native
@pytest.mark.parametrize("game", GAMES)
def test_parameters_of_other_games_change_no_search(game: str, core: Any) -> None:
    opening = load_book(rules_of(game).default_book).openings[40]
    defaults = dict(make_variant("mtdf", {"game": game, "hash": 1}).parameters)

    def searched(changed: dict[str, Value]) -> tuple[int, ...]:
        searcher = core.Searcher("mtdf", defaults | changed)
        searcher.set_position(opening.fen)
        found = searcher.search(depth=DEPTHS[game])
        return found["nodes"], found["value"]

    usual = searched({})
    for param in OF_GAMES:
        other = next(v for v in (param.off, param.high) if v not in (None, defaults[param.name]))
        is_equal = searched({param.name: other}) == usual
        assert is_equal or game in param.games, param.name
    off = {param.name: param.off for param in OF_GAMES if param.off is not None}
    is_known = any(game in param.games for param in OF_GAMES)
    assert (searched(off) != usual) == is_known


@pytest.mark.parametrize("game", GAMES)
def test_parameters_are_features_of_their_games_only(game: str) -> None:
    variant = make_variant("mtdf", {"game": game})
    features = features_of(variant)
    for param in OF_GAMES:
        value = variant.parameters[param.name]
        is_on = param.off is not None and value != param.off
        assert (param.name in features) == (is_on and game in param.games)
        # Identities are older than the declaration of games.
        assert (param.name in variant.effective) == (value != param.neutral)
        if is_on and game not in param.games:
            with pytest.raises(VariantError, match=f"`{param.name}` has an effect only with game="):
                without_feature(variant, param.name)


def test_defaults_differ_by_game(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = structs.replace(PARAMETERS["futility"], by_game={})
    monkeypatch.setitem(PARAMETERS, "futility", usual)
    other = structs.replace(usual, by_game={"othello": 200})
    before = {game: make_variant("pvs", {"game": game}) for game in GAMES}
    monkeypatch.setitem(PARAMETERS, "futility", other)
    for game, variant in before.items():
        now = parse_variant(f"pvs:game={game}")
        assert now.parameters["futility"] == (200 if game == "othello" else usual.default)
        assert (now.identity == variant.identity) == (game != "othello")
        assert parse_variant(now.spelling).identity == now.identity
        # A stored variant is played with its own values.
        assert make_variant("pvs", dict(variant.effective)).identity == variant.identity
        text = f"pvs:{f'game={game},' * (game != 'chess')}futility={usual.default}"
        spelled = "pvs:game=othello,futility=44" if game == "othello" else variant.spelling
        assert parse_variant(text).spelling == spelled


def test_games_of_parameters_exist() -> None:
    names = {game for param in PARAMETERS.values() for game in (*param.games, *param.by_game)}
    assert names <= set(GAMES)
    assert all(param.name in DRIVERS["mtdf"].parameters for param in OF_GAMES)
