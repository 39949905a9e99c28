"""Charts: each module makes one, as a function of rows, and computes no figure of its own.

A chart is a ``Picture``: panels of Vega-Lite, title, caption, and its content in words. It reads no
database and names no colour; marks have styles, and ``theme`` gives these their colours, light and
dark. So one description is drawn on pages and written as a file.
"""

import os
from pathlib import Path

try:
    Path.home()
except RuntimeError:
    # A user without a home, as in some containers; Altair asks for one when it is imported.
    os.environ["HOME"] = os.devnull
