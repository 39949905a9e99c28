"""What commands that make or continue a run share: from its start to its exit code."""
