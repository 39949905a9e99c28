"""Bad input ends in one line and the right exit code, without a traceback or partial output."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cases import each

Run = Callable[..., Any]

GAUNTLET = ("gauntlet", "--hero", "mtdf", "--field", "pvs")
EVENT = (*GAUNTLET, "--pairs", "1", "--nodes", "50")

BAD_OPTIONS: list[tuple[list[str], str]] = [
    (["--hero", "mtdff"], "no driver `mtdff`; did you mean `mtdf`?"),
    (["--hero", "mtdf:gess=zero"], "no parameter `gess`; did you mean `guess`?"),
    (["--hero", "mtdf:grain=0"], "grain takes 1 to 200"),
    (["--hero", "mtdf:entries=1000"], "power of two"),
    (["--hero", "mtdf:hash=1,entries=1024"], "exclude each other"),
    (["--hero", "pvs:guess=zero"], "not a parameter of pvs"),
    (["--hero", "mtdf:weight=0.1"], "only with guess=blend"),
    (["--hero", "mtdf:grain=1"], "given twice"),
    (["--field", "pvs:name=mtdf"], "two engines have the label"),
    (["--field", "pvs:name=a\x1b[31m"], "1 to 60 characters"),
    (["--pairs", "0"], "pairs (0)"),
    (["--pairs", "-3"], "pairs (-3)"),
    (["--pairs", "9" * 5000], "must be from 1 to"),
    (["--pairs", "1e3"], "--pairs: `1e3` is not a whole number"),
    (["--pairs", "20001"], "repeat=on"),
    (["--nodes", "0"], "nodes a move (0)"),
    (["--nodes", "-1"], "nodes a move (-1)"),
    (["--nodes", "9" * 30], "nodes a move"),
    (["--depth", "0"], "depth (0)"),
    (["--movetime", "0"], "milliseconds a move (0)"),
    (["--cpu-ms", "0"], "milliseconds of CPU time a move (0)"),
    (["--cpu-ms", "5", "--movetime", "5"], "exclude each other"),
    (["--tc", "10x0.1"], "expected BASE+INC or MOVES/BASE+INC in seconds, as in `10+0.1`"),
    (["--tc", "0"], "milliseconds on the clock (0)"),
    (["--tc", "1+0", "--movetime", "5"], "exclude each other"),
    (["--jobs", "0"], "jobs (0)"),
    (["--jobs", "-2"], "jobs (-2)"),
    (["--jobs", "100000"], "jobs (100000)"),
    (["--seed", "-1"], "seed (-1)"),
    (["--seed", "9" * 25], "seed"),
    (["--book", ":start=0"], "first opening (0)"),
    (["--book", ":order=backwards"], "order of openings `backwards`"),
    (["--book", ":start=x"], "start: `x` is not a whole number"),
    (["--book", "default-500:strt=1"], "no setting `strt` of a book; did you mean `start`"),
    (["--book", ":repeat=yes"], "repeat: `yes` is neither on nor off"),
    (["--book", "default-500:repeat"], "`repeat` has no value: write repeat=on"),
    (["--book", "b.pgn:plies=8:order=sequential"], "write BOOK:NAME=SETTING,NAME=SETTING"),
    (["--book", "b.pgn:plies=8;repeat=on"], "write BOOK:NAME=SETTING,NAME=SETTING"),
    (["--book", "b.pgn,repeat=on"], "write BOOK:NAME=SETTING,NAME=SETTING"),
    (["--book", ""], "it is empty: name a book, or leave out --book"),
    (["--book", ":start=1,start=2"], "`start` is given twice"),
    (["--max-plies", "x"], "--max-plies: `x`"),
    (["--max-plies", "0"], "maximum length"),
    (["--draw", "foo"], "draw rule `foo`"),
    (["--resign", "4@0"], "centipawns of the resign rule"),
    (["--time-margin", "-1"], "time margin"),
    (["--name", "a\nb"], "printable"),
    (["--book", "nowhere.epd"], "cannot read book nowhere.epd"),
    (["--book", "."], "cannot read book"),
    (["--pgn-out", "no/such/place.pgn"], "there is no directory"),
    (["--pgn-out", "."], "is a directory"),
    (["--wat"], "--wat"),
]


@each("words, message", BAD_OPTIONS)
def test_bad_option_of_an_event(words: list[str], message: str, mtdf: Run, tmp_path: Path) -> None:
    usual = {"--pairs": "1", "--nodes": "50"}
    kept = [word for name, value in usual.items() if name not in words for word in (name, value)]
    result = mtdf(*GAUNTLET, *kept, *words)
    assert result.code == 2
    assert result.out == ""
    assert len(result.errors) == 1
    assert result.errors[0].startswith("error: ")
    assert message in result.errors[0]
    assert list(tmp_path.iterdir()) == [], "nothing was written"


@each(
    "words, message",
    [
        (["gauntlet", "--field", "pvs", "--pairs", "1", "--nodes", "5"], "--hero"),
        (["gauntlet", "--hero", "mtdf", "--pairs", "1", "--nodes", "5"], "--field"),
        ([*GAUNTLET, "--nodes", "5"], "--pairs"),
        ([*GAUNTLET, "--pairs", "5"], "a limit is missing"),
        (["match", "mtdf"], "ENGINE"),
        (["match", "mtdf", "pvs", "alphabeta", "--pairs", "1", "--depth", "1"], "alphabeta"),
        (["uci", "--engine", "foo"], "no driver `foo`"),
        (["uci", "--json"], "--json"),
        (["engines", "parameters", "--driver", "foo"], "no driver `foo`"),
        (["--color", "maybe", "events"], "--color"),
        (["events", "--db"], "--db"),
    ],
)
def test_bad_command_line(words: list[str], message: str, mtdf: Run, tmp_path: Path) -> None:
    result = mtdf(*words)
    assert result.code == 2
    assert (result.out, len(result.errors)) == ("", 1)
    assert message in result.errors[0]
    assert list(tmp_path.iterdir()) == []


@each(
    "words, code, message",
    [
        (["resume", "r00000"], 5, "laboratory run `r00000`"),
        (["games", "--event", "nope"], 5, "no event `nope`"),
        (["games", "--engine", "mtdf:grain=99"], 5, "no game matches"),
        (["games", "--engine", "coars"], 5, "did you mean `coarse`?"),
        (["games", "--opponent", "pvs"], 2, "--engine"),
        (["games", "--limit", "0"], 2, "limit (0)"),
        (["games", "--json", "--csv"], 2, "exclude each other"),
        (["game", "g999999"], 5, "no game `g999999`"),
        (["game", "first"], 2, "game `first`"),
        (["game", "g1", "--board", "99"], 2, "ply 99"),
        (["game", "g1", "--fen", "-1"], 2, "ply -1"),
        (["game", "g1", "--ascii"], 2, "--board"),
        (["game", "g1", "--fen", "1", "--pgn"], 2, "exclude each other"),
        (["ratings", "--anchor", "pvs"], 2, "NAME=ELO"),
        (["ratings", "--anchor", "pvs=inf"], 2, "NAME=ELO"),
        (["ratings", "--anchor", "pvs=0", "--anchor", "pvs=3"], 2, "`pvs` is given two ratings"),
        (["ratings", "--anchor", "nobody=0"], 5, "no engine `nobody`"),
        (["ratings", "--anchor", "alphabeta=0"], 5, "did not play"),
        (["ratings", "--bootstrap", "-4"], 2, "bootstrap must be from 100 to 100000"),
        (["ratings", "--bootstrap", "5"], 2, "bootstrap must be from 100 to 100000"),
        (["ratings", "--bootstrap", "9" * 23], 2, "bootstrap must be from 100 to 100000"),
        (["openings", "info", "default-50"], 2, "; did you mean `default-500`?"),
        (["match", "mtdf", "pvs", "foo"], 2, "use mtdf round-robin for more"),
        (["nothing"], 2, "No such command 'nothing'. (mtdf --help)"),
        (["ratings", "--prior", "0"], 2, "prior must be a positive"),
        (["ratings", "--prior", "-1"], 2, "prior must be a positive"),
        (["ratings", "--min-games", "-1"], 2, "min-games must be at least 0"),
        (["ratings", "--engine", "zzz*"], 5, "no engine's label matches"),
        (["games", "--engine", "nope"], 5, "no engine `nope`"),
        (["history", "nope"], 5, "no engine `nope`"),
        (["h2h", "nope", "pvs"], 5, "no engine `nope`"),
        (["ratings", "--event", "nope"], 5, "no event `nope`"),
        (["engines", "show", "nobody"], 5, "no engine `nobody`"),
        (["resume", "last", "--jobs", "0"], 2, "jobs (0)"),
    ],
)
def test_bad_query_options(words: list[str], code: int, message: str, on: Run) -> None:
    result = on(*words)
    assert result.code == code
    assert (result.out, len(result.errors)) == ("", 1)
    assert result.errors[0].startswith("error: ")
    assert message in result.errors[0]


GOOD_LINE = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


@each(
    "line, reason",
    [
        ("foo bar", "not a position"),
        ("4k3/4R3/8/8/8/8/8/4K3 w - -", "black king in check, white to move"),
        ("8/8/8/8/8/8/8/4K3 w - -", "no black king"),
        ("4k3/8/8/8/8/8/8/4K3 w - -", "insufficient material"),
        ('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - c0 "e2e5";', "e2e5 is illegal"),
    ],
)
def test_bad_line_of_a_book(line: str, reason: str, mtdf: Run, tmp_path: Path) -> None:
    book = tmp_path / "b.epd"
    book.write_text(f"{GOOD_LINE}\n\n{line}\n")
    result = mtdf(*EVENT, "--book", "b.epd", "--dry-run", "--depth", "1")
    assert result.code == 0
    assert "left out b.epd line 3" in result.err and reason in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["b.epd"]


def test_too_small_book(mtdf: Run, tmp_path: Path) -> None:
    (tmp_path / "one.epd").write_text(f"{GOOD_LINE}\n")
    result = mtdf(*GAUNTLET, "--nodes", "50", "--book", "one.epd", "--pairs", "2")
    assert result.code == 2
    assert "2 pairs need 2 openings and book one has 1" in result.errors[0]


@each(
    "words, option",
    [
        (("trace", "--position", "start", "--engine", "sss", "--engine", "mtdf"), "--engine"),
        (
            ("lab", "sweep", "--engine", "mtdf", "--param", "hash=1", "--param", "guess=zero"),
            "--param",
        ),
        ((*EVENT, "-j", "1", "--jobs", "2"), "--jobs"),
        (("--db", "a.db", "--db", "b.db", "games"), "--db"),
    ],
)
def test_option_given_twice_is_refused(words: tuple[str, ...], option: str, mtdf: Run) -> None:
    result = mtdf(*words)
    assert result.code == 2
    assert result.errors == [f"error: {option} is given twice: give it once"]


def test_help_wins_over_bad_options(mtdf: Run) -> None:
    result = mtdf("lab", "compare", "--depth", "3", "--depth", "4", "--help")
    assert result.code == 0 and "Examples:" in result.out


def test_flags_and_global_options_may_be_repeated(mtdf: Run) -> None:
    assert mtdf(*EVENT, "-q", "-q", "--quiet", "-v", "-v", "--db", "a.db").code == 0
    assert mtdf("--db", "none.db", "games", "--db", "a.db").code == 0, "that of the command counts"


def test_empty_book(mtdf: Run, tmp_path: Path) -> None:
    (tmp_path / "none.epd").write_text("# nothing\n\n")
    result = mtdf(*EVENT, "--book", "none.epd")
    assert result.code == 2
    assert "has no openings" in result.errors[0]


def _directory(path: Path) -> None:
    path.mkdir()


def _text(path: Path) -> None:
    path.write_text("This is a text and no database at all.\n" * 50)


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()


def _newer(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        connection.execute("INSERT INTO alembic_version VALUES ('999.0.0')")
    connection.close()


@each(
    "make, message",
    [
        (_directory, "is not a regular file"),
        (_text, "is not an SQLite database"),
        (_foreign, "is a database of another program"),
        (_newer, "upgrade mtdf"),
    ],
)
@each("words", [EVENT, ("games",), ("ratings",), ("resume", "last")])
def test_bad_database(
    make: Callable[[Path], None], message: str, words: tuple[str, ...], mtdf: Run, tmp_path: Path
) -> None:
    path = tmp_path / "bad.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    result = mtdf(*words, "--db", "bad.db")
    assert result.code == 3
    assert (result.out, len(result.errors)) == ("", 1)
    assert message in result.errors[0]
    assert before is None or path.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == ["bad.db"]


@each("words", [("games",), ("events",), ("ratings",), ("resume", "last")])
def test_missing_database(words: tuple[str, ...], mtdf: Run, tmp_path: Path) -> None:
    result = mtdf(*words, "--db", "nope.db")
    assert result.code == 3
    assert result.errors == ["error: no database at nope.db (set MTDF_DB or pass --db)"]
    assert list(tmp_path.iterdir()) == []


def test_damaged_database(on: Run) -> None:
    path = Path("played.db")
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 3)
        file.write(b"\xff" * (size // 3))
    for words in (("games",), ("ratings",), EVENT, ("db", "check")):
        result = on(*words)
        assert result.code == 3
        assert len(result.errors) == 1
        assert "is damaged" in result.errors[0]


def test_running_event_is_not_resumed(on: Run) -> None:
    from db.session import open_database

    with open_database("played.db") as db:
        key = db.repository.events()[0].key
        with db.run_lock(key):
            result = on("resume", key)
            assert result.code == 3
            # Engines that a run killed elsewhere on the machine left behind are told of, too.
            (error,) = [line for line in result.errors if line.startswith("error: ")]
            assert "is already running in process" in error
            assert on("games", "--limit", "1").code == 0, "reports may still read it"


def test_database_in_a_missing_directory(mtdf: Run) -> None:
    result = mtdf(*EVENT, "--db", "no/such/dir/x.db")
    assert result.code == 3
    assert len(result.errors) == 1


@each("name", ["last", "r999", "rabcde", "  "])
def test_reserved_event_name_is_refused(mtdf: Run, tmp_path: Path, name: str) -> None:
    file = tmp_path / "g.pgn"
    file.write_text('[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 1-0\n')
    for words in (
        ("match", "mtdf", "pvs", "--pairs", "1", "--nodes", "60", "--name", name),
        ("import", str(file), "--event", name),
        ("import", str(file), "--event", ""),
    ):
        refused = mtdf(*words)
        assert refused.code == 2 and "name" in refused.errors[-1]


def test_win_needs_an_engine(on: Run) -> None:
    assert "needs an engine" in on("games", "--result", "win").errors[0]
    assert on("games", "--result", "loss").code == 2
