"""The beginning: the handshake, the options and their values, and words that no engine knows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engines.cores import available_cores
from engines.errors import EngineFailure
from engines.external.protocol import CHESS960, EMPTY, UciOption
from engines.spec import THREADS
from toolkit.compliance.conversation import START, Conversation
from toolkit.compliance.finding import CheckVerdict, fail, ok, warn

_SLOW_MS = 2000
_MOST_MB = 64
"""No test takes more memory, whatever the engine would allow."""
_MEMORY = re.compile(r"hash|cache|memory", re.IGNORECASE)
_WRITES = re.compile(r"\b(log|debug|write|save|learn\w*)\b", re.IGNORECASE)
"""In names of options that make an engine write files: they are left alone."""
_OWN_BOOK = re.compile(r"own ?book|use ?book", re.IGNORECASE)
_NAMED = 3


def check_start(talk: Conversation) -> CheckVerdict:
    """``uci`` is answered with a name, an author and ``uciok``, soon."""
    talk.fresh()
    name, author, ms = talk.announced.name, talk.announced.author, talk.start_ms
    detail = f"{name or 'no name'}, started in {ms:.0f} ms"
    missing = [f"no `id {what}`" for what, told in (("name", name), ("author", author)) if not told]
    if missing:
        return warn(
            f"{detail}: {' and '.join(missing)}",
            "versions of it may be indistinguishable in other programs",
        )
    if ms > _SLOW_MS:
        return warn(detail, "each worker starts it once, and restart=on once a game")
    return ok(detail)


def check_options(talk: Conversation) -> CheckVerdict:
    """Each announced option makes sense, with a default that it allows itself."""
    options = talk.announced.options
    faults = [f"{talk.announced.malformed} unreadable"] if talk.announced.malformed else []
    faults += [
        f"{option.name}: {fault}" for option in options.values() if (fault := _fault(option))
    ]
    detail = f"{len(options)} announced"
    if faults:
        return warn(
            f"{detail}; {_first(faults)}",
            "an unreadable option cannot be set, and one without a proper default not restored",
        )
    return ok(detail if any(_is_hash(name) for name in options) else f"{detail}, without Hash")


def check_values(talk: Conversation) -> CheckVerdict:
    """Each option can be set to its default and its limits, and the engine still moves."""
    talk.fresh()
    bad: list[str] = []
    tried = 0
    options = [one for one in talk.announced.options.values() if not _WRITES.search(one.name)]
    own = dict(talk.engine.options)
    for place, option in enumerate(options, 1):
        talk.progress(f"option {place}/{len(options)}")
        for value in [*_values(option), own.get(option.name, _plain_default(option))]:
            if value is None:
                continue
            tried += 1
            try:
                _move_with(talk, option, value)
            except EngineFailure as error:
                bad.append(f"{option.name}={value}: {error}")
                break
        if len(bad) == _NAMED:
            break
    talk.close()  # an option may be left as it was not
    if bad:
        return fail(_first(bad), "with these values it cannot play, nor be tuned over them")
    return ok(f"{tried} values of {len(options)} options")


def check_own_book(talk: Conversation) -> CheckVerdict:
    """It searches from the first move on."""
    own = dict(talk.engine.options)
    on = [
        option.name
        for option in talk.announced.options.values()
        if _OWN_BOOK.fullmatch(option.name)
        and own.get(option.name, option.default or "").lower() == "true"
    ]
    talk.new_game()
    found = talk.search(START, (), "depth 5", talk.pace.search_s, keep=False)
    meaning = "moves of its own book are not searched, and may be random"
    remedy = f": set {on[0]}=false" if on else ""
    if found.info.value is None and not found.info.nodes and _has_info_elsewhere(talk):
        return warn("answers the initial position without a search", f"{meaning}{remedy}")
    if on:
        return warn(f"{on[0]} is on by default", f"{meaning}{remedy}")
    return ok("none, or switched off")


def check_unknown_words(talk: Conversation) -> CheckVerdict:
    """What it does not understand is ignored."""
    # No word begins with one of the protocol: some engines look only at the beginning.
    talk.sync("xyzzy\n\nsetoption name No Such Option value 1\njoho 1\ndebug off")
    talk.quick(START)
    return ok("ignored")


def _has_info_elsewhere(talk: Conversation) -> bool:
    return any(one.info.nodes for one in talk.searches)


def _move_with(talk: Conversation, option: UciOption, value: str) -> None:
    talk.sync(f"setoption name {option.name} value {value}")
    talk.quick(START)


def _fault(option: UciOption) -> str:
    """What is wrong with an announced option; empty if nothing."""
    if option.kind in ("button", "string"):
        return ""
    if option.kind == "spin" and (option.low is None or option.high is None):
        return "no range"
    if option.default is None:
        return "no default"
    if option.kind == "combo" and option.default not in option.choices:
        return "its default is none of its values"
    if option.kind == "spin":
        low, high = option.low or 0, option.high or 0
        if not low <= int(option.default) <= high:
            return "its default is out of its range"
    return ""


def _values(option: UciOption) -> Iterator[str]:
    """The values to try; nothing that takes much memory or many threads."""
    if option.kind == "check":
        yield from ("true", "false")
    elif option.kind == "combo":
        yield from option.choices
    elif option.kind == "spin" and option.low is not None and option.high is not None:
        high = option.high
        if _is_hash(option.name):
            high = min(high, _MOST_MB)
        elif option.name.casefold() in THREADS:
            high = min(high, available_cores())
        yield str(option.low)
        yield str(max(high, option.low))


def _plain_default(option: UciOption) -> str | None:
    if option.kind == "button" or option.name == CHESS960:
        return None
    return EMPTY if option.default == "" else option.default


def _is_hash(name: str) -> bool:
    return _MEMORY.search(name) is not None


def _first(faults: list[str]) -> str:
    more = len(faults) - _NAMED
    return "; ".join(faults[:_NAMED]) + (f"; and {more} more" if more > 0 else "")
