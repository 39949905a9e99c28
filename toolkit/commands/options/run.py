"""The options of what makes a run or continues one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from engines.choices import GAMES
from engines.limit import KINDS, Limit, LimitKind, read_limit
from toolkit.base.names import Named, check_name
from toolkit.base.ranges import MAX_JOBS, check_whole
from toolkit.commands._invocation import CLUSTER, THEN, Invocation
from toolkit.commands.options.types import RUN_NAME, WHOLE

if TYPE_CHECKING:
    from db.records.runs import RunRecord
    from toolkit.events.settings import EventSettings

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Setting(click.Option):
    """A setting of an event, with the name of its keyword.

    ``stored``: what a file says of it, as the name of an attribute of the settings, or as a
    function of them; None, False and an empty text are left out.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        stored: str | Callable[[EventSettings], Any] = "",
        **attributes: Any,
    ) -> None:
        super().__init__(names, **attributes)
        path = stored if isinstance(stored, str) and stored else str(self.name)
        self.stored: Callable[[EventSettings], Any] = (
            attrgetter(path) if isinstance(stored, str) else stored
        )


def setting(*names: str, **attributes: Any) -> Callable[[_Function], _Function]:
    """A :class:`Setting` as click's decorator."""
    return click.option(*names, cls=Setting, **attributes)


def limit_argument(values: dict[str, Any]) -> Limit | None:
    """Take the limit of a move out of a command's values; None without one. Raises LimitError."""
    return read_limit({name: values.pop(name.replace("-", "_")) for name in KINDS})


def stacked(*options: Callable[[Any], Any]) -> Callable[[_Function], _Function]:
    """One decorator out of several, in the order of the help page."""

    def decorated(function: _Function) -> _Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated


def limit_options_of(told: Callable[[LimitKind], str]) -> Callable[[_Function], _Function]:
    """An option for each kind of limit, with its help text."""
    return stacked(
        *(
            click.option(
                f"--{kind.name}",
                metavar=kind.metavar,
                type=str if kind.is_clock else WHOLE,
                help=told(kind),
            )
            for kind in KINDS.values()
        )
    )


RUN = click.argument("run", metavar="RUN", type=RUN_NAME)
"""An event, a study or a laboratory run."""
_PLURALS = {"event": "events", "study": "studies", "laboratory run": "laboratory runs"}


def check_kind(ctx: click.Context, run: RunRecord, **kinds: Sequence[str]) -> None:
    """Raise UsageError for a given option, by the name of its parameter, that is only for runs of
    some kinds, of which ``run`` is none."""
    from toolkit.runs.lifecycle import title_of

    for param in ctx.command.params:
        wanted = kinds.get(param.name or "", ())
        given = ctx.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
        if given and wanted and run.what not in wanted:
            fits = " and ".join(_PLURALS[what] for what in wanted)
            raise click.UsageError(f"{param.opts[0]} is for {fits}, not for {title_of(run)}")


def _checked_jobs(ctx: click.Context, param: click.Parameter, value: int | None) -> int | None:
    if value is not None:
        check_whole("jobs", value, 1, MAX_JOBS)
    return value


def _kept(place: str) -> Callable[[click.Context, click.Parameter, str | None], None]:
    """Keep a given value at this place of the context."""

    def keep(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if value is not None:
            ctx.meta[place] = value

    return keep


def _jobs_options(default: int | None, told: str) -> Callable[[_Function], _Function]:
    """``--jobs`` and ``--cluster``, which are one value of a command, ``jobs``."""
    return stacked(
        click.option(
            "--jobs",
            "-j",
            type=WHOLE,
            default=default,
            show_default=default is not None,
            callback=_checked_jobs,
            help=told,
        ),
        click.option(
            "--cluster",
            metavar="ADDRESS",
            envvar="MTDF_CLUSTER",
            expose_value=False,
            callback=_kept(CLUSTER),
            help="In place of --jobs: the workers of a Dask cluster, by the address of its "
            "scheduler (tcp://host:8786) or its scheduler file; default: $MTDF_CLUSTER.",
        ),
    )


JOBS = _jobs_options(1, "Worker processes.")


def _play(ctx: click.Context, _: click.Parameter, game: str | None) -> None:
    """Make it the game of engines, books and suites that name none."""
    if game is not None:
        invocation = ctx.ensure_object(Invocation)
        invocation.game = invocation.asked = invocation.played = game


GAME = click.option(
    "--game",
    type=click.Choice(tuple(GAMES)),
    expose_value=False,
    is_eager=True,
    callback=_play,
    help="Game to play or search; default: chess. Short for `game=...` in every engine.",
)

AFFINITY = click.option(
    "--affinity", is_flag=True, help="Pin each worker and its engines to processor cores."
)

ENGINE_LOG = click.option(
    "--engine-log",
    metavar="DIR",
    help="Keep what is sent to external engines and what they print in files in DIR, at most 8 MB "
    "per engine and worker.",
)

AND_THEN = click.option(
    "--then",
    metavar="COMMAND",
    expose_value=False,
    callback=_kept(THEN),
    help="When the run has ended or was stopped, run COMMAND in a shell, with the result as JSON "
    "on its standard input and in variables such as MTDF_STATUS and MTDF_ELO.",
)

resume_options = stacked(
    _jobs_options(None, "Worker processes; default: as many as before, at most one for each core."),
    click.option(
        "--allow-changed", is_flag=True, help="Continue although the core or an engine has changed."
    ),
)
"""The options of what continues a run."""


def name_option(what: Named, told: str) -> Callable[[_Function], _Function]:
    """``--name`` with the help text ``told``. The default is an empty name, but an empty name
    cannot be given. Raises UsageError when it is parsed."""

    def checked(ctx: click.Context, param: click.Parameter, value: str) -> str:
        if ctx.get_parameter_source("name") is not ParameterSource.DEFAULT:
            check_name(what, value)
        return value

    return setting("--name", metavar="NAME", default="", callback=checked, help=told)
