"""Search engines: the registry of variants, the two backends, and UCI in both directions."""
