"""Which games a question is about, and who played them."""
