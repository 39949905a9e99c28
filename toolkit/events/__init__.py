"""Events: contenders, settings, schedule, workers, storing, progress.

**Contenders.** A text becomes a ``Contender``, an engine with its own limit if it has one. An
external engine is started once, to learn its identity; settings keep it with the command, so that
workers start the same engine. Only :mod:`engines.players` makes players.

**Reproducibility.** The schedule is a pure function of the settings, which are frozen at the start,
and of the results of complete rounds. A *pairer* (:mod:`toolkit.pairing`) decides the next round;
rounds are derived again at every resume. Pair k of a pairing has the same opening, colours and seed
whatever was played before. Players are logically empty at the start of a game, so a deterministic
limit gives the same games with any number of jobs. With ``openings=shared`` the number of a pair
determines its opening in all pairings, and errors are clustered by opening.

**Games of a study** belong to one event of kind ``tuning``, whose pairings are the study's
encounters. Its workers take pairs from a source that grows while they play (``TaskSource``). Points
join the event's players before their first pair is stored.
"""
