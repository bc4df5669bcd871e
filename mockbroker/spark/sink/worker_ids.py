"""Transactional ids of a worker process, which no other process uses.

A late copy of a task so never meets the transaction of another copy. An id is used again for a
later batch when its last transaction is known to be committed: then nobody has a reason to fence
it. The brokers so remember about as many ids as tasks run at once, not one for each task ever.
"""

import os
import uuid
from typing import Final

from mockbroker.spark.sink.takeover import Claim
from mockbroker.spark.sink.transaction_requests import ProducerEpoch

_DIGITS: Final = 12


class WorkerIds:
    """Transactional ids of one sink in this process."""

    def __init__(self, prefix: str) -> None:
        """Choose a name that no other process has."""
        self._name = f"{prefix}-{uuid.uuid4().hex[:_DIGITS]}"
        self._count = 0
        self._free: list[str] = []
        self._used: dict[ProducerEpoch, ProducerEpoch] = {}

    def take(self, claim: Claim) -> str:
        """Return an id that has no open transaction, and that nobody will fence."""
        for mine, claimed in list(self._used.items()):
            if claimed != claim.producer:
                del self._used[mine]
                if mine in claim.committed:
                    self._free.append(mine.transactional_id)
        if self._free:
            return self._free.pop()
        self._count += 1
        return f"{self._name}-{self._count}"

    def use(self, mine: ProducerEpoch, claim: Claim) -> None:
        """Note that a transaction is opened under a claim."""
        self._used[mine] = claim.producer


_ids: dict[tuple[int, str, str], WorkerIds] = {}


def worker_ids(bootstrap_servers: str, prefix: str) -> WorkerIds:
    """Return the ids of a sink in this process; a forked process has its own."""
    key = (os.getpid(), bootstrap_servers, prefix)
    return _ids.setdefault(key, WorkerIds(prefix))
