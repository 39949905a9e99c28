"""What leaves the database of a study: values to play with, and a file for ``optuna-dashboard``."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from db.records.studies import StudyRecord
from db.storage.sides import refuse_database
from engines.spec import Value
from engines.variant import respelled
from toolkit.base.errors import OperationFailed, UsageError
from toolkit.base.format import count_of, format_count, format_number
from toolkit.tuning.models.gain import Gain
from toolkit.tuning.settings import StudySettings, settings_of
from toolkit.tuning.space.point import point_text
from toolkit.tuning.study.report import ExportRow, StudyReport
from toolkit.tuning.study.result import finished_result, recommended_variant
from toolkit.tuning.study.store import StoredStudy

if TYPE_CHECKING:
    from db.session import Database

_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key that TOML takes without quotes."""


class OptunaStorageRow(Struct, frozen=True):
    """What `tune export --optuna-storage` wrote."""

    study: Annotated[str, "name of the study, also in the file"]
    file: Annotated[str, "SQLite file with Optuna's schema"]
    trials: Annotated[int, "number of trials in the file"]


def variant_text(record: StudyRecord) -> str:
    """The recommended engine as ``--engine`` takes it, with the study's name for a label; where
    the base is recommended, the base as it is.

    Raises UsageError before the study's end, and for one that tunes no engine.
    """
    settings = settings_of(record)
    result = finished_result(record)
    engine = recommended_variant(settings, result)
    if engine is None:
        raise UsageError(
            f"study {record.name} tunes a simulated objective and no engine: --format json or toml"
        )
    if result.is_base:
        return engine.spelling
    return respelled(engine.spelling, {"name": record.name[:60]})


def toml_text(row: ExportRow) -> str:
    """The recommendation of a study as TOML: the variant as ``engine``, the values as
    ``[parameters]``, and the measurement in comments."""
    lines = [
        f"# study {row.study}, objective {row.objective}, seed {row.seed}",
        f"# {row.pairs_used} of {row.budget_pairs} pairs; {gain_text(row.gain)}",
    ]
    if row.refused is not None:
        lines.append(f"# refused: {refusal_text(row.refused, row.refused_gain)}")
    for key, text in (("base", row.base), ("engine", row.variant)):
        if text is not None:
            lines.append(f"{key} = {json.dumps(text)}")
    lines += ["", "[parameters]"]
    for name, value in row.parameters.items():
        # Numbers, texts, true and false are written alike in TOML and JSON.
        lines.append(f"{name if _BARE.fullmatch(name) else json.dumps(name)} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def resolution_text(pairs: int, elo: float | None) -> str:
    """What so many pairs that measure a gain can tell; empty without an ``elo``."""
    if elo is None:
        return ""
    measure = "pair measures" if pairs == 1 else "pairs measure"
    return (
        f"{format_count(pairs)} {measure} the gain: below about {format_count(round(elo))} Elo it "
        "can't be told from 0"
    )


def nothing_better(report: StudyReport) -> str:
    """Why the base is recommended, and what the study could not have found."""
    pairs = next(phase.budget for phase in report.phases if phase.phase == "gain")
    told = resolution_text(pairs, report.resolution)
    return "nothing better was found" + (f" ({told})" if told else "")


def gain_text(gain: Gain | None) -> str:
    """A stated gain in words."""
    if gain is None:
        return "gain not measured"
    if not gain.pairs:
        known = "0" if gain.error95 == 0 else "not measured"  # the base's over itself is 0
        return f"gain {known}: {gain.note}"
    return f"gain {_measurement(gain)}"


def refusal_text(point: Mapping[str, Value], gain: Gain | None) -> str:
    """A refused point with its measurement: ``grain=4 measured -13.9 ± 14.5 Elo over the
    base ...``."""
    if gain is None or not gain.pairs:
        return f"{point_text(point)}, {gain_text(gain)}"
    return f"{point_text(point)} measured {_measurement(gain)}"


def _measurement(gain: Gain) -> str:
    """A measured gain with its interval and the number of pairs."""
    elo = gain.unit == "elo"
    unit, over = ("Elo", "over the base") if elo else ("%", "of effort saved")
    value, interval = format_number(gain.value, signed=True), "95 %"
    if gain.error95 is not None:
        value += f" ± {format_number(gain.error95)}"
    elif gain.low95 is not None or gain.high95 is not None:
        value += f" [{format_number(gain.low95)}, {format_number(gain.high95)}]"
    else:
        interval = "without an interval"
    fresh = count_of(gain.pairs, f"fresh {'pair' if elo else 'position'}")
    note = f"; {gain.note}" if gain.note else ""
    return f"{value} {unit} {over} ({interval}, on {fresh} not used in the choice{note})"


def write_optuna_storage(db: Database, record: StudyRecord, path: str) -> OptunaStorageRow:
    """Write a study's trials to a new SQLite file that ``optuna-dashboard sqlite:///FILE`` opens;
    returns what it wrote. Raises UsageError for a file that exists, or a name that a URL would
    cut; OperationFailed for one that cannot be written."""
    import optuna
    from optuna.exceptions import ExperimentalWarning

    if "?" in path:  # what is behind it would be the URL's options
        raise UsageError(f"{path}: the URL of a database cannot name a file with `?`")
    try:
        if not os.path.lexists(path):
            refuse_database(path)
        # Ours alone, and its folder can be written: SQLite says of no failure which it was.
        Path(path).touch(exist_ok=False)
    except FileExistsError as error:
        raise UsageError(f"{path} exists; choose another file") from error
    except OSError as error:
        raise OperationFailed(f"cannot write {path}: {error.strerror or error}") from error
    settings = settings_of(record)
    trials = db.repository.trials(record.id)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
        try:
            stored = StoredStudy(settings, storage)
            stored.study.set_metric_names([_metric(settings)])
            stored.study.set_user_attr("mtdf", {"settings": dict(record.settings)})
            stored.add(trials)
        finally:
            storage.remove_session()
            storage.engine.dispose()
    return OptunaStorageRow(record.name, path, len(trials))


def _metric(settings: StudySettings) -> str:
    """A description of a trial's value, so that it is not mistaken for a strength."""
    if settings.sampler == "spsa":
        return "worth of plus over minus (no strength)"
    return "worth of a few pairs over the base"
