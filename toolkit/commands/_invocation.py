"""One run of the program: the global options and the objects that commands get from them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

from engines.choices import DEFAULT_GAME
from toolkit.base.config import ColorMode, database_location
from toolkit.base.errors import UsageError
from toolkit.base.output import Output

if TYPE_CHECKING:
    from db.session import Database


GLOBAL_OPTIONS = ("--db", "--json", "--quiet", "--verbose", "--color", "--version", "--help")
"""The options of every command."""
CLUSTER = "mtdf.cluster"
"""Where a context keeps the address of a cluster."""
THEN = "mtdf.then"
"""Where a context keeps the command of ``--then``."""


class Invocation:
    """The global options, given before or after the command, and their effects."""

    def __init__(self) -> None:
        self.db: str | None = None
        self.json = False
        self.quiet = False
        self.verbose = 0
        self.color: ColorMode = "auto"
        self.game = DEFAULT_GAME
        """The game of engines and suites that name none."""
        self.asked = ""
        """The game of ``--game``; empty where it is not given."""
        self.played = ""
        """The game of books: that of ``--game``, else the one that an engine named first."""
        self.go_on: str | None = None
        """The command that continues the current run after an interruption."""
        self.used: list[str] = []
        """The databases that the command has opened."""

    def remember(self, name: str, value: Any) -> None:
        """Keep a global option; ``-v`` before and after the subcommand adds up."""
        setattr(self, name, self.verbose + value if name == "verbose" else value)

    def check_game(self, engine: str, game: str) -> None:
        """Raise UsageError for an engine of another game than ``--game`` names."""
        if self.asked and game != self.asked:
            from engines.external.text import shown

            raise UsageError(f"--game {self.asked}, but engine `{shown(engine)}` plays {game}")

    @property
    def output(self) -> Output:
        """The streams, as the options want them."""
        from engines.backend import backend_name

        return Output(
            as_json=self.json,
            quiet=self.quiet,
            verbosity=self.verbose,
            color=self.color,
            backend=backend_name(),
        )

    def announce_backend(self) -> None:
        """One line on standard error if the reference replaces the native core."""
        from engines.backend import fallback_reason

        reason = fallback_reason()
        if reason is not None:
            Output(color=self.color).warning(f"running on the slow reference backend: {reason}")

    def reject_json(self, ctx: click.Context, why: str) -> None:
        """Raise UsageError if ``--json`` was given to a command that cannot obey it."""
        if self.json:
            raise click.UsageError(f"--json: {why}", ctx)

    @contextmanager
    def database(self, *, create: bool = False, writes: bool = False) -> Iterator[Database]:
        """The database of this run, closed at the end. Raises DatabaseError; without ``create``
        a missing one is an error. Unless the command ``writes``, one that cannot be written to is
        opened for reading."""
        from db.errors import DatabaseReadOnly
        from db.session import open_database
        from toolkit.runs.stopping import deferred_signals

        location, notice = database_location(self.db), self.output.hint
        try:
            database = open_database(location, create=create, on_notice=notice)
        except DatabaseReadOnly:
            if create or writes:
                raise
            database = open_database(location, read_only=True, on_notice=notice)
        self.used.append(location)
        with database:
            try:
                yield database
            finally:
                with deferred_signals():  # the driver prints an error of its own while it closes
                    database.close()

    def damage(self) -> str | None:
        """The first damage in the databases of this run, which may explain an unexpected error;
        None if there is none, or if it cannot be looked for now."""
        from db.errors import DatabaseError
        from db.session import open_database
        from toolkit.commands._soundness import damage

        for location in self.used:
            try:
                with open_database(location, read_only=True) as db:
                    for found in damage(db):
                        return f"{db.name} is damaged ({found}): mtdf db check lists all damage"
            except DatabaseError:
                continue
        return None

    @contextmanager
    def optional_database(self) -> Iterator[Database | None]:
        """The database of this run, or None if there is none and none was requested."""
        from db.errors import DatabaseMissing

        with ExitStack() as stack:
            database = None
            try:
                database = stack.enter_context(self.database())
            except DatabaseMissing:
                if self.db is not None:
                    raise
            yield database
