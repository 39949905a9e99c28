"""The part of the repository that studies of tuning are kept by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from db import events, studies, trials
from db.engine import Store
from db.records import (
    EncounterRecord,
    EventPlayerRecord,
    RunStatus,
    StudyRecord,
    TrialRecord,
    TrialState,
    VariantRecord,
)


class StudyRepository:
    """Studies, behind methods that are one transaction each; see :class:`db.repository.Repository`,
    which has them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create_study(self, study: StudyRecord) -> StudyRecord:
        """Store a study and give it with its id; empty ``created_at`` means now. RecordError: its
        name is taken or none, or its event is not one of tuning. NotFound."""
        with self._store.write() as connection:
            return studies.get_study(connection, studies.create_study(connection, study))

    def study(self, study_id: int) -> StudyRecord:
        """The study of that id. NotFound."""
        with self._store.read() as connection:
            return studies.get_study(connection, study_id)

    def find_study(self, text: str) -> StudyRecord:
        """The study of a name, a unique beginning of a name, or ``last``: the newest. NotFound:
        there is none, or more than one."""
        with self._store.read() as connection:
            return studies.find_study(connection, text)

    def studies(self) -> list[StudyRecord]:
        """Every study, the oldest first."""
        with self._store.read() as connection:
            return studies.all_studies(connection)

    def count_studies(self) -> int:
        """How many studies are stored."""
        with self._store.read() as connection:
            return studies.count_studies(connection)

    def set_study_status(self, study_id: int, status: RunStatus) -> None:
        """Note that a study runs or has ended, and when. NotFound, RecordError."""
        with self._store.write() as connection:
            studies.set_status(connection, study_id, status)

    def set_study_result(self, study_id: int, result: Mapping[str, Any] | None) -> None:
        """Keep what a study recommends. NotFound, RecordError."""
        with self._store.write() as connection:
            studies.set_result(connection, study_id, result)

    def set_study_event(self, study_id: int, event_id: int) -> None:
        """Note which event has a study's games. NotFound, RecordError: it is not of the kind
        ``tuning``, or has the games of another study."""
        with self._store.write() as connection:
            studies.set_event(connection, study_id, event_id)

    def begin_trial(
        self,
        trial: TrialRecord,
        encounters: Sequence[EncounterRecord] = (),
        players: Sequence[EventPlayerRecord] = (),
        variants: Sequence[VariantRecord] = (),
    ) -> None:
        """Store a running trial, its encounters, and players that join the study's event, whose
        variants are stored where they are new. RecordError, NotFound."""
        with self._store.write() as connection:
            trials.begin_trial(connection, trial, encounters, players, variants)

    def add_encounters(
        self,
        encounters: Sequence[EncounterRecord],
        players: Sequence[EventPlayerRecord] = (),
        variants: Sequence[VariantRecord] = (),
        event_id: int | None = None,
    ) -> None:
        """The same without a new trial. ``event_id``: which event players join where no encounter
        says it. RecordError, NotFound."""
        with self._store.write() as connection:
            trials.add_encounters(connection, encounters, players, variants, event_id)

    def finish_encounter(self, study_id: int, number: int, scores: Sequence[float | None]) -> None:
        """Keep the scores of an encounter, one a pair, None where a pair could not be played. The
        same again changes nothing. NotFound, RecordError: they are too few, too many or others
        than before."""
        with self._store.write() as connection:
            trials.finish_encounter(connection, study_id, number, scores)

    def finish_trial(
        self,
        study_id: int,
        number: int,
        state: TrialState,
        value: float | None,
        attributes: Mapping[str, Any] | None = None,
        steps: Sequence[float] = (),
        scores: Mapping[int, Sequence[float | None]] | None = None,
    ) -> None:
        """Note how a running trial ended, and the scores of encounters by their numbers, as
        :meth:`finish_encounter` does. Attributes take the place of those that it began with; None
        leaves them. RecordError: it has ended before, or is complete without a value. NotFound."""
        with self._store.write() as connection:
            trials.finish_trial(
                connection, study_id, number, state, value, attributes, steps, scores or {}
            )

    def trials(self, study_id: int) -> list[TrialRecord]:
        """The trials of a study by number."""
        with self._store.read() as connection:
            return trials.trials(connection, study_id)

    def encounters(self, study_id: int) -> list[EncounterRecord]:
        """The encounters of a study by number."""
        with self._store.read() as connection:
            return trials.encounters(connection, study_id)

    def add_confirmation(self, study_id: int, event_id: int) -> None:
        """Note that an event confirms a study's result; twice is once. NotFound, RecordError: the
        event is one of tuning."""
        with self._store.write() as connection:
            studies.add_confirmation(connection, study_id, event_id)

    def confirmations(self, study_id: int) -> list[int]:
        """Ids of the events that confirm a study's result, the oldest first."""
        with self._store.read() as connection:
            return studies.confirmations(connection, study_id)

    def add_players(
        self,
        event_id: int,
        players: Sequence[EventPlayerRecord],
        variants: Sequence[VariantRecord] = (),
    ) -> None:
        """Let players join an event of kind ``tuning`` while it is played. RecordError: it is of
        another kind, or has a player of that position or label. NotFound."""
        self.add_encounters([], players, variants, event_id)

    def tuning_events(self) -> dict[int, str]:
        """The events of kind ``tuning`` by id, the oldest first: the key of each."""
        with self._store.read() as connection:
            return events.tuning_events(connection)

    def tuned_alone(self) -> set[str]:
        """Identities of the variants that stood in events of kind ``tuning`` and in no other."""
        with self._store.read() as connection:
            return events.tuned_alone(connection)

    def pair_scores(
        self, event_id: int, pairing: int | None = None
    ) -> list[tuple[int, int, float]]:
        """(pairing, pair, score) of every whole pair of an event or of one of its pairings, in
        order, repetitions included. The score, 0 to 1, is that of the pairing's first player: the
        one of the lower position."""
        with self._store.read() as connection:
            return events.pair_scores(connection, event_id, pairing)
