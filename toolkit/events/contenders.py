"""Who is to play: the texts of a command line as engines, with limits of their own.

A variant is written ``driver:key=value,...``, an external engine ``uci:COMMAND?Option=value&...``
or, to be built of a repository, ``git:REPO@REF?Option=value&...``, and an engine kept in the
database ``NAME`` or ``NAME:Option=value,...``. Words of a command and
values may be percent-encoded, as in a URL. Each takes the keys of :data:`OWN_KEYS`, in lower case;
options of external engines are found in any case.

A text may stand for many engines: ``mtdf:guess={zero,parity},hash={1,16}`` and ``mtdf:guess=*``.
Braces with alternatives stand for each of them, several braces for each combination, in the order
of writing. A value ``*`` stands for each value of a variant's parameter that has few: the choices,
or on and off.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from os.path import abspath, isabs, isfile, join
from pathlib import PurePath
from shutil import which
from typing import TYPE_CHECKING, cast, get_args
from urllib.parse import quote, unquote

from msgspec import Struct
from msgspec.structs import replace

from engines.backend import check_backend
from engines.errors import VariantError
from engines.external.text import is_among, quoted_command, quoted_items, shown
from engines.limit import KINDS, Limit, read_limit
from engines.registry import DRIVERS
from engines.spec import (
    BENCH,
    BUILD_S,
    Engine,
    FilesOfEngine,
    GitSource,
    UciCommand,
    UciEngine,
    UciSetup,
)
from engines.suggestion import did_you_mean
from engines.variant import is_label, parameter_of, split_variant, variant_of_items
from toolkit.base.errors import UsageError
from toolkit.events.players import Contender

if TYPE_CHECKING:
    from engines.external.identify import Identified

UCI, GIT = "uci", "git"
"""The words before the command or the repository of an external engine; no engine can be named
so."""
EXTERNAL_KEYS = ("restart", "dir", "memory", "files", "env.")
"""Keys of external engines: whether each game has a new process, where it runs, the most megabytes
of data that it may hold, which files that it names define it, and its environment."""
OWN_KEYS = ("name", *KINDS, *EXTERNAL_KEYS)
"""Keys that are not parameters of a variant or options of an engine: a label, the limit, and those
of external engines."""
GIT_KEYS = ("build", "binary", "bench", "timeout")
"""Keys of engines that are built: the command, the program that it makes, the arguments of its
bench, and the most seconds that the build may take."""
MOST_MEMORY_MB = 1 << 24
MOST_CHARACTERS = 4000
"""Of a text that names an engine."""
_LABEL_CHARACTERS = 60
MAX_EXPANDED = 1000
"""Engines of one text."""
_BRACES = re.compile(r"\{([^{}]*)\}")
_STAR = re.compile(r"(?<![^:,])([\w-]+)=\*(?=,|$)")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,59}")
_SWITCH = {"on": True, "true": True, "off": False, "false": False}


Asked = str | Engine | Contender
"""A player as it is asked for: the text of a command line, an engine, or one with a limit."""
Registered = Callable[[], Mapping[str, UciSetup]]
"""Gives the engines that the database keeps, by name. Asked only for a text that is neither a
variant nor a command."""
_Setup = tuple[UciSetup, Limit | None]
"""An external engine that has to be started first, and its limit."""


class _Items(Struct):
    """The ``key=value`` items of a text: those of this module, and the engine's own."""

    text: str
    own: dict[str, str] = {}
    others: dict[str, str] = {}
    also: tuple[str, ...] = ()
    """More keys of this module."""

    def add(self, key: str, value: str) -> None:
        """Sort in one item. Raises VariantError if its key is given twice."""
        own = key in (*OWN_KEYS, *self.also) or key.startswith("env.")
        place = self.own if own else self.others
        if key in place if own else is_among(key, place):
            raise VariantError(f"engine `{shown(self.text)}`: `{key}` is given twice")
        place[key] = value

    def limit(self) -> Limit | None:
        """The limit that the items give, if any. Raises LimitError, VariantError."""
        return read_limit(
            {
                name: self.own[name] if kind.is_clock else self._number(name)
                for name, kind in KINDS.items()
                if name in self.own
            }
        )

    def restart(self, default: bool = False) -> bool:
        """Whether each game gets a new process. Raises VariantError."""
        text = self.own.get("restart")
        if text is not None and text not in _SWITCH:
            raise VariantError(
                f"engine `{shown(self.text)}`: restart={shown(text)}: expected on or off"
            )
        return default if text is None else _SWITCH[text]

    def memory_mb(self) -> int | None:
        """The most data that it may hold. Raises VariantError."""
        if "memory" not in self.own:
            return None
        number = self._number("memory")
        if not 1 <= number <= MOST_MEMORY_MB:
            raise VariantError(
                f"engine `{shown(self.text)}`: memory={shown(self.own['memory'])}: expected 1 to "
                f"{MOST_MEMORY_MB} MB"
            )
        return number

    def files(self) -> FilesOfEngine | None:
        """Which files that it names define it. Raises VariantError."""
        text = self.own.get("files")
        if text is not None and text not in get_args(FilesOfEngine):
            raise VariantError(
                f"engine `{shown(self.text)}`: files={shown(text)}: expected "
                f"{', '.join(get_args(FilesOfEngine)[:-1])} or {get_args(FilesOfEngine)[-1]}"
            )
        return cast("FilesOfEngine | None", text)

    def timeout_s(self) -> int:
        """The longest time that a build may take. Raises VariantError."""
        if "timeout" not in self.own:
            return BUILD_S
        number = self._number("timeout")
        if number < 1:
            raise VariantError(
                f"engine `{shown(self.text)}`: timeout={number}: expected seconds, at least 1"
            )
        return number

    def environment(self) -> dict[str, str]:
        """Variables to add."""
        return {key[4:]: value for key, value in self.own.items() if key.startswith("env.")}

    def refuse(self, keys: Iterable[str], why: str) -> None:
        """Raise VariantError if one of these keys is given."""
        for key in self.own:
            if key in keys or (key.startswith("env.") and "env." in keys):
                raise VariantError(f"engine `{shown(self.text)}`: `{key}` {why}")

    def _number(self, key: str) -> int:
        text = self.own[key]
        try:
            return int(text[:40])
        except ValueError:
            raise VariantError(
                f"engine `{shown(self.text)}`: {key}={shown(text)} is not a whole number"
            ) from None


def is_external(text: str) -> bool:
    """Whether a text means an external engine by its command or its repository."""
    return text.startswith((f"{UCI}:", f"{GIT}:"))


def contender_of(player: Asked) -> Contender:
    """A player as a contender. Raises as :func:`read_contenders`."""
    return read_contenders([player])[0]


def asked(text: str) -> str | Contender:
    """The variant of a text; the text of another engine. Raises UsageError, VariantError."""
    return _read_native(text) if text.partition(":")[0].strip() in DRIVERS else text


def read_contenders(
    players: Sequence[Asked], registered: Registered | None = None
) -> tuple[Contender, ...]:
    """These players as contenders, in their order. External engines are started, side by side, to
    learn what they announce, and end again.

    ``registered`` gives the engines that the database keeps. Raises VariantError or UsageError for
    a text that is no engine or an engine that this backend cannot play, so that nothing of it is
    stored; LimitError, and EngineFailure for an engine that does not work.
    """
    read = [_read(one, registered) for one in players]
    started = _started([one[0] for one in read if isinstance(one, tuple)])
    return tuple(
        Contender(started[one[0]], one[1]) if isinstance(one, tuple) else one for one in read
    )


def identified(text: str, registered: Registered | None = None) -> Identified | None:
    """The external engine of this text, and what it announces; None for a variant. Raises as
    :func:`read_contenders`."""
    from engines.external.identify import identify

    one = _read(text, registered)
    return identify(one[0]) if isinstance(one, tuple) else None


def check_engine_name(name: str) -> None:
    """Raises VariantError for a name under which an engine could not be found again."""
    if name in DRIVERS or name in (UCI, GIT):
        raise VariantError(f"`{name}` is the name of a driver: choose another")
    if not _NAME.fullmatch(name):
        raise VariantError(
            f"name `{shown(name)}`: give 1 to 60 letters, digits and ._+- of which the first is "
            "a letter or a digit"
        )


def anchored_command(
    argv: Sequence[str],
    options: Mapping[str, str],
    directory: str | None,
    environment: Mapping[str, str],
) -> UciCommand:
    """A command that can be started from any folder: a program with a slash, which is looked for in
    ``directory``, gets its absolute path. Where an argument or option names a file of the current
    folder, the engine runs in that folder unless ``directory`` says otherwise. Raises
    VariantError."""
    command = read_command(argv, options, directory, environment)
    texts = [*argv[1:], *options.values()]
    if directory is None and any(text and not isabs(text) and isfile(text) for text in texts):
        directory = os.curdir
    if directory is not None:
        directory = abspath(directory)
    words = list(argv)
    if os.sep in words[0]:
        words[0] = abspath(join(directory or os.curdir, words[0]))
    return replace(command, argv=tuple(words), directory=directory)


def read_command(
    argv: Sequence[str],
    options: Mapping[str, str],
    directory: str | None,
    environment: Mapping[str, str],
) -> UciCommand:
    """A command from its words. Raises VariantError for what no command can have."""
    texts = [
        *argv,
        *options,
        *options.values(),
        directory or "",
        *environment,
        *environment.values(),
    ]
    if not argv or not argv[0]:
        raise VariantError("the command of the engine is missing")
    for name in environment:
        if not name or "=" in name:
            raise VariantError(f"`env.{shown(name)}` names no variable: give env.NAME=VALUE")
    for text in texts:
        if "\0" in text or "\n" in text or "\r" in text:
            raise VariantError(f"`{shown(text)}` has a newline or a null: no engine can take that")
    return UciCommand(tuple(argv), directory, tuple(sorted(environment.items())))


def expanded(text: str) -> list[str]:
    """The text of every engine that a text stands for, in order. Raises UsageError,
    VariantError."""
    text = _STAR.sub(lambda match: f"{match[1]}={{{','.join(_starred(text, match[1]))}}}", text)
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


def _starred(text: str, name: str) -> list[str]:
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


def _read(player: Asked, registered: Registered | None) -> Contender | _Setup:
    return _read_text(player, registered) if isinstance(player, str) else _checked(player)


def _checked(player: Engine | Contender) -> Contender:
    contender = player if isinstance(player, Contender) else Contender(player)
    check_backend(contender.engine)
    return contender


def _read_text(text: str, registered: Registered | None) -> Contender | _Setup:
    if len(text) > MOST_CHARACTERS:
        raise VariantError(
            f"engine `{shown(text)}` has {len(text)} characters: {MOST_CHARACTERS} are the most"
        )
    if not _is_unicode(text):
        raise VariantError(f"engine `{shown(text)}`: it is not UTF-8 text")
    head = text.partition(":")[0]
    if is_external(text):
        return _read_uci(text) if head == UCI else _read_git(text)
    if head.strip() in DRIVERS:
        return _read_native(text)
    kept = {} if registered is None else registered()
    if head not in kept:
        raise _unknown(head, kept)
    return _read_named(text, kept[head])


def _read_native(text: str) -> Contender:
    """A variant; keys of limits are taken out of its grammar."""
    driver, given = split_variant(text)
    items = _Items(text, {key: given.pop(key) for key in list(given) if key in KINDS}, given)
    for key in given:
        if key in EXTERNAL_KEYS or key.startswith("env."):
            raise VariantError(
                f"engine `{shown(text)}`: `{key}` is for external engines, and this is one of ours"
            )
    limit = items.limit()
    variant = variant_of_items(driver, given)
    if limit is not None and "name" not in given:
        variant = replace(variant, label=with_limit(variant.label, limit))
    return _checked(Contender(variant, limit))


def with_limit(spelling: str, limit: Limit | None) -> str:
    """The text of a variant with a limit of its own."""
    if limit is None:
        return spelling
    joint = "," if ":" in spelling else ":"
    return f"{spelling}{joint}{limit.spelling}"


def _read_uci(text: str) -> _Setup:
    """``uci:COMMAND?key=value&...``."""
    command, _, rest = text[len(UCI) + 1 :].partition("?")
    items = _split(text, rest, "&")
    items.refuse(["cpu-ms"], "cannot be kept by an external engine")
    directory = items.own.get("dir") or None
    try:
        words = command_words(command, directory, encoded=True)
    except ValueError as error:
        raise VariantError(f"engine `{shown(text)}`: {error}") from None
    argv = [_unquoted(text, word) for word in words]
    if not argv:
        raise VariantError(f"engine `{shown(text)}`: a command is missing, as in uci:stockfish")
    base = PurePath(argv[0]).name
    anchored = anchored_command(argv, items.others, directory, items.environment())
    spelling = _with_items(f"{UCI}:{quoted_command(argv)}", items)
    return _setup(items, UciSetup(command=anchored, spelling=spelling, label=base))


def _read_git(text: str) -> _Setup:
    """``git:REPO@REF?key=value&...``. The commit that it means now is found."""
    from engines.external.building import check_binary, default_build
    from engines.external.git import content, find_commit

    head, _, rest = text[len(GIT) + 1 :].partition("?")
    place, at, reference = (_unquoted(text, part) for part in head.rpartition("@"))
    if not (at and place and reference):
        raise VariantError(
            f"engine `{shown(text)}`: expected git:REPO@REF, as in git:.@main; git:.@. is what is "
            "not committed"
        )
    items = _split(text, rest, "&", GIT_KEYS)
    items.refuse(["cpu-ms"], "cannot be kept by an external engine")
    commit = find_commit(place, reference)
    build = items.own.get("build") or default_build(partial(content, commit))
    if build is None:
        raise VariantError(
            f"engine `{shown(text)}`: it has no makefile, in its root or in src, and no "
            "Cargo.toml: give build=COMMAND"
        )
    bench = items.own.get("bench", BENCH)
    source = GitSource(
        repository=commit.repository,
        reference=reference,
        commit=commit.hash,
        build=build,
        binary=check_binary(items.own.get("binary", "")),
        diff=commit.diff,
        bench="" if bench == "off" else _checked_words(text, bench),
        timeout_s=items.timeout_s(),
    )
    name = commit.repository.removesuffix("/").removesuffix(".git").rpartition("/")[2]
    command = anchored_command(
        [f"{name}@{source.version}"],
        items.others,
        items.own.get("dir") or None,
        items.environment(),
    )
    return _setup(
        items,
        UciSetup(
            command=replace(command, source=source),
            spelling=_with_items(commit_text(source), items),
            label=_label_of(commit.name, source),
        ),
    )


def _checked_words(text: str, words: str) -> str:
    """Arguments as a shell reads them. Raises VariantError for a quotation mark that is not
    closed."""
    try:
        shlex.split(words)
    except ValueError as error:
        raise VariantError(f"engine `{shown(text)}`: {error} in `{shown(words)}`") from None
    return words


def git_text(engine: UciSetup) -> str:
    """The text of an engine that is built, whatever its name stands for now, without label and
    limit, and without what a kept engine may be varied in."""
    command = engine.command
    source = command.source
    assert source is not None, "it is built"
    items = {
        "build": source.build,
        "binary": source.binary,
        "bench": "" if source.bench == BENCH else source.bench or "off",
        "timeout": "" if source.timeout_s == BUILD_S else str(source.timeout_s),
        "dir": command.directory or "",
    }
    environment = {f"env.{name}": value for name, value in command.environment}
    given = {name: value for name, value in items.items() if value}
    parts = quoted_items({**given, **environment, **dict(engine.options)})
    return f"{commit_text(source)}?{'&'.join(parts)}"


def commit_text(source: GitSource) -> str:
    """The repository and the commit of an engine as its text has them."""
    where = quoted_command([source.repository])
    return f"{GIT}:{where}@{source.reference if source.diff else source.commit[:12]}"


def _label_of(name: str, source: GitSource) -> str:
    """What an engine without a name is called: by its branch or tag, and its commit."""
    is_hash = source.commit.startswith(name.lower())
    return source.version if is_hash else f"{name}@{source.version}"


def read_git_engine(text: str) -> UciSetup:
    """An engine to be built, without a limit. Raises VariantError, and EngineFailure where git does
    not work."""
    setup, limit = _read_git(text)
    if limit is not None:
        raise VariantError(f"engine `{shown(text)}`: give the limit where it plays")
    return setup


def command_words(text: str, directory: str | None, *, encoded: bool = False) -> list[str]:
    """The words of a command. If it begins with the path of a file, the longest such path is the
    program, whatever blanks and quotation marks it has; else words are as in a shell. ``encoded``:
    the text is percent-encoded, and so are the words. Raises ValueError for a quotation mark that
    is not closed."""
    text = text.strip()
    for end in (len(text), *(at for at in reversed(range(len(text))) if text[at] == " ")):
        path = unquote(text[:end]) if encoded else text[:end]
        if os.sep in path and isfile(join(directory or os.curdir, path)):
            return [text[:end], *shlex.split(text[end:])]
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{error} in `{shown(text)}`, and no file has this path") from None


def _read_named(text: str, kept: UciSetup) -> _Setup:
    """``NAME`` or ``NAME:key=value,...``."""
    items = _split(text, text.partition(":")[2], ",")
    items.refuse(["dir", "env.", "cpu-ms"], "cannot be changed for a single game: mtdf engines add")
    settled = [(key, value) for key, value in kept.options if not is_among(key, items.others)]
    read_command(kept.command.argv, items.others, None, {})
    parts = quoted_items(items.others)
    restart = items.restart(kept.restart)
    if restart != kept.restart:
        parts.append(f"restart={'on' if restart else 'off'}")
    if "memory" in items.own:
        parts.append(f"memory={items.memory_mb()}")
    if "files" in items.own:
        parts.append(f"files={items.files()}")
    spelling = f"{kept.label}:{','.join(parts)}" if parts else kept.label
    return _setup(items, replace(kept, options=tuple(settled), spelling=spelling))


def _setup(items: _Items, base: UciSetup) -> _Setup:
    """The engine with these items; the label of the base is that of its program or kept name."""
    limit, command = items.limit(), base.command
    memory_mb = items.memory_mb()
    if memory_mb is not None:
        command = replace(command, memory_mb=memory_mb)
    command = replace(command, files=items.files() or command.files)
    label = items.own.get("name")
    if label is None:
        label = default_label(base.label, items.others, limit)
    elif not is_label(label):
        raise VariantError(
            f"engine `{shown(items.text)}`: name `{shown(label)}` must be 1 to 60 characters "
            "without spaces or commas"
        )
    setup = replace(
        base,
        command=command,
        options=(*base.options, *items.others.items()),
        label=label,
        restart=items.restart(base.restart),
    )
    return setup, limit


def default_label(base: str, options: Mapping[str, str], limit: Limit | None) -> str:
    """The label of an external engine without a name: of its program or kept name, its options as
    given, and its limit."""
    parts = [f"{_readable(key)}={_readable(value)}" for key, value in options.items()]
    if limit is not None:
        parts.append(limit.spelling)
    plain = _readable(base) + (":" + ",".join(parts) if parts else "")
    return plain if len(plain) <= _LABEL_CHARACTERS else plain[: _LABEL_CHARACTERS - 1] + "…"


def _readable(text: str) -> str:
    """A part of a label: without blanks and commas, which labels cannot have."""
    joined = re.sub(r"[\s,]+", "_", text)
    return "".join(one if one.isprintable() else quote(one) for one in joined)


def _split(text: str, rest: str, separator: str, also: tuple[str, ...] = ()) -> _Items:
    items = _Items(text, also=also)
    for part in filter(None, rest.split(separator)):
        key, equals, value = part.partition("=")
        key = _unquoted(text, key).strip()
        if not equals or not key:
            raise VariantError(
                f"engine `{shown(text)}`: `{shown(part)}` is not of the form key=value"
            )
        items.add(key, _unquoted(text, value).strip())
    return items


def _unquoted(text: str, part: str) -> str:
    """A part of the text of an engine without percent-encoding. Raises VariantError for one that
    encodes no text, or a null, which no program can be given."""
    try:
        plain = unquote(part, errors="strict")
    except UnicodeDecodeError:
        wrong = "encodes no UTF-8 text"
    else:
        if "\0" not in plain:
            return plain
        wrong = "has a null"
    raise VariantError(f"engine `{shown(text)}`: `{shown(part)}` {wrong}")


def _is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8: arguments of a command line may be any bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _with_items(head: str, items: _Items) -> str:
    """The text of an external engine without label and limit."""
    kept = {
        key: value
        for key, value in items.own.items()
        if key in ("dir", "memory", "files", *items.also) or key.startswith("env.")
    }
    if items.restart():
        kept["restart"] = "on"
    parts = quoted_items({**items.others, **kept})
    return head + ("?" + "&".join(parts) if parts else "")


def _started(setups: Sequence[UciSetup]) -> dict[UciSetup, UciEngine]:
    """What these engines are, each started once."""
    if not setups:
        return {}
    from engines.external.identify import build_all, identify, side_by_side

    build_all(setups)
    distinct = dict.fromkeys(setups)
    found = side_by_side(identify, distinct)
    return {setup: it.engine for setup, it in zip(distinct, found, strict=True)}


def _unknown(name: str, kept: Iterable[str]) -> VariantError:
    """The error for what is neither a driver nor the name of an engine that is kept."""
    hint = did_you_mean(name, [*DRIVERS, *kept])
    if which(name) is not None:
        hint = f"; did you mean `{UCI}:{name}`, the program?"
    hint = hint or f" (drivers: {', '.join(DRIVERS)}; other programs: `{UCI}:COMMAND`)"
    return VariantError(f"no driver `{shown(name)}`{hint}")
