"""What every request passes first, and every answer last: method, host, length, headers, failures.

The server reads a database and has no accounts. So what it must refuse is a page of another site in
the user's browser: it may not read anything here (no CORS, DNS rebinding is refused by the name of
the host) and may not make the server work.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from html import escape
from ipaddress import ip_address
from traceback import extract_tb
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_ADDRESS = 2_000
"""Bytes of a path, and of what stands after ``?``."""
NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The Content-Security-Policy of what is no page."""
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
LogLine = Callable[[str], None]


class Refusal(Exception):
    """A request that gets a status and one line instead of what it asked for."""

    def __init__(self, status: int, line: str, **headers: str) -> None:
        super().__init__(line)
        self.status = status
        self.line = line
        self.headers = {name.replace("_", "-"): text for name, text in headers.items()}


def problem_response(scope: Scope, refusal: Refusal) -> Response:
    """A small page with the line, or an object for who asks for JSON."""
    status, headers = refusal.status, refusal.headers
    if "application/json" in Headers(scope=scope).get("accept", ""):
        return JSONResponse({"problem": refusal.line}, status, headers)
    text = escape(refusal.line)
    html = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{status} {text}</title></head><body><main><h1>{text}</h1>"
        f'<p>Status {status}. <a href="/">All pages</a></p></main></body></html>\n'
    )
    return HTMLResponse(html, status, headers)


def served_names(host: str) -> frozenset[str]:
    """The names under which the server at ``host`` may be asked, besides addresses: one that a
    stranger's DNS leads here is none of them."""
    names = {"localhost", host}
    if not is_loopback(host):
        names |= {socket.gethostname(), socket.getfqdn()}
    return frozenset(name.lower() for name in names)


def is_loopback(host: str) -> bool:
    """Whether a host is reached from this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class Guard:
    """The application around the routes."""

    def __init__(self, app: ASGIApp, host: str, log: LogLine) -> None:
        """``host``: where the server listens; ``log`` gets a line for each failure of ours."""
        self._app = app
        self._names = served_names(host)
        self._loopback = is_loopback(host)
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        begun = False

        async def send_guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", NOTHING)
                headers.setdefault("Cache-Control", "no-store")
                for name, text in _HEADERS.items():
                    headers[name] = text
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, receive, send_guarded)
        except Exception as error:
            refusal = error
            if not isinstance(refusal, Refusal):
                self._log(f"{scope['method']} {scope['path']}: {described(error)}")
                refusal = Refusal(500, "This page could not be made.")
            if not begun:
                await problem_response(scope, refusal)(scope, receive, send_guarded)

    def _check(self, scope: Scope) -> None:
        """Raises Refusal."""
        if scope["method"] not in ("GET", "HEAD"):
            raise Refusal(405, "Only reading is possible here.", Allow="GET, HEAD")
        headers = Headers(scope=scope)
        self._check_host(headers.getlist("host"))
        path, asked = scope.get("raw_path") or b"", scope["query_string"]
        if max(len(path), len(asked), len(scope["path"])) > LONGEST_ADDRESS:
            raise Refusal(414, "This address is too long.")
        site = headers.get("sec-fetch-site", "none")
        is_link = headers.get("sec-fetch-mode", "navigate") == "navigate"
        if site not in ("none", "same-origin") and not is_link:
            raise Refusal(403, "Pages of other sites may not ask for this.")

    def _check_host(self, hosts: Iterable[str]) -> None:
        match list(hosts):
            case [host]:
                name = _name_of(host)
            case _:
                raise Refusal(400, "One Host header is needed.")
        if name is None:
            raise Refusal(400, "The Host header is not a host.")
        try:
            address = ip_address(name)
        except ValueError:
            known = name in self._names
        else:
            known = address.is_loopback or not self._loopback or name in self._names
        if not known:
            raise Refusal(421, "This server has another name.")


def described(error: BaseException) -> str:
    """An unforeseen error in one line, with the place where it was raised."""
    frames = extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    first = (str(error).splitlines() or ["no message"])[0]
    return f"unexpected {type(error).__name__}: {first}{where}"


def _name_of(host: str) -> str | None:
    """The name in a Host header, without the port; None if it is none."""
    if host.startswith("["):
        name, bracket, port = host[1:].partition("]")
        port = port.removeprefix(":")
        if not bracket:
            return None
    else:
        name, _, port = host.partition(":")
    if port and not (port.isascii() and port.isdigit()):
        return None
    return name.lower().rstrip(".") or None
