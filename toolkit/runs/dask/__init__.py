"""Runs on a Dask cluster: the coordinator's side and the workers' side.

The coordinator has ``cluster`` (the connection), ``executor``, ``workers`` (what it knows of them)
and ``channel``, which turns Dask's callbacks into one queue; all is handled in the thread of the
run. A worker has ``worker_process`` and ``worker_side``. It takes a run on by checking its machine,
and offers its slots as a resource with the run's name. A slot is a ``WorkerPool`` of one process,
so a crash costs a task and no worker.

The coordinator chooses the worker of each batch, because Dask would hand the batch of a dead worker
to the next one. A batch that lost two workers is split, and its tasks run alone, so that a death is
charged to the right one. A lost scheduler is an ``ExecutorLost``, which ends the run as
``interrupted``.
"""
