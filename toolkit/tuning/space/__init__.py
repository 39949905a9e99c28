"""Spaces of parameters: points and what they are made of."""
