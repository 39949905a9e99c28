"""The options of ``mtdf tune run``, given on the command line or in a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from engines.registry import PARAMETERS
from toolkit.commands._invocation import Invocation
from toolkit.commands.options.event import (
    HANG_AFTER,
    LINES,
    SCALE_TIME,
    book_options,
    ending_options,
    keywords,
    limit_options,
    seed_option,
)
from toolkit.commands.options.players import read_players
from toolkit.commands.options.run import AFFINITY, AND_THEN, GAME, JOBS, name_option, stacked
from toolkit.commands.options.types import PLAYER, WHOLE

if TYPE_CHECKING:
    from engines.spec import Value


class ParameterText(click.ParamType[str]):
    """A parameter to be tuned, as in ``grain=1..50``; completed from the registry."""

    name = "parameter"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """How the help names the value."""
        return "NAME[=VALUES]"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """The parameters that a tuner may search."""
        return [
            CompletionItem(name, help=declared.doc)
            for name, declared in PARAMETERS.items()
            if declared.tunable and name.startswith(incomplete)
        ]


def _read_file(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Read the file before the other options: its values replace their defaults."""
    if value is None or ctx.resilient_parsing:
        return
    from toolkit.base.toml import read_toml
    from toolkit.commands.options.files import file_options
    from toolkit.tuning.study.file import TABLES, study_tables

    file = read_toml(value)
    params = [one for one in ctx.command.params if one.name not in TABLES.values()]
    options = file_options(file, params, [*TABLES])
    ctx.default_map = {**study_tables(file), **{str(one.name): options[one] for one in options}}


study_options = stacked(
    GAME,
    click.argument(
        "file",
        metavar="[FILE]",
        required=False,
        is_eager=True,
        expose_value=False,
        callback=_read_file,
    ),
    click.option(
        "--base",
        type=PLAYER,
        default="mtdf",
        show_default=True,
        help="Engine to tune, with the start values.",
    ),
    click.option(
        "--param",
        "parameters",
        type=ParameterText(),
        multiple=True,
        help="Parameter to tune, or option of an external engine; may be repeated. "
        "NAME=LOW..HIGH[,log] or NAME=A|B|C restricts its values; entries=2^10..2^20 means the "
        "powers of two.",
    ),
    click.option(
        "--against",
        type=PLAYER,
        multiple=True,
        help="Opponent; may be repeated; default: points play each other or the base.",
    ),
    click.option(
        "--objective",
        metavar="elo|nodes|time|simulated:MODULE:FUNCTION",
        default="elo",
        show_default=True,
        help="What to improve: strength, nodes or CPU time to a fixed depth, or a function.",
    ),
    click.option(
        "--budget-pairs", type=WHOLE, help="Game pairs for the whole study; default: 4000."
    ),
    click.option(
        "--measure",
        metavar="SHARE",
        type=float,
        help="Share of the budget for measuring the gain; default: 0.25; 0: no measurement.",
    ),
    click.option(
        "--trials", type=WHOLE, help="Maximum number of trials; default: from the budget."
    ),
    click.option(
        "--pairs-per-trial",
        type=WHOLE,
        help="Pairs per trial; default: from budget and sampler.",
    ),
    click.option(
        "--in-flight",
        type=WHOLE,
        help="Trials that run at the same time; default: from the sampler.",
    ),
    click.option(
        "--sampler",
        metavar="NAME",
        default="auto",
        show_default=True,
        help="auto, spsa, tpe, cmaes, random, grid, gp, or a sampler with Optuna's interface: "
        "MODULE:CLASS.",
    ),
    click.option(
        "--sampler-option",
        "sampler_options",
        metavar="NAME=SETTING",
        multiple=True,
        help="Setting of the sampler, as in c=0.2; may be repeated.",
    ),
    click.option(
        "--pruner",
        type=click.Choice(["none", "wilcoxon"]),
        default="none",
        show_default=True,
        help="Stop hopeless trials early; not with spsa.",
    ),
    limit_options,
    JOBS,
    AFFINITY,
    seed_option("Seed for the sampler and the openings."),
    name_option("study", "Name of the study."),
    click.option(
        "--start",
        "start_values",
        metavar="NAME=SETTING",
        multiple=True,
        help="Start value of a parameter, for a simulated objective; may be repeated; default: the "
        "middle of its range.",
    ),
    book_options("order", "plies", "slice", "shared", "repeat"),
    ending_options,
    HANG_AFTER,
    LINES,
    SCALE_TIME,
    click.option(
        "--positions",
        "position_file",
        metavar="FILE",
        help="EPD or FEN file for the objectives nodes and time; default: positions of the book.",
    ),
    click.option(
        "--position-count",
        "positions",
        type=WHOLE,
        help="Positions to tune on; as many again are held out; default: 40.",
    ),
    AND_THEN,
    click.option("--dry-run", is_flag=True, help="Show the plan and an estimate; start nothing."),
)
"""The options of a new study, in the order of the help page."""


def study_keywords(ctx: click.Context, values: dict[str, Any]) -> dict[str, Any]:
    """The settings of a study from options and file, as keywords. Options override the file;
    parameters, start values and sampler options are overridden one by one, by name. Raises
    UsageError."""
    from engines.limit import Limit
    from toolkit.tuning.measuring.objective import Objective

    objective = Objective.parse(values["objective"])
    if objective.kind == "simulated":
        _refuse_base(ctx)
    else:
        _read_engines(ctx, values)
    _check_once(values["sampler_options"])
    for name in ("parameters", "start_values", "sampler_options"):
        values[name] = _by_name(ctx.lookup_default(name) or (), values[name])
    values["sampler_options"] = dict(map(_sampler_option, values["sampler_options"]))
    depth = None
    if objective.kind != "elo":  # any other limit is refused by the settings
        depth, values["depth"] = values["depth"], None
    options = keywords(ctx, values)
    if options["limit"] == Limit():
        del options["limit"]
    values["depth"] = depth
    return options | {name: value for name, value in values.items() if value is not None}


def _refuse_base(ctx: click.Context) -> None:
    if ctx.get_parameter_source("base") is not ParameterSource.DEFAULT:
        raise click.UsageError("a simulated objective has no engine: use --start, not --base")


def _read_engines(ctx: click.Context, values: dict[str, Any]) -> None:
    """Replace what is asked for as base and opponents by engines. Raises as
    :func:`toolkit.events.contenders.read_contenders`."""
    base = values["base"]
    if len(base) > 1:
        raise click.UsageError(f"--base stands for {len(base)} engines: a study tunes one")
    players = read_players(ctx.ensure_object(Invocation), base, *values["against"])
    values["base"], values["against"] = players[0], players[1:]


def _by_name(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    """Merge texts ``NAME`` or ``NAME=...``: the second ones override first ones of that name."""
    later = list(second)
    names = {_name_of(text) for text in later}
    return (*(text for text in first if _name_of(text) not in names), *later)


def _name_of(text: str) -> str:
    return text.partition("=")[0].strip()


def _sampler_option(text: str) -> tuple[str, Value]:
    from toolkit.tuning.space.declaration import literal

    name, equals, value = (part.strip() for part in text.partition("="))
    if not name or not equals or not value:
        raise click.UsageError(f"--sampler-option {text}: expected NAME=SETTING, as in c=0.2")
    return name, literal(value)


def _check_once(texts: Sequence[str]) -> None:
    """Raise UsageError for a setting of the sampler that is given twice."""
    names = [_name_of(text) for text in texts]
    for number, text in enumerate(texts):
        if names[number] in names[:number]:
            raise click.UsageError(f"--sampler-option {text}: `{names[number]}` is given twice")
