"""The pages and data that `mtdf serve` has, by address."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast, get_args

import anyio.to_thread
from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route, Router

from db.errors import DatabaseError, DatabaseLocked, NotFound, StatementTimeout
from toolkit.base.errors import MtdfError, NothingMatched, UsageError
from toolkit.base.output import jsonable
from toolkit.reports.games import (
    GameQuery,
    GameRow,
    PgnTexts,
    ResultFilter,
    find_game,
    page_of_games,
)
from toolkit.selection.labels import shown_players
from toolkit.show.pages.document import SERVED_POLICY, document
from toolkit.show.pages.event import event_subject
from toolkit.show.pages.game import game_data
from toolkit.show.pages.lab import lab_subject
from toolkit.show.pages.overview import contents_subject, ratings_subject
from toolkit.show.pages.parts import Section, Subject, Viewer
from toolkit.show.pages.server.assets import addresses, assets
from toolkit.show.pages.server.guard import Guard, LogLine, Refusal
from toolkit.show.pages.server.opened import ServedDatabase
from toolkit.show.pages.study import study_subject

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from db.records.events import EventRecord
    from db.session import Database

MOST_THREADS = 4
"""Pages that are made at the same time."""
MOST_WAITING = 32
"""Requests that are answered or wait for a thread; one more is refused."""
MOST_SECONDS = 30.0
"""That the queries for one answer may take."""
PAGE_GAMES = 50
"""Games of a page of a list."""
_LONGEST_TEXT = 300
"""Letters of a value after ``?``."""
_SAME_LINE_S = 60.0
"""A line of the log is not repeated within this time."""
_EVENT = re.compile("r[0-9a-f]{3,6}")
_GAME = re.compile("g[0-9]{1,18}")
_NUMBER = re.compile("[0-9]{1,7}")
_ASKED = ("engine", "opponent", "result", "end_reason", "min_plies", "max_plies", "counted", "page")
"""What a list of games can be asked for."""
_PAGE_POLICY = f"{SERVED_POLICY}; frame-ancestors 'none'"
"""That no other page may have one of ours in a frame can only be said in a header."""
_Made = TypeVar("_Made")


class ServedRow(Struct, frozen=True):
    """The server, printed before the first request."""

    url: Annotated[str, "address for a browser"]
    host: Annotated[str, "where it listens, as given"]
    port: Annotated[int, "port, also if `--port 0` chose it"]
    database: Annotated[str, "path, or URL without password"]


class GamesPage(Struct, frozen=True):
    """A page of a list of games."""

    games: int
    """All that match."""
    page: int
    """From 1."""
    rows: list[GameRow]


class Site:
    """All routes over one database."""

    def __init__(self, database: ServedDatabase, host: str, log: LogLine) -> None:
        """``host``: where the server listens; ``log`` gets a line for each failure of ours."""
        self._database = database
        self._log = _fewer(log)
        self._threads: anyio.CapacityLimiter | None = None
        self._waiting = 0
        routes = [
            Route("/", self._page(contents_subject)),
            Route("/ratings", self._page(ratings_subject)),
            Route("/events/{id}", self._page(_event)),
            Route("/events/{id}/games", self._games),
            Route("/studies/{id:path}", self._page(_study)),
            Route("/labs/{id:path}", self._page(_lab)),
            Route("/games/{id}", self._page(_game)),
            Route("/assets/{id}", self._asset),
        ]
        router = Router(routes, redirect_slashes=False, default=_nothing)
        self.app: ASGIApp = Guard(router, host, self._log)

    def _page(self, make: Callable[..., Subject]) -> Callable[[Request], Any]:
        """An endpoint for the page of a subject: of a database, and of the id in the address. What
        a reader has already is not made again while nothing is written."""

        async def answer(request: Request) -> Response:
            headers = {"ETag": f'"{self._database.state()}"'}
            if request.headers.get("if-none-match") == headers["ETag"]:
                return Response(status_code=304, headers=headers)
            html = await self._made(partial(_document, make, request.path_params))
            headers["Content-Security-Policy"] = _PAGE_POLICY
            return HTMLResponse(html, headers=headers)

        return answer

    async def _games(self, request: Request) -> Response:
        query, page = _query(request)
        made = await self._made(partial(_games_page, query=query, page=page))
        return JSONResponse(jsonable(made))

    async def _asset(self, request: Request) -> Response:
        found = (await self._in_thread(assets)).get(request.path_params["id"])
        if found is None:
            raise Refusal(404, "There is nothing here.")
        is_exact = request.query_params.get("v") == found.version
        caching = "public, max-age=31536000, immutable" if is_exact else "no-cache"
        headers = {"Cache-Control": caching, "ETag": f'"{found.version}"'}
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        return Response(found.body, media_type=found.media_type, headers=headers)

    async def _made(self, make: Callable[[Database], _Made]) -> _Made:
        """What a function makes of the database, in a thread. Raises Refusal."""
        try:
            return await self._in_thread(partial(self._read, make))
        except (NothingMatched, NotFound) as error:
            raise Refusal(404, "There is nothing here.") from error
        except UsageError as error:
            raise Refusal(400, str(error)) from error
        except StatementTimeout:
            line = f"This takes more than {MOST_SECONDS:g} seconds: ask for less."
            raise Refusal(503, line) from None
        except DatabaseLocked:
            raise Refusal(503, "The database is locked: try again.", Retry_After="5") from None
        except (DatabaseError, MtdfError) as error:
            self._log(str(error))
            line = "The database cannot be read now; the terminal of mtdf serve says why."
            raise Refusal(503, line, Retry_After="5") from None

    def _read(self, make: Callable[[Database], _Made]) -> _Made:
        with self._database.reading(MOST_SECONDS) as db:
            return make(db)

    async def _in_thread(self, work: Callable[[], _Made]) -> _Made:
        """The result of work in one of few threads. Raises Refusal if too much waits for them."""
        if self._waiting >= MOST_WAITING:
            raise Refusal(503, "The server is busy: try again.", Retry_After="2")
        if self._threads is None:
            self._threads = anyio.CapacityLimiter(MOST_THREADS)
        self._waiting += 1
        try:
            return await anyio.to_thread.run_sync(
                work, limiter=self._threads, abandon_on_cancel=True
            )
        finally:
            self._waiting -= 1


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    """The answer at an address that is none."""
    raise Refusal(404, "There is nothing here.")


def _document(make: Callable[..., Subject], names: Mapping[str, str], db: Database) -> str:
    subject = make(db, *names.values())
    return document(subject.title, [subject], addresses=addresses())


def _event(db: Database, key: str) -> Subject:
    return event_subject(db, _event_record(db, key), None)


def _study(db: Database, name: str) -> Subject:
    record = db.repository.find_study(name)
    if record.name != name:
        raise NothingMatched(name)
    return study_subject(db, record)


def _lab(db: Database, name: str) -> Subject:
    record = db.repository.find_lab_run(name)
    if record.name != name:
        raise NothingMatched(name)
    return lab_subject(db, record)


def _game(db: Database, text: str) -> Subject:
    if _GAME.fullmatch(text) is None:
        raise NothingMatched(text)
    game = find_game(db, text)
    event = db.repository.event(game.event_id)
    shown = shown_players(db, [event])[event.key]
    data = game_data(db, game, event.key, shown, PgnTexts(db))
    title = f"{text}: {' - '.join(data['names'])} {game.result}"
    return Subject(f"game-{text}", title, "", [Section("game", "", [Viewer({text: data})])])


def _event_record(db: Database, key: str) -> EventRecord:
    """The event of exactly that id. Raises NothingMatched, DatabaseError."""
    if _EVENT.fullmatch(key) is None:
        raise NothingMatched(key)
    event = db.repository.find_event(key)
    if event.key != key:
        raise NothingMatched(key)
    return event


def _games_page(db: Database, query: GameQuery, page: int) -> GamesPage:
    event = _event_record(db, cast("str", query.event))
    try:
        query = replace(query, event=event)
        games, rows = page_of_games(db, query, page=page, size=PAGE_GAMES)
    except NothingMatched:
        games, rows = 0, []
    return GamesPage(games=games, page=page, rows=rows)


def _query(request: Request) -> tuple[GameQuery, int]:
    """What a list of games is asked for. Raises Refusal."""
    asked = dict(request.query_params)
    if len(asked) < len(request.query_params.multi_items()):
        raise Refusal(400, "Give each filter once.")
    unknown = sorted(asked.keys() - {*_ASKED})
    if unknown:
        raise Refusal(400, f"There is no filter {unknown[0][:40]}; filters: {', '.join(_ASKED)}.")
    if any(len(text) > _LONGEST_TEXT or "\0" in text for text in asked.values()):
        raise Refusal(400, "A filter is too long.")
    texts = {name: text for name, text in asked.items() if text}
    if texts.get("result", "win") not in get_args(ResultFilter):
        raise Refusal(400, f"result: expected {', '.join(get_args(ResultFilter))}.")
    if texts.get("counted", "1") != "1":
        raise Refusal(400, "counted: expected 1, or nothing.")
    query = GameQuery(
        event=request.path_params["id"],
        engine=texts.get("engine"),
        opponent=texts.get("opponent"),
        result=cast("ResultFilter | None", texts.get("result")),
        end_reason=texts.get("end_reason"),
        min_plies=_number(texts, "min_plies"),
        max_plies=_number(texts, "max_plies"),
        counted_only="counted" in texts,
    )
    return query, max(_number(texts, "page") or 1, 1)


def _number(texts: Mapping[str, str], name: str) -> int | None:
    """A whole number. Raises Refusal."""
    if name not in texts:
        return None
    if _NUMBER.fullmatch(texts[name]) is None:
        raise Refusal(400, f"{name}: expected a whole number.")
    return int(texts[name])


def _fewer(log: LogLine) -> LogLine:
    """A log that leaves out what it has just said: a page that is live asks again and again."""
    last, said_at = "", 0.0

    def say(line: str) -> None:
        nonlocal last, said_at
        if line != last or time.monotonic() - said_at > _SAME_LINE_S:
            last, said_at = line, time.monotonic()
            log(line)

    return say
