"""Pictures of curves and traces."""
