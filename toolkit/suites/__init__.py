"""Test suites: positions with known answers, searched by any engine under any limit.

:mod:`~toolkit.suites.positions` reads them, :mod:`~toolkit.suites.scoring` judges searches,
:mod:`~toolkit.suites.run` makes and continues a run, which the database keeps as a laboratory run
of the kind ``suite``, and :mod:`~toolkit.suites.report` has its results. Results are pure functions
of the stored searches: another way of scoring needs no new search.
"""
