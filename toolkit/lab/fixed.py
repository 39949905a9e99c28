"""Engines that no default changes, for claims and for what must be made again as it was.

Defaults are tuned for games and change. These engines have the values of the preset ``claims`` and
those of their text, and are called as the text is written.
"""

from __future__ import annotations

from msgspec import structs

from engines.presets import PRESETS
from engines.spec import Variant
from engines.variant import format_value, make_variant, variant_of, with_preset

FIXED = PRESETS["claims"].values
"""What such an engine has where its text does not say otherwise. None of it ever changes."""


def engine_of(text: str, game: str = FIXED["game"]) -> Variant:
    """The engine of a text, called as it is written, that plays ``game``; what the text leaves out
    is :data:`FIXED`."""
    driver, _, own = text.partition(":")
    given = dict(part.split("=") for part in own.split(",") if part)
    values = with_preset(driver, "claims", {"game": game} | given)
    return structs.replace(make_variant(driver, values), label=text)


def engines_of(*texts: str) -> list[Variant]:
    """Engines by their texts."""
    return list(map(engine_of, texts))


def spelled_out(text: str, game: str) -> str:
    """The text by which any command knows the engine of such a text."""
    return altered(text, f"preset=claims,game={game}")


def altered(text: str, parameters: str) -> str:
    """The text of an engine with further parameters, such as ``hash=0``."""
    return f"{text}{',' if ':' in text else ':'}{parameters}"


def varied(variant: Variant, name: str, text: str) -> Variant:
    """An engine with another value of a parameter, and called so."""
    changed = variant_of(variant, {name: text})
    value = format_value(changed.parameters[name])
    return structs.replace(changed, label=altered(variant.label, f"{name}={value}"))
