"""ShareAcknowledge: outcomes by partition, and the end of a session."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.share_acknowledge import (
    PartitionData,
    ShareAcknowledgeResponse,
)
from mockbroker.protocol.messages.share_fetch import ShareFetchResponse
from tests.broker.handlers.share_building import (
    Batch,
    acknowledging,
    coordinator_of,
    fetching,
    key_of,
    share_brokers,
    store,
)
from tests.support.in_process import Brokers, Peer

FINAL = -1


def acquiring() -> tuple[Brokers, Peer]:
    """Return brokers, and a member that has acquired three records in epoch 1."""
    brokers = share_brokers()
    store(brokers)
    peer = brokers.connect()
    peer.ask(fetching(brokers, 0), 2, ShareFetchResponse)
    brokers.loop.run()
    peer.ask(fetching(brokers, 1), 2, ShareFetchResponse)
    return brokers, peer


def only(answer: ShareAcknowledgeResponse) -> PartitionData:
    assert answer.error_code == ErrorCode.NONE
    ((partition,),) = (topic.partitions for topic in answer.responses)
    return partition


def acknowledge(
    brokers: Brokers, epoch: int, *batches: Batch, index: int = 0, version: int = 2
) -> ShareAcknowledgeResponse:
    request = acknowledging(brokers, epoch, *batches, index=index)
    return brokers.ask(request, version, ShareAcknowledgeResponse)


def test_without_the_feature_it_is_refused() -> None:
    brokers = Brokers(topics={"t": 1}, features={"share.version": 0})
    assert acknowledge(brokers, 1).error_code == ErrorCode.UNSUPPORTED_VERSION


def test_a_member_needs_an_id() -> None:
    brokers = share_brokers()
    request = acknowledging(brokers, 1, member="")
    answer = brokers.ask(request, 2, ShareAcknowledgeResponse)
    assert answer.error_code == ErrorCode.INVALID_REQUEST


def test_records_are_accepted_once() -> None:
    brokers, _ = acquiring()
    assert only(acknowledge(brokers, 2, (0, 2, [1]))).error_code == ErrorCode.NONE
    stored = coordinator_of(brokers).summary(key_of(brokers))
    assert stored is not None
    assert stored.delivery_complete_count == 3
    partition = only(acknowledge(brokers, 3, (0, 2, [1])))
    assert partition.error_code == ErrorCode.NONE, "they are before the window"


@pytest.mark.parametrize(
    "batches",
    [
        [(2, 0, [1])],
        [(1, 2, [1]), (0, 0, [1])],
        [(0, 2, [1, 1])],
        [(0, 2, [])],
        [(0, 2, [5])],
        [(0, 2, [-1])],
        [(0, 2, [4])],
    ],
)
def test_invalid_batches(batches: list[Batch]) -> None:
    brokers, _ = acquiring()
    assert only(acknowledge(brokers, 2, *batches)).error_code == ErrorCode.INVALID_REQUEST


def test_renewals_need_version_two() -> None:
    brokers, _ = acquiring()
    for version, code in [(1, ErrorCode.INVALID_REQUEST), (2, ErrorCode.NONE)]:
        request = acknowledging(brokers, 1 + version, (0, 2, [4]))
        request.is_renew_ack = True
        answer = brokers.ask(request, version, ShareAcknowledgeResponse)
        assert only(answer).error_code == code


def test_unknown_partitions() -> None:
    brokers, _ = acquiring()
    answer = acknowledge(brokers, 2, (0, 0, [1]), index=7)
    assert only(answer).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    request = acknowledging(brokers, 3, (0, 0, [1]))
    request.topics[0].topic_id = key_of(brokers).topic_id.__class__(int=1)
    answer = brokers.ask(request, 2, ShareAcknowledgeResponse)
    assert only(answer).error_code == ErrorCode.UNKNOWN_TOPIC_ID


def test_partitions_without_batches_are_listed_beside_others() -> None:
    brokers = share_brokers(partitions=2)
    store(brokers)
    peer = brokers.connect()
    peer.ask(fetching(brokers, 0, partitions=(0, 1)), 2, ShareFetchResponse)
    brokers.loop.run()
    peer.ask(fetching(brokers, 1), 2, ShareFetchResponse)
    assert acknowledge(brokers, 2, index=1).responses == []
    request = acknowledging(brokers, 3, (0, 0, [1]))
    request.topics[0].partitions += acknowledging(brokers, 3, index=1).topics[0].partitions
    (topic,) = brokers.ask(request, 2, ShareAcknowledgeResponse).responses
    assert [each.partition_index for each in topic.partitions] == [0, 1]


def test_the_last_acknowledgement_releases_the_rest() -> None:
    brokers, _ = acquiring()
    assert only(acknowledge(brokers, FINAL, (0, 0, [1]))).error_code == ErrorCode.NONE
    answer = acknowledge(brokers, 2)
    assert answer.error_code == ErrorCode.SHARE_SESSION_NOT_FOUND
    other = fetching(brokers, 0, member="n")
    fetched = brokers.ask(other, 2, ShareFetchResponse).responses[0].partitions[0]
    assert [(each.first_offset, each.last_offset) for each in fetched.acquired_records] == [(1, 2)]


def test_a_leader_that_is_fenced_says_who_leads() -> None:
    brokers, _ = acquiring()
    coordinator_of(brokers).read(key_of(brokers), 9, 0)
    partition = only(acknowledge(brokers, 2, (0, 0, [1])))
    assert partition.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert partition.current_leader.leader_id == 1
    partition = only(acknowledge(brokers, 3, (0, 0, [1])))
    assert partition.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "it was forgotten"
