"""Studies tune the options of external engines."""

from __future__ import annotations

import shutil
import sys
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from msgspec import convert, structs, to_builtins

from db.records.games import GameFilter
from db.session import Database, open_database
from engines.errors import EngineFailure, VariantError
from engines.external.protocol import parse_announcement
from engines.limit import Limit
from engines.spec import Param, UciCommand, UciEngine
from engines.variant import altered, respelled
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.books.book import package_book
from toolkit.events.contenders import contender_of
from toolkit.events.settings import EventSettings
from toolkit.referee.adjudication import Adjudication, ResignRule
from toolkit.referee.signature import split_signature
from toolkit.tuning.settings import StudySettings
from toolkit.tuning.space.options import tuned_option
from toolkit.tuning.space.space import Dimension, Space
from toolkit.tuning.study.confirm import confirm_study, confirmation_row, confirmation_settings
from toolkit.tuning.study.export import toml_text, variant_text
from toolkit.tuning.study.plan import estimate_study
from toolkit.tuning.study.progress import StudyProgress
from toolkit.tuning.study.report import export_row, study_report
from toolkit.tuning.study.request import StudyKeywords, make_settings
from toolkit.tuning.study.run import resume_study, run_study

Failing = Callable[..., list[str]]

GREEDY = Path(__file__).parent / "greedy_uci.py"
SHORT = Adjudication(max_plies=60, draw=None, resign=ResignRule(plies=2, cp=300))
ANNOUNCED = parse_announcement(
    b"id name Greedy 1\n"
    b"option name Skill type spin default 20 min 0 max 100\n"
    b"option name Lazy Move type spin default 0 min -5 max 5\n"
    b"option name Open type spin default 7\n"
    b"option name a=b type spin default 1 min 1 max 9\n"
    b"option name Bold type check default true\n"
    b"option name Style type combo default Calm var Calm var Wild\n"
    b"option name Threads type spin default 1 min 1 max 8\n"
    b"option name Depth Limit type spin min 1 max 8\n"
    b"option name Clear type button\n"
    b"option name Book type string default <empty>\n"
    b"uciok\n"
)
ENGINE = UciEngine(
    command=UciCommand(("greedy",)),
    options=(("Skill", "30"),),
    facts={"name": "Greedy 1", "program": "0", "arguments": [], "environment": {}, "options": {}},
    spelling="greedy:Skill=30",
    label="greedy",
    defaults=(
        ("Skill", "20"),
        ("Lazy Move", "0"),
        ("Open", "7"),
        ("a=b", "1"),
        ("Bold", "true"),
        ("Style", "Calm"),
    ),
)


def option(name: str) -> Param:
    return tuned_option(ANNOUNCED, ENGINE, name)


def command(path: Path = GREEDY, options: str = "") -> str:
    """The text of the engine."""
    words = " ".join(quote(str(word), safe="/") for word in (sys.executable, path))
    return f"uci:{words}?{options}{'&' if options else ''}name=greedy"


def study(base: str, **more: Any) -> StudyKeywords:
    """A short study of the engine's skill."""
    return {
        **StudyKeywords(
            parameters=["skill=5..95"],
            base=base,
            limit=Limit(nodes=1),
            book=package_book("default-500"),  # small: each database stores it
            adjudication=SHORT,
            budget_pairs=60,
            pairs_per_trial=4,
            seed=2,
            name="s",
        ),
        **more,
    }


def content(db: Database) -> list[Any]:
    """What is stored of the only study and its games, but for moments."""
    (record,) = db.repository.studies()
    trials = [
        structs.replace(one, started_at="", ended_at=None)
        for one in db.repository.trials(record.id)
    ]
    games = {
        (game.pairing, game.pair, game.game): (game.white, game.white_id, game.result, game.moves)
        for game in db.repository.games(GameFilter(event_id=record.event_id))
    }
    return [record.settings, record.result, trials, db.repository.encounters(record.id), games]


def test_options_are_parameters_with_announced_names() -> None:
    space = Space.of_options(
        option, ["SKILL=10..90,log", "lazy move", "bold", "style=wild|calm", "a%3Db", "open=1..9"]
    )
    assert space.dimensions == (
        Dimension("Skill", "int", 10, 90, log=True),
        Dimension("Lazy Move", "int", -5, 5),
        Dimension("Bold", "choice", choices=(False, True)),
        Dimension("Style", "choice", choices=("Wild", "Calm")),
        Dimension("a=b", "int", 1, 9),
        Dimension("Open", "int", 1, 9),
    )
    assert [option(name).default for name in space.names] == [30, 0, True, "Calm", 1, 7]


def test_untunable_options_are_refused_in_one_line(failing: Failing) -> None:
    def check(texts: tuple[str, ...], said: str) -> None:
        with pytest.raises(UsageError, match=said) as caught:
            Space.of_options(option, texts)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 500

    assert not failing(
        check,
        [
            ((), "nothing to tune"),
            (("Skil=1..5",), "no option `Skil`; did you mean `Skill`"),
            (("Skill=1..500",), "`Skill` goes from 0 to 100"),
            (("Lazy Move=-6..5",), "`Lazy Move` goes from -5 to 5"),
            (("Skill=1..5", "skill"), "`Skill` is given twice"),
            (("Skill=0.5..5",), "`Skill` takes whole numbers"),
            (("Skill=1|x",), "Skill=x is not allowed; Skill takes 0 to 100"),
            (("Open",), "announces no range: give one"),
            (("Open=1|x",), "Open takes a number"),
            (("Bold=1..2",), r"`Bold` has no range; its values are on\|off"),
            (("Style=Calm|Wide",), "did you mean `Wild`"),
            (("Skill=1..5,Bold=true",), "options have no conditions"),
            (("Threads",), "`Threads` cannot be tuned"),
            (("Book=a|b",), "`Book` cannot be tuned: it is a string"),
            (("Clear",), "`Clear` cannot be tuned: it is a button"),
            (("Depth Limit",), "`Depth Limit` has no announced default"),
            (("=1..5",), "is not the name of a parameter"),
            (("x" * 5000,), "no option `x+…x+`$"),
        ],
    )


def test_altered_engine_has_readable_text(failing: Failing) -> None:
    def check(spelling: str, expected: str) -> None:
        defaults = (("Razor Margin", "1"), ("On", "false"), ("Kept", "3"))
        base = structs.replace(ENGINE, spelling=spelling, options=(), defaults=defaults)
        engine = altered(base, {"Razor Margin": 250, "On": True, "Kept": 3})
        assert (engine.spelling, engine.label) == (expected, expected)
        assert respelled(respelled(spelling, {"name": "x"}), {"name": "y"}).endswith("name=y")
        assert altered(engine, {"Razor Margin": 1, "On": False}).identity == base.identity

    assert not failing(
        check,
        [
            ("sf", "sf:Razor%20Margin=250,On=true"),
            ("sf:razor%20margin=1,Hash=4", "sf:Hash=4,Razor%20Margin=250,On=true"),
            ("uci:sf", "uci:sf?Razor%20Margin=250&On=true"),
            ("uci:sf%3F x?On=false&dir=/a", "uci:sf%3F x?dir=/a&Razor%20Margin=250&On=true"),
        ],
    )


def test_text_of_point_starts_its_engine() -> None:
    base = contender_of(command()).engine
    point = altered(base, {"Skill": 50, "Bold": True, "Style": "Wild", "Lazy Move": -2})
    again = contender_of(point.spelling).engine
    assert isinstance(again, UciEngine)
    assert (again.identity, again.options) == (point.identity, point.options)  # type: ignore[union-attr]


@pytest.mark.slow
def test_base_must_be_point_without_limit() -> None:
    for base, more, said in (
        (command(options="nodes=5"), {}, "has a limit of its own"),
        (command(), {"parameters": ["Skill=30..90"]}, "the base has Skill=20.*uci:.*Skill=30"),
        (command(), {"objective": "nodes", "limit": None}, "`greedy` is an external engine"),
        (command(), {"limit": Limit(cpu_ms=5)}, "cannot be limited by CPU time"),
    ):
        with pytest.raises(UsageError, match=said):
            make_settings(**study(base, **more))
    with pytest.raises(EngineFailure, match="does not exist"):
        make_settings(**study("uci:/no/such/engine"))


@pytest.mark.slow
def test_spsa_finds_skill_of_external_engine(tmp_path: Path) -> None:
    """From the search to the export: what the database says means the engine that was measured."""
    settings = make_settings(**study(command(), budget_pairs=90))
    assert estimate_study(settings)[0] is not None
    with open_database(tmp_path / "s.db", create=True) as db:
        outcome = run_study(db, settings)
        assert (outcome.status, outcome.problem) == ("done", None)
        record = db.repository.study(outcome.study.id)
        row, report = export_row(db, record), study_report(db, record)
        skill = row.parameters["Skill"]
        assert isinstance(skill, int) and skill > 20 and not row.is_base
        assert row.gain_elo is not None and row.gain_elo > 0
        assert report.base == command().partition("?")[0]
        found = contender_of(variant_text(record)).engine
        assert found.label == "s" and isinstance(found, UciEngine)
        assert found.options == (("Skill", str(skill)),)
        assert tomllib.loads(toml_text(row))["engine"] == row.variant == report.recommended
        stored = {variant.id: variant for variant in db.repository.variants()}
        assert stored[found.identity].spelling == row.variant
        labels = [one.label for one in db.repository.event_players(record.event_id or 0)]
        assert labels[0] == "greedy" and {"#0+", "#0-"} <= {*labels}
        event, book = confirmation_settings(db, record, pairs=12, sprt=None)
        confirmed = confirm_study(db, record, event, book=book)
        elo = confirmation_row(db, record, confirmed.event, None).elo
        assert elo is not None and elo > 0


@pytest.mark.slow
def test_opponent_keeps_its_limit(tmp_path: Path) -> None:
    rival = command(options="Skill=60&nodes=7").replace("name=greedy", "name=rival")
    settings = make_settings(**study(command(), against=(rival,), budget_pairs=24))
    assert convert(to_builtins(settings), StudySettings) == settings
    assert settings.event.limits == (Limit(nodes=1), Limit(nodes=7))
    with open_database(tmp_path / "s.db", create=True) as db:
        assert run_study(db, settings).status == "done"
        (record,) = db.repository.studies()
        event = EventSettings.from_json(db.repository.event(record.event_id or 0).settings)
        games = list(db.repository.games(GameFilter(event_id=record.event_id)))
        assert games
        for game in games:
            limits = dict(
                zip((game.white, game.black), event.limits_of(game.white, game.black), strict=True)
            )
            assert limits.pop("rival") == Limit(nodes=7)
            assert [*limits.values()] == [Limit(nodes=1)]


def stopped_after(number: int) -> tuple[threading.Event, Any]:
    """An event that is set when the study has shown itself so often."""
    stop, left = threading.Event(), [number]

    def note(progress: StudyProgress) -> None:
        left[0] -= 1
        if left[0] <= 0:
            stop.set()

    return stop, note


@pytest.mark.slow
def test_stopped_study_equals_unbroken_one(tmp_path: Path) -> None:
    settings = make_settings(**study(command(), budget_pairs=24))
    with open_database(tmp_path / "whole.db", create=True) as db:
        assert run_study(db, settings).status == "done"
        whole = content(db)
    with open_database(tmp_path / "cut.db", create=True) as db:
        stop, note = stopped_after(4)
        outcome = run_study(db, settings, stop=stop, on_progress=note)
        assert outcome.status == "interrupted"
        assert resume_study(db, "s").status == "done"
        assert content(db) == whole


@pytest.mark.slow
def test_changed_engine_resumes_only_if_allowed(tmp_path: Path) -> None:
    path = tmp_path / "engine.py"
    shutil.copy(GREEDY, path)
    with open_database(tmp_path / "s.db", create=True) as db:
        settings = make_settings(**study(command(path), budget_pairs=24))
        stop, note = stopped_after(3)
        run_study(db, settings, stop=stop, on_progress=note)
        path.write_text(GREEDY.read_text() + "# changed\n")
        with pytest.raises(EngineProblem, match="`greedy` changed since study s .*--allow-changed"):
            resume_study(db, "s")
        (record,) = db.repository.studies()
        before = {game.id for game in db.repository.games(GameFilter(event_id=record.event_id))}
        assert resume_study(db, "s", allow_changed=True).status == "done"
        base = make_settings(**study(command(path))).base
        assert base is not None and settings.base is not None and base.id != settings.base.id
        now, was = base.engine, settings.base.engine
        players = db.repository.event_players(record.event_id or 0)
        points = {one.label: one.variant_id for one in players}
        ends = {
            trial.number: {"+": dict(trial.params)} for trial in db.repository.trials(record.id)
        }
        played = 0
        for game in db.repository.games(GameFilter(event_id=record.event_id)):
            marks = split_signature(game.signature).changed
            assert bool(marks) == (game.id not in before)
            if not marks or not game.white.endswith("+"):
                continue
            point = ends[int(game.white[1:-1])]["+"]
            old, new = altered(was, point).identity, altered(now, point).identity
            assert (points[game.white], marks[old[:8]]) == (old, new[:8])
            played += 1
        assert played
        with pytest.raises(EngineProblem, match="changed since study s tuned it") as caught:
            record = structs.replace(record, result=confirmable(db))
            confirmation_settings(db, record, pairs=2, sprt=None)
        assert "mtdf tune export s" in str(caught.value)


def confirmable(db: Database) -> dict[str, Any]:
    """The result of the only study, as if it had found something."""
    (record,) = db.repository.studies()
    found = {"recommended": {"Skill": 70}, "parameters": {"Skill": 70}, "is_base": False}
    return {**dict(record.result or {}), **found}


@pytest.mark.slow
def test_changed_engine_without_option_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "engine.py"
    shutil.copy(GREEDY, path)
    with open_database(tmp_path / "s.db", create=True) as db:
        stop, note = stopped_after(2)
        run_study(db, make_settings(**study(command(path))), stop=stop, on_progress=note)
        path.write_text(GREEDY.read_text().replace("name Skill ", "name Ability "))
        with pytest.raises(EngineProblem, match="cannot have the tuned values.*no option `Skill`"):
            resume_study(db, "s", allow_changed=True)


@pytest.mark.slow
def test_unknown_option_is_refused_before_storing() -> None:
    with pytest.raises(VariantError, match="no option `Skil`"):
        make_settings(**study(command(options="Skil=5")))
