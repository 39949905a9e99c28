"""The space of an external engine: the options that it announces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import quote

from engines.external.identify import identify
from engines.external.tunable import tuned_option
from engines.spec import UciEngine, Value
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.tuning.space.space import Space


def space_of_options(engine: UciEngine, texts: Sequence[str]) -> tuple[Space, Mapping[str, Value]]:
    """The space of these options, declared as parameters are, and the engine's values of them. The
    engine is started once. Raises UsageError, EngineFailure."""
    announced = identify(engine).announced
    option = partial(tuned_option, announced, engine)
    space = Space.of_options(option, texts)
    return space, {name: option(name).default for name in space.names}


def check_options(engine: UciEngine, space: Space) -> None:
    """Raise EngineProblem if the engine, which has changed, does not take all values of a space any
    more, EngineFailure if it does not start."""
    declared = [f"{quote(one.name)}={one.range_text}" for one in space.dimensions]
    try:
        space_of_options(engine, declared)
    except UsageError as error:
        raise EngineProblem(
            f"engine `{engine.label}` changed and cannot have the tuned values any more: {error}"
        ) from error
