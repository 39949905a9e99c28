"""Whether an external engine keeps the protocol and its limits, one point a line."""
