"""The measured figures of the docs: what made each, and whether today's core would make it again.

    python docs/figures.py list                 # every figure, its core, its commands
    python docs/figures.py list --stale         # those to make again; exit code 1 if there are any
    python docs/figures.py make NAME...         # run the commands of a figure and store the result
    python docs/figures.py write                # put what is stored into the pages
    python docs/figures.py check                # exit code 1 where page and store differ

:mod:`figure_list` declares the figures: shell commands, and functions that turn their output into
*pieces*, which are Markdown. ``make`` runs the commands in an empty directory with a database of
its own and stores pieces, commands, program, core and day in ``docs/figures/NAME.json``. A page
takes a piece between two comments, and ``write`` renews what stands there::

    <!-- figure NAME PIECE -->
    <!-- /figure -->

The piece ``commands`` says how a figure was made; every page that shows a figure has it. Prose that
repeats measured numbers stands between ``<!-- quotes NAME... -->`` and ``<!-- /quotes -->``: each
decimal there must occur in a piece of those figures. A test runs ``check``, and refuses measured
numbers outside of both.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from figure_list import FIGURES, Figure

from engines.backend import backend_name, signature
from engines.choices import GAMES
from engines.registry import PARAMETERS
from toolkit.base.version import program_version

DOCS = Path(__file__).parent
STORE = DOCS / "figures"
TOURS = (DOCS.parent / "README.md", DOCS / "tour.md", DOCS / "testing-a-patch.md")
_TOUR = re.compile(r"<!-- made by docs/tour.py: (mtdf (\S+), (\S+) core (\S+), (\S+)) -->")
"""What printed the outputs in a tour."""
GENERATED = ("claims.md", "commands.md", "json.md", "variants.md")
"""Pages that `docs/generate.py` makes from the program."""
_SHOWN = re.compile(r"<!-- figure (\S+) (\S+) -->\n(.*?)<!-- /figure -->", re.DOTALL)
_QUOTES = re.compile(r"<!-- quotes ([^>]+) -->\n(.*?)<!-- /quotes -->", re.DOTALL)
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.^])[+\-−]?\d+(?:[, ]\d{3})*(?:\.\d+)?(?![\w^]|\.\d)")
_MEASURED = re.compile(r"\d ± \d|\[[+\-−]?\d+\.\d+, [+\-−]?\d+\.\d+\]")
"""What only a measurement looks like: a value with its error, or an interval."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What a figure's commands printed, and with what it was made."""

    made: str
    """Day."""
    program: str
    """Version of mtdf."""
    revision: str
    """Commit of the checkout, with ``+`` where it had changes."""
    backend: str
    signature: str
    """Of the core."""
    cores: int
    """Of the machine."""
    commands: tuple[str, ...]
    pieces: Mapping[str, str]
    files: Mapping[str, str]
    """Pictures the figure consists of, and the SHA-256 of each."""
    defaults: str
    """Digest of the defaults, which bare names of engines mean."""

    def describe(self) -> str:
        """The piece ``commands``."""
        lines = "\n".join(self.commands)
        return (
            f"mtdf {self.program}, {self.backend} core `{self.signature}`, {self.made}:\n\n"
            f"```sh\n{lines}\n```\n"
        )


def load(name: str) -> Stored:
    """A stored figure. Raises OSError or ValueError where it is missing or incomplete."""
    data = json.loads((STORE / f"{name}.json").read_text(encoding="utf-8"))
    stored = Stored(**data | {"commands": tuple(data["commands"])})
    empty = [field for field, value in asdict(stored).items() if not value and field != "files"]
    if empty:
        raise ValueError(f"figure {name} does not say: {', '.join(empty)}")
    return stored


def make(name: str, figure: Figure, directory: Path) -> Stored:
    """Run the commands of a figure in ``directory`` and store what they printed."""
    for folder in ("benchmarks", "recipes"):
        (directory / folder).symlink_to(DOCS.parent / folder)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"MTDF_DB": "figures.db", "PATH": path, "NO_COLOR": "1"}
    outputs = []
    for command in figure.commands:
        print(f"$ {command}", file=sys.stderr, flush=True)
        ended = subprocess.run(
            command, shell=True, cwd=directory, env=environment, stdout=subprocess.PIPE, text=True
        )
        if ended.returncode:
            raise SystemExit(f"figure {name}: exit code {ended.returncode} of: {command}")
        outputs.append(ended.stdout)
    files = {}
    for file in figure.files:
        data = (directory / file).read_bytes()
        (DOCS / "images" / file).write_bytes(data)
        files[file] = hashlib.sha256(data).hexdigest()
    stored = Stored(
        made=datetime.date.today().isoformat(),
        program=program_version(),
        revision=_revision(),
        backend=backend_name(),
        signature=signature(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0,
        commands=figure.commands,
        pieces=figure.pieces(outputs),
        files=files,
        defaults=defaults(figure.commands),
    )
    text = json.dumps(asdict(stored), indent=1, ensure_ascii=False) + "\n"
    (STORE / f"{name}.json").write_text(text, encoding="utf-8")
    return stored


def defaults(commands: Sequence[str] = ()) -> str:
    """A digest of today's defaults of all parameters, with those of a game if these commands name
    it. Neutral ones are left out: a parameter that is added with its neutral value as default
    changes no engine, so it makes no figure stale."""
    values: dict[str, object] = {
        name: parameter.default
        for name, parameter in PARAMETERS.items()
        if parameter.default != parameter.neutral
    }
    for game in GAMES:
        own = {name: one.by_game[game] for name, one in PARAMETERS.items() if game in one.by_game}
        if own and any(game in command for command in commands):
            values[f"game={game}"] = own
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def pages() -> list[Path]:
    """The pages that people write: those that may show figures."""
    return sorted(page for page in DOCS.glob("*.md") if page.name not in GENERATED)


def written(text: str) -> str:
    """A page with every figure as it is stored. Raises ValueError for an unknown piece."""

    def renewed(match: re.Match[str]) -> str:
        name, piece = match[1], match[2]
        stored = load(name)
        known = {**stored.pieces, "commands": stored.describe()}
        if piece not in known:
            raise ValueError(f"figure {name} has no piece {piece}; it has {', '.join(known)}")
        return f"<!-- figure {name} {piece} -->\n{known[piece].rstrip()}\n\n<!-- /figure -->"

    return _SHOWN.sub(renewed, text)


def problems() -> Iterator[str]:
    """What is wrong with pages and stored figures, a line each."""
    shown: set[str] = set()
    for page in pages():
        text = page.read_text(encoding="utf-8")
        names = {(match[1], match[2]) for match in _SHOWN.finditer(text)}
        shown |= {name for name, _ in names}
        try:
            if written(text) != text:
                yield f"{page.name} is not what is stored: python docs/figures.py write"
        except (OSError, ValueError) as error:
            yield f"{page.name}: {error}"
            continue
        for name in sorted({name for name, _ in names}):
            if (name, "commands") not in names:
                yield f"{page.name} shows {name} without <!-- figure {name} commands -->"
        yield from (f"{page.name}: {problem}" for problem in _quoted(text))
        for line in _outside(text):
            if _MEASURED.search(line):
                yield f"{page.name} has a measured number without its figure: {line.strip()}"
    yield from _store_problems(shown)
    for page in TOURS:
        if _TOUR.search(page.read_text(encoding="utf-8")) is None:
            yield f"{page.name} does not say what printed its outputs: python docs/tour.py"


def _store_problems(shown: set[str]) -> Iterator[str]:
    """Stored figures that differ from their declarations, or that no page shows."""
    kept = {file.stem for file in STORE.glob("*.json")}
    for name in sorted(kept | set(FIGURES)):
        if name not in FIGURES or name not in kept or name not in shown:
            yield f"figure {name} is not declared, not made, or shown by no page"
            continue
        stored = load(name)
        for file, digest in stored.files.items():
            if hashlib.sha256((DOCS / "images" / file).read_bytes()).hexdigest() != digest:
                yield f"images/{file} is not the one that figure {name} made"


def _quoted(text: str) -> Iterator[str]:
    """Numbers in quoting prose that no piece of the named figures has."""
    for match in _QUOTES.finditer(text):
        known: set[str] = set()
        for name in match[1].split():
            stored = load(name)
            source = "\n".join([*stored.pieces.values(), *stored.commands])
            known |= {_plain(number) for number in _NUMBER.findall(source)}
        for number in _NUMBER.findall(_CODE.sub("", match[2])):
            if "." in number and _plain(number) not in known:
                yield f"no piece of {match[1]} has the number {number}"


def _plain(number: str) -> str:
    return re.sub(r"[, +]", "", number).replace("−", "-").lstrip("-")


def _outside(text: str) -> list[str]:
    """The lines of a page that belong to no figure and quote none."""
    return _CODE.sub("", _QUOTES.sub("", _SHOWN.sub("", text))).splitlines()


def _revision() -> str:
    """The commit of this checkout."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=DOCS, check=True, capture_output=True, text=True
        ).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", "../engines", "../toolkit")
    return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")


def _changed(revision: str, sources: Sequence[str]) -> bool:
    """Whether these files and folders are others now than in the commit of a figure."""
    if not sources:
        return False
    words = ["git", "diff", "--quiet", revision.rstrip("+"), "--", *sources]
    return subprocess.run(words, cwd=DOCS.parent, check=False, capture_output=True).returncode != 0


def _list(stale_only: bool) -> int:
    """Print the figures; exit code 1 when only stale ones were asked for and there are some."""
    stale = 0
    for name in FIGURES:
        stored = load(name)
        mark = ""
        if (stored.backend, stored.signature) != (backend_name(), signature()):
            mark = "  <- another core"
        elif stored.commands != FIGURES[name].commands:
            mark = "  <- other commands"
        elif FIGURES[name].by_defaults and stored.defaults != defaults(stored.commands):
            mark = "  <- other defaults of engines"
        elif _changed(stored.revision, FIGURES[name].sources):
            mark = "  <- other sources"
        stale += bool(mark)
        if stale_only and not mark:
            continue
        print(
            f"{name}: mtdf {stored.program} ({stored.revision}), {stored.backend} core "
            f"{stored.signature}, {stored.made}{mark}"
        )
        for command in stored.commands:
            print(f"    {command}")
    for page in TOURS:
        tour = _TOUR.search(page.read_text(encoding="utf-8"))
        if tour is None:
            continue
        other = tour[4] != signature()
        stale += other
        if other or not stale_only:
            print(f"{page.name}: {tour[1]}{'  <- another core' if other else ''}")
            print("    python docs/tour.py")
    return 1 if stale_only and stale else 0


def main() -> int:
    """Parse the command line and do what it says."""
    parser = argparse.ArgumentParser(description="The measured figures of the docs.")
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="every figure with its core and commands")
    listing.add_argument("--stale", action="store_true", help="only those to make again")
    making = commands.add_parser("make", help="run the commands of figures and store the results")
    making.add_argument("name", nargs="+", choices=list(FIGURES))
    commands.add_parser("write", help="put the stored figures into the pages")
    commands.add_parser("check", help="compare pages and stored figures")
    arguments = parser.parse_args()
    if arguments.command == "list":
        return _list(arguments.stale)
    if arguments.command == "make":
        for name in arguments.name:
            with tempfile.TemporaryDirectory() as directory:
                make(name, FIGURES[name], Path(directory))
        return 0
    if arguments.command == "write":
        for page in pages():
            page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    found = list(problems())
    print("\n".join(found) or "every figure is as it was made")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
