"""What every run has: its lifecycle, an executor with workers, and a way to stop.

**Lifecycle.** Events, studies and laboratory runs are records with name, status, settings and
provenance (``RunRecord``). A run finds out what is missing (``prepare``) and does it (``work``);
:func:`~toolkit.runs.lifecycle.continue_run` does the rest. One process holds the run's lock. An
``EngineProblem`` ends it as ``failed``, a stop as ``interrupted``; the outcome knows its exit code.
Only :mod:`toolkit.runs.lifecycle` and ``resume`` tell kinds apart.

**Workers.** Tasks are independent, so results do not depend on the number of workers. A worker gets
short tasks in batches of about 0.8 s. When one dies, its oldest unanswered task is tried again and
fails after ``MAX_ATTEMPTS`` deaths; the others continue. No worker outlives its coordinator. Tests
do tasks in their own process, unless they are marked ``workers``.

**Stopping.** The first Ctrl-C or SIGTERM asks a run to stop. After Ctrl-C an event finishes the
pairs in play, for at most the mean time of a pair; a second one ends that. Otherwise a second one
raises KeyboardInterrupt, except while processes are started or killed. Every stored run has an
outcome, which shows how to continue.

**Merging.** A run has a global id from birth. Everything of a run is compared first, then what is
missing is stored, games before the trials that they measured. So a refused run leaves no trace, and
a killed merge continues.
"""
