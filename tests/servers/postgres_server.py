"""A PostgreSQL server of a test process, in a temporary directory, and databases on it.

It is Debian's, found by ``pg_config`` or in ``/usr/lib/postgresql``, runs as a user that is not
root, listens to no network, and dies with the process that started it, however that ends. Its texts
are sorted by the rules of English, unlike SQLite's.
"""

from __future__ import annotations

import itertools
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy.engine import make_url

_USERS = ("postgres", "nobody")
_PATIENCE_S = 300.0
_OLDEST = 15
_FAST = ("fsync=off", "full_page_writes=off", "wal_level=minimal")
_SMALL = ("max_wal_senders=0", "shared_buffers=32MB", "autovacuum=off")


def missing() -> str | None:
    """What keeps a server from being started here; None: nothing."""
    programs = _programs()
    if programs is None:
        return "there is no PostgreSQL server (Debian: apt-get install postgresql)"
    line = [programs / "initdb", "--version"]
    version = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    if int(re.findall(r"\d+", version)[0]) < _OLDEST:
        return f"the tests need PostgreSQL {_OLDEST} or later, and this is {version.strip()}"
    if shutil.which("setpriv") is None:
        return "there is no setpriv (util-linux), which ends the server with the tests"
    return None


def _programs() -> Path | None:
    """The folder of ``initdb`` and ``postgres``."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"),
        key=lambda folder: int(folder.parent.name) if folder.parent.name.isdigit() else 0,
    )
    asked = shutil.which("pg_config")
    if asked:
        answer = subprocess.run([asked, "--bindir"], capture_output=True, text=True, check=False)
        found.insert(0, Path(answer.stdout.strip()))
    return next((one for one in reversed(found) if (one / "initdb").exists()), None)


class PostgresServer:
    """A running server. ``stop`` and ``start`` as often as wanted; ``remove`` at the end."""

    def __init__(self) -> None:
        programs = _programs()
        assert programs is not None
        self._programs = programs
        self._numbers = itertools.count(1)
        self._server: subprocess.Popen[bytes] | None = None
        # Not in pytest's folders, which other users cannot enter.
        self._folder = Path(tempfile.mkdtemp(prefix="mtdf-postgres-"))
        self._user: list[str] = []
        if os.geteuid() == 0:
            user = next(one for one in map(_user, _USERS) if one is not None)
            os.chown(self._folder, user.pw_uid, user.pw_gid)
            ids = (f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups")
            self._user = ["setpriv", *ids]
        try:
            self._run(
                *(programs / "initdb", "--pgdata", self._data, "--username", "mtdf"),
                *("--auth", "trust", "--no-sync", "--encoding", "UTF8", "--locale", "C"),
                *("--locale-provider", "icu", "--icu-locale", "en"),
            )
            rules = self._data / "pg_hba.conf"
            rules.write_text("local all guarded scram-sha-256\n" + rules.read_text())
            self.start()
        except BaseException:
            self.remove()
            raise

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = [f"--{option}" for option in (*_FAST, *_SMALL)]
        with (self._folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [
                    *("setpriv", "--pdeathsig", "QUIT", *self._user[1:]),
                    *(self._programs / "postgres", "-D", self._data, "-k", self._folder, "-h", ""),
                    *options,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._folder,
            )
        deadline = time.monotonic() + _PATIENCE_S
        ready = [self._programs / "pg_isready", "-q", "-h", self._folder]
        while subprocess.run(ready, check=False).returncode != 0:
            if self._server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self._folder / "log").read_text())
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop the server at once, as a crash would."""
        if self._server is not None:
            self._server.send_signal(signal.SIGQUIT)
            self._server.wait()
            self._server = None

    def remove(self) -> None:
        """Stop the server and remove its files."""
        self.stop()
        shutil.rmtree(self._folder)

    def url(self, name: str, user: str = "mtdf", password: str | None = None) -> str:
        """The URL of a database."""
        url = make_url(f"postgresql+psycopg:///{name}").update_query_dict(
            {"host": str(self._folder)}
        )
        return url.set(username=user, password=password, host="").render_as_string(False)

    def sql(self, statement: str, name: str = "postgres") -> list[tuple[Any, ...]]:
        """The rows that the administrator gets for a statement."""
        place = {"host": str(self._folder), "user": "mtdf", "dbname": name}
        with psycopg.connect(**place, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def create(self, template: str | None = None) -> str:
        """Make a database, and return its name."""
        name = f"test{next(self._numbers)}"
        like = "" if template is None else f" TEMPLATE {template} STRATEGY file_copy"
        self.sql(f"CREATE DATABASE {name}{like}")
        return name

    def drop(self, name: str) -> None:
        """Remove a database, whoever is connected."""
        self.sql(f"DROP DATABASE {name} WITH (FORCE)")

    def _run(self, *command: str | Path) -> None:
        done = subprocess.run(
            [*self._user, *command], capture_output=True, text=True, cwd=self._folder, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]}: {done.stdout}{done.stderr}")


def _user(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None
