"""Rows of topics and changes of transactional ids, as logs have them."""

from mockbroker.journal.entry import Entry
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from mockbroker.wire.transactions import TransactionChange


def changes(
    transactional_id: str, producer_id: int, *states: tuple[int, str, int]
) -> list[TransactionChange]:
    """Return changes of an id from (state, topic, time)."""
    return [
        TransactionChange(
            *(0, offset, 0, time_ms, transactional_id),
            TransactionLogValue(
                *(producer_id, 0, 0, state),
                (TopicPartition(topic, 0),) if topic else None,
                *(time_ms, time_ms),
            ),
        )
        for offset, (state, topic, time_ms) in enumerate(states)
    ]


def batch(topic: str, offset: int, producer_id: int, marker: str | None = None) -> Entry:
    return Entry(
        *(0, "append" if marker is None else "marker", 0, offset),
        topic=topic,
        partition=0,
        producer_id=producer_id,
        producer_epoch=0,
        base_offset=offset,
        last_offset=offset,
        is_transactional=True,
        marker=marker,
        log_start_offset=0,
    )
