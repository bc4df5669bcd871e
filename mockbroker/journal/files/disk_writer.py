"""Writer of the journal on disk, in its own thread, so that the loop does not wait for disks.

The loop hands over events in batches: when one is full, or a moment later. If the thread falls too
far behind, the loop waits for it: nothing is lost, and memory stays bounded.
"""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import Queue
from typing import Final, Protocol

from mockbroker.events import logging
from mockbroker.journal.entry import Entry
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.files.manifest import FolderWatch
from mockbroker.journal.recorded import Recorded

BATCH: Final = 256
"""Number of events that are handed over at once."""
BATCHES_WAITING_MAX: Final = 64
_SOON_S: Final = 0.2
_INCOMPLETE: Final = (
    "the journal in {} is incomplete: {}; events from then on are not in it, so record again"
)


class Parts(Protocol):
    """The files of one journal, in sequence."""

    def write(self, recorded: Recorded, expansion: Expansion) -> None:
        """Write the entries of an event, or buffer them until the next flush."""
        ...

    def write_entries(self, entries: list[Entry]) -> None:
        """Write entries, or buffer them."""
        ...

    def flush(self) -> None:
        """Make everything written so far readable, if the format allows it."""
        ...

    def close(self) -> None:
        """Complete the files, and mark the manifest as complete."""
        ...

    def abandon(self) -> None:
        """Close the files as they are, after a failure."""
        ...


class DiskWriter:
    """Writes recorded events to the folder of a journal."""

    def __init__(
        self,
        folder: Path,
        parts: Parts,
        expansion: Expansion,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Start the thread.

        Raises:
            OSError: there is no journal in the folder.

        """
        self._watch: Final = FolderWatch(folder)
        self._parts: Final = parts
        self._expansion: Final = expansion
        self._loop: Final = loop
        self._batch: list[Recorded] = []
        self._timer: asyncio.TimerHandle | None = None
        self._queue: Final[Queue[list[Recorded] | None]] = Queue(BATCHES_WAITING_MAX)
        self._failure: Exception | None = None
        self._thread: Final = threading.Thread(
            target=self._run, name="mockbroker-journal", daemon=True
        )
        self._thread.start()

    def store(self, recorded: Recorded, entries: int) -> None:
        """Queue an event."""
        self._batch.append(recorded)
        if len(self._batch) >= BATCH:
            self._hand_over()
        elif self._timer is None:
            self._timer = self._loop.call_later(_SOON_S, self._hand_over)

    def _hand_over(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        batch, self._batch = self._batch, []
        if batch:
            self._queue.put(batch)

    def close(self) -> None:
        """Write the queued events, and end the thread.

        Raises:
            OSError: something could not be written.

        """
        self._hand_over()
        self._queue.put(None)
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    # The thread

    def _run(self) -> None:
        while (batch := self._queue.get()) is not None:
            if self._failure is None:
                self._try(partial(self._write, batch))
        if self._failure is None:
            self._try(self._complete)

    def _write(self, batch: list[Recorded]) -> None:
        self._watch.check()
        for recorded in batch:
            self._parts.write(recorded, self._expansion)
        if self._queue.empty():
            self._parts.flush()

    def _complete(self) -> None:
        self._watch.check()
        self._parts.close()

    def _try(self, step: Callable[[], None]) -> None:
        """Run a step; after a failure, which is logged at once, nothing more is written."""
        try:
            step()
        except Exception as failure:  # noqa: BLE001 - it is raised where the journal is closed
            self._failure = failure
            if isinstance(failure, OSError):
                why = failure.strerror or str(failure)
                self._failure = OSError(_INCOMPLETE.format(self._watch.folder, why))
            self._parts.abandon()
            logging.error("journal_failed", why=str(self._failure))
