"""Statistics of matches: pure functions of counts. Import the module that holds what you need.

``elo``      Elo and score, normal distribution; ``match``  statistics of one match;
``ratings``  joint fit of many players;          ``sprt``   sequential probability ratio test.

Nothing is imported here, so that the light modules stay free of numpy and scipy.
"""
