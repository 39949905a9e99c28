"""The order of texts, which is the same on every database."""

from __future__ import annotations

from typing import Any

from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class by_letters(FunctionElement[str]):
    """Sorts by a column of text in the order of Unicode, which is SQLite's. A server would sort by
    the rules of some language."""

    inherit_cache = True
    name = "by_letters"


@compiles(by_letters)
def _plain(element: by_letters, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(by_letters, "postgresql")
def _on_server(element: by_letters, compiler: SQLCompiler, **options: Any) -> str:
    return f'{compiler.process(element.clauses, **options)} COLLATE "C"'
