"""The drivers, one a file, and what they are made of."""
