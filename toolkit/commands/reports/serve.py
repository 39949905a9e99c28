"""``mtdf serve``: live pages over the database."""

from __future__ import annotations

import click

from toolkit.base.config import database_location
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation


@click.command(
    "serve",
    cls=Command,
    examples=(
        ("mtdf serve", "open the address that it prints; Ctrl-C ends it"),
        ("mtdf serve --db league.db --port 9000", "another database, another port"),
        ("mtdf serve --host 192.168.1.5", "also for other machines of the network"),
    ),
)
@click.option(
    "--port",
    metavar="PORT",
    type=click.IntRange(0, 65535),
    default=8642,
    show_default=True,
    help="Listen on this port; 0 chooses a free one.",
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="Listen on this address; others than the default let other machines read the database.",
)
@click.pass_context
def command(ctx: click.Context, port: int, host: str) -> None:
    """Serve the pages of `mtdf report` live, while other processes play.

    The database is opened read-only; nothing else can be read. Pages of unfinished runs renew
    themselves. Only this machine can connect, unless --host says otherwise: then everybody who can
    reach that address can read the database.
    """
    from toolkit.show.pages.server.app import ServedRow
    from toolkit.show.pages.server.guard import is_loopback
    from toolkit.show.pages.server.opened import ServedDatabase
    from toolkit.show.pages.server.run import listening, serve, url_of

    invocation = ctx.ensure_object(Invocation)
    output = invocation.output
    database = ServedDatabase(database_location(invocation.db))
    try:
        listener = listening(host, port)
        url = url_of(listener)
        if not is_loopback(host):
            output.warning(f"everybody who can reach {url} can read {database.name}")
        if output.as_json:
            port = listener.getsockname()[1]
            row = ServedRow(url=url, host=host, port=port, database=database.name)
            output.json_object(row)
        else:
            output.text(f"serving {database.name} at {url}")
            output.hint("ctrl-c ends it")
        output.flush()
        log_request = output.to_stderr if output.verbosity else None
        serve(database, listener, host, log=output.error, log_request=log_request)
    finally:
        database.close()
