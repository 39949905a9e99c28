"""Any variant as a UCI engine.

Every ``go`` gets a ``bestmove``. The last ``info`` before it (with ``MultiPV`` the last one of the
first line) has that move first in its variation and counts all nodes. A variation ends where the
search sees the game end. A search restricted to some root moves, or a line after the first, stores
nothing about its root.
"""
