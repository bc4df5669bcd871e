"""A cluster with or without a journal, in a separate process.

    python -m bench.journal_server off|memory|jsonl|parquet FOLDER

Prints its bootstrap address when it listens, and stays until its standard input closes. The folder
is the caller's to remove: a signal stops this process before it could.
"""

import asyncio
import gc
import sys
from pathlib import Path

from mockbroker.control.running_cluster import RunningCluster
from mockbroker.journal.options import JournalOptions
from mockbroker.server.event_loop import new_loop
from mockbroker.settings.settings import Given, resolve_settings


def options_of(mode: str, folder: Path) -> JournalOptions | None:
    """Return the journal setting of a mode."""
    if mode == "off":
        return None
    if mode == "parquet":
        return JournalOptions(path=folder, format="parquet")
    return JournalOptions(path=folder if mode == "jsonl" else None)


async def serve(mode: str, folder: Path) -> None:
    """Run the cluster until standard input closes."""
    loop = asyncio.get_running_loop()
    settings = resolve_settings(Given(port=0))
    cluster = RunningCluster(settings, loop, journal=options_of(mode, folder))
    await cluster.start()
    gc.freeze()  # as `mockbroker serve` does it
    gc.set_threshold(50_000)
    print(cluster.bootstrap_servers, flush=True)
    closed = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), closed.set)
    await closed.wait()
    await cluster.stop()


def main() -> None:
    """Serve in the mode and the folder of the command line."""
    loop = new_loop()
    loop.run_until_complete(serve(sys.argv[1], Path(sys.argv[2])))
    loop.close()


if __name__ == "__main__":
    main()
