"""The settings of an event: frozen at its start, kept as JSON, all that its schedule depends on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, TypedDict, Unpack, get_args

from msgspec import Struct, structs, to_builtins

from db.records.runs import CHANGED, NOTE, OUT, PGN
from engines.external.protocol import CHESS960
from engines.limit import Limit
from engines.rules.board import Rules
from engines.rules.catalog import rules_of
from engines.spec import UciEngine, Variant
from engines.variant import idle_parameters, respelled
from toolkit.base.errors import DatabaseProblem, UsageError
from toolkit.base.names import MAX_NAMES, check_name
from toolkit.base.ranges import check_whole
from toolkit.base.stored import stored
from toolkit.books.book import Book, default_book, find_book
from toolkit.books.info import BookSlice, openings_in
from toolkit.events.contenders import Asked, contender_of
from toolkit.events.players import Contender, most_threads_of, variation_of
from toolkit.pairing.forms import (
    AdaptiveForm,
    Form,
    KnockoutForm,
    RaceForm,
    SwissForm,
    form_of,
)
from toolkit.pairing.rounds import OneRound, Pairer
from toolkit.referee.adjudication import Adjudication, usual_adjudication
from toolkit.selection.sequential import SprtSettings

EventKind = Literal[
    "match", "gauntlet", "round-robin", "knockout", "swiss", "sprt", "race", "ablation", "tuning"
]
BookOrder = Literal["sequential", "random"]
Openings = Literal["distinct", "shared"]

MAX_PAIRS = 10_000_000
"""Pairs of one pairing."""
MAX_PLAYERS = 1000
MAX_SEED = 2**63 - 1
DEFAULT_TIME_MARGIN_MS = 200
DEFAULT_PATIENCE_MS = 60_000


class BookSettings(Struct, frozen=True, omit_defaults=True):
    """Which book, and how its lines are handed out."""

    id: str
    """Hash of the lines."""
    name: str
    source: str
    lines: int
    """Lines that may be played: those of the slice, if there is one."""
    order: BookOrder = "random"
    """``random``: shuffled by the event's seed."""
    start: int = 1
    """From which line on, counted in the order above; behind the last line comes the first."""
    repeat: bool = False
    """Whether a pairing may use a line twice although that only repeats its games."""
    slice: BookSlice | None = None
    """The part of the book that may be played; None for all of it."""
    plies: int | None = None
    """Greatest length of a line, if the lines of the file were cut to it."""
    moves: bool = False
    """Whether players and referee know the moves of a line, as in books of games; otherwise games
    begin at its last position."""

    def __str__(self) -> str:
        return self.name if self.slice is None else f"{self.name} slice {self.slice}"


class EventSettings(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Everything about an event that its games depend on. Every instance is valid.

    Raises UsageError, with one line, when made from values that make no sense.
    """

    kind: EventKind
    players: tuple[Contender, ...]
    """For a gauntlet first the engines under test, then the field; for a race first the candidates,
    then the base. For a tuning event the base,
    then the opponents; the points of its study join during play."""
    heroes: int
    """How many of the players are heroes: 1 in a match, test or tuning, and in an ablation without
    opponents, 0 in a round robin, knockout or Swiss tournament."""
    pairs: int
    """Game pairs of each pairing; of a knockout without the extra pairs of a tied match; of a test
    the most that it may take; of a tuning or an adaptive event the budget of all its pairings
    together."""
    limit: Limit
    book: BookSettings
    seed: int = 0
    adjudication: Adjudication = Adjudication()
    time_margin_ms: int = DEFAULT_TIME_MARGIN_MS
    """How far a move may overstep its time before the game is forfeited."""
    name: str = ""
    sprt: SprtSettings | None = None
    """The sequential test that may end an event of kind ``sprt`` early."""
    patience_ms: int = DEFAULT_PATIENCE_MS
    """How long an external engine may search without a clock before it counts as hung."""
    chess960: bool = False
    """Whether the games are of Chess960."""
    openings: Openings = "distinct"
    """``shared``: the pairs of one number have the same opening in all pairings. ``distinct``: each
    pairing continues in the book where the previous one stopped."""
    extensions: tuple[int, ...] = ()
    """Game pairs by which each pairing was extended after the event had started, one extension
    after the other."""
    form: Form | None = None
    """How results decide the later pairings: of a knockout, of a Swiss tournament, and of a round
    robin that is adaptive."""

    scale_nps: int = 0
    """Nodes per second of the engine ``scale_by`` on the machine that times are meant for; 0: they
    are the same on every machine."""
    no_lines: bool = False
    """Whether what external engines print of their moves is not stored with the games."""
    strict: bool = False
    """Whether the command that plays the event, or its study, fails if an engine did something
    wrong in a game."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(EventKind):
            raise UsageError(f"kind of event `{self.kind}`: expected {_or(get_args(EventKind))}")
        _check_players(self)
        _check_game(self)
        check_whole("pairs", self.pairs, 1, MAX_PAIRS)
        check_whole("seed", self.seed, 0, MAX_SEED)
        check_whole("time margin in ms", self.time_margin_ms, 0, 3_600_000)
        for more in self.extensions:
            check_whole("pairs of an extension", more, 1, MAX_PAIRS)
        if self.extensions and (self.form is not None or self.kind in ("sprt", "tuning")):
            raise UsageError(f"an event of kind `{self.kind}` cannot be extended")
        check_whole("patience in ms", self.patience_ms, 1, 86_400_000)
        self.limit.checked()
        _check_limits(self)
        check_whole("nodes per second of --scale-time", self.scale_nps, 0, 10**12)
        if self.scale_nps and all(one.deterministic for one in (*self.limits, self.limit)):
            raise UsageError("--scale-time needs a limit of time: --tc, --movetime or --cpu-ms")
        if len(self.name) > MAX_NAMES["event"] or not self.name.isprintable():
            raise UsageError("name of the event: it is too long, or not printable")
        _check_book(self)

    @property
    def pairings(self) -> tuple[tuple[int, int], ...]:
        """The positions of the two players of each pairing, heroes first. A tuning, a knockout and
        a Swiss tournament have none that the settings know: they are the encounters of its study,
        or decided by results."""
        if self.kind in ("tuning", "knockout", "swiss"):
            return ()
        if self.kind == "round-robin":
            return tuple(combinations(range(len(self.players)), 2))
        field = range(self.heroes, len(self.players))
        return tuple((hero, other) for hero in range(self.heroes) for other in field)

    @property
    def limits(self) -> tuple[Limit, ...]:
        """The limit of each player, by position."""
        return tuple(player.limit or self.limit for player in self.players)

    def limits_of(self, white: str, black: str) -> tuple[Limit, Limit]:
        """The limits of two players, by label. Points of a study have that of the event."""
        own = {player.label: player.limit for player in self.players}
        return own.get(white) or self.limit, own.get(black) or self.limit

    @property
    def variation(self) -> str:
        """Why the same settings need not give the same games, as :func:`variation_of` says."""
        return variation_of([one.engine for one in self.players], (self.limit, *self.limits))

    @property
    def deterministic(self) -> bool:
        """Whether the same settings give the same games."""
        return not self.variation

    @property
    def threads(self) -> int:
        """With how many threads a game is played: its engines take turns."""
        return most_threads_of([one.engine for one in self.players])

    @property
    def is_timed(self) -> bool:
        """Whether some player has a clock or a time a move."""
        return any(limit.is_timed for limit in self.limits or (self.limit,))

    @property
    def scale_by(self) -> int:
        """Position of the engine by whose speed times are scaled: the base of a test or a study,
        else the first one."""
        return 1 if self.kind == "sprt" else 0

    @property
    def total_pairs(self) -> int:
        """Game pairs of the whole event, at most."""
        if self.kind == "tuning":
            return self.pairs
        return self.pairer().most_pairs

    @property
    def pairs_of_pairing(self) -> int:
        """Game pairs of one pairing, at most; of a tuning those of all."""
        if isinstance(self.form, KnockoutForm):
            return self.pairs + self.form.extra_pairs
        if isinstance(self.form, AdaptiveForm) and not self._lines_repeat:
            return min(self.pairs, self.book.lines)
        if isinstance(self.form, RaceForm) and self.deterministic:
            # A game that comes again says nothing new, so it is no evidence either.
            return min(self.pairs, self.book.lines)
        return self.pairs + sum(self.extensions)

    def pairer(self) -> Pairer:
        """What decides the rounds of the event; a tuning has none."""
        players = len(self.players)
        if isinstance(self.form, KnockoutForm):
            return self.form.pairer(players, self.pairs, self.seed)
        if isinstance(self.form, SwissForm):
            return self.form.pairer(players, self.pairs)
        if isinstance(self.form, RaceForm):
            return self.form.pairer(players, self.pairs, self.pairs_of_pairing)
        if isinstance(self.form, AdaptiveForm) and self.kind != "round-robin":
            return self.form.precision(self.pairings, self.pairs, self.pairs_of_pairing)
        if isinstance(self.form, AdaptiveForm):
            return self.form.pairer(players, self.pairs, self.pairs_of_pairing)
        return OneRound(self.pairings, self.pairs_of_pairing)

    @property
    def game(self) -> str:
        """The game that the players play."""
        return self.players[0].engine.game

    @property
    def rules(self) -> Rules:
        """The rules of the games."""
        return rules_of(self.game, chess960=self.chess960)

    @property
    def _lines_repeat(self) -> bool:
        """Whether a pairing may play a line of the book again."""
        return self.book.repeat or not self.deterministic

    def find_book(self) -> Book:
        """The book, found again. Raises UsageError for a file that is gone or has other lines."""
        return find_book(
            self.book.id,
            self.book.source,
            plies=self.book.plies,
            chess960=self.chess960,
            game=self.game,
        )

    def notices(self) -> tuple[str, ...]:
        """Warnings before play starts, one line each."""
        lines = []
        for identity, count in Counter(player.id for player in self.players).items():
            if count > 1:
                labels = [f"`{p.label}`" for p in self.players if p.id == identity]
                limits = {p.limit or self.limit for p in self.players if p.id == identity}
                if len(limits) == count:
                    continue
                level = "; every pair of them is level" if self.deterministic else ""
                lines.append(f"{_and(labels)} are the same engine under {count} labels{level}")
        for player in self.players:
            engine = player.engine
            if isinstance(engine, Variant) and (idle := idle_parameters(engine)):
                verb = "has" if len(idle) == 1 else "have"
                names = ", ".join(f"`{name}`" for name in idle)
                lines.append(f"`{player.label}`: {names} {verb} no effect in {engine.game}")
        pairs = self.pairs_of_pairing
        adaptive = isinstance(self.form, AdaptiveForm | RaceForm)
        if self.kind != "tuning" and not adaptive and pairs > self.book.lines:
            repeated = pairs - self.book.lines
            verb = "repeats" if repeated == 1 else "repeat"
            again = "; identical games will be counted once" if self.deterministic else ""
            lines.append(f"{repeated} of {pairs} pairs {verb} an opening{again}")
        return tuple(lines)

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON, from which :meth:`from_json` makes equal settings. Limits of single
        players are beside them, by position."""
        data: dict[str, Any] = to_builtins(self)
        data["players"] = [player["engine"] for player in data["players"]]
        own = {str(k): to_builtins(one.limit) for k, one in enumerate(self.players) if one.limit}
        return data | ({"limits": own} if own else {})

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> EventSettings:
        """The settings in ``data``. Raises DatabaseProblem if they are damaged."""
        apart = ("limits", NOTE, CHANGED, OUT, PGN)
        fields = {key: value for key, value in data.items() if key not in apart}
        own = data.get("limits", {})
        try:
            fields["players"] = [
                {"engine": one, "limit": own.get(str(k))} for k, one in enumerate(data["players"])
            ]
        except (AttributeError, KeyError, TypeError) as error:
            raise DatabaseProblem(f"event settings are damaged: {error}") from error
        return stored(cls, fields, "event settings")


class EventKeywords(TypedDict, total=False):
    """Keywords of the settings of an event: those of its fields that have a default, such as
    ``seed`` and ``name``, and which openings it plays."""

    book: Book | None
    """None for a built-in book."""
    book_slice: BookSlice | None
    """None for the whole book."""
    order: BookOrder
    start: int
    repeat_openings: bool
    seed: int
    adjudication: Adjudication
    time_margin_ms: int
    patience_ms: int
    openings: Openings
    name: str
    scale_nps: int
    no_lines: bool
    strict: bool
    chess960: bool
    """Whether the games are of Chess960; then the default book is that of its start positions."""


def match_settings(
    first: Asked,
    second: Asked,
    *,
    pairs: int,
    limit: Limit,
    adaptive: AdaptiveForm | None = None,
    **options: Unpack[EventKeywords],
) -> EventSettings:
    """Settings of a match of two variants, given as such or as on the command line. With
    ``adaptive`` it ends when its Elo is known, after at most ``pairs``.

    Raises UsageError, or VariantError for a text that is no engine.
    """
    return event_settings("match", [first], [second], pairs, limit, options, form=adaptive)


def gauntlet_settings(
    heroes: Sequence[Asked],
    field: Sequence[Asked],
    *,
    pairs: int,
    limit: Limit,
    adaptive: AdaptiveForm | None = None,
    **options: Unpack[EventKeywords],
) -> EventSettings:
    """Settings of a gauntlet: every hero plays ``pairs`` game pairs against each of the field. With
    ``adaptive`` each pairing ends when its Elo is known, and all together play at most ``pairs``.

    Raises UsageError, or VariantError for a text that is no engine.
    """
    return event_settings("gauntlet", heroes, field, pairs, limit, options, form=adaptive)


def round_robin_settings(
    players: Sequence[Asked],
    *,
    pairs: int,
    limit: Limit,
    adaptive: AdaptiveForm | None = None,
    **options: Unpack[EventKeywords],
) -> EventSettings:
    """Settings of a round robin: every two players play ``pairs`` game pairs. With ``adaptive`` all
    of them together play at most ``pairs``, where they tell most.

    Raises UsageError, or VariantError for a text that is no engine.
    """
    return event_settings("round-robin", [], players, pairs, limit, options, form=adaptive)


def knockout_settings(
    players: Sequence[Asked],
    *,
    pairs: int,
    limit: Limit,
    form: KnockoutForm | None = None,
    **options: Unpack[EventKeywords],
) -> EventSettings:
    """Settings of a knockout with matches of ``pairs`` game pairs.

    Raises UsageError, or VariantError for a text that is no engine.
    """
    chosen = form or KnockoutForm()
    return event_settings("knockout", [], players, pairs, limit, options, form=chosen)


def swiss_settings(
    players: Sequence[Asked],
    *,
    pairs: int,
    rounds: int,
    limit: Limit,
    **options: Unpack[EventKeywords],
) -> EventSettings:
    """Settings of a Swiss tournament: in each of its rounds a player plays ``pairs`` game pairs
    against one opponent.

    Raises UsageError, or VariantError for a text that is no engine.
    """
    return event_settings("swiss", [], players, pairs, limit, options, form=SwissForm(rounds))


def sprt_settings(
    test: Asked,
    base: Asked,
    *,
    sprt: SprtSettings,
    max_pairs: int,
    limit: Limit,
    **options: Unpack[EventKeywords],
) -> EventSettings:
    """Settings of a sequential test of ``test`` against ``base``, of at most ``max_pairs`` pairs.

    A deterministic test plays each line of its book once at most, unless they may repeat: then it
    ends without a verdict where the book does. Raises UsageError, or VariantError for a text that
    is no variant.
    """
    game = contender_of(test).engine.game
    lines = len(openings_in(_book_of(options, game), options.get("book_slice")))
    some = min(max_pairs, max(lines, 1))
    settings = event_settings("sprt", [test], [base], some, limit, options, sprt=sprt)
    one, other = settings.players
    if one.id == other.id and settings.limits[0] == settings.limits[1]:
        raise UsageError(
            f"`{one.label}` and `{other.label}` are one engine, which is not better than itself: "
            "a sequential test needs two (mtdf match lets an engine play itself)"
        )
    endless = settings.book.repeat or not settings.deterministic
    return structs.replace(settings, pairs=max_pairs) if endless else settings


def race_settings(
    base: Asked,
    candidates: Sequence[Asked],
    *,
    max_pairs: int,
    limit: Limit,
    form: RaceForm | None = None,
    **options: Unpack[EventKeywords],
) -> EventSettings:
    """Settings of a race of ``candidates`` against ``base`` of at most ``max_pairs`` pairs of all
    together. All play the same openings with the same colours and seeds.

    Raises UsageError, or VariantError for a text that is no engine.
    """
    shared: EventKeywords = {**options, "openings": "shared"}
    chosen = form or RaceForm()
    return event_settings("race", candidates, [base], max_pairs, limit, shared, form=chosen)


def event_settings(
    kind: EventKind,
    heroes: Sequence[Asked],
    field: Sequence[Asked],
    pairs: int,
    limit: Limit,
    options: EventKeywords,
    *,
    sprt: SprtSettings | None = None,
    form: Form | None = None,
) -> EventSettings:
    """Settings of an event of any kind. Raises UsageError, or VariantError for a text that is no
    engine."""
    if options.get("name"):
        check_name("event", options["name"])
    contenders = [contender_of(player) for player in (*heroes, *field)]
    game = contenders[0].engine.game
    _check_one_game(contenders)
    if limit == Limit() and all(one.limit is not None for one in contenders):
        limit = contenders[0].limit or limit
    fields: dict[str, Any] = {"adjudication": usual_adjudication(game), **options}
    book, part = _book_of(options, game), fields.pop("book_slice", None)
    fields["book"] = BookSettings(
        id=book.id,
        name=book.name,
        source=book.source,
        lines=len(openings_in(book, part)),
        order=fields.pop("order", "random"),
        start=fields.pop("start", 1),
        repeat=fields.pop("repeat_openings", False),
        slice=part,
        plies=book.plies,
        moves=book.has_games,
    )
    return EventSettings(
        kind=kind,
        players=tuple(contenders),
        heroes=len(heroes),
        pairs=pairs,
        limit=limit,
        sprt=sprt,
        form=form,
        **fields,
    )


def _book_of(options: EventKeywords, game: str) -> Book:
    """The book of these options for a game, or its default one. Raises UsageError for a book of
    Chess960 that is to be played as standard chess, and for one of another game."""
    book, chess960 = options.get("book"), options.get("chess960", False)
    if book is not None and book.chess960 and not chess960:
        raise UsageError(f"book {book.name} was read for Chess960: --chess960 plays it")
    if book is not None and book.game != game:
        raise UsageError(f"book {book.name} is of {book.game}, and the engines play {game}")
    return book or default_book(chess960=chess960, game=game)


def _check_one_game(players: Sequence[Contender]) -> None:
    first, *others = (player.engine for player in players)
    for player in others:
        if player.game != first.game:
            raise UsageError(
                f"engine `{first.label}` plays {first.game} and `{player.label}` {player.game}: an "
                "event is of one game"
            )


def _check_game(settings: EventSettings) -> None:
    _check_one_game(settings.players)
    if settings.adjudication.tablebases is not None and not settings.rules.uci:
        raise UsageError(f"Syzygy tablebases are of chess, and the engines play {settings.game}")


def _check_players(settings: EventSettings) -> None:
    players, heroes = settings.players, settings.heroes
    if settings.kind in ("match", "sprt") and (len(players) != 2 or heroes != 1):
        raise UsageError(f"a {settings.kind} needs two engines, not {len(players)}")
    if settings.kind == "gauntlet" and not 1 <= heroes < len(players):
        raise UsageError("a gauntlet needs at least one hero and at least one opponent")
    if settings.kind == "race" and not (heroes >= 1 and len(players) == heroes + 1):
        raise UsageError("a race needs a base and at least one candidate")
    if settings.kind == "ablation" and not 1 <= heroes < len(players):
        raise UsageError("an ablation needs one engine and at least one feature")
    if settings.kind == "tuning" and heroes != 1:
        raise UsageError("a tuning has one base")
    if (settings.kind == "sprt") != (settings.sprt is not None):
        raise UsageError("only an event of kind `sprt` can have a sequential test")
    least = 1 if settings.kind == "tuning" else 2
    check_whole("number of engines", len(players), least, MAX_PLAYERS)
    _check_form(settings)
    by_label: dict[str, Contender] = {}
    for player in players:
        other = by_label.setdefault(player.label, player)
        if other is player:
            continue
        if other.id == player.id and other.limit == player.limit:
            raise UsageError(
                f"engine `{player.label}` is given twice; to let it play itself, label one of "
                f"them: {respelled(player.engine.spelling, {'name': 'other'})}"
            )
        raise UsageError(
            f"two engines have the label `{player.label}`: {other.engine.spelling} and "
            f"{player.engine.spelling}"
        )


def _check_form(settings: EventSettings) -> None:
    form, kind, players = settings.form, settings.kind, len(settings.players)
    if form is None:
        if kind in ("knockout", "swiss", "race"):
            raise UsageError(f"an event of kind `{kind}` needs its form")
        return
    if not isinstance(form, form_of(kind) or ()):
        raise UsageError(f"an event of kind `{kind}` cannot have this form: {form}")
    if isinstance(form, SwissForm):
        form.check(players)
    if isinstance(form, RaceForm):
        form.check(players, settings.pairs)
        _check_candidates(settings)
    if isinstance(form, AdaptiveForm):
        form.check(players, settings.pairs)
        _ = settings.pairer()
        if len({player.id for player in settings.players}) < players:
            raise UsageError(
                "an adaptive event cannot rate an engine under two labels: give each engine once"
            )


def _check_candidates(settings: EventSettings) -> None:
    """Each engine of a race is another one: none is better than itself, and one that comes twice
    would only be played twice."""
    *candidates, base = zip(settings.players, settings.limits, strict=True)
    seen = {(base[0].id, base[1]): f"the base `{base[0].label}`, which is no better than itself"}
    for player, limit in candidates:
        if (other := seen.get((player.id, limit))) is not None:
            raise UsageError(f"candidate `{player.label}` is the same engine as {other}")
        seen[player.id, limit] = f"another candidate, `{player.label}`: leave one out"


def _check_limits(settings: EventSettings) -> None:
    """The limits of single players; CPU time is known of our own searches only."""
    for player, limit in zip(settings.players, settings.limits, strict=True):
        if player.limit is not None:
            player.limit.checked()
        if not isinstance(player.engine, UciEngine):
            continue
        if settings.chess960 and CHESS960 not in dict(player.engine.defaults):
            raise UsageError(
                f"engine `{player.label}` does not play Chess960: it announces no option {CHESS960}"
            )
        if limit.cpu_ms is not None:
            raise UsageError(
                f"engine `{player.label}` is an external one, which cannot be limited by CPU time: "
                "use --movetime, --tc or --nodes, or give it a limit of its own"
            )


def _check_book(settings: EventSettings) -> None:
    book = settings.book
    if book.order not in get_args(BookOrder):
        raise UsageError(f"order of openings `{book.order}`: expected {_or(get_args(BookOrder))}")
    if settings.openings not in get_args(Openings):
        raise UsageError(f"openings `{settings.openings}`: expected {_or(get_args(Openings))}")
    if book.lines < 1:
        raise UsageError(f"book {book} has no openings")
    check_whole("first opening", book.start, 1, book.lines)
    if settings.kind == "tuning":
        return  # its pairings are of different points, so a line that comes again is a new game
    pairs = settings.pairs_of_pairing
    if settings.deterministic and pairs > book.lines and not book.repeat:
        raise UsageError(
            f"{pairs} pairs need {pairs} openings and book {book} has "
            f"{book.lines}; repeating them would only repeat the games "
            "(--book BOOK:repeat=on does it anyway)"
        )


def _or(words: Iterable[str]) -> str:
    return " or ".join(f"`{word}`" for word in words)


def _and(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
