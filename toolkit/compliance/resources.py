"""What it costs and whether it repeats itself: idle CPU, threads, equal games."""

from __future__ import annotations

import time

from engines.external.observed import observe
from engines.spec import THREADS
from toolkit.base.format import count_of
from toolkit.compliance.conversation import MIDDLEGAME, START, AskedSearch, Conversation
from toolkit.compliance.finding import CheckVerdict, fail, ok, warn

_NODES = "nodes 3000"
_DEPTH = "depth 5"
"""For engines that do not keep to nodes."""
_PLIES = 8
_A_LITTLE = 0.03
_MUCH = 0.3
"""Shares of a core while idle."""
_MORE_CORES = 0.3


def check_idle(talk: Conversation) -> CheckVerdict:
    """It uses no CPU before its first search, nor while its opponent thinks."""
    shares: list[float] = []
    talk.fresh()
    for searched in (False, True):
        if searched:
            talk.search(MIDDLEGAME, (), "depth 6", talk.pace.search_s, keep=False)
        talk.progress("watching it idle")
        share = _share(talk, talk.pace.idle_s)
        if share is None:
            return ok("cannot be seen on this system")
        shares.append(share)
    detail = f"{100 * shares[0]:.1f} % of a core at first, {100 * shares[1]:.1f} % out of turn"
    if max(shares) > _MUCH:
        return fail(detail, "it takes CPU time from its opponent and from other games")
    if max(shares) > _A_LITTLE:
        return warn(detail, "it takes some CPU time from its opponent")
    return ok(detail)


def check_threads(talk: Conversation) -> CheckVerdict:
    """It uses as many cores as its option says, one where it has none."""
    option = next(
        (o for o in talk.announced.options.values() if o.name.casefold() in THREADS), None
    )
    told = None if option is None else dict(talk.engine.options).get(option.name, option.default)
    wanted = int(told) if told and told.isdecimal() else 1
    talk.fresh()
    talk.sync(talk.position(MIDDLEGAME))
    talk.say("go infinite")
    talk.progress("watching it search")
    share = _share(talk, talk.pace.busy_s)
    seen = observe(talk.process)
    talk.close()
    if share is None or seen is None:
        return ok("cannot be seen on this system")
    detail = (
        f"used {share:.1f} of {count_of(wanted, 'core')} in a search, "
        f"with {count_of(seen.threads, 'thread')}"
    )
    if seen.processes > 1:
        detail += f" in {seen.processes} processes"
    if share > wanted + _MORE_CORES:
        return fail(detail, "more than it says: games side by side disturb each other")
    if wanted > 1:
        name = option.name if option else ""
        return warn(
            f"plays with {name}={wanted}; {detail}",
            f"a game needs {wanted} cores, and the same event gives other games under any limit; "
            f"set {name}=1 to avoid both",
        )
    if seen.processes > 1:
        return warn(detail, "CPU time a move is that of the first process alone")
    return ok(detail)


def check_repeats(talk: Conversation) -> CheckVerdict:
    """A game under a limit of nodes is the same again: after ``ucinewgame``, and in a new
    process."""
    talk.fresh()
    limit = _NODES
    if talk.search(MIDDLEGAME, (), limit, talk.pace.search_s, keep=False).overdue:
        limit = _DEPTH
    talk.fresh()
    first = _game(talk, limit)
    again = _game(talk, limit)
    talk.fresh()
    anew = _game(talk, limit)
    what = f"{_PLIES} plies of {limit.replace(' ', ' ')}"
    if first == again == anew:
        return ok(f"{what}: equal moves and nodes")
    if first == anew:
        return warn(
            f"{what}: equal in a new process, not after `ucinewgame`",
            "it remembers earlier games: give it restart=on to repeat games",
        )
    moves = [[one[0] for one in game] for game in (first, again, anew)]
    kind = "equal moves, other nodes" if moves[0] == moves[1] == moves[2] else "other moves"
    return warn(f"{what}: {kind}", "the same event, or `mtdf game --replay`, gives other games")


def _game(talk: Conversation, limit: str) -> list[tuple[str, int | None]]:
    """Moves and nodes of a game against itself."""
    import chess

    talk.new_game()
    board, told = chess.Board(), []
    for _ in range(_PLIES):
        moves = [move.uci() for move in board.move_stack]
        found: AskedSearch = talk.search(START, moves, limit, 2 * talk.pace.search_s, keep=False)
        told.append((found.move, found.info.nodes))
        try:
            board.push_uci(found.move)
        except ValueError:
            break  # what it moves is judged elsewhere
    return told


def _share(talk: Conversation, seconds: float) -> float | None:
    """Of a core that it uses for so long; None where that cannot be seen."""
    before, begin = observe(talk.process), time.perf_counter()
    time.sleep(seconds)
    after, wall_s = observe(talk.process), time.perf_counter() - begin
    if before is None or after is None:
        return None
    return max(0.0, after.cpu_s - before.cpu_s) / wall_s
