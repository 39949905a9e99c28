"""A UCI engine that knows no chess and keeps all rules of the protocol, but for some faults.

    table_uci.py TABLE [FAULT,FAULT...]

TABLE is a JSON object of position commands, each with a move and a score. In all other positions it
moves its knights to and fro. The faults are the names below in ``... in faults``.
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
faults = set(sys.argv[2].split(",")) if len(sys.argv) > 2 else set()
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
            while "immortal" in faults:
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
        if command == "stop" and "no stop" not in faults:
            return False
        if command == "quit":
            return True
        if command == "isready" and "deaf while it searches" not in faults:
            say("readyok")


def search(position, words):
    """Answer a ``go``; True if the program shall end."""
    limit = {a: int(b) for a, b in zip(words, words[1:], strict=False) if b.isdigit()}
    moves = position.partition(" moves ")[2].split()
    move, score = TABLE.get(position, (KNIGHTS[len(moves) % 4], "cp 10"))
    black = (" b " in position) != (len(moves) % 2 == 1)
    depth, nodes, seconds = limit.get("depth", 3), limit.get("nodes", 100), 0.0
    if "infinite" in words and "answers go infinite" not in faults:
        seconds = None
    elif "movetime" in limit:
        seconds = limit["movetime"] / 1000
    if "illegal promotion" in faults and move == "a7a8n":
        move = "a7a8"
    if "long games" in faults and len(moves) > 500:
        os._exit(3)
    if "silent when mated" in faults and position in TABLE and score == "mate 0":
        return wait(None)
    if "mates in centipawns" in faults:
        score = score.replace("mate 1", "cp 29999")
    if "mates for the other side" in faults:
        score = score.replace("mate -1", "mate 1")
    if "scores of White" in faults and black and score.startswith("cp"):
        score = f"cp {-int(score.split()[1])}"
    if "no nodes limit" in faults and "nodes" in limit:
        seconds = None
    if "many nodes" in faults and "nodes" in limit:
        nodes *= 30
    if "few nodes" in faults and "nodes" in limit:
        nodes = 7
    if "deeper" in faults or ("deeper at depth 1" in faults and depth == 1):
        depth += 1
    if "no depth limit" in faults and "depth" in limit:
        seconds = None
    if "no movetime" in faults and "movetime" in limit:
        seconds = 30
    if "early" in faults and "movetime" in limit:
        seconds = 0
    if "slow on the clock" in faults and "wtime" in limit:
        seconds = limit["wtime"] / 1000 + 2
    if "forgets nothing" in faults and "nodes" in limit:
        nodes += games
    if "random" in faults and "nodes" in limit:
        nodes -= time.monotonic_ns() // 1000 % 300
    if "castles as in chess" in faults and "/RK5R" in position and move[:2] in ("b1", "g1"):
        move = "e1g1"
    in_book = "book" in faults and position == "position startpos"
    if seconds is None or seconds > 0:
        if wait(seconds):
            return True
    if "malformed" in faults and not in_book:
        say(f"info depth {depth} score cp 0.35 nodes {nodes}")
    if "chatter" in faults:
        say("thinking hard")
    pv = "e2e5" if "illegal variation" in faults else move
    if not in_book and "silent" not in faults:
        say(f"info depth {depth} score {score} nodes {nodes} time 1 pv {pv}")
    for _ in range(2 if "twice" in faults else 1):
        say(f"bestmove {move}")
    return False


def burn():
    while True:
        pass


def main():
    global games
    position = "position startpos"
    if "busy" in faults:
        threading.Thread(target=burn, daemon=True).start()
    while True:
        text = line() or ""
        command = text.partition(" ")[0]
        if command == "quit":
            if "stubborn" in faults:
                time.sleep(30)
            if "child" in faults:
                subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
            sys.exit(3 if "exit code" in faults else 0)
        if command == "uci":
            say("id name Table 1.0" if "nameless" not in faults else "id nothing")
            say("id author nobody")
            say("option name Hash type spin default 16 min 1 max 1024")
            say("option name Level type spin default 5 min 0 max 20")
            say("option name Style type combo default Calm var Calm var Wild")
            say("option name UCI_Chess960 type check default false")
            if "unreadable option" in faults:
                say("option name Odd type spin default 5 min 9 max 1")
            if "bad default" in faults:
                say("option name Odd type spin default 50 min 1 max 9")
            if "book" in faults:
                say("option name OwnBook type check default true")
            if "threads" in faults:
                say("option name Threads type spin default 4 min 1 max 8")
            say("uciok")
        elif command == "isready":
            say("readyok")
        elif command == "ucinewgame":
            games += 1
            if "slow ucinewgame" in faults:
                time.sleep(0.4)
        elif command == "setoption":
            if "dies of an option" in faults and text.endswith("Level value 20"):
                os._exit(4)
        elif command == "position":
            position = text
        elif command == "go":
            if search(position, text.split()):
                sys.exit(0)
        elif command == "stop":
            if "answers every stop" in faults:
                say("bestmove a2a3")
        elif "touchy" in faults and command == "xyzzy":
            os._exit(5)


main()
