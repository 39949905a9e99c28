"""Commands that answer from stored results."""
