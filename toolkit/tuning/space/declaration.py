"""What a user says about one tuned parameter: ``NAME``, ``NAME=LOW..HIGH[,log]``, ``NAME=A|B|C``.

After the values, a condition ``,OTHER=X|Y`` says under which values of another tuned parameter
this one means anything; only spaces that no registry declares need it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import unquote

from engines.spec import Value
from toolkit.base.errors import UsageError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,59}")
_INT = re.compile(r"[+-]?\d{1,15}")
_FLOAT = re.compile(r"[+-]?(\d{0,20}\.?\d{1,30})(e[+-]?\d{1,3})?", re.IGNORECASE)
_MOST_SHOWN = 200
"""Characters of a declaration in a message."""
_FORMS = "NAME, NAME=LOW..HIGH, NAME=LOW..HIGH,log or NAME=A|B|C"


@dataclass(frozen=True, slots=True)
class Declaration:
    """One parameter to be tuned, as it was written."""

    text: str
    name: str
    low: int | float | None = None
    """None, as ``high``: no range was given."""
    high: int | float | None = None
    """An int where it was written as one, as is ``low``."""
    log: bool = False
    choices: tuple[str, ...] = ()
    condition: tuple[str, tuple[str, ...]] | None = None
    """Another parameter and the values of it under which this one means anything."""

    def refuse(self, reason: str) -> NoReturn:
        """Raise UsageError with the declaration in front of the reason."""
        raise UsageError(f"--param {self.text[:_MOST_SHOWN]}: {reason}")


def parse_declaration(text: str, *, of_option: bool = False) -> Declaration:
    """The declaration that ``text`` is. ``of_option``: its name is that of an option of an external
    engine, any text, whose ``=`` is written ``%3D`` as in a URL. Raises UsageError."""
    text = " ".join(text.split())
    name, equals, rest = (part.strip() for part in text.partition("="))
    if of_option:
        name = unquote(name)
    bare = Declaration(text, name)
    if not (name if of_option else _NAME.fullmatch(name)):
        bare.refuse(f"`{name[:60]}` is not the name of a parameter; expected {_FORMS}")
    if not equals:
        return bare
    values, *options = (part.strip() for part in rest.split(","))
    log, condition = False, None
    for option in options:
        if option == "log":
            log = True
        elif "=" in option:
            condition = _condition(bare, option)
        else:
            choices = "" if ".." in values else f"; write choices as {name}={values}|{option}"
            bare.refuse(f"`{option}` is neither log nor a condition NAME=VALUE{choices}")
    if ".." in values:
        low, high = _range(bare, values)
        if log and low <= 0:
            bare.refuse(f"a logarithmic range must begin above 0, not at {low}")
        return Declaration(text, name, low, high, log, (), condition)
    if log:
        bare.refuse("log belongs to a range LOW..HIGH")
    return Declaration(text, name, None, None, False, _choices(bare, values), condition)


def literal(text: str) -> Value:
    """A choice in the type that it looks like: false, true, an integer, a float, or text."""
    if text in ("false", "true"):
        return text == "true"
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def number(text: str) -> int | float | None:
    """The number that ``text`` is, an int without a point or exponent; None for other text."""
    if power := re.fullmatch(r"2\^(\d{1,2})", text):
        return 1 << min(int(power[1]), 49)
    value = literal(text)
    if isinstance(value, (bool, str)) or not math.isfinite(value):
        return None
    return value


def _range(bare: Declaration, values: str) -> tuple[int | float, int | float]:
    """The ends of ``LOW..HIGH``."""
    # The first `..` whose two sides are numbers: `-1...5` is -1 to 0.5.
    for cut in (match.start() for match in re.finditer(r"(?=\.\.)", values)):
        low, high = number(values[:cut].strip()), number(values[cut + 2 :].strip())
        if low is None or high is None:
            continue
        if low >= high:
            example = f"{high}..{low if low > high else high + 1}"
            bare.refuse(f"the range must begin below its end, as in {bare.name}={example}")
        return low, high
    bare.refuse(f"`{values}` is not a range of two numbers, as in {bare.name}=1..5")


def _choices(bare: Declaration, values: str) -> tuple[str, ...]:
    """The values of ``A|B|C``, two at least and all different."""
    choices = tuple(part.strip() for part in values.split("|"))
    if not all(choices):
        bare.refuse(f"a choice is empty; expected {_FORMS}")
    if len(choices) == 1:
        bare.refuse(
            f"one value leaves nothing to tune; set {values} in the base, or give more values"
        )
    parsed = [literal(choice) for choice in choices]
    for place, value in enumerate(parsed):
        if value in parsed[:place]:
            bare.refuse(f"`{choices[place]}` is given twice")
    return choices


def _condition(bare: Declaration, option: str) -> tuple[str, tuple[str, ...]]:
    """The parameter and the values of ``NAME=X|Y``."""
    name, _, values = (part.strip() for part in option.partition("="))
    wanted = tuple(part.strip() for part in values.split("|"))
    if bare.name == name or not _NAME.fullmatch(name) or not all(wanted):
        bare.refuse(f"`{option}` is not a condition, as in {bare.name}=0..1,other=a|b")
    return name, wanted
