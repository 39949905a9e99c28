"""Runs while they go on: on a terminal, and in a log."""
