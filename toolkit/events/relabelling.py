"""Changing the label of an engine in the whole database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct, convert

from db.errors import RecordError
from db.records.events import IMPORT_KIND
from db.records.games import GameRecord
from engines.spec import Engine
from engines.suggestion import did_you_mean
from engines.variant import is_label
from toolkit.base.errors import NothingMatched, UsageError
from toolkit.events.contenders import check_engine_name
from toolkit.events.settings import EventSettings
from toolkit.referee.record import game_key
from toolkit.selection.engines import engine_labels, printed_engine

if TYPE_CHECKING:
    from db.session import Database


class RelabelledRow(Struct, frozen=True):
    """Where the label of an engine was changed."""

    engine: Annotated[str, "the new label"]
    before: Annotated[str, "the label before"]
    engine_id: Annotated[str, "identity of the engine; empty if it never played"]
    events: Annotated[list[str], "ids of the events"]
    studies: Annotated[list[str], "names of the studies"]
    runs: Annotated[list[str], "names of the laboratory runs"]


def rename_engine(db: Database, old: str, new: str) -> RelabelledRow:
    """Change the label ``old`` of an engine to ``new`` in all events, studies and laboratory runs,
    in one transaction; then the name of an external engine that is kept as ``old``. If several
    engines have the label, ``old`` is the label with the beginning of an id, as lists print it:
    ``pvs [d94d43]``. Stored rating lists keep the labels of their day.

    Raises NothingMatched if no engine has the label; UsageError if several have it, if the new one
    can be no label, or if another engine of one of these events or runs has it; DatabaseError, also
    while an event is played.
    """
    if not is_label(new):
        raise UsageError(
            f"label `{new}`: give 1 to 60 printable characters without spaces or commas"
        )
    kept = old in {engine.name for engine in db.repository.named_engines()}
    if kept:
        check_engine_name(new)
        if old == new:
            raise UsageError(f"engine `{old}` has this name already")
        if old not in engine_labels(db):
            _rename_kept(db, old, new)
            return RelabelledRow(
                engine=new, before=old, engine_id="", events=[], studies=[], runs=[]
            )
    label, identity = _found(db, old)
    if label == new:
        raise UsageError(f"engine `{label}` has this label already")
    _check_no_feature(db, label, identity)
    with db.whole_lock("relabelled"):
        keys = _NewKeys(db, label, identity, new)
        try:
            found = db.repository.relabel(
                *(label, new, identity),
                lambda settings: relabelled(settings, label, new, identity),
                keys.of,
            )
        except RecordError as error:
            raise UsageError(f"{error}: choose another label") from error
    if kept:
        _rename_kept(db, old, new)
    return RelabelledRow(
        engine=new,
        before=label,
        engine_id=identity,
        events=list(found.events),
        studies=list(found.studies),
        runs=list(found.runs),
    )


def _rename_kept(db: Database, old: str, new: str) -> None:
    """Keep an external engine under another name. Raises UsageError if that is taken."""
    try:
        db.repository.rename_named_engine(old, new)
    except RecordError as error:
        raise UsageError(f"{error}: choose another name") from error


def relabelled(data: Any, old: str, new: str, identity: str) -> Any:
    """Settings with the new label of an engine. Settings of any kind have engines as objects with
    ``kind`` and ``label``."""
    if isinstance(data, Mapping):
        found = {key: relabelled(value, old, new, identity) for key, value in data.items()}
        if found.get("label") == old and found.get("kind") in ("native", "uci"):
            if convert(found, Engine).identity == identity:
                found["label"] = new
        return found
    if isinstance(data, list):
        return [relabelled(value, old, new, identity) for value in data]
    return data


class _NewKeys:
    """The keys of games that an engine played against itself, which cover both labels."""

    def __init__(self, db: Database, old: str, identity: str, new: str) -> None:
        self._old = old
        self._new = new
        self._settings: dict[int, EventSettings] = {}
        for event_id, _ in db.repository.players_labelled(old, identity):
            event = db.repository.event(event_id)
            if event.kind != IMPORT_KIND:
                self._settings[event_id] = EventSettings.from_json(event.settings)

    def of(self, game: GameRecord) -> str | None:
        """The key of a game that has its new labels. One
        that also covers what came before in a book is not known, and stays."""
        identities, labels = (game.white_id, game.black_id), (game.white, game.black)
        white, black = (self._old if label == self._new else label for label in labels)
        limits = self._settings[game.event_id].limits_of(white, black)
        made = (game.signature, game.start_fen, limits, game.moves)
        if game.game_key != game_key(identities, (white, black), *made, chess960=game.chess960):
            return game.game_key
        return game_key(identities, labels, *made, chess960=game.chess960)


def _found(db: Database, text: str) -> tuple[str, str]:
    """Label and identity of the engine that is meant. Raises NothingMatched, UsageError."""
    label, start = text, ""
    identities = db.repository.identities_called(text)
    if not identities and (printed := printed_engine(text)) is not None:
        label, start = printed
        identities = [
            one for one in db.repository.identities_called(label) if one.startswith(start)
        ]
    if not identities:
        hint = did_you_mean(text, engine_labels(db))
        raise NothingMatched(f"no engine is labelled `{text}`{hint} (mtdf engines list)")
    if len(identities) > 1:
        named = " or ".join(f"`{label} [{one[:6]}]`" for one in identities)
        raise UsageError(f"{len(identities)} engines are labelled `{label}`: give {named}")
    return label, identities[0]


def _check_no_feature(db: Database, label: str, identity: str) -> None:
    """Raises UsageError if the label says which feature of an ablation is off."""
    for event_id, position in db.repository.players_labelled(label, identity):
        event = db.repository.event(event_id)
        if event.kind == "ablation" and position > 0:
            raise UsageError(
                f"`{label}` says what event {event.key} switches off, and stays as it is"
            )
