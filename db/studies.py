"""Studies that tune parameters: their trials, encounters and confirmations."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    bindparam,
    func,
    insert,
    select,
    update,
)

from db.errors import DatabaseCorrupt, NotFound, RecordError
from db.events import add_players, check_status, kind_of, status_values
from db.models import (
    Provenance,
    TuningConfirmation,
    TuningEncounter,
    TuningStudy,
    TuningTrial,
)
from db.records import TUNING_KIND, EventPlayerRecord, EventStatus, VariantRecord
from db.times import milliseconds_of, optional_milliseconds_of, optional_text_of, text_of, utc_now
from db.tuning import EncounterRecord, Phase, Scores, StudyRecord, TrialRecord, TrialState
from db.variants import add_variants, provenance_key

_STUDIES = (
    select(
        *(TuningStudy.id, TuningStudy.name, TuningStudy.status, TuningStudy.settings),
        *(TuningStudy.created_ms, TuningStudy.started_ms, TuningStudy.ended_ms),
        *(Provenance.version, Provenance.backend, Provenance.signature, Provenance.host),
        *(TuningStudy.event_id, TuningStudy.result),
    )
    .join(Provenance, Provenance.id == TuningStudy.provenance_id)
    .order_by(TuningStudy.id)
)
_EVENT_OF_STUDY = select(TuningStudy.event_id).where(TuningStudy.id == bindparam("study"))
_TRIAL_STATE = select(TuningTrial.state).where(
    TuningTrial.study_id == bindparam("study"), TuningTrial.number == bindparam("at")
)
_END_TRIAL = (
    update(TuningTrial)
    .where(TuningTrial.study_id == bindparam("study"), TuningTrial.number == bindparam("at"))
    .values(
        state=bindparam("end_state"),
        value=bindparam("end_value"),
        steps=bindparam("end_steps"),
        ended_ms=bindparam("ended"),
    )
)
_END_TRIAL_WITH = _END_TRIAL.values(attributes=bindparam("end_attributes"))
_STORED_NUMBERS = select(TuningEncounter.number).where(
    TuningEncounter.study_id == bindparam("study"),
    TuningEncounter.number.in_(bindparam("numbers", expanding=True)),
)
_ENCOUNTER = select(TuningEncounter.pairs, TuningEncounter.scores).where(
    TuningEncounter.study_id == bindparam("study"), TuningEncounter.number == bindparam("at")
)
_END_ENCOUNTER = (
    update(TuningEncounter)
    .where(
        TuningEncounter.study_id == bindparam("study"), TuningEncounter.number == bindparam("at")
    )
    .values(scores=bindparam("found"))
)


# Studies


def create_study(connection: Connection, study: StudyRecord) -> int:
    """Store a study and give its id. Raises RecordError, NotFound."""
    check_status(study.status)
    if not study.name.strip() or study.name == "last":
        raise RecordError(f"`{study.name}` is no name for a study")
    same = select(TuningStudy.id).where(TuningStudy.name == study.name)
    if connection.execute(same).first() is not None:
        raise RecordError(f"there is a study `{study.name}` already")
    if study.event_id is not None:
        _check_event(connection, study.event_id, None)
    return connection.execute(
        insert(TuningStudy)
        .values(
            name=study.name,
            status=study.status,
            settings=dict(study.settings),
            created_ms=milliseconds_of(study.created_at or utc_now()),
            started_ms=optional_milliseconds_of(study.started_at),
            ended_ms=optional_milliseconds_of(study.ended_at),
            provenance_id=provenance_key(
                connection, study.host, study.version, study.backend, study.signature
            ),
            event_id=study.event_id,
            result=None if study.result is None else dict(study.result),
        )
        .returning(TuningStudy.id)
    ).scalar_one()


def all_studies(connection: Connection) -> list[StudyRecord]:
    """Every study, the oldest first."""
    return [_study(row) for row in connection.execute(_STUDIES)]


def count_studies(connection: Connection) -> int:
    """How many studies are stored."""
    return connection.execute(select(func.count()).select_from(TuningStudy)).scalar_one()


def get_study(connection: Connection, study_id: int) -> StudyRecord:
    """The study of that id. Raises NotFound."""
    row = connection.execute(_STUDIES.where(TuningStudy.id == study_id)).one_or_none()
    if row is None:
        raise NotFound(f"no study of id {study_id}")
    return _study(row)


def find_study(connection: Connection, text: str) -> StudyRecord:
    """The study of a name, a unique beginning of a name, or ``last``: the newest. Raises NotFound
    when there is none, or more than one."""
    if text == "last":
        newest = connection.execute(select(func.max(TuningStudy.id))).scalar_one()
        if newest is None:
            raise NotFound("there is no study yet")
        return get_study(connection, newest)
    conditions: tuple[ColumnElement[bool], ...] = (
        TuningStudy.name == text,
        TuningStudy.name.startswith(text, autoescape=True),
    )
    for condition in conditions:
        query = select(TuningStudy.id, TuningStudy.name).where(condition).order_by(TuningStudy.id)
        found = connection.execute(query.limit(5)).all() if text else []
        if len(found) > 1:
            names = " or ".join(f"`{row.name}`" for row in found)
            raise NotFound(f"`{text}` may be study {names}: give more of the name")
        if found:
            return get_study(connection, found[0].id)
    raise NotFound(f"no study `{text}`")


def set_status(connection: Connection, study_id: int, status: EventStatus) -> None:
    """Note that a study runs or has ended, and when. Raises NotFound, RecordError."""
    check_status(status)
    _change(connection, study_id, status_values(status, TuningStudy.started_ms))


def set_result(connection: Connection, study_id: int, result: Mapping[str, Any] | None) -> None:
    """Keep what a study recommends. Raises NotFound, RecordError."""
    _change(connection, study_id, {"result": None if result is None else dict(result)})


def set_event(connection: Connection, study_id: int, event_id: int) -> None:
    """Note which event has a study's games. Raises NotFound, RecordError: it is not of the kind
    ``tuning``, or another study's."""
    _check_event(connection, event_id, study_id)
    _change(connection, study_id, {"event_id": event_id})


def _change(connection: Connection, study_id: int, values: dict[str, Any]) -> None:
    changed = connection.execute(
        update(TuningStudy).where(TuningStudy.id == study_id).values(values)
    )
    if changed.rowcount != 1:
        raise NotFound(f"no study of id {study_id}")


def _check_event(connection: Connection, event_id: int, study_id: int | None) -> None:
    kind = kind_of(connection, event_id)
    if kind != TUNING_KIND:
        raise RecordError(f"event {event_id} is of kind `{kind}`, not `{TUNING_KIND}`")
    owner = connection.execute(
        select(TuningStudy.id, TuningStudy.name).where(TuningStudy.event_id == event_id)
    ).one_or_none()
    if owner is not None and owner.id != study_id:
        raise RecordError(f"event {event_id} has the games of study `{owner.name}`")


# Trials and encounters


def begin_trial(
    connection: Connection,
    trial: TrialRecord,
    encounters: Sequence[EncounterRecord],
    players: Sequence[EventPlayerRecord],
    variants: Sequence[VariantRecord],
) -> None:
    """Store a trial that begins, its encounters, and players that join the study's event for them.
    Raises RecordError, NotFound."""
    if trial.state != "running":
        raise RecordError(f"trial {trial.number} cannot begin as `{trial.state}`")
    if trial.number < 0:
        raise RecordError("trials count from 0")
    if any((e.study_id, e.trial) != (trial.study_id, trial.number) for e in encounters):
        raise RecordError(f"an encounter is of another trial than {trial.number}")
    event_id = _event_of(connection, trial.study_id)
    if _trial_state(connection, trial.study_id, trial.number) is not None:
        raise RecordError(f"trial {trial.number} of study {trial.study_id} is stored already")
    connection.execute(
        insert(TuningTrial),
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
    _join(connection, event_id, players, variants)
    _insert_encounters(connection, encounters)


def add_encounters(
    connection: Connection,
    encounters: Sequence[EncounterRecord],
    players: Sequence[EventPlayerRecord],
    variants: Sequence[VariantRecord],
    event_id: int | None,
) -> None:
    """Store encounters of one study, and players that join its event, or ``event_id``, for them.
    Raises RecordError, NotFound."""
    studies = {encounter.study_id for encounter in encounters}
    if len(studies) > 1:
        raise RecordError("the encounters are of different studies")
    for study_id in studies:
        own = _event_of(connection, study_id)
        if event_id not in (None, own):
            raise RecordError(f"event {event_id} is not that of study {study_id}")
        event_id = own
        for trial in {e.trial for e in encounters if e.trial is not None}:
            if _trial_state(connection, study_id, trial) is None:
                raise RecordError(f"study {study_id} has no trial {trial}")
    _join(connection, event_id, players, variants)
    _insert_encounters(connection, encounters)


def finish_encounter(
    connection: Connection, study_id: int, number: int, scores: Sequence[float | None]
) -> None:
    """Keep the scores of an encounter's pairs. One that has them already stays as it is.
    Raises NotFound, RecordError: another number of scores than pairs, other scores than before."""
    place = {"study": study_id, "at": number}
    row = connection.execute(_ENCOUNTER, place).one_or_none()
    if row is None:
        raise NotFound(f"study {study_id} has no encounter {number}")
    if len(scores) != row.pairs:
        raise RecordError(
            f"encounter {number} has {row.pairs} pairs, and {len(scores)} scores were given"
        )
    data = encode_scores(scores)
    if row.scores is None:
        connection.execute(_END_ENCOUNTER, place | {"found": data})
    elif row.scores != data:
        raise RecordError(f"encounter {number} has been finished with other scores")


def finish_trial(
    connection: Connection,
    study_id: int,
    number: int,
    state: TrialState,
    value: float | None,
    attributes: Mapping[str, Any] | None,
    steps: Sequence[float],
    scores: Mapping[int, Sequence[float | None]],
) -> None:
    """Note how a running trial ended, and the scores of encounters by their numbers; attributes
    that are None stay as they were. Raises NotFound, RecordError."""
    if state not in get_args(TrialState) or state == "running":
        raise RecordError(f"`{state}` is no way for a trial to end")
    if state == "complete" and value is None:
        raise RecordError(f"trial {number} cannot be complete without a value")
    before = _trial_state(connection, study_id, number)
    if before is None:
        raise NotFound(f"study {study_id} has no trial {number}")
    if before != "running":
        raise RecordError(f"trial {number} of study {study_id} has ended before")
    for encounter, found in scores.items():
        finish_encounter(connection, study_id, encounter, found)
    values: dict[str, Any] = {
        "study": study_id,
        "at": number,
        "end_state": state,
        "end_value": _number(value),
        "end_steps": [_number(step) for step in steps],
        "ended": milliseconds_of(utc_now()),
    }
    if attributes is None:
        connection.execute(_END_TRIAL, values)
    else:
        connection.execute(_END_TRIAL_WITH, values | {"end_attributes": dict(attributes)})


def trials(connection: Connection, study_id: int) -> list[TrialRecord]:
    """The trials of a study by number."""
    query = (
        select(
            *(TuningTrial.study_id, TuningTrial.number, TuningTrial.state, TuningTrial.params),
            *(TuningTrial.attributes, TuningTrial.steps, TuningTrial.value),
            *(TuningTrial.started_ms, TuningTrial.ended_ms),
        )
        .where(TuningTrial.study_id == study_id)
        .order_by(TuningTrial.number)
    )
    return [
        TrialRecord(
            study_id=row.study_id,
            number=row.number,
            state=row.state,
            params=row.params,
            attributes=row.attributes,
            steps=tuple(row.steps),
            value=row.value,
            started_at=text_of(row.started_ms),
            ended_at=optional_text_of(row.ended_ms),
        )
        for row in connection.execute(query)
    ]


def encounters(connection: Connection, study_id: int) -> list[EncounterRecord]:
    """The encounters of a study by number. Raises DatabaseCorrupt."""
    own = TuningEncounter
    query = (
        select(
            *(own.study_id, own.number, own.trial, own.phase, own.first, own.second),
            *(own.opponent, own.first_pair, own.pairs, own.scores),
        )
        .where(own.study_id == study_id)
        .order_by(own.number)
    )
    return [
        EncounterRecord(
            study_id=row.study_id,
            number=row.number,
            trial=row.trial,
            phase=row.phase,
            first=row.first,
            second=row.second,
            opponent=row.opponent,
            first_pair=row.first_pair,
            pairs=row.pairs,
            scores=None if row.scores is None else decode_scores(row.scores),
        )
        for row in connection.execute(query)
    ]


def encode_scores(scores: Sequence[float | None]) -> bytes:
    """Eight bytes a score: a little-endian float64, NaN for None. Raises RecordError."""
    found = array("d", (math.nan if score is None else _finite(score) for score in scores))
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes()


def decode_scores(data: bytes) -> Scores:
    """Scores that :func:`encode_scores` wrote. Raises DatabaseCorrupt."""
    found = array("d")
    if len(data) % found.itemsize:
        raise DatabaseCorrupt("the database is damaged (scores of an encounter are cut off)")
    found.frombytes(data)
    if sys.byteorder == "big":
        found.byteswap()
    return tuple(None if score != score else score for score in found)


def _join(
    connection: Connection,
    event_id: int | None,
    players: Sequence[EventPlayerRecord],
    variants: Sequence[VariantRecord],
) -> None:
    add_variants(connection, variants)
    if not players:
        return
    if event_id is None:
        raise RecordError("the study has no event that players could join")
    add_players(connection, event_id, players)


def _insert_encounters(connection: Connection, some: Sequence[EncounterRecord]) -> None:
    """Raises RecordError."""
    if not some:
        return
    for encounter in some:
        _check_encounter(encounter)
    _check_numbers(connection, [(encounter.study_id, encounter.number) for encounter in some])
    connection.execute(
        insert(TuningEncounter),
        [
            {
                "study_id": encounter.study_id,
                "number": encounter.number,
                "trial": encounter.trial,
                "phase": encounter.phase,
                "first": dict(encounter.first),
                "second": None if encounter.second is None else dict(encounter.second),
                "opponent": encounter.opponent,
                "first_pair": encounter.first_pair,
                "pairs": encounter.pairs,
                "scores": None if encounter.scores is None else encode_scores(encounter.scores),
            }
            for encounter in some
        ],
    )


def _check_numbers(connection: Connection, places: Sequence[tuple[int, int]]) -> None:
    """That encounters of one study have numbers of their own. Raises RecordError."""
    numbers = {number for _, number in places}
    if len(numbers) < len(places):
        raise RecordError("two of the encounters have one number")
    wanted = {"study": places[0][0], "numbers": sorted(numbers)}
    stored = connection.execute(_STORED_NUMBERS, wanted).scalars().first()
    if stored is not None:
        raise RecordError(f"encounter {stored} of study {places[0][0]} is stored already")


def _check_encounter(encounter: EncounterRecord) -> None:
    name = f"encounter {encounter.number} of study {encounter.study_id}"
    if min(encounter.number, encounter.first_pair) < 0 or encounter.pairs < 1:
        raise RecordError(f"{name}: numbers count from 0, and it has one pair or more")
    if encounter.phase not in get_args(Phase):
        raise RecordError(
            f"`{encounter.phase}` is no phase; there are {', '.join(get_args(Phase))}"
        )
    if encounter.second is not None and encounter.opponent is not None:
        raise RecordError(f"{name} has both a second point and an opponent")
    if encounter.scores is not None and len(encounter.scores) != encounter.pairs:
        raise RecordError(f"{name} has another number of scores than pairs")


def _event_of(connection: Connection, study_id: int) -> int | None:
    """The event of a study. Raises NotFound."""
    row = connection.execute(_EVENT_OF_STUDY, {"study": study_id}).one_or_none()
    if row is None:
        raise NotFound(f"no study of id {study_id}")
    found: int | None = row.event_id
    return found


def _trial_state(connection: Connection, study_id: int, number: int) -> str | None:
    place = {"study": study_id, "at": number}
    return connection.execute(_TRIAL_STATE, place).scalar_one_or_none()


def _number(value: float | None) -> float | None:
    return None if value is None else _finite(value)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise RecordError(f"`{value}` is no finite number")
    return float(value)


# Confirmations


def add_confirmation(connection: Connection, study_id: int, event_id: int) -> None:
    """Note that an event confirms a study's result; twice is once. Raises NotFound, RecordError:
    the event has games of tuning."""
    _event_of(connection, study_id)
    if kind_of(connection, event_id) == TUNING_KIND:
        raise RecordError(f"event {event_id} has games of tuning and confirms nothing")
    if event_id not in confirmations(connection, study_id):
        values = {"study_id": study_id, "event_id": event_id}
        connection.execute(insert(TuningConfirmation), values)


def confirmations(connection: Connection, study_id: int) -> list[int]:
    """Ids of the events that confirm a study's result, the oldest first."""
    query = (
        select(TuningConfirmation.event_id)
        .where(TuningConfirmation.study_id == study_id)
        .order_by(TuningConfirmation.event_id)
    )
    return list(connection.execute(query).scalars())


def _study(row: Row[Any]) -> StudyRecord:
    return StudyRecord(
        id=row.id,
        name=row.name,
        status=row.status,
        settings=row.settings,
        created_at=text_of(row.created_ms),
        started_at=optional_text_of(row.started_ms),
        ended_at=optional_text_of(row.ended_ms),
        version=row.version,
        backend=row.backend,
        signature=row.signature,
        host=row.host,
        event_id=row.event_id,
        result=row.result,
    )
