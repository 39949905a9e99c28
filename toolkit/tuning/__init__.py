"""Tuning of search parameters: spaces, samplers, objectives, studies and recommendations."""
