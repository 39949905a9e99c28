"""What the scores of encounters say: worth, surface, posterior, gain."""
