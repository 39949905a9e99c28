"""What engines did wrong in games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, insert, select

from db.records.games import GameProblemRecord, GameRecord
from db.schema.declared import GAME_PROBLEM

_FIELDS = (
    GAME_PROBLEM.c.of_white,
    GAME_PROBLEM.c.severity,
    GAME_PROBLEM.c.text,
    GAME_PROBLEM.c.fen,
    GAME_PROBLEM.c.command,
)


def add_problems(connection: Connection, event_id: int, games: Sequence[GameRecord]) -> None:
    """Store the problems of games that were just stored, by their ids."""
    rows = [
        {
            "event_id": event_id,
            "game_id": game.id,
            "number": number,
            "of_white": problem.white,
            "severity": problem.severity,
            "text": problem.text,
            "fen": problem.fen,
            "command": problem.command,
        }
        for game in games
        for number, problem in enumerate(game.problems)
    ]
    if rows:
        connection.execute(insert(GAME_PROBLEM), rows)


def game_problems(connection: Connection, game: GameRecord) -> list[GameProblemRecord]:
    """The problems of a stored game."""
    own = (GAME_PROBLEM.c.event_id == game.event_id, GAME_PROBLEM.c.game_id == game.id)
    query = select(*_FIELDS).where(*own).order_by(GAME_PROBLEM.c.number)
    return [_problem(row) for row in connection.execute(query)]


def event_problems(
    connection: Connection, event_id: int, most: int
) -> list[tuple[int, GameProblemRecord]]:
    """The first problems of an event, at most ``most``, faults before warnings, each with the id
    of its game."""
    query = (
        select(GAME_PROBLEM.c.game_id, *_FIELDS)
        .where(GAME_PROBLEM.c.event_id == event_id)
        .order_by(GAME_PROBLEM.c.severity != "fault", GAME_PROBLEM.c.game_id, GAME_PROBLEM.c.number)
        .limit(most)
    )
    return [(row.game_id, _problem(row[1:])) for row in connection.execute(query)]


def problem_games(connection: Connection, event_id: int) -> set[int]:
    """Ids of the games of an event that have problems."""
    query = select(GAME_PROBLEM.c.game_id).where(GAME_PROBLEM.c.event_id == event_id).distinct()
    return set(connection.execute(query).scalars())


def _problem(row: Sequence[Any]) -> GameProblemRecord:
    white, severity, text, fen, command = row
    return GameProblemRecord(
        white, "fault" if severity == "fault" else "warning", text, fen, command
    )
