"""An engine under another limit counts as another player in every report."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from cases import each

from db.session import open_database
from engines.limit import spell_limit
from toolkit import heads_to_heads, rate_games
from toolkit.base.output import jsonable
from toolkit.ratings.history import HistoryLine
from toolkit.ratings.rating_list import LosRow, RatingLine

Run = Callable[..., Any]
Fields = Callable[..., bool]
Copy = Callable[..., None]
NAME = "a [x] @y"
"""An imported name that looks as if a list had put something behind it."""
ENGINES = {"mtdf", "coarse", "pvs"}


def test_each_limit_has_separate_ratings(two_limits: Run, has_fields: Fields) -> None:
    rows = two_limits("ratings", "--json").json
    assert all(has_fields(row, RatingLine) for row in rows)
    by_limit = {
        nodes: {row["engine"]: row["elo"] for row in rows if row["limit"] == {"nodes": nodes}}
        for nodes in (60, 2000)
    }
    assert set(by_limit[60]) == set(by_limit[2000]) == ENGINES and len(rows) == 6
    assert by_limit[60] == pytest.approx(by_limit[2000]), "both are the same games"
    for nodes in (60, 2000):
        alone = two_limits("ratings", "--nodes", str(nodes), "--json").json
        assert {row["engine"]: row["elo"] for row in alone} == pytest.approx(by_limit[nodes])
    pools = {(row["pool"], row["limit"]["nodes"]) for row in rows}
    assert len(pools) == 2, "no game connects two limits"
    (line, *_) = csv.DictReader(io.StringIO(two_limits("ratings", "--csv").out))
    assert json.loads(line["limit"]) == rows[0]["limit"]


def test_tables_show_several_limits(two_limits: Run) -> None:
    text = two_limits("ratings", "--los", "--explain").out
    heads = [line.split() for line in text.splitlines() if line.startswith("#")]
    assert len(heads) == 2 and all(head[2] == "limit" for head in heads)
    pools = re.findall(r"pool \d: 3 engines, (\S+), mean 0", text)
    assert sorted(pools) == ["nodes=2000", "nodes=60"] and "--mix-limits" in text
    of_limits = f"2 pools: {', '.join(pools)}; ratings of different pools cannot be compared"
    assert of_limits in text
    assert "under different limits (nodes=60 and nodes=2000)" in " ".join(text.split())
    assert re.search(r"^LOS  engine +limit ", text, re.MULTILINE)
    one = two_limits("ratings", "--nodes", "60").out
    assert "limit" not in one.splitlines()[0] and "--mix-limits" not in one


def test_limits_are_mixed_only_on_request(two_limits: Run) -> None:
    rows = two_limits("ratings", "--mix-limits", "--json").json
    assert [row["limit"] for row in rows] == [None] * 3
    assert sum(row["games"] for row in rows) == 48
    text = two_limits("ratings", "--mix-limits").out
    assert "limits mixed" in text and "pool 1" not in text
    assert "limit" not in text.splitlines()[0]


def test_likelihoods_name_the_limits(two_limits: Run, has_fields: Fields) -> None:
    rows = two_limits("ratings", "--los", "--prior", "100", "--json").json
    assert len(rows) == 12 and all(has_fields(row, LosRow) for row in rows)
    assert all(row["limit"] == row["other_limit"] for row in rows), "those of a pool met"


@each(
    "change, players",
    [
        ("json_set(settings, '$.limit.cpu_ms', 2)", 6),
        ("json_set(settings, '$.limit.depth', 9)", 6),
        ("json_set(settings, '$.seed', 8)", 3),
    ],
)
def test_limits_are_compared_as_data(on: Run, copy_event: Copy, change: str, players: int) -> None:
    copy_event(settings=change)
    assert len(on("ratings", "--json").json) == players
    assert on("ratings").code == on("crosstable", "--all-events").code == 0


def imported(mtdf: Run, tmp_path: Path, controls: Sequence[str]) -> list[tuple[int, str]]:
    """Games and limits of the players rated from a file of each control."""
    for number, control in enumerate(controls):
        games = [
            f'[TimeControl "{control}"]\n[Round "{number}.{turn}"]\n[White "{white}"]\n'
            f'[Black "{black}"]\n[Result "{result}"]\n\n{result}\n'
            for turn, (white, black, result) in enumerate(
                [(NAME, "b", "1-0"), ("b", NAME, "0-1"), (NAME, "b", "1/2-1/2"), ("b", NAME, "1-0")]
            )
        ]
        (tmp_path / f"{number}.pgn").write_text("\n".join(games))
        assert mtdf("import", f"{number}.pgn").code == 0
    rows = mtdf("ratings", "--json").json
    return [(row["games"], spell_limit(row["limit"])) for row in rows]


def test_imported_games_have_the_limit_of_their_time_control(mtdf: Run, tmp_path: Path) -> None:
    controls = ("40/60", "60+1", "0.5/move", "60+1")
    rated = imported(mtdf, tmp_path, controls)
    assert Counter(rated) == {(8, "tc=60+1"): 2, (4, "tc=40/60+0"): 2, (4, "movetime=500"): 2}
    assert mtdf("ratings", "--tc", "60+1", "--json").json[0]["games"] == 8
    (tag,) = (line for line in mtdf("game", "1", "--pgn").out.splitlines() if "TimeControl" in line)
    assert tag == '[TimeControl "40/60"]'
    mixed = mtdf("import", "0.pgn", "1.pgn", "--event", "both")
    assert "limit of event" in mixed.err and mixed.err.count("unknown") == 1
    assert [row["limit"] for row in mtdf("events", "--json").json][-1] == {}


def test_imported_games_without_one_time_control_have_an_unknown_limit(
    mtdf: Run, tmp_path: Path
) -> None:
    imported(mtdf, tmp_path, ("-", "?", "40/60:20/30"))
    assert mtdf("db", "info", "--json").json["rating_lists"] == 0, "an import stores no list"
    rows = mtdf("ratings", "--json").json
    assert [(row["engine"], row["games"], row["limit"]) for row in rows] == [
        (NAME, 12, {}),
        ("b", 12, {}),
    ]
    assert "limit" not in mtdf("ratings").out
    assert mtdf("ratings", "--store").code == 0
    assert mtdf("history", NAME).out.startswith(f"{NAME}  unknown  all events, mean 0")
    assert mtdf("events").out.count("unknown") == 3


def test_anchor_is_named_with_its_limit(two_limits: Run) -> None:
    refused = two_limits("ratings", "--anchor", "pvs=0")
    assert refused.code == 2
    assert "`pvs@nodes=60` or `pvs@nodes=2000`" in refused.errors[-1]
    words = ("--anchor", "pvs@nodes=2000=7", "--json")
    rated = two_limits("ratings", *words).json
    elos = {(row["engine"], row["limit"]["nodes"]): row["elo"] for row in rated}
    assert elos["pvs", 2000] == 7
    both = two_limits("ratings", *words, "--anchor", "pvs@nodes=60=9").json
    assert sorted(row["elo"] for row in both if row["engine"] == "pvs") == [7, 9]
    assert len({row["pool"] for row in both}) == 2, "anchors do not join limits"
    identity = both[0]["engine_id"]
    assert two_limits("ratings", "--anchor", f"{identity}@nodes=60=1").code == 0
    assert two_limits("ratings", "--anchor", "pvs=1", "--mix-limits").code == 0
    assert two_limits("ratings", "--anchor", "pvs=1", "--nodes", "60").code == 0
    for limit in ("nodes=61", "61"):
        missing = two_limits("ratings", "--anchor", f"pvs@{limit}=0")
        assert missing.code == 5
        told = f"pvs did not play at {limit}; its limits: nodes=60, nodes=2000"
        assert missing.errors[-1].endswith(told)
    mixed = two_limits("ratings", "--anchor", "pvs@nodes=60=10", "--mix-limits")
    assert mixed.code == 2 and "limits are mixed (--mix-limits): give pvs=ELO" in mixed.errors[-1]
    assert "no engine" in two_limits("ratings", "--anchor", "nobody@nodes=60=1").errors[-1]
    twice = ("--anchor", "pvs@nodes=60=0", "--anchor", f"{refused_id(both)}@nodes=60=1")
    assert "two ratings" in two_limits("ratings", *twice).errors[-1]


def test_anchors_under_two_limits(
    decided: Run, copy_event: Copy, edited: Callable[..., Any]
) -> None:
    """Under the other limit all games are drawn."""
    assert decided("events").code == 0
    copy_event(settings="json_set(settings, '$.limit.nodes', 2000)")
    with edited("played.db") as connection:
        connection.execute("UPDATE games SET white_score = 1 WHERE event_id <> 1")
        connection.execute("UPDATE pairs SET score1 = 1, score2 = 1 WHERE event_id <> 1")
    anchors = {"pvs@nodes=60": 9, "pvs@nodes=2000": 7}
    with open_database("played.db") as db:
        plain, anchored = (rate_games(db, anchors=known).ratings.pools for known in ({}, anchors))
    assert len(plain) == len(anchored) == 2
    assert plain[0].draw_rate != pytest.approx(plain[1].draw_rate, abs=0.01)
    for one, other in zip(plain, anchored, strict=True):
        assert one.draw_rate == pytest.approx(other.draw_rate)
        assert one.white_advantage == pytest.approx(other.white_advantage)


def refused_id(rows: list[dict[str, Any]]) -> str:
    """The identity of pvs."""
    return next(str(row["engine_id"]) for row in rows if row["engine"] == "pvs")


def test_crosstable_keeps_limits_apart(two_limits: Run) -> None:
    one = two_limits("crosstable", "--event", "short", "--json").json
    rows = two_limits("crosstable", "--all-events", "--json").json
    assert [row["first_limit"]["nodes"] for row in rows] == [60, 60, 2000, 2000]
    assert all(row["first_limit"] == row["second_limit"] for row in rows)
    assert [row["games"] for row in rows] == [row["games"] for row in one] * 2
    mixed = two_limits("crosstable", "--all-events", "--mix-limits", "--json").json
    assert [row["games"] for row in mixed] == [2 * row["games"] for row in one]
    lines = two_limits("crosstable", "--all-events").out.splitlines()
    assert lines[0].split()[:3] == ["#", "engine", "limit"]
    matrix = [line.split() for line in lines[1:7]]
    assert [cells[2] for cells in matrix] == ["nodes=60"] * 3 + ["nodes=2000"] * 3
    assert "--mix-limits" in lines[-1]
    assert "limit" not in two_limits("crosstable", "--event", "short").out


def test_head_to_head_keeps_limits_apart(two_limits: Run) -> None:
    text = two_limits("h2h", "mtdf", "pvs").out
    heads = re.findall(r"^mtdf - pvs  6 games .* limit (\S+)$", text, re.MULTILINE)
    assert heads == ["nodes=60", "nodes=2000"]
    parts = list(csv.DictReader(io.StringIO(two_limits("h2h", "mtdf", "pvs", "--csv").out)))
    assert {json.loads(part["first_limit"])["nodes"] for part in parts} == {60, 2000}
    refused = two_limits("h2h", "mtdf", "pvs", "--json")
    assert refused.code == 2 and "`nodes=60` or `nodes=2000`" in refused.errors[-1]
    apart = [
        two_limits("h2h", "mtdf", "pvs", "--nodes", nodes, "--json").json
        for nodes in ("60", "2000")
    ]
    assert [row["first_limit"]["nodes"] for row in apart] == [60, 2000]
    both = two_limits("h2h", "mtdf", "pvs", "--mix-limits", "--json").json
    assert both["games"] == 12 and both["first_limit"] is None
    assert apart[0]["pentanomial"] == apart[1]["pentanomial"]
    assert both["pentanomial"] == [2 * number for number in apart[0]["pentanomial"]]
    assert len(both["by_opening"]) == len(apart[0]["by_opening"])
    with open_database("played.db") as db:
        found = heads_to_heads(db, "mtdf", "pvs")
    assert [
        jsonable(row) | {"program_backend": apart[0]["program_backend"]} for row in found
    ] == apart


@each(
    "change, names",
    [
        ('{"time_manager": 2}', ["tc=9+0", "tc=9+0,time_manager=1"]),
        ('{"time_manager": 9}', ["tc=9+0,time_manager=1", "tc=9+0,time_manager=9"]),
        ('{"base_ms": null, "time_manager": null}', ["tc=9+0,time_manager=1", "unknown"]),
    ],
)
def test_limits_are_selected_by_name(
    on: Run, copy_event: Copy, edited: Callable[..., Any], change: str, names: list[str]
) -> None:
    """As the error spells it, also where no option tells limits apart."""
    with edited("played.db") as connection:
        connection.execute(
            "UPDATE events SET settings = json_set(json_remove(settings, '$.limit.nodes'), "
            "'$.limit.base_ms', 9000, '$.limit.time_manager', 1)"
        )
    copy_event(settings=f"json_patch(settings, '{{\"limit\": {change}}}')")
    refused = on("h2h", "mtdf", "pvs", "--json")
    assert refused.code == 2
    listed = re.search(r"under 2 limits, (.*): choose one, as in `(.*)`, or", refused.errors[-1])
    assert listed and sorted(re.findall("`(.*?)`", listed[1])) == names
    assert on("h2h", listed[2], "pvs", "--json").code == 0
    for name in names:
        row = on("h2h", f"mtdf@{name}", "p*", "--json").json
        assert row["games"] == 6 and row["first"] == f"mtdf@{name}"
        assert on("h2h", "mtdf", f"pvs@{name}", "--mix-limits", "--json").json["games"] == 6
        assert on("ratings", "--anchor", f"pvs@{name}=0").code == 0
    assert on("h2h", "mtdf@tc=8+0", "pvs").code == 5


def test_events_and_statistics_show_the_limit(two_limits: Run) -> None:
    head, *lines = two_limits("events").out.splitlines()
    assert "limit" in head
    assert [re.findall(r"nodes=\d+", line) for line in lines] == [["nodes=60"], ["nodes=2000"]]
    assert re.search(r"^limit +nodes=2000$", two_limits("stats", "last").out, re.MULTILINE)


def test_history_keeps_limits_apart(two_limits: Run, has_fields: Fields) -> None:
    two_limits("ratings", "--store")
    two_limits("ratings", "--store", "--anchor", "pvs@nodes=60=0")
    rows = two_limits("history", "mtdf", "--json").json
    assert all(has_fields(row, HistoryLine) for row in rows)
    kept = [(row["list"], row["limit"]["nodes"], row["scale"]) for row in rows]
    assert sorted(kept) == [
        *((1, 60, "mean 0"), (2, 60, "mean 0"), (2, 2000, "mean 0")),
        *((3, 60, "pvs=0"), (3, 2000, "mean 0")),
    ], "the anchor fixes the scale of its own pool alone"
    number = {(row["limit"]["nodes"], row["scale"]): row["history"] for row in rows}
    assert len(set(number.values())) == 3
    tables = two_limits("history", "mtdf").out.split("\n\n")
    assert sorted(table.splitlines()[0] for table in tables) == [
        "mtdf  nodes=2000  all events, mean 0",
        "mtdf  nodes=60  all events, mean 0",
        "mtdf  nodes=60  all events, pvs=0",
    ]
    for table in tables:
        heading, _, row, *more = table.splitlines()
        same = "1 list says the same as the one before, left out (--json and --csv have all)"
        assert more == ([] if heading.endswith("pvs=0") else [same]) and row


def test_relative_date_selection_keeps_one_history(
    two_limits: Run, edited: Callable[..., Any]
) -> None:
    for number in range(2):
        with edited("played.db") as connection:
            connection.execute("UPDATE ratings SET elo = elo + 1 WHERE list_id = ?", (1 + number,))
        assert two_limits("ratings", "--store", "--since", "30d", "--nodes", "60").code == 0
    rows = two_limits("history", "mtdf", "--json").json
    assert [row["list"] for row in rows] == [1, 2, 3] and rows[1]["history"] == rows[2]["history"]
    assert rows[1]["settings"]["since"] != rows[2]["settings"]["since"]
    assert "since 30d before" in two_limits("history", "mtdf").out


READING = [
    ("ratings",),
    ("ratings", "--anchor", "pvs=0", "--nodes", "60", "--explain", "--los"),
    ("ratings", "--mix-limits", "--json"),
    ("history", "mtdf"),
    ("h2h", "mtdf", "pvs"),
    ("crosstable", "--all-events"),
    ("stats", "last"),
    ("games", "--limit", "2"),
    ("game", "g1"),
    ("events",),
    ("engines", "list"),
    ("openings", "stats"),
    ("db", "info"),
]


def test_reading_commands_write_nothing(two_limits: Run) -> None:
    """Neither into the file nor beside it."""
    assert two_limits("events").code == 0

    def content() -> dict[str, str]:
        files = sorted(Path().glob("played.db*"))
        return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}

    before = content()
    for words in READING:
        assert two_limits(*words).code == 0, words
        assert {k: v for k, v in content().items() if k in before} == before, words
        assert all(not Path(name).stat().st_size for name in set(content()) - set(before)), words


def test_only_storing_needs_a_writable_database(two_limits: Run) -> None:
    with open_database("played.db", read_only=True) as db:
        assert rate_games(db).list_id is None
    with open_database("played.db") as db:
        assert rate_games(db).list_id is None
        assert rate_games(db, store=True).list_id == 2


def test_limits_of_single_players_are_rated_separately(mtdf: Run) -> None:
    words = ("--nodes", "400", "--pairs", "1", "--max-plies", "8", "--quiet")
    assert mtdf("match", "mtdf:nodes=300,name=odds", "pvs", *words).code == 0
    assert mtdf("match", "mtdf:name=level", "pvs", *words).code == 0
    rows = mtdf("ratings", "--json").json
    assert sorted(row["limit"]["nodes"] for row in rows) == [300, 400, 400]
    assert [row["games"] for row in rows if row["limit"]["nodes"] == 300] == [2]
    row = mtdf("h2h", "odds", "pvs", "--json").json
    assert (row["games"], row["first"]) == (2, "odds")
    assert "limit nodes=300 : nodes=400" in mtdf("h2h", "odds", "pvs").out
    assert mtdf("h2h", "odds@nodes=300", "pvs@nodes=400", "--json").json["games"] == 2
    assert mtdf("h2h", "odds@nodes=400", "pvs").code == 5
