"""A command in its own process, which sends a signal, usually to itself, at a point that the test
names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

GUARD_S = 600.0
"""Longer than a command takes on any machine."""
COMMIT = "db.repository:Repository.commit_pairs"
"""Stores pairs of games."""
LAB_STORE = "db.repository:Repository.add_lab_searches"

_PROGRAM = """
import importlib, os, sys

import cli

trigger, calls, number, victim = sys.argv[1:5]
del sys.argv[1:5]
module, _, path = trigger.partition(":")
place = importlib.import_module(module)
*classes, name = path.split(".")
for one in classes:
    place = getattr(place, one)
function, left = getattr(place, name), int(calls)

def ending(*arguments, **options):
    global left
    found = function(*arguments, **options)
    left -= 1
    if left == 0:
        os.kill(int(victim) or os.getpid(), int(number))
    return found

setattr(place, name, ending)
cli.main()
"""


def signalling(
    trigger: str, calls: int, number: signal.Signals, *words: str, victim: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run ``mtdf``, which sends the signal to a process, or to itself, when the n-th call of a
    function has returned. ``trigger``: module and function or method, as ``module:Class.name``."""
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM, trigger, str(calls), str(int(number)), str(victim)]
        + list(words),
        env=os.environ | {"PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        timeout=GUARD_S,
        check=False,
    )


def ended(
    trigger: str, calls: int, number: signal.Signals, *words: str
) -> subprocess.CompletedProcess[str]:
    """Run ``mtdf`` until the signal ends it."""
    done = signalling(trigger, calls, number, *words)
    code = -number if number == signal.SIGKILL else 128 + number
    assert done.returncode == code, done.stderr
    return done
