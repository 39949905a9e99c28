"""Answers about stored games and events, as documented rows."""
