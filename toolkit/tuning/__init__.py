"""Tuning of search parameters: spaces, samplers, objectives, studies and recommendations.

What a study does next is a function of its settings and of scores. A trial is stored when it is
asked for and when its result is reported; an encounter when it has been measured. A resumed study
is rebuilt from these rows, and a test checks that it equals one that never stopped. Trial *n* is
asked for when the result of trial *n - in_flight*, and of no later one, has been reported, so
workers and interruptions do not affect the result. Searching, choosing and measuring the gain use
separate pairs. Without a measured gain above 0 the base is recommended.

*An objective*: an ``Evaluator`` (:mod:`toolkit.tuning.measuring.encounter`), and its kind in
``objective``. Users' code can neither print on standard output nor end the program (``imported``).
"""
