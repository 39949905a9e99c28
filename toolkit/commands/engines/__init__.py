"""Commands of engines."""
