"""Making text of files readable, and safe for a terminal: encodings and control characters.

:class:`toolkit.base.output.Output` passes all that it prints for people through :func:`printable`.
The streams of the program encode with the error handler :data:`ENCODING_ERRORS`, so that a symbol
which an encoding lacks becomes ASCII, never a question mark.
"""

from __future__ import annotations

import codecs
import unicodedata

ENCODING_ERRORS = "mtdf-ascii"
"""Name of the handler of encoding errors, as ``open`` and ``reconfigure`` take it."""

_SYMBOLS = {
    **{"±": "+-", "−": "-", "×": "x", "·": ".", "…": "...", "½": "1/2", "θ": "theta"},
    **{"─": "-", "├": "|", "┤": "|", "●": "o"},
    **{"▁": "_", "▂": ".", "▃": "-", "▄": "=", "▅": "+", "▆": "*", "▇": "%", "█": "#"},
    **{"▉": "#", "▊": "#", "▋": "#", "▌": "=", "▍": "=", "▎": "-", "▏": "-", "░": "."},
    **dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPkqrbnp", strict=True)),
}
"""Replacements for our symbols that cannot be encoded. Bars and sparklines keep their widths;
pieces become FEN letters."""


def printable(text: str) -> str:
    """``text`` with invisible and control characters written as escapes, such as ``\\x1b``.

    That is all that Unicode calls a control or format character (escape sequences, line ends,
    overrides of the writing direction, zero-width characters), lone surrogates and characters
    unknown to this Python. Blanks of any width stay: they do no harm.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or unicodedata.category(char) == "Zs" else _escaped(char)
        for char in text
    )


def text_of(data: bytes) -> str:
    """The text of bytes from a file of another program: UTF-8, else Windows-1252, which agrees with
    Latin-1 in all letters of that. The five bytes that Windows-1252 lacks become ``\ufffd``."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def encodable(text: str, encoding: str) -> str:
    """``text`` as a stream of that encoding shows it, with ASCII for symbols that it lacks and
    escapes such as ``\\xe9`` for other characters."""
    try:
        return text.encode(encoding, ENCODING_ERRORS).decode(encoding)
    except LookupError:  # an encoding that Python does not know
        return text


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """What to write instead of characters that cannot be encoded, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_SYMBOLS.get(char) or _escaped(char) for char in lacking), error.end


codecs.register_error(ENCODING_ERRORS, _in_ascii)


_LONGEST = 500
"""Letters of an error that is not ours."""


def in_one_line(error: BaseException) -> str:
    """Kind and text of an error that is not ours, such as one that code of the user's raised."""
    kind, text = type(error).__name__, text_in_one_line(error)
    return f"{kind}: {text}"[:_LONGEST] if text else kind


def text_in_one_line(error: BaseException) -> str:
    """Its text alone; empty if it has none."""
    try:
        return " ".join(str(error).split())[:_LONGEST]
    except KeyboardInterrupt:
        raise
    except BaseException:  # its text may be code of the user's, too, which fails or wants to exit
        return ""
