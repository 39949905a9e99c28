"""``mtdf import``: import games of other programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from toolkit.base.format import count_of, format_count
from toolkit.base.output import Output
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.csv import CSV, printed_as_data, refuse_both
from toolkit.commands.options.types import EVENT_NAME

if TYPE_CHECKING:
    from db.records.events import PairingScore
    from toolkit.imports.run import BadGameAt, ImportProgress, ImportRow


@click.command(
    "import",
    cls=Command,
    examples=(
        ("mtdf import games.pgn", "into the event `games.pgn`; run again to add only new games"),
        ("zcat a.pgn.gz b.pgn.gz | mtdf import - --event league", "several files through a pipe"),
        ("mtdf import big.pgn.zst --headers-only", "results without moves, much faster"),
    ),
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--event",
    metavar="NAME",
    type=EVENT_NAME,
    help="Event to import into; default: the file's name, or `stdin` for a pipe.",
)
@click.option("--headers-only", is_flag=True, help="Do not read the moves.")
@click.option("--skip-bad", is_flag=True, help="Skip games that cannot be imported.")
@CSV
@click.pass_obj
def command(
    invocation: Invocation,
    files: Sequence[str],
    event: str | None,
    headers_only: bool,
    skip_bad: bool,
    as_csv: bool,
) -> None:
    """Import PGN files of fastchess, cutechess, lichess and others. Files may be compressed (gzip,
    bzip2, xz, Zstandard, zip with one file) or pipes; - is standard input.

    A player is identified by its name in all files. Imported players have ratings and games, but
    cannot play new games. Values, depths, nodes and times in comments are kept. An event stores
    each game once, so importing a file again adds nothing, and a game with the same text as an
    earlier game of the file is skipped. Bare results without moves or times all count. A game that
    was exported from this database counts once. A file with a bad game is rejected as a whole.

    Only chess games are accepted. --headers-only takes the results of variants of chess, such
    as Crazyhouse, whose moves cannot be read.
    """
    from toolkit.imports.run import BadGames, ImportRow, import_file
    from toolkit.imports.source import check_readable
    from toolkit.show.live.pace import now_and_then
    from toolkit.show.tables.imports import print_imports

    output = invocation.output
    refuse_both(output, as_csv)
    rows: list[ImportRow] = []
    scores: dict[str, PairingScore] = {}
    say = now_and_then(output, _progress_text)
    for file in files:
        check_readable(file)
    with invocation.database(create=True, writes=True) as db:
        for file in files:
            try:
                done = import_file(
                    db,
                    file,
                    event=event,
                    headers_only=headers_only,
                    skip_bad=skip_bad,
                    on_progress=say,
                )
            except BadGames as error:
                _warn(output, error.bad[1:], 0)
                raise
            _warn(output, done.bad, done.row.bad - len(done.bad))
            for note in done.notes:
                output.hint(note)
            rows.append(done.row)
            if done.score is not None:
                scores[done.row.event] = done.score
            else:
                scores.pop(done.row.event, None)
    if not printed_as_data(output, as_csv, ImportRow, rows):
        print_imports(output, rows, scores)


def _warn(output: Output, bad: Sequence[BadGameAt], more: int) -> None:
    for game in bad:
        output.warning(str(game))
    if more > 0:
        output.warning(f"{format_count(more)} more were left out")


def _progress_text(progress: ImportProgress) -> str:
    """How far a file is."""
    word = "read" if progress.phase == "reading" else "stored"
    share = "" if progress.share is None else f", {100 * progress.share:.0f} %"
    return f"{progress.file}: {count_of(progress.games, 'game')} {word}{share}"
