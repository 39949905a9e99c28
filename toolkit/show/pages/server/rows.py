"""The documented fields of what ``mtdf serve`` prints."""

from __future__ import annotations

from typing import Annotated, TypedDict

from toolkit.base.rows import JsonOutput


class ServedRow(TypedDict):
    """The server, printed before the first request."""

    url: Annotated[str, "address for a browser"]
    host: Annotated[str, "where it listens, as given"]
    port: Annotated[int, "port, also if `--port 0` chose it"]
    database: Annotated[str, "path, or URL without password"]


SERVED_OUTPUT = {"serve": JsonOutput(ServedRow, is_array=False)}
