"""Damage: what ``mtdf db check`` finds, and what may explain an unexpected error of a command."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct, convert
from msgspec.structs import asdict

from db.errors import DatabaseCorrupt
from db.records.engines import UCI_KIND, VariantRecord
from db.records.events import IMPORT_KIND, EventRecord
from db.records.laboratory import LabSearchRecord
from db.records.ratings import RatingListRecord
from db.records.studies import EncounterRecord, TrialRecord
from engines.limit import Limit
from engines.spec import UciCommand, UciEngine, UciSetup, Variant
from toolkit.base.errors import DatabaseProblem
from toolkit.base.printable import text_in_one_line
from toolkit.events.settings import EventSettings
from toolkit.imports.run import ImportSettings, imported_variant
from toolkit.lab.cost import iterations_of
from toolkit.lab.effort import NODE_COUNTS
from toolkit.lab.plan import stored_settings
from toolkit.ratings.history import ListSettings
from toolkit.suites.run import steps_of, stored_suite
from toolkit.tuning.settings import StudySettings, settings_of
from toolkit.tuning.study.result import result_of

if TYPE_CHECKING:
    from db.session import Database


def damage(db: Database, on_games: Callable[[int, int], None] | None = None) -> Iterator[str]:
    """One line per finding: first in engines, settings and results, which are JSON, then in games
    and pairs, whose number ``on_games`` gets with the total. Raises DatabaseError."""
    for read in (_engines, _events, _studies, _lab_runs, _rating_lists, _named_engines):
        try:
            yield from read(db)
        except DatabaseCorrupt as error:
            yield str(error)
    yield from db.repository.damage(on_games)


def _wrong(name: str, check: Callable[[], object]) -> Iterator[str]:
    """The line for something that its check refuses, or that is nothing that can be checked."""
    try:
        check()
    except Exception as error:
        yield f"{name}: {text_in_one_line(error)}"


def _engines(db: Database) -> Iterator[str]:
    for one in db.repository.variants():
        yield from _wrong(f"engine {one.id}", partial(_check_engine, one))


def _check_engine(one: VariantRecord) -> None:
    if one.kind == UCI_KIND:
        command = UciCommand(())
        found = UciEngine(command=command, spelling="", label="", facts=one.parameters).identity
    elif one.kind == "native":
        found = Variant(one.driver, {}, one.parameters, "", "").identity
    else:
        found = imported_variant(one.parameters["name"]).id
    if found != one.id:
        raise DatabaseProblem("its parameters are not those of its identity")


class _Notes(Struct):
    """What is added to the settings of an event beside what it depends on."""

    note: str = ""
    changed_engines: list[dict[str, str]] = []
    out_engines: dict[str, str] = {}
    pgn_out: str = ""
    limits: dict[str, Limit] = {}


def _events(db: Database) -> Iterator[str]:
    for event in db.repository.events():
        yield from _wrong(f"event {event.key}", partial(_check_event, db, event))


def _check_event(db: Database, event: EventRecord) -> None:
    convert(event.settings, _Notes)
    if event.kind == IMPORT_KIND:
        convert(event.settings, ImportSettings)
        return
    settings = EventSettings.from_json(event.settings)
    players = [(one.label, one.variant_id) for one in db.repository.event_players(event.id)]
    wanted = [(one.label, one.id) for one in settings.players]
    if players[: len(wanted)] != wanted or settings.kind != event.kind:
        raise DatabaseProblem("its players or its kind are not those of its settings")


def _studies(db: Database) -> Iterator[str]:
    for study in db.repository.studies():
        name = f"study {study.name}"
        yield from _wrong(name, partial(result_of, study))
        wrong = list(_wrong(name, partial(settings_of, study)))
        yield from wrong
        if wrong:
            continue
        settings = settings_of(study)
        for trial in db.repository.trials(study.id):
            check = partial(_check_trial, settings, trial)
            yield from _wrong(f"{name}, trial {trial.number}", check)
        for one in db.repository.encounters(study.id):
            yield from _wrong(f"{name}, encounter {one.number}", partial(_check_encounter, one))


def _check_trial(settings: StudySettings, trial: TrialRecord) -> None:
    convert(asdict(trial), TrialRecord)
    convert(trial.attributes, dict[str, dict[str, Any]])
    if not settings.space.contains(trial.params):
        raise DatabaseProblem("its parameters are not of the space of its study")
    value = math.nan if trial.value is None else trial.value
    if trial.state == "complete" and not math.isfinite(value):
        raise DatabaseProblem("it is complete and has no finite value")


def _check_encounter(one: EncounterRecord) -> None:
    convert(asdict(one), EncounterRecord)
    if one.scores and len(one.scores) != one.pairs:
        raise DatabaseProblem(f"{len(one.scores)} scores of {one.pairs} pairs")


def _lab_runs(db: Database) -> Iterator[str]:
    for run in db.repository.lab_runs():
        name = f"laboratory run {run.name}"
        is_suite = run.kind == "suite"
        yield from _wrong(name, partial(stored_suite if is_suite else stored_settings, run))
        check = _check_suite_search if is_suite else _check_search
        for search in db.repository.lab_searches(run.id):
            place = f"{name}, engine {search.engine}, position {search.position}"
            yield from _wrong(place, partial(check, search))


def _check_search(search: LabSearchRecord) -> None:
    every = iterations_of(search)
    costs = [sum(getattr(one, name) for one in every) for name in NODE_COUNTS]
    found = (*costs, sum(len(one.passes) for one in every))
    if found != (search.interior, search.leaves, search.quiescence, search.passes):
        raise DatabaseProblem("its iterations are not those that it cost")
    if (every[-1].depth, every[-1].value) != (search.depth, search.value):
        raise DatabaseProblem("its last iteration is not its result")


def _check_suite_search(search: LabSearchRecord) -> None:
    last = steps_of(search)[-1]
    if (last.depth, last.value or 0, last.move, last.nodes) != (
        *(search.depth, search.value, search.move, search.interior),
    ):
        raise DatabaseProblem("its last report is not its result")


def _rating_lists(db: Database) -> Iterator[str]:
    for number in db.repository.rating_list_ids():
        one = db.repository.rating_list(number)
        yield from _wrong(f"rating list {number}", partial(_check_list, one))


def _check_list(one: RatingListRecord) -> None:
    if len(convert(one.settings, ListSettings).players) != len(one.rows):
        raise DatabaseProblem("its engines are not those of its settings")


def _named_engines(db: Database) -> Iterator[str]:
    for one in db.repository.named_engines():
        yield from _wrong(f"engine {one.name}", partial(convert, one.settings, UciSetup))
