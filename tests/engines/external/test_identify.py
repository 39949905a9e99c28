"""External engines are described by their names, options and files."""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from engines.errors import EngineFailure, VariantError
from engines.external import files
from engines.external.files import NamedFiles, changed_part, file_digest
from engines.external.identify import identify
from engines.spec import UciCommand, UciEngine, UciSetup

Fake = Callable[..., UciCommand]
OPTIONS = """option name Hash type spin default 16 min 1 max 64
option name Threads type spin default 1 min 1 max 8
option name Ponder type check default false
option name Style type combo default Solid var Solid var Risky
option name Clear type button
option name Net type string default <empty>
option name UCI_Chess960 type check default false
"""


@pytest.fixture
def options(tmp_path: Path) -> str:
    """The argument that makes the scripted engine announce options."""
    path = tmp_path / "options"
    path.write_text(OPTIONS)
    return f"options={path}"


def sha256(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def found(command: UciCommand, **options: str) -> UciEngine:
    return identify(setup(command, options)).engine


def setup(
    command: UciCommand, options: Mapping[str, str] | None = None, label: str = "uci:fake"
) -> UciSetup:
    chosen = tuple((options or {}).items())
    return UciSetup(command=command, options=chosen, spelling="uci:fake", label=label)


def test_engine_is_described_by_facts(fake: Fake, options: str, tmp_path: Path) -> None:
    net = tmp_path / "net.bin"
    net.write_bytes(b"weights")
    command = UciCommand(fake(options).argv, str(tmp_path), (("COLOUR", "blue"),))
    chosen = {"hash": "32", "PONDER": "off", "style": "risky", "net": "net.bin"}
    engine = identify(
        UciSetup(
            command=command,
            options=tuple(chosen.items()),
            label="x",
            spelling="uci:y",
            restart=True,
        )
    ).engine
    assert engine.command == command
    assert (engine.label, engine.spelling, engine.restart) == ("x", "uci:y", True)
    assert engine.options == (
        ("Hash", "32"),
        ("Ponder", "false"),
        ("Style", "Risky"),
        ("Net", "net.bin"),
    )
    isolated, no_site, script, argument = command.argv[1:]
    assert dict(engine.facts) == {
        "name": "Fake 1.0",
        "program": sha256(sys.executable),
        "arguments": [isolated, no_site, {"file": sha256(script)}, argument],
        "environment": {"COLOUR": "blue"},
        "options": {"Hash": "32", "Style": "Risky", "Net": {"file": sha256(net)}},
    }
    assert pickle.loads(pickle.dumps(engine)) == engine


@pytest.mark.slow
def test_identity_follows_what_plays(fake: Fake, options: str) -> None:
    plain = found(fake(options))
    assert plain.label == plain.spelling == "uci:fake"
    assert found(fake(options), Hash="16", style="SOLID", Net="").identity == plain.identity
    others = [
        found(fake(options), Hash="17"),
        found(fake(options), Net="x"),
        found(fake(options, "twice")),
        found(UciCommand(fake(options).argv, environment=(("A", "1"),))),
    ]
    assert len({engine.identity for engine in [plain, *others]}) == 5


@pytest.mark.slow
def test_options_are_sent(fake: Fake, options: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    identified = identify(setup(fake(options, f"log={log}"), {"hash": "8", "Net": ""}))
    assert log.read_text().splitlines() == [
        "uci",
        "setoption name Hash value 8",
        "setoption name Net value <empty>",
        "isready",
        "quit",
    ]
    assert identified.announced.options["Style"].choices == ("Solid", "Risky")


@pytest.mark.slow
def test_threads_decide_determinism(fake: Fake, tmp_path: Path) -> None:
    for default, set_to, deterministic in [
        ("1", None, True),
        ("1", "1", True),
        ("1", "2", False),
        ("2", None, False),
        ("2", "1", True),
    ]:
        path = tmp_path / "options"
        path.write_text(f"option name threads type spin default {default} min 1 max 8\n")
        chosen = {} if set_to is None else {"Threads": set_to}
        engine = found(fake(f"options={path}"), **chosen)
        assert engine.deterministic == deterministic
        assert engine.facts["options"] == ({} if set_to in (None, default) else {"threads": set_to})


@pytest.mark.slow
def test_wrong_options_are_refused(fake: Fake, options: str) -> None:
    for chosen, message in [
        ({"Hsah": "1"}, "engine `me`: no option `Hsah`; did you mean `Hash`?"),
        ({"Hash": "65"}, "engine `me`: option Hash=65 is not allowed; it takes 1 to 64"),
        ({"Hash": "1", "hash": "1"}, "engine `me`: option `Hash` is given twice"),
        ({"uci_chess960": "true"}, "engine `me`: UCI_Chess960 is set for each game"),
    ]:
        with pytest.raises(VariantError) as caught:
            identify(setup(fake(options), chosen, "me"))
        assert str(caught.value) == message


@pytest.mark.slow
def test_programs_that_are_no_engine_are_refused(fake: Fake) -> None:
    for command, message in [
        (UciCommand(("true",)), r"`true` .*before `uciok`: is it a UCI engine\?"),
        (UciCommand(("cat",)), "`cat` printed no `uciok` within 0.2 s: it is not a UCI engine, or"),
        (fake("hang=uci"), "printed no `uciok` within 0.2 s"),
        (fake("die=uci"), r"ended \(exit code 4\) \(before `uciok`"),
        (fake("sleep=uci:11"), "or takes longer to start"),
    ]:
        patience_s = 5.0 if command.argv[-1] == "die=uci" or command.argv == ("true",) else 0.2
        with pytest.raises(EngineFailure, match=message) as caught:
            identify(setup(command, label=command.argv[0]), patience_s=patience_s)
        assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_engine_that_does_not_get_ready_is_refused(fake: Fake) -> None:
    with pytest.raises(EngineFailure, match="`fake` did not get ready within 5 s"):
        identify(setup(fake("hang=isready"), label="fake"), patience_s=5.0)


def test_digest_follows_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net"
    path.write_bytes(b"one")
    assert file_digest(str(path)) == sha256(path)
    with monkeypatch.context() as patch:
        patch.setattr(files.hashlib, "file_digest", None)
        assert file_digest(str(path)) == sha256(path)  # not read again
    path.write_bytes(b"another")
    assert file_digest(str(path)) == sha256(path)
    path.unlink()
    with pytest.raises(EngineFailure, match="cannot read `.*net`: No such file"):
        file_digest(str(path))


def test_files_that_engines_write_count_by_name(tmp_path: Path) -> None:
    """By the name of the option or argument or of the file; others by their content."""
    for name in ("net", "out.log", "x.EXP"):
        (tmp_path / name).write_text(name)
    argv = ("engine", "--log", "net", "--logfile", "net", "--eval", "net", "net", "out.log")
    net = {"file": sha256(tmp_path / "net")}
    files = NamedFiles.before_start(UciCommand(argv, str(tmp_path)), ["net", "absent"])
    assert files.arguments() == ["--log", "net", "--logfile", "net", "--eval", net, net, "out.log"]
    for name in ("Debug Log File", "LogFile", "LOG", "Experience File", "BookLearning"):
        assert files.fact(name, "net") == "net", name
    for name in ("EvalFile", "Catalog", "Dialogue", ""):
        assert files.fact(name, "net") == net, name
        assert files.fact(name, "x.EXP") == "x.EXP", name
        assert files.fact(name, "absent") == "absent", name
    every = NamedFiles.before_start(UciCommand(argv, str(tmp_path), files="all"), [])
    assert every.fact("LogFile", "net") == net
    no = NamedFiles.before_start(UciCommand(argv, str(tmp_path), files="none"), [])
    assert no.fact("EvalFile", "net") == "net"
    (tmp_path / "net").write_text("changed since the engine started")
    (tmp_path / "absent").write_text("now it is there")
    assert files.fact("EvalFile", "net") == "net" and files.fact("EvalFile", "absent") == "absent"


@pytest.mark.slow
def test_engine_with_a_log_is_the_same_every_time(fake: Fake, options: str, tmp_path: Path) -> None:
    Path(options.partition("=")[2]).write_text(f"{OPTIONS}option name Log File type string\n")
    log, out = tmp_path / "log", tmp_path / "out"
    program = ("sh", "-c", 'date >> "$0"; exec "$@"', str(out), *fake(options).argv)
    engines = []
    for _ in range(3):
        engines.append(found(UciCommand(program), **{"Log File": str(log)}))
        log.write_text(f"{len(engines)} games")
        assert changed_part(engines[0]) is None
    assert len({engine.identity for engine in engines}) == 1 and out.stat().st_size


@pytest.mark.slow
def test_changes_of_files_are_noticed(options: str, tmp_path: Path) -> None:
    script, net = tmp_path / "engine.py", tmp_path / "net"
    fake = Path(__file__).parents[1] / "fake_uci.py"
    program = tmp_path / "program"
    for path, text in [
        (script, fake.read_text()),
        (net, "one"),
        (program, f'#!/bin/sh\nexec {sys.executable} -S "$@"\n'),
    ]:
        path.write_text(text)
    program.chmod(0o755)
    engine = found(UciCommand((str(program), str(script), options)), Net=str(net), Hash="3")
    assert changed_part(engine) is None
    for path in (net, script, program):
        old = path.read_text()
        path.write_text(f"{old}\n")
        assert changed_part(engine) == str(path)
        path.write_text(old)
        assert changed_part(engine) is None
    net.unlink()
    assert changed_part(engine) == str(net)
