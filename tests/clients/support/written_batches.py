"""Batches with any producer id and sequence, written without a client."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import NO_SEQUENCE, BatchHeader
from mockbroker.wire import WireProducer


def append(bootstrap_servers: str, topic: str, partition: int, *values: str) -> ErrorCode:
    """Append one batch of no producer, and return the error."""
    with WireProducer(bootstrap_servers) as producer:
        written = map(str.encode, values)
        return producer.produce(topic, *written, base_sequence=NO_SEQUENCE, index=partition).error


def producer_of(
    bootstrap_servers: str, transactional_id: str, batch: BatchHeader
) -> tuple[WireProducer, int]:
    """Return a producer with the id and epoch of a stored batch, and the sequence after it."""
    producer = WireProducer(bootstrap_servers, transactional_id)
    producer.producer_id, producer.producer_epoch = batch.producer_id, batch.producer_epoch
    return producer, batch.base_sequence + batch.record_count
