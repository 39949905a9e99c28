"""The file of ``--pgn-out`` grows while the event is played, and always has complete games."""

from __future__ import annotations

import errno
import io
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess.pgn
import pytest
from cases import each
from ended import COMMIT, ended

from toolkit.commands.runs import pgn as _pgn

Run = Callable[..., Any]
ADD = "toolkit.commands.runs.pgn:PgnFile.add"
SHORT = ("--nodes", "60", "--max-plies", "12", "--seed", "4", "-q")
MATCH = ("match", "mtdf", "pvs", "--pairs", "3", *SHORT, "--pgn-out", "games.pgn")


def ids(text: str) -> list[str]:
    """The ids of the games of a file, each of which must be whole."""
    handle = io.StringIO(text)
    found = []
    while game := chess.pgn.read_game(handle):
        assert game.errors == [] and game.headers["Result"] != "*"
        assert len(list(game.mainline_moves())) == int(game.headers["PlyCount"])
        found.append(game.headers["GameId"])
    assert text == "" or text.endswith("\n\n")
    return found


def stored(mtdf: Run) -> list[str]:
    """The ids of the games in the database."""
    return [row["id"] for row in mtdf("games", "--json").json]


def test_games_are_added_when_they_are_stored(
    mtdf: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.pgn"
    path.write_text("what was there before")
    sizes: list[int] = []
    add = _pgn.PgnFile.add

    def noted(self: _pgn.PgnFile, db: Any, event: Any, games: Any) -> None:
        add(self, db, event, games)
        sizes.append(len(ids(path.read_text())))
        assert sizes[-1] == 2 * db.repository.event(event.id).pairs_done

    monkeypatch.setattr(_pgn.PgnFile, "add", noted)
    assert mtdf(*MATCH).code == 0
    assert sizes[0] == 0 and sizes[-1] == 6 and sizes == sorted(sizes)


def test_resume_writes_missing_games(
    mtdf: Run, tmp_path: Path, leave_unfinished: Callable[..., None]
) -> None:
    path = tmp_path / "games.pgn"
    assert mtdf(*MATCH).code == 0
    leave_unfinished("mtdf.db", 1)
    text = path.read_text()
    path.write_text(text[: len(text) * 2 // 3])  # as if the disk had gone with it
    result = mtdf("resume", "last", "--pgn-out", "games.pgn")
    assert result.code == 0 and "wrote 6 games to games.pgn" in result.errors
    assert ids(path.read_text()) == stored(mtdf)
    path.unlink()
    assert mtdf("resume", "last", "--pgn-out", "games.pgn").code == 0
    assert ids(path.read_text()) == stored(mtdf), "also of an event that is done"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["games.pgn", "mtdf.db"]


def test_resume_completes_the_file_that_the_event_was_played_with(
    mtdf: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    leave_unfinished: Callable[..., None],
) -> None:
    """Without the option, from any folder; but a file that has other games by now is left alone."""
    path = tmp_path / "games.pgn"
    assert mtdf(*MATCH).code == 0
    whole = path.read_text()
    monkeypatch.chdir("/")
    leave_unfinished(str(tmp_path / "mtdf.db"), 1)
    path.write_text(whole[: len(whole) // 3])
    result = mtdf("resume", "last")
    assert result.code == 0 and f"wrote 6 games to {path}" in result.errors
    assert ids(path.read_text()) == stored(mtdf)
    leave_unfinished(str(tmp_path / "mtdf.db"), 1)
    path.write_text(other := whole.replace('[EventId "', '[EventId "x'))
    result = mtdf("resume", "last")
    assert result.code == 0 and path.read_text() == other
    assert [line for line in result.errors if "--pgn-out" in line] == [
        f"warning: --pgn-out {path}: has games of something else now; going on without it "
        "(--pgn-out FILE writes all games)"
    ]


@pytest.mark.slow
def test_killed_event_leaves_complete_games(mtdf: Run, tmp_path: Path) -> None:
    """Killed between the database and the file, and after both; every game is there once."""
    path = tmp_path / "games.pgn"
    words = ["match", "mtdf", "pvs", "--pairs", "24", *SHORT, "--jobs", "2"]
    for trigger, calls in ((COMMIT, 2), (ADD, 3), (COMMIT, 1)):
        ended(trigger, calls, signal.SIGKILL, *words, "--pgn-out", "games.pgn")
        whole = path.read_text()
        assert ids(whole) and set(ids(whole)) <= set(stored(mtdf))
        words = ["resume", "last", "--jobs", "2"]
    assert mtdf("resume", "last", "--pgn-out", "games.pgn", "-q").code == 0
    found = ids(path.read_text())
    assert len(found) == 48 and sorted(found) == sorted(stored(mtdf))


def full_after(times: int) -> Callable[[int, bytes], int]:
    """``os.write`` on a disk that is full after so many writes: of the next one half is written,
    and then nothing."""
    write = os.write
    calls = 0

    def limited(descriptor: int, data: bytes) -> int:
        nonlocal calls
        if not data.startswith(b"[Event ") and calls <= times:
            return write(descriptor, data)  # of somebody else
        calls += 1
        if calls > times + 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data[: len(data) // (2 if calls > times else 1)])

    return limited


def test_full_disk_does_not_stop_the_event(
    mtdf: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cut game is taken back at once, and the file is made at the end if there is room."""
    path = tmp_path / "games.pgn"
    seen: list[list[str]] = []
    close = _pgn.PgnFile._close

    def noted(self: _pgn.PgnFile) -> None:
        seen.append(ids(path.read_text()) if path.exists() else [])
        close(self)

    monkeypatch.setattr(_pgn.PgnFile, "_close", noted)
    monkeypatch.setattr(os, "write", full_after(0))
    result = mtdf(*MATCH)
    warnings = [line for line in result.errors if "--pgn-out" in line]
    assert warnings == [
        "warning: --pgn-out games.pgn: No space left on device; the games are in the database, and "
        "the file is written when the run ends"
    ]
    assert result.code == 0
    assert ids(path.read_text()) == stored(mtdf) and len(stored(mtdf)) == 6
    assert seen[1] == [], "nothing was left of the first write"


def test_unwritable_file_fails_after_the_result(
    mtdf: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_pgn.os, "replace", full)
    (tmp_path / "games.pgn").write_text("what was there before")
    result = mtdf(*MATCH)
    assert result.code == 1
    assert result.out.startswith("mtdf - pvs  +")
    key = mtdf("events", "--json").json[0]["id"]
    assert result.errors[-1] == (
        "error: --pgn-out games.pgn: No space left on device; the games are in the database: "
        f"mtdf games --event {key} --pgn > FILE"
    )
    assert (tmp_path / "games.pgn").read_text() == "what was there before"
    assert len(stored(mtdf)) == 6
    assert not list(tmp_path.glob("*.part"))


@pytest.fixture
def unfinished(mtdf: Run, leave_unfinished: Callable[..., None]) -> None:
    """The match after its first pair."""
    assert mtdf(*MATCH[:-2]).code == 0
    leave_unfinished("mtdf.db", 1)


@each(
    "harm, told",
    [
        (Path.unlink, "No such file or directory"),
        (lambda path: path.rename(path.with_name("moved")), "No such file or directory"),
        (lambda path: path.write_text(""), "the file was changed by another program"),
        (lambda path: (path.unlink(), path.touch()), "the file was replaced by another one"),
    ],
)
def test_removed_file_is_written_again(
    mtdf: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    unfinished: None,
    harm: Callable[[Path], Any],
    told: str,
) -> None:
    path = tmp_path / "games.pgn"
    add, calls = _pgn.PgnFile.add, 0

    def between(self: _pgn.PgnFile, db: Any, event: Any, games: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            harm(path)
        add(self, db, event, games)

    monkeypatch.setattr(_pgn.PgnFile, "add", between)
    result = mtdf("resume", "last", "--pgn-out", "games.pgn", "-q")
    assert result.code == 0 and calls >= 2
    warnings = [line for line in result.errors if "--pgn-out" in line]
    assert len(warnings) == 1 and f"--pgn-out games.pgn: {told}; " in warnings[0]
    assert ids(path.read_text()) == stored(mtdf) and len(stored(mtdf)) == 6


def test_link_stays_a_link_and_device_is_refused(mtdf: Run, tmp_path: Path) -> None:
    (tmp_path / "link.pgn").symlink_to(tmp_path / "there.pgn")
    assert mtdf(*MATCH[:-1], "link.pgn").code == 0
    assert (tmp_path / "link.pgn").is_symlink()
    assert ids((tmp_path / "there.pgn").read_text()) == stored(mtdf)
    refused = mtdf(*MATCH[:-1], "/dev/null")
    assert refused.code == 2
    assert refused.errors == ["error: --pgn-out /dev/null: is not a regular file"]
