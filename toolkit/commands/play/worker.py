"""``mtdf worker``: plays and searches for runs of other machines."""

from __future__ import annotations

import click

from toolkit.base.format import count_of
from toolkit.base.ranges import MAX_JOBS
from toolkit.commands._base import Command
from toolkit.commands._invocation import Invocation


@click.command(
    "worker",
    cls=Command,
    examples=(
        ("mtdf worker tcp://127.0.0.1:8786", "a slot for each core, for runs of this scheduler"),
        ("mtdf worker cluster.json --jobs 8", "eight slots; the scheduler wrote this file"),
        (
            "mtdf match mtdf pvs --pairs 500 --nodes 2000 --cluster tcp://127.0.0.1:8786",
            "a run that uses its workers",
        ),
    ),
)
@click.argument("address", metavar="ADDRESS")
@click.option(
    "--jobs",
    "-j",
    metavar="N",
    type=click.IntRange(1, MAX_JOBS),
    help="Slots: pairs or searches at a time; default: one for each core.",
)
@click.pass_context
def command(ctx: click.Context, address: str, jobs: int | None) -> None:
    """Join the Dask cluster at ADDRESS (its scheduler's address, or the path of its scheduler file)
    until Ctrl-C or SIGTERM.

    For each run the worker checks whether this machine is fit: the version of mtdf, the signature
    of the core, external engines by the content of their programs, tablebases and memory. It
    refuses a run in one line otherwise. A worker waits for a scheduler that is not there, and comes
    back to one that is started again.

    Whoever reaches the scheduler or a worker can run programs on this machine: keep both on
    networks that you trust, or use TLS. The worker listens only on the address by which it reaches
    the scheduler.
    """
    from engines.cores import available_cores
    from toolkit.commands.runs.event import sweep_before
    from toolkit.runs.dask.cluster import check_address, load_distributed
    from toolkit.runs.stopping import stop_on_signals

    invocation = ctx.ensure_object(Invocation)
    invocation.reject_json(ctx, "a worker prints no result")
    check_address(address)
    load_distributed()
    from toolkit.runs.dask.worker_process import serve

    output = invocation.output
    sweep_before(output)
    slots = jobs or available_cores()
    with stop_on_signals() as request:
        output.hint(f"worker with {count_of(slots, 'slot')} for {address}; Ctrl-C ends it")
        serve(address, slots, request.event, say=output.hint, warn=output.warning)
