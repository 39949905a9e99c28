"""Control: stop, isready during a search, ucinewgame, the end, and one answer a search."""

from __future__ import annotations

import time

from engines.external.observed import observe
from toolkit.compliance.conversation import MIDDLEGAME, START, Conversation
from toolkit.compliance.finding import CheckVerdict, fail, ok, warn

_SEARCHES_S = 0.3


def check_stop(talk: Conversation) -> CheckVerdict:
    """``go infinite`` goes on until ``stop``, which is answered at once, however soon it comes."""
    talk.sync(talk.position(MIDDLEGAME))
    talk.say("go infinite")
    if talk.hears("bestmove", _SEARCHES_S) is not None:
        return warn("answers `go infinite` before `stop`", "analysis in a GUI ends early")
    ms = _stopped(talk, "stop")
    if ms is None:
        raise talk.failure("does not answer `stop`")
    talk.sync(talk.position(MIDDLEGAME))
    soon_ms = _stopped(talk, "go infinite\nstop")
    if soon_ms is None:
        talk.close()
        return warn(
            "misses a `stop` that comes right after `go`",
            "events do not stop so soon; other programs may wait for ever",
        )
    ms = max(ms, soon_ms)
    talk.sync()
    asked_for = talk.extra_answers
    if "bestmove" in talk.sync("stop"):
        talk.extra_answers = asked_for  # this is where it counts
        return warn("answers `stop` without a search", "a runner may take it for the next move")
    detail = f"answers after {ms:.0f} ms"
    if ms > 1000 * talk.pace.stop_s:
        return fail(detail, f"events wait {talk.pace.stop_s:g} s, then kill it; that game is lost")
    if ms > talk.pace.soon_ms:
        return warn(detail, "an engine past its time is that late")
    return ok(detail)


def _stopped(talk: Conversation, commands: str) -> float | None:
    """How long it takes to answer, in milliseconds; None if it does not."""
    begin = time.perf_counter()
    talk.say(commands)
    if talk.hears("bestmove", talk.pace.search_s) is None:
        return None
    return (time.perf_counter() - begin) * 1000


def check_isready(talk: Conversation) -> CheckVerdict:
    """``isready`` is answered during a search, which goes on."""
    meaning = "events never ask during a search; programs that do take it for hung"
    talk.sync(talk.position(MIDDLEGAME))
    talk.say("go infinite")
    if talk.hears("bestmove", _SEARCHES_S / 3) is not None:
        return ok("not tested: no search goes on until `stop`")
    begin = time.perf_counter()
    talk.say("isready")
    answer = talk.hears("readyok", talk.pace.ready_s)
    ms = (time.perf_counter() - begin) * 1000
    talk.close()
    if answer is None:
        return warn(f"no `readyok` within {talk.pace.ready_s:g} s of a search", meaning)
    if any(line.startswith("bestmove") for line in answer.splitlines()):
        return warn("`isready` ends the search", meaning)
    return ok(f"answered after {ms:.0f} ms")


def check_new_game(talk: Conversation) -> CheckVerdict:
    """``ucinewgame`` is carried out soon, again and again, and is not needed before a move."""
    talk.fresh()
    talk.search(START, (), "depth 1", talk.pace.search_s, keep=False)
    begin = time.perf_counter()
    for _ in range(3):
        talk.new_game()
    ms = (time.perf_counter() - begin) * 1000 / 3
    talk.quick(START)
    if ms > talk.pace.new_game_ms:
        return warn(f"takes {ms:.0f} ms", "each game begins with it")
    return ok(f"takes {ms:.1f} ms")


def check_one_answer(talk: Conversation) -> CheckVerdict:
    """Each ``go`` got one ``bestmove``; judges all that was said before."""
    talk.sync()
    if talk.extra_answers:
        return fail(
            f"{talk.extra_answers} `bestmove` lines that no `go` asked for",
            "one of them may be taken for the answer to the next search",
        )
    return ok(f"{len(talk.searches)} searches")


def check_quit(talk: Conversation) -> CheckVerdict:
    """``quit`` ends it, even during a search, and nothing stays behind."""
    for during in ("", " during a search"):
        process = talk.fresh()
        if during:
            talk.say(f"{talk.position(MIDDLEGAME)}\ngo infinite")
            time.sleep(_SEARCHES_S / 3)
        talk.say("quit")
        if not process.ends_within(talk.pace.quit_s):
            talk.close()
            return warn(
                f"does not end within {talk.pace.quit_s:g} s of `quit`{during}",
                "it is killed, which costs that time at the end of each worker",
            )
        left = observe(process)
        talk.close()
        if left:
            return warn(
                f"leaves {left.processes} processes behind after `quit`{during}",
                "events kill them; other programs may not",
            )
        if process.exit_code:
            return warn(
                f"ends with exit code {process.exit_code} after `quit`{during}",
                "other programs may report a crash",
            )
    return ok("ends at once, also during a search")


def check_end_of_input(talk: Conversation) -> CheckVerdict:
    """It ends when its input does."""
    process = talk.fresh()
    process.end_input()
    ended = process.ends_within(talk.pace.end_of_input_s)
    talk.close()
    if not ended:
        return warn(
            f"runs on {talk.pace.end_of_input_s:g} s after the end of its input",
            "where a program that started it dies, it stays; events of ours kill it",
        )
    return ok("ends")
