"""Studies that tune parameters: their trials, encounters and scores, and the events that confirm
them."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from msgspec.structs import asdict, replace
from sqlalchemy import Connection, func, insert, select, update

from db.errors import DatabaseCorrupt, NotFound, RecordError
from db.queries.events import create_event, kind_of
from db.queries.runs import RunTable, damaged
from db.records.events import TUNING_KIND, NewEvent
from db.records.games import Scores
from db.records.studies import EncounterRecord, Phase, StudyRecord, TrialRecord, TrialState
from db.schema.declared import TUNING_CONFIRMATION, TUNING_ENCOUNTER, TUNING_STUDY, TUNING_TRIAL
from db.times import milliseconds_of, utc_now, with_texts

TABLE = RunTable(StudyRecord, TUNING_STUDY, TUNING_STUDY.c.event_id, TUNING_STUDY.c.result)


def create_study(
    connection: Connection, study: StudyRecord, event: NewEvent | None = None
) -> StudyRecord:
    """Store a study, with the event of its games if it is new; returns it with its id. Empty
    ``created_at`` means now. Raises NotFound, RecordError: its name is taken or invalid, or its
    event has another kind or belongs to another study."""
    TABLE.check_name(connection, study.name)
    if event is not None:
        study = replace(study, event_id=create_event(connection, *event).id)
    if study.event_id is not None:
        _check_event(connection, study.event_id)
    study_id = TABLE.insert(
        connection,
        study,
        event_id=study.event_id,
        result=None if study.result is None else dict(study.result),
    )
    return TABLE.get(connection, study_id)


def count_studies(connection: Connection) -> int:
    """How many studies are stored."""
    return connection.execute(select(func.count()).select_from(TUNING_STUDY)).scalar_one()


def set_result(connection: Connection, study_id: int, result: Mapping[str, Any]) -> None:
    """Store the recommendation of a study. Raises NotFound, RecordError."""
    TABLE.change(connection, study_id, result=dict(result))


def add_confirmation(connection: Connection, study_id: int, event: int | NewEvent) -> int:
    """Record that an event confirms a study's result, and store the event if it is new; returns its
    id. A repeated call with the same id changes nothing. Raises NotFound, RecordError: the event
    has tuning games."""
    TABLE.check_id(connection, study_id)
    event_id = create_event(connection, *event).id if isinstance(event, NewEvent) else event
    if kind_of(connection, event_id) == TUNING_KIND:
        raise RecordError(f"event {event_id} has tuning games and cannot confirm a study")
    if event_id not in confirmations(connection, study_id):
        values = {"study_id": study_id, "event_id": event_id}
        connection.execute(insert(TUNING_CONFIRMATION), values)
    return event_id


def confirmations(connection: Connection, study_id: int) -> list[int]:
    """Ids of the events that confirm a study's result, the oldest first."""
    query = (
        select(TUNING_CONFIRMATION.c.event_id)
        .where(TUNING_CONFIRMATION.c.study_id == study_id)
        .order_by(TUNING_CONFIRMATION.c.event_id)
    )
    return list(connection.execute(query).scalars())


def begin_trial(
    connection: Connection, trial: TrialRecord, encounters: Sequence[EncounterRecord] = ()
) -> None:
    """Store a running trial and its encounters. Raises RecordError, NotFound."""
    if trial.state != "running":
        raise RecordError(f"trial {trial.number} cannot start as `{trial.state}`")
    if trial.number < 0:
        raise RecordError("trials must be numbered from 0")
    if any(e.trial != trial.number for e in encounters):
        raise RecordError(f"an encounter does not belong to trial {trial.number}")
    TABLE.check_id(connection, trial.study_id)
    if _trial_state(connection, trial.study_id, trial.number) is not None:
        raise RecordError(f"trial {trial.number} of study {trial.study_id} is already stored")
    connection.execute(
        insert(TUNING_TRIAL),
        {
            "study_id": trial.study_id,
            "number": trial.number,
            "state": trial.state,
            "params": dict(trial.params),
            "attributes": dict(trial.attributes),
            "steps": list(trial.steps),
            "value": trial.value,
            "started_ms": milliseconds_of(trial.started_at or utc_now()),
            "ended_ms": None,
        },
    )
    _insert_encounters(connection, trial.study_id, encounters)


def add_encounters(
    connection: Connection, study_id: int, encounters: Sequence[EncounterRecord]
) -> None:
    """Store encounters of a study, whose trials are stored. Raises RecordError, NotFound."""
    TABLE.check_id(connection, study_id)
    for trial in {e.trial for e in encounters if e.trial is not None}:
        if _trial_state(connection, study_id, trial) is None:
            raise RecordError(f"study {study_id} has no trial {trial}")
    _insert_encounters(connection, study_id, encounters)


def finish_encounter(
    connection: Connection, study_id: int, number: int, scores: Sequence[float | None]
) -> None:
    """Store the scores of an encounter, one per pair, None if a pair could not be played. Storing
    the same scores again changes nothing. Raises NotFound, RecordError: too few or too many scores,
    or others than before."""
    own = (TUNING_ENCOUNTER.c.study_id == study_id, TUNING_ENCOUNTER.c.number == number)
    query = select(TUNING_ENCOUNTER.c.pairs, TUNING_ENCOUNTER.c.scores).where(*own)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(f"study {study_id} has no encounter {number}")
    if len(scores) != row.pairs:
        raise RecordError(
            f"encounter {number} has {row.pairs} pairs, but {len(scores)} scores were given"
        )
    data = _encoded(scores)
    if row.scores is None:
        connection.execute(update(TUNING_ENCOUNTER).where(*own).values(scores=data))
    elif row.scores != data:
        raise RecordError(f"encounter {number} already has other scores")


def finish_trial(
    connection: Connection,
    study_id: int,
    number: int,
    state: TrialState,
    value: float | None,
    attributes: Mapping[str, Any],
    steps: Sequence[float] = (),
) -> None:
    """Record the end of a running trial. ``attributes`` replace those from its start. Raises
    NotFound, RecordError: it has already ended, or is complete without a value."""
    if state not in get_args(TrialState) or state == "running":
        raise RecordError(f"`{state}` is not an end state of a trial")
    if state == "complete" and value is None:
        raise RecordError(f"trial {number} cannot be complete without a value")
    before = _trial_state(connection, study_id, number)
    if before is None:
        raise NotFound(f"study {study_id} has no trial {number}")
    if before != "running":
        raise RecordError(f"trial {number} of study {study_id} has already ended")
    values: dict[str, Any] = {
        "state": state,
        "value": _number(value),
        "attributes": dict(attributes),
        "steps": [_number(step) for step in steps],
        "ended_ms": milliseconds_of(utc_now()),
    }
    own = (TUNING_TRIAL.c.study_id == study_id, TUNING_TRIAL.c.number == number)
    connection.execute(update(TUNING_TRIAL).where(*own).values(values))


def trials(connection: Connection, study_id: int) -> list[TrialRecord]:
    """The trials of a study by number."""
    query = (
        select(
            *(TUNING_TRIAL.c.study_id, TUNING_TRIAL.c.number),
            *(TUNING_TRIAL.c.state, TUNING_TRIAL.c.params),
            *(TUNING_TRIAL.c.attributes, TUNING_TRIAL.c.steps, TUNING_TRIAL.c.value),
            *(TUNING_TRIAL.c.started_ms, TUNING_TRIAL.c.ended_ms),
        )
        .where(TUNING_TRIAL.c.study_id == study_id)
        .order_by(TUNING_TRIAL.c.number)
    )
    rows = connection.execute(query).all()
    for row in rows:
        kinds = [type(one) for one in (row.params, row.attributes, row.steps)]
        if kinds != [dict, dict, list]:
            raise damaged(f"trial {row.number} of a study")
    return [TrialRecord(**with_texts(row._asdict()) | {"steps": tuple(row.steps)}) for row in rows]


def encounters(connection: Connection, study_id: int) -> list[EncounterRecord]:
    """The encounters of a study by number. Raises DatabaseCorrupt."""
    own = TUNING_ENCOUNTER.c
    query = (
        select(
            *(own.number, own.trial, own.phase, own.first, own.second),
            *(own.opponent, own.first_pair, own.pairs, own.scores),
        )
        .where(own.study_id == study_id)
        .order_by(own.number)
    )
    return [
        EncounterRecord(**row._asdict() | {"scores": _decoded(row.scores)})
        for row in connection.execute(query)
    ]


def _check_event(connection: Connection, event_id: int) -> None:
    kind = kind_of(connection, event_id)
    if kind != TUNING_KIND:
        raise RecordError(f"event {event_id} is of kind `{kind}`, not `{TUNING_KIND}`")
    owner = select(TUNING_STUDY.c.name).where(TUNING_STUDY.c.event_id == event_id)
    name = connection.execute(owner).scalar_one_or_none()
    if name is not None:
        raise RecordError(f"event {event_id} has the games of study `{name}`")


def _encoded(scores: Sequence[float | None]) -> bytes:
    """Eight bytes per score: a little-endian float64, NaN for None. Raises RecordError."""
    found = array("d", (math.nan if score is None else _finite(score) for score in scores))
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes()


def _decoded(data: bytes | None) -> Scores:
    """Scores that :func:`_encoded` wrote. Raises DatabaseCorrupt."""
    if data is None:
        return ()
    found = array("d")
    if len(data) % found.itemsize:
        raise DatabaseCorrupt("the database is damaged (scores of an encounter are cut off)")
    found.frombytes(data)
    if sys.byteorder == "big":
        found.byteswap()
    return tuple(None if score != score else score for score in found)


def _insert_encounters(
    connection: Connection, study_id: int, some: Sequence[EncounterRecord]
) -> None:
    """Store encounters of one study. Raises RecordError."""
    if not some:
        return
    for encounter in some:
        _check_encounter(encounter)
    numbers = sorted({encounter.number for encounter in some})
    if len(numbers) < len(some):
        raise RecordError("two of the encounters have the same number")
    own = (TUNING_ENCOUNTER.c.study_id == study_id, TUNING_ENCOUNTER.c.number.in_(numbers))
    stored = connection.execute(select(TUNING_ENCOUNTER.c.number).where(*own)).scalars().first()
    if stored is not None:
        raise RecordError(f"encounter {stored} of study {study_id} is already stored")
    connection.execute(
        insert(TUNING_ENCOUNTER),
        [
            {
                **asdict(encounter),
                "study_id": study_id,
                "scores": _encoded(encounter.scores) if encounter.scores else None,
            }
            for encounter in some
        ],
    )


def _check_encounter(encounter: EncounterRecord) -> None:
    name = f"encounter {encounter.number}"
    if min(encounter.number, encounter.first_pair) < 0 or encounter.pairs < 1:
        raise RecordError(f"{name}: numbers must start at 0, and it needs at least one pair")
    if encounter.phase not in get_args(Phase):
        raise RecordError(f"`{encounter.phase}` is not a phase; use {', '.join(get_args(Phase))}")
    if encounter.second is not None and encounter.opponent is not None:
        raise RecordError(f"{name} has both a second point and an opponent")
    if encounter.scores and len(encounter.scores) != encounter.pairs:
        raise RecordError(f"{name}: the numbers of scores and pairs differ")


def _trial_state(connection: Connection, study_id: int, number: int) -> str | None:
    query = select(TUNING_TRIAL.c.state).where(TUNING_TRIAL.c.study_id == study_id)
    return connection.execute(query.where(TUNING_TRIAL.c.number == number)).scalar_one_or_none()


def _number(value: float | None) -> float | None:
    return None if value is None else _finite(value)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise RecordError(f"`{value}` is not a finite number")
    return float(value)
