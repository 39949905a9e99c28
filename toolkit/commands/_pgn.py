"""Writing the games of an event to a PGN file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from toolkit.base.errors import OperationFailed, UsageError

if TYPE_CHECKING:
    from db.records import EventRecord
    from db.session import Database


@dataclass(frozen=True, slots=True)
class PgnFile:
    """A file that can be written when the games are there."""

    path: Path

    @classmethod
    def checked(cls, text: str | None) -> Self | None:
        """The file of that path, None for none. Raises UsageError if it cannot be written, so
        that this is known before any game is played."""
        if text is None:
            return None
        path = Path(text)
        if path.is_dir():
            raise UsageError(f"--pgn-out {path}: is a directory")
        folder = path.absolute().parent
        if not folder.is_dir():
            raise UsageError(f"--pgn-out {path}: there is no directory {folder}")
        if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
            raise UsageError(f"--pgn-out {path}: cannot be written")
        return cls(path)

    def write(self, db: Database, event: EventRecord) -> int:
        """Write all games of the event, replacing the file, and return their number. The file is
        either complete or unchanged. Raises OperationFailed."""
        from toolkit.reports.games import GameQuery, list_pgn

        part = self.path.with_name(self.path.name + ".part")
        number = 0
        try:
            with open(part, "w", encoding="utf-8") as file:
                for text in list_pgn(db, GameQuery(event=event)):
                    file.write(text + "\n")
                    number += 1
            os.replace(part, self.path)
        except OSError as error:
            raise OperationFailed(f"--pgn-out {self.path}: {error.strerror}") from error
        finally:
            part.unlink(missing_ok=True)
        return number
