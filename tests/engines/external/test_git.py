"""Commits of repositories are found, and how an engine is built of them is read."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import json
from msgspec.structs import replace

from engines.errors import EngineFailure, VariantError
from engines.external.building import EXE, bench_of, default_build
from engines.external.git import bundle_of, content, find_commit, unbundled
from engines.spec import GitSource, UciEngine, UciSetup
from engines.variant import respelled
from toolkit.events import contenders
from toolkit.events.contenders import git_text, read_contenders

Read = Callable[[str], Any]
RECIPE = Path(__file__).parents[3] / "recipes" / "engine_repository.py"


def git(folder: Path, *words: str) -> str:
    settings = ("-c", "user.name=Ada", "-c", "user.email=a@example.org")
    done = subprocess.run(
        ["git", *settings, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository of the docs."""
    spec = importlib.util.spec_from_file_location("engine_repository", RECIPE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path_factory.mktemp("git") / "small"
    module.make_repository(folder)
    return folder


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Read:
    """Reads the text of an engine, which is not built."""

    def found(setup: UciSetup) -> SimpleNamespace:
        source = setup.command.source
        assert source is not None
        facts = {**source.facts, "options": dict(setup.options)}
        engine = UciEngine(**{n: getattr(setup, n) for n in setup.__struct_fields__}, facts=facts)
        return SimpleNamespace(engine=engine)

    monkeypatch.setattr("engines.external.identify.identify", found)
    monkeypatch.setattr("engines.external.identify.build_all", lambda setups: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return lambda text: read_contenders([text])[0].engine


def test_text_means_a_commit_and_a_build(
    repository: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = git(repository, "rev-parse", "cutoffs")
    monkeypatch.chdir(repository)
    engine = read("git:.@cutoffs?Hash=3&tc=1+0.1")
    source = engine.command.source
    assert source == GitSource(
        repository=str(repository), reference="cutoffs", commit=commit, build=f"make -j EXE={EXE}"
    )
    assert engine.label == f"cutoffs@{commit[:8]}:Hash=3,tc=1+0.1"
    assert engine.spelling == f"git:{repository}@{commit[:12]}?Hash=3"
    assert read(engine.spelling).identity == engine.identity == read(git_text(engine)).identity
    assert read(commit[:12].join(("git:.@", ""))).label == commit[:8]
    assert json.decode(json.encode(engine), type=UciEngine) == engine
    others = (
        "git:.@main?Hash=3",
        "git:.@cutoffs",
        "git:.@cutoffs?Hash=3&build=make",
        "git:.@cutoffs?Hash=3&binary=x",
    )
    assert len({engine.identity, *(read(other).identity for other in others)}) == 5
    same = "git:.@cutoffs?Hash=3&bench=off&timeout=7"
    assert read(same).identity == engine.identity, "neither says how the engine plays"
    assert read(same).command.source.bench == ""
    assert "bench=off&timeout=7" in git_text(read(same)) and "timeout" not in git_text(engine)
    assert respelled(engine.spelling, {"Hash": "4"}) == engine.spelling.replace("=3", "=4")
    assert read(f"git:file://{repository}@cutoffs?Hash=3").identity == engine.identity


def test_changes_of_the_work_tree_are_another_engine(repository: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    git(tmp_path, "clone", "-q", str(repository), str(work))
    clean = find_commit(str(work), ".")
    assert clean.diff == b"" and clean == replace(find_commit(str(work), "HEAD"), name="main")
    (work / "engine.py").write_text("print('caf\u00e9')\n", encoding="latin-1")
    (work / "new.py").write_text("")
    changed = find_commit(str(work), ".")
    assert changed.hash == clean.hash and "café".encode("latin-1") in changed.diff
    assert content(changed, "engine.py").startswith(b"print") and not content(changed, "other")
    git(work, "config", "diff.noprefix", "true")
    assert find_commit(str(work), ".").diff == changed.diff, "settings of a user change nothing"
    sources = [
        GitSource(repository=str(work), reference=".", commit=one.hash, build="make", diff=one.diff)
        for one in (clean, changed)
    ]
    assert sources[0].key != sources[1].key
    assert sources[1].version.startswith(f"{clean.hash[:8]}+")


@pytest.mark.slow
def test_bundle_has_the_commit_alone(repository: Path) -> None:
    commit = git(repository, "rev-parse", "bitboards")
    with unbundled(bundle_of(str(repository), commit), commit) as folder:
        assert git(Path(folder), "rev-list", "--count", commit) == "1"
        assert git(Path(folder), "cat-file", "blob", f"{commit}:engine.py").startswith('"""A small')


def test_what_does_not_exist_is_said_in_one_line(
    repository: Path, read: Read, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    git(tmp_path, "init", "-q", str(empty))
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(bare))
    for text, words in {
        "git:.": "expected git:REPO@REF",
        f"git:{repository}": "expected git:REPO@REF",
        f"git:{repository}@": "expected git:REPO@REF",
        f"git:{tmp_path}/gone@main": "there is no such folder",
        f"git:{tmp_path}@main": "no repository at",
        f"git:{repository}@cutoff": "no branch, tag or commit `cutoff`; did you mean `cutoffs`?",
        f"git:{repository}@--all": "no branch, tag or commit `--all`",
        f"git:{empty}@main": "has no commit yet",
        f"git:{bare}@.": "has no work tree",
        f"git:file://{tmp_path}/gone@main": "git fetch:",
        f"git:{repository}@main?binary=../x": "give the path of a file in the repository",
        f"git:{repository}@main?timeout=0": "expected seconds, at least 1",
        f"git:{repository}@main?bench=it's": "No closing quotation",
        f"git:{repository}@main?build": "not of the form key=value",
    }.items():
        with pytest.raises((VariantError, EngineFailure)) as error:
            read(text)
        assert words in str(error.value) and "\n" not in str(error.value), text


def test_missing_git_is_said(repository: Path, read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(EngineFailure, match="need the program git: install it"):
        read(f"git:{repository}@main")


def test_build_is_found_by_what_a_repository_has() -> None:
    plain, exe = b"all:\n\tcc x.c\n", b"all:\n\tcc -o $(EXE) x.c\n"
    for files, command in (
        ({"Makefile": exe}, f"make -j EXE={EXE}"),
        ({"src/makefile": b"EXE := x\n", "Makefile": plain}, f"make -j -C src EXE={EXE}"),
        ({"Makefile": exe, "Cargo.toml": b"[package]"}, f"make -j EXE={EXE}"),
        ({"Makefile": plain, "Cargo.toml": b"[package]"}, "cargo build --release"),
        ({"src/Makefile": plain}, "make -j -C src"),
        ({"Makefile": plain, "src/Makefile": plain}, "make -j"),
        ({"GNUmakefile": b"# EXECUTE\n"}, "make -j"),
        ({"README": exe}, None),
    ):
        assert default_build(lambda path, files=files: files.get(path, b"")) == command, files


def test_number_of_a_bench_is_read() -> None:
    for output, number in (
        (b"1234567 nodes 890 nps\n", 1234567),
        (b"Nodes searched  : 42\nNodes/second    : 7\n", 42),
        (b"Total time (ms) : 9\nNodes searched: 8\n", 8),
        (b"Bench: 77\n", 77),
        (b"position 1: 5 nodes\nOVERALL: 900 nodes 3 nps\n", 900),
        (b"NODES 66 NPS 5\n", 66),
        (b"info depth 3 nodes 20 nps 5\n", None),
        (b"id name x\nuciok\n", None),
        (b"speed 50 nodes/s\n", None),
        (b"", None),
    ):
        assert bench_of(output) == number, output


def test_names_of_texts_are_reserved() -> None:
    for name in (contenders.UCI, contenders.GIT):
        with pytest.raises(VariantError):
            contenders.check_engine_name(name)
