"""The end reason of an imported game, from the texts of other programs.

fastchess and cutechess end the last comment with a sentence (``White mates``, ``Draw by 3-fold
repetition``) and have a ``Termination`` tag with the standard's words; lichess and chess.com only
have the tag; our own PGN has ``EndReason``.
"""

from __future__ import annotations

import re

from toolkit.referee.outcome import EndReason

_SIDE = r"(?:white|black)"
_SENTENCES = [
    (rf"{_SIDE} mates|{_SIDE} wins by checkmate|.* won by checkmate", EndReason.CHECKMATE),
    (r"(?:draw|game drawn) by stalemate", EndReason.STALEMATE),
    (
        r"(?:draw|game drawn) by (?:3-fold |threefold )?repetition",
        EndReason.THREEFOLD_REPETITION,
    ),
    (r"(?:draw|game drawn) by (?:fifty[- ]moves?|50[- ]moves?)(?: rule)?", EndReason.FIFTY_MOVES),
    (
        r"(?:draw|game drawn) by insufficient (?:mating )?material",
        EndReason.INSUFFICIENT_MATERIAL,
    ),
    (rf"{_SIDE} has no move", EndReason.NO_MOVES),
    (r"draw by forty moves rule", EndReason.FORTY_MOVES),
    (rf"(?:{_SIDE} wins|draw) by discs", EndReason.MOST_DISCS),
    (rf"{_SIDE} has four in a row", EndReason.FOUR_IN_A_ROW),
    (r"draw by full board", EndReason.FULL_BOARD),
    (
        rf"{_SIDE} loses on time.*|{_SIDE} wins on time|draw by timeout.*|.* won on time"
        r"|game drawn by timeout.*|time forfeit",
        EndReason.TIME_FORFEIT,
    ),
    (
        rf"{_SIDE} (?:makes|made) an illegal move.*|{_SIDE} wins by illegal move"
        r"|rules infraction|illegal move",
        EndReason.ILLEGAL_MOVE,
    ),
    (
        rf"{_SIDE} disconnects|{_SIDE}'s connection stalls|{_SIDE} wins by disconnect"
        r"|draw by (?:disconnection|stalled connection)|abandoned|stalled connection"
        r"|.* won - game abandoned",
        EndReason.ENGINE_FAILURE,
    ),
    (
        r"draw by (?:adjudication: )?(?:maxim(?:um|al) (?:game|match) length|max(?:imum)? moves)",
        EndReason.MAX_LENGTH,
    ),
    (rf"{_SIDE} wins by adjudication", EndReason.RESIGN_ADJUDICATION),
    (r"draw by adjudication", EndReason.DRAW_ADJUDICATION),
    (rf"(?:{_SIDE} wins|draw) by adjudication: .*|adjudication", EndReason.ADJUDICATION),
    (rf"{_SIDE} resigns|{_SIDE} wins by resignation|.* won by resignation", EndReason.RESIGNATION),
    (r"(?:draw|game drawn) by agreement", EndReason.AGREEMENT),
]
_READ = [(re.compile(pattern, re.IGNORECASE), reason) for pattern, reason in _SENTENCES]
_DRAWS = {
    EndReason.STALEMATE,
    EndReason.THREEFOLD_REPETITION,
    EndReason.FIFTY_MOVES,
    EndReason.INSUFFICIENT_MATERIAL,
    EndReason.FORTY_MOVES,
    EndReason.FULL_BOARD,
    EndReason.DRAW_ADJUDICATION,
    EndReason.MAX_LENGTH,
    EndReason.AGREEMENT,
}
_WINS = {
    EndReason.CHECKMATE,
    EndReason.NO_MOVES,
    EndReason.FOUR_IN_A_ROW,
    EndReason.RESIGN_ADJUDICATION,
    EndReason.RESIGNATION,
}
_OWN = {str(reason): reason for reason in EndReason}


def written_reason(tags: dict[str, str], comment: str) -> EndReason | None:
    """The end reason in the file, or None. ``comment``: the last comment of the game."""
    own = _OWN.get(tags.get("EndReason", ""))
    if own is not None:
        return own
    comment = " ".join(comment.split())
    # fastchess and cutechess: `-M1/12 0.040s, White mates`
    for text in (comment.rpartition(", ")[2], comment, tags.get("Termination", "")):
        reason = _read(" ".join(text.split()))
        if reason is not None:
            return reason
    return None


def contradiction(reason: EndReason, *, drawn: bool) -> str | None:
    """Why a game with this end reason cannot have this result; None if it can."""
    if reason in (_WINS if drawn else _DRAWS):
        return f"it ended by {reason}, but its result is {'a' if drawn else 'not a'} draw"
    return None


def is_resignation(tags: dict[str, str]) -> bool:
    """Whether a decided game without another ending was resigned: so lichess means ``Normal``."""
    site = tags.get("Site", "")
    return site.startswith("https://lichess.org/") and tags.get("Termination") == "Normal"


def _read(text: str) -> EndReason | None:
    for pattern, reason in _READ:
        if text and pattern.fullmatch(text):
            return reason
    return None
