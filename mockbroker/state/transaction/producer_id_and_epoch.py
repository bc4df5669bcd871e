"""What a producer writes with: its id, and the epoch that fences those before it."""

from typing import Final, NamedTuple

from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID


class ProducerIdAndEpoch(NamedTuple):
    """A producer, as requests name it (Kafka's `ProducerIdAndEpoch`)."""

    producer_id: int
    producer_epoch: int


NO_PRODUCER: Final = ProducerIdAndEpoch(NO_PRODUCER_ID, NO_PRODUCER_EPOCH)
