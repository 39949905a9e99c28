"""Bringing the runs of one database into another. Every module works on two connections: one to a
single state of the source, which is only read, and one to the target."""
