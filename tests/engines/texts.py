"""Texts of variants with a table of some size, or without one."""

from __future__ import annotations

from engines.registry import PARAMETERS


def with_table(text: str, table: str) -> str:
    """The variant with ``table``, such as ``entries=2^8``. With ``hash=0`` it loses the parameters
    that mean nothing without a table."""
    driver, _, rest = text.partition(":")
    given = [one for one in rest.split(",") if one]
    if table == "hash=0":
        given = [one for one in given if not _needs_table(one.partition("=")[0])]
    return f"{driver}:{','.join([*given, table])}"


def _needs_table(name: str) -> bool:
    needs = PARAMETERS[name].needs
    return PARAMETERS[name].needs_table or (needs is not None and _needs_table(needs[0]))
