"""The games as the search sees them."""
