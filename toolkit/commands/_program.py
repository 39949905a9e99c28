"""One run of the command line: errors become one line and an exit code."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, TracebackType

import click

from engines import notices
from engines.errors import EngineError
from toolkit.base.errors import ExitCode, MtdfError, UsageError, exit_code_of
from toolkit.base.output import Output
from toolkit.base.printable import ENCODING_ERRORS
from toolkit.commands._invocation import Invocation
from toolkit.runs.stopping import SIGNALS, raised

PROGRAM_NAME = "mtdf"
_HELP_WIDTH = 100
_NO_MEMORY = ("failed to map segment", "annot allocate memory", "can't start new thread")
"""What the loader of libraries and Python say for want of memory."""
_COMPLETION_VARIABLE = "_MTDF_COMPLETE"


class Terminated(KeyboardInterrupt):
    """SIGTERM: handled wherever Ctrl-C is, with another exit code."""


def run_program(group: click.Command, arguments: Sequence[str], name: str = PROGRAM_NAME) -> int:
    """Run the command line and return the exit code. An unexpected error passes through to
    :func:`report_unexpected`, which is installed as ``sys.excepthook``."""
    invocation = Invocation()
    _replace_closed_streams()
    _tolerate_narrow_encodings()
    notices.listen(lambda line: invocation.output.hint(line))
    sys.excepthook = lambda kind, error, trace: report_unexpected(invocation, error, trace)
    if _COMPLETION_VARIABLE in os.environ and isinstance(group, click.Group):
        from toolkit.commands import _completion

        _completion.answer(group, PROGRAM_NAME, _COMPLETION_VARIABLE)
    try:
        with _signals_raise():
            _invoke(group, list(arguments), invocation, name)
            sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        return _report_click(error, invocation)
    except (KeyboardInterrupt, click.Abort) as stop:
        return _report_stop(stop, invocation)
    except BrokenPipeError:
        return _leave_broken_pipe()
    except _foreseen() as error:
        go_on = "" if invocation.go_on is None else f"; continue with: {invocation.go_on}"
        _output(invocation).error(f"{error}{go_on if isinstance(error, _database_error()) else ''}")
        _explain(error, invocation)
        return exit_code_of(error)
    except OSError as error:
        named = f": {error.filename}" if error.filename else ""
        _output(invocation).error(f"{error.strerror or error}{named}")
        _explain(error, invocation)
        return ExitCode.FAILED
    except Exception as error:
        if _is_lack_of_memory(error):
            line = "not enough memory: see `ulimit -v`, and what else is running"
            code = ExitCode.FAILED
        elif (damage := invocation.damage()) is not None:
            line, code = damage, ExitCode.DATABASE
        else:
            raise
        _output(invocation).error(line)
        _explain(error, invocation)
        return code
    return ExitCode.DONE


def report_unexpected(
    invocation: Invocation, error: BaseException, trace: TracebackType | None
) -> None:
    """Save the traceback of an unforeseen error to a file and name that file; another Ctrl-C while
    the first one is being reported says nothing."""
    if isinstance(error, KeyboardInterrupt):
        return
    lines = traceback.format_exception(type(error), error, trace)
    handle, path = tempfile.mkstemp(prefix="mtdf-error-", suffix=".txt")
    with open(handle, "w", encoding="utf-8") as file:
        file.write(f"{PROGRAM_NAME} {' '.join(sys.argv[1:])}\n")
        file.writelines(lines)
    output = _output(invocation)
    output.error(f"unexpected {type(error).__name__}: {_first_line(error)}; traceback in {path}")
    if invocation.verbose >= 2:
        _print_trace(output, lines)


def _is_lack_of_memory(error: BaseException | None) -> bool:
    """Whether an error, or one that it explains, is that memory could not be had: by Python, by a
    library that was loaded, or for a thread."""
    while error is not None:
        if isinstance(error, MemoryError) or any(sign in str(error) for sign in _NO_MEMORY):
            return True
        error = error.__cause__ or error.__context__
    return False


def _database_error() -> type[Exception]:
    """The error of a database that failed while a run was going on, which can be continued."""
    from db.errors import DatabaseError

    return DatabaseError


def _foreseen() -> tuple[type[Exception], ...]:
    # Asked for when something was raised: the help page shall not load the database.
    from db.errors import DatabaseError

    return (MtdfError, EngineError, DatabaseError)


def _invoke(group: click.Command, arguments: list[str], invocation: Invocation, name: str) -> None:
    with group.make_context(
        name, arguments, obj=invocation, max_content_width=_HELP_WIDTH
    ) as context:
        _check_folder()
        group.invoke(context)


def _check_folder() -> None:
    """Raise UsageError if the current folder was removed: the errors of relative paths would name
    paths that are right."""
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError("the current folder does not exist any more: go to another") from None


def _output(invocation: Invocation) -> Output:
    return Output(color=invocation.color, verbosity=invocation.verbose)


def _report_click(error: click.ClickException, invocation: Invocation) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return error.exit_code
    message = error.format_message()
    group = error.ctx.command if isinstance(error, click.NoSuchOption) and error.ctx else None
    if isinstance(group, click.Group):
        message += " The options of a command stand after its name."
    if isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter):
        hint = error.param_hint or (error.param and error.param.get_error_hint(error.ctx))
        name = hint if isinstance(hint, str) else next(iter(hint or ()), "")
        name = name.split(" / ")[0].strip("'")
        message = f"{name}: {error.message}" if name else error.message
    _output(invocation).error(" ".join(message.split("\n")))
    return error.exit_code


def _report_stop(stop: BaseException, invocation: Invocation) -> int:
    terminated = isinstance(stop, Terminated)
    if not terminated and sys.stderr.isatty():
        _output(invocation).to_stderr("")  # leaves the line with the terminal's ^C
    line = "stopped by SIGTERM" if terminated else "stopped by Ctrl-C"
    if invocation.go_on is not None:
        line += f"; continue with: {invocation.go_on}"
    _output(invocation).hint(line)
    _drop_output()
    return ExitCode.TERMINATED if terminated else ExitCode.INTERRUPTED


def _explain(error: BaseException, invocation: Invocation) -> None:
    """The traceback of an expected error, with ``-vv``."""
    if invocation.verbose >= 2:
        lines = traceback.format_exception(type(error), error, error.__traceback__)
        _print_trace(_output(invocation), lines)


def _print_trace(output: Output, lines: Sequence[str]) -> None:
    for line in "".join(lines).rstrip().split("\n"):
        output.to_stderr(line)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or ["no message"])[0]


def _leave_broken_pipe() -> int:
    """The reader of standard output has gone away."""
    _drop_output()
    return ExitCode.DONE


def _drop_output() -> None:
    """Discard buffered output, so that the flush at exit neither fails nor waits for a reader."""
    try:
        number = sys.stdout.fileno()
    except OSError:
        return  # standard output is no file
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def _replace_closed_streams() -> None:
    """Throw away what goes to a standard stream that was closed (``>&-``), and keep its number
    from the next file that is opened, which may be the database."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w" if number else "r", encoding="utf-8"))


def _tolerate_narrow_encodings() -> None:
    """Print ASCII where a stream's encoding lacks a character."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=ENCODING_ERRORS)


@contextmanager
def _signals_raise() -> Iterator[None]:
    """Let SIGTERM end the work as Ctrl-C does, and note both."""

    def stop(number: int, frame: FrameType | None) -> None:
        raised.append(number)
        raise Terminated if number == signal.SIGTERM else KeyboardInterrupt

    raised.clear()
    before = {number: signal.getsignal(number) for number in SIGNALS}
    heeded = [number for number in SIGNALS if before[number] is not signal.SIG_IGN]
    for number in heeded:
        signal.signal(number, stop)
    try:
        yield
    finally:
        raised.clear()
        for number in heeded:
            signal.signal(number, before[number])
