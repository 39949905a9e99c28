"""Texts of engines are read correctly; label and spelling stand for the same engine again."""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Callable, Mapping, Sequence
from os.path import abspath, join
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import convert, structs, to_builtins
from msgspec.structs import replace

from engines.errors import EngineFailure, LimitError, VariantError
from engines.external.identify import identify
from engines.limit import Limit
from engines.registry import PARAMETERS
from engines.spec import Engine, UciCommand, UciEngine, UciSetup, Variant
from engines.variant import parse_variant, respelled
from toolkit.base.errors import UsageError
from toolkit.events.contenders import (
    MAX_EXPANDED,
    OWN_KEYS,
    check_engine_name,
    contender_of,
    expanded,
    read_command,
    read_contenders,
)
from toolkit.events.players import Contender
from toolkit.events.settings import match_settings

Failing = Callable[..., list[str]]

FAKE = Path(__file__).parents[1] / "engines" / "fake_uci.py"
KEPT = UciSetup(
    command=UciCommand(("stockfish", "-x"), "/opt"),
    options=(("Hash", "64"), ("Style", "Calm")),
    spelling="fish-2.0",
    label="fish-2.0",
)
RESTARTED = UciSetup(command=UciCommand(("toga2",)), spelling="again", label="again", restart=True)
REGISTERED = {one.label: one for one in (KEPT, RESTARTED)}


def as_asked(setup: UciSetup) -> Any:
    """An engine that has every option that it is asked for, without a process."""
    facts = {"argv": list(setup.command.argv), "options": dict(setup.options)}
    engine = UciEngine(**structs.asdict(setup), facts=facts)
    return type("Announced", (), {"engine": engine})()


@pytest.fixture(autouse=True)
def stubbed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is started."""
    monkeypatch.setattr("engines.external.identify.identify", as_asked)


@pytest.fixture
def real(stubbed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines are started after all."""
    monkeypatch.setattr("engines.external.identify.identify", identify)


def read(text: str) -> Contender:
    return read_contenders([text], lambda: REGISTERED)[0]


def uci(text: str) -> UciEngine:
    engine = read(text).engine
    assert isinstance(engine, UciEngine)
    return engine


def test_command_and_options_are_read(failing: Failing) -> None:
    def check(text: str, argv: list[str], options: dict[str, str]) -> None:
        engine = uci(text)
        assert (list(engine.command.argv), dict(engine.options)) == (argv, options)

    assert not failing(
        check,
        [
            ("uci:stockfish", ["stockfish"], {}),
            ("uci:stockfish?", ["stockfish"], {}),
            ("uci:gnuchess --uci", ["gnuchess", "--uci"], {}),
            ("uci:'my engine' -x", ["my engine", "-x"], {}),
            ('uci:"my engine" ""', ["my engine", ""], {}),
            ("uci:my%20engine", ["my engine"], {}),
            ("uci:a%3Fb%25?X=1", ["a?b%"], {"X": "1"}),
            ("uci:a%27b", ["a'b"], {}),
            ("uci:/opt/Motör/♞ x=y:z", ["/opt/Motör/♞", "x=y:z"], {}),
            ("uci:a?Hash=64&Threads=2", ["a"], {"Hash": "64", "Threads": "2"}),
            ("uci:a?Book File=/b c.bin", ["a"], {"Book File": "/b c.bin"}),
            ("uci:a?Book%20File=%2Fb%26c%3Dd%25", ["a"], {"Book File": "/b&c=d%"}),
            ("uci:a?X=1=2?3", ["a"], {"X": "1=2?3"}),
            ("uci:a?X=", ["a"], {"X": ""}),
            ("uci:a?&X=1&", ["a"], {"X": "1"}),
            ("uci:a?X=1+2", ["a"], {"X": "1+2"}),
            ("uci:a?X=%zz", ["a"], {"X": "%zz"}),
            # The keys of ours are in lower case; an option may be called so in another case.
            ("uci:a?Depth=3&Name=x", ["a"], {"Depth": "3", "Name": "x"}),
            ("uci:a?Depth=3&depth=5", ["a"], {"Depth": "3"}),
        ],
    )


def test_path_of_a_program_may_have_blanks_and_quotation_marks(tmp_path: Path) -> None:
    for name in ("run", "run me", "it's", "a,b"):
        (tmp_path / name).touch()
    for text, argv, label in (
        (f"uci:{tmp_path}/run me", ["run me"], "run_me"),
        (f"uci:{tmp_path}/run me --x 'y z'", ["run me", "--x", "y z"], "run_me"),
        (f"uci:{tmp_path}/run%20me -x?Hash=1", ["run me", "-x"], "run_me:Hash=1"),
        (f"uci:{tmp_path}/it's", ["it's"], "it's"),
        (f"uci:./it's -x?dir={tmp_path}&Book File=a b", ["it's", "-x"], "it's:Book_File=a_b"),
        (f"uci:{tmp_path}/run you", ["run", "you"], "run"),
        (f"uci:{tmp_path}/a,b", ["a,b"], "a_b"),
    ):
        engine = uci(text)
        words = [str(tmp_path / argv[0]), *argv[1:]]
        assert (list(engine.command.argv), engine.label) == (words, label), text
        assert uci(engine.spelling).command == engine.command


def test_own_keys_are_not_options() -> None:
    one = read("uci:a?dir=/opt/x y&env.PATH=/bin:/b%26c&env.A=&restart=on&name=sf&X=1&nodes=7")
    engine = one.engine
    assert isinstance(engine, UciEngine)
    assert engine.command == UciCommand(("a",), "/opt/x y", (("A", ""), ("PATH", "/bin:/b&c")))
    assert (engine.restart, engine.label, dict(engine.options)) == (True, "sf", {"X": "1"})
    assert one.limit == Limit(nodes=7)


def test_limit_is_read_in_each_kind_of_text(failing: Failing) -> None:
    def check(keys: list[str], limit: Limit) -> None:
        texts = [
            f"uci:a?X=1&{'&'.join(keys)}",
            f"fish-2.0:X=1,{','.join(keys)}",
            f"pvs:{','.join(keys)}",
        ]
        for text in texts:
            assert read(text).limit == limit
        own = read(texts[2]).engine
        assert isinstance(own, Variant) and own.spelling == "pvs"
        assert own.identity == contender_of("pvs").engine.identity
        # The default label names the limit, and reads as the same player.
        assert own.label != "pvs" and read(own.label) == read(texts[2])

    assert not failing(
        check,
        [
            (["nodes=500"], Limit(nodes=500)),
            (["depth=6", "nodes=500"], Limit(nodes=500, depth=6)),
            (["movetime=250"], Limit(movetime_ms=250)),
            (["tc=10+0.1"], Limit(base_ms=10_000, inc_ms=100)),
            (["tc=40/60"], Limit(base_ms=60_000, moves=40)),
            (["tc=40/60+0.5", "depth=9"], Limit(base_ms=60_000, inc_ms=500, moves=40, depth=9)),
        ],
    )


def test_cpu_time_limits_only_native_engines() -> None:
    assert read("mtdf:cpu-ms=5").limit == Limit(cpu_ms=5)
    for text in ("uci:a?cpu-ms=5", "fish-2.0:cpu-ms=5"):
        with pytest.raises(VariantError, match="`cpu-ms` cannot be"):
            read(text)


def test_registered_engine_takes_other_options() -> None:
    engine = uci("fish-2.0:hash=128,Book%20File=a%2Cb:c,restart=on")
    assert engine.command == KEPT.command
    # `hash` replaces what is kept as `Hash`.
    assert dict(engine.options) == {"Style": "Calm", "hash": "128", "Book File": "a,b:c"}
    assert engine.restart and not uci("fish-2.0").restart
    assert uci("again").restart and not uci("again:restart=off").restart


def test_files_that_count_belong_to_command() -> None:
    for text in ("uci:a?files=all&X=1", "fish-2.0:files=none"):
        engine = uci(text)
        assert engine.command.files == text.partition("files=")[2][:4].rstrip("&")
        assert uci(engine.spelling).command == engine.command
        assert convert(to_builtins(engine), Engine) == engine
    assert "files" not in to_builtins(uci("uci:a"))["command"]


def test_memory_bound_belongs_to_command() -> None:
    for text, base in (("uci:a?memory=300&X=1", "uci:a?X=1"), ("fish-2.0:memory=300", "fish-2.0")):
        engine, free = uci(text), uci(base)
        assert engine.command == replace(free.command, memory_mb=300)
        assert free.command.memory_mb is None
        assert (engine.options, engine.identity) == (free.options, free.identity)
        assert uci(engine.spelling).command == engine.command
        stored = to_builtins(engine)
        assert convert(stored, Engine) == engine
        # What is not used leaves no trace in the settings.
        assert stored["command"]["memory_mb"] == 300
        assert "memory_mb" not in to_builtins(free)["command"]


def test_registry_is_read_only_when_needed() -> None:
    def never() -> Mapping[str, UciSetup]:
        raise AssertionError

    assert len(read_contenders(["pvs", "uci:a?X=1"], never)) == 2


def written(items: Mapping[str, str], separator: str) -> str:
    """Items as a cautious user writes them: everything is encoded."""
    return separator.join(f"{quote(k, safe='')}={quote(v, safe='')}" for k, v in items.items())


def same(one: Contender, other: Contender) -> bool:
    """Whether two texts stand for one engine and limit, whatever it is called."""
    if isinstance(one.engine, Variant):
        return one.engine.identity == other.engine.identity and one.limit == other.limit
    first, second = one.engine, other.engine
    assert isinstance(first, UciEngine) and isinstance(second, UciEngine)
    return (first.command, dict(first.options), first.restart) == (
        second.command,
        dict(second.options),
        second.restart,
    )


TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=8
).filter(lambda text: text == text.strip())
KEY = TEXT.filter(lambda key: key not in OWN_KEYS and not key.startswith("env."))
VARIABLE = st.text(string.ascii_letters + "_é", min_size=1, max_size=5)


@given(
    argv=st.lists(TEXT | st.just(""), max_size=3),
    program=TEXT,
    options=st.dictionaries(KEY, TEXT | st.just(""), max_size=3),
    environment=st.dictionaries(VARIABLE, TEXT, max_size=2),
    directory=st.none() | TEXT,
    restart=st.booleans(),
)
@settings(max_examples=40)
def test_spelling_reproduces_engine(
    argv: list[str],
    program: str,
    options: dict[str, str],
    environment: dict[str, str],
    directory: str | None,
    restart: bool,
) -> None:
    if len({key.lower() for key in options}) < len(options):
        return
    words = " ".join(quote(word, safe="") or "''" for word in (program, *argv))
    items = {**options, **{f"env.{key}": value for key, value in environment.items()}}
    items |= {} if directory is None else {"dir": directory}
    items |= {"restart": "on"} if restart else {}
    text = f"uci:{words}?{written(items, '&')}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engines.external.identify.identify", as_asked)
        engine = uci(text)
        wanted = abspath(join(directory or "", program)) if "/" in program else program
        assert list(engine.command.argv) == [wanted, *argv]
        assert dict(engine.options) == options
        assert dict(engine.command.environment) == environment
        folder = None if directory is None else abspath(directory)
        assert (engine.command.directory, engine.restart) == (folder, restart)
        assert same(read(engine.spelling), read(text))
        assert uci(engine.spelling).spelling == engine.spelling


@given(
    options=st.dictionaries(KEY, TEXT | st.just(""), max_size=3),
    name=st.sampled_from(sorted(REGISTERED)),
    restart=st.sampled_from([None, "on", "off"]),
)
@settings(max_examples=40)
def test_spelling_of_registered_engine_reproduces_it(
    options: dict[str, str], name: str, restart: str | None
) -> None:
    if len({key.lower() for key in options}) < len(options):
        return
    items = options | ({} if restart is None else {"restart": restart})
    text = f"{name}:{written(items, ',')}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engines.external.identify.identify", as_asked)
        engine = uci(text)
        assert {key: dict(engine.options)[key] for key in options} == options
        assert same(read(engine.spelling), read(text))
        # A label has no spaces or commas but between options, and is of one line.
        assert len(engine.label) <= 60 and engine.label.isprintable()


@given(st.text(max_size=60) | st.text("uci:?&=,%'\"\\ mtdfpvs{}*", max_size=40))
@settings(max_examples=40)
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engines.external.identify.identify", as_asked)
        try:
            read(text)
        except (VariantError, LimitError) as error:
            assert len(str(error)) < 400


@given(
    key=st.sampled_from(["nodes", "depth", "movetime", "tc", "restart"]), value=st.text(max_size=60)
)
@settings(max_examples=40)
def test_any_value_of_own_keys_is_read_or_refused(key: str, value: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engines.external.identify.identify", as_asked)
        for text in (f"uci:a?{key}={quote(value)}", f"fish-2.0:{key}={quote(value)}"):
            try:
                read(text)
            except (VariantError, LimitError) as error:
                assert len(str(error)) < 400 and "\n" not in str(error)


def test_bad_texts_are_refused_in_one_line(failing: Failing) -> None:
    def check(text: str, message: str | None) -> None:
        if message is None:  # white space at the ends of a value is nothing
            assert uci(text).command.directory is None
            return
        with pytest.raises((VariantError, LimitError), match=message) as refused:
            read(text)
        assert len(str(refused.value)) < 300 and "\n" not in str(refused.value)

    assert not failing(
        check,
        [
            ("uci:", "a command is missing"),
            ("uci:?Hash=1", "a command is missing"),
            ("uci:''", "the command of the engine is missing"),
            ("uci:'a", "No closing quotation in `'a`, and no file has this path"),
            ("uci:a?Hash", "`Hash` is not of the form key=value"),
            ("uci:a?=1", "`=1` is not of the form key=value"),
            ("uci:a?%20=1", "is not of the form key=value"),
            ("uci:a?Hash=1&Hash=2", "`Hash` is given twice"),
            ("uci:a?Hash=1&hash=2", "`hash` is given twice"),
            ("uci:a?nodes=1&nodes=2", "`nodes` is given twice"),
            ("uci:a?env.A=1&env.A=2", r"`env.A` is given twice"),
            ("uci:a?env.=1", "names no variable"),
            ("uci:a?env.A%3DB=1", "names no variable"),
            ("uci:a?X=%FF", "encodes no UTF-8 text"),
            ("uci:%ff", "encodes no UTF-8 text"),
            ("uci:a?X=\udcff", "not UTF-8"),
            ("uci:a%00", "`a%00` has a null"),
            ("git:a@%00", "`%00` has a null"),
            ("uci:a?X=1%0Aquit", "newline or a null"),
            ("uci:a?X%0AY=1", "newline or a null"),
            ("uci:a?dir=%0D", None),
            ("fish-2.0:X=1%0Aquit", "newline or a null"),
            ("uci:a?nodes=x", "nodes=x is not a whole number"),
            ("uci:a?nodes=0", "nodes a move"),
            ("uci:a?nodes=" + "9" * 3000, "nodes a move"),
            ("uci:a?tc=soon", "clock `soon`"),
            ("uci:a?tc=5&movetime=5", "exclude each other"),
            ("uci:a?restart=maybe", "expected on or off"),
            ("uci:a?files=some", "files=some: expected read, all or none"),
            ("uci:a?memory=0", "memory=0: expected 1 to 16777216 MB"),
            ("uci:a?memory=-5", "expected 1 to"),
            ("uci:a?memory=1e3", "memory=1e3 is not a whole number"),
            ("uci:a?memory=" + "9" * 3000, "expected 1 to"),
            ("uci:a?name=", "must be 1 to 60 characters"),
            ("uci:a?name=a%20b", "without spaces or commas"),
            ("uci:a?name=" + "n" * 61, "must be 1 to 60 characters"),
            ("uci:a?name=a%1Bb", "must be 1 to 60 characters"),
            ("uci:" + "a" * 5000, "5004 characters: 4000 are the most"),
            ("fish-2.0:dir=/x", "`dir` cannot be changed"),
            ("fish-2.0:env.A=1", "`env.A` cannot be changed"),
            ("fish-2.0:Hash", "`Hash` is not of the form"),
            ("fish-2.O", "did you mean `fish-2.0`"),
            ("mtdff", "did you mean `mtdf`"),
            ("", "no driver ``"),
            ("mtdf:nodes=1,nodes=2", "`nodes` is given twice"),
            ("mtdf:restart=on", "`restart` is for external engines"),
            ("mtdf:env.A=1", "`env.A` is for external engines"),
            ("mtdf:dir=/x", "`dir` is for external engines"),
            ("mtdf:memory=5", "`memory` is for external engines"),
            ("mtdf:nodes", "`nodes` is not of the form key=value"),
            ("mtdf:depth=-1", "depth"),
            ("mtdf:tc=", "clock ``"),
        ],
    )


def test_program_without_prefix_is_suggested() -> None:
    program = Path(sys.executable).name
    with pytest.raises(
        VariantError, match=re.escape(f"did you mean `uci:{program}`, the program?")
    ):
        read(program)


def test_ambiguous_names_are_refused(failing: Failing) -> None:
    def check(name: str) -> None:
        with pytest.raises(VariantError):
            check_engine_name(name)

    assert not failing(check, zip(["mtdf", "uci", "", "-x", "a b", "a,b", "a:b", "ü", "a" * 61]))


def test_environment_variable_needs_name() -> None:
    with pytest.raises(VariantError, match="names no variable"):
        read_command(["a"], {}, None, {"": "x"})


def test_spelling_with_other_values(failing: Failing) -> None:
    def check(spelling: str, values: dict[str, str], wanted: str) -> None:
        assert respelled(spelling, values) == wanted

    assert not failing(
        check,
        [
            ("pvs", {"hash": "2"}, "pvs:hash=2"),
            ("mtdf:hash=1,guess=zero", {"hash": "2"}, "mtdf:guess=zero,hash=2"),
            ("uci:a", {"Hash": "2"}, "uci:a?Hash=2"),
            ("uci:a?hash=1&X=%26", {"Hash": "2", "Y Z": "&"}, "uci:a?X=%26&Hash=2&Y%20Z=%26"),
            ("fish:Style=a%2Cb,hash=1", {"Hash": "2"}, "fish:Style=a%2Cb,Hash=2"),
            ("fish", {}, "fish"),
        ],
    )


def test_engine_given_twice_is_refused_with_a_text_that_works(failing: Failing) -> None:
    def check(text: str) -> None:
        with pytest.raises(UsageError, match="given twice") as caught:
            match_settings(text, text, pairs=1, limit=Limit(nodes=1))
        other = str(caught.value).rpartition("label one of them: ")[2]
        first, second = match_settings(text, other, pairs=1, limit=Limit(nodes=1)).players
        assert (first.id, second.label) == (second.id, "other")

    assert not failing(check, zip(["uci:a", "uci:a -b?Hash=2&X=c,d", "pvs:hash=2"]))


@pytest.mark.slow
@pytest.mark.usefixtures("real")
def test_engines_are_identified_once_each(tmp_path: Path) -> None:
    log, options = tmp_path / "log", tmp_path / "options"
    options.write_text("option name Hash type spin default 16 min 1 max 1024\n")
    command = f"uci:{sys.executable} {FAKE} log={log} options={options}"
    found = read_contenders([f"{command}?hash=8", f"{command}?hash=8&nodes=5", "pvs"])
    first, second, own = found
    assert isinstance(first.engine, UciEngine) and isinstance(second.engine, UciEngine)
    assert dict(first.engine.options) == {"Hash": "8"}
    assert (first.limit, second.limit, own.limit) == (None, Limit(nodes=5), None)
    assert first.engine.identity == second.engine.identity
    again = read(first.engine.spelling).engine
    assert isinstance(again, UciEngine) and again.identity == first.engine.identity
    with pytest.raises(VariantError, match="did you mean `Hash`"):
        read(f"{command}?Hsh=8")
    with pytest.raises(VariantError, match="1 to 1024"):
        read(f"{command}?Hash=0")


@pytest.mark.usefixtures("real")
def test_commands_that_do_not_start_are_refused(failing: Failing) -> None:
    def check(text: str) -> None:
        with pytest.raises((EngineFailure, VariantError)) as refused:
            read(text)
        assert "\n" not in str(refused.value) and len(str(refused.value)) < 400

    assert not failing(check, zip(["uci:/no/such", "uci:/", "uci:a?dir=", "uci:sh?dir=/no/such"]))


PLAIN = st.text("ab=:,x%&?", max_size=5)
CHOICE = st.text("abc=%&", min_size=1, max_size=3)


def brute(parts: Sequence[str | list[str]]) -> list[str]:
    """Every text that the parts stand for: a list is one of several."""
    if not parts:
        return [""]
    first, *rest = parts
    ways = [first] if isinstance(first, str) else first
    return [way + tail for way in ways for tail in brute(rest)]


@given(st.lists(PLAIN | st.lists(CHOICE, min_size=1, max_size=3), max_size=5))
@settings(max_examples=40)
def test_braces_expand_to_every_combination(parts: list[str | list[str]]) -> None:
    text = "".join(one if isinstance(one, str) else f"{{{','.join(one)}}}" for one in parts)
    assert expanded(text) == brute(parts)


def test_spaces_around_alternatives_are_ignored() -> None:
    assert expanded("mtdf:hash={1, 16 }") == ["mtdf:hash=1", "mtdf:hash=16"]


@pytest.mark.parametrize("name", ["guess", "convergence", "null_move"])
def test_star_expands_to_every_value(name: str) -> None:
    found = expanded(f"mtdf:hash=1,{name}=*")
    values = PARAMETERS[name].choices or ("on", "off")
    if PARAMETERS[name].kind not in ("flag", "choice") and not PARAMETERS[name].choices:
        pytest.skip("not of few values")
    assert found == [f"mtdf:hash=1,{name}={value}" for value in values]
    assert len({parse_variant(text).identity for text in found}) == len(values)


def test_stars_and_braces_combine() -> None:
    guesses = PARAMETERS["guess"].choices
    assert expanded("mtdf:guess=*,hash={1,2}") == [
        f"mtdf:guess={guess},hash={size}" for guess in guesses for size in (1, 2)
    ]


def test_star_elsewhere_is_literal() -> None:
    for text in ("uci:a?X=*", "uci:*", "mtdf:name=a*", "fish:X=*x"):
        assert expanded(text) == [text]


def test_bad_texts_are_refused(failing: Failing) -> None:
    def check(text: str, message: str) -> None:
        with pytest.raises((UsageError, VariantError), match=message) as refused:
            expanded(text)
        assert len(str(refused.value)) < 400

    assert not failing(
        check,
        [
            ("mtdf:hash={1,2", "a brace is not closed"),
            ("mtdf:hash=1}", "a brace is not closed"),
            ("mtdf:hash={1,{2,3}}", "braces within braces|within braces"),
            ("mtdf:hash={1,2},x={", "within braces|not closed"),
            ("mtdf:hash={1,,2}", "an alternative in braces is empty"),
            ("mtdf:hash={}", "an alternative in braces is empty"),
            ("mtdf:hash=" + "{1,2}" * 200, "stands for 16069380442589902755"),
            ("mtdf:hash=*", "too many values for `\\*`"),
            ("mtdf:gues=*", "did you mean `guess`"),
            ("fish:Style=*", "list the values in braces"),
        ],
    )


def test_expansion_is_limited() -> None:
    tens = "{" + ",".join("0123456789") + "}"
    assert len(expanded(f"mtdf:hash={tens * 3}")) == MAX_EXPANDED
    with pytest.raises(UsageError, match="1000 are the most"):
        expanded(f"mtdf:hash={tens * 3}{{1,2}}")
