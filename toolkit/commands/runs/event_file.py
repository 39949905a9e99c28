"""A stored event as a TOML file, from which ``mtdf run`` plays it again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from engines.errors import VariantError
from engines.limit import without_limit
from engines.spec import Variant
from engines.variant import is_label, is_named, parse_variant
from toolkit.base.errors import UsageError
from toolkit.commands.runs.run_file import Engine, run_file_text
from toolkit.events.contenders import default_label, with_limit
from toolkit.events.players import Contender
from toolkit.events.settings import DEFAULT_PATIENCE_MS, EventSettings
from toolkit.pairing.forms import AdaptiveForm, KnockoutForm, SwissForm
from toolkit.referee.adjudication import Adjudication

_PACKAGE = "package:"
"""How the sources of built-in books begin, which are named by their names."""
_COMMANDS = {"ablation": "ablate"}
"""Commands that have another name than the kind of their events."""


def event_as_file(settings: EventSettings) -> str:
    """The event of these settings, with every option that its games depend on. Raises UsageError
    for the games of a study."""
    if settings.kind == "tuning":
        raise UsageError("the games of a study are no event of their own: see mtdf tune show")
    options: dict[str, Any] = {} if not settings.name else {"name": settings.name}
    options |= _pairs(settings) | settings.limit.items
    options |= {"seed": settings.seed} | _openings(settings) | _endings(settings.adjudication)
    options |= {"time-margin": settings.time_margin_ms}
    if settings.patience_ms != DEFAULT_PATIENCE_MS:
        options["hang-after"] = settings.patience_ms / 1000
    if settings.kind == "ablation":
        copies = settings.players[1 : max(settings.heroes, 1)] or settings.players[1:]
        options["feature"] = [player.label.partition("=")[0] for player in copies]
    command = _COMMANDS.get(settings.kind, settings.kind)
    return run_file_text(command, options, list(_engines(settings)))


def _pairs(settings: EventSettings) -> dict[str, Any]:
    """How many pairs, and what ends the event."""
    pairs = settings.pairs + sum(settings.extensions)
    if settings.sprt is not None:
        test = settings.sprt.test
        options: dict[str, Any] = {"max-pairs": pairs, "elo0": test.elo0, "elo1": test.elo1}
        options |= {"alpha": test.alpha, "beta": test.beta, "model": test.model}
        return options | ({"trinomial": True} if settings.sprt.counting == "trinomial" else {})
    form = settings.form
    if isinstance(form, AdaptiveForm):
        options = {"stop-when": form.stop_when, "round-pairs": form.round_pairs}
        if form.stop_when == "order":
            options["zone"] = form.zone_elo
        return options | {"max-pairs": pairs}
    if isinstance(form, KnockoutForm):
        return {"pairs": pairs, "seeding": form.seeding, "extra-pairs": form.extra_pairs}
    return {"pairs": pairs} | ({"rounds": form.rounds} if isinstance(form, SwissForm) else {})


def _openings(settings: EventSettings) -> dict[str, Any]:
    book = settings.book
    built_in = book.source.startswith(_PACKAGE)
    source = book.name if built_in else book.source
    options: dict[str, Any] = {"book": source, "order": book.order, "start": book.start}
    if not built_in:
        options["skip-bad"] = True  # whether lines of the file were left out is not stored
    if book.plies is not None:
        options["book-plies"] = book.plies
    if book.slice is not None:
        options["book-slice"] = str(book.slice)
    if book.repeat:
        options["repeat-openings"] = True
    if settings.openings != "distinct":
        options["openings"] = settings.openings
    return options | ({"chess960": True} if settings.chess960 else {})


def _endings(rules: Adjudication) -> dict[str, Any]:
    draw, resign, tables = rules.draw, rules.resign, rules.tablebases
    options: dict[str, Any] = {
        "max-plies": "off" if rules.max_plies is None else rules.max_plies,
        "draw": "off" if draw is None else f"{draw.plies}@{draw.cp}:{draw.from_move}",
        "resign": "off" if resign is None else f"{resign.plies}@{resign.cp}:{resign.agreement}",
    }
    if tables is not None:
        options |= {"syzygy": tables.path, "syzygy-decides": tables.decides}
    return options


def _engines(settings: EventSettings) -> Iterator[Engine]:
    """The engines with their roles. Copies of an ablation come from its features."""
    for position, player in enumerate(settings.players):
        hero = position < settings.heroes
        role = ""
        if settings.kind == "gauntlet":
            role = "hero" if hero else "field"
        elif settings.kind == "sprt":
            role = "test" if hero else "base"
        elif settings.kind == "ablation" and position > 0:
            if hero or settings.heroes == 1:
                continue
            role = "field"
        yield role, _engine(player)


def _engine(player: Contender) -> dict[str, Any]:
    """An engine as a table; an external one by its command, whatever its name stands for now."""
    table: dict[str, Any] = {}
    engine = player.engine
    if isinstance(engine, Variant):
        table["engine"] = _text(engine)
    else:
        command = engine.command
        table["command"] = list(command.argv)
        table["options"] = dict(engine.options)
        if command.directory is not None:
            table["dir"] = command.directory
        if command.environment:
            table["env"] = dict(command.environment)
        if engine.restart:
            table["restart"] = True
        if command.memory_mb is not None:
            table["memory"] = command.memory_mb
        if command.files != "read":
            table["files"] = command.files
    name = player.label.replace(",", ";")
    # A long one is the text that meant the engine with the defaults of another time.
    if player.label != _label(player) and is_label(name):
        table["name"] = name
    return table | ({} if player.limit is None else player.limit.items)


def _text(stored: Variant) -> str:
    """What means a variant of ours: a label with a preset, else its spelling."""
    label = without_limit(stored.label)
    try:
        variant = parse_variant(label)
    except VariantError:
        return stored.spelling
    same = variant.identity == stored.identity
    return label if is_named(variant) and same else stored.spelling


def _label(player: Contender) -> str:
    """The label that the player has without a name in its table."""
    engine = player.engine
    if isinstance(engine, Variant):
        return with_limit(_text(engine), player.limit)
    program = PurePath(engine.command.argv[0]).name
    return default_label(program, dict(engine.options), player.limit)
