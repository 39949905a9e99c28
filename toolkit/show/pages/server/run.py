"""Listening on a port, and ending when a signal asks for it."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from toolkit.base.errors import OperationFailed, UsageError
from toolkit.show.pages.server.app import Site
from toolkit.show.pages.server.guard import LogLine
from toolkit.show.pages.server.opened import ServedDatabase

MOST_CONNECTIONS = 256
"""Open connections; of one more the answer is 503."""
REQUEST_S = 10.0
"""Within which a request must have come whole."""
_DEAD_MS = 30_000
"""A connection whose other side takes nothing for so long is cut (Linux)."""
_END_S = 1
"""How long answers that are being sent may delay the end."""


def listening(host: str, port: int) -> socket.socket:
    """A socket at that address; port 0 is any free one. Raises UsageError, OperationFailed."""
    try:
        family, kind, number, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError):
        raise UsageError(f"--host `{host}`: not an address of this machine") from None
    listener = socket.socket(family, kind, number)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAD_MS)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise _cannot_listen(error, host, port) from None
    return listener


def url_of(listener: socket.socket) -> str:
    """The address of a server for a browser."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def serve(
    database: ServedDatabase,
    listener: socket.socket,
    host: str,
    *,
    log: LogLine,
    log_request: LogLine | None = None,
) -> None:
    """Serve until a signal ends it, which is then raised again for the handlers from before.
    ``log`` gets a line for each failure, ``log_request`` for each request."""
    make_server(database, host, log, log_request).run(sockets=[listener])


def make_server(
    database: ServedDatabase, host: str, log: LogLine, log_request: LogLine | None = None
) -> uvicorn.Server:
    """A server that runs where it is told to, as :func:`serve` describes it."""
    _log_of_uvicorn(log_request)
    config = uvicorn.Config(
        Site(database, host, log).app,
        access_log=log_request is not None,
        http=HastyProtocol,
        interface="asgi3",
        lifespan="off",
        limit_concurrency=MOST_CONNECTIONS,
        log_config=None,
        loop="asyncio",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_END_S,
        ws="none",
    )
    return uvicorn.Server(config)


class HastyProtocol(H11Protocol):
    """A connection that is cut if a request does not come whole within some seconds, so that who
    says nothing, or half a request, keeps nobody else out."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def _watch(self) -> None:
        """Begin to wait for a request, or stop because there is one."""
        is_waiting = self.cycle is None or self.cycle.response_complete
        if not is_waiting:
            self._rest()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_S, self.transport.close)

    def _rest(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class _Lines(logging.Handler):
    """Gives the lines of a logger to a function."""

    def __init__(self, say: LogLine) -> None:
        super().__init__()
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say(record.getMessage())


def _log_of_uvicorn(log_request: LogLine | None) -> None:
    """What the library logs: requests where they are wanted; the rest is its own business, and
    failures of ours do not reach it."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [logging.NullHandler()], False
    if log_request is not None:
        logging.getLogger("uvicorn.access").handlers = [_Lines(log_request)]
        logging.getLogger("uvicorn.access").setLevel(logging.INFO)


def _cannot_listen(error: OSError, host: str, port: int) -> OperationFailed | UsageError:
    if error.errno == errno.EADDRINUSE:
        return OperationFailed(
            f"port {port} of {host} is in use: end the program that has it, or choose another "
            "--port"
        )
    if error.errno == errno.EADDRNOTAVAIL:
        return UsageError(f"--host `{host}`: not an address of this machine")
    if error.errno in (errno.EACCES, errno.EPERM):
        return OperationFailed(f"port {port} needs more rights: choose a --port above 1023")
    return OperationFailed(f"cannot listen on port {port} of {host}: {error.strerror}")
