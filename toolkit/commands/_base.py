"""The base of every command: global options, examples in the help, the notice on the backend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from click.core import ParameterSource

from engines.suggestion import nearest_names
from toolkit.commands._invocation import CLUSTER, GLOBAL_OPTIONS, Invocation

_HELP: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
"""Set on every command, because click caches the names of the first context that asks."""
"""Where a context keeps the texts of the command line, by parameter."""
WORDS = "mtdf.words"
"""Where a context keeps the words after the name of the command."""
Examples = Sequence[tuple[str, str]]
"""Command lines, each with a short description."""


class Command(click.Command):
    """A command with the global options and examples at the end of its help."""

    def __init__(self, *args: Any, examples: Examples = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.context_settings = {**_HELP, **self.context_settings}
        self.examples = examples
        self.params.extend(_global_options())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does. Raises UsageError if an option with one value is given twice, since
        click would drop the first value, and for a NUL character."""
        ctx.meta[WORDS] = tuple(args)
        _check_no_nul(ctx, args)
        _check_once(self, ctx, args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, after a notice if the backend is not the native one."""
        ctx.ensure_object(Invocation).announce_backend()
        _use_cluster(ctx)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Own options first, then the global ones."""
        _format_options(self, ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples."""
        _format_examples(self.examples, formatter)


class Group(click.Group):
    """A group of commands with the same features, and suggestions for mistyped names."""

    command_class = Command

    def __init__(self, *args: Any, examples: Examples = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.context_settings = {**_HELP, **self.context_settings}
        self.examples = examples
        self.params.extend(_global_options())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does. Raises UsageError if an option is given twice, and for a NUL
        character."""
        _check_no_nul(ctx, args)
        _check_once(self, ctx, args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command of the group, or the group itself if it plays something."""
        _use_cluster(ctx)
        return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. Raises UsageError with the nearest known names."""
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            close = " or ".join(f"'{one}'" for one in nearest_names(name, known))
            hint = f" Did you mean {close}?" if close else f" ({ctx.command_path} --help)"
            raise click.UsageError(f"No such command '{name}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Global options, then the commands."""
        _format_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples."""
        _format_examples(self.examples, formatter)


def _check_no_nul(ctx: click.Context, args: Sequence[str]) -> None:
    """Raise UsageError for a word with a NUL character: no shell gives one, but a file of an event
    and a program can, and no name of a file has one."""
    for word in args:
        if "\0" in word:
            raise click.UsageError(f"`{word}` contains a NUL character", ctx)


def _check_once(command: click.Command, ctx: click.Context, args: Sequence[str]) -> None:
    """Raise UsageError if an option with one value is given twice. Flags may be repeated, and
    ``--help`` always works."""
    if ctx.resilient_parsing:
        return
    given = command.make_parser(ctx).parse_args(list(args))[2]
    if any(isinstance(param, click.Option) and param.is_eager for param in given):
        return
    for param in given:
        if not isinstance(param, click.Option) or param.multiple or param.count or param.is_flag:
            continue
        if given.count(param) > 1:
            raise click.UsageError(f"{param.opts[0]} is given twice: give it once", ctx)


def _format_options(
    command: click.Command, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    own: list[tuple[str, str]] = []
    common: list[tuple[str, str]] = []
    for param in command.get_params(ctx):
        if isinstance(param, click.Argument):
            continue  # the usage line and the text above name it
        record = param.get_help_record(ctx)
        if record is not None:
            is_common = any(name in GLOBAL_OPTIONS for name in param.opts)
            (common if is_common else own).append(record)
    for title, records in (("Options", own), ("Global options", common)):
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


def _format_examples(examples: Examples, formatter: click.HelpFormatter) -> None:
    with formatter.section("Examples"):
        for line, meaning in examples:
            formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
            formatter.write(f"{'':>{formatter.current_indent + 4}}{meaning}\n")


def _global_options() -> list[click.Option]:
    def option(*names: str, **attributes: Any) -> click.Option:
        return click.Option(names, expose_value=False, callback=_remember, **attributes)

    return [
        option("--db", metavar="PATH", help="Database; default: $MTDF_DB, else ./mtdf.db."),
        option("--json", is_flag=True, help="Print one JSON object or array."),
        option("--quiet", "-q", is_flag=True, help="Suppress progress and hints."),
        option("--verbose", "-v", count=True, help="Print more details; -vv shows tracebacks."),
        option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            help="Use colour; default auto: on a terminal, unless NO_COLOR is set.",
        ),
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Print the version and exit.",
        ),
    ]


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Keep a given global option; one after the subcommand takes precedence."""
    if (
        param.name
        and ctx.get_parameter_source(param.name) is click.core.ParameterSource.COMMANDLINE
    ):
        ctx.ensure_object(Invocation).remember(param.name, value)
    else:
        ctx.ensure_object(Invocation)


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from toolkit.base.version import program_version

        click.echo(f"mtdf {program_version()}")
        ctx.exit()


def _use_cluster(ctx: click.Context) -> None:
    """Put the cluster of ``--cluster`` in place of the jobs, when the command line has been read.
    Raises UsageError, and OperationFailed for a cluster that does not answer."""
    address = ctx.meta.pop(CLUSTER, None)
    if address is None:
        return
    if ctx.get_parameter_source("jobs") is ParameterSource.COMMANDLINE:
        if ctx.get_parameter_source("cluster") is ParameterSource.COMMANDLINE:
            raise click.UsageError("--jobs and --cluster exclude each other", ctx)
        return  # what is typed holds over the environment and a file
    from toolkit.runs.dask.cluster import Cluster
    from toolkit.runs.jobs import on_this_machine

    cluster = Cluster(address, ctx.ensure_object(Invocation).output.warning)
    ctx.call_on_close(cluster.close)
    if ctx.params.get("affinity"):
        on_this_machine("--affinity", cluster)
    _ = cluster.client  # one that does not answer is told before anything else is done
    ctx.params["jobs"] = cluster
