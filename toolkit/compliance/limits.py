"""Limits: nodes, depth, time a move, and a clock."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.compliance.conversation import MIDDLEGAME, START, AskedSearch, Conversation
from toolkit.compliance.finding import CheckVerdict, fail, ok, warn

_NODES = (1000, 20_000)
_DEPTHS = (1, 3, 5)
_TRIES = 3
_LOSES_ON_TIME = "it loses games on time; raise --time-margin"


def check_nodes(talk: Conversation) -> CheckVerdict:
    """``go nodes`` searches so many nodes, or few more."""
    told: list[str] = []
    verdict: CheckVerdict | None = None
    for most in _NODES:
        talk.new_game()
        found = talk.search(MIDDLEGAME, (), f"nodes {most}", talk.pace.search_s)
        if found.overdue:
            return fail(f"ignores `go nodes {most}`", "do not use --nodes with it")
        nodes = found.info.nodes
        if nodes is None:
            return warn("keeps it, but does not say its nodes", "nobody can check what it searches")
        told.append(f"{nodes:,} of {most:,}".replace(",", " "))
        if nodes > 10 * most:
            return fail(_joined(told), "do not use --nodes with it: it takes many more")
        if nodes < most / 10:
            return fail(_joined(told), "do not use --nodes with it: it takes far fewer")
        if nodes > 1.2 * most:
            meaning = "it gets more than its opponent: it looks at the limit too seldom"
            verdict = verdict or warn("", f"{meaning}; use a larger limit")
        elif nodes < most / 2:
            verdict = verdict or warn("", "it gets less than its opponent")
    if verdict is not None:
        return warn(_joined(told), verdict.meaning)
    return ok(_joined(told))


def check_depth(talk: Conversation) -> CheckVerdict:
    """``go depth`` searches to that depth, and no deeper."""
    reached: list[int] = []
    for depth in _DEPTHS:
        talk.new_game()
        found = talk.search(MIDDLEGAME, (), f"depth {depth}", 2 * talk.pace.search_s)
        if found.overdue:
            return fail(f"ignores `go depth {depth}`", "do not use --depth with it")
        if found.info.depth is None:
            return warn("keeps it, but does not say its depth", "reports have no depths of it")
        reached.append(found.info.depth)
    detail = f"{', '.join(map(str, reached))} of {', '.join(map(str, _DEPTHS))}"
    deeper = [asked for asked, got in zip(_DEPTHS, reached, strict=True) if got > asked]
    if deeper == [1]:
        return warn(detail, "at depth 1 it searches deeper than its opponent")
    if deeper:
        return fail(detail, "do not use --depth with it: it searches deeper")
    if tuple(reached) != _DEPTHS:
        return warn(detail, "it searches less deep than its opponent")
    return ok(detail)


def check_movetime(talk: Conversation) -> CheckVerdict:
    """``go movetime`` takes that time, and not more."""
    shown: list[str] = []
    worst: CheckVerdict | None = None
    margin_ms = talk.pace.margin_ms
    for asked in talk.pace.movetimes_ms:
        ms = _least_ms(talk, f"movetime {asked}", asked)
        if ms is None:
            return fail(f"ignores `go movetime {asked}`", "it loses every game under --movetime")
        shown.append(f"{ms:.0f} of {asked} ms")
        if ms > asked + margin_ms:
            worst = fail("", "it loses on time under --movetime; raise --time-margin")
        elif ms > asked + talk.pace.late_ms:
            worst = worst or warn("", f"it is late, within the margin of {margin_ms} ms")
        elif ms < asked / 2:
            worst = worst or warn("", "it does not use its time")
    detail = ", ".join(shown)
    return ok(detail) if worst is None else CheckVerdict(worst.status, detail, worst.meaning)


def _least_ms(talk: Conversation, limit: str, asked: float) -> float | None:
    """The time that a search takes, the best of some tries if it is late: the machine may have been
    busy. None if it had to be stopped each time."""
    patience_s = (asked + 5 * talk.pace.margin_ms) / 1000
    times: list[float] = []
    for _ in range(_TRIES):
        found = talk.search(MIDDLEGAME, (), limit, patience_s)
        if not found.overdue:
            times.append(found.elapsed_ms)
            if found.elapsed_ms <= asked + talk.pace.late_ms:
                break
    return min(times, default=None)


def check_clock(talk: Conversation) -> CheckVerdict:
    """A game against itself with a short clock, then little time, with and without more to come."""
    for _ in range(_TRIES - 1):
        game = _game_on_clock(talk)
        if game.status != "FAIL":
            break
    if game.status == "FAIL":
        return game
    for more, asked in ((" movestogo 1", 500), ("", 60)):
        limit = f"wtime {asked} btime {asked} winc 0 binc 0{more}"
        ms = _least_ms(talk, limit, asked)
        if ms is None or ms > asked + talk.pace.margin_ms:
            taken = "more" if ms is None else f"{ms:.0f} ms"
            return fail(f"takes {taken} with {asked} ms left{more}", _LOSES_ON_TIME)
    return game


def _game_on_clock(talk: Conversation) -> CheckVerdict:
    import chess

    base, increment = talk.pace.clock_ms, talk.pace.inc_ms
    left, least = [float(base)] * 2, float(base)
    board = chess.Board()
    talk.new_game()
    for ply in range(talk.pace.clock_plies):
        talk.progress(f"clock, ply {ply + 1}")
        if board.is_game_over(claim_draw=True):
            break
        found = _on_clock(talk, [move.uci() for move in board.move_stack], left, increment)
        side = ply % 2
        left[side] -= found.elapsed_ms
        least = min(least, left[side])
        if left[side] < -talk.pace.margin_ms or found.overdue:
            return fail(f"oversteps its time at ply {ply + 1}", _LOSES_ON_TIME)
        left[side] += increment
        try:
            board.push_uci(found.move)
        except ValueError:
            break  # what it moves is judged elsewhere
    played = f"{len(board.move_stack)} plies of {base / 1000:g}+{increment / 1000:g} s"
    if least < 0:
        margin_ms = talk.pace.margin_ms
        late = f"{played}, at worst {-least:.0f} ms over its time"
        return warn(late, f"it is late, within the margin of {margin_ms} ms")
    return ok(f"{played}, least time left {least:.0f} ms")


def _on_clock(
    talk: Conversation, moves: Sequence[str], left: list[float], increment: int
) -> AskedSearch:
    white, black = (max(1, int(ms)) for ms in left)
    mine = white if len(moves) % 2 == 0 else black
    return talk.search(
        START,
        moves,
        f"wtime {white} btime {black} winc {increment} binc {increment}",
        (mine + 2 * talk.pace.margin_ms) / 1000,
    )


def _joined(told: list[str]) -> str:
    return ", ".join(told)
