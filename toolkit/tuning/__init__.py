"""Tuning of search parameters: spaces, samplers, objectives, studies, what they recommend."""
