"""Studies: what is stored is what comes back, each method is one transaction, and what would
contradict is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from db.errors import NotFound, RecordError
from db.records.engines import VariantRecord
from db.records.events import TUNING_KIND, EventPlayerRecord, EventRecord, NewEvent
from db.records.games import GameRecord
from db.records.laboratory import LabEngineRecord, LabPositionRecord, LabRunRecord
from db.records.openings import CHESS_START, BookRecord, OpeningRecord
from db.records.studies import EncounterRecord, StudyRecord, TrialRecord
from db.repository import Repository
from db.session import Database

POINT = {"grain": 4, "guess": "parity", "null_move": False, "margin": 1.5}


@pytest.fixture
def repository(database: Database) -> Repository:
    """The repository of an empty database."""
    return database.repository


@pytest.fixture
def event(
    repository: Repository,
    make_event: Callable[..., EventRecord],
    make_variant: Callable[[str], VariantRecord],
) -> EventRecord:
    """An event of tuning, with the base alone."""
    repository.add_variants([make_variant("A")])
    base = EventPlayerRecord(0, "A", "a" * 16)
    return repository.create_event(make_event(kind=TUNING_KIND, name="lmr"), [base])


@pytest.fixture
def study(
    repository: Repository, event: EventRecord, make_study: Callable[..., StudyRecord]
) -> StudyRecord:
    """A study with that event."""
    return repository.create_study(make_study(event_id=event.id))


def encounter(number: int, trial: int | None = 0, pairs: int = 2) -> EncounterRecord:
    """A point against the base."""
    return EncounterRecord(number, "search", POINT, 2 * number, pairs, trial)


def begin(repository: Repository, study: StudyRecord, number: int = 0) -> TrialRecord:
    """A running trial with one encounter of its number."""
    trial = TrialRecord(study.id, number, "running", POINT, {"theta": [0.5]})
    repository.begin_trial(trial, [encounter(number, number)])
    return trial


def test_study_comes_back(
    repository: Repository, make_study: Callable[..., StudyRecord], event: EventRecord
) -> None:
    stored = repository.create_study(make_study(event_id=event.id))
    assert stored == make_study(id=stored.id, event_id=event.id, uid=stored.uid)
    assert repository.study(stored.id) == stored
    repository.set_study_result(stored.id, {"gain_elo": 7.5, "parameters": POINT})
    repository.set_status(stored, "running")
    found = repository.find_study("lmr")
    assert (found.event_id, found.status, found.ended_at) == (event.id, "running", None)
    assert found.result == {"gain_elo": 7.5, "parameters": POINT}
    assert found.started_at is not None
    repository.set_status(stored, "done")
    assert repository.studies()[0].ended_at is not None
    assert repository.count_studies() == 1


def test_studies_are_found(repository: Repository, make_study: Callable[..., StudyRecord]) -> None:
    with pytest.raises(NotFound, match="there is no study yet"):
        repository.find_study("last")
    for name in ("lmr", "lmr-2", "null%", "nulls"):
        repository.create_study(make_study(name=name))
    assert [study.name for study in repository.studies()] == ["lmr", "lmr-2", "null%", "nulls"]
    for text, name in (("lmr", "lmr"), ("lmr-", "lmr-2"), ("null%", "null%"), ("last", "nulls")):
        assert repository.find_study(text).name == name
    with pytest.raises(NotFound, match="`l` matches study `lmr` or `lmr-2`"):
        repository.find_study("l")
    for text in ("", "x", "_mr"):
        with pytest.raises(NotFound, match="no study"):
            repository.find_study(text)


def test_run_of_any_kind_is_found(
    repository: Repository,
    event: EventRecord,
    study: StudyRecord,
    make_event: Callable[..., EventRecord],
) -> None:
    """The event of tuning that has the study's name is a part of it."""
    for text in ("lmr", "LM", "last", study.uid[:6]):
        assert repository.find_run(text) == study
    assert repository.find_run(event.key) == event
    base = repository.event_players(event.id)
    players = [*base, replace(base[0], position=1, label="B")]
    other = repository.create_event(make_event(name="lmr"), players)
    run = repository.create_lab_run(
        LabRunRecord(
            *(0, "lmr", "planned", {"suite": "s", "suite_id": "i", "depths": [1]}),
            *("", None, None, "0.1.0", "native", "0123456789abcdef", "tower", "compare"),
        ),
        [LabEngineRecord(0, "A", "a" * 16, 0)],
        [LabPositionRecord(0, "lab-01", "some fen")],
    )
    ids = f'study {study.uid[:6]} "lmr" or laboratory run {run.uid[:6]} "lmr": give the id'
    for text, found in (("lmr", f'event {other.key} "lmr" or {ids}'), ("l", ids)):
        with pytest.raises(NotFound, match=f"`{text}` matches {found}"):
            repository.find_run(text)
    assert [repository.find_run(one.uid[:6]) for one in (study, run)] == [study, run]
    assert repository.find_run(other.key) == other and repository.find_run("last") == run
    for text in ("", "x", "_mr", run.uid[:5]):
        with pytest.raises(NotFound, match="no event, study or laboratory run"):
            repository.find_run(text)
    newer = repository.create_event(make_event(name="lmr", kind="tuning"), base[:1])
    assert newer.id > other.id and repository.find_event("lmr") == other


def test_names_of_studies_are_unique(
    repository: Repository, make_study: Callable[..., StudyRecord]
) -> None:
    repository.create_study(make_study())
    with pytest.raises(RecordError, match="study `lmr` already exists"):
        repository.create_study(make_study())
    for name in ("", " ", "last"):
        with pytest.raises(RecordError, match="is not a valid name"):
            repository.create_study(make_study(name=name))
    with pytest.raises(RecordError, match="not a status"):
        repository.create_study(make_study(name="other", status="odd"))
    assert repository.count_studies() == 1


def test_study_and_its_new_event_are_stored_together_or_not_at_all(
    repository: Repository,
    make_study: Callable[..., StudyRecord],
    make_event: Callable[..., EventRecord],
    make_variant: Callable[[str], VariantRecord],
) -> None:
    event = make_event(kind=TUNING_KIND, name="lmr")
    line = OpeningRecord(1, CHESS_START, b"", CHESS_START)
    new = NewEvent(
        event,
        [EventPlayerRecord(0, "A", "a" * 16)],
        [make_variant("A")],
        (BookRecord("b" * 16, "start", "-", 1), [line]),
    )
    with pytest.raises(RecordError, match="not a status"):
        repository.create_study(make_study(status="odd"), new)
    assert not repository.events() and not repository.variants()
    stored = repository.create_study(make_study(), new)
    assert [found.id for found in repository.events()] == [stored.event_id]
    assert [found.label for found in repository.event_players(stored.event_id or 0)] == ["A"]


def test_new_event_and_what_it_confirms_are_stored_together_or_not_at_all(
    repository: Repository,
    make_study: Callable[..., StudyRecord],
    make_event: Callable[..., EventRecord],
    make_variant: Callable[[str], VariantRecord],
) -> None:
    study = repository.create_study(make_study())
    players = [EventPlayerRecord(0, "A", "a" * 16), EventPlayerRecord(1, "B", "b" * 16)]
    variants = [make_variant("A"), make_variant("B")]
    line = OpeningRecord(1, CHESS_START, b"", CHESS_START)
    book = (BookRecord("b" * 16, "start", "-", 1), [line])
    wrong = NewEvent(make_event(kind=TUNING_KIND), players, variants, book)
    with pytest.raises(RecordError, match="cannot confirm a study"):
        repository.add_confirmation(study.id, wrong)
    right = NewEvent(make_event(kind="match"), players, variants, book)
    with pytest.raises(NotFound):
        repository.add_confirmation(99, right)
    assert not repository.events() and not repository.variants()
    stored = repository.add_confirmation(study.id, right)
    assert [event.id for event in repository.events()] == [stored]
    assert repository.confirmations(study.id) == [stored]


def test_study_has_an_event_of_its_own_of_tuning(
    repository: Repository,
    event: EventRecord,
    study: StudyRecord,
    make_study: Callable[..., StudyRecord],
    make_event: Callable[..., EventRecord],
    make_variant: Callable[[str], VariantRecord],
) -> None:
    repository.add_variants([make_variant("B")])
    players = [EventPlayerRecord(0, "A", "a" * 16), EventPlayerRecord(1, "B", "b" * 16)]
    other = repository.create_event(make_event(kind="match"), players)
    with pytest.raises(RecordError, match="of kind `match`, not `tuning`"):
        repository.create_study(make_study(name="two", event_id=other.id))
    two = repository.create_study(make_study(name="two"))
    with pytest.raises(RecordError, match="has the games of study `lmr`"):
        repository.create_study(make_study(name="three", event_id=event.id))
    with pytest.raises(NotFound, match="no event with id 99"):
        repository.create_study(make_study(name="three", event_id=99))
    with pytest.raises(RecordError, match="at least two players"):
        repository.create_event(make_event(kind="match"), players[:1])
    repository.add_confirmation(study.id, other.id)
    repository.add_confirmation(study.id, other.id)
    assert repository.confirmations(study.id) == [other.id]
    assert repository.confirmations(two.id) == []
    with pytest.raises(RecordError, match="cannot confirm a study"):
        repository.add_confirmation(study.id, event.id)
    with pytest.raises(NotFound):
        repository.add_confirmation(99, other.id)


def test_unknown_study_is_not_found(
    repository: Repository, make_study: Callable[..., StudyRecord]
) -> None:
    for ask in (
        lambda: repository.study(9),
        lambda: repository.set_status(replace(make_study(), id=9), "done"),
        lambda: repository.set_study_result(9, {}),
        lambda: repository.finish_encounter(9, 0, [0.5]),
        lambda: repository.finish_trial(9, 0, "failed", None, {}),
        lambda: repository.begin_trial(TrialRecord(9, 0, "running", {})),
    ):
        with pytest.raises(NotFound):
            ask()
    assert repository.trials(9) == [] and repository.encounters(9) == []


def test_trial_comes_back(repository: Repository, study: StudyRecord) -> None:
    begun = TrialRecord(
        study.id, 0, "running", POINT, {"theta": [0.5, None]}, started_at="2026-11-21T13:00:00.123Z"
    )
    own = encounter(0)
    against = replace(encounter(1), second={"grain": 2}, pairs=3, phase="choice")
    opponent = replace(encounter(2, None), opponent=1, phase="gain", scores=(0.25, None))
    repository.begin_trial(begun, [own, against])
    repository.add_encounters(study.id, [opponent])
    assert repository.trials(study.id) == [begun]
    assert repository.encounters(study.id) == [own, against, opponent]
    repository.finish_encounter(study.id, 1, (0.0, None, 1.0))
    scores = (-0.125, 0.1)
    repository.finish_encounter(study.id, 0, scores)
    repository.finish_trial(study.id, 0, "complete", -1 / 3, {"k": 1}, [0.5, 0.25])
    (trial,) = repository.trials(study.id)
    ended = trial.ended_at
    assert ended is not None
    assert trial == replace(
        begun,
        state="complete",
        value=-1 / 3,
        attributes={"k": 1},
        steps=(0.5, 0.25),
        ended_at=ended,
    )
    found = repository.encounters(study.id)
    assert [e.scores for e in found] == [scores, (0.0, None, 1.0), (0.25, None)]


def test_encounter_is_finished_once(repository: Repository, study: StudyRecord) -> None:
    begin(repository, study)
    repository.finish_encounter(study.id, 0, (0.5, None))
    repository.finish_encounter(study.id, 0, (0.5, None))
    for scores, problem in (
        ((0.5, 0.5), "already has other scores"),
        ((0.5,), "has 2 pairs, but 1 scores"),
        ((0.5, float("nan")), "not a finite number"),
        ((0.5, float("inf")), "not a finite number"),
    ):
        with pytest.raises(RecordError, match=problem):
            repository.finish_encounter(study.id, 0, scores)
    assert repository.encounters(study.id)[0].scores == (0.5, None)
    with pytest.raises(NotFound, match="no encounter 1"):
        repository.finish_encounter(study.id, 1, (0.5, None))


def test_trial_that_cannot_begin_leaves_nothing(repository: Repository, study: StudyRecord) -> None:
    begin(repository, study)
    new = TrialRecord(study.id, 1, "running", POINT)
    for trial, encounters, problem in (
        (replace(new, number=0), [], "trial 0 of study .* is already stored"),
        (replace(new, number=-1), [], "numbered from 0"),
        (replace(new, state="complete"), [], "cannot start as `complete`"),
        (new, [encounter(0, 1)], "encounter 0 of study .* is already stored"),
        (new, [encounter(1, 0)], "does not belong to trial"),
        (new, [encounter(1, 1)] * 2, "have the same number"),
        (new, [encounter(1, 1, 0)], "at least one pair"),
    ):
        with pytest.raises(RecordError, match=problem):
            repository.begin_trial(trial, encounters)
    both = replace(encounter(1, 1), second={}, opponent=0)
    odd_phase: Any = "odd"
    odd = replace(encounter(1, 1), phase=odd_phase)
    more = replace(encounter(1, 1), scores=(0.5,))
    for wrong in (both, odd, more):
        with pytest.raises(RecordError):
            repository.begin_trial(new, [wrong])
    assert len(repository.trials(study.id)) == len(repository.encounters(study.id)) == 1


def test_players_that_cannot_join_leave_nothing(
    repository: Repository, event: EventRecord, make_variant: Callable[[str], VariantRecord]
) -> None:
    joins = [EventPlayerRecord(1, "#1+", "b" * 16)]
    for players, problem in (
        ([replace(joins[0], position=0)], "has a player 0 `A`"),
        ([replace(joins[0], label="A")], "has a player 0 `A`"),
        (joins * 2, "two players of the event have the same position"),
        ([replace(joins[0], variant_id="c" * 16)], "variant c+ is not stored"),
    ):
        with pytest.raises(RecordError, match=problem):
            repository.add_players(event.id, players, [make_variant("B")])
    assert [variant.id for variant in repository.variants()] == ["a" * 16]
    assert len(repository.event_players(event.id)) == 1


def test_trial_ends_once(repository: Repository, study: StudyRecord) -> None:
    begin(repository, study)
    endings: list[tuple[Any, ...]] = [
        ("running", 0.5, "not an end state of a trial"),
        ("complete", None, "without a value"),
        ("complete", float("nan"), "not a finite number"),
    ]
    for state, value, problem in endings:
        with pytest.raises(RecordError, match=problem):
            repository.finish_trial(study.id, 0, state, value, {})
    assert repository.trials(study.id)[0].state == "running"
    repository.finish_trial(study.id, 0, "failed", None, {})
    with pytest.raises(RecordError, match="has already ended"):
        repository.finish_trial(study.id, 0, "complete", 0.5, {})


def test_encounters_belong_to_what_is_there(
    repository: Repository, study: StudyRecord, make_study: Callable[..., StudyRecord]
) -> None:
    with pytest.raises(RecordError, match="has no trial 3"):
        repository.add_encounters(study.id, [encounter(0, 3)])
    assert repository.encounters(study.id) == []


def test_players_join_while_games_are_stored(
    repository: Repository,
    event: EventRecord,
    make_variant: Callable[[str], VariantRecord],
    make_game: Callable[..., GameRecord],
) -> None:
    def pair(pairing: int, other: str, number: int) -> list[GameRecord]:
        sides = {"A": ("A", "a" * 16), "other": (f"#{other}", other.lower() * 16)}
        games = []
        for game, (white, black) in enumerate((("other", "A"), ("A", "other")), start=1):
            record = make_game(event.id, pairing, number, game, book_id=None, opening_line=None)
            games.append(
                replace(
                    record,
                    white=sides[white][0],
                    white_id=sides[white][1],
                    black=sides[black][0],
                    black_id=sides[black][1],
                    result="1-0" if game == 1 else "1/2-1/2",
                    game_key=f"aa{game}{other.lower()}"[:4],
                )
            )
        return games

    for number, letter in enumerate("BC"):
        with pytest.raises(RecordError, match="is not a player"):
            repository.commit_pairs(event.id, [pair(number, letter, 4)])
        joins = [EventPlayerRecord(number + 1, f"#{letter}", letter.lower() * 16)]
        repository.add_players(event.id, joins, [make_variant(letter)])
        repository.commit_pairs(event.id, [pair(number, letter, 4), pair(number, letter, 5)])
    labels = [player.label for player in repository.event_players(event.id)]
    assert labels == ["A", "#B", "#C"]
    # The base has the lower position: it lost one game of each pair and drew the other.
    everything = [(0, 4, 0.25), (0, 5, 0.25), (1, 4, 0.25), (1, 5, 0.25)]
    assert repository.pair_scores(event.id) == everything
    assert repository.excluded_games() == 4  # the pairs 5 repeat the pairs 4, and are observed


def test_players_join_only_events_of_tuning(
    repository: Repository,
    make_event: Callable[..., EventRecord],
    make_variant: Callable[[str], VariantRecord],
) -> None:
    repository.add_variants([make_variant("A"), make_variant("B")])
    players = [EventPlayerRecord(0, "A", "a" * 16), EventPlayerRecord(1, "B", "b" * 16)]
    event = repository.create_event(make_event(kind="match"), players)
    joins = [EventPlayerRecord(2, "C", "a" * 16)]
    with pytest.raises(RecordError, match="players cannot join event .*: it is of kind `match`"):
        repository.add_players(event.id, joins)
    with pytest.raises(NotFound):
        repository.add_players(99, joins)
    assert repository.tuning_events() == {}
    tuning = repository.create_event(make_event(kind=TUNING_KIND), players)
    repository.add_players(tuning.id, joins)
    assert repository.tuning_events() == {tuning.id: tuning.key}
    assert repository.event_players(tuning.id) == [*players, *joins]
    assert repository.event_players(event.id) == players
