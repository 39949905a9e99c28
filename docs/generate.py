"""Write the reference pages that are derived from the program: run ``python docs/generate.py``.

``commands.md`` comes from the click commands, ``json.md`` from :mod:`toolkit.commands._json`,
``variants.md`` from the registry, ``library.md`` from :mod:`toolkit`, and ``claims.md`` with its
charts, and a table of the README, from the results in research/claims. A test demands that the
files say what this script would write.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args, get_type_hints, is_typeddict

import click
import msgspec

import toolkit
from cli import program
from engines.choices import CONVERGENCES, EXPECTED_PV, GUESSES, PARALLEL, REPLACEMENTS
from engines.presets import PRESETS
from engines.recorded import REASONS
from toolkit.base.format import format_setting
from toolkit.base.rows import field_names
from toolkit.commands import SECTIONS, load_command
from toolkit.commands._base import Command
from toolkit.commands._invocation import GLOBAL_OPTIONS
from toolkit.commands._json import JSON_OUTPUT
from toolkit.referee.outcome import EndReason
from toolkit.reports.catalog import list_drivers, list_parameters
from toolkit.show.tables.engines import default_text, needs_text

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "research"))
README = "../README.md"
_GAMES = re.compile(r"(<!-- claims that games decide -->\n).*?(<!-- /claims -->)", re.DOTALL)
"""Where the README shows them."""
CHARTS = "claims"
"""The folder of the charts of claims."""
ROOMS = {
    "Events and games": (
        *(
            "toolkit.events",
            "toolkit.pairing",
            "toolkit.referee",
            "toolkit.books",
            "toolkit.imports",
        ),
    ),
    "Sequential tests": ("toolkit.selection.sequential", "toolkit.reports.sprt"),
    "Ratings": ("toolkit.ratings",),
    "Questions about stored games": ("toolkit.selection", "toolkit.reports"),
    "Studies": ("toolkit.tuning",),
    "Laboratory": ("toolkit.lab",),
    "Pages and pictures": ("toolkit.show.pages", "toolkit.show.charts"),
    "Engines": ("engines",),
    "Database, errors, installation": ("db", "toolkit.base", "toolkit.runs"),
}
"""Under which heading a name of the library stands, by the first room that its module is in."""
GROUPS = {
    "Options of games": "- `--max-plies N|off`: Adjudicate",
    "Options of events": "- `--pgn-out FILE`: Also write the games to FILE, replacing it.",
    "Options of tests": "- `--elo0 ELO`: H0",
    "Options of selections": "- `--since ",
    "Options of searches": "- `--limit-positions ",
    "Options of charts": "- `--width ",
}
"""Groups of options that commands share, each by an option that only these commands have."""
_OFTEN = 4
"""A paragraph that so many commands have is on the page once."""
END_REASONS = {
    EndReason.CHECKMATE: "the side to move is mated",
    EndReason.STALEMATE: "the side to move has no legal move and is not in check",
    EndReason.INSUFFICIENT_MATERIAL: "neither side has enough material to mate",
    EndReason.THREEFOLD_REPETITION: "the position occurred for the third time",
    EndReason.FIFTY_MOVES: "fifty moves by each side without a capture or a pawn move",
    EndReason.NO_MOVES: "draughts: the side to move has no legal move and lost",
    EndReason.FORTY_MOVES: "draughts: forty moves by each side without a capture or a man's move",
    EndReason.MOST_DISCS: "Othello: neither side can move; most discs win",
    EndReason.FOUR_IN_A_ROW: "Connect Four: the side that moved has four in a row",
    EndReason.FULL_BOARD: "Connect Four: the board is full and nobody has four in a row",
    EndReason.TABLEBASE_ADJUDICATION: "endgame tablebases (`--syzygy`) know the result",
    EndReason.RESIGN_ADJUDICATION: "the resign rule (`--resign`) decided the game",
    EndReason.DRAW_ADJUDICATION: "the draw rule (`--draw`) ended the game",
    EndReason.MAX_LENGTH: "the game reached `--max-plies` and is drawn",
    EndReason.TIME_FORFEIT: "the side to move exceeded its time and lost",
    EndReason.ILLEGAL_MOVE: "the side to move played an illegal move and lost",
    EndReason.ENGINE_FAILURE: "the engine to move failed to return a move and lost",
    EndReason.RESIGNATION: "a player resigned (imported games only)",
    EndReason.AGREEMENT: "the players agreed on a draw (imported games only)",
    EndReason.ADJUDICATION: "ended by another rule, such as endgame tablebases, or by a rule that "
    "the file does not name (imported games only)",
    EndReason.UNKNOWN: "neither the file nor the moves show the reason (imported games only)",
}


def pages() -> dict[str, str]:
    """The text of every generated page by file name."""
    from claims.page import claims_page, games_table
    from claims.stored import stored_results

    claims = [*stored_results().values()]
    games = "\n".join(games_table(claims, "research/claims"))
    readme = (HERE / README).read_text(encoding="utf-8")
    return {
        README: _GAMES.sub(lambda found: f"{found[1]}{games}{found[2]}", readme),
        "claims.md": claims_page(claims, CHARTS, "../research"),
        "commands.md": "\n".join(_commands_page()),
        "json.md": "\n".join(_json_page()),
        "library.md": "\n".join(_library_page()),
        "variants.md": "\n".join(_variants_page()),
    }


def _commands_page() -> Iterator[str]:
    yield "# Commands\n"
    yield "Generated by `docs/generate.py` from the commands.\n"
    yield (
        "`mtdf COMMAND --help` shows all options of a command and more examples. [On the "
        "terminal](terminal.md) describes completion, narrow terminals, durations and encodings.\n"
    )
    found = {title: [*_walked(names)] for title, names in SECTIONS.items()}
    commands = [command for section in found.values() for _, command in section]
    for title, section in found.items():
        yield f"**{title}**\n"
        yield "| command | what it does |"
        yield "|---|---|"
        for path, command in section:
            if not isinstance(command, click.Group) or command.invoke_without_command:
                yield f"| [`{path}`](#{_anchor(_usage(path, command))}) | {_short(command)} |"
        yield ""
    yield "## Global options\n"
    yield "Give these options before or after the command.\n"
    yield from map(_option_line, _options(program, common=True))
    yield ""
    shared = [*_shared_options(commands)]
    for title, options in shared:
        yield f"## {title}\n"
        yield from options.values()
        yield ""
    texts = Counter(text for command in commands for text in set(_paragraphs(command)))
    repeated = [text for text, count in texts.items() if count >= _OFTEN]
    if repeated:
        yield "## Engines\n"
        yield "\n\n".join(repeated) + "\n"
    for title, section in found.items():
        yield f"## {title}\n"
        for path, command in section:
            yield from _command(path, command, shared, repeated)


def _walked(names: Iterable[str]) -> Iterator[tuple[str, click.Command]]:
    """Commands and those inside them, with what one types for them."""
    for name in names:
        command = load_command(name)
        if command is not None:
            yield from _within(f"mtdf {name}", command)


def _within(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from _within(f"{path} {name}", child)


def _usage(path: str, command: click.Command) -> str:
    arguments = [_metavar(p) for p in command.params if isinstance(p, click.Argument)]
    return " ".join([path, *arguments])


def _anchor(heading: str) -> str:
    """The address of a heading within its page, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _short(command: click.Command) -> str:
    return _escape(command.get_short_help_str(200))


def _paragraphs(command: click.Command) -> list[str]:
    return [" ".join(text.split()) for text in (command.help or "").split("\n\n")]


def _shared_options(commands: Sequence[click.Command]) -> Iterator[tuple[str, dict[str, str]]]:
    """The lines of options that several commands have, by the title of their group."""
    seen: set[str] = set()
    every = [[*map(_option_line, _options(command, common=False))] for command in commands]
    for title, first in GROUPS.items():
        having = [lines for lines in every if any(line.startswith(first) for line in lines)]
        lines = [one for one in having[0] if all(one in lines for lines in having)]
        if new := {line: line for line in lines if line not in seen}:
            seen |= new.keys()
            yield title, new


def _command(
    path: str,
    command: click.Command,
    shared: Sequence[tuple[str, dict[str, str]]],
    repeated: Sequence[str],
) -> Iterator[str]:
    yield f"### {_usage(path, command)}\n"
    yield "\n\n".join(text for text in _paragraphs(command) if text not in repeated) + "\n"
    own = [*map(_option_line, _options(command, common=False))]
    links = []
    for title, options in shared:
        if options.keys() <= set(own):
            links.append(f"[{title[:1].lower()}{title[1:]}](#{_anchor(title)})")
            own = [line for line in own if line not in options]
    if links:
        yield f"Takes {' and '.join(links)}{', and:' if own else '.'}\n"
    if own:
        yield from own
        yield ""
    if isinstance(command, Command):
        line, meaning = command.examples[0]
        yield f"```sh\n{line}   # {meaning}\n```\n"


def _options(command: click.Command, *, common: bool) -> Iterator[click.Option]:
    for param in command.params:
        is_common = any(name in GLOBAL_OPTIONS for name in param.opts)
        if isinstance(param, click.Option) and is_common == common:
            yield param


def _option_line(option: click.Option) -> str:
    names = ", ".join(option.opts)
    metavar = "" if option.is_flag or option.count else f" {_metavar(option)}"
    required = " Required." if option.required else ""
    default = f" Default: {option.default}." if option.show_default else ""
    return f"- `{names}{metavar}`: {option.help}{required}{default}"


def _metavar(param: click.Parameter) -> str:
    if param.metavar:
        return param.metavar
    if isinstance(param.type, click.Choice):
        return "|".join(str(choice) for choice in param.type.choices)
    names = {
        "engine": "ENGINE",
        "feature": "NAME",
        "whole number": "N",
        "text": "TEXT",
        "book": "BOOK[:NAME=SETTING,...]",
        "parameter": "NAME[=VALUES]",
        "run": "RUN",
    }
    return names[param.type.name]


def _json_page() -> Iterator[str]:
    yield "# JSON output\n"
    yield "Generated by `docs/generate.py` from `toolkit/commands/_json.py`.\n"
    yield (
        "With `--json`, a command prints exactly one object or array on standard output. Fields "
        "are stable: they keep their name, type and meaning, and new fields are added after the "
        "existing ones. Every object, and every row of an array, ends with `program_backend`: "
        "`native` or `reference`, the backend of the program that printed it. In `query`, a "
        "column of that name replaces this field. Missing numbers are `null`. If nothing matches, "
        "`games` prints an empty array and exits with code 5.\n"
    )
    yield "| command | prints |"
    yield "|---|---|"
    printed: dict[tuple[type[Any], bool], list[str]] = {}
    for command, output in JSON_OUTPUT.items():
        printed.setdefault((output.row, output.is_array), []).append(command)
    for (row, is_array), commands in printed.items():
        name, array = row.__name__, "an array of " if is_array else ""
        names = f"`{', '.join(commands).replace(', ', '`, `')}`"
        yield f"| {names} | {array}[{name}](#{name.lower()}) |"
    yield ""
    described: list[type[Any]] = []
    for output in JSON_OUTPUT.values():
        for row in (output.row, *output.nested.values()):
            if row not in described:
                yield f"## {row.__name__}\n"
                yield f"{' '.join((row.__doc__ or '').split())}\n"
                yield from _field_table(row, described)
                described.append(row)
    yield "## End reasons\n"
    yield "| `end_reason` | meaning |"
    yield "|---|---|"
    yield from (f"| `{reason}` | {END_REASONS[reason]} |" for reason in EndReason)
    yield ""
    yield "## Why a visit ends\n"
    yield "| `code` | `text` | `cut` |"
    yield "|---|---|---|"
    yield from (f"| `{one.code}` | {one.text} | {'yes' if one.cut else 'no'} |" for one in REASONS)
    yield ""


def _field_table(row: type[Any], described: Sequence[type[Any]]) -> Iterator[str]:
    """The fields of a row. Those of the largest earlier row that it contains are not repeated."""
    fields = _hints(row)
    parts = [one for one in described if _hints(one).items() <= fields.items()]
    known = max(parts, key=lambda one: len(_hints(one)), default=None)
    if known is not None and len(_hints(known)) > _OFTEN:
        name = known.__name__
        yield f"The fields of [{name}](#{name.lower()}), and:\n"
        fields = {one: hint for one, hint in fields.items() if one not in _hints(known)}
    yield "| field | type | meaning |"
    yield "|---|---|---|"
    for name, hint in fields.items():
        kind, meaning = get_args(hint)
        yield f"| `{name}` | {_json_type(kind)} | {_escape(meaning)} |"
    yield ""


def _hints(row: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(row, include_extras=True)
    return {name: hints[name] for name in field_names(row)}


def _json_type(kind: Any) -> str:
    text = str(kind)
    null = " or null" if "None" in text else ""
    rows = [row for part in (kind, *get_args(kind)) for row in _rows_in(part)]
    link = f"[{rows[0].__name__}](#{rows[0].__name__.lower()})" if rows else ""
    for prefix, name in {"list": "array", "tuple": "array", "dict": "object"}.items():
        if text.startswith(prefix):
            return f"{name}{' of ' if link else ''}{link}{null}"
    if link:
        return link + null
    known = {"typing.Any": "any value", "typing.L": "string"}
    for prefix, name in known.items():
        if text.startswith(prefix):
            return name + null
    names = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
    words = (
        [kind.__name__]
        if isinstance(kind, type)
        else text.replace("int | float", "float").split(" | ")
    )
    return " or ".join(names.get(word, "object") for word in words if word != "None") + null


def _rows_in(kind: Any) -> list[type[Any]]:
    """The type of a row, if it is one."""
    is_row = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return [kind] if is_row else []


def _variants_page() -> Iterator[str]:
    yield "# Variants\n"
    yield "Generated by `docs/generate.py` from `engines/registry.py`.\n"
    yield (
        "A variant is written as `driver:key=value,key=value`, as in `mtdf:guess=parity,hash=16`. "
        "`name=` gives it a label. Omitted parameters have their default values. A parameter that "
        "has no effect with the given values of the others is an error; an event warns of one that "
        "has none in the game.\n"
    )
    yield (
        "Defaults are tuned for games, and a later version may have better ones. A bare name such "
        "as `mtdf` then means another variant, with another identity. Variants that have played "
        "keep theirs: an event is resumed with the engines it began with, and ratings list both "
        "variants. A name, an exported variant or a file of `show --toml` omits what is default, "
        "so it means today's defaults; write a value out to keep it. A preset is a name whose "
        "values never change, as in `mtdf:preset=plaat,hash=64`.\n"
    )
    yield "## Presets\n"
    yield "| preset | drivers | what it is | values |"
    yield "|---|---|---|---|"
    for name, preset in PRESETS.items():
        values = ",".join(f"{key}={value}" for key, value in preset.values.items())
        yield (f"| `{name}` | {preset.driver or 'all'} | {_escape(preset.doc)} | `{values}` |")
    yield ""
    yield "## Drivers\n"
    yield "| driver | what it does | windows at the root | parameters | source |"
    yield "|---|---|---|---|---|"
    drivers = list_drivers()
    for number, driver in enumerate(drivers):
        parts = [one for one in drivers[:number] if {*one.parameters} <= {*driver.parameters}]
        base = max(parts, key=lambda one: len(one.parameters), default=None)
        known = () if base is None else base.parameters
        own = [f"`{name}`" for name in driver.parameters if name not in known]
        names = ", ".join([*own, *([f"those of `{base.driver}`"] if base else [])])
        yield (
            f"| `{driver.driver}` | {_escape(driver.doc)} | {driver.windows} | {names} | "
            f"{_escape(driver.source)} |"
        )
    yield from _choice_table("First guesses", "`guess` | the first guess is", GUESSES)
    yield from _choice_table(
        "Convergence", "`convergence` | the next null window lies", CONVERGENCES
    )
    yield from _choice_table(
        "Replacement", "`replacement` | the entry that is replaced", REPLACEMENTS
    )
    yield from _choice_table(
        "Several threads", "`parallel` | what the other threads search", PARALLEL
    )
    searched_again = "`expected_pv` | later moves searched again as expected PV"
    yield from _choice_table("Expected PV nodes", searched_again, EXPECTED_PV)
    yield "\n## Parameters\n"
    yield (
        "A parameter with a value under *off* is a feature. This value disables it, and "
        "`mtdf ablate` plays the engine with the feature against the engine without it.\n"
    )
    yield "| parameter | default | off | range | needs | what it does |"
    yield "|---|---|---|---|---|---|"
    for param in list_parameters():
        needs = needs_text(param)
        needs = f"`{needs}`" if "=" in needs else needs
        off = "" if param.off is None else format_setting(param.off)
        yield (
            f"| `{param.parameter}` | {default_text(param)} | {off} | "
            f"{param.range} | "
            f"{needs} | {_escape(param.doc)} |"
        )
    yield ""


def _library_page() -> Iterator[str]:
    yield "# The library\n"
    yield "Made by `docs/generate.py` from `toolkit/__init__.py` and what it exports.\n"
    yield from _markdown(inspect.getdoc(toolkit) or "")
    yield "## Names\n"
    yield (
        "Rows have the fields that [`--json`](json.md) prints; those of the data classes follow "
        "the names.\n"
    )
    rooms: dict[str, list[str]] = {title: [] for title in ROOMS}
    for name in toolkit.__all__:
        rooms[_room_of(getattr(toolkit, name).__module__)].append(name)
    for title, names in rooms.items():
        yield f"### {title}\n"
        yield "| name | meaning |"
        yield "|---|---|"
        for name in names:
            value = getattr(toolkit, name)
            yield f"| `{name}{_parameters(value)}` | {_meaning(value)} |"
        yield ""
        classes = [getattr(toolkit, name) for name in names]
        if any(map(_is_data, classes)):
            yield "| field | meaning |"
            yield "|---|---|"
            for one in filter(_is_data, classes):
                yield from _fields(one)
            yield ""


def _is_data(one: object) -> bool:
    is_struct = hasattr(one, "__struct_fields__")
    return is_struct or dataclasses.is_dataclass(one) or is_typeddict(one)


def _fields(data_class: type[Any]) -> Iterator[str]:
    """A row for each field of a data class, or keyword, that has a meaning below it."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(data_class))).body
    assert isinstance(body, ast.ClassDef)
    for line, below in itertools.pairwise(body.body):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                meaning = _as_code(str(below.value.value))
                yield f"| `{data_class.__name__}.{line.target.id}` | {meaning} |"


def _parameters(value: Any) -> str:
    """The parameters of a function, or the fields of a data class, in brackets."""
    if is_typeddict(value):
        return f"(*, {', '.join(value.__annotations__)})"
    if inspect.isclass(value) and not _is_data(value):
        return ""
    parts, keyword_only = [], False
    for name, one in inspect.signature(value).parameters.items():
        if one.kind is one.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        default = ""
        if inspect.isclass(value) and one.default is not one.empty:
            simple = isinstance(one.default, (bool, int, float, str, tuple, type(None)))
            default = f"={one.default!r}" if simple else "=..."
        parts.append(f"**{name}" if one.kind is one.VAR_KEYWORD else f"{name}{default}")
    return f"({', '.join(parts)})"


def _markdown(text: str) -> Iterator[str]:
    """A docstring with its headings and examples as Markdown has them."""
    for paragraph in text.split("\n\n"):
        heading = re.fullmatch(r"(.+)\n-+", paragraph)
        if heading:
            yield f"## {heading[1]}\n"
        elif paragraph.startswith(">>>"):
            yield f"```pycon\n{paragraph}\n```\n"
        else:
            yield paragraph.replace("``", "`") + "\n"


def _room_of(module: str) -> str:
    """The heading for what a module defines."""
    return next(title for title, rooms in ROOMS.items() if f"{module}.".startswith(_dotted(rooms)))


def _dotted(rooms: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{room}." for room in rooms)


def _meaning(value: Any) -> str:
    """The first sentence of a docstring; references to names become code."""
    text = _as_code((inspect.getdoc(value) or "").partition("\n\n")[0])
    return re.split(r"(?<=\.)\s", text)[0]


def _as_code(text: str) -> str:
    """A docstring in one line, its references to names as code."""
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", " ".join(text.split()))
    return _escape(text.replace("``", "`"))


def _choice_table(title: str, head: str, choices: dict[str, str]) -> Iterator[str]:
    yield f"\n## {title}\n"
    yield f"| {head} |"
    yield "|---|---|"
    yield from (f"| `{name}` | {_escape(doc)} |" for name, doc in choices.items())


def _escape(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    for file_name, content in pages().items():
        (HERE / file_name).write_text(content, encoding="utf-8")
    from claims.chart import write_claim_charts

    write_claim_charts(HERE / CHARTS)
