"""Finding the games in the lines of a PGN file, quickly: tags are read, moves are not.

Games are separated by a line that begins with ``[`` after moves or after an empty line, outside of
a comment. A game is identified by a hash of its lines. If these cannot distinguish it from another
game of the same players (a bare result, without moves and time of day), the hash also covers all
games before it in the file. So two equal results are two games, and the same file, or a longer one
that starts with it, still gives the same hashes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from toolkit.base.printable import text_of
from toolkit.imports.source import MAX_GAME_BYTES

MAX_HEAD_BYTES = 256_000
"""Tags of a game that take more are taken for damage."""
_NAME = rb"\[\s*+([^\s\"'\[\]%]++)\s*+"
_REMARK = rb"\s*+(?:;.*+)?"
"""After a tag."""
_TAG = re.compile(_NAME + rb'"((?:[^"\\]++|\\.)*+)"\s*+\]' + _REMARK)
_LOOSE_TAGS = (
    # With quotation marks inside that should have been marked, as some programs write them.
    re.compile(_NAME + rb'"([^\[\]]*)"\s*+\]' + _REMARK),
    re.compile(_NAME + rb"'([^\[\]]*)'\s*+\]" + _REMARK),
    re.compile(_NAME + rb'([^\s"\[\]][^"\[\]]*+)\]' + _REMARK),
)
_TAG_NAME = re.compile(_NAME)
_NEEDED = (b"White", b"Black", b"Result", b"FEN", b"Variant", b"GameType")
"""Tags that decide what a game is."""
_COMMENT = re.compile(rb"\{[^}]*\}?|;[^\n]*")
_MOVE = re.compile(rb"(?:^|[\s.])(?:[a-h][1-8x]|[KQRBN][a-h1-8x]|[O0]-[O0])")
_ENDS = (b"1-0", b"0-1", b"1/2-1/2", b"*")
_KEY_BYTES = 16
_TAG_BYTES = 200
"""Memory of a tag in addition to its text."""
_TIME_TAGS = ("UTCTime", "GameStartTime", "GameEndTime", "Time", "GameId")
"""Tags that distinguish games without moves, as does a URL in ``Site``."""


@dataclass(slots=True)
class Unread:
    """What was not understood in a game; nothing else of the game is lost."""

    count: int = 0
    first: str = ""

    def add(self, text: str) -> None:
        """Count one more."""
        self.count += 1
        self.first = self.first or text


class RawGame(NamedTuple):
    """A game as its text."""

    line: int
    """Of its first tag, or of its first move if there is none; from 1."""
    tags: dict[str, str]
    movetext: bytes
    key: bytes
    """16 bytes: the same games have the same."""
    problem: str | None
    """What is wrong with it, as far as can be seen without reading the moves."""
    size: int
    """Bytes that it takes, roughly."""
    odd: Unread
    """Lines in brackets that are no tags; no tag that a game needs is among them."""


def scan_games(lines: Iterable[bytes]) -> Iterator[RawGame]:
    """The games of a file in order. A game of more than :data:`MAX_GAME_BYTES` has a problem, and
    the rest of it is not kept."""
    chain = b""
    game = _GameRead()
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        whole = len(line) <= MAX_GAME_BYTES
        if number == 1:
            text = text.removeprefix(b"\xef\xbb\xbf")
        # No comment of a game holds the first tag of one: it was never closed.
        if text[:1] == b"[" and (not game.in_comment or text.startswith(b'[Event "')):
            begins = not text.startswith(b"[%")  # a command is not a tag and does not begin a game
            if begins and (game.has_moves or (game.seen_blank and game.line)):
                raw = game.finished(chain)
                chain = raw.key
                yield raw
                game = _GameRead()
            game.add_tag(number, text, whole)
        elif text[:1] in (b"%", b";") and whole and not game.line:
            continue  # a remark before the first tag
        elif text or not whole:
            game.add_moves(number, text, whole)
        else:
            game.seen_blank = True
    if game.line:
        game.end_of_file()
        yield game.finished(chain)


class _GameRead:
    """The game that is being read."""

    def __init__(self) -> None:
        self.line = 0
        self.in_comment = False
        self.has_moves = False
        self.seen_blank = False
        self._tags: list[tuple[bytes, bytes]] = []
        self._head: list[bytes] = []
        self._head_bytes = 0
        self._moves = bytearray()
        self._problem: str | None = None
        self._odd = Unread()

    def add_tag(self, number: int, text: bytes, whole: bool) -> None:
        """A line of the head; ``whole``: nothing of it is missing."""
        self.line = self.line or number
        self.seen_blank = False
        self._head_bytes += len(text)
        if self._head_bytes > MAX_HEAD_BYTES or not whole:
            self._note(f"its tags take more than {MAX_HEAD_BYTES // 1000} kB")
            return
        self._head.append(text)
        match = _TAG.fullmatch(text)
        if match is not None:
            self._tags.append((match[1], match[2]))
            return
        several = _TAG.findall(text)
        if several and not _TAG.sub(b"", text):
            self._tags += several
            return
        loose = next(filter(None, (form.fullmatch(text) for form in _LOOSE_TAGS)), None)
        if loose is not None:
            self._tags.append((loose[1], loose[2].strip()))
        elif (name := _TAG_NAME.match(text)) is not None and name[1] in _NEEDED:
            where = "" if number == self.line else f"line {number}: "
            self._note(f"{where}`{_excerpt(text)}` is not a tag")
        else:
            self._odd.add(_excerpt(text))

    def add_moves(self, number: int, text: bytes, whole: bool) -> None:
        """A line after the tags; ``whole``: the line is complete."""
        if text[:1] == b"%" and not self.in_comment:
            return
        self.line = self.line or number
        self.has_moves = True
        if self.in_comment or b"{" in text:
            self.in_comment = whole and _ends_in_comment(text, self.in_comment)
        if not whole or len(self._moves) + len(text) > MAX_GAME_BYTES:
            self._note(f"it has more than {MAX_GAME_BYTES // 10**6} MB")
            return
        if self._moves:
            self._moves += b"\n"
        self._moves += text

    def end_of_file(self) -> None:
        """No line follows: moves without a result are then those of a file that was cut off, or is
        still being written. Half of the game is not the game."""
        told = any(name == b"Result" and value in _ENDS for name, value in self._tags)
        if told and self._moves and not self._moves.endswith(_ENDS):
            self._note("the file ends within its moves: cut off?")

    def finished(self, chain: bytes) -> RawGame:
        """The game; ``chain``: the key of the one before."""
        if not self._head:
            text = bytes(self._moves[:100]).partition(b"\n")[0]
            self._note(f"`{_excerpt(text)}` belongs to no game: there are no tags")
        if self.in_comment:
            self._note("a comment is not closed")
        tags = {_text(name): _text(value) for name, value in self._tags}
        movetext = bytes(self._moves)
        whole = hashlib.blake2b(b"\n".join(self._head), digest_size=_KEY_BYTES)
        whole.update(b"\n\n" + movetext)
        if not _is_telling(tags, movetext):
            whole.update(b"\n\n" + chain)
        size = len(movetext) + min(self._head_bytes, MAX_HEAD_BYTES) + _TAG_BYTES * len(tags)
        return RawGame(self.line, tags, movetext, whole.digest(), self._problem, size, self._odd)

    def _note(self, problem: str) -> None:
        self._problem = self._problem or problem


def _is_telling(tags: dict[str, str], movetext: bytes) -> bool:
    """Whether no other game is likely to have the same text."""
    if any(name in tags for name in _TIME_TAGS) or tags.get("Site", "").startswith("http"):
        return True
    return _MOVE.search(_COMMENT.sub(b" ", movetext)) is not None


def _ends_in_comment(text: bytes, inside: bool) -> bool:
    """Whether a brace comment is open after a line that begins within one or not."""
    at = 0
    while True:
        if inside:
            at = text.find(b"}", at)
            if at < 0:
                return True
        else:
            brace = text.find(b"{", at)
            if brace < 0 or text.find(b";", at, brace) >= 0:
                return False
            at = brace
        inside = not inside
        at += 1


def _text(value: bytes) -> str:
    """A tag's value."""
    text = text_of(value)
    return re.sub(r'\\(["\\])', r"\1", text) if "\\" in text else text


def _excerpt(text: bytes) -> str:
    whole = _text(text)
    shown = "".join(letter for letter in whole[:60] if letter.isprintable())
    return shown + ("…" if len(whole) > 60 else "")
