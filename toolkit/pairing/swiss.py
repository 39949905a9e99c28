"""Swiss system: pairing of a round by matching, and the standings.

A round pairs every player with one whom it has not met, if possible of the same score. Of all ways
to do so, the one with the least cost is taken; each line below matters only where the lines above
it are equal:

1. meetings of players who met before, and second byes of a player: none if that is possible;
2. the score of the player with the bye: the lowest;
3. the differences of score between opponents: the sum of their squares;
4. the order within a score: the upper half meets the lower half in order, as in the Dutch system.

Colours play no part, because both are played in each game pair. The costs are weights of the edges
of a graph, and the least sum is a matching of maximum weight (J. Edmonds, 1965; networkx).

A meeting is worth one point: 1 for the player with more points in its games, ½ if they are level. A
bye is worth 1. Tie-breaks: *Buchholz*, the sum of the points of the opponents; *Sonneborn-Berger*,
the same with each opponent's points times the points won against it. For both, a bye is an opponent
with as many points as the player itself (FIDE Handbook C.07, 2023, article 16.4).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from toolkit.pairing.rounds import Meeting, PlayedRound, Round

WIN, LEVEL = 2, 1
"""Half points of a meeting; a bye is a win."""
_ALL_EDGES = 64
"""Players; of more, each is first connected only to its neighbours in the standings."""


class SwissStanding(Struct, frozen=True):
    """A player's line of the standings."""

    place: int
    """From 1; players that are equal in everything share one."""
    player: int
    half_points: int
    """Of its meetings and byes."""
    buchholz: float
    sonneborn_berger: float
    game_half_points: int
    games: int


class _Card(Struct):
    """What a player has done."""

    half_points: int = 0
    game_half_points: int = 0
    games: int = 0
    byes: int = 0
    met: list[tuple[int, int]] = []
    """Opponents with the half points of the meeting."""


class SwissPairer:
    """The rounds of a Swiss tournament."""

    one_round = False

    def __init__(self, players: int, rounds: int, pairs: int) -> None:
        """Players are positions from 0; the lower one is listed first among equals."""
        self._players, self._rounds, self._pairs = players, rounds, pairs
        self.most_pairs = rounds * pairs * (players // 2)
        self.book_step = pairs

    def next_round(self, rounds: Sequence[PlayedRound]) -> Round | None:
        """The next pairings, the best scores first."""
        if len(rounds) >= self._rounds:
            return None
        cards = _cards(self._players, rounds)
        order = sorted(
            range(self._players), key=lambda player: (-cards[player].half_points, player)
        )
        place = {player: at for at, player in enumerate(order)}
        number = sum(len(played.round.meetings) for played in rounds)
        places = pair_swiss(
            [cards[player].half_points for player in order],
            {
                frozenset((at, place[other]))
                for at, player in enumerate(order)
                for other, _ in cards[player].met
            },
            [cards[player].byes for player in order],
        )
        meetings: list[Meeting] = []
        byes: list[int] = []
        for one, other in places:
            if other is None:
                byes.append(order[one])
                continue
            first, second = sorted((order[one], order[other]))
            meetings.append(Meeting(number + len(meetings), first, second, 0, self._pairs))
        return Round(
            title=f"round {len(rounds) + 1} of {self._rounds}",
            meetings=tuple(meetings),
            byes=tuple(byes),
            expected_pairs=self.most_pairs,
        )


def pair_swiss(
    scores: Sequence[int], met: set[frozenset[int]], byes: Sequence[int]
) -> list[tuple[int, int | None]]:
    """Pair players, who are places in the standings from 0, the best first.

    ``scores``: half points, descending; ``met``: who met before; ``byes``: had by each. Returns
    opponents with the better one first, in order; the one with the bye has None.
    """
    import networkx

    costs = _Costs(scores, met, byes)
    size = costs.nodes
    reach = size if size <= _ALL_EDGES else _ALL_EDGES // 2
    while True:
        graph: networkx.Graph[int] = networkx.Graph()
        graph.add_nodes_from(range(size))
        for one in range(size):
            # The node behind the last player is the bye, and anybody may have to take it.
            near = [*range(one + 1, min(one + reach + 1, size)), size - 1]
            for other in near:
                if one < other and (costs.fresh(one, other) or reach >= size):
                    graph.add_edge(one, other, weight=costs.most - costs.of(one, other))
        found = networkx.max_weight_matching(graph, maxcardinality=True)
        if 2 * len(found) == size:
            break
        reach *= 2  # so sparse a graph cannot pair everybody
    pairs = sorted((min(edge), max(edge)) for edge in found)
    return [(one, None if other == len(scores) else other) for one, other in pairs]


class _Costs:
    """The costs of two players meeting, or of a player having the bye."""

    def __init__(
        self, scores: Sequence[int], met: set[frozenset[int]], byes: Sequence[int]
    ) -> None:
        self._scores, self._met, self._byes = scores, met, byes
        players = len(scores)
        self.nodes = players + players % 2
        """Players, and the bye if their number is odd."""
        self._groups = {score: scores.index(score) for score in scores}
        self._sizes = {score: scores.count(score) for score in self._groups}
        # One step of a line is worth more than all that the lines below can add up to.
        spread = scores[0] - scores[-1]
        self._by_difference = self.nodes**3 + 1
        self._by_bye = self._by_difference * (self.nodes * spread**2 + 1)
        self._by_rematch = self._by_bye * (spread + 1) * self.nodes
        self.most = self._by_rematch * self.nodes * (max(byes) + 2)

    def fresh(self, one: int, other: int) -> bool:
        """Whether they have not met, or the one had no bye."""
        return not self._again(one, other)

    def of(self, one: int, other: int) -> int:
        """The cost of a meeting; ``one`` is the lower place."""
        cost = self._by_rematch * self._again(one, other)
        if other == len(self._scores):
            # Among equals the last one has the bye.
            order = other - 1 - one
            return cost + self._by_bye * (self._scores[one] - self._scores[-1]) + order**2
        score, lower = self._scores[one], self._scores[other]
        cost += self._by_difference * (score - lower) ** 2
        if score != lower:  # the last of the upper ones meets the first of the lower ones
            return cost + (other - one - 1) ** 2
        return cost + (other - one - self._sizes[score] // 2) ** 2

    def _again(self, one: int, other: int) -> int:
        if other == len(self._scores):
            return self._byes[one]
        return int(frozenset((one, other)) in self._met)


def swiss_standings(players: int, rounds: Sequence[PlayedRound]) -> list[SwissStanding]:
    """The standings after complete rounds: by points, then the tie-breaks, then points in games."""
    cards = _cards(players, rounds)
    lines = []
    for player, card in enumerate(cards):
        opponents = [(cards[other].half_points, half) for other, half in card.met]
        opponents += [(card.half_points, WIN)] * card.byes
        lines.append(
            SwissStanding(
                place=0,
                player=player,
                half_points=card.half_points,
                buchholz=sum(points for points, _ in opponents) / 2,
                sonneborn_berger=sum(points * half for points, half in opponents) / 4,
                game_half_points=card.game_half_points,
                games=card.games,
            )
        )
    keys = [_key(line) for line in lines]
    above = {key: sum(other < key for other in keys) for key in keys}
    placed = [
        SwissStanding(
            above[_key(line)] + 1,
            *(line.player, line.half_points, line.buchholz, line.sonneborn_berger),
            *(line.game_half_points, line.games),
        )
        for line in lines
    ]
    return sorted(placed, key=lambda line: (line.place, line.player))


def _key(line: SwissStanding) -> tuple[float, ...]:
    games = line.game_half_points
    return -line.half_points, -line.buchholz, -line.sonneborn_berger, -games


def _cards(players: int, rounds: Sequence[PlayedRound]) -> list[_Card]:
    cards = [_Card() for _ in range(players)]
    for played in rounds:
        for player in played.round.byes:
            cards[player].byes += 1
            cards[player].half_points += WIN
        for meeting in played.round.meetings:
            points = played.half_points(meeting)
            for own, player, other in (
                (0, meeting.first, meeting.second),
                (1, meeting.second, meeting.first),
            ):
                mine, theirs = points[own], points[1 - own]
                half = WIN if mine > theirs else LEVEL if mine == theirs else 0
                card = cards[player]
                card.half_points += half
                card.game_half_points += mine
                card.games += 2 * len(played.points(meeting))
                card.met.append((other, half))
    return cards
