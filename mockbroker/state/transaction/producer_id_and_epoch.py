"""The identity of a producer: its id, and the epoch that fences earlier ones."""

from typing import Final, NamedTuple

from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID


class ProducerIdAndEpoch(NamedTuple):
    """A producer's id and epoch as in requests (Kafka's `ProducerIdAndEpoch`)."""

    producer_id: int
    producer_epoch: int


NO_PRODUCER: Final = ProducerIdAndEpoch(NO_PRODUCER_ID, NO_PRODUCER_EPOCH)
