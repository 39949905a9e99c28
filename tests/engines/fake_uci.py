"""A UCI engine that misbehaves as its arguments say. It knows no chess: it moves its knights to and
fro, or answers from a file of moves.

Each argument is KEY or KEY=VALUE:

    hang=COMMAND      never answer this command (uci, isready, ucinewgame, go, stop)
    sleep=COMMAND:S   answer it S seconds later; during go, stop is obeyed unless hang=stop
    crash=PLY         die of SIGSEGV at that ply; exit=PLY: with exit code 3, after a last word
    die=COMMAND       exit with code 4 at this command
    answer=TEXT       what follows bestmove; twice: say it twice
    again=N           first say the answer of the move before, N times
    spill=BYTES       print as many before bestmove
    say=TEXT          lines before bestmove, separated by |
    flood=COMMAND     print lines for ever; line=COMMAND: one line without end
    stderr            write to standard error for ever, in a thread
    deaf=COMMAND      read nothing more after this command
    child=FILE        leave a process behind that ignores signals; its number goes to FILE
    escaped=FILE      the same in a session of its own, by a process that ends at once
    stubborn          ignore quit, the end of the input, SIGINT and SIGTERM
    closed=COMMAND    close standard output at this command
    options=FILE      lines to print before uciok
    moves=FILE        a game; the answer is its move for the ply
    log=FILE          keep all commands there
"""

import os
import select
import signal
import subprocess
import sys
import threading
import time

KNIGHTS = ("g1f3", "g8f6", "f3g1", "f6g8")
ARGUMENTS = dict(word.partition("=")[::2] for word in sys.argv[1:])


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Input:
    """Lines of standard input, which can be waited for with a time limit."""

    def __init__(self) -> None:
        self.data = b""

    def line(self, seconds: float | None = None) -> str | None:
        """The next line; None when none comes in time. The end of the input is ``quit``."""
        while b"\n" not in self.data:
            if not select.select([0], [], [], seconds)[0]:
                return None
            chunk = os.read(0, 65536)
            if not chunk:
                return "quit"
            self.data += chunk
        line, _, self.data = self.data.partition(b"\n")
        text = line.decode()
        if "log" in ARGUMENTS:
            with open(ARGUMENTS["log"], "a") as file:
                file.write(text + "\n")
        return text


def write_stderr() -> None:
    while True:
        os.write(2, b"noise\n" * 1000)


def misbehave(command: str) -> None:
    """What the arguments want at any command."""
    for key, value in ARGUMENTS.items():
        if value != command:
            continue
        if key == "die":
            os._exit(4)
        if key == "closed":
            os.close(1)
            time.sleep(600)
        while key == "flood":
            os.write(1, b"info depth 1 score cp 1 nodes 1\n" * 2000)
        while key == "line":
            os.write(1, b"info string " + b"x" * 60000)
        while key in ("deaf", "hang"):
            time.sleep(1)


def go(lines: Input, ply: int) -> None:
    if ARGUMENTS.get("crash") == str(ply):
        os.kill(os.getpid(), signal.SIGSEGV)
    if ARGUMENTS.get("exit") == str(ply):
        os.write(2, b"first\nout of luck\n\n")
        os._exit(3)
    if "moves" in ARGUMENTS:
        with open(ARGUMENTS["moves"]) as file:
            move = file.read().split()[ply]
    else:
        move = KNIGHTS[ply % 4]
    command, _, seconds = ARGUMENTS.get("sleep", "").partition(":")
    if command == "go":
        while lines.line(float(seconds)) not in (None, "stop"):
            pass
    for text in ARGUMENTS.get("say", "info depth 3 score cp 25 nodes 100 time 1").split("|"):
        say(text)
    for _ in range(int(ARGUMENTS.get("again", 0)) if ply else 0):
        say(f"bestmove {KNIGHTS[(ply - 1) % 4]}")
    for _ in range(int(ARGUMENTS.get("spill", 0)) // 60):
        sys.stdout.write(f"info string {'x' * 47}\n")
    for _ in range(2 if "twice" in ARGUMENTS else 1):
        say(f"bestmove {ARGUMENTS.get('answer', move)}")


def main() -> None:
    if "stubborn" in ARGUMENTS:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "stderr" in ARGUMENTS:
        threading.Thread(target=write_stderr, daemon=True).start()
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    if "child" in ARGUMENTS:
        child = subprocess.Popen([sys.executable, "-S", "-c", code])
        with open(ARGUMENTS["child"], "w") as file:
            file.write(str(child.pid))
    if "escaped" in ARGUMENTS and os.fork() == 0:
        child = subprocess.Popen([sys.executable, "-S", "-c", code], start_new_session=True)
        with open(ARGUMENTS["escaped"], "a") as file:
            file.write(f"{child.pid}\n")
        os._exit(0)
    if "stubborn" in ARGUMENTS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    lines, ply = Input(), 0
    delayed, _, seconds = ARGUMENTS.get("sleep", "").partition(":")
    while True:
        line = lines.line() or ""
        command = line.partition(" ")[0]
        if command == "quit":
            while "stubborn" in ARGUMENTS:
                time.sleep(1)
            return
        misbehave(command)
        if command == delayed and command != "go":
            time.sleep(float(seconds))
        if command == "uci":
            say("id name Fake 1.0\nid author nobody")
            if "options" in ARGUMENTS:
                with open(ARGUMENTS["options"]) as file:
                    say(file.read().rstrip("\n"))
            say("uciok")
        elif command == "isready":
            say("readyok")
        elif command == "position":
            ply = len(line.partition(" moves ")[2].split())
        elif command == "go":
            go(lines, ply)


main()
