"""The search laboratory: what searches of given positions cost, and suites of positions."""
