"""Texts that stand for many engines: ``mtdf:guess={zero,parity},hash={1,16}`` and ``mtdf:guess=*``.

Braces with alternatives stand for each of them, several braces for each combination, in the order
of writing. A value ``*`` stands for each value of a variant's parameter that has few: the choices,
or on and off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product

from engines.errors import VariantError
from engines.external.text import shown
from engines.registry import DRIVERS
from engines.variant import parameter_of
from toolkit.base.errors import UsageError

MAX_EXPANDED = 1000
"""Engines of one text."""
_BRACES = re.compile(r"\{([^{}]*)\}")
_STAR = re.compile(r"(?<![^:,])([\w-]+)=\*(?=,|$)")


def expanded(texts: Iterable[str]) -> tuple[str, ...]:
    """Every engine of these texts, in order. Raises UsageError, VariantError."""
    return tuple(engine for text in texts for engine in _expanded(text))


def _expanded(text: str) -> list[str]:
    text = _STAR.sub(lambda match: f"{match[1]}={{{','.join(_values(text, match[1]))}}}", text)
    pieces = _BRACES.split(text)
    if len(pieces) == 1:
        if "{" in text or "}" in text:
            raise UsageError(f"engine `{shown(text)}`: a brace is not closed, or closes nothing")
        return [text]
    fixed, choices = pieces[::2], [piece.split(",") for piece in pieces[1::2]]
    if any("{" in part or "}" in part for part in fixed):
        raise UsageError(f"engine `{shown(text)}`: braces must not lie within braces")
    number = 1
    for choice in choices:
        if not all(one.strip() for one in choice):
            raise UsageError(f"engine `{shown(text)}`: an alternative in braces is empty")
        number *= len(choice)
    if number > MAX_EXPANDED:
        raise UsageError(
            f"engine `{shown(text)}` stands for {number} engines: {MAX_EXPANDED} are the most"
        )
    return [
        fixed[0] + "".join(one.strip() + after for one, after in zip(some, fixed[1:], strict=True))
        for some in product(*choices)
    ]


def _values(text: str, name: str) -> list[str]:
    """The values that ``*`` stands for. Raises VariantError."""
    driver = text.partition(":")[0].strip()
    if driver not in DRIVERS:
        raise VariantError(
            f"engine `{shown(text)}`: `{name}=*` is for engines of ours; list the values in "
            f"braces, as in {name}={{1,2}}"
        )
    param = parameter_of(DRIVERS[driver], name)
    if param.kind == "flag":
        return ["on", "off"]
    if not param.choices:
        raise VariantError(
            f"engine `{shown(text)}`: `{name}` has too many values for `*`; list some in braces, "
            f"as in {name}={{1,2}}"
        )
    return list(param.choices)
