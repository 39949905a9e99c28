"""One game: its rules, its clock, its referee, and how it is recorded."""
