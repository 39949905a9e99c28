"""Selecting games and their players."""
