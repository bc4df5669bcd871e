"""A hanging transaction: one of its batches was appended after the marker that ended it.

Brokers append such a batch up to release 3.5, and later ones with transaction version 1 if
`transaction.partition.verification.enable` is false.
"""

import time
from dataclasses import dataclass
from typing import Final

from confluent_kafka import Producer

from mockbroker.protocol.errors import ErrorCode
from tests.clients.support.deadline import TIMEOUT_S, wait_until
from tests.clients.support.stored_batches import last_stable_offset, stored_batches
from tests.clients.support.topics import create_topic
from tests.clients.support.written_batches import producer_of

TWO_HOURS_MS: Final = 2 * 3_600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HangingTransaction:
    """Where it hangs, in partition 0 of the topic."""

    topic: str
    transactional_id: str
    producer_id: int
    producer_epoch: int
    start_offset: int
    timestamp_ms: int

    def last_stable_offset(self, bootstrap_servers: str) -> int:
        """Return where the readers of committed records are held up."""
        return last_stable_offset(bootstrap_servers, self.topic, 0)


def hang(bootstrap_servers: str, topic: str) -> HangingTransaction:
    """Abort a transaction and append one more of its batches, which says it is two hours old."""
    transactional_id = f"id-of-{topic}"
    create_topic(bootstrap_servers, topic)
    producer = Producer(
        {"bootstrap.servers": bootstrap_servers, "transactional.id": transactional_id}
    )
    producer.init_transactions(TIMEOUT_S)
    producer.begin_transaction()
    producer.produce(topic, "aborted")
    assert producer.flush(TIMEOUT_S) == 0
    producer.abort_transaction(TIMEOUT_S)
    wait_until(lambda: last_stable_offset(bootstrap_servers, topic, 0) == 2)

    aborted = stored_batches(bootstrap_servers, topic, 0)[0]
    timestamp_ms = int(time.time() * 1000) - TWO_HOURS_MS
    late, sequence = producer_of(bootstrap_servers, transactional_id, aborted)
    with late:
        written = late.produce(topic, b"late", base_sequence=sequence, timestamp_ms=timestamp_ms)
    assert written.error is ErrorCode.NONE
    assert last_stable_offset(bootstrap_servers, topic, 0) == 2
    return HangingTransaction(
        topic=topic,
        transactional_id=transactional_id,
        producer_id=aborted.producer_id,
        producer_epoch=aborted.producer_epoch,
        start_offset=2,
        timestamp_ms=timestamp_ms,
    )
