"""Games as PGN, in the form of fastchess and cutechess: their tags, and their comments on moves.

A comment is ``{+0.35/12 1.234s, n=45678, p=4}``: the value for the side that moved, the depth, the
time, the nodes, and the passes, which only our searches have. A mate is ``+M5`` or ``-M4``, in
plies. What an external engine printed of its move follows as fastchess has it: ``sd=18,
hashfull=12, tbhits=0, pv="e2e4 e7e5", line="info string ..."``, the line where it differs from the
one on the side's move before. The comment on the last move ends with how the game ended, as in
``White mates``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from operator import attrgetter

from db.records.engines import IMPORTED_BACKEND
from db.records.events import TUNING_KIND, EventRecord
from db.records.games import GameRecord
from db.records.openings import OpeningRecord
from engines.limit import Limit, limit_of
from engines.rules.board import Board, Rules
from engines.rules.catalog import rules_of_moves
from engines.rules.chess import STANDARD
from engines.spec import MATE, MATE_BOUND, EngineLine
from toolkit.referee.lines import NO_LINES, without_repeated
from toolkit.referee.outcome import EndReason
from toolkit.referee.searchdata import (
    NOTHING_FOUND,
    FoundSearch,
    decode_found,
    decode_moves,
    line_moves,
)

_WIDTH = 80
"""Characters of a line of moves; a move with its comment is never divided."""
_TERMINATION = {
    EndReason.TABLEBASE_ADJUDICATION: "adjudication",
    EndReason.RESIGN_ADJUDICATION: "adjudication",
    EndReason.DRAW_ADJUDICATION: "adjudication",
    EndReason.MAX_LENGTH: "adjudication",
    EndReason.TIME_FORFEIT: "time forfeit",
    EndReason.ILLEGAL_MOVE: "illegal move",
    EndReason.ENGINE_FAILURE: "abandoned",
    EndReason.ADJUDICATION: "adjudication",
    EndReason.UNKNOWN: "",
}
"""The words of fastchess and cutechess for endings that are not ``normal``."""
_ENDINGS = {
    EndReason.CHECKMATE: "{winner} mates",
    EndReason.STALEMATE: "Draw by stalemate",
    EndReason.INSUFFICIENT_MATERIAL: "Draw by insufficient mating material",
    EndReason.THREEFOLD_REPETITION: "Draw by 3-fold repetition",
    EndReason.FIFTY_MOVES: "Draw by fifty moves rule",
    EndReason.NO_MOVES: "{loser} has no move",
    EndReason.FORTY_MOVES: "Draw by forty moves rule",
    EndReason.MOST_DISCS: "{winner} wins by discs",
    EndReason.FOUR_IN_A_ROW: "{winner} has four in a row",
    EndReason.FULL_BOARD: "Draw by full board",
    EndReason.TABLEBASE_ADJUDICATION: "{winner} wins by adjudication: SyzygyTB",
    EndReason.RESIGN_ADJUDICATION: "{winner} wins by adjudication",
    EndReason.DRAW_ADJUDICATION: "Draw by adjudication",
    EndReason.MAX_LENGTH: "Draw by adjudication: maximal game length",
    EndReason.TIME_FORFEIT: "{loser} loses on time",
    EndReason.ILLEGAL_MOVE: "{loser} makes an illegal move",
    EndReason.ENGINE_FAILURE: "{loser} disconnects",
    EndReason.ADJUDICATION: "{winner} wins by adjudication",
    EndReason.RESIGNATION: "{loser} resigns",
    EndReason.AGREEMENT: "Draw by agreement",
}
"""How the comment on the last move tells the end, in their words."""
_ECO = re.compile(r"([A-E]\d\d)(?: (.+))?")
_SERIAL = re.compile(r"\S*\d")
"""A label that only counts lines, such as ``17`` or ``own.001``."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_IN_COMMENT = str.maketrans({"{": "(", "}": ")", '"': "'"})


def game_to_pgn(
    game: GameRecord,
    *,
    event: EventRecord | None = None,
    opening: OpeningRecord | None = None,
    spellings: Mapping[str, str] | None = None,
    comments: bool = False,
    fault: str = "",
    lines: Mapping[int, EngineLine] = NO_LINES,
) -> str:
    """A game in PGN, with a newline at its end. For a game imported without moves, only the tags
    and the result.

    ``opening``: the book line it was played from; its moves then precede the game's moves, and
    ``BookPlies`` is their number. ``comments``: add ``book`` after each book move, and the search
    result after each other move, as fastchess does (see :mod:`toolkit.referee.pgn`). ``lines``:
    what external engines printed, by ply of the game from 0. ``spellings``: variants by identity.
    In addition to the standard tags and those of fastchess there are ``EndReason``, ``Fault`` (what
    ended the game apart from its rules, as given), ``GameId``, ``EventId``, ``SearchLimit`` (the
    limit for a move, as in ``100 nodes/move``), ``Book``, ``BookLine``, ``BookPlies``,
    ``WhiteVariant`` and ``BlackVariant``, each only if known. A game of Chess960 has ``Variant``
    and always ``FEN``, with castling rights as in X-FEN. Games of other games have ``Variant``,
    those of draughts also ``GameType`` as in PDN; ``FEN`` has the position as text.
    """

    rules = rules_of_moves(game.moves_version)
    board = rules.replay(game.start_fen if opening is None else opening.start_fen)
    start = board.text()
    booked = [] if opening is None else line_moves(opening, rules)
    tags = _tags(game, event, len(booked), opening)
    if fault:
        tags["Fault"] = fault
    if rules.tag:
        tags["Variant"] = rules.tag
    if rules.game_type:
        tags["GameType"] = rules.game_type
    if rules.chess960 or start != rules.start:
        tags |= {"SetUp": "1", "FEN": start}
    for side, identity in (("White", game.white_id), ("Black", game.black_id)):
        if spellings and game.backend != IMPORTED_BACKEND and identity in spellings:
            tags[f"{side}Variant"] = spellings[identity]
    codes = decode_moves(game.moves, game.moves_version)
    moves = [*booked, *codes]
    notes: Iterable[str] = [""] * len(moves)
    if comments:
        searches = decode_found(game.search_data, len(codes), game.search_version)
        ended = [""] * (len(codes) - 1) + [_ending(game)]
        notes = ["book"] * len(booked) + [
            _comment(search, end, without_repeated(lines, ply))
            for ply, (search, end) in enumerate(zip(searches, ended, strict=False))
        ]
    head = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in tags.items())
    return f"{head}\n{_wrapped([*_words(board, moves, notes), game.result])}\n"


def _words(board: Board, moves: Iterable[int], notes: Iterable[str]) -> Iterator[str]:
    """Each move with its number and its comment; plays the moves on ``board``."""
    number = "" if board.begins_number() else f"{board.number()}... "
    for code, note in zip(moves, notes, strict=True):
        if board.begins_number():
            number = f"{board.number()}. "
        word = board.spelled(code)
        board.push(code)
        yield f"{number}{word} {{{note}}}" if note else f"{number}{word}"
        number = ""


def _wrapped(words: Iterable[str]) -> str:
    """The words in lines of at most :data:`_WIDTH` characters, as far as the words allow."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + 1 + len(word) <= _WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)


def _escaped(value: str) -> str:
    """A tag's value as the standard writes it; a line break would end the tag."""
    return _CONTROL.sub(" ", value).replace("\\", r"\\").replace('"', r"\"")


def opening_moves(opening: OpeningRecord, rules: Rules = STANDARD) -> list[str]:
    """The names of the moves from ``start_fen`` to the opening position, in chess UCI."""
    return [rules.move_name(code) for code in line_moves(opening, rules)]


def _tags(
    game: GameRecord, event: EventRecord | None, booked: int, opening: OpeningRecord | None
) -> dict[str, str]:
    """The tags, those of the standard's roster first; ``booked``: plies of the book."""
    date = (game.started_at or "????-??-??")[:10].replace("-", ".")
    tags = {
        "Event": (event.name or event.key) if event else "?",
        "Site": game.host or "?",
        "Date": date,
        "Round": f"{game.pairing + 1}.{game.pair + 1}.{game.game}",
        "White": game.white,
        "Black": game.black,
        "Result": game.result,
    }
    if game.started_at is not None:
        tags |= {"UTCDate": date, "UTCTime": game.started_at[11:19]}
    tags |= _times(game)
    termination = _TERMINATION.get(EndReason(game.end_reason), "normal")
    if termination:
        tags["Termination"] = termination
    tags["EndReason"] = game.end_reason
    tags["PlyCount"] = str(booked + game.plies)
    if booked:
        tags["BookPlies"] = str(booked)
    if game.id:
        tags["GameId"] = f"g{game.id}"
    label = "" if opening is None else opening.label
    if known := _ECO.fullmatch(label):
        tags["ECO"], label = known[1], known[2] or ""
    if label and not _SERIAL.fullmatch(label):
        tags["Opening"] = label
    if event is None:
        return tags
    tags["EventId"] = event.key
    tags |= _limit_tags(game, event)
    if game.opening_line is not None:
        tags["Book"] = event.settings.get("book", {}).get("name", "?")
        tags["BookLine"] = str(game.opening_line)
    return tags


def _times(game: GameRecord) -> dict[str, str]:
    """When the game was played, in fastchess's words."""
    if game.started_at is None or game.ended_at is None:
        return {}
    start, end = datetime.fromisoformat(game.started_at), datetime.fromisoformat(game.ended_at)
    seconds = max(0, round((end - start).total_seconds()))
    return {
        "GameDuration": f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}",
        "GameStartTime": f"{start:%Y-%m-%dT%H:%M:%S %z}",
        "GameEndTime": f"{end:%Y-%m-%dT%H:%M:%S %z}",
    }


def _limit_tags(game: GameRecord, event: EventRecord) -> dict[str, str]:
    limits = game_limits(game, event)
    return {} if limits is None else limits_in_tags(*limits)


def game_limits(game: GameRecord, event: EventRecord) -> tuple[Limit, Limit] | None:
    """The limits of White and Black; None if unknown. A player's own one is in the event's settings
    by its place; in a tuning, points have that of the base."""
    settings = event.settings
    if not settings.get("limit"):
        return None
    own = settings.get("limits", {})
    places = {player["label"]: str(k) for k, player in enumerate(settings.get("players", []))}
    other = "0" if event.kind == TUNING_KIND else ""
    white, black = (
        limit_of(own.get(places.get(label, other), settings["limit"]))
        for label in (game.white, game.black)
    )
    return white, black


def limits_in_tags(white: Limit, black: Limit) -> dict[str, str]:
    """The limits of both players: one tag of each kind, or one for each of them where they
    differ."""
    tags: dict[str, str] = {}
    for name, form in (("TimeControl", attrgetter("time_control")), ("SearchLimit", str)):
        if form(white) == form(black):
            tags[name] = form(white)
        else:
            tags |= {f"White{name}": form(white), f"Black{name}": form(black)}
    return tags


def _comment(search: FoundSearch, ending: str, line: EngineLine | None = None) -> str:
    """What is known of a search, and how the game ended with it; may be empty. An unknown value is
    left out, as fastchess does, and an unknown depth is 0; what is unknown beyond these is left
    out."""
    fields = []
    if search != NOTHING_FOUND:
        value = "" if search.value is None else _value(search.value)
        time = "" if search.time_us is None else f" {_spent(search.time_us)}"
        fields.append(f"{value}/{search.depth or 0}{time}")
    if search.nodes is not None:
        fields.append(f"n={search.nodes}")
    if search.passes is not None:
        fields.append(f"p={search.passes}")
    if line is not None:
        fields += _printed(line)
    if ending:
        fields.append(ending)
    return ", ".join(fields)


def _printed(line: EngineLine) -> Iterator[str]:
    """What an engine printed, in fields; its texts without what would end a field or a comment."""
    for name, count in (
        ("sd", line.seldepth),
        ("hashfull", line.hashfull),
        ("tbhits", line.tbhits),
    ):
        if count is not None:
            yield f"{name}={count}"
    for name, text in (("pv", line.pv), ("line", line.string and f"info string {line.string}")):
        if text:
            yield f'{name}="{text.translate(_IN_COMMENT)}"'


def _value(value: int) -> str:
    """Pawns with two decimals, or plies to mate as ``+M5``, from the view of the side that
    moved."""
    sign = "+" if value > 0 else "-" if value < 0 else ""
    if abs(value) >= MATE_BOUND:
        return f"{sign}M{MATE - abs(value)}"
    return f"{sign}{abs(value) / 100:.2f}"


def _spent(time_us: int) -> str:
    """Seconds with the three decimals of fastchess, or more where there are some to tell."""
    seconds = f"{time_us // 1_000_000}.{time_us % 1_000_000:06}"
    return f"{seconds[:-3]}{seconds[-3:].rstrip('0')}s"


def _ending(game: GameRecord) -> str:
    """How a game ended; empty if that is unknown."""
    winner, loser = ("White", "Black") if game.result == "1-0" else ("Black", "White")
    text = _ENDINGS.get(EndReason(game.end_reason), "")
    if game.result == "1/2-1/2":
        text = text.replace("{winner} wins", "Draw")
    return text.format(winner=winner, loser=loser)
