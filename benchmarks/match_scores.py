"""Finished pairs of :mod:`strength`: kept in a file, counted, and shown as a table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from contest import GameReport, SideCost, Who

from toolkit.stats.match import match_statistics

_POINTS = {"1-0": 2, "0-1": 0, "1/2-1/2": 1}
_FORFEITS = frozenset(["time-forfeit", "engine-failure", "illegal-move", "no-move"])


@dataclass(frozen=True, slots=True)
class PairReport:
    """Two games of one opening, colours reversed."""

    opponent: str
    limit: str
    pair: int
    """From 0."""
    line: int
    """Of the opening in its book."""
    games: tuple[GameReport, GameReport]
    load: float
    """Average number of running processes in the last minute, when the pair ended."""
    ended_at: str
    crashes: int = 0
    """Games begun anew because the opponent crashed."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PairReport:
        """What ``asdict`` made of one."""
        first, second = (_game(game) for game in data["games"])
        rest = {key: value for key, value in data.items() if key != "games"}
        return cls(games=(first, second), **rest)

    @property
    def half_points(self) -> int:
        """Our score in half points, 0 to 4."""
        return sum(half_points(game) for game in self.games)


def half_points(game: GameReport) -> int:
    """Our score of a game in half points: 0, 1, 2."""
    white = _POINTS[game.result]
    return white if game.white == "ours" else 2 - white


def _game(data: Mapping[str, Any]) -> GameReport:
    costs: dict[Who, SideCost] = {who: SideCost(**cost) for who, cost in data["costs"].items()}
    return GameReport(**{**data, "costs": costs})


class ResultFile:
    """A file of JSON lines: the settings first, then a finished pair a line.

    Raises ValueError when the file holds something else, or pairs of other settings.
    """

    def __init__(self, path: Path | None, settings: Mapping[str, Any]) -> None:
        self._path = path
        self.pairs: list[PairReport] = []
        if path is None:
            return
        if path.exists() and path.stat().st_size:
            self._read(path, settings)
        else:
            path.write_text(json.dumps({"settings": settings}) + "\n")

    def add(self, report: PairReport) -> None:
        """Keep a pair, on disk before anything is said about it."""
        self.pairs.append(report)
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps(asdict(report)) + "\n")

    def _read(self, path: Path, settings: Mapping[str, Any]) -> None:
        whole, _, torn = path.read_text().rpartition("\n")
        try:
            first, *rest = (json.loads(line) for line in whole.splitlines())
            found = first["settings"]
            self.pairs = [PairReport.from_json(line) for line in rest]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is no file of results: {error!r}") from error
        different = [key for key in settings if found.get(key) != settings[key]]
        if different:
            key = different[0]
            raise ValueError(
                f"{path} was made with {key} {found.get(key)!r}, not {settings[key]!r}; "
                "give another --out"
            )
        if torn:
            # The last line was cut off by a crash; its pair is played again.
            path.write_text(whole + "\n")


@dataclass(slots=True)
class MatchScore:
    """One opponent at one limit, counted from our side."""

    opponent: str
    limit: str
    pentanomial: list[int] = field(default_factory=lambda: [0] * 5)
    """Pairs in which we scored 0, ½, 1, 1½, 2 points."""
    wins: int = 0
    losses: int = 0
    draws: int = 0
    plies: int = 0
    loads: list[float] = field(default_factory=list)
    crashes: int = 0
    """Of the opponent, in games begun anew."""
    reasons: Counter[str] = field(default_factory=Counter)
    forfeits: Counter[Who] = field(default_factory=Counter)
    """Games lost by time, failure or an illegal move, by the side that lost."""
    costs: dict[Who, SideCost] = field(
        default_factory=lambda: {"ours": SideCost(), "theirs": SideCost()}
    )

    def add(self, report: PairReport) -> None:
        """Count a pair."""
        self.pentanomial[report.half_points] += 1
        self.loads.append(report.load)
        self.crashes += report.crashes
        for game in report.games:
            points = half_points(game)
            self.losses += points == 0
            self.draws += points == 1
            self.wins += points == 2
            self.plies += game.plies
            self.reasons[game.reason] += 1
            if game.reason in _FORFEITS:
                self.forfeits["theirs" if points else "ours"] += 1
            for who, cost in game.costs.items():
                self.costs[who].add(cost)

    def to_json(self) -> dict[str, Any]:
        """Counts, statistics and costs; times in ms a move."""
        statistics = match_statistics(self.pentanomial)
        return {
            "opponent": self.opponent,
            "limit": self.limit,
            "games": statistics.games,
            "wins": self.wins,
            "losses": self.losses,
            "draws": self.draws,
            "pentanomial": self.pentanomial,
            "score": round(statistics.score, 4),
            "elo": round(statistics.elo, 1),
            "elo_error95": round(statistics.elo_error95, 1),
            "elo_low95": _rounded(statistics.elo_low95),
            "elo_high95": _rounded(statistics.elo_high95),
            "los": round(statistics.los, 4),
            "flag": statistics.flag,
            "ours": _per_move(self.costs["ours"]),
            "theirs": _per_move(self.costs["theirs"]),
            "search_ratio": _rounded(self.search_ratio(), 3),
            "plies_per_game": round(self.plies / max(statistics.games, 1), 1),
            "load": round(sum(self.loads) / max(len(self.loads), 1), 2),
            "end_reasons": dict(self.reasons.most_common()),
            "crashes": self.crashes,
            "forfeits": {"ours": self.forfeits["ours"], "theirs": self.forfeits["theirs"]},
        }

    def search_ratio(self) -> float | None:
        """Search time a move of ours over theirs."""
        ours, theirs = self.costs["ours"], self.costs["theirs"]
        if not ours.moves or not theirs.search_ms:
            return None
        return ours.search_ms / ours.moves / (theirs.search_ms / theirs.moves)


def score_matches(reports: Iterable[PairReport]) -> list[MatchScore]:
    """The matches, in the order in which their first pairs ended."""
    scores: dict[tuple[str, str], MatchScore] = {}
    for report in reports:
        key = (report.opponent, report.limit)
        scores.setdefault(key, MatchScore(*key)).add(report)
    return list(scores.values())


def render_table(scores: Sequence[MatchScore]) -> str:
    """The matches as text; times are CPU ms a move, ours/theirs."""
    head = ["opponent", "limit", "games", "W-L-D", "pairs 0..2", "Elo", "", "search", "cpu"]
    rows = [[*head, "ratio", "idle", "late", "crashes", "forfeits"]]
    for score in scores:
        statistics = match_statistics(score.pentanomial)
        ours, theirs = score.costs["ours"], score.costs["theirs"]
        ratio = score.search_ratio()
        rows.append(
            [
                score.opponent,
                score.limit,
                str(statistics.games),
                f"{score.wins}-{score.losses}-{score.draws}",
                ",".join(map(str, score.pentanomial)),
                f"{statistics.elo:+.1f} ± {statistics.elo_error95:.1f}",
                statistics.flag,
                _both(ours.search_ms, theirs.search_ms, ours, theirs),
                _both(ours.cpu_ms, theirs.cpu_ms, ours, theirs),
                "-" if ratio is None else f"{ratio:.2f}",
                _both(ours.idle_ms, theirs.idle_ms, ours, theirs),
                f"{ours.late}/{theirs.late}",
                str(score.crashes),
                f"{score.forfeits['ours']}/{score.forfeits['theirs']}",
            ]
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join(lines)


def _both(ours_ms: float, theirs_ms: float, ours: SideCost, theirs: SideCost) -> str:
    return f"{ours_ms / max(ours.moves, 1):.1f}/{theirs_ms / max(theirs.moves, 1):.1f}"


def _per_move(cost: SideCost) -> dict[str, float]:
    moves = max(cost.moves, 1)
    return {
        "moves": cost.moves,
        "search_ms": round(cost.search_ms / moves, 2),
        "cpu_ms": round(cost.cpu_ms / moves, 2),
        "wall_ms": round(cost.wall_ms / moves, 2),
        "idle_ms": round(cost.idle_ms / moves, 2),
        "late": cost.late,
    }


def _rounded(value: float | None, digits: int = 1) -> float | None:
    return None if value is None else round(value, digits)
