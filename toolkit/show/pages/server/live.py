"""Server-sent events: how an event stands, sent whenever that changes.

One poller an event reads the database for all who look at it. A viewer that reads too slowly is
dropped; it never makes another one wait, and nothing is queued for it: it gets the latest state.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolkit.show.pages.server.guard import LogLine, Refusal

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

MOST_STREAMS = 64
"""Viewers of all events together."""
POLL_S = 1.0
"""Least time between two looks at the database."""
_POLL_SHARE = 0.1
"""Of the time, which a look at a large event may take."""
HEARTBEAT_S = 15.0
"""A comment is sent after so long without news, so that a dead connection is noticed."""
SEND_S = 10.0
"""A viewer that takes longer to receive is dropped."""
_RETRY_MS = 3_000
"""After which a browser asks again when a connection breaks."""


@dataclass(frozen=True, slots=True)
class Polled:
    """What a look at the database found."""

    token: object
    """Equal to that of the look before if nothing changed."""
    data: str | None
    """The standing as JSON; None if nothing changed."""
    over: bool
    """Whether nothing more will come."""


Looking = Callable[[str, object], Awaitable[Polled]]
"""Looks at the event of a key; the token of the look before. Raises Refusal."""


class _Watch:
    """The poller of one event, while somebody looks at it."""

    def __init__(self, key: str, look: Looking, log: LogLine) -> None:
        self._key = key
        self._look = look
        self._log = log
        self.viewers = 0
        self.number = 0
        """Of the latest state, from 1."""
        self.data = ""
        self.ended = False
        self.refusal: Refusal | None = None
        self.news = asyncio.Event()
        """Set at the next news; there is another one after that."""
        self.task = asyncio.create_task(self._poll())

    async def _poll(self) -> None:
        token: object = None
        while not self.ended:
            begin = time.monotonic()
            try:
                found = await self._look(self._key, token)
            except Refusal as refusal:
                self.refusal, self.ended = refusal, True
            except Exception as error:  # its viewers must not wait for ever, whatever it is
                self._log(f"the event {self._key} cannot be followed: {error!r}")
                self.refusal = Refusal(500, "This event cannot be followed.")
                self.ended = True
            else:
                token, self.ended = found.token, found.over
                if found.data not in (None, self.data):
                    self.data, self.number = found.data or "", self.number + 1
                    self.tell()
            if self.ended:
                self.tell()
            took = time.monotonic() - begin
            await asyncio.sleep(0 if self.ended else max(POLL_S, took / _POLL_SHARE))

    def tell(self) -> None:
        """Wake the viewers."""
        self.news.set()
        self.news = asyncio.Event()


class Watches:
    """All pollers."""

    def __init__(self, look: Looking, log: LogLine) -> None:
        """``look``: how an event stands; ``log`` gets a line for each failure of ours."""
        self._look = look
        self._log = log
        self._watches: dict[str, _Watch] = {}
        self._streams = 0
        self._closing = False

    async def stream(self, key: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for the states of an event. Raises Refusal."""
        if self._streams >= MOST_STREAMS:
            raise Refusal(503, "Too many live pages are open; close some.", Retry_After="30")
        # One look first: what does not exist is refused before anything is sent.
        watch = self._watches.get(key)
        if watch is None or watch.ended:
            watch = self._watches[key] = _Watch(key, self._look, self._log)
        watch.viewers += 1
        self._streams += 1
        try:
            if not watch.number and not watch.ended:
                await watch.news.wait()
            if watch.refusal is not None:
                raise watch.refusal
            await self._send_states(watch, scope, receive, send)
        finally:
            self._streams -= 1
            watch.viewers -= 1
            if not watch.viewers:
                watch.task.cancel()
                if self._watches.get(key) is watch:
                    del self._watches[key]

    def close(self) -> None:
        """End all streams."""
        self._closing = True
        for watch in self._watches.values():
            watch.tell()

    async def _send_states(self, watch: _Watch, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b""})
            return
        leaving = asyncio.create_task(_left(receive))
        with suppress(TimeoutError):
            try:
                await self._send_all(watch, leaving, send)
            finally:
                leaving.cancel()

    async def _send_all(self, watch: _Watch, leaving: asyncio.Task[None], send: Send) -> None:
        """Send every state that the viewer can take. Raises TimeoutError."""

        async def tell(text: str) -> None:
            body = {"type": "http.response.body", "body": text.encode(), "more_body": True}
            await asyncio.wait_for(send(body), SEND_S)

        seen = 0
        await tell(f"retry: {_RETRY_MS}\n\n")
        while not (leaving.done() or self._closing):
            news = watch.news
            if watch.number != seen:
                seen = watch.number
                await tell(f"id: {seen}\ndata: {watch.data}\n\n")
            elif watch.ended:
                problem = None if watch.refusal is None else watch.refusal.line
                await tell(f"event: end\ndata: {json.dumps({'problem': problem})}\n\n")
                break
            elif not await _happens(news, leaving):
                await tell(": nothing new\n\n")
        if not leaving.done():
            await asyncio.wait_for(send({"type": "http.response.body", "body": b""}), SEND_S)


async def _happens(news: asyncio.Event, leaving: asyncio.Task[None]) -> bool:
    """Wait for news, or until the viewer leaves; whether there was either in time."""
    waiting = asyncio.create_task(news.wait())
    try:
        done, _ = await asyncio.wait(
            (waiting, leaving), timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED
        )
    finally:
        waiting.cancel()
    return bool(done)


async def _left(receive: Receive) -> None:
    """Wait until the viewer has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
