"""The engines of several claims, as :mod:`toolkit.lab.fixed` reads them."""

from __future__ import annotations

MTDF = "mtdf:guess=parity,convergence=plaat"
"""MTD(f) as published, with separate guesses for odd and even depths."""
ONE_GUESS = "mtdf:guess=previous,convergence=plaat"
"""The same with one guess."""
OPEN = "pvs:window=0"
"""PVS with an open window, which finds any value in one pass."""
ASPIRATION = "pvs:window=25"
"""NegaScout with an aspiration window: PVS with a usual window."""
