"""What everything above uses: errors, output, tables, names, configuration, version.

Commands print only through :mod:`toolkit.base.output`. Text for people is made safe: control
characters become escapes, and symbols that the encoding lacks become ASCII. Data (``--json``,
``--csv``, PGN) is exact. :mod:`toolkit.base.table` lays out every table. Every error is one line,
derived from ``MtdfError``.
"""
