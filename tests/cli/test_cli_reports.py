"""Crosstable, head to head, statistics, history and openings agree with the games themselves."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolkit.base.format import format_interval, format_number
from toolkit.base.rows import field_names
from toolkit.ratings.history import HistoryLine
from toolkit.reports.crosstables import CrosstableRow
from toolkit.reports.event_statistics import EndReasonCount, EventStats, PlayerStats
from toolkit.reports.meetings import HeadToHeadPart, HeadToHeadRow, SideCost
from toolkit.reports.openings import OpeningStats
from toolkit.reports.sprt import SprtRow
from toolkit.stats.match import match_statistics

Run = Callable[..., Any]
Fields = Callable[..., bool]
POINTS = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}


def own_points(game: dict[str, Any], engine: str) -> int:
    """Half points that an engine had in a game as ``games --json`` prints it."""
    points = POINTS[game["result"]]
    return points if game["white"] == engine else 2 - points


def record(games: list[dict[str, Any]], engine: str) -> list[int]:
    """Wins, draws, losses."""
    points = Counter(own_points(game, engine) for game in games)
    return [points[2], points[1], points[0]]


def met(rows: list[dict[str, Any]], one: str, other: str) -> list[dict[str, Any]]:
    """Games of two engines."""
    return [row for row in rows if {row["white"], row["black"]} == {one, other}]


def pentanomial(games: list[dict[str, Any]], engine: str) -> list[int]:
    """Pairs by half points of an engine; the games are in order."""
    pairs = zip(games[::2], games[1::2], strict=True)
    points = Counter(own_points(one, engine) + own_points(two, engine) for one, two in pairs)
    return [points[number] for number in range(5)]


def test_crosstable(decided: Run, has_fields: Fields) -> None:
    games = decided("games", "--json").json
    rows = decided("crosstable", "--json").json
    assert all(has_fields(row, CrosstableRow) for row in rows)
    assert {frozenset((row["first"], row["second"])) for row in rows} == {
        frozenset(("mtdf", "pvs")),
        frozenset(("coarse", "pvs")),
    }
    for row in rows:
        both = met(games, row["first"], row["second"])
        own = [row["wins"], row["draws"], row["losses"]]
        assert own == record(both, row["first"]) and row["games"] == len(both) == 6
        assert row["score"] == pytest.approx((own[0] + own[1] / 2) / 6)
        assert row["pentanomial"] == pentanomial(both, row["first"])
        for colour in ("white", "black"):
            wanted = record([g for g in both if g[colour] == row["first"]], row["first"])
            names = ("wins", "draws", "losses")
            assert [row[f"{colour}_{name}"] for name in names] == wanted
        assert row["games"] == 6


def test_crosstable_as_text_and_csv(decided: Run) -> None:
    rows = decided("crosstable", "--json").json
    text = decided("crosstable").out
    matrix, _, pairs = text.partition("\n\n")
    assert len(matrix.splitlines()) == 4 and "as White" not in pairs
    for row in rows:
        assert f"{row['wins']}-{row['losses']}-{row['draws']}" in matrix
        assert f"{row['losses']}-{row['wins']}-{row['draws']}" in matrix
        colours = f"{row['white_wins']}-{row['white_losses']}-{row['white_draws']}"
        assert colours in decided("crosstable", "--colors").out
        assert str(row["pentanomial"]) in pairs
    table = list(csv.DictReader(io.StringIO(decided("crosstable", "--csv").out)))
    assert list(table[0]) == field_names(CrosstableRow) and len(table) == 2
    assert decided("crosstable", "--engine", "mtdf", "--engine", "coarse").code == 5


def test_long_crosstable_counts_hidden_rows(mtdf: Run, tmp_path: Path) -> None:
    players = range(33)  # 528 meetings
    pgn = tmp_path / "all.pgn"
    pgn.write_text(
        "".join(
            f'[White "P{one}"]\n[Black "P{two}"]\n[Result "1-0"]\n\n1-0\n\n'
            for one in players
            for two in range(one)
        ),
        encoding="ascii",
    )
    assert mtdf("import", str(pgn)).code == 0
    lines = mtdf("crosstable").out.splitlines()
    assert len(lines) == 1 + 500 + 1 and lines[-1] == "28 more rows (--all)"
    whole = mtdf("crosstable", "--all").out.splitlines()
    assert len(whole) == 1 + 528 and whole[1:501] == lines[1:501]
    rows = mtdf("crosstable", "--json").json
    assert len(rows) == 528 and [rows[0]["first"], rows[0]["second"]] == ["P32", "P31"]
    assert mtdf("crosstable", "--csv").out.count("\n") == 1 + 528


def test_crosstable_uses_the_newest_event(decided: Run) -> None:
    played = decided(
        *("match", "mtdf", "pvs", "--pairs", "1", "--nodes", "50", "--max-plies", "10"), "--quiet"
    )
    assert played.code == 0
    (row,) = decided("crosstable", "--json").json
    assert row["games"] == 2
    assert decided("crosstable", "--event", "last", "--json").json == [row]
    both = decided("crosstable", "--all-events", "--json").json
    assert sum(row["games"] for row in both) == 14
    assert decided("crosstable", "--event", "short", "--all-events").code == 2


def test_head_to_head(decided: Run, has_fields: Fields) -> None:
    games = met(decided("games", "--json").json, "mtdf", "pvs")
    row = decided("h2h", "mtdf", "pvs", "--json").json
    assert has_fields(row, HeadToHeadRow)
    assert [row["wins"], row["draws"], row["losses"]] == record(games, "mtdf")
    assert row["pentanomial"] == pentanomial(games, "mtdf")
    match = match_statistics(row["pentanomial"])
    assert (row["elo"], row["error95"], row["los"]) == (match.elo, match.elo_error95, match.los)

    def check(parts: list[dict[str, Any]], name: Callable[[dict[str, Any]], str]) -> None:
        assert all(list(part) == field_names(HeadToHeadPart) for part in parts)
        assert {part["part"] for part in parts} == {name(game) for game in games}
        for part in parts:
            chosen = [game for game in games if name(game) == part["part"]]
            assert [part["wins"], part["draws"], part["losses"]] == record(chosen, "mtdf")

    check(row["by_colour"], lambda game: "white" if game["white"] == "mtdf" else "black")
    check(row["by_end_reason"], lambda game: str(game["end_reason"]))
    check(row["by_length"], lambda g: f"{g['plies'] // 40 * 40}-{g['plies'] // 40 * 40 + 39} plies")
    book = row["by_opening"][0]["part"].rpartition(":")[0]
    check(row["by_opening"], lambda game: f"{book}:{game['opening_line']}")
    for cost, engine in zip(row["costs"], ("mtdf", "pvs"), strict=True):
        assert list(cost) == field_names(SideCost)
        nodes = sum(g["white_nodes"] if g["white"] == engine else g["black_nodes"] for g in games)
        assert cost["nodes"] == nodes
        assert cost["nodes_per_move"] == 2 * nodes / sum(game["plies"] for game in games)


def test_head_to_head_from_the_other_side(decided: Run) -> None:
    one, other = (
        decided("h2h", *names, "--json").json for names in (("mtdf", "pvs"), ("pvs", "mtdf"))
    )
    assert one["wins"] == other["losses"] and one["pentanomial"] == other["pentanomial"][::-1]
    assert one["elo"] == pytest.approx(-other["elo"])
    assert one["costs"][0]["nodes"] == other["costs"][1]["nodes"]
    by_id = decided("h2h", one["first_ids"][0], one["second_ids"][0][:8], "--json").json
    assert by_id["pentanomial"] == one["pentanomial"]


def test_head_to_head_as_text(decided: Run) -> None:
    row = decided("h2h", "mtdf", "pvs", "--json").json
    text = decided("h2h", "mtdf", "pvs").out
    assert f"+{row['wins']} -{row['losses']} ={row['draws']}" in text
    assert str(row["pentanomial"]) in text and "nodes/move" in text
    interval = format_interval(*(row[name] for name in ("elo", "error95", "low95", "high95")))
    assert f"Elo {format_number(row['elo'], signed=True)} {interval} (95 %" in text
    assert interval.startswith("["), "few games"
    parts = list(csv.DictReader(io.StringIO(decided("h2h", "mtdf", "pvs", "--csv").out)))
    assert parts[0]["part"] in ("white", "black")


def test_head_to_head_as_a_sequential_test(decided: Run) -> None:
    row = decided("h2h", "mtdf", "pvs", "--elo1", "10", "--model", "logistic", "--json").json
    counts = ",".join(map(str, row["pentanomial"]))
    options = ("--elo0", "0", "--elo1", "10", "--model", "logistic", "--json")
    test = decided("sprt", "calc", "--pentanomial", counts, *options).json
    assert row["test"] == {name: test[name] for name in field_names(SprtRow)}
    assert (
        f"LLR  {format_number(test['llr'], 2)}" in decided("h2h", "mtdf", "pvs", "--elo1", "10").out
    )
    games = decided("h2h", "mtdf", "pvs", "--elo1", "10", "--trinomial", "--json").json
    assert games["test"]["counts"] == [row["losses"], row["draws"], row["wins"]]
    assert decided("h2h", "mtdf", "pvs", "--json").json["test"] is None
    assert decided("h2h", "mtdf", "pvs", "--elo0", "5", "--elo1", "1").code == 2


def test_cost_per_move_counts_searched_moves(on: Run) -> None:
    """Also beside the same games from a file, whose searches nobody knows."""
    games = met(on("games", "--json").json, "mtdf", "pvs")
    nodes = moves = 0
    for game in games:
        white = game["white"] == "pvs"
        nodes += game["white_nodes" if white else "black_nodes"]
        starts = white == (" w " in game["start_fen"])
        moves += len(game["moves"][0 if starts else 1 :: 2])
    import_as_others(on)
    _, cost = on("h2h", "mtdf", "pvs", "--mix", "--mix-limits", "--json").json["costs"]
    assert cost["games"] == 2 * len(games) and cost["nodes"] == nodes
    assert cost["nodes_per_move"] == pytest.approx(nodes / moves, rel=1e-12)


def import_as_others(on: Run) -> None:
    """Import the games as another program would have written them: without our ids."""
    text = re.sub(r'\[(Game|Event)Id ".*"\]\n', "", on("games", "--pgn").out)
    Path("games.pgn").write_text(text, encoding="utf-8")
    assert on("import", "games.pgn").code == 0


def test_engines_with_one_label_stay_separate(on: Run) -> None:
    """The names that lists print for them are taken by every command; the label alone is not."""
    games = len(met(on("games", "--json").json, "mtdf", "pvs"))
    import_as_others(on)
    rows = on("ratings", "--store", "--json").json
    names = [row["engine"] for row in rows]
    printed = [name for name in names if name.startswith("mtdf [")]
    assert len(printed) == 2
    refused = on("h2h", "mtdf", "pvs")
    assert refused.code == 2 and all(f"`{name}`" in refused.errors[-1] for name in printed)
    both = on("h2h", "mtdf", "pvs", "--mix", "--mix-limits", "--json").json
    assert both["games"] == 2 * games
    for name in printed:
        assert on("h2h", name, "pvs", "--json").json["games"] == games
        assert on("history", name).code == 0 and on("games", "--engine", name).code == 0
    assert len(on("ratings", *(w for n in names for w in ("--engine", n)), "--json").json) == 6
    assert on("h2h", "mtdf [0000]", "pvs").code == 5


def test_ambiguous_anchor_is_refused(on: Run) -> None:
    import_as_others(on)
    refused = on("ratings", "--anchor", "pvs=0")
    assert refused.code == 2 and refused.errors[-1].count("`pvs [") == 2
    rows = on("ratings", "--json").json
    name = next(row["engine"] for row in rows if row["engine"].startswith("pvs ["))
    anchored = on("ratings", "--anchor", f"{name}=7", "--json").json
    assert [row["elo"] for row in anchored if row["engine"] == name] == [7]


def test_head_to_head_without_games(on: Run) -> None:
    assert on("h2h", "mtdf", "coarse").code == 5
    assert on("h2h", "mtdf", "mtdf").code == 2
    assert "did you mean `mtdf`" in on("h2h", "mtdg", "pvs").errors[0]
    assert on("h2h", "mtdf", "pvs", "--until", "2000-01-01").code == 5


def test_event_statistics(decided: Run, has_fields: Fields) -> None:
    games = decided("games", "--json").json
    row = decided("stats", "short", "--json").json
    assert has_fields(row, EventStats)
    results = Counter(game["result"] for game in games)
    assert [row["white_wins"], row["draws"], row["black_wins"]] == [
        results[text] for text in ("1-0", "1/2-1/2", "0-1")
    ]
    plies = [game["plies"] for game in games]
    assert row["plies"] == sum(plies) / 12
    assert (row["least_plies"], row["most_plies"]) == (min(plies), max(plies))
    assert row["nodes"] == sum(game["white_nodes"] + game["black_nodes"] for game in games)
    assert all(list(reason) == field_names(EndReasonCount) for reason in row["end_reasons"])
    assert {r["end_reason"]: r["games"] for r in row["end_reasons"]} == Counter(
        game["end_reason"] for game in games
    )
    for player in row["players"]:
        assert list(player) == field_names(PlayerStats)
        own = [g for g in games if player["engine"] in (g["white"], g["black"])]
        assert [player["wins"], player["draws"], player["losses"]] == record(own, player["engine"])
    scores = [player["score"] for player in row["players"]]
    assert scores == sorted(scores, reverse=True)
    text = decided("stats", "last").out
    assert '"short", gauntlet, done' in text and f"{row['least_plies']} to" in text
    table = list(csv.DictReader(io.StringIO(decided("stats", "last", "--csv").out)))
    assert [line["engine"] for line in table] == [player["engine"] for player in row["players"]]
    assert decided("stats", "nothing").code == 5


def test_decisive_openings(decided: Run, has_fields: Fields) -> None:
    games = decided("games", "--json").json
    rows = decided("openings", "stats", "--json").json
    assert all(has_fields(row, OpeningStats) for row in rows)
    assert {row["line"] for row in rows} == {game["opening_line"] for game in games}
    for row in rows:
        own = [game for game in games if game["opening_line"] == row["line"]]
        results = Counter(game["result"] for game in own)
        assert [row["white_wins"], row["draws"], row["black_wins"]] == [
            results[text] for text in ("1-0", "1/2-1/2", "0-1")
        ]
        pairs = list(zip(own[::2], own[1::2], strict=True))
        same = [one for one, two in pairs if one["result"] == two["result"] != "1/2-1/2"]
        assert (row["pairs"], row["same_colour"]) == (len(pairs), len(same))
    shares = [row["decided"] for row in rows]
    assert shares == sorted(shares, reverse=True) and shares[0] > 0
    assert decided("openings", "stats", "--min-games", "5").code == 5
    text = decided("openings", "stats", "--top", "1").out.splitlines()
    assert len(text) == 3 and text[1].split()[0].endswith(f":{rows[0]['line']}")
    assert rows[0]["label"] == str(rows[0]["line"] - 1), "counted without the line of the recipe"
    assert text[1].split()[1] == str(rows[0]["games"]), "and not printed beside the line"
    table = list(csv.DictReader(io.StringIO(decided("openings", "stats", "--csv").out)))
    assert [int(line["line"]) for line in table] == [row["line"] for row in rows]


def test_history(decided: Run, has_fields: Fields) -> None:
    """Lists of one scale and selection are one history, with a table and a line of bars. One that
    says what the newest of its history says is not stored again, whatever was stored since."""
    for words in ([], ["--anchor", "pvs=100"], ["--event", "last"], ["--anchor", "pvs=100"]):
        assert decided("ratings", *words).code == 0
        assert decided("ratings", "--store", *words).code == 0
    rows = decided("history", "mtdf", "--json").json
    assert all(has_fields(row, HistoryLine) for row in rows)
    assert [row["list"] for row in rows] == [1, 2, 3, 4], "the event itself stored the first"
    assert [row["history"] for row in rows] == [1, 1, 0, 2], "the one that went on last leads"
    assert [row["scale"] for row in rows] == ["mean 0", "mean 0", "pvs=100", "mean 0"]
    newest = {row["engine"]: row for row in decided("ratings", "--event", "last", "--json").json}
    assert rows[3]["elo"] == newest["mtdf"]["elo"] and rows[3]["players"] == 3
    assert all(row["limit"] == {"nodes": 60} for row in rows)
    assert rows[2]["settings"]["anchors"] and not rows[1]["settings"]["anchors"]
    of_event = decided("history", "mtdf", "--event", "short", "--json").json
    assert [row["list"] for row in of_event] == [4]
    whole = decided("history", "mtdf", "--whole", "--json").json
    assert whole == rows[:3]
    tables = decided("history", "mtdf").out.split("\n\n")
    assert [table.splitlines()[0] for table in tables] == [
        "mtdf  nodes=60  all events, pvs=100",
        "mtdf  nodes=60  all events, mean 0",
        f"mtdf  nodes=60  event {rows[3]['settings']['event']}, mean 0",
    ]
    bars, _ = tables[1].splitlines()[-1].split("  ", 1)
    values = [row["elo"] for row in rows[:2]]
    assert len(bars) == 2 and bars[values.index(max(values))] == "█"
    table = list(csv.DictReader(io.StringIO(decided("history", "mtdf", "--csv").out)))
    assert [float(line["elo"]) for line in table] == [row["elo"] for row in rows]
    assert decided("history", "alphabeta").code == 5


def test_list_is_compared_with_the_newest_of_its_kind(decided: Run, edited: Run) -> None:
    """By options, scale and selection; a date before now is one selection, whenever that was."""
    kinds = ([], ["--anchor", "pvs=100"], ["--since", "30d"], ["--prior", "100"])
    for _ in range(2):
        for words in kinds:
            assert decided("ratings", "--store", *words).code == 0
    assert decided("db", "info", "--json").json["rating_lists"] == 1 + len(kinds)
    assert decided("db", "check").code == 0
    with edited("played.db") as connection:
        connection.execute("UPDATE ratings SET elo = elo + 1 WHERE list_id = 3")
    assert decided("ratings", "--store", "--anchor", "pvs=100").code == 0
    assert decided("db", "info", "--json").json["rating_lists"] == 2 + len(kinds)


def test_history_of_unconnected_engines(on: Run) -> None:
    """Each has its place in its own pool, and its own line of bars."""
    import_as_others(on)
    lines = on("ratings", "--store", "--json").json
    by_pool = {
        (row["engine_id"], row["pool"]): 1
        + sum(other["pool"] == row["pool"] for other in lines[:at])
        for at, row in enumerate(lines)
    }
    rows = on("history", "mtdf", "--whole", "--json").json
    newest = [row for row in rows if row["list"] == rows[-1]["list"]]
    assert len(newest) == 2 and {row["pool"] for row in newest} == {0, 1}
    for row in newest:
        assert (row["rank"], row["players"]) == (by_pool[row["engine_id"], row["pool"]], 3)
    titles = [line for line in on("history", "mtdf").out.splitlines() if "all events" in line]
    assert len(titles) == 2 and all(line.startswith("mtdf [") for line in titles)
    assert {line.split("  ")[1] for line in titles} == {"nodes=60", "unknown"}


def test_sparkline() -> None:
    from toolkit.ratings.history import sparkline

    assert sparkline([0.0, 7.0, 3.0]) == "▁█▄"
    assert sparkline([5.0, 5.0]) == "▄▄"
