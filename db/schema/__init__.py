"""The tables: how they are declared, upgraded and checked."""
