"""Files that deviate from the standard are read as python-chess reads them."""

from __future__ import annotations

import io
import re
from pathlib import Path

import chess.pgn

from engines.limit import Limit
from engines.moves import decode_move
from toolkit.base.printable import text_of
from toolkit.imports.game import read_game
from toolkit.imports.run import stated_limit
from toolkit.imports.scan import scan_games
from toolkit.referee.searchdata import decode_found, decode_moves

CORPUS = Path(__file__).parents[1] / "data" / "import_odd.pgn"
TAGS_READ = {"Round": "3", "WhiteElo": "2000", "Größe": "x", "White-Country": "AA"}
"""Some of which python-chess ignores."""


def test_every_game_is_read_as_python_chess_reads_it() -> None:
    data = CORPUS.read_bytes()
    games = list(scan_games(data.splitlines()))
    texts = [text_of(part) for part in re.split(rb"\n(?=\[Event )", data)]
    assert len(games) == len(texts)
    for raw, text in zip(games, texts, strict=True):
        expected = chess.pgn.read_game(io.StringIO(text))
        assert expected is not None and not expected.errors, text
        headers, read = expected.headers, read_game(raw).game
        names = (read.white, read.black, ("0-1", "1/2-1/2", "1-0")[read.white_score])
        assert names == (headers["White"], headers["Black"], headers["Result"]), text
        moves = [decode_move(code) for code in decode_moves(read.moves)]
        assert moves == [move.uci() for move in expected.mainline_moves()], text
        start = expected.board().fen()
        assert (read.start_fen or chess.STARTING_FEN) == start, text


def test_results_in_comments_are_read_or_counted() -> None:
    raws = scan_games(CORPUS.read_bytes().splitlines())
    commented = [raw for raw in raws if raw.tags["Event"].startswith("comments of")]
    games = [read_game(raw) for raw in commented]
    assert [game.unread.count for game in games] == [0] * 6 + [2]
    found = [decode_found(one.search_data, 3, one.search_version)[0] for one, *_ in games]
    values = [(search.value, search.depth, search.nodes, search.time_us) for search in found]
    assert values == [
        (71, 8, 10_530, 5_000),
        (116, 8, None, 4_000),
        (15, 30, 5, 12_000_000),
        (15, 12, None, 5_000_000),
        (-20, 8, None, 62_000),
        (20, 8, None, 62_000),
        (None, None, None, None),
    ]
    limits = {stated_limit(raw.tags) for raw in commented}
    assert limits == {Limit(base_ms=10_000, inc_ms=100)}


def test_odd_tags_are_read_or_counted() -> None:
    games = list(scan_games(CORPUS.read_bytes().splitlines()))
    odd = [game.odd.first for game in games if game.odd.count]
    assert odd == ["[Annotator]", "[%evp 0,1]", '[Opening "French]', '[WhiteElo "2000"']
    tags = {name: value for game in games for name, value in game.tags.items()}
    assert tags.items() >= TAGS_READ.items()
    assert {game.tags.get("Site") for game in games} == {None, "x", 'a "b" c'}
