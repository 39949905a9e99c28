"""Finding out what an external engine is: its name, its options, and the files behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from msgspec import Struct

from engines.errors import VariantError
from engines.external.building import make_build
from engines.external.files import NamedFiles, program_digest
from engines.external.handshake import START_PATIENCE_S, get_ready, greet, set_options
from engines.external.process import EngineProcess, kill_all
from engines.external.protocol import CHESS960, EMPTY, Announced, UciOption, read_option
from engines.external.text import shown
from engines.spec import THREADS, UciCommand, UciEngine, UciSetup

_Item = TypeVar("_Item")
_Found = TypeVar("_Found")
_AT_ONCE = 4
"""Engines that are started side by side."""


class Identified(Struct, frozen=True):
    """An engine, and what it announced."""

    engine: UciEngine
    announced: Announced


def identify(setup: UciSetup, *, patience_s: float = START_PATIENCE_S) -> Identified:
    """Start the engine once, set its options, and describe it; one that has a source is built
    first, unless its build is in the cache.

    Raises VariantError for an option that it does not have or a value that it does not take, and
    EngineFailure when it does not start, is no UCI engine, or is not ready in time.
    """
    command, options = setup.command, dict(setup.options)
    build = None if command.source is None else make_build(command.source, setup.label)
    files = NamedFiles.before_start(command, options.values())
    process = EngineProcess(command, setup.label)
    try:
        announced = greet(process, patience_s)
        chosen = choose_options(announced, options, setup.label)
        get_ready(process, set_options(chosen.items()), patience_s)
        process.close()
    finally:
        process.kill()
    engine = UciEngine(
        command=command,
        options=tuple(chosen.items()),
        facts=_facts(command, announced, chosen, files),
        spelling=setup.spelling,
        label=setup.label,
        restart=setup.restart,
        defaults=tuple(
            (option.name, default)
            for option in announced.options.values()
            if (default := _default(option)) is not None
        ),
        built=None if build is None else build.known,
    )
    return Identified(engine, announced)


def build_all(setups: Iterable[UciSetup]) -> None:
    """Build those that have a source, one after another. Raises EngineFailure."""
    for one in setups:
        if one.command.source is not None:
            make_build(one.command.source, one.label)


def side_by_side(do: Callable[[_Item], _Found], items: Iterable[_Item]) -> list[_Found]:
    """Do something that starts an engine with each of the items, a few at once, and return what is
    found, in order. When that is interrupted, as by Ctrl-C, it does not wait for engines that do
    not answer: they are killed."""
    pool = ThreadPoolExecutor(max_workers=_AT_ONCE)
    try:
        return list(pool.map(do, items))
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        kill_all()
        raise
    finally:
        pool.shutdown()


def choose_options(announced: Announced, options: Mapping[str, str], engine: str) -> dict[str, str]:
    """These options by announced name, in UCI spelling. Number of threads other than 1 that are the
    engine's own default are among them, so that :attr:`UciEngine.deterministic` sees them. Raises
    VariantError."""
    chosen: dict[str, str] = {}
    for name, value in options.items():
        try:
            known, spelled = read_option(announced, name, value)
        except VariantError as error:
            raise VariantError(f"engine `{shown(engine)}`: {error}") from None
        if known in chosen:
            raise VariantError(f"engine `{shown(engine)}`: option `{shown(known)}` is given twice")
        if known.casefold() == CHESS960.casefold():
            raise VariantError(f"engine `{shown(engine)}`: {CHESS960} is set for each game")
        chosen[known] = spelled
    for option in announced.options.values():
        if option.name.casefold() in THREADS and option.default not in (None, "1"):
            chosen.setdefault(option.name, str(option.default))
    return chosen


def _facts(
    command: UciCommand, announced: Announced, chosen: Mapping[str, str], files: NamedFiles
) -> dict[str, Any]:
    """What the identity is made of, see :class:`engines.spec.UciEngine`."""
    if command.source is None:
        program = {"name": announced.name, "program": program_digest(command)}
    else:
        program = command.source.facts
    return {
        **program,
        "arguments": files.arguments(),
        "environment": dict(command.environment),
        "options": {
            name: _option_fact(announced.options[name], value, files)
            for name, value in chosen.items()
            if value != _default(announced.options[name])
        },
    }


def _option_fact(option: UciOption, value: str, files: NamedFiles) -> str | dict[str, str]:
    return files.fact(option.name, value) if option.kind == "string" else value


def _default(option: UciOption) -> str | None:
    """The announced default, in UCI spelling."""
    return EMPTY if option.kind == "string" and option.default == "" else option.default
