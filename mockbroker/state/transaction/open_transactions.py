"""Open transactions by partition, from logs and coordinators."""

from typing import Final, NamedTuple

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.transaction.hanging_transactions import known_to_coordinators, open_in_logs

NO_OFFSET: Final = -1


class OpenTransaction(NamedTuple):
    """A transaction in one of its partitions that has not ended, or not in that partition yet."""

    topic: str
    partition: int
    producer_id: int
    producer_epoch: int
    first_offset: int
    """The offset of its first record; -1 if it has written none."""
    transactional_id: str | None
    """None if no coordinator knows the transaction."""
    state: str | None
    """The state at its coordinator, such as `Ongoing`; None if no coordinator knows it."""

    @property
    def is_hanging(self) -> bool:
        """True if no coordinator will ever end it."""
        return self.state is None


def open_transactions(cluster: ClusterState) -> list[OpenTransaction]:
    """Return the transactions that are open in a log or at a coordinator, by partition."""
    known = known_to_coordinators(cluster)
    found: list[OpenTransaction] = []
    for opened in open_in_logs(cluster):
        place = TopicPartition(opened.topic, opened.partition)
        metadata = known.pop((opened.producer_id, place), None)
        found.append(
            OpenTransaction(
                opened.topic,
                opened.partition,
                opened.producer_id,
                opened.producer_epoch,
                opened.first_offset,
                None if metadata is None else metadata.transactional_id,
                None if metadata is None else metadata.state.state_name,
            )
        )
    found += [
        OpenTransaction(
            *place,
            producer_id,
            metadata.producer_epoch,
            NO_OFFSET,
            metadata.transactional_id,
            metadata.state.state_name,
        )
        for (producer_id, place), metadata in known.items()
    ]
    return sorted(found, key=lambda each: (each.topic, each.partition, each.first_offset))
