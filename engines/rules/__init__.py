"""Games: their rules in Python, behind one protocol."""
