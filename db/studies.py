"""Studies that tune parameters, and the events that confirm them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, insert, select

from db.digests import STUDIES, resealed, seal
from db.errors import RecordError
from db.events import kind_of
from db.models import TuningConfirmation, TuningStudy
from db.records import TUNING_KIND, StudyRecord
from db.runs import RunTable

TABLE = RunTable(StudyRecord, STUDIES, TuningStudy.event_id, TuningStudy.result)


def create_study(connection: Connection, study: StudyRecord) -> StudyRecord:
    """Store a study and give it with its id; empty ``created_at`` means now. Raises NotFound,
    RecordError: its name is taken or none, or its event is not one of tuning or another study's."""
    TABLE.check_name(connection, study.name)
    if study.event_id is not None:
        _check_event(connection, study.event_id)
    study_id = TABLE.insert(
        connection,
        study,
        event_id=study.event_id,
        result=None if study.result is None else dict(study.result),
    )
    seal(connection, STUDIES, TuningStudy.id == study_id)
    return TABLE.get(connection, study_id)


def count_studies(connection: Connection) -> int:
    """How many studies are stored."""
    return connection.execute(select(func.count()).select_from(TuningStudy)).scalar_one()


def set_result(connection: Connection, study_id: int, result: Mapping[str, Any]) -> None:
    """Keep what a study recommends. Raises NotFound, RecordError."""
    TABLE.change(connection, study_id, result=dict(result))


def _check_event(connection: Connection, event_id: int) -> None:
    kind = kind_of(connection, event_id)
    if kind != TUNING_KIND:
        raise RecordError(f"event {event_id} is of kind `{kind}`, not `{TUNING_KIND}`")
    owner = select(TuningStudy.name).where(TuningStudy.event_id == event_id)
    name = connection.execute(owner).scalar_one_or_none()
    if name is not None:
        raise RecordError(f"event {event_id} has the games of study `{name}`")


def add_confirmation(connection: Connection, study_id: int, event_id: int) -> None:
    """Note that an event confirms a study's result; twice is once. Raises NotFound, RecordError:
    the event has games of tuning."""
    TABLE.check_id(connection, study_id)
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
