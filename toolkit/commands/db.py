"""``mtdf db``: database information, checks, upgrades and vacuuming."""

from __future__ import annotations

import click

from toolkit.base.errors import ExitCode
from toolkit.base.format import count_of, format_count
from toolkit.commands._base import Group
from toolkit.commands._invocation import Invocation
from toolkit.commands._pace import now_and_then
from toolkit.commands._types import WHOLE
from toolkit.reports.rows import DatabaseCheck


@click.group(
    "db",
    cls=Group,
    examples=(
        ("mtdf db info", "schema, size, numbers of events, engines and games"),
        ("mtdf db check", "look for damage in the whole database"),
    ),
)
def command() -> None:
    """Inspect, check, upgrade and vacuum the database."""


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
    size = "--" if info["bytes"] is None else f"{info['bytes'] / 1e6:.1f} MB"
    running = ", ".join(f"{key} (process {pid})" for key, pid in info["running"].items())
    for name, value in (
        ("database", info["database"]),
        ("schema", str(info["schema"])),
        ("size", size),
        ("events", format_count(info["events"])),
        ("engines", format_count(info["engines"])),
        ("games", format_count(info["games"])),
        ("repetitions", format_count(info["excluded_games"])),
        ("rating lists", format_count(info["rating_lists"])),
        ("studies", format_count(info["studies"])),
        ("being played", running or "nothing"),
    ):
        output.text(f"{name:<13} {value}")


@command.command(
    "upgrade",
    examples=(
        ("mtdf db upgrade --dry-run", "show the current and the new schema"),
        ("mtdf db upgrade", "upgrade, after a backup"),
    ),
)
@click.option("--dry-run", is_flag=True, help="Show what would be done, without changing anything.")
@click.pass_obj
def upgrade_command(invocation: Invocation, dry_run: bool) -> None:
    """Upgrade the database to this program's schema. Any command that opens the database for
    writing also does this."""
    from toolkit.base.config import database_location
    from toolkit.reports.upkeep import upgrade_database

    output = invocation.output
    row = upgrade_database(database_location(invocation.db), dry_run=dry_run)
    if output.as_json:
        output.json_object(row)
        return
    name, old, new = row["database"], row["from_schema"], row["to_schema"]
    if old == new:
        output.text(f"{name} has schema {new}, which is the newest: nothing to do")
    elif row["upgraded"]:
        kept = f"; the old one is kept as {row['backup']}" if row["backup"] else ""
        output.text(f"upgraded {name} from schema {old} to {new}{kept}")
    else:
        output.text(f"{name} has schema {old} and would be upgraded to {new}, with a backup")


@command.command(
    "vacuum",
    short_help="Give the space of removed rows back to the disk.",
    examples=(
        ("mtdf db vacuum", "after events rm, tune rm or lab rm"),
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
    before, after = row["bytes_before"] / 1e6, row["bytes_after"] / 1e6
    output.text(f"vacuumed {row['database']}: {before:.1f} MB before, {after:.1f} MB now")
    if not row["shrunk"]:
        output.hint("another program reads it: the file shrinks when that has ended")


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
    """Read the whole database and compare it with what was stored: tables, indexes and views, the
    digest of every row, the number of rows, and references between rows. --replay also looks for
    illegal moves, games that end differently than stored, and searches and keys that do not match
    their games. Stored ratings are not recomputed."""
    from toolkit.reports.upkeep import replay_games

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    if sample is not None and not replay:
        raise click.UsageError("--sample needs --replay", ctx)
    with invocation.database() as db:
        db.check()
        contradicted = db.repository.damage()
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


def _replayed_text(done: int, games: int) -> str:
    return f"{format_count(done)} of {format_count(games)} games replayed"
