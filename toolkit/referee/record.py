"""From a played game to the record that is kept."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from msgspec import to_builtins

from db.records.games import GameRecord
from db.records.openings import OpeningRecord
from toolkit.base.version import Provenance
from toolkit.referee.referee import Limits, PlayedGame, can_recur
from toolkit.referee.searchdata import encode_moves, encode_searches, sum_known


def played_fields(played: PlayedGame, provenance: Provenance) -> dict[str, Any]:
    """The fields of a record that the game itself and the program that played it give."""
    searches = played.searches
    search_version, search_data = encode_searches(searches)
    white, black = (slice(0, None, 2), slice(1, None, 2))[:: 1 if played.white_starts else -1]
    return {
        "result": played.outcome.result,
        "end_reason": str(played.outcome.reason),
        "plies": len(searches),
        "moves": encode_moves(searches.moves),
        "moves_version": played.rules.moves_version,
        "search_data": search_data,
        "search_version": search_version,
        "white_nodes": sum_known(searches.nodes[white]),
        "black_nodes": sum_known(searches.nodes[black]),
        "white_cpu_us": sum(searches.cpu_us[white]),
        "black_cpu_us": sum(searches.cpu_us[black]),
        "host": provenance.host,
        "speed": provenance.speed,
        "time_factor": provenance.time_factor,
        "backend": provenance.backend,
        "signature": provenance.signature,
        "version": provenance.version,
    }


def key_of(game: GameRecord, limits: Limits, history: str) -> str | None:
    """The key of a game that was played now; see :func:`game_key`."""
    identities, labels = (game.white_id, game.black_id), (game.white, game.black)
    made = (game.signature, game.start_fen, limits, game.moves)
    return game_key(identities, labels, *made, chess960=game.chess960, history=history)


_NO_LIMIT = {"nodes": None, "depth": None, "movetime_ms": None, "base_ms": None, "inc_ms": 0}
"""Fields of limits that keys of games include even if they are not set."""


def history_of(opening: OpeningRecord) -> str:
    """The line of a book of games, as far as it can affect a game from its end; empty if no
    position of it can occur again."""
    if not opening.moves or not can_recur(opening.fen):
        return ""
    return f"{opening.start_fen} {opening.moves.hex()}"


def game_key(
    identities: tuple[str, str],
    labels: tuple[str, str],
    signature: str,
    start_fen: str,
    limits: Limits,
    moves: bytes,
    *,
    chess960: bool = False,
    history: str = "",
) -> str | None:
    """Hash of everything that defines a game; None if a clock could affect it.

    The hash covers both identities (White's first), the core's signature, the start, the limits,
    the moves, whether it is Chess960, and what came before in the book (:func:`history_of`), so
    another game with the same key adds no information. An engine that plays itself under two labels
    plays the same game with either colour. The labels distinguish these games; otherwise half of
    each pair would not count.
    """
    if not all(limit.deterministic for limit in limits):
        return None
    players = identities if identities[0] != identities[1] else (*identities, *labels)
    white, black = (_NO_LIMIT | to_builtins(limit) for limit in limits)
    parts = [*players, signature, start_fen, white, moves.hex(), *([black] * (black != white))]
    if chess960:
        parts.append("chess960")
    if history:
        parts.append(history)
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
