"""The players of an event, as its settings keep them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from db.records import UCI_KIND, VariantRecord
from engines.external.identify import CHESS960
from engines.registry import DRIVERS
from engines.spec import Engine, FilesOfEngine, Limit, UciCommand, UciEngine, Variant
from engines.variant import make_variant, with_neutral_values
from toolkit.base.errors import EngineProblem, UsageError


@dataclass(frozen=True, slots=True)
class Launch:
    """How an external engine is started and set up."""

    argv: tuple[str, ...]
    options: Mapping[str, str]
    defaults: Mapping[str, str]
    """What the engine announced when it was stored."""
    directory: str | None = None
    environment: Mapping[str, str] | None = None
    restart: bool = False
    memory_mb: int | None = None
    files: FilesOfEngine = "read"

    @classmethod
    def of(cls, engine: UciEngine) -> Self:
        """How this engine is started."""
        command = engine.command
        return cls(
            argv=command.argv,
            options=dict(engine.options),
            defaults=dict(engine.defaults),
            directory=command.directory,
            environment=dict(command.environment) or None,
            restart=engine.restart,
            memory_mb=command.memory_mb,
            files=command.files,
        )

    @property
    def plays_chess960(self) -> bool:
        """Whether the engine announced that it does."""
        return CHESS960 in self.defaults

    @property
    def command(self) -> UciCommand:
        """The program, its arguments and surroundings."""
        environment = tuple(sorted((self.environment or {}).items()))
        return UciCommand(tuple(self.argv), self.directory, environment, self.memory_mb, self.files)


def command_of(engine: Engine) -> str:
    """How an engine is started, in one line for people: the spelling of a variant; environment,
    program, arguments, options and folder of an external one."""
    if not isinstance(engine, UciEngine):
        return engine.spelling
    command = engine.command
    environment = [f"{name}={value}" for name, value in command.environment]
    options = [f"{name}={value}" for name, value in engine.options]
    words = shlex.join([*environment, *command.argv])
    return words + "".join(
        f"; {what} {', '.join(values)}"
        for what, values in (
            ("options", options),
            ("folder", [command.directory] if command.directory else []),
        )
        if values
    )


@dataclass(frozen=True, slots=True)
class PlayerSettings:
    """A player of an event: an engine under a label, and its limit if it has one of its own."""

    label: str
    id: str
    """Identity of the engine."""
    spelling: str
    driver: str
    effective: Mapping[str, Any]
    """What defines the identity: the parameters of a variant, the facts of an external engine."""
    launch: Launch | None = None
    """For an external engine."""
    limit: Limit | None = None
    """None: that of the event."""

    @property
    def game(self) -> str:
        """The game that it plays."""
        return str(self.effective.get("game", "chess")) if self.launch is None else "chess"

    @classmethod
    def of(cls, engine: Engine, limit: Limit | None = None) -> PlayerSettings:
        """The player that an engine is, under the engine's own label."""
        if isinstance(engine, UciEngine):
            driver, effective, launch = UCI_KIND, dict(engine.facts), Launch.of(engine)
        else:
            driver, effective, launch = engine.driver, dict(engine.effective), None
        return cls(
            label=engine.label,
            id=engine.identity,
            spelling=engine.spelling,
            driver=driver,
            effective=effective,
            launch=launch,
            limit=limit,
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PlayerSettings:
        """What :meth:`to_json` made. Raises TypeError or ValueError for other data."""
        fields = dict(data)
        if "launch" in data:
            launch = dict(data["launch"])
            fields["launch"] = Launch(**launch | {"argv": tuple(launch["argv"])})
        if "limit" in data:
            fields["limit"] = Limit.from_json(data["limit"])
        return cls(**fields)

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON; what is not used is left out."""
        data = asdict(replace(self, launch=None, limit=None))
        del data["launch"], data["limit"]
        if self.launch is not None:
            data["launch"] = asdict(self.launch)
            if self.launch.memory_mb is None:
                del data["launch"]["memory_mb"]
            if self.launch.files == "read":
                del data["launch"]["files"]
        if self.limit is not None:
            data["limit"] = self.limit.to_json()
        return data

    @property
    def kind(self) -> str:
        """``native`` or ``uci``."""
        return "native" if self.launch is None else UCI_KIND

    @property
    def deterministic(self) -> bool:
        """Whether the engine repeats a search that no clock limits."""
        if self.launch is None:
            return self.threads == 1
        return self._external(self.launch).deterministic

    @property
    def threads(self) -> int:
        """With how many threads it searches, as far as is known."""
        if self.launch is None:
            return int(self.effective.get("threads", 1))
        return self._external(self.launch).threads

    def record(self) -> VariantRecord:
        """The engine as the database keeps it."""
        return VariantRecord(
            id=self.id,
            kind=self.kind,
            driver=self.driver,
            parameters=self.effective,
            spelling=self.spelling,
        )

    def engine(self) -> Engine:
        """The engine that plays. An external one is not started here, nor compared with its
        identity. Raises EngineProblem if this program knows no variant of that identity."""
        return self.variant() if self.launch is None else self._external(self.launch)

    def variant(self) -> Variant:
        """The variant with every parameter. Raises EngineProblem if this program knows no
        variant of that identity, UsageError for an external engine."""
        if self.launch is not None:
            raise UsageError(f"engine `{self.label}` is an external one: only ours can do that")
        spec = DRIVERS.get(self.driver)
        if spec is None:
            raise EngineProblem(f"engine `{self.label}`: this program has no driver {self.driver}")
        # A parameter omitted from the identity has its neutral value, not its default.
        given = {**with_neutral_values(spec, self.effective), **self.effective}
        try:
            variant = replace(make_variant(self.driver, given), label=self.label)
        except ValueError as error:
            raise EngineProblem(
                f"engine `{self.label}` is not known to this program: {error}"
            ) from error
        if variant.identity != self.id:
            raise EngineProblem(
                f"engine `{self.label}` changed since it was stored "
                f"({self.id} -> {variant.identity})"
            )
        return variant

    def _external(self, launch: Launch) -> UciEngine:
        return UciEngine(
            command=launch.command,
            options=tuple(launch.options.items()),
            facts=self.effective,
            spelling=self.spelling,
            label=self.label,
            restart=launch.restart,
            defaults=tuple(launch.defaults.items()),
        )


def most_threads_of(players: Sequence[PlayerSettings]) -> int:
    """With how many threads these players search, one at a time."""
    return max((player.threads for player in players), default=1)


def variation_of(players: Sequence[PlayerSettings], limits: Sequence[Limit]) -> str:
    """Why games of these players under these limits need not come again from the same settings:
    ``not repeatable: ...``, in the words of every plan, list and page. Empty if they do."""
    reasons = []
    if not all(player.deterministic for player in players):
        most = most_threads_of(players)
        number = f"up to {most}" if most > 1 else "several"
        reasons.append(f"{number} threads search together")
    if not all(limit.deterministic for limit in limits):
        reasons.append("time limits the searches")
    return f"not repeatable: {' and '.join(reasons)}" if reasons else ""
