"""The commands: one click file a verb, each a thin layer over a documented function.

:data:`SECTIONS` names every command once; the file of a command bears its name, and so does the
click command in it, ``command`` (``round-robin`` is in ``round_robin.py``).
"""

from __future__ import annotations

import importlib

import click

SECTIONS: dict[str, tuple[str, ...]] = {
    "Play": (
        *("gauntlet", "round-robin", "match", "knockout", "swiss"),
        *("sprt", "ablate", "run", "worker"),
    ),
    "Stored runs": ("show", "resume", "extend", "rename", "annotate", "rm"),
    "Tune": ("tune",),
    "Search": ("trace", "lab"),
    "Import": ("import",),
    "Reports": (
        *("ratings", "crosstable", "h2h", "history", "events", "stats", "games", "game"),
        *("query", "plot", "report", "serve"),
    ),
    "Engines": ("engines", "bench", "uci"),
    "Openings": ("openings",),
    "Maintenance": ("doctor", "db"),
}
"""The commands in the order of the help page."""
FOLDERS = {
    "Play": "play",
    "Stored runs": "stored",
    "Tune": "tune",
    "Search": "lab",
    "Reports": "reports",
    "Engines": "engines",
}
"""Where the files of a section are; those of other sections are beside this one."""
_VERBS = {
    "show": "RUN",
    "resume": "[RUN]",
    "rename": "RUN NAME",
    "annotate": "RUN NOTE",
    "rm": "RUN...",
}
FORMER: dict[str, str] = {
    "help": "is gone: mtdf COMMAND --help",
    "db upgrade": "is gone: a command that writes upgrades the database, after a backup",
    "db export": "is 'games' now: mtdf games --pgn -o FILE, or --jsonl -o FILE",
    "engines drivers": "is gone: 'engines list' names the drivers, docs/variants.md explains them",
    "tune plot": "is 'plot study' now, and 'report --study' for a page",
    **{
        f"plot {old}": f"is 'plot {new}' now"
        for old, new in {
            **{one: f"study --chart {one}" for one in ("gain", "parameters", "importance")},
            **{"slice": "study --chart slices", "contour": "study --chart contour"},
            **dict.fromkeys(("nodes", "sweep", "threads"), "lab"),
            **{"passes": "trace", "tree": "trace --tree N"},
        }.items()
    },
    "events list": "is 'events' now",
    "events extend": "is 'extend' now: mtdf extend EVENT --pairs N",
    **{
        f"{kind} {verb}": f"is '{verb}' now: mtdf {verb} {words}"
        for kind in ("events", "tune", "lab")
        for verb, words in _VERBS.items()
    },
    "engines rename": "is gone: stored runs keep their labels; name=LABEL names an engine",
    "lab claims": "is in the repository: python research/judge_claims.py",
}
"""How the answer to the name of a former command goes on."""


def command_names() -> list[str]:
    """Every command, in the order of the help page."""
    return [name for names in SECTIONS.values() for name in names]


def load_command(name: str) -> click.Command | None:
    """The click command of that name, imported now; None if there is none."""
    section = next((title for title, names in SECTIONS.items() if name in names), None)
    if section is None:
        return None
    module = ".".join(filter(None, [__name__, FOLDERS.get(section), name.replace("-", "_")]))
    command = importlib.import_module(module).command
    assert isinstance(command, click.Command)
    return command
