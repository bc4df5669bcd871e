"""Responses to acks=all, and their time, by the followers' progress."""

from typing import Final

import pytest

from mockbroker.broker.call import Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.produce.acks_all import Unreplicated, is_replicated, when_replicated
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceData,
)
from mockbroker.state.log.log_append_info import LogAppendInfo
from mockbroker.state.replication.leader_election import elect_leader
from mockbroker.state.replication.replication import (
    leave_in_sync_replicas,
    replicas_changed,
    stop_following,
)
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import Partition
from tests.support.in_process import NOW_MS, Brokers

END: Final = 3


def call_at(brokers: Brokers, broker_id: int) -> Call:
    """Return a call of Produce at a broker."""
    return Call(
        brokers.service,
        broker_id=broker_id,
        connection_id=1,
        api_key=ApiKey.PRODUCE,
        api_version=9,
        correlation_id=1,
        client_id=None,
    )


class Waiting:
    """A batch that ends at offset 3, which follower 2 lacks."""

    def __init__(self, release: str = "2.8") -> None:
        self.brokers = Brokers(brokers=3, release=release)
        configs = [("min.insync.replicas", "2")]
        wanted = NewTopic(name="orders", assignments=[(0, (1, 2))], configs=configs)
        self.partition: Partition = self.brokers.state.create_topic(wanted).partitions[0]
        self.log = self.brokers.state.log_of(self.partition, NOW_MS)
        stop_following(self.brokers.state, self.partition, 2, now_ms=NOW_MS)
        self.log.log_end_offset = END
        self.answer = PartitionProduceResponse(base_offset=0)
        self.response = ProduceResponse()
        each = Unreplicated(self.partition, 0, END, TopicProduceData(), self.answer)
        call = call_at(self.brokers, 1)
        delayed = when_replicated([each], call, 100, lambda: self.response)
        assert isinstance(delayed, DelayedResponse)
        self.delayed = delayed

    def attempt(self, *, is_last: bool = False) -> ErrorCode | None:
        """Try to answer, and return the code."""
        answered = self.delayed.attempt(is_last)
        assert answered in (None, self.response)
        return None if answered is None else ErrorCode(self.answer.error_code)


def test_a_response_without_pending_partitions_is_sent_at_once() -> None:
    response = ProduceResponse()
    assert when_replicated([], call_at(Brokers(), 1), 100, lambda: response) is response


def test_a_batch_is_replicated_when_the_high_watermark_has_passed_it() -> None:
    waiting = Waiting()
    info = LogAppendInfo()
    info.last_offset = END - 1
    assert not is_replicated(waiting.partition, info)
    waiting.log.advance_high_watermark(END - 1)
    assert not is_replicated(waiting.partition, info)
    waiting.log.advance_high_watermark(END)
    assert is_replicated(waiting.partition, info)


def test_acks_all_waits_until_followers_have_the_batch() -> None:
    waiting = Waiting()
    assert waiting.delayed.watched == {waiting.partition}
    assert waiting.attempt() is None
    waiting.log.advance_high_watermark(END)
    assert waiting.attempt() is ErrorCode.NONE


def test_acks_all_waits_no_longer_than_its_timeout() -> None:
    waiting = Waiting()
    assert (waiting.delayed.max_wait_ms, waiting.attempt(is_last=True)) == (
        100,
        ErrorCode.REQUEST_TIMED_OUT,
    )


def test_too_few_replicas_in_sync_are_an_error() -> None:
    waiting = Waiting()
    leave_in_sync_replicas(waiting.brokers.state, waiting.partition, 2, now_ms=NOW_MS)
    assert waiting.attempt() is ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND


def test_a_change_of_the_leader_is_an_error() -> None:
    waiting = Waiting()
    waiting.partition.leader_id = 2
    replicas_changed(waiting.brokers.state, waiting.partition)
    assert waiting.attempt() is ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize("is_last", [False, True])
def test_a_deleted_topic_is_an_error(is_last: bool) -> None:
    waiting = Waiting()
    waiting.brokers.state.delete_topic(waiting.brokers.topic("orders"))
    assert waiting.attempt(is_last=is_last) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_leader_that_was_re_elected_with_a_shorter_log_is_an_error() -> None:
    waiting = Waiting()
    state = waiting.brokers.state
    elect_leader(state, waiting.partition, 1, now_ms=NOW_MS)
    waiting.log.advance_high_watermark(END)
    assert waiting.attempt() is ErrorCode.NOT_LEADER_OR_FOLLOWER
