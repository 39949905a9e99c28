"""Encounters, and what measures them: games, effort, simulation."""
