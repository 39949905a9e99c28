"""``mtdf ratings`` rates the selected games, and separates the cores of an engine."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from db.records.games import GameFilter
from db.session import open_database
from toolkit import head_to_head, heads_to_heads
from toolkit.base.errors import NothingMatched, UsageError
from toolkit.base.rows import field_names
from toolkit.ratings.influence import InfluenceRow
from toolkit.ratings.rating_list import LosRow, RatingLine

Run = Callable[..., Any]
Fields = Callable[..., bool]


@pytest.fixture
def two_cores(on: Run, copy_event: Callable[..., None]) -> Run:
    """The gauntlet, and the same one again as another core might have played it."""
    with open_database("played.db") as db, db.repository._store.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO provenance SELECT 99, host, version, backend, 'feed0000feed0000', speed, "
            "time_factor "
            "FROM provenance LIMIT 1"
        )
    copy_event(provenance_id="99")
    return on


def test_cores_are_rated_separately(two_cores: Run) -> None:
    rows = two_cores("ratings", "--json").json
    assert len(rows) == 6
    assert {row["core"] for row in rows} == {
        row["core"] for row in rows if row["core"].split(":")[0] in ("native", "reference")
    }
    assert sum(row["core"].endswith(":feed0000feed0000") for row in rows) == 3
    assert len({row["engine"] for row in rows}) == 6 and len({r["engine_id"] for r in rows}) == 3
    assert len({row["pool"] for row in rows}) == 2, "no game connects the two cores"
    first, second = ([r["elo"] for r in rows if r["pool"] == pool] for pool in (0, 1))
    assert first == pytest.approx(second), "both played the same games"
    text = two_cores("ratings", "--explain").out
    assert "3 engines were played by several cores" in text and "--mix" in text
    assert "@native:feed0000" in text or "@reference:feed0000" in text


def test_cores_are_mixed_only_on_request(two_cores: Run) -> None:
    rows = two_cores("ratings", "--mix", "--json").json
    assert [row["core"] for row in rows] == [None] * 3
    assert sum(row["games"] for row in rows) == 48
    assert "cores mixed" in two_cores("ratings", "--mix").out


def test_anchor_of_an_engine_with_several_cores(two_cores: Run) -> None:
    result = two_cores("ratings", "--anchor", "pvs=0")
    assert result.code == 2
    assert "several cores" in result.errors[0] and "`pvs @" in result.errors[0]
    label = next(
        row["engine"]
        for row in two_cores("ratings", "--json").json
        if row["engine"].startswith("pvs @") and row["core"].endswith("feed0000feed0000")
    )
    rows = two_cores("ratings", "--anchor", f"{label}=7", "--json").json
    assert {row["engine"]: row["elo"] for row in rows}[label] == 7


def test_head_to_head_keeps_cores_apart(two_cores: Run) -> None:
    """Each has the numbers that the crosstable has, and can be named as it is printed there."""
    met = ("mtdf", "pvs")
    rows = two_cores("crosstable", "--all-events", "--json").json
    table = {
        row["first"]: row
        for row in rows
        if {row[side].partition(" @")[0] for side in ("first", "second")} == set(met)
    }
    assert len(table) == 2
    with open_database("played.db") as db:
        found = heads_to_heads(db, *met)
        with pytest.raises(UsageError, match="with 2 cores"):
            head_to_head(db, *met)
        (mixed,) = heads_to_heads(db, *met, mix=True)
        assert [row.games for row in found] == [6, 6] and mixed.games == 12
        assert len(mixed.cores) == 2 and mixed.by_colour[0].core is None
        for row in found:
            (core,) = row.cores
            assert all(part.core == core for part in row.by_opening)
            backend, _, signature = core.partition(":")
            label = f"@{backend}:{signature[:8]}"
            (told,) = (one for first, one in table.items() if first.endswith(label))
            assert told["games"] == row.games
            turned = told["first"].startswith("pvs")
            assert row.pentanomial == told["pentanomial"][:: -1 if turned else 1]
            for names in ((f"mtdf {label}", "pvs"), ("m*", f"pvs {label}")):
                one = head_to_head(db, *names, mix=True)
                assert (one.cores, one.by_opening) == ([core], row.by_opening)
        with pytest.raises(NothingMatched):
            head_to_head(db, "mtdf @native:0000", "pvs")


def test_head_to_head_shows_the_core_where_several_played(two_cores: Run) -> None:
    text = two_cores("h2h", "mtdf", "pvs").out
    heads = re.findall(r"^mtdf - pvs  6 games .* core (\w+:\w{8})$", text, re.MULTILINE)
    assert len(set(heads)) == 2 and "2 cores, compared separately (--mix combines them)" in text
    parts = csv.DictReader(io.StringIO(two_cores("h2h", "mtdf", "pvs", "--csv").out))
    assert {part["core"][: len(heads[0])] for part in parts} == set(heads)
    assert "cores mixed" in two_cores("h2h", "mtdf", "pvs", "--mix").out
    refused = two_cores("h2h", "mtdf", "pvs", "--json")
    assert refused.code == 2 and all(f"`{head}`" in refused.errors[-1] for head in heads)
    named = re.search(r"choose one, as in `([^`]+)`", refused.errors[-1])
    assert named and two_cores("h2h", named[1], "pvs", "--json").json["games"] == 6
    assert "core" not in two_cores("h2h", "mtdf", "pvs", "--event", "short").out.splitlines()[0]


def test_choice_of_games(on: Run) -> None:
    whole = on("ratings", "--json").json
    assert on("ratings", "--event", "short", "--event", "last", "--json").json == whole
    assert on("ratings", "--nodes", "60", "--json").json == whole
    assert on("ratings", "--since", "1d", "--json").json == whole
    assert on("ratings", "--nodes", "61").code == 5
    assert on("ratings", "--until", "2020-01-01").code == 5
    some = on("ratings", "--engine", "mt*", "--engine", "pvs", "--json").json
    assert {row["engine"] for row in some} == {"mtdf", "pvs"}
    assert sum(row["games"] for row in some) == 12
    assert on("ratings", "--engine", "zz*").code == 5
    assert on("ratings", "--since", "yesterday").code == 2


def test_minimum_of_games(on: Run) -> None:
    """pvs has 12 games, the others 6; without them it has none."""
    assert on("ratings", "--min-games", "6", "--json").json == on("ratings", "--json").json
    result = on("ratings", "--min-games", "7")
    assert result.code == 5 and "at least 7 games" in result.errors[0]


def test_dates_split_the_games(on: Run) -> None:
    with open_database("played.db") as db:
        games = list(db.repository.games(GameFilter()))
    cut = sorted(game.started_at or "" for game in games)[6]
    late = sum((game.started_at or "") >= cut for game in games)
    rows = on("ratings", "--since", cut, "--json").json
    assert sum(row["games"] for row in rows) == 2 * late
    assert len(on("games", "--since", cut, "--json").json) == late
    assert len(on("games", "--until", cut, "--json").json) == 12 - late


def test_bootstrap_and_prior(decided: Run) -> None:
    on = decided
    rows = on("ratings", "--bootstrap", "100", "--json").json
    assert {row["error_model"] for row in rows} == {"bootstrap"}
    assert "100 resamples" in on("ratings", "--bootstrap", "100", "--explain").out
    plain, held = (
        {row["engine"]: row["elo"] for row in on("ratings", *words, "--json").json}
        for words in ([], ["--prior", "5"])
    )
    assert max(held.values()) < min(max(plain.values()), 10)


def test_los_matrix(decided: Run, has_fields: Fields) -> None:
    on = decided
    rows = on("ratings", "--los", "--prior", "100", "--json").json
    assert len(rows) == 6 and all(has_fields(row, LosRow) for row in rows)
    los = {(row["engine"], row["other"]): row["los"] for row in rows}
    for (one, other), chance in los.items():
        assert chance + los[other, one] == pytest.approx(1.0)
    ratings = on("ratings", "--prior", "100", "--json").json
    assert los[ratings[0]["engine"], ratings[1]["engine"]] == pytest.approx(ratings[0]["los_next"])
    assert 0.5 < los[ratings[0]["engine"], ratings[2]["engine"]] < 1.0
    table = on("ratings", "--los", "--prior", "100").out
    assert f"{100 * los['mtdf', 'pvs']:.2f} %" in table


def test_influence_of_an_event_and_of_single_games(mtdf: Run, has_fields: Fields) -> None:
    def won(number: int, winner: str, loser: str) -> list[tuple[str, str, str]]:
        both = [(winner, loser, "1-0"), (loser, winner, "0-1")]
        return both * (number // 2)

    # Without the second event "b" leads.
    _import_results(mtdf, *won(6, "b", "a"), *won(4, "a", "b"))
    _import_results(mtdf, *won(8, "a", "b"), file="more.pgn")
    (row,) = mtdf("ratings", "--influence", "--json").json
    assert has_fields(row, InfluenceRow)
    assert (row["engine"], row["other"], row["pairs"], row["own_pairs"]) == ("a", "b", 7, 18)
    assert row["share"] == pytest.approx(7 / 18) and row["fragile"] is False
    assert row["by_event"].endswith(' "more.pgn"')
    assert row["by_opening"] is None and row["by_engine"] is None
    text = mtdf("ratings", "--influence").out
    assert row["by_event"] in text and "puts the next engine first" in text
    assert mtdf("ratings", "--influence", "--los", "--json").code == 2


def test_csv(on: Run) -> None:
    table = list(csv.DictReader(io.StringIO(on("ratings", "--csv").out)))
    rows = on("ratings", "--json").json
    assert list(table[0]) == field_names(RatingLine)
    assert [line["engine"] for line in table] == [row["engine"] for row in rows]
    assert on("ratings", "--csv", "--json").code == 2
    assert Path("played.db").exists()


def test_explanation_fits_a_page(on: Run) -> None:
    lines = on("ratings", "--explain").out.splitlines()
    assert max(map(len, lines)) <= 110 and len(lines) > 10
    assert "maximum-likelihood fit over all games of a pool" in " ".join(lines)


def _ring(names: list[str]) -> str:
    """Games as a PGN in which each of these players wins once against each of its neighbours."""
    games = []
    for white, black in zip(names, [*names[1:], names[0]], strict=True):
        for result in ("1-0", "0-1"):
            tags = f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n'
            games.append(f"{tags}\n{result}\n")
    return "\n".join(games)


def test_common_notes_are_printed_once(mtdf: Run, tmp_path: Path) -> None:
    (tmp_path / "g.pgn").write_text(_ring(["a", "b", "c"]) + "\n" + _ring(["x", "y", "z", "w"]))
    assert mtdf("import", "g.pgn").code == 0
    lines = mtdf("ratings").out.splitlines()
    assert [line for line in lines if line.startswith("pool ")] == [
        "pool 1: 4 engines, mean 0, errors fisher",
        "pool 2: 3 engines, mean 0, errors fisher",
    ]
    assert [line for line in lines if "Bradley" in line] == [
        "ratings: Bradley-Terry with draws, all events"
    ]


def test_los_matrix_of_many_engines_is_refused(mtdf: Run, tmp_path: Path) -> None:
    (tmp_path / "g.pgn").write_text(_ring([f"player{number:02}" for number in range(20)]))
    assert mtdf("import", "g.pgn").code == 0
    text = mtdf("ratings", "--los").out
    assert max(map(len, text.splitlines())) <= 120
    assert "LOS of pool 1: 20 engines are too many for a table" in text
    assert len(mtdf("ratings", "--los", "--json").json) == 20 * 19


def _import_results(mtdf: Run, *games: tuple[str, str, str], file: str = "results.pgn") -> None:
    """A file of such games: White, Black, result."""
    Path(file).write_text(
        "".join(
            f'[White "{white}"]\n[Black "{black}"]\n[Round "{number}"]\n[Result "{result}"]\n\n'
            f"{result}\n\n"
            for number, (white, black, result) in enumerate(games, 1)
        )
    )
    mtdf("import", file, "--quiet")


def test_anchor_with_a_perfect_score_is_said_to_fix_nothing(mtdf: Run) -> None:
    level = [("b", "c", "1-0"), ("c", "b", "1-0"), ("b", "c", "1/2-1/2")]
    _import_results(mtdf, *level, ("a", "b", "1-0"), ("c", "a", "0-1"))
    said = "anchor a won every game, which gives only a bound: it does not fix the scale (mean 0)"
    assert said in " ".join(mtdf("ratings", "--anchor", "a=100").out.split())
    explained = " ".join(mtdf("ratings", "--anchor", "a=100", "--explain").out.split())
    assert f"A{said[1:]}." in explained
    rows = mtdf("ratings", "--anchor", "a=100", "--json").json
    assert {row["scale"] for row in rows} == {"mean 0"} and rows[0]["bound"] == "at least"
    rows = mtdf("ratings", "--anchor", "c=7", "--json").json
    assert {row["scale"] for row in rows} == {"c=7"}
    mtdf("ratings", "--anchor", "a=100", "--store", "--quiet")
    (row,) = mtdf("history", "a", "--json").json
    assert (row["scale"], row["bound"]) == ("mean 0", "at least")
    assert "at least" in mtdf("history", "a").out


def test_bound_has_no_rank_and_the_zero_names_its_engine(mtdf: Run) -> None:
    _import_results(mtdf, ("a", "b", "1-0"), ("b", "a", "0-1"))
    text = mtdf("ratings").out
    assert "one pool of 2 engines, b=0 (alone)" in text and "mean 0" not in text
    ranks = [line.split()[:2] for line in text.splitlines()[1:3]]
    assert ranks == [["a", "at"], ["1", "b"]], "only a rating has a rank"
    assert {row["scale"] for row in mtdf("ratings", "--json").json} == {"b=0 (alone)"}
