"""``mtdf db``: the database as a whole: information, checks, copies, merges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolkit.base.errors import ExitCode
from toolkit.base.format import count_of, format_count
from toolkit.commands._base import Group
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.types import WHOLE

if TYPE_CHECKING:
    pass


@click.group(
    "db",
    cls=Group,
    examples=(
        ("mtdf db info", "schema, size, numbers of events, engines and games"),
        ("mtdf db check", "look for damage in the whole database"),
    ),
)
def command() -> None:
    """Inspect, check, vacuum, copy and merge databases. A command that writes upgrades an older
    database, after a backup."""


@command.command(
    "info",
    short_help="Show schema, size, and numbers of events, engines and games.",
    examples=(
        ("mtdf db info", "the default database"),
        ("mtdf db info --db other.db --json", "another database, as JSON"),
    ),
)
@click.pass_obj
def info_command(invocation: Invocation) -> None:
    """Show the schema, the size, the numbers of events, engines and games, and running events."""
    from toolkit.reports.upkeep import database_info

    with invocation.database() as db:
        info = database_info(db)
    output = invocation.output
    if output.as_json:
        output.json_object(info)
        return
    hosts = {key: f" on {host}" for key, host in info.hosts.items()}
    running = ", ".join(
        f"{key} (process {pid}{hosts.get(key, '')})" for key, pid in info.running.items()
    )
    for name, value in (
        ("database", info.database),
        ("schema", str(info.schema)),
        ("size", f"{info.bytes / 1e6:.1f} MB"),
        ("events", format_count(info.events)),
        ("engines", format_count(info.engines)),
        ("games", format_count(info.games)),
        ("repetitions", format_count(info.excluded_games)),
        ("rating lists", format_count(info.rating_lists)),
        ("studies", format_count(info.studies)),
        ("being played", running or "nothing"),
    ):
        output.text(f"{name:<13} {value}")


@command.command(
    "vacuum",
    short_help="Give the space of removed rows back to the disk.",
    examples=(
        ("mtdf db vacuum", "after rm"),
        ("mtdf db vacuum --json | jq .bytes_after", "the new size of the file"),
    ),
)
@click.pass_obj
def vacuum_command(invocation: Invocation) -> None:
    """Write the database file anew, without the space of removed rows. Nothing may be played
    meanwhile, and the disk must have room for a copy of the content. The database stays whole if
    this is interrupted."""
    from toolkit.reports.upkeep import vacuum_database

    output = invocation.output
    with invocation.database(writes=True) as db:
        row = vacuum_database(db)
    if output.as_json:
        output.json_object(row)
        return
    before, after = row.bytes_before / 1e6, row.bytes_after / 1e6
    output.text(f"vacuumed {row.database}: {before:.1f} MB before, {after:.1f} MB now")
    if not row.shrunk:
        output.hint("another program reads it: the file shrinks when that has ended")


@command.command(
    "backup",
    short_help="Copy the database, also while events run.",
    examples=(
        ("mtdf db backup monday.db", "a copy of this moment, while events go on"),
        ("mtdf db backup --force nightly.db", "replace the copy of last night"),
    ),
)
@click.argument("target", metavar="TARGET")
@click.option("--force", is_flag=True, help="Replace a database at TARGET.")
@click.pass_obj
def backup_command(invocation: Invocation, target: str, force: bool) -> None:
    """Copy the SQLite database to the file TARGET, also while events run, which do not wait. The
    copy is the database of the moment at which the command starts. It is checked, and has its name
    only when it is complete. The database keeps its schema, and runs that are being played are
    interrupted ones in the copy."""
    from toolkit.base.config import database_location
    from toolkit.reports.upkeep import back_up_database
    from toolkit.show.live.pace import now_and_then

    output = invocation.output
    say = now_and_then(output, _copied_text)
    location = database_location(invocation.db)
    row = back_up_database(location, target, replace=force, on_progress=say, on_notice=output.hint)
    if output.as_json:
        output.json_object(row)
        return
    output.text(f"copied {row.database} to {row.copy}: {row.bytes / 1e6:.1f} MB")


def _copied_text(done: int, size: int) -> str:
    return f"{done / 1e6:.0f} of {size / 1e6:.0f} MB copied"


@command.command(
    "merge",
    short_help="Add the runs of other databases.",
    examples=(
        ("mtdf db merge other.db --dry-run", "show what would be added"),
        ("mtdf db merge a.db b.db", "add the runs of two databases; later again, what is new"),
        ("mtdf db merge other.db --json | jq '.[].runs[].into'", "ids and names of the runs here"),
    ),
)
@click.argument("others", metavar="OTHER...", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Show what would be added, without adding it.")
@click.pass_context
def merge_command(ctx: click.Context, others: tuple[str, ...], dry_run: bool) -> None:
    """Add the events, studies and laboratory runs of other databases to this one, with all that
    belongs to them, and external engines kept under names. Each run and game is added once: merged
    again, or after it was continued in the other database, only what is missing is added. A run
    gets a new id or name if another run has it here.

    A game that repeats one of this database does not count, as if both had been played here. The
    other database is only read, and may be in use. A run that has other results here
    is refused, with exit code 3; the others are merged. Stored rating lists stay in
    the other database."""
    from toolkit.runs.merging import merge_database
    from toolkit.show.live.pace import now_and_then
    from toolkit.show.tables.merge import print_outcomes, progress_text

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    say = now_and_then(output, progress_text)
    invocation.used += others
    with invocation.database(create=not dry_run, writes=not dry_run) as db:
        outcomes = [merge_database(db, other, dry_run=dry_run, on_progress=say) for other in others]
    if output.as_json:
        output.json_rows(outcomes)
    else:
        print_outcomes(output, outcomes)
    if any(run.problem for outcome in outcomes for run in outcome.runs):
        ctx.exit(ExitCode.DATABASE)


@command.command(
    "check",
    short_help="Check the whole database for damage.",
    examples=(
        ("mtdf db check", "exit code 0 if it is sound, 3 if it is damaged"),
        ("mtdf db check --replay --sample 1000", "also replay a thousand games"),
        ("mtdf db check --replay --db copy.db", "replay all games of another database"),
    ),
)
@click.option("--replay", is_flag=True, help="Also replay the games by python-chess's rules.")
@click.option("--sample", type=WHOLE, help="Replay only a random sample of N games.")
@click.option("--seed", type=WHOLE, default=0, show_default=True, help="Seed for the sample.")
@click.pass_context
def check_command(ctx: click.Context, replay: bool, sample: int | None, seed: int) -> None:
    """Check the file, references between rows, that every pair has its games, and that the result,
    moves and searches of every game are what was stored; that engines have the parameters of their
    identities, that settings and trials can be read, and that searches of the laboratory are
    complete. --replay also looks for illegal moves, games that end differently than stored, and
    searches and keys that do not match their games. Stored ratings are not recomputed."""
    from toolkit.commands._soundness import damage
    from toolkit.reports.upkeep import DatabaseCheck, replay_games
    from toolkit.show.live.pace import now_and_then

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    if sample is not None and not replay:
        raise click.UsageError("--sample needs --replay", ctx)
    with invocation.database() as db:
        db.check()
        contradicted = list(damage(db, now_and_then(output, _checked_text)))
        say = now_and_then(output, _replayed_text)
        found = replay_games(db, sample, seed=seed, on_progress=say) if replay else None
        name = db.name
    mismatches = list(found.mismatches) if found else []
    if output.as_json:
        row = DatabaseCheck(
            database=name,
            sound=not (mismatches or contradicted),
            contradictions=contradicted,
            replayed=found.replayed if found else None,
            mismatches=mismatches,
        )
        output.json_object(row)
    else:
        for line in (*contradicted, *mismatches):
            output.text(line)
        also = f"; {count_of(found.replayed, 'game')} replayed" if found else ""
        wrong = f", {format_count(len(mismatches))} of them not as stored" if mismatches else ""
        sound = "not sound" if mismatches or contradicted else "sound"
        output.text(f"{name} is {sound}{also}{wrong}")
    if mismatches or contradicted:
        ctx.exit(ExitCode.DATABASE)


def _checked_text(done: int, games: int) -> str:
    return f"{format_count(done)} of {format_count(games)} games checked"


def _replayed_text(done: int, games: int) -> str:
    return f"{format_count(done)} of {format_count(games)} games replayed"
