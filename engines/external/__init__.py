"""External engines: programs that speak UCI, as players."""
