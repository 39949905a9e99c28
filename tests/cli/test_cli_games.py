"""Every command works for other games than chess, and refuses to mix two games."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import each

from cli import program
from engines.choices import GAMES
from engines.rules.catalog import rules_of
from toolkit.commands._program import run_program

Run = Callable[..., Any]

OTHERS = [game for game in GAMES if not rules_of(game).uci]
"""The games besides chess."""
FAST = ("--nodes", "60", "--max-plies", "24", "--quiet")
ENDS = {
    *("most-discs", "no-moves", "forty-moves", "threefold-repetition"),
    *("four-in-a-row", "full-board", "max-length", "resign-adjudication"),
}


@pytest.fixture(scope="module")
def event_of_each(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with an event of each of these games, to copy."""
    path = tmp_path_factory.mktemp("each") / "each.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "excepthook", sys.excepthook)
        for game in OTHERS:
            words = ("--game", game, "--pairs", "1", "--name", game, "--db", str(path), *FAST)
            assert run_program(program, ["match", "mtdf", "pvs", *words]) == 0
    return path


@pytest.fixture
def every_game(mtdf: Run, event_of_each: Path) -> Run:
    """A database with an event of each of these games."""
    shutil.copyfile(event_of_each, "mtdf.db")
    return mtdf


@each("game", OTHERS)
def test_gauntlet(mtdf: Run, game: str) -> None:
    done = mtdf(
        *("gauntlet", "--game", game, "--hero", "mtdf", "--field", "pvs", "--field", "alphabeta"),
        *("--pairs", "2", "--name", "first", *FAST, "--json"),
    )
    assert done.code == 0, done.err
    assert done.json["games"] == 8
    rows = mtdf("games", "--json").json
    assert len(rows) == 8 and {row["end_reason"] for row in rows} <= ENDS
    assert {row["plies"] > 4 for row in rows} == {True}
    assert mtdf("show", "first", "--json").json["book"] == rules_of(game).default_book
    for row in rows[:2]:
        moves = mtdf("game", row["id"], "--json").json["searches"]
        board = rules_of(game).board(row["start_fen"])
        for move, name in zip(moves, row["moves"], strict=True):
            code = rules_of(game).move_code(name)
            assert board.spelled(code) == move["san"]
            assert board.push(code)
    assert mtdf("db", "check").code == 0
    ratings = mtdf("ratings", "--json").json
    assert {row["engine"].partition(":")[0] for row in ratings} == {"mtdf", "pvs", "alphabeta"}


@each("game", OTHERS[:1])
def test_same_options_play_the_same_games(mtdf: Run, game: str) -> None:
    words = ("match", "mtdf", "pvs", "--game", game, "--pairs", "2", *FAST)
    assert mtdf(*words, "--name", "one").code == 0
    spelled = (f"mtdf:game={game}", f"pvs:game={game}")
    assert mtdf("match", *spelled, *words[5:], "--jobs", "2", "--name", "two").code == 0
    one, two = (
        [(row["moves"], row["result"]) for row in mtdf("games", "--event", name, "--json").json]
        for name in ("one", "two")
    )
    assert one == two and len(one) == 4


@each("game", OTHERS[:1])
def test_study(mtdf: Run, tmp_path: Path, game: str) -> None:
    (tmp_path / "study.toml").write_text(
        f'game = "{game}"\nbudget_pairs = 8\ntrials = 2\npairs_per_trial = 2\n'
        'nodes = 60\nmax_plies = 24\nsampler = "random"\n[parameters]\ngrain = true\n'
    )
    done = mtdf("tune", "run", "study.toml", "--name", "grain", "--quiet")
    assert done.code == 0, done.err
    shown = mtdf("show", "grain", "--json").json
    assert shown["base"].startswith(f"mtdf:game={game}")
    rows = mtdf("games", "--event", "grain", "--json").json
    assert rows and {row["end_reason"] for row in rows} <= ENDS
    best = mtdf("tune", "export", "grain", "--format", "variant").out
    assert f"game={game}" in best


@each("game", OTHERS[:1])
def test_event_from_a_file(mtdf: Run, tmp_path: Path, game: str) -> None:
    (tmp_path / "run.toml").write_text(
        f'command = "match"\ngame = "{game}"\npairs = 1\n'
        '[[engine]]\ndriver = "mtdf"\n[[engine]]\ndriver = "pvs"\n'
    )
    assert mtdf("run", "run.toml", *FAST).code == 0
    (row, _) = mtdf("games", "--json").json
    assert f"game={game}" in row["white"] and row["end_reason"] in ENDS


@each("game", OTHERS)
def test_laboratory(mtdf: Run, game: str) -> None:
    words = ("--game", game, "--engine", "mtdf", "--engine", "pvs", "--limit-positions", "4")
    done = mtdf("lab", "compare", *words, "--depth", "3", "--json", "--quiet")
    assert done.code == 0, done.err
    trace = mtdf("trace", "--game", game, "--position", "start", "--depth", "3", "--check")
    assert trace.code == 0 and "minimax" in trace.out + trace.err


def test_different_games_are_rated_apart(every_game: Run) -> None:
    for asked, told in (
        (OTHERS, "othello, draughts and connect-four"),
        (OTHERS[:2], "othello and draughts"),
    ):
        events = [] if asked == OTHERS else [word for game in asked for word in ("--event", game)]
        refused = every_game("ratings", *events)
        assert refused.code == 2 and refused.out == ""
        assert refused.errors == [
            f"error: these events are of {told}, which are never counted together: "
            "choose one with --game"
        ]
    for game in OTHERS:
        rows = every_game("ratings", "--game", game, "--json").json
        assert len(rows) == 2 and all(f"game={game}" in row["engine"] for row in rows)
        assert rows == every_game("ratings", "--event", game, "--json").json
        listed = every_game("games", "--game", game, "--json").json
        assert len(listed) == 2 and all(f"game={game}" in row["white"] for row in listed)
    assert every_game("ratings", "--game", "othello", "--event", "draughts").code == 5
    none = every_game("ratings", "--game", "chess")
    assert none.code == 5 and none.errors[0].startswith("error: no event of chess among them")
    assert len(every_game("ratings", "--engine", "*othello", "--json").json) == 2
    assert every_game("openings", "stats").code == 2
    both = every_game("h2h", "mtdf:game=othello", "pvs:game=othello", "--json")
    assert both.json["games"] == 2


def test_each_game_has_a_separate_history(every_game: Run) -> None:
    """Its list is stored after its events, whatever else is in the database."""
    for game in OTHERS:
        (before,) = every_game("history", f"mtdf:game={game}", "--json").json
        words = ("match", "mtdf", "pvs", "--game", game, "--pairs", "2", "--seed", "5", *FAST)
        assert every_game(*words).code == 0
        rows = every_game("history", f"mtdf:game={game}", "--json").json
        assert len(rows) == 2 and {row["history"] for row in rows} == {before["history"]}
        assert rows[0]["games"] == 2 and rows[1]["games"] > 2


REFUSED = {
    "an event is of one game": ("match", "mtdf:game=othello", "pvs"),
    "is of chess, and the engines play othello": (
        *("match", "mtdf", "pvs", "--game", "othello", "--book", "balanced-20k"),
    ),
    "book chess960 is of chess": (
        "match",
        "mtdf",
        "pvs",
        "--game",
        "othello",
        "--book",
        "chess960",
    ),
    "book othello-4k is of othello, and": ("match", "mtdf", "pvs", "--book", "othello-4k"),
    "is not a legal othello position": (
        *("match", "mtdf", "pvs", "--game", "othello", "--book", "chess.epd"),
    ),
    "it reads as a position of othello: try --game othello": (
        *("match", "mtdf", "pvs", "--book", "othello.txt"),
    ),
    "it reads as a position of chess: try --game chess": (
        *("match", "mtdf", "pvs", "--game", "draughts", "--book", "chess.epd"),
    ),
    "--game othello, but engine `mtdf:game=chess` plays chess": (
        *("match", "mtdf:game=chess", "pvs", "--game", "othello"),
    ),
    "--game othello, but engine `mtdf:game=draughts` plays draughts": (
        *("gauntlet", "--game", "othello", "--hero", "mtdf:game=draughts"),
        *("--field", "pvs:game=draughts", "--book", "draughts-4k"),
    ),
    "engine `pvs` plays chess and `mtdf:game=othello` othello": (
        *("match", "pvs", "mtdf:game=othello"),
    ),
    "book chess.pgn is of chess": (
        *("match", "mtdf", "pvs", "--game", "draughts", "--book", "chess.pgn"),
    ),
    "othello has no Chess960": ("match", "mtdf", "pvs", "--game", "othello", "--chess960"),
    "is not one of 'chess', 'othello', 'draughts'": ("match", "mtdf", "pvs", "--game", "checkers"),
}


@each("told", REFUSED)
def test_options_of_another_game_are_refused(mtdf: Run, tmp_path: Path, told: str) -> None:
    start = rules_of("chess").start
    (tmp_path / "chess.epd").write_text(f"{start}\n")
    (tmp_path / "othello.txt").write_text(f"{rules_of('othello').start}\n")
    (tmp_path / "chess.pgn").write_text('[Event "x"]\n\n1. e4 e5 *\n')
    refused = mtdf(*REFUSED[told], "--pairs", "1", "--nodes", "60")
    assert refused.code == 2 and refused.out == ""
    (line,) = refused.errors
    assert line.startswith("error: ") and told in line
    assert not (tmp_path / "mtdf.db").exists()


def test_uci_engine_plays_chess_only(mtdf: Run, tmp_path: Path) -> None:
    fake = Path(__file__).parents[1] / "engines" / "fake_uci.py"
    shutil.copy(fake, tmp_path / "fake.py")
    external = f"uci:{sys.executable} -S fake.py"
    refused = mtdf("match", "mtdf", external, "--game", "draughts", "--pairs", "1", "--nodes", "9")
    (line,) = refused.errors
    assert refused.code == 2
    assert re.fullmatch("error: --game draughts, but engine `uci:.*` plays chess", line)


@each(
    "words",
    [
        ("tune", "run", "--base", "mtdf:game=draughts", "--param", "step", "--nodes", "60"),
        ("lab", "compare", "--engine", "mtdf:game=draughts", "--depth", "2"),
        ("trace", "--engine", "mtdf:game=draughts", "--position", "start", "--depth", "2"),
        ("match", "mtdf", "pvs:game={othello,draughts}", "--pairs", "1", "--nodes", "60"),
    ],
)
def test_engine_of_another_game_is_refused(mtdf: Run, words: tuple[str, ...]) -> None:
    refused = mtdf(*words, "--game", "othello")
    (line,) = refused.errors
    assert refused.code == 2
    assert re.fullmatch(
        r"error: --game othello, but engine `(mtdf|pvs):game=draughts` plays draughts", line
    )


@each("game", OTHERS[:1])
def test_game_option_applies_to_names(every_game: Run, game: str) -> None:
    """Whether or not the same names have played chess."""
    own = {f"mtdf:game={game}", f"pvs:game={game}"}
    for played_chess in (False, True):
        if played_chess:
            assert every_game("match", "mtdf", "pvs", "--pairs", "1", *FAST).code == 0
        asked = ("--game", game, "--json")
        assert every_game("h2h", "mtdf", "pvs", *asked).json["games"] == 2
        assert every_game("h2h", "mtdf@nodes=60", "pv*", *asked).json["games"] == 2
        for words in (("--engine", "pvs"), ("--engine", "pvs", "--opponent", "mtdf")):
            rows = every_game("games", *words, *asked).json
            assert len(rows) == 2 and {rows[0]["white"], rows[0]["black"]} == own
        for words in (("--anchor", "pvs=10"), ("--engine", "mtdf", "--engine", "pvs")):
            assert {row["engine"] for row in every_game("ratings", *words, *asked).json} == own
        table = every_game("crosstable", "--engine", "mtdf", "--engine", "pvs", *asked)
        assert {table.json[0]["first"], table.json[0]["second"]} == own


def test_stored_name_keeps_its_game(every_game: Run) -> None:
    words = ("match", "mtdf", "pvs:grain=9,name=bns", "--pairs", "1", "--seed", "3", *FAST)
    assert every_game(*words, "--game", "othello").code == 0
    assert len(every_game("games", "--engine", "bns", "--game", "othello", "--json").json) == 2


def test_ambiguous_game_is_named(every_game: Run) -> None:
    spelled = [f"`pvs:game={game}`" for game in OTHERS]
    meant = f"did you mean {' or '.join(spelled)}?"
    unknown = (
        ("games", "--engine", "pvs"),
        ("h2h", "pvs", "mtdf"),
        ("ratings", "--engine", "pvs"),
        ("history", "pvs"),
        ("plot", "history", "pvs", "-o", "x.svg"),
    )
    for words in unknown:
        asked = every_game(*words)
        assert asked.code == 5
        assert asked.errors[-1] == f"error: engine `pvs` has no games; {meant}"
    assert every_game("match", "mtdf", "pvs", "--pairs", "1", *FAST).code == 0
    both = [f"`pvs:game={game}` and `mtdf:game={game}`" for game in OTHERS]
    for words, end in (
        (("games", "--engine", "pvs"), meant),
        (("ratings", "--engine", "pvs"), meant),
        (("crosstable", "--engine", "pvs"), meant),
        (("h2h", "pvs", "mtdf"), f"did you mean {' or '.join(both)}?"),
    ):
        asked = every_game(*words, "--event", "othello")
        assert asked.code == 5 and asked.errors[-1].endswith(f"; {end}")


def test_crosstable_uses_last_event_of_the_game(every_game: Run, tmp_path: Path) -> None:
    for game in OTHERS:
        rows = every_game("crosstable", "--game", game, "--json").json
        assert len(rows) == 1 and f"game={game}" in rows[0]["first"]
        assert every_game("plot", "crosstable", "--game", game, "-o", f"{game}.svg").code == 0
        assert f"game={game}" in (tmp_path / f"{game}.svg").read_text()
    none = every_game("crosstable", "--game", "chess")
    assert none.code == 5 and none.errors[0].startswith("error: no event of chess in ")


def test_ratings_name_the_game(every_game: Run) -> None:
    told = every_game("ratings", "--game", "othello", "--anchor", "pvs=0")
    assert told.out.splitlines()[-1].endswith("all events of othello")
    (hint,) = told.errors
    command = "mtdf ratings --game othello --anchor pvs=0 --explain"
    assert hint == f"{command} explains the list"
    assert every_game(*command.split()[1:]).code == 0


def test_tuning_of_other_games_does_not_count(every_game: Run, edited: Run) -> None:
    with edited("mtdf.db") as connection:
        connection.execute("UPDATE events SET kind = 'tuning' WHERE name != 'othello'")
    for words in (("ratings",), ("games",), ("h2h", "mtdf", "pvs")):
        assert "of tuning" not in every_game(*words, "--game", "othello").err
    none = every_game("games", "--game", "draughts")
    (line,) = none.errors
    assert "; 2 games of tuning are excluded; --event r" in line and line.count("--event") == 1


def test_lab_run_stores_its_game(mtdf: Run) -> None:
    words = ("lab", "compare", "--engine", "mtdf", "--limit-positions", "2", "--depth", "2")
    assert mtdf(*words, "--game", "othello", "--name", "x").code == 0
    shown = mtdf("show", "x", "--baseline", "mtdf", "--json")
    assert shown.json["baseline"] == "mtdf:game=othello"
    assert mtdf("plot", "lab", "x", "--baseline", "mtdf", "-o", "x.svg").code == 0


def test_book_of_another_game_is_named(mtdf: Run, tmp_path: Path) -> None:
    for game in ("chess", *OTHERS):
        (tmp_path / f"{game}.txt").write_text(f"{rules_of(game).start}\n")
    for game in ("chess", *OTHERS):
        asked = mtdf("openings", "info", f"{game}.txt", "--game", game)
        assert asked.code == 0
        for other in ("chess", *OTHERS):
            if other != game:
                refused = mtdf("openings", "info", f"{game}.txt", "--game", other)
                (line,) = refused.errors
                assert refused.code == 2 and len(line) < 300
                assert line.endswith(f"; it reads as a position of {game}: try --game {game}")
                assert rules_of(game).start not in line


@each("name", ["x.pgn", "x.bin", "x.PGN", "x.pgn.gz", "x.epd.gz"])
@each("game", ["chess", "othello"])
def test_book_name_must_fit_its_game(mtdf: Run, name: str, game: str) -> None:
    refused = mtdf("openings", "make", name, "--game", game, "--count", "1")
    (line,) = refused.errors
    assert refused.code == 2 and not Path(name).exists() and not Path(f"{name}.partial").exists()
    assert line.startswith(f"error: {name} would not be read as text with a position in each line")


def test_lab_run_searches_one_game(mtdf: Run) -> None:
    words = ("lab", "compare", "--engine", "mtdf", "--engine", "pvs", "--depth", "2")
    refused = mtdf(*words, "--game", "othello", "--positions", "lab-60")
    assert (refused.code, len(refused.errors)) == (2, 1)
    assert "the positions of lab-60 are not of Othello" in refused.err
    words = ("lab", "sweep", "--engine", "mtdf", "--param", "game=chess,othello", "--depth", "2")
    refused = mtdf(*words)
    assert (refused.code, len(refused.errors)) == (2, 1)
    assert "all engines of a run play one game" in refused.err


def test_uci_plays_chess_only(mtdf: Run) -> None:
    refused = mtdf("uci", "--engine", "mtdf:game=othello")
    assert refused.code == 2
    assert refused.errors == ["error: UCI is for chess, and this engine plays othello"]


@each("game", OTHERS[:1])
def test_lists_name_the_game(every_game: Run, game: str) -> None:
    event = every_game("show", game, "--json").json
    assert event["game_played"] == game
    assert f"game     {game}" in every_game("show", game).out
    head, *lines = every_game("events").out.splitlines()
    assert head.split()[2] == "game"
    assert [line.split()[2] for line in lines if line.split()[1] == game] == [game]
    assert {row["game_played"] for row in every_game("games", "--event", game, "--json").json} == {
        game
    }
    for view in ("v_events", "v_games"):
        name = "name" if view == "v_events" else "event_name"
        sql = f"SELECT DISTINCT game_played FROM {view} WHERE {name} = '{game}'"
        rows = every_game("query", sql, "--json").json
        assert [row["game_played"] for row in rows] == [game]


def test_chess_only_lists_have_no_game_column(mtdf: Run) -> None:
    assert mtdf("match", "mtdf", "pvs", "--pairs", "1", *FAST).code == 0
    assert "game" not in mtdf("events").out.split("\n")[0].split()
    rows = mtdf("query", "SELECT game_played FROM v_games", "--json").json
    assert {row["game_played"] for row in rows} == {"chess"}


def test_finished_game_shows_points(mtdf: Run) -> None:
    words = ("match", "mtdf", "pvs", "--game", "othello", "--pairs", "1", "--nodes", "60")
    assert mtdf(*words, "--quiet").code == 0
    game = mtdf("game", "last", "--json").json
    rules = rules_of("othello")
    board = rules.board(game["start_fen"])
    for name in game["moves"]:
        assert board.push(rules.move_code(name))
    squares = board.squares()
    points = f"{squares.count('O')}-{squares.count('X')}"
    end = f"{game['result']}  most-discs {points}"
    assert f"{end}, {game['plies']} plies" in mtdf("game", "last").out
    last = mtdf("game", "last", "--board", str(game["plies"])).out.splitlines()[-1]
    assert last == f"the game is over after ply {game['plies']}: {end}"
    before = mtdf("game", "last", "--board", str(game["plies"] - 1)).out.splitlines()[-1]
    assert before.endswith(f"to move after ply {game['plies'] - 1}")


def test_engines_show_the_parameters_with_an_effect_in_their_game(mtdf: Run) -> None:
    rows = mtdf("engines", "parameters", "--driver", "mtdf", "--game", "draughts", "--json").json
    listed = {row["parameter"] for row in rows}
    assert {"offer_pruning", "futility", "guess"} <= listed
    assert not listed & {"null_move", "see_pruning", "replies"}
    shown = mtdf("engines", "show", "mtdf:game=draughts").out
    lines = {line.split()[0] for line in shown.splitlines() if line.strip()}
    assert {"offer_pruning", "futility", "guess"} <= lines
    assert not lines & {"null_move", "see_pruning", "replies"}
