"""Charts: each module makes one, as a function of rows, and computes no figure of its own."""
