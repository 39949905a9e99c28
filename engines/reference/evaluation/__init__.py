"""Static evaluation of chess."""
