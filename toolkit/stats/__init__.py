"""Statistics of matches: pure functions of counts. Import the module that you need.

``match``       Elo, error, LOS, normalized Elo of one match;   ``elo``  the scale itself
``ratings``     joint fit of many players (``tables``, ``pools``, ``outcome``, ``likelihood``,
                ``fit``, ``uncertainty`` and ``bootstrap`` are its parts)
``sprt``        likelihood ratio and verdict of a sequential test
``sequential``  estimate after a stop, plan before the first game (``brownian`` is its motion)
``simulate``    tests played out with random results

``elo``, ``match`` and ``sprt`` only need :mod:`math`; nothing is imported here, so that they do not
load numpy and scipy.
"""
