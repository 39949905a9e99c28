"""What every run has: its lifecycle, an executor with workers, and a way to stop."""
