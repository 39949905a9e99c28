"""Fits of first guesses to stored searches."""
