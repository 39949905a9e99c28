"""Game trees made by hand: written as lists of values, published ones, and random ones."""
