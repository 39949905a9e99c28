"""Search engines: the registry of variants, the two backends, and UCI in both directions.

**One declaration.** :mod:`engines.registry` declares each driver and parameter once. Grammar,
errors, completion, help, UCI options and docs follow from it. The core has no defaults and rejects
an incomplete set of parameters; a test checks that both sides have the same names, ranges and
choices.

**Identity.** The identity of a variant is the hash of the canonical JSON of its effective
parameters: those that have an effect and do not have their neutral value. Defaults may change,
neutral values never do. A changed default makes a bare name another variant. Stored settings keep
effective parameters, never a text, and what they omit has its neutral value
(``with_neutral_values``), so an event resumes with the engines it began with. Presets never change.

**Two backends.** The core plays. The reference is for reading, an oracle, and the fallback; every
command reports its use. Each hashes a fixed bench to a *signature*, one for each game: equal
signatures play alike. New weights of one game leave the runs of other games alone. The user's cache
keeps the signature of a core by the digest of its file.

**Limits** are compared as data (:mod:`engines.limit`): every field counts, and null, 0 and absent
are equal. ``movetime`` and ``tc`` measure wall-clock time as a waiting opponent sees it, ``cpu_ms``
the CPU time of the search. Only :mod:`engines.clock` converts a clock to the limit of one search.
Its version is part of timed limits; a run of another version is not resumed.
"""
