"""Responses to acks=all, which wait until all in-sync replicas have the appended records.

As in Kafka (`DelayedProduce`), the high watermark has to pass the records. If too few replicas are
in sync by then, the error is NOT_ENOUGH_REPLICAS_AFTER_APPEND; after a timeout, REQUEST_TIMED_OUT;
after a leader change, NOT_LEADER_OR_FOLLOWER. In all these cases the log contains the records.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from mockbroker.broker.call import Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceData,
)
from mockbroker.state.log.log_append_info import LogAppendInfo
from mockbroker.state.replication.high_watermark import has_enough_replicas
from mockbroker.state.topic.topic import Partition


class Unreplicated(NamedTuple):
    """An appended batch that the followers do not have yet."""

    partition: Partition
    elected_in_epoch: int
    """Epoch of the leader's election; a later election may have truncated the batch."""
    required_offset: int
    """Offset that the high watermark has to reach."""
    topic_data: TopicProduceData
    answer: PartitionProduceResponse
    """Response for its partition; the error code is set when it is known."""


def is_replicated(partition: Partition, info: LogAppendInfo) -> bool:
    """Return True if the high watermark has passed the appended records."""
    assert partition.log is not None, partition.topic_partition
    return info.last_offset < partition.log.high_watermark


def when_replicated(
    waiting: Sequence[Unreplicated],
    call: Call,
    timeout_ms: int,
    finish: Callable[[], ProduceResponse],
) -> ProduceResponse | DelayedResponse:
    """Answer when the followers have all batches, or after `timeout_ms`; now if none wait."""
    if not waiting:
        return finish()

    def attempt(is_last: bool) -> ProduceResponse | None:
        codes = [_outcome(each, call, is_last=is_last) for each in waiting]
        for each, code in zip(waiting, codes, strict=True):
            each.answer.error_code = ErrorCode.NONE if code is None else code
        return None if None in codes else finish()

    return DelayedResponse({each.partition for each in waiting}, timeout_ms, attempt)


def _outcome(waiting: Unreplicated, call: Call, *, is_last: bool) -> ErrorCode | None:
    """Return the error code of a batch; None while it is undecided."""
    partition = waiting.partition
    if call.cluster.partition(*partition.topic_partition) is not partition:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    is_led_as_before = partition.elected_in_epoch == waiting.elected_in_epoch
    if partition.leader_id != call.broker_id or not is_led_as_before:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    log = partition.log
    if log is not None and log.high_watermark >= waiting.required_offset:
        if has_enough_replicas(call.cluster.options, partition):
            return ErrorCode.NONE
        return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    return ErrorCode.REQUEST_TIMED_OUT if is_last else None
