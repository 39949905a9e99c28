"""Rows that people find by their names."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, func, select
from sqlalchemy.orm import InstrumentedAttribute

from db.errors import NotFound


def named_id(
    connection: Connection,
    key: InstrumentedAttribute[int],
    name: InstrumentedAttribute[str],
    text: str,
    what: str,
) -> int:
    """The key of the row of a name, a unique beginning of a name, or ``last``: the newest.

    ``what`` the rows are, for messages. Raises NotFound when there is none, or more than one.
    """
    if text == "last":
        newest = connection.execute(select(func.max(key))).scalar_one()
        if newest is None:
            raise NotFound(f"there is no {what} yet")
        return newest
    conditions: tuple[ColumnElement[bool], ...] = (
        name == text,
        name.startswith(text, autoescape=True),
    )
    for condition in conditions:
        query = select(key, name).where(condition).order_by(key).limit(5)
        found = connection.execute(query).all() if text else []
        if len(found) > 1:
            names = " or ".join(f"`{row[1]}`" for row in found)
            raise NotFound(f"`{text}` may be {what} {names}: give more of the name")
        if found:
            return found[0][0]
    raise NotFound(f"no {what} `{text}`")
