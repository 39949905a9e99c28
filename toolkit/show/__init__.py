"""What people see of results: tables, live views, charts, pages, notebooks.

A function of ``tables`` takes an output and a result. The same functions make the tables of the
terminal, of pages and of notebooks, on outputs of their own, so columns and formats are defined
once. Nothing here knows the command line or SQL.
"""
