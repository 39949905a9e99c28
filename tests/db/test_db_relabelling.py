"""Changing labels: settings and keys change with them, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from db.errors import NotFound, RecordError
from db.records.events import EventPlayerRecord, EventRecord
from db.records.games import GameRecord
from db.records.ratings import RatingListRecord, RatingRow
from db.session import Database

A = "a" * 16


def spelled(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings with the new label."""
    return {**settings, "first": "Z"} if settings.get("first") == "A" else settings


def same_key(game: GameRecord) -> str | None:
    return game.game_key


def test_label_changes_in_every_event(
    database: Database, event: EventRecord, make_game: Callable[..., GameRecord]
) -> None:
    repository = database.repository
    players = repository.event_players(event.id)
    other = repository.create_event(replace(event, settings={"first": "A"}), players)
    rows = (RatingRow(A, "A", 1.0, None, 2, 0.5, None),)
    repository.add_rating_list(RatingListRecord(0, "", "0.1.0", "pairs", {}, rows))
    repository.commit_pairs(event.id, [[make_game(event.id, 0, 0, n) for n in (1, 2)]])
    assert repository.players_labelled("A", A) == [(event.id, 0), (other.id, 0)]
    changed = repository.relabel("A", "Z", A, spelled, same_key)
    assert changed.events == (event.key, other.key)
    assert [player.label for player in repository.event_players(event.id)] == ["Z", "B"]
    assert {game.white for game in repository.games()} == {"Z", "B"}
    assert repository.event(other.id).settings == {"first": "Z"}
    assert repository.event(event.id).settings == event.settings
    newest = repository.newest_rating_list(lambda _: True)
    assert newest is not None and newest.rows == rows
    assert repository.labels([A]) == {A: "Z"}


def test_label_of_another_engine_is_refused(database: Database, event: EventRecord) -> None:
    repository = database.repository
    with pytest.raises(RecordError, match=f"another engine of event {event.key} is labelled `B`"):
        repository.relabel("A", "B", A, spelled, same_key)
    for label, identity in (("C", A), ("A", "b" * 16)):
        with pytest.raises(NotFound, match="no engine"):
            repository.relabel(label, "Z", identity, spelled, same_key)
    assert [player.label for player in repository.event_players(event.id)] == ["A", "B"]


@pytest.mark.parametrize("first_has_new_labels", [True, False])
def test_games_of_an_engine_against_itself_get_new_keys(
    database: Database,
    event: EventRecord,
    make_game: Callable[..., GameRecord],
    first_has_new_labels: bool,
) -> None:
    """Two events have labels A and X, a third one, which comes before or after, has Z and X
    already: then its games are the same ones, and of each key the first counts."""
    repository = database.repository

    def mirror(label: str) -> EventRecord:
        players = [EventPlayerRecord(0, label, A), EventPlayerRecord(1, "X", A)]
        return repository.create_event(event, players)

    def play(into: EventRecord, label: str) -> None:
        pair = [
            make_game(
                *(into.id, 0, 0, n), white=white, black=black, white_id=A, black_id=A,
                game_key=key_of(white, black),
            )
            for n, white, black in ((1, label, "X"), (2, "X", label))
        ]  # fmt: skip
        repository.commit_pairs(into.id, [pair])

    def key_of(white: str, black: str) -> str:
        return f"{white}{black}".encode().hex()

    labels = ["Z", "A", "A"] if first_has_new_labels else ["A", "A", "Z"]
    events = [mirror(label) for label in labels]
    for one, label in reversed(list(zip(events, labels, strict=True))):
        play(one, label)
    assert repository.excluded_games() == 2
    repository.relabel("A", "Z", A, spelled, lambda game: key_of(game.white, game.black))
    games = list(repository.games())
    assert {(game.white, game.black) for game in games} == {("Z", "X"), ("X", "Z")}
    assert all(game.game_key == key_of(game.white, game.black) for game in games)
    assert [game.event_id for game in games if game.counted] == [events[0].id] * 2
    pairs = [score.pairs for one in events for score in repository.event_pair_scores(one.id)]
    assert pairs == [1, 1, 1]
    _, counted = repository.games_and_pairs()
    assert int(counted.joint.sum()) == 1
