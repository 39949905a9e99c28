"""A Dask cluster, where the tasks of a run are done: its address and the connection."""

from __future__ import annotations

import json
import logging
import re
import socket
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.base.errors import OperationFailed, UsageError
from toolkit.base.printable import text_in_one_line

if TYPE_CHECKING:
    from distributed import Client

_CONNECT_S = 10.0
_TRY_AGAIN_S = 0.5
_LAST_PORT = 65_535
_LONGEST_GREETING = 1_000_000
"""In bytes; they are some hundred."""
_CLOSE_S = 3.0
_TICK = ("distributed.admin.tick.interval", "20ms", "1s")
"""How often Dask looks whether its event loop is late: setting, Dask's value and ours. At Dask's, a
scheduler that waits uses 2 % of a core."""
_SILENT = ("distributed", "tornado")
"""Packages whose messages nobody reads: what matters, we say ourselves."""


class Cluster:
    """The cluster of a scheduler. Connects when it is needed first; the connection is kept.

    ``notice``: hears, in the thread that runs tasks, of workers that are refused or gone.
    """

    def __init__(self, address: str, notice: Callable[[str], None] | None = None) -> None:
        """``address``: that of the scheduler, ``tcp://host:port`` or ``tls://host:port``, or the
        path of the scheduler file that it wrote. Raises UsageError for another text."""
        self.address = address
        self.notice = notice or _ignore
        check_address(address)

    @cached_property
    def client(self) -> Client:
        """The connection. Raises OperationFailed."""
        distributed = load_distributed()
        from distributed.comm.addressing import get_address_host_port

        where = scheduler_at(self.address)
        check_tls(where, "client")
        try:
            self._reach(*get_address_host_port(where), speaks_first=where.startswith("tcp:"))
            client: Client = distributed.Client(
                where, timeout=_CONNECT_S, set_as_default=False, name="mtdf"
            )
        except (OSError, ValueError) as error:  # TimeoutError is an OSError
            raise OperationFailed(
                f"no scheduler answers at {self.address} ({text_in_one_line(error)}): start one "
                "with `dask scheduler`"
            ) from error
        return client

    def _reach(self, host: str, port: int, *, speaks_first: bool) -> None:
        """Connect and go. Waits for a scheduler that was started just now. Dask would try longer,
        also where there is no such host, and without end where another program listens.
        ``speaks_first``: a scheduler without encryption greets whoever connects. Raises OSError."""
        deadline_s = time.monotonic() + _CONNECT_S
        told = False
        while True:
            try:
                with socket.create_connection((host, port), _CONNECT_S) as connection:
                    if speaks_first:
                        _check_greeting(connection)
                return
            except ConnectionRefusedError:
                if time.monotonic() >= deadline_s:
                    raise
            if not told:
                self.notice(f"waiting for a scheduler at {self.address}")
                told = True
            time.sleep(_TRY_AGAIN_S)

    @property
    def slots(self) -> int:
        """How many tasks its workers can do at a time now. Raises OperationFailed."""
        return sum(self.client.nthreads().values())

    def close(self) -> None:
        """End the connection. Safe to call twice."""
        client = self.__dict__.pop("client", None)
        if client is not None:
            client.close(_CLOSE_S)

    def __str__(self) -> str:
        return f"the cluster at {self.address}"


def check_address(address: str) -> None:
    """Raises UsageError for what is neither an address nor a file."""
    parts = re.fullmatch(r"(tcp|tls)://(\[.+\]|[^/:]+):([0-9]{1,5})", address)
    is_address = parts is not None and 1 <= int(parts[3]) <= _LAST_PORT
    if not is_address and ("://" in address or not address.endswith(".json")):
        raise UsageError(
            f"`{address}` is not a scheduler: give its address, such as tcp://host:8786, or the "
            "path of its scheduler file (*.json)"
        )


def scheduler_at(address: str) -> str:
    """The address of the scheduler that ``address`` or a scheduler file gives. Raises
    OperationFailed for a file that cannot be read."""
    if "://" in address:
        return address
    try:
        content = json.loads(Path(address).read_text())
    except (OSError, ValueError) as error:
        raise OperationFailed(
            f"cannot read the scheduler file {address} ({text_in_one_line(error)})"
        ) from error
    where = content.get("address") if isinstance(content, dict) else None
    if not isinstance(where, str):
        raise OperationFailed(f"{address} is not a scheduler file: it has no `address`")
    return where


def _check_greeting(connection: socket.socket) -> None:
    """Raises OSError for a listener that says nothing, or nothing of Dask. Its greeting begins with
    a length, and text read as a length is immense."""
    size = connection.recv(8, socket.MSG_WAITALL)
    if len(size) < 8 or int.from_bytes(size, "little") > _LONGEST_GREETING:
        raise OSError("no Dask scheduler listens there")


def check_tls(where: str, role: str) -> None:
    """Raises OperationFailed for an address that needs certificates if ``role`` (``client``,
    ``worker``) has none, and for another one if Dask's settings demand encryption."""
    from distributed import Security

    security = Security()
    if security.require_encryption and not where.startswith("tls:"):
        raise OperationFailed(
            f"{where} is not encrypted, and distributed.comm.require-encryption is set for Dask: "
            "give a tls:// address"
        )
    if where.startswith("tls:") and not security.get_connection_args(role).get("ssl_context"):
        raise OperationFailed(
            f"{where} needs certificates: set distributed.comm.tls.ca-file and "
            f"distributed.comm.tls.{role}.cert and .key for Dask (docs/cluster.md)"
        )


def load_distributed() -> Any:
    """The package, silenced and with fewer ticks. Raises UsageError if it is not installed."""
    try:
        import dask
        import distributed
    except ImportError:
        raise UsageError(
            "a cluster needs the package distributed: pip install 'mtdf[cluster]', or in a "
            "checkout pip install '.[cluster]'"
        ) from None
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in _SILENT:
            logging.getLogger(name).setLevel(logging.CRITICAL)
    tick, usual, ours = _TICK
    if dask.config.get(tick) == usual:  # otherwise the user has set it
        dask.config.set({tick: ours})
    return distributed


def _ignore(_: str) -> None:
    """Ignore a notice."""
