"""``--book BOOK:NAME=SETTING,...``: a book, and which of its lines are played in which order."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from engines.choices import DEFAULT_GAME
from engines.suggestion import did_you_mean
from toolkit.commands.options.types import WHOLE, PackageName

if TYPE_CHECKING:
    from toolkit.books.book import Book
    from toolkit.books.info import BookSlice
    from toolkit.events.settings import EventSettings


class AskedBook(NamedTuple):
    """What a text asks for."""

    name: str
    """A file or a built-in book; empty for the default one."""
    plies: int | None
    settings: dict[str, Any]
    """The other settings, as keywords of the functions that make settings of events."""

    def load(self, *, chess960: bool, game: str | None) -> Book:
        """Its book for a game, or for the one that a built-in book is of, without the lines that
        cannot be played. Raises UsageError."""
        from engines.rules.catalog import rules_of
        from toolkit.books.book import load_book

        name = self.name or rules_of(game or DEFAULT_GAME, chess960=chess960).default_book
        return load_book(name, skip_bad=True, plies=self.plies, chess960=chess960, game=game)


class _Setting(NamedTuple):
    keyword: str
    read: Callable[[str], Any]
    """Raises ValueError, UsageError or BadParameter."""
    stored: Callable[[EventSettings], Any]
    """The value of an event; None for the usual one."""
    told: str


def _slice(text: str) -> BookSlice:
    from toolkit.books.info import BookSlice

    return BookSlice.parse(text)


def _whole(text: str) -> int:
    return WHOLE.convert(text, None, None)


def _switch(text: str) -> bool:
    if text not in ("on", "off"):
        raise click.BadParameter(f"`{text}` is neither on nor off")
    return text == "on"


BOOK_SETTINGS = {
    "order": _Setting(
        "order",
        str,
        lambda event: None if event.book.order == "random" else event.book.order,
        "order=random|sequential",
    ),
    "start": _Setting(
        "start",
        _whole,
        lambda event: None if event.book.start == 1 else event.book.start,
        "start=N: the first opening, in that order",
    ),
    "plies": _Setting(
        "plies",
        _whole,
        lambda event: event.book.plies,
        "plies=N: only the first N of each PGN game (default: all) or Polyglot path (default: 8)",
    ),
    "slice": _Setting(
        "book_slice",
        _slice,
        lambda event: event.book.slice,
        "slice=I/N: only slice I of N disjoint ones",
    ),
    "shared": _Setting(
        "openings",
        lambda text: "shared" if _switch(text) else "distinct",
        lambda event: "on" if event.openings == "shared" else None,
        "shared=on: the same openings in all pairings",
    ),
    "repeat": _Setting(
        "repeat_openings",
        _switch,
        lambda event: "on" if event.book.repeat else None,
        "repeat=on: a deterministic event may play openings again when the book runs out",
    ),
}
_MISPLACED = re.compile(rf"[:;,&?](?:{'|'.join(BOOK_SETTINGS)})(?:=|\Z)")
"""A setting behind a separator that separates none there."""


class BookType(click.ParamType[AskedBook]):
    """A book with settings of some names; completed by the names of built-in books."""

    name = "book"

    def __init__(self, *settings: str) -> None:
        self._settings = settings or tuple(BOOK_SETTINGS)

    @property
    def told(self) -> str:
        """What the settings mean."""
        return "; ".join(BOOK_SETTINGS[name].told for name in self._settings)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """How the help names the value."""
        return "BOOK[:NAME=SETTING,...]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> AskedBook:
        """Parse the text."""
        if isinstance(value, AskedBook):
            return value
        if not value:
            self.fail("it is empty: name a book, or leave out --book for the usual one", param, ctx)
        name, items = _split(str(value))
        settings: dict[str, Any] = {}
        odd_name = items or not str(value).endswith(":")  # which says that all of it is the name
        texts = [item.partition("=")[2] for item in items]
        texts += [name] if odd_name and not os.path.exists(name) else []
        if any(map(_MISPLACED.search, texts)):
            told = "write BOOK:NAME=SETTING,NAME=SETTING"
            self.fail(f"`{value}`: one colon and then commas separate settings: {told}", param, ctx)
        for key, equals, text in (item.partition("=") for item in items):
            if key not in self._settings:
                known = ", ".join(self._settings)
                hint = did_you_mean(key, self._settings) or f" ({known})"
                self.fail(f"`{value}`: no setting `{key}` of a book{hint}", param, ctx)
            setting = BOOK_SETTINGS[key]
            if not equals:
                example = setting.told.partition(":")[0]
                self.fail(f"`{value}`: `{key}` has no value: write {example}", param, ctx)
            if setting.keyword in settings:
                self.fail(f"`{value}`: `{key}` is given twice", param, ctx)
            try:
                settings[setting.keyword] = setting.read(text)
            except click.BadParameter as error:
                self.fail(f"`{value}`: {key}: {error.message}", param, ctx)
        return AskedBook(name, settings.pop("plies", None), settings)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """As for the name of a book."""
        return PackageName("book").shell_complete(ctx, param, incomplete)


def _split(text: str) -> tuple[str, list[str]]:
    """A text as name and settings. Settings are behind the last colon; a name that has a colon and
    ``=`` or the name of a setting behind it ends with another colon."""
    name, colon, items = text.rpartition(":")
    is_setting = "=" in items or not BOOK_SETTINGS.keys().isdisjoint(items.split(","))
    if not colon or (items and not is_setting):
        return text, []
    return name, items.split(",") if items else []


def stored_book(event: EventSettings) -> str:
    """The text that means the book of an event, with the settings that are not usual."""
    built_in = event.book.source.startswith("package:")
    name = event.book.name if built_in else event.book.source
    values = {key: setting.stored(event) for key, setting in BOOK_SETTINGS.items()}
    items = ",".join(f"{key}={value}" for key, value in values.items() if value is not None)
    return f"{name}:{items}" if items or _split(name) != (name, []) else name
