"""Moves and what is said of them: legality, long games, mates, scores, variations, ``info``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from engines.external.protocol import CHESS960
from engines.spec import MATE, MATE_BOUND
from toolkit.compliance.conversation import START, AskedSearch, Conversation
from toolkit.compliance.finding import CheckVerdict, fail, ok, warn
from toolkit.compliance.positions import CHESS960_POSITIONS, POSITIONS, AskedPosition

if TYPE_CHECKING:
    import chess

_LONG_GAMES = (120, 300, 600)
"""Plies."""
_WANDER = 30
"""Plies without a move of a pawn in them."""
_LONG_SEARCH_MS = 1500
_NAMED = 3
_MATES = (
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1",
)
"""In one move, for White and for Black."""
_MATED = "k7/8/1K6/8/8/8/8/7R b - - 0 1"
"""One legal move, and then mate."""
_ONE_SIDED = (
    ("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 0 1", 1),
    ("4k3/pppp4/8/8/8/8/PPPP4/3QK3 b - - 0 1", -1),
    ("3qk3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1", -1),
    ("3qk3/pppp4/8/8/8/8/PPPP4/4K3 b - - 0 1", 1),
)
"""Positions with a queen more for one side, and the sign of their value for the side to move."""
_OVER = (
    ("checkmate", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"),
    ("stalemate", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
)
_DRAWN = (
    ("fifty moves", "8/5k2/8/8/8/8/1K6/3R4 w - - 100 130"),
    ("bare kings", "8/5k2/8/8/8/8/1K6/8 w - - 0 1"),
)
_NUMBERS = frozenset(
    "depth seldepth time nodes multipv currmovenumber hashfull nps tbhits sbhits cpuload".split()
)

_WHOLE = re.compile(r"-?[0-9]+")
_SAID_FIRST = frozenset(["info", "bestmove", "readyok", "option", "id", "uciok", "registration"])


def check_legal(talk: Conversation) -> CheckVerdict:
    """A legal move in each of sixty positions."""
    wrong = _wrong_moves(talk, POSITIONS, chess960=False)
    if wrong:
        return fail(f"{len(wrong)} of {len(POSITIONS)} illegal: {_first(wrong)}", _LOST)
    return ok(f"legal in {len(POSITIONS)} positions")


def check_chess960(talk: Conversation) -> CheckVerdict:
    """With UCI_Chess960, castling written as the king taking its rook is understood and played."""
    if CHESS960 not in talk.announced.options:
        return ok("not announced: it takes no part in events with --chess960")
    talk.sync(f"setoption name {CHESS960} value true")
    wrong = _wrong_moves(talk, CHESS960_POSITIONS, chess960=True)
    talk.sync(f"setoption name {CHESS960} value false")
    if wrong:
        return fail(
            f"{len(wrong)} of {len(CHESS960_POSITIONS)} illegal: {_first(wrong)}",
            "do not use --chess960 with it",
        )
    return ok(f"legal in {len(CHESS960_POSITIONS)} positions")


_LOST = "each such move loses a game"


def check_long_games(talk: Conversation) -> CheckVerdict:
    """A legal move after a long list of moves."""
    import chess

    slowest = 0.0
    game = long_game(_LONG_GAMES[-1])
    for plies in _LONG_GAMES:
        moves = game[:plies]
        board = chess.Board()
        for move in moves:
            board.push_uci(move)
        talk.progress(f"a game of {plies} plies")
        found = talk.quick(START, moves)
        if not _is_legal(board, found.move):
            return fail(f"after {plies} plies it moves `{found.move[:10]}`", _LOST)
        slowest = max(slowest, found.elapsed_ms)
    detail = f"up to {_LONG_GAMES[-1]} plies"
    if slowest > _LONG_SEARCH_MS:
        return warn(f"{detail}, {slowest:.0f} ms for a short search", "long games get slow")
    return ok(detail)


def check_game_over(talk: Conversation) -> CheckVerdict:
    """Where the game is over it answers, and where it is drawn it moves."""
    for theme, fen in (*_OVER, *_DRAWN):
        talk.progress(theme)
        talk.sync(talk.position(fen))
        talk.say("go depth 3")
        if talk.hears("bestmove", talk.pace.search_s) is not None:
            continue
        talk.say("stop")
        if talk.hears("bestmove", talk.pace.stop_s) is None:
            talk.close()
            return warn(
                f"does not answer at {theme}",
                "events end games before that; analysis in a GUI hangs",
            )
    return ok("answers at mate, stalemate and draws")


def check_mates(talk: Conversation) -> CheckVerdict:
    """It finds a mate in one and announces it, and a mate that it cannot avoid."""
    import chess

    for fen in _MATES:
        found = talk.search(fen, (), "depth 6", talk.pace.search_s)
        board = chess.Board(fen)
        if not _is_legal(board, found.move):
            continue  # judged elsewhere
        board.push_uci(found.move)
        if not board.is_checkmate():
            return warn(f"misses a mate in 1: {found.move}", "it is a weak opponent")
        if (verdict := _judged_mate(found, MATE - 1)) is not None:
            return verdict
    found = talk.search(_MATED, (), "depth 6", talk.pace.search_s)
    return _judged_mate(found, 2 - MATE) or ok("mate in 1 found and announced, for both sides")


def check_scores(talk: Conversation) -> CheckVerdict:
    """Scores are those of the side to move."""
    signs = []
    for fen, sign in _ONE_SIDED:
        value = talk.search(fen, (), "depth 3", talk.pace.search_s).info.value
        if value is not None:
            signs.append(value * sign > 0)
    if not signs:
        return warn("it says no scores", "the rules of --resign and --draw wait for them")
    if not all(signs):
        whose = "White" if signs == [True, False, True, False] else "another side"
        return fail(
            f"scores of {whose}, not of the side to move",
            "the rules of --resign and --draw decide games wrongly",
        )
    return ok("of the side to move")


def check_info(talk: Conversation) -> CheckVerdict:
    """Lines before ``bestmove`` are well formed, and say depth, score, nodes and a variation.
    Judges all searches so far."""
    faults: dict[str, str] = {}
    silent = said = 0
    for search in talk.searches:
        for line in search.lines[:-1]:
            if (fault := _line_fault(line)) is not None:
                faults.setdefault(fault, line)
        lines = [line for line in search.lines if line.startswith("info")]
        said += bool(lines)
        silent += not lines
    missing = [
        what
        for what, there in (
            ("depth", any(one.info.depth is not None for one in talk.searches)),
            ("score", any(one.info.value is not None for one in talk.searches)),
            ("nodes", any(one.info.nodes is not None for one in talk.searches)),
            ("pv", any(one.pv for one in talk.searches)),
        )
        if not there
    ]
    if missing:
        return warn(f"never says {', '.join(missing)}", "reports of its searches have gaps")
    if faults:
        fault, line = next(iter(faults.items()))
        return warn(f"{fault}: `{line[:70]}`", "what makes no sense is left out of reports")
    return ok(f"{said} searches" + (f", {silent} without a word" if silent else ""))


def check_pv(talk: Conversation) -> CheckVerdict:
    """Variations are legal and begin with the move. Judges all searches so far."""

    illegal: list[str] = []
    others = judged = 0
    for search in talk.searches:
        if not search.pv:
            continue
        board = _board(search)
        if not _is_legal(board, search.move):
            continue  # judged elsewhere
        judged += 1
        others += search.pv[0] != search.move
        for move in search.pv:
            try:
                board.push(board.parse_uci(move))
            except ValueError:
                illegal.append(f"{move[:10]} in `{' '.join(search.pv)[:50]}`")
                break
    if illegal:
        return warn(
            f"{len(illegal)} of {judged} illegal: {_first(illegal[:1])}",
            "games are not affected; programs that replay variations stumble",
        )
    if others:
        return warn(
            f"{others} of {judged} begin with another move than `bestmove`",
            "values in reports may belong to another move",
        )
    return ok(f"{judged} legal")


@cache
def long_game(plies: int) -> tuple[str, ...]:
    """A legal game in which nobody could claim a draw: pieces wander, and a pawn moves now and
    then. A longer one begins with the shorter ones."""
    import random

    import chess

    chance, board = random.Random(7), chess.Board()
    seen: Counter[str] = Counter([board.epd()])
    while len(board.move_stack) < plies:
        due = board.halfmove_clock >= _WANDER
        moves = [move for move in board.legal_moves if not board.is_capture(move)]
        chance.shuffle(moves)
        # Pawns last, or first where one is due.
        moves.sort(key=lambda move: (board.piece_type_at(move.from_square) == chess.PAWN) != due)
        for move in moves:
            board.push(move)
            if seen[board.epd()] < 2 and not board.is_check():
                seen[board.epd()] += 1
                break
            board.pop()
    return tuple(move.uci() for move in board.move_stack)


def _wrong_moves(
    talk: Conversation, positions: Sequence[AskedPosition], *, chess960: bool
) -> list[str]:
    import chess

    wrong = []
    for place, position in enumerate(positions, 1):
        talk.progress(f"position {place}/{len(positions)}")
        board = chess.Board(position.fen, chess960=chess960)
        for move in position.moves:
            board.push_uci(move)
        found = talk.quick(position.fen, position.moves, chess960=chess960)
        if not _is_legal(board, found.move):
            wrong.append(f"`{found.move[:10]}` ({position.theme}, {board.fen()})")
    return wrong


def _is_legal(board: chess.Board, text: str) -> bool:
    """As the referee reads moves: letters in any case."""
    import chess

    try:
        return chess.Move.from_uci(text.lower()) in board.legal_moves
    except ValueError:
        return False


def _board(search: AskedSearch) -> chess.Board:
    import chess

    board = chess.Board(search.fen, chess960=search.chess960)
    for move in search.moves:
        board.push_uci(move)
    return board


def _judged_mate(found: AskedSearch, expected: int) -> CheckVerdict | None:
    """What is wrong with the value of a mate; None if nothing. No value at all is judged
    elsewhere."""
    value = found.info.value
    if value is None or value == expected:
        return None
    plies = MATE - abs(expected)
    what = f"a mate in {(plies + 1) // 2} is announced as "
    if abs(value) < MATE_BOUND:
        return warn(
            f"{what}{value:+} centipawns",
            "reports do not know its mates; the rule of --resign still works",
        )
    if (value > 0) != (expected > 0):
        return fail(f"{what}one for the other side", "the rule of --resign decides games wrongly")
    return warn(
        f"{what}one in {(MATE - abs(value) + 1) // 2}", "reports give wrong distances to the mate"
    )


def _line_fault(line: str) -> str | None:
    """What is wrong with a line before ``bestmove``; None if nothing."""
    words = line.split()
    if not words:
        return None
    if words[0] not in _SAID_FIRST:
        return "a line that is not UCI"
    if words[0] != "info":
        return None
    if "string" in words:
        words = words[: words.index("string")]
    places = iter(range(1, len(words)))
    for place in places:
        word, after = words[place], words[place + 1 : place + 3]
        if word in ("pv", "refutation", "currline"):
            return None
        if word in _NUMBERS and not (after and _WHOLE.fullmatch(after[0])):
            return f"`{word}` without a whole number"
        if word == "score" and not (
            len(after) == 2 and after[0] in ("cp", "mate") and _WHOLE.fullmatch(after[1])
        ):
            return "`score` without cp or mate and a whole number"
    return None


def _first(wrong: Iterable[str]) -> str:
    shown = list(wrong)
    more = len(shown) - _NAMED
    return "; ".join(shown[:_NAMED]) + (f"; and {more} more" if more > 0 else "")
