"""The options that select games, shared by several commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from engines.choices import GAMES
from toolkit.base.format import count_of, format_count
from toolkit.base.output import Output
from toolkit.commands.options.run import limit_argument, limit_options_of, stacked
from toolkit.commands.options.types import END_REASON, EVENT_NAME, WHOLE, EngineName

if TYPE_CHECKING:
    from db.session import Database
    from toolkit.selection.games import Selection

_KEYS = 3
"""How many excluded tuning events are listed."""

EVENT = click.option(
    "--event",
    "events",
    metavar="EVENT",
    type=EVENT_NAME,
    multiple=True,
    help="Only games of this event: id, name, or last; may be repeated.",
)
ENGINES = click.option(
    "--engine",
    "engines",
    metavar="PATTERN",
    type=EngineName(),
    multiple=True,
    help="Only games between these engines: a label or a pattern such as `mtdf*`; may be repeated.",
)
search_limit = limit_options_of(lambda kind: f"Only games in which both had {kind.selects}.")
"""The options for the limit of a move."""
OF_GAME = click.option(
    "--game",
    type=click.Choice(tuple(GAMES)),
    help="Only what was played in this game; required where it would be of several. Engines that "
    "name no game are of this one.",
)
conditions = stacked(
    search_limit,
    OF_GAME,
    click.option(
        "--since", metavar="DATE", help="Only games since DATE, such as 2026-11-01 or 30d."
    ),
    click.option("--until", metavar="DATE", help="Only games before DATE."),
)
"""The options for limit, game and dates."""
SIDES = ("white", "black")
game_conditions = stacked(
    click.option(
        "--engine",
        metavar="PATTERN",
        type=EngineName(),
        help="Only games of these engines: a label or a pattern such as `mtdf*`, an id, or a "
        "variant.",
    ),
    click.option(
        "--opponent", metavar="PATTERN", type=EngineName(), help="Only games against these engines."
    ),
    click.option(
        "--result",
        type=click.Choice(["win", "loss", "draw", "1-0", "0-1", "1/2-1/2"]),
        help="Only games with this result: win, loss and draw for --engine, or the score.",
    ),
    click.option(
        *("--side", "--colour", "colour"),
        type=click.Choice(SIDES),
        help="Only games in which --engine has this side.",
    ),
    click.option(
        "--end-reason",
        metavar="REASON",
        type=END_REASON,
        help="Only games with this end reason, such as time-forfeit; a unique prefix is enough.",
    ),
    click.option(
        "--opening",
        metavar="[BOOK:]LINE|LABEL",
        help="Only games from this book line, from lines of this label, or from a position as "
        "printed by `h2h`.",
    ),
    conditions,
    click.option("--min-plies", type=WHOLE, help="Only games of at least N plies."),
    click.option("--max-plies", type=WHOLE, help="Only games of at most N plies."),
    click.option(
        "--event",
        metavar="EVENT",
        type=EVENT_NAME,
        help="Only games of this event: id, name, or last.",
    ),
    click.option("--limit", type=WHOLE, help="Only the first N games."),
)
"""The options of a list of games."""
selection_options = stacked(EVENT, ENGINES, conditions)
"""The options for events, engines, limit, game and dates."""


def selection_of(values: dict[str, Any]) -> Selection:
    """Take the selection out of a command's values."""
    from toolkit.selection.games import Selection

    return Selection(
        events=tuple(values.pop("events")),
        engines=tuple(values.pop("engines", ())),
        limit=limit_argument(values),
        since=values.pop("since"),
        until=values.pop("until"),
        game=values.pop("game"),
    )


@contextmanager
def saying_left_out(output: Output, db: Database, selection: Selection) -> Iterator[None]:
    """Around the reading of a selection: report which tuning games it excludes, if any, by a hint
    once it was read, or in the error if nothing matched."""
    from toolkit.base.errors import NothingMatched

    try:
        yield
    except NothingMatched as error:
        note = _left_out_text(db, selection)
        if note is None:
            raise
        raise NothingMatched(f"{error}; {note}") from error
    note = _left_out_text(db, selection)
    if note is not None:
        output.hint(note)


def _left_out_text(db: Database, selection: Selection) -> str | None:
    """Which tuning games a selection excludes; None if it excludes none."""
    from toolkit.selection.games import left_out

    found = left_out(db, selection)
    if found is None:
        return None
    more = len(found.event_keys) - _KEYS
    names = " ".join(f"--event {key}" for key in found.event_keys[-_KEYS:])
    others = f" (and {format_count(more)} older: mtdf events)" if more > 0 else ""
    games = count_of(found.games, "game")
    verb = "is" if found.games == 1 else "are"
    return f"{games} of tuning {verb} excluded; {names} includes them{others}"
