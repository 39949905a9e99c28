"""Engines for ``from toolkit import …``: :mod:`lazy_loader` finds names below ``toolkit``."""

from engines.backend import bench as bench
from engines.backend import make_searcher as make_searcher
from engines.limit import Limit as Limit
from engines.limit import parse_clock as parse_clock
from engines.limit import spell_limit as spell_limit
from engines.spec import SearchLimit as SearchLimit
from engines.uci.session import serve as serve
from engines.variant import parse_variant as parse_variant
