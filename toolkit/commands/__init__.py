"""The commands: one click file a verb, each a thin layer over a documented function.

:data:`SECTIONS` names every command once. The file of a command bears its name, and so does the
click command in it, ``command`` (``round-robin`` is in ``round_robin.py``).
"""

from __future__ import annotations

import importlib

import click

SECTIONS: dict[str, dict[str, str]] = {
    "Play": {
        "gauntlet": "Play engines under test against a field, and rate them.",
        "round-robin": "Play every engine against every other, and rate them.",
        "match": "Play two engines against each other, and rate them.",
        "knockout": "Play a knockout: the loser of each match is out.",
        "swiss": "Play a Swiss tournament: equal scores meet.",
        "sprt": "Test one engine against another until the result is clear.",
        "race": "Find which of several candidates are better than one base.",
        "ablate": "Measure what each feature of an engine is worth.",
        "run": "Play the event that a TOML file describes.",
        "worker": "Serve a cluster: run games and searches for other machines.",
    },
    "Stored runs": {
        "show": "Show an event, a study or a laboratory run.",
        "resume": "Continue an event, a study or a laboratory run.",
        "extend": "Plan more game pairs of an event.",
        "rename": "Give an event, a study or a laboratory run another name.",
        "annotate": "Set the note of an event, a study or a laboratory run.",
        "rm": "Remove events, studies and laboratory runs.",
    },
    "Tune": {
        "tune": "Find better parameter values, and confirm the gain.",
    },
    "Search": {
        "suite": "Let engines solve the positions of a test suite.",
        "trace": "Show one exact search, pass by pass.",
        "lab": "Compare the search cost of drivers on the same trees.",
    },
    "Import": {
        "import": "Import PGN files of fastchess, cutechess, lichess and others.",
    },
    "Reports": {
        "ratings": "Rate the engines: one joint fit over the games, with intervals.",
        "crosstable": "Show the score of every pairing.",
        "h2h": "Compare two engines head to head.",
        "history": "Show the rating of an engine over time.",
        "events": "List the events and their progress.",
        "stats": "Show results, end reasons, lengths and search cost of an event.",
        "games": "List the games that match all conditions.",
        "game": "Show one game, given by its id or as `last`.",
        "query": "Run one SELECT statement on a read-only connection.",
        "plot": "Write a chart as SVG, PNG or PDF.",
        "report": "Write matches, ratings, tuning and searches as one HTML file.",
        "serve": "Serve live pages of the database to a browser.",
    },
    "Engines": {
        "engines": "List engines, drivers and parameters; keep and test engines.",
        "bench": "Search fixed positions for speed and the core's signature.",
        "uci": "Run an engine as a UCI engine.",
    },
    "Openings": {
        "openings": "Make, describe and check books of openings.",
    },
    "Maintenance": {
        "doctor": "Check installation, core, database and machine.",
        "db": "Inspect, check, vacuum, copy and merge databases.",
    },
}
"""The commands in the order of the help page, each with what it does. The page is made from this
table, so that it imports none of them."""
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
            **{"passes": "trace", "tree": "trace --top N"},
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
    "lab parallel": "is 'lab sweep --param threads=LIST' now",
    "lab fit": "is gone: fitted first guesses save nothing (docs/laboratory.md)",
    "lab claims": "is in the repository: python research/judge_claims.py",
}
"""How the answer to the name of a former command goes on."""


def command_names() -> list[str]:
    """Every command, in the order of the help page."""
    return [name for names in SECTIONS.values() for name in names]


def load_command(name: str) -> click.Command | None:
    """The click command of that name, imported now; None if there is none."""
    section = next((title for title, found in SECTIONS.items() if name in found), None)
    if section is None:
        return None
    module = ".".join(filter(None, [__name__, FOLDERS.get(section), name.replace("-", "_")]))
    command = importlib.import_module(module).command
    assert isinstance(command, click.Command)
    command.short_help = SECTIONS[section][name]
    return command
