"""A page as a document: the templates filled in, with all that it needs inside, and nothing else
allowed by its Content-Security-Policy."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from toolkit.base.output import jsonable
from toolkit.base.version import program_version
from toolkit.show.charts.game import SERIES, steered_picture
from toolkit.show.charts.picture import page_specs
from toolkit.show.charts.script import vega_script
from toolkit.show.charts.theme import DARK, LIGHT
from toolkit.show.pages.game import looks
from toolkit.show.pages.parts import Drawing, GameList, Player, Subject, Viewer

if TYPE_CHECKING:
    from jinja2 import Environment

SCRIPTS = (
    *("charts.js", "board.js", "viewer.js", "games.js"),
    *("recording.js", "searchtree.js", "player.js"),
)
"""Our own scripts, in the order in which they run; ``live.js`` follows in served pages alone."""
LAST = "page.js"
"""The script that starts the others."""
STYLE = "page.css"


@dataclass(frozen=True, slots=True)
class Links:
    """How a page spells places: in a file all are parts of it."""

    served: bool

    def subject(self, key: str) -> str:
        """Of an event, a study or a laboratory run, by its key such as ``event-r3f9``."""
        kind, _, name = key.partition("-")
        return f"/{_FOLDERS[kind]}/{_quoted(name)}" if self.served else f"#{key}"

    def game(self, game: str) -> str:
        """Of a game, by its id."""
        return f"/games/{game}" if self.served else f"#game-{game}"


_FOLDERS = {"event": "events", "study": "studies", "lab": "labs"}


def document(
    title: str,
    subjects: Sequence[Subject],
    *,
    addresses: Mapping[str, str] | None = None,
) -> str:
    """A whole page of these subjects. ``addresses``: where a server has the scripts and the style,
    by name; without them they are in the page."""
    served = addresses is not None
    data = _Data(served)
    return (
        environment()
        .get_template("page.html")
        .render(
            title=title,
            subjects=subjects,
            links=Links(served),
            data=data,
            embedded=embedded,
            version=program_version(),
            policy=SERVED_POLICY if served else _file_policy(),
            style=asset(STYLE),
            style_name=STYLE,
            scripts=scripts(served),
            addresses=addresses,
        )
    )


def scripts(served: bool) -> dict[str, str]:
    """The scripts of a page by name, in the order in which they run. The first call may take
    seconds, in which the library for charts is built."""
    ours = [*SCRIPTS, "live.js", LAST] if served else [*SCRIPTS, LAST]
    return {"vega.js": vega_script(), "pieces.js": pieces()} | {name: asset(name) for name in ours}


SERVED_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""The Content-Security-Policy of a served page: what the server has, and nothing in the page."""


@cache
def _file_policy() -> str:
    """The Content-Security-Policy of a file: only its own scripts and style, by hash."""
    allowed = " ".join(map(_hash_source, scripts(False).values()))
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash_source(asset(STYLE))}; "
        "img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def embedded(data: object) -> str:
    """Data as JSON that can stand in a script element: no text in it can end the element."""
    text = json.dumps(jsonable(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for mark, code in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        text = text.replace(mark, code)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def asset(name: str) -> str:
    """A file of ``assets``."""
    return (files("toolkit.show.pages") / "assets" / name).read_text(encoding="utf-8")


@cache
def pieces() -> str:
    """A script that defines the drawn pieces of python-chess by their letters. Styles become
    attributes, because the policy forbids styles."""
    import chess.svg

    drawn = {letter: _STYLE.sub(_attributes, svg) for letter, svg in chess.svg.PIECES.items()}
    return f"window.mtdfPieces = {embedded(drawn)};"


@cache
def environment() -> Environment:
    """The templates; everything is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("toolkit.show.pages")
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rows as a list for each field. Texts that repeat stand in ``of`` once, and ``at`` has their
    places: a tenth of the size of the rows."""
    columns: dict[str, Any] = {}
    for name in rows[0] if rows else ():
        values = [row[name] for row in rows]
        distinct = {value: place for place, value in enumerate(dict.fromkeys(values))}
        repeats = isinstance(values[0], str) and 2 * len(distinct) <= len(values)
        columns[name] = (
            {"of": list(distinct), "at": [distinct[value] for value in values]}
            if repeats
            else [int(value) if isinstance(value, bool) else value for value in values]
        )
    return columns


_STYLE = re.compile(r'style="([^"]*)"')


def _attributes(style: re.Match[str]) -> str:
    """A style as attributes of SVG with the same meaning."""
    pairs = (each.split(":", 1) for each in style[1].split(";") if each.strip())
    return " ".join(f'{name.strip()}="{value.strip()}"' for name, value in pairs)


class _Data:
    """Collects what the scripts need while a template is filled in."""

    def __init__(self, served: bool) -> None:
        self._served = served
        self._graph: Mapping[str, Any] = {}
        self._charts: list[list[dict[str, Any]]] = []
        self._games: dict[str, Any] = {}
        self._lists: dict[str, Any] = {}
        self._players: list[Mapping[str, Any]] = []

    def chart(self, block: Drawing) -> int:
        """The number of a chart."""
        self._charts.append(page_specs(block.picture))
        return len(self._charts) - 1

    def games(self, block: GameList) -> str:
        """The rows of a list of games, if a file has them."""
        if block.rows is not None:
            self._lists[block.event] = {"rows": len(block.rows)} | columns_of(block.rows)
        return ""

    def viewer(self, block: Viewer) -> str:
        """The games that can be looked at."""
        self._graph = _graph()
        self._games |= block.games
        return ""

    def player(self, block: Player) -> int:
        """The number of a player."""
        self._players.append(block.data)
        return len(self._players) - 1

    def collected(self, subjects: Sequence[Subject]) -> Mapping[str, Any]:
        """Everything, for the scripts and for who reads the rows of a page by a program."""
        return {
            "served": self._served,
            "charts": self._charts,
            "graph": self._graph,
            "themes": {"light": LIGHT, "dark": DARK},
            "lists": self._lists,
            "games": self._games,
            "players": self._players,
            "looks": looks() if self._games or self._players else {},
            "rows": {subject.key: subject.rows for subject in subjects},
        }


@cache
def _graph() -> Mapping[str, Any]:
    """The charts of the searches of a game, which a page fills: the same for every page."""
    return dict(zip(SERIES, page_specs(steered_picture()), strict=True))


def _hash_source(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name, safe="")
