"""External engines: programs that speak UCI, as players.

**Process.** An engine runs in a process group of its own and dies with the thread that started it
(Linux). Pipes do not block, every wait has a deadline, every buffer a bound. Its death is seen
through a ``pidfd``, because a child may keep the pipe open. A process that failed is killed with
its group, and the next game starts another.

**Answers.** One ``bestmove`` answers one ``go``. Output that came before a ``go`` is dropped. An
answer that repeats the previous move is rejected as a possible duplicate, because no piece moves
twice in a row from the same square (a king of Chess960 may). After a time-out the engine must
answer ``stop``, or it is killed. Value and depth of a move are those of the last exact score of the
main variation; nodes are those printed last.

**Identity.** What the engine announces, and the content of its program and of all files that its
arguments and options name. Each launch checks these files again.

**Builds.** An engine from git (``UciCommand.source``) is known by its commit and build command
instead of its name and program. :func:`~engines.external.identify.identify` builds it, unless the
user's cache has the build; its program is then found by the source, on every machine
(:mod:`engines.external.builds`). A build counts once its record says so, and a builder holds a
lock, as do the processes that it leaves behind. Builds of one commit must have one bench.

**Problems.** A *fault* ended the game, a *warning* did not. Players report warnings
(``take_remarks``), the referee faults. An engine that does not start causes no fault: the event
gives up its pairs, and is not done.

**No orphans.** Engines and their children inherit ``MTDF_OWNER`` (:mod:`engines.external.sweep`).
Whoever ends an engine kills everything with its mark. Processes of dead owners are killed at the
end of an event, when a worker died, and before the next command that plays.
"""
