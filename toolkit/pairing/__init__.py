"""Pairing: who meets next, as a pure function of the rounds that are complete."""
