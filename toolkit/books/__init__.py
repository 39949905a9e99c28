"""Books of openings: reading, slicing, checking and making them."""
