"""`mtdf serve`: what it answers, what it refuses, and that it never writes."""

from __future__ import annotations

import html
import http.client
import importlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from msgspec import structs

from cli import program
from db.session import open_database
from engines.limit import Limit
from toolkit.base.errors import OperationFailed, UsageError
from toolkit.base.output import jsonable
from toolkit.commands._program import run_program
from toolkit.events.event import start_event
from toolkit.events.players import Contender
from toolkit.events.settings import EventSettings, gauntlet_settings
from toolkit.referee.adjudication import Adjudication
from toolkit.reports.games import GameQuery, list_games
from toolkit.show.pages.server import app as app_module
from toolkit.show.pages.server import opened as opened_module
from toolkit.show.pages.server import run as run_module
from toolkit.show.pages.server.opened import ServedDatabase
from toolkit.show.pages.server.run import listening, make_server, url_of

EVIL = "</svg><script>alert(1)</script>&\"'$[/x]"
Open = Callable[..., "Client"]
GUARD_S = 300.0
"""Longer than anything takes on a busy machine."""


def _settings(pairs: int, seed: int = 1) -> EventSettings:
    """A gauntlet of three toy players, one with a hostile name."""
    settings = gauntlet_settings(
        ["pvs:name=a"],
        ["pvs:hash=1,name=b", "pvs:hash=2,name=c"],
        pairs=pairs,
        limit=Limit(nodes=1),
        seed=seed,
        name=EVIL,
        adjudication=Adjudication(max_plies=30, draw=None, resign=None),
    )
    first, *others = settings.players
    players = (Contender(structs.replace(first.engine, label=EVIL)), *others)
    return structs.replace(settings, players=players)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A database with an event that is done, and the event's id."""
    path = tmp_path_factory.mktemp("served") / "games.db"
    with pytest.MonkeyPatch.context() as patch, open_database(path) as db:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "toys"))
        patch.setattr("toolkit.events.worker.MAX_FAULTS_IN_A_ROW", 100)  # it is done all the same
        make_player = importlib.import_module("toy_players").frail_player
        outcome = start_event(db, _settings(5), make_player=make_player)
    assert outcome.status == "done"
    return path, outcome.event.key


@dataclass(frozen=True)
class Answer:
    """An answer of the server."""

    status_code: int
    headers: dict[str, str]
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()

    def json(self) -> Any:
        return json.loads(self.content)


class Client:
    """Asks a server that runs in this process; sends what it is told, changing nothing."""

    def __init__(self, port: int) -> None:
        self.port = port

    def get(self, address: str, **more: Any) -> Answer:
        return self.request("GET", address, **more)

    def request(
        self,
        method: str,
        address: str,
        *,
        headers: Mapping[str, str | bytes] | None = None,
        params: Mapping[str, str] | None = None,
        hosts: Sequence[str | bytes] = ("localhost",),
    ) -> Answer:
        if params is not None:
            address += f"?{urllib.parse.urlencode(params)}"
        with closing(
            http.client.HTTPConnection("127.0.0.1", self.port, timeout=GUARD_S)
        ) as connection:
            connection.putrequest(method, address, skip_host=True)
            for host in hosts:
                connection.putheader("Host", host)
            for name, text in (headers or {}).items():
                connection.putheader(name, text)
            connection.endheaders()
            answer = connection.getresponse()
            found = {name.lower(): text for name, text in answer.getheaders()}
            return Answer(answer.status, found, answer.read())


def _serve(stack: ExitStack, path: Path, host: str, log: Callable[[str], None]) -> Client:
    """A client of a server that ends with the stack."""
    database = ServedDatabase(str(path))
    listener = listening("127.0.0.1", 0)
    port = listener.getsockname()[1]
    server = make_server(database, host, log)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()

    def stop() -> None:
        server.should_exit = True
        thread.join(GUARD_S)
        listener.close()
        database.close()

    stack.callback(stop)
    return Client(port)


@pytest.fixture
def opened(stored: tuple[Path, str]) -> Iterator[Open]:
    """A client of a new server over the stored database, or over another one. What it logs is an
    error unless a test takes it."""
    lines: list[str] = []
    with ExitStack() as stack:
        yield lambda path=stored[0], host="127.0.0.1", log=lines.append: _serve(
            stack, path, host, log
        )
    assert lines == []


@pytest.fixture(scope="module")
def client(stored: tuple[Path, str]) -> Iterator[Client]:
    """A client of one server for all tests, which logs nothing and writes nothing."""
    lines: list[str] = []
    before = stored[0].read_bytes()
    with ExitStack() as stack:
        yield _serve(stack, stored[0], "127.0.0.1", lines.append)
    assert lines == [] and stored[0].read_bytes() == before


@pytest.fixture
def key(stored: tuple[Path, str]) -> str:
    return stored[1]


PAGES = ("/", "/ratings", "/events/{}", "/games/g1")
DATA = ("/events/{}/games", "/assets/page.css")


def test_every_answer_has_strict_headers(client: Client, key: str) -> None:
    for address in (*PAGES, *DATA, "/nothing", "/events/rffffff"):
        _check_headers("GET", address, client.get(address.format(key)))
    for address in ("/events/{}/games", "/nothing"):
        _check_headers("HEAD", address, client.request("HEAD", address.format(key)))


def _check_headers(method: str, address: str, answer: Answer) -> None:
    assert answer.status_code == (404 if address in ("/nothing", "/events/rffffff") else 200)
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'") and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and "*" not in policy and "http" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    for name in ("opener-policy", "resource-policy"):
        assert answer.headers[f"cross-origin-{name}"] == "same-origin"
    assert not any(name.startswith("access-control") for name in answer.headers)
    assert "server" not in answer.headers
    assert (method == "HEAD") <= (answer.content == b"")


@pytest.mark.parametrize("address", PAGES)
def test_policy_allows_exactly_what_is_in_the_page(address: str, client: Client, key: str) -> None:
    answer = client.get(address.format(key))
    page = answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    (own,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    policy = answer.headers["content-security-policy"]
    assert policy == f"{html.unescape(own)}; frame-ancestors 'none'"
    sources = re.findall(r'<(?:script src|link rel="stylesheet" href)="([^"]*)"', page)
    assert len(sources) > 5 and "/assets/live.js?v=" in " ".join(sources)
    for source in sources:
        assert "immutable" in client.get(source).headers["cache-control"]
    rest = re.sub(r'<script type="application/json" id="data">.*?</script>', "", page, flags=re.S)
    assert not re.search(r"<script>|<style|javascript:| on\w+=|style=", rest)
    assert len(page) < 100_000, "what does not change is not in the page"
    assert "<script>alert" not in page


def test_pages_show_the_event_and_escape_its_names(client: Client, key: str) -> None:
    for address in ("/", f"/events/{key}"):
        page = client.get(address).text
        assert "&lt;/svg&gt;&lt;script&gt;alert(1)" in page
    assert f'href="/events/{key}"' in client.get("/").text
    assert 'href="/"' in client.get(f"/events/{key}").text
    assert "g1: " in client.get("/games/g1").text


def test_only_get_and_head_are_allowed(client: Client) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "X"):
        answer = client.request(method, "/")
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD"), method


def test_foreign_host_names_are_refused(client: Client) -> None:
    """DNS rebinding: a page of evil.example, whose address is now that of this machine."""
    for host, status in (
        ("localhost", 200), ("localhost:9", 200), ("127.0.0.1", 200), ("[::1]:8642", 200),
        ("LOCALHOST", 200), ("127.0.0.53", 200), ("localhost.", 200),
        ("evil.example", 421), ("evil.example:8642", 421), ("localhost.evil.example", 421),
        ("192.168.1.5", 421), ("127.0.0.1.evil.example", 421), ("[2001:db8::1]", 421),
        ("", 400), ("localhost:x", 400), ("[::1", 400), ("localhost:٣".encode(), 400),
        ("localhost@evil.example", 421), ("a b", 421),
    ):  # fmt: skip
        answer = client.get("/assets/page.css", hosts=[host])
        assert answer.status_code == status, host
        assert "evil" not in answer.text


def test_exactly_one_host_is_required(client: Client) -> None:
    assert client.get("/", hosts=[]).status_code == 400
    assert client.get("/", hosts=["localhost", "evil.example"]).status_code == 400


def test_open_server_accepts_addresses_and_its_names(opened: Open) -> None:
    client = opened(host="0.0.0.0")
    for host, status in (
        ("192.168.1.5", 200), ("[2001:db8::1]:8642", 200), (socket.gethostname(), 200),
        ("localhost", 200), ("evil.example", 421),
    ):  # fmt: skip
        answer = client.get("/assets/page.css", hosts=[host])
        assert answer.status_code == status, host
    named = opened(host="tower.example")
    assert named.get("/assets/page.css", hosts=["Tower.Example:1"]).status_code == 200


def test_requests_of_other_sites_are_refused(client: Client) -> None:
    for site, mode, status in (
        ("cross-site", "no-cors", 403), ("same-site", "cors", 403), ("cross-site", "navigate", 200),
        ("same-origin", "cors", 200), ("none", "navigate", 200),
    ):  # fmt: skip
        headers = {"sec-fetch-site": site, "sec-fetch-mode": mode, "origin": "http://evil.example"}
        assert client.get("/assets/page.css", headers=headers).status_code == status


HOSTILE = [
    "/events/..%2f..%2fetc%2fpasswd", "/events/%2e%2e/%2e%2e/etc/passwd", "/assets/..%2fpage.css",
    "/assets/%2fetc%2fpasswd", "/assets/", "/assets/..", "/assets/page.css/", "/static/page.css",
    "/events/%00", "/events/r1%00", "/events/last", "/events/r", "/events/R123", "/events/",
    "/events", "/events//games", "/games/%D9%A1", "/games/g%D9%A1", "/games/g0", "/games/1",
    "/games/last", "/games/g99999999999999999999", "/games/g-1", "/games/g1%0A", "/games/g%201",
    "/studies/last", "/studies/%00", "/studies/..%2f..%2fetc%2fpasswd", "/studies/", "/labs/x",
    "/labs/%ED%A0%80", "/labs/%FF%FE", "/studies/" + "x" * 1500, "//etc/passwd",
    "/events/'%20or%201=1%20--", "/events/*", "/toolkit/show/pages/assets/page.css", "/favicon.ico",
    "/events/rfff/games", "/events/last/games", "/labs/last",
]  # fmt: skip


def test_missing_page_returns_404_page(client: Client) -> None:
    for address in HOSTILE:
        answer = client.get(address)
        assert answer.status_code == 404, address
        assert "<h1>There is nothing here.</h1>" in answer.text and "root:" not in answer.text
        assert len(answer.text) < 1000
        as_json = client.get(address, headers={"accept": "application/json"})
        assert as_json.json() == {"problem": "There is nothing here."}, address


def test_prefix_of_an_id_returns_404(client: Client, key: str) -> None:
    for end in range(1, len(key)):
        assert client.get(f"/events/{key[:end]}").status_code == 404


def test_long_addresses_are_refused(client: Client) -> None:
    assert client.get("/studies/" + "x" * 3000).status_code == 414
    assert client.get("/?" + "x" * 3000).status_code == 414


def test_games_come_in_pages(
    client: Client, stored: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, key = stored
    with open_database(path, read_only=True) as db:
        wanted = list(list_games(db, GameQuery(event=key)))
    address = f"/events/{key}/games"
    assert client.get(address).json() == {"games": 20, "page": 1, "rows": jsonable(wanted)}
    monkeypatch.setattr(app_module, "PAGE_GAMES", 3)
    pages = [client.get(f"{address}?page={number}").json() for number in range(1, 8)]
    assert [row for page in pages for row in page["rows"]] == jsonable(wanted)
    assert [len(page["rows"]) for page in pages] == [3] * 6 + [2]
    assert client.get(f"{address}?page=9999999").json()["rows"] == []


FILTERS: list[tuple[dict[str, str], dict[str, Any]]] = [
    ({"engine": "b"}, {"engine": "b"}),
    ({"engine": "c", "result": "loss"}, {"engine": "c", "result": "loss"}),
    ({"engine": EVIL, "opponent": "c"}, {"engine": EVIL, "opponent": "c"}),
    ({"result": "1/2-1/2"}, {"result": "1/2-1/2"}),
    ({"end_reason": "max"}, {"end_reason": "max"}),
    ({"min_plies": "30"}, {"min_plies": 30}),
    ({"max_plies": "29"}, {"max_plies": 29}),
    ({"engine": "b", "result": "draw", "min_plies": "5"}, {"engine": "b", "result": "draw"}),
    ({"counted": "1"}, {"counted_only": True}),
    ({"engine": "", "result": ""}, {}),
    ({"min_plies": "5000"}, {"min_plies": 5000}),
]


def test_filters_are_those_of_games(client: Client, stored: tuple[Path, str]) -> None:
    path, key = stored
    with open_database(path, read_only=True) as db:
        for asked, query in FILTERS:
            is_empty = "5000" in asked.values()
            wanted = [] if is_empty else list(list_games(db, GameQuery(event=key, **query)))
            found = client.get(f"/events/{key}/games", params=asked).json()
            assert found == {"games": len(wanted), "page": 1, "rows": jsonable(wanted)}, asked
            assert is_empty == (wanted == [])


WRONG_FILTERS = [
    "limit=x", "limit=-1", "limit=%D9%A3", "limit=99999999", "min_plies=1e3", "result=won",
    "result=win", "colour=red", "colour=white", "after=last", "after=g", "sql=drop",
    "engine=" + "x" * 400, "engine=%00", "engine=a&engine=b", "end_reason=magic",
    "opponent=b", "event=r1", "min_plies=9999999",
]  # fmt: skip


def test_invalid_filter_is_refused_in_one_line(client: Client, key: str) -> None:
    for asked in WRONG_FILTERS:
        answer = client.get(f"/events/{key}/games?{asked}", headers={"accept": "application/json"})
        assert answer.status_code == 400, asked
        assert list(answer.json()) == ["problem"] and "\n" not in answer.json()["problem"]


def test_assets_are_cached_by_content(client: Client) -> None:
    from toolkit.show.pages.server.assets import addresses, assets

    for name in assets():
        exact = client.get(addresses()[name])
        assert exact.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert exact.headers["content-type"].endswith("charset=utf-8")
        plain = client.get(f"/assets/{name}")
        assert plain.headers["cache-control"] == "no-cache"
        assert plain.content == exact.content == assets()[name].body
        again = client.get(f"/assets/{name}", headers={"if-none-match": plain.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_page_is_sent_again_only_after_a_write(
    tmp_path: Path, opened: Open, store_event: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A live page asks for itself again and again: nothing is made while nothing was written."""
    path, players = tmp_path / "grows.db", {"a": "1" * 16, "b": "2" * 16}
    pair = [("a", "b", "1-0"), ("b", "a", "1-0")]
    made: list[str] = []
    monkeypatch.setattr(opened_module, "_STALE_S", 10**12)
    with open_database(path, create=True) as db:
        key = store_event(db, players, [pair], kind="import").key
        client, address = opened(path), f"/events/{key}"
        document = app_module._document
        monkeypatch.setattr(
            app_module, "_document", lambda *words: made.append(key) or document(*words)
        )
        for number in (1, 2, 3):
            answer = client.get(address)
            tag = {"if-none-match": answer.headers["etag"]}
            for _ in range(2):
                again = client.get(address, headers=tag)
                assert (again.status_code, again.content) == (304, b"")
            assert len(made) == number
            store_event(db, players, [pair])
            assert client.get(address, headers=tag).status_code == 200
            made.pop()
    tag = {"if-none-match": client.get(address).headers["etag"]}
    assert client.get(address, headers=tag).status_code == 304
    monkeypatch.setattr(opened_module, "_STALE_S", 60)
    assert client.get(address, headers=tag).status_code == 200, "a killed run writes no more"


def test_incomplete_requests_are_cut(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = (b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"GET /assets/page.css HTTP/1.1\r\n")
    monkeypatch.setattr(run_module, "REQUEST_S", 0.2)
    monkeypatch.setattr(run_module, "MOST_CONNECTIONS", 40)
    client = opened()
    with ExitStack() as stack:
        idle = []
        for number in range(run_module.MOST_CONNECTIONS + 20):
            one = socket.create_connection(("127.0.0.1", client.port), timeout=GUARD_S)
            stack.callback(one.close)
            one.sendall(begun[number % 3])
            idle.append(one)
        assert [one.recv(1) for one in idle] == [b""] * len(idle), "all are cut"
        monkeypatch.setattr(run_module, "REQUEST_S", GUARD_S)
        assert client.get("/assets/page.css").status_code == 200


def test_connection_serves_several_requests(client: Client) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", client.port)) as connection:
        for _ in range(3):
            connection.request("GET", "/assets/page.css", headers={"Host": "localhost"})
            answer = connection.getresponse()
            assert answer.status == 200 and answer.read()


def test_too_many_requests_are_refused(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    client = opened()
    client.get("/")
    release = threading.Event()

    def slow(db: Any) -> Any:
        release.wait(GUARD_S)
        raise UsageError("awake")

    monkeypatch.setattr(app_module, "MOST_WAITING", 6)
    monkeypatch.setattr(app_module, "_games_page", lambda db, query, page: slow(db))
    answers: list[Answer] = []

    def ask() -> None:
        answers.append(client.get("/events/r123/games"))

    threads = [threading.Thread(target=ask) for _ in range(7)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + GUARD_S
    while not answers and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [answer.status_code for answer in answers] == [503]
    assert answers[0].headers["retry-after"] == "2"
    release.set()
    for thread in threads:
        thread.join(GUARD_S)
    assert [answer.status_code for answer in answers[1:]] == [400] * 6
    assert client.get("/").status_code == 200


def test_queries_have_a_time_limit(opened: Open, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = opened()
    monkeypatch.setattr(app_module, "MOST_SECONDS", 0.2)

    def long(db: Any, query: Any, page: int) -> Any:
        with db._store.read() as connection:  # a query without end
            connection.exec_driver_sql(
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
                "SELECT max(x) FROM n"
            ).all()

    monkeypatch.setattr(app_module, "_games_page", long)
    answer = client.get(f"/events/{key}/games")
    assert answer.status_code == 503 and "more than 0.2 seconds" in answer.text
    monkeypatch.setattr(app_module, "MOST_SECONDS", GUARD_S)
    assert client.get(f"/events/{key}").status_code == 200, "the connection is sound"


def test_unexpected_failure_is_logged_and_returns_500_page(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    client = opened(log=lines.append)

    def fail(db: Any, query: Any, page: int) -> Any:
        raise ZeroDivisionError("secret\nin two lines")

    monkeypatch.setattr(app_module, "_games_page", fail)
    for _ in range(3):
        answer = client.get("/events/r123/games")
        assert answer.status_code == 500
        assert "secret" not in answer.text and "Traceback" not in answer.text
        assert "content-security-policy" in answer.headers
    (line,) = lines
    assert line.startswith("GET /events/r123/games: unexpected ZeroDivisionError: secret (")
    assert "\n" not in line


def _copy(source: Path, target: Path) -> Path:
    shutil.copy(source, target)
    return target


def test_database_that_goes_away_and_comes_back(
    stored: tuple[Path, str], tmp_path: Path, opened: Open, toys: ModuleType
) -> None:
    path, key = stored
    own = _copy(path, tmp_path / "own.db")
    lines: list[str] = []
    client = opened(own, log=lines.append)
    assert client.get(f"/events/{key}").status_code == 200
    for side in tmp_path.glob("own.db*"):
        side.unlink()
    gone = client.get(f"/events/{key}")
    assert gone.status_code == 503 and str(own) not in gone.text
    assert lines == [f"no database at {own} (set MTDF_DB or pass --db)"]
    own.write_bytes(b"something else")
    assert client.get("/").status_code == 503
    own.unlink()
    with open_database(own) as db:
        other = start_event(db, _settings(1, seed=9), make_player=toys.RandomPlayer).event.key
    assert client.get(f"/events/{other}").status_code == 200
    if other != key:
        assert client.get(f"/events/{key}").status_code == 404
    renamed = _copy(path, tmp_path / "new.db")
    os.replace(renamed, own)
    for side in ("own.db-wal", "own.db-shm"):
        (tmp_path / side).unlink(missing_ok=True)
    assert client.get(f"/events/{key}").status_code == 200


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_that_is_read_only(stored: tuple[Path, str], tmp_path: Path, opened: Open) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    own = _copy(stored[0], folder / "own.db")
    folder.chmod(0o555)
    try:
        client = opened(own)
        for address in (*PAGES, *DATA):
            assert client.get(address.format(stored[1])).status_code == 200
        assert [one.name for one in folder.iterdir()] == ["own.db"]
    finally:
        folder.chmod(0o755)


def test_used_ports_and_foreign_addresses_are_refused() -> None:
    with listening("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert url_of(first) == f"http://127.0.0.1:{port}/"
        with pytest.raises(OperationFailed, match=f"port {port} of 127.0.0.1 is in use: .*--port"):
            listening("127.0.0.1", port)
    for host in ("203.0.113.7", "no.such.host.invalid", "a" * 300, "x\udc80"):
        with pytest.raises(UsageError, match="not an address of this machine"):
            listening(host, 0)


def _started(path: Path, *words: str) -> tuple[subprocess.Popen[str], str]:
    """The real program, and the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "cli", "serve", "--db", str(path), "--port", "0", "--json", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    text = ""
    while not text.endswith("}\n"):
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        text += line
    row = json.loads(text)
    assert row["database"] == str(path) and str(row["port"]) in row["url"]
    return process, row["url"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "Ctrl-C"), (signal.SIGTERM, 143, "SIGTERM")]
)
def test_program_serves_until_it_is_stopped(
    number: signal.Signals, code: int, word: str, stored: tuple[Path, str], tmp_path: Path
) -> None:
    path, key = stored
    own = _copy(path, tmp_path / "own.db")
    process, url = _started(own, "--verbose")
    try:
        with urllib.request.urlopen(f"{url}events/{key}", timeout=GUARD_S) as answer:
            assert answer.status == 200 and b"alert(1)" in answer.read()
        # A connection that says nothing.
        host, port = url.removeprefix("http://").rstrip("/").split(":")
        idle = socket.create_connection((host, int(port)))
        process.send_signal(number)
        _, errors = process.communicate(timeout=GUARD_S)
    finally:
        process.kill()
        process.wait()
    idle.close()
    assert process.returncode == code
    lines = [line for line in errors.splitlines() if "reference backend" not in line]
    assert "Traceback" not in errors and lines[-1] == f"stopped by {word}"
    assert any(f"GET /events/{key}" in line for line in lines), "--verbose lists requests"


def test_without_a_database_nothing_listens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("serve", "--db", str(tmp_path / "no.db"), "--port", "0")
    assert run_program(program, words) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    errors = [line for line in printed.err.splitlines() if "reference backend" not in line]
    assert errors == [f"error: no database at {tmp_path / 'no.db'} (set MTDF_DB or pass --db)"]
    assert list(tmp_path.iterdir()) == []
