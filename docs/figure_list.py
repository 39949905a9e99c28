"""The measured figures of the docs: their commands, and how their output becomes Markdown.

See :mod:`figures`. A figure's function gets the standard output of each of its commands and returns
its pieces by name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolkit.lab.fixed import altered

Outputs = Sequence[str]
Pieces = dict[str, str]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement that pages show or quote."""

    commands: tuple[str, ...]
    """Shell lines, run in an empty directory with a database of its own."""
    pieces: Callable[[Outputs], Pieces]
    """Markdown by name, from what the commands printed."""
    files: tuple[str, ...] = ()
    """Pictures that the commands write; they go to ``docs/images``."""
    by_defaults: bool = True
    """Whether the defaults of engines are part of what is measured."""
    sources: tuple[str, ...] = ()
    """Files and folders of the checkout whose changes the core's signature does not show."""


# What tables are made of


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def interval(row: Mapping[str, Any], name: str = "nodes") -> str:
    """The 95 % interval of a ratio of the laboratory."""
    return f"[{row[f'{name}_low95']:.3f}, {row[f'{name}_high95']:.3f}]"


def ratio(row: Mapping[str, Any], name: str = "nodes") -> str:
    """A ratio of the laboratory with its interval."""
    return f"{row[name]:.3f} {interval(row, name)}"


def plain(output: str) -> str:
    """Printed output as it is."""
    return f"```\n{output.rstrip()}\n```\n"


# The laboratory

# Defaults are tuned for games, so these write their values out. Their windows begin at the guess.
_PLAAT, _ONE_GUESS, _GROWTH = (
    f"mtdf:guess={guess},convergence={convergence},below=0"
    for guess, convergence in (("parity", "plaat"), ("previous", "plaat"), ("parity", "growth"))
)
_HYBRID = "hybrid:guess=parity,convergence=growth,below=0"
_PVS = "pvs:window=25,below=0"
_DRIVERS = (
    *("alphabeta", "pvs:window=0", _PVS, "negascout", "mtdf", _PLAAT, _ONE_GUESS, _GROWTH, _HYBRID),
    *("mtd-bi", "mtd-step", "mtd-best:guess=parity", "bns:guess=parity", "dual", "sss"),
)


def _with_grain(engine: str, grain: int) -> str:
    return engine if grain == 1 else altered(engine, f"grain={grain}")


def _driver_commands(grain: int) -> tuple[str, ...]:
    engines = " ".join(f"--engine {_with_grain(name, grain)}" for name in _DRIVERS)
    shown = [_with_grain(name, grain) for name in (_GROWTH, _PVS, _ONE_GUESS)]
    return (
        f"mtdf lab compare {engines} --positions lab-60 --depth 4..8 --name drivers --jobs 2 "
        "--json --quiet",
        *(f"mtdf show drivers --baseline {name} --json" for name in shown),
    )


def _driver_pieces(outputs: Outputs) -> Pieces:
    runs = [json.loads(output) for output in outputs]
    first = runs[0]
    depths = first["depths"]
    rows: dict[str, dict[int, Any]] = {}
    for row in first["rows"]:
        rows.setdefault(row["engine"], {})[row["depth"]] = row
    header = ["engine", *(f"depth {depth}" for depth in depths), "95 %", "leaves", "interior"]
    header += ["p95", "worst", "CPU", "passes", "first pass"]
    lines = []
    for engine, by_depth in rows.items():
        last = by_depth[depths[-1]]
        base = engine == last["baseline"]
        lines.append(
            [
                f"`{re.sub(',?grain=10', '', engine).rstrip(':')}`",
                *(f"{by_depth[depth]['nodes']:.3f}" for depth in depths),
                "the baseline" if base else interval(last),
                *(f"{last[name]:.3f}" for name in ("leaves", "interior")),
                *(f"{last[name]:.2f}" for name in ("p95", "worst", "cpu")),
                f"{last['passes']:.1f}",
                f"{100 * last['first_share']:.0f} %",
            ]
        )
    compared = sum(row["agree"] for row in first["rows"] if row["engine"] != row["baseline"])
    agreement = f"{compared:,} of {first['values_compared']:,} comparisons agree.\n"
    pieces = {"table": table(header, lines), "agreement": agreement}
    for run in runs[1:]:
        over = [
            [f"`{row['engine']}`", row["depth"], ratio(row)]
            for row in run["rows"]
            if row["engine"] != row["baseline"] and row["depth"] >= depths[-1] - 1
        ]
        name = run["baseline"].replace(":", "-").replace("=", "-").replace(",", "-")
        pieces[f"over-{name}"] = table(["engine", "depth", f"nodes over `{run['baseline']}`"], over)
    return pieces


def _by_value(output: str) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """The values of a sweep, and the rows of each engine by value, but for the baseline."""
    run = json.loads(output)
    values: list[str] = []
    rows: dict[str, dict[str, Any]] = {}
    for row in run["rows"]:
        value = row["parameter_value"]
        if value is None:
            continue
        if value not in values:
            values.append(value)
        engine = re.sub(rf",?{row['parameter']}=[^,]*", "", row["engine"]).rstrip(":")
        rows.setdefault(engine, {})[value] = row
    return values, rows


def _first_guess_pieces(outputs: Outputs) -> Pieces:
    values, rows = _by_value(outputs[0])
    rows = {engine.partition(" ")[0]: by for engine, by in rows.items()}
    values = [v for v in values if v in "-40 -30 -20 -10 -5 0 5 10 20 30 40".split()]
    growth, plaat = rows[_GROWTH], rows[_PLAAT]
    lines = [
        [
            f"{int(value):+d}" if value != "0" else "0",
            *(ratio(by[value]) for by in rows.values()),
            f"{plaat[value]['leaves']:.2f}, {plaat[value]['interior']:.2f}",
            f"{growth[value]['passes']:.1f}, {plaat[value]['passes']:.1f}",
        ]
        for value in values
    ]
    header = ["δ", *(f"`{engine}`" for engine in rows), "leaves, interior of `plaat`"]
    return {"table": table([*header, "passes of `growth`, `plaat`"], lines)}


def _table_size_pieces(outputs: Outputs) -> Pieces:
    values, rows = _by_value(outputs[0])
    engines = [engine for engine in rows if engine != "pvs:window=0"]
    shares = {
        engine: {value: by[value]["nodes_mean"] / by[values[-1]]["nodes_mean"] for value in values}
        for engine, by in rows.items()
    }
    lines = [
        [
            f"2^{int(value).bit_length() - 1}" if value.isdigit() else value,
            *(ratio(rows[engine][value]) for engine in engines),
            ", ".join(f"{shares[engine][value]:.2f}" for engine in engines),
        ]
        for value in values
    ]
    header = ["entries", *(f"`{engine}`" for engine in engines)]
    last = "mean nodes of each over its own with the largest table"
    return {"table": table([*header, last], lines)}


def _sweep_pieces(outputs: Outputs) -> Pieces:
    pieces = {}
    for output in outputs:
        values, rows = _by_value(output)
        name = json.loads(output)["name"]
        lines = [
            [f"`{engine}`", *(f"{ratio(by[v])}, {by[v]['passes']:.1f}" for v in values)]
            for engine, by in rows.items()
            if engine != "pvs:window=0"
        ]
        pieces[name] = table([f"`{name}`: nodes, passes", *values], lines)
    return pieces


# The engines, tables of 2^21 entries and depths of Plaat and others, 1996.
_PAPER_DEPTHS = {"chess": "8..9", "othello": "9..10", "draughts": "15..16"}
_PAPER = ("alphabeta", "mtdf:guess=parity,convergence=plaat", "dual", "sss")


def _paper_command(game: str, grain: int) -> str:
    extra = f"preset=claims,hash=32,grain={grain}"
    spelled = [altered(name, extra) for name in _PAPER]
    aspiration = f"pvs:{extra},window=25"
    if grain == 1:
        spelled.append(aspiration.replace("hash=32", "hash=0"))
    engines = " ".join(f"--engine {one}" for one in spelled)
    return (
        f"mtdf lab compare --game {game} {engines} --baseline {aspiration} "
        f"--depth {_PAPER_DEPTHS[game]} --limit-positions 40 --jobs 2 "
        f"--name {game}-grain-{grain} --json --quiet"
    )


def _paper_pieces(outputs: Outputs) -> Pieces:
    """What each driver costs over aspiration NegaScout, and what a table saves it, by depth."""
    costs, saved = [], []
    for output in outputs:
        run = json.loads(output)
        game, _, grain = run["name"].partition("-grain-")
        for depth in run["depths"]:
            rows = [row for row in run["rows"] if row["depth"] == depth]
            bare = [row for row in rows if "hash=0" in row["engine"]]
            by_driver = {row["driver"]: row for row in rows if row not in bare}
            mtdf, sss, dual = (by_driver[driver] for driver in ("mtdf", "sss", "dual"))
            costs.append(
                [
                    *(game, grain, depth, ratio(mtdf, "leaves"), ratio(mtdf)),
                    f"{mtdf['passes']:.1f}",
                    *(f"{row['leaves']:.2f}, {row['passes']:.0f}" for row in (sss, dual)),
                    f"{by_driver['alphabeta']['leaves']:.2f}",
                ]
            )
            saved += [[game, depth, ratio(row)] for row in bare]
    header = ["game", "grain", "depth", "MTD(f): leaves", "all nodes", "passes"]
    header += ["SSS\\*: leaves, passes", "DUAL\\*: leaves, passes", "alpha-beta: leaves"]
    return {
        "drivers": table(header, costs),
        "table": table(["game", "depth", "nodes without a table over those with it"], saved),
    }


_SWEEP = "mtdf lab sweep --depth 6 --jobs 2 --json --quiet"
_LAB = {
    "drivers-grain-1": Figure(_driver_commands(1), _driver_pieces),
    "drivers-grain-10": Figure(_driver_commands(10), _driver_pieces),
    "tables-of-1996": Figure(
        tuple(_paper_command(game, grain) for grain in (1, 10) for game in _PAPER_DEPTHS),
        _paper_pieces,
    ),
    "first-guess": Figure(
        (
            f"{_SWEEP} --engine {_GROWTH} --engine {_PLAAT} --engine {_HYBRID} "
            "--first-guess-offset -40..40/5 --name guess",
            "mtdf plot lab guess -o first-guess.svg",
        ),
        _first_guess_pieces,
        ("first-guess.svg",),
    ),
    "table-size": Figure(
        (
            f"{_SWEEP} --engine {_PLAAT} --engine alphabeta --engine dual --engine sss "
            "--param entries=2^8,2^10,2^12,2^14,2^16,2^18,2^20 --vary-baseline "
            "--name table",
            "mtdf plot lab table -o table-size.svg",
        ),
        _table_size_pieces,
        ("table-size.svg",),
    ),
    "sweeps": Figure(
        (
            f"{_SWEEP} --engine {_GROWTH} --engine {_PVS} --engine sss "
            "--param grain=1,2,5,10,20,50 --name grain",
            f"{_SWEEP} --engine mtdf:guess=parity,convergence=step,below=0 "
            "--param step=1,2,5,10,20,40,80 --name step",
            f"{_SWEEP} --engine mtd-step --param stride=10,25,50,100,200,400,800 --name stride",
        ),
        _sweep_pieces,
    ),
}


# Games


def _over(hero: str, field: Sequence[str], limits: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    """A gauntlet at each limit, with so many pairs against each of the field."""
    engines = " ".join(f"--field {engine}" for engine in field)
    return tuple(
        f"mtdf gauntlet --hero {hero} {engines} --pairs {pairs} {limit} --jobs 2 --seed 61 "
        "--quiet --json"
        for limit, pairs in limits
    )


def _over_pieces(outputs: Outputs) -> Pieces:
    """Elo over the hero by engine and limit, from the pairs of the two."""
    header = ["engine"]
    lines: dict[str, list[str]] = {}
    for output in outputs:
        event = json.loads(output)
        (limit,) = [(name, event["limit"][name]) for name in _LIMITS if event["limit"].get(name)]
        pairs = event["pairs_planned"] // len(event["scores"])
        header.append(f"{_LIMITS[limit[0]].format(limit[1])}, {pairs} pairs")
        for score in event["scores"]:
            engine = score["second"]
            lines.setdefault(engine, [f"`{engine}`"]).append(
                f"{-score['elo']:+.0f} ± {score['error95']:.0f}"
            )
    return {"table": table(header, list(lines.values()))}


_PUBLISHED = "tolerance=0,adopt=proven"
"""An iteration ends when its bounds meet."""
_LIMITS = {
    "nodes": "{:,} nodes",
    "depth": "depth {}",
    "cpu_ms": "{} ms of CPU time",
    "movetime_ms": "{} ms a move",
}
_EXPECTED = ("raised", "root", "none")


def _few_pairs_pieces(outputs: Outputs) -> Pieces:
    """What a match of few or lopsided pairs says."""
    lines = []
    for output in outputs:
        row = json.loads(output)
        low, high = (
            "open" if row[end] is None else f"{row[end]:+.0f}"
            for end in ("elo_low95", "elo_high95")
        )
        counts = ",".join(map(str, row["counts"]))
        elo = f"{row['elo']:+.1f} ± {row['elo_error95']:.1f}"
        lines.append([f"`{counts}`", elo, f"{low} to {high}", f"{100 * row['los']:.1f} %"])
    return {"table": table(["pairs by points", "Elo", "interval", "LOS"], lines)}


def _low_nodes_pieces(outputs: Outputs) -> Pieces:
    """Nodes a move of each player, by limit."""
    lines = []
    for output in outputs[1::2]:
        event = json.loads(output)
        lines += [
            [f"{event['limit']['nodes']:,}", f"`{row['engine']}`", f"{row['nodes_per_move']:,.0f}"]
            for row in event["players"]
        ]
    return {"table": table(["limit in nodes", "engine", "nodes a move"], lines)}


def _printed(*names: str) -> Callable[[Outputs], Pieces]:
    """Each output as it was printed, under these names."""

    def pieces(outputs: Outputs) -> Pieces:
        return {name: plain(text) for name, text in zip(names, outputs, strict=True) if name}

    return pieces


def _markdown(*names: str) -> Callable[[Outputs], Pieces]:
    """Each output, which is Markdown, under these names."""
    return lambda outputs: dict(zip(names, outputs, strict=True))


def _rating_errors_pieces(outputs: Outputs) -> Pieces:
    """All cells as they were printed, and the table that sums them up."""
    cells, summary = outputs[0].split("\n\n| ")
    return {"cells": plain(cells + "\n"), "summary": f"| {summary}"}


def _parallel_pieces(outputs: Outputs) -> Pieces:
    """Time and nodes of engines with several threads over those of one; gains of engines over those
    of the first."""
    report = json.loads(outputs[0])
    way = ["engine", "threads", "way"]
    lines, gains = [], []
    for row in report["rows"]:
        is_base = row["threads"] == 1
        name = [f"`{row['baseline']}`", row["threads"], row["parallel"] or ""]
        speed = "--" if row["speedup"] is None else ratio(row, "speedup")
        agree = "" if report["mode"] == "selective" else f"{row['agree']} of {row['positions']}"
        idle = "--" if row["idle"] is None else f"{100 * row['idle']:.0f} %"
        lines.append(
            [
                *name,
                f"{row['wall_ms']:.0f}",
                *(("", "") if is_base else (speed, ratio(row))),
                *(idle, f"{row['passes']:.1f}", "" if is_base else agree),
            ]
        )
        if row["against"] is not None:
            is_judged = row["speedup_against"] is not None
            gain = ratio(row, "speedup_against") if is_judged else "--"
            gains.append([*name, gain, ratio(row, "nodes_against")])
    first, compared = report["engines"][0], report["values_compared"]
    pieces = {
        "table": table([*way, "ms", "speed-up", "nodes", "idle", "passes", "values"], lines),
        "against": table(
            [*way, f"speed-up over that of `{first}`", f"nodes over those of `{first}`"], gains
        ),
        "answers": "".join(f"- {one}\n" for one in report["answers"]),
    }
    if report["mode"] == "exact":
        told = "all agree" if report["values_agree"] else "not all agree"
        pieces["agreement"] = f"{compared:,} comparisons of values; {told}.\n"
    return pieces


def _parallel_elo_pieces(outputs: Outputs) -> Pieces:
    """Elo of two threads over one, from both gauntlets."""
    header = ["engine", "over", "limit", "pairs", "Elo"]
    lines = []
    for output in outputs:
        event = json.loads(output)
        pairs = event["pairs_planned"] // len(event["scores"])
        limit = _LIMITS["movetime_ms"].format(event["limit"]["movetime_ms"])
        lines += [
            [
                *(f"`{score['second']}`", f"`{score['first']}`", limit, pairs),
                f"{-score['elo']:+.0f} ± {score['error95']:.0f}",
            ]
            for score in event["scores"]
        ]
    return {"table": table(header, lines)}


_ABLATE = "mtdf ablate --pairs 2000 --nodes 1000 --seed 1 --jobs 2 --quiet --engine"
_GAMES = {
    "features": Figure((f"{_ABLATE} pvs",), _printed("table")),
    "features-of-games": Figure(
        (
            f"{_ABLATE} mtdf --game othello --feature probcut --feature replies",
            f"{_ABLATE} mtdf --game draughts --feature probcut --feature offer_pruning",
            "mtdf ablate --pairs 300 --cpu-ms 5 --seed 1 --jobs 2 --quiet --engine mtdf "
            "--game othello --feature probcut",
        ),
        _printed("othello", "draughts", "othello-deeper"),
    ),
    "mtdf-over-pvs": Figure(
        _over(
            "pvs",
            ("mtdf", "mtdf:grain=5", *(f"{one},{_PUBLISHED}" for one in (_PLAAT, _ONE_GUESS))),
            (("--nodes 1000", 100), ("--nodes 5000", 100), ("--cpu-ms 1", 100)),
        ),
        _over_pieces,
    ),
    "expected-pv-mtdf": Figure(
        _over(
            "mtdf:expected_pv=first",
            [f"mtdf:expected_pv={choice}" for choice in _EXPECTED],
            (("--nodes 3000", 100), ("--depth 6", 30)),
        ),
        _over_pieces,
    ),
    "expected-pv-pvs": Figure(
        _over(
            "pvs:expected_pv=first",
            [f"pvs:expected_pv={choice}" for choice in _EXPECTED],
            (("--nodes 3000", 100), ("--depth 6", 30)),
        ),
        _over_pieces,
    ),
    "evaluations": Figure(_over("mtdf", ["mtdf:eval=pst"], (("--nodes 3000", 100),)), _over_pieces),
    "evaluations-othello": Figure(
        _over("mtdf", ["mtdf:eval=pst"], (("--game othello --nodes 1000", 200),)), _over_pieces
    ),
    "evaluations-draughts": Figure(
        _over("mtdf", ["mtdf:eval=pst"], (("--game draughts --nodes 1000", 200),)), _over_pieces
    ),
    "coverage": Figure(
        ("python benchmarks/stats_coverage.py",), _printed("table"), by_defaults=False
    ),
    "anytime": Figure(
        ("python benchmarks/anytime.py",),
        _printed("table"),
        by_defaults=False,
        sources=("toolkit/stats/anytime.py",),
    ),
    "race": Figure(
        ("python benchmarks/race.py",),
        _printed("table"),
        by_defaults=False,
        sources=("toolkit/stats/race.py", "toolkit/stats/race_plan.py"),
    ),
    "rating-errors": Figure(
        ("python benchmarks/rating_errors.py",),
        _rating_errors_pieces,
        by_defaults=False,
        sources=("toolkit/stats/uncertainty.py", "toolkit/stats/fit.py"),
    ),
    "adaptive": Figure(
        ("python benchmarks/adaptive.py --events 120",), _printed("table"), by_defaults=False
    ),
    "faults": Figure(("python benchmarks/faults.py",), _markdown("table"), by_defaults=False),
    "kills": Figure(
        ("python benchmarks/kills.py --kind match",), _printed("table"), by_defaults=False
    ),
    "durability": Figure(
        ("python benchmarks/durability.py",), _printed("table"), by_defaults=False
    ),
    "memory": Figure(("python benchmarks/memory.py",), _printed("table"), by_defaults=False),
    "few-pairs": Figure(
        tuple(
            f"mtdf sprt calc --pentanomial {counts} --elo0 0 --elo1 10 --json"
            for counts in (
                *("1,1,0,0,0", "0,1,19,0,0", "0,0,20,0,0", "0,0,19,1,0", "0,0,0,0,2"),
                "10,120,300,150,20",
            )
        ),
        _few_pairs_pieces,
        by_defaults=False,
    ),
    "low-nodes": Figure(
        tuple(
            command
            for nodes in (30, 200)
            for command in (
                f"mtdf match mtdf pvs --pairs 20 --nodes {nodes} --seed 1 --name n{nodes} --quiet",
                f"mtdf stats n{nodes} --json",
            )
        ),
        _low_nodes_pieces,
    ),
    "opponents": Figure(
        (
            "python benchmarks/strength.py --engine pvs --opponent gnuchess --opponent glaurung "
            "--opponent phalanx --opponent toga2 --pairs 40 --movetime 5 --movetime 10",
        ),
        _printed("table"),
    ),
    "games-strength": Figure(("python benchmarks/games_strength.py",), _printed("table")),
}


# Speed

_SPEED = {
    "speed": Figure(("python benchmarks/core.py",), _printed("table")),
    "playing": Figure(
        ("python benchmarks/play.py --nodes 100 --nodes 1000 --pairs 400",), _printed("table")
    ),
    "fastchess": Figure(
        ("python benchmarks/fastchess.py --fastchess fastchess --turns 1",), _printed("table")
    ),
    "uci": Figure(("python benchmarks/uci.py --fastchess fastchess",), _printed("table")),
}


# Large databases and clusters

# Exit code 1 means that an aim was missed, which the table says.
_SCALE = {
    "scale": Figure(
        ("python benchmarks/scale.py --keep databases || test $? = 1",),
        _printed("table"),
        by_defaults=False,
    ),
    "cluster": Figure(
        ("python benchmarks/cluster.py || test $? = 1",), _printed("table"), by_defaults=False
    ),
    "swarm": Figure(("python benchmarks/swarm.py",), _printed("table"), by_defaults=False),
}


# Tuning

_BAD = "mtdf:guess=zero,null_move=off,late_move_reductions=off"
_STUDY = "--jobs 2 --seed 1 --quiet"


def _best(study: str, recipe: str, limit: str, seed: int) -> Figure:
    """The best values of a driver for games of one limit."""
    commands = (
        f"mtdf tune run recipes/{recipe}.toml --{limit} --seed {seed} --name {study} "
        "--jobs 2 --quiet",
        f"mtdf tune confirm {study} --pairs 400 --jobs 2 --quiet",
    )
    return Figure(commands, _printed("run", "confirmed"), by_defaults=False)


_SELECTION_BEFORE = (
    "null_move_slope=4,null_move_verification=8,reverse_futility=80,razoring=250,futility=100,"
    "late_move_pruning=4,see_pruning=60,delta_pruning=150,reduction_base=40,reduction_slope=45,"
    "history_reduction=2,internal_reduction=4,singular_extension=7,reward_once=off"
)
_COMPARED = {
    "mtdf": {
        "the defaults before": "mtdf:guess=parity,convergence=growth,below=0,tolerance=0,"
        f"adopt=proven,{_SELECTION_BEFORE}",
    },
    "pvs": {
        "the defaults before": f"pvs:window=25,below=0,{_SELECTION_BEFORE}",
        "what its own study recommends, without `etc`": "pvs:window=22,below=10,null_move_slope=4,"
        "null_move_verification=12,reverse_futility=81,razoring=285,futility=43,"
        "late_move_pruning=9,see_pruning=60,delta_pruning=209,reduction_base=-18,"
        "reduction_slope=81,history_reduction=4,internal_reduction=4,singular_extension=8,"
        "fail_high_reduction=1,best_move_stop=on,reward_once=off",
    },
}
"""What the defaults are compared with, by driver."""


def _elo_of_match(output: str) -> str:
    """Elo of the first engine, with its error."""
    score = json.loads(output)["scores"][0]
    return f"{score['elo']:+.1f} ± {score['error95']:.1f}"


def _default_pieces(outputs: Outputs) -> Pieces:
    """Elo of the defaults over others, by limit."""
    elo = map(_elo_of_match, outputs)
    lines = [
        [f"`{driver}`", name, next(elo), next(elo)]
        for driver, others in _COMPARED.items()
        for name in others
    ]
    return {"table": table(["defaults of", "over", "3,000 nodes", "3 ms of CPU time"], lines)}


_DEFAULTS = Figure(
    tuple(
        f"mtdf match {driver} {other} --pairs {pairs} {limit} --book :slice=2/2 --seed 62 --jobs 2 "
        "--quiet --json"
        for driver, others in _COMPARED.items()
        for other in others.values()
        for limit, pairs in (("--nodes 3000", 400), ("--cpu-ms 3", 200))
    ),
    _default_pieces,
)
_OF_CHESS = (
    "reverse_futility=74,razoring=149,futility=44,late_move_pruning=6,reduction_base=-1,"
    "reduction_slope=75,history_reduction=6,internal_reduction=5,singular_extension=10,"
    "reward_once=on"
)
_BEFORE_STUDIES = {
    "mtdf": "mtdf:preset=claims,game=GAME,guess=previous,convergence=bisect,step=18,below=6,"
    f"tolerance=22,reported=lower,adopt=all,{_OF_CHESS}",
    "pvs": f"pvs:preset=claims,game=GAME,window=22,below=6,{_OF_CHESS}",
}
"""The engines of a game before it had values and rules of its own."""


def _studies_pieces(outputs: Outputs) -> Pieces:
    """What studies gained, in a line each; where they recommend the base, what was refused."""
    lines = []
    for output in outputs:
        study = re.search(r"study +(\w+)-.* seed (\d+)", output)
        limit = re.search(r"limit +(\S.*?)  +book (.*)", output)
        gain = re.search(r"(gain|measured) (\S+ ± \S+) Elo over the base", output)
        assert study and limit and gain
        refused = " (refused)" if gain[1] == "measured" else ""
        lines.append([f"`{study[1]}`", *limit.groups(), study[2], gain[2] + refused])
    return {"table": table(["driver", "limit", "openings", "seed", "gain in Elo"], lines)}


def _before_pieces(outputs: Outputs) -> Pieces:
    """Elo over what was there before, by limit."""
    elo = map(_elo_of_match, outputs)
    lines = [[f"`{driver}`", next(elo), next(elo)] for driver in _BEFORE_STUDIES]
    return {"table": table(["defaults of", "5,000 nodes", "5 ms of CPU time"], lines)}


def _of_game(game: str, limits: Sequence[str], pairs: int) -> dict[str, Figure]:
    """What the studies of a game gained, and its engines over those before, by limit."""
    studies = tuple(
        f"mtdf tune run recipes/tune_{driver}_{game}.toml --{limit} --seed 2001 "
        f"--name {driver}-{game}-{limit.split('-')[0].split()[0]} --jobs 1 --quiet"
        for limit in limits
        for driver in _BEFORE_STUDIES
    )
    before = tuple(
        f"mtdf match {driver}:game={game} {before.replace('GAME', game)} --pairs {pairs} {limit} "
        f"--book {game}-4k:slice=2/2 --seed 62 --jobs 2 --quiet --json"
        for driver, before in _BEFORE_STUDIES.items()
        for limit in ("--nodes 5000", "--cpu-ms 5")
    )
    return {
        f"{game}-studies": Figure(studies, _studies_pieces, by_defaults=False),
        f"{game}-before": Figure(before, _before_pieces),
    }


_TUNING = {
    **_of_game("othello", ("nodes 3000", "cpu-ms 3"), 500),
    **_of_game("draughts", ("nodes 3000", "cpu-ms 3 --draw 20@20:20 --resign 4@200:both"), 150),
    "defaults": _DEFAULTS,
    "tuned-from-bad-values": Figure(
        (
            f"mtdf tune run --base {_BAD} --param null_move --param null_move_reduction "
            "--param late_move_reductions --param reduction_base --param reduction_slope "
            f"--param guess --nodes 1000 --budget-pairs 3000 --name bad {_STUDY}",
            "mtdf tune confirm bad --pairs 400 --jobs 2 --quiet",
        ),
        _printed("run", "confirmed"),
    ),
    "tuned-mtdf-nodes": _best("mtdf-nodes", "tune_mtdf", "nodes 3000", 1901),
    "tuned-pvs-nodes": _best("pvs-nodes", "tune_pvs", "nodes 3000", 1902),
    "tuned-mtdf-cpu": _best("mtdf-cpu", "tune_mtdf_cpu", "cpu-ms 3", 1903),
    "tuned-pvs-cpu": _best("pvs-cpu", "tune_pvs_cpu", "cpu-ms 3", 1904),
    "tuned-by-nodes": Figure(
        (
            "mtdf tune run --base mtdf --param guess --param weight --param convergence "
            f"--objective nodes --depth 6 --trials 60 --position-count 100 --name nodes {_STUDY}",
        ),
        _printed("run"),
    ),
    "tuners-on-landscapes": Figure(
        (
            "python benchmarks/tuning.py --budget 4000 --seeds 10 --method spsa "
            "--method 'spsa all' --method tpe --method 'tpe best trial' --method cmaes "
            "--method random",
        ),
        _printed("table"),
        by_defaults=False,
    ),
}

_THREADS = ("engines/core/parallel", "engines/core/search", "engines/core/player.rs")
_PARALLEL = {
    **{
        f"parallel-{mode}": Figure(
            (
                f"mtdf lab sweep --engine pvs --engine mtdf --engine sss --param threads=2,4,8 "
                f"--depth {depth} --mode {mode} --positions lab-60 --quiet --json",
            ),
            _parallel_pieces,
            sources=_THREADS,
        )
        for mode, depth in (("exact", 7), ("selective", 14))
    },
    "parallel-elo": Figure(
        tuple(
            f"mtdf gauntlet --hero {driver} --field {driver}:threads=2 --field "
            f"{driver}:threads=2,parallel=abdada --movetime 10 --pairs 60 --seed 71 --jobs 1 "
            "--quiet --json"
            for driver in ("pvs", "mtdf")
        ),
        _parallel_elo_pieces,
        sources=_THREADS,
    ),
}

FIGURES: Mapping[str, Figure] = {
    **_LAB,
    **_GAMES,
    **_SPEED,
    **_SCALE,
    **_TUNING,
    **_PARALLEL,
}
