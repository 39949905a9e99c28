"""Any variant as a UCI engine."""
