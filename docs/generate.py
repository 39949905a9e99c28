"""Write the reference pages that are derived from the program: run ``python docs/generate.py``.

``commands.md`` comes from the click commands, ``json.md`` from :mod:`toolkit.commands._json`,
``variants.md`` from the registry, ``library.md`` from :mod:`toolkit`. A test demands that the files
say what this script would write.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints, is_typeddict

import click

import toolkit
from cli import program
from engines.choices import CONVERGENCES, EXPECTED_PV, GUESSES, REPLACEMENTS
from engines.registry import DRIVERS
from toolkit.base.output import format_setting
from toolkit.base.rows import JsonOutput
from toolkit.commands import SECTIONS, load_command
from toolkit.commands._base import GLOBAL_OPTIONS, Command, Group
from toolkit.commands._json import JSON_OUTPUT
from toolkit.games.outcome import EndReason
from toolkit.reports.catalog import list_drivers, list_parameters
from toolkit.reports.rows import EventRow, GameRow

HERE = Path(__file__).parent
ROOMS = {
    "Events and games": ("toolkit.play", "toolkit.games", "toolkit.books", "toolkit.imports"),
    "Sequential tests": ("toolkit.selection.sequential", "toolkit.reports.sprt"),
    "Ratings": ("toolkit.ratings",),
    "Questions about stored games": ("toolkit.selection", "toolkit.reports"),
    "Studies": ("toolkit.tuning",),
    "Laboratory": ("toolkit.lab",),
    "Engines": ("engines",),
    "Database, errors, installation": ("db", "toolkit.base"),
}
"""Under which heading a name of the library stands, by the first room that its module is in."""
END_REASONS = {
    EndReason.CHECKMATE: "the side to move is mated",
    EndReason.STALEMATE: "the side to move has no legal move and is not in check",
    EndReason.INSUFFICIENT_MATERIAL: "neither side can mate with what is left",
    EndReason.THREEFOLD_REPETITION: "the position stood on the board for the third time",
    EndReason.FIFTY_MOVES: "fifty moves of each side without a capture or a pawn move",
    EndReason.RESIGN_ADJUDICATION: "the resign rule (`--resign`) gave the game to one side",
    EndReason.DRAW_ADJUDICATION: "the draw rule (`--draw`) ended it",
    EndReason.MAX_LENGTH: "the game reached `--max-plies` and is drawn",
    EndReason.TIME_FORFEIT: "the side to move overstepped its time and lost",
    EndReason.ILLEGAL_MOVE: "the side to move tried an illegal move and lost",
    EndReason.ENGINE_FAILURE: "the side to move failed to move and lost",
    EndReason.RESIGNATION: "a player resigned (imported games only)",
    EndReason.AGREEMENT: "the players agreed on a draw (imported games only)",
    EndReason.ADJUDICATION: "ended by another rule, such as endgame tables, or by one that the "
    "file does not name (imported games only)",
    EndReason.UNKNOWN: "neither the file nor the moves tell (imported games only)",
}


def pages() -> dict[str, str]:
    """The text of every generated page by file name."""
    return {
        "commands.md": "\n".join(_commands_page()),
        "json.md": "\n".join(_json_page()),
        "library.md": "\n".join(_library_page()),
        "variants.md": "\n".join(_variants_page()),
    }


def _commands_page() -> Iterator[str]:
    yield "# Commands\n"
    yield "Made by `docs/generate.py` from the commands themselves.\n"
    yield (
        "[On the terminal](terminal.md): completion in bash, zsh and fish, narrow terminals, "
        "durations, encodings.\n"
    )
    yield f"{program.help}\n"
    yield "## Global options\n"
    yield "They may stand before or after the command.\n"
    yield from _option_table(program, common=True)
    for title, names in SECTIONS.items():
        yield f"## {title}\n"
        for name in names:
            command = load_command(name)
            if command is not None:
                yield from _command(f"mtdf {name}", command)


def _command(path: str, command: click.Command) -> Iterator[str]:
    arguments = [_metavar(p) for p in command.params if isinstance(p, click.Argument)]
    yield f"### {' '.join([path, *arguments])}\n"
    paragraphs = (command.help or "").split("\n\n")
    yield "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs) + "\n"
    yield from _option_table(command, common=False)
    if isinstance(command, (Command, Group)):
        yield "```sh"
        yield from (f"{line}   # {meaning}" for line, meaning in command.examples)
        yield "```\n"
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from _command(f"{path} {name}", child)


def _option_table(command: click.Command, *, common: bool) -> Iterator[str]:
    options = [
        param
        for param in command.params
        if isinstance(param, click.Option)
        and any(name in GLOBAL_OPTIONS for name in param.opts) == common
    ]
    if not options:
        return
    yield "| option | meaning |"
    yield "|---|---|"
    for option in options:
        names = ", ".join(f"`{name}`" for name in option.opts)
        metavar = "" if option.is_flag or option.count else f" {_escape(_metavar(option))}"
        notes = "".join(
            [
                " Required." if option.required else "",
                f" Default: `{option.default}`." if option.show_default else "",
            ]
        )
        yield f"| {names}{metavar} | {_escape(option.help or '')}{notes} |"
    yield ""


def _metavar(param: click.Parameter) -> str:
    if param.metavar:
        return param.metavar
    if isinstance(param.type, click.Choice):
        return "|".join(str(choice) for choice in param.type.choices)
    names = {
        "engine": "ENGINE",
        "feature": "NAME",
        "whole number": "N",
        "clock": "BASE+INC",
        "book slice": "I/N",
        "parameter": "NAME[=VALUES]",
        "run": "RUN",
    }
    return names[param.type.name]


def _json_page() -> Iterator[str]:
    yield "# What `--json` prints\n"
    yield "Made by `docs/generate.py` from `toolkit/commands/_json.py`.\n"
    yield (
        "One object or one array on standard output, nothing else. Fields are stable: they keep "
        "name, type and meaning, and new ones come after the old. Every object, and every row of "
        "an array, ends with `program_backend`: `native` or `reference`, the backend of the "
        "program that printed it; a column of that name in a statement of `query` "
        "stands in its place. Numbers that do not exist are `null`. When nothing matches, "
        "`games` prints an empty array and exits with code 5.\n"
    )
    for command, output in JSON_OUTPUT.items():
        yield f"## {command}\n"
        yield f"{'An array; each row:' if output.is_array else 'One object:'} {_doc(output)}\n"
        yield from _field_table(output.row)
        for name, row in output.nested.items():
            yield f"Each of `{name}`:\n"
            yield from _field_table(row)
    yield "## End reasons\n"
    yield "| `end_reason` | meaning |"
    yield "|---|---|"
    yield from (f"| `{reason}` | {END_REASONS[reason]} |" for reason in EndReason)
    yield ""


def _doc(output: JsonOutput) -> str:
    text = " ".join((output.row.__doc__ or "").split())
    return text[:1].lower() + text[1:]


def _field_table(row: type[Any]) -> Iterator[str]:
    known = next((base for base in (EventRow, GameRow) if _extends(row, base)), None)
    fields = get_type_hints(row, include_extras=True)
    if known is not None:
        yield f"The fields of `{'events' if known is EventRow else 'games'}`, then:\n"
        fields = {name: hint for name, hint in fields.items() if name not in known.__annotations__}
    yield "| field | type | meaning |"
    yield "|---|---|---|"
    for name, hint in fields.items():
        kind, meaning = get_args(hint)
        yield f"| `{name}` | {_json_type(kind)} | {_escape(meaning)} |"
    yield ""


def _extends(row: type[Any], base: type[Any]) -> bool:
    """Whether a row type begins with all fields of another one."""
    names = list(get_type_hints(base))
    return row is not base and list(get_type_hints(row))[: len(names)] == names


def _json_type(kind: Any) -> str:
    text = str(kind)
    null = " or null" if "None" in text else ""
    for prefix, name in (("list", "array"), ("dict", "object"), ("typing.Any", "any value")):
        if text.startswith(prefix):
            return name + null
    if is_typeddict(kind):
        return "object"
    names = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
    word = kind.__name__ if isinstance(kind, type) else text.split(" ")[0]
    return names.get(word, "object") + null


def _variants_page() -> Iterator[str]:
    yield "# Variants\n"
    yield "Made by `docs/generate.py` from `engines/registry.py`.\n"
    yield (
        "A variant is written `driver:key=value,key=value`, as in `mtdf:guess=parity,hash=16`. "
        "`name=` gives it a label. Parameters left out have their default; one that the others "
        "make meaningless is an error.\n"
    )
    yield "## Drivers\n"
    yield "| driver | what it does | windows at the root | parameters | source |"
    yield "|---|---|---|---|---|"
    common = DRIVERS["alphabeta"].parameters
    for driver in list_drivers():
        names = ", ".join(f"`{name}`" for name in driver["parameters"])
        if driver["driver"] != "alphabeta" and set(common) <= set(driver["parameters"]):
            own = [f"`{name}`" for name in driver["parameters"] if name not in common]
            names = ", ".join([*own, "those of `alphabeta`"])
        yield (
            f"| `{driver['driver']}` | {_escape(driver['doc'])} | {driver['windows']} | {names} | "
            f"{_escape(driver['source'])} |"
        )
    yield from _choice_table("First guesses", "`guess` | the first guess is", GUESSES)
    yield from _choice_table(
        "Convergence", "`convergence` | the next null window lies", CONVERGENCES
    )
    yield from _choice_table(
        "Replacement", "`replacement` | what makes room in the table", REPLACEMENTS
    )
    searched_again = "`expected_pv` | later moves that are searched again as expected PV"
    yield from _choice_table("Expected PV nodes", searched_again, EXPECTED_PV)
    yield "\n## Parameters\n"
    yield (
        "A parameter with a value under *off* is a feature: with that value it does nothing, and "
        "`mtdf ablate` plays the one against the other.\n"
    )
    yield "| parameter | default | off | range | needs | what it does |"
    yield "|---|---|---|---|---|---|"
    for param in list_parameters():
        needs = f"`{param['needs']}`" if param["needs"] else ""
        off = "" if param["off"] is None else format_setting(param["off"])
        yield (
            f"| `{param['parameter']}` | {format_setting(param['default'])} | {off} | "
            f"{param['range']} | "
            f"{needs} | {_escape(param['doc'])} |"
        )
    yield ""


def _library_page() -> Iterator[str]:
    yield "# The library\n"
    yield "Made by `docs/generate.py` from `toolkit/__init__.py` and what it exports.\n"
    yield from _markdown(inspect.getdoc(toolkit) or "")
    yield "## Names\n"
    yield "Rows have the fields that [`--json`](json.md) prints.\n"
    rooms: dict[str, list[str]] = {title: [] for title in ROOMS}
    for name in toolkit.__all__:
        rooms[_room_of(getattr(toolkit, name).__module__)].append(name)
    for title, names in rooms.items():
        yield f"### {title}\n"
        yield "| name | meaning |"
        yield "|---|---|"
        yield from (f"| `{name}` | {_meaning(getattr(toolkit, name))} |" for name in names)
        yield ""


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
    text = " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", text).replace("``", "`")
    return _escape(re.split(r"(?<=\.)\s", text)[0])


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
