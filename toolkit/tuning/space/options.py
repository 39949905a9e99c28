"""The space of an external engine: the options that it announces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import quote

from engines.errors import VariantError
from engines.external.identify import identify
from engines.external.protocol import CHESS960, Announced, UciOption
from engines.external.text import shown
from engines.spec import THREADS, Param, UciEngine, Value, ValueKind
from engines.suggestion import did_you_mean
from toolkit.base.errors import EngineProblem, UsageError
from toolkit.tuning.space.space import Space

_KINDS: Mapping[str, ValueKind] = {"spin": "int", "check": "flag", "combo": "choice"}
_SETTLED = THREADS | {CHESS960.casefold()}
"""Options that are no question of playing strength at equal cost, in lower case."""


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


def tuned_option(announced: Announced, engine: UciEngine, name: str) -> Param:
    """The option of this name, in any case, as a parameter: a spin as an int, a check as a flag, a
    combo as a choice. Its default is the value that the engine has. Ends that a spin does not
    announce are None.

    Raises VariantError for a name that the engine does not announce, and for an option that cannot
    be tuned.
    """
    option = _option(announced, engine, name)
    kind = _KINDS.get(option.kind)
    if kind is None or option.name.casefold() in _SETTLED:
        why = f"a {option.kind}" if kind is None else "not a question of strength"
        raise VariantError(f"option `{shown(option.name)}` cannot be tuned: it is {why}")
    text = {**dict(engine.defaults), **dict(engine.options)}.get(option.name)
    if text is None:
        raise VariantError(
            f"option `{shown(option.name)}` has no announced default: give the base a value of it"
        )
    return Param(
        name=option.name,
        kind=kind,
        default=_value(kind, text),
        doc=f"Option of {announced.name}.",
        low=option.low,
        high=option.high,
        choices=option.choices,
    )


def _option(announced: Announced, engine: UciEngine, name: str) -> UciOption:
    exact = announced.options.get(name)
    if exact is not None:
        return exact
    for option in announced.options.values():
        if option.name.casefold() == name.casefold():
            return option
    hint = did_you_mean(name, announced.options)
    raise VariantError(f"engine `{shown(engine.label)}` has no option `{shown(name)}`{hint}")


def _value(kind: ValueKind, text: str) -> Value:
    """A value in UCI spelling in the type of its parameter."""
    if kind == "flag":
        return text == "true"
    return int(text) if kind == "int" else text
