"""The PGN file of an event, which grows while the event is played.

The database is the truth, and the file follows it: it is written from the database when a run of
the event begins, and the games of a stored pair are then added by one write. A process that is
killed leaves whole games, or at worst cuts the last one, and ``resume`` writes the file again: the
event keeps its path. If the file cannot be written, the event goes on, and the file is made from
the database at its end.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from toolkit.base.errors import UsageError
from toolkit.base.files import check_writable, whole_file
from toolkit.base.output import Output

if TYPE_CHECKING:
    from db.records.events import EventRecord
    from db.records.games import GameRecord
    from db.session import Database
    from toolkit.reports.games import PgnTexts

_HEAD_BYTES = 65_536
"""Where the tags of the first game are."""


class PgnFile:
    """The file of one run of an event."""

    def __init__(self, path: Path, output: Output) -> None:
        self.path = path
        """As the user named it."""
        self._output = output
        self._place = Path(os.path.realpath(path))
        self._descriptor: int | None = None
        """Of the open file; None before the run, and after something went wrong."""
        self._size = 0
        self._texts: PgnTexts | None = None
        self._event: EventRecord | None = None

    @classmethod
    def checked(cls, text: str | None, output: Output) -> Self | None:
        """The file of that path, None for none. Raises UsageError if it cannot be written, so
        that this is known before any game is played."""
        if text is None:
            return None
        path = Path(text)
        try:
            text.encode()
        except UnicodeEncodeError:  # the event keeps the path
            raise UsageError(f"--pgn-out {path}: is not UTF-8 text") from None
        if path.is_dir():
            raise UsageError(f"--pgn-out {path}: is a directory")
        if path.exists() and not path.is_file():
            raise UsageError(f"--pgn-out {path}: is not a regular file")
        folder = path.absolute().parent
        if not folder.is_dir():
            raise UsageError(f"--pgn-out {path}: there is no directory {folder}")
        if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
            raise UsageError(f"--pgn-out {path}: cannot be written")
        try:
            check_writable(path)
        except OSError as error:
            raise UsageError(f"--pgn-out {path}: {error.strerror or error}") from error
        return cls(path, output)

    @classmethod
    def kept(cls, event: EventRecord, output: Output) -> Self | None:
        """The file that an unfinished event was played with; None without one. Also None, after a
        warning, if it cannot be written or has games of something else by now."""
        from db.records.runs import PGN

        text = event.settings.get(PGN)
        if text is None or event.status == "done":
            return None
        try:
            file = cls.checked(str(text), output)
            if not _is_of(Path(text), event):
                raise UsageError(f"--pgn-out {text}: has games of something else now")
        except (UsageError, OSError) as error:
            output.warning(f"{error}; going on without it (--pgn-out FILE writes all games)")
            return None
        return file

    def add(self, db: Database, event: EventRecord, games: Sequence[GameRecord]) -> None:
        """Add games that were just stored. The first call of a run comes before its first game and
        writes the games that were stored earlier. A problem with the file is a warning."""
        from toolkit.reports.games import PgnTexts

        try:
            if self._texts is None:
                self._event, self._texts = event, PgnTexts(db)
                self._keep_path(db, event)
                self._write_all(db, event)
            elif self._descriptor is not None:
                self._append("".join(self._texts.text(game) + "\n" for game in games))
        except OSError as error:
            self._close()
            self._output.warning(
                f"--pgn-out {self.path}: {error.strerror}; the games are in the database, and the "
                "file is written when the run ends"
            )

    def finish(self, db: Database) -> str | None:
        """Make sure that the file has every stored game, and close it; prints how many these are.
        Returns why the file is not complete, None if it is."""
        if self._event is None:
            return None
        try:
            if self._descriptor is None:
                self._write_all(db, self._event)
            else:
                try:
                    self._check()
                except OSError:
                    self._write_all(db, self._event)
        except OSError as error:
            return (
                f"--pgn-out {self.path}: {error.strerror}; the games are in the database: "
                f"mtdf games --event {self._event.key} --pgn > FILE"
            )
        finally:
            self._close()
        return None

    def _keep_path(self, db: Database, event: EventRecord) -> None:
        """Keep with the event where its games go, so that ``resume`` completes the file."""
        from db.records.runs import PGN

        place = os.path.abspath(self.path)
        if event.settings.get(PGN) != place:
            db.repository.note(event, **{PGN: place})

    def _write_all(self, db: Database, event: EventRecord) -> None:
        """Write all games of the event, replacing the file: it is either complete or unchanged. The
        file stays open."""
        from db.records.games import GameFilter

        assert self._texts is not None
        self._close()
        with whole_file(self._place) as file:
            for game in db.repository.games(GameFilter(event_id=event.id)):
                file.write(f"{self._texts.text(game)}\n".encode())
        self._descriptor = os.open(self._place, os.O_WRONLY | os.O_APPEND)
        self._size = os.fstat(self._descriptor).st_size

    def _append(self, text: str) -> None:
        """Add text, all of it or nothing."""
        self._check()
        assert self._descriptor is not None
        data = text.encode()
        try:
            written = os.write(self._descriptor, data)
            if written < len(data):  # the disk is full, which only the next write says
                os.write(self._descriptor, data[written:])
        except OSError:
            os.ftruncate(self._descriptor, self._size)
            raise
        self._size += len(data)

    def _check(self) -> None:
        """Raises OSError if the file is not there any more, or somebody else changed it."""
        assert self._descriptor is not None
        own, there = os.fstat(self._descriptor), os.stat(self._place)
        if not os.path.samestat(own, there):
            raise OSError(0, "the file was replaced by another one")
        if not stat.S_ISREG(there.st_mode) or there.st_size != self._size:
            raise OSError(0, "the file was changed by another program")

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _is_of(path: Path, event: EventRecord) -> bool:
    """Whether a PGN file is missing, empty or begins with a game of the event."""
    if not path.exists():
        return True
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    found = re.search(rb'^\[EventId "(.*)"\]', head, re.MULTILINE)
    return not head.strip() or (found is not None and found[1] == event.key.encode())
