"""Charts: each module makes one, as a function of rows, and computes no figure of its own."""

import os
from pathlib import Path

try:
    Path.home()
except RuntimeError:
    # A user without a home, as in some containers; Altair asks for one when it is imported.
    os.environ["HOME"] = os.devnull
