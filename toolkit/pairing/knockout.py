"""Knockout: the bracket, its matches, and the places.

The standard bracket: the best two seeds can meet only in the final, the best four only in the
semi-finals, and so on. Where the number of players is not a power of two, the best seeds have a bye
in the first round. A tied match continues with sudden death: one more pair at a time until it is
decided; after the limit the better seed wins.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from toolkit.pairing.rounds import Meeting, PlayedRound, Round


class Match(Struct, frozen=True):
    """A match of the bracket, as it stands."""

    pairing: int
    better: int
    """Position of the better seed."""
    worse: int
    pairs: int
    """Pairs that were to be played in complete rounds."""
    half_points: tuple[int, int]
    """Of the better seed and of the other."""
    winner: int | None
    """None until it is decided."""
    by_seed: bool = False
    """Whether it was still tied after all extra pairs."""

    @property
    def loser(self) -> int | None:
        """The player that is out."""
        if self.winner is None:
            return None
        return self.worse if self.winner == self.better else self.better


class KnockoutStage(Struct, frozen=True):
    """All matches between as many players."""

    title: str
    matches: tuple[Match, ...]
    byes: tuple[int, ...]
    """Positions of those who go on without a match, only in the first stage."""


def bracket_order(size: int) -> list[int]:
    """Seeds from 0 in the order of the bracket's slots; neighbours meet. ``size`` is a power of
    two."""
    order = [0]
    while len(order) < size:
        both = 2 * len(order) - 1
        order = [seed for one in order for seed in (one, both - one)]
    return order


def stage_title(players: int) -> str:
    """The name of the stage between as many players."""
    return {2: "final", 4: "semi-finals", 8: "quarter-finals"}.get(players, f"round of {players}")


class KnockoutPairer:
    """The rounds of a knockout: its stages, each followed by its extra pairs."""

    one_round = False

    def __init__(self, seeds: Sequence[int], pairs: int, extra_pairs: int) -> None:
        """``seeds``: positions of the players, the best seed first."""
        self._seeds = seeds
        self._rank = {player: rank for rank, player in enumerate(seeds)}
        self._pairs, self._extra = pairs, extra_pairs
        self.most_pairs = (pairs + extra_pairs) * (len(seeds) - 1)
        self.book_step = pairs + extra_pairs

    def next_round(self, rounds: Sequence[PlayedRound]) -> Round | None:
        """The undecided matches of the last stage, with all their pairs or one more."""
        stage = self.stages(rounds)[-1]
        left = [match for match in stage.matches if match.winner is None]
        if not left:
            return None
        extra = max(match.pairs - self._pairs for match in left) + 1
        title = stage.title if extra <= 0 else f"{stage.title}, extra pair {extra}"
        done = sum(played.round.pairs for played in rounds)
        decided = sum(match.pairs > 0 for stage in self.stages(rounds) for match in stage.matches)
        to_come = self._pairs * (len(self._seeds) - 1 - decided)
        return Round(
            title=title,
            meetings=tuple(self._meeting(match) for match in left),
            byes=() if rounds else stage.byes,
            expected_pairs=done + to_come + (len(left) if extra > 0 else 0),
        )

    def stages(self, rounds: Sequence[PlayedRound]) -> list[KnockoutStage]:
        """The bracket as far as it is known; an undecided match is only in the last stage."""
        size = 1 << (len(self._seeds) - 1).bit_length()
        places: list[int | None] = [
            self._seeds[seed] if seed < len(self._seeds) else None for seed in bracket_order(size)
        ]
        stages: list[KnockoutStage] = []
        number = 0
        while True:
            matches: list[Match] = []
            byes: list[int] = []
            going_on: list[int | None] = []
            for one, two in zip(places[::2], places[1::2], strict=True):
                if one is None or two is None:
                    alone = two if one is None else one
                    assert alone is not None  # the best half of the seeds has no empty slot
                    byes.append(alone)
                    going_on.append(alone)
                    continue
                match = self._match(number, one, two, rounds)
                number += 1
                matches.append(match)
                going_on.append(match.winner)
            stages.append(KnockoutStage(stage_title(len(places)), tuple(matches), tuple(byes)))
            if len(places) == 2 or any(match.winner is None for match in matches):
                return stages
            places = going_on

    def _match(self, pairing: int, one: int, two: int, rounds: Sequence[PlayedRound]) -> Match:
        better, worse = sorted((one, two), key=lambda player: self._rank[player])
        pairs, points = 0, [0, 0]
        for played in rounds:
            for meeting in played.round.meetings:
                if meeting.pairing == pairing:
                    pairs += meeting.pairs
                    of_first, of_second = played.half_points(meeting)
                    points[0] += of_first if meeting.first == better else of_second
                    points[1] += of_second if meeting.first == better else of_first
        winner: int | None = None
        exhausted = pairs >= self._pairs + self._extra
        if pairs and points[0] != points[1]:
            winner = better if points[0] > points[1] else worse
        elif exhausted:
            winner = better
        by_seed = exhausted and points[0] == points[1]
        return Match(pairing, better, worse, pairs, (points[0], points[1]), winner, by_seed)

    def _meeting(self, match: Match) -> Meeting:
        first, second = sorted((match.better, match.worse))
        pairs = 1 if match.pairs else self._pairs
        return Meeting(match.pairing, first, second, match.pairs, pairs)


def knockout_places(stages: Sequence[KnockoutStage]) -> dict[int, int]:
    """The places of the players that are out, and of the winner. Losers of one stage share a
    place."""
    places: dict[int, int] = {}
    for stage in stages:
        left = 2 * len(stage.matches) + len(stage.byes)
        for match in stage.matches:
            if match.loser is not None:
                places[match.loser] = left - len(stage.matches) + 1
    final = stages[-1].matches[-1]
    if len(stages[-1].matches) == 1 and not stages[-1].byes and final.winner is not None:
        places[final.winner] = 1
    return places
