"""Commands that play events."""
