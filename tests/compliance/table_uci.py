"""A UCI engine that knows no chess and keeps all rules of the protocol, but for one fault.

    table_uci.py TABLE [FAULT]

TABLE is a JSON object of position commands, each with a move and a score. In all other positions it
moves its knights to and fro. The faults are the names below in ``fault == ...``.
"""

import json
import os
import select
import subprocess
import sys
import threading
import time

KNIGHTS = ("g1f3", "g8f6", "f3g1", "f6g8")
with open(sys.argv[1]) as file:
    TABLE = json.load(file)
fault = sys.argv[2] if len(sys.argv) > 2 else ""
data = b""
games = 0


def say(text):
    os.write(1, text.encode() + b"\n")


def line(seconds=None):
    """The next line of the input; None if none comes in time."""
    global data
    while b"\n" not in data:
        if not select.select([0], [], [], seconds)[0]:
            return None
        chunk = os.read(0, 65536)
        if not chunk:
            while fault == "immortal":
                time.sleep(1)
            sys.exit(0)
        data += chunk
    text, _, data = data.partition(b"\n")
    return text.decode()


def wait(seconds):
    """Wait for ``stop``; True if the program shall end."""
    end = None if seconds is None else time.monotonic() + seconds
    while True:
        command = line(None if end is None else max(0.0, end - time.monotonic()))
        if command is None:
            return False
        if command == "stop" and fault != "no stop":
            return False
        if command == "quit":
            return True
        if command == "isready" and fault != "deaf while it searches":
            say("readyok")


def search(position, words):
    """Answer a ``go``; True if the program shall end."""
    limit = {a: int(b) for a, b in zip(words, words[1:], strict=False) if b.isdigit()}
    moves = position.partition(" moves ")[2].split()
    move, score = TABLE.get(position, (KNIGHTS[len(moves) % 4], "cp 10"))
    black = (" b " in position) != (len(moves) % 2 == 1)
    depth, nodes, seconds = limit.get("depth", 3), limit.get("nodes", 100), 0.0
    if "infinite" in words and fault != "answers go infinite":
        seconds = None
    elif "movetime" in limit:
        seconds = limit["movetime"] / 1000
    if fault == "illegal promotion" and move == "a7a8n":
        move = "a7a8"
    if fault == "long games" and len(moves) > 500:
        os._exit(3)
    if fault == "silent when mated" and position in TABLE and score == "mate 0":
        return wait(None)
    if fault == "mates in centipawns":
        score = score.replace("mate 1", "cp 29999")
    if fault == "mates for the other side":
        score = score.replace("mate -1", "mate 1")
    if fault == "scores of White" and black and score.startswith("cp"):
        score = f"cp {-int(score.split()[1])}"
    if fault == "no nodes limit" and "nodes" in limit:
        seconds = None
    if fault == "many nodes" and "nodes" in limit:
        nodes *= 30
    if fault == "few nodes" and "nodes" in limit:
        nodes = 7
    if fault == "deeper" or (fault == "deeper at depth 1" and depth == 1):
        depth += 1
    if fault == "no depth limit" and "depth" in limit:
        seconds = None
    if fault == "no movetime" and "movetime" in limit:
        seconds = 30
    if fault == "early" and "movetime" in limit:
        seconds = 0
    if fault == "slow on the clock" and "wtime" in limit:
        seconds = limit["wtime"] / 1000 + 2
    if fault == "forgets nothing" and "nodes" in limit:
        nodes += games
    if fault == "random" and "nodes" in limit:
        nodes -= time.monotonic_ns() // 1000 % 300
    if fault == "castles as in chess" and "/RK5R" in position and move[:2] in ("b1", "g1"):
        move = "e1g1"
    in_book = fault == "book" and position == "position startpos"
    if seconds is None or seconds > 0:
        if wait(seconds):
            return True
    if fault == "malformed":
        say(f"info depth {depth} score cp 0.35 nodes {nodes}")
    if fault == "chatter":
        say("thinking hard")
    pv = "e2e5" if fault == "illegal variation" else "a2a3" if fault == "other variation" else move
    if fault == "other variation" and move != "g1f3":
        pv = move
    if not in_book and fault != "silent":
        say(f"info depth {depth} score {score} nodes {nodes} time 1 pv {pv}")
    for _ in range(2 if fault == "twice" else 1):
        say(f"bestmove {move}")
    return False


def burn():
    while True:
        pass


def main():
    global games
    position = "position startpos"
    if fault == "busy":
        threading.Thread(target=burn, daemon=True).start()
    while True:
        text = line() or ""
        command = text.partition(" ")[0]
        if command == "quit":
            if fault == "stubborn":
                time.sleep(30)
            if fault == "child":
                subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
            sys.exit(3 if fault == "exit code" else 0)
        if command == "uci":
            say("id name Table 1.0" if fault != "nameless" else "id nothing")
            say("id author nobody")
            say("option name Hash type spin default 16 min 1 max 1024")
            say("option name Level type spin default 5 min 0 max 20")
            say("option name Style type combo default Calm var Calm var Wild")
            say("option name UCI_Chess960 type check default false")
            if fault == "unreadable option":
                say("option name Odd type spin default 5 min 9 max 1")
            if fault == "bad default":
                say("option name Odd type spin default 50 min 1 max 9")
            if fault == "book":
                say("option name OwnBook type check default true")
            if fault == "threads":
                say("option name Threads type spin default 4 min 1 max 8")
            say("uciok")
        elif command == "isready":
            say("readyok")
        elif command == "ucinewgame":
            games += 1
            if fault == "slow ucinewgame":
                time.sleep(0.4)
        elif command == "setoption":
            if fault == "dies of an option" and text.endswith("Level value 20"):
                os._exit(4)
        elif command == "position":
            position = text
        elif command == "go":
            if search(position, text.split()):
                sys.exit(0)
        elif command == "stop":
            if fault == "answers every stop":
                say("bestmove a2a3")
        elif fault == "touchy" and command == "xyzzy":
            os._exit(5)


main()
