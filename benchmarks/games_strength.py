"""Elo of our engine in Othello and English draughts against simple players and other programs.

    python benchmarks/games_strength.py --quick
    python benchmarks/games_strength.py
    python benchmarks/games_strength.py --game othello --opponent rhino-4 --nodes 200000 --pairs 10

Each opening of the game's built-in book is played twice with colours reversed; the seed decides the
order of the openings, and all opponents get the same ones. Our engine has a limit of nodes, so its
games are the same on every machine, as are those of all opponents named here.

The opponents in both games: ``count-1`` is greedy: it looks one ply ahead and counts discs, or men
and kings; ``count-2`` also looks at the replies (:mod:`counting_player`). ``depth-1`` and
``depth-2`` are our own engine, its whole evaluation and selective search included, with a limit of
so many plies. In Othello ``rhino-LEVEL`` is ``gtp-rhino`` of Debian's package ``grhino`` at level 1
to 5; in draughts ``mcts-SIMULATIONS`` is the MCTS bot of OpenSpiel (:mod:`game_rivals` says how its
rules differ). A program that is absent is left out, with a line that says so.

Our rules judge all games; nothing is adjudicated. The column ``CPU ms`` is CPU time a move, ours
and theirs, for the whole process of Rhino and the searching thread of the others. Intervals of Elo
are 95 % ones of game pairs (docs/statistics.md); where all games were won, there is only a lower
bound. Without ``--pairs``, slow opponents play fewer pairs; all together take some ten minutes.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from counting_player import CountingPlayer
from game_rivals import AbsentError, MctsPlayer, OtherDrawError, RhinoPlayer, Rival

from engines.backend import backend_name, signature
from engines.errors import EngineError
from engines.limit import Limit
from engines.players import make_player
from engines.rules.board import Rules
from engines.rules.catalog import rules_of
from engines.spec import MoveReport, Player, SearchLimit
from engines.variant import parse_variant, with_game
from toolkit.base.version import program_version
from toolkit.books.book import Opening, default_book
from toolkit.referee.adjudication import Adjudication
from toolkit.referee.referee import GameRules, play_refereed
from toolkit.stats.match import MatchStatistics, match_statistics

GAMES = ("othello", "draughts")
_SIMPLE = dict.fromkeys(("count-1", "count-2", "depth-1", "depth-2"), 20)
OPPONENTS = {
    "othello": _SIMPLE | {"rhino-1": 20, "rhino-2": 20, "rhino-3": 20},
    "draughts": _SIMPLE | {"mcts-1000": 10, "mcts-10000": 10},
}
"""Who is played where nobody is named, and in how many pairs, by game."""
_PAIRS = 10
"""Of another opponent."""
_FULL_LENGTH = Adjudication(max_plies=None, draw=None, resign=None)
_POINTS = {"1-0": 2, "0-1": 0, "1/2-1/2": 1}


@dataclass(slots=True)
class Watched:
    """A player whose moves and CPU time are counted."""

    player: Player
    moves: int = 0
    cpu_us: int = 0

    def new_game(self) -> None:
        """Forget everything that was learned."""
        self.player.new_game()

    def set_position(self, fen: str, moves: Sequence[int] = (), chess960: bool = False) -> None:
        """Stand at ``fen`` after ``moves``."""
        self.player.set_position(fen, moves, chess960)

    def push(self, move: int) -> None:
        """Play a move."""
        self.player.push(move)

    def go(self, limit: SearchLimit) -> MoveReport:
        """The player's move."""
        report = self.player.go(limit)
        self.moves += 1
        self.cpu_us += report.cpu_us
        return report

    def close(self) -> None:
        """Free what the player holds."""
        self.player.close()

    @property
    def ms_per_move(self) -> float:
        """CPU time."""
        return self.cpu_us / 1000 / max(self.moves, 1)


@dataclass(frozen=True, slots=True)
class Opponent:
    """Who plays against us."""

    name: str
    title: str
    player: Player
    limit: Limit | None = None
    """Where it is a player of ours."""


@dataclass(slots=True)
class MatchResult:
    """A match, counted from our side."""

    game: str
    opponent: str
    title: str
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    """Game pairs in which we scored 0, ½, 1, 1½, 2 points."""
    results: list[int] = field(default_factory=lambda: [0] * 3)
    """Games lost, drawn, won."""
    reasons: Counter[str] = field(default_factory=Counter)
    plies: int = 0
    our_ms: float = 0.0
    """CPU time a move."""
    their_ms: float = 0.0

    @property
    def statistics(self) -> MatchStatistics:
        """Elo by game pairs."""
        return match_statistics(self.pairs)

    def to_json(self) -> dict[str, Any]:
        """Counts, statistics and costs."""
        statistics = self.statistics
        lost, drawn, won = self.results
        return {
            "game": self.game,
            "opponent": self.opponent,
            "title": self.title,
            "games": statistics.games,
            "won": won,
            "drawn": drawn,
            "lost": lost,
            "pentanomial": self.pairs,
            "score": round(statistics.score, 4),
            "elo": round(statistics.elo, 1),
            "elo_low95": statistics.elo_low95,
            "elo_high95": statistics.elo_high95,
            "our_cpu_ms": round(self.our_ms, 3),
            "their_cpu_ms": round(self.their_ms, 3),
            "plies_per_game": round(self.plies / max(statistics.games, 1), 1),
            "end_reasons": dict(self.reasons.most_common()),
        }


def make_opponent(name: str, rules: Rules, seed: int) -> Opponent:
    """The opponent of this name. Raises AbsentError where its program is absent, and ValueError for
    a name that means none in this game."""
    kind, _, number = name.partition("-")
    size = int(number) if number.isdecimal() else 0
    counted = "discs" if rules.game == "othello" else "men and kings"
    if kind == "count" and size in (1, 2):
        title = f"counts {counted}, {'one ply (greedy)' if size == 1 else 'two plies'}"
        return Opponent(name, title, CountingPlayer(rules, size, seed))
    if kind == "depth" and size:
        player = make_player(parse_variant(with_game("mtdf", rules.game)))
        return Opponent(name, f"mtdf itself, limit {number} plies", player, Limit(depth=size))
    if kind == "rhino" and rules.game == "othello" and 1 <= size <= 5:
        rhino = RhinoPlayer(rules, size)
        return Opponent(name, rhino.title, rhino)
    if kind == "mcts" and rules.game == "draughts" and size:
        mcts = MctsPlayer(rules, size, seed)
        return Opponent(name, mcts.title, mcts)
    raise ValueError(f"no opponent `{name}` in {rules.title}")


def play_match(
    rules: Rules, ours: Player, opponent: Opponent, openings: Sequence[Opening], limit: Limit
) -> MatchResult:
    """Both games of every opening, our engine White first."""
    result = MatchResult(rules.game, opponent.name, opponent.title)
    we, they = Watched(ours), Watched(opponent.player)
    limits = (limit, opponent.limit or limit)
    for number, opening in enumerate(openings, 1):
        points = [
            play(rules, opening, (we, they), limits, white, result.reasons)
            for white in (True, False)
        ]
        result.pairs[sum(points)] += 1
        for one in points:
            result.results[one] += 1
        say(f"{rules.game} {opponent.name} pair {number}/{len(openings)}: {sum(points) / 2:g}/2")
    result.plies = we.moves + they.moves
    result.our_ms, result.their_ms = we.ms_per_move, they.ms_per_move
    return result


def play(
    rules: Rules,
    opening: Opening,
    players: tuple[Watched, Watched],
    limits: tuple[Limit, Limit],
    white: bool,
    reasons: Counter[str],
) -> int:
    """One game; our half points. ``players`` and ``limits`` are ours and theirs; ``white``: we are
    White."""
    for player in players:
        if isinstance(player.player, Rival):
            player.player.prepare(opening)
    first, second = (0, 1) if white else (1, 0)
    game_rules = GameRules(limits[0], _FULL_LENGTH, rules=rules)
    by_colour = limits[first], limits[second]
    try:
        played = play_refereed(opening.fen, players[first], players[second], game_rules, by_colour)
    except OtherDrawError:
        reasons["drawn by the opponent's rules"] += 1
        return 1
    if played.fault is not None:
        say(f"line {opening.line}: {played.fault.text}")
    reasons[played.outcome.reason] += 1
    points = _POINTS[played.outcome.result]
    return points if white else 2 - points


def render(results: Sequence[MatchResult]) -> str:
    """The matches as text, and what the opponents are."""
    head = ["game", "opponent", "games", "W-D-L", "pairs 0..2", "score", "Elo", "95 %", "CPU ms"]
    rows = [[*head, "plies"]]
    for result in results:
        statistics = result.statistics
        rows.append(
            [
                result.game,
                result.opponent,
                str(statistics.games),
                "-".join(str(count) for count in result.results[::-1]),
                ",".join(map(str, result.pairs)),
                f"{100 * statistics.score:.1f} %",
                f"{statistics.elo:+.0f}" if not statistics.flag else "--",
                f"[{_end(statistics.elo_low95)}, {_end(statistics.elo_high95)}]",
                f"{result.our_ms:.1f}/{result.their_ms:.1f}",
                f"{result.plies / max(statistics.games, 1):.0f}",
            ]
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    for result in results:
        ends = ", ".join(f"{reason} {count}" for reason, count in result.reasons.most_common())
        lines.append(f"{result.game} {result.opponent}: {result.title}; {ends}")
    return "\n".join(lines)


def _end(elo: float | None) -> str:
    """An end of an interval."""
    return "open" if elo is None else f"{elo:+.0f}"


def say(text: str) -> None:
    """Report on standard error."""
    print(text, file=sys.stderr, flush=True)


def parse_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--engine", default="mtdf", help="variant to test (default mtdf)")
    add("--game", action="append", choices=GAMES, help="repeatable; default: both")
    add("--opponent", action="append", metavar="NAME",
        help="repeatable: count-1, count-2, depth-N, rhino-LEVEL, mcts-SIMULATIONS")  # fmt: skip
    add("--nodes", type=int, default=20_000, help="limit of our engine a move (default 20000)")
    add("--pairs", type=int, help="game pairs of each match (default: fewer for slow opponents)")
    add("--seed", type=int, default=1, help="of the order of the openings, and of the opponents")
    add("--quick", action="store_true", help="1 pair of each match")
    add("--json", action="store_true", help="one object on standard output")
    arguments = parser.parse_args(words)
    if arguments.quick:
        arguments.pairs = 1
    if min(arguments.nodes, arguments.pairs or 1) < 1:
        parser.error("nodes and pairs must be at least 1")
    return arguments


def matches_of(game: str, arguments: argparse.Namespace) -> list[MatchResult]:
    """All matches of one game. Raises EngineError."""
    rules = rules_of(game)
    ours = make_player(parse_variant(with_game(arguments.engine, game)))
    openings = list(default_book(game=game).openings)
    random.Random(arguments.seed).shuffle(openings)
    limit = Limit(nodes=arguments.nodes)
    results = []
    for name in arguments.opponent or OPPONENTS[game]:
        try:
            opponent = make_opponent(name, rules, arguments.seed)
        except (AbsentError, ValueError) as error:
            say(f"{game} {name}: left out: {error}")
            continue
        pairs = arguments.pairs or OPPONENTS[game].get(name, _PAIRS)
        results.append(play_match(rules, ours, opponent, openings[:pairs], limit))
        opponent.player.close()
    return results


def main(words: Sequence[str] | None = None) -> int:
    """Exit code: 0 played, 1 nothing to play, 2 usage."""
    arguments = parse_arguments(words)
    games = tuple(arguments.game or GAMES)
    results: list[MatchResult] = []
    try:
        for game in games:
            results += matches_of(game, arguments)
    except EngineError as error:
        say(f"error: {error}")
        return 2
    record = {
        "version": program_version(),
        "backend": backend_name(),
        "signatures": {game: signature(game) for game in games},
        "engine": arguments.engine,
        "nodes": arguments.nodes,
        "seed": arguments.seed,
        "books": {game: default_book(game=game).id for game in games},
    }
    if arguments.json:
        print(json.dumps({**record, "matches": [one.to_json() for one in results]}, indent=1))
    elif results:
        print(
            f"{arguments.engine} of mtdf {record['version']} at {arguments.nodes:,} nodes a move, "
            f"seed {arguments.seed}"
        )
        for game in games:
            book = default_book(game=game)
            print(f"{game}: {backend_name()} core {signature(game)}, book {book.name} ({book.id})")
        print(render(results))
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
