"""Studies that tune parameters, and the events that confirm them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update

from db.digests import STUDIES, resealed, seal, verify
from db.errors import NotFound, RecordError
from db.events import check_status, kind_of, status_values
from db.models import Provenance, TuningConfirmation, TuningStudy
from db.naming import named_id
from db.records import TUNING_KIND, RunStatus, StudyRecord
from db.times import milliseconds_of, optional_milliseconds_of, optional_text_of, text_of, utc_now
from db.variants import provenance_key

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
    study_id = connection.execute(
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
    seal(connection, STUDIES, TuningStudy.id == study_id)
    return study_id


def all_studies(connection: Connection) -> list[StudyRecord]:
    """Every study, the oldest first. Raises DatabaseCorrupt."""
    verify(connection, STUDIES)
    return [_study(row) for row in connection.execute(_STUDIES)]


def count_studies(connection: Connection) -> int:
    """How many studies are stored."""
    return connection.execute(select(func.count()).select_from(TuningStudy)).scalar_one()


def get_study(connection: Connection, study_id: int) -> StudyRecord:
    """The study of that id. Raises NotFound, DatabaseCorrupt."""
    verify(connection, STUDIES, TuningStudy.id == study_id)
    row = connection.execute(_STUDIES.where(TuningStudy.id == study_id)).one_or_none()
    if row is None:
        raise NotFound(f"no study of id {study_id}")
    return _study(row)


def find_study(connection: Connection, text: str) -> StudyRecord:
    """The study of a name, a unique beginning of a name, or ``last``: the newest. Raises NotFound
    when there is none, or more than one."""
    key = named_id(connection, TuningStudy.id, TuningStudy.name, text, "study")
    return get_study(connection, key)


def set_status(connection: Connection, study_id: int, status: RunStatus) -> None:
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
    own = TuningStudy.id == study_id
    with resealed(connection, STUDIES, own):
        changed = connection.execute(update(TuningStudy).where(own).values(values))
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


def event_of(connection: Connection, study_id: int) -> int | None:
    """The event of a study. Raises NotFound."""
    row = connection.execute(_EVENT_OF_STUDY, {"study": study_id}).one_or_none()
    if row is None:
        raise NotFound(f"no study of id {study_id}")
    found: int | None = row.event_id
    return found


def add_confirmation(connection: Connection, study_id: int, event_id: int) -> None:
    """Note that an event confirms a study's result; twice is once. Raises NotFound, RecordError:
    the event has games of tuning."""
    event_of(connection, study_id)
    if kind_of(connection, event_id) == TUNING_KIND:
        raise RecordError(f"event {event_id} has games of tuning and confirms nothing")
    if event_id not in confirmations(connection, study_id):
        values = {"study_id": study_id, "event_id": event_id}
        with resealed(connection, STUDIES, TuningStudy.id == study_id):
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
