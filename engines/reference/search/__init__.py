"""The search below the root: nodes, table, ordering, quiescence, limits."""
