"""Wait of a test until a topic has a number of records."""

import time
from collections.abc import Sequence
from concurrent.futures import Future
from itertools import chain
from typing import Final, NamedTuple

from mockbroker.broker.delayed import MILLISECONDS, DelayedResponse
from mockbroker.broker.outcomes import Unanswered
from mockbroker.broker.service import Service
from mockbroker.broker.stored_records import (
    IsolationLevel,
    StoredRecord,
    partitions_of,
    stored_records,
)
from mockbroker.control.running_cluster import ClusterAccess
from mockbroker.settings.duration import duration_text
from mockbroker.state.topic.topic import Partition

LOOK_AGAIN_MS: Final = 50
"""Pause after which it looks again, as for a topic that exists by then."""


class WantedRecords(NamedTuple):
    """Records to wait for."""

    topic: str
    partition: int | None
    isolation: IsolationLevel
    count_min: int


class RecordsWait:
    """One wait. It looks at the logs when they change, on the cluster's loop."""

    def __init__(self, access: ClusterAccess, wanted: WantedRecords, timeout_ms: int) -> None:
        """Take what to wait for; `look` begins."""
        self._access: Final = access
        self._wanted: Final = wanted
        self._timeout_ms: Final = timeout_ms
        self._deadline_s: Final = time.monotonic() + timeout_ms / MILLISECONDS
        self.answer: Final[Future[list[StoredRecord]]] = Future()
        """The records, or why there are not enough."""
        access.control.add_wait(self._give_up)
        self.answer.add_done_callback(lambda _: access.started.control.remove_wait(self._give_up))

    def _give_up(self, why: Exception) -> None:
        self.answer.set_exception(why)

    def look(self) -> None:
        """Look at the records; if they are too few, look again at the next change."""
        if self.answer.done():
            return
        try:
            service = self._access.running.service
            partitions = self._partitions(service)
            found = self._records(service, partitions, self._wanted.isolation)
            if len(found) >= self._wanted.count_min:
                self.answer.set_result(found)
                return
            left_ms = int((self._deadline_s - time.monotonic()) * MILLISECONDS)
            if left_ms <= 0:
                raise TimeoutError(self._told(service, found))
        except Exception as failure:  # noqa: BLE001 - raised in the thread that waits
            self.answer.set_exception(failure)
            return
        changed = DelayedResponse(
            partitions, min(left_ms, LOOK_AGAIN_MS), lambda _is_last: Unanswered(hang_up=False)
        )
        service.purgatory.delay(changed, lambda _answer: self.look())

    def _partitions(self, service: Service) -> Sequence[Partition]:
        """Return the partitions that exist by now."""
        try:
            return partitions_of(service.cluster, self._wanted.topic, self._wanted.partition)
        except LookupError:
            return ()

    def _records(
        self, service: Service, partitions: Sequence[Partition], isolation: IsolationLevel
    ) -> list[StoredRecord]:
        now_ms = service.read_clock()
        each = (stored_records(service.cluster, one, isolation, now_ms) for one in partitions)
        return list(chain.from_iterable(each))

    def _told(self, service: Service, found: Sequence[StoredRecord]) -> str:
        topic, partition, isolation, count = self._wanted
        where = topic if partition is None else f"{topic}-{partition}"
        text = (
            f"{where} has {len(found)} of {count} records after {duration_text(self._timeout_ms)}"
        )
        partitions = self._partitions(service)
        if not partitions:
            names = ", ".join(each.name for each in service.cluster.topics if not each.is_internal)
            known = f"; the topics are {names}" if names else ", nor does any other"
            return f"{text}: the topic does not exist{known}"
        if isolation == "read_committed":
            others = len(self._records(service, partitions, "read_uncommitted")) - len(found)
            text += f" for read_committed, and {others} that are not committed"
        return f"{text}; {_last(found)}"


def _last(found: Sequence[StoredRecord]) -> str:
    if not found:
        return "there is none"
    last = max(found, key=lambda record: (record.timestamp_ms, record.offset))
    return (
        f"the last is {last.topic}-{last.partition}@{last.offset}:"
        f" key={_short(last.key)}, value={_short(last.value)}"
    )


def _short(field: bytes | None) -> str:
    shown_bytes = 40
    if field is None or len(field) <= shown_bytes:
        return repr(field)
    return f"{field[:shown_bytes]!r}... ({len(field)} bytes)"
