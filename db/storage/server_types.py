"""Python types for the values of a PostgreSQL server, the same as with SQLite."""

from __future__ import annotations

from typing import Any

from psycopg.adapt import AdaptersMap, Buffer, Loader

_AS_THEY_ARE = ("int2", "int4", "int8", "oid", "float4", "float8", "bytea")


class _Number(Loader):
    """Sums of many whole numbers are of type ``numeric``, and so are means."""

    def load(self, data: Buffer) -> Any:
        text = bytes(data)
        return int(text) if text.lstrip(b"-").isdigit() else float(text)


class _Flag(Loader):
    def load(self, data: Buffer) -> int:
        return int(bytes(data) == b"t")


class _Text(Loader):
    def load(self, data: Buffer) -> str:
        return bytes(data).decode()


def read_numbers(adapters: AdaptersMap) -> None:
    """Read sums and means as ``int`` and ``float``."""
    adapters.register_loader("numeric", _Number)


def read_as_sqlite(adapters: AdaptersMap) -> None:
    """Read every value as None, int, float, str or bytes, with flags as 0 and 1; JSON, moments and
    all else as the text that the server shows."""
    for kind in adapters.types:
        if kind.name not in _AS_THEY_ARE:
            adapters.register_loader(kind.oid, _Text)
        if kind.array_oid:
            adapters.register_loader(kind.array_oid, _Text)
    adapters.register_loader("bool", _Flag)
    read_numbers(adapters)
