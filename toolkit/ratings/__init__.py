"""Rating lists: the joint fit over selected games, and their history."""
