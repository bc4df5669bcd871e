"""Handle of the ledger of a cluster: on, off, and how full it is."""

from typing import TYPE_CHECKING, TypeVar

from mockbroker.control.running_cluster import ClusterAccess, RunningCluster
from mockbroker.server.event_loop import run_on

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class LedgerHandle:
    """The ledger: a row for each batch that clients sent, and the result of their transactions.

    The assertions read it. It is bounded: after the last row nothing more is recorded, and the
    assertions that need a complete ledger fail and say so.

    Raises:
        RuntimeError: by all of its members, the cluster does not run.

    """

    def __init__(self, access: ClusterAccess) -> None:
        """Take the access to the cluster."""
        self._access = access

    @property
    def is_on(self) -> bool:
        """True if batches are recorded, or would be if there were room."""
        return self._access.running.keeps_ledger

    @property
    def is_full(self) -> bool:
        """True if there was no room for a row, and nothing is recorded after that."""
        return self._read(lambda running: running.ledger is not None and running.ledger.dropped > 0)

    @property
    def rows(self) -> int:
        """Number of rows; 0 while it is off."""
        return self._read(lambda running: 0 if running.ledger is None else len(running.ledger))

    @property
    def rows_max(self) -> int:
        """Number of rows for which there is room, 67 bytes each; 0 while it is off."""
        return self._read(lambda running: 0 if running.ledger is None else running.ledger.rows_max)

    def start(self, rows_max: int | None = None) -> None:
        """Record from now on in a new ledger, of a million rows by default.

        Rows of an earlier ledger are deleted. The assertions then cover what comes from now on.

        Raises:
            ValueError: there would be no row.

        """
        if rows_max is not None and rows_max < 1:
            raise ValueError(f"rows_max={rows_max}: allowed are numbers from 1 on")
        self._read(lambda running: running.keep_ledger(rows_max))

    def stop(self) -> None:
        """Record no more, and delete the rows."""
        self._read(lambda running: running.drop_ledger())

    def _read(self, work: "Callable[[RunningCluster], T]") -> T:
        running = self._access.running
        return run_on(running.service.loop, lambda: work(running))
