"""The tables: how they are declared, upgraded, sealed and checked."""
