"""Who plays: engines with limits of their own."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, structs

from db.records.engines import UCI_KIND, VariantRecord
from engines.limit import Limit
from engines.registry import DRIVERS
from engines.spec import Engine, UciEngine, Value, Variant
from engines.variant import make_variant, with_neutral_values
from toolkit.base.errors import EngineProblem, UsageError


class Contender(Struct, frozen=True, omit_defaults=True):
    """A player of an event: an engine, and its limit if that is not the one of the event."""

    engine: Engine
    limit: Limit | None = None

    @property
    def label(self) -> str:
        """The label of the engine."""
        return self.engine.label

    @property
    def id(self) -> str:
        """The identity of the engine."""
        return self.engine.identity

    def playable(self) -> Engine:
        """The engine that plays. An external one is not started here, nor compared with its
        identity. Raises EngineProblem if this program knows no variant of that identity."""
        return self.engine if isinstance(self.engine, UciEngine) else self.variant()

    def variant(self) -> Variant:
        """The variant with every parameter of this program. Raises EngineProblem as
        :func:`stored_variant`, UsageError for an external engine."""
        one = self.engine
        if isinstance(one, UciEngine):
            raise UsageError(f"engine `{one.label}` is an external one: only ours can do that")
        return stored_variant(one.driver, one.effective, label=one.label, identity=one.identity)


def stored_variant(
    driver: str, effective: Mapping[str, Value], *, label: str, identity: str
) -> Variant:
    """A variant that was stored, perhaps by another version of this program, with every parameter
    of this one. Raises EngineProblem if this program knows no variant of that identity."""
    spec = DRIVERS.get(driver)
    if spec is None:
        raise EngineProblem(f"engine `{label}`: this program has no driver {driver}")
    # A parameter omitted from the identity has its neutral value, not its default.
    given = {**with_neutral_values(spec, effective), **effective}
    try:
        variant = structs.replace(make_variant(driver, given), label=label)
    except ValueError as error:
        raise EngineProblem(f"engine `{label}` is not known to this program: {error}") from error
    if variant.identity != identity:
        raise EngineProblem(
            f"engine `{label}` changed since it was stored ({identity} -> {variant.identity})"
        )
    return variant


def record_of(engine: Engine) -> VariantRecord:
    """An engine as the database keeps it."""
    if isinstance(engine, UciEngine):
        kind, driver, facts = UCI_KIND, UCI_KIND, engine.facts
    else:
        kind, driver, facts = "native", engine.driver, engine.effective
    build = build_of(engine)
    return VariantRecord(engine.identity, kind, driver, facts, engine.spelling, build)


def build_of(engine: Engine) -> dict[str, Any] | None:
    """How an engine was built, as the database keeps it; None for one that was not."""
    if not isinstance(engine, UciEngine) or engine.built is None:
        return None
    source = engine.command.source
    assert source is not None, "it was built of something"
    return {
        "repository": source.repository,
        "reference": source.reference,
        "commit": source.commit,
        "build": source.build,
        **structs.asdict(engine.built),
        "diff": source.diff.decode(errors="replace"),
    }


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


def most_threads_of(engines: Sequence[Engine]) -> int:
    """With how many threads these engines search, one at a time."""
    return max((engine.threads for engine in engines), default=1)


def variation_of(engines: Sequence[Engine], limits: Sequence[Limit]) -> str:
    """Why games of these engines under these limits need not come again from the same settings:
    ``not repeatable: ...``, in the words of every plan, list and page. Empty if they do."""
    reasons = []
    if not all(engine.deterministic for engine in engines):
        most = most_threads_of(engines)
        number = f"up to {most}" if most > 1 else "several"
        reasons.append(f"{number} threads search together")
    if not all(limit.deterministic for limit in limits):
        reasons.append("time limits the searches")
    return f"not repeatable: {' and '.join(reasons)}" if reasons else ""
