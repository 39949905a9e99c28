"""The grammar of variants: ``driver:key=value,key=value``; ``name=`` sets a label, and ``preset=``
takes values from :data:`engines.presets.PRESETS`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from msgspec import structs

from engines.choices import DEFAULT_GAME
from engines.errors import VariantError
from engines.external.text import is_among, quoted_items
from engines.presets import presets_of
from engines.registry import DRIVERS, PARAMETERS
from engines.spec import DriverSpec, Engine, Param, Value, Variant
from engines.suggestion import did_you_mean

_FLAGS = {"on": True, "true": True, "yes": True, "1": True} | {
    "off": False,
    "false": False,
    "no": False,
    "0": False,
}
_LABEL = re.compile(r"[^\s,]{1,60}")


def parse_variant(text: str) -> Variant:
    """The variant that ``text`` describes.

    Raises VariantError with one line that states the error, the nearest valid name and the allowed
    range.
    """
    return variant_of_items(*split_variant(text))


def split_variant(text: str) -> tuple[str, dict[str, str]]:
    """The driver that a text names, and its items as written. Raises VariantError."""
    text = " ".join(text.split())  # errors are one line and quote it
    driver, _, rest = text.partition(":")
    given: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not key:
            raise VariantError(f"engine `{text}`: `{item}` is not of the form key=value")
        if key in given:
            raise VariantError(f"engine `{text}`: `{key}` is given twice")
        given[key] = value
    return driver.strip(), given


def variant_of_items(driver: str, items: Mapping[str, str]) -> Variant:
    """The variant of a driver and the items of a text, ``name`` and ``preset`` among them. Raises
    VariantError."""
    given = dict(items)
    label, preset = given.pop("name", None), given.get("preset")
    if preset is None or driver not in DRIVERS:
        return make_variant(driver, given, label)
    variant = make_variant(driver, with_preset(driver, preset, given), label)
    written = ",".join(f"{key}={value}" for key, value in given.items())
    return variant if label else structs.replace(variant, label=f"{driver}:{written}")


def with_preset(driver: str, preset: str, given: Mapping[str, Value]) -> dict[str, Value]:
    """Parameters with the values of a preset, as far as they have an effect and others are not
    given. Raises VariantError."""
    spec, known = DRIVERS[driver], presets_of(driver)
    if preset not in known:
        hint = did_you_mean(preset, known) or ";"
        raise VariantError(
            f"engine `{driver}`: no preset `{preset[:40]}`{hint} {driver} has {', '.join(known)}"
        )
    own = {name: value for name, value in given.items() if name != "preset"}
    values: dict[str, Value] = {
        name: value for name, value in known[preset].values.items() if name in spec.parameters
    }
    parsed = {name: parse_value(spec, name, value) for name, value in (values | own).items()}
    complete = defaults_of(spec, parsed) | parsed
    return {
        name: value
        for name, value in parsed.items()
        if name in own or is_meaningful(PARAMETERS[name], complete)
    }


def is_named(variant: Variant) -> bool:
    """Whether a label says other than the spelling: a given name, or a preset."""
    return variant.label != variant.spelling


def label_with(variant: Variant, values: Mapping[str, Value], short: str) -> str:
    """What a variant with a name of its own is called with these values besides: of a preset a text
    that means this variant, of a given name with ``short`` behind it."""
    head, _, rest = variant.label.partition(":")
    parts = [part for part in rest.split(",") if part.partition("=")[0] not in values]
    if head not in DRIVERS or not any(part.startswith("preset=") for part in parts):
        return f"{variant.label}:{short}"
    return f"{head}:{','.join([*parts, *(f'{key}={format_value(values[key])}' for key in values)])}"


def with_game(text: str, game: str) -> str:
    """The text of an engine; of a variant that names no game, with this one."""
    head, _, rest = text.partition(":")
    foreign = head.strip() not in DRIVERS or named_game(text) is not None
    if foreign or game == DEFAULT_GAME:
        return text
    return f"{head}:game={game}{',' if rest else ''}{rest}"


def named_game(text: str) -> str | None:
    """The game that the text of a variant names; None for one that names none, and for the text of
    another engine."""
    head, _, rest = text.partition(":")
    items = (part.partition("=") for part in rest.split(",")) if head.strip() in DRIVERS else ()
    return next((value.strip() for name, _, value in items if name.strip() == "game"), None)


def make_variant(driver: str, given: Mapping[str, Value], label: str | None = None) -> Variant:
    """A variant from a driver and the parameters that differ from their defaults.

    Values may be text, as on a command line. Raises VariantError.
    """
    spec = DRIVERS.get(driver)
    if spec is None:
        hint = did_you_mean(driver, DRIVERS) or f" (drivers: {', '.join(DRIVERS)})"
        raise VariantError(f"no driver `{driver}`{hint}")
    values = {name: parse_value(spec, name, value) for name, value in given.items()}
    for name in values:
        other = PARAMETERS[name].excludes
        if other in values:
            raise VariantError(f"engine `{driver}`: `{name}` and `{other}` exclude each other")
    complete = defaults_of(spec, values) | values
    for name in values:
        needs = condition_text(PARAMETERS[name])
        if needs is not None and not is_meaningful(PARAMETERS[name], complete):
            raise VariantError(f"engine `{driver}`: `{name}` has an effect only with {needs}")
    spelling = spell(spec, complete)
    if label is not None and not is_label(label):
        raise VariantError(
            f"engine `{driver}`: name `{label}` must be 1 to 60 characters without spaces or commas"
        )
    return Variant(
        driver=driver,
        parameters=complete,
        effective=effective_parameters(spec, complete),
        spelling=spelling,
        label=label or spelling,
    )


def defaults_of(spec: DriverSpec, values: Mapping[str, Value]) -> dict[str, Value]:
    """The defaults of a driver's parameters in the game that these values name."""
    game = values.get("game", DEFAULT_GAME)
    return {name: PARAMETERS[name].default_in(game) for name in spec.parameters}


def is_label(text: str) -> bool:
    """Whether a text can be the label of an engine: 1 to 60 printable characters without spaces or
    commas."""
    return _LABEL.fullmatch(text) is not None and text.isprintable()


def parse_value(spec: DriverSpec, name: str, value: Value) -> Value:
    """One parameter's value in its own type, checked. Raises VariantError.

    This does not check whether the parameter has an effect with the values of the others.
    """
    param = parameter_of(spec, name)
    try:
        return read_value(param, value)
    except ValueError as error:
        raise VariantError(f"engine `{spec.name}`: {error}") from None


def read_value(param: Param, value: Value) -> Value:
    """A parameter's value in its own type. Raises ValueError for a value that is not allowed."""
    parsed = _convert(param, value)
    if parsed is None or not _in_range(param, parsed):
        shown = str(value)[:40]
        hint = did_you_mean(shown, param.choices)
        raise ValueError(
            f"{param.name}={shown} is not allowed{hint or ';'} {param.name} takes "
            f"{describe_range(param)}"
        )
    return parsed


def parameter_of(spec: DriverSpec, name: str) -> Param:
    """The declaration of one of the driver's parameters. Raises VariantError for another name."""
    if name not in spec.parameters:
        owners = [d.name for d in DRIVERS.values() if name in d.parameters]
        if owners:
            raise VariantError(
                f"engine `{spec.name}`: `{name}` is not a parameter of {spec.name}, "
                f"only of {', '.join(owners)}"
            )
        hint = did_you_mean(name, spec.parameters) or "; see `mtdf engines parameters`"
        raise VariantError(f"engine `{spec.name}`: no parameter `{name}`{hint}")
    return PARAMETERS[name]


def effective_parameters(spec: DriverSpec, complete: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters that define the identity: those with an effect and not a neutral value."""
    return {
        name: value
        for name, value in meaningful_parameters(spec, complete).items()
        if not _is_neutral(PARAMETERS[name], value)
    }


def meaningful_parameters(spec: DriverSpec, complete: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters that determine how a variant plays, including neutral values."""
    return {
        name: complete[name]
        for name in spec.parameters
        if is_meaningful(PARAMETERS[name], complete)
    }


def with_neutral_values(spec: DriverSpec, effective: Mapping[str, Value]) -> dict[str, Value]:
    """The meaningful parameters of a variant of which only the identity is known. The parameters
    that the identity omits are neutral, or have no effect with the values of the others."""
    game = effective.get("game", DEFAULT_GAME)
    complete = {
        name: param.default_in(game) if param.neutral is None else param.neutral
        for name, param in PARAMETERS.items()
    }
    return meaningful_parameters(spec, complete | dict(effective))


def is_meaningful(param: Param, complete: Mapping[str, Value]) -> bool:
    """False for a parameter that has no effect with the values of the others. In games without it
    the identities have it all the same (:func:`is_of_game`)."""
    if param.name == "entries":
        return complete["entries"] != 0
    if param.name == "hash":
        return complete["entries"] == 0
    if param.needs_table and not (complete["hash"] or complete["entries"]):
        return False
    if param.needs is None or param.needs[0] not in complete:
        return True
    key, wanted = param.needs
    return complete[key] in wanted and is_meaningful(PARAMETERS[key], complete)


def is_of_game(param: Param, complete: Mapping[str, Value]) -> bool:
    """Whether a parameter can have an effect in the game that these values name."""
    return not param.games or complete.get("game", DEFAULT_GAME) in param.games


def idle_parameters(variant: Variant) -> list[str]:
    """The parameters in the text of a variant that have no effect in its game. They are no error:
    variants with them are stored, and their identities have them."""
    text = variant.label if "preset=" in variant.label else variant.spelling
    given = (part.partition("=")[0].strip() for part in text.partition(":")[2].split(","))
    return [
        name
        for name in given
        if name in PARAMETERS and not is_of_game(PARAMETERS[name], variant.parameters)
    ]


def spell(spec: DriverSpec, complete: Mapping[str, Value]) -> str:
    """The shortest text that parses to these values."""
    changed = changed_parameters(spec, complete)
    parts = [f"{name}={format_value(value)}" for name, value in changed.items()]
    return spec.name + (":" + ",".join(parts) if parts else "")


def changed_parameters(spec: DriverSpec, complete: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters that have an effect and not the default of their game."""
    defaults = defaults_of(spec, complete)
    return {
        name: complete[name]
        for name in spec.parameters
        if complete[name] != defaults[name] and is_meaningful(PARAMETERS[name], complete)
    }


def format_value(value: Value) -> str:
    """A value as the grammar writes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return str(value)


def describe_range(param: Param) -> str:
    """What a parameter accepts, in words."""
    if param.kind == "flag":
        return "on or off"
    if param.kind == "choice":
        return ", ".join(param.choices)
    if param.power_of_two:
        return f"0 or a power of two up to 2^{int(param.high or 1).bit_length() - 1}"
    if param.low is None or param.high is None:
        return "a number"
    return f"{param.low} to {param.high}"


def condition_text(param: Param) -> str | None:
    """What a parameter needs to have an effect, in words; None if nothing."""
    if param.needs_table:
        return "a transposition table"
    return None if param.needs is None else describe_needs(*param.needs)


def describe_needs(name: str, wanted: Sequence[Value]) -> str:
    """The values of a parameter that another one needs, in words."""
    numbers = [value for value in wanted if type(value) is int]
    if len(numbers) > 2 and tuple(range(numbers[0], numbers[-1] + 1)) == tuple(wanted):
        return f"{name}={numbers[0]}..{numbers[-1]}"
    return " or ".join(f"{name}={format_value(value)}" for value in wanted)


def _is_neutral(param: Param, value: Value) -> bool:
    return param.neutral is not None and value == param.neutral


def _convert(param: Param, value: Value) -> Value | None:
    """The value in the parameter's own type, or None if it is not of that type."""
    if param.kind == "flag":
        return value if isinstance(value, bool) else _FLAGS.get(str(value).lower())
    if param.kind == "choice":
        return str(value)
    if isinstance(value, bool):
        return None
    try:
        if param.kind == "float":
            return float(value) + 0.0  # never negative zero, which would give another identity
        if isinstance(value, float):
            return int(value) if value.is_integer() else None
        match = re.fullmatch(r"2\^(\d{1,2})", str(value)) if param.power_of_two else None
        return 2 ** int(match[1]) if match else int(value)
    except ValueError:
        return None


def _in_range(param: Param, value: Value) -> bool:
    if param.kind == "flag":
        return True
    if isinstance(value, str):
        return value in param.choices
    if isinstance(value, float) and not math.isfinite(value):
        return False
    if param.power_of_two and int(value) & (int(value) - 1):
        return False
    return (param.low is None or value >= param.low) and (param.high is None or value <= param.high)


def variant_of(base: Variant, values: Mapping[str, Value], label: str | None = None) -> Variant:
    """The base with some values changed; base values that then have no effect are dropped.

    Raises VariantError for a parameter that the driver does not have.
    """
    spec = DRIVERS[base.driver]
    for name in values:
        if name not in spec.parameters:
            raise VariantError(f"{spec.name} has no `{name}`")
    complete = {**base.parameters, **values}
    given = changed_parameters(spec, complete) | {name: complete[name] for name in values}
    return make_variant(base.driver, given, label)


def altered(base: Engine, values: Mapping[str, Value], label: str | None = None) -> Engine:
    """An engine with some values of parameters or options changed, with its spelling as the label
    if none is given.

    Raises VariantError for a variant that does not have such a parameter; options of an external
    engine, which are named as it announces them, are not checked here.
    """
    if isinstance(base, Variant):
        return variant_of(base, values, label)
    defaults = dict(base.defaults)
    has = defaults | dict(base.options)
    texts = {name: _spell_option(value) for name, value in values.items()}
    options = {name: text for name, text in texts.items() if text != has.get(name)}
    kept = {name: fact for name, fact in base.facts["options"].items() if name not in options}
    own = {name: text for name, text in options.items() if text != defaults.get(name)}
    spelling = respelled(base.spelling, options)
    return structs.replace(
        base,
        options=tuple({**dict(base.options), **options}.items()),
        facts={**base.facts, "options": {**kept, **own}},
        spelling=spelling,
        label=label or spelling,
    )


def _spell_option(value: Value) -> str:
    """A value as UCI writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def respelled(spelling: str, values: Mapping[str, str]) -> str:
    """The spelling of an engine with other values of some keys: of options, in any case, of
    parameters that it does not give yet, or its ``name``."""
    head, separator = spelling.partition(":")[0], ","
    if head in ("uci", "git"):
        head, separator = spelling.partition("?")[0], "&"
    first = "?" if head.startswith(("uci:", "git:")) else ":"
    rest = spelling[len(head) + 1 :]
    kept = [part for part in rest.split(separator) if part and not is_among(_key(part), values)]
    native = spelling.partition(":")[0] in DRIVERS
    added = [f"{key}={value}" for key, value in values.items()]
    parts = kept + (added if native else quoted_items(values))
    return head + (first + separator.join(parts) if parts else "")


def _key(part: str) -> str:
    """The key of ``key=value``, as written in an engine's text."""
    return unquote(part.partition("=")[0]).strip()
