"""Types of option values: engines, whole numbers, clocks, names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import click
from click.shell_completion import CompletionItem

from engines.choices import DEFAULT_GAME
from engines.errors import VariantError
from engines.presets import presets_of
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import Variant
from engines.variant import named_game, parse_variant, with_game
from toolkit.commands._invocation import Invocation

if TYPE_CHECKING:
    from db.names import NamedKind
    from toolkit.events.players import Contender


Players = tuple["str | Contender", ...]
"""What :class:`PlayerType` gives for one text."""


def game_of(ctx: click.Context | None) -> str:
    """The game of engines and suites that name none: that of ``--game``."""
    invocation = None if ctx is None else ctx.find_object(Invocation)
    return DEFAULT_GAME if invocation is None else invocation.game


def game_played(ctx: click.Context) -> str:
    """The game of books and of the rules that end games early: that of ``--game``, else the one
    that an engine on the command line named first."""
    return ctx.ensure_object(Invocation).played or game_of(ctx)


def _note_game(ctx: click.Context | None, text: str) -> None:
    """Keep the game that an engine names. Raises UsageError if it is not that of ``--game``."""
    invocation = None if ctx is None else ctx.find_object(Invocation)
    game = named_game(text)
    if invocation is not None and game is not None:
        invocation.check_game(text, game)
        invocation.played = invocation.played or game


class EngineType(click.ParamType[Variant]):
    """A variant, such as ``mtdf:guess=parity,hash=16``; completed from the registry."""

    name = "engine"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Variant:
        """Parse the variant. Fails for one that this backend cannot play: whoever takes this type
        searches with it."""
        from engines.backend import check_backend

        if isinstance(value, Variant):
            return value
        if str(value).startswith(("uci:", "git:")):
            self.fail(
                f"`{str(value)[:60]}` is an external engine, and this needs one of ours", param, ctx
            )
        try:
            variant = parse_variant(with_game(str(value), game_of(ctx)))
            check_backend(variant)
        except VariantError as error:
            self.fail(str(error), param, ctx)
        if ctx is not None:
            ctx.ensure_object(Invocation).check_game(str(value), variant.game)
        return variant

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Drivers, then parameter names, then values."""
        return [CompletionItem(text, help=doc) for text, doc in complete_variant(incomplete)]


class PlayerType(click.ParamType[Players]):
    """Who plays in an event: variants, external engines, or those that the database keeps, perhaps
    with a limit. One text may stand for several."""

    name = "engine"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Players:
        """The variants, and the texts of engines that the command starts."""
        from toolkit.events.contenders import asked, expanded

        if isinstance(value, tuple):
            return value
        try:
            texts = expanded(with_game(str(value), game_of(ctx)))
            players = tuple(asked(one) for one in texts)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        for one in texts:
            _note_game(ctx, one)
        return players

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """As for a variant; then the names of external engines."""
        found = dict(complete_variant(incomplete))
        found |= {name: "" for name in _stored(ctx, "named engine", incomplete)}
        return [CompletionItem(text, help=doc) for text, doc in found.items()]


_LONGEST_NUMBER = 40
"""Digits of a number: none that makes sense has more."""


class LookedUp(click.ParamType[str]):
    """A text that the command looks up in the database."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text. Fails for one that no database has, since it cannot be encoded."""
        text = str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail(f"`{text}` is not UTF-8 text", param, ctx)
        return text


class EngineName(LookedUp):
    """A variant as :class:`EngineType` takes it, or a label or id in the database: text that the
    command looks up."""

    name = "engine"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """As for a variant; then kept engines and labels of the database."""
        found = dict(complete_variant(incomplete))
        for kind in ("named engine", "engine"):
            found |= {name: "" for name in _stored(ctx, kind, incomplete) if name not in found}
        return [CompletionItem(text, help=doc) for text, doc in found.items()]


class KeptEngineType(LookedUp):
    """The name of an external engine that the database keeps; the command looks it up."""

    name = "engine"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """The names; none if there is no readable database."""
        return [CompletionItem(name) for name in _stored(ctx, "named engine", incomplete)]


class AnchorType(EngineName):
    """``NAME=ELO``, with a name as of :class:`EngineName`."""

    name = "anchor"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """The names, with the sign before the rating; a name that has it already is finished."""
        found = super().shell_complete(ctx, param, incomplete)
        for item in found:
            if not item.value.endswith("="):
                item.value += "="
        return found


class EndReasonType(click.ParamType[str]):
    """An end reason or a prefix of one; the query rejects others."""

    name = "end reason"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """All reasons."""
        from toolkit.referee.outcome import EndReason

        return [CompletionItem(str(one)) for one in EndReason if str(one).startswith(incomplete)]


class StoredName(LookedUp):
    """The name of something in the database, a unique prefix of it, or ``last``; completed from the
    database."""

    def __init__(self, name: NamedKind, *more: NamedKind) -> None:
        self.name: NamedKind = name
        self._kinds = (name, *more)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """The names in the database; none if there is no readable database."""
        names = list(dict.fromkeys(name for kind in self._kinds for name in _stored(ctx, kind)))
        if names:
            names.append("last")
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


class PackageName(click.ParamType[str]):
    """A book or suite: the name of a built-in one, or a file; completed as such."""

    def __init__(self, name: Literal["book", "suite"]) -> None:
        self.name: Literal["book", "suite"] = name

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """The built-in names of the game; files if none has this prefix."""
        from toolkit.books.book import built_in_books
        from toolkit.lab.positions import suites_of

        names = (suites_of if self.name == "suite" else built_in_books)(game_of(ctx))
        found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]


class FeatureType(click.ParamType[str]):
    """A parameter that has a value which switches it off; the engine decides whether it fits."""

    name = "feature"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """How the help names the value."""
        return "NAME"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """The features of all drivers."""
        return [
            CompletionItem(name, help=feature.doc)
            for name, feature in PARAMETERS.items()
            if feature.off is not None and name.startswith(incomplete)
        ]


def _stored(ctx: click.Context, kind: NamedKind, begin: str = "") -> list[str]:
    """The names in the database with this prefix; none if there is no readable database."""
    from db.names import stored_names
    from toolkit.base.config import database_location
    from toolkit.commands._invocation import Invocation

    names = stored_names(database_location(ctx.ensure_object(Invocation).db), kind)
    return [name for name in names if name.startswith(begin)]


def complete_variant(text: str) -> list[tuple[str, str]]:
    """Completions of an unfinished variant, with a short description of each: ``mtdf:gu`` gives
    ``mtdf:guess=``, ``mtdf:guess=pa`` gives ``mtdf:guess=parity``."""
    name, colon, rest = text.partition(":")
    if not colon:
        return [(d.name, d.doc) for d in DRIVERS.values() if d.name.startswith(name)]
    if name not in DRIVERS:
        return []
    done, comma, item = rest.rpartition(",")
    head = f"{name}:{done}{comma}"
    key, equals, value = item.partition("=")
    if not equals:
        given = {part.partition("=")[0] for part in done.split(",")}
        docs = {other: PARAMETERS[other].doc for other in DRIVERS[name].parameters}
        docs["preset"] = "values that no later default changes"
        return [
            (f"{head}{other}=", doc)
            for other, doc in docs.items()
            if other.startswith(key) and other not in given
        ]
    if key == "preset":
        return [
            (f"{head}{key}={one}", preset.doc)
            for one, preset in presets_of(name).items()
            if one.startswith(value)
        ]
    if key not in DRIVERS[name].parameters:
        return []
    param = PARAMETERS[key]
    values = ("on", "off") if param.kind == "flag" else param.choices
    return [(f"{head}{key}={choice}", "") for choice in values if choice.startswith(value)]


class WholeType(click.ParamType[int]):
    """A whole number; ``20_000`` is allowed. The settings that take it know its range."""

    name = "whole number"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """How the help names the value."""
        return "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse the number."""
        text = str(value)
        if len(text) > _LONGEST_NUMBER and re.fullmatch(r"[+-]?[\d_]+", text, re.ASCII):
            text = text[:_LONGEST_NUMBER]  # out of every range, and Python reads no very long ones
        try:
            return int(text)
        except ValueError:
            several = ": it is several, and this takes one" if ".." in text else ""
            self.fail(f"`{value}` is not a whole number{several}", param, ctx)


class SecondsType(click.types.FloatParamType):
    """A time in seconds, from a millisecond to a day, as whole milliseconds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse the time. Raises UsageError for one beyond the range."""
        seconds = super().convert(value, param, ctx)
        if not 0.001 <= seconds <= _DAY_S:
            name = "time" if param is None else param.opts[0]
            raise click.UsageError(f"{name} ({seconds:g}) must be from 0.001 to {_DAY_S} seconds")
        return round(1000 * seconds)


_DAY_S = 86_400


ENGINE = EngineType()
PLAYER = PlayerType()
FEATURE = FeatureType()
END_REASON = EndReasonType()
KEPT_ENGINE = KeptEngineType()
ANCHOR = AnchorType()
WHOLE = WholeType()
SECONDS = SecondsType()
EVENT_NAME = StoredName("event")
STUDY = StoredName("study")
LAB_RUN = StoredName("run")
RUN_NAME = StoredName("event", "study", "run")
SUITE = PackageName("suite")
