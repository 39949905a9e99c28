"""Searches of a suite, by workers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from engines.errors import EngineError, EngineFailure
from engines.external.player import UciPlayer
from engines.external.process import bury_strays, end_all
from engines.external.protocol import main_lines
from engines.external.sweep import adopt_orphans, kill_orphans
from engines.limit import Limit
from engines.players import make_player
from engines.rules.catalog import rules_of
from engines.spec import Engine, MoveReport, Player, Searcher, SearchResult
from toolkit.base.version import Provenance, check_program, this_program
from toolkit.lab.searches import Refused
from toolkit.referee.clock import GameClock
from toolkit.runs.executor import Executor, Work
from toolkit.runs.jobs import Jobs, make_executor
from toolkit.runs.pool import at_end_of_worker, is_worker
from toolkit.suites.scoring import Step

MARGIN_MS = 10_000
"""How long an engine may search beyond its time before it has hung: a suite forfeits nothing."""
PATIENCE_MS = 600_000
"""How long it may search under a limit of nodes or depth."""
_KEPT = 4
"""Engines that a worker keeps alive."""


@dataclass(frozen=True, slots=True)
class SuiteTask:
    """A position for an engine."""

    engine: int
    position: int
    player: Engine
    limit: Limit
    fen: str

    def __str__(self) -> str:
        return f"searching {self.fen} by {self.player.label}"


@dataclass(frozen=True, slots=True)
class SuiteSearch:
    """What an engine found."""

    steps: tuple[Step, ...]
    """At least one; the last one has the move that it chose."""
    passes: int
    cpu_us: int


SuiteAnswer = SuiteSearch | Refused


def suite_pool(jobs: Jobs, *, game: str, sweeps: bool) -> Executor[SuiteTask, SuiteAnswer]:
    """Workers that search suites of one game. ``sweeps``: some engines are external, and leave
    nothing behind."""
    fitted = partial(_searching_there, this_program(game))
    return make_executor(_searching, jobs, fitted=fitted, tidy=kill_orphans if sweeps else None)


def _searching_there(wanted: Provenance, slots: int) -> Work[SuiteTask, SuiteAnswer]:
    """What a machine of a cluster does. Raises EngineProblem if its program is another one."""
    check_program(wanted)
    return _searching


def _searching() -> _Searching:
    if is_worker():
        adopt_orphans()
        at_end_of_worker(end_all)
    return _Searching()


class _Searching:
    """Searches in a worker, which keeps the engines that it needed last."""

    def __init__(self) -> None:
        self._alive: OrderedDict[str, Player] = OrderedDict()

    def __call__(self, task: SuiteTask) -> SuiteAnswer:
        try:
            return search_position(self._player(task.player), task)
        except (EngineError, MemoryError) as error:
            return Refused.by(error)
        finally:
            bury_strays()

    def _player(self, engine: Engine) -> Player:
        identity = engine.identity
        if identity not in self._alive:
            while len(self._alive) >= _KEPT:
                self._alive.popitem(last=False)[1].close()
            self._alive[identity] = make_player(engine)
        self._alive.move_to_end(identity)
        return self._alive[identity]


def search_position(player: Player, task: SuiteTask) -> SuiteSearch:
    """Search from an empty memory, as on the first move of a game. Raises EngineError."""
    player.new_game()
    player.set_position(task.fen)
    clock = GameClock(task.limit, task.limit, MARGIN_MS, PATIENCE_MS)
    limit = clock.search_limit(True)
    if isinstance(player, UciPlayer):
        found = _told_by_uci(player, player.go(limit))
        move, rules = found.steps[-1].move, rules_of(player.engine.game)
        if not rules.board(task.fen).push(rules.move_code(move)):
            raise EngineFailure(f"`{player.engine.label}` answered {move}, which is illegal")
        return found
    return _told_by_searcher(cast("Searcher", player).search(limit))


def _told_by_uci(player: UciPlayer, report: MoveReport) -> SuiteSearch:
    """Of several lines of one depth the last one counts. Nodes and time that it does not print are
    those of the whole search."""
    steps: dict[int, Step] = {}
    for info, first in main_lines(player.output):
        if info.depth is not None:
            nodes = report.nodes or 0 if info.nodes is None else info.nodes
            wall_us = report.time_us if info.time_ms is None else 1000 * info.time_ms
            steps[info.depth] = Step(info.depth, info.value, first, nodes, wall_us)
    found = sorted(steps.values(), key=lambda one: one.depth)
    last = Step(
        depth=found[-1].depth if found else report.depth or 0,
        value=report.value,
        move=rules_of(player.engine.game).move_name(report.move),
        nodes=max([report.nodes or 0, *(one.nodes for one in found)]),
        wall_us=max([report.time_us, *(one.wall_us for one in found)]),
    )
    return SuiteSearch(_with_last(found, last), 0, report.cpu_us)


def _told_by_searcher(result: SearchResult) -> SuiteSearch:
    nodes, wall_us, steps = 0, 0, []
    for one in result.iterations:
        nodes, wall_us = nodes + one.nodes, wall_us + one.time_us
        if one.finished:
            steps.append(Step(one.depth, one.value, one.move, nodes, wall_us))
    last = Step(result.depth, result.value, result.move or "", result.nodes, result.time_us)
    return SuiteSearch(_with_last(steps, last), result.passes, result.cpu_us)


def _with_last(steps: Sequence[Step], last: Step) -> tuple[Step, ...]:
    """The reports with the move that was chosen in the end, unless the last report has it."""
    told = steps[-1] if steps else None
    known = told is not None and (told.move, told.nodes) == (last.move, last.nodes)
    return (*steps,) if known else (*steps, last)
