"""Locks of a database on a server: like those of a file, and lost with the connection."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from postgres_server import PostgresServer

from db.errors import DatabaseLocked, DatabaseUnusable, EventLocked
from db.records.events import EventRecord
from db.records.games import GameRecord
from db.session import Database, open_database
from db.storage import engine as storage
from db.storage import server_lock
from db.storage.lock import Holder

HOLD = """
import socket
import sys
from db.session import open_database
socket.gethostname = lambda: sys.argv[3] or HOST
with open_database(sys.argv[1]) as database:
    whole = sys.argv[2] == "upgrade"
    with database.whole_lock("upgraded") if whole else database.run_lock(sys.argv[2]):
        print("held", flush=True)
        sys.stdin.read()
""".replace("HOST", repr(socket.gethostname()))
Fill = Callable[..., EventRecord]
MakeGame = Callable[..., GameRecord]
Hold = Callable[..., AbstractContextManager["subprocess.Popen[str]"]]


@pytest.fixture
def hold(on_server: str) -> Hold:
    """Another process that holds an event's lock, or the whole database's, until its input ends."""

    @contextmanager
    def holding(what: str, host: str = "") -> Iterator[subprocess.Popen[str]]:
        command = [sys.executable, "-c", HOLD, on_server, what, host]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as child:
            assert child.stdout is not None and child.stdout.readline() == "held\n"
            yield child

    return holding


@pytest.fixture
def server(on_server: str) -> Iterator[Database]:
    """An open database on a server."""
    with open_database(on_server) as database:
        yield database


@pytest.mark.slow
def test_one_process_plays_an_event(server: Database, hold: Hold) -> None:
    lock = server.run_lock("r3f9")
    assert lock.holder() is None
    with hold("r3f9") as other:
        assert lock.holder() == Holder(other.pid)
        assert server.running_events() == {"r3f9": Holder(other.pid)}
        with pytest.raises(EventLocked) as caught:
            lock.acquire()
        assert str(caught.value) == (
            f"event r3f9 in {server.name} is already running in process {other.pid}: "
            "wait for it or stop it"
        )
        with server.run_lock("study7"):
            both = {"r3f9": Holder(other.pid), "study7": Holder(os.getpid())}
            assert server.running_events() == both
    with lock:
        assert lock.holder() == Holder(os.getpid())
    assert lock.holder() is None


@pytest.mark.slow
def test_lock_ends_with_its_process(server: Database, hold: Hold) -> None:
    with hold("r3f9") as other:
        other.send_signal(signal.SIGKILL)
        other.wait()
    with server.run_lock("r3f9") as lock:
        assert lock.holder() == Holder(os.getpid())
    assert server.running_events() == {}


def test_lock_is_exclusive_within_a_process(database: Database) -> None:
    with database.run_lock("lab12"), database.run_lock("r3f8"):
        with pytest.raises(EventLocked):
            database.run_lock("lab12").acquire()
        with pytest.raises(DatabaseLocked, match="in use by a running event"):
            database.whole_lock("vacuumed").__enter__()
        assert set(database.running_events()) == {"lab12", "r3f8"}
    with database.whole_lock("vacuumed"), pytest.raises(DatabaseLocked, match="being upgraded"):
        database.run_lock("r3f9").acquire()
    assert database.running_events() == {}


def test_any_name_can_be_locked(database: Database, place: str) -> None:
    """Such as that of an experiment, which is not among the running events."""
    name = "a long näme: " + 10 * "x"
    with database.run_lock(name, "experiment x"), open_database(place) as other:
        with pytest.raises(EventLocked, match="experiment x in .* is already running in process"):
            other.run_lock(name, "experiment x").acquire()
        with other.run_lock(name + "y"):
            assert other.running_events() == {}


@pytest.mark.slow
def test_lock_of_the_whole_database_excludes_events(server: Database, hold: Hold) -> None:
    with hold("upgrade"):
        with pytest.raises(DatabaseLocked, match=r"is being upgraded or vacuumed"):
            server.run_lock("r3f9").acquire()
        with pytest.raises(DatabaseLocked, match="is being vacuumed by another process"):
            server.whole_lock("vacuumed").__enter__()
    with hold("r3f9") as other, pytest.raises(DatabaseLocked) as caught:
        server.whole_lock("vacuumed").__enter__()
    assert f"in use by a running event (r3f9, process {other.pid})" in str(caught.value)
    with server.whole_lock("vacuumed"):
        pass


@pytest.mark.slow
def test_process_on_another_machine_is_named_with_it(on_server: str) -> None:
    with open_database(on_server) as database:
        command = [sys.executable, "-c", HOLD, on_server, "r3f9", "tower.example"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as child:
            assert child.stdout is not None and child.stdout.readline() == "held\n"
            assert database.running_events() == {"r3f9": Holder(child.pid, "tower.example")}
            with pytest.raises(EventLocked, match=f"in process {child.pid} on tower.example: wait"):
                database.run_lock("r3f9").acquire()


def test_lock_numbers_give_the_key_back() -> None:
    for key in ("r0", "r3f9", "rfffffff", "study1", "lab9999999", "r" + 11 * "z"):
        number = server_lock._number_of(key)
        assert 0 < number < 2**63 and server_lock._key_of(number) == key
    assert storage._WRITER_LOCK not in map(server_lock._number_of, ("r3f9", "study1", "lab1"))
    for name in ("", "r" + 12 * "z", "experiment", "R3F9"):
        assert -(2**63) <= server_lock._number_of(name) < 0


def end_connections(postgres: PostgresServer, url: str, which: str = "true") -> None:
    """End connections to a database, as its administrator can."""
    name = url.split("///")[-1].split("?")[0].rpartition("/")[2]
    # Waits for each to be gone, at most so many milliseconds.
    postgres.sql(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
        f"WHERE datname = '{name}' AND pid <> pg_backend_pid() AND {which}"
    )


@pytest.mark.slow
def test_nothing_is_stored_after_the_lock_is_lost(
    on_server: str, postgres: PostgresServer, fill_database: Fill, make_game: MakeGame
) -> None:
    """Only the connection with the lock is ended; others would still serve."""

    def games(pair: int) -> list[GameRecord]:
        return [make_game(event.id, 0, pair, number) for number in (1, 2)]

    with open_database(on_server) as first, open_database(on_server) as second:
        event = fill_database(first)
        with first.run_lock(event.key):
            first.repository.commit_pairs(event.id, [games(0)])
            end_connections(postgres, on_server, f"application_name LIKE 'mtdf {os.getpid()} %'")
            assert second.running_events() == {}
            with second.run_lock(event.key):
                second.repository.commit_pairs(event.id, [games(1)])
                for _ in range(2):
                    with pytest.raises(DatabaseUnusable, match="connection to the server was lost"):
                        first.repository.commit_pairs(event.id, [games(2)])
                with pytest.raises(DatabaseUnusable, match="with it the lock of this run"):
                    first.repository.set_status(event, "done")
                assert first.repository.finished_pairs(event.id) == {(0, 0), (0, 1)}
                with pytest.raises(DatabaseUnusable):
                    first.run_lock("r999").acquire()
        with first.run_lock(event.key):
            first.repository.commit_pairs(event.id, [games(2)])
        assert first.repository.finished_pairs(event.id) == {(0, 0), (0, 1), (0, 2)}


@pytest.mark.slow
def test_transaction_is_lost_with_its_connection(
    on_server: str, postgres: PostgresServer, fill_database: Fill
) -> None:
    with open_database(on_server) as database:
        event = fill_database(database)
        with database.run_lock(event.key):
            with pytest.raises(DatabaseUnusable, match="what was stored before is safe"):
                with database.repository._store.write() as connection:
                    connection.exec_driver_sql("UPDATE events SET name = 'half'")
                    end_connections(postgres, on_server)
                    connection.exec_driver_sql("UPDATE events SET name = 'more'")
        assert database.repository.event(event.id).name == event.name


@pytest.mark.slow
def test_restarted_server_has_no_locks_and_serves_again(
    on_server: str, postgres: PostgresServer, fill_database: Fill
) -> None:
    with open_database(on_server) as database:
        event = fill_database(database)
        with database.run_lock(event.key):
            postgres.stop()
            with pytest.raises(DatabaseUnusable):
                database.repository.events()
            with pytest.raises(DatabaseUnusable):
                database.repository.set_status(event, "done")
            postgres.start()
            assert database.repository.events() == [event]
            assert database.running_events() == {}
            with pytest.raises(DatabaseUnusable, match="nothing more is stored"):
                database.repository.set_status(event, "done")
        with database.run_lock(event.key):
            database.repository.set_status(event, "done")
        assert database.repository.event(event.id).status == "done"


@pytest.mark.slow
def test_writer_waits_for_another_up_to_its_timeout(on_server: str, fill_database: Fill) -> None:
    with open_database(on_server) as one, open_database(on_server, busy_timeout_s=0.1) as other:
        event = fill_database(one)
        with one.repository._store.write():
            assert other.repository.event(event.id) == event, "readers do not wait"
            with pytest.raises(DatabaseLocked, match="locked by another program: try again later"):
                other.repository.set_status(event, "done")
        with open_database(on_server) as patient:
            with one.repository._store.write():
                writer = threading.Thread(
                    target=patient.repository.set_status, args=(event, "done")
                )
                writer.start()
                time.sleep(0.2)
                assert writer.is_alive()
            writer.join()
        assert one.repository.event(event.id).status == "done"


@pytest.mark.slow
def test_stalled_writer_is_cut_off(
    on_server: str, fill_database: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        storage, "_STALLED_S", 3.0
    )  # long enough for a busy machine to fill the database
    with open_database(on_server) as sleeper, open_database(on_server) as other:
        event = fill_database(other)
        with pytest.raises(DatabaseUnusable, match="connection to the server was lost"):
            with sleeper.repository._store.write() as connection:
                other.repository.set_status(event, "done")
                connection.exec_driver_sql("UPDATE events SET status = 'failed'")
        assert other.repository.event(event.id).status == "done"


@pytest.mark.slow
def test_same_variants_are_stored_at_once(on_server: str, fill_database: Fill) -> None:
    """The variants, hosts and book of two events are the same rows."""
    failures: list[BaseException] = []

    def store() -> None:
        try:
            with open_database(on_server) as database:
                fill_database(database, "ABCD")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=store) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with open_database(on_server) as database:
        assert len(database.repository.events()) == 6
        assert len(database.repository.variants()) == 4
        assert database.repository.damage() == []


def test_reader_sees_one_moment(database: Database, place: str, fill_database: Fill) -> None:
    event = fill_database(database)
    with database.repository._store.read() as connection:
        query = "SELECT status FROM events"
        assert connection.exec_driver_sql(query).scalar_one() == "planned"
        with open_database(place) as other:
            other.repository.set_status(event, "done")
        assert connection.exec_driver_sql(query).scalar_one() == "planned"
