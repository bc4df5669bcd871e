"""The one refusal that changes a producer's state: a batch outside of an open transaction, on 1.0.

Kafka 1.0.0 and 1.0.1 updated the producer's state before they checked its transaction
(`ProducerAppendInfo.append`). The batch is not stored, yet its retry is answered with the offset
that it would have had, and the producer's next batch has to follow it.

Checks and appends change nothing here either when they refuse a batch. The broker calls
`remember_refused` once, before it answers.
"""

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.producer.producer_state_manager import ProducerStateManager


def remember_refused(
    producers: ProducerStateManager, header: BatchHeader, base_offset: int, refusal: ApiError
) -> None:
    """Remember a batch refused at `base_offset`, if the release does and this is the refusal."""
    is_kept = producers.options.remembers_refused_batches
    if not is_kept or refusal.code is not ErrorCode.INVALID_TXN_STATE:
        return
    entry = producers.last_entry(header.producer_id)
    assert entry is not None, header  # it has an open transaction
    if header.producer_epoch != entry.producer_epoch:
        entry.begin_epoch(header.producer_epoch)
    offset_delta = header.last_sequence - header.base_sequence
    last_offset = base_offset + header.last_offset_delta
    entry.add_batch(header.base_sequence, last_offset, offset_delta, header.max_timestamp)
