"""A study from its request to its recommendation and its confirmation."""
