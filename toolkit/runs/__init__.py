"""What every run has: workers, and a way to stop."""
